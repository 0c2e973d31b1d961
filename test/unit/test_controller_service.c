// Robots that must not go on: held, out of service, paused, with a rival, or because another one is missing.

#include "unit/test_controller_scene.h"

static void set_service(scene_t * scene, char name, fw_robot_service_t service)
{
  assert_int_equal(
    fw_controller_set_service(&scene->controller, scene_slot(scene, name), service, scene->now_ns, &scene->error),
    FW_RET_OK);
}

// Drives until nothing is left of the release, and returns where that is.
static fw_point_t end_of_release(const scene_t * scene, char name)
{
  const fw_controller_path_t path = scene_released(scene, name);
  assert_true(path.count > 0);
  return path.waypoints[path.count - 1].point;
}

// ---- one robot ------------------------------------------------------------------------------------------------------

//   row 0   a . . . . . . . . .     a is held at 4: b goes around it through row 1
//   row 1   . . . . . . . . . .
static void check_hold(fw_controller_worker_t worker, fw_execution_mode_t mode)
{
  static scene_t scene;
  scene = scene_make();
  scene.options.worker = worker;
  scene.options.settings.execution_mode = mode;
  scene.answer_after = worker == FW_CONTROLLER_WORKER_CALLER ? 7 : 0;
  SCENE(&scene, "a.........", "..........", "b.........");
  const uint64_t a = scene_goal(&scene, 'a', 9, 0);
  scene_run(&scene, mode == FW_EXECUTION_MODE_TIMED ? 1.0 : 4.0);
  set_service(&scene, 'a', FW_ROBOT_ON_HOLD);
  const fw_point_t end = mode == FW_EXECUTION_MODE_TIMED ? scene_robot(&scene, 'a')->at : end_of_release(&scene, 'a');
  scene_run(&scene, 8.0);
  const fw_point_t stopped = scene_robot(&scene, 'a')->at;
  assert_true(mode == FW_EXECUTION_MODE_TIMED || scene_distance(stopped, end) < 0.06);
  assert_true(scene_distance(stopped, scene_place(9, 0)) > 0.3);
  assert_int_equal(scene_status(&scene, 'a').service, FW_ROBOT_ON_HOLD);
  assert_int_equal(scene_ends(&scene, a), 0);
  const uint64_t b = scene_goal(&scene, 'b', 9, 0);
  scene_until_ended(&scene, b, 90.0);
  assert_int_equal(scene_count(&scene, b, FW_GOAL_REACHED), 1);
  assert_true(scene_distance(scene_robot(&scene, 'a')->at, stopped) < 1e-9);
  const uint64_t away = scene_goal(&scene, 'b', 0, 2);
  scene_until_ended(&scene, away, 90.0);
  set_service(&scene, 'a', FW_ROBOT_IN_SERVICE);
  scene_until_ended(&scene, a, 60.0);
  assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

static void a_held_robot_stops_and_others_go_around_it(void ** state)
{
  (void)state;
  check_hold(FW_CONTROLLER_WORKER_INLINE, FW_EXECUTION_MODE_DEPENDENCY);
  check_hold(FW_CONTROLLER_WORKER_CALLER, FW_EXECUTION_MODE_DEPENDENCY);
}

static void a_held_robot_stops_in_execution_mode_timed(void ** state)
{
  (void)state;
  check_hold(FW_CONTROLLER_WORKER_INLINE, FW_EXECUTION_MODE_TIMED);
}

// Held before its first plan: it is an obstacle from the beginning.
static void a_robot_that_is_held_from_the_start_does_not_move(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a....", ".....");
  set_service(&scene, 'a', FW_ROBOT_ON_HOLD);
  const uint64_t id = scene_goal(&scene, 'a', 4, 0);
  scene_run(&scene, 10.0);
  assert_true(scene_is_at(&scene, 'a', 0, 0));
  set_service(&scene, 'a', FW_ROBOT_IN_SERVICE);
  scene_until_ended(&scene, id, 30.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// The round that gives the robot its first plan is under way when it is held.
static void a_robot_that_is_held_while_its_first_plan_is_made_does_not_move(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene.options.worker = FW_CONTROLLER_WORKER_CALLER;
  scene.answer_after = -1;
  SCENE(&scene, "a....");
  (void)scene_goal(&scene, 'a', 4, 0);
  while (!fw_controller_wants_solve(&scene.controller)) {
    scene_step(&scene);
  }
  assert_int_equal(scene.controller.impl->worker.request.count, 1);
  set_service(&scene, 'a', FW_ROBOT_ON_HOLD);
  for (int32_t k = 0; k < 100; ++k) {
    fw_controller_solve(&scene.controller, false);
    scene_step(&scene);
  }
  assert_true(scene_is_at(&scene, 'a', 0, 0));
  scene_end(&scene);
}

static void a_robot_out_of_service_loses_its_goals(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.........", "b.........");
  const uint64_t one = scene_goal(&scene, 'a', 9, 0), two = scene_queue_goal(&scene, 'a', 0, 0);
  scene_run(&scene, 3.0);
  set_service(&scene, 'a', FW_ROBOT_OUT_OF_SERVICE);
  set_service(&scene, 'a', FW_ROBOT_OUT_OF_SERVICE);
  scene_take_events(&scene);
  assert_int_equal(scene_count(&scene, one, FW_GOAL_FAILED), 1);
  assert_int_equal(scene_count(&scene, two, FW_GOAL_FAILED), 1);
  assert_true(scene_end_of(&scene, one)->text[0] != '\0');
  uint64_t id = 0;
  assert_int_equal(scene_send_goal(&scene, 'a', scene_goal_at(5, 0), &id), FW_RET_INVALID_ARGUMENT);
  scene_run(&scene, 8.0);
  const fw_point_t at = scene_robot(&scene, 'a')->at;
  const uint64_t other = scene_goal(&scene, 'b', 9, 0);  // around a
  scene_until_ended(&scene, other, 60.0);
  assert_int_equal(scene_count(&scene, other, FW_GOAL_REACHED), 1);
  assert_true(scene_distance(at, scene_robot(&scene, 'a')->at) < 1e-9);
  set_service(&scene, 'a', FW_ROBOT_IN_SERVICE);
  const uint64_t again = scene_goal(&scene, 'a', 0, 0);
  scene_until_ended(&scene, again, 60.0);
  assert_int_equal(scene_count(&scene, again, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_ends(&scene, one), 1);
  assert_int_equal(
    fw_controller_set_service(&scene.controller, 9, FW_ROBOT_ON_HOLD, scene.now_ns, &scene.error), FW_RET_NOT_FOUND);
  scene_end(&scene);
}

// ---- all robots -----------------------------------------------------------------------------------------------------

static void check_stop_of_all(void (*stop)(scene_t * scene, bool is_stopped), fw_execution_mode_t mode)
{
  static scene_t scene;
  scene = scene_make();
  scene.options.settings.execution_mode = mode;
  SCENE(&scene, "a.................", "b.................");
  const uint64_t a = scene_goal(&scene, 'a', 17, 0), b = scene_goal(&scene, 'b', 17, 1);
  scene_run(&scene, 4.0);
  stop(&scene, true);
  const fw_point_t end = end_of_release(&scene, 'a');
  const uint64_t late = scene_queue_goal(&scene, 'a', 5, 0);
  scene_run(&scene, 40.0);
  assert_true(scene_distance(scene_robot(&scene, 'a')->at, end) < 0.06);
  assert_true(scene_distance(end, end_of_release(&scene, 'a')) < 1e-9);
  assert_int_equal(scene_ends(&scene, late), 0);
  stop(&scene, false);
  scene_until_ended(&scene, late, 90.0);
  assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_count(&scene, b, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_count(&scene, late, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

static void pause_all(scene_t * scene, bool is_stopped) { fw_controller_set_paused(&scene->controller, is_stopped); }
static void deactivate(scene_t * scene, bool is_stopped) { fw_controller_set_active(&scene->controller, !is_stopped); }
static void appear(scene_t * scene, bool is_stopped)
{
  fw_controller_set_rival(&scene->controller, is_stopped ? "planner_2" : NULL);
}

static void a_pause_stops_all_robots(void ** state)
{
  (void)state;
  check_stop_of_all(pause_all, FW_EXECUTION_MODE_DEPENDENCY);
  check_stop_of_all(pause_all, FW_EXECUTION_MODE_TIMED);
}

static void a_controller_that_is_not_active_stops_all_robots(void ** state)
{
  (void)state;
  check_stop_of_all(deactivate, FW_EXECUTION_MODE_DEPENDENCY);
  check_stop_of_all(deactivate, FW_EXECUTION_MODE_TIMED);
}

static void a_rival_stops_all_robots(void ** state)
{
  (void)state;
  check_stop_of_all(appear, FW_EXECUTION_MODE_DEPENDENCY);
}

// Two reasons at once: the end of one is not the end of the other.
static void a_pause_outlives_a_rival_and_a_hold(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.........");
  const uint64_t id = scene_goal(&scene, 'a', 9, 0);
  fw_controller_set_paused(&scene.controller, true);
  fw_controller_set_active(&scene.controller, false);
  fw_controller_set_rival(&scene.controller, "x");
  set_service(&scene, 'a', FW_ROBOT_ON_HOLD);
  scene_run(&scene, 3.0);
  fw_controller_set_rival(&scene.controller, NULL);
  fw_controller_set_active(&scene.controller, true);
  set_service(&scene, 'a', FW_ROBOT_IN_SERVICE);
  scene_run(&scene, 5.0);
  assert_true(scene_is_at(&scene, 'a', 0, 0));
  fw_controller_set_paused(&scene.controller, false);
  scene_until_ended(&scene, id, 30.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// ---- robots that have never reported --------------------------------------------------------------------------------

static void nothing_is_released_while_a_listed_robot_is_missing(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a....b..");
  scene_robot(&scene, 'b')->is_silent = true;
  const uint64_t id = scene_goal(&scene, 'a', 7, 0);
  scene_run(&scene, 120.0);
  assert_int_equal(scene_released(&scene, 'a').count, 0);
  assert_true(scene_is_at(&scene, 'a', 0, 0));
  assert_non_null(strstr(fw_controller_status(&scene.controller, scene.now_ns).not_ready, "pose"));
  scene_robot(&scene, 'b')->is_silent = false;
  const uint64_t b = scene_goal(&scene, 'b', 6, 0);
  scene_until_ended(&scene, b, 30.0);
  assert_int_equal(scene_ends(&scene, id), 0);  // b stands in its way, and is seen
  scene_end(&scene);
}

static void a_missing_robot_is_ignored_only_on_request_and_after_a_while(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene.options.settings.ignores_missing_robots = true;
  SCENE(&scene, "a......b");
  scene_robot(&scene, 'b')->is_silent = true;
  const uint64_t id = scene_goal(&scene, 'a', 3, 0);
  scene_run(&scene, 4.9);
  assert_int_equal(scene_released(&scene, 'a').count, 0);
  scene_until_ended(&scene, id, 30.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// "Restart releases robots through a silent one": b stands silent in the corridor, and a waits before it. A controller
// that starts anew hears only a.
static void a_restart_does_not_release_through_a_silent_robot(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.....b.....");
  scene_run(&scene, 1.0);
  scene_robot(&scene, 'b')->is_silent = scene_robot(&scene, 'b')->is_broken = true;
  (void)scene_goal(&scene, 'a', 11, 0);
  scene_run(&scene, 30.0);
  assert_true(scene_robot(&scene, 'a')->at.x < scene_place(5.1, 0).x);
  fw_controller_fini(&scene.controller);
  assert_int_equal(fw_controller_init(&scene.controller, &scene.options, &scene.error), FW_RET_OK);
  assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
  assert_int_equal(scene_send_map(&scene), FW_RET_OK);
  scene_robot(&scene, 'a')->revision = scene_robot(&scene, 'b')->revision = 0;
  scene_robot(&scene, 'a')->count = 0;
  (void)scene_goal(&scene, 'a', 11, 0);
  scene_run(&scene, 120.0);  // each step checks distances
  assert_true(scene_robot(&scene, 'a')->at.x < scene_place(5.1, 0).x);
  assert_true(scene.nearest > 0.4);
  scene_end(&scene);
}

// The others drive when b is listed: nobody is released any farther until b says where it is.
static void a_robot_that_joins_is_waited_for_while_others_drive(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a...........");
  const uint64_t id = scene_goal(&scene, 'a', 11, 0);
  scene_run(&scene, 3.0);
  const fw_point_t end = end_of_release(&scene, 'a');
  scene_robot_t * b = scene_robot(&scene, 'b');
  b->is_listed = b->is_there = b->is_silent = b->is_broken = true;
  b->at = scene_place(9, 0);  // in the way of a
  assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
  scene_run(&scene, 30.0);
  assert_true(scene_distance(scene_robot(&scene, 'a')->at, end) < 0.06);
  b->is_silent = false;
  scene_run(&scene, 20.0);
  assert_int_equal(scene_ends(&scene, id), 0);
  b->is_broken = false;
  b->is_there = b->is_listed = false;
  assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
  scene_until_ended(&scene, id, 60.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// A robot that was heard and falls silent is an obstacle where it is, for as long as it takes.
static void a_silent_robot_is_an_obstacle_for_as_long_as_it_takes(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.....b.....");
  scene_run(&scene, 1.0);
  scene_robot(&scene, 'b')->is_silent = scene_robot(&scene, 'b')->is_broken = true;
  const uint64_t id = scene_goal(&scene, 'a', 11, 0);
  scene_run(&scene, 300.0);
  assert_int_equal(scene_ends(&scene, id), 0);
  assert_int_equal(scene_status(&scene, 'b').state, FW_ROBOT_STALE);
  scene_robot(&scene, 'b')->is_silent = scene_robot(&scene, 'b')->is_broken = false;
  (void)scene_goal(&scene, 'b', 11, 0);
  const uint64_t near = scene_goal(&scene, 'a', 8, 0);
  scene_until_ended(&scene, near, 60.0);
  assert_int_equal(scene_count(&scene, near, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_held_robot_stops_and_others_go_around_it),
    cmocka_unit_test(a_held_robot_stops_in_execution_mode_timed),
    cmocka_unit_test(a_robot_that_is_held_from_the_start_does_not_move),
    cmocka_unit_test(a_robot_that_is_held_while_its_first_plan_is_made_does_not_move),
    cmocka_unit_test(a_robot_out_of_service_loses_its_goals),
    cmocka_unit_test(a_pause_stops_all_robots),
    cmocka_unit_test(a_controller_that_is_not_active_stops_all_robots),
    cmocka_unit_test(a_rival_stops_all_robots),
    cmocka_unit_test(a_pause_outlives_a_rival_and_a_hold),
    cmocka_unit_test(nothing_is_released_while_a_listed_robot_is_missing),
    cmocka_unit_test(a_missing_robot_is_ignored_only_on_request_and_after_a_while),
    cmocka_unit_test(a_restart_does_not_release_through_a_silent_robot),
    cmocka_unit_test(a_robot_that_joins_is_waited_for_while_others_drive),
    cmocka_unit_test(a_silent_robot_is_an_obstacle_for_as_long_as_it_takes),
  };
  return TEST_RUN(tests);
}
