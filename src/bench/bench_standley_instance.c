// `bench standley`: maps and robots of one instance.

#include "base/rng.h"
#include "bench/bench_standley_solve.h"
#include "fleetweave/search.h"

static bool measure_alone(cli_standley_instance_t * instance)
{
  for (int32_t r = 0; r < instance->scenario.robot_count; ++r) {
    const fw_robot_t * robot = &instance->scenario.robots[r];
    fw_route_t route = {0};
    if (fw_route_find_for(&route, &instance->problem, robot->start, robot->goal, NULL, NULL) != FW_RET_OK) {
      return false;
    }
    instance->alone += route.length - 1;
    fw_route_fini(&route);
  }
  return true;
}

bool cli_standley_make_instance(
  cli_standley_instance_t * instance, const cli_standley_settings_t * settings, int32_t number)
{
  fw_rng_t rng = fw__rng((uint64_t)settings->seed * UINT64_C(1000003) + (uint64_t)number);
  char line[80];
  *instance = (cli_standley_instance_t){.number = number};
  snprintf(line, sizeof(line), "random:32x32,obstacles=20,seed=%d", (int)(fw__rng_next(&rng) >> 33));
  const int32_t robots =
    CLI_STANDLEY_ROBOTS_MIN + fw__rng_below(&rng, CLI_STANDLEY_ROBOTS_MAX - CLI_STANDLEY_ROBOTS_MIN + 1);
  if (fw_grid_make(&instance->grid, line, NULL, NULL) != FW_RET_OK) {
    return false;
  }
  instance->problem = (fw_problem_t){
    .grid = &instance->grid,
    .robot_count = robots,
    .connectivity = 8,
    .cuts_corners = settings->cuts_corners,
  };
  if (fw_scenario_make_for(&instance->scenario, &instance->problem, fw__rng_next(&rng), NULL, NULL) != FW_RET_OK) {
    return false;
  }
  instance->problem.robots = instance->scenario.robots;
  return measure_alone(instance);
}

void cli_standley_end_instance(cli_standley_instance_t * instance)
{
  fw_scenario_fini(&instance->scenario);
  fw_grid_fini(&instance->grid);
}

void cli_standley_find_largest(const fw_problem_t * problem, const fw_plan_t * plan, cli_standley_group_t * largest)
{
  for (int32_t group = 0; group < problem->robot_count; ++group) {
    cli_standley_group_t found = {.count = 0};
    for (int32_t r = 0; r < problem->robot_count; ++r) {
      if (plan->groups[r] == group) {
        found.robots[found.count++] = problem->robots[r];
      }
    }
    if (found.count > largest->count) {
      *largest = found;
    }
  }
}
