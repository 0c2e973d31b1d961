"""The RViz file names only what RViz has, and only topics that the planner and the simulator publish."""
import os
from pathlib import Path

import pytest

yaml = pytest.importorskip('yaml')

TOP = Path(os.environ.get('FLEETWEAVE_SOURCE_DIR', Path(__file__).resolve().parents[2]))
FILE = TOP / 'config' / 'fleetweave.rviz'

# RViz's own plugins, by kind. The root of a file is the one nameless class.
PANELS = {'Displays', 'Help', 'Selection', 'Time', 'Tool Properties', 'Transformation', 'Views'}
DEFAULT = {
    'display': {
        'AccelStamped', 'Axes', 'Camera', 'DepthCloud', 'Effort', 'FluidPressure', 'Grid', 'GridCells', 'Illuminance',
        'Image', 'InteractiveMarkers', 'LaserScan', 'Map', 'Marker', 'MarkerArray', 'Odometry', 'Path', 'PointCloud',
        'PointCloud2', 'PointStamped', 'Polygon', 'PolygonInstance', 'Pose', 'PoseArray', 'PoseWithCovariance', 'Range',
        'RelativeHumidity', 'RobotModel', 'TF', 'Temperature', 'TwistStamped', 'Wrench'},
    'tool': {
        'FocusCamera', 'Interact', 'Measure', 'MoveCamera', 'PublishPoint', 'Select', 'SetGoal', 'SetInitialPose'},
    'view': {
        'FPS', 'FrameAligned', 'Orbit', 'ThirdPersonFollower', 'TopDownOrtho', 'XYOrbit'},
    'transformation': {'TF'},
}
LATCHED = ('Reliable', 'Transient Local')


def allowed(kind):
    names = {f'rviz_default_plugins/{name}' for name in DEFAULT[kind]}
    return names | {'rviz_common/Group'} if kind == 'display' else names


@pytest.fixture(scope='module')
def settings():
    return yaml.safe_load(FILE.read_text())


def displays(settings):
    waiting = list(settings['Visualization Manager']['Displays'])
    for display in waiting:
        waiting.extend(display.get('Displays', []))
    return waiting


def every_class(node):
    if isinstance(node, dict):
        yield from ([node['Class']] if 'Class' in node else [])
        node = list(node.values())
    if isinstance(node, list):
        for child in node:
            yield from every_class(child)


def test_every_class_is_one_of_rviz_s_own(settings):
    known = {''} | {f'rviz_common/{name}' for name in PANELS} | set().union(*(allowed(kind) for kind in DEFAULT))
    found = list(every_class(settings))
    assert len(found) > 10
    assert [name for name in found if name not in known] == []


def test_classes_stand_where_rviz_looks_for_their_kind(settings):
    manager = settings['Visualization Manager']
    assert all(panel['Class'] in {f'rviz_common/{name}' for name in PANELS} for panel in settings['Panels'])
    assert all(display['Class'] in allowed('display') for display in displays(settings))
    assert all(tool['Class'] in allowed('tool') for tool in manager['Tools'])
    assert manager['Views']['Current']['Class'] in allowed('view')
    assert manager['Transformation']['Current']['Class'] in allowed('transformation')


def test_topics_are_shown_with_the_contract_s_qos(settings):
    topics = {}
    for display in displays(settings):
        if 'Topic' in display:
            topic = display['Topic']
            topics[topic['Value']] = (display['Class'], (topic['Reliability Policy'], topic['Durability Policy']))
    assert topics == {
        'map': ('rviz_default_plugins/Map', LATCHED),
        'fleet_markers': ('rviz_default_plugins/MarkerArray', LATCHED),
        'fleet_tubes': ('rviz_default_plugins/MarkerArray', LATCHED),
        'robot_0/timed_path': ('rviz_default_plugins/Path', LATCHED),
        'robot_0/released_path': ('rviz_default_plugins/Path', LATCHED),
        'robot_0/odom': ('rviz_default_plugins/Odometry', ('Best Effort', 'Volatile')),
    }
    assert settings['Visualization Manager']['Global Options']['Fixed Frame'] == 'map'


def test_every_layer_that_the_planner_writes_has_its_switch(settings):
    import re
    written = set()
    for file in (TOP / 'src' / 'ros' / 'planner_node' / 'markers').glob('*.c'):
        written |= set(re.findall(r'node_marker_next\(\s*writer, "(\w+)"', file.read_text()))
    switches = set()
    for display in displays(settings):
        switches |= set(display.get('Namespaces', {}))
    assert written == switches and len(written) > 8


def test_tools_send_where_the_planner_listens(settings):
    tools = {tool['Class'].split('/')[1]: tool.get('Topic', {}).get('Value')
             for tool in settings['Visualization Manager']['Tools']}
    assert tools['SetGoal'] == 'goal_pose' and tools['PublishPoint'] == 'clicked_point'


# ---- the window

def read_docks(state):
    """The docks in a state that QMainWindow::saveState has written: name -> (side, is visible, width or height)."""
    sides = ('left', 'right', 'top', 'bottom')
    position = 0

    def number(size=4):
        nonlocal position
        position += size
        return int.from_bytes(state[position - size:position], 'big')

    assert (number(), number(), number(1)) == (0xff, 0, 0xfd)
    docks = {}
    for _ in range(number()):
        side, width, height, kind = sides[number()], number(), number(), number(1)
        assert kind == 0xfc  # a row or column of docks
        number(1)  # its direction
        for _ in range(number()):
            assert number(1) == 0xfb  # a dock with a name
            length = number()
            name = state[position:position + length].decode('utf-16-be')
            position += length
            flags = number(1)
            number(), number(), number(), number()  # its place in the row, and its limits
            docks[name] = (side, bool(flags & 1), width if side in ('left', 'right') else height)
    return docks


def test_panels_are_docked_and_leave_room_for_the_map(settings):
    geometry = settings['Window Geometry']
    docks = read_docks(bytes.fromhex(str(geometry['QMainWindow State'])))
    assert set(docks) == {panel['Name'] for panel in settings['Panels']}
    visible = {name: dock for name, dock in docks.items() if dock[1]}
    assert set(visible) == {'Displays', 'Time'}
    assert {name for name in docks if geometry[name]['collapsed']} == set(docks) - set(visible)
    room = (geometry['Width'] - visible['Displays'][2], geometry['Height'] - visible['Time'][2] - 60)  # tool bar, menu
    view = settings['Visualization Manager']['Views']['Current']
    demo = yaml.safe_load((TOP / 'config/demo.yaml').read_text())['/**/fleet_sim']['ros__parameters']
    cells = [int(n) for n in demo['map'].split(':')[1].split(',')[0].split('x')]
    metres = [demo['cell_size'] * n for n in cells]
    assert (view['X'], view['Y']) == (metres[0] / 2, metres[1] / 2)
    for length, pixels in zip(metres, room):
        assert 0.5 * pixels < view['Scale'] * length < 0.95 * pixels


def test_the_layers_are_unfolded(settings):
    tree, = [panel['Property Tree Widget'] for panel in settings['Panels'] if panel['Name'] == 'Displays']
    assert {'/Fleet1', '/Fleet1/Namespaces1'} <= set(tree['Expanded'])
