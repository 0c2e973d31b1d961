// What the path of each robot minimises in prioritized planning: its last arrival, or its ticks off the goal.

#include "fleetweave/fleetweave.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"

static fw_plan_t solve(fw_planner_t * planner, const fw_problem_t * problem, const char * cost, const char * plain)
{
  fw_plan_t plan;
  fw_conflict_t conflict;
  assert_int_equal(fw_planner_init(planner, "hca", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(planner, "order", "index", NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(planner, "orders", "1", NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(planner, "overrides", "0", NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(planner, "cost", cost, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(planner, "plain_search", plain, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_solve(planner, problem, NULL, &plan, NULL), FW_RET_OK);
  assert_int_equal(fw_check_plan(problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
  return plan;
}

// The second robot reaches its goal at tick 1. The first one passes there at tick 5: the second one lets it pass in the
// bay, which takes two ticks, and is back at tick 6.
static void a_robot_steps_aside_and_comes_back(void ** state)
{
  (void)state;
  DRAW(grid, "........", "##.#####");
  const fw_robot_t robots[] = {{.start = 7, .goal = 0}, {.start = 3, .goal = 2}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  static const char * const plain[] = {"false", "true"};
  for (int32_t i = 0; i < TEST_COUNT(plain); ++i) {
    fw_planner_t planner;
    fw_plan_t plan = solve(&planner, &problem, "off_goal", plain[i]);
    assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
    assert_int_equal(plan.stats.sum_of_costs, 7 + 1 + 2);
    fw_planner_fini(&planner);
    plan = solve(&planner, &problem, "last_arrival", plain[i]);
    assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
    assert_int_equal(fw_paths_makespan(&plan.paths[1], 1), 6);
    assert_true(plan.stats.sum_of_costs >= 7 + 1 + 2);
    fw_planner_fini(&planner);
  }
}

// Around the same path of the first robot, the second one is never longer off its goal than with the earliest arrival.
static void no_second_robot_is_longer_off_its_goal(void ** state)
{
  (void)state;
  int32_t compared = 0, less = 0;
  for (int32_t number = 0; number < test_rounds(600); ++number) {
    static const int32_t features[] = {
      WORLD_PLAIN, WORLD_DIAGONALS, WORLD_DIAGONALS | WORLD_ROBUST, WORLD_ONE_CELL & ~(WORLD_COSTS | WORLD_PRIORITIES)};
    fw_rng_t rng = fw__rng((uint64_t)(4000 + number));
    world_t world;
    fw_grid_t grid = world_grid(&rng, 3 + fw__rng_below(&rng, 3), 2 + fw__rng_below(&rng, 2), 25, false);
    world_settle(&world, grid, &rng, features[number % TEST_COUNT(features)], 2);
    fw_planner_t planners[2];
    const fw_plan_t off_goal = solve(&planners[0], &world.problem, "off_goal", "true");
    const fw_plan_t last_arrival = solve(&planners[1], &world.problem, "last_arrival", "true");
    if (off_goal.outcome != last_arrival.outcome) {
      fail_msg("%s: only one of them is solved", world.text);
    }
    if (off_goal.outcome == FW_OUTCOME_SOLVED) {
      ++compared;
      less += off_goal.stats.sum_of_costs < last_arrival.stats.sum_of_costs ? 1 : 0;
      if (off_goal.stats.sum_of_costs > last_arrival.stats.sum_of_costs) {
        fail_msg(
          "%s: %d ticks off the goals, %d with the earliest arrival", world.text, (int)off_goal.stats.sum_of_costs,
          (int)last_arrival.stats.sum_of_costs);
      }
    }
    fw_planner_fini(&planners[0]);
    fw_planner_fini(&planners[1]);
    world_fini(&world);
  }
  assert_true(compared > test_rounds(600) / 4 && (less > 0 || test_rounds(600) < 600));
}

// The first robot needs seven ticks: with arrival_max=6 it has no path, and the plan is partial.
static void a_robot_that_arrives_late_has_no_path(void ** state)
{
  (void)state;
  DRAW(grid, "........", "##.#####");
  const fw_robot_t robots[] = {{.start = 7, .goal = 0}, {.start = 3, .goal = 2}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  static const struct {
    const char * limit;
    fw_outcome_t outcome;
  } cases[] = {{"0", FW_OUTCOME_SOLVED}, {"7", FW_OUTCOME_SOLVED}, {"6", FW_OUTCOME_PARTIAL}};
  static const char * const overrides[] = {"0", "10"};
  for (int32_t i = 0; i < 2 * TEST_COUNT(cases); ++i) {
    fw_planner_t planner;
    fw_plan_t plan;
    assert_int_equal(fw_planner_init(&planner, "hca", NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "orders", "3", NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "overrides", overrides[i % 2], NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "arrival_max", cases[i / 2].limit, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, NULL), FW_RET_OK);
    assert_int_equal(plan.outcome, cases[i / 2].outcome);
    fw_planner_fini(&planner);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_robot_steps_aside_and_comes_back),
    cmocka_unit_test(no_second_robot_is_longer_off_its_goal),
    cmocka_unit_test(a_robot_that_arrives_late_has_no_path),
  };
  return TEST_RUN(tests);
}
