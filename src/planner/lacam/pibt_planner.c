// pibt: one step of priority inheritance with backtracking (pibt.h) after another.
//
// K. Okumura, M. Machida, X. Défago, Y. Tamura, Priority Inheritance with Backtracking for Iterative Multi-agent Path
// Finding, Artificial Intelligence 310, 2022.
//
// A tick costs a few looks at the distance field of each robot, however crowded the map is, and nobody looks ahead.
// With `horizon` and `since` it is a policy for fleets that never stop: each solve is some ticks more. The distance
// fields and the order of the robots stay from one solve to the next.

#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/list.h"
#include "fleetweave/planner_def.h"
#include "planner/lacam/guidance.h"
#include "planner/lacam/pibt.h"
#include "planner/lacam/step_schedule.h"
#include "world/problem.h"

enum { TICKS, SWAP, GUIDANCE, DISTANCES, EXACT_MB };

static const fw_parameter_def_t parameters[] = {
  [TICKS] =
    {.name = "ticks",
     .initial = 5000,
     .min = 1,
     .max = 10000000,
     .help = "the plan ends after this many ticks if not all robots have arrived"},
  [SWAP] =
    {.name = "swap",
     .type = FW_PARAMETER_BOOLEAN,
     .initial = 1,
     .max = 1,
     .help =
       "two robots that meet in a corridor go back to a junction and pass each other there; false: PIBT as in the "
       "paper"},
  [GUIDANCE] =
    {.name = "guidance",
     .initial = 0,
     .max = 1000000,
     .help =
       "robots follow guide paths around the traffic of the others (Guided PIBT); how many expansions per robot a "
       "tick may use for new ones; 0: PIBT as in the paper"},
  [DISTANCES] = FW_FLEET_DISTANCES_PARAMETER,
  [EXACT_MB] = FW_FLEET_EXACT_MB_PARAMETER,
};

// What is kept from one window of a rolling horizon to the next.
typedef struct rolling_t {
  fw_arena_t arena;
  bool is_running;  // the next solve may go on
  fw_fleet_t fleet;
  fw_grid_t grid;        // a copy
  fw_problem_t problem;  // with `robots`
  fw_robot_t * robots;
  int32_t * order;  // of the robots after the last window
  int32_t * ages;   // by robot: ticks since it was last on a goal, or fell behind
  int32_t * falls;  // by robot: how often it has fallen behind since it was last on a goal
  int64_t clock;    // ticks since the cold start
  bool is_guided;
  fw_guidance_t guidance;
  fw_rng_t rng;
  int32_t distances;
  int32_t exact_mb;
} rolling_t;

typedef struct run_t {
  fw_planner_context_t * context;
  const fw_problem_t * problem;
  fw_fleet_t * fleet;
  fw_pibt_generator_t pibt;
  int32_t * places;  // rows: the last configurations
  int32_t * next;
  int32_t * order;
  int32_t * sorted;             // room for the next order
  fw_list_t track;              // by tick: the place of every robot
  fw_step_schedule_t schedule;  // with robust ticks, instead of the track
  fw_tick_t end;                // steps made
  bool has_failed;              // no memory for the last step
} run_t;

// ---- the fleet, cold or warm ----------------------------------------------------------------------------------------

// Copies grid and robots, so that the fleet borrows nothing from the caller. False when there is no memory.
static bool copy_problem(rolling_t * rolling, const fw_problem_t * problem)
{
  const size_t cells = (size_t)fw_grid_cell_count(problem->grid), count = (size_t)problem->robot_count;
  uint8_t * cost = fw__arena_allocate(&rolling->arena, cells, sizeof(*cost));
  rolling->robots = fw__arena_allocate(&rolling->arena, count, sizeof(*rolling->robots));
  rolling->order = fw__arena_allocate(&rolling->arena, count, sizeof(*rolling->order));
  rolling->ages = fw__arena_allocate_zeroed(&rolling->arena, count, sizeof(*rolling->ages));
  rolling->falls = fw__arena_allocate_zeroed(&rolling->arena, count, sizeof(*rolling->falls));
  if (fw__arena_has_failed(&rolling->arena)) {
    return false;
  }
  memcpy(cost, problem->grid->cost, cells);
  rolling->grid = (fw_grid_t){.width = problem->grid->width, .height = problem->grid->height, .cost = cost};
  for (size_t r = 0; r < count; ++r) {
    rolling->robots[r] = problem->robots[r];
    rolling->robots[r].footprint = fw__footprint_single.cells;
  }
  rolling->problem = *problem;
  rolling->problem.grid = &rolling->grid;
  rolling->problem.robots = rolling->robots;
  return true;
}

// Whether the problem continues the last one with the same map, rules and robots, and without closures.
static bool can_continue(const rolling_t * rolling, const run_t * run)
{
  const fw_problem_t * problem = run->problem;
  const fw_problem_t * own = &rolling->problem;
  if (
    !rolling->is_running || problem->since == 0 || problem->robot_count != own->robot_count ||
    problem->connectivity != own->connectivity || problem->cuts_corners != own->cuts_corners ||
    problem->closure_count > 0 || own->closure_count > 0 || problem->grid->width != own->grid->width ||
    problem->grid->height != own->grid->height || rolling->distances != run->context->parameters[DISTANCES] ||
    rolling->exact_mb != run->context->parameters[EXACT_MB] ||
    rolling->is_guided != (run->context->parameters[GUIDANCE] > 0)) {
    return false;
  }
  const bool has_ids = fw__problem_has_ids(problem);
  if (has_ids != fw__problem_has_ids(own)) {
    return false;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    if (problem->robots[r].id != own->robots[r].id) {
      return false;
    }
  }
  return memcmp(problem->grid->cost, own->grid->cost, (size_t)fw_grid_cell_count(own->grid)) == 0;
}

// Takes over the robots' places, priorities and goals. False if a goal cannot be reached or memory is short.
static bool update_robots(rolling_t * rolling, const run_t * run)
{
  const fw_problem_t * problem = run->problem;
  rolling->problem.robust_ticks = problem->robust_ticks;
  rolling->problem.horizon = problem->horizon;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const bool has_new_goal = rolling->robots[r].goal != problem->robots[r].goal;
    rolling->robots[r] = problem->robots[r];
    rolling->robots[r].footprint = fw__footprint_single.cells;
    const fw_grid_pose_t from = {.cell = problem->robots[r].start};
    if (has_new_goal && !fw__fleet_set_goal(&rolling->fleet, r, from, run->context->meter)) {
      return false;
    }
  }
  return true;
}

static fw_fleet_state_t begin_fleet(run_t * run, fw_error_t * error)
{
  rolling_t * rolling = run->context->state;
  const bool is_window = run->problem->horizon > 0;
  if (is_window && can_continue(rolling, run) && update_robots(rolling, run)) {
    run->fleet = &rolling->fleet;
    return FW_FLEET_READY;
  }
  rolling->is_running = false;
  if (fw__meter_has_stopped(run->context->meter)) {
    return FW_FLEET_STOPPED;
  }
  fw__arena_reset(&rolling->arena);
  run->fleet = &rolling->fleet;
  rolling->fleet = (fw_fleet_t){0};
  rolling->is_guided = run->context->parameters[GUIDANCE] > 0;
  rolling->clock = 0;
  rolling->distances = (int32_t)run->context->parameters[DISTANCES];
  rolling->exact_mb = (int32_t)run->context->parameters[EXACT_MB];
  rolling->fleet.options = (fw_fleet_options_t){.distances = rolling->distances, .exact_mb = rolling->exact_mb};
  rolling->fleet.arena = &rolling->arena;
  if (!copy_problem(rolling, run->problem)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return FW_FLEET_STOPPED;
  }
  return fw__fleet_init(&rolling->fleet, run->context, &rolling->problem, error);
}

// ---- the steps ------------------------------------------------------------------------------------------------------

// Appends the present configuration. False when there is no memory.
static bool push_configuration(run_t * run)
{
  const int32_t count = run->problem->robot_count;
  if (fw__pibt_has_schedule(run->problem)) {
    return run->end == 0 ? fw__step_schedule_init(&run->schedule, run->context->scratch, &run->pibt, run->places)
                         : fw__step_schedule_add(&run->schedule, run->places);
  }
  if (!fw__list_reserve(&run->track, count)) {
    return false;
  }
  memcpy(run->track.items + run->track.count, run->places, (size_t)count * sizeof(*run->places));
  run->track.count += count;
  return true;
}

// False when there is no memory.
static bool begin(run_t * run)
{
  fw_arena_t * arena = run->context->scratch;
  rolling_t * rolling = run->context->state;
  const size_t count = (size_t)run->problem->robot_count;
  const int32_t rows = fw__pibt_rows(run->problem);
  run->places = fw__arena_allocate(arena, (size_t)rows * count, sizeof(*run->places));
  run->next = fw__arena_allocate(arena, count, sizeof(*run->next));
  run->order = fw__arena_allocate(arena, count, sizeof(*run->order));
  run->sorted = fw__arena_allocate(arena, count, sizeof(*run->sorted));
  run->track = fw__list(arena);
  if (
    run->places == NULL || run->next == NULL || run->order == NULL || run->sorted == NULL ||
    !fw__pibt_generator_init(&run->pibt, arena, run->fleet, run->context->meter)) {
    return false;
  }
  for (int32_t i = 0; i < rows * run->problem->robot_count; ++i) {
    run->places[i] = run->pibt.moves->node_of[run->problem->robots[i % run->problem->robot_count].start];
  }
  if (
    rolling->is_guided && !rolling->is_running &&
    !fw__guidance_init(&rolling->guidance, &rolling->arena, run->fleet->places, run->problem->robot_count)) {
    return false;
  }
  if (rolling->is_running) {
    memcpy(run->sorted, rolling->order, count * sizeof(*run->sorted));
    run->pibt.rng = rolling->rng;
  } else {
    fw__pibt_order_first(&run->pibt, run->fleet->lengths, run->sorted);
    run->pibt.rng = fw__rng(run->context->seed);
  }
  fw__pibt_order_next(&run->pibt, &(fw_pibt_turn_t){.places = run->places, .before = run->sorted}, run->order);
  return push_configuration(run);
}

// Whether all robots are on their goals, for good.
static bool have_arrived(const run_t * run)
{
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    const int32_t place = run->places[r];
    if (place != run->pibt.goals[r] || fw__escape_open_until(&run->pibt.escape, place, run->end) < FW_TICK_MAX) {
      return false;
    }
  }
  return true;
}

enum { TRIES_MAX = 32 };

static void move_to_front(int32_t * order, int32_t robot)
{
  int32_t at = 0;
  while (order[at] != robot) {
    ++at;
  }
  for (; at > 0; --at) {
    order[at] = order[at - 1];
  }
  order[0] = robot;
}

// In a fleet that never stops, robots that have not reached their goals after PATIENCE ticks (and some that differ by
// robot, or two would fall together), and TIMES ticks for each move of the shortest path, fall behind the others, as
// if they had arrived: the first robot may want to go to where another one can only leave through it. Those that fall
// at the same tick change their order. Who falls behind again has twice the time, so that it gets its turn.
//
//   @@@@@    1 wants to go to the end, and would wait for ever for 2, which wants to get out
//   2 1 .
//   @@@@@
static void let_fall_behind(run_t * run)
{
  enum { PATIENCE = 32, TIMES = 2, SPREAD = 7, FALLS_MAX = 4 };
  rolling_t * rolling = run->context->state;
  const int32_t count = run->problem->robot_count;
  int32_t kept = 0, fallen = 0;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t robot = run->order[i];
    const bool is_there = run->places[robot] == run->pibt.goals[robot];
    const int32_t ticks = PATIENCE + robot % PATIENCE * SPREAD % PATIENCE + TIMES * run->fleet->lengths[robot];
    const int32_t limit = ticks << rolling->falls[robot];
    const bool falls = !is_there && ++rolling->ages[robot] > limit;
    rolling->ages[robot] = falls || is_there ? 0 : rolling->ages[robot];
    const int32_t more = rolling->falls[robot] < FALLS_MAX ? rolling->falls[robot] + 1 : FALLS_MAX;
    rolling->falls[robot] = is_there ? 0 : falls ? more : rolling->falls[robot];
    if (falls) {
      run->sorted[count - ++fallen] = robot;
    } else {
      run->order[kept++] = robot;
    }
  }
  memcpy(run->order + kept, run->sorted + kept, (size_t)fallen * sizeof(*run->order));
}

// Whether robots swap in this tick. In a fleet that never stops they do so in one of SWAP_TURN periods: two robots that
// pull each other to and fro get out of it, and so do two that can only pass each other by a swap.
static bool is_swapping(const run_t * run)
{
  enum { SWAP_PERIOD = 16, SWAP_TURN = 8 };
  const rolling_t * rolling = run->context->state;
  const bool is_period = rolling->clock / SWAP_PERIOD % SWAP_TURN == SWAP_TURN - 1;
  return run->context->parameters[SWAP] != 0 && (run->problem->horizon == 0 || is_period);
}

// One tick. A robot that can neither stay, because of a closure, nor leave chooses first in the next try. False if
// there is no step.
static bool step(run_t * run)
{
  const int32_t count = run->problem->robot_count;
  const fw_pibt_request_t request = {.places = run->places, .tick = run->end, .order = run->order};
  rolling_t * rolling = run->context->state;
  if (rolling->is_guided) {
    fw__guidance_update(&rolling->guidance, &run->pibt, run->places, run->context->parameters[GUIDANCE] * count);
    run->pibt.wishes = rolling->guidance.wishes;
    run->pibt.swaps_wishes = true;
  }
  run->pibt.swaps = is_swapping(run);
  ++rolling->clock;
  bool is_made = fw__pibt_generate(&run->pibt, &request, run->next);
  for (int32_t i = 0; i < TRIES_MAX && !is_made; ++i) {
    move_to_front(run->order, run->pibt.failed_robot);
    is_made = fw__pibt_generate(&run->pibt, &request, run->next);
  }
  if (!is_made) {
    return false;
  }
  const size_t row = (size_t)count * sizeof(*run->places);
  memmove(run->places + count, run->places, row * (size_t)(fw__pibt_rows(run->problem) - 1));
  memcpy(run->places, run->next, row);
  ++run->end;
  const fw_pibt_turn_t turn = {.places = run->places, .tick = run->end, .before = run->order};
  fw__pibt_order_next(&run->pibt, &turn, run->sorted);
  int32_t * order = run->order;
  run->order = run->sorted;
  run->sorted = order;
  if (run->problem->horizon > 0) {
    let_fall_behind(run);
  }
  return true;
}

// The ticks that the plan has so far.
static fw_tick_t ticks_of(const run_t * run)
{
  return fw__pibt_has_schedule(run->problem) ? run->schedule.end : run->end;
}

static fw_tick_t ticks_max(const run_t * run)
{
  const fw_tick_t ticks = (fw_tick_t)run->context->parameters[TICKS];
  const fw_tick_t horizon = run->problem->horizon;
  return horizon > 0 && horizon < ticks ? horizon : ticks;
}

static void run_steps(run_t * run)
{
  const fw_tick_t most = ticks_max(run);
  while (ticks_of(run) < most && !have_arrived(run)) {
    if (fw__meter_add(run->context->meter, run->problem->robot_count) || !step(run)) {
      return;
    }
    if (!push_configuration(run)) {
      run->has_failed = true;
      fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
      return;
    }
  }
}

// ---- the plan -------------------------------------------------------------------------------------------------------

// The track as one path of cells for each robot; NULL when there is no memory.
static fw_path_t * make_paths(const run_t * run)
{
  const int32_t count = run->problem->robot_count;
  const size_t length = (size_t)run->end + 1;
  fw_path_t * paths = fw__arena_allocate(run->context->scratch, (size_t)count, sizeof(*paths));
  fw_cell_t * cells = fw__arena_allocate(run->context->scratch, (size_t)count * length, sizeof(*cells));
  for (int32_t r = 0; r < count && paths != NULL && cells != NULL; ++r) {
    fw_cell_t * own = cells + (size_t)r * length;
    int32_t last = 0;  // the tick of the last move
    for (fw_tick_t tick = 0; tick <= run->end; ++tick) {
      own[tick] = run->pibt.moves->cell_of[run->track.items[(size_t)tick * (size_t)count + (size_t)r]];
      last = tick > 0 && own[tick] != own[tick - 1] ? tick : last;
    }
    const bool is_on_goal = own[run->end] == run->problem->robots[r].goal;
    paths[r] = (fw_path_t){.cells = own, .length = is_on_goal ? last + 1 : run->end + 1};
  }
  return cells != NULL ? paths : NULL;
}

static fw_ret_t answer(run_t * run, fw_plan_t * plan, fw_error_t * error)
{
  const bool is_solved = !run->has_failed && have_arrived(run);
  const fw_tick_t most = ticks_max(run), ticks = ticks_of(run) < most ? ticks_of(run) : most;
  plan->paths = run->has_failed ? NULL
                : !fw__pibt_has_schedule(run->problem)
                  ? make_paths(run)
                  : fw__step_schedule_paths(&run->schedule, is_solved ? FW_TICK_MAX : ticks);
  if (plan->paths == NULL) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return fw__plan_wait_all(run->context, run->problem, plan, error);
  }
  plan->outcome = is_solved ? FW_OUTCOME_SOLVED : FW_OUTCOME_PARTIAL;
  plan->stop = is_solved ? FW_STOP_DONE : run->context->meter->stop;
  plan->safe_until = is_solved ? FW_TICK_MAX : ticks;
  plan->stats.first_plan_ns = is_solved ? fw_clock_now_ns() - run->context->meter->start_ns : 0;
  fw__plan_count(plan, "pushes", run->pibt.pushes);
  fw__plan_count(plan, "swaps", run->pibt.swap_count);
  return FW_RET_OK;
}

static void keep(run_t * run)
{
  rolling_t * rolling = run->context->state;
  rolling->is_running = run->problem->horizon > 0 && run->context->meter->stop != FW_STOP_MEMORY;
  rolling->rng = run->pibt.rng;
  memcpy(rolling->order, run->order, (size_t)run->problem->robot_count * sizeof(*rolling->order));
}

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  const fw_ret_t checked = fw__pibt_check_bodies(problem, error);
  if (checked != FW_RET_OK) {
    return checked;
  }
  if (problem->robot_count == 0) {
    ((rolling_t *)context->state)->is_running = false;
    plan->outcome = FW_OUTCOME_SOLVED;
    plan->safe_until = FW_TICK_MAX;
    return FW_RET_OK;
  }
  const fw_problem_t * open = fw__escape_block_closed(context->scratch, problem);
  if (open == NULL) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return fw__plan_wait_all(context, problem, plan, error);
  }
  run_t run = {.context = context, .problem = open};
  rolling_t * rolling = context->state;
  const fw_fleet_state_t state = begin_fleet(&run, error);
  if (state != FW_FLEET_READY) {
    rolling->is_running = false;
    return state == FW_FLEET_UNREACHABLE ? fw__plan_unsolvable(context, problem, plan, error)
                                         : fw__plan_wait_all(context, problem, plan, error);
  }
  const bool is_warm = rolling->is_running;
  plan->stats.lower_bound = is_warm ? 0 : run.fleet->lower_bound;
  if (!begin(&run)) {
    rolling->is_running = false;
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return fw__plan_wait_all(context, problem, plan, error);
  }
  const int64_t searches = rolling->guidance.searches;
  run_steps(&run);
  keep(&run);
  fw__plan_count(plan, "warm", is_warm ? 1 : 0);
  fw__plan_count(plan, "searches", rolling->is_guided ? rolling->guidance.searches - searches : 0);
  return answer(&run, plan, error);
}

static fw_ret_t init(fw_planner_context_t * context, fw_error_t * error)
{
  rolling_t * rolling = fw__arena_allocate_zeroed(context->keep, 1, sizeof(*rolling));
  if (rolling == NULL) {
    return fw__error_memory(error);
  }
  fw__arena_init(&rolling->arena, context->keep->memory);
  context->state = rolling;
  return FW_RET_OK;
}

static void fini(fw_planner_context_t * context)
{
  rolling_t * rolling = context->state;
  if (rolling != NULL) {
    fw__arena_fini(&rolling->arena);
  }
}

const fw_planner_def_t fw__planner_pibt = {
  .name = "pibt",
  .summary =
    "priority inheritance with backtracking: every tick each robot takes the best place that is left; may not arrive",
  .paper =
    "K. Okumura et al., Priority Inheritance with Backtracking for Iterative Multi-agent Path Finding, Artificial "
    "Intelligence 310, 2022",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .may_delay_first = true,
  .goes_on = true,
  .init = init,
  .solve = solve,
  .fini = fini,
};
