// Goals: accepted or rejected in the call, and each accepted one ends in exactly one way.

#include "unit/test_controller_scene.h"

static void expect_rejected(scene_t * scene, fw_goal_request_t request, fw_fault_t fault)
{
  uint64_t id = 77;
  scene->error = (fw_error_t){0};
  assert_int_equal(scene_send_goal(scene, 'a', request, &id), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(id, 77);
  assert_int_equal(scene->error.fault, fault);
  assert_true(scene->error.text[0] != '\0');
}

static void impossible_goals_are_rejected_with_nav2s_numbers(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a..#.");
  scene_run(&scene, 1.0);
  expect_rejected(&scene, scene_goal_at(7, 0), FW_FAULT_GOAL_OUTSIDE);
  expect_rejected(&scene, scene_goal_at(3, 0), FW_FAULT_GOAL_OCCUPIED);
  expect_rejected(&scene, scene_goal_at(NAN, 0), FW_FAULT_INVALID);
  expect_rejected(&scene, scene_goal_at(0, INFINITY), FW_FAULT_INVALID);
  expect_rejected(&scene, scene_goal_at(1e300, 0), FW_FAULT_GOAL_OUTSIDE);
  fw_goal_request_t request = scene_goal_at(2, 0);
  request.pose.yaw = INFINITY;
  expect_rejected(&scene, request, FW_FAULT_INVALID);
  request = scene_goal_at(2, 0);
  request.position_tolerance = NAN;
  expect_rejected(&scene, request, FW_FAULT_INVALID);
  request.position_tolerance = -0.1;
  expect_rejected(&scene, request, FW_FAULT_INVALID);
  scene_run(&scene, 1.0);
  assert_int_equal(scene.event_count, 0);  // nothing was accepted
  assert_int_not_equal(scene_status(&scene, 'a').fault, FW_FAULT_NONE);
  // There is no such robot.
  request = scene_goal_at(2, 0);
  assert_int_equal(
    fw_controller_request_goal(&scene.controller, 5, &request, scene.now_ns, NULL, &scene.error), FW_RET_NOT_FOUND);
  assert_int_equal(
    fw_controller_request_goal(&scene.controller, -1, &request, scene.now_ns, NULL, &scene.error), FW_RET_NOT_FOUND);
  // A good one works after all that, and clears the fault.
  const uint64_t id = scene_goal(&scene, 'a', 2, 0);
  assert_int_equal(scene_status(&scene, 'a').fault, FW_FAULT_NONE);
  scene_until_ended(&scene, id, 20.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

static void a_queue_is_driven_in_order(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.....");
  const uint64_t one = scene_goal(&scene, 'a', 3, 0);
  const uint64_t two = scene_queue_goal(&scene, 'a', 1, 0), three = scene_queue_goal(&scene, 'a', 5, 0);
  assert_true(one < two && two < three);
  assert_int_equal(scene_status(&scene, 'a').goal, one);
  assert_int_equal(scene_status(&scene, 'a').goals_left, 2);
  scene_until_ended(&scene, one, 30.0);
  assert_true(scene_is_at(&scene, 'a', 3, 0));
  assert_int_equal(scene_count(&scene, two, FW_GOAL_ACTIVE), 1);
  assert_int_equal(scene_count(&scene, three, FW_GOAL_ACTIVE), 0);
  assert_int_equal(scene_status(&scene, 'a').goal, two);
  scene_until_ended(&scene, two, 30.0);
  assert_true(scene_is_at(&scene, 'a', 1, 0));
  scene_until_ended(&scene, three, 30.0);
  assert_true(scene_is_at(&scene, 'a', 5, 0));
  scene_run(&scene, 5.0);
  assert_int_equal(scene.event_count, 9);
  const uint64_t ids[] = {one, two, three};
  for (int32_t k = 0; k < 3; ++k) {
    assert_int_equal(scene_count(&scene, ids[k], FW_GOAL_REACHED), 1);
    assert_int_equal(scene_ends(&scene, ids[k]), 1);
  }
  // A goal where the robot already stands is reached, too, and another one after it.
  const uint64_t here = scene_goal(&scene, 'a', 5, 0);
  scene_until_ended(&scene, here, 5.0);
  assert_int_equal(scene_count(&scene, here, FW_GOAL_REACHED), 1);
  const uint64_t next = scene_goal(&scene, 'a', 0, 0);
  scene_until_ended(&scene, next, 30.0);
  assert_true(scene_is_at(&scene, 'a', 0, 0));
  scene_end(&scene);
}

static void a_new_goal_replaces_the_queue(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a......", ".......");
  const uint64_t one = scene_goal(&scene, 'a', 6, 0), two = scene_queue_goal(&scene, 'a', 0, 0);
  scene_run(&scene, 4.0);
  const uint64_t three = scene_goal(&scene, 'a', 6, 1);
  scene_take_events(&scene);
  assert_int_equal(scene_count(&scene, one, FW_GOAL_REPLACED), 1);
  assert_int_equal(scene_count(&scene, two, FW_GOAL_REPLACED), 1);
  assert_int_equal(scene_count(&scene, two, FW_GOAL_ACTIVE), 0);
  scene_until_ended(&scene, three, 40.0);
  assert_true(scene_is_at(&scene, 'a', 6, 1));
  assert_int_equal(scene_ends(&scene, one), 1);
  assert_int_equal(scene_ends(&scene, two), 1);
  scene_end(&scene);
}

// All of a list or none of it.
static void a_list_is_taken_whole_or_not_at_all(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a..#..");
  const uint64_t old = scene_goal(&scene, 'a', 2, 0);
  fw_goal_request_t list[] = {scene_goal_at(1, 0), scene_goal_at(3, 0)};
  uint64_t ids[2] = {77, 78};
  fw_controller_t * controller = &scene.controller;
  assert_int_equal(
    fw_controller_request_goals(controller, 0, list, 2, scene.now_ns, ids, &scene.error), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(
    fw_controller_request_goals(controller, 0, list, -1, scene.now_ns, ids, &scene.error), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(ids[0], 77);
  assert_int_equal(scene_status(&scene, 'a').goal, old);
  assert_int_equal(scene_status(&scene, 'a').goals_left, 0);
  list[1] = scene_goal_at(0, 0);
  list[0].is_queued = true;  // the first decides
  assert_int_equal(fw_controller_request_goals(controller, 0, list, 2, scene.now_ns, ids, &scene.error), FW_RET_OK);
  assert_int_equal(scene_status(&scene, 'a').goal, old);
  assert_int_equal(scene_status(&scene, 'a').goals_left, 2);
  // An empty list ends what waits and leaves what is active.
  assert_int_equal(fw_controller_request_goals(controller, 0, NULL, 0, scene.now_ns, NULL, &scene.error), FW_RET_OK);
  scene_take_events(&scene);
  assert_int_equal(scene_status(&scene, 'a').goals_left, 0);
  assert_int_equal(scene_count(&scene, ids[0], FW_GOAL_REPLACED) + scene_count(&scene, ids[1], FW_GOAL_REPLACED), 2);
  scene_until_ended(&scene, old, 20.0);
  assert_int_equal(scene_count(&scene, old, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// ---- cancel ---------------------------------------------------------------------------------------------------------

// It stops at the end of what was released when it was cancelled, and b gets the rest of the corridor.
static void cancel_stops_a_robot_and_frees_the_rest(scene_t * scene)
{
  SCENE(scene, "a.............", "##########b###");
  const uint64_t goal = scene_goal(scene, 'a', 13, 0);
  scene_run(scene, 4.0);
  assert_int_equal(fw_controller_cancel_goal(&scene->controller, goal, scene->now_ns, &scene->error), FW_RET_OK);
  const fw_controller_path_t path = scene_released(scene, 'a');
  assert_true(path.count > 1);
  const fw_point_t end = path.waypoints[path.count - 1].point;
  assert_true(end.x < scene_place(9, 0).x);
  const uint64_t other = scene_goal(scene, 'b', 9, 0);
  scene_until_ended(scene, other, 60.0);
  scene_run(scene, 8.0);
  assert_true(scene_distance(scene_robot(scene, 'a')->at, end) < 0.06);
  assert_int_equal(scene_count(scene, goal, FW_GOAL_CANCELLED), 1);
  assert_int_equal(scene_ends(scene, goal), 1);
  assert_int_equal(scene_count(scene, other, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_status(scene, 'a').state, FW_ROBOT_IDLE);
  assert_int_equal(fw_controller_cancel_goal(&scene->controller, goal, scene->now_ns, &scene->error), FW_RET_NOT_FOUND);
  const uint64_t again = scene_goal(scene, 'a', 3, 0);
  scene_until_ended(scene, again, 60.0);
  assert_int_equal(scene_count(scene, again, FW_GOAL_REACHED), 1);
  scene_end(scene);
}

static void a_cancelled_robot_stops_at_the_end_of_its_release(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  cancel_stops_a_robot_and_frees_the_rest(&scene);
}

// A plan to the old goal is already being made, or comes late: it must not send the robot on.
static void a_cancelled_robot_stops_while_the_planner_is_slow(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene.options.worker = FW_CONTROLLER_WORKER_CALLER;
  scene.answer_after = 15;
  cancel_stops_a_robot_and_frees_the_rest(&scene);
}

// The goal is cancelled while the planner works on it: the plan that comes leads to it, and must not be driven.
static void a_plan_under_way_does_not_revive_a_cancelled_goal(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene.options.worker = FW_CONTROLLER_WORKER_CALLER;
  scene.options.settings.plan_lead_seconds = 20.0;  // the cut of a round is far ahead of what is released
  SCENE(&scene, "a...................");
  const uint64_t goal = scene_goal(&scene, 'a', 19, 0);
  scene_run(&scene, 5.0);
  scene.answer_after = -1;
  fw_controller_replan(&scene.controller);
  scene_step(&scene);
  scene_step(&scene);
  assert_true(fw_controller_wants_solve(&scene.controller));
  assert_int_equal(fw_controller_cancel_goal(&scene.controller, goal, scene.now_ns, &scene.error), FW_RET_OK);
  const fw_controller_path_t path = scene_released(&scene, 'a');
  const fw_point_t end = path.waypoints[path.count - 1].point;
  scene_run(&scene, 3.0);  // it drives on, so that more would be released
  fw_controller_solve(&scene.controller, false);
  for (int32_t k = 0; k < 100; ++k) {  // the next answer takes 10 s
    scene_step(&scene);
  }
  fw_controller_solve(&scene.controller, false);
  scene.answer_after = 0;
  scene_run(&scene, 10.0);
  assert_true(scene_distance(scene_robot(&scene, 'a')->at, end) < 0.06);
  scene_end(&scene);
}

static void a_cancel_leads_to_the_next_goal(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a..........");
  const uint64_t one = scene_goal(&scene, 'a', 10, 0);
  const uint64_t two = scene_queue_goal(&scene, 'a', 2, 0), three = scene_queue_goal(&scene, 'a', 0, 0);
  scene_run(&scene, 3.0);
  assert_int_equal(fw_controller_cancel_goal(&scene.controller, two, scene.now_ns, &scene.error), FW_RET_OK);
  assert_int_equal(scene_status(&scene, 'a').goal, one);
  assert_int_equal(scene_status(&scene, 'a').goals_left, 1);
  assert_int_equal(fw_controller_cancel_goal(&scene.controller, one, scene.now_ns, &scene.error), FW_RET_OK);
  assert_int_equal(scene_status(&scene, 'a').goal, three);
  scene_until_ended(&scene, three, 60.0);
  assert_true(scene_is_at(&scene, 'a', 0, 0));
  assert_int_equal(scene_count(&scene, two, FW_GOAL_CANCELLED), 1);
  assert_int_equal(scene_count(&scene, two, FW_GOAL_ACTIVE), 0);
  const uint64_t four = scene_goal(&scene, 'a', 9, 0), five = scene_queue_goal(&scene, 'a', 1, 0);
  fw_controller_cancel_goals(&scene.controller, 0, scene.now_ns);
  fw_controller_cancel_goals(&scene.controller, 9, scene.now_ns);  // nobody
  scene_take_events(&scene);
  assert_int_equal(scene_count(&scene, four, FW_GOAL_CANCELLED), 1);
  assert_int_equal(scene_count(&scene, five, FW_GOAL_CANCELLED), 1);
  scene_run(&scene, 10.0);
  assert_true(scene_is_at(&scene, 'a', 0, 0));
  scene_end(&scene);
}

// ---- other ends -----------------------------------------------------------------------------------------------------

static void goals_of_a_robot_that_leaves_are_cancelled(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a....b");
  const uint64_t one = scene_goal(&scene, 'a', 3, 0), two = scene_queue_goal(&scene, 'a', 0, 0);
  scene_run(&scene, 1.5);
  scene_robot(&scene, 'a')->is_listed = scene_robot(&scene, 'a')->is_there = false;
  assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
  scene_take_events(&scene);
  assert_int_equal(scene_count(&scene, one, FW_GOAL_CANCELLED), 1);
  assert_int_equal(scene_count(&scene, two, FW_GOAL_CANCELLED), 1);
  assert_true(scene_end_of(&scene, one)->time_ns == scene.now_ns);
  // Its space is free.
  const uint64_t other = scene_goal(&scene, 'b', 0, 0);
  scene_until_ended(&scene, other, 40.0);
  assert_int_equal(scene_count(&scene, other, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_ends(&scene, one), 1);
  scene_end(&scene);
}

// A list in which another robot takes the slot of one that leaves: what is told of the former is not told of the new
// one.
static void ends_of_a_robot_that_leaves_are_not_told_of_the_next_in_its_slot(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a....b");
  const uint64_t id = scene_goal(&scene, 'b', 3, 0);
  const fw_controller_robot_t robots[] = {{.name = "a"}, {.name = "c"}};
  assert_int_equal(fw_controller_set_robots(&scene.controller, robots, 2, scene.now_ns, &scene.error), FW_RET_OK);
  fw_goal_event_t event = {0};
  int32_t ends = 0;
  while (fw_controller_next_event(&scene.controller, &event)) {
    assert_true(event.id == id && event.robot == -1);
    ends += event.kind == FW_GOAL_CANCELLED ? 1 : 0;
  }
  assert_int_equal(ends, 1);
  scene_end(&scene);
}

// Accepted before there is a map; the first map shows that three of them are impossible.
static void goals_without_a_map_fail_when_the_map_shows_it(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene_draw(&scene, (const char * const[]){"a..#."}, 1);
  assert_int_equal(fw_controller_init(&scene.controller, &scene.options, &scene.error), FW_RET_OK);
  assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
  const uint64_t outside = scene_goal(&scene, 'a', 9, 0), good = scene_queue_goal(&scene, 'a', 2, 0);
  const uint64_t wall = scene_queue_goal(&scene, 'a', 3, 0), far = scene_queue_goal(&scene, 'a', 1e9, 0);
  scene_run(&scene, 1.0);
  assert_int_equal(scene_ends(&scene, outside), 0);
  assert_int_equal(scene_send_map(&scene), FW_RET_OK);
  scene_until_ended(&scene, good, 30.0);
  assert_int_equal(scene_end_of(&scene, outside)->fault, FW_FAULT_GOAL_OUTSIDE);
  assert_int_equal(scene_end_of(&scene, far)->fault, FW_FAULT_GOAL_OUTSIDE);
  assert_int_equal(scene_end_of(&scene, wall)->fault, FW_FAULT_GOAL_OCCUPIED);
  assert_true(scene_end_of(&scene, wall)->text[0] != '\0');
  assert_int_equal(scene_count(&scene, good, FW_GOAL_REACHED), 1);
  scene_run(&scene, 5.0);
  assert_int_equal(scene_ends(&scene, outside) + scene_ends(&scene, wall) + scene_ends(&scene, far), 3);
  scene_end(&scene);
}

// The map shrinks by mistake: a goal outside it waits with a fault, and is reached once the map is right again.
static void goals_outside_a_new_map_wait(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.......");
  const uint64_t near = scene_goal(&scene, 'a', 2, 0), far = scene_queue_goal(&scene, 'a', 7, 0);
  scene_run(&scene, 1.5);
  scene.width = 4;
  assert_int_equal(scene_send_map(&scene), FW_RET_OK);
  scene_run(&scene, 40.0);
  assert_int_equal(scene_count(&scene, near, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_ends(&scene, far), 0);
  assert_int_equal(scene_status(&scene, 'a').fault, FW_FAULT_GOAL_OUTSIDE);
  scene.width = 8;
  assert_int_equal(scene_send_map(&scene), FW_RET_OK);
  scene_until_ended(&scene, far, 60.0);
  assert_int_equal(scene_count(&scene, far, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_status(&scene, 'a').fault, FW_FAULT_NONE);
  scene_end(&scene);
}

// ---- progress -------------------------------------------------------------------------------------------------------

static void what_remains_falls(void ** state)
{
  (void)state;
  static scene_t scene;
  for (int32_t mode = 0; mode < 2; ++mode) {
    scene = scene_make();
    scene.options.settings.execution_mode = (fw_execution_mode_t)mode;
    SCENE(&scene, "a.........");
    const uint64_t id = scene_goal(&scene, 'a', 9, 0);
    while (scene_released(&scene, 'a').count == 0) {
      scene_step(&scene);
    }
    double distance = scene_status(&scene, 'a').distance_remaining, seconds = 1e9;
    assert_true(fabs(distance - 4.5) < 0.3);
    int32_t falls = 0;
    while (scene_ends(&scene, id) == 0) {
      scene_step(&scene);
      const fw_controller_robot_status_t status = scene_status(&scene, 'a');
      assert_true(status.distance_remaining <= distance + 1e-6);
      assert_true(status.seconds_remaining <= seconds + 0.3);
      const double left = scene_distance(scene_robot(&scene, 'a')->at, scene_place(9, 0));
      assert_true(mode == 1 || fabs(status.distance_remaining - left) < 0.06);
      falls += status.distance_remaining < distance - 1e-9 ? 1 : 0;
      distance = status.distance_remaining;
      seconds = status.seconds_remaining;
    }
    assert_true(falls > (mode == 0 ? 60 : 6));
    assert_true(distance < 0.06 && seconds < 1.1);
    scene_run(&scene, 2.0);
    assert_true(scene_status(&scene, 'a').distance_remaining < 0.06);
    assert_true(scene_status(&scene, 'a').seconds_remaining == 0.0);
    scene_end(&scene);
  }
}

// Behind a robot that is silent nobody knows when.
static void what_remains_is_infinite_behind_a_fault(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a.b......");
  const uint64_t a = scene_goal(&scene, 'a', 6, 0);
  (void)scene_goal(&scene, 'b', 8, 0);
  scene_run(&scene, 2.0);
  assert_true(isfinite(scene_status(&scene, 'a').seconds_remaining));
  scene_robot(&scene, 'b')->is_silent = scene_robot(&scene, 'b')->is_broken = true;
  bool was_infinite = false;
  for (int32_t k = 0; k < 100; ++k) {
    scene_step(&scene);
    was_infinite = was_infinite || isinf(scene_status(&scene, 'a').seconds_remaining);
  }
  assert_true(was_infinite);
  assert_int_equal(scene_ends(&scene, a), 0);
  scene_robot(&scene, 'b')->is_silent = scene_robot(&scene, 'b')->is_broken = false;
  scene_until_ended(&scene, a, 60.0);
  assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// ---- the invariant --------------------------------------------------------------------------------------------------

// A spoiled list is found.
static void the_validator_finds_spoiled_goals(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a....b");
  (void)scene_goal(&scene, 'a', 3, 0);
  (void)scene_queue_goal(&scene, 'a', 0, 0);
  (void)scene_goal(&scene, 'b', 4, 0);
  fw_controller_impl_t * impl = scene.controller.impl;
  fw_controlled_robot_t * robots = impl->fleet.robots;
  assert_true(fw__goals_validate(&impl->fleet, &impl->events));
  const uint64_t id = robots[0].goals[1].id;
  robots[0].goals[1].id = robots[0].goals[0].id;  // twice in one list
  assert_false(fw__goals_validate(&impl->fleet, &impl->events));
  robots[0].goals[1].id = robots[1].goals[0].id;  // in two lists
  assert_false(fw__goals_validate(&impl->fleet, &impl->events));
  robots[0].goals[1].id = 99;  // never given
  assert_false(fw__goals_validate(&impl->fleet, &impl->events));
  robots[0].goals[1].id = id;
  robots[1].has_goal = false;
  assert_false(fw__goals_validate(&impl->fleet, &impl->events));
  robots[1].has_goal = true;
  impl->events.live_goals -= 1;
  assert_false(fw__goals_validate(&impl->fleet, &impl->events));
  impl->events.live_goals += 1;
  const int32_t capacity = impl->events.capacity;
  impl->events.capacity = impl->events.count + 3;  // no room for the ends of three and one beginning
  assert_false(fw__goals_validate(&impl->fleet, &impl->events));
  impl->events.capacity = capacity;
  assert_true(fw__goals_validate(&impl->fleet, &impl->events));
  scene_end(&scene);
}

// Events that nobody takes are kept, in order, while goals come and go.
static void events_wait_until_they_are_taken(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a....");
  enum { GOALS = 300 };
  fw_controller_t * controller = &scene.controller;
  const fw_goal_request_t request = scene_goal_at(3, 0);
  for (int32_t k = 0; k < GOALS; ++k) {
    assert_int_equal(fw_controller_request_goal(controller, 0, &request, scene.now_ns + k, NULL, NULL), FW_RET_OK);
  }
  fw_goal_event_t event;
  uint64_t accepted = 0, replaced = 0, active = 0;
  int64_t time_ns = 0;
  while (fw_controller_next_event(controller, &event)) {
    assert_true(event.time_ns >= time_ns);
    time_ns = event.time_ns;
    if (event.kind == FW_GOAL_ACCEPTED) {
      assert_true(event.id == ++accepted);
    } else if (event.kind == FW_GOAL_REPLACED) {
      assert_true(event.id == ++replaced);
    } else {
      assert_int_equal(event.kind, FW_GOAL_ACTIVE);
      assert_true(event.id == ++active);
    }
  }
  assert_true(accepted == GOALS && active == GOALS && replaced == GOALS - 1);
  assert_false(fw_controller_next_event(controller, &event));
  assert_string_equal(fw_goal_event_kind_name(FW_GOAL_REPLACED), "replaced");
  scene_end(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(impossible_goals_are_rejected_with_nav2s_numbers),
    cmocka_unit_test(a_queue_is_driven_in_order),
    cmocka_unit_test(a_new_goal_replaces_the_queue),
    cmocka_unit_test(a_list_is_taken_whole_or_not_at_all),
    cmocka_unit_test(a_cancelled_robot_stops_at_the_end_of_its_release),
    cmocka_unit_test(a_cancelled_robot_stops_while_the_planner_is_slow),
    cmocka_unit_test(a_plan_under_way_does_not_revive_a_cancelled_goal),
    cmocka_unit_test(a_cancel_leads_to_the_next_goal),
    cmocka_unit_test(goals_of_a_robot_that_leaves_are_cancelled),
    cmocka_unit_test(ends_of_a_robot_that_leaves_are_not_told_of_the_next_in_its_slot),
    cmocka_unit_test(goals_without_a_map_fail_when_the_map_shows_it),
    cmocka_unit_test(goals_outside_a_new_map_wait),
    cmocka_unit_test(what_remains_falls),
    cmocka_unit_test(what_remains_is_infinite_behind_a_fault),
    cmocka_unit_test(the_validator_finds_spoiled_goals),
    cmocka_unit_test(events_wait_until_they_are_taken),
  };
  return TEST_RUN(tests);
}
