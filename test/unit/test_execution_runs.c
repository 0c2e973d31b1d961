// Properties of every plan of every planner when robots are slow, stop and have noisy odometry: no two robots touch,
// there is no deadlock, and all robots arrive.

#include <math.h>
#include <stdio.h>

#include "fleetweave/execution.h"
#include "fleetweave/planner_def.h"
#include "support/planner_features.h"
#include "support/solvable.h"
#include "support/test.h"
#include "support/world.h"

enum { RUNS = 220 };  // of all planners together; 11,000 in the long test
static const fw_budget_t budget = {.expansions_max = 30000};

// Some robots get a heading, where their footprints then still fit.
static void give_headings(world_t * world, fw_rng_t * rng)
{
  const int32_t step = world->problem.connectivity == 8 ? 1 : 2;
  for (int32_t i = 0; i < world->problem.robot_count; ++i) {
    const fw_robot_t before = world->robots[i];
    if (fw__rng_below(rng, 2) == 0) {
      world->robots[i].turn_ticks = 1 + fw__rng_below(rng, 3);
      world->robots[i].heading = step * fw__rng_below(rng, FW_HEADING_COUNT / step);
      world->robots[i].sweeps_sides = fw__rng_below(rng, 2) == 0;
    }
    if (fw_problem_check(&world->problem, NULL) != FW_RET_OK) {
      world->robots[i] = before;
    }
  }
}

// A world with all features that the planner supports.
static void make_world(world_t * world, const fw_planner_def_t * def, uint64_t number)
{
  static const int32_t features[] = {
    WORLD_PLAIN, WORLD_DIAGONALS | WORLD_ROBUST, WORLD_SPEEDS | WORLD_ROBUST, WORLD_SHAPES | WORLD_SPEEDS, WORLD_ALL,
    WORLD_ALL};
  world_make(world, number, planner_features_within(def, features[number % TEST_COUNT(features)]), 16);
  fw_rng_t rng = fw__rng(number + 77);
  if ((number % 6 == 5 || number % 6 == 3) && planner_features_within(def, WORLD_HEADINGS) != 0) {
    give_headings(world, &rng);
  }
  if (number % 6 != 0) {
    world->problem.robust_ticks += world->problem.robust_ticks == 0 ? fw__rng_below(&rng, 3) : 0;
  }
}

static fw_simulated_fleet_options_t make_delays(uint64_t number)
{
  fw_rng_t rng = fw__rng(number * 31 + 5);
  fw_simulated_fleet_options_t options = fw_simulated_fleet_options_default();
  options.seed = number;
  options.slow_chance = 0.1 * fw__rng_below(&rng, 6);
  options.slow_factor = 0.1 + 0.1 * fw__rng_below(&rng, 8);
  options.stops_per_hour = 100.0 * fw__rng_below(&rng, 6);
  options.stop_seconds_max = 1.0 + fw__rng_below(&rng, 20);
  options.noise = 0.01 * fw__rng_below(&rng, 5);
  options.acceleration = 0.5 + fw__rng_below(&rng, 4);
  options.speed = 0.8 + 0.2 * fw__rng_below(&rng, 5);
  return options;
}

static fw_execution_options_t make_execution(uint64_t number)
{
  fw_rng_t rng = fw__rng(number * 13 + 3);
  fw_execution_options_t options = fw_execution_options_default();
  options.tolerance = 0.05 + 0.05 * fw__rng_below(&rng, 3);
  options.yaw_tolerance = 0.05;
  options.ahead_max = fw__rng_below(&rng, 3) == 0 ? 0.0 : 1.0 + fw__rng_below(&rng, 6);
  return options;
}

// True if the plan was executed; false if it has a ring and is refused.
static bool drive(const world_t * world, const fw_plan_t * plan, uint64_t number, const char * name)
{
  const fw_execution_options_t options = make_execution(number);
  const fw_simulated_fleet_options_t delays = make_delays(number);
  fw_execution_t execution;
  fw_simulated_fleet_t fleet;
  fw_error_t error = {0};
  assert_int_equal(fw_execution_init(&execution, &options, &error), FW_RET_OK);
  const fw_execution_splice_t splice = {.problem = &world->problem, .plan = plan};
  const fw_ret_t ret = fw_execution_splice(&execution, &splice, &error);
  if (ret == FW_RET_UNSUPPORTED && world->problem.robust_ticks == 0) {
    fw_execution_fini(&execution);
    return false;
  }
  if (ret != FW_RET_OK) {
    fail_msg("%s: %s: %s", name, world->text, error.text);
  }
  assert_int_equal(fw_simulated_fleet_init(&fleet, &execution, &delays, &error), FW_RET_OK);
  assert_int_equal(fw_simulated_fleet_run(&fleet, 1e5, &error), FW_RET_OK);
  const fw_simulated_result_t result = fw_simulated_fleet_result(&fleet);
  if (result.overlaps > 0 || result.is_deadlock || result.arrived != result.robots) {
    for (int32_t robot = 0; robot < result.robots; ++robot) {
      char text[200];
      fw_execution_describe(&execution, robot, text, sizeof(text));
      print_message("  robot %d: %s\n", robot, text);
    }
    fail_msg(
      "%s: %s: %d overlaps (%d and %d first), %s, %d of %d arrived after %.1f s", name, world->text,
      (int)result.overlaps, result.overlap_first[0], result.overlap_first[1],
      result.is_deadlock ? "deadlock" : "no deadlock", result.arrived, result.robots, result.seconds);
  }
  fw_simulated_fleet_fini(&fleet);
  fw_execution_fini(&execution);
  return true;
}

static void every_plan_survives_delays(void ** state)
{
  (void)state;
  for (int32_t planner_index = 0; planner_index < fw_planner_def_count(); ++planner_index) {
    const fw_planner_def_t * def = fw_planner_def_at(planner_index);
    int32_t driven = 0, refused = 0;
    const int32_t rounds = (test_rounds(RUNS) + fw_planner_def_count() - 1) / fw_planner_def_count();
    for (int32_t number = 0; number < rounds; ++number) {
      world_t world;
      make_world(&world, def, (uint64_t)(number + 10000 * planner_index));
      fw_planner_t planner;
      fw_plan_t plan;
      assert_int_equal(fw_planner_init(&planner, def->name, NULL, NULL), FW_RET_OK);
      if (solvable_solve(&planner, &world, &plan)) {
        const bool is_driven = drive(&world, &plan, (uint64_t)number, def->name);
        driven += is_driven ? 1 : 0;
        refused += is_driven ? 0 : 1;
      }
      fw_planner_fini(&planner);
      world_fini(&world);
    }
    assert_true(driven > 3 * refused && driven > rounds / 3);
  }
}

// For comparison: the same delays with robots that follow the times of the plan.
static void plans_followed_by_time_do_not(void ** state)
{
  (void)state;
  int64_t overlaps = 0;
  for (uint64_t number = 0; number < 20; ++number) {
    world_t world;
    world_make(&world, 100 + number, WORLD_PLAIN, 12);
    world.problem.robust_ticks = 1;
    fw_planner_t planner;
    fw_plan_t plan;
    fw_execution_t execution;
    fw_simulated_fleet_t fleet;
    assert_int_equal(fw_planner_init(&planner, "hca", NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_solve(&planner, &world.problem, &budget, &plan, NULL), FW_RET_OK);
    assert_int_equal(fw_execution_init(&execution, NULL, NULL), FW_RET_OK);
    const fw_execution_splice_t splice = {.problem = &world.problem, .plan = &plan};
    assert_int_equal(fw_execution_splice(&execution, &splice, NULL), FW_RET_OK);
    fw_simulated_fleet_options_t options = fw_simulated_fleet_options_default();
    options.is_timed = true;
    options.stops_per_hour = 500.0;
    options.seed = number;
    assert_int_equal(fw_simulated_fleet_init(&fleet, &execution, &options, NULL), FW_RET_OK);
    assert_int_equal(fw_simulated_fleet_run(&fleet, 1000.0, NULL), FW_RET_OK);
    const fw_simulated_result_t result = fw_simulated_fleet_result(&fleet);
    assert_int_equal(result.arrived, result.robots);
    overlaps += result.overlaps;
    fw_simulated_fleet_fini(&fleet);
    fw_execution_fini(&execution);
    fw_planner_fini(&planner);
    world_fini(&world);
  }
  assert_true(overlaps > 10);
}

// ---- areas without waiting

enum { CELLS_MAX = 16 * 16 };

// A broad band across the middle of the map where robots may not wait, except on goals.
static void forbid_waiting(world_t * world, uint16_t * rules)
{
  const fw_grid_t * grid = &world->grid;
  assert_true(fw_grid_cell_count(grid) <= CELLS_MAX);
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    const int32_t x = fw_grid_x(grid, cell);
    rules[cell] = x >= grid->width / 3 && x < grid->width - grid->width / 3 ? FW_RULE_NO_WAITING : 0;
  }
  for (int32_t r = 0; r < world->problem.robot_count; ++r) {
    rules[world->robots[r].goal] = 0;
  }
}

// Robots accelerate and turn, which plans do not count: they halt now and then until the one before them is far enough.
static const double HALT_SECONDS = 2.0;

// Seconds beyond this that robots which have left their starts stand where they may not, without delays or with many.
static double drive_and_count(
  const world_t * world, const fw_problem_t * problem, const fw_plan_t * plan, bool has_delays)
{
  fw_execution_t execution;
  fw_simulated_fleet_t fleet;
  const fw_execution_splice_t splice = {.problem = problem, .plan = plan};
  fw_simulated_fleet_options_t options = fw_simulated_fleet_options_default();
  options.slow_chance = has_delays ? 0.33 : 0.0;
  options.stops_per_hour = has_delays ? 60.0 : 0.0;
  options.stop_seconds_max = has_delays ? 30.0 : options.stop_seconds_max;
  options.noise = 0.0;
  assert_int_equal(fw_execution_init(&execution, NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_execution_splice(&execution, &splice, NULL), FW_RET_OK);
  assert_int_equal(fw_simulated_fleet_init(&fleet, &execution, &options, NULL), FW_RET_OK);
  double seconds = 0.0, standing[WORLD_ROBOTS_MAX] = {0.0};
  for (int32_t step = 0; step < 20000; ++step) {
    const fw_simulated_result_t before = fw_simulated_fleet_result(&fleet);
    if (before.arrived == before.robots) {
      break;
    }
    assert_int_equal(fw_simulated_fleet_step(&fleet, NULL), FW_RET_OK);
    const double passed = fw_simulated_fleet_result(&fleet).seconds - before.seconds;
    for (int32_t r = 0; r < problem->robot_count; ++r) {
      double x, y, speed;
      fw_simulated_fleet_position(&fleet, r, &x, &y, &speed);
      const fw_cell_t cell = fw_grid_cell(&world->grid, (int32_t)lround(x), (int32_t)lround(y));
      const bool is_forbidden = !fw_grid_allows_waiting(&world->grid, cell) && cell != world->robots[r].start;
      standing[r] = is_forbidden && speed < 1e-9 ? standing[r] + passed : 0.0;
      seconds += standing[r] > HALT_SECONDS ? passed : 0.0;
    }
  }
  const fw_simulated_result_t result = fw_simulated_fleet_result(&fleet);
  assert_int_equal(result.arrived, result.robots);
  fw_simulated_fleet_fini(&fleet);
  fw_execution_fini(&execution);
  return seconds;
}

// Robots that drive as soon as they may do not stop in the area, as they would if the graph did not know it; and with
// delays there is no deadlock.
static void robots_enter_a_no_waiting_area_when_they_can_leave_it(void ** state)
{
  (void)state;
  double with[2] = {0.0}, without[2] = {0.0};
  int32_t driven = 0;
  for (uint64_t number = 0; number < (uint64_t)test_rounds(120); ++number) {
    world_t world;
    uint16_t rules[CELLS_MAX];
    fw_planner_t planner;
    fw_plan_t plan;
    world_make(&world, 5000 + number, number % 3 == 2 ? WORLD_SPEEDS | WORLD_DIAGONALS : WORLD_DIAGONALS, 12);
    world.problem.robust_ticks = 1;
    forbid_waiting(&world, rules);
    world.grid.rules = rules;
    assert_int_equal(fw_planner_init(&planner, number % 2 == 0 ? "hca" : "whca", NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_planner_solve(&planner, &world.problem, &budget, &plan, NULL), FW_RET_OK);
    if (plan.outcome == FW_OUTCOME_SOLVED && world.problem.robot_count > 1) {
      fw_grid_t plain = world.grid;
      fw_problem_t problem = world.problem;
      plain.rules = NULL;
      problem.grid = &plain;
      for (int32_t k = 0; k < 2; ++k) {
        with[k] += drive_and_count(&world, &world.problem, &plan, k == 1);
        without[k] += drive_and_count(&world, &problem, &plan, k == 1);
      }
      driven += drive(&world, &plan, number, "hca") ? 1 : 0;
    }
    fw_planner_fini(&planner);
    world.grid.rules = NULL;
    world_fini(&world);
  }
  print_message(
    "%d plans: %.1f s of waiting in the area, %.1f s if it were not known; with delays %.1f s and %.1f s\n", driven,
    with[0], without[0], with[1], without[1]);
  assert_true(driven > 40 && without[0] > 50.0 && with[0] < 0.25 * without[0]);
  assert_true(without[1] > 1000.0 && with[1] < 0.55 * without[1]);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(every_plan_survives_delays),
    cmocka_unit_test(plans_followed_by_time_do_not),
    cmocka_unit_test(robots_enter_a_no_waiting_area_when_they_can_leave_it),
  };
  return TEST_RUN(tests);
}
