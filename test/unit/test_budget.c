// The budget of a solve: expansions, time, cancellation, memory. However a solve ends, its plan is free of conflicts.

#include "fleetweave/files.h"
#include "fleetweave/planner_def.h"
#include "support/planner_features.h"
#include "support/digest.h"
#include "support/tally.h"
#include "support/test.h"
#include "support/world.h"

static void assert_plan_holds(const fw_problem_t * problem, const fw_plan_t * plan)
{
  fw_conflict_t conflict;
  assert_int_equal(plan->robot_count, problem->robot_count);
  assert_int_equal(fw_check_plan(problem, plan, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
}

static void begin(fw_planner_t * planner, const fw_planner_def_t * def, const fw_planner_options_t * options)
{
  assert_int_equal(fw_planner_init(planner, def->name, options, NULL), FW_RET_OK);
}

// Every count from 1 on, as long as it makes a difference.
static void any_count_of_expansions(void ** state)
{
  (void)state;
  for (int32_t planner_index = 0; planner_index < fw_planner_def_count(); ++planner_index) {
    const fw_planner_def_t * def = fw_planner_def_at(planner_index);
    fw_planner_t planner;
    begin(&planner, def, NULL);
    for (uint64_t number = 0; number < (uint64_t)test_rounds(12); ++number) {
      world_t world;
      world_make(&world, 500 + number, planner_features_within(def, WORLD_ALL), 8);
      bool has_stopped = true;
      for (int64_t count = 1; has_stopped && count < 3000; count += 1 + count / 8) {
        const fw_budget_t budget = {.expansions_max = count};
        fw_plan_t plan;
        assert_int_equal(fw_planner_solve(&planner, &world.problem, &budget, &plan, NULL), FW_RET_OK);
        has_stopped = plan.stop == FW_STOP_EXPANSIONS;
        assert_true(has_stopped || plan.stop == FW_STOP_DONE);
        // An optimal planner may have a plan by then that is not proved to be optimal, an anytime planner one that it
        // could have improved.
        const bool may_be_solved = def->is_optimal || def->is_anytime;
        assert_true(
          !has_stopped || plan.outcome == FW_OUTCOME_PARTIAL || (may_be_solved && plan.outcome == FW_OUTCOME_SOLVED));
        // It also keeps an eighth of the budget for a plan without proof, which may need less.
        assert_true(!has_stopped || plan.stats.expanded >= (def->is_optimal ? count - count / 8 : count));
        assert_plan_holds(&world.problem, &plan);
      }
      world_fini(&world);
    }
    fw_planner_fini(&planner);
  }
}

// One expansion is one: the work before the first search counts, too, however large the map is. Fields of distances are
// searched side by side, so that each robot may have begun one, and `rtaa` ends the episode of all robots.
static void a_budget_of_one_expansion_stops_at_once(void ** state)
{
  (void)state;
  enum { ROBOTS = 30, LOOKAHEAD = 8 };
  fw_grid_t grid;
  fw_scenario_t scenario;
  assert_int_equal(fw_grid_make(&grid, "random:120x120,obstacles=20,seed=1", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_scenario_make(&scenario, &grid, ROBOTS, 1, NULL, NULL), FW_RET_OK);
  const fw_problem_t problem = {.grid = &grid, .robots = scenario.robots, .robot_count = ROBOTS};
  for (int32_t planner_index = 0; planner_index < fw_planner_def_count(); ++planner_index) {
    const fw_planner_def_t * def = fw_planner_def_at(planner_index);
    fw_planner_t planner;
    fw_plan_t plan;
    begin(&planner, def, NULL);
    const fw_budget_t budget = {.expansions_max = 1};
    assert_int_equal(fw_planner_solve(&planner, &problem, &budget, &plan, NULL), FW_RET_OK);
    assert_int_equal(plan.stop, FW_STOP_EXPANSIONS);
    if (plan.stats.expanded > (strcmp(def->name, "rtaa") == 0 ? 1 + ROBOTS * LOOKAHEAD : ROBOTS)) {
      fail_msg("%s expanded %lld nodes", def->name, (long long)plan.stats.expanded);
    }
    assert_plan_holds(&problem, &plan);
    fw_planner_fini(&planner);
  }
  fw_scenario_fini(&scenario);
  fw_grid_fini(&grid);
}

static bool say_yes(void * state)
{
  ++*(int32_t *)state;
  return true;
}

static bool say_yes_the_third_time(void * state) { return ++*(int32_t *)state >= 3; }

static void a_deadline_that_has_passed_and_a_cancellation(void ** state)
{
  (void)state;
  world_t world;
  world_make(&world, 1, WORLD_PLAIN, 8);
  for (int32_t planner_index = 0; planner_index < fw_planner_def_count(); ++planner_index) {
    const fw_planner_def_t * def = fw_planner_def_at(planner_index);
    fw_planner_t planner;
    fw_plan_t plan;
    begin(&planner, def, NULL);
    const fw_budget_t late = {.deadline_ns = 1};
    assert_int_equal(fw_planner_solve(&planner, &world.problem, &late, &plan, NULL), FW_RET_OK);
    assert_int_equal(plan.stop, FW_STOP_DEADLINE);
    assert_int_equal(plan.outcome, FW_OUTCOME_PARTIAL);
    assert_plan_holds(&world.problem, &plan);
    int32_t asked = 0;
    const fw_budget_t cancelled = {.is_cancelled = say_yes, .cancel_state = &asked};
    assert_int_equal(fw_planner_solve(&planner, &world.problem, &cancelled, &plan, NULL), FW_RET_OK);
    assert_int_equal(plan.stop, FW_STOP_CANCELLED);
    assert_int_equal(plan.outcome, FW_OUTCOME_PARTIAL);
    assert_true(asked >= 1);
    assert_plan_holds(&world.problem, &plan);
    fw_planner_fini(&planner);
  }
  world_fini(&world);
}

// A search that never ends on its own: five robots that cannot pass each other in a corridor.
static void a_hopeless_search_ends_when_cancelled(void ** state)
{
  (void)state;
  uint8_t cost[40];
  memset(cost, 1, sizeof(cost));
  const fw_grid_t grid = {.width = 40, .height = 1, .cost = cost};
  const fw_robot_t robots[] = {{.start = 0, .goal = 39}, {.start = 39, .goal = 0}, {.start = 20, .goal = 10}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 3};
  for (int32_t planner_index = 0; planner_index < fw_planner_def_count(); ++planner_index) {
    const fw_planner_def_t * def = fw_planner_def_at(planner_index);
    fw_planner_t planner;
    fw_plan_t plan;
    begin(&planner, def, NULL);
    int32_t asked = 0;
    const fw_budget_t budget = {.is_cancelled = say_yes_the_third_time, .cancel_state = &asked};
    assert_int_equal(fw_planner_solve(&planner, &problem, &budget, &plan, NULL), FW_RET_OK);
    assert_int_not_equal(plan.outcome, FW_OUTCOME_SOLVED);
    assert_true(plan.stop == FW_STOP_CANCELLED || plan.outcome == FW_OUTCOME_UNSOLVABLE);
    assert_plan_holds(&problem, &plan);
    fw_planner_fini(&planner);
  }
}

// Memory limits from nothing on: an error, or a plan with FW_STOP_MEMORY, until there is enough.
static void any_limit_of_memory(void ** state)
{
  (void)state;
  int32_t errors = 0, partial = 0;
  for (int32_t planner_index = 0; planner_index < fw_planner_def_count(); ++planner_index) {
    const fw_planner_def_t * def = fw_planner_def_at(planner_index);
    for (uint64_t number = 0; number < (uint64_t)test_rounds(8); ++number) {
      world_t world;
      world_make(&world, 700 + number, planner_features_within(def, WORLD_ALL), 10);
      bool is_enough = false;
      for (size_t limit = 64; !is_enough && limit < ((size_t)1 << 24); limit += limit / 8) {
        tally_t tally = {0};
        fw_planner_options_t options = fw_planner_options_default();
        options.allocator = tally_allocator(&tally);
        options.memory_max_bytes = limit;
        const fw_budget_t budget = {.expansions_max = 5000};
        fw_planner_t planner;
        fw_plan_t plan;
        const fw_ret_t made = fw_planner_init(&planner, def->name, &options, NULL);
        assert_true(made == FW_RET_OK || made == FW_RET_BAD_ALLOC);
        const fw_ret_t ret =
          made != FW_RET_OK ? made : fw_planner_solve(&planner, &world.problem, &budget, &plan, NULL);
        if (ret == FW_RET_OK) {
          assert_plan_holds(&world.problem, &plan);
          assert_in_range(plan.stats.memory_peak_bytes, 1, limit);
          is_enough = plan.stop != FW_STOP_MEMORY;
          partial += is_enough ? 0 : 1;
        } else {
          assert_int_equal(ret, FW_RET_BAD_ALLOC);
          ++errors;
        }
        fw_planner_fini(&planner);
        assert_int_equal(tally.live, 0);
      }
      assert_true(is_enough);
      world_fini(&world);
    }
  }
  assert_true(errors > 0 && partial > 0);  // both cases occur
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(any_count_of_expansions),
    cmocka_unit_test(a_budget_of_one_expansion_stops_at_once),
    cmocka_unit_test(a_deadline_that_has_passed_and_a_cancellation),
    cmocka_unit_test(a_hopeless_search_ends_when_cancelled),
    cmocka_unit_test(any_limit_of_memory),
  };
  return TEST_RUN(tests);
}
