// Random worlds with plans that do something.

#include "support/solvable.h"

#include "fleetweave/planner_def.h"
#include "support/test.h"

// A robot that cannot arrive even alone goes to the end of the list, which is shortened.
static void drop(world_t * world, int32_t robot)
{
  const int32_t last = --world->problem.robot_count;
  world->robots[robot] = world->robots[last];
}

bool solvable_solve(fw_planner_t * planner, world_t * world, fw_plan_t * plan)
{
  // Optimal planners would spend most of a test on crowds that they cannot solve; with less they drop a robot sooner.
  const fw_budget_t budget = {.expansions_max = fw_planner_definition(planner)->is_optimal ? 5000 : 30000};
  for (;;) {
    fw_error_t error = {.robot = -1};
    const fw_ret_t ret = fw_planner_solve(planner, &world->problem, &budget, plan, &error);
    assert_true(ret == FW_RET_OK || ret == FW_RET_UNSUPPORTED);
    if (ret != FW_RET_OK || plan->outcome == FW_OUTCOME_SOLVED || world->problem.robot_count <= 1) {
      return ret == FW_RET_OK;
    }
    const bool is_named = error.robot >= 0 && error.robot < world->problem.robot_count;
    drop(world, is_named ? error.robot : world->problem.robot_count - 1);
  }
}
