// lazy_sat: optimal plans by lazy SAT. The paths of each robot are a multi-valued decision diagram (MDD) written as
// clauses, as in MDD-SAT (P. Surynek, A. Felner, R. Stern, E. Boyarski, Efficient SAT Approach to Multi-Agent Path
// Finding under the Sum of Costs Objective, ECAI 2016). Conflicts between robots become clauses only when they occur,
// and the sum of costs is minimised by core-guided MaxSAT with a totalizer over each unsatisfiable core. The nearest
// relative is Lazy CBS (G. Gange, D. Harabor, P. Stuckey, ICAPS 2019), which works by lazy clause generation.

#include "planner/optimal/cores.h"
#include "planner/optimal/independence.h"
#include "planner/registry.h"

enum { COST, MINIMISE, DISJOINT, LAYERS, PLACES, PARAMETERS };

#define SWITCH(word, text)                                                               \
  {                                                                                      \
    .name = (word), .type = FW_PARAMETER_BOOLEAN, .initial = 1, .max = 1, .help = (text) \
  }

static const fw_parameter_def_t parameters[PARAMETERS] = {
  [COST] = FW_OPTIMAL_COST_PARAMETER,
  [MINIMISE] = SWITCH("minimise", "unsatisfiable cores are reduced before they are used"),
  [DISJOINT] = SWITCH("disjoint", "further disjoint cores are extracted before any cost bound is raised"),
  [LAYERS] = SWITCH("layers", "redundant clauses say that each robot is somewhere at each tick"),
  [PLACES] = SWITCH("places", "a vertex conflict of two robots keeps all robots apart at that cell and tick"),
};

static fw_found_t solve_by_od(
  fw_optimal_t * run, const fw_group_query_t * query, fw_group_answer_t * answer, void * state)
{
  (void)state;
  return fw__joint_search(run->work_joint, query, &run->paths, answer);
}

static fw_found_t search(fw_optimal_t * run)
{
  const int64_t * values = run->context->parameters;
  if (run->scene.robust_ticks > FW_CORES_ROBUST_MAX) {
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

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  const fw_optimal_way_t way = {
    .search = search, .rule = (fw_cost_rule_t)context->parameters[COST], .has_fallback = true};
  return fw__optimal_solve(context, problem, &way, plan, error);
}

const fw_planner_def_t fw__planner_lazy_sat = {
  .name = "lazy_sat",
  .summary =
    "paths as SAT clauses, conflicts added lazily, core-guided MaxSAT on the sum of costs: optimal, and the best "
    "plan so far when time runs out",
  .paper =
    "G. Gange, D. Harabor, P. Stuckey, Lazy CBS: Implicit Conflict-Based Search Using Lazy Clause Generation, "
    "ICAPS 2019",
  .parameters = parameters,
  .parameter_count = PARAMETERS,
  .is_optimal = true,
  .is_complete = true,
  .init = fw__optimal_init,
  .solve = solve,
  .fini = fw__optimal_fini,
};
