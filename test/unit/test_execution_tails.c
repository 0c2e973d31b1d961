// Tails: the plan behind a cut in ticks, with the order of the dependency graph.

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fleetweave/execution.h"
#include "support/draw.h"
#include "support/letters.h"
#include "support/solvable.h"
#include "support/test.h"

// ---- by hand --------------------------------------------------------------------------------------------------------

typedef struct hand_t {
  fw_execution_t execution;
  letters_t letters;
  fw_execution_cut_t cut;
  fw_execution_tails_t tails;
  fw_error_t error;
} hand_t;

static void begin(hand_t * hand, const fw_problem_t * problem, const char * const * words)
{
  fw_execution_options_t options = fw_execution_options_default();
  options.ahead_max = 1.0;
  *hand = (hand_t){0};
  assert_int_equal(fw_execution_init(&hand->execution, &options, NULL), FW_RET_OK);
  letters_plan(&hand->letters, problem, words);
  const fw_execution_splice_t splice = {.problem = problem, .plan = &hand->letters.plan};
  assert_int_equal(fw_execution_splice(&hand->execution, &splice, &hand->error), FW_RET_OK);
}

static fw_ret_t find_tails(hand_t * hand, double time, int32_t robust_ticks)
{
  const fw_execution_tails_query_t query = {.time = time, .robust_ticks = robust_ticks};
  return fw_execution_tails(&hand->execution, &query, &hand->tails, &hand->error);
}

// The cells of a tail, one for each tick.
static void check_tail(const fw_path_t * tail, const fw_cell_t * cells, int32_t count)
{
  assert_int_equal(tail->length, count);
  for (int32_t k = 0; k < count; ++k) {
    assert_int_equal(tail->cells[k], cells[k]);
  }
}
#define TAIL(tail, ...) \
  check_tail(           \
    &(tail), (const fw_cell_t[]){__VA_ARGS__}, (int32_t)(sizeof((fw_cell_t[]){__VA_ARGS__}) / sizeof(fw_cell_t)))

// 1 follows 0 with a gap; each is released one cell ahead.
static void tails_begin_at_the_cut_and_keep_the_order(void ** state)
{
  (void)state;
  DRAW(grid, "......");
  const fw_robot_t robots[] = {{.start = 1, .goal = 5}, {.start = 0, .goal = 4}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1};
  hand_t hand;
  begin(&hand, &problem, (const char * const[]){"EEEE", "...EEEE"});
  assert_int_equal(find_tails(&hand, 0.0, 1), FW_RET_INVALID_ARGUMENT);  // without a cut
  assert_int_equal(fw_execution_cut(&hand.execution, 0.0, &hand.cut, NULL), FW_RET_OK);
  assert_int_equal(find_tails(&hand, 0.0, 0), FW_RET_INVALID_ARGUMENT);
  assert_int_equal(find_tails(&hand, 0.0, 1), FW_RET_OK);
  assert_int_equal(hand.tails.count, 2);
  TAIL(hand.tails.paths[0], 2, 3, 4, 5);
  // It waits no longer than it must: cell 1 is free, cell 2 once 0 has left it.
  TAIL(hand.tails.paths[1], 0, 1, 2, 3, 4);
  // With two ticks after another robot it is one tick later from cell 2 on.
  assert_int_equal(find_tails(&hand, 0.0, 2), FW_RET_OK);
  TAIL(hand.tails.paths[0], 2, 3, 4, 5);
  TAIL(hand.tails.paths[1], 0, 1, 1, 2, 3, 4);
  fw_execution_fini(&hand.execution);
}

// A robot that has arrived, or has not got farther than the cut, stays.
static void a_robot_without_a_rest_has_one_tick(void ** state)
{
  (void)state;
  DRAW(grid, "...");
  const fw_robot_t robots[] = {{.start = 0, .goal = 0}, {.start = 2, .goal = 1}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1};
  hand_t hand;
  begin(&hand, &problem, (const char * const[]){"", "W"});
  assert_int_equal(fw_execution_cut(&hand.execution, 0.0, &hand.cut, NULL), FW_RET_OK);
  assert_int_equal(find_tails(&hand, 0.0, 1), FW_RET_OK);
  TAIL(hand.tails.paths[0], 0);
  TAIL(hand.tails.paths[1], 1);
  // Withdrawn: it has no plan any more.
  fw_execution_uncut(&hand.execution);
  assert_int_equal(fw_execution_withdraw(&hand.execution, 1, NULL), FW_RET_OK);
  assert_int_equal(fw_execution_cut(&hand.execution, 0.0, &hand.cut, NULL), FW_RET_OK);
  assert_int_equal(find_tails(&hand, 0.0, 1), FW_RET_OK);
  TAIL(hand.tails.paths[0], 0);
  assert_int_equal(hand.tails.paths[1].length, 0);
  fw_execution_fini(&hand.execution);
}

// 1 waits until 0 has left its lane, although 0 may get another plan: so 0 has the time to leave it.
//
//   . . . .
//   1 . 0 .      0 drives north from (2,1) and 1 follows to (3,1)
static void a_tail_waits_for_robots_that_may_be_planned_anew(void ** state)
{
  (void)state;
  DRAW(grid, "....", "....");
  const fw_robot_t robots[] = {{.start = 6, .goal = 3}, {.start = 4, .goal = 7}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1};
  hand_t hand;
  begin(&hand, &problem, (const char * const[]){"...NE", ".....EEE"});
  fw_execution_pause(&hand.execution);
  assert_int_equal(fw_execution_cut(&hand.execution, 0.0, &hand.cut, NULL), FW_RET_OK);
  assert_int_equal(hand.cut.ends[0].cell, 2);  // one cell was released
  assert_int_equal(find_tails(&hand, 0.0, 1), FW_RET_OK);
  TAIL(hand.tails.paths[0], 2, 3);
  TAIL(hand.tails.paths[1], 5, 6, 7);
  fw_execution_fini(&hand.execution);
  // The other way round: 1 was released to (1,1), and (2,1) is left with the first motion behind the cut.
  const fw_robot_t others[] = {{.start = 2, .goal = 3}, {.start = 4, .goal = 7}};
  const fw_problem_t second = {.grid = &grid, .robots = others, .robot_count = 2, .robust_ticks = 1};
  begin(&hand, &second, (const char * const[]){"S..NE", ".....EEE"});
  assert_int_equal(fw_execution_cut(&hand.execution, 0.0, &hand.cut, NULL), FW_RET_OK);
  assert_int_equal(hand.cut.ends[0].cell, 6);
  assert_int_equal(find_tails(&hand, 0.0, 1), FW_RET_OK);
  TAIL(hand.tails.paths[0], 6, 2, 3);
  TAIL(hand.tails.paths[1], 5, 5, 6, 7);
  fw_execution_fini(&hand.execution);
}

// Motions of several ticks are listed where they come from.
static void slow_motions_take_their_ticks(void ** state)
{
  (void)state;
  DRAW(grid, ".....");
  const fw_robot_t robots[] = {{.start = 1, .goal = 3, .ticks_per_move = 3}, {.start = 0, .goal = 2}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2, .robust_ticks = 1};
  hand_t hand;
  begin(&hand, &problem, (const char * const[]){"..E..E", "......EE"});
  assert_int_equal(fw_execution_cut(&hand.execution, 0.0, &hand.cut, NULL), FW_RET_OK);
  assert_int_equal(find_tails(&hand, 0.0, 1), FW_RET_OK);
  TAIL(hand.tails.paths[0], 2, 2, 2, 3);
  TAIL(hand.tails.paths[1], 0, 1, 1, 1, 2);
  fw_execution_fini(&hand.execution);
}

// A cell that opens later is waited for, by the clock; one that closes too early ends the tail.
static void tails_know_the_clock_of_closures(void ** state)
{
  (void)state;
  DRAW(grid, "....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 3}};
  const fw_closure_t opens = {.cell = 2, .from = 0, .to = 5};
  const fw_closure_t closes = {.cell = 2, .from = 6, .to = 20};
  fw_problem_t problem = {
    .grid = &grid, .robots = robots, .robot_count = 1, .robust_ticks = 1, .closures = &opens, .closure_count = 1};
  hand_t hand;
  begin(&hand, &problem, (const char * const[]){"E.....EE"});
  assert_int_equal(fw_execution_cut(&hand.execution, 0.0, &hand.cut, NULL), FW_RET_OK);
  assert_int_equal(find_tails(&hand, 0.0, 1), FW_RET_OK);
  TAIL(hand.tails.paths[0], 1, 1, 1, 1, 1, 1, 1, 2, 3);
  assert_int_equal(find_tails(&hand, 4.5, 1), FW_RET_OK);
  TAIL(hand.tails.paths[0], 1, 1, 1, 2, 3);
  fw_execution_fini(&hand.execution);
  problem.closures = &closes;
  begin(&hand, &problem, (const char * const[]){"EEE"});
  assert_int_equal(fw_execution_cut(&hand.execution, 0.0, &hand.cut, NULL), FW_RET_OK);
  assert_int_equal(find_tails(&hand, 0.0, 1), FW_RET_OK);
  TAIL(hand.tails.paths[0], 1, 2, 3);
  assert_int_equal(find_tails(&hand, 10.0, 1), FW_RET_OK);
  assert_int_equal(hand.tails.paths[0].length, 0);
  fw_execution_fini(&hand.execution);
}

// Robots that rotate must begin together, which tails cannot say.
static void a_ring_behind_the_cut_has_no_tails(void ** state)
{
  (void)state;
  DRAW(grid, "..", "..");
  const fw_robot_t robots[] = {
    {.start = 0, .goal = 1}, {.start = 1, .goal = 3}, {.start = 3, .goal = 2}, {.start = 2, .goal = 0}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 4};
  fw_execution_options_t options = fw_execution_options_default();
  options.rings = FW_RINGS_TOGETHER;
  hand_t hand = {0};
  assert_int_equal(fw_execution_init(&hand.execution, &options, NULL), FW_RET_OK);
  fw_execution_pause(&hand.execution);
  letters_plan(&hand.letters, &problem, (const char * const[]){"E", "S", "W", "N"});
  const fw_execution_splice_t splice = {.problem = &problem, .plan = &hand.letters.plan};
  assert_int_equal(fw_execution_splice(&hand.execution, &splice, &hand.error), FW_RET_OK);
  assert_int_equal(fw_execution_cut(&hand.execution, 0.0, &hand.cut, NULL), FW_RET_OK);
  assert_int_equal(find_tails(&hand, 0.0, 1), FW_RET_UNSUPPORTED);
  fw_execution_fini(&hand.execution);
}

// ---- at random ------------------------------------------------------------------------------------------------------

typedef struct run_t {
  world_t world;
  fw_planner_t planner;
  fw_execution_t execution;
  fw_simulated_fleet_t fleet;
  fw_rng_t rng;
  int32_t cuts;
  int64_t motions;  // in all tails
} run_t;

// A copy of a view that ends with the next call.
static fw_path_t copy_path(const fw_path_t * path)
{
  fw_cell_t * cells = calloc((size_t)path->length, sizeof *cells);
  uint8_t * headings = path->headings == NULL ? NULL : calloc((size_t)path->length, sizeof *headings);
  memcpy(cells, path->cells, (size_t)path->length * sizeof *cells);
  if (headings != NULL) {
    memcpy(headings, path->headings, (size_t)path->length);
  }
  return (fw_path_t){.cells = cells, .length = path->length, .headings = headings};
}

// The tails of all robots, as a plan from the ends of the cut, pass the checker; spliced in, they are driven.
static void keep_all_tails(run_t * run)
{
  fw_problem_t * problem = &run->world.problem;
  fw_execution_cut_t cut;
  fw_execution_tails_t tails;
  fw_conflict_t conflict;
  fw_error_t error = {0};
  fw_path_t paths[WORLD_ROBOTS_MAX];
  const double ahead = fw__rng_below(&run->rng, 2) == 0 ? 0.0 : 0.5 * fw__rng_below(&run->rng, 20);
  assert_int_equal(fw_execution_cut(&run->execution, ahead, &cut, NULL), FW_RET_OK);
  const fw_execution_tails_query_t query = {.time = 0.0, .robust_ticks = problem->robust_ticks};
  assert_int_equal(fw_execution_tails(&run->execution, &query, &tails, &error), FW_RET_OK);
  assert_int_equal(tails.count, problem->robot_count);
  for (int32_t k = 0; k < tails.count; ++k) {
    const fw_path_t * tail = &tails.paths[k];
    assert_true(tail->length > 0);
    assert_int_equal(tail->cells[0], cut.ends[k].cell);
    assert_int_equal(fw_path_at(tail, FW_TICK_MAX), run->world.robots[k].goal);
    run->world.robots[k].start = cut.ends[k].cell;
    run->world.robots[k].heading = cut.ends[k].heading;
    run->motions += tail->length - 1;
    paths[k] = copy_path(tail);
  }
  assert_int_equal(fw_check_paths(problem, paths, tails.count, FW_TICK_MAX, NULL, &conflict, &error), FW_RET_OK);
  if (conflict.kind != FW_CONFLICT_NONE) {
    char text[200];
    fw_conflict_describe(problem, &conflict, text, sizeof(text));
    fail_msg("%s: %s", run->world.text, text);
  }
  const fw_plan_t plan = {
    .outcome = FW_OUTCOME_SOLVED, .safe_until = FW_TICK_MAX, .paths = paths, .robot_count = tails.count};
  const fw_execution_splice_t splice = {.problem = problem, .plan = &plan};
  if (fw__rng_below(&run->rng, 4) == 0) {
    fw_execution_uncut(&run->execution);
  } else if (fw_execution_splice(&run->execution, &splice, &error) != FW_RET_OK) {
    fail_msg("%s: %s", run->world.text, error.text);
  }
  ++run->cuts;
  for (int32_t k = 0; k < problem->robot_count; ++k) {
    free((void *)(uintptr_t)paths[k].cells);
    free((void *)(uintptr_t)paths[k].headings);
  }
}

static void drive(run_t * run)
{
  fw_error_t error;
  fw_plan_t plan;
  assert_int_equal(fw_planner_init(&run->planner, "hca", NULL, NULL), FW_RET_OK);
  run->world.problem.robust_ticks += run->world.problem.robust_ticks == 0 ? 1 : 0;
  if (!solvable_solve(&run->planner, &run->world, &plan) || plan.outcome != FW_OUTCOME_SOLVED) {
    fw_planner_fini(&run->planner);
    return;
  }
  fw_execution_options_t options = fw_execution_options_default();
  fw_simulated_fleet_options_t delays = fw_simulated_fleet_options_default();
  options.ahead_max = 1.0 + fw__rng_below(&run->rng, 4);
  options.yaw_tolerance = 0.05;
  delays.slow_chance = 0.3;
  delays.slow_factor = 0.2;
  delays.seed = fw__rng_next(&run->rng);
  assert_int_equal(fw_execution_init(&run->execution, &options, NULL), FW_RET_OK);
  const fw_execution_splice_t splice = {.problem = &run->world.problem, .plan = &plan};
  if (fw_execution_splice(&run->execution, &splice, &error) != FW_RET_OK) {
    fail_msg("%s: %s", run->world.text, error.text);
  }
  assert_int_equal(fw_simulated_fleet_init(&run->fleet, &run->execution, &delays, &error), FW_RET_OK);
  for (int32_t k = 0; k < 4; ++k) {
    for (int32_t step = fw__rng_below(&run->rng, 80); step > 0; --step) {
      assert_int_equal(fw_simulated_fleet_step(&run->fleet, &error), FW_RET_OK);
    }
    keep_all_tails(run);
  }
  assert_int_equal(fw_simulated_fleet_run(&run->fleet, 1e5, &error), FW_RET_OK);
  const fw_simulated_result_t result = fw_simulated_fleet_result(&run->fleet);
  if (result.overlaps > 0 || result.arrived != result.robots) {
    fail_msg("%s: %d overlaps, %d of %d arrived", run->world.text, (int)result.overlaps, result.arrived, result.robots);
  }
  fw_simulated_fleet_fini(&run->fleet);
  fw_execution_fini(&run->execution);
  fw_planner_fini(&run->planner);
}

static void tails_are_plans_that_pass_the_check(void ** state)
{
  (void)state;
  static const int32_t features[] = {
    WORLD_ROBUST, WORLD_ROBUST | WORLD_DIAGONALS, WORLD_ROBUST | WORLD_SPEEDS | WORLD_SHAPES,
    WORLD_MOTION & ~(WORLD_COSTS | WORLD_DIAGONALS), WORLD_MOTION & ~WORLD_COSTS};
  static run_t run;
  int32_t cuts = 0;
  int64_t motions = 0;
  for (int32_t number = 0; number < test_rounds(200); ++number) {
    run = (run_t){.rng = fw__rng((uint64_t)number)};
    world_make(&run.world, 70000 + (uint64_t)number, features[number % TEST_COUNT(features)], 14);
    if (run.world.problem.robot_count > 0) {
      drive(&run);
    }
    cuts += run.cuts;
    motions += run.motions;
    world_fini(&run.world);
  }
  assert_true(cuts > 2 * test_rounds(200) && motions > 10 * cuts);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(tails_begin_at_the_cut_and_keep_the_order),
    cmocka_unit_test(a_robot_without_a_rest_has_one_tick),
    cmocka_unit_test(a_tail_waits_for_robots_that_may_be_planned_anew),
    cmocka_unit_test(slow_motions_take_their_ticks),
    cmocka_unit_test(tails_know_the_clock_of_closures),
    cmocka_unit_test(a_ring_behind_the_cut_has_no_tails),
    cmocka_unit_test(tails_are_plans_that_pass_the_check),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
