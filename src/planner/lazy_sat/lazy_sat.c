// lazy_sat: optimal plans by lazy SAT, after independence detection within a limit.
//
// Independence detection with operator decomposition (planner/optimal) comes first: most groups are small, and those it
// solves before clauses are written. Where it reaches its limit, all robots are planned by clauses.
//
// The paths of each robot are a multi-valued decision diagram (MDD) written as clauses, as in MDD-SAT (P. Surynek,
// A. Felner, R. Stern, E. Boyarski, Efficient SAT Approach to Multi-Agent Path Finding under the Sum of Costs
// Objective, ECAI 2016). Conflicts between robots become clauses only when they occur, and the sum of costs is
// minimised by core-guided MaxSAT with a totalizer over each unsatisfiable core. The nearest relative is
// G. Gange, D. Harabor, P. Stuckey, Lazy CBS: Implicit Conflict-Based Search Using Lazy Clause Generation, ICAPS 2019.
//
//   every cost alone ────────> solver ──UNSAT──> core {3, 8, 20}: lower bound + 1, suspend its bounds ───────┐
//          ^                     └──SAT──> paths ── conflicts: clauses that exclude them ────────────────────┤
//          │                                └── none ── bounds suspended: relax them, add totalizers ────────┤
//          │                                             └── none: the plan, its cost is the lower bound     │
//          └─────────────────────────────────────────────────────────────────────────────────────────────────┘
//
// The solver keeps what it has learned (a warm start for every call): a clause about robots 3 and 8 holds whatever the
// others do, where a constraint tree learns it again in every branch.

#include "fleetweave/planner_def.h"
#include "planner/lazy_sat/core_guided.h"
#include "planner/optimal/independence_detection.h"

// Joint searches run from time to time. For up to FEW_ROBOTS robots one may expand as much as everything before it, for
// more robots only 1/64 of that.
enum { JOINT_SEARCH_FIRST = 1000, FEW_ROBOTS = 4, SHARE_OF_FEW = 1, SHARE_OF_MANY = 64 };

// Before clauses, robots that stand on half of the cells or more are searched jointly, if they have no more joint
// states than 9 robots on 9 cells. Beyond JOINT_EXPANSIONS_MAX it was not that easy, because of closures or robust
// ticks.
enum { JOINT_STATES_MAX = 400000, JOINT_EXPANSIONS_MAX = 1000000 };

// The robots of a joint search.
typedef enum scope_t { SCOPE_GROUP, SCOPE_EXCESS, SCOPE_ALL } scope_t;

typedef struct lazy_sat_t {
  fw_optimal_t * run;
  fw_mdd_encoding_t mdd;
  fw_core_guided_t core_guided;
  fw_cost_t cost_alone;     // sum over robots, each without the others
  int32_t * excesses;       // by robot: cost alone beyond its distance
  int32_t * group;          // robots of a joint search
  int64_t joint_search_at;  // the next one starts at this number of expansions, without those of the first plan
  scope_t scope;            // of the next joint search
  int64_t solver_calls;
  int64_t joint_searches;
  fw_independence_counts_t detection;
  int64_t detection_expanded;
} lazy_sat_t;

static fw_found_t stopped(const lazy_sat_t * search)
{
  if (!fw__meter_has_stopped(&search->run->meter)) {
    fw__meter_stop(&search->run->meter, FW_STOP_MEMORY);
  }
  return FW_FOUND_STOPPED;
}

// Without the first plan: after a long one there would be no joint search for as long again.
static int64_t own_expansions(const lazy_sat_t * search)
{
  return search->run->meter.expanded - search->run->fast_expanded;
}

// ---- joint searches: they prove that there is no plan ---------------------------------------------------------------

static fw_found_t search_jointly(lazy_sat_t * search, int32_t count, int64_t expansions_max, fw_joint_answer_t * answer)
{
  const fw_joint_query_t query = {
    .instance = &search->run->instance,
    .robots = search->group,
    .count = count,
    .is_decomposed = true,
    .cost_max = INT64_MAX,
    .expansions_max = expansions_max,
  };
  return fw__joint_search(search->run->work_joint, &query, &search->run->paths, answer);
}

// What each robot costs without the others: its distance, unless closures are in its way.
static fw_found_t measure_alone(lazy_sat_t * search)
{
  const fw_instance_t * instance = &search->run->instance;
  for (int32_t r = 0; r < instance->problem->robot_count; ++r) {
    const int32_t distance = fw__instance_distance(instance, r, instance->starts[r]);
    if (instance->problem->closure_count > 0) {
      fw_joint_answer_t answer;
      search->group[0] = r;
      const fw_found_t found = search_jointly(search, 1, 0, &answer);
      if (found != FW_FOUND_PATH) {
        return found;
      }
      search->excesses[r] = (int32_t)answer.cost - distance;
    }
    search->cost_alone += distance + search->excesses[r];
  }
  return FW_FOUND_PATH;
}

// Chooses the robots of the next joint search: the group with the largest excess. If that group alone has a plan, the
// next search takes all robots of groups with excess, and the one after it all robots: a core of one robot does not
// show which other robots cause it. After a search that was stopped, it is again the group with the largest excess,
// because the excess of a group without a plan keeps rising.
static int32_t choose_group(lazy_sat_t * search)
{
  const int32_t all = search->run->instance.problem->robot_count;
  const fw_core_guided_t * cores = &search->core_guided;
  int32_t worst = cores->group_of[0];
  int32_t count = 0;
  for (int32_t r = 0; r < all; ++r) {
    worst = cores->group_of[r] == r && cores->excess_of[r] > cores->excess_of[worst] ? r : worst;
  }
  for (int32_t r = 0; r < all; ++r) {
    const int32_t group = cores->group_of[r];
    if (
      group == worst || search->scope >= SCOPE_ALL || (search->scope == SCOPE_EXCESS && cores->excess_of[group] > 0)) {
      search->group[count++] = r;
    }
  }
  return count;
}

// If there is no plan, bounds would be raised forever, but a joint search ends. It runs each time that the number of
// expansions has doubled. FW_FOUND_PATH: it contained all robots, and its paths are the plan.
static fw_found_t try_joint_search(lazy_sat_t * search)
{
  fw_joint_answer_t answer;
  const int32_t count = choose_group(search);
  const bool is_all = count == search->run->instance.problem->robot_count;
  const int64_t expansions_max = search->joint_search_at / (count <= FEW_ROBOTS ? SHARE_OF_FEW : SHARE_OF_MANY);
  FW_ASSERT(count > 0 && expansions_max > 0);
  const fw_found_t found = search_jointly(search, count, expansions_max, &answer);
  ++search->joint_searches;
  search->joint_search_at = 2 * own_expansions(search);
  if (found != FW_FOUND_PATH) {
    search->scope = SCOPE_GROUP;
    return found;
  }
  search->scope = search->scope < SCOPE_ALL ? search->scope + 1 : SCOPE_ALL;
  search->run->bound = is_all ? answer.cost : search->run->bound;
  return is_all ? FW_FOUND_PATH : FW_FOUND_STOPPED;
}

// ---- before clauses -------------------------------------------------------------------------------------------------
//
// Groups of two or three robots, and robots on a few cells, are solved sooner by operator decomposition than clauses
// can be written. Clauses win where a joint search has to look at many states for each unit of cost: therefore a limit
// in expansions, which grows with the cost that is proved.

enum { COST = FW_OPTIMAL_COST, MINIMISE, DISJOINT, LAYERS, PLACES, PAIRS, DETECT, DETECT_RISE };

// Packed robots are one group sooner or later, so that detection would only plan parts of it in vain.
static bool is_packed(const fw_instance_t * instance)
{
  int64_t states = 1;
  for (int32_t r = 0; r < instance->problem->robot_count && states <= JOINT_STATES_MAX; ++r) {
    states *= instance->moves->node_count - r;
  }
  return states <= JOINT_STATES_MAX && 2 * instance->problem->robot_count >= instance->moves->node_count;
}

// Independence detection within its limit. FW_FOUND_STOPPED: the limit is reached, or the meter has stopped.
static fw_found_t detect_groups(lazy_sat_t * search)
{
  fw_optimal_t * run = search->run;
  const int64_t * values = run->context->parameters;
  const fw_independence_options_t options = {
    .expansions_max = values[DETECT] * run->instance.problem->robot_count,
    .expansions_per_rise = values[DETECT_RISE],
  };
  return fw__independence_search(run, &options, &search->detection);
}

static fw_found_t search_before_clauses(lazy_sat_t * search)
{
  fw_optimal_t * run = search->run;
  const int32_t count = run->instance.problem->robot_count;
  fw_found_t found = FW_FOUND_STOPPED;
  if (run->context->parameters[DETECT] == 0) {
    return found;
  }
  if (is_packed(&run->instance)) {
    fw_joint_answer_t answer;
    for (int32_t r = 0; r < count; ++r) {
      search->group[r] = r;
    }
    found = search_jointly(search, count, JOINT_EXPANSIONS_MAX, &answer);
    ++search->joint_searches;
    run->bound = answer.bound > run->bound ? answer.bound : run->bound;
    for (int32_t r = 0; r < count && found == FW_FOUND_PATH; ++r) {
      run->group_of[r] = 0;
    }
    search->detection = (fw_independence_counts_t){.groups = 1, .largest_group = count};
  } else {
    found = detect_groups(search);
  }
  search->detection_expanded = own_expansions(search);
  return found;
}

// ---- the search -----------------------------------------------------------------------------------------------------

// Copies the paths of the last model, without waits on the goal at their ends. False if there are none.
static bool keep_paths(const lazy_sat_t * search)
{
  const fw_mdd_encoding_t * mdd = &search->mdd;
  bool has_paths = mdd->robots != NULL;
  for (int32_t r = 0; has_paths && r < mdd->instance->problem->robot_count; ++r) {
    const fw_list_t * path = &mdd->robots[r].path;
    int32_t * nodes = fw__arena_allocate(mdd->arena, (size_t)path->count, sizeof(*nodes));
    if (nodes == NULL || path->count == 0) {
      return false;
    }
    int32_t length = 1;
    for (fw_tick_t tick = 0; tick < path->count; ++tick) {
      nodes[tick] = mdd->states[path->items[tick]].node;
      length = tick > 0 && nodes[tick] != nodes[tick - 1] ? tick + 1 : length;
    }
    has_paths = fw__path_buffers_set(&search->run->paths, r, (fw_path_t){.cells = nodes, .length = length});
  }
  return has_paths;
}

// The model of a satisfiable answer. FW_FOUND_PATH: it is the plan. FW_FOUND_NONE: the search goes on.
static fw_found_t process_model(lazy_sat_t * search)
{
  fw__mdd_read_model(&search->mdd);
  if (fw__arena_has_failed(search->run->work)) {
    return stopped(search);
  }
  const int32_t conflicts = fw__mdd_exclude_conflicts(&search->mdd);
  if (fw__arena_has_failed(search->run->work)) {
    return stopped(search);
  }
  if (conflicts > 0) {
    return FW_FOUND_NONE;
  }
  if (fw__core_guided_has_suspended(&search->core_guided)) {
    return fw__core_guided_relax_suspended(&search->core_guided) ? FW_FOUND_NONE : stopped(search);
  }
  return keep_paths(search) ? FW_FOUND_PATH : stopped(search);
}

static fw_found_t raise_and_solve(lazy_sat_t * search)
{
  fw_optimal_t * run = search->run;
  for (;;) {
    const fw_cost_t bound = search->cost_alone + search->core_guided.bound;
    run->bound = bound > run->bound ? bound : run->bound;
    const fw_sat_result_t answer = fw__core_guided_solve(&search->core_guided);
    ++search->solver_calls;
    FW_ASSERT(answer != FW_SAT_UNKNOWN);  // this call has no limit of conflicts
    if (answer == FW_SAT_SATISFIABLE) {
      const fw_found_t found = process_model(search);
      if (found != FW_FOUND_NONE) {
        return found;
      }
      continue;
    }
    if (answer == FW_SAT_STOPPED || !fw__core_guided_process_core(&search->core_guided)) {
      return stopped(search);
    }
    if (search->core_guided.core.count == 0) {
      return FW_FOUND_NONE;
    }
    if (own_expansions(search) > search->joint_search_at) {
      const fw_found_t found = try_joint_search(search);
      if (found != FW_FOUND_STOPPED || fw__meter_has_stopped(&run->meter)) {
        return found;
      }
    }
  }
}

// ---- the planner ----------------------------------------------------------------------------------------------------

#define SWITCH(word, text)                                                               \
  {                                                                                      \
    .name = (word), .type = FW_PARAMETER_BOOLEAN, .initial = 1, .max = 1, .help = (text) \
  }

static const fw_parameter_def_t parameters[] = {
  [COST] = FW_OPTIMAL_COST_PARAMETER,
  [MINIMISE] = SWITCH("minimise", "reduce unsatisfiable cores before they are used"),
  [DISJOINT] = SWITCH("disjoint", "extract further disjoint cores before any cost bound is raised"),
  [LAYERS] = SWITCH("layers", "add redundant clauses: each robot is in one of its states at each tick"),
  [PLACES] =
    SWITCH("places", "when two robots conflict, exclude the same conflict for all robots at that cell and tick"),
  [PAIRS] = SWITCH("pairs", "when two robots conflict again, exclude their conflicts at all cells and ticks"),
  [DETECT] =
    {.name = "detect",
     .initial = 60,
     .max = 1000000,
     .help = "expansions per robot for independence detection with operator decomposition before clauses; 0: clauses "
             "at once"},
  [DETECT_RISE] =
    {.name = "detect_rise",
     .initial = 100,
     .max = 1000000,
     .help = "further expansions of each search of that detection, times the square of the rise of its lower bound"},
};

// The search by clauses.
static fw_found_t begin(lazy_sat_t * search)
{
  fw_arena_t * arena = search->run->work;
  const int64_t * values = search->run->context->parameters;
  const size_t count = (size_t)search->run->instance.problem->robot_count;
  search->excesses = fw__arena_allocate_zeroed(arena, count, sizeof(*search->excesses));
  if (fw__arena_has_failed(arena)) {
    return stopped(search);
  }
  const fw_found_t found = measure_alone(search);
  if (found != FW_FOUND_PATH) {
    return found;
  }
  const fw_mdd_options_t encoding = {
    .has_layer_clauses = values[LAYERS] != 0,
    .excludes_whole_vertex = values[PLACES] != 0,
    .excludes_pairs = values[PAIRS] != 0,
    .excesses = search->excesses,
  };
  const fw_core_guided_options_t core_guided = {
    .is_reduced = values[MINIMISE] != 0,
    .is_disjoint = values[DISJOINT] != 0,
  };
  if (!fw__mdd_init(&search->mdd, arena, &search->run->instance, &encoding)) {
    return stopped(search);
  }
  fw__core_guided_init(&search->core_guided, &search->mdd, &core_guided);
  return fw__arena_has_failed(arena) ? stopped(search) : raise_and_solve(search);
}

// Robots that were never in a core together are independent. Out of budget the paths are those of the last model: they
// may collide, so that each robot is a group of its own.
static void count_groups(const lazy_sat_t * search, fw_found_t found)
{
  fw_optimal_t * run = search->run;
  const int32_t * group_of = search->core_guided.group_of;
  const int32_t count = run->instance.problem->robot_count;
  int32_t groups = 0;
  int32_t largest = 0;
  for (int32_t group = 0; group < count && group_of != NULL; ++group) {
    int32_t size = 0;
    for (int32_t r = 0; r < count; ++r) {
      size += group_of[r] == group ? 1 : 0;
    }
    groups += size > 0 ? 1 : 0;
    largest = size > largest ? size : largest;
    run->group_of[group] = found == FW_FOUND_PATH ? group_of[group] : group;
  }
  fw__plan_count(run->plan, "groups", groups);
  fw__plan_count(run->plan, "largest_group", largest);
}

static fw_found_t solve_by_clauses(lazy_sat_t * search)
{
  fw_optimal_t * run = search->run;
  search->joint_search_at = own_expansions(search) + JOINT_SEARCH_FIRST;
  const fw_found_t found = begin(search);
  run->has_paths =
    found == FW_FOUND_PATH || (found == FW_FOUND_STOPPED && search->mdd.instance != NULL && keep_paths(search));
  count_groups(search, found);
  return found;
}

static fw_found_t find_plan(fw_optimal_t * run)
{
  if (run->instance.robust_ticks > FW_MDD_ROBUST_TICKS_MAX) {
    return fw__independence_solve(run, &(fw_independence_options_t){0});
  }
  lazy_sat_t search = {.run = run};
  fw__arena_reset(run->work);
  search.group = fw__arena_allocate(run->work, (size_t)run->instance.problem->robot_count, sizeof(*search.group));
  if (search.group == NULL) {
    return stopped(&search);
  }
  fw_found_t found = search_before_clauses(&search);
  if (found == FW_FOUND_STOPPED && !fw__meter_has_stopped(&run->meter)) {
    found = solve_by_clauses(&search);
  } else {
    fw__plan_count(run->plan, "groups", search.detection.groups);
    fw__plan_count(run->plan, "largest_group", search.detection.largest_group);
  }
  fw__plan_count(run->plan, "detection_expanded", search.detection_expanded);
  fw__plan_count(run->plan, "merges", search.detection.merges);
  fw__plan_count(run->plan, "tries", search.solver_calls);
  fw__plan_count(run->plan, "joint_searches", search.joint_searches);
  fw__plan_count(run->plan, "learned", search.mdd.sat.conflicts);
  fw__plan_count(run->plan, "states", search.mdd.state_count);
  return found;
}

static fw_ret_t init(fw_planner_context_t * context, fw_error_t * error)
{
  static const fw_optimal_strategy_t strategy = {.search = find_plan, .has_fallback = true};
  return fw__optimal_init(context, &strategy, error);
}

const fw_planner_def_t fw__planner_lazy_sat = {
  .name = "lazy_sat",
  .summary =
    "paths as SAT clauses, conflicts added lazily, core-guided MaxSAT on the sum of costs: optimal, and the "
    "best plan so far when time runs out",
  .paper =
    "G. Gange, D. Harabor, P. Stuckey, Lazy CBS: Implicit Conflict-Based Search Using Lazy Clause Generation, "
    "ICAPS 2019",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .is_optimal = true,
  .is_complete = true,
  .init = init,
  .solve = fw__optimal_solve,
  .fini = fw__optimal_fini,
};
