// od_id: an optimal plan by independence detection over operator decomposition as in the paper, or by clauses, where
// what is learned tells who belongs together. sid: independence detection in its simple form.

#include "planner/optimal/cores.h"
#include "planner/optimal/independence.h"
#include "planner/registry.h"

typedef enum solver_t { SOLVER_OD, SOLVER_CLAUSES } solver_t;

enum { COST, SOLVER, MINIMISE, DISJOINT, LAYERS, PLACES, PARAMETERS };

static const char * const solver_names[] = {"od", "clauses"};

#define SWITCH(word, text)                                                               \
  {                                                                                      \
    .name = (word), .type = FW_PARAMETER_BOOLEAN, .initial = 1, .max = 1, .help = (text) \
  }

static const fw_parameter_def_t parameters[PARAMETERS] = {
  [COST] = FW_OPTIMAL_COST_PARAMETER,
  [SOLVER] =
    {.name = "solver",
     .type = FW_PARAMETER_CHOICE,
     .initial = SOLVER_CLAUSES,
     .max = 1,
     .choices = solver_names,
     .help = "od, independence detection over operator decomposition as in the paper; clauses, costs raised by reasons "
             "that a solver of clauses finds"},
  [MINIMISE] = SWITCH("minimise", "clauses: reasons are made smaller before they are used"),
  [DISJOINT] = SWITCH("disjoint", "clauses: further reasons are looked for among the others before costs are raised"),
  [LAYERS] = SWITCH("layers", "clauses: it is told besides that a robot is somewhere at each tick"),
  [PLACES] = SWITCH("places", "clauses: two that meet on a place are reason to keep all others apart there as well"),
};

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
  const int64_t * values = run->context->parameters;
  if (values[SOLVER] == SOLVER_OD || run->scene.robust_ticks > FW_CORES_ROBUST_MAX) {
    return fw__independence_search(run, &(fw_independence_t){.solver = solve_by_od});
  }
  const fw_cores_options_t options = {
    .is_minimised = values[MINIMISE] != 0,
    .is_disjoint = values[DISJOINT] != 0,
    .has_layers = values[LAYERS] != 0,
    .has_places = values[PLACES] != 0,
  };
  return fw__cores_search(run, &options);
}

static fw_ret_t solve_sid(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  const fw_optimal_way_t way = {.search = search_simple, .rule = (fw_cost_rule_t)context->parameters[COST]};
  return fw__optimal_solve(context, problem, &way, plan, error);
}

static fw_ret_t solve_od_id(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  const fw_optimal_way_t way = {
    .search = search_full, .rule = (fw_cost_rule_t)context->parameters[COST], .has_fallback = true};
  return fw__optimal_solve(context, problem, &way, plan, error);
}

const fw_planner_def_t fw__planner_sid = {
  .name = "sid",
  .summary = "simple independence detection over operator decomposition: optimal",
  .paper = "T. Standley, Finding Optimal Solutions to Cooperative Pathfinding Problems, AAAI 2010",
  .parameters = parameters,
  .parameter_count = COST + 1,
  .is_optimal = true,
  .is_complete = true,
  .init = fw__optimal_init,
  .solve = solve_sid,
  .fini = fw__optimal_fini,
};

const fw_planner_def_t fw__planner_od_id = {
  .name = "od_id",
  .summary = "independent groups by joint search, or all by clauses: optimal, and the best so far when time is out",
  .paper = "T. Standley, Finding Optimal Solutions to Cooperative Pathfinding Problems, AAAI 2010",
  .parameters = parameters,
  .parameter_count = PARAMETERS,
  .is_optimal = true,
  .is_complete = true,
  .init = fw__optimal_init,
  .solve = solve_od_id,
  .fini = fw__optimal_fini,
};
