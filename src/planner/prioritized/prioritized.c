// Prioritized planning: `ca` and `hca` (Silver 2006; the idea of an order is from Erdmann and Lozano-Perez 1987).
//
// Robots plan one after another, each around the reservations of those before it, and reserve their own paths. Robots
// that plan early can leave no path for one that plans late. What happens then is a choice:
// - it overrides others: it plans through the reservations of robots of no higher priority, at a price for each; they
//   go back to the queue and plan again. Prices rise each time, as in negotiated congestion routing (PathFinder:
//   McMurchie and Ebeling 1995), so that two robots do not override each other forever;
// - it ends the order: the next order begins with it, later ones are shuffled, and some robots start with a delay;
// - it parks: it stays at its start and the others plan around it. This always ends with a safe plan. If its start
//   closes later, it parks until then, and the plan is safe until then.
// Overriding, further orders and parking go beyond Silver; `orders=1 overrides=0` is the paper's algorithm.
//
// Robots of higher priority plan first and are overridden by none of lower priority. Where no order of that kind brings
// all robots to their goals, the lowest two priorities become one, then the lowest three, until one does: those of the
// highest priority give way last. Of the plans that a few more orders find then, the best is the one in which the
// robots of the highest priority arrive earliest; those of the next priority decide between equal ones, and so on.

#include "planner/prioritized/prioritized.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "fleetweave/planner_def.h"
#include "spacetime/search.h"
#include "world/closures.h"

enum {
  ORDERS_PER_SHUFFLE = 64,     // every 64th order is shuffled
  ORDERS_BEFORE_PARKING = 16,  // after this many orders the fallback is made
  DELAY_MAX = 64,              // longest delay of a start, in ticks
  PRICE_FIRST = 5,             // of overriding a robot for the first time in an order, in ticks
  PRICE_RISE = 5,              // added each time it is overridden
  PRICE_YIELD = 15,            // more for a robot of higher priority, where it may give way at all
  ORDERS_PER_FLOOR = 64,       // orders before robots of the next priority may give way, or a quarter of the budget
  ORDERS_AFTER_YIELD = 16,     // orders after a plan in which robots may have given way to lower priorities
};

// What a robot without a path does.
typedef enum blocked_rule_t { BLOCKED_ENDS_ORDER, BLOCKED_OVERRIDES, BLOCKED_PARKS } blocked_rule_t;

// Robots that still have to plan: a ring buffer. Each robot is in it at most once, so that there is room for all.
typedef struct robot_queue_t {
  int32_t * robots;
  int32_t capacity;
  int32_t first;
  int32_t count;
} robot_queue_t;

typedef struct prioritized_run_t {
  fw_planner_context_t * context;
  const fw_prioritized_options_t * options;
  fw_fleet_t fleet;
  fw_order_t order;
  fw_reservations_t table;
  fw_spacetime_search_t search;
  robot_queue_t queue;
  fw_path_buffers_t paths;     // of the present order
  fw_path_buffers_t fallback;  // the plan if no order works
  fw_path_buffers_t best;      // of the orders in which robots give way to lower priorities
  bool has_best;
  fw_tick_t parked_until;    // of the present order: the last tick before the place of a parked robot closes
  fw_tick_t fallback_until;  // the fallback is safe up to this tick
  fw_tick_t * delays;        // by robot: ticks that it waits at its start
  int32_t * prices;          // by robot: of overriding it in this order
  int32_t * prices_seen;     // the same for the robot that overrides: FW_PRICE_NEVER for higher priorities
  int64_t overrides_left;    // in this order
  int64_t overridden;
  int32_t parked;
  bool has_fallback;
  int32_t orders_tried;
  int32_t blocked;  // the robot that ended the last order
  // With strict priorities: the first robot that has no path (-1: none), and the one of higher priority in its way.
  int32_t denied;
  int32_t denier;
} prioritized_run_t;

// Allocates everything. False when there is no memory.
static bool prepare(prioritized_run_t * run, const fw_problem_t * problem)
{
  fw_arena_t * arena = run->context->scratch;
  const size_t count = (size_t)problem->robot_count;
  run->queue.capacity = problem->robot_count;
  run->queue.robots = fw__arena_allocate(arena, count, sizeof(*run->queue.robots));
  run->delays = fw__arena_allocate_zeroed(arena, count, sizeof(*run->delays));
  run->prices = fw__arena_allocate(arena, count, sizeof(*run->prices));
  run->prices_seen = fw__arena_allocate(arena, count, sizeof(*run->prices_seen));
  fw__spacetime_search_init(&run->search, arena);
  run->fallback_until = fw__closures_starts_open_until(&run->fleet.bodies);
  return run->queue.robots != NULL && run->delays != NULL && run->prices != NULL && run->prices_seen != NULL &&
         fw__path_buffers_init(&run->paths, arena, problem) && fw__path_buffers_init(&run->fallback, arena, problem) &&
         fw__path_buffers_init(&run->best, arena, problem) &&
         fw__order_init(&run->order, arena, &run->fleet, run->options->order) &&
         fw__reservations_init(&run->table, arena, run->fleet.places, &run->fleet.bodies);
}

static void queue_push(robot_queue_t * queue, int32_t robot)
{
  FW_ASSERT(queue->count < queue->capacity);
  queue->robots[(queue->first + queue->count++) % queue->capacity] = robot;
}

static int32_t queue_pop(robot_queue_t * queue)
{
  FW_ASSERT(queue->count > 0);
  const int32_t robot = queue->robots[queue->first];
  queue->first = (queue->first + 1) % queue->capacity;
  --queue->count;
  return robot;
}

// ---- one robot ------------------------------------------------------------------------------------------------------

static fw_found_t out_of_memory(prioritized_run_t * run)
{
  fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  return FW_FOUND_STOPPED;
}

// Stores a path that begins `delay` ticks after the robot is on its start, and reserves it.
static fw_found_t reserve(prioritized_run_t * run, int32_t robot, fw_tick_t delay, fw_path_t path)
{
  return fw__path_buffers_set_delayed(&run->paths, robot, delay, path) &&
             fw__reservations_add_path(&run->table, robot, run->paths.paths[robot])
           ? FW_FOUND_PATH
           : out_of_memory(run);
}

static fw_spacetime_query_t query_for(prioritized_run_t * run, int32_t robot)
{
  return (fw_spacetime_query_t){
    .table = &run->table,
    .moves = run->fleet.moves[robot],
    .robot = robot,
    .start = run->fleet.problem->robots[robot].start,
    .heading = run->fleet.problem->robots[robot].heading,
    .now = run->fleet.problem->robots[robot].arrives,
    .horizon = FW_TICK_MAX,
    .distance = run->options->has_true_distance ? fw__fleet_distance(&run->fleet, robot) : NULL,
    .estimate_degree = run->options->estimate_degree,
    .is_rest_free = run->options->is_rest_free,
  };
}

// Does a path that begins at this tick arrive in time?
static bool is_in_time(const prioritized_run_t * run, fw_tick_t from, fw_path_t path)
{
  const fw_tick_t limit = run->options->arrival_max;
  return limit == 0 || from + path.length - 1 <= limit;
}

// The robot's path from `delay` ticks after it is on its start.
static fw_found_t search_from(prioritized_run_t * run, int32_t robot, fw_tick_t delay, fw_path_t * path)
{
  fw_spacetime_query_t query = query_for(run, robot);
  query.now += delay;
  fw_meter_t * meter = run->context->meter;
  const fw_found_t found = run->options->is_plain_search ? fw__spacetime_astar(&run->search, &query, meter, path)
                                                         : fw__spacetime_search_path(&run->search, &query, meter, path);
  return found == FW_FOUND_PATH && !is_in_time(run, query.now, *path) ? FW_FOUND_NONE : found;
}

// Plans a robot around all reservations, with its delay at the start if that is possible, without otherwise.
static fw_found_t plan_robot(prioritized_run_t * run, int32_t robot)
{
  const fw_robot_t * shape = &run->fleet.problem->robots[robot];
  const fw_tick_t delay = run->delays[robot];
  const fw_timed_stand_t stand = {
    .robot = robot,
    .pose = {shape->start, shape->heading},
    .from = shape->arrives,
    .to = shape->arrives + delay,
  };
  fw_path_t path;
  fw__reservations_remove(&run->table, robot);
  if (
    delay > 0 && fw__reservations_allow_stand(&run->table, &stand) &&
    search_from(run, robot, delay, &path) == FW_FOUND_PATH) {
    return reserve(run, robot, delay, path);
  }
  const fw_found_t found = search_from(run, robot, 0, &path);
  return found == FW_FOUND_PATH ? reserve(run, robot, 0, path) : found;
}

// Takes a robot's path away and sends it back to the queue. False when there is no memory.
static bool send_back(prioritized_run_t * run, int32_t robot)
{
  FW_ASSERT(fw__reservations_is_robot(&run->table, robot));
  fw__reservations_remove(&run->table, robot);
  queue_push(&run->queue, robot);
  return fw__reservations_add_start(&run->table, robot);
}

// ---- a robot without a path -----------------------------------------------------------------------------------------

// The robot has no path, since robots of higher priority never give way: finds out which of them would have to. Takes
// reservations away: the order ends here.
static void note_denier(prioritized_run_t * run, fw_spacetime_query_t query)
{
  const fw_problem_t * problem = run->fleet.problem;
  const int32_t own = problem->robots[query.robot].priority;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    run->prices_seen[r] = run->prices[r] + (problem->robots[r].priority > own ? PRICE_YIELD : 0);
  }
  fw_path_t path;
  if (fw__spacetime_search_path(&run->search, &query, run->context->meter, &path) != FW_FOUND_PATH) {
    return;
  }
  const fw_booking_t wanted = {.path = path, .from = query.now, .until = FW_TICK_MAX};
  for (int32_t other = fw__reservations_first_conflict(&run->table, query.robot, &wanted);
       fw__reservations_is_robot(&run->table, other) && run->denied < 0;
       other = fw__reservations_first_conflict(&run->table, query.robot, &wanted)) {
    if (problem->robots[other].priority > own) {
      run->denied = query.robot;
      run->denier = other;
    }
    fw__reservations_remove(&run->table, other);
  }
}

// Plans through the reservations of others, at their prices. All robots in the way go back to the queue, and their
// prices rise.
static fw_found_t override_others(prioritized_run_t * run, int32_t robot)
{
  const fw_problem_t * problem = run->fleet.problem;
  FW_ASSERT(run->options->overrides_max > 0);
  if (run->overrides_left <= 0) {
    return FW_FOUND_NONE;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const bool yields = problem->robots[r].priority > problem->robots[robot].priority;
    const bool is_above = fw__order_priority(&run->order, r) > fw__order_priority(&run->order, robot);
    run->prices_seen[r] = is_above ? FW_PRICE_NEVER : run->prices[r] + (yields ? PRICE_YIELD : 0);
  }
  fw_spacetime_query_t query = query_for(run, robot);
  query.prices = run->prices_seen;
  query.is_rest_free = false;
  fw_path_t path;
  const fw_found_t found = fw__spacetime_search_path(&run->search, &query, run->context->meter, &path);
  if (found == FW_FOUND_NONE && run->options->is_strict && run->denied < 0) {
    note_denier(run, query);
  }
  if (found != FW_FOUND_PATH || !is_in_time(run, query.now, path)) {
    return found == FW_FOUND_PATH ? FW_FOUND_NONE : found;
  }
  const fw_booking_t wanted = {.path = path, .from = query.now, .until = FW_TICK_MAX};
  for (int32_t other = fw__reservations_first_conflict(&run->table, robot, &wanted); other >= 0;
       other = fw__reservations_first_conflict(&run->table, robot, &wanted)) {
    if (!fw__reservations_is_robot(&run->table, other)) {
      return FW_FOUND_NONE;
    }
    run->prices[other] += PRICE_RISE;
    --run->overrides_left;
    ++run->overridden;
    if (!send_back(run, other)) {
      return out_of_memory(run);
    }
  }
  return reserve(run, robot, 0, path);
}

// The robot stays at its start; robots whose paths pass there go back to the queue. This ends since each robot parks at
// most once: a parked robot covers only its start, which no other robot's start overlaps.
static fw_found_t park(prioritized_run_t * run, int32_t robot)
{
  const fw_problem_t * problem = run->fleet.problem;
  const fw_robot_t * shape = &problem->robots[robot];
  const fw_footprint_t footprint = fw__fleet_footprint(&run->fleet, robot, shape->heading);
  for (int32_t i = 0; i < footprint.count; ++i) {
    const fw_cell_t cell = shape->start + footprint.cells[i].dy * problem->grid->width + footprint.cells[i].dx;
    const fw_timeline_t * row = &run->table.rows[run->fleet.places->node_of[cell]];
    for (int32_t at = 0; at < row->count;) {
      if (!fw__reservations_is_robot(&run->table, row->intervals[at].robot)) {
        ++at;  // a closure
      } else if (!send_back(run, row->intervals[at].robot)) {
        return out_of_memory(run);
      }
    }
  }
  ++run->parked;
  FW_ASSERT(run->parked <= problem->robot_count);
  const fw_booking_t booking = {
    .path = run->paths.starts[robot],
    .until = fw__closures_open_until(problem, footprint, shape->start, shape->arrives),
  };
  run->parked_until = booking.until < run->parked_until ? booking.until : run->parked_until;
  return fw__path_buffers_set(&run->paths, robot, booking.path) && fw__reservations_book(&run->table, robot, booking)
           ? FW_FOUND_PATH
           : out_of_memory(run);
}

// ---- one order ------------------------------------------------------------------------------------------------------

// Are more sixteenths of the budget used?
static bool has_used(const prioritized_run_t * run, int32_t sixteenths)
{
  const fw_meter_t * meter = run->context->meter;
  const fw_budget_t * budget = &meter->budget;
  return (budget->expansions_max > 0 && meter->expanded > budget->expansions_max / 16 * sixteenths) ||
         (budget->deadline_ns > 0 &&
          fw__meter_now_ns(meter) - meter->begin_ns > (budget->deadline_ns - meter->begin_ns) / 16 * sixteenths);
}

// Is it time to make the fallback? The last quarter of the budget is kept for it.
static bool is_time_to_park(const prioritized_run_t * run)
{
  return !run->options->is_whole_only && !run->has_fallback && has_used(run, 12);
}

// Plans all robots in the present order. FW_FOUND_NONE: a robot found no path (`blocked`).
static fw_found_t plan_order(prioritized_run_t * run, blocked_rule_t rule)
{
  const int32_t count = run->fleet.problem->robot_count;
  if (!fw__reservations_reset(&run->table)) {
    return out_of_memory(run);
  }
  run->queue.first = run->queue.count = 0;
  for (int32_t i = 0; i < count; ++i) {
    queue_push(&run->queue, run->order.robots[i]);
    run->prices[i] = PRICE_FIRST;
  }
  FW_ASSERT(run->queue.count == count);
  run->overrides_left = (int64_t)run->options->overrides_max * count;
  while (run->queue.count > 0) {
    const int32_t robot = queue_pop(&run->queue);
    if (!fw__fleet_take_distance(&run->fleet, robot)) {
      return out_of_memory(run);
    }
    fw_found_t found = plan_robot(run, robot);
    if (found == FW_FOUND_NONE && rule == BLOCKED_PARKS) {
      found = park(run, robot);
    } else if (found == FW_FOUND_NONE && rule == BLOCKED_OVERRIDES && !is_time_to_park(run)) {
      found = override_others(run, robot);
    }
    fw__fleet_leave_distance(&run->fleet, robot);
    if (found != FW_FOUND_PATH) {
      run->blocked = robot;
      return found;
    }
  }
  return FW_FOUND_PATH;
}

// The fallback: as many robots as possible reach their goals and the others park, forever or until their place closes.
// If even that fails (no memory, or the budget is exhausted), all robots wait.
static void make_fallback(prioritized_run_t * run)
{
  const fw_problem_t * problem = run->fleet.problem;
  run->parked = 0;
  run->has_fallback = true;
  run->parked_until = FW_TICK_MAX;
  bool is_complete = plan_order(run, BLOCKED_PARKS) == FW_FOUND_PATH;
  for (int32_t r = 0; r < problem->robot_count && is_complete; ++r) {
    fw_path_t path = run->paths.paths[r];
    path.length = path.length > run->parked_until ? run->parked_until + 1 : path.length;
    is_complete = fw__path_buffers_set(&run->fallback, r, path);
  }
  if (is_complete) {
    run->fallback_until = run->parked_until;
  } else {
    fw__path_buffers_wait(&run->fallback, problem);
    run->parked = problem->robot_count;
  }
}

// ---- all orders -----------------------------------------------------------------------------------------------------

// No order helps two robots that meet in a corridor with a bay in the middle: the robot that goes first is already at
// the bay when the other one should turn into it. So from the second order on, some robots start with a random delay.
// A robot that is the only one of its priority is not delayed.
static void draw_delays(prioritized_run_t * run, fw_rng_t * rng)
{
  const int32_t count = run->fleet.problem->robot_count;
  const int32_t longest = 2 + run->orders_tried / 2 < DELAY_MAX ? 2 + run->orders_tried / 2 : DELAY_MAX;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t * order = run->order.robots;
    const int32_t priority = fw__order_priority(&run->order, order[i]);
    const bool has_equal = (i > 0 && fw__order_priority(&run->order, order[i - 1]) == priority) ||
                           (i + 1 < count && fw__order_priority(&run->order, order[i + 1]) == priority);
    run->delays[order[i]] = has_equal && fw__rng_below(rng, 4) == 0 ? 1 + fw__rng_below(rng, longest) : 0;
  }
}

// The sum of the arrivals of robots of one priority.
static int64_t sum_arrivals(const prioritized_run_t * run, const fw_path_t * paths, int32_t priority)
{
  const fw_problem_t * problem = run->fleet.problem;
  int64_t sum = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    sum += problem->robots[r].priority == priority ? fw_paths_makespan(&paths[r], 1) : 0;
  }
  return sum;
}

// Is the present plan better than the best so far? The highest priority in which they differ decides.
static bool is_better(const prioritized_run_t * run)
{
  const fw_problem_t * problem = run->fleet.problem;
  bool has_next = run->has_best;
  for (int64_t below = INT64_MAX; has_next;) {
    int64_t next = INT64_MIN;
    for (int32_t r = 0; r < problem->robot_count; ++r) {
      const int32_t priority = problem->robots[r].priority;
      next = priority < below && priority > next ? priority : next;
    }
    has_next = next > INT64_MIN;
    const int64_t now = has_next ? sum_arrivals(run, run->paths.paths, (int32_t)next) : 0;
    const int64_t best = has_next ? sum_arrivals(run, run->best.paths, (int32_t)next) : 0;
    if (now != best) {
      return now < best;
    }
    below = next;
  }
  return !run->has_best;
}

// Keeps the present plan if it is the best. False when there is no memory.
static bool keep_best(prioritized_run_t * run)
{
  bool is_kept = true;
  if (is_better(run)) {
    for (int32_t r = 0; r < run->fleet.problem->robot_count && is_kept; ++r) {
      is_kept = fw__path_buffers_set(&run->best, r, run->paths.paths[r]);
    }
    run->has_best = is_kept;
  }
  return is_kept;
}

// The next order, after one that has failed, or that may have been better.
static void make_next_order(prioritized_run_t * run, fw_found_t found, fw_rng_t * rng)
{
  if (run->orders_tried % ORDERS_PER_SHUFFLE == 0) {
    fw__order_shuffle(&run->order, rng);
  } else if (found == FW_FOUND_NONE) {
    fw__order_put_first(&run->order, run->blocked);
  }
  draw_delays(run, rng);
}

// Tries one order after another. True if one of them brings all robots to their goals.
static bool try_orders(prioritized_run_t * run)
{
  const blocked_rule_t rule = run->options->overrides_max > 0 ? BLOCKED_OVERRIDES : BLOCKED_ENDS_ORDER;
  fw_rng_t rng = fw__rng(run->context->seed);
  int32_t orders_left = ORDERS_AFTER_YIELD, orders_of_floor = 0;
  run->parked = run->fleet.problem->robot_count;
  while (!fw__meter_has_stopped(run->context->meter)) {
    ++run->orders_tried;
    const fw_found_t found = plan_order(run, rule);
    const bool yields = run->order.floor != INT32_MIN;
    if (found == FW_FOUND_PATH && !yields) {
      run->parked = 0;
      return true;
    }
    const int32_t sure = run->options->orders_sure;
    const bool is_last =
      run->orders_tried >= run->options->orders_max || (sure > 0 && run->orders_tried >= sure && has_used(run, 1));
    if (found == FW_FOUND_PATH && !keep_best(run)) {
      (void)out_of_memory(run);
      return false;
    }
    if (run->has_best) {
      run->parked = 0;
      if (is_last || --orders_left < 0 || found == FW_FOUND_STOPPED) {
        return true;
      }
      make_next_order(run, found, &rng);
      continue;
    }
    if (
      found == FW_FOUND_NONE && !run->has_fallback && !run->options->is_whole_only &&
      (is_last || run->orders_tried == ORDERS_BEFORE_PARKING || is_time_to_park(run))) {
      const int32_t blocked = run->blocked;
      make_fallback(run);
      run->blocked = blocked;
    }
    if (is_last) {
      return false;
    }
    const bool is_time_to_yield = ++orders_of_floor >= ORDERS_PER_FLOOR || has_used(run, 4);
    if (!run->options->is_strict && is_time_to_yield && fw__order_raise_floor(&run->order)) {
      orders_of_floor = 0;
    }
    make_next_order(run, found, &rng);
  }
  return run->has_best;
}

// ---- the plan -------------------------------------------------------------------------------------------------------

static void answer(const prioritized_run_t * run, bool is_solved, fw_plan_t * plan)
{
  const fw_meter_t * meter = run->context->meter;
  plan->outcome = is_solved ? FW_OUTCOME_SOLVED : FW_OUTCOME_PARTIAL;
  plan->stop = is_solved ? FW_STOP_DONE : meter->stop;
  plan->paths = !is_solved ? run->fallback.paths : run->has_best ? run->best.paths : run->paths.paths;
  plan->safe_until = is_solved ? FW_TICK_MAX : run->fallback_until;
  plan->stats.first_plan_ns = is_solved ? fw_clock_now_ns() - meter->start_ns : 0;
  if (!is_solved && run->denied >= 0) {
    (void)snprintf(
      plan->stats.note, sizeof(plan->stats.note),
      "robot %d has no path unless robot %d, of higher priority, gives way to it (priorities=strict)", run->denied,
      run->denier);
  }
  fw__plan_count(plan, "orders_tried", run->orders_tried);
  fw__plan_count(plan, "robots_overridden", run->overridden);
  fw__plan_count(plan, "robots_parked", run->parked);
  if (run->options->has_true_distance) {
    fw__plan_count(plan, "coarse_distances", run->fleet.clusters != NULL);
    fw__plan_count(plan, "distances_again", run->fleet.again);
  }
}

fw_ret_t fw__prioritized_solve(const fw_prioritized_request_t * request, fw_plan_t * plan, fw_error_t * error)
{
  fw_planner_context_t * context = request->context;
  const fw_problem_t * problem = request->problem;
  prioritized_run_t run = {
    .context = context,
    .options = &request->options,
    .fleet = {.options = request->options.fleet, .is_prioritized = request->options.has_true_distance},
    .denied = -1,
  };
  fw_fleet_state_t state = FW_FLEET_READY;
  if (request->fleet != NULL) {
    run.fleet = *request->fleet;
  } else {
    state = fw__fleet_init(&run.fleet, context, problem, error);
  }
  switch (state) {
    case FW_FLEET_UNREACHABLE:
      return fw__plan_unsolvable(context, problem, plan, error);
    case FW_FLEET_STOPPED:
      return fw__plan_wait_all(context, problem, plan, error);
    case FW_FLEET_READY:
      break;
  }
  plan->stats.lower_bound = run.fleet.lower_bound;
  if (!prepare(&run, problem)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return fw__plan_wait_all(context, problem, plan, error);
  }
  const bool is_solved = try_orders(&run);
  answer(&run, is_solved, plan);
  if (request->fleet != NULL) {
    *request->fleet = run.fleet;  // it knows which distances are there and which were dropped
  }
  return FW_RET_OK;
}

// ---- the planners ---------------------------------------------------------------------------------------------------

typedef enum heuristic_t { HEURISTIC_AUTO, HEURISTIC_MANHATTAN, HEURISTIC_OCTILE } heuristic_t;

// The values of a planner's parameters, from the first shared one on. `ca` has one parameter before them.
enum { ORDER, PRIORITIES, ORDERS, OVERRIDES, PLAIN, COST, ARRIVAL, DISTANCES, EXACT_MB };

static const char * const heuristic_names[] = {"auto", "manhattan", "octile"};
static const char * const cost_names[] = {"off_goal", "last_arrival"};  // as of the optimal planners
enum { COST_OFF_GOAL, COST_LAST_ARRIVAL };
static const char * const order_names[] = {"index", "longest", "shortest", "manhattan"};

const fw_parameter_def_t fw__prioritized_parameters[] = {
  {.name = "heuristic",
   .type = FW_PARAMETER_CHOICE,
   .initial = HEURISTIC_AUTO,
   .max = HEURISTIC_OCTILE,
   .choices = heuristic_names,
   .help =
     "estimate of the distance: manhattan, or octile (here the Chebyshev distance, since a diagonal takes one tick); "
     "auto chooses by the connectivity"},
  [FW_PRIORITIZED_OWN + ORDER] =
    {.name = "order",
     .type = FW_PARAMETER_CHOICE,
     .initial = FW_ORDER_SHORTEST,
     .max = FW_ORDER_MANHATTAN,
     .choices = order_names,
     .help = "which robots plan first among those of equal priority: by index, longest path, shortest path, or least "
             "Manhattan distance"},
  [FW_PRIORITIZED_OWN + PRIORITIES] = FW_FLEET_PRIORITIES_PARAMETER,
  [FW_PRIORITIZED_OWN + ORDERS] =
    {.name = "orders",
     .initial = 10000,
     .min = 1,
     .max = 1000000,
     .help = "how many orders of the robots are tried; 1 with overrides=0 is the paper's single order"},
  [FW_PRIORITIZED_OWN + OVERRIDES] =
    {.name = "overrides",
     .initial = 10,
     .max = 1000,
     .help = "how often robots without a path may plan through the paths of others, which then plan again: limit per "
             "order, as a multiple of the number of robots; 0: never"},
  [FW_PRIORITIZED_OWN + PLAIN] =
    {.name = "plain_search",
     .type = FW_PARAMETER_BOOLEAN,
     .max = 1,
     .help = "search over (place, tick) instead of safe intervals (SIPP): slower, same arrival times"},
  [FW_PRIORITIZED_OWN + COST] =
    {.name = "cost",
     .type = FW_PARAMETER_CHOICE,
     .initial = COST_LAST_ARRIVAL,
     .max = COST_LAST_ARRIVAL,
     .choices = cost_names,
     .help = "what the path of each robot minimises: the tick of its last arrival (last_arrival), or its ticks off the "
             "goal (off_goal): it may then reach its goal, step aside for another robot and come back"},
  [FW_PRIORITIZED_OWN + ARRIVAL] =
    {.name = "arrival_max",
     .max = FW_TICK_MAX,
     .help =
       "a robot that arrives later than this tick has no path, as with a reservation table of this many ticks; 0: "
       "no limit"},
  [FW_PRIORITIZED_OWN + DISTANCES] = FW_FLEET_DISTANCES_PARAMETER,
  [FW_PRIORITIZED_OWN + EXACT_MB] = FW_FLEET_EXACT_MB_PARAMETER,
};

fw_prioritized_options_t fw__prioritized_options(const int64_t * shared)
{
  return (fw_prioritized_options_t){
    .order = (fw_order_rule_t)shared[ORDER],
    .is_strict = shared[PRIORITIES] != 0,
    .orders_max = (int32_t)shared[ORDERS],
    .overrides_max = (int32_t)shared[OVERRIDES],
    .is_plain_search = shared[PLAIN] != 0,
    .is_rest_free = shared[COST] == COST_OFF_GOAL,
    .arrival_max = (fw_tick_t)shared[ARRIVAL],
  };
}

// Degree 4 stands for Manhattan distance, 8 for Chebyshev distance.
static int32_t estimate_degree(heuristic_t heuristic, int32_t connectivity)
{
  return heuristic == HEURISTIC_AUTO ? connectivity : heuristic == HEURISTIC_MANHATTAN ? 4 : 8;
}

static fw_ret_t solve_ca(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  fw_prioritized_request_t request = {
    .context = context,
    .problem = problem,
    .options = fw__prioritized_options(context->parameters + FW_PRIORITIZED_OWN),
  };
  request.options.estimate_degree = estimate_degree((heuristic_t)context->parameters[0], problem->connectivity);
  return fw__prioritized_solve(&request, plan, error);
}

static fw_ret_t solve_hca(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  fw_prioritized_request_t request = {
    .context = context, .problem = problem, .options = fw__prioritized_options(context->parameters)};
  request.options.has_true_distance = true;
  request.options.fleet = (fw_fleet_options_t){
    .distances = (int32_t)context->parameters[DISTANCES], .exact_mb = (int32_t)context->parameters[EXACT_MB]};
  return fw__prioritized_solve(&request, plan, error);
}

const fw_planner_def_t fw__planner_ca = {
  .name = "ca",
  .summary = "cooperative A*: robots plan one after another, around the reservations of earlier ones",
  .paper = "D. Silver, Cooperative Pathfinding, AI Game Programming Wisdom 3, 2006",
  .parameters = fw__prioritized_parameters,
  .parameter_count = FW_PRIORITIZED_OWN + FW_PRIORITIZED_SHARED,
  .has_rules = true,
  .solve = solve_ca,
};

const fw_planner_def_t fw__planner_hca = {
  .name = "hca",
  .summary = "hierarchical cooperative A*: robots plan one after another, guided by true distances",
  .paper = "D. Silver, Cooperative Pathfinding, AI Game Programming Wisdom 3, 2006",
  .parameters = fw__prioritized_parameters + FW_PRIORITIZED_OWN,
  .parameter_count = FW_PRIORITIZED_SHARED + FW_PRIORITIZED_DISTANCES,
  .has_rules = true,
  .solve = solve_hca,
};
