// Planning robot after robot (Silver 2006; Erdmann and Lozano-Perez 1987 for the idea of an order).
//
// A queue of robots; each plans around what is reserved and reserves its path. Those planned first can shut somebody in.
// What a robot without a path does is a choice:
// - it overrides: plans through the reservations of others of no higher priority, who go back to the queue;
// - it ends the order: the next order begins with it, later ones are shuffled, and some robots start later;
// - it parks: stays where it stands and makes the others go around it, which always ends with a safe answer. Where its
//   start closes later it parks until then, and the answer is safe that long.

#include "planner/prioritized/prioritized.h"

#include <string.h>

#include "spacetime/search.h"
#include "world/closures.h"

enum { ORDERS_PER_SHUFFLE = 64, ORDERS_BEFORE_PARKING = 16, HOLD_MAX = 64, PRICE_FIRST = 5, PRICE_RISE = 5 };

typedef enum shut_in_t { SHUT_IN_ENDS, SHUT_IN_OVERRIDES, SHUT_IN_PARKS } shut_in_t;

// Robots that still have to plan, in a ring: each is in it at most once.
typedef struct queue_t {
  int32_t * robots;
  int32_t capacity;
  int32_t first;
  int32_t count;
} queue_t;

typedef struct run_t {
  fw_planner_context_t * context;
  const fw_prioritized_options_t * options;
  fw_fleet_t fleet;
  fw_order_t order;
  fw_reservations_t table;
  fw_search_t search;
  queue_t queue;
  fw_path_buffers_t paths;         // of the present order
  fw_path_buffers_t fallback;      // the answer if no order works
  fw_tick_t parked_until;    // of the present order: the first tick at which a parked robot's place closes is the next
  fw_tick_t fallback_until;  // how long the fallback is safe
  fw_tick_t * holds;         // by robot: how long it waits at its start
  int32_t * prices;          // by robot: of overriding it
  int32_t * asked;           // the same as seen by the robot that overrides
  int64_t overrides_left;
  int64_t overridden;
  int32_t parked;
  bool has_fallback;
  int32_t orders_tried;
  int32_t shut_in;  // the robot that ended the last order
} run_t;

static bool prepare(run_t * run, const fw_problem_t * problem)
{
  fw_arena_t * arena = run->context->scratch;
  const size_t count = (size_t)problem->robot_count;
  run->queue.capacity = problem->robot_count;
  run->queue.robots = fw__arena_allocate(arena, count, sizeof(*run->queue.robots));
  run->holds = fw__arena_allocate_zeroed(arena, count, sizeof(*run->holds));
  run->prices = fw__arena_allocate(arena, count, sizeof(*run->prices));
  run->asked = fw__arena_allocate(arena, count, sizeof(*run->asked));
  fw__search_init(&run->search, arena);
  run->fallback_until = fw__closures_starts_open_until(&run->fleet.bodies);
  return run->queue.robots != NULL && run->holds != NULL && run->prices != NULL && run->asked != NULL &&
         fw__path_buffers_init(&run->paths, arena, problem) && fw__path_buffers_init(&run->fallback, arena, problem) &&
         fw__order_init(&run->order, arena, &run->fleet, run->options->order) &&
         fw__reservations_init(&run->table, arena, run->fleet.places, &run->fleet.bodies);
}

static void queue_push(queue_t * queue, int32_t robot)
{
  queue->robots[(queue->first + queue->count++) % queue->capacity] = robot;
}

static int32_t queue_pop(queue_t * queue)
{
  const int32_t robot = queue->robots[queue->first];
  queue->first = (queue->first + 1) % queue->capacity;
  --queue->count;
  return robot;
}

// ---- one robot ------------------------------------------------------------------------------------------------------

static fw_found_t out_of_memory(run_t * run)
{
  fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  return FW_FOUND_STOPPED;
}

static fw_found_t reserve(run_t * run, int32_t robot, fw_path_t path)
{
  return fw__path_buffers_set_delayed(&run->paths, robot, 0, path) &&
             fw__reservations_add_path(&run->table, robot, run->paths.paths[robot])
           ? FW_FOUND_PATH
           : out_of_memory(run);
}

static fw_query_t query_for(run_t * run, int32_t robot)
{
  return (fw_query_t){
    .table = &run->table,
    .moves = run->fleet.moves[robot],
    .robot = robot,
    .start = run->fleet.problem->robots[robot].start,
    .heading = run->fleet.problem->robots[robot].heading,
    .now = run->fleet.problem->robots[robot].arrives,
    .horizon = FW_TICK_MAX,
    .distance = run->options->has_true_distance ? fw__fleet_distance(&run->fleet, robot) : NULL,
    .estimate_degree = run->options->estimate_degree,
  };
}

// From `hold` ticks after the robot is on its start.
static fw_found_t search_from(run_t * run, int32_t robot, fw_tick_t hold, fw_path_t * path)
{
  fw_query_t query = query_for(run, robot);
  query.now += hold;
  fw_meter_t * meter = run->context->meter;
  return run->options->is_plain_search ? fw__spacetime_astar(&run->search, &query, meter, path)
                                       : fw__search_path(&run->search, &query, meter, path);
}

// Waits out its hold at the start, if it can, and goes on from there.
static fw_found_t plan_robot(run_t * run, int32_t robot)
{
  const fw_robot_t * shape = &run->fleet.problem->robots[robot];
  const fw_tick_t hold = run->holds[robot];
  const fw_stand_t stand = {
    .robot = robot,
    .pose = {shape->start, shape->heading},
    .from = shape->arrives,
    .to = shape->arrives + hold,
  };
  fw_path_t path;
  fw__reservations_remove(&run->table, robot);
  if (
    hold > 0 && fw__reservations_allow_stand(&run->table, &stand) &&
    search_from(run, robot, hold, &path) == FW_FOUND_PATH) {
    return fw__path_buffers_set_delayed(&run->paths, robot, hold, path) &&
               fw__reservations_add_path(&run->table, robot, run->paths.paths[robot])
             ? FW_FOUND_PATH
             : out_of_memory(run);
  }
  const fw_found_t found = search_from(run, robot, 0, &path);
  return found == FW_FOUND_PATH ? reserve(run, robot, path) : found;
}

// Takes a robot's path away and sends it back to the queue.
static bool send_back(run_t * run, int32_t robot)
{
  fw__reservations_remove(&run->table, robot);
  queue_push(&run->queue, robot);
  return fw__reservations_add_start(&run->table, robot);
}

// ---- a robot without a path -----------------------------------------------------------------------------------------

// Plans through the reservations of others. Each time a robot is overridden its price rises.
static fw_found_t override_others(run_t * run, int32_t robot)
{
  const fw_problem_t * problem = run->fleet.problem;
  if (run->overrides_left <= 0) {
    return FW_FOUND_NONE;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    run->asked[r] = problem->robots[r].priority > problem->robots[robot].priority ? FW_PRICE_NEVER : run->prices[r];
  }
  fw_query_t query = query_for(run, robot);
  query.prices = run->asked;
  fw_path_t path;
  const fw_found_t found = fw__search_path(&run->search, &query, run->context->meter, &path);
  if (found != FW_FOUND_PATH) {
    return found;
  }
  const fw_booking_t wanted = {.path = path, .from = query.now, .until = FW_TICK_MAX};
  for (int32_t other = fw__reservations_meet_booking(&run->table, robot, &wanted); other >= 0;
       other = fw__reservations_meet_booking(&run->table, robot, &wanted)) {
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
  return reserve(run, robot, path);
}

// Whoever was to pass where the robot parks goes back to the queue. Each robot parks once, so that this ends: parked
// robots cover their starts alone, which no other robot's start overlaps.
static fw_found_t park(run_t * run, int32_t robot)
{
  const fw_problem_t * problem = run->fleet.problem;
  const fw_robot_t * shape = &problem->robots[robot];
  const fw_footprint_t footprint = fw__fleet_footprint(&run->fleet, robot, shape->heading);
  for (int32_t i = 0; i < footprint.count; ++i) {
    const fw_cell_t cell = shape->start + footprint.cells[i].dy * problem->grid->width + footprint.cells[i].dx;
    const fw_row_t * row = &run->table.rows[run->fleet.places->node_of[cell]];
    for (int32_t at = 0; at < row->count;) {
      if (!fw__reservations_is_robot(&run->table, row->stays[at].robot)) {
        ++at;
      } else if (!send_back(run, row->stays[at].robot)) {
        return out_of_memory(run);
      }
    }
  }
  ++run->parked;
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

// The answer that always holds needs a part of the budget for itself.
static bool is_time_to_park(const run_t * run)
{
  const fw_meter_t * meter = run->context->meter;
  const fw_budget_t * budget = &meter->budget;
  return !run->has_fallback && ((budget->expansions_max > 0 && meter->expanded > budget->expansions_max / 4 * 3) ||
                                (budget->deadline_ns > 0 && fw__meter_now_ns(meter) - meter->begin_ns >
                                                              (budget->deadline_ns - meter->begin_ns) / 4 * 3));
}

// Plans all robots. FW_FOUND_NONE: somebody is shut in.
static fw_found_t plan_order(run_t * run, shut_in_t choice)
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
  run->overrides_left = (int64_t)run->options->overrides_max * count;
  while (run->queue.count > 0) {
    const int32_t robot = queue_pop(&run->queue);
    fw_found_t found = plan_robot(run, robot);
    if (found == FW_FOUND_NONE && choice == SHUT_IN_PARKS) {
      found = park(run, robot);
    } else if (found == FW_FOUND_NONE && choice == SHUT_IN_OVERRIDES && !is_time_to_park(run)) {
      found = override_others(run, robot);
    }
    if (found != FW_FOUND_PATH) {
      run->shut_in = robot;
      return found;
    }
  }
  return FW_FOUND_PATH;
}

// As many robots as possible reach their goals, the rest stay out of the way, for ever or until their place closes.
static void make_fallback(run_t * run)
{
  const fw_problem_t * problem = run->fleet.problem;
  run->parked = 0;
  run->has_fallback = true;
  run->parked_until = FW_TICK_MAX;
  bool is_whole = plan_order(run, SHUT_IN_PARKS) == FW_FOUND_PATH;
  for (int32_t r = 0; r < problem->robot_count && is_whole; ++r) {
    fw_path_t path = run->paths.paths[r];
    path.length = path.length > run->parked_until ? run->parked_until + 1 : path.length;
    is_whole = fw__path_buffers_set(&run->fallback, r, path);
  }
  if (is_whole) {
    run->fallback_until = run->parked_until;
  } else {
    fw__path_buffers_wait(&run->fallback, problem);
    run->parked = problem->robot_count;
  }
}

// ---- all orders -----------------------------------------------------------------------------------------------------

// No order helps two robots that meet in a lane with a bay in the middle: whoever goes first is at the bay when the other
// should turn in. From the second order on some robots start later, as chance has it. A robot alone in its priority never
// waits like that.
static void draw_holds(run_t * run, fw_rng_t * rng)
{
  const fw_robot_t * robots = run->fleet.problem->robots;
  const int32_t count = run->fleet.problem->robot_count;
  const int32_t longest = 2 + run->orders_tried / 2 < HOLD_MAX ? 2 + run->orders_tried / 2 : HOLD_MAX;
  for (int32_t i = 0; i < count; ++i) {
    const int32_t * order = run->order.robots;
    const int32_t priority = robots[order[i]].priority;
    const bool has_equal = (i > 0 && robots[order[i - 1]].priority == priority) ||
                           (i + 1 < count && robots[order[i + 1]].priority == priority);
    run->holds[order[i]] = has_equal && fw__rng_below(rng, 4) == 0 ? 1 + fw__rng_below(rng, longest) : 0;
  }
}

static bool try_orders(run_t * run)
{
  const shut_in_t choice = run->options->overrides_max > 0 ? SHUT_IN_OVERRIDES : SHUT_IN_ENDS;
  fw_rng_t rng = fw__rng(run->context->seed);
  run->parked = run->fleet.problem->robot_count;
  while (!fw__meter_has_stopped(run->context->meter)) {
    ++run->orders_tried;
    const fw_found_t found = plan_order(run, choice);
    if (found == FW_FOUND_PATH) {
      run->parked = 0;
      return true;
    }
    const int32_t shut_in = run->shut_in;
    const bool is_last = run->orders_tried >= run->options->orders_max;
    if (
      found == FW_FOUND_NONE && !run->has_fallback &&
      (is_last || run->orders_tried == ORDERS_BEFORE_PARKING || is_time_to_park(run))) {
      make_fallback(run);
    }
    if (is_last) {
      return false;
    }
    if (run->orders_tried % ORDERS_PER_SHUFFLE == 0) {
      fw__order_shuffle(&run->order, &rng);
    } else {
      fw__order_put_first(&run->order, shut_in);
    }
    draw_holds(run, &rng);
  }
  return false;
}

static void answer(const run_t * run, bool is_solved, fw_plan_t * plan)
{
  const fw_meter_t * meter = run->context->meter;
  plan->outcome = is_solved ? FW_OUTCOME_SOLVED : FW_OUTCOME_PARTIAL;
  plan->stop = is_solved ? FW_STOP_DONE : meter->stop;
  plan->paths = is_solved ? run->paths.paths : run->fallback.paths;
  plan->safe_until = is_solved ? FW_TICK_MAX : run->fallback_until;
  plan->stats.first_plan_ns = is_solved ? fw_clock_now_ns() - meter->start_ns : 0;
  fw__plan_count(plan, "orders_tried", run->orders_tried);
  fw__plan_count(plan, "robots_overridden", run->overridden);
  fw__plan_count(plan, "robots_parked", run->parked);
  if (run->options->has_true_distance) {
    fw__plan_count(plan, "coarse_distances", run->fleet.clusters != NULL);
  }
}

fw_ret_t fw__prioritized_solve(
  fw_planner_context_t * context, const fw_problem_t * problem, const fw_prioritized_options_t * options,
  fw_plan_t * plan, fw_error_t * error)
{
  run_t run = {.context = context, .options = options, .fleet = {.options = options->fleet}};
  const fw_fleet_state_t state = fw__fleet_init(&run.fleet, context->scratch, context, problem, error);
  if (state != FW_FLEET_READY) {
    return fw__plan_wait_all(state, context, problem, plan, error);
  }
  plan->stats.lower_bound = run.fleet.lower_bound;
  if (!prepare(&run, problem)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return fw__plan_wait_all(FW_FLEET_STOPPED, context, problem, plan, error);
  }
  const bool is_solved = try_orders(&run);
  answer(&run, is_solved, plan);
  return FW_RET_OK;
}
