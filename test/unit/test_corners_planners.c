// Planners on problems that allow cutting corners: compared with brute force on tiny worlds, and through a corner that
// is the only path.

#include "fleetweave/planner_def.h"
#include "support/planner_features.h"
#include "support/brute.h"
#include "support/brute_motion.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"

// "clauses" is lazy_sat without independence detection before; "s_id" is od_id with standard operators.
static const char * const names[] = {"standard", "od", "sid", "od_id", "s_id", "lazy_sat", "clauses"};

// The cost by either cost rule; -1 if there is no plan.
static fw_cost_t solve(const char * name, const fw_problem_t * problem, bool is_to_last_arrival)
{
  fw_planner_t planner;
  fw_plan_t plan;
  fw_conflict_t conflict;
  const bool is_clauses = strcmp(name, "clauses") == 0;
  const bool is_s_id = strcmp(name, "s_id") == 0;
  assert_int_equal(
    fw_planner_init(
      &planner,
      is_clauses ? "lazy_sat"
      : is_s_id  ? "od_id"
                 : name,
      NULL, NULL),
    FW_RET_OK);
  assert_true(!is_clauses || fw_planner_set(&planner, "detect", "0", NULL) == FW_RET_OK);
  assert_true(!is_s_id || fw_planner_set(&planner, "operators", "standard", NULL) == FW_RET_OK);
  const char * rule = is_to_last_arrival ? "last_arrival" : "off_goal";
  assert_int_equal(fw_planner_set(&planner, "cost", rule, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_solve(&planner, problem, NULL, &plan, NULL), FW_RET_OK);
  assert_int_equal(plan.stop, FW_STOP_DONE);
  assert_int_equal(fw_check_plan(problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
  fw_cost_t cost = plan.outcome == FW_OUTCOME_SOLVED ? plan.stats.sum_of_costs : -1;
  for (int32_t i = 0; i < plan.stats.counter_count; ++i) {
    if (strcmp(plan.stats.counters[i].name, "cost_to_last_arrival") == 0) {
      cost = plan.stats.counters[i].value;
    }
  }
  fw_planner_fini(&planner);
  return cost;
}

static bool make_tiny(world_t * world, uint64_t number, int32_t features, int32_t robots_max)
{
  fw_rng_t rng = fw__rng(number);
  const int32_t width = 2 + fw__rng_below(&rng, 3);
  fw_grid_t grid = world_grid(&rng, width, 2 + fw__rng_below(&rng, width == 4 ? 2 : 3), 30, false);
  world_settle(world, grid, &rng, features, robots_max);
  return world->problem.robot_count > 0;
}

static void optimal_planners_find_the_least_cost(void ** state)
{
  (void)state;
  int32_t solvable = 0, unsolvable = 0, cheaper = 0;
  for (int32_t round = 0; round < test_rounds(1000); ++round) {
    world_t world;
    if (make_tiny(&world, (uint64_t)(40000 + round), WORLD_CORNERS, BRUTE_ROBOTS_MAX)) {
      const fw_cost_t truths[] = {brute_solve(&world.problem), brute_solve_to_last_arrival(&world.problem)};
      for (int32_t i = 0; i < 2 * TEST_COUNT(names); ++i) {
        const char * name = names[i / 2];
        const fw_cost_t cost = solve(name, &world.problem, i % 2 == 1);
        if (cost != truths[i % 2]) {
          fail_msg("%s: %s: cost %d, the truth is %d", name, world.text, (int)cost, (int)truths[i % 2]);
        }
      }
      *(truths[0] >= 0 ? &solvable : &unsolvable) += 1;
      world.problem.cuts_corners = false;
      const fw_cost_t without = brute_solve(&world.problem);
      cheaper += truths[0] >= 0 && truths[0] != without;
      assert_true(without < 0 || (truths[0] >= 0 && truths[0] <= without));  // the option never makes plans longer
    }
    world_fini(&world);
  }
  assert_true(solvable > 100 && unsolvable > 10 && cheaper > 50);
}

// Every planner that supports the option against brute force, also with robots that take several ticks per move.
static void no_planner_contradicts_brute_force(void ** state)
{
  (void)state;
  int32_t solvable = 0;
  int32_t solved[64] = {0}, refused[64] = {0};
  const int32_t count = fw_planner_def_count() < TEST_COUNT(solved) ? fw_planner_def_count() : TEST_COUNT(solved);
  for (int32_t round = 0; round < test_rounds(200); ++round) {
    world_t world;
    if (make_tiny(&world, (uint64_t)(50000 + round), WORLD_CORNERS | WORLD_SPEEDS, BRUTE_MOTION_ROBOTS_MAX)) {
      const fw_cost_t truth = brute_motion_solve(&world.problem);
      solvable += truth >= 0;
      for (int32_t i = 0; i < count; ++i) {
        fw_planner_t planner;
        fw_plan_t plan;
        const fw_budget_t budget = {.expansions_max = 20000};
        assert_int_equal(fw_planner_init(&planner, fw_planner_def_at(i)->name, NULL, NULL), FW_RET_OK);
        const fw_ret_t ret = fw_planner_solve(&planner, &world.problem, &budget, &plan, NULL);
        assert_true(ret == FW_RET_OK || ret == FW_RET_UNSUPPORTED);
        const bool is_solved = ret == FW_RET_OK && plan.outcome == FW_OUTCOME_SOLVED;
        const bool is_denied = ret == FW_RET_OK && plan.outcome == FW_OUTCOME_UNSOLVABLE;
        if (
          (is_solved && (truth < 0 || plan.stats.sum_of_costs < truth)) || (is_denied && truth >= 0) ||
          (is_solved && plan.stats.lower_bound > truth)) {
          fail_msg("%s: %s: the truth is %d", fw_planner_def_at(i)->name, world.text, (int)truth);
        }
        solved[i] += is_solved;
        refused[i] += ret == FW_RET_UNSUPPORTED;
        fw_planner_fini(&planner);
      }
    }
    world_fini(&world);
  }
  for (int32_t i = 0; i < count; ++i) {
    const int32_t wanted = WORLD_CORNERS | WORLD_SPEEDS;
    const bool takes_all = planner_features_within(fw_planner_def_at(i), wanted) == wanted;
    assert_true(takes_all ? solved[i] * 2 > solvable : refused[i] > 0);
  }
}

// A planner that does not support the option returns FW_RET_UNSUPPORTED; only rtaa does.
static void a_planner_without_the_option_says_so(void ** state)
{
  (void)state;
  for (int32_t i = 0; i < fw_planner_def_count(); ++i) {
    const fw_planner_def_t * def = fw_planner_def_at(i);
    assert_int_equal(planner_features_within(def, WORLD_CORNERS) != 0, strcmp(def->name, "rtaa") != 0);
  }
}

// The only path leads between two obstacles. Distances over clusters and searches on other graphs do not contain it:
// these settings must plan all the same.
static void every_setting_goes_through_the_corner(void ** state)
{
  (void)state;
  DRAW(grid, "...#...", "...#...", "..#....", ".#.....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 27}, {.start = 27, .goal = 0}};
  const fw_problem_t problem = {
    .grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 8, .cuts_corners = true};
  for (int32_t i = 0; i < fw_planner_def_count(); ++i) {
    const fw_planner_def_t * def = fw_planner_def_at(i);
    for (int32_t p = 0; p < def->parameter_count && planner_features_within(def, WORLD_CORNERS) != 0; ++p) {
      const fw_parameter_def_t * parameter = &def->parameters[p];
      for (int64_t value = 0; parameter->type == FW_PARAMETER_CHOICE && value <= parameter->max; ++value) {
        fw_planner_t planner;
        fw_plan_t plan;
        fw_conflict_t conflict;
        assert_int_equal(fw_planner_init(&planner, def->name, NULL, NULL), FW_RET_OK);
        const fw_ret_t set = fw_planner_set(&planner, parameter->name, parameter->choices[value], NULL);
        assert_true(set == FW_RET_OK || set == FW_RET_NO_DEVICE);
        const fw_budget_t budget = {.expansions_max = 100000};
        assert_int_equal(fw_planner_solve(&planner, &problem, &budget, &plan, NULL), FW_RET_OK);
        assert_int_equal(fw_check_plan(&problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
        assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
        if (plan.outcome == FW_OUTCOME_UNSOLVABLE || plan.stats.makespan < 6) {
          fail_msg("%s, %s=%s: nobody gets through", def->name, parameter->name, parameter->choices[value]);
        }
        fw_planner_fini(&planner);
      }
    }
  }
}

// Rolling horizon: when the rule changes, the planner starts cold.
static void another_rule_means_a_cold_start(void ** state)
{
  (void)state;
  DRAW(grid, "...#...", "...#...", "..#....", ".......");
  for (int32_t i = 0; i < fw_planner_def_count(); ++i) {
    const fw_planner_def_t * def = fw_planner_def_at(i);
    if (!def->goes_on || planner_features_within(def, WORLD_CORNERS) == 0) {
      continue;
    }
    fw_robot_t robots[] = {{.start = 0, .goal = 6, .id = 1}, {.start = 13, .goal = 7, .id = 2}};
    fw_problem_t problem = {
      .grid = &grid, .robots = robots, .robot_count = 2, .connectivity = 8, .cuts_corners = true, .horizon = 12};
    fw_planner_t planner;
    fw_plan_t plan;
    fw_conflict_t conflict;
    assert_int_equal(fw_planner_init(&planner, def->name, NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, NULL), FW_RET_OK);
    problem.cuts_corners = false;
    assert_int_equal(fw_check_plan(&problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
    assert_int_equal(conflict.kind, FW_CONFLICT_MOVE);
    for (int32_t r = 0; r < 2; ++r) {
      fw_robot_advance(&robots[r], &plan.paths[r], 1);
    }
    problem.since = 1;
    assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, NULL), FW_RET_OK);
    assert_int_equal(fw_check_plan(&problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
    assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
    fw_planner_fini(&planner);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(optimal_planners_find_the_least_cost), cmocka_unit_test(no_planner_contradicts_brute_force),
    cmocka_unit_test(a_planner_without_the_option_says_so), cmocka_unit_test(every_setting_goes_through_the_corner),
    cmocka_unit_test(another_rule_means_a_cold_start),
  };
  return TEST_RUN(tests);
}
