// Planning rounds: what is true of their results, answers that are late or fail, changes while they are made.

#include "controller/round/request_closures.h"
#include "unit/test_controller_scene.h"

static void use_planner(scene_t * scene, const char * name)
{
  (void)snprintf(scene->options.settings.planner.name, sizeof scene->options.settings.planner.name, "%s", name);
}

static void send_settings(scene_t * scene)
{
  assert_int_equal(
    fw_controller_set_settings(&scene->controller, &scene->options.settings, scene->now_ns, &scene->error), FW_RET_OK);
}

// ---- faults are true ------------------------------------------------------------------------------------------------

enum { CROWD = 60, CROWD_SIDE = 20 };

// 60 robots on open floor, each to the opposite corner.
static void begin_crowd(scene_t * scene)
{
  static char names[CROWD][16];
  fw_controller_robot_t robots[CROWD] = {0};
  scene->width = scene->height = CROWD_SIDE;
  memset(scene->values, 0, sizeof scene->values);
  assert_int_equal(fw_controller_init(&scene->controller, &scene->options, &scene->error), FW_RET_OK);
  for (int32_t k = 0; k < CROWD; ++k) {
    (void)snprintf(names[k], sizeof names[k], "r%d", k);
    robots[k].name = names[k];
  }
  assert_int_equal(
    fw_controller_set_robots(&scene->controller, robots, CROWD, scene->now_ns, &scene->error), FW_RET_OK);
  assert_int_equal(scene_send_map(scene), FW_RET_OK);
  for (int32_t k = 0; k < CROWD; ++k) {
    const int32_t x = 2 * (k % 10), y = 2 * (k / 10);
    const fw_goal_request_t goal = {.pose = {scene_place(CROWD_SIDE - 1 - x, CROWD_SIDE - 1 - y), NAN}};
    assert_int_equal(
      fw_controller_request_goal(&scene->controller, k, &goal, scene->now_ns, NULL, &scene->error), FW_RET_OK);
  }
}

// They stand where they are.
static void step_crowd(scene_t * scene)
{
  scene->now_ns += SCENE_STEP_NS;
  for (int32_t k = 0; k < CROWD; ++k) {
    const fw_pose_report_t report = {.pose = {scene_place(2 * (k % 10), 2 * (k / 10)), 0.0}};
    assert_int_equal(
      fw_controller_report_pose(&scene->controller, k, &report, scene->now_ns, &scene->error), FW_RET_OK);
  }
  (void)fw_controller_update(&scene->controller, scene->now_ns);
}

// "Timeouts are reported as 'no way'": with a tiny budget nobody was searched to the end, so nobody has no way.
static void what_was_not_tried_in_time_is_a_timeout(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  use_planner(&scene, "standard");
  scene.options.settings.expansions_max = 50;
  begin_crowd(&scene);
  int32_t timeouts = 0;
  int64_t backoff_ns = 0;
  for (int32_t k = 0; k < 200; ++k) {
    step_crowd(&scene);
    timeouts = 0;
    for (int32_t r = 0; r < CROWD; ++r) {
      const fw_fault_t fault = fw_controller_robot_status(&scene.controller, r, scene.now_ns).fault;
      assert_true(fault == FW_FAULT_NONE || fault == FW_FAULT_TIMEOUT);
      timeouts += fault == FW_FAULT_TIMEOUT ? 1 : 0;
      backoff_ns = scene.controller.impl->fleet.robots[r].backoff_ns;
      assert_true(backoff_ns <= 1000000000);  // does not grow
    }
    const fw_controller_status_t status = fw_controller_status(&scene.controller, scene.now_ns);
    if (timeouts > 0) {
      assert_int_not_equal(status.outcome, FW_OUTCOME_SOLVED);
      assert_int_equal(status.stop, FW_STOP_EXPANSIONS);
    }
  }
  assert_true(timeouts > 0);
  scene_end(&scene);
}

// With enough of a budget, and another planner, the same crowd has no fault.
static void the_same_crowd_is_planned_with_a_real_budget(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  begin_crowd(&scene);
  for (int32_t k = 0; k < 15; ++k) {
    step_crowd(&scene);
  }
  const fw_controller_status_t status = fw_controller_status(&scene.controller, scene.now_ns);
  assert_int_equal(status.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(status.stop, FW_STOP_DONE);
  for (int32_t r = 0; r < CROWD; ++r) {
    assert_int_equal(fw_controller_robot_status(&scene.controller, r, scene.now_ns).fault, FW_FAULT_NONE);
  }
  scene_end(&scene);
}

// A robot that is walled in has no way, the other drives; when the wall goes it drives, too.
static void a_walled_in_robot_has_no_path(void ** state)
{
  (void)state;
  static scene_t scene;
  static const char * const planners[] = {"hca", "standard", "whca"};
  for (int32_t p = 0; p < TEST_COUNT(planners); ++p) {
    scene = scene_make();
    use_planner(&scene, planners[p]);
    scene.options.settings.expansions_max = 1000000;
    SCENE(&scene, "###....", "#a#....", "###b...");
    const uint64_t a = scene_goal(&scene, 'a', 5, 0), b = scene_goal(&scene, 'b', 6, 2);
    scene_until_ended(&scene, b, 30.0);
    assert_int_equal(scene_count(&scene, b, FW_GOAL_REACHED), 1);
    assert_int_equal(scene_status(&scene, 'a').fault, FW_FAULT_NO_VALID_PATH);
    assert_int_equal(scene_status(&scene, 'a').state, FW_ROBOT_HELD);
    assert_int_equal(scene_status(&scene, 'b').fault, FW_FAULT_NONE);
    assert_int_not_equal(fw_controller_status(&scene.controller, scene.now_ns).outcome, FW_OUTCOME_SOLVED);
    scene_run(&scene, 20.0);
    assert_true(scene.controller.impl->fleet.robots[0].backoff_ns > 1000000000);  // it is tried less and less often
    scene.values[1 * 7 + 2] = 0;
    assert_int_equal(scene_send_map(&scene), FW_RET_OK);
    scene_until_ended(&scene, a, 30.0);
    assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
    assert_int_equal(scene_status(&scene, 'a').fault, FW_FAULT_NONE);
    scene_end(&scene);
  }
}

// ---- the worker -----------------------------------------------------------------------------------------------------

typedef struct request_bytes_t {
  fw_round_request_t request;
  fw_round_agent_t agents[8];
  fw_closure_t closures[256];
  uint8_t cost[256];
} request_bytes_t;

static void copy_bytes(request_bytes_t * bytes, const fw_round_request_t * request)
{
  memset(bytes, 0, sizeof *bytes);
  bytes->request = *request;
  assert_in_range(request->count, 1, 8);
  assert_in_range(request->closure_count, 1, 256);
  memcpy(bytes->agents, request->agents, (size_t)request->count * sizeof *request->agents);
  memcpy(bytes->closures, request->closures, (size_t)request->closure_count * sizeof *request->closures);
  memcpy(bytes->cost, request->grid.cost, (size_t)fw_grid_cell_count(&request->grid));
}

// "The worker writes into its input": agents that are parked and closures that are opened are changed in a copy.
static void the_worker_does_not_change_its_request(void ** state)
{
  (void)state;
  static scene_t scene;
  static request_bytes_t before, after;
  const char * const doors[] = {"door"};
  scene = scene_make();
  scene.options.worker = FW_CONTROLLER_WORKER_CALLER;
  scene.options.closure_names = doors;
  scene.options.closure_count = 1;
  scene.answer_after = -1;
  // a stands where it closes, b has no way, c and d want the same cell: all that makes the worker park somebody.
  SCENE(&scene, "a.....#b#", "c.....###", "d........");
  const fw_timed_waypoint_t closed[] = {
    {scene.now_ns + INT64_C(2000000000), scene_place(0, 0), NAN},
    {scene.now_ns + INT64_C(100000000000), scene_place(0, 0), NAN}};
  assert_int_equal(fw_controller_set_closures(&scene.controller, 0, closed, 2, scene.now_ns, &scene.error), FW_RET_OK);
  (void)scene_goal(&scene, 'a', 5, 1);
  (void)scene_goal(&scene, 'b', 3, 0);
  (void)scene_goal(&scene, 'c', 5, 2);
  (void)scene_goal(&scene, 'd', 5, 2);
  int32_t solves = 0;
  for (int32_t k = 0; k < 100; ++k) {
    scene_step(&scene);
    if (fw_controller_wants_solve(&scene.controller)) {
      copy_bytes(&before, &scene.controller.impl->worker.request);
      fw_controller_solve(&scene.controller, false);
      copy_bytes(&after, &scene.controller.impl->worker.request);
      assert_memory_equal(&before, &after, sizeof before);
      solves += 1;
    }
  }
  assert_true(solves > 1);
  assert_true(scene.controller.impl->worker.solved.count > 0);
  assert_int_equal(scene_status(&scene, 'b').fault, FW_FAULT_NO_VALID_PATH);
  scene_end(&scene);
}

// The answer comes many updates later: robots stop at the cut meanwhile, and go on.
static void a_late_answer_is_used(void ** state)
{
  (void)state;
  static scene_t scene;
  static const int32_t delays[] = {1, 5, 50, 200};
  for (int32_t k = 0; k < TEST_COUNT(delays); ++k) {
    scene = scene_make();
    scene.options.worker = FW_CONTROLLER_WORKER_CALLER;
    scene.answer_after = delays[k];
    SCENE(&scene, "#####.#####", "a.........b", "###########");
    const uint64_t a = scene_goal(&scene, 'a', 10, 1), b = scene_goal(&scene, 'b', 0, 1);
    scene_run(&scene, 300.0);
    assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
    assert_int_equal(scene_count(&scene, b, FW_GOAL_REACHED), 1);
    scene_end(&scene);
  }
}

// The planner fails each time from now on: the old plan is driven to its end.
static void a_failing_answer_leaves_the_old_plan_in_force(void ** state)
{
  (void)state;
  static scene_t scene;
  for (int32_t mode = 0; mode < 2; ++mode) {
    scene = scene_make();
    scene.options.worker = FW_CONTROLLER_WORKER_CALLER;
    scene.options.settings.execution_mode = (fw_execution_mode_t)mode;
    SCENE(&scene, "a.............", "..............", "b.............");
    const uint64_t a = scene_goal(&scene, 'a', 13, 0);
    scene_run(&scene, 3.0);
    const int64_t rounds = fw_controller_status(&scene.controller, scene.now_ns).rounds;
    scene.answer_after = -1;
    int32_t failures = 0;
    for (int32_t k = 0; k < 400; ++k) {
      if (k % 10 == 0) {
        fw_controller_replan(&scene.controller);
      }
      scene_step(&scene);
      if (fw_controller_wants_solve(&scene.controller)) {
        fw_controller_solve(&scene.controller, true);
        failures += 1;
      }
    }
    assert_true(failures > 10);
    assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
    const fw_controller_status_t status = fw_controller_status(&scene.controller, scene.now_ns);
    assert_int_equal(status.rounds, rounds);
    assert_non_null(strstr(status.fault, "memory"));
    assert_false(scene.controller.impl->execution.is_cut && !fw_controller_wants_solve(&scene.controller));
    // It works again, and the fault is over.
    scene.answer_after = 0;
    const uint64_t b = scene_goal(&scene, 'b', 13, 2);
    scene_until_ended(&scene, b, 60.0);
    assert_int_equal(scene_count(&scene, b, FW_GOAL_REACHED), 1);
    assert_string_equal(fw_controller_status(&scene.controller, scene.now_ns).fault, "");
    scene_end(&scene);
  }
}

// ---- changes while a round is made ----------------------------------------------------------------------------------

typedef void change_t(scene_t * scene, int32_t step);

static void change_obstacles(scene_t * scene, int32_t step)
{
  const double cells[][2] = {{5, 1}, {6, 1}, {7, 1}};  // beside and on the paths
  scene_block(scene, &cells[step % 3], 1);
}

static void change_map(scene_t * scene, int32_t step)
{
  scene->values[4 * scene->width + 3 + step % 4] = step % 8 < 4 ? 100 : 0;
  assert_int_equal(scene_send_map(scene), FW_RET_OK);
}

static void change_service(scene_t * scene, int32_t step)
{
  assert_int_equal(
    fw_controller_set_service(
      &scene->controller, scene_slot(scene, 'c'), step % 2 == 0 ? FW_ROBOT_ON_HOLD : FW_ROBOT_IN_SERVICE, scene->now_ns,
      &scene->error),
    FW_RET_OK);
}

static void change_goals(scene_t * scene, int32_t step) { (void)scene_goal(scene, 'c', step % 2, 5); }

static void change_nothing_in_the_list(scene_t * scene, int32_t step)
{
  (void)step;
  assert_int_equal(scene_send_robots(scene), FW_RET_OK);
}

static void change_request(scene_t * scene, int32_t step)
{
  (void)step;
  fw_controller_replan(&scene->controller);
}

// Something changes with each update, and each answer takes 20 updates: plans still come into force, and all arrive.
static void frequent_changes_cannot_starve_a_slow_planner(void ** state)
{
  (void)state;
  static scene_t scene;
  static change_t * const changes[] = {change_obstacles, change_map,     change_service,
                                       change_goals,     change_request, change_nothing_in_the_list};
  for (int32_t c = 0; c < TEST_COUNT(changes); ++c) {
    scene = scene_make();
    scene.options.worker = FW_CONTROLLER_WORKER_CALLER;
    scene.answer_after = 20;
    SCENE(&scene, "a...........", "............", "b...........", "............", "............", "c...........");
    scene_run(&scene, 1.0);
    const uint64_t a = scene_goal(&scene, 'a', 11, 0), b = scene_goal(&scene, 'b', 11, 2);
    const int64_t rounds = fw_controller_status(&scene.controller, scene.now_ns).rounds;
    for (int32_t k = 0; k < 1200; ++k) {
      changes[c](&scene, k);
      scene_step(&scene);
    }
    if (scene_count(&scene, a, FW_GOAL_REACHED) != 1 || scene_count(&scene, b, FW_GOAL_REACHED) != 1) {
      scene_print(&scene);
      fail_msg("change %d: goals are not reached", c);
    }
    assert_true(fw_controller_status(&scene.controller, scene.now_ns).rounds > rounds);
    scene_end(&scene);
  }
}

// An obstacle appears on the path: the robot stops before it and goes around it.
static void a_robot_goes_around_an_obstacle_that_appears(void ** state)
{
  (void)state;
  static scene_t scene;
  for (int32_t delay = 0; delay < 40; delay += 13) {
    scene = scene_make();
    scene.options.worker = FW_CONTROLLER_WORKER_CALLER;
    scene.answer_after = delay;
    SCENE(&scene, "a...........", "............");
    const uint64_t id = scene_goal(&scene, 'a', 11, 0);
    while (scene_robot(&scene, 'a')->at.x < scene_place(4, 0).x) {
      scene_step(&scene);
    }
    const double cell[][2] = {{7, 0}};
    scene_block(&scene, cell, 1);
    while (scene_ends(&scene, id) == 0 && scene.now_ns < INT64_C(1200000000000)) {
      scene_step(&scene);
      assert_true(scene_distance(scene_robot(&scene, 'a')->at, scene_place(7, 0)) > 0.4);
    }
    assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
    scene_end(&scene);
  }
}

static void obstacles_that_make_no_sense_change_nothing(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a....");
  const double cell[][2] = {{3, 0}};
  scene_block(&scene, cell, 1);
  const int64_t revision = scene.controller.impl->blocked.revision;
  const fw_point_t centres[] = {{0.0, NAN}};
  const fw_point_t centre = scene_place(1, 0);
  const fw_obstacle_cells_t bad[] = {
    {.width = 1.0, .height = 1.0, .centres = centres, .count = 1},
    {.width = 0.0, .height = 1.0, .centres = &centre, .count = 1},
    {.width = 1.0, .height = -1.0, .centres = &centre, .count = 1},
    {.width = INFINITY, .height = 1.0, .centres = &centre, .count = 1},
    {.width = 1.0, .height = NAN, .centres = &centre, .count = 1},
    {.width = 1.0, .height = 1.0, .centres = &centre, .count = -1},
  };
  for (int32_t k = 0; k < TEST_COUNT(bad); ++k) {
    assert_int_equal(
      fw_controller_set_obstacles(&scene.controller, &bad[k], scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
  }
  assert_int_equal(scene.controller.impl->blocked.revision, revision);
  assert_true(fw__blocked_cells_has(&scene.controller.impl->blocked, 3));
  assert_int_equal(scene.controller.impl->blocked.count, 1);
  scene_block(&scene, cell, 0);
  assert_int_equal(scene.controller.impl->blocked.count, 0);
  scene_end(&scene);
}

// "Unbounded work": fifty obstacles of a million metres cost no more than the cells of the map, and block all of them.
static void huge_obstacles_block_the_whole_map(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(
    &scene, "a...............................", "................................", "................................",
    "................................");
  fw_point_t centres[50];
  for (int32_t k = 0; k < TEST_COUNT(centres); ++k) {
    centres[k] = scene_place(k, -k);
  }
  const fw_obstacle_cells_t huge = {.width = 1e6, .height = 1e6, .centres = centres, .count = TEST_COUNT(centres)};
  for (int32_t k = 0; k < 200; ++k) {  // sampled, this would take hours
    assert_int_equal(fw_controller_set_obstacles(&scene.controller, &huge, scene.now_ns, &scene.error), FW_RET_OK);
  }
  assert_int_equal(scene.controller.impl->blocked.count, scene.width * scene.height);
  // One that is far away, and one as thin as a thread.
  const fw_point_t far = {1e7, 1e7};
  const fw_obstacle_cells_t outside = {.width = 1e6, .height = 1e6, .centres = &far, .count = 1};
  assert_int_equal(fw_controller_set_obstacles(&scene.controller, &outside, scene.now_ns, &scene.error), FW_RET_OK);
  assert_int_equal(scene.controller.impl->blocked.count, 0);
  const fw_point_t middle = scene_place(4, 1);
  const fw_obstacle_cells_t thread = {.width = 0.001, .height = 1e6, .centres = &middle, .count = 1};
  assert_int_equal(fw_controller_set_obstacles(&scene.controller, &thread, scene.now_ns, &scene.error), FW_RET_OK);
  assert_int_equal(scene.controller.impl->blocked.count, scene.height);
  scene_end(&scene);
}

// The map moves by half a cell: everybody stops, then there is a new graph, and the goal is still reached.
static void another_frame_of_the_map_drains_the_graph_first(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a...........", "............", "b...........");
  const uint64_t a = scene_goal(&scene, 'a', 11, 0), b = scene_goal(&scene, 'b', 11, 2);
  scene_run(&scene, 4.0);
  fw_occupancy_map_t map = {
    .width = scene.width + 1,
    .height = scene.height + 1,
    .resolution = SCENE_CELL,
    .origin = {{-0.25, -0.25}, 0.0},
    .values = scene.values};
  static int8_t values[SCENE_CELLS_MAX];
  map.values = values;
  const fw_controller_path_t before = scene_released(&scene, 'a');
  const fw_point_t end = before.waypoints[before.count - 1].point;
  assert_int_equal(fw_controller_set_map(&scene.controller, &map, scene.now_ns, &scene.error), FW_RET_OK);
  scene_step(&scene);
  assert_non_null(strstr(fw_controller_status(&scene.controller, scene.now_ns).not_ready, "stop"));
  while (scene_distance(scene_robot(&scene, 'a')->at, end) > 0.06) {
    scene_step(&scene);  // nothing is released beyond what was
    const fw_controller_path_t path = scene_released(&scene, 'a');
    assert_true(path.count == 0 || scene_distance(path.waypoints[path.count - 1].point, end) < 1e-6);
  }
  scene_run(&scene, 60.0);
  assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_count(&scene, b, FW_GOAL_REACHED), 1);
  assert_true(scene.nearest > 0.45);
  scene_end(&scene);
}

static void maps_that_make_no_sense_change_nothing(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, "a....");
  const int8_t values[4] = {0};
  const fw_occupancy_map_t bad[] = {
    {.width = 0, .height = 1, .resolution = 0.5, .values = values},
    {.width = 2, .height = -1, .resolution = 0.5, .values = values},
    {.width = 2, .height = 2, .resolution = 0.0, .values = values},
    {.width = 2, .height = 2, .resolution = NAN, .values = values},
    {.width = 2, .height = 2, .resolution = 0.5, .values = NULL},
    {.width = 2, .height = 2, .resolution = 0.5, .origin = {{INFINITY, 0.0}, 0.0}, .values = values},
    {.width = 1, .height = 1, .resolution = 0.01, .values = values},
  };
  const int64_t revision = scene.controller.impl->map.revision;
  for (int32_t k = 0; k < TEST_COUNT(bad); ++k) {
    scene.error = (fw_error_t){0};
    assert_int_equal(
      fw_controller_set_map(&scene.controller, &bad[k], scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
    assert_true(scene.error.text[0] != '\0');
  }
  assert_int_equal(scene.controller.impl->map.revision, revision);
  const uint64_t id = scene_goal(&scene, 'a', 4, 0);
  scene_until_ended(&scene, id, 20.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// Another planner, another speed, other modes while robots drive.
static void settings_change_while_robots_drive(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene.options.settings.robot_radius = 0.15;  // small enough for diagonals beside others (docs/execution.md)
  SCENE(&scene, "a.....................", "......................", "b.....................");
  const uint64_t a = scene_goal(&scene, 'a', 21, 2), b = scene_goal(&scene, 'b', 21, 0);
  scene_run(&scene, 3.0);
  use_planner(&scene, "whca");
  send_settings(&scene);
  scene_run(&scene, 3.0);
  assert_string_equal(scene.controller.impl->schedule.planner, "whca");
  scene.options.settings.connectivity = 8;  // see robot_radius
  send_settings(&scene);
  scene_run(&scene, 8.0);
  scene.options.settings.speed = 0.4;
  scene.options.settings.release_ahead = 1.0;
  send_settings(&scene);
  scene_run(&scene, 90.0);
  assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
  assert_int_equal(scene_count(&scene, b, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// From the graph to stamps and back: whatever is in force, robots arrive and do not meet.
static void the_execution_mode_changes_while_robots_drive(void ** state)
{
  (void)state;
  static scene_t scene;
  for (int32_t first = 0; first < 3; ++first) {
    for (int32_t second = 0; second < 2; ++second) {
      scene = scene_make();
      scene.options.settings.execution_mode = (fw_execution_mode_t)first;
      SCENE(&scene, "a.............", "..............", "b.............");
      const uint64_t a = scene_goal(&scene, 'a', 13, 2), b = scene_goal(&scene, 'b', 13, 0);
      scene_run(&scene, 4.0);
      const fw_controller_path_t path = scene_released(&scene, 'a');
      const fw_point_t end = path.count > 0 ? path.waypoints[path.count - 1].point : scene_place(0, 0);
      scene.options.settings.execution_mode = (fw_execution_mode_t)second;
      send_settings(&scene);
      scene_step(&scene);
      if (first == FW_EXECUTION_MODE_DEPENDENCY && second == FW_EXECUTION_MODE_TIMED) {
        // Not more than was released until it is there: only then stamps count.
        const fw_controller_path_t now = scene_released(&scene, 'a');
        assert_true(now.count > 0 && scene_distance(now.waypoints[now.count - 1].point, end) < 1e-6);
      } else if (first == FW_EXECUTION_MODE_TIMED && second == FW_EXECUTION_MODE_DEPENDENCY) {
        assert_int_equal(scene_released(&scene, 'a').count, 0);
      }
      scene_run(&scene, 90.0);
      assert_true(scene.controller.impl->execution.is_on == (second == FW_EXECUTION_MODE_DEPENDENCY));
      if (scene_count(&scene, a, FW_GOAL_REACHED) != 1 || scene_count(&scene, b, FW_GOAL_REACHED) != 1) {
        scene_print(&scene);
        fail_msg("mode %d, then %d: goals are not reached", first, second);
      }
      scene_end(&scene);
    }
  }
}

// ---- time -----------------------------------------------------------------------------------------------------------

// The clock goes back by 900 s: releases are void, robots stop, are planned for again, and arrive.
static void a_clock_that_goes_back_is_a_new_beginning(void ** state)
{
  (void)state;
  static scene_t scene;
  for (int32_t mode = 0; mode < 2; ++mode) {
    scene = scene_make();
    scene.options.settings.execution_mode = (fw_execution_mode_t)mode;
    SCENE(&scene, "a...........", "............", "b...........");
    const uint64_t a = scene_goal(&scene, 'a', 11, 0), b = scene_goal(&scene, 'b', 11, 2);
    scene_run(&scene, 4.0);
    const int64_t revision = scene_released(&scene, 'a').revision;
    scene.now_ns -= INT64_C(900000000000);
    fw_controller_restart_clock(&scene.controller, scene.now_ns);
    scene_update(&scene);
    assert_true(mode == 1 || scene_released(&scene, 'a').count == 0);  // by its stamps it has a new plan already
    assert_true(scene_released(&scene, 'a').revision > revision);
    assert_int_equal(scene_ends(&scene, a), 0);
    scene_until_ended(&scene, a, 60.0);
    scene_run(&scene, 10.0);
    assert_int_equal(scene_count(&scene, a, FW_GOAL_REACHED), 1);
    assert_int_equal(scene_count(&scene, b, FW_GOAL_REACHED), 1);
    assert_int_equal(scene_status(&scene, 'a').state, FW_ROBOT_ARRIVED);
    scene_end(&scene);
  }
}

// Before the clock begins nothing is planned, and poses and goals are kept.
static void time_begins_later(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  scene.now_ns = 0;
  SCENE(&scene, "a....");
  const fw_pose_report_t report = {.pose = {scene_place(0, 0), 0.0}, .stamp_ns = INT64_C(5000000000)};
  assert_int_equal(scene_report(&scene, 'a', report), FW_RET_OK);
  const uint64_t id = scene_goal(&scene, 'a', 4, 0);
  scene_update(&scene);
  scene_update(&scene);
  assert_non_null(strstr(fw_controller_status(&scene.controller, 0).not_ready, "clock"));
  scene.now_ns = INT64_C(5000000000);
  scene_until_ended(&scene, id, 30.0);
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// ---- large robots ---------------------------------------------------------------------------------------------------

// b covers (4, 2), (5, 2) and (4, 3) and does not stand yet: it has no plan, so that all of its cells are obstacles.
static void nothing_is_released_onto_a_large_robot_that_does_not_stand_yet(void ** state)
{
  (void)state;
  static scene_t scene;
  scene = scene_make();
  SCENE(&scene, ".........", ".........", "....b....", "...a.....", ".........");
  scene_robot(&scene, 'b')->footprint = "0,0;1,0;0,1";
  scene_robot(&scene, 'b')->is_ignored = true;
  scene_robot(&scene, 'b')->is_broken = true;
  assert_int_equal(scene_send_robots(&scene), FW_RET_OK);
  const uint64_t id = scene_goal(&scene, 'a', 7, 3);
  for (int32_t k = 0; k < 400 && scene_ends(&scene, id) == 0; ++k) {
    scene_robot(&scene, 'b')->at.x = scene_place(4, 2).x + (k % 2 == 0 ? 0.07 : 0.0);
    scene_step(&scene);
    assert_false(scene_release_has(&scene, 'a', 4, 2));
    assert_false(scene_release_has(&scene, 'a', 5, 2));
    assert_false(scene_release_has(&scene, 'a', 4, 3));
  }
  assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
  scene_end(&scene);
}

// ---- closures -------------------------------------------------------------------------------------------------------

static void a_closed_door_is_waited_for(void ** state)
{
  (void)state;
  static scene_t scene;
  const char * const doors[] = {"door"};
  for (int32_t mode = 0; mode < 2; ++mode) {
    scene = scene_make();
    scene.options.settings.execution_mode = (fw_execution_mode_t)mode;
    scene.options.closure_names = doors;
    scene.options.closure_count = 1;
    SCENE(&scene, "a....#......", "#####.######", "............");
    scene.values[5] = 0;  // a door between two halves of row 0
    assert_int_equal(scene_send_map(&scene), FW_RET_OK);
    scene_run(&scene, 1.0);
    const int64_t opens_ns = scene.now_ns + INT64_C(20000000000);
    const fw_timed_waypoint_t closed[] = {{scene.now_ns, scene_place(5, 0), NAN}, {opens_ns, scene_place(5, 0), NAN}};
    assert_int_equal(
      fw_controller_set_closures(&scene.controller, 0, closed, 2, scene.now_ns, &scene.error), FW_RET_OK);
    assert_int_equal(
      fw_controller_set_closures(&scene.controller, 3, closed, 2, scene.now_ns, &scene.error), FW_RET_NOT_FOUND);
    const fw_timed_waypoint_t bad[] = {{5, {NAN, 0.0}, NAN}};
    assert_int_equal(
      fw_controller_set_closures(&scene.controller, 0, bad, 1, scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
    assert_int_equal(
      fw_controller_set_closures(&scene.controller, 0, bad, -1, scene.now_ns, &scene.error), FW_RET_INVALID_ARGUMENT);
    const uint64_t id = scene_goal(&scene, 'a', 11, 0);
    while (scene_ends(&scene, id) == 0 && scene.now_ns < opens_ns + INT64_C(60000000000)) {
      scene_step(&scene);
      assert_true(scene.now_ns >= opens_ns || scene_robot(&scene, 'a')->at.x < scene_place(4.3, 0).x);
    }
    assert_int_equal(scene_count(&scene, id, FW_GOAL_REACHED), 1);
    scene_end(&scene);
  }
}

static void the_validator_finds_spoiled_closures(void ** state)
{
  (void)state;
  fw_closure_t closures[3] = {{.cell = 3, .from = 0, .to = 4}, {.cell = 3, .from = 7, .to = 9}, {.cell = 5, .from = 0}};
  const fw_round_request_t request = {.closures = closures, .closure_count = 3};
  closures[2].to = 2;
  assert_true(fw__round_request_closures_validate(&request));
  closures[1].from = 5;  // touches the one before
  assert_false(fw__round_request_closures_validate(&request));
  closures[1].from = 3;  // overlaps
  assert_false(fw__round_request_closures_validate(&request));
  closures[1].from = 7;
  closures[2].cell = 2;  // not sorted
  assert_false(fw__round_request_closures_validate(&request));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(what_was_not_tried_in_time_is_a_timeout),
    cmocka_unit_test(the_same_crowd_is_planned_with_a_real_budget),
    cmocka_unit_test(a_walled_in_robot_has_no_path),
    cmocka_unit_test(the_worker_does_not_change_its_request),
    cmocka_unit_test(a_late_answer_is_used),
    cmocka_unit_test(a_failing_answer_leaves_the_old_plan_in_force),
    cmocka_unit_test(frequent_changes_cannot_starve_a_slow_planner),
    cmocka_unit_test(a_robot_goes_around_an_obstacle_that_appears),
    cmocka_unit_test(obstacles_that_make_no_sense_change_nothing),
    cmocka_unit_test(huge_obstacles_block_the_whole_map),
    cmocka_unit_test(another_frame_of_the_map_drains_the_graph_first),
    cmocka_unit_test(maps_that_make_no_sense_change_nothing),
    cmocka_unit_test(settings_change_while_robots_drive),
    cmocka_unit_test(the_execution_mode_changes_while_robots_drive),
    cmocka_unit_test(a_clock_that_goes_back_is_a_new_beginning),
    cmocka_unit_test(time_begins_later),
    cmocka_unit_test(nothing_is_released_onto_a_large_robot_that_does_not_stand_yet),
    cmocka_unit_test(a_closed_door_is_waited_for),
    cmocka_unit_test(the_validator_finds_spoiled_closures),
  };
  return TEST_RUN(tests);
}
