// sid and od_id: independence detection over operator decomposition, Standley 2010, in its simple form (algorithm 1) and
// with one attempt to replan each of two conflicting groups before they are merged (algorithm 2).

#include "planner/optimal/independence.h"
#include "planner/registry.h"

static const fw_parameter_def_t parameters[] = {FW_OPTIMAL_COST_PARAMETER};

static fw_found_t solve_by_od(
  fw_optimal_t * run, const fw_group_query_t * query, fw_group_answer_t * answer, void * state)
{
  (void)state;
  return fw__joint_search(run->work_joint, query, &run->paths, answer);
}

static fw_found_t search_simple(fw_optimal_t * run)
{
  return fw__independence_search(run, &(fw_independence_t){.is_simple = true, .solver = solve_by_od});
}

static fw_found_t search_full(fw_optimal_t * run)
{
  return fw__independence_search(run, &(fw_independence_t){.solver = solve_by_od});
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

const fw_planner_def_t fw__planner_sid = {
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

const fw_planner_def_t fw__planner_od_id = {
  .name = "od_id",
  .summary = "independence detection over operator decomposition: optimal, and the best plan so far when time runs out",
  .paper = "T. Standley, Finding Optimal Solutions to Cooperative Pathfinding Problems, AAAI 2010",
  .parameters = parameters,
  .parameter_count = 1,
  .is_optimal = true,
  .is_complete = true,
  .init = fw__optimal_init,
  .solve = solve_od_id,
  .fini = fw__optimal_fini,
};
