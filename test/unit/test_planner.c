// A planner's life, for every planner in the registry.

#include "fleetweave/planner_def.h"
#include "support/planner_features.h"
#include "support/digest.h"
#include "support/draw.h"
#include "support/tally.h"
#include "support/test.h"
#include "support/world.h"

static void assert_plan_holds(const fw_problem_t * problem, const fw_plan_t * plan)
{
  fw_conflict_t conflict;
  assert_int_equal(fw_check_plan(problem, plan, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
}

static void an_unknown_name_lists_those_there_are(void ** state)
{
  (void)state;
  fw_planner_t planner = {0};
  fw_error_t error;
  assert_int_equal(fw_planner_init(&planner, "nobody", NULL, &error), FW_RET_NOT_FOUND);
  for (int32_t planner_index = 0; planner_index < fw_planner_def_count(); ++planner_index) {
    const fw_planner_def_t * def = fw_planner_def_at(planner_index);
    assert_non_null(strstr(error.text, def->name));
  }
  assert_null(planner.impl);
  assert_int_equal(fw_planner_init(&planner, NULL, NULL, NULL), FW_RET_NOT_FOUND);
  assert_null(fw_planner_definition(&planner));
  fw_planner_fini(&planner);
  fw_planner_fini(NULL);
  fw_planner_options_t options = fw_planner_options_default();
  options.threads = 0;
  assert_int_equal(fw_planner_init(&planner, "hca", &options, &error), FW_RET_INVALID_ARGUMENT);
}

static void parameters_are_set_and_read(void ** state)
{
  (void)state;
  for (int32_t planner_index = 0; planner_index < fw_planner_def_count(); ++planner_index) {
    const fw_planner_def_t * def = fw_planner_def_at(planner_index);
    fw_planner_t planner;
    fw_error_t error;
    assert_int_equal(fw_planner_init(&planner, def->name, NULL, NULL), FW_RET_OK);
    assert_ptr_equal(fw_planner_definition(&planner), def);
    for (int32_t p = 0; p < def->parameter_count; ++p) {
      const fw_parameter_def_t * parameter = &def->parameters[p];
      char initial[64], highest[64], text[64];
      fw_parameter_format(parameter, parameter->initial, initial, sizeof(initial));
      fw_parameter_format(parameter, parameter->max, highest, sizeof(highest));
      assert_int_equal(fw_planner_get(&planner, parameter->name, text, sizeof(text), NULL), FW_RET_OK);
      assert_string_equal(text, initial);
      assert_int_equal(fw_planner_set(&planner, parameter->name, highest, NULL), FW_RET_OK);
      assert_int_equal(fw_planner_set(&planner, parameter->name, "no such value", &error), FW_RET_INVALID_ARGUMENT);
      assert_non_null(strstr(error.text, parameter->name));
      assert_int_equal(fw_planner_get(&planner, parameter->name, text, sizeof(text), NULL), FW_RET_OK);
      assert_string_equal(text, highest);
    }
    char text[8];
    assert_int_equal(fw_planner_set(&planner, "speed_of_light", "1", &error), FW_RET_NOT_FOUND);
    assert_int_equal(fw_planner_get(&planner, "speed_of_light", text, sizeof(text), &error), FW_RET_NOT_FOUND);
    assert_non_null(strstr(error.text, def->parameters[0].name));
    assert_int_equal(fw_planner_set(&planner, NULL, "1", NULL), FW_RET_INVALID_ARGUMENT);
    assert_int_equal(fw_planner_get(&planner, "order", NULL, 0, NULL), FW_RET_INVALID_ARGUMENT);
    fw_planner_fini(&planner);
    assert_int_equal(fw_planner_set(&planner, "order", "index", NULL), FW_RET_INVALID_ARGUMENT);
  }
}

// One of them can step aside: the one on the left. By `bcp` the first of two equals never gives way, and that is the one:
// whatever it answers holds.
static void two_robots_change_places(void ** state)
{
  (void)state;
  DRAW(grid, "....", "#.##");
  const fw_robot_t robots[] = {{.start = 0, .goal = 3}, {.start = 3, .goal = 0}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  for (int32_t planner_index = 0; planner_index < fw_planner_def_count(); ++planner_index) {
    const fw_planner_def_t * def = fw_planner_def_at(planner_index);
    fw_planner_t planner;
    fw_plan_t plan;
    assert_int_equal(fw_planner_init(&planner, def->name, NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, NULL), FW_RET_OK);
    if (strcmp(def->name, "bcp") == 0) {
      assert_int_equal(plan.outcome, FW_OUTCOME_PARTIAL);
      assert_plan_holds(&problem, &plan);
      fw_planner_fini(&planner);
      continue;
    }
    assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
    assert_int_equal(plan.stop, FW_STOP_DONE);
    assert_int_equal(plan.safe_until, FW_TICK_MAX);
    assert_int_equal(plan.stats.lower_bound, def->is_optimal ? 8 : 6);
    assert_int_equal(plan.stats.sum_of_costs, 8);
    assert_true(plan.stats.expanded > 0 && plan.stats.first_plan_ns > 0 && plan.stats.memory_peak_bytes > 0);
    assert_true(plan.stats.elapsed_ns >= plan.stats.first_plan_ns);
    assert_plan_holds(&problem, &plan);
    fw_planner_fini(&planner);
  }
}

static void a_wrong_problem_is_an_error_and_an_empty_plan(void ** state)
{
  (void)state;
  DRAW(grid, "..#");
  const fw_robot_t robot = {.start = 0, .goal = 2};
  const fw_problem_t problem = {.grid = &grid, .robots = &robot, .robot_count = 1};
  const fw_problem_t nobody = {.grid = &grid};
  for (int32_t planner_index = 0; planner_index < fw_planner_def_count(); ++planner_index) {
    const fw_planner_def_t * def = fw_planner_def_at(planner_index);
    fw_planner_t planner;
    fw_plan_t plan = {.robot_count = 7};
    fw_error_t error;
    assert_int_equal(fw_planner_init(&planner, def->name, NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, &error), FW_RET_INVALID_ARGUMENT);
    assert_int_equal(error.fault, FW_FAULT_GOAL_OCCUPIED);
    assert_int_equal(plan.robot_count, 0);
    assert_null(plan.paths);
    assert_int_equal(fw_planner_solve(&planner, &nobody, NULL, &plan, &error), FW_RET_OK);
    assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
    assert_int_equal(fw_planner_solve(&planner, NULL, NULL, &plan, &error), FW_RET_INVALID_ARGUMENT);
    assert_int_equal(fw_planner_solve(&planner, &nobody, NULL, NULL, &error), FW_RET_INVALID_ARGUMENT);
    fw_planner_fini(&planner);
  }
}

static void a_goal_without_a_way_is_unsolvable_and_named(void ** state)
{
  (void)state;
  DRAW(grid, "..#.", "..#.");
  const fw_robot_t robots[] = {{.start = 0, .goal = 1}, {.start = 4, .goal = 7}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  for (int32_t planner_index = 0; planner_index < fw_planner_def_count(); ++planner_index) {
    const fw_planner_def_t * def = fw_planner_def_at(planner_index);
    fw_planner_t planner;
    fw_plan_t plan;
    fw_error_t error = {0};
    assert_int_equal(fw_planner_init(&planner, def->name, NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, &error), FW_RET_OK);
    assert_int_equal(plan.outcome, FW_OUTCOME_UNSOLVABLE);
    assert_int_equal(error.fault, FW_FAULT_NO_VALID_PATH);
    assert_int_equal(error.robot, 1);
    assert_int_equal(error.cell, 7);
    assert_plan_holds(&problem, &plan);
    fw_planner_fini(&planner);
  }
}

static void a_second_solve_gives_the_same_and_asks_for_nothing(void ** state)
{
  (void)state;
  for (int32_t planner_index = 0; planner_index < fw_planner_def_count(); ++planner_index) {
    const fw_planner_def_t * def = fw_planner_def_at(planner_index);
    for (uint64_t number = 0; number < 25; ++number) {
      world_t world;
      world_make(&world, number, planner_features_within(def, WORLD_ALL), 8);
      tally_t tally = {0};
      fw_planner_options_t options = fw_planner_options_default();
      options.allocator = tally_allocator(&tally);
      const fw_budget_t budget = {.expansions_max = 20000};
      fw_planner_t planner;
      fw_plan_t plan;
      assert_int_equal(fw_planner_init(&planner, def->name, &options, NULL), FW_RET_OK);
      assert_int_equal(fw_planner_solve(&planner, &world.problem, &budget, &plan, NULL), FW_RET_OK);
      const uint64_t digest = digest_plan(&plan);
      const int64_t calls = tally.calls;
      for (int32_t i = 0; i < 2; ++i) {
        assert_int_equal(fw_planner_solve(&planner, &world.problem, &budget, &plan, NULL), FW_RET_OK);
        assert_true(digest_plan(&plan) == digest);
        assert_int_equal(tally.calls, calls);
      }
      fw_planner_fini(&planner);
      assert_int_equal(tally.live, 0);
      world_fini(&world);
    }
  }
}

// A planner that has seen other problems answers as a fresh one does.
static void the_past_changes_nothing(void ** state)
{
  (void)state;
  for (int32_t planner_index = 0; planner_index < fw_planner_def_count(); ++planner_index) {
    const fw_planner_def_t * def = fw_planner_def_at(planner_index);
    fw_planner_t old;
    assert_int_equal(fw_planner_init(&old, def->name, NULL, NULL), FW_RET_OK);
    for (uint64_t number = 100; number < 125; ++number) {
      world_t world;
      world_make(&world, number, planner_features_within(def, WORLD_ALL), 8);
      const fw_budget_t budget = {.expansions_max = 20000};
      fw_planner_t fresh;
      fw_plan_t plan, other;
      assert_int_equal(fw_planner_init(&fresh, def->name, NULL, NULL), FW_RET_OK);
      assert_int_equal(fw_planner_solve(&fresh, &world.problem, &budget, &plan, NULL), FW_RET_OK);
      assert_int_equal(fw_planner_solve(&old, &world.problem, &budget, &other, NULL), FW_RET_OK);
      assert_true(digest_plan(&plan) == digest_plan(&other));
      fw_planner_fini(&fresh);
      world_fini(&world);
    }
    fw_planner_fini(&old);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_unknown_name_lists_those_there_are),
    cmocka_unit_test(parameters_are_set_and_read),
    cmocka_unit_test(two_robots_change_places),
    cmocka_unit_test(a_wrong_problem_is_an_error_and_an_empty_plan),
    cmocka_unit_test(a_goal_without_a_way_is_unsolvable_and_named),
    cmocka_unit_test(a_second_solve_gives_the_same_and_asks_for_nothing),
    cmocka_unit_test(the_past_changes_nothing),
  };
  return TEST_RUN(tests);
}
