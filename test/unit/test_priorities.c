// Priorities decide who gives way, and never whether there is a plan, unless they are strict.

#include "fleetweave/files.h"
#include "support/digest.h"
#include "support/draw.h"
#include "support/test.h"
#include "support/world.h"

// The first three negotiate who gives way, and the fourth searches for a way where its robots stall; `bcp` does not
// find a way out of every corridor.
static const char * const PLANNERS[] = {"ca", "hca", "whca", "rtaa", "bcp"};
enum { NEGOTIATING = 3, RTAA = 3, SOLVING = 4 };

typedef struct solution_t {
  fw_outcome_t outcome;
  fw_tick_t arrivals[16];
  uint64_t digest;
  char note[FW_DEVICE_NOTE_SIZE];
} solution_t;

static solution_t solve(const char * planner_name, const fw_problem_t * problem, const char * priorities)
{
  static const fw_budget_t budget = {.expansions_max = 3000000};
  fw_planner_t planner;
  fw_plan_t plan;
  solution_t solution = {0};
  fw_planner_options_t options = fw_planner_options_default();
  options.seed = 1;
  assert_int_equal(fw_planner_init(&planner, planner_name, &options, NULL), FW_RET_OK);
  if (strcmp(planner_name, PLANNERS[RTAA]) != 0) {  // it has no such parameter
    assert_int_equal(fw_planner_set(&planner, "priorities", priorities, NULL), FW_RET_OK);
  }
  assert_int_equal(fw_planner_solve(&planner, problem, &budget, &plan, NULL), FW_RET_OK);
  solution.outcome = plan.outcome;
  plan.stats.expanded = 0;  // one search more with strict priorities, for the note
  solution.digest = digest_plan(&plan);
  memcpy(solution.note, plan.stats.note, sizeof(solution.note));
  for (int32_t r = 0; r < problem->robot_count && r < TEST_COUNT(solution.arrivals); ++r) {
    solution.arrivals[r] = fw_paths_makespan(&plan.paths[r], 1);
  }
  fw_planner_fini(&planner);
  return solution;
}

// Two robots swap in a corridor with one bay in its middle: the first one there has to wait for the other.
static void a_corridor_with_a_bay(void ** state)
{
  (void)state;
  DRAW(grid, ".........", "####.####");
  for (int32_t first = -1; first <= 5; first += 3) {
    fw_robot_t robots[] = {{.start = 0, .goal = 8, .priority = first}, {.start = 8, .goal = 0, .priority = 2}};
    const fw_problem_t problem = {.grid = &grid, .robots = robots, .robot_count = 2};
    for (int32_t k = 0; k < SOLVING; ++k) {
      const solution_t solution = solve(PLANNERS[k], &problem, "yield");
      if (solution.outcome != FW_OUTCOME_SOLVED) {
        fail_msg("%s: priorities %d and 2: %s", PLANNERS[k], first, fw_outcome_name(solution.outcome));
      }
    }
    for (int32_t k = 1; k < NEGOTIATING; ++k) {
      const solution_t strict = solve(PLANNERS[k], &problem, "strict");
      assert_int_equal(strict.outcome, first == 2 ? FW_OUTCOME_SOLVED : FW_OUTCOME_PARTIAL);
      // The answer names the robot that would have to give way.
      assert_string_equal(
        strict.note,
        first == -1  ? "robot 0 has no path unless robot 1, of higher priority, gives way to it (priorities=strict)"
        : first == 5 ? "robot 1 has no path unless robot 0, of higher priority, gives way to it (priorities=strict)"
                     : "");
    }
  }
}

typedef enum assignment_t { NONE, FIRST, LAST, ALL, ASSIGNMENTS } assignment_t;

static void assign(fw_scenario_t * scenario, assignment_t assignment)
{
  for (int32_t r = 0; r < scenario->robot_count; ++r) {
    const bool is_high = (assignment == FIRST && r == 0) || (assignment == LAST && r == scenario->robot_count - 1);
    scenario->robots[r].priority = assignment == ALL ? r : is_high ? 5 : 0;
  }
}

// With priorities, whatever they are, as many instances are solved as without. `whca` is not complete, and with others
// first it may lose one instance and win another, so that only the sum counts. `rtaa` solves all of them, whatever the
// priorities are, although its robots choose by priority in every tick.
static void priorities_cost_no_instance(void ** state)
{
  (void)state;
  static const char * const maps[] = {
    "maze:15x15,seed=%d", "rooms:13x13,room=3,seed=%d", "random:10x10,obstacles=35,seed=%d"};
  for (int32_t k = 0; k < TEST_COUNT(PLANNERS); ++k) {
    int32_t solved[ASSIGNMENTS] = {0};
    for (int32_t number = 0; number < test_many_rounds(15); ++number) {
      char line[64];
      fw_grid_t grid;
      fw_scenario_t scenario;
      (void)snprintf(line, sizeof line, maps[number % TEST_COUNT(maps)], number);
      assert_int_equal(fw_grid_make(&grid, line, NULL, NULL), FW_RET_OK);
      assert_int_equal(fw_scenario_make(&scenario, &grid, 6, (uint64_t)number, NULL, NULL), FW_RET_OK);
      const fw_problem_t problem = {.grid = &grid, .robots = scenario.robots, .robot_count = scenario.robot_count};
      for (assignment_t assignment = NONE; assignment < ASSIGNMENTS; ++assignment) {
        assign(&scenario, assignment);
        solved[assignment] += solve(PLANNERS[k], &problem, "yield").outcome == FW_OUTCOME_SOLVED ? 1 : 0;
      }
      fw_scenario_fini(&scenario);
      fw_grid_fini(&grid);
    }
    for (assignment_t assignment = FIRST; assignment < ASSIGNMENTS; ++assignment) {
      if (solved[assignment] < solved[NONE]) {
        fail_msg(
          "%s: %d solved without priorities, %d with those of kind %d", PLANNERS[k], solved[NONE], solved[assignment],
          assignment);
      }
    }
    print_message("%s: %d solved\n", PLANNERS[k], solved[NONE]);
    assert_true(15 * solved[NONE] > (k < SOLVING ? 8 : 5) * test_many_rounds(15));
    assert_true(k != RTAA || solved[NONE] == test_many_rounds(15));
  }
}

// Nobody gives way without need: where there is a plan with strict priorities, it is the plan.
static void nobody_yields_without_need(void ** state)
{
  (void)state;
  int32_t strict = 0, yielding = 0;
  for (int32_t number = 0; number < (test_is_set("FLEETWEAVE_SHORT") ? 80 : test_rounds(200)); ++number) {
    world_t world;
    world_make(&world, (uint64_t)(5000 + number), WORLD_ROBUST | WORLD_PRIORITIES, 12);
    const solution_t one = solve("hca", &world.problem, "strict");
    const solution_t two = solve("hca", &world.problem, "yield");
    if (one.outcome == FW_OUTCOME_SOLVED && two.digest != one.digest) {
      // It was found after so many orders that others had been tried with one priority for some.
      assert_int_equal(two.outcome, FW_OUTCOME_SOLVED);
      ++yielding;
    }
    strict += one.outcome == FW_OUTCOME_SOLVED ? 1 : 0;
    world_fini(&world);
  }
  const int32_t few = test_is_set("FLEETWEAVE_SHORT") ? 2 : 0;  // among so few worlds chance counts
  assert_true(strict > 20 && (yielding - few) * 20 <= strict);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_corridor_with_a_bay),
    cmocka_unit_test(priorities_cost_no_instance),
    cmocka_unit_test(nobody_yields_without_need),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
