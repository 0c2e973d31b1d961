// hca: hierarchical cooperative A*. Robot after robot, each guided by its true distance.

#include "planner/prioritized/prioritized.h"
#include "planner/registry.h"

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  fw_prioritized_options_t options = fw__prioritized_options(context->parameters);
  options.has_true_distance = true;
  options.fleet = fw__prioritized_distances(context->parameters);
  return fw__prioritized_solve(context, problem, &options, plan, error);
}

const fw_planner_def_t fw__planner_hca = {
  .name = "hca",
  .summary = "hierarchical cooperative A*: robot after robot, guided by true distances",
  .paper = "D. Silver, Cooperative Pathfinding, AI Game Programming Wisdom 3, 2006",
  .parameters = fw_prioritized_parameters + FW_PRIORITIZED_OWN,
  .parameter_count = FW_PRIORITIZED_SHARED + FW_PRIORITIZED_DISTANCES,
  .solve = solve,
};
