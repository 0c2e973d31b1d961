// bcp: biased cost pathfinding (Geramifard, Chubak, Bulitko 2006).
//
// Every robot plans for itself. Where paths collide, all robots of the collision but the one of the highest priority get
// a virtual cost around that point, and plan again; and so on, until no collision is left or the budget is spent. The
// robot of the highest priority never plans again.
//
// Two things are ours. What is left at the end is resolved by waits before anything is returned, and safe_until ends
// before what waits cannot resolve. And a search through time may be chosen for the single robot.

#include "base/error.h"
#include "planner/bcp/bcp.h"
#include "planner/registry.h"

enum { ITERATIONS, PATIENCE, LIMIT, COLLISIONS, HEIGHT, SIGMA, BIAS, SEARCH, WEIGHT, STRAIGHT, WAITS };

enum { COLLISIONS_FIRST, COLLISIONS_ALL };
static const char * const collision_names[] = {"first", "all"};
enum { BIAS_COST, BIAS_ESTIMATE };
static const char * const bias_names[] = {"cost", "estimate"};

static const fw_parameter_def_t parameters[] = {
  [ITERATIONS] =
    {.name = "iterations",
     .initial = 100,
     .max = 1000000,
     .help = "how often robots that collide plan again; 0 is everybody's own path"},
  [PATIENCE] =
    {.name = "patience",
     .initial = 8,
     .max = 1000000,
     .help = "give up after so many iterations in a row without fewer collisions than ever before; 0: never"},
  [LIMIT] =
    {.name = "path_limit",
     .max = 1000000,
     .help = "how many ticks of each path are planned and looked at (at least the horizon); 0: all of it"},
  [COLLISIONS] =
    {.name = "collisions",
     .type = FW_PARAMETER_CHOICE,
     .initial = COLLISIONS_ALL,
     .max = 1,
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
     .max = 1,
     .choices = bias_names,
     .help = "virtual costs are added to what steps cost, or, as in the paper, to the estimate (by astar and "
             "weighted; greedy knows estimates alone, the others costs alone)"},
  [SEARCH] =
    {.name = "search",
     .type = FW_PARAMETER_CHOICE,
     .initial = FW_BCP_ASTAR,
     .max = FW_BCP_SEARCHES - 1,
     .choices = fw__bcp_search_names,
     .help = "how a robot plans for itself: searches of `fleetweave route` that take a cost of each cell, or one "
             "through time; where cells close for a time always spacetime_astar, and robots that have a heading or "
             "cut corners by astar in place of dijkstra to hpa"},
  [WEIGHT] =
    {.name = "weight",
     .initial = 150,
     .min = 100,
     .max = 1000,
     .help = "weight of the estimate in weighted, in hundredths"},
  [STRAIGHT] =
    {.name = "straight",
     .type = FW_PARAMETER_BOOLEAN,
     .max = 1,
     .help = "of ways that are as good take the one nearest to the line to the goal (by astar, weighted and greedy)"},
  [WAITS] =
    {.name = "waits",
     .type = FW_PARAMETER_BOOLEAN,
     .initial = 1,
     .max = 1,
     .help = "robots wait where that resolves what is left; else the plan is safe up to the first collision"},
};

// ---- an iteration ---------------------------------------------------------------------------------------------------

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

// Everything up to the limit, or until the last robot has arrived and the robust ticks after that. Only paths that are new
// since the last time have to be put in.
static bool detect(fw_bcp_t * run)
{
  fw_tick_t end = fw_paths_makespan(run->paths.paths, run->problem->robot_count) + run->problem->robust_ticks;
  end = end < run->limit ? end : run->limit;
  const bool is_empty = fw__bcp_detector_begin(&run->detector, end);
  bool is_whole = true;
  for (int32_t r = 0; r < run->problem->robot_count && is_whole; ++r) {
    is_whole = !(is_empty || run->is_new[r]) || fw__bcp_detector_set(&run->detector, r, &run->paths.paths[r]);
    run->is_new[r] = false;
  }
  is_whole = is_whole && fw__bcp_detector_sort(&run->detector);
  if (!is_whole) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
  return is_whole;
}

// ---- the loop -------------------------------------------------------------------------------------------------------

// The set with the fewest collisions that waits alone do not resolve, as far as virtual costs were given for them; by
// first collisions only, whose number says little, the last one.
static bool note_best(fw_bcp_t * run, int64_t harm)
{
  const bool is_better = run->iterations == 0 || harm < run->harm;
  run->idle = is_better ? 0 : run->idle + 1;
  run->harm = is_better ? harm : run->harm;
  if (!is_better && run->options.is_first_only == 0) {
    return true;
  }
  run->left = run->detector.collision_count;
  run->left_tick = run->left > 0 ? fw__bcp_detector_at(&run->detector, 0)->tick : FW_TICK_MAX;
  run->first_left = run->iterations == 0 ? run->left : run->first_left;
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    if (!fw__path_buffers_set(&run->best, r, run->paths.paths[r])) {
      fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
      return false;
    }
  }
  return true;
}

// What is found in the last iteration is not lost: the next solve may go on from here.
static void iterate(fw_bcp_t * run, bool * has_met)
{
  const fw_bcp_options_t * options = &run->options;
  bool is_planned = plan_due(run);  // else some have no path yet: they wait
  while (detect(run)) {
    const int64_t harm = fw__bcp_bias(run, has_met);
    if (!note_best(run, harm) || !is_planned || harm == 0 || fw__bcp_has_stopped(run)) {
      return;
    }
    const bool has_patience = options->patience == 0 || run->idle < options->patience;
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

static bool begin(fw_bcp_t * run)
{
  fw_arena_t * arena = run->context->scratch;
  const size_t count = (size_t)run->problem->robot_count;
  run->is_due = fw__arena_allocate(arena, count, sizeof(*run->is_due));
  run->is_new = fw__arena_allocate_zeroed(arena, count, sizeof(*run->is_new));
  run->bumps = fw__arena_allocate_zeroed(arena, count, sizeof(*run->bumps));
  fw__bcp_detector_init(&run->detector, arena, &run->fleet.bodies);
  if (
    run->is_due == NULL || run->is_new == NULL || run->bumps == NULL || run->detector.owns == NULL ||
    !fw__bcp_search_init(run) || !fw__path_buffers_init(&run->paths, arena, run->problem) ||
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

// ---- the planner ----------------------------------------------------------------------------------------------------

static fw_bcp_options_t read_options(const fw_planner_context_t * context)
{
  const int64_t * values = context->parameters;
  return (fw_bcp_options_t){
    .iterations = (int32_t)values[ITERATIONS],
    .patience = (int32_t)values[PATIENCE],
    .path_limit = (int32_t)values[LIMIT],
    .is_first_only = values[COLLISIONS] == COLLISIONS_FIRST,
    .height = (int32_t)values[HEIGHT],
    .sigma = (int32_t)values[SIGMA],
    .is_in_estimates = values[BIAS] == BIAS_ESTIMATE,
    .search = (int32_t)values[SEARCH],
    .weight = (int32_t)values[WEIGHT],
    .is_straight = values[STRAIGHT] != 0,
    .has_waits = values[WAITS] != 0,
  };
}

static fw_ret_t init(fw_planner_context_t * context, fw_error_t * error)
{
  fw_bcp_story_t * story = fw__arena_allocate(context->keep, 1, sizeof(*story));
  if (story == NULL) {
    return fw__error_memory(error);
  }
  fw__bcp_story_init(story, context->keep);
  context->state = story;
  return FW_RET_OK;
}

static void fini(fw_planner_context_t * context)
{
  if (context->state != NULL) {
    fw__bcp_story_fini(context->state);
  }
}

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  fw_bcp_story_t * story = context->state;
  fw_bcp_t run = {.context = context, .problem = problem, .options = read_options(context), .limit = FW_TICK_MAX};
  if (run.options.path_limit > 0) {
    run.limit = run.options.path_limit > problem->horizon ? run.options.path_limit : problem->horizon;
  }
  const fw_fleet_state_t state = fw__fleet_init(&run.fleet, context->scratch, context, problem, error);
  if (state != FW_FLEET_READY) {
    story->is_running = false;
    return fw__plan_wait_all(state, context, problem, plan, error);
  }
  plan->stats.lower_bound = run.fleet.lower_bound;
  bool * has_met = fw__arena_allocate(context->scratch, (size_t)problem->robot_count, sizeof(*has_met));
  if (has_met == NULL || !begin(&run)) {
    story->is_running = false;
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return fw__plan_wait_all(FW_FLEET_STOPPED, context, problem, plan, error);
  }
  fw__bcp_story_recall(story, &run);
  iterate(&run, has_met);
  const fw_ret_t ret = fw__bcp_answer(&run, plan, error);
  fw__bcp_story_note(story, &run);
  return ret;
}

const fw_planner_def_t fw__planner_bcp = {
  .name = "bcp",
  .summary = "biased cost pathfinding: virtual costs drive robots away from collisions with robots of higher priority",
  .paper = "A. Geramifard, P. Chubak, V. Bulitko, Biased Cost Pathfinding, AIIDE 2006",
  .parameters = parameters,
  .parameter_count = sizeof(parameters) / sizeof(parameters[0]),
  .may_delay_first = true,
  .goes_on = true,
  .init = init,
  .solve = solve,
  .fini = fini,
};
