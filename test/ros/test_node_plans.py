"""Goals in, timed paths out."""
import math

from geometry_msgs.msg import PoseWithCovarianceStamped
from graph import LATCHED, check_paths, grid_map, nanoseconds, points, pose_stamped, position_at
from nav_msgs.msg import Odometry, Path
from nav_msgs.srv import GetPlan
from rclpy.qos import qos_profile_sensor_data
from visualization_msgs.msg import Marker, MarkerArray

HALL = grid_map(['........'] * 6)


def place(x, y):
    """The centre of a cell of half a metre."""
    return 0.5 * x + 0.25, 0.5 * y + 0.25


def two_crossing(graph, **parameters):
    a, b = graph.start('a', 'b', **parameters)
    graph.map_publisher.publish(HALL)
    a.stand(*place(0, 2))
    b.stand(*place(7, 2))
    graph.until(lambda: a.path and b.path, 'first paths')
    return a, b


def test_two_robots_swap_sides_without_touching(graph):
    a, b = two_crossing(graph)
    a.send_goal(*place(7, 2))
    b.send_goal(*place(0, 2))
    graph.until(lambda: a.reaches(*place(7, 2)) and b.reaches(*place(0, 2)), 'paths to both goals')
    graph.until(lambda: a.path.header.stamp == b.path.header.stamp, 'paths of one round')
    check_paths({'a': a.path, 'b': b.path}, speed=0.5)
    graph.until(lambda: graph.state('a') == 'arrived' and graph.state('b') == 'arrived', 'arrival')
    graph.until(lambda: math.dist((a.x, a.y), place(7, 2)) < 1e-6, 'the last centimetres')
    assert graph.error('a') == 0 and graph.error('b') == 0


def test_stamps_are_arrival_times_and_the_header_has_the_epoch(graph):
    a, b = two_crossing(graph, speed=0.25)
    a.send_goal(*place(3, 2))
    graph.until(lambda: a.reaches(*place(3, 2)), 'a path')
    path = a.path
    epoch = nanoseconds(path.header.stamp)
    stamps = [nanoseconds(p.header.stamp) for p in path.poses]
    assert epoch in stamps, 'the epoch is a tick'
    assert {after - before for before, after in zip(stamps, stamps[1:])} == {2 * 10**9}, '0.5 m at 0.25 m/s'
    assert points(path)[-1] != points(path)[-2], 'no waits after the last move'
    assert position_at(path, epoch) == place(0, 2)


def test_an_idle_robot_makes_way(graph):
    a, b = graph.start('a', 'b')
    graph.map_publisher.publish(grid_map(['#####.##', '........', '########']))
    a.stand(*place(0, 1))
    b.stand(*place(4, 1))
    graph.until(lambda: a.path and b.path, 'first paths')
    a.send_goal(*place(7, 1))
    graph.until(lambda: a.reaches(*place(7, 1)), 'a path past the idle robot')
    graph.until(lambda: a.path.header.stamp == b.path.header.stamp, 'paths of one round')
    assert place(5, 2) in points(b.path), 'the idle robot goes into the niche'
    check_paths({'a': a.path, 'b': b.path})


def test_a_new_goal_on_the_way_continues_the_path(graph):
    """What the old path says until the new epoch, the new path says too: a follower sees no jump."""
    a, b = two_crossing(graph)
    a.send_goal(*place(6, 2))
    graph.until(lambda: a.reaches(*place(6, 2)), 'a path')
    graph.until(lambda: math.dist((a.x, a.y), place(0, 2)) > 1.0, 'the robot on its way')
    old = a.path
    a.send_goal(*place(4, 5))
    graph.until(lambda: a.reaches(*place(4, 5)), 'a path to the new goal')
    new = a.path
    received, begin, epoch = graph.now_ns(), nanoseconds(new.poses[0].header.stamp), nanoseconds(new.header.stamp)
    assert epoch > nanoseconds(old.header.stamp)
    assert begin <= received and begin < epoch, 'it begins with what is left of the old path'
    for time_ns in range(begin, epoch + 1, 10**8):
        assert math.dist(position_at(old, time_ns), position_at(new, time_ns)) < 1e-6
    check_paths({'a': new, 'b': b.path})
    graph.until(lambda: graph.state('a') == 'arrived', 'arrival')


def test_many_goals_in_a_row_all_collision_free(sim_graph):
    """Twelve robots get new goals while they drive. As they follow their paths no two ever touch.

    Robots that drive by stamps must have a new path before it begins: simulated time stands still while this process
    does, and three seconds are enough for the node.
    """
    graph = sim_graph
    names = [f'r{k}' for k in range(12)]
    robots = graph.start(*names, use_sim_time=True, speed=2.0, plan_lead_seconds=3.0)
    graph.map_publisher.publish(grid_map(['............'] * 4 + ['...##..##...'] * 2 + ['............'] * 4))
    for k, robot in enumerate(robots):
        robot.stand(*place(k, 0))
    graph.until(lambda: all(r.path and r.path.poses for r in robots), 'first paths')
    for turn in range(4):
        goals = [place((5 * k + 3 * turn) % 12, 9 if turn % 2 == 0 else 0) for k in range(12)]
        for robot, goal in zip(robots, goals):
            robot.send_goal(*goal)
        if turn % 2 == 0:  # no waiting: the next goals come on the way
            moved = [(r.x, r.y) for r in robots]
            graph.until(lambda: math.dist(moved[0], (robots[0].x, robots[0].y)) > 1.0, 'robots on their way')
            continue
        graph.until(
            lambda: all(math.dist((r.x, r.y), goal) < 1e-6 for r, goal in zip(robots, goals))
            and all(graph.state(n) == 'arrived' for n in names), 'all arrivals', bound=240)
        graph.until(lambda: len({nanoseconds(r.path.header.stamp) for r in robots}) == 1, 'paths of one round')
        check_paths({r.name: r.path for r in robots}, speed=2.0)
    assert graph.nearest > 0.5 - 1e-6
    assert all(graph.error(n) == 0 for n in names)


def test_eight_neighbours_keep_the_speed(graph):
    a, b = two_crossing(graph, connectivity=8)
    a.send_goal(*place(4, 5))
    graph.until(lambda: a.reaches(*place(4, 5)), 'a path')
    places = points(a.path)
    assert any(abs(p[0] - q[0]) > 0.1 and abs(p[1] - q[1]) > 0.1 for p, q in zip(places, places[1:])), 'a diagonal'
    check_paths({'a': a.path}, speed=0.5)


def test_goals_before_everything_else(graph):
    """Goal, then pose, then map: the plan comes when the last of them is there."""
    a, = graph.start('a')
    a.send_goal(*place(5, 5))
    a.stand(*place(0, 0))
    graph.until(lambda: graph.message('planner') == 'there is no map yet' and graph.state('a') not in (None, 'waiting'),
                'the node to know the pose and ask for a map')
    assert a.path is None
    graph.map_publisher.publish(HALL)
    graph.until(lambda: a.reaches(*place(5, 5)), 'a path')


def test_a_listed_robot_that_has_never_reported_is_waited_for(graph):
    """It may stand anywhere: nobody is sent through it."""
    a, b = graph.start('a', 'b')
    graph.map_publisher.publish(HALL)
    a.stand(*place(0, 0))
    a.send_goal(*place(5, 0))
    graph.until(lambda: graph.message('planner') == 'not all robots have a pose yet', 'the node to wait')
    graph.pass_diagnostics(7)  # a second each
    assert graph.message('planner') == 'not all robots have a pose yet' and graph.rounds() == 0
    b.stand(*place(3, 0))
    graph.until(lambda: b.path and b.path.poses and a.reaches(*place(5, 0)), 'paths for both')


def test_missing_robots_are_ignored_after_a_while_if_so_told(graph):
    a, b = graph.start('a', 'b', missing_robots='ignore')
    graph.map_publisher.publish(HALL)
    a.stand(*place(0, 0))
    a.send_goal(*place(5, 0))
    graph.until(lambda: a.reaches(*place(5, 0)), 'a path without the other robot')
    assert graph.state('b') in ('waiting', None)
    b.stand(*place(3, 0))
    graph.until(lambda: b.path and b.path.poses and a.reaches(*place(5, 0)), 'a path for the other robot')
    graph.until(lambda: a.path.header.stamp == b.path.header.stamp, 'paths of one round')
    check_paths({'a': a.path, 'b': b.path})


def test_without_listeners_it_plans_all_the_same(graph):
    a, = graph.start('a')
    graph.node.destroy_subscription(a.path_subscription)
    graph.map_publisher.publish(HALL)
    a.stand(*place(0, 0))
    a.send_goal(*place(5, 0))
    graph.until(lambda: graph.message('planner') == 'not all robots have subscribed to their path yet',
                'the node to wait')
    graph.until(lambda: graph.rounds() > 0, 'a plan')
    late = []
    graph.node.create_subscription(Path, 'a/timed_path', late.append, LATCHED)
    graph.until(lambda: late and points(late[-1])[-1] == place(5, 0), 'the path')


def test_no_robot_starts_before_all_are_known(graph):
    a, b = graph.start('a', 'b')
    graph.map_publisher.publish(HALL)
    a.stand(*place(0, 0))
    a.send_goal(*place(7, 0))
    graph.until(lambda: graph.message('planner') == 'not all robots have a pose yet', 'the node to wait')
    assert a.path is None
    b.stand(*place(3, 0))
    graph.until(lambda: a.path and b.path, 'paths')
    graph.until(lambda: a.path.header.stamp == b.path.header.stamp, 'paths of one round')
    check_paths({'a': a.paths[0], 'b': b.paths[0]})


def test_late_subscriber_gets_the_last_path(graph):
    a, b = two_crossing(graph)
    a.send_goal(*place(7, 5))
    graph.until(lambda: a.reaches(*place(7, 5)), 'a path')
    late, markers = [], {}
    graph.node.create_subscription(Path, 'a/timed_path', late.append, LATCHED)
    graph.node.create_subscription(
        MarkerArray, 'fleet_markers', lambda m: markers.update({(one.ns, one.id): one for one in m.markers}), LATCHED)
    graph.until(lambda: late and ('paths', 0) in markers, 'latched messages')
    assert points(late[-1])[-1] == place(7, 5)
    line = markers['paths', 0]
    assert line.action == Marker.ADD and len(line.points) >= 2 and line.header.frame_id == 'map'
    assert {'robots', 'headings', 'goals'} <= {ns for ns, _ in markers}


def test_replan_plans_again(graph):
    a, b = two_crossing(graph)
    before = a.path.header.stamp
    answer = graph.replan()
    assert answer.success
    graph.until(lambda: nanoseconds(a.path.header.stamp) > nanoseconds(before), 'a new path')


def test_replan_says_what_is_missing(graph):
    graph.start('a')
    graph.until(lambda: graph.message('planner') == 'there is no map yet', 'the clock')
    answer = graph.replan()
    assert not answer.success and answer.message == 'there is no map yet'


def test_get_plan_is_one_robot_alone(graph):
    graph.start('a')
    request = GetPlan.Request(start=pose_stamped(*place(0, 0)), goal=pose_stamped(*place(7, 0)))
    assert not graph.call(GetPlan, 'get_plan', request).plan.poses, 'no map yet'
    graph.map_publisher.publish(grid_map(['........', '.######.', '........', '####.###', '........']))
    graph.until(lambda: graph.planner('map') == '8x5', 'the map')
    request.goal = pose_stamped(*place(7, 4))
    places = points(graph.call(GetPlan, 'get_plan', request).plan)
    assert places[0] == place(0, 0) and places[-1] == place(7, 4)
    assert len(places) == 12 and place(4, 1) in places, 'the shortest way, through the door'
    request.goal = pose_stamped(*place(5, 1))
    assert not graph.call(GetPlan, 'get_plan', request).plan.poses, 'a goal in a wall'
    request.tolerance = 0.6
    assert points(graph.call(GetPlan, 'get_plan', request).plan)[-1] in (place(5, 0), place(5, 2), place(4, 1))
    request.goal = pose_stamped(math.nan, 0)
    assert not graph.call(GetPlan, 'get_plan', request).plan.poses
    request.goal = pose_stamped(*place(7, 4), frame_id='odom')
    assert not graph.call(GetPlan, 'get_plan', request).plan.poses
    request.goal = pose_stamped(99, 99)
    assert not graph.call(GetPlan, 'get_plan', request).plan.poses


def test_amcl_pose_instead_of_odom(graph):
    a, = graph.start('a', pose_type=PoseWithCovarianceStamped, pose_source='amcl_pose')
    graph.map_publisher.publish(HALL)
    a.stand(*place(1, 1))
    a.send_goal(*place(4, 1))
    graph.until(lambda: a.reaches(*place(4, 1)), 'a path')


def test_odometry_carries_amcl_poses_forward(graph):
    """AMCL says where the robot is once; then it is moved, which only odometry in a frame of its own tells."""
    # So slow that its path still begins where it is when the path is looked at, on a busy machine too.
    a, = graph.start('a', pose_type=PoseWithCovarianceStamped, pose_source='amcl_pose', speed=0.02)
    graph.map_publisher.publish(HALL)
    publisher = graph.node.create_publisher(Odometry, 'a/odom', qos_profile_sensor_data)
    amcl, at = a.publish, {'x': 1, 'y': 1, 'amcl': True}

    def publish():
        # Odometry began where the robot stood at (20, 30), turned by a quarter to the left: x there is y in the map.
        message = Odometry()
        message.header.frame_id, message.header.stamp = 'a/odom', graph.now_stamp()
        x, y = place(at['x'], at['y'])
        message.pose.pose.position.x, message.pose.pose.position.y = 30.0 + y, 20.0 - x
        message.pose.pose.orientation.z, message.pose.pose.orientation.w = -math.sqrt(0.5), math.sqrt(0.5)
        publisher.publish(message)
        if at['amcl'] and publisher.get_subscription_count() > 0:
            amcl()
    a.publish, a.drives = publish, False
    a.stand(*place(1, 1))
    graph.until(lambda: graph.state('a') == 'idle' and int(graph.planner('reports')) > 10, 'poses')
    at['amcl'] = False
    a.stand(*place(1, 1))
    reports = int(graph.planner('reports'))  # it stands where it was when AMCL spoke last: no odometry between two places
    graph.until(lambda: int(graph.planner('reports')) > reports + 5, 'odometry alone')
    at.update(x=5, y=3)
    reports = int(graph.planner('reports'))
    graph.until(lambda: int(graph.planner('reports')) > reports + 10, 'poses by odometry')
    a.send_goal(*place(2, 3))
    graph.until(lambda: a.reaches(*place(2, 3)), 'a path')
    assert points(a.path)[0] == place(5, 3) and graph.error('a') == 0


def test_same_goal_waits_until_it_is_free(graph):
    a, b = two_crossing(graph, speed=2.0)
    a.send_goal(*place(3, 3))
    graph.until(lambda: a.reaches(*place(3, 3)), 'a path')
    b.send_goal(*place(3, 3))
    graph.until(lambda: graph.error('b') == 206, 'error 206')
    assert 'a' in graph.value('b', 'reason') and graph.state('b') == 'held'
    assert graph.error('a') == 0
    a.send_goal(*place(0, 0))
    graph.until(lambda: b.reaches(*place(3, 3)), 'the goal to become free')
    graph.until(lambda: graph.state('b') == 'arrived' and graph.error('b') == 0, 'arrival')


def test_goal_where_an_idle_robot_stands(graph):
    a, b = two_crossing(graph)
    a.send_goal(*place(7, 2))
    graph.until(lambda: graph.error('a') == 206, 'error 206')
    assert graph.error('b') == 0


def test_a_robot_without_a_path_does_not_stop_the_others(graph):
    a, b = graph.start('a', 'b')
    graph.map_publisher.publish(grid_map(['...#....', '...#....', '...#....']))
    a.stand(*place(0, 0))
    b.stand(*place(0, 2))
    a.send_goal(*place(7, 0))
    b.send_goal(*place(2, 1))
    graph.until(lambda: graph.error('a') == 208 and b.reaches(*place(2, 1)), 'error 208 and a path')
    assert graph.error('b') == 0 and 'no path' in graph.value('a', 'reason')


def test_two_that_cannot_pass_each_other(graph):
    """A corridor without a niche: one of them is held, the third goes on."""
    a, b, c = graph.start('a', 'b', 'c', time_limit=1.0)
    graph.map_publisher.publish(grid_map(['........', '########', '........']))
    a.stand(*place(0, 0))
    b.stand(*place(7, 0))
    c.stand(*place(0, 2))
    graph.until(lambda: a.path and b.path and c.path, 'first paths')
    a.send_goal(*place(7, 0))
    b.send_goal(*place(0, 0))
    c.send_goal(*place(5, 2))
    graph.until(lambda: c.reaches(*place(5, 2)), 'a path for the third')
    graph.until(lambda: {graph.error('a'), graph.error('b')} & {206, 207, 208}, 'an error for the other two')
    assert graph.error('c') == 0


def test_higher_priority_goes_straight(graph):
    a, b = two_crossing(graph, priorities='[0, 5]')
    a.send_goal(*place(7, 2))
    b.send_goal(*place(0, 2))
    graph.until(lambda: a.reaches(*place(7, 2)) and b.reaches(*place(0, 2)), 'paths')
    graph.until(lambda: a.path.header.stamp == b.path.header.stamp, 'paths of one round')
    assert all(y == place(0, 2)[1] for _, y in points(b.path)), 'b has priority'
    assert any(y != place(0, 2)[1] for _, y in points(a.path))


def test_a_robot_off_its_plan_is_planned_from_where_it_is(graph):
    a, b = two_crossing(graph)
    a.send_goal(*place(7, 5))
    graph.until(lambda: a.reaches(*place(7, 5)), 'a path')
    a.drives = False
    a.stand(*place(1, 5))
    graph.until(lambda: a.reaches(*place(7, 5)) and points(a.path)[0] == place(1, 5), 'a path from there')
