// whca: windowed hierarchical cooperative A* (Silver 2006).
//
// Without a horizon, the window moves on until all robots have arrived, and the plan is what they have executed. With a
// horizon, it plans one window and goes on from there when the next problem continues it (rolling.h).

#include <stdio.h>

#include "base/assert.h"
#include "base/error.h"
#include "fleetweave/planner_def.h"
#include "planner/window/replan.h"
#include "planner/window/rolling.h"
#include "planner/window/transaction.h"

enum {
  WINDOW,
  CROWDED_WINDOW,
  HEURISTIC,
  DISTANCES,
  EXACT_MB,
  PRICE,
  RISE,
  CHANGES,
  PATIENCE,
  REACH,
  EFFORT,
  ROUND_EFFORT,
  PLACES,
  PRIORITIES,
  ORDER,
  PLAIN,
  TICKS
};

enum { TRUE_DISTANCE, MANHATTAN, OCTILE };

enum { NOTE_EXPANSIONS_MAX = 100000 };  // to find out who does not give way
static const char * const heuristic_names[] = {"true_distance", "manhattan", "octile"};
static const char * const order_names[] = {"auto", "index", "shortest"};

static const fw_parameter_def_t parameters[] = {
  [WINDOW] =
    {.name = "window",
     .initial = FW_WINDOW_TICKS,
     .min = 2,
     .max = 4096,
     .help = "how many ticks robots plan ahead; they plan again when half of them have passed"},
  [CROWDED_WINDOW] =
    {.name = "crowded_window",
     .initial = 0,
     .max = 4096,
     .help = "how many ticks robots plan ahead where others cover a quarter of the floor around them; in between in "
             "proportion; 0: `window` everywhere"},
  [HEURISTIC] =
    {.name = "heuristic",
     .type = FW_PARAMETER_CHOICE,
     .initial = TRUE_DISTANCE,
     .max = OCTILE,
     .choices = heuristic_names,
     .help =
       "heuristic of the searches and beyond the window: the true distance, or an estimate that ignores obstacles"},
  [DISTANCES] = FW_FLEET_DISTANCES_PARAMETER,
  [EXACT_MB] = FW_FLEET_EXACT_MB_PARAMETER,
  [PRICE] =
    {.name = "price",
     .initial = FW_WINDOW_PRICE,
     .max = 1000,
     .help = "ticks that planning through the reservations of a robot of lower rank must save"},
  [RISE] =
    {.name = "price_rise",
     .initial = FW_WINDOW_PRICE_RISE,
     .max = 1000,
     .help =
       "added to a robot's price each time it has to give way, in ticks, by at most a tick for every four since it "
       "was last on its goal; halved with every window that passes"},
  [CHANGES] =
    {.name = "changes",
     .initial = FW_WINDOW_CHANGES,
     .min = 1,
     .max = 1000,
     .help = "limit on the robots that have to plan again when one plans through their reservations"},
  [PATIENCE] =
    {.name = "patience",
     .initial = FW_WINDOW_PATIENCE,
     .max = 1000,
     .help = "how often a robot plans without coming nearer to its goal before it negotiates with all robots in its "
             "way; 0: never"},
  [REACH] =
    {.name = "reach",
     .initial = FW_WINDOW_REACH,
     .min = 2,
     .max = 100000,
     .help = "how many ticks a negotiation plans ahead"},
  [EFFORT] =
    {.name = "effort",
     .initial = FW_WINDOW_EFFORT,
     .min = 1,
     .max = 1000000,
     .help = "how many expansions a negotiation may use"},
  [ROUND_EFFORT] =
    {.name = "round_effort",
     .initial = FW_WINDOW_ROUND_EFFORT,
     .max = 1000000,
     .help = "with a rolling horizon: how many search states per robot a round may use on empty floor, less in "
             "proportion to the floor that robots cover; where a robot has no plan then, all make some steps of PIBT; "
             "0: no limit, and no such steps"},
  [PLACES] =
    {.name = "places",
     .initial = 0,
     .max = INT32_MAX,
     .help = "a robot's distances are computed anew when they cover more places than this, to save memory; 0: never"},
  [PRIORITIES] = FW_FLEET_PRIORITIES_PARAMETER,
  [ORDER] =
    {.name = "order",
     .type = FW_PARAMETER_CHOICE,
     .initial = FW_WINDOW_ORDER_AUTO,
     .max = FW_WINDOW_ORDER_SHORTEST,
     .choices = order_names,
     .help = "which robots of equal priority plan first at the beginning: by index or shortest path; auto: shortest, "
             "unless robots fill an eighth of the floor or it has rules of traffic"},
  [PLAIN] =
    {.name = "plain",
     .type = FW_PARAMETER_BOOLEAN,
     .max = 1,
     .help = "WHCA* as published: robots plan around all others and do not negotiate; one without a path plans once "
             "before all robots of equal priority"},
  [TICKS] =
    {.name = "ticks",
     .initial = 5000,
     .min = 1,
     .max = 10000000,
     .help = "the plan ends after this many ticks if not all robots have arrived"},
};

typedef struct whca_run_t {
  fw_planner_context_t * context;
  const fw_problem_t * problem;
  fw_rolling_t * rolling;
  fw_window_t * window;
  fw_tick_t begin;          // the window's time at tick 0 of the plan
  fw_grid_pose_t ** trace;  // by tick of the plan: the poses of all robots, as executed
  int32_t trace_capacity;
  fw_tick_t ticks_max;  // of this attempt
  bool is_lost;         // the window could not begin again: there is nothing to answer with
} whca_run_t;

// Records where all robots are now. False when there is no memory.
static bool record_poses(whca_run_t * run)
{
  fw_arena_t * arena = run->context->scratch;
  const fw_tick_t now = run->window->now - run->begin;
  FW_ASSERT(now >= 0 && now <= run->trace_capacity);
  if (now >= run->trace_capacity) {
    fw_grid_pose_t ** trace = fw__arena_grow(arena, run->trace, sizeof(*trace), &run->trace_capacity);
    if (trace == NULL) {
      return false;
    }
    run->trace = trace;
  }
  fw_grid_pose_t * row = fw__arena_allocate(arena, (size_t)run->problem->robot_count, sizeof(*row));
  for (int32_t r = 0; row != NULL && r < run->problem->robot_count; ++r) {
    row[r] = fw__window_pose(run->window, run->rolling->slot_of[r], run->window->now);
  }
  run->trace[now] = row;
  return row != NULL;
}

// Plans and executes tick after tick. True if all robots have arrived.
static bool roll(whca_run_t * run)
{
  fw_meter_t * meter = run->context->meter;
  bool have_arrived = true;
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    have_arrived = have_arrived && fw__window_is_settled(run->window, r);
  }
  for (;;) {
    if (!record_poses(run)) {
      fw__meter_stop(meter, FW_STOP_MEMORY);
      --run->window->now;
      return false;
    }
    if (have_arrived || run->window->now >= run->ticks_max || !fw__window_plan(run->window)) {
      return have_arrived;
    }
    have_arrived = fw__window_step(run->window);
  }
}

// Plans one window. True if all plans end on the goals and stay reserved there forever.
static bool plan_window(whca_run_t * run)
{
  if (!record_poses(run)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return false;
  }
  (void)fw__window_plan(run->window);
  bool have_arrived = true;
  for (int32_t r = 0; r < run->problem->robot_count && have_arrived; ++r) {
    const int32_t place = run->rolling->slot_of[r];
    const fw_window_plan_t * plan = &run->window->plans[place];
    have_arrived = plan->cells[plan->length - 1] == run->problem->robots[r].goal &&
                   run->window->table.bookings[place].until == FW_TICK_MAX;
  }
  return have_arrived;
}

// The robot's path up to tick `end` of the plan: what was executed, then what is planned. False when there is no
// memory.
static bool make_path(whca_run_t * run, int32_t robot, fw_tick_t end, fw_path_t * path)
{
  FW_ASSERT(end >= run->window->now - run->begin);
  fw_arena_t * arena = run->context->scratch;
  const size_t length = (size_t)end + 1;
  const bool has_heading = run->problem->robots[robot].turn_ticks > 0;
  fw_cell_t * cells = fw__arena_allocate(arena, length, sizeof(*cells));
  uint8_t * headings = has_heading ? fw__arena_allocate(arena, length, sizeof(*headings)) : NULL;
  if (cells == NULL || (has_heading && headings == NULL)) {
    return false;
  }
  const fw_tick_t now = run->window->now - run->begin;
  for (fw_tick_t tick = 0; tick <= end; ++tick) {
    const fw_grid_pose_t pose = tick <= now
                                  ? run->trace[tick][robot]
                                  : fw__window_pose(run->window, run->rolling->slot_of[robot], run->begin + tick);
    cells[tick] = pose.cell;
    if (has_heading) {
      headings[tick] = (uint8_t)pose.heading;
    }
  }
  *path = (fw_path_t){.cells = cells, .length = end + 1, .headings = headings};
  while (path->length > 1 && !fw__path_arrives(path, path->length - 1)) {
    --path->length;
  }
  return true;
}

// The last tick of the plan: when all robots have arrived, or up to which all have a plan. After rolling until all have
// arrived it ends there: some robots may have planned to step aside again.
static fw_tick_t end_of(const whca_run_t * run, bool have_arrived)
{
  if (have_arrived && run->problem->horizon == 0) {
    return run->window->now - run->begin;
  }
  fw_tick_t end = have_arrived ? 0 : FW_TICK_MAX;
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    const fw_window_plan_t * plan = &run->window->plans[run->rolling->slot_of[r]];
    const fw_tick_t last = have_arrived ? plan->from + plan->length - 1 : plan->until;
    end = have_arrived == (last > end) ? last : end;
  }
  const fw_tick_t now = run->window->now;
  return (end > now && run->problem->robot_count > 0 ? end : now) - run->begin;
}

static void count(const fw_window_counts_t * before, const fw_window_counts_t * after, fw_plan_t * plan)
{
  fw__plan_count(plan, "searches", after->searches - before->searches);
  fw__plan_count(plan, "robots_overridden", after->overridden - before->overridden);
  fw__plan_count(plan, "rollbacks", after->rollbacks - before->rollbacks);
  fw__plan_count(plan, "promotions", after->promotions - before->promotions);
  fw__plan_count(plan, "negotiations", after->negotiations - before->negotiations);
  fw__plan_count(plan, "robots_yielded", after->yields - before->yields);
  fw__plan_count(plan, "fleet_stops", after->stops - before->stops);
  fw__plan_count(plan, "states", after->states - before->states);
  fw__plan_count(plan, "robots_stepped", after->crowd_steps - before->crowd_steps);
  fw__plan_count(plan, "rounds_cut", after->cut_rounds - before->cut_rounds);
}

static int32_t robot_in_slot(const whca_run_t * run, int32_t slot)
{
  int32_t robot = run->problem->robot_count - 1;
  while (robot >= 0 && run->rolling->slot_of[robot] != slot) {
    --robot;
  }
  return robot;
}

// With strict priorities: the robot of higher priority that the robot in a slot would have to pass to reach its goal,
// though it may pass all others; -1 if there is none. Nothing changes.
static int32_t find_denier(fw_window_t * window, int32_t slot)
{
  fw_window_request_t request = {
    .robot = slot, .horizon = window->now + window->options.reach, .pass = FW_PASS_ALL, .effort = NOTE_EXPANSIONS_MAX};
  const int32_t count = window->fleet->problem->robot_count;
  fw_path_t path;
  int32_t denier = -1;
  bool is_denied =
    fw__transaction_withdraw(window, slot, count) && fw__window_search(window, request, &path) == FW_FOUND_NONE;
  window->options.is_strict = 0;
  is_denied =
    is_denied && fw__window_search(window, request, &path) == FW_FOUND_PATH && fw__transaction_copy_path(window, &path);
  window->options.is_strict = 1;
  const fw_booking_t wanted = {.path = path, .from = window->plans[slot].until, .until = request.horizon};
  int32_t other = is_denied ? fw__reservations_first_conflict(&window->table, slot, &wanted) : -1;
  while (other >= 0 && denier < 0 && fw__reservations_is_robot(&window->table, other)) {
    denier = fw__window_priority(window, other) > fw__window_priority(window, slot) ? other : -1;
    is_denied = denier >= 0 || fw__transaction_withdraw(window, other, count);
    other = is_denied ? fw__reservations_first_conflict(&window->table, slot, &wanted) : -1;
  }
  fw__transaction_roll_back(window);
  return denier;
}

// Names the first robot that has not arrived because another never gives way. The meter may have stopped: the search
// for the reason has one of its own.
static void note_denied(whca_run_t * run, fw_plan_t * plan)
{
  fw_window_t * window = run->window;
  fw_meter_t * whole = window->meter;
  fw_meter_t meter;
  fw__meter_start(&meter, &(fw_budget_t){.expansions_max = NOTE_EXPANSIONS_MAX});
  window->meter = &meter;
  for (int32_t r = 0; r < run->problem->robot_count && !fw__meter_has_stopped(&meter); ++r) {
    const int32_t slot = run->rolling->slot_of[r];
    const bool is_there = fw__window_pose(window, slot, window->now).cell == run->problem->robots[r].goal;
    const int32_t denier = is_there ? -1 : find_denier(window, slot);
    if (denier >= 0) {
      (void)snprintf(
        plan->stats.note, sizeof(plan->stats.note),
        "robot %d has no path unless robot %d, of higher priority, gives way to it (priorities=strict)", r,
        robot_in_slot(run, denier));
      break;
    }
  }
  window->meter = whole;
}

static fw_ret_t answer(whca_run_t * run, bool have_arrived, fw_plan_t * plan, fw_error_t * error)
{
  const fw_meter_t * meter = run->context->meter;
  if (!have_arrived && run->problem->horizon == 0 && meter->stop != FW_STOP_MEMORY) {
    if (run->window->options.is_strict != 0 && run->window->has_priorities) {
      note_denied(run, plan);
    }
    fw__window_hold(run->window);
  }
  const fw_tick_t end = end_of(run, have_arrived);
  fw_path_t * paths = fw__arena_allocate(run->context->scratch, (size_t)run->problem->robot_count, sizeof(*paths));
  bool has_paths = paths != NULL;
  for (int32_t r = 0; r < run->problem->robot_count && has_paths; ++r) {
    has_paths = make_path(run, r, end, &paths[r]);
  }
  if (!has_paths) {
    return fw__plan_wait_all(run->context, run->problem, plan, error);
  }
  plan->outcome = have_arrived ? FW_OUTCOME_SOLVED : FW_OUTCOME_PARTIAL;
  plan->stop = have_arrived ? FW_STOP_DONE : meter->stop;
  plan->safe_until = have_arrived ? FW_TICK_MAX : end;
  plan->paths = paths;
  plan->stats.first_plan_ns = have_arrived ? fw_clock_now_ns() - meter->start_ns : 0;
  return FW_RET_OK;
}

static fw_window_options_t read_options(const fw_planner_context_t * context, const fw_problem_t * problem)
{
  static const int32_t estimates[] = {[TRUE_DISTANCE] = 0, [MANHATTAN] = 4, [OCTILE] = 8};
  fw_window_options_t options = {
    .window = (int32_t)context->parameters[WINDOW],
    .crowded_window = (int32_t)context->parameters[CROWDED_WINDOW],
    .price = (int32_t)context->parameters[PRICE],
    .price_rise = (int32_t)context->parameters[RISE],
    .price_age = context->parameters[PLAIN] != 0 || problem->grid->rules != NULL ? 0 : FW_WINDOW_PRICE_AGE,
    .changes_max = (int32_t)context->parameters[CHANGES],
    .patience = context->parameters[PLAIN] != 0 ? 0 : (int32_t)context->parameters[PATIENCE],
    .reach = (int32_t)context->parameters[REACH],
    .effort = (int32_t)context->parameters[EFFORT],
    .estimate = estimates[context->parameters[HEURISTIC]],
    .guaranteed_ticks = problem->horizon,
    .round_effort =
      problem->horizon > 0 && context->parameters[PLAIN] == 0 ? (int32_t)context->parameters[ROUND_EFFORT] : 0,
    .seed = (int32_t)(context->seed & INT32_MAX),
    .places_max = (int32_t)context->parameters[PLACES],
    .order = (int32_t)context->parameters[ORDER],
    .is_plain = (int32_t)context->parameters[PLAIN],
    .is_strict = (int32_t)context->parameters[PRIORITIES],
    .fleet = {.distances = (int32_t)context->parameters[DISTANCES], .exact_mb = (int32_t)context->parameters[EXACT_MB]},
  };
  // After a round, every robot has a plan for at least half a window.
  const int64_t needed = 2 * ((int64_t)problem->horizon + 1);
  options.window = needed > options.window ? (int32_t)needed : options.window;
  const int32_t crowded = options.crowded_window;
  options.crowded_window = crowded > 0 && needed > crowded ? (int32_t)needed : crowded;
  return options;
}

// Chooses the next setting in which robots that push each other to and fro may arrive: which one ends in a livelock is
// a matter of chance. First prices that rise up to the window at once, then with them the order of the indices, where
// `order=auto` had the shortest path first. False if there is none.
static bool choose_next(const fw_rolling_request_t * first, fw_window_options_t * options, bool was_shortest)
{
  if (options->price_age > 0) {
    options->price_age = 0;
    return true;
  }
  options->order = was_shortest ? FW_WINDOW_ORDER_INDEX : options->order;
  return was_shortest && first->options.order == FW_WINDOW_ORDER_AUTO;
}

// How long an attempt lasts. With prices that rise slowly, robots that have not arrived after many times the longest
// path do not arrive later either, as a rule, and another setting is better.
static fw_tick_t attempt_ticks(const whca_run_t * run, const fw_window_options_t * options)
{
  enum { TIMES = 16, AT_LEAST = 256 };
  const int64_t limit = run->context->parameters[TICKS];
  int64_t longest = 0;
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    const int64_t moves = run->rolling->fleet.lengths[run->rolling->slot_of[r]];
    const int64_t length = moves * run->problem->robots[r].ticks_per_move;
    longest = length > longest ? length : longest;
  }
  const int64_t ticks = run->window->now + TIMES * longest + AT_LEAST;
  return (fw_tick_t)(options->price_age > 0 && ticks < limit ? ticks : limit);
}

// Rolls until all robots have arrived, with another setting if they do not.
static bool roll_until_arrival(whca_run_t * run, const fw_rolling_request_t * first)
{
  fw_rolling_request_t request = *first;
  for (run->ticks_max = attempt_ticks(run, &request.options); !roll(run);
       run->ticks_max = attempt_ticks(run, &request.options)) {
    if (
      fw__meter_has_stopped(run->context->meter) || run->window->is_stuck ||
      !choose_next(first, &request.options, run->window->is_shortest_first)) {
      return false;
    }
    fw_error_t error;
    run->is_lost = fw__rolling_begin(run->rolling, &request, &error) != FW_FLEET_READY;
    if (run->is_lost) {
      return false;
    }
    run->begin = run->window->now;
  }
  return true;
}

static fw_ret_t init(fw_planner_context_t * context, fw_error_t * error)
{
  fw_rolling_t * rolling = fw__arena_allocate(context->keep, 1, sizeof(*rolling));
  if (rolling == NULL) {
    return fw__error_memory(error);
  }
  fw__rolling_init(rolling, context->keep);
  context->state = rolling;
  return FW_RET_OK;
}

static void fini(fw_planner_context_t * context)
{
  if (context->state != NULL) {
    fw__rolling_fini(context->state);
  }
}

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  fw_rolling_t * rolling = context->state;
  const fw_rolling_request_t request = {
    .context = context, .problem = problem, .options = read_options(context, problem)};
  const fw_window_counts_t * counts = &rolling->window.counts;
  const fw_window_counts_t before = problem->since > 0 ? *counts : (fw_window_counts_t){0};
  switch (fw__rolling_begin(rolling, &request, error)) {
    case FW_FLEET_UNREACHABLE:
      return fw__plan_unsolvable(context, problem, plan, error);
    case FW_FLEET_STOPPED:
      return fw__plan_wait_all(context, problem, plan, error);
    case FW_FLEET_READY:
      break;
  }
  whca_run_t run = {
    .context = context,
    .problem = problem,
    .rolling = rolling,
    .window = &rolling->window,
    .begin = rolling->window.now,
  };
  const bool goes_on = rolling->window.now > 0;
  const bool have_arrived = problem->horizon > 0 ? plan_window(&run) : roll_until_arrival(&run, &request);
  if (run.is_lost) {
    return fw__plan_wait_all(context, problem, plan, error);
  }
  if (context->meter->stop == FW_STOP_MEMORY) {
    rolling->is_running = false;  // reservations may be incomplete: the next solve starts cold
  }
  if (rolling->window.is_stuck && problem->grid->rules != NULL) {
    rolling->is_running = false;  // a robot may wait where the next problem starts it
  }
  plan->stats.lower_bound = goes_on ? 0 : rolling->fleet.lower_bound;
  count(goes_on ? &before : &(fw_window_counts_t){0}, counts, plan);
  fw__plan_count(plan, "coarse_distances", rolling->fleet.clusters != NULL);
  return answer(&run, have_arrived, plan, error);
}

const fw_planner_def_t fw__planner_whca = {
  .name = "whca",
  .summary = "windowed hierarchical cooperative A*: robots plan a window of ticks and plan again halfway through it",
  .paper = "D. Silver, Cooperative Pathfinding, AI Game Programming Wisdom 3, 2006",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .may_delay_first = true,
  .goes_on = true,
  .has_rules = true,
  .init = init,
  .solve = solve,
  .fini = fini,
};
