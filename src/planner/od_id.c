// od_id: independence detection over operator decomposition. sid: its simple form.

#include "planner/independence.h"
#include "planner/registry.h"

static const fw_parameter_def_t parameters[] = {FW_OPTIMAL_COST_PARAMETER};

static fw_found_t solve_group(
  fw_optimal_t * run, const fw_group_query_t * query, fw_group_answer_t * answer, void * state)
{
  (void)state;
  return fw_joint_search(run->work, query, &run->paths, answer);
}

static fw_found_t search_simple(fw_optimal_t * run)
{
  return fw_independence_search(run, &(fw_independence_t){.is_simple = true, .solver = solve_group});
}

static fw_found_t search_full(fw_optimal_t * run)
{
  return fw_independence_search(run, &(fw_independence_t){.solver = solve_group});
}

static fw_ret_t solve_sid(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  const fw_optimal_way_t way = {.search = search_simple, .rule = (fw_cost_rule_t)context->parameters[0]};
  return fw__optimal_solve(context, problem, &way, plan, error);
}

static fw_ret_t solve_od_id(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  const fw_optimal_way_t way = {
    .search = search_full, .rule = (fw_cost_rule_t)context->parameters[0], .has_fallback = true};
  return fw__optimal_solve(context, problem, &way, plan, error);
}

const fw_planner_def_t fw_planner_sid = {
  .name = "sid",
  .summary = "simple independence detection over operator decomposition: optimal",
  .paper = "T. Standley, Finding Optimal Solutions to Cooperative Pathfinding Problems, AAAI 2010",
  .parameters = parameters,
  .parameter_count = 1,
  .is_optimal = true,
  .is_complete = true,
  .init = fw__optimal_init,
  .solve = solve_sid,
  .fini = fw__optimal_fini,
};

const fw_planner_def_t fw_planner_od_id = {
  .name = "od_id",
  .summary = "independence detection over operator decomposition: optimal, and the best so far when time is out",
  .paper = "T. Standley, Finding Optimal Solutions to Cooperative Pathfinding Problems, AAAI 2010",
  .parameters = parameters,
  .parameter_count = 1,
  .is_optimal = true,
  .is_complete = true,
  .init = fw__optimal_init,
  .solve = solve_od_id,
  .fini = fw__optimal_fini,
};
