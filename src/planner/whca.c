// whca: windowed hierarchical cooperative A* (Silver 2006), rolled on until everybody has arrived.
//
// Each robot has a booking, a path that reaches some ticks ahead. Halfway through it plans again, `window` ticks deep;
// what lies behind the window counts by its true distance. Robots are staggered so that every tick has its share of
// searches. Who goes first is the rank: the priority, then the time since the robot was last on its goal. A robot may
// plan through the bookings of lower ranks if waiting for them costs more; they plan again at once, and if one of them
// cannot, nothing of it has happened. A robot without any path gets a second chance: it may plan through any robot of
// its priority. When even that fails and its booking ends, everybody stops and plans from there, which always holds.

#include <string.h>

#include "planner/fleet.h"
#include "planner/registry.h"
#include "spacetime/search.h"

enum { WINDOW, TICKS, PRICE, DEEP };
enum { CHANGES_MAX = 24 };

typedef struct plan_t {
  fw_cell_t * cells;  // from tick `from` on; room for window + robust ticks + 2
  int32_t length;
  fw_tick_t from;
  fw_tick_t until;
} plan_t;

typedef struct run_t {
  fw_planner_context_t * context;
  const fw_problem_t * problem;
  fw_fleet_t fleet;
  fw_reservations_t table;
  fw_search_t search;
  int32_t window;
  int32_t count;
  fw_tick_t now;
  plan_t * plans;
  plan_t * saved;           // of those changed in the present transaction
  bool * is_changed;
  int32_t changes[CHANGES_MAX];
  int32_t change_count;
  int32_t * ages;           // ticks since the robot was last on its goal
  int32_t * prices;
  int32_t * due;
  fw_cell_t ** trace;       // by tick: where every robot was
  int32_t trace_capacity;
  int64_t searches, overrides, promotions, freezes, rollbacks;
} run_t;

// ---- memory ---------------------------------------------------------------------------------------------------------

static bool make_plans(run_t * run, plan_t ** plans)
{
  fw_arena_t * arena = run->context->scratch;
  const size_t room = (size_t)(run->window + run->problem->robust_ticks + 2);
  *plans = fw_arena_allocate_zeroed(arena, (size_t)run->count, sizeof(**plans));
  fw_cell_t * cells = fw_arena_allocate(arena, (size_t)run->count * room, sizeof(*cells));
  if (*plans == NULL || cells == NULL) {
    return false;
  }
  for (int32_t r = 0; r < run->count; ++r) {
    (*plans)[r].cells = cells + (size_t)r * room;
  }
  return true;
}

static bool prepare(run_t * run)
{
  fw_arena_t * arena = run->context->scratch;
  const size_t count = (size_t)run->count;
  run->is_changed = fw_arena_allocate_zeroed(arena, count, sizeof(*run->is_changed));
  run->ages = fw_arena_allocate_zeroed(arena, count, sizeof(*run->ages));
  run->prices = fw_arena_allocate(arena, count, sizeof(*run->prices));
  run->due = fw_arena_allocate(arena, count, sizeof(*run->due));
  fw_search_init(&run->search, arena);
  return make_plans(run, &run->plans) && make_plans(run, &run->saved) && run->is_changed != NULL &&
         run->ages != NULL && run->prices != NULL && run->due != NULL &&
         fw_reservations_init(&run->table, arena, run->fleet.places, run->problem);
}

static fw_cell_t place_at(const run_t * run, int32_t robot, fw_tick_t tick)
{
  const plan_t * plan = &run->plans[robot];
  const int32_t at = tick - plan->from;
  return plan->cells[at < plan->length ? at : plan->length - 1];
}

// ---- bookings -------------------------------------------------------------------------------------------------------

static bool book(run_t * run, int32_t robot)
{
  const plan_t * plan = &run->plans[robot];
  return fw_reservations_book(
    &run->table, robot,
    (fw_booking_t){
      .path = {.cells = plan->cells, .length = plan->length}, .from = plan->from, .until = plan->until});
}

static void copy_plan(plan_t * to, const plan_t * from)
{
  memcpy(to->cells, from->cells, (size_t)from->length * sizeof(*from->cells));
  to->length = from->length;
  to->from = from->from;
  to->until = from->until;
}

// A new path from now on. The robust ticks before now stay booked: the cells there are not free yet.
static bool rebook(run_t * run, int32_t robot, fw_path_t path, fw_tick_t until)
{
  plan_t * plan = &run->plans[robot];
  const int32_t past = run->now < run->problem->robust_ticks ? run->now : run->problem->robust_ticks;
  for (int32_t i = 0; i < past; ++i) {
    plan->cells[i] = run->trace[run->now - past + i][robot];
  }
  memcpy(plan->cells + past, path.cells, (size_t)path.length * sizeof(*path.cells));
  plan->length = past + path.length;
  plan->from = run->now - past;
  plan->until = until;
  return book(run, robot);
}

// ---- transactions ---------------------------------------------------------------------------------------------------

static bool change(run_t * run, int32_t robot)
{
  if (!run->is_changed[robot]) {
    if (run->change_count == CHANGES_MAX) {
      return false;
    }
    run->is_changed[robot] = true;
    run->changes[run->change_count++] = robot;
    copy_plan(&run->saved[robot], &run->plans[robot]);
  }
  fw_reservations_remove(&run->table, robot);
  return true;
}

static void commit(run_t * run)
{
  for (int32_t i = 0; i < run->change_count; ++i) {
    run->is_changed[run->changes[i]] = false;
  }
  run->change_count = 0;
}

static bool roll_back(run_t * run)
{
  for (int32_t i = 0; i < run->change_count; ++i) {
    fw_reservations_remove(&run->table, run->changes[i]);
  }
  bool is_whole = true;
  for (int32_t i = 0; i < run->change_count; ++i) {
    const int32_t robot = run->changes[i];
    copy_plan(&run->plans[robot], &run->saved[robot]);
    is_whole = book(run, robot) && is_whole;
  }
  commit(run);
  ++run->rollbacks;
  return is_whole;
}

// ---- searches -------------------------------------------------------------------------------------------------------

static bool outranks(const run_t * run, int32_t a, int32_t b)
{
  const fw_robot_t * robots = run->problem->robots;
  if (robots[a].priority != robots[b].priority) {
    return robots[a].priority > robots[b].priority;
  }
  return run->ages[a] != run->ages[b] ? run->ages[a] > run->ages[b] : a < b;
}

static fw_query_t query_for(run_t * run, int32_t robot, fw_tick_t horizon)
{
  return (fw_query_t){
    .table = &run->table,
    .moves = run->fleet.moves[robot],
    .robot = robot,
    .start = place_at(run, robot, run->now),
    .now = run->now,
    .horizon = horizon,
    .distance = &run->fleet.distances[robot],
  };
}

// When the robot would be at its goal if it went on alone from the end of this path.
static int64_t value_of(run_t * run, int32_t robot, fw_path_t path, fw_tick_t horizon)
{
  const fw_cell_t end = path.cells[path.length - 1];
  if (end == run->problem->robots[robot].goal) {
    return run->now + path.length - 1;
  }
  return (int64_t)horizon + fw_distance_get(
           &run->fleet.distances[robot], run->fleet.moves[robot]->node_of[end], run->context->meter);
}

static int32_t in_the_way(const run_t * run, fw_path_t path, int32_t at, fw_tick_t horizon)
{
  const fw_reservations_t * table = &run->table;
  const int32_t * node_of = table->places->node_of;
  const int32_t node = node_of[path.cells[at]];
  const fw_row_t * row = &table->rows[node];
  const fw_tick_t tick = run->now + at;
  const fw_tick_t to = (at + 1 == path.length ? horizon : tick) + table->robust_ticks;
  const int32_t found = fw_row_find(row, tick - table->robust_ticks);
  if (found < row->count && row->stays[found].from <= to) {
    return row->stays[found].robot;
  }
  if (at == 0 || path.cells[at] == path.cells[at - 1]) {
    return -1;
  }
  const int32_t other = fw_reservations_owner(table, node_of[path.cells[at - 1]], tick);
  return other >= 0 && fw_reservations_owner(table, node, tick - 1) == other ? other : -1;
}

typedef enum may_override_t { OVERRIDE_NOBODY, OVERRIDE_LOWER, OVERRIDE_EQUAL } may_override_t;

static fw_found_t search_for(run_t * run, int32_t robot, fw_tick_t horizon, may_override_t may, fw_path_t * path)
{
  const fw_query_t query = query_for(run, robot, horizon);
  ++run->searches;
  if (may == OVERRIDE_NOBODY) {
    return fw_interval_search(&run->search, &query, run->context->meter, path);
  }
  const int32_t price = (int32_t)run->context->parameters[PRICE];
  for (int32_t r = 0; r < run->count; ++r) {
    const bool is_open = may == OVERRIDE_LOWER
                           ? outranks(run, robot, r)
                           : run->problem->robots[r].priority <= run->problem->robots[robot].priority;
    run->prices[r] = is_open && !run->is_changed[r] ? price : FW_PRICE_NEVER;
  }
  return fw_override_search(&run->search, &query, run->prices, run->context->meter, path);
}

// Gives `robot` a path through others, who then find another one, in one transaction. False: nothing has changed.
static bool plan_through(run_t * run, int32_t robot, fw_tick_t horizon, may_override_t may)
{
  int32_t queue[CHANGES_MAX];
  int32_t queued = 0;
  if (!change(run, robot)) {
    return false;
  }
  queue[queued++] = robot;
  for (int32_t i = 0; i < queued; ++i) {
    const int32_t next = queue[i];
    const fw_tick_t until = next == robot ? horizon : run->plans[next].until;
    fw_path_t path;
    fw_found_t found = i == 0 ? search_for(run, next, until, may, &path)
                              : search_for(run, next, until, OVERRIDE_NOBODY, &path);
    if (found == FW_FOUND_NONE && i > 0) {
      found = search_for(run, next, until, may, &path);
    }
    bool is_fine = found == FW_FOUND_PATH;
    for (int32_t at = 0; at < path.length && is_fine; ++at) {
      for (int32_t other = in_the_way(run, path, at, until); other >= 0 && is_fine;
           other = in_the_way(run, path, at, until)) {
        is_fine = queued < CHANGES_MAX && change(run, other);
        if (is_fine) {
          queue[queued++] = other;
          ++run->overrides;
        }
      }
    }
    if (!is_fine || !rebook(run, next, path, until)) {
      (void)roll_back(run);
      return false;
    }
  }
  commit(run);
  return true;
}

// ---- one tick -------------------------------------------------------------------------------------------------------

// Everybody stops where they are, for a window. That holds whatever was planned before.
static bool freeze(run_t * run)
{
  ++run->freezes;
  for (int32_t r = 0; r < run->count; ++r) {
    fw_reservations_remove(&run->table, r);
  }
  for (int32_t r = 0; r < run->count; ++r) {
    const fw_cell_t place = place_at(run, r, run->now);
    if (!rebook(run, r, (fw_path_t){.cells = &place, .length = 1}, run->now + run->window)) {
      return false;
    }
  }
  return true;
}

// True unless the meter has stopped.
static bool replan(run_t * run, int32_t robot, fw_tick_t horizon)
{
  fw_path_t path;
  if (!change(run, robot)) {
    return false;
  }
  const fw_found_t found = search_for(run, robot, horizon, OVERRIDE_NOBODY, &path);
  if (found == FW_FOUND_STOPPED) {
    (void)roll_back(run);
    return false;
  }
  if (found == FW_FOUND_PATH) {
    const int64_t value = value_of(run, robot, path, horizon);
    const int64_t ideal =
      run->now + fw_distance_get(
                   &run->fleet.distances[robot],
                   run->fleet.moves[robot]->node_of[place_at(run, robot, run->now)], run->context->meter);
    if (!rebook(run, robot, path, horizon)) {
      return false;
    }
    commit(run);
    return value <= ideal || plan_through(run, robot, horizon, OVERRIDE_LOWER) ||
           !fw_meter_has_stopped(run->context->meter);
  }
  (void)roll_back(run);
  if (plan_through(run, robot, horizon, OVERRIDE_LOWER)) {
    return true;
  }
  ++run->promotions;
  if (plan_through(run, robot, horizon, OVERRIDE_EQUAL)) {
    return true;
  }
  return !fw_meter_has_stopped(run->context->meter);
}

// Those whose booking has reached its half, by rank.
static int32_t find_due(run_t * run)
{
  int32_t count = 0;
  for (int32_t r = 0; r < run->count; ++r) {
    if (run->plans[r].until - run->now <= run->window / 2) {
      int32_t at = count++;
      while (at > 0 && outranks(run, r, run->due[at - 1])) {
        run->due[at] = run->due[at - 1];
        --at;
      }
      run->due[at] = r;
    }
  }
  return count;
}

static bool plan_tick(run_t * run)
{
  const int32_t count = find_due(run);
  bool has_ended = false;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t robot = run->due[i];
    if (run->plans[robot].until - run->now > run->window / 2) {
      continue;  // planned anew for somebody else
    }
    // The first ends are spread over half a window, and so are the searches from then on.
    const fw_tick_t horizon =
      run->now > 0 ? run->now + run->window
                   : run->window - (fw_tick_t)((int64_t)i * (run->window - run->window / 2 - 1) / run->count);
    if (!replan(run, robot, horizon)) {
      return false;
    }
    has_ended = has_ended || run->plans[robot].until <= run->now;
  }
  if (has_ended) {
    if (!freeze(run)) {
      return false;
    }
    for (int32_t i = 0; i < run->count; ++i) {
      run->due[i] = i;
    }
    for (int32_t r = 0; r < run->count; ++r) {
      if (!replan(run, r, run->now + run->window)) {
        return false;
      }
    }
  }
  return !fw_meter_has_stopped(run->context->meter);
}

// ---- the roll -------------------------------------------------------------------------------------------------------

static bool note_places(run_t * run)
{
  if (run->now >= run->trace_capacity) {
    fw_cell_t ** trace = fw_arena_grow(
      run->context->scratch, run->trace, (size_t)run->now, sizeof(*trace), &run->trace_capacity);
    if (trace == NULL) {
      return false;
    }
    run->trace = trace;
  }
  run->trace[run->now] = fw_arena_allocate(run->context->scratch, (size_t)run->count, sizeof(fw_cell_t));
  if (run->trace[run->now] == NULL) {
    return false;
  }
  for (int32_t r = 0; r < run->count; ++r) {
    run->trace[run->now][r] = place_at(run, r, run->now);
  }
  return true;
}

static bool have_arrived(run_t * run)
{
  bool is_all = true;
  for (int32_t r = 0; r < run->count; ++r) {
    const bool is_there = run->trace[run->now][r] == run->problem->robots[r].goal;
    run->ages[r] = is_there ? 0 : run->ages[r] + 1;
    is_all = is_all && is_there;
  }
  return is_all;
}

static bool begin(run_t * run)
{
  if (!fw_reservations_reset(&run->table)) {
    return false;
  }
  for (int32_t r = 0; r < run->count; ++r) {
    run->plans[r].cells[0] = run->problem->robots[r].start;
    run->plans[r].length = 1;
  }
  return true;
}

static fw_ret_t answer(run_t * run, bool has_arrived, fw_plan_t * plan, fw_error_t * error)
{
  fw_arena_t * arena = run->context->scratch;
  fw_tick_t end = run->now;
  for (int32_t r = 0; r < run->count && !has_arrived; ++r) {
    end = r == 0 || run->plans[r].until < end ? run->plans[r].until : end;
  }
  fw_path_t * paths = fw_arena_allocate(arena, (size_t)run->count, sizeof(*paths));
  fw_cell_t * cells = fw_arena_allocate(arena, (size_t)run->count * (size_t)(end + 1), sizeof(*cells));
  if (paths == NULL || cells == NULL) {
    fw_meter_stop(run->context->meter, FW_STOP_MEMORY);
    return fw_fleet_answer(FW_FLEET_STOPPED, run->context, run->problem, plan, error);
  }
  for (int32_t r = 0; r < run->count; ++r) {
    fw_cell_t * row = cells + (size_t)r * (size_t)(end + 1);
    for (fw_tick_t tick = 0; tick <= end; ++tick) {
      row[tick] = tick < run->now ? run->trace[tick][r] : place_at(run, r, tick);
    }
    int32_t length = end + 1;
    while (length > 1 && row[length - 1] == row[length - 2]) {
      --length;
    }
    paths[r] = (fw_path_t){.cells = row, .length = length};
  }
  plan->outcome = has_arrived ? FW_OUTCOME_SOLVED : FW_OUTCOME_PARTIAL;
  plan->stop = has_arrived ? FW_STOP_DONE : run->context->meter->stop;
  plan->safe_until = has_arrived ? FW_TICK_MAX : end;
  plan->paths = paths;
  plan->stats.first_plan_ns = has_arrived ? fw_clock_now_ns() - run->context->meter->start_ns : 0;
  return FW_RET_OK;
}

static void count_up(fw_plan_t * plan, const char * name, int64_t value)
{
  plan->stats.counters[plan->stats.counter_count++] = (fw_counter_t){.name = name, .value = value};
}

static fw_ret_t solve(fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  run_t run = {
    .context = context,
    .problem = problem,
    .count = problem->robot_count,
    .window = (int32_t)context->parameters[WINDOW],
  };
  const fw_fleet_state_t state = fw_fleet_init(&run.fleet, context, problem, error);
  if (state != FW_FLEET_READY) {
    return fw_fleet_answer(state, context, problem, plan, error);
  }
  plan->stats.lower_bound = run.fleet.lower_bound;
  if (!prepare(&run) || !begin(&run)) {
    fw_meter_stop(context->meter, FW_STOP_MEMORY);
    return fw_fleet_answer(FW_FLEET_STOPPED, context, problem, plan, error);
  }
  bool has_arrived = false;
  for (; run.now < context->parameters[TICKS]; ++run.now) {
    if (!note_places(&run)) {
      fw_meter_stop(context->meter, FW_STOP_MEMORY);
      break;
    }
    has_arrived = have_arrived(&run);
    if (has_arrived || !plan_tick(&run)) {
      break;
    }
  }
  const fw_ret_t ret = answer(&run, has_arrived, plan, error);
  count_up(plan, "searches", run.searches);
  count_up(plan, "robots_overridden", run.overrides);
  count_up(plan, "promotions", run.promotions);
  count_up(plan, "freezes", run.freezes);
  count_up(plan, "rollbacks", run.rollbacks);
  return ret;
}

static const fw_parameter_def_t parameters[] = {
  [WINDOW] = {.name = "window", .initial = 16, .min = 2, .max = 1024, .help = "how many ticks ahead robots cooperate"},
  [TICKS] =
    {.name = "ticks", .initial = 10000, .min = 1, .max = 10000000, .help = "give up when this many ticks have passed"},
  [PRICE] =
    {.name = "price", .initial = 2, .max = 1000,
     .help = "ticks that a robot must win by planning through a booking of lower rank"},
};

const fw_planner_def_t fw_planner_whca = {
  .name = "whca",
  .summary = "windowed hierarchical cooperative A*: robots look some ticks ahead and plan again halfway",
  .paper = "D. Silver, Cooperative Pathfinding, AI Game Programming Wisdom 3, 2006",
  .parameters = parameters,
  .parameter_count = sizeof(parameters) / sizeof(parameters[0]),
  .solve = solve,
};
