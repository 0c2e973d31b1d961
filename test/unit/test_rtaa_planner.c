// rtaa as a planner: robots give way by priority inheritance, and problems that it does not handle are refused.

#include "fleetweave/batch.h"
#include "fleetweave/files.h"
#include "fleetweave/planner_def.h"
#include "planner/rtaa/pibt.h"
#include "support/digest.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"

typedef struct answer_t {
  fw_planner_t planner;
  fw_plan_t plan;
  fw_error_t error;
} answer_t;

// Solves with a setting "name=value", or NULL, and checks; the caller ends it.
static void solve(answer_t * answer, const fw_problem_t * problem, const char * name, const char * value)
{
  fw_conflict_t conflict;
  *answer = (answer_t){0};
  assert_int_equal(fw_planner_init(&answer->planner, "rtaa", NULL, NULL), FW_RET_OK);
  if (name != NULL) {
    assert_int_equal(fw_planner_set(&answer->planner, name, value, NULL), FW_RET_OK);
  }
  assert_int_equal(fw_planner_solve(&answer->planner, problem, NULL, &answer->plan, &answer->error), FW_RET_OK);
  assert_int_equal(fw_check_plan(problem, &answer->plan, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
}

static void assert_solved(const fw_problem_t * problem)
{
  answer_t answer;
  solve(&answer, problem, NULL, NULL);
  assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
  fw_planner_fini(&answer.planner);
}

// ---- making way -----------------------------------------------------------------------------------------------------

static void a_full_ring_turns(void ** state)
{
  (void)state;
  DRAW(grid, "...", ".#.", "...");
  const fw_cell_t ring[] = {0, 1, 2, 5, 8, 7, 6, 3};
  fw_robot_t robots[8] = {0};
  for (int32_t r = 0; r < 8; ++r) {
    robots[r] = (fw_robot_t){.start = ring[r], .goal = ring[(r + 1) % 8]};
  }
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 8};
  answer_t answer;
  solve(&answer, &problem, NULL, NULL);
  assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(answer.plan.stats.makespan, 1);  // all at once
  fw_planner_fini(&answer.planner);
}

static void robots_pass_in_a_lane_with_one_bay_whoever_is_first(void ** state)
{
  (void)state;
  DRAW(grid, "........", "###.####");
  fw_robot_t robots[] = {{.start = 0, .goal = 7}, {.start = 7, .goal = 0}};
  fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  for (int32_t first = 0; first < 2; ++first) {
    robots[first].priority = 1;
    robots[1 - first].priority = 0;
    for (problem.robust_ticks = 0; problem.robust_ticks < 3; ++problem.robust_ticks) {
      assert_solved(&problem);
    }
  }
}

// Whoever is parked in the way of another makes way, and comes back.
static void a_parked_robot_steps_aside_and_returns(void ** state)
{
  (void)state;
  DRAW(grid, ".....", "##.##");
  const fw_robot_t robots[] = {{.start = 2, .goal = 2}, {.start = 0, .goal = 4}};
  fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  for (problem.robust_ticks = 0; problem.robust_ticks < 3; ++problem.robust_ticks) {
    answer_t answer;
    solve(&answer, &problem, NULL, NULL);
    assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
    assert_true(fw_paths_makespan(&answer.plan.paths[0], 1) > 0);
    fw_planner_fini(&answer.planner);
  }
}

// At a crossing, the robot of the higher priority arrives as if it were alone.
static void priority_decides_at_a_crossing(void ** state)
{
  (void)state;
  DRAW(grid, "##.##", "##.##", ".....", "##.##", "##.##");
  fw_robot_t robots[] = {{.start = 10, .goal = 14}, {.start = 2, .goal = 22}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  for (int32_t first = 0; first < 2; ++first) {
    robots[first].priority = 3;
    robots[1 - first].priority = -3;
    answer_t answer;
    solve(&answer, &problem, NULL, NULL);
    assert_int_equal(fw_paths_makespan(&answer.plan.paths[first], 1), 4);
    assert_int_equal(fw_paths_makespan(&answer.plan.paths[1 - first], 1), 5);
    fw_planner_fini(&answer.planner);
  }
}

// Every robot of a crowd arrives, on maps where others could block it for good.
static void crowds_arrive(void ** state)
{
  (void)state;
  static const struct {
    const char * map;
    int32_t robots;
    int32_t connectivity;
    int32_t robust_ticks;
  } crowds[] = {
    {"open:16x16", 120, 4, 0},
    {"open:16x16", 120, 8, 0},
    {"open:16x16", 60, 4, 1},
    {"random:32x32,obstacles=20,seed=1", 200, 4, 0},
    {"random:32x32,obstacles=20,seed=1", 100, 8, 1},
    {"warehouse:49x33,shelf=5,seed=1", 60, 4, 1},
  };
  for (int32_t i = 0; i < TEST_COUNT(crowds); ++i) {
    fw_grid_t grid;
    fw_scenario_t scenario;
    assert_int_equal(fw_grid_make(&grid, crowds[i].map, NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_scenario_make(&scenario, &grid, crowds[i].robots, 1, NULL, NULL), FW_RET_OK);
    const fw_problem_t problem = {
      .grid = &grid,
      .robots = scenario.robots,
      .robot_count = scenario.robot_count,
      .connectivity = crowds[i].connectivity,
      .robust_ticks = crowds[i].robust_ticks,
    };
    assert_solved(&problem);
    fw_scenario_fini(&scenario);
    fw_grid_fini(&grid);
  }
}

// Two robots that have to pass each other in an aisle, one of which ends there: the one that would push the other past
// its goal, and would be pushed back, lets it out first.
static void a_robot_is_let_out_of_an_aisle(void ** state)
{
  (void)state;
  DRAW(grid, ".....", "##.##", "##.##", ".....");
  fw_robot_t robots[] = {{.start = 2, .goal = 12}, {.start = 7, .goal = 2}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  for (int32_t first = 0; first < 2; ++first) {
    robots[first].priority = 1;
    robots[1 - first].priority = 0;
    answer_t answer;
    solve(&answer, &problem, "lacam", "0");
    assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
    assert_true(answer.plan.stats.makespan < 12);
    fw_planner_fini(&answer.planner);
  }
}

static int64_t counter(const fw_plan_t * plan, const char * name)
{
  for (int32_t i = 0; i < plan->stats.counter_count; ++i) {
    if (strcmp(plan->stats.counters[i].name, name) == 0) {
      return plan->stats.counters[i].value;
    }
  }
  return -1;
}

// Where robots stall, a search finds the way that they do not find tick by tick, also with cells that stay reserved.
static void robots_that_stall_search(void ** state)
{
  (void)state;
  int32_t searched[3] = {0}, stalled = 0;
  for (int32_t number = 0; number < 9; ++number) {
    static const char * const maps[] = {"maze:15x15,seed=%d", "rooms:13x13,room=3,seed=%d", "random:12x12,seed=%d"};
    char line[64];
    fw_grid_t grid;
    fw_scenario_t scenario;
    const int32_t robots = number % 3 == 0 ? 6 : number % 3 == 1 ? 24 : 48;
    (void)snprintf(line, sizeof line, maps[number % 3], number);
    assert_int_equal(fw_grid_make(&grid, line, NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_scenario_make(&scenario, &grid, robots, (uint64_t)number, NULL, NULL), FW_RET_OK);
    fw_problem_t problem = {.grid = &grid, .robots = scenario.robots, .robot_count = scenario.robot_count};
    answer_t answer;
    for (; problem.robust_ticks < 3; ++problem.robust_ticks) {
      solve(&answer, &problem, "lacam", "2000");
      const bool is_solved = answer.plan.outcome == FW_OUTCOME_SOLVED;
      searched[problem.robust_ticks] += is_solved && counter(&answer.plan, "searches") > 0 ? 1 : 0;
      assert_true(is_solved || problem.robust_ticks > 0);
      fw_planner_fini(&answer.planner);
    }
    problem.robust_ticks = 0;
    solve(&answer, &problem, "lacam", "0");
    assert_int_equal(counter(&answer.plan, "searches"), 0);
    stalled += answer.plan.outcome == FW_OUTCOME_SOLVED ? 0 : 1;
    fw_planner_fini(&answer.planner);
    fw_scenario_fini(&scenario);
    fw_grid_fini(&grid);
  }
  print_message(
    "solved after a search: %d, %d, %d with 0 to 2 robust ticks; %d stall without\n", searched[0], searched[1],
    searched[2], stalled);
  assert_true(searched[0] > 0 && searched[1] > 0 && searched[2] > 0 && stalled > 0);
}

// ---- each for itself ------------------------------------------------------------------------------------------------

// Two robots that meet head-on in a corridor: the plan is safe up to the tick before they meet, and no tick less.
static void alone_a_plan_holds_up_to_the_first_conflict(void ** state)
{
  (void)state;
  DRAW(grid, "......");
  const fw_robot_t robots[] = {{.start = 0, .goal = 5}, {.start = 5, .goal = 0}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  answer_t answer;
  solve(&answer, &problem, "cooperate", "false");
  assert_int_equal(answer.plan.outcome, FW_OUTCOME_PARTIAL);
  assert_int_equal(answer.plan.safe_until, 2);  // they swap cells 2 and 3 between ticks 2 and 3
  assert_int_equal(fw_path_at(&answer.plan.paths[0], 9), 5);
  assert_int_equal(fw_path_at(&answer.plan.paths[1], 9), 0);
  fw_planner_fini(&answer.planner);
}

static void alone_and_apart_a_plan_is_solved(void ** state)
{
  (void)state;
  DRAW(grid, "......", "......");
  const fw_robot_t robots[] = {{.start = 0, .goal = 5}, {.start = 11, .goal = 6}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  answer_t answer;
  solve(&answer, &problem, "cooperate", "false");
  assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(answer.plan.stats.sum_of_costs, 10);
  fw_planner_fini(&answer.planner);
}

// Whatever the world, no conflict lies before the tick that it says, and one lies right behind.
static void alone_the_tick_is_the_right_one(void ** state)
{
  (void)state;
  int32_t partial = 0;
  for (uint64_t number = 0; number < (uint64_t)test_rounds(200); ++number) {
    world_t world;
    world_make(&world, 7000 + number, WORLD_DIAGONALS | WORLD_ROBUST | WORLD_COSTS, 10);
    answer_t answer;
    solve(&answer, &world.problem, "cooperate", "false");
    if (answer.plan.outcome == FW_OUTCOME_PARTIAL && answer.plan.stop == FW_STOP_DONE) {
      fw_conflict_t conflict;
      assert_int_equal(
        fw_check_paths(
          &world.problem, answer.plan.paths, answer.plan.robot_count, answer.plan.safe_until + 1, NULL, &conflict,
          NULL),
        FW_RET_OK);
      partial += conflict.kind != FW_CONFLICT_NONE ? 1 : 0;
    }
    fw_planner_fini(&answer.planner);
    world_fini(&world);
  }
  assert_true(partial > 50);
}

// ---- settings -------------------------------------------------------------------------------------------------------

static void what_is_not_handled_is_named(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....");
  static const fw_offset_t two_cells[] = {{0, 0}, {1, 0}};
  static const fw_closure_t door = {.cell = 3, .from = 5, .to = 6};
  const struct {
    fw_robot_t robot;
    int32_t connectivity;
    const char * text;
  } cases[] = {
    {{.start = 0, .goal = 5, .ticks_per_move = 2}, 4, "more than one tick per move"},
    {{.start = 0, .goal = 5, .footprint = two_cells, .footprint_count = 2}, 4, "footprints larger than a cell"},
    {{.start = 0, .goal = 5, .turn_ticks = 1}, 4, "turning"},
    {{.start = 0, .goal = 5, .sweeps_sides = true}, 8, "sweeping diagonals"},
    {{.start = 0, .goal = 5}, 4, "closures"},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    const bool has_door = strcmp(cases[i].text, "closures") == 0;
    const fw_problem_t problem = {
      .grid = &grid,
      .robots = &cases[i].robot,
      .robot_count = 1,
      .connectivity = cases[i].connectivity,
      .closures = &door,
      .closure_count = has_door ? 1 : 0,
    };
    fw_planner_t planner;
    fw_plan_t plan;
    fw_error_t error = {0};
    assert_int_equal(fw_planner_init(&planner, "rtaa", NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, &error), FW_RET_UNSUPPORTED);
    assert_non_null(strstr(error.text, cases[i].text));
    assert_null(plan.paths);
    fw_planner_fini(&planner);
  }
}

static void staged_fused_and_backends_plan_alike(void ** state)
{
  (void)state;
  static const char * const settings[][2] = {
    {"fused", "true"}, {"fused", "false"}, {"backend", "auto"}, {"backend", "cpu"}};
  for (uint64_t number = 0; number < 20; ++number) {
    world_t world;
    world_make(&world, 8000 + number, WORLD_DIAGONALS | WORLD_ROBUST | WORLD_COSTS | WORLD_PRIORITIES, 20);
    uint64_t digest = 0;
    for (int32_t i = 0; i < TEST_COUNT(settings); ++i) {
      answer_t answer;
      solve(&answer, &world.problem, settings[i][0], settings[i][1]);
      digest = i == 0 ? digest_plan(&answer.plan) : digest;
      assert_true(digest_plan(&answer.plan) == digest);
      fw_planner_fini(&answer.planner);
    }
    world_fini(&world);
  }
}

static void a_horizon_is_enough(void ** state)
{
  (void)state;
  DRAW(grid, "..........", "..........");
  const fw_robot_t robots[] = {{.start = 0, .goal = 9}, {.start = 19, .goal = 9}};  // they share a goal
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .horizon = 6};
  answer_t answer;
  solve(&answer, &problem, NULL, NULL);
  assert_int_equal(answer.plan.outcome, FW_OUTCOME_PARTIAL);
  assert_int_equal(answer.plan.safe_until, 6);
  fw_planner_fini(&answer.planner);
}

// Window by window out of a deep bay: what was learned in one window is known in the next. A robot with the memory
// `window` that begins each window as if it were the first never gets out. With regions it does, since there is nothing
// to learn.
static void what_is_learned_is_kept_from_window_to_window(void ** state)
{
  (void)state;
  DRAW(
    grid,
    "............",  //
    "...#######..",  //
    ".........#..",  //
    ".........#..",  //
    ".........#..",  //
    "...#######..",  //
    "............");
  for (int32_t keeps = 0; keeps < 3; ++keeps) {
    fw_robot_t robot = {.start = 37, .goal = 47, .id = 5};
    fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1, .robust_ticks = 1, .horizon = 6};
    fw_planner_t planner;
    assert_int_equal(fw_planner_init(&planner, "rtaa", NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "lookahead", "3", NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "memory", keeps == 2 ? "regions" : "window", NULL), FW_RET_OK);
    int32_t windows = 0;
    for (; windows < 100 && robot.start != robot.goal; ++windows) {
      fw_plan_t plan;
      fw_conflict_t conflict;
      assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, NULL), FW_RET_OK);
      assert_int_equal(fw_check_plan(&problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
      assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
      robot.start = fw_path_at(&plan.paths[0], 3);
      problem.since = keeps == 1 ? 3 : 0;
    }
    assert_true((robot.start == robot.goal) == (keeps >= 1));
    fw_planner_fini(&planner);
  }
}

// The same while a wall far from the bay opens and shuts from window to window: what it cannot affect is kept.
static void a_wall_elsewhere_does_not_let_robots_forget(void ** state)
{
  (void)state;
  DRAW(
    grid,
    "............................",  //
    "...#######..................",  //
    ".........#..................",  //
    ".........#..................",  //
    ".........#..................",  //
    "...#######..................",  //
    "............................");
  fw_robot_t robot = {.start = 28 * 3 + 1, .goal = 28 * 3 + 11, .id = 5};
  fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1, .robust_ticks = 1, .horizon = 6};
  fw_planner_t planner;
  assert_int_equal(fw_planner_init(&planner, "rtaa", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&planner, "lookahead", "3", NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&planner, "memory", "window", NULL), FW_RET_OK);
  for (int32_t window = 0; window < 100 && robot.start != robot.goal; ++window) {
    fw_plan_t plan;
    grid.cost[27] = (uint8_t)(window % 2);
    assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, NULL), FW_RET_OK);
    robot.start = fw_path_at(&plan.paths[0], 3);
    problem.since = 3;
  }
  assert_int_equal(robot.start, robot.goal);
  fw_planner_fini(&planner);
}

// The state of PIBT is consistent after every step; a robot that is missing from its cell, a cell that stays claimed
// and an order with a robot twice are found.
static void a_corrupted_state_is_found(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 3}, {.start = 3, .goal = 0}, {.start = 5, .goal = 6}};
  const fw_cell_t starts[] = {0, 3, 5}, goals[] = {3, 0, 6};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 3, .connectivity = 4};
  const fw_batch_options_t options = {.lookahead = 4, .connectivity = 4, .backend = FW_BACKEND_CPU, .threads = 1};
  fw_memory_t memory = {.allocator = fw_allocator_default(), .max_bytes = (size_t)1 << 24};
  fw_arena_t arena;
  fw_batch_t batch;
  fw_pibt_t pibt;
  fw__arena_init(&arena, &memory);
  assert_int_equal(fw_batch_init(&batch, &grid, starts, goals, 3, &options, NULL), FW_RET_OK);
  fw__pibt_init(
    &pibt, &(fw_pibt_options_t){.problem = &problem, .batch = &batch, .arena = &arena, .patience = 8, .parked = 8});
  assert_false(pibt.has_failed);
  fw__pibt_order_begin(&pibt);
  for (int32_t tick = 0; tick < 20; ++tick) {
    assert_true(fw__pibt_validate(&pibt));
    assert_int_equal(fw_batch_run(&batch, 1, NULL), FW_RET_OK);
    fw__pibt_step(&pibt);
  }
  assert_true(fw__pibt_have_arrived(&pibt) && fw__pibt_validate(&pibt));
  pibt.standing[3] = -1;
  assert_false(fw__pibt_validate(&pibt));
  pibt.standing[3] = 0;
  pibt.claimed[7] = 1;
  assert_false(fw__pibt_validate(&pibt));
  pibt.claimed[7] = -1;
  pibt.order[0] = pibt.order[1];
  assert_false(fw__pibt_validate(&pibt));
  fw_batch_fini(&batch);
  fw__arena_fini(&arena);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_full_ring_turns),
    cmocka_unit_test(robots_pass_in_a_lane_with_one_bay_whoever_is_first),
    cmocka_unit_test(a_parked_robot_steps_aside_and_returns),
    cmocka_unit_test(priority_decides_at_a_crossing),
    cmocka_unit_test(crowds_arrive),
    cmocka_unit_test(a_robot_is_let_out_of_an_aisle),
    cmocka_unit_test(robots_that_stall_search),
    cmocka_unit_test(alone_a_plan_holds_up_to_the_first_conflict),
    cmocka_unit_test(alone_and_apart_a_plan_is_solved),
    cmocka_unit_test(alone_the_tick_is_the_right_one),
    cmocka_unit_test(what_is_not_handled_is_named),
    cmocka_unit_test(staged_fused_and_backends_plan_alike),
    cmocka_unit_test(a_horizon_is_enough),
    cmocka_unit_test(what_is_learned_is_kept_from_window_to_window),
    cmocka_unit_test(a_wall_elsewhere_does_not_let_robots_forget),
    cmocka_unit_test(a_corrupted_state_is_found),
  };
  return TEST_RUN(tests);
}
