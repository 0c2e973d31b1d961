"""package.xml: keys that rosdep resolves on ROS 2 Jazzy, all that is used at run time, and nothing made up."""
import ast
import os
import re
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

TOP = Path(os.environ.get('FLEETWEAVE_SOURCE_DIR', Path(__file__).resolve().parents[2]))
MANIFEST = ElementTree.parse(TOP / 'package.xml').getroot()

# Looked up in rosdistro (jazzy/distribution.yaml, rosdep/*.yaml for Ubuntu 24.04). A key that is new here is to be looked
# up there first: `rosdep resolve KEY --rosdistro jazzy`.
RELEASED = set('''
    action_msgs ament_cmake ament_cmake_flake8 ament_cmake_lint_cmake ament_cmake_xmllint ament_lint_auto
    bond builtin_interfaces diagnostic_msgs geometry_msgs launch launch_ros libyaml_vendor lifecycle_msgs map_msgs
    nav2_msgs nav_msgs rcl rcl_action rcl_interfaces rcl_lifecycle rcl_yaml_param_parser rclc rclpy rcutils rmw ros2launch
    ros_gz_bridge ros_gz_sim rosgraph_msgs rosidl_runtime_c rviz2 rviz_common rviz_default_plugins std_msgs std_srvs tf2_msgs
    unique_identifier_msgs visualization_msgs'''.split())
OF_THE_SYSTEM = {'libpng-dev', 'python3-pytest', 'python3-yaml'}


def keys(*kinds):
    return [e.text for e in MANIFEST if e.tag.endswith('depend') and (not kinds or e.tag in kinds)]


def test_rosdep_resolves_every_key():
    assert [key for key in keys() if key not in RELEASED | OF_THE_SYSTEM] == []


def test_no_key_is_named_twice():
    assert sorted(set(keys())) == sorted(keys())


def test_packages_of_the_launch_files_are_dependencies():
    used = {'ros2launch'}
    for path in (TOP / 'launch').glob('*.launch.py'):
        text = path.read_text()
        used |= set(re.findall(r"package='(\w+)'", text)) | set(re.findall(r'^from (\w+)', text, re.MULTILINE))
        used |= {'ros_gz_sim'} if "'gz', 'sim'" in text else set()
    assert {'launch', 'launch_ros', 'rviz2', 'ros_gz_bridge', 'ros_gz_sim'} <= used
    assert used - {'fleetweave', 'pathlib'} <= set(keys('depend', 'exec_depend'))


def test_packages_that_installed_scripts_import_are_dependencies():
    installed = re.findall(r'install\(PROGRAMS ([^)]*?) DESTINATION', (TOP / 'cmake/nodes.cmake').read_text())
    scripts = [TOP / name for line in installed for name in line.split() if name.endswith('.py')]
    assert scripts
    for script in scripts:
        imported = set()
        for node in ast.walk(ast.parse(script.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name.split('.')[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module.split('.')[0])
        ros = {name for name in imported if name == 'rclpy' or name.endswith('_msgs') or name.endswith('_srvs')}
        assert ros and ros <= set(keys('depend', 'exec_depend')), script.name


def test_classes_of_the_rviz_file_come_from_dependencies():
    text = (TOP / 'config/fleetweave.rviz').read_text()
    assert set(re.findall(r'Class: (\w+)/', text)) <= set(keys('depend', 'exec_depend'))


def test_nobody_and_no_address_is_made_up():
    """A name of the project, and addresses that say they are none; no reserved example domain, no host that is not ours."""
    people = [e for e in MANIFEST if e.tag in ('maintainer', 'author')]
    assert people and {person.text for person in people} == {'Fleetweave developers'}
    for person in people:
        assert person.get('email', 'x@y.invalid').endswith('.invalid')
    assert 'example' not in ElementTree.tostring(MANIFEST, encoding='unicode')
    assert MANIFEST.find('license').text == 'Apache-2.0' and (TOP / MANIFEST.find('license').get('file')).is_file()


def test_linters_are_test_dependencies():
    configured = set(re.findall(r'^fleetweave_lint\((\w+)', (TOP / 'cmake/linters.cmake').read_text(), re.MULTILINE))
    assert configured == {'flake8', 'lint_cmake', 'xmllint'}
    assert {f'ament_cmake_{name}' for name in configured} | {'ament_lint_auto'} <= set(keys('test_depend'))


def test_the_quality_declaration_names_this_version_and_what_is_there():
    text = (TOP / 'QUALITY_DECLARATION.md').read_text()
    assert 'REP-2004' in text and '**Quality Level 4**' in text
    assert MANIFEST.findtext('version') in text
    for path in re.findall(r'\]\(([^)#:]+)\)', text):
        assert (TOP / path).exists(), path
    for test in re.findall(r'`(test/[\w/.]+)`', text):
        assert (TOP / test).exists(), test


@pytest.mark.parametrize('tool', ['catkin_pkg'])
def test_the_parser_of_ros_tools_takes_the_file(tool):
    package = pytest.importorskip(f'{tool}.package')
    warnings = []
    parsed = package.parse_package(str(TOP), warnings=warnings)
    assert warnings == [] and parsed.name == 'fleetweave'
