// The life of a planner: for every planner in the registry, and for planners that are defined outside of the library.

#include <stdio.h>

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

static void an_unknown_name_lists_the_known_ones(void ** state)
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
      const fw_ret_t ret = fw_planner_set(&planner, parameter->name, highest, NULL);
      if (ret != FW_RET_NO_DEVICE) {  // else a GPU that is not there is required: refused, and the value stays
        assert_int_equal(ret, FW_RET_OK);
      } else {
        (void)snprintf(highest, sizeof(highest), "%s", initial);
      }
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

// Only the robot on the left can step aside. In `bcp` the first of two equal robots never gives way, and that is this
// one: its plan is partial, and free of conflicts.
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

static void a_goal_without_a_path_is_unsolvable_and_named(void ** state)
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

static void a_second_solve_gives_the_same_plan_and_allocates_nothing(void ** state)
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

// A planner that has solved other problems gives the same plan as a fresh one.
static void earlier_problems_change_nothing(void ** state)
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

// ---- planners that are defined outside of the library ---------------------------------------------------------------

enum { OUTSIDE_STEPS, OUTSIDE_ANSWER };
enum { ANSWER_WAITS, ANSWER_MOVES, ANSWER_NO_OUTCOME, ANSWER_NO_PATHS, ANSWER_EMPTY_PATH, ANSWER_FAILS, ANSWER_LAST };

static const char * const answer_names[] = {"waits", "moves", "no_outcome", "no_paths", "empty_path", "fails"};

static const fw_parameter_def_t outside_parameters[] = {
  [OUTSIDE_STEPS] = {.name = "steps", .initial = 10, .min = 1, .max = 1000000, .help = "expansions to count"},
  [OUTSIDE_ANSWER] =
    {.name = "answer",
     .type = FW_PARAMETER_CHOICE,
     .max = ANSWER_LAST - 1,
     .choices = answer_names,
     .help = "what solve returns"},
};

typedef struct outside_t {
  int32_t solves;
} outside_t;

static int32_t outside_finis;

static fw_ret_t outside_init(fw_planner_context_t * context, fw_error_t * error)
{
  (void)error;
  context->state = fw_planner_allocate_kept(context, 1, sizeof(outside_t));
  return context->state != NULL ? FW_RET_OK : FW_RET_BAD_ALLOC;
}

static void outside_fini(fw_planner_context_t * context)
{
  (void)context;
  ++outside_finis;
}

// Counts expansions; then each robot goes straight to its goal, which the caller has made sure is one step away.
static fw_ret_t outside_solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  const int64_t answer = context->parameters[OUTSIDE_ANSWER];
  ++((outside_t *)context->state)->solves;
  assert_non_null(error);
  assert_int_equal(error->text[0], '\0');
  assert_int_equal(problem->connectivity, 4);  // normalised
  for (int64_t i = 0; i < context->parameters[OUTSIDE_STEPS]; ++i) {
    if (fw_planner_expand(context, 1)) {
      assert_int_not_equal(fw_planner_stop(context), FW_STOP_DONE);
      return fw_planner_wait_all(context, problem, plan, error);
    }
  }
  if (answer == ANSWER_WAITS) {
    return fw_planner_wait_all(context, problem, plan, error);
  }
  if (answer == ANSWER_FAILS) {
    return FW_RET_UNSUPPORTED;
  }
  fw_path_t * paths = fw_planner_allocate(context, (size_t)problem->robot_count, sizeof(*paths));
  if (paths == NULL) {
    return FW_RET_BAD_ALLOC;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    fw_cell_t * cells = fw_planner_allocate(context, 2, sizeof(*cells));
    if (cells == NULL) {
      return FW_RET_BAD_ALLOC;
    }
    cells[0] = problem->robots[r].start;
    cells[1] = problem->robots[r].goal;
    paths[r] = (fw_path_t){.cells = cells, .length = answer == ANSWER_EMPTY_PATH ? 0 : 2};
  }
  plan->outcome = answer == ANSWER_NO_OUTCOME ? FW_OUTCOME_NONE : FW_OUTCOME_SOLVED;
  plan->safe_until = FW_TICK_MAX;
  plan->paths = answer == ANSWER_NO_PATHS ? NULL : paths;
  return FW_RET_OK;
}

static const fw_planner_def_t outside = {
  .name = "outside",
  .summary = "a planner of a test",
  .paper = "",
  .parameters = outside_parameters,
  .parameter_count = FW_PARAMETER_COUNT(outside_parameters),
  .init = outside_init,
  .solve = outside_solve,
  .fini = outside_fini,
};

static void a_planner_from_outside_has_memory_budget_and_parameters(void ** state)
{
  (void)state;
  DRAW(grid, "....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 1}, {.start = 3, .goal = 2}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  fw_planner_t planner;
  fw_plan_t plan;
  fw_error_t error = {0};
  tally_t tally = {0};
  fw_planner_options_t options = fw_planner_options_default();
  options.allocator = tally_allocator(&tally);
  outside_finis = 0;
  assert_int_equal(fw_planner_init_with(&planner, &outside, &options, &error), FW_RET_OK);
  assert_ptr_equal(fw_planner_definition(&planner), &outside);
  assert_null(fw_planner_def_find("outside"));  // the registry does not change

  assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, &error), FW_RET_OK);
  assert_int_equal(plan.outcome, FW_OUTCOME_PARTIAL);
  assert_int_equal(plan.stop, FW_STOP_DONE);
  assert_plan_holds(&problem, &plan);

  assert_int_equal(fw_planner_set(&planner, "answer", "moves", NULL), FW_RET_OK);
  assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, &error), FW_RET_OK);
  assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(plan.stats.sum_of_costs, 2);
  assert_int_equal(plan.stats.expanded, 10);
  assert_plan_holds(&problem, &plan);

  assert_int_equal(fw_planner_set(&planner, "steps", "1000000", NULL), FW_RET_OK);
  assert_int_equal(
    fw_planner_solve(&planner, &problem, &(fw_budget_t){.expansions_max = 5000}, &plan, &error), FW_RET_OK);
  assert_int_equal(plan.stop, FW_STOP_EXPANSIONS);
  assert_int_equal(plan.outcome, FW_OUTCOME_PARTIAL);
  fw_planner_fini(&planner);
  assert_int_equal(outside_finis, 1);
  assert_int_equal(tally.live, 0);
}

static void an_incomplete_answer_from_outside_is_an_error(void ** state)
{
  (void)state;
  DRAW(grid, "....");
  const fw_robot_t robots[] = {{.start = 0, .goal = 1}, {.start = 3, .goal = 2}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  const struct {
    const char * answer;
    fw_ret_t ret;
    const char * text;
  } cases[] = {
    {"no_outcome", FW_RET_ERROR, "outside has returned a plan without an outcome"},
    {"no_paths", FW_RET_ERROR, "no path for robot 0"},
    {"empty_path", FW_RET_ERROR, "no path for robot 0"},
    {"fails", FW_RET_UNSUPPORTED, "planner outside has failed with code 14"},
  };
  fw_planner_t planner;
  assert_int_equal(fw_planner_init_with(&planner, &outside, NULL, NULL), FW_RET_OK);
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    fw_plan_t plan = {.robot_count = 7};
    fw_error_t error = {0};
    assert_int_equal(fw_planner_set(&planner, "answer", cases[i].answer, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, &error), cases[i].ret);
    assert_non_null(strstr(error.text, cases[i].text));
    assert_int_equal(plan.robot_count, 0);
    assert_int_equal(fw_planner_solve(&planner, &problem, NULL, &plan, NULL), cases[i].ret);
  }
  fw_planner_fini(&planner);
}

// A planner that keeps to its memory limit answers, or says that there is no memory.
static void a_planner_from_outside_obeys_the_memory_limit(void ** state)
{
  (void)state;
  fw_planner_options_t options = fw_planner_options_default();
  options.memory_max_bytes = 1;
  fw_planner_t planner;
  fw_error_t error = {0};
  outside_finis = 0;
  assert_int_equal(fw_planner_init_with(&planner, &outside, &options, &error), FW_RET_BAD_ALLOC);
  assert_string_equal(error.text, "out of memory");
  assert_null(planner.impl);
  assert_int_equal(outside_finis, 1);
}

static void a_definition_with_a_mistake_is_refused(void ** state)
{
  (void)state;
  const fw_parameter_def_t good = {.name = "one", .max = 2, .help = "a number"};
  fw_parameter_def_t twice[] = {good, good};
  fw_parameter_def_t bad_name = good, bad_range = good, bad_type = good, no_help = good, no_words = good,
                     bad_flag = good;
  bad_name.name = "One";
  bad_range.initial = 3;
  bad_type.type = (fw_parameter_type_t)9;
  no_help.help = NULL;
  no_words.type = FW_PARAMETER_CHOICE;
  bad_flag.type = FW_PARAMETER_BOOLEAN;
  fw_planner_def_t no_name = outside, shouting = outside, no_summary = outside, no_paper = outside, no_solve = outside;
  fw_planner_def_t many = outside, negative = outside, no_table = outside;
  no_name.name = NULL;
  shouting.name = "Outside!";
  no_summary.summary = NULL;
  no_paper.paper = NULL;
  no_solve.solve = NULL;
  many.parameter_count = FW_PARAMETERS_MAX + 1;
  negative.parameter_count = -1;
  no_table.parameters = NULL;
  fw_planner_def_t tables[7];
  const fw_parameter_def_t * const wrong[] = {&bad_name, &bad_range, &bad_type, &no_help, &no_words, &bad_flag, twice};
  for (int32_t i = 0; i < TEST_COUNT(wrong); ++i) {
    tables[i] = outside;
    tables[i].parameters = wrong[i];
    tables[i].parameter_count = wrong[i] == twice ? 2 : 1;
  }
  const struct {
    const fw_planner_def_t * def;
    const char * text;
  } cases[] = {
    {NULL, "must not be NULL"},
    {&no_name, "name must consist of"},
    {&shouting, "'Outside!'"},
    {&no_summary, "summary must not be NULL"},
    {&no_paper, "paper must not be NULL"},
    {&no_solve, "solve must not be NULL"},
    {&many, "between 0 and 24, not 25"},
    {&negative, "not -1"},
    {&no_table, "parameters must not be NULL"},
    {&tables[0], "parameter 0 (One): its name must consist of"},
    {&tables[1], "between min and max"},
    {&tables[2], "type"},
    {&tables[3], "help"},
    {&tables[4], "a choice must have words"},
    {&tables[5], "boolean must be 0 to 1"},
    {&tables[6], "parameter 1 (one): an earlier parameter has the same name"},
  };
  for (int32_t i = 0; i < TEST_COUNT(cases); ++i) {
    fw_planner_t planner;
    fw_error_t error = {0};
    assert_int_equal(fw_planner_init_with(&planner, cases[i].def, NULL, &error), FW_RET_INVALID_ARGUMENT);
    assert_null(planner.impl);
    if (strstr(error.text, cases[i].text) == NULL) {
      fail_msg("'%s' is not in '%s'", cases[i].text, error.text);
    }
    assert_int_equal(fw_planner_def_check(cases[i].def, NULL), FW_RET_INVALID_ARGUMENT);
  }
  assert_int_equal(fw_planner_init_with(NULL, &outside, NULL, NULL), FW_RET_INVALID_ARGUMENT);
  for (int32_t i = 0; i < fw_planner_def_count(); ++i) {
    assert_int_equal(fw_planner_def_check(fw_planner_def_at(i), NULL), FW_RET_OK);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(an_unknown_name_lists_the_known_ones),
    cmocka_unit_test(parameters_are_set_and_read),
    cmocka_unit_test(two_robots_change_places),
    cmocka_unit_test(a_wrong_problem_is_an_error_and_an_empty_plan),
    cmocka_unit_test(a_goal_without_a_path_is_unsolvable_and_named),
    cmocka_unit_test(a_second_solve_gives_the_same_plan_and_allocates_nothing),
    cmocka_unit_test(earlier_problems_change_nothing),
    cmocka_unit_test(a_planner_from_outside_has_memory_budget_and_parameters),
    cmocka_unit_test(an_incomplete_answer_from_outside_is_an_error),
    cmocka_unit_test(a_planner_from_outside_obeys_the_memory_limit),
    cmocka_unit_test(a_definition_with_a_mistake_is_refused),
  };
  return TEST_RUN(tests);
}
