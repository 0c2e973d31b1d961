// auto: which planners it lets work on which problems, that the plan becomes better and the effort ends, and that what
// it says about its plan is true.

#include "fleetweave/files.h"
#include "fleetweave/planner_def.h"
#include "support/digest.h"
#include "support/test.h"
#include "support/world.h"

// How to solve; `name` and `value` of a parameter, or NULL.
typedef struct way_t {
  const char * planner;
  const char * name;
  const char * value;
  int64_t expansions_max;
} way_t;

typedef struct answer_t {
  fw_planner_t planner;
  fw_plan_t plan;
} answer_t;

static void check(const fw_problem_t * problem, const fw_plan_t * plan)
{
  fw_conflict_t conflict;
  assert_int_equal(fw_check_plan(problem, plan, NULL, &conflict, NULL), FW_RET_OK);
  if (conflict.kind != FW_CONFLICT_NONE) {
    char text[160];
    fw_conflict_describe(problem, &conflict, text, sizeof(text));
    fail_msg("%s", text);
  }
}

// Solves and checks; the caller ends it.
static void solve(answer_t * answer, way_t way, const fw_problem_t * problem)
{
  const fw_budget_t budget = {.expansions_max = way.expansions_max};
  *answer = (answer_t){0};
  assert_int_equal(fw_planner_init(&answer->planner, way.planner, NULL, NULL), FW_RET_OK);
  if (way.name != NULL) {
    assert_int_equal(fw_planner_set(&answer->planner, way.name, way.value, NULL), FW_RET_OK);
  }
  assert_int_equal(fw_planner_solve(&answer->planner, problem, &budget, &answer->plan, NULL), FW_RET_OK);
  check(problem, &answer->plan);
}

static int64_t counter(const fw_plan_t * plan, const char * name)
{
  for (int32_t i = 0; i < plan->stats.counter_count; ++i) {
    if (strcmp(plan->stats.counters[i].name, name) == 0) {
      return plan->stats.counters[i].value;
    }
  }
  fail_msg("there is no counter %s", name);
  return 0;
}

static int64_t sum_of_arrivals(const fw_plan_t * plan)
{
  int64_t sum = 0;
  for (int32_t r = 0; r < plan->robot_count; ++r) {
    sum += fw_paths_makespan(&plan->paths[r], 1);
  }
  return sum;
}

typedef struct fleet_t {
  fw_grid_t grid;
  fw_scenario_t scenario;
  fw_problem_t problem;
} fleet_t;

static void make(fleet_t * fleet, const char * map, int32_t robots)
{
  assert_int_equal(fw_grid_make(&fleet->grid, map, NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_scenario_make(&fleet->scenario, &fleet->grid, robots, 1, NULL, NULL), FW_RET_OK);
  fleet->problem =
    (fw_problem_t){.grid = &fleet->grid, .robots = fleet->scenario.robots, .robot_count = fleet->scenario.robot_count};
}

static void end(fleet_t * fleet)
{
  fw_scenario_fini(&fleet->scenario);
  fw_grid_fini(&fleet->grid);
}

// ---- the decision ---------------------------------------------------------------------------------------------------

// A crowd: lacam, and hca after it within its share. Room: hca alone.
static void the_planner_that_answers_first(void ** state)
{
  (void)state;
  fleet_t crowd, room;
  answer_t answer;
  make(&crowd, "open:8x8", 60);
  make(&room, "warehouse:61x33,seed=1", 20);
  solve(&answer, (way_t){.planner = "auto", .expansions_max = 400000}, &crowd.problem);
  assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
  assert_true(counter(&answer.plan, "lacam_expanded") > 0);
  assert_non_null(strstr(answer.plan.stats.note, "lacam"));
  fw_planner_fini(&answer.planner);
  solve(&answer, (way_t){.planner = "auto"}, &room.problem);
  assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(counter(&answer.plan, "lacam_expanded"), 0);
  assert_true(counter(&answer.plan, "hca_expanded") > 0);
  assert_non_null(strstr(answer.plan.stats.note, "hca"));
  fw_planner_fini(&answer.planner);
  end(&crowd);
  end(&room);
}

// A crowd in which hca finds no plan for a long time has one after what lacam needs, also with effort=first.
static void a_crowd_does_not_wait_for_hca(void ** state)
{
  (void)state;
  fleet_t crowd;
  answer_t answer;
  make(&crowd, "open:8x8", 60);
  solve(&answer, (way_t){.planner = "hca", .expansions_max = 100000}, &crowd.problem);
  assert_int_equal(answer.plan.outcome, FW_OUTCOME_PARTIAL);
  fw_planner_fini(&answer.planner);
  solve(&answer, (way_t){"auto", "effort", "first", 100000}, &crowd.problem);
  assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
  assert_int_equal(counter(&answer.plan, "improve_expanded"), 0);
  assert_int_equal(counter(&answer.plan, "hca_expanded"), 0);
  fw_planner_fini(&answer.planner);
  end(&crowd);
}

// The fleet drives: one plan of hca, as soon as hca has it.
static void a_robot_on_its_way_is_not_kept_waiting(void ** state)
{
  (void)state;
  int32_t same = 0;
  for (int32_t number = 0; number < test_rounds(40); ++number) {
    world_t world;
    world_make(&world, (uint64_t)(1100 + number), WORLD_SPEEDS | WORLD_UNDER_WAY | WORLD_HEADINGS, 12);
    bool is_under_way = false;
    for (int32_t r = 0; r < world.problem.robot_count; ++r) {
      is_under_way = is_under_way || world.problem.robots[r].arrives > 0;
    }
    if (is_under_way) {
      answer_t fast, answer;
      solve(&fast, (way_t){.planner = "hca", .expansions_max = 50000}, &world.problem);
      solve(&answer, (way_t){.planner = "auto", .expansions_max = 50000}, &world.problem);
      assert_int_equal(answer.plan.stats.expanded, fast.plan.stats.expanded);
      assert_true(
        digest_paths(answer.plan.paths, world.problem.robot_count) ==
        digest_paths(fast.plan.paths, world.problem.robot_count));
      fw_planner_fini(&fast.planner);
      fw_planner_fini(&answer.planner);
      ++same;
    }
    world_fini(&world);
  }
  assert_true(4 * same > test_rounds(40));
}

// More distances than memory: where hca alone plans, they are exact as those of hca itself, not over clusters.
static void the_first_plan_has_exact_distances(void ** state)
{
  (void)state;
  static const char * const names[] = {"hca", "auto"};
  fleet_t fleet;
  make(&fleet, "random:160x160,obstacles=20,seed=3", 60);
  uint64_t digests[2];
  for (int32_t i = 0; i < 2; ++i) {
    fw_planner_t planner;
    fw_plan_t plan;
    assert_int_equal(fw_planner_init(&planner, names[i], NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_set(&planner, "exact_mb", "1", NULL), FW_RET_OK);
    if (i == 1) {
      assert_int_equal(fw_planner_set(&planner, "effort", "first", NULL), FW_RET_OK);
    }
    assert_int_equal(fw_planner_solve(&planner, &fleet.problem, NULL, &plan, NULL), FW_RET_OK);
    assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
    check(&fleet.problem, &plan);
    digests[i] = digest_paths(plan.paths, plan.robot_count);
    if (i == 0) {
      assert_true(counter(&plan, "distances_again") > 0);
    } else {
      assert_int_equal(counter(&plan, "lacam_expanded"), 0);
      assert_int_equal(counter(&plan, "bound"), plan.stats.lower_bound);
    }
    fw_planner_fini(&planner);
  }
  assert_true(digests[0] == digests[1]);
  end(&fleet);
}

// hca searches the distances of a robot further than to its start; then its least costs are computed from them.
static void distances_that_hca_has_used_are_used_again(void ** state)
{
  (void)state;
  fleet_t fleet;
  answer_t answer;
  make(&fleet, "random:40x40,obstacles=20,seed=3", 20);
  for (int32_t r = 0; r < fleet.scenario.robot_count; ++r) {
    fw_robot_t robot = fleet.scenario.robots[r];
    robot.turn_ticks = 2;
    robot.ticks_per_move = 4;
    fleet.problem.robots = &robot;
    fleet.problem.robot_count = 1;
    fleet.problem.connectivity = 8;
    solve(&answer, (way_t){.planner = "auto", .name = "effort", .value = "first"}, &fleet.problem);
    assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
    assert_int_equal(counter(&answer.plan, "bound"), counter(&answer.plan, "cost"));
    fw_planner_fini(&answer.planner);
  }
  end(&fleet);
}

// With a horizon, the windows are those of whca, also those that go on from there.
static void a_horizon_is_for_whca(void ** state)
{
  (void)state;
  static const char * const names[] = {"whca", "auto"};
  uint64_t digests[2][4];
  for (int32_t i = 0; i < 2; ++i) {
    fleet_t fleet;
    fw_planner_t planner;
    make(&fleet, "rooms:24x24,room=7,seed=2", 30);
    assert_int_equal(fw_planner_init(&planner, names[i], NULL, NULL), FW_RET_OK);
    fleet.problem.horizon = 6;
    for (int32_t window = 0; window < 4; ++window) {
      fw_plan_t plan;
      fleet.problem.since = window == 0 ? 0 : 3;
      assert_int_equal(fw_planner_solve(&planner, &fleet.problem, NULL, &plan, NULL), FW_RET_OK);
      check(&fleet.problem, &plan);
      digests[i][window] = digest_paths(plan.paths, plan.robot_count);
      for (int32_t r = 0; r < plan.robot_count; ++r) {
        fw_robot_advance(&fleet.scenario.robots[r], &plan.paths[r], 3);
      }
    }
    fw_planner_fini(&planner);
    end(&fleet);
  }
  assert_memory_equal(digests[0], digests[1], sizeof(digests[0]));
}

// ---- better and better ----------------------------------------------------------------------------------------------

// A fleet that is not proved soon: effort=first is the first plan, balanced is better and ends by itself, all uses the
// budget.
static void the_effort_decides_when_it_ends(void ** state)
{
  (void)state;
  static const char * const efforts[] = {"first", "balanced", "all"};
  fleet_t fleet;
  make(&fleet, "random:32x32,obstacles=20,seed=1", 120);
  int64_t costs[3], expanded[3];
  for (int32_t i = 0; i < 3; ++i) {
    answer_t answer;
    solve(&answer, (way_t){"auto", "effort", efforts[i], 6000000}, &fleet.problem);
    assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
    assert_int_equal(answer.plan.stop, i < 2 ? FW_STOP_DONE : FW_STOP_EXPANSIONS);
    costs[i] = counter(&answer.plan, "cost");
    expanded[i] = answer.plan.stats.expanded;
    assert_int_equal(costs[i], sum_of_arrivals(&answer.plan));
    assert_true(costs[i] >= counter(&answer.plan, "bound"));
    fw_planner_fini(&answer.planner);
  }
  assert_true(costs[1] < costs[0] && costs[2] <= costs[1]);
  assert_true(expanded[0] < expanded[1] && expanded[1] < 6000000);
  end(&fleet);
}

// Without any budget it ends by itself, with every feature of problems, and is no later than hca where that has a plan
// from its first order.
static void it_ends_without_a_budget(void ** state)
{
  (void)state;
  static const int32_t features[] = {
    WORLD_PLAIN,
    WORLD_DIAGONALS | WORLD_ROBUST,
    WORLD_SPEEDS | WORLD_SHAPES | WORLD_DIAGONALS,
    WORLD_HEADINGS | WORLD_SWEEPS,
    WORLD_CLOSURES | WORLD_ROBUST,
    WORLD_CORNERS,
  };
  int32_t compared = 0, better = 0;
  for (int32_t number = 0; number < test_rounds(120); ++number) {
    world_t world;
    world_make(&world, (uint64_t)(7000 + number), features[number % TEST_COUNT(features)], 10);
    answer_t fast, answer;
    solve(&fast, (way_t){.planner = "hca", .expansions_max = 20000}, &world.problem);
    if (fast.plan.outcome == FW_OUTCOME_SOLVED && counter(&fast.plan, "orders_tried") == 1) {
      solve(&answer, (way_t){.planner = "auto"}, &world.problem);
      assert_int_equal(answer.plan.outcome, FW_OUTCOME_SOLVED);
      assert_int_equal(answer.plan.stop, FW_STOP_DONE);
      assert_true(sum_of_arrivals(&answer.plan) <= sum_of_arrivals(&fast.plan));
      better += sum_of_arrivals(&answer.plan) < sum_of_arrivals(&fast.plan) ? 1 : 0;
      ++compared;
      fw_planner_fini(&answer.planner);
    }
    fw_planner_fini(&fast.planner);
    world_fini(&world);
  }
  assert_true(compared * 2 > test_rounds(120) && better * 10 > compared);
}

// ---- proofs ---------------------------------------------------------------------------------------------------------

// What is called proved is the optimum of lazy_sat, in both costs; with off_goal the lower bound of the statistics is
// the sum of costs then.
static void what_is_proved_is_the_best(void ** state)
{
  (void)state;
  static const char * const costs[] = {"last_arrival", "off_goal"};
  int32_t proved = 0, by_search = 0, solved = 0;
  for (int32_t number = 0; number < test_rounds(60); ++number) {
    world_t world;
    const char * cost = costs[number % 2];
    world_make(&world, (uint64_t)(300 + number), number % 3 == 0 ? WORLD_DIAGONALS | WORLD_ROBUST : WORLD_PLAIN, 6);
    answer_t best, answer;
    solve(&best, (way_t){"lazy_sat", "cost", cost, 200000}, &world.problem);
    solve(&answer, (way_t){"auto", "cost", cost, 400000}, &world.problem);
    if (best.plan.outcome != FW_OUTCOME_PARTIAL) {
      assert_int_equal(answer.plan.outcome, best.plan.outcome);
    }
    if (best.plan.outcome == FW_OUTCOME_SOLVED && best.plan.stop == FW_STOP_DONE) {
      const bool is_off_goal = number % 2 == 1;
      const int64_t least = is_off_goal ? best.plan.stats.sum_of_costs : counter(&best.plan, "cost_to_last_arrival");
      const bool is_proved = counter(&answer.plan, "proved") == 1;
      assert_true(counter(&answer.plan, "cost") >= least && counter(&answer.plan, "bound") <= least);
      assert_true(answer.plan.stats.lower_bound <= answer.plan.stats.sum_of_costs);
      if (is_proved) {
        assert_int_equal(answer.plan.stop, FW_STOP_DONE);
        assert_int_equal(counter(&answer.plan, "cost"), least);
        assert_int_equal(counter(&answer.plan, "bound"), least);
        assert_int_equal(is_off_goal ? answer.plan.stats.sum_of_costs : sum_of_arrivals(&answer.plan), least);
        assert_true(!is_off_goal || answer.plan.stats.lower_bound == least);
        ++proved;
        by_search += counter(&answer.plan, "proof_expanded") > 0 ? 1 : 0;
      }
      ++solved;
    }
    fw_planner_fini(&best.planner);
    fw_planner_fini(&answer.planner);
    world_fini(&world);
  }
  assert_true(solved * 2 > test_rounds(60) && proved * 10 > solved * 9 && by_search * 10 > test_rounds(60));
}

// Two robots that cannot swap: lacam proves it.
static void what_cannot_be_solved_is_said(void ** state)
{
  (void)state;
  uint8_t cost[20];
  memset(cost, 1, sizeof(cost));
  const fw_grid_t grid = {.width = 20, .height = 1, .cost = cost};
  const fw_robot_t robots[] = {{.start = 0, .goal = 19}, {.start = 19, .goal = 0}};
  const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
  answer_t answer;
  solve(&answer, (way_t){.planner = "auto", .expansions_max = 100000}, &problem);
  assert_int_equal(answer.plan.outcome, FW_OUTCOME_UNSOLVABLE);
  fw_planner_fini(&answer.planner);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_planner_that_answers_first),
    cmocka_unit_test(a_crowd_does_not_wait_for_hca),
    cmocka_unit_test(a_robot_on_its_way_is_not_kept_waiting),
    cmocka_unit_test(the_first_plan_has_exact_distances),
    cmocka_unit_test(distances_that_hca_has_used_are_used_again),
    cmocka_unit_test(a_horizon_is_for_whca),
    cmocka_unit_test(the_effort_decides_when_it_ends),
    cmocka_unit_test(it_ends_without_a_budget),
    cmocka_unit_test(what_is_proved_is_the_best),
    cmocka_unit_test(what_cannot_be_solved_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
