// rtaa: Real-Time Adaptive A* for all robots at once (<fleetweave/batch.h>), and after each episode a step in which
// every robot commits itself to one cell, by priority and without collisions (pibt.h).
//
// U. Erra, G. Caggianese, Real-time Adaptive GPU multi-agent path planning, GPU Computing Gems Jade Edition, 2011;
// K. Okumura et al., Priority Inheritance with Backtracking for Iterative Multi-agent Path Finding, IJCAI 2019.
//
// No robot expands more than `lookahead` states in an episode, so that a tick costs little however large the map is,
// and the plan is available tick by tick. Robots that choose tick by tick may stall in crowds: then a search over
// configurations (lacam.h) finds their way out, except in the windows of a rolling horizon. With `cooperate` off robots
// ignore each other, as in the first paper: the plan is then safe up to the tick before the first conflict.

#include "planner/rtaa/rtaa.h"

#include <stdio.h>

#include "base/assert.h"
#include "base/error.h"
#include "fleetweave/planner_def.h"
#include "kernel/batch.h"
#include "planner/rtaa/reachability.h"
#include "planner/rtaa/warm_start.h"
#include "world/hidden.h"

// What `backend` needs comes before it: parameters may be set one by one in this order.
enum {
  LOOKAHEAD,
  MEMORY,
  MOVES,
  COOPERATE,
  PARKED,
  PATIENCE,
  LACAM,
  FUSED,
  DEVICE,
  DEVICES,
  BACKEND,
  TICKS,
  HIDDEN,
  SIGHT
};

static const char * const backend_names[] = {"auto", "cpu", "cuda"};
static const char * const memory_names[] = {"window", "regions"};

static const fw_parameter_def_t parameters[] = {
  [LOOKAHEAD] =
    {.name = "lookahead",
     .initial = 8,
     .min = 1,
     .max = FW_LOOKAHEAD_MAX,
     .help = "states that a robot expands in an episode; it remembers distances that it learned up to 2 x lookahead "
             "cells away"},
  [MEMORY] =
    {.name = "memory",
     .type = FW_PARAMETER_CHOICE,
     .initial = FW_MEMORY_REGIONS,
     .max = FW_MEMORY_REGIONS,
     .choices = memory_names,
     .help = "regions: robots begin with distances between regions of the map, which lead round obstacles; window: "
             "with the distance without obstacles, as in the paper"},
  [MOVES] =
    {.name = "moves",
     .max = FW_LOOKAHEAD_MAX,
     .help = "cells that a robot moves in an episode without cooperation, at most lookahead; 0: lookahead"},
  [COOPERATE] =
    {.name = "cooperate",
     .type = FW_PARAMETER_BOOLEAN,
     .initial = 1,
     .max = 1,
     .help = "robots give way by priority inheritance (PIBT); false: the plan is safe up to the first conflict"},
  [PARKED] =
    {.name = "parked",
     .initial = 8,
     .max = 254,
     .help = "extra cost of the cell of a robot on its goal, so that others go around it; 0: none"},
  [PATIENCE] =
    {.name = "patience",
     .initial = 8,
     .max = 1000000,
     .help = "after this many blocked ticks in a row, a robot lets others of its priority choose first"},
  [LACAM] =
    {.name = "lacam",
     .initial = 20000,
     .max = 100000000,
     .help =
       "where robots stall, a search over configurations (LaCAM) proposes this many at most before it gives up; 0: "
       "no search"},
  [FUSED] =
    {.name = "fused",
     .type = FW_PARAMETER_BOOLEAN,
     .initial = 1,
     .max = 1,
     .help = "run the four stages of an episode in one pass; changes the run time, never the plan"},
  [DEVICE] = {.name = "device", .max = 1023, .help = "number of the GPU that the backends cuda and auto use, from 0"},
  [DEVICES] =
    {.name = "devices",
     .initial = 1,
     .min = 1,
     .max = FW_BATCH_DEVICES_MAX,
     .help = "number of GPUs that share the robots, from device on; 128 robots for each at least; with the backend "
             "auto those that are there; never changes the plan"},
  [BACKEND] =
    {.name = "backend",
     .type = FW_PARAMETER_CHOICE,
     .initial = FW_BACKEND_CPU,
     .max = FW_BACKEND_CUDA,
     .choices = backend_names,
     .help = "where episodes are computed; cuda: a GPU, or an error; auto: the faster one, if there is a GPU and the "
             "robots are many, else the CPU; never changes the plan"},
  [TICKS] =
    {.name = "ticks",
     .initial = 5000,
     .min = 1,
     .max = 10000000,
     .help = "the plan ends after this many ticks if not all robots have arrived"},
  [HIDDEN] =
    {.name = "hidden",
     .max = 100,
     .help =
       "per cent of the obstacles, chosen by the seed, that robots do not know until one of them sees them; the plan "
       "is safe on the true map"},
  [SIGHT] =
    {.name = "sight",
     .initial = 3,
     .min = 1,
     .max = FW_SIGHT_MAX,
     .help = "range, in cells in every direction, in which a robot sees hidden obstacles and tells all others"},
};

// ---- what is supported ----------------------------------------------------------------------------------------------

fw_ret_t fw__rtaa_check_support(const fw_problem_t * problem, fw_error_t * error)
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

// Obstacles that are not known.
static int32_t count_unknown(const fw_grid_t * grid, const fw_grid_t * known)
{
  int32_t count = 0;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    count += grid->cost[cell] == 0 && known->cost[cell] != 0 ? 1 : 0;
  }
  return count;
}

// The map that robots know at first: all of it, or with hidden obstacles what is not hidden and what the last window
// has discovered. NULL when there is no memory. What is hidden is a matter of the planner and not of the problem: a
// problem is the world as it is, on which every plan is checked.
static const fw_grid_t * known_at_first(fw_rtaa_planner_t * run)
{
  const fw_grid_t * grid = run->problem->grid;
  const int32_t per_cent = (int32_t)run->context->parameters[HIDDEN];
  if (per_cent == 0) {
    return grid;
  }
  fw_grid_t * known = fw__arena_allocate(run->context->scratch, 1, sizeof(*known));
  uint8_t * cost = fw__arena_allocate(run->context->scratch, (size_t)fw_grid_cell_count(grid), 1);
  if (known == NULL || cost == NULL) {
    return NULL;
  }
  (void)fw__hide_obstacles(grid, per_cent, run->context->seed, cost);
  *known = (fw_grid_t){.width = grid->width, .height = grid->height, .cost = cost};
  if (run->problem->horizon > 0) {
    fw__rtaa_warm_start_discovered(run->context->state, run->problem, cost);
  }
  run->hidden = count_unknown(grid, known);
  return known;
}

// FW_RET_OK, with the meter stopped, when there is no memory. FW_RET_NO_DEVICE if the device that is required is gone.
static fw_ret_t begin_batch(fw_rtaa_planner_t * run, fw_error_t * error)
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
    .sight = values[HIDDEN] > 0 ? (int32_t)values[SIGHT] : 0,
    .is_fused = values[FUSED] != 0,
    .backend = (fw_backend_t)values[BACKEND],
    .device = (int32_t)values[DEVICE],
    .devices = (int32_t)values[DEVICES],
    .memory = (fw_memory_kind_t)values[MEMORY],
    .threads = run->context->threads,
    .allocator = fw__arena_allocator(run->batch_arena),
  };
  const fw_grid_t * known = known_at_first(run);
  if (fw__arena_has_failed(arena)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return FW_RET_OK;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    starts[r] = problem->robots[r].start;
    goals[r] = problem->robots[r].goal;
  }
  fw_ret_t ret = fw_batch_init(&run->batch, known, starts, goals, problem->robot_count, &options, error);
  if (ret == FW_RET_OK && known != problem->grid) {
    ret = fw_batch_set_map(&run->batch, problem->grid, error);
  }
  if (ret == FW_RET_NO_DEVICE || ret == FW_RET_UNSUPPORTED) {
    return ret;
  }
  if (ret != FW_RET_OK) {  // the problem has been checked: only memory can be missing
    *error = (fw_error_t){.robot = -1, .cell = FW_CELL_NONE};
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
  return FW_RET_OK;
}

// What the batch has on a GPU is given back. The next window may want to know what its robots have learned.
static void leave_batch(fw_rtaa_planner_t * run, bool is_kept)
{
  if (is_kept) {
    fw__batch_leave_device(&run->batch);
  } else {
    fw_batch_fini(&run->batch);
  }
}

// One episode of all robots that are under way. False if the budget is used up.
static bool run_episode(fw_rtaa_planner_t * run)
{
  const int64_t work = (int64_t)fw_batch_running(&run->batch) * run->context->parameters[LOOKAHEAD];
  return !fw__meter_add(run->context->meter, work + 1) && fw_batch_run(&run->batch, 1, NULL) == FW_RET_OK;
}

// ---- tracks and the plan --------------------------------------------------------------------------------------------

// The first cell of every track. False when there is no memory.
static bool begin_tracks(fw_rtaa_planner_t * run)
{
  fw_arena_t * arena = run->context->scratch;
  const int32_t count = run->problem->robot_count;
  run->tracks = fw__arena_allocate_zeroed(arena, (size_t)count, sizeof(*run->tracks));
  for (int32_t r = 0; r < count && run->tracks != NULL; ++r) {
    run->tracks[r] = fw__list(arena);
    (void)fw__list_push(&run->tracks[r], run->problem->robots[r].start);
  }
  return !fw__arena_has_failed(arena);
}

static fw_cell_t last_cell(const fw_list_t * track)
{
  FW_ASSERT(track->count > 0);
  return track->items[track->count - 1];
}

// The tracks as paths up to tick `until`, NULL when there is no memory.
static fw_path_t * paths_until(const fw_rtaa_planner_t * run, fw_tick_t until)
{
  const int32_t count = run->problem->robot_count;
  fw_path_t * paths = fw__arena_allocate(run->context->scratch, (size_t)count, sizeof(*paths));
  for (int32_t r = 0; r < count && paths != NULL; ++r) {
    const fw_list_t * track = &run->tracks[r];
    paths[r] = (fw_path_t){.cells = track->items, .length = track->count < until + 1 ? track->count : until + 1};
  }
  return paths;
}

// The plan from the tracks. `safe_until` FW_TICK_MAX: it is a solution; else paths end at tick `end`.
static fw_ret_t answer(fw_rtaa_planner_t * run, fw_tick_t safe_until, fw_tick_t end, fw_plan_t * plan)
{
  const bool is_solved = safe_until == FW_TICK_MAX;
  const fw_path_t * paths = paths_until(run, is_solved ? FW_TICK_MAX - 1 : end);
  if (paths == NULL) {
    return FW_RET_BAD_ALLOC;
  }
  plan->outcome = is_solved ? FW_OUTCOME_SOLVED : FW_OUTCOME_PARTIAL;
  plan->stop = is_solved ? FW_STOP_DONE : run->context->meter->stop;
  plan->safe_until = safe_until;
  plan->paths = paths;
  if (is_solved) {
    plan->stats.first_plan_ns = fw_clock_now_ns() - run->context->meter->start_ns;
    plan->stats.lower_bound = fw__rtaa_lower_bound(run->problem, run->context->scratch, run->context->meter);
  }
  const fw_batch_stats_t stats = fw_batch_stats(&run->batch);
  (void)snprintf(plan->stats.backend, sizeof(plan->stats.backend), "%s", stats.backend);
  (void)snprintf(plan->stats.device, sizeof(plan->stats.device), "%s", stats.device);
  (void)snprintf(plan->stats.note, sizeof(plan->stats.note), "%s", stats.note);
  fw__plan_count(plan, "episodes", stats.episodes);
  fw__plan_count(plan, "robot_bytes", (int64_t)stats.robot_bytes);
  fw__plan_count(plan, "region_bytes", (int64_t)stats.region_bytes);
  fw__plan_count(plan, "pushes", run->pibt.pushes);
  fw__plan_count(plan, "swaps", run->pibt.swaps);
  fw__plan_count(plan, "waits", run->pibt.waits);
  fw__plan_count(plan, "demotions", run->pibt.demotions);
  fw__plan_count(plan, "searches", run->searches);
  fw__plan_count(plan, "configurations", run->configurations);
  if (run->context->parameters[HIDDEN] > 0) {
    const fw_grid_t known = fw_batch_known(&run->batch);
    fw__plan_count(plan, "hidden", run->hidden);
    fw__plan_count(plan, "discovered", run->hidden - count_unknown(run->problem->grid, &known));
  }
  return FW_RET_OK;
}

static fw_ret_t answer_without_memory(fw_rtaa_planner_t * run, fw_plan_t * plan, fw_error_t * error)
{
  fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  return fw__plan_wait_all(run->context, run->problem, plan, error);
}

// ---- without cooperation --------------------------------------------------------------------------------------------

// The last tick before the first conflict.
static fw_ret_t find_safe_tick(fw_rtaa_planner_t * run, fw_tick_t * until, fw_error_t * error)
{
  const fw_allocator_t scratch = fw__arena_allocator(run->context->scratch);
  const fw_path_t * paths = paths_until(run, FW_TICK_MAX - 1);
  fw_conflict_t conflict = {.kind = FW_CONFLICT_CELL};
  fw_ret_t ret = paths != NULL ? FW_RET_OK : fw__error_memory(error);
  while (ret == FW_RET_OK && conflict.kind != FW_CONFLICT_NONE && *until > 0) {
    ret = fw_check_paths(run->problem, paths, run->problem->robot_count, *until, &scratch, &conflict, error);
    if (conflict.kind != FW_CONFLICT_NONE) {
      *until = conflict.tick > 0 ? conflict.tick - 1 : 0;
    }
  }
  return ret;
}

// As in the first paper: every robot for itself.
static fw_ret_t solve_alone(fw_rtaa_planner_t * run, fw_plan_t * plan, fw_error_t * error)
{
  static const int32_t dx[FW_HEADING_COUNT] = {1, 1, 0, -1, -1, -1, 0, 1};
  static const int32_t dy[FW_HEADING_COUNT] = {0, 1, 1, 1, 0, -1, -1, -1};
  fw_arena_t * arena = run->context->scratch;
  const int32_t count = run->problem->robot_count;
  uint8_t path[FW_LOOKAHEAD_MAX];
  for (fw_tick_t tick = 0; fw_batch_running(&run->batch) > 0 && tick < run->ticks_max; ++tick) {
    if (!run_episode(run)) {
      break;
    }
    for (int32_t r = 0; r < count; ++r) {
      fw_list_t * track = &run->tracks[r];
      const int32_t moves = (int32_t)fw_batch_robot(&run->batch, r).length - (track->count - 1);
      (void)fw_batch_way(&run->batch, r, path);
      for (int32_t i = 0; i < moves && !fw__arena_has_failed(arena); ++i) {
        const int32_t step = dx[path[i]] + dy[path[i]] * run->problem->grid->width;
        (void)fw__list_push(track, last_cell(track) + step);
      }
    }
    if (fw__arena_has_failed(arena)) {
      fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
      break;
    }
  }
  bool have_all_arrived = true;
  fw_tick_t end = 0;
  for (int32_t r = 0; r < count; ++r) {
    have_all_arrived = have_all_arrived && last_cell(&run->tracks[r]) == run->problem->robots[r].goal;
    end = run->tracks[r].count - 1 > end ? run->tracks[r].count - 1 : end;
  }
  fw_tick_t safe_until = have_all_arrived ? FW_TICK_MAX : end;
  const fw_ret_t ret = find_safe_tick(run, &safe_until, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  return answer(run, safe_until, end, plan) == FW_RET_OK ? FW_RET_OK : answer_without_memory(run, plan, error);
}

// ---- with cooperation -----------------------------------------------------------------------------------------------

// Robots stall when no more of them are on their goals than before, for twice as long as the longest way and a while.
static void watch_stalls(fw_rtaa_planner_t * run)
{
  int32_t away = 0;
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    away += run->pibt.cells[r] != run->problem->robots[r].goal ? 1 : 0;
  }
  if (away < run->away_least) {
    run->away_least = away;
    run->stalled_from = run->pibt.now + run->stall_ticks;
  }
}

enum {
  STALL_TICKS = 32,      // the least
  SEARCH_DOUBLINGS = 2,  // of the first search's configurations, for searches that follow it
};

static void begin_stalls(fw_rtaa_planner_t * run)
{
  uint32_t longest = 0;
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    const uint32_t length = fw_batch_estimate(&run->batch, r, run->pibt.cells[r]);
    longest = length > longest ? length : longest;
  }
  const uint32_t cells = (uint32_t)fw_grid_cell_count(run->problem->grid);
  run->stall_ticks = (int32_t)(STALL_TICKS + 2 * (longest < cells ? longest : cells));
  run->away_least = INT32_MAX;
  watch_stalls(run);
}

// A way for all robots from where they are. It is as good as none if it is too long; the next search is later, and
// longer.
static void search_way(fw_rtaa_planner_t * run)
{
  fw_rtaa_warm_start_t * saved = run->context->state;
  const int32_t doublings = run->searches < SEARCH_DOUBLINGS ? (int32_t)run->searches : SEARCH_DOUBLINGS;
  const fw_rtaa_lacam_options_t options = {
    .problem = run->problem,
    .batch = &run->batch,
    .from = &run->pibt,
    .arena = &saved->search,
    .meter = run->context->meter,
    .seed = run->context->seed,
    .configurations_max = run->context->parameters[LACAM] << doublings,
    .ticks_max = run->ticks_max - run->pibt.now,
  };
  fw__arena_reset(&saved->search);
  (void)fw__rtaa_lacam_find(&options, &run->way);
  run->way_at = 0;
  run->configurations += run->way.configurations;
  ++run->searches;
  run->stalled_from = run->pibt.now + (run->stall_ticks << doublings);
}

// The step of a tick: along a way that was found for all, else by PIBT.
static void step(fw_rtaa_planner_t * run)
{
  const bool is_late = run->searches == 0 && run->problem->horizon == 0 && run->pibt.now >= run->ticks_max / 2;
  const bool is_stalled = run->pibt.now >= run->stalled_from || is_late;
  if (run->way_at == run->way.length && is_stalled && run->context->parameters[LACAM] > 0) {
    search_way(run);
  }
  if (run->way_at < run->way.length && fw__pibt_follow(&run->pibt, run->way.cells[run->way_at])) {
    ++run->way_at;
  } else {
    run->way.length = run->way_at;  // an obstacle has been discovered on it
    fw__pibt_step(&run->pibt);
  }
  watch_stalls(run);
}

// An episode of all robots, then a step, tick by tick.
static fw_ret_t solve_together(fw_rtaa_planner_t * run, fw_plan_t * plan, fw_error_t * error)
{
  fw_arena_t * arena = run->context->scratch;
  fw_pibt_t * pibt = &run->pibt;
  fw_rtaa_warm_start_t * saved = run->context->state;
  const bool is_window = run->problem->horizon > 0;
  const fw_pibt_options_t options = {
    .problem = run->problem,
    .batch = &run->batch,
    .arena = arena,
    .seed = run->context->seed,
    .patience = (int32_t)run->context->parameters[PATIENCE],
    .parked = (int32_t)run->context->parameters[PARKED],
  };
  fw__pibt_init(pibt, &options);
  if (pibt->has_failed) {
    return answer_without_memory(run, plan, error);
  }
  if (is_window) {
    fw__rtaa_warm_start_load(saved, run);
  }
  fw__pibt_order_begin(pibt);
  begin_stalls(run);
  fw_tick_t end = 0;  // all tracks go up to this tick
  while (!fw__pibt_have_arrived(pibt) && end < run->ticks_max && run_episode(run)) {
    step(run);
    for (int32_t r = 0; r < run->problem->robot_count; ++r) {
      (void)fw__list_push(&run->tracks[r], pibt->cells[r]);
    }
    if (pibt->has_failed || fw__arena_has_failed(arena)) {
      fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
      break;  // a track is shorter: the tick before is the last
    }
    ++end;
    FW_ASSERT(end == pibt->now);
  }
  if (is_window) {
    fw__rtaa_warm_start_save(saved, run);
  }
  const bool is_solved = !fw__meter_has_stopped(run->context->meter) && fw__pibt_have_arrived(pibt);
  const fw_ret_t ret = answer(run, is_solved ? FW_TICK_MAX : end, end, plan);
  return ret == FW_RET_OK ? ret : answer_without_memory(run, plan, error);
}

// ---- the planner ----------------------------------------------------------------------------------------------------

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  const fw_ret_t ret = fw__rtaa_check_support(problem, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  const fw_tick_t ticks = (fw_tick_t)context->parameters[TICKS];
  fw_rtaa_warm_start_t * saved = context->state;
  const bool is_window = problem->horizon > 0 && context->parameters[COOPERATE] != 0;
  fw_rtaa_planner_t run = {
    .context = context,
    .problem = problem,
    .lookahead = (int32_t)context->parameters[LOOKAHEAD],
    .batch_arena = is_window ? fw__rtaa_warm_start_next_arena(saved) : context->scratch,
    .ticks_max = problem->horizon > 0 && problem->horizon < ticks ? problem->horizon : ticks,
  };
  const int32_t cut_off = fw__rtaa_find_unreachable(context->scratch, problem);
  if (cut_off >= 0) {
    const fw_cell_t goal = problem->robots[cut_off].goal;
    (void)fw__error_at(
      error, (fw_error_detail_t){FW_FAULT_NO_VALID_PATH, cut_off, goal}, "robot %d has no path to its goal (%d,%d)",
      cut_off, fw_grid_x(problem->grid, goal), fw_grid_y(problem->grid, goal));
    return fw__plan_unsolvable(context, problem, plan, error);
  }
  if (cut_off == -2) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
  }
  if (problem->robot_count == 0) {
    plan->outcome = FW_OUTCOME_SOLVED;
    plan->safe_until = FW_TICK_MAX;
    return FW_RET_OK;
  }
  const fw_ret_t begun = fw__meter_check(context->meter) ? FW_RET_OK : begin_batch(&run, error);
  if (begun != FW_RET_OK) {
    return begun;
  }
  if (fw__meter_has_stopped(context->meter)) {
    return fw__plan_wait_all(context, problem, plan, error);
  }
  if (!begin_tracks(&run)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    leave_batch(&run, false);
    return fw__plan_wait_all(context, problem, plan, error);
  }
  const fw_ret_t solved =
    context->parameters[COOPERATE] != 0 ? solve_together(&run, plan, error) : solve_alone(&run, plan, error);
  leave_batch(&run, is_window);
  return solved;
}

// The GPUs that are required must be there.
static fw_ret_t check(const int64_t * values, fw_error_t * error)
{
  char name[FW_DEVICE_NAME_SIZE];
  if (values[BACKEND] != FW_BACKEND_CUDA) {
    return FW_RET_OK;
  }
  fw_ret_t ret = FW_RET_OK;
  for (int64_t i = 0; i < values[DEVICES] && ret == FW_RET_OK; ++i) {
    ret = fw_batch_find_device((int32_t)(values[DEVICE] + i), name, error);
  }
  return ret;
}

static fw_ret_t init(fw_planner_context_t * context, fw_error_t * error)
{
  fw_rtaa_warm_start_t * saved = fw__arena_allocate(context->keep, 1, sizeof(*saved));
  if (saved == NULL) {
    return fw__error_memory(error);
  }
  fw__rtaa_warm_start_init(saved, context->keep);
  context->state = saved;
  return FW_RET_OK;
}

static void fini(fw_planner_context_t * context)
{
  if (context->state != NULL) {
    fw__rtaa_warm_start_fini(context->state);
  }
}

const fw_planner_def_t fw__planner_rtaa = {
  .name = "rtaa",
  .summary =
    "Real-Time Adaptive A* in batches, on CPU threads or a GPU; each tick, robots give way by priority inheritance "
    "(PIBT), and where they stall a search finds their way (LaCAM)",
  .paper =
    "U. Erra and G. Caggianese, Real-time Adaptive GPU multi-agent path planning, 2011; K. Okumura et al., Priority "
    "Inheritance with Backtracking for Iterative Multi-agent Path Finding, IJCAI 2019; K. Okumura, LaCAM: Search-Based "
    "Algorithm for Quick Multi-Agent Pathfinding, AAAI 2023",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .may_delay_first = true,
  .goes_on = true,
  .check = check,
  .init = init,
  .solve = solve,
  .fini = fini,
};
