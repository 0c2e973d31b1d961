// od_id: independence detection over operator decomposition or, where groups get large, conflict-based search. sid: its
// simple form, over operator decomposition alone.

#include "planner/cbs.h"
#include "planner/cores.h"
#include "planner/independence.h"
#include "planner/registry.h"

typedef enum solver_t { SOLVER_OD, SOLVER_CBS, SOLVER_CORES, SOLVER_CLAUSES } solver_t;

enum { COST, SOLVER, CARDINALS, BYPASS, WEIGHTS, CORRIDORS, TARGETS, DISJOINT, PARAMETERS };

enum { FIRST_NODES = 1000, FIRST_STATES = 2000, LONGER = 16, FEW_ROBOTS = 6 };

static const char * const solver_names[] = {"od", "cbs", "cores", "clauses"};

#define SWITCH(word, text)                                                               \
  {                                                                                      \
    .name = (word), .type = FW_PARAMETER_BOOLEAN, .initial = 1, .max = 1, .help = (text) \
  }

static const fw_parameter_def_t parameters[PARAMETERS] = {
  [COST] = FW_OPTIMAL_COST_PARAMETER,
  [SOLVER] =
    {.name = "solver",
     .type = FW_PARAMETER_CHOICE,
     .initial = SOLVER_CORES,
     .max = 3,
     .choices = solver_names,
     .help = "of groups: od, operator decomposition as in the paper; cbs, conflict-based search; cores, the same by "
             "costs and "
             "reasons why they do not do"},
  [CARDINALS] = SWITCH("cardinals", "cbs, cores: conflicts that raise the cost for certain go first"),
  [BYPASS] = SWITCH("bypass", "cbs, cores: a path of equal cost that meets fewer is taken instead of branching"),
  [WEIGHTS] = SWITCH("weights", "cbs: an estimate by what pairs of robots cost together, and branching on costs"),
  [CORRIDORS] = SWITCH("corridors", "cbs: two robots in a corridor are kept apart by ranges of ticks"),
  [DISJOINT] = SWITCH("disjoint", "cbs, cores: the two ways out of a conflict have no plan in common"),
  [TARGETS] = SWITCH(
    "targets", "cbs, cores, last_arrival: robots that pass another's goal; it ends later, or they never come by again"),
};

static fw_found_t solve_by_od(
  fw_optimal_t * run, const fw_group_query_t * query, fw_group_answer_t * answer, void * state)
{
  (void)state;
  return fw_joint_search(run->work_joint, query, &run->paths, answer);
}

// Conflict-based search never ends where there is no plan, and a joint search takes too long where robots are many: they
// take turns, and each turn is longer than the one before. The joint search is finite, and so is this.
static fw_found_t solve_by_turns(
  fw_optimal_t * run, const fw_group_query_t * query, fw_group_answer_t * answer, void * state)
{
  const fw_cbs_memory_t memory = {.work = run->work, .pair = run->work_pair};
  fw_cbs_query_t cbs = {.group = *query, .options = *(const fw_cbs_options_t *)state};
  fw_group_query_t joint = *query;
  fw_cost_t bound = 0;
  cbs.group.expansions_max = FIRST_NODES;
  joint.expansions_max = query->count == 1 ? 0 : FIRST_STATES;
  for (int32_t turn = 0;; ++turn) {
    fw_found_t found = FW_FOUND_STOPPED;
    if (query->count > 1) {
      found = fw_cbs_search(&memory, &cbs, &run->paths, answer);
      bound = answer->bound > bound ? answer->bound : bound;
    }
    if (found == FW_FOUND_STOPPED && !fw_meter_has_stopped(&run->meter) && (turn > 1 || query->count <= FEW_ROBOTS)) {
      found = fw_joint_search(run->work_joint, &joint, &run->paths, answer);
      bound = answer->bound > bound ? answer->bound : bound;
    }
    answer->bound = found == FW_FOUND_PATH ? answer->cost : bound;
    if (query->illegal != NULL && query->count > 1) {
      return found;  // another plan of the same cost is worth a try, not more
    }
    if (found != FW_FOUND_STOPPED || fw_meter_has_stopped(&run->meter)) {
      return found;
    }
    cbs.group.expansions_max *= LONGER;
    joint.expansions_max *= LONGER;
  }
}

static fw_found_t search_simple(fw_optimal_t * run)
{
  return fw_independence_search(run, &(fw_independence_t){.is_simple = true, .solver = solve_by_od});
}

static int32_t count_groups(const fw_optimal_t * run, int32_t * largest)
{
  int32_t groups = 0;
  *largest = 0;
  for (int32_t group = 0; group < run->scene.problem->robot_count; ++group) {
    int32_t size = 0;
    for (int32_t r = 0; r < run->scene.problem->robot_count; ++r) {
      size += run->group_of[r] == group ? 1 : 0;
    }
    groups += size > 0 ? 1 : 0;
    *largest = size > *largest ? size : *largest;
  }
  return groups;
}

// A joint search ends where there is no plan.
static fw_found_t look_jointly(void * state, fw_cbs_look_t * look)
{
  fw_optimal_t * run = state;
  const fw_group_query_t joint = {
    .scene = &run->scene,
    .robots = look->robots,
    .count = look->count,
    .is_decomposed = true,
    .cost_max = INT64_MAX,
    .expansions_max = look->effort,
  };
  fw_group_answer_t answer;
  const fw_found_t found = fw_joint_search(run->work_joint, &joint, &run->paths, &answer);
  look->bound = answer.bound;
  for (int32_t i = 0; i < look->count && found == FW_FOUND_PATH; ++i) {
    look->costs[i] = (int32_t)fw_scene_path_cost(&run->scene, look->robots[i], &run->paths.paths[look->robots[i]]);
  }
  return found;
}

// All robots at once: what is learned tells who belongs together.
static fw_found_t search_by_cores(fw_optimal_t * run, const fw_cbs_options_t * options)
{
  const int32_t count = run->scene.problem->robot_count;
  const fw_cbs_memory_t memory = {.work = run->work, .pair = run->work_pair};
  int32_t * robots = fw_arena_allocate(run->context->scratch, 3 * (size_t)count, sizeof(*robots));
  if (robots == NULL) {
    fw_meter_stop(&run->meter, FW_STOP_MEMORY);
    return FW_FOUND_STOPPED;
  }
  for (int32_t r = 0; r < count; ++r) {
    robots[r] = r;
  }
  fw_cbs_report_t told = {
    .group_of = run->group_of,
    .look = look_jointly,
    .state = run,
    .looked = {.robots = robots + count, .costs = robots + 2 * count},
  };
  fw_group_answer_t answer;
  const fw_cbs_query_t query = {
    .group = {.scene = &run->scene, .robots = robots, .count = count, .cost_max = INT64_MAX}, .options = *options};
  const fw_found_t found = fw_cbs_search_by_cores(&memory, &query, &run->paths, &answer, &told);
  run->bound = answer.bound > run->bound ? answer.bound : run->bound;
  run->has_paths = told.has_paths;
  int32_t largest;
  fw__plan_count(run->plan, "groups", count_groups(run, &largest));
  fw__plan_count(run->plan, "largest_group", largest);
  for (int32_t r = 0; r < count && found != FW_FOUND_PATH; ++r) {
    run->group_of[r] = r;  // their paths may meet
  }
  return found;
}

static fw_found_t search_full(fw_optimal_t * run)
{
  const int64_t * values = run->context->parameters;
  fw_cbs_options_t options = {
    .has_cardinals = values[CARDINALS] != 0,
    .has_bypass = values[BYPASS] != 0,
    .has_weights = values[WEIGHTS] != 0,
    .has_corridors = values[CORRIDORS] != 0,
    .has_targets = values[TARGETS] != 0,
    .is_disjoint = values[DISJOINT] != 0,
  };
  if (values[SOLVER] == SOLVER_CLAUSES) {
    return fw_cores_search(run);
  }
  if (values[SOLVER] == SOLVER_CORES && run->scene.robust_ticks == 0) {
    return search_by_cores(run, &options);
  }
  const fw_independence_t independence = {
    .solver = values[SOLVER] == SOLVER_OD ? solve_by_od : solve_by_turns,
    .state = &options,
  };
  return fw_independence_search(run, &independence);
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

const fw_planner_def_t fw_planner_sid = {
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

const fw_planner_def_t fw_planner_od_id = {
  .name = "od_id",
  .summary =
    "independence detection over joint or conflict-based search: optimal, and the best so far when time is out",
  .paper = "T. Standley, Finding Optimal Solutions to Cooperative Pathfinding Problems, AAAI 2010",
  .parameters = parameters,
  .parameter_count = PARAMETERS,
  .is_optimal = true,
  .is_complete = true,
  .init = fw__optimal_init,
  .solve = solve_od_id,
  .fini = fw__optimal_fini,
};
