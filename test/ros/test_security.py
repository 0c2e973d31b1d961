"""Security: the policy has the form of SROS2's policies, permits what the nodes have and nothing else; keystores are signed by who
they say; and a node whose enclave is missing does not start."""
import contextlib
import importlib.util
import os
import shutil
import subprocess
import time
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest
import rclpy

TOP = Path(os.environ['FLEETWEAVE_SOURCE_DIR'])
spec = importlib.util.spec_from_file_location('security', TOP / 'tools/security.py')
security = importlib.util.module_from_spec(spec)
spec.loader.exec_module(security)

POLICY = security.check_policy(ElementTree.parse(security.POLICY).getroot())


# ---- form

@pytest.mark.parametrize('change, told', [
    (lambda root: root.set('version', '0.1.0'), 'version="0.2.0"'),
    (lambda root: root.append(ElementTree.Element('enclaves')), 'one <enclaves>'),
    (lambda root: root.find('enclaves/enclave').set('path', 'planner'), "cannot have the path 'planner'"),
    (lambda root: root.find('enclaves/enclave').clear(), "cannot have the path None"),
    (lambda root: root.find('.//profile').set('host', 'x'), '<profile> has an attribute host'),
    (lambda root: root.find('.//profile').attrib.pop('node'), 'needs a ns that begins with / and a node'),
    (lambda root: root.find('.//profile').append(ElementTree.Element('parameters')), 'has a child <parameters>'),
    (lambda root: root.find('.//topics').set('publish', 'MAYBE'), 'ALLOW or DENY'),
    (lambda root: root.find('.//topics').set('call', 'ALLOW'), '<topics> has an attribute call'),
    (lambda root: root.find('.//topics').append(ElementTree.Element('service')), '<topics> has a child <service>'),
    (lambda root: setattr(root.find('.//topic'), 'text', 'two words'), '<topic>two words</topic> is no name'),
    (lambda root: setattr(root.find('.//topic'), 'text', None), 'is no name'),
])
def test_a_policy_of_another_form_is_refused(change, told):
    root = ElementTree.fromstring(security.POLICY.read_text())
    change(root)
    with pytest.raises(security.Bad) as refused:
        security.check_policy(root)
    assert told in str(refused.value)


# ---- the policy and the nodes

ROBOTS = ['-p', 'robots:=[a,b]']
# All that changes which endpoints a node has.
CONFIGURATIONS = [
    ('planner', 'PLANNER_NODE', 'fleetweave_planner', [
        ['-p', 'closures:=[door]', '-p', 'use_sim_time:=true'], ['-p', 'pose_source:=odom'], ['-p', 'pose_source:=amcl_pose'],
        ['-p', 'autostart:=false']]),
    ('simulator', 'FLEET_SIM', 'fleet_sim', [
        ['-p', 'publish_clock:=true'], ['-p', 'drive:=cmd_vel'], ['-p', 'drive:=odom'], ['-p', 'follow:=timed_path'],
        ['-p', 'goals:=none']]),
    ('follower', 'PATH_FOLLOWER', 'path_follower', [['-p', 'use_sim_time:=true'], ['-p', 'pose_source:=odom']]),
]
PARTS = ('/_action/feedback', '/_action/status', '/_action/send_goal', '/_action/cancel_goal', '/_action/get_result')


def endpoints(node, name):
    """What a node has: {(kind, rule): names}, as the policy says it."""
    found = {('topic', 'publish'): node.get_publisher_names_and_types_by_node,
             ('topic', 'subscribe'): node.get_subscriber_names_and_types_by_node,
             ('service', 'reply'): node.get_service_names_and_types_by_node,
             ('service', 'request'): node.get_client_names_and_types_by_node}
    found = {key: {topic for topic, _ in ask(name, '/')} for key, ask in found.items()}
    actions = {topic[:-len(PARTS[1])] for topic in found['topic', 'publish'] if topic.endswith(PARTS[1])}
    for action in actions:
        for part in PARTS:
            for names in found.values():
                names.discard(action + part)
    return {**found, ('action', 'execute'): actions}


def listen(node, name, process):
    """Until the node's endpoints have been the same for a second."""
    end, last, since = time.monotonic() + 60, None, time.monotonic()
    while time.monotonic() < end:
        assert process.poll() is None, 'the node has ended'
        now = endpoints(node, name) if (name, '/') in node.get_node_names_and_namespaces() else None
        if now != last:
            last, since = now, time.monotonic()
        elif now is not None and time.monotonic() - since > 1.0 and now['service', 'reply']:
            return now
        time.sleep(0.1)
    raise AssertionError(f'waited in vain for {name}')


@contextlib.contextmanager
def new_node(name):
    """In a context of its own, which knows nothing of nodes that have ended: on a busy machine some stay in the graph."""
    context = rclpy.Context()
    rclpy.init(context=context)
    node = rclpy.create_node(name, context=context)
    try:
        yield node
    finally:
        node.destroy_node()
        context.shutdown()


@pytest.fixture(scope='module')
def found():
    """By enclave: the endpoints of its node, in any of its configurations."""
    all_found = {}
    for enclave, variable, name, configurations in CONFIGURATIONS:
        union = all_found.setdefault(enclave, {})
        for options in configurations:
            command = [os.environ[f'FLEETWEAVE_{variable}'], '--ros-args', *ROBOTS, *options]
            process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            try:
                with new_node('listener') as node:
                    for key, names in listen(node, name, process).items():
                        union.setdefault(key, set()).update(names)
            finally:
                process.terminate()
                process.wait(30)
    return all_found


@pytest.mark.parametrize('enclave', [row[0] for row in CONFIGURATIONS])
def test_all_that_a_node_has_is_permitted_and_nothing_else(found, enclave):
    permitted = security.permits(POLICY, f'/fleetweave/{enclave}')
    for key, names in found[enclave].items():
        expressions = permitted.get(key, set())
        assert [name for name in sorted(names) if not any(security.matches(e, name) for e in expressions)] == [], f'denied: {key}'
        assert [e for e in sorted(expressions) if not any(security.matches(e, name) for name in names)] == [], f'without use: {key}'
    assert set(permitted) <= set(found[enclave])


OWN = {'/rosout', '/parameter_events'}  # what every node publishes


def test_an_operator_may_do_what_the_planner_offers(found):
    planner = found['planner']
    hears = planner['topic', 'subscribe']
    offered = {('topic', 'publish'): hears | OWN, ('topic', 'subscribe'): planner['topic', 'publish'] | hears,
               ('service', 'request'): planner['service', 'reply'], ('action', 'call'): planner['action', 'execute']}
    permitted = security.permits(POLICY, '/fleetweave/operator')
    assert all(name.startswith('/operator/') for name in permitted.pop(('service', 'reply')))
    for key, expressions in permitted.items():
        for expression in expressions:
            assert any(security.matches(expression, name) for name in offered[key]), (key, expression)


def test_an_operator_s_node_has_all_that_it_begins_with():
    permitted = security.permits(POLICY, '/fleetweave/operator')
    with new_node('operator') as node:
        end = time.monotonic() + 60
        while not endpoints(node, 'operator')['service', 'reply']:
            assert time.monotonic() < end
            time.sleep(0.05)
        for key, names in endpoints(node, 'operator').items():
            denied = [name for name in names if not any(security.matches(e, name) for e in permitted.get(key, ()))]
            assert denied == [], key


def test_nobody_may_publish_what_another_one_decides():
    """Releases come from the planner alone, poses and maps not from it, speeds from the follower alone."""
    def publishers(name):
        return {enclave.get('path').rsplit('/', 1)[1] for enclave in POLICY.iter('enclave')
                if any(security.matches(e, name) for e in security.permits(POLICY, enclave.get('path')).get(('topic', 'publish'), ()))}
    assert publishers('/a/released_path') == publishers('/a/timed_path') == {'planner'}
    assert publishers('/a/cmd_vel') == {'follower'}
    assert publishers('/tf') == publishers('/a/odom') == publishers('/map') == publishers('/clock') == {'simulator'}
    assert publishers('/a/goal_pose') == {'simulator', 'operator'}
    assert publishers('/a/closed_path') == publishers('/blocked_cells') == set()  # a site's own enclaves


# ---- keystores

def make(folder, *options):
    command = ['python3', str(TOP / 'tools/security.py'), str(folder), *options]
    return subprocess.run(command, capture_output=True, text=True, env={**os.environ, 'ROS_DOMAIN_ID': '7'})


@pytest.fixture(scope='module')
def keystore(tmp_path_factory):
    folder = tmp_path_factory.mktemp('security') / 'keystore'
    old = os.umask(0)  # keys are private whatever it is
    done = make(folder, '--robots', 'a,b', '--namespace', '/site')
    os.umask(old)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == [f'/fleetweave/{name}' for name in ('follower', 'operator', 'planner', 'simulator')]
    return folder


# Elements in their order; '+' one or more.
GRANT = ['subject_name', 'validity', 'allow_rule', 'default']
GOVERNANCE = ['domains', 'allow_unauthenticated_participants', 'enable_join_access_control', 'discovery_protection_kind',
              'liveliness_protection_kind', 'rtps_protection_kind', 'topic_access_rules']
TOPIC_RULE = ['topic_expression', 'enable_discovery_protection', 'enable_liveliness_protection', 'enable_read_access_control',
              'enable_write_access_control', 'metadata_protection_kind', 'data_protection_kind']


def tags(element):
    return [child.tag for child in element]


def test_documents_have_the_form_of_dds_security(keystore):
    root = ElementTree.parse(keystore / 'enclaves/governance.xml').getroot()
    rule = root.find('domain_access_rules/domain_rule')
    assert root.tag == 'dds' and tags(rule) == GOVERNANCE
    assert [tags(topic) for topic in rule.find('topic_access_rules')] == [TOPIC_RULE]
    assert rule.findtext('allow_unauthenticated_participants') == 'false' and rule.findtext('domains/id') == '7'
    assert all(e.text == 'true' for e in rule.find('topic_access_rules/topic_rule') if e.tag.startswith('enable_'))
    for name in ('planner', 'simulator', 'follower', 'operator'):
        root = ElementTree.parse(keystore / f'enclaves/fleetweave/{name}/permissions.xml').getroot()
        grant, = root.find('permissions')
        assert tags(grant) == GRANT and tags(grant.find('validity')) == ['not_before', 'not_after']
        assert grant.findtext('subject_name') == f'CN=/fleetweave/{name}' and grant.findtext('default') == 'DENY'
        assert tags(grant.find('allow_rule')) == ['domains', 'publish', 'subscribe']
        assert grant.findtext('allow_rule/domains/id') == '7'
        for time_ in grant.find('validity'):
            time.strptime(time_.text, '%Y-%m-%dT%H:%M:%S')


def test_permissions_are_for_the_robots_and_the_namespace(keystore):
    root = ElementTree.parse(keystore / 'enclaves/fleetweave/planner/permissions.xml').getroot()
    publish, subscribe = ({e.text for e in root.iterfind(f'.//{rule}/topics/topic')} for rule in ('publish', 'subscribe'))
    assert {'rt/site/a/released_path', 'rt/site/b/released_path', 'rr/site/a/holdReply', 'rt/rosout',
            'rr/site/b/navigate_to_pose/_action/send_goalReply', 'rt/site/a/navigate_to_pose/_action/feedback'} <= publish
    assert {'rt/site/map', 'rt/tf', 'rq/site/fleetweave_planner/pauseRequest', 'ros_discovery_info'} <= subscribe
    assert not [topic for topic in publish | subscribe if '*' in topic]


def test_private_keys_are_private(keystore):
    keys = [*(keystore / 'private').iterdir(), *keystore.rglob('key.pem')]
    assert len(keys) == 6 and {key.stat().st_mode & 0o777 for key in keys} == {0o600}
    assert not [path for path in keystore.rglob('*') if not path.is_symlink() and path.stat().st_mode & 0o022]


@pytest.mark.parametrize('file, before, after, told', [
    ('enclaves/fleetweave/follower/permissions.p7s', 'rt/site/a/cmd_vel', 'rt/site/a/released_path', 'openssl smime'),
    ('enclaves/governance.p7s', '<allow_unauthenticated_participants>false', '<allow_unauthenticated_participants>true', 'openssl smime'),
    ('enclaves/fleetweave/follower/permissions.xml', 'rt/site/a/cmd_vel', 'rt/site/c/cmd_vel', 'another content'),
])
def test_what_was_changed_is_found(keystore, tmp_path, file, before, after, told):
    shutil.copytree(keystore, tmp_path / 'copy', symlinks=True)
    path = tmp_path / 'copy' / file
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    done = make(tmp_path / 'copy', '--check')
    assert done.returncode == 1 and told in done.stderr


def test_a_certificate_of_another_enclave_or_authority_is_found(keystore, tmp_path):
    shutil.copytree(keystore, tmp_path / 'copy', symlinks=True)
    enclaves = tmp_path / 'copy/enclaves/fleetweave'
    shutil.copy(enclaves / 'planner/cert.pem', enclaves / 'follower/cert.pem')
    assert 'not of /fleetweave/follower' in make(tmp_path / 'copy', '--check').stderr
    assert make(tmp_path / 'other').returncode == 0
    shutil.copy(tmp_path / 'other/enclaves/fleetweave/follower/cert.pem', enclaves / 'follower/cert.pem')
    assert 'openssl verify' in make(tmp_path / 'copy', '--check').stderr


def test_a_second_call_keeps_the_keys(keystore, tmp_path):
    shutil.copytree(keystore, tmp_path / 'copy', symlinks=True)
    key = (tmp_path / 'copy/enclaves/fleetweave/planner/key.pem').read_text()
    assert make(tmp_path / 'copy', '--robots', 'c').returncode == 0
    assert (tmp_path / 'copy/enclaves/fleetweave/planner/key.pem').read_text() == key
    assert 'rt/c/released_path' in (tmp_path / 'copy/enclaves/fleetweave/planner/permissions.p7s').read_text()


def test_a_node_without_its_enclave_does_not_start(keystore):
    environment = {**os.environ, 'ROS_SECURITY_ENABLE': 'true', 'ROS_SECURITY_STRATEGY': 'Enforce', 'ROS_SECURITY_KEYSTORE': str(keystore)}
    for variable in ('PLANNER_NODE', 'FLEET_SIM', 'PATH_FOLLOWER'):
        command = [os.environ[f'FLEETWEAVE_{variable}'], '--ros-args', *ROBOTS, '--enclave', '/fleetweave/nobody']
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment, timeout=60)
        assert done.returncode != 0 and 'nobody' in done.stdout, done.stdout


def test_a_secured_node_never_runs_without_security(tmp_path):
    """Where the middleware has no security plugins (ROS 2 from wheels), a node with a good keystore ends and says why."""
    assert make(tmp_path / 'keystore', '--domain', os.environ['ROS_DOMAIN_ID']).returncode == 0
    environment = {**os.environ, 'ROS_SECURITY_ENABLE': 'true', 'ROS_SECURITY_STRATEGY': 'Enforce',
                   'ROS_SECURITY_KEYSTORE': str(tmp_path / 'keystore')}
    command = [os.environ['FLEETWEAVE_PLANNER_NODE'], '--ros-args', *ROBOTS, '--enclave', '/fleetweave/planner']
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment)
    said = ''
    for line in process.stdout:
        said += line
        if '2 robots, planner' in line:  # it has plugins, and runs with them
            process.terminate()
            break
    code = process.wait(30)
    assert 'Found security directory' in said
    assert ("doesn't have the security libraries" in said and code != 0) or '2 robots, planner' in said
