"""What RViz gets: every layer, and a bandwidth that suits a fleet of two hundred."""
import itertools
import math
import os
import time

import pytest
from fleet import Fleet, map_file, place, texts
from geometry_msgs.msg import PointStamped, PoseStamped
from graph import grid_map, points, pose_stamped
from rclpy.qos import DurabilityPolicy, QoSProfile, ReliabilityPolicy
from sim import off_line
from std_msgs.msg import String
from visualization_msgs.msg import Marker, MarkerArray

HALL = ['.' * 12] * 8
DEEP = QoSProfile(depth=200, durability=DurabilityPolicy.TRANSIENT_LOCAL)


class View:
    """The markers that RViz would show."""

    def __init__(self, graph, topic='fleet_markers'):
        self.graph, self.shown, self.messages = graph, {}, 0
        graph.node.create_subscription(MarkerArray, topic, self.take, DEEP)

    def take(self, message):
        self.messages += 1
        for marker in message.markers:
            if marker.action == Marker.ADD:
                self.shown[marker.ns, marker.id] = marker
            else:
                assert marker.action == Marker.DELETE
                self.shown.pop((marker.ns, marker.id), None)

    def layer(self, name):
        return {key[1]: marker for key, marker in self.shown.items() if key[0] == name}

    def points(self, name, index=0):
        marker = self.shown.get((name, index))
        return [(round(p.x, 3), round(p.y, 3)) for p in marker.points] if marker else []


def colour(c):
    return round(c.r, 3), round(c.g, 3), round(c.b, 3)


def test_robots_goals_and_paths_have_one_colour_each(graph):
    a, b, c = graph.start('a', 'b', 'c', speed=0.25)
    view = View(graph)
    graph.map_publisher.publish(grid_map(HALL))
    for robot, (x, y) in zip((a, b, c), ((0.25, 0.25), (0.25, 3.25), (3.25, 1.75))):
        robot.stand(x, y)
    graph.until(lambda: len(view.points('robots')) == 3, 'three robots')
    assert view.points('robots') == [(0.25, 0.25), (0.25, 3.25), (3.25, 1.75)]
    discs = view.shown['robots', 0]
    assert discs.type == Marker.SPHERE_LIST and discs.scale.x == discs.scale.y == pytest.approx(0.4)
    assert discs.header.frame_id == 'map'
    assert len({colour(c) for c in discs.colors}) == 3
    first = [colour(c) for c in discs.colors]
    graph.until(lambda: len(view.layer('names')) == 3, 'their names')
    for robot, (_, label) in zip((a, b, c), sorted(view.layer('names').items())):
        assert label.type == Marker.TEXT_VIEW_FACING and label.text == robot.name and label.scale.z > 0.1
        assert math.dist((label.pose.position.x, label.pose.position.y), (robot.x, robot.y)) < 0.5
    a.send_goal(5.25, 0.25)
    b.send_goal(5.25, 3.25)
    graph.until(lambda: len(view.points('goals')) == 2 and len(view.layer('paths')) == 2, 'goals and paths')
    assert [colour(c) for c in view.shown['goals', 0].colors] == first[:2]
    for index, robot in enumerate((a, b)):
        line = view.shown['paths', index]
        assert line.type == Marker.LINE_STRIP and colour(line.color) == first[index]
        assert view.points('paths', index)[-1] == (5.25, (0.25, 3.25)[index])
        assert len(line.points) <= 4, 'corners only'
    assert [colour(c) for c in view.shown['robots', 0].colors] == first, 'colours stay'
    assert len(view.points('headings')) == 6
    graph.until(lambda: view.points('reservations'), 'cells of the next seconds')
    graph.until(lambda: graph.state('a') == 'arrived' and graph.state('b') == 'arrived', 'arrivals', bound=60)


def test_a_path_keeps_every_corner_although_robots_wait_there(graph):
    """Two swap in a lane with a bay: one of them waits in it."""
    a, b = graph.start('a', 'b', speed=0.1)
    view = View(graph)
    graph.map_publisher.publish(grid_map(['.' * 10, '####.#####'][::-1]))
    a.stand(0.25, 0.25)
    b.stand(4.75, 0.25)
    a.send_goal(4.75, 0.25)
    b.send_goal(0.25, 0.25)

    def both_are_shown():
        return all(r.path and r.path.poses and r.reaches(*goal) and view.points('paths', k) and
                   view.points('paths', k)[-1] == goal
                   for k, (r, goal) in enumerate(((a, (4.75, 0.25)), (b, (0.25, 0.25)))))
    graph.until(both_are_shown, 'both paths')
    corners = waits = 0
    for index, robot in enumerate((a, b)):
        places = points(robot.path)
        waits += sum(p == q for p, q in itertools.pairwise(places))
        line = [(0.0, *p) for p in view.points('paths', index)]
        corners += len(line) - 2
        for place_ in places[2:]:  # it may be that far on its way
            assert off_line(line, *place_) < 0.01, (place_, line)
    assert corners >= 2 and waits >= 1


def test_a_silent_robot_is_red_and_its_label_says_why(graph):
    a, b = graph.start('a', 'b', odom_timeout=0.5)
    view = View(graph)
    graph.map_publisher.publish(grid_map(HALL))
    a.stand(0.25, 0.25)
    b.stand(2.25, 0.25)
    graph.until(lambda: len(view.points('robots')) == 2, 'both')
    assert not view.layer('trouble') and not view.layer('trouble_text')
    b.leave()
    graph.until(lambda: view.points('trouble') == [(2.25, 0.25)], 'red')
    graph.until(lambda: view.layer('trouble_text'), 'a label')
    assert view.shown['trouble_text', 1].text.startswith('b: ')
    red = view.shown['trouble', 0].color
    assert red.r > 0.8 and red.g < 0.2 and red.b < 0.2
    b.stand(2.25, 0.25)
    graph.until(lambda: not view.layer('trouble') and not view.layer('trouble_text'), 'all well again')


def test_a_late_subscriber_gets_everything(graph):
    a, b = graph.start('a', 'b', speed=0.1)
    graph.map_publisher.publish(grid_map(HALL))
    a.stand(0.25, 0.25)
    b.stand(0.25, 2.25)
    early = View(graph)
    a.send_goal(5.25, 0.25)
    b.send_goal(5.25, 2.25)
    graph.until(lambda: len(early.layer('paths')) == 2, 'paths')
    graph.pass_diagnostics(3)
    late = View(graph)
    graph.until(lambda: len(late.layer('paths')) == 2 and late.points('goals'), 'the same for a late one')


def test_removed_robots_are_not_shown_any_more(graph):
    a, b = graph.start('a', 'b', speed=0.1)
    view = View(graph)
    graph.map_publisher.publish(grid_map(HALL))
    a.stand(0.25, 0.25)
    b.stand(0.25, 2.25)
    a.send_goal(5.25, 0.25)
    b.send_goal(5.25, 2.25)
    graph.until(lambda: len(view.layer('paths')) == 2, 'paths')
    assert graph.set_parameters(robots=['a'])[0].successful
    graph.until(lambda: len(view.layer('paths')) == 1 and len(view.points('robots')) == 1 and
                len(view.points('goals')) == 1, 'the other one alone')


def test_tubes_have_time_upwards_and_are_written_only_for_subscribers(graph):
    (a,) = graph.start('a', speed=0.25)
    graph.map_publisher.publish(grid_map(HALL))
    a.stand(0.25, 0.25)
    a.send_goal(5.25, 0.25)
    graph.until(lambda: a.path is not None and a.path.poses, 'a path')
    tubes = View(graph, 'fleet_tubes')
    graph.until(lambda: tubes.layer('tubes'), 'a tube')
    heights = [p.z for p in tubes.shown['tubes', 0].points]
    assert heights == sorted(heights) and heights[0] == 0 and heights[-1] > 1
    # The robot waits at its start until the plan begins: these steps are vertical, and there may be several.
    moves = [(p, q) for p, q in itertools.pairwise(tubes.shown['tubes', 0].points) if q.x != p.x]
    steps = [(q.x - p.x) / (q.z - p.z) for p, q in moves]
    assert moves[-1][1].x == pytest.approx(5.25)
    assert max(steps) == pytest.approx(min(steps), rel=0.01), 'an even speed is a straight line'


def test_arrows_lead_from_waiting_robots_to_those_they_wait_for(graph, start, tmp_path):
    """One is frozen in a lane, and the one behind it has to wait."""
    view = View(graph)
    fleet = Fleet(
        graph, start, ['robot_0', 'robot_1'], {'stopped_timeout': 0.0},
        {'map': map_file(tmp_path, ['.' * 16]), 'goals': 'none', 'starts': texts(['3,0', '0,0']),
         'freeze': '["robot_0@0"]'})
    fleet.wait(lambda: all(graph.value(n, 'execution') == 'arrived' for n in fleet.names), 'everybody in the graph')
    fleet.send('robot_0', 15, 0)
    fleet.send('robot_1', 13, 0)
    fleet.wait(lambda: len(view.points('waits_for')) == 6, 'an arrow')
    tail, tip = view.points('waits_for')[:2]
    assert fleet.sim.pose('robot_1')[0] < tail[0] < tip[0] < place(3, 0)[0], 'from the one that waits to the other'
    fleet.wait(lambda: view.points('reservations'), 'cells that are held')


# ---- goals without a robot

def told(graph, a, b):
    """Robots by their goals."""
    return {r.name: round(r.path.poses[-1].pose.position.x, 2) for r in (a, b) if r.path and len(r.path.poses) > 1}


def ready(graph, **parameters):
    a, b = graph.start('a', 'b', speed=0.1, **parameters)
    graph.map_publisher.publish(grid_map(HALL))
    a.stand(0.25, 0.25)
    b.stand(5.25, 3.25)
    goals = graph.node.create_publisher(PoseStamped, 'goal_pose', 10)
    graph.until(lambda: goals.get_subscription_count() > 0, 'a reader of goal_pose')
    graph.until(lambda: graph.state('a') == 'idle' and graph.state('b') == 'idle', 'two idle robots')
    return a, b, goals


def test_a_goal_without_a_robot_goes_to_the_nearest_idle_one(graph):
    a, b, goals = ready(graph)
    goals.publish(pose_stamped(1.25, 0.75))
    graph.until(lambda: told(graph, a, b) == {'a': 1.25}, 'the nearer one')
    goals.publish(pose_stamped(1.75, 0.25))  # it is busy now, and the other one is not
    graph.until(lambda: told(graph, a, b) == {'a': 1.25, 'b': 1.75}, 'the other one')
    goals.publish(pose_stamped(3.25, 0.25))
    graph.until(lambda: 'no robot is idle' in graph.output(), 'a word of it')
    assert told(graph, a, b) == {'a': 1.25, 'b': 1.75}


def test_a_selected_robot_gets_it_by_name_or_by_click(graph):
    a, b, goals = ready(graph, unassigned_goals='selected')
    view = View(graph)
    goals.publish(pose_stamped(1.25, 0.75))
    graph.until(lambda: 'no robot is selected' in graph.output(), 'a word of it')
    select = graph.node.create_publisher(String, 'fleetweave_planner/select', 10)
    click = graph.node.create_publisher(PointStamped, 'clicked_point', 10)
    graph.until(lambda: select.get_subscription_count() and click.get_subscription_count(), 'readers')
    select.publish(String(data='b'))
    graph.until(lambda: view.layer('selected'), 'a mark')
    ring = view.shown['selected', 0].pose.position
    assert math.dist((ring.x, ring.y), (b.x, b.y)) < 0.1
    goals.publish(pose_stamped(1.25, 0.75))
    graph.until(lambda: told(graph, a, b) == {'b': 1.25}, 'the farther one')
    select.publish(String(data='nobody_i_know'))
    graph.until(lambda: 'there is no robot' in graph.output(), 'a refusal')
    point = PointStamped()
    point.header.frame_id = 'map'
    point.point.x, point.point.y = 0.35, 0.15
    click.publish(point)
    graph.until(lambda: 'a is selected' in graph.output(), 'the one that was clicked on')
    goals.publish(pose_stamped(2.25, 0.25))
    graph.until(lambda: told(graph, a, b).get('a') == 2.25, 'its goal')
    point.point.x = 3.0  # nobody there
    click.publish(point)
    graph.until(lambda: not view.layer('selected'), 'no mark')


def test_a_goal_in_another_frame_is_refused(graph):
    a, b, goals = ready(graph)
    goals.publish(pose_stamped(1.25, 0.75, frame_id='moon'))
    graph.until(lambda: "goal_pose refused: its frame_id is 'moon'" in graph.output(), 'a word of it')
    assert told(graph, a, b) == {}
    assert not graph.set_parameters(unassigned_goals='whoever')[0].successful


# ---- the file

def test_every_topic_of_the_rviz_file_is_there_with_its_type_and_fits(graph, start):
    """In a running graph: who publishes what RViz shows, and who listens to its tools."""
    yaml = pytest.importorskip('yaml')
    with open(os.path.join(os.environ['FLEETWEAVE_SOURCE_DIR'], 'config', 'fleetweave.rviz')) as file:
        manager = yaml.safe_load(file)['Visualization Manager']
    fleet = Fleet(graph, start, ['robot_0', 'robot_1'], {}, {'map': 'open:9x9'})
    types = {
        'Map': 'nav_msgs/msg/OccupancyGrid', 'MarkerArray': 'visualization_msgs/msg/MarkerArray',
        'Path': 'nav_msgs/msg/Path', 'Odometry': 'nav_msgs/msg/Odometry', 'SetGoal': 'geometry_msgs/msg/PoseStamped',
        'PublishPoint': 'geometry_msgs/msg/PointStamped'}
    displays = list(manager['Displays'])
    for display in displays:
        displays.extend(display.get('Displays', []))
    seen = 0
    for item, finds in [(d, graph.node.get_publishers_info_by_topic) for d in displays] + [
            (t, graph.node.get_subscriptions_info_by_topic) for t in manager['Tools']]:
        if 'Topic' not in item:
            continue
        topic, kind = item['Topic'], item['Class'].split('/')[1]
        fleet.wait(lambda: finds('/' + topic['Value']), topic['Value'])
        for end in finds('/' + topic['Value']):
            assert end.topic_type == types[kind]
            if finds == graph.node.get_publishers_info_by_topic:
                assert topic['Durability Policy'] != 'Transient Local' or (
                    end.qos_profile.durability == DurabilityPolicy.TRANSIENT_LOCAL), topic['Value']
                assert topic['Reliability Policy'] != 'Reliable' or (
                    end.qos_profile.reliability == ReliabilityPolicy.RELIABLE), topic['Value']
        seen += 1
    assert seen == 8


# ---- how much it is

def test_two_hundred_robots_stay_below_five_megabits(graph, start):
    names = [f'robot_{k}' for k in range(200)]
    sizes = []
    Fleet.launch, launch = (lambda self: None), Fleet.launch
    try:
        hall = {'map': 'warehouse:81x45,seed=1', 'robots': 200, 'odom_rate': 10.0}
        fleet = Fleet(graph, start, [], {}, hall, rate=1.0)
    finally:
        Fleet.launch = launch
    fleet.names = names
    fleet.launch()
    for topic in ('fleet_markers', 'fleet_tubes'):
        graph.node.create_subscription(
            MarkerArray, topic, lambda data: sizes.append((time.monotonic(), len(data))), DEEP, raw=True)
    graph.until(lambda: graph.rounds() > 0 and sizes, 'a plan', bound=120)
    begin = time.monotonic()
    before = len(sizes)
    graph.until(lambda: time.monotonic() > begin + 10.0 and len(sizes) >= before + 10, 'ten seconds')
    taken = [size for when, size in sizes if when >= begin]
    seconds = time.monotonic() - begin
    megabits = 8e-6 * sum(taken) / seconds
    print(f'{len(taken)} messages, {megabits:.2f} Mbit/s, the largest {max(taken)} bytes')
    assert 0.0 < megabits < 5.0
