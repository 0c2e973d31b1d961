// The final approach: robots reach the exact poses of their goals, and nobody is touched meanwhile.

#include "unit/test_controller_scene.h"

// A goal beside the centre of cell (x, y), by metres.
static fw_goal_request_t goal_beside(double x, double y, double dx, double dy)
{
  fw_goal_request_t request = scene_goal_at(x, y);
  request.pose.point.x += dx;
  request.pose.point.y += dy;
  return request;
}

static uint64_t send(scene_t * scene, char name, fw_goal_request_t request)
{
  uint64_t id = 0;
  assert_int_equal(scene_send_goal(scene, name, request, &id), FW_RET_OK);
  return id;
}

static double off(scene_t * scene, char name, fw_goal_request_t request)
{
  return scene_distance(scene_robot(scene, name)->at, request.pose.point);
}

static void the_exact_pose_is_reached_and_left_again(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.....", "......", "......");
  const fw_goal_request_t request = goal_beside(3, 1, 0.2, -0.15);
  const uint64_t one = send(&scene, 'a', request);
  scene_until_ended(&scene, one, 30.0);
  assert_int_equal(scene_count(&scene, one, FW_GOAL_REACHED), 1);
  assert_true(off(&scene, 'a', request) <= scene.options.settings.goal_tolerance + 1e-9);
  scene_run(&scene, 5.0);
  assert_true(off(&scene, 'a', request) < 1e-6);  // it goes on to the pose itself, and stays there
  assert_int_equal(scene_status(&scene, 'a').state, FW_ROBOT_ARRIVED);
  assert_true(scene_status(&scene, 'a').distance_remaining < 1e-6);
  // From there on to a queue of goals, exact ones and not.
  const fw_goal_request_t next = goal_beside(5, 2, -0.2, -0.2);
  const uint64_t two = send(&scene, 'a', next);
  const uint64_t three = scene_queue_goal(&scene, 'a', 0, 2);
  scene_until_ended(&scene, two, 30.0);
  assert_int_equal(scene_count(&scene, two, FW_GOAL_REACHED), 1);
  assert_true(off(&scene, 'a', next) <= 0.1 + 1e-9);
  scene_until_ended(&scene, three, 40.0);
  assert_int_equal(scene_count(&scene, three, FW_GOAL_REACHED), 1);
  assert_true(scene_is_at(&scene, 'a', 0, 2));
  scene_end(&scene);
}

static void a_goal_within_the_tolerance_needs_no_approach(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.....");
  fw_goal_request_t request = goal_beside(3, 0, 0.09, 0.0);
  scene_until_ended(&scene, send(&scene, 'a', request), 30.0);
  scene_run(&scene, 5.0);
  assert_true(scene_is_at(&scene, 'a', 3, 0));
  // A tolerance of its own counts: the exact pose after all.
  request.position_tolerance = 0.02;
  const uint64_t id = send(&scene, 'a', request);
  scene_until_ended(&scene, id, 30.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  assert_true(off(&scene, 'a', request) <= 0.02 + 1e-9);
  scene_end(&scene);
}

// The robot reaches into the cell beside it: nobody may pass there, neither while it comes nor while it stands.
static void others_plan_around_the_space_of_the_pose(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "..........", "a........b", "..........", "..........");
  const fw_goal_request_t request = goal_beside(4, 1, 0.0, 0.24);
  const uint64_t a = send(&scene, 'a', request);
  uint64_t b = scene_goal(&scene, 'b', 0, 2);  // row 2 is where a reaches to
  scene_until_ended(&scene, a, 60.0);
  scene_until_ended(&scene, b, 60.0);
  for (int32_t k = 0; k < 4; ++k) {
    b = scene_goal(&scene, 'b', k % 2 == 0 ? 9 : 0, 2);
    scene_until_ended(&scene, b, 60.0);
    assert_int_equal(scene_count(&scene, b, FW_GOAL_REACHED), 1);
    assert_true(off(&scene, 'a', request) < 1e-6);  // there is room: a is not disturbed
  }
  assert_true(scene.nearest >= 2.0 * scene.options.settings.robot_radius);
  scene_end(&scene);
}

// A robot of two cells is measured some millimetres from its pose, where it touches the cell of another one: it drives
// back all the same, since the discs are apart.
static void an_inexact_measure_keeps_no_robot_from_driving_back(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene_robot(&scene, 'a')->footprint = "2x1";
  SCENE(&scene, "a.......", "........", "........", ".......b");
  const double margin = scene.controller.impl->map.frame.resolution * 0.1;
  fw_goal_request_t request = goal_beside(3, 0, 0.05 - margin - 0.002, 0.15);
  request.position_tolerance = 0.02;
  const uint64_t one = send(&scene, 'a', request);
  scene_until_ended(&scene, one, 30.0);
  assert_int_equal(scene_count(&scene, one, FW_GOAL_REACHED), 1);
  scene_until_ended(&scene, scene_goal(&scene, 'b', 5, 0), 30.0);
  scene_run(&scene, 2.0);
  assert_true(scene_is_at(&scene, 'b', 5, 0) && off(&scene, 'a', request) < 1e-6);
  scene_robot(&scene, 'a')->is_broken = true;
  scene_robot(&scene, 'a')->at.x += 0.03;
  scene_run(&scene, 2.0);
  const uint64_t two = scene_goal(&scene, 'a', 0, 2);
  scene_run(&scene, 1.0);
  assert_true(scene_release_ends_at(&scene, 'a', 3, 0));
  scene_robot(&scene, 'a')->is_broken = false;
  scene_until_ended(&scene, two, 30.0);
  assert_int_equal(scene_count(&scene, two, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

static void a_robot_without_goal_leaves_the_space(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a......", "...b...", ".......");
  const fw_goal_request_t request = goal_beside(3, 0, 0.0, 0.24);  // into the cell of b
  const uint64_t id = send(&scene, 'a', request);
  scene_until_ended(&scene, id, 60.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  assert_true(off(&scene, 'a', request) <= 0.1 + 1e-9);
  assert_false(scene_is_at(&scene, 'b', 3, 1));
  assert_int_equal(scene_status(&scene, 'a').fault, FW_FAULT_NONE);
  scene_end(&scene);
}

// In a lane with one bay the robot at its pose is in the way, and there is no other path.
// The one that has to leave is in a dead end: its way out is the cell in which the other one waits.
static void a_robot_without_goal_leaves_the_space_of_a_dead_end(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a......", "###b###");
  const uint64_t b = scene_goal(&scene, 'b', 3, 1);  // where it wants to be
  scene_until_ended(&scene, b, 10.0);
  const fw_goal_request_t request = goal_beside(3, 0, 0.0, 0.24);  // into the cell of b
  const uint64_t id = send(&scene, 'a', request);
  scene_until_ended(&scene, id, 60.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  assert_true(off(&scene, 'a', request) <= 0.1 + 1e-9);
  assert_false(scene_is_at(&scene, 'b', 3, 1));
  scene_end(&scene);
}

static void a_robot_at_its_pose_is_called_back_for_one_that_has_no_other_path(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a...b....", "####.####");
  const fw_goal_request_t request = goal_beside(4, 0, -0.2, 0.0);
  const uint64_t b = send(&scene, 'b', request);
  scene_until_ended(&scene, b, 30.0);
  const uint64_t a = scene_goal(&scene, 'a', 8, 0);
  scene_until_ended(&scene, a, 120.0);
  assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
  assert_true(scene_is_at(&scene, 'a', 8, 0));
  scene_run(&scene, 40.0);
  assert_true(off(&scene, 'b', request) <= 0.1 + 1e-9);  // it has returned
  assert_int_equal(scene_ends(&scene, b), 1);
  scene_end(&scene);
}

// Two poses that are too near to each other: one is reached, and the robots do not chase each other.
// The shortest way leads past it, through a robot that is on hold; the only other one leads through its space.
static void a_robot_at_its_pose_is_called_back_for_a_detour(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a..c...", ".#####.", "b......", "###.###");
  scene_until_ended(&scene, send(&scene, 'b', goal_beside(3, 2, 0.0, 0.2)), 60.0);
  scene_run(&scene, 5.0);
  const int32_t c = scene_slot(&scene, 'c');
  assert_int_equal(
    fw_controller_set_service(&scene.controller, c, FW_ROBOT_ON_HOLD, scene.now_ns, &scene.error), FW_RET_OK);
  scene_run(&scene, 2.0);
  const uint64_t a = scene_goal(&scene, 'a', 6, 0);
  scene_until_ended(&scene, a, 120.0);
  assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

static void two_poses_in_one_space_end(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.......", "........", "b.......");
  const uint64_t a = send(&scene, 'a', goal_beside(4, 1, 0.24, 0.0));
  const uint64_t b = scene_goal(&scene, 'b', 5, 1);
  scene_until_ended(&scene, b, 60.0);
  scene_until_ended(&scene, a, 60.0);
  assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_count(&scene, b, FW_GOAL_REACHED), 1);
  scene_run(&scene, 30.0);
  int64_t revision = scene_robot(&scene, 'b')->revision;
  scene_run(&scene, 60.0);
  assert_in_range(scene_robot(&scene, 'b')->revision - revision, 0, 2);  // it rests
  scene_end(&scene);
}

// A robot at its pose has reached its goal, and another one needs a cell of that space for the pose of its own goal. It
// makes room, and they do not chase each other.
static void a_robot_at_its_pose_is_called_back_for_another_pose(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.......", "b.......", "........");
  const uint64_t a = send(&scene, 'a', goal_beside(3, 0, 0.2, 0.0));
  scene_until_ended(&scene, a, 60.0);
  const fw_goal_request_t request = goal_beside(5, 0, -0.2, 0.0);  // both reach into the cell between them
  const uint64_t b = send(&scene, 'b', request);
  scene_until_ended(&scene, b, 60.0);
  assert_int_equal(scene_count(&scene, b, FW_GOAL_REACHED), 1);
  assert_true(off(&scene, 'b', request) <= 0.1 + 1e-9);
  scene_run(&scene, 30.0);
  const int64_t revision = scene_robot(&scene, 'a')->revision + scene_robot(&scene, 'b')->revision;
  scene_run(&scene, 60.0);
  assert_in_range(scene_robot(&scene, 'a')->revision + scene_robot(&scene, 'b')->revision - revision, 0, 2);
  assert_int_equal(scene_ends(&scene, a) + scene_ends(&scene, b), 2);
  scene_end(&scene);
}

// ---- the map

// Cells of 0.1 m: floor of 6 x 1.5 m, and a wall from x = 4.3 m on, so that the planning cell from 4 to 4.5 m is not
// free although a disc of 0.2 m fits in at x = 4.1 m.
static void send_wall(scene_t * scene)
{
  static int8_t values[60 * 15];
  for (int32_t k = 0; k < 60 * 15; ++k) {
    values[k] = k % 60 >= 43 ? 100 : 0;
  }
  const fw_occupancy_map_t map = {.width = 60, .height = 15, .resolution = 0.1, .values = values};
  assert_int_equal(fw_controller_set_map(&scene->controller, &map, scene->now_ns, &scene->error), FW_RET_OK);
}

static void a_pose_at_a_wall_is_reached_from_the_free_cell_beside_it(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a...........", "............", "............");
  send_wall(&scene);
  fw_goal_request_t request = {.pose = {{4.1, 0.75}, NAN}};
  assert_false(fw__planning_map_is_free(
    &scene.controller.impl->map, fw__map_frame_cell(&scene.controller.impl->map.frame, request.pose.point)));
  for (int32_t k = 0; k < 2; ++k) {
    const uint64_t id = send(&scene, 'a', request);
    scene_until_ended(&scene, id, 60.0);
    assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
    assert_true(off(&scene, 'a', request) <= 0.1 + 1e-9);
    const uint64_t home = scene_goal(&scene, 'a', 0, 0);
    scene_until_ended(&scene, home, 60.0);
    assert_int_equal(scene_count(&scene, home, FW_GOAL_REACHED), 1);
  }
  // Into the wall: refused, also with a tolerance that the cell beside it does not meet.
  request.pose.point.x = 4.25;
  assert_int_equal(scene_send_goal(&scene, 'a', request, NULL), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(scene.error.fault, FW_FAULT_GOAL_OCCUPIED);
  scene_end(&scene);
}

static void an_obstacle_on_the_way_to_the_pose(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a..#..", "......");
  fw_goal_request_t request = goal_beside(2, 0, 0.2, 0.0);  // touches the wall
  const uint64_t id = send(&scene, 'a', request);
  scene_until_ended(&scene, id, 30.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  assert_true(scene_is_at(&scene, 'a', 2, 0));  // as near as the map allows
  request.position_tolerance = 0.05;
  assert_int_equal(scene_send_goal(&scene, 'a', request, NULL), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(scene.error.fault, FW_FAULT_GOAL_OCCUPIED);
  // By stamps there is no approach.
  scene_end(&scene);
  scene = scene_make();
  scene.options.settings.execution_mode = FW_EXECUTION_MODE_TIMED;
  SCENE(&scene, "a.....", "......");
  request = goal_beside(2, 0, 0.2, 0.0);
  request.position_tolerance = 0.05;
  assert_int_equal(scene_send_goal(&scene, 'a', request, NULL), FW_RET_INVALID_ARGUMENT);
  scene_end(&scene);
}

// ---- yaw

static void the_yaw_of_a_goal_counts(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.....", "......", "......");
  fw_goal_request_t request = scene_goal_at(4, 1);
  request.pose.yaw = 1.2;
  uint64_t id = send(&scene, 'a', request);
  scene_until_ended(&scene, id, 40.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  assert_true(fabs(scene_robot(&scene, 'a')->yaw - 1.2) < 1e-9);
  // Another yaw at the same place, and with an exact pose.
  request.pose.yaw = -2.0;
  id = send(&scene, 'a', request);
  scene_until_ended(&scene, id, 40.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  assert_true(fabs(scene_robot(&scene, 'a')->yaw + 2.0) < 1e-9);
  request = goal_beside(1, 2, 0.2, 0.0);
  request.pose.yaw = 3.0;
  id = send(&scene, 'a', request);
  scene_until_ended(&scene, id, 40.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  assert_true(fabs(scene_robot(&scene, 'a')->yaw - 3.0) < 1e-9);
  assert_true(off(&scene, 'a', request) <= 0.1 + 1e-9);
  scene_end(&scene);
}

static void a_robot_that_does_not_turn_fails_its_goal(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.....");
  scene_robot(&scene, 'a')->does_not_turn = true;
  fw_goal_request_t request = scene_goal_at(4, 0);
  request.pose.yaw = 1.2;
  const uint64_t id = send(&scene, 'a', request);
  scene_until_ended(&scene, id, 60.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_FAILED), 1);
  // Unless its goal allows that.
  request.yaw_tolerance = 3.2;
  const uint64_t other = send(&scene, 'a', request);
  scene_until_ended(&scene, other, 60.0);
  assert_int_equal(scene_count(&scene, other, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// ---- faults

static void a_robot_that_stops_too_far_from_the_pose_fails_its_goal(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.....", "......");
  fw_goal_request_t request = goal_beside(3, 1, 0.24, 0.0);
  request.position_tolerance = 0.05;
  const uint64_t id = send(&scene, 'a', request);
  while (scene.controller.impl->fleet.robots[0].approach.state != FW_APPROACH_OUT) {
    scene_step(&scene);
    assert_true(scene.now_ns < INT64_C(1060000000000));
  }
  scene_robot(&scene, 'a')->stops_short = 0.1;
  for (int32_t k = 0; k < 1000 && scene_ends(&scene, id) == 0; ++k) {
    // Only the approach stops short: the robot must be able to return.
    const fw_approach_state_t now = scene.controller.impl->fleet.robots[0].approach.state;
    scene_robot(&scene, 'a')->stops_short = now == FW_APPROACH_OUT ? 0.1 : 0.0;
    scene_step(&scene);
  }
  assert_int_equal(scene_count(&scene, id, FW_GOAL_FAILED), 1);
  assert_int_equal(scene_end_of(&scene, id)->fault, FW_FAULT_INVALID);
  // It goes on with the next one.
  scene_robot(&scene, 'a')->stops_short = 0.0;
  const uint64_t next = send(&scene, 'a', request);
  scene_until_ended(&scene, next, 60.0);
  assert_int_equal(scene_count(&scene, next, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

static void a_robot_that_is_pushed_from_its_pose_returns(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.......", "........", "........");
  const fw_goal_request_t request = goal_beside(3, 1, 0.2, 0.2);
  scene_until_ended(&scene, send(&scene, 'a', request), 40.0);
  scene_robot(&scene, 'a')->at = scene_place(6, 2);
  scene_run(&scene, 60.0);
  assert_true(off(&scene, 'a', request) <= 0.1 + 1e-9);
  scene_end(&scene);
}

static void a_goal_that_ends_on_the_way_to_its_pose(void ** state)
{
  (void)state;
  static scene_t scene;
  for (int32_t replaces = 0; replaces < 2; ++replaces) {
    scene = scene_make();
    SCENE(&scene, "a.......", "........", "........");
    const uint64_t id = send(&scene, 'a', goal_beside(3, 1, 0.2, 0.2));
    while (scene.controller.impl->fleet.robots[0].approach.state != FW_APPROACH_OUT) {
      scene_step(&scene);
      assert_true(scene.now_ns < INT64_C(1060000000000));
    }
    if (replaces == 1) {
      const uint64_t next = scene_goal(&scene, 'a', 7, 2);
      scene_until_ended(&scene, next, 60.0);
      assert_int_equal(scene_count(&scene, next, FW_GOAL_REACHED), 1);
      assert_int_equal(scene_count(&scene, id, FW_GOAL_REPLACED), 1);
    } else {
      assert_int_equal(fw_controller_cancel_goal(&scene.controller, id, scene.now_ns, &scene.error), FW_RET_OK);
      scene_run(&scene, 20.0);
      assert_int_equal(scene_count(&scene, id, FW_GOAL_CANCELLED), 1);
      assert_int_equal(scene_status(&scene, 'a').state, FW_ROBOT_IDLE);
      const uint64_t next = scene_goal(&scene, 'a', 0, 0);
      scene_until_ended(&scene, next, 60.0);
      assert_int_equal(scene_count(&scene, next, FW_GOAL_REACHED), 1);
    }
    scene_end(&scene);
  }
}

// A robot is carried into the space of one that has reached its pose, and cannot be planned for there.
static void a_robot_that_is_carried_into_the_space_of_a_pose_gets_out(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a......", ".......", "......b");
  scene_until_ended(&scene, send(&scene, 'a', goal_beside(3, 0, 0.0, 0.2)), 30.0);
  scene_run(&scene, 5.0);
  assert_int_equal(scene.controller.impl->fleet.robots[scene_slot(&scene, 'a')].approach.state, FW_APPROACH_THERE);
  scene_robot(&scene, 'b')->at = scene_place(3, 1.3);
  scene_robot(&scene, 'b')->is_broken = true;  // it does not return by itself
  scene_run(&scene, 20.0);
  scene_robot(&scene, 'b')->is_broken = false;
  const uint64_t id = scene_goal(&scene, 'b', 6, 2);
  scene_until_ended(&scene, id, 60.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  assert_true(scene.nearest >= 2.0 * scene.options.settings.robot_radius);
  scene_end(&scene);
}

// The clock jumps while a robot is on its way to a pose, a planner takes its time, and a larger map comes when the
// robot has stayed where it was.
static void an_approach_ends_with_the_plans(void ** state)
{
  (void)state;
  static scene_t scene;
  for (int32_t steps = 0; steps < 80; ++steps) {
    scene = scene_make();
    scene.options.worker = FW_CONTROLLER_WORKER_CALLER;
    SCENE(&scene, "a.......", "........", "........");
    (void)send(&scene, 'a', goal_beside(3, 1, 0.2, 0.2));
    while (scene.controller.impl->fleet.robots[0].approach.state != FW_APPROACH_OUT) {
      scene_step(&scene);
      assert_true(scene.now_ns < INT64_C(1060000000000));
    }
    scene.now_ns += INT64_C(180000000000);
    fw_controller_restart_clock(&scene.controller, scene.now_ns);
    const uint64_t next = scene_goal(&scene, 'a', 7, 2);
    scene.answer_after = -1;
    for (int32_t k = 0; k < steps; ++k) {
      scene_step(&scene);
    }
    scene.answer_after = 0;
    scene.width += 1;  // the rows get other lengths; all of it is free
    memset(scene.values, 0, sizeof scene.values);
    assert_int_equal(scene_send_map(&scene), FW_RET_OK);
    scene_until_ended(&scene, next, 60.0);
    assert_int_equal(scene_count(&scene, next, FW_GOAL_REACHED), 1);
    scene_end(&scene);
  }
}

// The space that it waits for contains its own cell: it must not be closed for it when it was carried out of it.
static void a_robot_that_waits_for_space_and_is_carried_away_comes_back(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a......", "...b...", ".......");
  const fw_goal_request_t request = goal_beside(3, 0, 0.0, 0.24);  // into the cell of b
  scene_run(&scene, 2.0);
  const int32_t b = scene_slot(&scene, 'b');
  fw_controller_t * controller = &scene.controller;
  assert_int_equal(fw_controller_set_service(controller, b, FW_ROBOT_ON_HOLD, scene.now_ns, &scene.error), FW_RET_OK);
  const uint64_t id = send(&scene, 'a', request);
  scene_run(&scene, 20.0);
  assert_true(scene_is_at(&scene, 'a', 3, 0));
  assert_int_equal(scene_status(&scene, 'a').fault, FW_FAULT_GOAL_OCCUPIED);
  assert_int_equal(scene_ends(&scene, id), 0);
  scene_robot(&scene, 'a')->at = scene_place(6, 0);
  scene_run(&scene, 10.0);
  assert_int_equal(
    fw_controller_set_service(controller, b, FW_ROBOT_IN_SERVICE, scene.now_ns, &scene.error), FW_RET_OK);
  scene_until_ended(&scene, id, 60.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  assert_true(off(&scene, 'a', request) <= 0.1 + 1e-9);
  scene_end(&scene);
}

// It waits for space and tries again later; a clock that goes back must not make that "later" an age.
static void a_clock_that_goes_back_does_not_delay_an_approach(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a......", "...b...", ".......");
  scene_run(&scene, 2.0);
  const int32_t b = scene_slot(&scene, 'b');
  fw_controller_t * controller = &scene.controller;
  assert_int_equal(fw_controller_set_service(controller, b, FW_ROBOT_ON_HOLD, scene.now_ns, &scene.error), FW_RET_OK);
  const uint64_t id = send(&scene, 'a', goal_beside(3, 0, 0.0, 0.24));
  scene_run(&scene, 20.0);
  assert_int_equal(scene_ends(&scene, id), 0);
  scene.now_ns -= INT64_C(500000000000);
  fw_controller_restart_clock(controller, scene.now_ns);
  assert_int_equal(
    fw_controller_set_service(controller, b, FW_ROBOT_IN_SERVICE, scene.now_ns, &scene.error), FW_RET_OK);
  scene_until_ended(&scene, id, 90.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// Crossing traffic everywhere, all goals exact: nobody touches, everybody arrives, and twice the same.
static void many_robots_with_exact_goals(void ** state)
{
  (void)state;
  static scene_t scene;
  uint64_t digests[2] = {0};
  for (int32_t run = 0; run < 2; ++run) {
    scene = scene_make();
    SCENE(
      &scene, "a.b.c.d.e", ".........", "..##.##..", ".........", ".........", "..##.##..", ".........", "f.g.h.i.j");
    static const double xs[] = {8, 6, 4, 2, 0, 8, 6, 4, 2, 0}, ys[] = {7, 7, 7, 7, 7, 0, 0, 0, 0, 0};
    uint64_t ids[20];
    for (int32_t k = 0; k < 10; ++k) {
      const double dx = 0.24 * ((double)((k * 7) % 5) - 2.0) / 2.0, dy = 0.24 * ((double)((k * 3) % 5) - 2.0) / 2.0;
      const bool is_top = ys[k]<1.0, is_bottom = ys[k]> 6.0;
      fw_goal_request_t request = goal_beside(xs[k], ys[k], xs[k] < 1.0 ? fabs(dx) * 0.2 : dx * 0.2, 0.0);
      request.pose.point.y += is_top ? fabs(dy) : is_bottom ? -fabs(dy) : dy;
      ids[k] = send(&scene, (char)('a' + k), request);
      ids[10 + k] = scene_queue_goal(&scene, (char)('a' + k), (double)(2 * (k % 5)), k < 5 ? 0 : 7);
    }
    for (int32_t k = 0; k < 20; ++k) {
      for (int32_t step = 0; step < 6000 && scene_ends(&scene, ids[k]) == 0; ++step) {
        scene_step(&scene);
      }
      assert_int_equal(scene_count(&scene, ids[k], FW_GOAL_REACHED), 1);
    }
    digests[run] = scene.digest;
    scene_end(&scene);
  }
  assert_int_equal(digests[0], digests[1]);
}

// Another controller, which did not know of this one yet, tells a robot on its way back from its pose to stay.
static void a_robot_that_was_told_to_stay_on_its_way_back_goes_on(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.....", "......");
  uint64_t id = 0;
  const fw_goal_request_t request = {
    .pose = {{scene_place(3.3, 0).x, scene_place(3, 0.3).y}, NAN}, .position_tolerance = 0.02};
  assert_int_equal(scene_send_goal(&scene, 'a', request, &id), FW_RET_OK);
  scene_until_ended(&scene, id, 60.0);
  id = scene_goal(&scene, 'a', 0, 0);
  const fw_controlled_robot_t * robot = &scene.controller.impl->fleet.robots[0];
  for (int32_t k = 0; k < 100 && robot->approach.state != FW_APPROACH_BACK; ++k) {
    scene_step(&scene);
  }
  assert_int_equal(robot->approach.state, FW_APPROACH_BACK);
  scene_robot(&scene, 'a')->count = 0;
  scene_until_ended(&scene, id, 60.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_exact_pose_is_reached_and_left_again),
    cmocka_unit_test(a_goal_within_the_tolerance_needs_no_approach),
    cmocka_unit_test(others_plan_around_the_space_of_the_pose),
    cmocka_unit_test(an_inexact_measure_keeps_no_robot_from_driving_back),
    cmocka_unit_test(a_robot_without_goal_leaves_the_space),
    cmocka_unit_test(a_robot_without_goal_leaves_the_space_of_a_dead_end),
    cmocka_unit_test(a_robot_at_its_pose_is_called_back_for_one_that_has_no_other_path),
    cmocka_unit_test(a_robot_at_its_pose_is_called_back_for_a_detour),
    cmocka_unit_test(two_poses_in_one_space_end),
    cmocka_unit_test(a_robot_at_its_pose_is_called_back_for_another_pose),
    cmocka_unit_test(a_pose_at_a_wall_is_reached_from_the_free_cell_beside_it),
    cmocka_unit_test(an_obstacle_on_the_way_to_the_pose),
    cmocka_unit_test(the_yaw_of_a_goal_counts),
    cmocka_unit_test(a_robot_that_does_not_turn_fails_its_goal),
    cmocka_unit_test(a_robot_that_stops_too_far_from_the_pose_fails_its_goal),
    cmocka_unit_test(a_robot_that_is_pushed_from_its_pose_returns),
    cmocka_unit_test(a_goal_that_ends_on_the_way_to_its_pose),
    cmocka_unit_test(a_robot_that_is_carried_into_the_space_of_a_pose_gets_out),
    cmocka_unit_test(an_approach_ends_with_the_plans),
    cmocka_unit_test(a_robot_that_waits_for_space_and_is_carried_away_comes_back),
    cmocka_unit_test(a_clock_that_goes_back_does_not_delay_an_approach),
    cmocka_unit_test(many_robots_with_exact_goals),
    cmocka_unit_test(a_robot_that_was_told_to_stay_on_its_way_back_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
