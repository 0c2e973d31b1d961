// Robots and their poses: the list, slots, stamps and uncertainty, silence, faults of different origin.

#include "unit/test_controller_scene.h"

// ---- the list -------------------------------------------------------------------------------------------------------

static fw_ret_t list_names(scene_t * scene, const char * const * names, int32_t count)
{
  fw_controller_robot_t list[8] = {0};
  for (int32_t k = 0; k < count; ++k) {
    list[k].name = names[k];
  }
  return fw_controller_set_robots(&scene->controller, list, count, scene->now_ns, &scene->error);
}

static void report_at(scene_t * scene, int32_t slot, fw_point_t at)
{
  const fw_pose_report_t report = {.pose = {at, 0.0}, .stamp_ns = scene->now_ns};
  assert_int_equal(
    fw_controller_report_pose(&scene->controller, slot, &report, scene->now_ns, &scene->error), FW_RET_OK);
}

// "The wrong robot gets a path": [x/b] becomes [b] in one call, in the same slot. Nothing of the old robot is left.
static void a_slot_that_is_used_again_has_nothing_of_the_robot_before(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene_draw(&scene, (const char * const[]){".........."}, 1);
  assert_int_equal(fw_controller_init(&scene.controller, &scene.options, &scene.error), FW_RET_OK);
  assert_int_equal(scene_send_map(&scene), FW_RET_OK);
  assert_int_equal(list_names(&scene, (const char * const[]){"x/b"}, 1), FW_RET_OK);
  const fw_goal_request_t goal = scene_goal_at(9, 0);
  uint64_t id = 0;
  assert_int_equal(fw_controller_request_goal(&scene.controller, 0, &goal, scene.now_ns, &id, &scene.error), FW_RET_OK);
  for (int32_t k = 0; k < 20; ++k) {
    scene.now_ns += SCENE_STEP_NS;
    report_at(&scene, 0, scene_place(0, 0));
    scene_update(&scene);
  }
  const fw_controller_path_t before = fw_controller_released_path(&scene.controller, 0);
  const fw_controller_path_t timed = fw_controller_timed_path(&scene.controller, 0);
  assert_true(before.count > 1 && timed.count > 1);
  const int64_t path_revision = timed.revision;
  assert_int_equal(list_names(&scene, (const char * const[]){"b"}, 1), FW_RET_OK);
  assert_int_equal(fw_controller_find_robot(&scene.controller, "b"), 0);
  assert_int_equal(fw_controller_find_robot(&scene.controller, "x/b"), -1);
  assert_int_equal(fw_controller_robot_count(&scene.controller), 1);
  scene_take_events(&scene);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_CANCELLED), 1);
  const fw_controller_robot_status_t status = fw_controller_robot_status(&scene.controller, 0, scene.now_ns);
  assert_string_equal(status.name, "b");
  assert_int_equal(status.state, FW_ROBOT_WAITING);
  assert_false(status.has_pose);
  assert_true(status.goal == 0 && status.distance_remaining == 0.0 && status.seconds_remaining == 0.0);
  assert_int_equal(status.execution.state, FW_EXECUTION_ABSENT);
  assert_int_equal(fw_controller_released_path(&scene.controller, 0).count, 0);
  assert_int_equal(fw_controller_timed_path(&scene.controller, 0).count, 0);
  scene.now_ns += SCENE_STEP_NS;
  scene_update(&scene);
  const fw_controller_path_t after = fw_controller_released_path(&scene.controller, 0);
  assert_int_equal(after.count, 0);  // "stay"
  assert_true(after.revision > before.revision);
  assert_true(fw_controller_timed_path(&scene.controller, 0).revision > path_revision);
  // It is planned for where it is itself.
  assert_int_equal(fw_controller_request_goal(&scene.controller, 0, &goal, scene.now_ns, &id, &scene.error), FW_RET_OK);
  for (int32_t k = 0; k < 20; ++k) {
    scene.now_ns += SCENE_STEP_NS;
    report_at(&scene, 0, scene_place(5, 0));
    scene_update(&scene);
  }
  const fw_controller_path_t own = fw_controller_released_path(&scene.controller, 0);
  assert_true(own.count > 1 && own.revision > after.revision);
  assert_true(scene_distance(own.waypoints[0].point, scene_place(5, 0)) < 1e-9);
  scene_end(&scene);
}

static void lists_that_make_no_sense_change_nothing(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a...b");
  const uint64_t id = scene_goal(&scene, 'a', 2, 0);
  char name[FW_NAME_SIZE + 1];
  memset(name, 'n', sizeof name - 1);
  name[sizeof name - 1] = '\0';
  const fw_controller_robot_t lists[][2] = {
    {{.name = "c"}, {.name = "c"}},
    {{.name = "c"}, {.name = ""}},
    {{.name = "c"}, {.name = NULL}},
    {{.name = "c"}, {.name = name}},
    {{.name = "c"}, {.name = "d", .footprint = "2y2"}},
    {{.name = "c"}, {.name = "d", .ticks_per_move = 9}},
    {{.name = "c"}, {.name = "d", .turn_ticks = -1}},
  };
  for (int32_t k = 0; k < TEST_COUNT(lists); ++k) {
    scene.error = (fw_error_t){0};
    assert_int_equal(
      fw_controller_set_robots(&scene.controller, lists[k], 2, scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
    assert_true(scene.error.text[0] != '\0');
    assert_int_equal(scene_slot(&scene, 'a'), 0);
    assert_int_equal(scene_slot(&scene, 'b'), 1);
    assert_int_equal(scene_slot(&scene, 'c'), -1);
  }
  assert_int_equal(
    fw_controller_set_robots(&scene.controller, lists[0], -1, scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
  scene_until_ended(&scene, id, 20.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// Robots come and go all the time: those that stay keep slots and goals, and slots are used again.
static void robots_that_stay_keep_their_slots_and_goals(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.........", "..........", "b....c....");
  const uint64_t id = scene_goal(&scene, 'a', 9, 0);
  scene_run(&scene, 1.0);
  for (int32_t k = 0; k < 40; ++k) {
    scene_robot_t * b = scene_robot(&scene, 'b');
    b->is_listed = b->is_there = !b->is_there;
    b->revision = 0;
    b->count = 0;
    assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
    assert_int_equal(scene_slot(&scene, 'a'), 0);
    assert_int_equal(scene_slot(&scene, 'c'), 2);
    assert_in_range(fw_controller_robot_count(&scene.controller), 1, 3);
    scene_run(&scene, 0.5);
  }
  scene_until_ended(&scene, id, 10.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_status(&scene, 'a').goals_left, 0);
  scene_end(&scene);
}

// Another footprint while it drives: the graph has the old one.
static void a_robot_that_changes_its_footprint_is_planned_for_again(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.........", "..........", "b.........", "..........");
  const uint64_t a = scene_goal(&scene, 'a', 8, 0), b = scene_goal(&scene, 'b', 8, 2);
  scene_run(&scene, 3.0);
  scene_robot(&scene, 'a')->footprint = "2x2";
  assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
  scene_until_ended(&scene, a, 90.0);
  assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_count(&scene, b, FW_GOAL_REACHED), 1);
  assert_string_equal(fw_controller_status(&scene.controller, scene.now_ns).fault, "");
  scene_end(&scene);
}

// ---- poses ----------------------------------------------------------------------------------------------------------

static void expect_pose_refused(scene_t * scene, fw_pose_report_t report)
{
  const fw_pose_t before = scene_status(scene, 'a').pose;
  scene->error = (fw_error_t){0};
  assert_int_equal(scene_report(scene, 'a', report), FW_RET_INVALID_ARGUMENT);
  assert_true(scene->error.text[0] != '\0');
  const fw_pose_t after = scene_status(scene, 'a').pose;
  assert_true(before.point.x == after.point.x && before.point.y == after.point.y);
  assert_int_not_equal(scene_status(scene, 'a').fault, FW_FAULT_NONE);
}

static void poses_that_make_no_sense_are_refused(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a....");
  scene_run(&scene, 1.0);
  const fw_pose_report_t good = {.pose = {scene_place(1, 0), 0.0}, .stamp_ns = scene.now_ns};
  const int64_t hour_ns = INT64_C(3600000000000);
  fw_pose_report_t bad = good;
  bad.stamp_ns = scene.now_ns - hour_ns;
  expect_pose_refused(&scene, bad);
  bad.stamp_ns = scene.now_ns + hour_ns;
  expect_pose_refused(&scene, bad);
  bad.stamp_ns = INT64_MIN;
  expect_pose_refused(&scene, bad);
  bad.stamp_ns = INT64_MAX;
  expect_pose_refused(&scene, bad);
  const double deviations[] = {NAN, INFINITY, -INFINITY, -1.0, 1e12, 1.1};
  for (int32_t k = 0; k < TEST_COUNT(deviations); ++k) {
    bad = good;
    bad.deviation = deviations[k];
    expect_pose_refused(&scene, bad);
  }
  const double numbers[] = {NAN, INFINITY, -INFINITY};
  for (int32_t k = 0; k < TEST_COUNT(numbers); ++k) {
    bad = good;
    bad.pose.point.x = numbers[k];
    expect_pose_refused(&scene, bad);
    bad = good;
    bad.pose.point.y = numbers[k];
    expect_pose_refused(&scene, bad);
    bad = good;
    bad.pose.yaw = numbers[k];
    expect_pose_refused(&scene, bad);
  }
  bad = good;
  bad.pose.point.x = 1e300;  // finite, and somewhere
  assert_int_equal(scene_report(&scene, 'a', bad), FW_RET_OK);
  scene_run(&scene, 1.0);
  assert_int_equal(
    fw_controller_report_pose(&scene.controller, 3, &good, scene.now_ns, &scene.error), FW_RET_NOT_FOUND);
  assert_int_equal(scene_status(&scene, 'a').fault, FW_FAULT_NONE);  // a good one has come since
  // Nothing but bad poses is silence.
  scene_robot(&scene, 'a')->is_silent = true;
  for (int32_t k = 0; k < 20; ++k) {
    scene_step(&scene);
    bad = good;
    bad.stamp_ns = scene.now_ns - hour_ns;
    assert_int_equal(scene_report(&scene, 'a', bad), FW_RET_INVALID_ARGUMENT);
  }
  assert_int_equal(scene_status(&scene, 'a').state, FW_ROBOT_STALE);
  scene_end(&scene);
}

static void limits_of_age_and_deviation_can_be_turned_off(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene.options.settings.pose_age_max = scene.options.settings.pose_deviation_max = 0.0;
  SCENE(&scene, "a....");
  const fw_pose_report_t old = {.pose = {scene_place(0, 0), 0.0}, .stamp_ns = 1, .deviation = 1e12};
  assert_int_equal(scene_report(&scene, 'a', old), FW_RET_OK);
  // From a clock that is an hour ahead, then right again: the robot is not deaf until that hour is over.
  fw_pose_report_t report = {.pose = {scene_place(1, 0), 0.0}, .stamp_ns = scene.now_ns + INT64_C(3600000000000)};
  assert_int_equal(scene_report(&scene, 'a', report), FW_RET_OK);
  scene.now_ns += SCENE_STEP_NS;
  report = (fw_pose_report_t){.pose = {scene_place(2, 0), 0.0}, .stamp_ns = scene.now_ns};
  assert_int_equal(scene_report(&scene, 'a', report), FW_RET_OK);
  assert_true(scene_distance(scene_status(&scene, 'a').pose.point, scene_place(2, 0)) < 1e-9);
  scene_end(&scene);
}

static void a_report_that_was_overtaken_is_dropped(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a....");
  scene_robot(&scene, 'a')->is_silent = true;
  fw_pose_report_t report = {.pose = {scene_place(1, 0), 0.0}, .stamp_ns = scene.now_ns};
  assert_int_equal(scene_report(&scene, 'a', report), FW_RET_OK);
  report = (fw_pose_report_t){.pose = {scene_place(0, 0), 0.0}, .stamp_ns = scene.now_ns - SCENE_STEP_NS};
  assert_int_equal(scene_report(&scene, 'a', report), FW_RET_OK);
  assert_true(scene_distance(scene_status(&scene, 'a').pose.point, scene_place(1, 0)) < 1e-9);
  // Without a stamp it is taken for now.
  scene.now_ns += SCENE_STEP_NS;
  report = (fw_pose_report_t){.pose = {scene_place(2, 0), 0.0}};
  assert_int_equal(scene_report(&scene, 'a', report), FW_RET_OK);
  assert_true(scene_distance(scene_status(&scene, 'a').pose.point, scene_place(2, 0)) < 1e-9);
  scene_end(&scene);
}

// The same message again and again, as from a bridge that repeats it, is no sign of life.
static void a_repeated_report_is_silence(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a....");
  scene_run(&scene, 1.0);
  scene_robot(&scene, 'a')->is_silent = true;
  const fw_pose_report_t report = {.pose = {scene_place(0, 0), 0.0}, .stamp_ns = scene.now_ns};
  for (int32_t k = 0; k < 20; ++k) {
    scene_step(&scene);
    assert_int_equal(scene_report(&scene, 'a', report), FW_RET_OK);
  }
  assert_int_equal(scene_status(&scene, 'a').state, FW_ROBOT_STALE);
  scene_robot(&scene, 'a')->is_silent = false;
  scene_run(&scene, 0.5);
  assert_int_equal(scene_status(&scene, 'a').state, FW_ROBOT_IDLE);
  scene_end(&scene);
}

// Reports late, twice and out of order do not stop a drive.
static void a_robot_with_a_bad_connection_arrives(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.........");
  const uint64_t id = scene_goal(&scene, 'a', 9, 0);
  fw_pose_report_t kept = {0};
  for (int32_t k = 0; k < 300 && scene_ends(&scene, id) == 0; ++k) {
    scene_step(&scene);
    const fw_pose_report_t report = {.pose = {scene_robot(&scene, 'a')->at, 0.0}, .stamp_ns = scene.now_ns};
    assert_int_equal(scene_report(&scene, 'a', report), FW_RET_OK);
    if (k % 7 == 6) {
      assert_int_equal(scene_report(&scene, 'a', kept), FW_RET_OK);
    }
    kept = k % 3 == 0 ? report : kept;
  }
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// ---- poses only on change -------------------------------------------------------------------------------------------

// "A robot that publishes poses only when it moves": it is not stale while it stands, gets a plan, drives, arrives, and
// is not "stopped" at its goal, however long it stands there.
static void robots_that_report_only_while_they_move_drive_and_arrive(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene.options.settings.poses_are_on_change = true;
  SCENE(&scene, "a........", ".........", "b........");
  scene_robot(&scene, 'a')->is_on_change = scene_robot(&scene, 'b')->is_on_change = true;
  scene_run(&scene, 60.0);
  assert_int_equal(scene_status(&scene, 'a').state, FW_ROBOT_IDLE);
  for (int32_t round = 0; round < 3; ++round) {
    const uint64_t a = scene_goal(&scene, 'a', round % 2 == 0 ? 8 : 0, 0);
    scene_until_ended(&scene, a, 60.0);
    assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
    scene_run(&scene, 60.0);
    assert_int_equal(scene_status(&scene, 'a').state, FW_ROBOT_ARRIVED);
    assert_int_equal(scene_status(&scene, 'a').execution.state, FW_EXECUTION_ARRIVED);
    assert_int_equal(scene_status(&scene, 'b').state, FW_ROBOT_IDLE);
  }
  // One that should drive and says nothing is stale, then heard again.
  const uint64_t id = scene_goal(&scene, 'a', 0, 0);
  scene_robot(&scene, 'a')->is_broken = true;
  scene_run(&scene, 4.0);
  assert_int_equal(scene_status(&scene, 'a').state, FW_ROBOT_STALE);
  scene_robot(&scene, 'a')->is_broken = false;
  scene_until_ended(&scene, id, 60.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// 'z' is put on the list and nobody knows where it is: from then on nothing is released, not by a pose that is reported
// before the next update either.
static void nothing_is_released_once_a_missing_robot_is_listed(void ** state)
{
  (void)state;
  for (int32_t steps = 2; steps < 60; ++steps) {
    static scene_t scene;
    scene = scene_make();
    SCENE(&scene, "abc..........");
    for (int32_t k = 0; k < 3; ++k) {
      (void)scene_goal(&scene, (char)('a' + k), 10 + k, 0);
    }
    for (int32_t k = 0; k < steps; ++k) {
      scene_step(&scene);
    }
    fw_point_t ends[3];
    for (int32_t k = 0; k < 3; ++k) {
      const fw_controller_path_t path = scene_released(&scene, (char)('a' + k));
      ends[k] = path.count > 0 ? path.waypoints[path.count - 1].point : scene_robot(&scene, (char)('a' + k))->at;
    }
    scene_robot(&scene, 'z')->is_listed = true;
    assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
    scene_run(&scene, 20.0);
    for (int32_t k = 0; k < 3; ++k) {
      assert_true(scene_robot(&scene, (char)('a' + k))->at.x < ends[k].x + 1e-6);
    }
    scene_end(&scene);
  }
}

// 'z', which was missing, reports for the first time, between two looks at the obstacles: the robot that waited for it
// is not released onto it.
static void a_robot_that_has_just_appeared_is_an_obstacle_at_once(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene.options.settings.release_ahead = 1.0;
  scene.options.worker = FW_CONTROLLER_WORKER_CALLER;
  SCENE(&scene, "a............");
  (void)scene_goal(&scene, 'a', 10, 0);
  scene_run(&scene, 3.0);
  scene_robot(&scene, 'z')->is_listed = true;
  assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
  scene_run(&scene, 5.0);
  const fw_controller_path_t before = scene_released(&scene, 'a');
  const fw_point_t end = before.waypoints[before.count - 1].point;
  scene.answer_after = -1;  // a new plan would tell the graph of all obstacles
  scene.now_ns += SCENE_STEP_NS / 2;
  const fw_point_t place = {end.x + SCENE_CELL, end.y};
  assert_int_equal(
    scene_report(&scene, 'z', (fw_pose_report_t){.pose = {place, 0.0}, .stamp_ns = scene.now_ns}), FW_RET_OK);
  (void)fw_controller_update(&scene.controller, scene.now_ns);
  const fw_controller_path_t after = scene_released(&scene, 'a');
  assert_true(after.waypoints[after.count - 1].point.x < end.x + 1e-6);
  scene_end(&scene);
}

// Two robots were carried into one cell: neither is sent to its centre if it would touch the other one on the way.
static void robots_in_one_cell_do_not_drive_into_each_other(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene.options.settings.robot_radius = 0.1;
  SCENE(&scene, "a....b.....", "...........");
  scene_run(&scene, 3.0);
  scene_robot(&scene, 'a')->at = scene_place(8.0, 0.22);
  scene_robot(&scene, 'b')->at = scene_place(8.0, -0.24);
  scene_robot(&scene, 'a')->is_broken = scene_robot(&scene, 'b')->is_broken =
    true;  // until both have been told to stay
  (void)scene_goal(&scene, 'a', 0, 0);
  scene_run(&scene, 5.0);
  scene_robot(&scene, 'a')->is_broken = scene_robot(&scene, 'b')->is_broken = false;
  scene_run(&scene, 30.0);
  assert_true(scene.nearest >= 0.2);
  // Somebody takes one of them away, and the other one drives.
  scene_robot(&scene, 'b')->at = scene_place(5.0, 0.0);
  scene_run(&scene, 30.0);
  assert_true(scene_is_at(&scene, 'a', 0, 0));
  scene_end(&scene);
}

// A robot that turns on the spot does not stand, if its heading is part of plans.
static void a_robot_that_turns_does_not_stand(void ** state)
{
  (void)state;
  for (int32_t turn_ticks = 0; turn_ticks < 2; ++turn_ticks) {
    static scene_t scene;
    scene = scene_make();
    scene_robot(&scene, 'a')->turn_ticks = turn_ticks;
    SCENE(&scene, "a..");
    for (int32_t k = 0; k < 50; ++k) {
      scene_robot(&scene, 'a')->yaw += 0.1;
      scene_step(&scene);
    }
    assert_int_equal(scene.controller.impl->fleet.robots[0].is_still, turn_ticks == 0);
    scene_run(&scene, 3.0);
    assert_true(scene.controller.impl->fleet.robots[0].is_still);
    scene_end(&scene);
  }
}

// A robot that had to wait for those before it longer than odom_timeout has the whole timeout to begin when it may.
static void a_robot_that_waited_is_not_stale_when_it_may_drive(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene.options.settings.poses_are_on_change = true;
  SCENE(&scene, "abcdefgh............");
  uint64_t ids[8];
  for (int32_t k = 0; k < 8; ++k) {
    scene_robot(&scene, (char)('a' + k))->is_on_change = true;
    ids[k] = scene_goal(&scene, (char)('a' + k), 12 + k, 0);
  }
  double waited = 0.0;  // by the last one, in seconds
  while (scene_ends(&scene, ids[0]) == 0) {
    scene_step(&scene);
    waited += scene_robot(&scene, 'a')->at.x < scene_place(0.1, 0).x ? (double)SCENE_STEP_NS * 1e-9 : 0.0;
    for (int32_t k = 0; k < 8; ++k) {
      assert_int_not_equal(scene_status(&scene, (char)('a' + k)).state, FW_ROBOT_STALE);
    }
  }
  assert_true(waited > 2.0 * scene.options.settings.odom_timeout);
  scene_end(&scene);
}

// Without that setting such a robot is stale: nobody promised anything about its silence.
static void silence_counts_if_poses_are_to_come_all_the_time(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a....");
  scene_run(&scene, 1.0);
  scene_robot(&scene, 'a')->is_on_change = true;
  scene_run(&scene, 3.0);
  assert_int_equal(scene_status(&scene, 'a').state, FW_ROBOT_STALE);
  scene_end(&scene);
}

// ---- faults ---------------------------------------------------------------------------------------------------------

// "An error is recognised by its text beginning with 'pose'": faults of different origin live side by side.
static void faults_of_different_origin_do_not_clear_each_other(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a..#.");
  scene_run(&scene, 1.0);
  uint64_t id = 0;
  const fw_pose_report_t nowhere = {.pose = {{NAN, 0.0}, 0.0}};
  const fw_controlled_robot_t * robot = &scene.controller.impl->fleet.robots[0];
  assert_int_equal(scene_send_goal(&scene, 'a', scene_goal_at(3, 0), &id), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(scene_report(&scene, 'a', nowhere), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(robot->goal_fault.number, FW_FAULT_GOAL_OCCUPIED);
  assert_int_equal(robot->pose_fault.number, FW_FAULT_INVALID);
  scene_step(&scene);  // a good pose
  assert_int_equal(robot->goal_fault.number, FW_FAULT_GOAL_OCCUPIED);
  assert_int_equal(robot->pose_fault.number, FW_FAULT_NONE);
  assert_int_equal(scene_status(&scene, 'a').fault, FW_FAULT_GOAL_OCCUPIED);
  assert_int_equal(scene_report(&scene, 'a', nowhere), FW_RET_INVALID_ARGUMENT);
  (void)scene_goal(&scene, 'a', 2, 0);  // a good goal
  assert_int_equal(robot->goal_fault.number, FW_FAULT_NONE);
  assert_int_equal(robot->pose_fault.number, FW_FAULT_INVALID);
  assert_int_equal(scene_status(&scene, 'a').fault, FW_FAULT_INVALID);
  assert_int_equal(scene_send_goal(&scene, 'a', scene_goal_at(9, 9), &id), FW_RET_INVALID_ARGUMENT);
  // The other side of the wall: no path, and the rejected goal is still told when that is over.
  (void)scene_goal(&scene, 'a', 4, 0);
  scene_run(&scene, 2.0);
  assert_int_equal(scene_status(&scene, 'a').fault, FW_FAULT_NO_VALID_PATH);
  assert_int_equal(scene_send_goal(&scene, 'a', scene_goal_at(9, 9), &id), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(scene_status(&scene, 'a').fault, FW_FAULT_NO_VALID_PATH);
  fw_controller_cancel_goals(&scene.controller, 0, scene.now_ns);
  scene_run(&scene, 1.0);
  assert_int_equal(scene_status(&scene, 'a').fault, FW_FAULT_GOAL_OUTSIDE);
  assert_string_equal(fw_controller_robot_status(&scene.controller, 7, 0).name, "");
  scene_end(&scene);
}

// A log line per change, not per message.
static int32_t lines;
static void count_line(void * context, fw_log_level_t level, const char * text)
{
  (void)context;
  assert_null(strchr(text, '\n'));
  lines += level >= FW_LOG_WARN ? 1 : 0;
}

static void a_thousand_bad_messages_are_one_line(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene.options.log = count_line;
  SCENE(&scene, "a....");
  scene_run(&scene, 1.0);
  lines = 0;
  for (int32_t k = 0; k < 1000; ++k) {
    const fw_pose_report_t report = {
      .pose = {scene_place(0, 0), 0.0}, .stamp_ns = scene.now_ns - INT64_C(20000000000) - k};
    assert_int_equal(scene_report(&scene, 'a', report), FW_RET_INVALID_ARGUMENT);
  }
  assert_int_equal(lines, 1);
  scene_end(&scene);
}

// Another controller, before it knew of this one, has told a robot to stay.
static void a_robot_that_was_told_to_stay_by_somebody_else_goes_on(void ** state)
{
  (void)state;
  static scene_t scene_of_test;
  scene_t * scene = &scene_of_test;
  *scene = scene_make();
  SCENE(scene, "a.........");
  scene_run(scene, 2.0);
  const uint64_t a = scene_goal(scene, 'a', 9, 0);
  scene_run(scene, 2.5);
  assert_true(scene_robot(scene, 'a')->count > 1);
  scene_robot(scene, 'a')->count = 0;
  scene_until_ended(scene, a, 60.0);
  assert_int_equal(scene_count(scene, a, FW_GOAL_REACHED), 1);
  scene_end(scene);
}

// The same on the way to the centre of its cell, where it stands in others' cells; it is not called arrived meanwhile.
static void a_robot_that_was_told_to_stay_beside_its_centre_goes_there(void ** state)
{
  (void)state;
  static scene_t scene_of_test;
  scene_t * scene = &scene_of_test;
  *scene = scene_make();
  static const char * const rows[] = {"a...", "...."};
  scene_draw(scene, rows, 2);
  scene_robot(scene, 'a')->at.x += 0.2;
  scene_robot(scene, 'a')->is_broken = true;
  assert_int_equal(fw_controller_init(&scene->controller, &scene->options, &scene->error), FW_RET_OK);
  assert_int_equal(scene_send_robots(scene), FW_RET_OK);
  assert_int_equal(scene_send_map(scene), FW_RET_OK);
  const uint64_t a = scene_goal(scene, 'a', 0, 0);
  scene_run(scene, 8.0);
  assert_int_equal(scene_ends(scene, a), 0);
  scene_robot(scene, 'a')->count = 0;
  scene_robot(scene, 'a')->is_broken = false;
  scene_until_ended(scene, a, 30.0);
  assert_int_equal(scene_count(scene, a, FW_GOAL_REACHED), 1);
  assert_true(scene_distance(scene_robot(scene, 'a')->at, scene_place(0, 0)) < 0.13);
  scene_run(scene, 2.0);
  assert_true(scene_distance(scene_robot(scene, 'a')->at, scene_place(0, 0)) < 0.01);
  scene_end(scene);
}

// It is carried away while it is planned for the first time, and says so once: poses come only while it moves.
static void a_robot_that_was_carried_away_during_its_first_round_is_seen(void ** state)
{
  (void)state;
  static scene_t scene_of_test;
  scene_t * scene = &scene_of_test;
  *scene = scene_make();
  scene->options.worker = FW_CONTROLLER_WORKER_CALLER;
  scene->options.settings.poses_are_on_change = true;
  scene->answer_after = -1;
  SCENE(scene, "a.......");
  scene_robot(scene, 'a')->is_on_change = true;
  for (int32_t step = 0; step < 50 && !fw_controller_wants_solve(&scene->controller); ++step) {
    scene_step(scene);
  }
  assert_true(fw_controller_wants_solve(&scene->controller));
  scene_robot(scene, 'a')->at = scene_place(5, 0);
  scene_step(scene);
  scene->answer_after = 0;
  scene_run(scene, 10.0);
  assert_false(scene_release_has(scene, 'a', 0, 0));
  const uint64_t a = scene_goal(scene, 'a', 7, 0);
  scene_until_ended(scene, a, 30.0);
  assert_int_equal(scene_count(scene, a, FW_GOAL_REACHED), 1);
  scene_end(scene);
}

// An obstacle comes on the path of a robot whose poses are lost, and which has driven on meanwhile: a path that ends
// before the obstacle would lead it back through it.
static void a_robot_that_is_not_heard_of_is_not_led_back(void ** state)
{
  (void)state;
  static scene_t scene_of_test;
  scene_t * scene = &scene_of_test;
  *scene = scene_make();
  scene->options.settings.release_ahead = 0.0;  // the whole path
  SCENE(scene, "a.........", "..........");
  const uint64_t id = scene_goal(scene, 'a', 9, 0);
  for (int32_t step = 0; step < 100 && scene_distance(scene_robot(scene, 'a')->at, scene_place(2, 0)) > 0.1; ++step) {
    scene_step(scene);
  }
  assert_true(scene_release_ends_at(scene, 'a', 9, 0));
  scene_robot(scene, 'a')->is_silent = true;
  scene_run(scene, 20.0);
  assert_true(scene_is_at(scene, 'a', 9, 0));
  const int64_t revision = scene_robot(scene, 'a')->revision;
  scene_block(scene, (const double[][2]){{6, 0}}, 1);
  scene_run(scene, 5.0);
  assert_int_equal(scene_robot(scene, 'a')->revision, revision);
  scene_robot(scene, 'a')->is_silent = false;
  scene_until_ended(scene, id, 10.0);
  assert_int_equal(scene_count(scene, id, FW_GOAL_REACHED), 1);
  scene_end(scene);
}

// One that cannot be there yet is told.
static void a_robot_that_was_heard_of_a_moment_ago_is_stopped_before_an_obstacle(void ** state)
{
  (void)state;
  static scene_t scene_of_test;
  scene_t * scene = &scene_of_test;
  *scene = scene_make();
  scene->options.settings.release_ahead = 0.0;  // the whole path
  SCENE(scene, "a.........", "..........");
  (void)scene_goal(scene, 'a', 9, 0);
  scene_run(scene, 2.0);
  assert_true(scene_release_ends_at(scene, 'a', 9, 0));
  scene_robot(scene, 'a')->is_silent = true;
  scene_run(scene, 1.5);
  assert_int_equal(scene_status(scene, 'a').state, FW_ROBOT_STALE);
  scene_block(scene, (const double[][2]){{8, 0}}, 1);
  scene_run(scene, 0.2);
  assert_true(scene_release_ends_at(scene, 'a', 7, 0));
  scene_end(scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_robot_that_was_told_to_stay_by_somebody_else_goes_on),
    cmocka_unit_test(a_robot_that_was_carried_away_during_its_first_round_is_seen),
    cmocka_unit_test(a_robot_that_is_not_heard_of_is_not_led_back),
    cmocka_unit_test(a_robot_that_was_heard_of_a_moment_ago_is_stopped_before_an_obstacle),
    cmocka_unit_test(a_robot_that_was_told_to_stay_beside_its_centre_goes_there),
    cmocka_unit_test(a_slot_that_is_used_again_has_nothing_of_the_robot_before),
    cmocka_unit_test(lists_that_make_no_sense_change_nothing),
    cmocka_unit_test(robots_that_stay_keep_their_slots_and_goals),
    cmocka_unit_test(a_robot_that_changes_its_footprint_is_planned_for_again),
    cmocka_unit_test(poses_that_make_no_sense_are_refused),
    cmocka_unit_test(limits_of_age_and_deviation_can_be_turned_off),
    cmocka_unit_test(a_report_that_was_overtaken_is_dropped),
    cmocka_unit_test(a_repeated_report_is_silence),
    cmocka_unit_test(a_robot_with_a_bad_connection_arrives),
    cmocka_unit_test(robots_that_report_only_while_they_move_drive_and_arrive),
    cmocka_unit_test(a_robot_that_turns_does_not_stand),
    cmocka_unit_test(nothing_is_released_once_a_missing_robot_is_listed),
    cmocka_unit_test(a_robot_that_has_just_appeared_is_an_obstacle_at_once),
    cmocka_unit_test(robots_in_one_cell_do_not_drive_into_each_other),
    cmocka_unit_test(a_robot_that_waited_is_not_stale_when_it_may_drive),
    cmocka_unit_test(silence_counts_if_poses_are_to_come_all_the_time),
    cmocka_unit_test(faults_of_different_origin_do_not_clear_each_other),
    cmocka_unit_test(a_thousand_bad_messages_are_one_line),
  };
  return TEST_RUN(tests);
}
