// rtaa: Real-Time Adaptive A* for every robot at once (<fleetweave/batch.h>), and a step after each episode in which
// robots commit themselves to one cell each, by priority and without collision (rtaa_commit.c).
//
// Nobody looks further than `lookahead` expansions, so a tick costs little however large the map is, and the plan can be
// had tick by tick. There is no promise that everybody arrives. With `cooperate` off robots do not see each other, as in
// the paper: the plan then holds up to the tick before the first conflict.

#include "planner/rtaa/rtaa_story.h"

#include "base/error.h"
#include "planner/registry.h"

enum { LOOKAHEAD, MOVES, COOPERATE, PARKED, PATIENCE, FUSED, BACKEND, TICKS };

static const char * const backend_names[] = {"auto", "cpu", "cuda"};

static const fw_parameter_def_t parameters[] = {
  [LOOKAHEAD] =
    {.name = "lookahead",
     .initial = 8,
     .min = 1,
     .max = FW_LOOKAHEAD_MAX,
     .help =
       "states that a robot expands in an episode; it remembers what it has learned 2 x lookahead cells around it"},
  [MOVES] =
    {.name = "moves",
     .max = FW_LOOKAHEAD_MAX,
     .help = "cells that a robot goes in an episode if it does not cooperate, lookahead at most; 0: lookahead"},
  [COOPERATE] =
    {.name = "cooperate",
     .type = FW_PARAMETER_BOOLEAN,
     .initial = 1,
     .max = 1,
     .help = "robots make way for each other, by priority; without it the plan holds up to the first conflict"},
  [PARKED] =
    {.name = "parked",
     .initial = 8,
     .max = 254,
     .help = "what the cell of a robot on its goal costs others more, so that they go around it; 0: nothing"},
  [PATIENCE] =
    {.name = "patience",
     .initial = 8,
     .max = 1000000,
     .help = "ticks that a robot is held up before others of its priority choose before it"},
  [FUSED] =
    {.name = "fused",
     .type = FW_PARAMETER_BOOLEAN,
     .initial = 1,
     .max = 1,
     .help = "the four stages of an episode in one pass; changes the time, never the answer"},
  [BACKEND] =
    {.name = "backend",
     .type = FW_PARAMETER_CHOICE,
     .initial = FW_BACKEND_CPU,
     .max = 2,
     .choices = backend_names,
     .help = "where episodes are computed: auto is a GPU if there is one, else the CPU; never changes the answer"},
  [TICKS] =
    {.name = "ticks", .initial = 5000, .min = 1, .max = 10000000, .help = "give up when this many ticks have passed"},
};

// ---- the door -------------------------------------------------------------------------------------------------------

static fw_ret_t check_support(const fw_problem_t * problem, fw_error_t * error)
{
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    const char * what = robot->footprint_count > 1                          ? "footprints larger than a cell"
                        : robot->ticks_per_move > 1                         ? "more than one tick per move"
                        : robot->turn_ticks > 0                             ? "turning"
                        : robot->sweeps_sides && problem->connectivity == 8 ? "sweeping diagonals"
                                                                            : NULL;
    if (what != NULL) {
      (void)fw__error_at(
        error, (fw_error_detail_t){FW_FAULT_INVALID, r, robot->start}, "rtaa does not support %s (robot %d)", what, r);
      return FW_RET_UNSUPPORTED;
    }
  }
  if (problem->closure_count > 0) {
    return fw__error(error, FW_RET_UNSUPPORTED, "rtaa does not support closures");
  }
  if (problem->cuts_corners) {
    return fw__error(error, FW_RET_UNSUPPORTED, "rtaa does not support cutting corners");
  }
  return FW_RET_OK;
}

// ---- the batch ------------------------------------------------------------------------------------------------------

static void * take(size_t size_bytes, void * state) { return fw__arena_allocate(state, 1, size_bytes); }

static void leave(void * pointer, void * state)
{
  (void)pointer;
  (void)state;
}

fw_allocator_t fw__rtaa_allocator(fw_arena_t * arena)
{
  return (fw_allocator_t){.allocate = take, .deallocate = leave, .state = arena};
}

static bool begin_batch(fw_rtaa_run_t * run)
{
  const fw_problem_t * problem = run->problem;
  const int64_t * values = run->context->parameters;
  fw_arena_t * arena = run->context->scratch;
  const size_t count = (size_t)problem->robot_count;
  fw_cell_t * starts = fw__arena_allocate(arena, count, sizeof(*starts));
  fw_cell_t * goals = fw__arena_allocate(arena, count, sizeof(*goals));
  const int32_t lookahead = run->lookahead;
  const int32_t moves = values[MOVES] == 0 || values[MOVES] > lookahead ? lookahead : (int32_t)values[MOVES];
  const fw_batch_options_t options = {
    .lookahead = lookahead,
    .moves = values[COOPERATE] != 0 ? 0 : moves,
    .connectivity = problem->connectivity,
    .is_fused = values[FUSED] != 0,
    .backend = (fw_backend_t)values[BACKEND],
    .threads = run->context->threads,
    .allocator = fw__rtaa_allocator(run->batch_arena),
  };
  for (int32_t r = 0; r < problem->robot_count && starts != NULL && goals != NULL; ++r) {
    starts[r] = problem->robots[r].start;
    goals[r] = problem->robots[r].goal;
  }
  // The problem has been checked: only memory can be missing.
  const bool is_fine =
    starts != NULL && goals != NULL &&
    fw_batch_init(&run->batch, problem->grid, starts, goals, problem->robot_count, &options, NULL) == FW_RET_OK;
  if (!is_fine) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
  return is_fine;
}

bool fw__rtaa_run_episode(fw_rtaa_run_t * run)
{
  const int64_t work = (int64_t)fw_batch_running(&run->batch) * run->context->parameters[LOOKAHEAD];
  return !fw__meter_add(run->context->meter, work + 1) && fw_batch_run(&run->batch, 1, NULL) == FW_RET_OK;
}

// ---- the answer -----------------------------------------------------------------------------------------------------

fw_ret_t fw__rtaa_answer(
  fw_rtaa_run_t * run, bool is_solved, fw_tick_t safe_until, fw_plan_t * plan, fw_error_t * error)
{
  const fw_path_t * paths = fw__rtaa_tracks_paths(run, is_solved ? FW_TICK_MAX - 1 : run->now);
  if (paths == NULL) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return fw__plan_wait_all(FW_FLEET_STOPPED, run->context, run->problem, plan, error);
  }
  plan->outcome = is_solved ? FW_OUTCOME_SOLVED : FW_OUTCOME_PARTIAL;
  plan->stop = is_solved ? FW_STOP_DONE : run->context->meter->stop;
  plan->safe_until = is_solved ? FW_TICK_MAX : safe_until;
  plan->paths = paths;
  plan->stats.first_plan_ns = is_solved ? fw_clock_now_ns() - run->context->meter->start_ns : 0;
  plan->stats.lower_bound = is_solved ? fw__rtaa_bound(run) : 0;
  const fw_batch_stats_t stats = fw_batch_stats(&run->batch);
  fw__plan_count(plan, "episodes", stats.episodes);
  fw__plan_count(plan, "robot_bytes", (int64_t)stats.robot_bytes);
  fw__plan_count(plan, "pushes", run->pushes);
  fw__plan_count(plan, "swaps", run->swaps);
  fw__plan_count(plan, "waits", run->waits);
  fw__plan_count(plan, "demotions", run->demotions);
  return FW_RET_OK;
}

// ---- the planner ----------------------------------------------------------------------------------------------------

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  const fw_ret_t ret = check_support(problem, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  const fw_tick_t ticks = (fw_tick_t)context->parameters[TICKS];
  fw_rtaa_story_t * story = context->state;
  const bool is_window = problem->horizon > 0 && context->parameters[COOPERATE] != 0;
  fw_rtaa_run_t run = {
    .context = context,
    .problem = problem,
    .lookahead = (int32_t)context->parameters[LOOKAHEAD],
    .batch_arena = is_window ? fw__rtaa_story_turn(story) : context->scratch,
    .ticks_max = problem->horizon > 0 && problem->horizon < ticks ? problem->horizon : ticks,
    .parked = (int32_t)context->parameters[PARKED],
    .patience = (int32_t)context->parameters[PATIENCE],
  };
  const int32_t cut_off = fw__rtaa_find_cut_off(context->scratch, problem);
  if (cut_off >= 0) {
    const fw_cell_t goal = problem->robots[cut_off].goal;
    (void)fw__error_at(
      error, (fw_error_detail_t){FW_FAULT_NO_VALID_PATH, cut_off, goal}, "robot %d has no way to its goal (%d,%d)",
      cut_off, fw_grid_x(problem->grid, goal), fw_grid_y(problem->grid, goal));
    return fw__plan_wait_all(FW_FLEET_UNREACHABLE, context, problem, plan, error);
  }
  if (cut_off == -2) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
  }
  if (problem->robot_count == 0) {
    plan->outcome = FW_OUTCOME_SOLVED;
    plan->safe_until = FW_TICK_MAX;
    return FW_RET_OK;
  }
  if (fw__meter_check(context->meter) || !begin_batch(&run) || !fw__rtaa_tracks_init(&run)) {
    return fw__plan_wait_all(FW_FLEET_STOPPED, context, problem, plan, error);
  }
  return context->parameters[COOPERATE] != 0 ? fw__rtaa_solve_together(&run, plan, error)
                                             : fw__rtaa_solve_alone(&run, plan, error);
}

static fw_ret_t init(fw_planner_context_t * context, fw_error_t * error)
{
  fw_rtaa_story_t * story = fw__arena_allocate(context->keep, 1, sizeof(*story));
  if (story == NULL) {
    return fw__error_memory(error);
  }
  fw__rtaa_story_init(story, context->keep);
  context->state = story;
  return FW_RET_OK;
}

static void fini(fw_planner_context_t * context)
{
  if (context->state != NULL) {
    fw__rtaa_story_fini(context->state);
  }
}

const fw_planner_def_t fw__planner_rtaa = {
  .name = "rtaa",
  .summary =
    "Real-Time Adaptive A* in batches, on CPU threads or a GPU; each tick, robots give way by priority inheritance "
    "(PIBT); "
    "may not arrive",
  .paper =
    "U. Erra and G. Caggianese, Real-time Adaptive GPU multi-agent path planning, 2011; K. Okumura et al., Priority "
    "Inheritance with Backtracking for Iterative Multi-agent Path Finding, IJCAI 2019",
  .parameters = parameters,
  .parameter_count = sizeof(parameters) / sizeof(parameters[0]),
  .may_delay_first = true,
  .goes_on = true,
  .init = init,
  .solve = solve,
  .fini = fini,
};
