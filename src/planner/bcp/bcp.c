// bcp: biased cost pathfinding (Geramifard, Chubak, Bulitko 2006).
//
// Every robot plans for itself. Where paths collide, all robots of the collision except the one of the highest priority
// get a virtual cost around that point, and plan again; and so on, until no collision is left or the budget is spent.
// The robot of the highest priority never plans again.
//
//   search all ──> detect collisions ──> virtual costs for those that give way ──> search those again ──┐
//                        ^                                                                              │
//                        └──────────────────────────────────────────────────────────────────────────────┘
//
// Three things are ours, not the paper's. Collisions that are left are resolved by waits before anything is returned,
// and safe_until ends before what waits cannot resolve. Collisions that another path does not resolve get no virtual
// cost. And a search through time can be chosen for the single robot. `plain` switches them off.

#include "planner/bcp/bcp.h"

#include "base/assert.h"
#include "base/error.h"
#include "fleetweave/planner_def.h"
#include "planner/bcp/single_search.h"
#include "planner/bcp/wait_resolution.h"
#include "planner/bcp/warm_start.h"
#include "world/closures.h"

enum {
  PLAIN,
  ITERATIONS,
  PATIENCE,
  LIMIT,
  COLLISIONS,
  HEIGHT,
  SIGMA,
  BIAS,
  HEURISTIC,
  SEARCH,
  WEIGHT,
  STRAIGHT,
  WAITS,
  PRIORITIES,
};

enum { COLLISIONS_FIRST, COLLISIONS_ALL };
static const char * const collision_names[] = {"first", "all"};
enum { BIAS_COST, BIAS_ESTIMATE };
static const char * const bias_names[] = {"cost", "estimate"};
enum { HEURISTIC_TRUE, HEURISTIC_EUCLIDEAN };
static const char * const heuristic_names[] = {"true_distance", "euclidean"};

enum { PLAIN_SIGMA = 100 };  // Figure 1 of the paper: sigma is the number of colliding units

static const fw_parameter_def_t parameters[] = {
  [PLAIN] =
    {.name = "plain",
     .type = FW_PARAMETER_BOOLEAN,
     .max = 1,
     .help = "the algorithm as published: collisions=first, sigma=100, bias=estimate, heuristic=euclidean, "
             "search=astar, waits=false and patience=0, whatever these are set to; every collision gets a virtual "
             "cost, the last paths are returned, and nothing is kept for the next solve"},
  [ITERATIONS] =
    {.name = "iterations",
     .initial = 100,
     .max = 1000000,
     .help = "how often robots that collide plan again; 0: every robot keeps its own path"},
  [PATIENCE] =
    {.name = "patience",
     .initial = 8,
     .max = 1000000,
     .help = "stop after this many iterations in a row without fewer collisions than in any before; 0: never"},
  [LIMIT] =
    {.name = "path_limit",
     .max = 1000000,
     .help = "ticks of each path that are planned and checked for collisions (at least the horizon); 0: all"},
  [COLLISIONS] =
    {.name = "collisions",
     .type = FW_PARAMETER_CHOICE,
     .initial = COLLISIONS_ALL,
     .max = COLLISIONS_ALL,
     .choices = collision_names,
     .help = "which of a robot's collisions get a virtual cost in one iteration"},
  [HEIGHT] =
    {.name = "height",
     .initial = 200,
     .min = 1,
     .max = 10000,
     .help = "virtual cost at the point of a collision, in hundredths of a move"},
  [SIGMA] =
    {.name = "sigma",
     .initial = 25,
     .min = 1,
     .max = 400,
     .help = "width of a virtual cost for each robot in the collision, in hundredths of a cell; cut off at twice that"},
  [BIAS] =
    {.name = "bias",
     .type = FW_PARAMETER_CHOICE,
     .initial = BIAS_ESTIMATE,
     .max = BIAS_ESTIMATE,
     .choices = bias_names,
     .help = "virtual costs are added to the cost of moves, or, as in the paper, to the heuristic (searches "
             "astar and weighted; greedy always uses the heuristic, the others always the cost)"},
  [HEURISTIC] =
    {.name = "heuristic",
     .type = FW_PARAMETER_CHOICE,
     .initial = HEURISTIC_TRUE,
     .max = HEURISTIC_EUCLIDEAN,
     .choices = heuristic_names,
     .help = "estimate of the way that is left: the length of the shortest path, or, as in the paper, the Euclidean "
             "distance, with which paths may be longer than necessary (searches astar, weighted and greedy)"},
  [SEARCH] =
    {.name = "search",
     .type = FW_PARAMETER_CHOICE,
     .initial = FW_BCP_ASTAR,
     .max = FW_BCP_SEARCHES - 1,
     .choices = fw__bcp_search_names,
     .help = "search of a single robot: a search of `fleetweave route` that takes a cost for each cell, or one "
             "through time. Problems with closures always use spacetime_astar; robots with a heading, or that cut "
             "corners, use astar in place of dijkstra, bank, bidirectional, ida and hpa"},
  [WEIGHT] =
    {.name = "weight",
     .initial = 150,
     .min = 100,
     .max = 1000,
     .help = "weight of the heuristic with search=weighted, in hundredths"},
  [STRAIGHT] =
    {.name = "straight",
     .type = FW_PARAMETER_BOOLEAN,
     .max = 1,
     .help = "among paths of equal cost prefer the one nearest to the straight line (astar, weighted and greedy)"},
  [WAITS] =
    {.name = "waits",
     .type = FW_PARAMETER_BOOLEAN,
     .initial = 1,
     .max = 1,
     .help = "resolve remaining collisions by waiting; false: the plan is safe up to the first collision"},
  [PRIORITIES] = FW_FLEET_PRIORITIES_PARAMETER,
};

// ---- bias: which robots give way ------------------------------------------------------------------------------------

// The robot is on its goal for good: every other path leads there as well, it could only arrive later.
static bool has_arrived(const fw_bcp_t * run, const fw_detector_entry_t * entry)
{
  const fw_path_t * path = &run->paths.paths[entry->robot];
  return fw__bcp_ignores_time(run) && entry->at == run->problem->robots[entry->robot].goal &&
         entry->tick >= path->length - 1;
}

// Whether `a` keeps its path rather than `b`. Among equal priorities a robot that has arrived does, because another
// path does not help it, then one that was there before.
static bool has_precedence(const fw_bcp_t * run, const fw_detector_entry_t * a, const fw_detector_entry_t * b)
{
  const fw_robot_t * robots = run->problem->robots;
  if (run->options.is_plain == 0 && fw__bcp_is_fixed(run, a->robot) != fw__bcp_is_fixed(run, b->robot)) {
    return fw__bcp_is_fixed(run, a->robot);
  }
  if (robots[a->robot].priority != robots[b->robot].priority) {
    return robots[a->robot].priority > robots[b->robot].priority;
  }
  if (has_arrived(run, a) != has_arrived(run, b)) {
    return has_arrived(run, a);
  }
  return a->is_trailing != b->is_trailing ? a->is_trailing : a->robot < b->robot;
}

// Whether another path could help. It does not help a robot that has arrived for good, or that cannot leave its goal:
// the one has to arrive later, the other has to be avoided. Nor one that is still in its first motion or has just left
// its start, which it could not do earlier. And a robot that follows too closely needs only a short wait. The paper
// makes no such exceptions.
static bool can_avoid(const fw_bcp_t * run, const fw_detector_entry_t * entry, const fw_detector_entry_t * first)
{
  if (run->options.is_plain != 0) {
    return true;
  }
  const fw_tick_t arrives = run->problem->robots[entry->robot].arrives;
  const bool is_at_start = entry->tick <= arrives + (entry->is_trailing ? run->problem->robust_ticks : 0);
  return !first->is_trailing && !is_at_start && !fw__bcp_is_fixed(run, entry->robot) && !has_arrived(run, entry);
}

// False when there is no memory.
static bool add_virtual_cost(fw_bcp_t * run, const fw_detector_entry_t * entry, int32_t robots)
{
  const fw_virtual_cost_t cost = {.cell = entry->at, .tick = entry->tick, .robots = robots};
  if (!fw__virtual_costs_push(&run->virtual_costs[entry->robot], run->context->scratch, cost)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return false;
  }
  run->is_due[entry->robot] = true;
  ++run->virtual_cost_count;
  return true;
}

// Virtual costs for all robots of a collision except the first. By first collisions only, robots that have collided
// before are ignored; a collision that is left to waits does not count as the first.
static void bias_collision(fw_bcp_t * run, const fw_collision_t * collision, bool * has_met)
{
  const fw_detector_entry_t * entries = run->detector.entries;
  const fw_detector_entry_t * first = NULL;
  int32_t count = 0;
  for (int32_t i = collision->first; i >= 0; i = entries[i].next) {
    if (!has_met[entries[i].robot]) {
      first = first == NULL || has_precedence(run, &entries[i], first) ? &entries[i] : first;
      ++count;
    }
  }
  FW_ASSERT(count < 2 || first != NULL);
  const int64_t before = run->virtual_cost_count;
  for (int32_t i = collision->first; i >= 0 && count > 1; i = entries[i].next) {
    const fw_detector_entry_t * entry = &entries[i];
    const bool is_wanted = !has_met[entry->robot] && entry != first && can_avoid(run, entry, first);
    if (is_wanted && !add_virtual_cost(run, entry, count)) {
      return;
    }
  }
  const bool ends_paths = run->virtual_cost_count > before && run->options.is_first_only != 0;
  for (int32_t i = collision->first; i >= 0 && ends_paths; i = entries[i].next) {
    has_met[entries[i].robot] = true;
  }
}

// Adds virtual costs for the detected collisions; robots that get one are due. Returns the number of virtual costs.
// `has_met` has room for all robots.
static int64_t add_bias(fw_bcp_t * run, bool * has_met)
{
  const int64_t before = run->virtual_cost_count;
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    has_met[r] = false;
  }
  for (int32_t i = 0; i < run->detector.collision_count && !fw__bcp_has_stopped(run); ++i) {
    bias_collision(run, &run->detector.collisions[i], has_met);
  }
  return run->virtual_cost_count - before;
}

// ---- an iteration ---------------------------------------------------------------------------------------------------

// Searches for all robots that are due, by priority. False: the meter has stopped it.
static bool plan_due(fw_bcp_t * run)
{
  for (int32_t i = 0; i < run->problem->robot_count; ++i) {
    const int32_t robot = run->order.robots[i];
    if (run->is_due[robot]) {
      if (!fw__bcp_search(run, robot)) {
        return false;
      }
      run->is_due[robot] = false;
      run->is_new[robot] = true;
    }
  }
  return true;
}

// Collisions up to the limit, or until the last robot has arrived and the robust ticks after that. Only new paths have
// to be entered. False when there is no memory.
static bool detect(fw_bcp_t * run)
{
  fw_tick_t end = fw_paths_makespan(run->paths.paths, run->problem->robot_count) + run->problem->robust_ticks;
  end = end < run->limit ? end : run->limit;
  const bool is_empty = fw__collision_detector_begin(&run->detector, end);
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    if (is_empty || run->is_new[r]) {
      fw__collision_detector_set(&run->detector, r, &run->paths.paths[r]);
    }
    run->is_new[r] = false;
  }
  fw__collision_detector_sort(&run->detector);
  if (fw__arena_has_failed(run->context->scratch)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return false;
  }
  FW_ASSERT(fw__collision_detector_validate(&run->detector));
  return true;
}

// ---- the loop -------------------------------------------------------------------------------------------------------

// Keeps the present set if it is the best: the one with the fewest virtual costs, that is, with the fewest collisions
// that waits alone do not resolve; by first collisions only, whose number says little, the last one. False when there
// is no memory.
static bool keep_best(fw_bcp_t * run, int64_t virtual_costs)
{
  const bool is_better = run->iterations == 0 || virtual_costs < run->best_virtual_costs;
  run->stalled_iterations = is_better ? 0 : run->stalled_iterations + 1;
  run->best_virtual_costs = is_better ? virtual_costs : run->best_virtual_costs;
  if (!is_better && run->options.is_first_only == 0) {
    return true;
  }
  run->collisions_left = run->detector.collision_count;
  run->first_collision_tick = run->collisions_left > 0 ? run->detector.collisions[0].tick : FW_TICK_MAX;
  run->collisions_at_first = run->iterations == 0 ? run->collisions_left : run->collisions_at_first;
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    if (!fw__path_buffers_set(&run->best, r, run->paths.paths[r])) {
      fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
      return false;
    }
  }
  return true;
}

// Virtual costs of the last iteration are not lost: the next solve may continue from here.
static void iterate(fw_bcp_t * run, bool * has_met)
{
  const fw_bcp_options_t * options = &run->options;
  bool is_planned = plan_due(run);  // else some robots have no path yet: they wait
  while (detect(run)) {
    const int64_t virtual_costs = add_bias(run, has_met);
    if (!keep_best(run, virtual_costs) || !is_planned || virtual_costs == 0 || fw__bcp_has_stopped(run)) {
      return;
    }
    const bool has_patience = options->patience == 0 || run->stalled_iterations < options->patience;
    if (run->iterations == options->iterations || !has_patience) {
      return;
    }
    is_planned = plan_due(run);
    if (!is_planned) {
      return;
    }
    ++run->iterations;
  }
}

// False when there is no memory.
static bool begin(fw_bcp_t * run)
{
  fw_arena_t * arena = run->context->scratch;
  const size_t count = (size_t)run->problem->robot_count;
  run->is_due = fw__arena_allocate(arena, count, sizeof(*run->is_due));
  run->is_new = fw__arena_allocate_zeroed(arena, count, sizeof(*run->is_new));
  run->virtual_costs = fw__arena_allocate_zeroed(arena, count, sizeof(*run->virtual_costs));
  fw__collision_detector_init(&run->detector, arena, &run->fleet.bodies);
  if (
    fw__arena_has_failed(arena) || !fw__bcp_search_init(run) ||
    !fw__path_buffers_init(&run->paths, arena, run->problem) ||
    !fw__path_buffers_init(&run->best, arena, run->problem) ||
    !fw__order_init(&run->order, arena, &run->fleet, FW_ORDER_INDEX)) {
    return false;
  }
  for (int32_t i = 0; i < run->problem->robot_count; ++i) {
    run->is_due[i] = true;
    const fw_tick_t arrives = run->problem->robots[i].arrives;
    run->limit = arrives < run->limit ? run->limit : arrives + 1;
  }
  return true;
}

// ---- the plan -------------------------------------------------------------------------------------------------------

// The last tick at which all robots can stay where their paths end, with regard to closures.
static fw_tick_t can_stay_until(const fw_bcp_t * run, const fw_path_t * paths)
{
  fw_tick_t until = FW_TICK_MAX;
  for (int32_t r = 0; r < run->problem->robot_count && run->problem->closure_count > 0; ++r) {
    const fw_tick_t last = paths[r].length - 1;
    const fw_grid_pose_t pose = fw__path_pose(&paths[r], last);
    const fw_footprint_t footprint = fw__fleet_footprint(&run->fleet, r, pose.heading);
    const fw_tick_t open = fw__closures_open_until(run->problem, footprint, pose.cell, last);
    until = open < until ? open : until;
  }
  return until;
}

static bool have_arrived(const fw_bcp_t * run)
{
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    if (!fw__bcp_ends_on_goal(run, r, &run->best.paths[r])) {
      return false;
    }
  }
  return can_stay_until(run, run->best.paths) == FW_TICK_MAX;
}

// Beyond `safe_until` the robots wait, up to the horizon, and at least as long as all could have waited at their
// starts.
static fw_tick_t wait_on(const fw_bcp_t * run, fw_tick_t safe_until, const fw_path_t * paths)
{
  const fw_tick_t starts = fw__closures_starts_open_until(&run->fleet.bodies);
  const fw_tick_t wanted = starts != FW_TICK_MAX && starts > run->problem->horizon ? starts : run->problem->horizon;
  const fw_tick_t open = can_stay_until(run, paths);
  const fw_tick_t reached = open < wanted ? open : wanted;
  return reached > safe_until ? reached : safe_until;
}

// All robots stop at a tick up to which there is no collision. It stays so, because motions that would end later are
// not begun.
static void answer_part(const fw_bcp_t * run, fw_tick_t safe_until, fw_plan_t * plan, fw_path_t * paths)
{
  const fw_tick_t end = fw_paths_makespan(paths, run->problem->robot_count);
  const fw_tick_t open = can_stay_until(run, paths);
  safe_until = safe_until < run->limit ? safe_until : fw__bcp_is_limited(run) ? run->limit : end;
  safe_until = safe_until < open ? safe_until : open;
  if (safe_until < run->problem->horizon || run->options.has_waits != 0) {
    for (int32_t r = 0; r < run->problem->robot_count; ++r) {
      paths[r] = fw__bcp_cut(run, r, paths[r], safe_until);
    }
    safe_until = wait_on(run, safe_until, paths);
  }
  plan->outcome = FW_OUTCOME_PARTIAL;
  plan->stop = run->context->meter->stop;
  plan->safe_until = safe_until;
}

// Fills the plan from the best set of paths.
static fw_ret_t answer(fw_bcp_t * run, fw_plan_t * plan, fw_error_t * error)
{
  const size_t count = (size_t)run->problem->robot_count;
  fw_path_t * paths = fw__arena_allocate(run->context->scratch, count, sizeof(*paths));
  fw_tick_t safe_until = FW_TICK_MAX;
  if (run->collisions_left > 0 && run->options.has_waits != 0) {
    safe_until = fw__bcp_resolve(run);
  } else if (run->collisions_left > 0) {
    safe_until = run->first_collision_tick - 1;
  }
  if (paths == NULL) {
    return fw__error_memory(error);
  }
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    paths[r] = run->best.paths[r];
  }
  plan->paths = paths;
  if (safe_until == FW_TICK_MAX && have_arrived(run)) {
    plan->outcome = FW_OUTCOME_SOLVED;
    plan->safe_until = FW_TICK_MAX;
    plan->stats.first_plan_ns = fw_clock_now_ns() - run->context->meter->start_ns;
  } else {
    answer_part(run, safe_until, plan, paths);
  }
  fw__plan_count(plan, "iterations", run->iterations);
  fw__plan_count(plan, "searches", run->searches);
  fw__plan_count(plan, "virtual_costs", run->virtual_cost_count);
  fw__plan_count(plan, "virtual_costs_kept", run->virtual_costs_kept);
  fw__plan_count(plan, "collisions_at_first", run->collisions_at_first);
  fw__plan_count(plan, "collisions_left", run->collisions_left);
  fw__plan_count(plan, "robots_made_to_wait", run->waits);
  return FW_RET_OK;
}

// ---- the planner ----------------------------------------------------------------------------------------------------

static fw_bcp_options_t read_options(const fw_planner_context_t * context)
{
  const int64_t * values = context->parameters;
  if (values[PLAIN] != 0) {
    return (fw_bcp_options_t){
      .iterations = (int32_t)values[ITERATIONS],
      .path_limit = (int32_t)values[LIMIT],
      .is_first_only = 1,
      .height = (int32_t)values[HEIGHT],
      .sigma = PLAIN_SIGMA,
      .is_in_estimates = 1,
      .is_euclidean = 1,
      .search = FW_BCP_ASTAR,
      .is_plain = 1,
    };
  }
  return (fw_bcp_options_t){
    .iterations = (int32_t)values[ITERATIONS],
    .patience = (int32_t)values[PATIENCE],
    .path_limit = (int32_t)values[LIMIT],
    .is_first_only = values[COLLISIONS] == COLLISIONS_FIRST,
    .height = (int32_t)values[HEIGHT],
    .sigma = (int32_t)values[SIGMA],
    .is_in_estimates = values[BIAS] == BIAS_ESTIMATE,
    .is_euclidean = values[HEURISTIC] == HEURISTIC_EUCLIDEAN,
    .search = (int32_t)values[SEARCH],
    .weight = (int32_t)values[WEIGHT],
    .is_straight = values[STRAIGHT] != 0,
    .has_waits = values[WAITS] != 0,
  };
}

static fw_ret_t init(fw_planner_context_t * context, fw_error_t * error)
{
  fw_bcp_warm_start_t * saved = fw__arena_allocate(context->keep, 1, sizeof(*saved));
  if (saved == NULL) {
    return fw__error_memory(error);
  }
  fw__bcp_warm_start_init(saved, context->keep);
  context->state = saved;
  return FW_RET_OK;
}

static void fini(fw_planner_context_t * context)
{
  if (context->state != NULL) {
    fw__bcp_warm_start_fini(context->state);
  }
}

static void forget(fw_bcp_warm_start_t * saved)
{
  if (saved != NULL) {
    saved->is_valid = false;
  }
}

static fw_bcp_t begin_run(fw_planner_context_t * context, const fw_problem_t * problem)
{
  fw_bcp_t run = {.context = context, .problem = problem, .options = read_options(context), .limit = FW_TICK_MAX};
  if (run.options.path_limit > 0) {
    run.limit = run.options.path_limit > problem->horizon ? run.options.path_limit : problem->horizon;
  }
  return run;
}

// `saved`: what the last solve has left, NULL for none.
static fw_ret_t solve_run(fw_bcp_t * run, fw_bcp_warm_start_t * saved, fw_plan_t * plan, fw_error_t * error)
{
  fw_planner_context_t * context = run->context;
  const fw_problem_t * problem = run->problem;
  const fw_fleet_state_t state = fw__fleet_init(&run->fleet, context, problem, error);
  if (state != FW_FLEET_READY) {
    forget(saved);
    return state == FW_FLEET_UNREACHABLE ? fw__plan_unsolvable(context, problem, plan, error)
                                         : fw__plan_wait_all(context, problem, plan, error);
  }
  plan->stats.lower_bound = run->fleet.lower_bound;
  bool * has_met = fw__arena_allocate(context->scratch, (size_t)problem->robot_count, sizeof(*has_met));
  if (has_met == NULL || !begin(run)) {
    forget(saved);
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return fw__plan_wait_all(context, problem, plan, error);
  }
  if (saved != NULL) {
    fw__bcp_warm_start_load(saved, run);
  }
  iterate(run, has_met);
  const fw_ret_t ret = answer(run, plan, error);
  if (saved != NULL) {
    fw__bcp_warm_start_save(saved, run);
  }
  return ret;
}

// ---- priorities that yield ------------------------------------------------------------------------------------------

// Plans again as if priorities up to `ceiling` were one. The new plan counts if it is solved: robots have given way to
// others of lower priority, but all arrive.
static void solve_again(fw_planner_context_t * context, const fw_problem_t * problem, int32_t ceiling, fw_plan_t * plan)
{
  fw_robot_t * robots = fw__arena_allocate(context->scratch, (size_t)problem->robot_count, sizeof(*robots));
  if (robots == NULL) {
    return;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    robots[r] = problem->robots[r];
    robots[r].priority = robots[r].priority < ceiling ? ceiling : robots[r].priority;
  }
  fw_problem_t equal = *problem;
  equal.robots = robots;
  fw_plan_t again = *plan;
  fw_error_t error;
  again.stats.counter_count = 0;
  fw_bcp_t run = begin_run(context, &equal);
  if (solve_run(&run, NULL, &again, &error) == FW_RET_OK && again.outcome == FW_OUTCOME_SOLVED) {
    *plan = again;
  }
}

// Where robots do not arrive, priorities may be the reason. All but the highest count as one then, and if that does not
// help, all of them. A fleet that goes on (with a horizon) has another chance in its next plan.
static void yield(fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan)
{
  int32_t levels[2] = {INT32_MIN, INT32_MIN};  // the highest priority and the next
  int32_t lowest = INT32_MAX;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const int32_t priority = problem->robots[r].priority;
    lowest = priority < lowest ? priority : lowest;
    levels[0] = priority > levels[0] ? priority : levels[0];
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const int32_t priority = problem->robots[r].priority;
    levels[1] = priority < levels[0] && priority > levels[1] ? priority : levels[1];
  }
  for (int32_t i = 1; i >= 0; --i) {
    const bool goes_on = plan->outcome != FW_OUTCOME_SOLVED && !fw__meter_has_stopped(context->meter);
    if (goes_on && levels[i] > lowest) {
      solve_again(context, problem, levels[i], plan);
    }
  }
}

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  fw_bcp_t run = begin_run(context, problem);
  fw_bcp_warm_start_t * saved = run.options.is_plain != 0 ? NULL : context->state;  // the paper keeps nothing
  const fw_ret_t ret = solve_run(&run, saved, plan, error);
  const bool may_yield = context->parameters[PRIORITIES] == 0 && run.options.has_waits != 0 &&
                         run.options.path_limit == 0 && problem->horizon == 0;
  if (ret == FW_RET_OK && plan->outcome == FW_OUTCOME_PARTIAL && may_yield) {
    yield(context, problem, plan);
  }
  return ret;
}

const fw_planner_def_t fw__planner_bcp = {
  .name = "bcp",
  .summary = "biased cost pathfinding: virtual costs drive robots away from collisions with robots of higher priority",
  .paper = "A. Geramifard, P. Chubak, V. Bulitko, Biased Cost Pathfinding, AIIDE 2006",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .may_delay_first = true,
  .goes_on = true,
  .init = init,
  .solve = solve,
  .fini = fini,
};
