"""`fleetweave world`: the SDF is valid to a real parser, its walls are the map's, and the bridge fits both sides."""
import math
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree

import pytest

LINE = 'warehouse:41x21,seed=1'
# Systems that ship with Gazebo, by what `--for` says: SDF parsers do not notice a plugin that does not exist.
SYSTEMS = {
    'harmonic': ('gz-sim-{}-system', 'gz::sim::systems::{}', 'gz.msgs.'),
    'fortress': ('ignition-gazebo-{}-system', 'ignition::gazebo::systems::{}', 'ignition.msgs.'),
}
PLUGINS = {
    'physics': 'Physics', 'user-commands': 'UserCommands', 'scene-broadcaster': 'SceneBroadcaster',
    'diff-drive': 'DiffDrive', 'odometry-publisher': 'OdometryPublisher'}


@pytest.fixture
def world(cli, tmp_path):
    """Writes a world and returns it as (SDF root, bridge text)."""
    def make(*words):
        sdf, bridge = tmp_path / 'world.sdf', tmp_path / 'bridge.yaml'
        cli('world', *words, '--sdf', sdf, '--bridge', bridge)
        return ElementTree.parse(sdf).getroot(), bridge.read_text()
    return make


def map_of(cli, tmp_path, line):
    """The blocked cells of a map, from the file that `make` writes."""
    file = tmp_path / 'grid.map'
    cli('make', line, '-o', file)
    rows = file.read_text().split('map\n', 1)[1].splitlines()
    return {(x, y) for y, row in enumerate(rows) for x, c in enumerate(row) if c in '@T'}


def numbers(text):
    return [float(word) for word in text.split()]


def parser():
    """Command of a real SDF parser, None if there is none."""
    for program in ('gz', 'ign'):
        if shutil.which(program):
            probe = subprocess.run([program, 'sdf', '--help'], capture_output=True, text=True, timeout=60)
            if 'check' in probe.stdout:
                return [program, 'sdf', '-k']
    return None


@pytest.mark.parametrize('gazebo', list(SYSTEMS))
def test_a_real_parser_takes_world_and_model(cli, tmp_path, gazebo):
    command = parser()
    if command is None:
        pytest.skip('no SDF parser here (Debian: ignition-tools libsdformat-dev)')
    sdf, model = tmp_path / 'world.sdf', tmp_path / 'model.sdf'
    cli('world', '--make', LINE, '--robots', 8, '--for', gazebo, '--sdf', sdf, '--model', model)
    for file in (sdf, model):
        done = subprocess.run([*command, file], capture_output=True, text=True, timeout=120)
        assert 'Valid' in done.stdout and 'Error' not in done.stdout + done.stderr, (done.stdout + done.stderr)[:2000]
    # And it would have noticed.
    spoiled = tmp_path / 'spoiled.sdf'
    spoiled.write_text(sdf.read_text().replace('<child>left_wheel</child>', '<child>no_wheel</child>', 1))
    done = subprocess.run([*command, spoiled], capture_output=True, text=True, timeout=120)
    assert 'Error' in done.stdout + done.stderr


@pytest.mark.parametrize('line', [LINE, 'random:33x17,obstacles=25,seed=3', 'rooms:31x25,room=7'])
def test_walls_are_exactly_the_blocked_cells(cli, world, tmp_path, line):
    root, _ = world('--make', line, '--cell', 0.4, '--radius', 0.15, '--height', 1.25)
    blocked = map_of(cli, tmp_path, line)
    link = root.find("world/model[@name='walls']/link")
    covered = {}
    for box in link.findall('collision'):
        x, y, z, *turn = numbers(box.find('pose').text)
        width, depth, height = numbers(box.find('geometry/box/size').text)
        assert turn == [0, 0, 0] and height == 1.25 and z == 1.25 / 2
        for i in range(round(width / 0.4)):
            for j in range(round(depth / 0.4)):
                cell = (round((x - width / 2) / 0.4) + i, round((y - depth / 2) / 0.4) + j)
                covered[cell] = covered.get(cell, 0) + 1
    assert set(covered) == blocked and set(covered.values()) == {1}
    shapes = [[numbers(e.find('pose').text) + numbers(e.find('geometry/box/size').text) for e in link.findall(kind)]
              for kind in ('collision', 'visual')]
    assert shapes[0] == shapes[1], 'what is seen is what is hit'
    if line == LINE:
        assert len(blocked) == 300 and len(shapes[0]) == 15


def test_an_open_floor_has_no_walls(world):
    root, _ = world('--make', 'open:9x7', '--robots', 2)
    assert root.find("world/model[@name='walls']") is None


@pytest.mark.parametrize('gazebo', list(SYSTEMS))
def test_plugins_are_those_that_gazebo_has(world, gazebo):
    root, bridge = world('--make', LINE, '--robots', 3, '--for', gazebo)
    assert root.get('version') == '1.9'
    file, name, messages = SYSTEMS[gazebo]
    known = {(file.format(plugin), name.format(system)) for plugin, system in PLUGINS.items()}
    found = [(p.get('filename'), p.get('name')) for p in root.iter('plugin')]
    assert set(found) == known
    assert len(found) == 3 + 2 * 3
    assert set(re.findall(r'gz_type_name: "([\w.]+)"', bridge)) == {
        messages + 'Clock', messages + 'Twist', messages + 'Odometry'}


def test_robots_stand_on_free_cells_of_their_own_and_fit_their_disc(cli, world, tmp_path):
    root, _ = world('--make', LINE, '--robots', 20, '--seed', 4)
    blocked = map_of(cli, tmp_path, LINE)
    cells = set()
    for index in range(20):
        model = root.find(f"world/model[@name='robot_{index}']")
        x, y, *_ = numbers(model.find('pose').text)
        cells.add((x / 0.5 - 0.5, y / 0.5 - 0.5))
        track, wheel = (float(next(model.iter(name)).text) for name in ('wheel_separation', 'wheel_radius'))
        left = model.find("link[@name='left_wheel']")
        right = model.find("link[@name='right_wheel']")
        assert math.isclose(numbers(left.find('pose').text)[1] - numbers(right.find('pose').text)[1], track)
        assert math.isclose(numbers(left.find('pose').text)[2], wheel), 'wheels touch the floor'
        thickness = float(left.find('collision/geometry/cylinder/length').text)
        assert math.hypot(track / 2 + thickness / 2, wheel) <= 0.2, 'nothing sticks out of the disc'
        for joint in model.findall('joint'):
            assert model.find(f"link[@name='{joint.find('child').text}']") is not None
            assert joint.get('name') in {next(model.iter(side)).text for side in ('left_joint', 'right_joint')}
    assert len(cells) == 20 and not cells & blocked


def test_the_bridge_names_what_gazebo_and_the_nodes_use(world):
    yaml = pytest.importorskip('yaml')
    root, text = world('--make', LINE, '--names', 'red,blue')
    rows = {row['ros_topic_name']: row for row in yaml.safe_load(text)}
    assert set(rows) == {'/clock', 'red/cmd_vel', 'red/odom', 'blue/cmd_vel', 'blue/odom'}
    for name in ('red', 'blue'):
        model = root.find(f"world/model[@name='{name}']")
        command, odom = rows[f'{name}/cmd_vel'], rows[f'{name}/odom']
        assert command['gz_topic_name'] == next(model.iter('topic')).text
        assert command['direction'] == 'ROS_TO_GZ' and command['ros_type_name'] == 'geometry_msgs/msg/Twist'
        odometry = model.find("plugin[@name='gz::sim::systems::OdometryPublisher']")
        assert odom['gz_topic_name'] == odometry.find('odom_topic').text
        assert odom['direction'] == 'GZ_TO_ROS' and odom['ros_type_name'] == 'nav_msgs/msg/Odometry'
        assert odometry.find('odom_frame').text == 'map', "the planner's frame"
        wheels = model.find("plugin[@name='gz::sim::systems::DiffDrive']/odom_topic").text
        assert wheels != odom['gz_topic_name'], 'odometry of the wheels drifts, and is not what the planner gets'
    assert rows['/clock']['direction'] == 'GZ_TO_ROS'


@pytest.mark.parametrize('words, says', [
    (['--make', LINE, '--robots', 2], 'give --sdf FILE'),
    (['--sdf', '-'], '--map'),
    (['--make', LINE, '--sdf', '-', '--for', 'classic'], 'harmonic or fortress'),
    (['--make', LINE, '--sdf', '-', '--names', 'a,b,a'], 'twice'),
    (['--make', LINE, '--sdf', '-', '--names', 'a,,b'], 'letters'),
    (['--make', LINE, '--sdf', '-', '--names', 'a"/><x>'], 'letters'),
    (['--make', LINE, '--sdf', '-', '--names', 'a', '--robots', 2], 'omit --robots'),
    (['--make', LINE, '--sdf', '-', '--radius', 0.3], 'is too large for --cell 0.5'),
    (['--make', LINE, '--sdf', '-', '--cell', 0], 'greater than 0'),
    (['--make', LINE, '--model', '-'], 'needs a robot'),
])
def test_wrong_words_are_refused_with_the_reason(cli, words, says):
    done = cli('world', *words, exit_code=2)
    assert says in done.stderr and done.stdout == ''


def test_the_same_words_give_the_same_bytes(cli):
    words = ['world', '--make', LINE, '--robots', 5, '--sdf', '-']
    assert cli(*words).stdout == cli(*words).stdout
