// whca when the whole fleet stops, and with windows of different lengths: a longer window must not cost more.

#include "fleetweave/files.h"
#include "fleetweave/planner_def.h"
#include "support/draw.h"
#include "support/test.h"

static int64_t counter_of(const fw_plan_t * plan, const char * name)
{
  int64_t value = 0;
  for (int32_t i = 0; i < plan->stats.counter_count; ++i) {
    value = strcmp(plan->stats.counters[i].name, name) == 0 ? plan->stats.counters[i].value : value;
  }
  return value;
}

typedef struct setting_t {
  const char * window;
  const char * order;
  const char * plain;
} setting_t;

// The plan's paths are not for use afterwards.
static fw_plan_t solve(const fw_problem_t * problem, setting_t setting)
{
  fw_planner_t planner;
  fw_plan_t plan;
  fw_conflict_t conflict;
  assert_int_equal(fw_planner_init(&planner, "whca", NULL, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&planner, "window", setting.window, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&planner, "order", setting.order, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_set(&planner, "plain", setting.plain, NULL), FW_RET_OK);
  assert_int_equal(fw_planner_solve(&planner, problem, NULL, &plan, NULL), FW_RET_OK);
  assert_int_equal(fw_check_plan(problem, &plan, NULL, &conflict, NULL), FW_RET_OK);
  assert_int_equal(conflict.kind, FW_CONFLICT_NONE);
  plan.paths = NULL;
  fw_planner_fini(&planner);
  return plan;
}

// Two robots swap in a corridor with one bay. After the stop they must not wait for the end of a window.
static void the_fleet_plans_on_at_once_after_a_stop(void ** state)
{
  (void)state;
  DRAW(
    bay, ".........",  //
    "####.####");
  const fw_robot_t robots[] = {{.start = 0, .goal = 8}, {.start = 8, .goal = 0}};
  const fw_problem_t problem = {.grid = &bay, .robots = robots, .robot_count = 2};
  const char * const windows[] = {"4", "8", "16", "32", "64", "128", "1024"};
  int64_t stops = 0;
  for (int32_t i = 0; i < TEST_COUNT(windows); ++i) {
    const fw_plan_t plan = solve(&problem, (setting_t){windows[i], "auto", "false"});
    assert_int_equal(plan.outcome, FW_OUTCOME_SOLVED);
    assert_in_range(plan.stats.sum_of_costs, 19, i < 2 ? 23 : 19);  // 19 is the optimum
    stops += counter_of(&plan, "fleet_stops");
  }
  assert_true(stops >= 5);
}

enum { MAPS = 12, ROBOTS = 50 };

// The sum over some maps; -1 if one is not solved.
static int64_t cost_on_maps(setting_t setting)
{
  int64_t cost = 0;
  for (uint64_t seed = 1; seed <= MAPS; ++seed) {
    char map[64];
    fw_grid_t grid;
    fw_scenario_t scenario;
    snprintf(map, sizeof(map), "random:32x32,obstacles=20,seed=%d", (int)seed);
    assert_int_equal(fw_grid_make(&grid, map, NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_scenario_make(&scenario, &grid, ROBOTS, seed, NULL, NULL), FW_RET_OK);
    const fw_problem_t problem = {.grid = &grid, .robots = scenario.robots, .robot_count = ROBOTS, .connectivity = 8};
    const fw_plan_t plan = solve(&problem, setting);
    cost = cost < 0 || plan.outcome != FW_OUTCOME_SOLVED ? -1 : cost + plan.stats.sum_of_costs;
    fw_scenario_fini(&scenario);
    fw_grid_fini(&grid);
  }
  return cost;
}

static void a_longer_window_does_not_cost_more(void ** state)
{
  (void)state;
  const int64_t of_8 = cost_on_maps((setting_t){"8", "auto", "false"});
  const int64_t of_32 = cost_on_maps((setting_t){"32", "auto", "false"});
  const int64_t by_index = cost_on_maps((setting_t){"32", "index", "false"});
  assert_true(of_8 > 0 && of_32 > 0 && by_index > 0);
  assert_true(of_32 <= of_8 && of_32 < by_index);
}

// WHCA* as published: around all others, and no negotiation.
static void plain_whca_overrides_nobody_but_by_a_second_chance(void ** state)
{
  (void)state;
  for (uint64_t seed = 0; seed < 10; ++seed) {
    fw_grid_t grid;
    fw_scenario_t scenario;
    assert_int_equal(fw_grid_make(&grid, "rooms:20x20,room=4,seed=2", NULL, NULL), FW_RET_OK);
    assert_int_equal(fw_scenario_make(&scenario, &grid, 12, seed, NULL, NULL), FW_RET_OK);
    const fw_problem_t problem = {.grid = &grid, .robots = scenario.robots, .robot_count = 12};
    const fw_plan_t plan = solve(&problem, (setting_t){"16", "auto", "true"});
    assert_int_equal(counter_of(&plan, "negotiations"), 0);
    assert_true(counter_of(&plan, "promotions") > 0 || counter_of(&plan, "robots_overridden") == 0);
    fw_scenario_fini(&scenario);
    fw_grid_fini(&grid);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(the_fleet_plans_on_at_once_after_a_stop),
    cmocka_unit_test(a_longer_window_does_not_cost_more),
    cmocka_unit_test(plain_whca_overrides_nobody_but_by_a_second_chance),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
