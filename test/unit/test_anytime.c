// Anytime: with any budget, the optimal planners that keep a plan when time runs out are never worse than `hca`.

#include "fleetweave/files.h"
#include "fleetweave/planner_def.h"
#include "support/test.h"

typedef struct instance_t {
  const char * map;
  int32_t robots;
  int32_t connectivity;
  int32_t robust_ticks;
} instance_t;

// Crowds, corridors and rooms, in which the search for an optimal plan takes long.
static const instance_t instances[] = {
  {"open:3x3", 9, 4, 0},
  {"open:3x3", 8, 4, 0},
  {"open:5x5", 20, 4, 0},
  {"open:8x8", 24, 8, 0},
  {"open:16x16", 60, 4, 1},
  {"maze:21x21,seed=3", 6, 4, 0},
  {"maze:15x15,seed=5", 14, 4, 0},
  {"rooms:20x20,room=4,seed=2", 24, 4, 1},
  {"random:16x16,obstacles=20,seed=1", 40, 8, 0},
  {"random:12x12,obstacles=30,seed=6", 24, 4, 0},
  {"warehouse:31x17,seed=1", 40, 4, 1},
};

static fw_plan_t solve(const char * name, const fw_problem_t * problem, const fw_budget_t * budget, fw_cost_t * cost)
{
  fw_planner_t planner;
  fw_plan_t plan;
  fw_conflict_t conflict;
  assert_int_equal(fw_planner_init(&planner, name, NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_solve(&planner, problem, budget, &plan, NULL), FW_RET_OK);
  assert_int_equal(fw_check_plan(problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
  *cost = plan.stats.sum_of_costs;
  plan.paths = NULL;  // of a planner that ends here
  fw_planner_fini(&planner);
  return plan;
}

// How much was solved, so that the test cannot pass on nothing.
typedef struct counts_t {
  int32_t solved;    // by hca
  int32_t unproved;  // solved by the optimal planner without a proof
  int32_t better;    // of these, those that cost less than with hca
} counts_t;

static void compare(const instance_t * instance, uint64_t seed, counts_t * counts)
{
  static const char * const names[] = {"lazy_sat", "od_id"};
  static const int64_t budgets[] = {50, 200, 500, 1000, 2000, 5000, 10000, 30000};
  fw_grid_t grid;
  fw_scenario_t scenario;
  assert_int_equal(fw_grid_make(&grid, instance->map, NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_scenario_make(&scenario, &grid, instance->robots, seed, NULL, NULL), FW_RET_OK);
  const fw_problem_t problem = {
    .grid = &grid,
    .robots = scenario.robots,
    .robot_count = scenario.robot_count,
    .connectivity = instance->connectivity,
    .robust_ticks = instance->robust_ticks,
  };
  for (int32_t b = 0; b < TEST_COUNT(budgets); ++b) {
    const fw_budget_t budget = {.expansions_max = budgets[b]};
    fw_cost_t fast_cost = 0, cost = 0;
    const fw_plan_t fast = solve("hca", &problem, &budget, &fast_cost);
    counts->solved += fast.outcome == FW_OUTCOME_SOLVED ? 1 : 0;
    for (int32_t p = 0; p < TEST_COUNT(names) && fast.outcome == FW_OUTCOME_SOLVED; ++p) {
      const fw_plan_t plan = solve(names[p], &problem, &budget, &cost);
      if (plan.outcome != FW_OUTCOME_SOLVED || cost > fast_cost) {
        fail_msg(
          "%s with %d robots, seed %d, %d expansions: %s %s with %d, hca has %d", instance->map, instance->robots,
          (int)seed, (int)budgets[b], names[p], fw_outcome_name(plan.outcome), (int)cost, (int)fast_cost);
      }
      assert_true(plan.stats.lower_bound >= fast.stats.lower_bound);  // however early the budget ended
      counts->unproved += plan.stop != FW_STOP_DONE ? 1 : 0;
      counts->better += plan.stop != FW_STOP_DONE && cost < fast_cost ? 1 : 0;
    }
  }
  fw_scenario_fini(&scenario);
  fw_grid_fini(&grid);
}

static void no_budget_makes_an_optimal_planner_worse_than_hca(void ** state)
{
  (void)state;
  counts_t counts = {0};
  for (int32_t i = 0; i < TEST_COUNT(instances); ++i) {
    for (uint64_t seed = 0; seed < (uint64_t)test_rounds(6); ++seed) {
      compare(&instances[i], seed, &counts);
    }
  }
  printf("hca solved %d, without proof %d, better %d\n", counts.solved, counts.unproved, counts.better);
  assert_true(counts.solved > 100 && counts.unproved > 100 && counts.better > 10);
}

// Nine robots on nine cells: hca needs 66 orders, for which an eighth of the budget is kept.
static void what_hca_solves_with_an_eighth_of_the_budget_is_solved(void ** state)
{
  (void)state;
  fw_grid_t grid;
  fw_scenario_t scenario;
  fw_cost_t fast_cost = 0, cost = 0;
  assert_int_equal(fw_grid_make(&grid, "open:3x3", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_scenario_make(&scenario, &grid, 9, 0, NULL, NULL), FW_RET_OK);
  const fw_problem_t problem = {.grid = &grid, .robots = scenario.robots, .robot_count = 9};
  const fw_budget_t eighth = {.expansions_max = 70000}, whole = {.expansions_max = 560000};
  assert_int_equal(solve("hca", &problem, &eighth, &fast_cost).outcome, FW_OUTCOME_SOLVED);
  const fw_plan_t plan = solve("lazy_sat", &problem, &whole, &cost);
  assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
  assert_true(cost <= fast_cost);
  fw_scenario_fini(&scenario);
  fw_grid_fini(&grid);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(no_budget_makes_an_optimal_planner_worse_than_hca),
    cmocka_unit_test(what_hca_solves_with_an_eighth_of_the_budget_is_solved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
