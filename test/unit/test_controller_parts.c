// Parts of the controller by themselves: timed paths and the schedule, the cells that robots take, who gets a goal that
// two want, and closures in time.

#include "controller/round/request.h"
#include "controller/round/request_closures.h"
#include "unit/test_controller_scene.h"

static const int64_t TICK_NS = 1000000000;

// A path through cells (x, y), one tick apart, from `begin` ticks on.
static void write_path(fw_timed_path_t * path, const int32_t (*cells)[2], int32_t count, int64_t begin)
{
  assert_true(fw__timed_path_reserve(path, count));
  path->count = count;
  for (int32_t k = 0; k < count; ++k) {
    path->waypoints[k] = (fw_timed_waypoint_t){(begin + k) * TICK_NS, scene_place(cells[k][0], cells[k][1]), NAN};
  }
}

// ---- timed paths ----------------------------------------------------------------------------------------------------

static void a_timed_path_says_where_a_robot_is_meant_to_be(void ** state)
{
  (void)state;
  fw_timed_path_t path = {0};
  assert_int_equal(fw__timed_path_end(&path), 0);
  assert_int_equal(fw__timed_path_delay(&path, 5, TICK_NS, scene_place(0, 0)), 0);
  write_path(&path, (const int32_t[][2]){{0, 0}, {1, 0}, {1, 0}, {1, 1}}, 4, 10);
  assert_int_equal(fw__timed_path_end(&path), 13 * TICK_NS);
  assert_true(scene_distance(fw__timed_path_at(&path, 0), scene_place(0, 0)) < 1e-9);
  assert_true(scene_distance(fw__timed_path_at(&path, 10 * TICK_NS + TICK_NS / 4), scene_place(0.25, 0)) < 1e-9);
  assert_true(scene_distance(fw__timed_path_at(&path, 11 * TICK_NS + TICK_NS / 2), scene_place(1, 0)) < 1e-9);
  assert_true(scene_distance(fw__timed_path_at(&path, 99 * TICK_NS), scene_place(1, 1)) < 1e-9);
  // On a motion both ends are told; while it waits, and before and after the path, it stands.
  fw_path_motion_t motion = fw__timed_path_motion(&path, 10 * TICK_NS + 1);
  assert_true(motion.from == &path.waypoints[0] && motion.to == &path.waypoints[1]);
  motion = fw__timed_path_motion(&path, 11 * TICK_NS + 1);
  assert_true(motion.from == motion.to && motion.from == &path.waypoints[1]);
  motion = fw__timed_path_motion(&path, 5 * TICK_NS);
  assert_true(motion.from == motion.to && motion.from == &path.waypoints[0]);
  motion = fw__timed_path_motion(&path, 50 * TICK_NS);
  assert_true(motion.from == motion.to && motion.from == &path.waypoints[3]);
  // It is where it should have been half a tick ago.
  const int64_t delay_ns = fw__timed_path_delay(&path, 11 * TICK_NS, TICK_NS, scene_place(0.5, 0));
  assert_true(delay_ns > TICK_NS / 3 && delay_ns < 2 * TICK_NS / 3);
  free(path.waypoints);
}

static void a_schedule_rounds_up_to_its_ticks(void ** state)
{
  (void)state;
  fw_schedule_t schedule;
  assert_true(fw__schedule_init(&schedule, 1));
  assert_int_equal(fw__schedule_end(&schedule), 0);
  assert_int_equal(fw__schedule_round_up(&schedule, 12345), 12345);  // there is none
  assert_true(fw__schedule_grow(&schedule, 3));
  assert_int_equal(schedule.robot_count, 3);
  write_path(&schedule.paths[2], (const int32_t[][2]){{0, 0}, {1, 0}}, 2, 10);
  schedule.epoch_ns = 10 * TICK_NS;
  schedule.tick_ns = TICK_NS;
  (void)snprintf(schedule.planner, sizeof schedule.planner, "hca");
  assert_int_equal(fw__schedule_end(&schedule), 11 * TICK_NS);
  assert_int_equal(fw__schedule_round_up(&schedule, 10 * TICK_NS), 10 * TICK_NS);
  assert_int_equal(fw__schedule_round_up(&schedule, 10 * TICK_NS + 1), 11 * TICK_NS);
  fw__schedule_clear(&schedule);
  assert_int_equal(fw__schedule_end(&schedule), 0);
  assert_int_equal(schedule.paths[2].count, 0);
  fw__schedule_fini(&schedule);
}

// Until the epoch the robot is on its old path, then on the new one; where it was before now is forgotten.
static void a_new_path_follows_the_rest_of_the_old_one(void ** state)
{
  (void)state;
  fw_schedule_t schedule;
  fw_timed_path_t new = {0};
  assert_true(fw__schedule_init(&schedule, 1));
  write_path(&schedule.paths[0], (const int32_t[][2]){{0, 0}, {1, 0}, {2, 0}, {3, 0}, {4, 0}, {5, 0}}, 6, 0);
  schedule.tick_ns = TICK_NS;
  write_path(&new, (const int32_t[][2]){{3, 0}, {3, 1}, {3, 2}}, 3, 3);
  const fw_path_change_t change = {
    .now_ns = TICK_NS + 1,
    .epoch_ns = 3 * TICK_NS,
    .keeps_old = true,
    .waypoints = new.waypoints,
    .count = new.count,
  };
  assert_true(fw__schedule_change_path(&schedule, 0, &change));
  const fw_timed_path_t * path = &schedule.paths[0];
  for (int32_t k = 1; k < path->count; ++k) {
    assert_true(path->waypoints[k].stamp_ns > path->waypoints[k - 1].stamp_ns);
  }
  assert_true(scene_distance(fw__timed_path_at(path, 2 * TICK_NS), scene_place(2, 0)) < 1e-9);
  assert_true(scene_distance(fw__timed_path_at(path, 3 * TICK_NS), scene_place(3, 0)) < 1e-9);
  assert_true(scene_distance(fw__timed_path_at(path, 5 * TICK_NS), scene_place(3, 2)) < 1e-9);
  assert_int_equal(fw__timed_path_end(path), 5 * TICK_NS);
  free(new.waypoints);
  fw__schedule_fini(&schedule);
}

// ---- who takes which cell -------------------------------------------------------------------------------------------

typedef struct request_scene_t {
  fw_round_request_t request;
  fw_rotated_footprints_t outlines;
  fw_robot_body_t body;
} request_scene_t;

static void begin_request(request_scene_t * scene, const char * const * rows, int32_t count)
{
  fw_grid_t grid;
  const int32_t width = (int32_t)strlen(rows[0]);
  *scene = (request_scene_t){.body = {.ticks_per_move = 1}};
  assert_int_equal(fw_grid_init(&grid, width, count, NULL, NULL), FW_RET_OK);
  for (fw_cell_t cell = 0; cell < width * count; ++cell) {
    grid.cost[cell] = rows[cell / width][cell % width] == '#' ? 0 : 1;
  }
  assert_int_equal(fw__rotated_footprints_get(&scene->outlines, "", &scene->body.outline, NULL), FW_RET_OK);
  assert_true(fw__round_request_reset(&scene->request, &grid, 8));
  scene->request.connectivity = 4;
  fw_grid_fini(&grid);
}

static void add_agent(request_scene_t * scene, fw_cell_t start, fw_cell_t goal, uint64_t order)
{
  const fw_round_agent_t agent = {
    .robot = scene->request.count,
    .body = scene->body,
    .start = {start, 0},
    .goal = goal,
    .parking = start,
    .goal_order = order,
    .other = -1,
    .closure_source = -1,
  };
  fw__round_request_add_agent(&scene->request, &agent);
}

static void end_request(request_scene_t * scene)
{
  fw__round_request_fini(&scene->request);
  fw__rotated_footprints_fini(&scene->outlines);
}

// Of two agents with one goal the one with the older goal gets it; an agent that stays comes before both.
static void of_two_agents_with_one_goal_the_older_goal_counts(void ** state)
{
  (void)state;
  request_scene_t scene;
  begin_request(&scene, (const char * const[]){"........"}, 1);
  add_agent(&scene, 0, 5, 9);
  add_agent(&scene, 1, 5, 3);
  add_agent(&scene, 7, FW_CELL_NONE, 0);
  add_agent(&scene, 2, 7, 1);  // where the third one stays
  fw__round_request_resolve_goal_conflicts(&scene.request);
  const fw_round_agent_t * agents = scene.request.agents;
  assert_true(agents[0].is_parked && agents[0].fault == FW_FAULT_GOAL_OCCUPIED && agents[0].other == 1);
  assert_false(agents[1].is_parked);
  assert_false(agents[2].is_parked);
  assert_true(agents[3].is_parked && agents[3].other == 2);
  end_request(&scene);
}

// An agent that is parked stays on a cell that is the goal of another: that one is parked, too, and so on.
static void parking_goes_on_until_nobody_wants_the_same_cell(void ** state)
{
  (void)state;
  request_scene_t scene;
  begin_request(&scene, (const char * const[]){"........"}, 1);
  add_agent(&scene, 0, FW_CELL_NONE, 0);
  add_agent(&scene, 1, 0, 1);
  add_agent(&scene, 2, 1, 2);
  add_agent(&scene, 3, 2, 3);
  add_agent(&scene, 4, 7, 4);
  fw__round_request_resolve_goal_conflicts(&scene.request);
  for (int32_t k = 1; k < 4; ++k) {
    assert_true(scene.request.agents[k].is_parked && scene.request.agents[k].other == k - 1);
  }
  assert_false(scene.request.agents[4].is_parked);
  end_request(&scene);
}

// An agent without a goal that is where another one waits for room parks elsewhere, and not on a start or goal.
static void an_agent_that_must_leave_parks_elsewhere(void ** state)
{
  (void)state;
  request_scene_t scene;
  begin_request(&scene, (const char * const[]){"......", "###.##"}, 2);
  add_agent(&scene, 3, FW_CELL_NONE, 0);
  add_agent(&scene, 2, 3, 1);
  add_agent(&scene, 0, 4, 2);
  fw_round_agent_t * agents = scene.request.agents;
  fw__round_request_write_parking(&scene.request);
  assert_int_equal(agents[0].parking, 3);
  agents[0].must_leave = agents[2].must_leave = true;
  fw__round_request_close_cell(&scene.request, 9);
  fw__round_request_write_parking(&scene.request);
  assert_int_equal(agents[0].parking, 5);
  assert_int_equal(agents[2].parking, 0);  // its goal leads it away
  fw__round_request_resolve_goal_conflicts(&scene.request);
  assert_false(agents[1].is_parked);
  end_request(&scene);
}

static void agents_in_another_part_of_the_floor_are_parked(void ** state)
{
  (void)state;
  request_scene_t scene;
  begin_request(&scene, (const char * const[]){"...#...", "...#...", "####..."}, 3);
  add_agent(&scene, 0, 2, 1);
  add_agent(&scene, 1, 4, 2);
  add_agent(&scene, 5, 20, 3);
  assert_int_equal(fw__round_request_park_unreachable(&scene.request), 1);
  assert_false(scene.request.agents[0].is_parked);
  assert_true(scene.request.agents[1].is_parked && scene.request.agents[1].fault == FW_FAULT_NO_VALID_PATH);
  assert_false(scene.request.agents[2].is_parked);
  end_request(&scene);
}

// The problem has the slots of robots as ids, and a copy is deep.
static void a_copy_of_a_request_is_deep(void ** state)
{
  (void)state;
  request_scene_t scene;
  fw_round_request_t copy = {0};
  begin_request(&scene, (const char * const[]){"......"}, 1);
  add_agent(&scene, 0, 5, 1);
  add_agent(&scene, 1, 4, 2);
  assert_true(fw__round_request_copy(&copy, &scene.request));
  copy.agents[0].is_parked = true;
  copy.grid.cost[3] = 0;
  assert_false(scene.request.agents[0].is_parked);
  assert_int_equal(scene.request.grid.cost[3], 1);
  assert_true(fw__round_request_copy(&copy, &scene.request));  // over an older one
  assert_false(copy.agents[0].is_parked);
  const fw_problem_t problem = fw__round_request_problem(&copy);
  assert_int_equal(problem.robot_count, 2);
  assert_int_equal(problem.robots[1].id, 1);
  assert_int_equal(problem.robots[0].goal, 5);
  fw__round_request_fini(&copy);
  end_request(&scene);
}

// ---- closures -------------------------------------------------------------------------------------------------------

static void a_source_closes_a_cell_for_its_time(void ** state)
{
  (void)state;
  static scene_t scene;
  const char * const names[] = {"lift", "cart"};
  scene = scene_make();
  scene.options.closure_names = names;
  scene.options.closure_count = 2;
  SCENE(&scene, "a.......");
  const int64_t begin_ns = scene.now_ns;
  // A cart drives from 2 to 4, and stays there; the lift closes 6 for five ticks.
  const fw_timed_waypoint_t cart[] = {
    {begin_ns, scene_place(2, 0), NAN}, {begin_ns + 4 * TICK_NS, scene_place(4, 0), NAN}};
  const fw_timed_waypoint_t lift[] = {
    {begin_ns, scene_place(6, 0), NAN}, {begin_ns + 5 * TICK_NS, scene_place(6, 0), NAN}};
  fw_controller_t * controller = &scene.controller;
  assert_int_equal(fw_controller_set_closures(controller, 1, cart, 2, scene.now_ns, &scene.error), FW_RET_OK);
  assert_int_equal(fw_controller_set_closures(controller, 0, lift, 2, scene.now_ns, &scene.error), FW_RET_OK);
  const fw_closure_sources_t * closures = &controller->impl->closures;
  const fw_time_interval_t during = {begin_ns + TICK_NS, begin_ns + TICK_NS + 1};
  const fw_time_interval_t after = {begin_ns + 60 * TICK_NS, begin_ns + 61 * TICK_NS};
  const fw_time_interval_t before = {begin_ns - 2 * TICK_NS, begin_ns};
  assert_int_equal(fw__closure_sources_find(closures, 3, during), 1);
  assert_int_equal(fw__closure_sources_find(closures, 6, during), 0);
  assert_int_equal(fw__closure_sources_find(closures, 1, during), -1);
  assert_int_equal(fw__closure_sources_find(closures, 3, before), -1);
  assert_int_equal(fw__closure_sources_find(closures, 3, after), -1);
  assert_int_equal(fw__closure_sources_find(closures, 4, after), 1);   // on its last waypoint it stays
  assert_int_equal(fw__closure_sources_find(closures, 6, after), -1);  // two at one place: it leaves
  assert_int_equal(fw__closure_source_count_closed(&closures->sources[1], begin_ns + TICK_NS), 3);
  assert_int_equal(fw__closure_source_count_closed(&closures->sources[0], begin_ns + 9 * TICK_NS), 0);
  // The same again is not a change; an empty path closes nothing.
  const int64_t revision = closures->revision;
  assert_int_equal(fw_controller_set_closures(controller, 1, cart, 2, scene.now_ns, &scene.error), FW_RET_OK);
  assert_int_equal(closures->revision, revision);
  assert_int_equal(fw_controller_set_closures(controller, 1, NULL, 0, scene.now_ns, &scene.error), FW_RET_OK);
  assert_int_equal(fw__closure_sources_find(closures, 4, after), -1);
  scene_end(&scene);
}

// Reasons quote names from messages: terminals obey escape sequences, and readers of diagnostics expect UTF-8.
static void what_is_not_printable_reaches_no_log(void ** state)
{
  (void)state;
  fw_error_t reason = {0};
  assert_false(fw__refuse(&reason, "its frame_id is '%s'", "\x1b[2J\r\nm\xc3\xa4p\xff\x9b\x7fq"));
  assert_string_equal(reason.text, "its frame_id is '?[2J??m\xc3\xa4p???q'");
}

// To and fro across the floor: each way closes its cells for another time.
static void a_path_that_closes_too_many_cells_is_refused(void ** state)
{
  (void)state;
  enum { WAYS = FW_CLOSED_SPANS_MAX / 5 };  // of eight cells each
  static scene_t scene;
  const char * const names[] = {"door"};
  scene = scene_make();
  scene.options.closure_names = names;
  scene.options.closure_count = 1;
  SCENE(&scene, "a.......");
  fw_timed_waypoint_t * path = calloc(FW_CLOSED_SPANS_MAX + 1, sizeof *path);
  for (int32_t k = 0; k <= FW_CLOSED_SPANS_MAX; ++k) {
    path[k] = (fw_timed_waypoint_t){scene.now_ns + 2 * k * TICK_NS, scene_place(k % 2 == 0 ? 0 : 7, 0), NAN};
  }
  const fw_closure_sources_t * closures = &scene.controller.impl->closures;
  fw_controller_t * controller = &scene.controller;
  assert_int_equal(fw_controller_set_closures(controller, 0, path, 2, scene.now_ns, &scene.error), FW_RET_OK);
  const int64_t revision = closures->revision;
  (void)!fw_controller_set_closures(controller, 0, path, WAYS, scene.now_ns, &scene.error);
  assert_non_null(strstr(closures->sources[0].fault.text, "closes more than 1048576 cells"));
  (void)!fw_controller_set_closures(controller, 0, path, FW_CLOSED_SPANS_MAX + 1, scene.now_ns, &scene.error);
  assert_non_null(strstr(closures->sources[0].fault.text, "it has 1048577 poses, and at most 1048576 are possible"));
  assert_int_equal(closures->revision, revision);
  assert_int_equal(closures->sources[0].count, 2);  // the last good one
  assert_int_equal(closures->sources[0].refused, 2);
  free(path);
  scene_end(&scene);
}

// The nearest open cell is beyond 'b', who can make room only there. On the other side it is one cell farther, and from
// there the goal can be reached.
static void the_way_off_closed_cells_is_one_past_other_robots(void ** state)
{
  (void)state;
  enum { CLOSED = 5 };
  static const char * const names[CLOSED] = {"c2", "c3", "c4", "c5", "c6"};
  static scene_t scene;
  scene = scene_make();
  scene.options.closure_names = names;
  scene.options.closure_count = CLOSED;
  SCENE(&scene, ".b.a......");
  scene_run(&scene, 2.0);
  for (int32_t k = 0; k < CLOSED; ++k) {
    const fw_timed_waypoint_t stays = {scene.now_ns, scene_place(2 + k, 0), NAN};
    assert_int_equal(
      fw_controller_set_closures(&scene.controller, k, &stays, 1, scene.now_ns, &scene.error), FW_RET_OK);
  }
  const uint64_t id = scene_goal(&scene, 'a', 9, 0);
  scene_until_ended(&scene, id, 60.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  assert_true(scene_is_at(&scene, 'b', 1, 0));
  scene_end(&scene);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_timed_path_says_where_a_robot_is_meant_to_be),
    cmocka_unit_test(a_schedule_rounds_up_to_its_ticks),
    cmocka_unit_test(a_new_path_follows_the_rest_of_the_old_one),
    cmocka_unit_test(of_two_agents_with_one_goal_the_older_goal_counts),
    cmocka_unit_test(parking_goes_on_until_nobody_wants_the_same_cell),
    cmocka_unit_test(an_agent_that_must_leave_parks_elsewhere),
    cmocka_unit_test(agents_in_another_part_of_the_floor_are_parked),
    cmocka_unit_test(a_copy_of_a_request_is_deep),
    cmocka_unit_test(a_source_closes_a_cell_for_its_time),
    cmocka_unit_test(a_path_that_closes_too_many_cells_is_refused),
    cmocka_unit_test(the_way_off_closed_cells_is_one_past_other_robots),
    cmocka_unit_test(what_is_not_printable_reaches_no_log),
  };
  return TEST_RUN(tests);
}
