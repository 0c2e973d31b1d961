// Planning robot after robot (Silver 2005; Erdmann and Lozano-Perez 1987 for the idea of priorities).
//
// One order of robots can fail: those planned first shut somebody in. Then the robot that found no path goes first
// among those of its priority, and all are planned again; when that has gone round in circles, robots are shuffled.
// After some failures an answer is made that always holds: some robots stay parked, the others pass around them.

#include "planner/prioritized.h"

#include <string.h>

#include "base/error.h"
#include "base/rng.h"
#include "planner/fleet.h"
#include "spacetime/search.h"

enum { BUMPS_PER_SHUFFLE = 64, ORDERS_BEFORE_PARKING = 16 };

typedef struct run_t {
  fw_planner_context_t * context;
  const fw_prioritized_options_t * options;
  fw_fleet_t fleet;
  fw_reservations_t table;
  fw_search_t search;
  fw__paths_t paths;  // of the present order
  fw__paths_t best;   // the answer if no order works: some robots get through, the others stay parked
  int32_t parked;
  int32_t * order;
  int32_t orders_tried;
} run_t;

// Robots that still have to plan, in a ring: each is in it at most once.
typedef struct queue_t {
  int32_t * robots;
  int32_t first;
  int32_t count;
} queue_t;

static bool prepare(run_t * run, const fw_problem_t * problem)
{
  fw_arena_t * arena = run->context->scratch;
  const size_t count = (size_t)problem->robot_count;
  run->order = fw_arena_allocate(arena, count, sizeof(*run->order));
  fw_search_init(&run->search, arena);
  return run->order != NULL && fw__paths_init(&run->paths, arena, problem) &&
         fw__paths_init(&run->best, arena, problem) &&
         fw_reservations_init(&run->table, arena, run->fleet.places, problem);
}

// ---- orders ---------------------------------------------------------------------------------------------------------

static bool goes_before(const run_t * run, int32_t a, int32_t b)
{
  const fw_robot_t * robots = run->fleet.problem->robots;
  if (robots[a].priority != robots[b].priority) {
    return robots[a].priority > robots[b].priority;
  }
  const int32_t x = run->fleet.lengths[a];
  const int32_t y = run->fleet.lengths[b];
  if (run->options->order != FW_ORDER_INDEX && x != y) {
    return run->options->order == FW_ORDER_LONGEST ? x > y : x < y;
  }
  return a < b;
}

// Bottom-up merge sort: stable, no recursion, the same everywhere.
static bool sort_order(run_t * run)
{
  const int32_t count = run->fleet.problem->robot_count;
  int32_t * from = run->order;
  int32_t * to = fw_arena_allocate(run->context->scratch, (size_t)count, sizeof(*to));
  if (to == NULL) {
    return false;
  }
  for (int32_t i = 0; i < count; ++i) {
    from[i] = i;
  }
  for (int32_t width = 1; width < count; width *= 2) {
    for (int32_t left = 0; left < count; left += 2 * width) {
      const int32_t middle = left + width < count ? left + width : count;
      const int32_t right = left + 2 * width < count ? left + 2 * width : count;
      int32_t i = left;
      int32_t j = middle;
      for (int32_t k = left; k < right; ++k) {
        const bool takes_left = i < middle && (j >= right || !goes_before(run, from[j], from[i]));
        to[k] = takes_left ? from[i++] : from[j++];
      }
    }
    int32_t * swap = from;
    from = to;
    to = swap;
  }
  run->order = from;
  return true;
}

// The first place in the order of those with the priority of the robot at `position`.
static int32_t first_of_equals(const run_t * run, int32_t position)
{
  const fw_robot_t * robots = run->fleet.problem->robots;
  while (position > 0 && robots[run->order[position - 1]].priority == robots[run->order[position]].priority) {
    --position;
  }
  return position;
}

static void bump(run_t * run, int32_t position)
{
  const int32_t first = first_of_equals(run, position);
  const int32_t robot = run->order[position];
  memmove(run->order + first + 1, run->order + first, (size_t)(position - first) * sizeof(*run->order));
  run->order[first] = robot;
}

static void shuffle(run_t * run, fw_rng_t * rng)
{
  const fw_robot_t * robots = run->fleet.problem->robots;
  const int32_t count = run->fleet.problem->robot_count;
  for (int32_t first = 0; first < count;) {
    int32_t end = first + 1;
    while (end < count && robots[run->order[end]].priority == robots[run->order[first]].priority) {
      ++end;
    }
    fw_rng_shuffle(rng, run->order + first, end - first);
    first = end;
  }
}

// ---- one order ------------------------------------------------------------------------------------------------------

static bool reserve(run_t * run, int32_t robot, fw_path_t path)
{
  if (
    !fw__paths_set(&run->paths, robot, path) ||
    !fw_reservations_add_path(&run->table, robot, run->paths.paths[robot])) {
    fw_meter_stop(run->context->meter, FW_STOP_MEMORY);
    return false;
  }
  return true;
}

static fw_found_t plan_robot(run_t * run, int32_t robot)
{
  fw_reservations_remove(&run->table, robot);
  const fw_query_t query = {
    .table = &run->table,
    .moves = run->fleet.moves[robot],
    .robot = robot,
    .distance = run->options->has_true_distance ? &run->fleet.distances[robot] : NULL,
    .estimate_degree = run->options->estimate_degree,
  };
  fw_path_t path;
  fw_meter_t * meter = run->context->meter;
  const fw_found_t found = !run->options->is_plain_search && fw_interval_search_fits(&query)
                             ? fw_interval_search(&run->search, &query, meter, &path)
                             : fw_spacetime_astar(&run->search, &query, meter, &path);
  if (found != FW_FOUND_PATH) {
    return found;
  }
  return reserve(run, robot, path) ? FW_FOUND_PATH : FW_FOUND_STOPPED;
}

static bool reset_table(run_t * run)
{
  if (!fw_reservations_reset(&run->table)) {
    fw_meter_stop(run->context->meter, FW_STOP_MEMORY);
    return false;
  }
  return true;
}

// Plans in the present order. Returns how many robots came through: the position of the one that did not.
static int32_t plan_order(run_t * run)
{
  const int32_t count = run->fleet.problem->robot_count;
  ++run->orders_tried;
  if (!reset_table(run)) {
    return 0;
  }
  for (int32_t i = 0; i < count; ++i) {
    if (plan_robot(run, run->order[i]) != FW_FOUND_PATH) {
      return i;
    }
  }
  return count;
}

// ---- the answer -----------------------------------------------------------------------------------------------------

// A robot parks: it stays where it stands, for ever. Whoever was to pass there loses its path and goes back to the end
// of the queue.
static bool park(run_t * run, int32_t robot, queue_t * queue)
{
  const fw_problem_t * problem = run->fleet.problem;
  const fw_robot_t * shape = &problem->robots[robot];
  fw_reservations_remove(&run->table, robot);
  for (int32_t i = 0; i < shape->footprint_count; ++i) {
    const fw_cell_t cell = shape->start + shape->footprint[i].dy * problem->grid->width + shape->footprint[i].dx;
    const fw_row_t * row = &run->table.rows[run->fleet.places->node_of[cell]];
    while (row->count > 0) {
      const int32_t other = row->stays[0].robot;
      fw_reservations_remove(&run->table, other);
      if (!fw_reservations_add_start(&run->table, other)) {
        fw_meter_stop(run->context->meter, FW_STOP_MEMORY);
        return false;
      }
      queue->robots[(queue->first + queue->count++) % problem->robot_count] = other;
    }
  }
  ++run->parked;
  return reserve(run, robot, (fw_path_t){.cells = &shape->start, .length = 1});
}

// The answer if no order works: as many robots as possible reach their goals, the rest stay out of the way for ever.
// A robot without a path parks; each parks once, so that this ends.
static bool park_some(run_t * run)
{
  const int32_t count = run->fleet.problem->robot_count;
  queue_t queue = {.count = count};
  queue.robots = fw_arena_allocate(run->context->scratch, (size_t)count, sizeof(*queue.robots));
  if (queue.robots == NULL || !reset_table(run)) {
    return false;
  }
  memcpy(queue.robots, run->order, (size_t)count * sizeof(*queue.robots));
  while (queue.count > 0) {
    const int32_t robot = queue.robots[queue.first];
    queue.first = (queue.first + 1) % count;
    --queue.count;
    const fw_found_t found = plan_robot(run, robot);
    if (found == FW_FOUND_STOPPED || (found == FW_FOUND_NONE && !park(run, robot, &queue))) {
      return false;
    }
  }
  for (int32_t r = 0; r < count; ++r) {
    if (!fw__paths_set(&run->best, r, run->paths.paths[r])) {
      fw__paths_wait(&run->best, run->fleet.problem);
      return false;
    }
  }
  return true;
}

// Time to think of the answer that always holds: after some orders, or when half of the budget is used up.
static bool is_time_to_park(const run_t * run)
{
  const fw_meter_t * meter = run->context->meter;
  const fw_budget_t * budget = &meter->budget;
  return run->orders_tried == run->options->orders_max || run->orders_tried == ORDERS_BEFORE_PARKING ||
         (budget->expansions_max > 0 && meter->expanded > budget->expansions_max / 2) ||
         (budget->deadline_ns > 0 && fw_clock_now_ns() - meter->start_ns > (budget->deadline_ns - meter->start_ns) / 2);
}

static void count_up(fw_plan_t * plan, const char * name, int64_t value)
{
  plan->stats.counters[plan->stats.counter_count++] = (fw_counter_t){.name = name, .value = value};
}

static void search_orders(run_t * run, fw_plan_t * plan)
{
  const int32_t count = run->fleet.problem->robot_count;
  fw_rng_t rng = fw_rng(run->context->seed);
  plan->outcome = FW_OUTCOME_PARTIAL;
  bool has_parked = false;
  while (run->orders_tried < run->options->orders_max && !fw_meter_has_stopped(run->context->meter)) {
    const int32_t planned = plan_order(run);
    if (planned == count) {
      plan->outcome = FW_OUTCOME_SOLVED;
      plan->stats.first_plan_ns = fw_clock_now_ns() - run->context->meter->start_ns;
      break;
    }
    if (!has_parked && is_time_to_park(run)) {
      has_parked = true;
      run->parked = park_some(run) ? run->parked : count;
    }
    if (run->orders_tried % BUMPS_PER_SHUFFLE == 0) {
      shuffle(run, &rng);
    } else {
      bump(run, planned);
    }
  }
  const bool is_solved = plan->outcome == FW_OUTCOME_SOLVED;
  plan->paths = is_solved ? run->paths.paths : run->best.paths;
  plan->safe_until = FW_TICK_MAX;
  count_up(plan, "orders_tried", run->orders_tried);
  count_up(plan, "robots_parked", is_solved ? 0 : has_parked ? run->parked : count);
}

fw_ret_t fw__prioritized_solve(
  fw_planner_context_t * context, const fw_problem_t * problem, const fw_prioritized_options_t * options,
  fw_plan_t * plan, fw_error_t * error)
{
  run_t run = {.context = context, .options = options};
  const fw_fleet_state_t state = fw_fleet_init(&run.fleet, context, problem, error);
  if (state != FW_FLEET_READY) {
    return fw_fleet_answer(state, context, problem, plan, error);
  }
  plan->stats.lower_bound = run.fleet.lower_bound;
  if (!prepare(&run, problem) || !sort_order(&run)) {
    fw_meter_stop(context->meter, FW_STOP_MEMORY);
    return fw_fleet_answer(FW_FLEET_STOPPED, context, problem, plan, error);
  }
  search_orders(&run, plan);
  plan->stop = context->meter->stop;
  if (plan->outcome == FW_OUTCOME_SOLVED) {
    plan->stop = FW_STOP_DONE;
  }
  return FW_RET_OK;
}
