// ca: cooperative A*. Robot after robot, each guided by a plain estimate of the distance.

#include "planner/prioritized/prioritized.h"
#include "planner/registry.h"

static int32_t estimate_degree(fw_heuristic_t heuristic, int32_t connectivity)
{
  return heuristic == FW_HEURISTIC_AUTO ? connectivity : heuristic == FW_HEURISTIC_MANHATTAN ? 4 : 8;
}

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  fw_prioritized_options_t options = fw__prioritized_options(context->parameters + FW_PRIORITIZED_OWN);
  options.estimate_degree = estimate_degree((fw_heuristic_t)context->parameters[0], problem->connectivity);
  return fw__prioritized_solve(context, problem, &options, plan, error);
}

const fw_planner_def_t fw__planner_ca = {
  .name = "ca",
  .summary = "cooperative A*: robot after robot around the reservations of those before",
  .paper = "D. Silver, Cooperative Pathfinding, AI Game Programming Wisdom 3, 2006",
  .parameters = fw_prioritized_parameters,
  .parameter_count = FW_PRIORITIZED_OWN + FW_PRIORITIZED_SHARED,
  .solve = solve,
};
