// Properties that every planner must have on every world.

#include "fleetweave/planner_def.h"
#include "support/lone_robot.h"
#include "support/dijkstra.h"
#include "support/digest.h"
#include "support/test.h"
#include "support/world.h"

static const fw_budget_t budget = {.expansions_max = 30000};

// Solves with a fresh planner; the caller finishes it. Planners may refuse problems that they do not handle.
static bool solve(
  fw_planner_t * planner, const fw_planner_def_t * def, const fw_problem_t * problem, int32_t threads, fw_plan_t * plan)
{
  fw_planner_options_t options = fw_planner_options_default();
  options.threads = threads;
  options.seed = 11;
  assert_int_equal(fw_planner_init(planner, def->name, &options, NULL), FW_RET_OK);
  const fw_ret_t ret = fw_planner_solve(planner, problem, &budget, plan, NULL);
  assert_true(ret == FW_RET_OK || ret == FW_RET_UNSUPPORTED);
  return ret == FW_RET_OK;
}

static void assert_numbers(const fw_problem_t * problem, const fw_plan_t * plan)
{
  fw_cost_t sum = 0, bound = 0;
  fw_tick_t makespan = 0;
  bool is_possible = true;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_path_t * path = &plan->paths[r];
    const fw_robot_t * robot = &problem->robots[r];
    for (fw_tick_t t = 1; t < path->length; ++t) {
      const bool is_on_goal = path->cells[t] == robot->goal && path->cells[t - 1] == robot->goal;
      const bool is_turn = robot->turn_ticks > 0 && path->headings[t] != path->headings[t - 1];
      sum += !is_on_goal ? 1 : is_turn ? (robot->turn_ticks < t ? robot->turn_ticks : t) : 0;
      makespan = (path->cells[t] != path->cells[t - 1] || is_turn) && t > makespan ? t : makespan;
    }
    const int32_t ticks = dijkstra_ticks(problem, r);
    is_possible = is_possible && ticks >= 0;
    const bool is_leaving = robot->arrives > 0 && robot->from == robot->goal && robot->start != robot->goal;
    bound += ticks + (is_leaving ? 1 : robot->arrives);
  }
  assert_int_equal(plan->stats.sum_of_costs, sum);
  assert_int_equal(plan->stats.makespan, makespan);
  assert_true(plan->stats.counter_count >= 0 && plan->stats.counter_count <= FW_COUNTERS_MAX);
  if (!is_possible) {
    assert_int_not_equal(plan->outcome, FW_OUTCOME_SOLVED);
    return;
  }
  assert_in_range(plan->stats.lower_bound, 0, INT64_MAX);
  if (plan->outcome == FW_OUTCOME_SOLVED) {
    assert_int_equal(plan->safe_until, FW_TICK_MAX);
    assert_true(plan->stats.lower_bound >= bound);  // each robot alone on the map is a lower bound
    assert_true(plan->stats.sum_of_costs >= plan->stats.lower_bound);
  }
}

static void plans_are_free_of_conflicts_and_their_numbers_are_right(void ** state)
{
  (void)state;
  for (int32_t planner_index = 0; planner_index < fw_planner_def_count(); ++planner_index) {
    const fw_planner_def_t * def = fw_planner_def_at(planner_index);
    int32_t solved = 0, all = 0;
    for (int32_t number = 0; number < test_many_rounds(1400); ++number) {
      static const int32_t features[] = {
        WORLD_PLAIN,
        WORLD_DIAGONALS | WORLD_ROBUST,
        WORLD_ALL,
        WORLD_CLOSURES,
        WORLD_CLOSURES | WORLD_DIAGONALS | WORLD_SPEEDS,
        WORLD_CLOSURES | WORLD_ALL,
        WORLD_HEADINGS,
        WORLD_MOTION,
        WORLD_MOTION | WORLD_CLOSURES,
        WORLD_MOTION | WORLD_UNDER_WAY,
        WORLD_SPEEDS | WORLD_UNDER_WAY | WORLD_CLOSURES,
        WORLD_CORNERS,
        WORLD_CORNERS | WORLD_ONE_CELL | WORLD_CLOSURES,
        WORLD_CORNERS | WORLD_ONE_CELL | WORLD_SPEEDS | WORLD_UNDER_WAY};
      world_t world;
      world_make(&world, (uint64_t)number, features[number % TEST_COUNT(features)], 10);
      fw_planner_t planner;
      fw_plan_t plan;
      if (solve(&planner, def, &world.problem, 1, &plan)) {
        fw_conflict_t conflict;
        assert_int_equal(fw_check_plan(&world.problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
        if (conflict.kind != FW_CONFLICT_NONE) {
          char text[160];
          fw_conflict_describe(&world.problem, &conflict, text, sizeof(text));
          fail_msg("%s: %s: %s", def->name, world.text, text);
        }
        assert_numbers(&world.problem, &plan);
        solved += plan.outcome == FW_OUTCOME_SOLVED ? 1 : 0;
        ++all;
      }
      fw_planner_fini(&planner);
      world_fini(&world);
    }
    assert_true(solved * 3 > all);  // and it solves a fair share
  }
}

// A world in which all robots are on their goals while some have planned to step aside again: the plan ends there.
static void a_solved_plan_ends_when_all_have_arrived(void ** state)
{
  (void)state;
  world_t world;
  world_make(&world, 13883, WORLD_DIAGONALS | WORLD_ROBUST, 10);
  fw_planner_t planner;
  fw_plan_t plan;
  fw_conflict_t conflict;
  assert_true(solve(&planner, fw_planner_def_find("whca"), &world.problem, 1, &plan));
  assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(fw_check_plan(&world.problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
  fw_planner_fini(&planner);
  world_fini(&world);
}

static void the_same_bytes_twice_and_for_two_threads(void ** state)
{
  (void)state;
  for (int32_t planner_index = 0; planner_index < fw_planner_def_count(); ++planner_index) {
    const fw_planner_def_t * def = fw_planner_def_at(planner_index);
    for (int32_t number = 0; number < test_many_rounds(80); ++number) {
      world_t world;
      const int32_t features = number % 3 == 0 ? WORLD_MOTION | WORLD_UNDER_WAY : WORLD_ALL;
      world_make(&world, (uint64_t)(2000 + number), features | (number % 2 == 0 ? WORLD_CLOSURES : 0), 24);
      const int32_t threads[] = {1, 1, 2, 3};
      uint64_t digests[TEST_COUNT(threads)] = {0};
      for (int32_t i = 0; i < TEST_COUNT(threads); ++i) {
        fw_planner_t planner;
        fw_plan_t plan;
        digests[i] = solve(&planner, def, &world.problem, threads[i], &plan) ? digest_plan(&plan) : 1;
        fw_planner_fini(&planner);
        if (digests[i] != digests[0]) {
          fail_msg("%s: %s: run %d with %d threads differs", def->name, world.text, i, threads[i]);
        }
      }
      world_fini(&world);
    }
  }
}

// With strict priorities the robot of the highest priority gives way to no other: it arrives as early as it would
// alone. Optimal planners, and planners that say so (may_delay_first), may delay it.
static void the_highest_priority_arrives_as_if_alone(void ** state)
{
  (void)state;
  for (int32_t planner_index = 0; planner_index < fw_planner_def_count(); ++planner_index) {
    const fw_planner_def_t * def = fw_planner_def_at(planner_index);
    int32_t seen = 0;
    for (int32_t number = 0; number < test_many_rounds(400) && !def->is_optimal && !def->may_delay_first; ++number) {
      world_t world;
      world_make(
        &world, (uint64_t)(3000 + number), WORLD_DIAGONALS | WORLD_ROBUST | WORLD_PRIORITIES | WORLD_SPEEDS, 12);
      fw_robot_t * first = &world.robots[world.problem.robot_count / 2];
      first->priority = 9;
      fw_planner_t planner;
      fw_plan_t plan;
      assert_int_equal(fw_planner_init(&planner, def->name, NULL, NULL), FW_RET_OK);
      (void)!fw_planner_set(&planner, "priorities", "strict", NULL);
      const fw_ret_t ret = fw_planner_solve(&planner, &world.problem, &budget, &plan, NULL);
      if (ret == FW_RET_OK && plan.outcome == FW_OUTCOME_SOLVED) {
        const int32_t robot = world.problem.robot_count / 2;
        const fw_tick_t arrival = fw_paths_makespan(&plan.paths[robot], 1);
        const fw_tick_t expected = lone_robot_arrival(&world.problem, robot);
        if (arrival != expected) {
          fail_msg("%s: %s: robot %d arrives at %d, not at %d", def->name, world.text, robot, arrival, expected);
        }
        ++seen;
      }
      fw_planner_fini(&planner);
      world_fini(&world);
    }
    assert_true(8 * seen > test_many_rounds(400) || def->is_optimal || def->may_delay_first);
  }
}

// With every value of every choice and every boolean there is a plan, and it is free of conflicts.
static void every_setting_works(void ** state)
{
  (void)state;
  for (int32_t planner_index = 0; planner_index < fw_planner_def_count(); ++planner_index) {
    const fw_planner_def_t * def = fw_planner_def_at(planner_index);
    for (int32_t p = 0; p < def->parameter_count; ++p) {
      const fw_parameter_def_t * parameter = &def->parameters[p];
      const int64_t last = parameter->type == FW_PARAMETER_INTEGER ? parameter->min : parameter->max;
      for (int64_t value = parameter->min; value <= last; ++value) {
        for (uint64_t number = 0; number < 12; ++number) {
          world_t world;
          const int32_t features = number % 3 == 0   ? WORLD_MOTION | WORLD_UNDER_WAY
                                   : number % 4 == 1 ? WORLD_CORNERS | WORLD_ONE_CELL
                                                     : WORLD_ALL;
          world_make(&world, 4000 + number, features | (number % 2 == 0 ? WORLD_CLOSURES : 0), 8);
          char text[64];
          fw_parameter_format(parameter, value, text, sizeof(text));
          fw_planner_t planner;
          fw_plan_t plan;
          fw_conflict_t conflict;
          assert_int_equal(fw_planner_init(&planner, def->name, NULL, NULL), FW_RET_OK);
          const fw_ret_t set = fw_planner_set(&planner, parameter->name, text, NULL);
          assert_true(set == FW_RET_OK || set == FW_RET_NO_DEVICE);
          const fw_ret_t ret = fw_planner_solve(&planner, &world.problem, &budget, &plan, NULL);
          assert_true(ret == FW_RET_OK || ret == FW_RET_UNSUPPORTED);
          if (ret == FW_RET_OK) {
            assert_int_equal(fw_check_plan(&world.problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
            assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
          }
          fw_planner_fini(&planner);
          world_fini(&world);
        }
      }
    }
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_solved_plan_ends_when_all_have_arrived),
    cmocka_unit_test(plans_are_free_of_conflicts_and_their_numbers_are_right),
    cmocka_unit_test(the_same_bytes_twice_and_for_two_threads),
    cmocka_unit_test(the_highest_priority_arrives_as_if_alone),
    cmocka_unit_test(every_setting_works),
  };
  return TEST_RUN(tests);
}
