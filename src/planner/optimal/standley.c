// The planners of T. Standley, Finding Optimal Solutions to Cooperative Pathfinding Problems, AAAI 2010:
//
//   standard  A* over joint states of all robots; what the others are measured against
//   od        the same with operator decomposition
//   sid       od for groups of robots, by simple independence detection (algorithm 1)
//   od_id     od for groups of robots, by independence detection (algorithm 2): OD+ID; anytime. With standard operators
//             it is S+ID

#include "fleetweave/planner_def.h"
#include "planner/optimal/independence_detection.h"

#define PAPER "T. Standley, Finding Optimal Solutions to Cooperative Pathfinding Problems, AAAI 2010"

static const fw_parameter_def_t parameters[] = {[FW_OPTIMAL_COST] = FW_OPTIMAL_COST_PARAMETER};

enum { OPERATORS = FW_OPTIMAL_COST + 1 };
enum { OPERATORS_DECOMPOSED, OPERATORS_STANDARD };
static const char * const operator_names[] = {"decomposed", "standard"};
static const fw_parameter_def_t od_id_parameters[] = {
  [FW_OPTIMAL_COST] = FW_OPTIMAL_COST_PARAMETER,
  [OPERATORS] =
    {.name = "operators",
     .type = FW_PARAMETER_CHOICE,
     .initial = OPERATORS_DECOMPOSED,
     .max = 1,
     .choices = operator_names,
     .help =
       "how groups are searched: one robot moves at a time (decomposed: OD+ID of the paper), or all robots of the "
       "group at once (standard: S+ID)"},
};

// ---- all robots at once ---------------------------------------------------------------------------------------------

static fw_found_t search_all(fw_optimal_t * run, bool is_decomposed)
{
  const int32_t count = run->instance.problem->robot_count;
  int32_t * robots = fw__arena_allocate(run->context->scratch, (size_t)count, sizeof(*robots));
  if (robots == NULL) {
    fw__meter_stop(&run->meter, FW_STOP_MEMORY);
    return FW_FOUND_STOPPED;
  }
  for (int32_t r = 0; r < count; ++r) {
    robots[r] = r;
    run->group_of[r] = 0;
  }
  const fw_joint_query_t query = {
    .instance = &run->instance,
    .robots = robots,
    .count = count,
    .is_decomposed = is_decomposed,
    .cost_max = INT64_MAX,
  };
  fw_joint_answer_t answer;
  const fw_found_t found = fw__joint_search(run->work, &query, &run->paths, &answer);
  run->bound = answer.bound;
  fw__plan_count(run->plan, "children", answer.children);
  fw__plan_count(run->plan, "most_children", answer.children_max);
  return found;
}

static fw_found_t search_standard(fw_optimal_t * run) { return search_all(run, false); }
static fw_found_t search_decomposed(fw_optimal_t * run) { return search_all(run, true); }
static fw_found_t search_sid(fw_optimal_t * run)
{
  return fw__independence_solve(run, &(fw_independence_options_t){.is_simple = true});
}
static fw_found_t search_id(fw_optimal_t * run)
{
  const bool is_standard = run->context->parameters[OPERATORS] == OPERATORS_STANDARD;
  return fw__independence_solve(run, &(fw_independence_options_t){.is_standard = is_standard});
}

// ---- the planners ---------------------------------------------------------------------------------------------------

static fw_ret_t init_standard(fw_planner_context_t * context, fw_error_t * error)
{
  static const fw_optimal_strategy_t strategy = {.search = search_standard};
  return fw__optimal_init(context, &strategy, error);
}

static fw_ret_t init_od(fw_planner_context_t * context, fw_error_t * error)
{
  static const fw_optimal_strategy_t strategy = {.search = search_decomposed};
  return fw__optimal_init(context, &strategy, error);
}

static fw_ret_t init_sid(fw_planner_context_t * context, fw_error_t * error)
{
  static const fw_optimal_strategy_t strategy = {.search = search_sid};
  return fw__optimal_init(context, &strategy, error);
}

static fw_ret_t init_od_id(fw_planner_context_t * context, fw_error_t * error)
{
  static const fw_optimal_strategy_t strategy = {.search = search_id, .has_fallback = true};
  return fw__optimal_init(context, &strategy, error);
}

const fw_planner_def_t fw__planner_standard = {
  .name = "standard",
  .summary = "A* over joint states: optimal, for two or three robots; a baseline",
  .paper = PAPER,
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .is_optimal = true,
  .has_rules = true,
  .is_complete = true,
  .init = init_standard,
  .solve = fw__optimal_solve,
  .fini = fw__optimal_fini,
};

const fw_planner_def_t fw__planner_od = {
  .name = "od",
  .summary = "operator decomposition: A* over joint states that moves one robot at a time; optimal, for few robots",
  .paper = PAPER,
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .is_optimal = true,
  .has_rules = true,
  .is_complete = true,
  .init = init_od,
  .solve = fw__optimal_solve,
  .fini = fw__optimal_fini,
};

const fw_planner_def_t fw__planner_sid = {
  .name = "sid",
  .summary = "simple independence detection over operator decomposition: optimal",
  .paper = PAPER,
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .is_optimal = true,
  .has_rules = true,
  .is_complete = true,
  .init = init_sid,
  .solve = fw__optimal_solve,
  .fini = fw__optimal_fini,
};

const fw_planner_def_t fw__planner_od_id = {
  .name = "od_id",
  .summary = "independence detection over operator decomposition: optimal, and the best plan so far when time runs out",
  .paper = PAPER,
  .parameters = od_id_parameters,
  .parameter_count = FW_PARAMETER_COUNT(od_id_parameters),
  .is_optimal = true,
  .has_rules = true,
  .is_complete = true,
  .init = init_od_id,
  .solve = fw__optimal_solve,
  .fini = fw__optimal_fini,
};
