// improve: large neighbourhood search over the plan of another planner (anytime).
//
// J. Li, Z. Chen, D. Harabor, P. Stuckey, S. Koenig, Anytime Multi-Agent Path Finding via Large Neighborhood Search,
// IJCAI 2021. A few robots lose their paths (neighbourhood.h) and plan again one after another, around the paths of all
// others and of each other, with the searches of prioritized planning (`hca`). If they arrive earlier than before, or
// as early, the new paths stay; otherwise the old ones come back. So there is a whole plan at any time, and it only
// becomes better. Robots of higher priority plan first, and what they gain outweighs what those of lower priority lose.
//
// Neighbourhoods are tried in batches. Those of one batch have no robot in common and are planned side by side against
// the same plan, each thread with a reservation table of its own; then they are accepted one after another, unless
// their paths conflict with what has been accepted before them. What is tried depends on the batch and not on the
// threads, so that the plan is the same for any number of them. The clock is read between batches only.

#include <string.h>

#include "base/assert.h"
#include "base/parallel.h"
#include "fleetweave/planner_def.h"
#include "planner/improve/neighbourhood.h"
#include "planner/lacam/pibt.h"
#include "planner/prioritized/prioritized.h"
#include "spacetime/search.h"

enum {
  BATCH_MAX = 8,             // neighbourhoods
  ROBOTS_PER_BATCH = 12,     // one more neighbourhood for so many robots
  EFFORT_PER_ROBOT = 4000,   // expansions that a neighbourhood may use
  ORDERS_BEFORE_CROWD = 16,  // orders of `hca` before `lacam` is asked
};

enum { FIRST, PATIENCE, COST, DISTANCES, EXACT_MB };
typedef enum first_t { FIRST_AUTO, FIRST_HCA, FIRST_LACAM } first_t;
static const char * const first_names[] = {"auto", "hca", "lacam"};
static const char * const cost_names[] = {"off_goal", "last_arrival"};  // as of `hca`
enum { COST_OFF_GOAL, COST_LAST_ARRIVAL };

static const fw_parameter_def_t parameters[] = {
  [FIRST] =
    {.name = "first",
     .type = FW_PARAMETER_CHOICE,
     .initial = FIRST_AUTO,
     .max = FIRST_LACAM,
     .choices = first_names,
     .help = "planner of the first plan: hca, lacam, or auto: hca and, if it has no plan soon, lacam"},
  [PATIENCE] =
    {.name = "patience",
     .initial = 100,
     .max = 1000000,
     .help = "the search ends when this many neighbourhoods in a row, times the number of robots, were no better; 0: "
             "when the budget is exhausted"},
  [COST] =
    {.name = "cost",
     .type = FW_PARAMETER_CHOICE,
     .initial = COST_LAST_ARRIVAL,
     .max = COST_LAST_ARRIVAL,
     .choices = cost_names,
     .help = "what is minimised: the sum of last arrivals (last_arrival), or of ticks off the goal (off_goal): a robot "
             "may then reach its goal, step aside for another robot and come back"},
  [DISTANCES] = FW_FLEET_DISTANCES_PARAMETER,
  [EXACT_MB] = FW_FLEET_EXACT_MB_PARAMETER,
};

// What became of a neighbourhood.
typedef enum verdict_t { VERDICT_WORSE, VERDICT_EQUAL, VERDICT_BETTER } verdict_t;

// One neighbourhood of a batch.
typedef struct repair_t {
  fw_neighbourhood_t neighbourhood;
  int64_t effort;                       // expansions that it may use
  int64_t expanded;                     // and has used
  int64_t costs[FW_NEIGHBOURHOOD_MAX];  // of the new paths
  verdict_t verdict;
  bool has_failed;  // out of memory
} repair_t;

// What a thread needs for itself.
typedef struct worker_t {
  fw_reservations_t table;  // the present plan
  fw_spacetime_search_t search;
} worker_t;

typedef struct improve_t {
  fw_planner_context_t * context;
  const fw_problem_t * problem;
  fw_fleet_t fleet;
  bool is_rest_free;
  fw_path_buffers_t paths;  // the present plan
  fw_path_buffers_t fresh;  // the new paths of robots in a neighbourhood
  int64_t * costs;          // by robot: of its present path
  int64_t * least;          // by robot: no path costs less
  int64_t cost;             // of the present plan
  int64_t least_sum;
  worker_t workers[FW_PARALLEL_THREADS_MAX];
  int32_t worker_count;
  fw_neighbourhoods_t neighbourhoods;
  repair_t repairs[BATCH_MAX];
  int32_t repair_count;
  // For the statistics.
  const char * first_name;
  int64_t first_cost;
  int64_t tried;
  int64_t accepted;
  int64_t improved;
  int64_t refused;  // better, but in conflict with others of the batch
} improve_t;

// ---- costs ----------------------------------------------------------------------------------------------------------

// The cost of a path from tick `from` on, as the searches count it: each tick the cost of the cell that the robot waits
// on or moves to, until it is on its goal for good.
static int64_t cost_of(const improve_t * run, int32_t robot, const fw_path_t * path, fw_tick_t from)
{
  const fw_moves_t * moves = run->fleet.moves[robot];
  if (moves->is_uniform && !run->is_rest_free) {
    return path->length - 1 - from;
  }
  const uint8_t * cost = run->problem->grid->cost;
  int64_t sum = 0;
  for (int32_t at = from, next; at < path->length - 1; at = next) {
    for (next = at + 1; next < path->length && !fw__path_arrives(path, next); ++next) {}
    const bool is_free = run->is_rest_free && path->cells[at] == run->problem->robots[robot].goal;
    const int32_t ticks = next < path->length ? fw__path_motion_ticks(path, next, moves->body) : 0;
    const int32_t wait = next - at - ticks;
    sum += is_free || wait < 0 ? 0 : (int64_t)wait * cost[path->cells[at]];
    sum += next < path->length ? (int64_t)ticks * cost[path->cells[next]] : 0;
  }
  return sum;
}

// No path of the robot costs less: the true distance, or the straight one where distances are those over clusters.
static int64_t least_of(const improve_t * run, int32_t robot)
{
  const fw_robot_t * shape = &run->problem->robots[robot];
  const fw_distance_t * field = fw__fleet_distance(&run->fleet, robot);
  const fw_moves_t * moves = run->fleet.moves[robot];
  const int32_t node = fw__moves_node(moves, (fw_grid_pose_t){shape->start, shape->heading});
  const int32_t distance =
    field->coarse != NULL ? fw__grid_distance(run->problem->grid, run->problem->connectivity, shape->start, shape->goal)
                          : fw__distance_get(fw__fleet_distance(&run->fleet, robot), node, run->context->meter);
  return distance == FW_DISTANCE_NONE ? 0 : fw__fleet_ticks(&run->fleet, robot, distance);
}

// ---- one neighbourhood ----------------------------------------------------------------------------------------------

// The sum of costs of the robots of one priority that the new paths must not exceed.
typedef struct class_t {
  int32_t priority;
  int64_t cost_before;
  int64_t cost;    // of new paths so far
  int64_t least;   // of the robots that have none yet
  bool is_better;  // those of higher priorities are earlier than before: any cost will do
} class_t;

static class_t begin_class(const improve_t * run, const repair_t * repair, int32_t at, bool is_better)
{
  const fw_robot_t * robots = run->problem->robots;
  class_t begun = {.priority = robots[repair->neighbourhood.robots[at]].priority, .is_better = is_better};
  for (int32_t i = at; i < repair->neighbourhood.count; ++i) {
    const int32_t robot = repair->neighbourhood.robots[i];
    if (robots[robot].priority == begun.priority) {
      begun.cost_before += run->costs[robot];
      begun.least += run->least[robot];
    }
  }
  return begun;
}

// Plans a robot around all reservations, at a cost below `limit` (0: any), and reserves its path.
static bool plan_robot(improve_t * run, worker_t * worker, int32_t robot, int64_t limit, fw_meter_t * meter)
{
  const fw_robot_t * shape = &run->problem->robots[robot];
  const fw_spacetime_query_t query = {
    .table = &worker->table,
    .moves = run->fleet.moves[robot],
    .robot = robot,
    .start = shape->start,
    .heading = shape->heading,
    .now = shape->arrives,
    .horizon = FW_TICK_MAX,
    .is_rest_free = run->is_rest_free,
    .limit = limit,
    .distance = fw__fleet_distance(&run->fleet, robot),
  };
  fw_path_t path;
  fw__reservations_remove(&worker->table, robot);
  if (fw__spacetime_search_path(&worker->search, &query, meter, &path) != FW_FOUND_PATH) {
    return false;
  }
  if (
    !fw__path_buffers_set_delayed(&run->fresh, robot, 0, path) ||
    !fw__reservations_add_path(&worker->table, robot, run->fresh.paths[robot])) {
    fw__meter_stop(meter, FW_STOP_MEMORY);
    return false;
  }
  return true;
}

// Plans all robots of the neighbourhood one after another; gives up as soon as they cannot be as early as before.
static verdict_t plan_robots(improve_t * run, worker_t * worker, repair_t * repair, fw_meter_t * meter)
{
  const fw_neighbourhood_t * chosen = &repair->neighbourhood;
  class_t now = begin_class(run, repair, 0, false);
  for (int32_t i = 0; i < chosen->count; ++i) {
    const int32_t robot = chosen->robots[i];
    if (run->problem->robots[robot].priority != now.priority) {
      now = begin_class(run, repair, i, now.is_better || now.cost < now.cost_before);
    }
    now.least -= run->least[robot];
    const int64_t most = now.cost_before - now.cost - now.least;
    if (!now.is_better && most < run->least[robot]) {
      return VERDICT_WORSE;
    }
    if (!plan_robot(run, worker, robot, now.is_better ? 0 : most + 1, meter)) {
      return VERDICT_WORSE;
    }
    repair->costs[i] = cost_of(run, robot, &run->fresh.paths[robot], run->problem->robots[robot].arrives);
    now.cost += repair->costs[i];
  }
  return now.is_better || now.cost < now.cost_before ? VERDICT_BETTER
         : now.cost == now.cost_before               ? VERDICT_EQUAL
                                                     : VERDICT_WORSE;
}

// Takes the paths of the neighbourhood away; its robots stand at their starts at tick 0.
static bool remove_paths(fw_reservations_t * table, const fw_neighbourhood_t * chosen)
{
  bool is_whole = true;
  for (int32_t i = 0; i < chosen->count; ++i) {
    fw__reservations_remove(table, chosen->robots[i]);
  }
  for (int32_t i = 0; i < chosen->count; ++i) {
    is_whole = fw__reservations_add_start(table, chosen->robots[i]) && is_whole;
  }
  return is_whole;
}

// Gives each robot of the neighbourhood the path of `paths`, whatever it has reserved.
static bool put_paths(fw_reservations_t * table, const fw_neighbourhood_t * chosen, const fw_path_buffers_t * paths)
{
  bool is_whole = true;
  for (int32_t i = 0; i < chosen->count; ++i) {
    fw__reservations_remove(table, chosen->robots[i]);
  }
  for (int32_t i = 0; i < chosen->count; ++i) {
    is_whole = fw__reservations_add_path(table, chosen->robots[i], paths->paths[chosen->robots[i]]) && is_whole;
  }
  return is_whole;
}

// Plans one neighbourhood; the table is as before afterwards. Runs in any thread.
static void repair_one(int32_t index, int32_t worker_index, void * state)
{
  improve_t * run = state;
  worker_t * worker = &run->workers[worker_index];
  repair_t * repair = &run->repairs[index];
  fw_meter_t meter;
  fw__meter_start(&meter, &(fw_budget_t){.expansions_max = repair->effort});
  bool is_whole = remove_paths(&worker->table, &repair->neighbourhood);
  repair->verdict = is_whole ? plan_robots(run, worker, repair, &meter) : VERDICT_WORSE;
  is_whole = put_paths(&worker->table, &repair->neighbourhood, &run->paths) && is_whole;
  repair->expanded = meter.expanded;
  repair->has_failed = !is_whole || meter.stop == FW_STOP_MEMORY;
}

// ---- a batch --------------------------------------------------------------------------------------------------------

// Are the new paths free of conflicts with the table, from which the old ones have been removed? Reserves them.
static bool add_fresh(improve_t * run, const fw_neighbourhood_t * chosen)
{
  fw_reservations_t * table = &run->workers[0].table;
  for (int32_t i = 0; i < chosen->count; ++i) {
    const int32_t robot = chosen->robots[i];
    const fw_booking_t booking = {.path = run->fresh.paths[robot], .until = FW_TICK_MAX};
    fw__reservations_remove(table, robot);
    if (
      fw__reservations_first_conflict(table, robot, &booking) >= 0 ||
      !fw__reservations_add_path(table, robot, booking.path)) {
      return false;
    }
  }
  return true;
}

static void swap_paths(improve_t * run, int32_t robot)
{
  fw_path_buffers_t * a = &run->paths;
  fw_path_buffers_t * b = &run->fresh;
  const fw_path_t path = a->paths[robot];
  fw_cell_t * cells = a->cells[robot];
  uint8_t * headings = a->headings[robot];
  const int32_t capacity = a->capacities[robot];
  a->paths[robot] = b->paths[robot];
  a->cells[robot] = b->cells[robot];
  a->headings[robot] = b->headings[robot];
  a->capacities[robot] = b->capacities[robot];
  b->paths[robot] = path;
  b->cells[robot] = cells;
  b->headings[robot] = headings;
  b->capacities[robot] = capacity;
}

// Makes the new paths those of the plan. `is_first`: no other neighbourhood of the batch has been accepted, so that
// they have no conflict. False if there is one; has_failed if there is no memory.
static bool accept(improve_t * run, repair_t * repair, bool is_first)
{
  const fw_neighbourhood_t * chosen = &repair->neighbourhood;
  fw_reservations_t * table = &run->workers[0].table;
  if (!is_first && (!remove_paths(table, chosen) || !add_fresh(run, chosen))) {
    repair->has_failed = !put_paths(table, chosen, &run->paths);
    return false;
  }
  for (int32_t w = is_first ? 0 : 1; w < run->worker_count; ++w) {
    repair->has_failed = !put_paths(&run->workers[w].table, chosen, &run->fresh) || repair->has_failed;
  }
  for (int32_t i = 0; i < chosen->count; ++i) {
    const int32_t robot = chosen->robots[i];
    swap_paths(run, robot);
    run->cost += repair->costs[i] - run->costs[robot];
    run->costs[robot] = repair->costs[i];
  }
  return true;
}

// Expansions for each neighbourhood of the next batch: no more than are left of the budget, as fast as they have been.
static int64_t effort_per_neighbourhood(const improve_t * run, int32_t count)
{
  const fw_meter_t * meter = run->context->meter;
  int64_t most = fw__meter_left(meter) / count;
  if (meter->budget.deadline_ns > 0) {
    const int64_t now_ns = fw__meter_now_ns(meter);
    const int64_t left_ns = meter->budget.deadline_ns - now_ns;
    const int64_t ns_each = (now_ns - meter->begin_ns) / (meter->expanded + 1) + 1;
    const int64_t in_time = left_ns / ns_each / count;
    most = in_time < most ? in_time : most;
  }
  return most > 1 ? most : 1;
}

// Draws the neighbourhoods of a batch.
static void draw_batch(improve_t * run)
{
  const int32_t wanted = 1 + run->problem->robot_count / ROBOTS_PER_BATCH;
  const int32_t count = wanted < BATCH_MAX ? wanted : BATCH_MAX;
  const int64_t most = effort_per_neighbourhood(run, count);
  fw__neighbourhoods_begin(&run->neighbourhoods);
  run->repair_count = 0;
  for (int32_t i = 0; i < count; ++i) {
    repair_t * repair = &run->repairs[run->repair_count];
    if (fw__neighbourhoods_draw(&run->neighbourhoods, &repair->neighbourhood)) {
      const int64_t effort = (int64_t)EFFORT_PER_ROBOT * repair->neighbourhood.count;
      repair->effort = effort < most ? effort : most;
      ++run->repair_count;
    } else {
      fw__neighbourhoods_note(&run->neighbourhoods, repair->neighbourhood.arm, 0, repair->neighbourhood.expanded);
    }
  }
}

// Accepts what is better or as good. True if the plan has become better; false also when there is no memory.
static bool end_batch(improve_t * run)
{
  bool is_first = true, is_better = false;
  for (int32_t i = 0; i < run->repair_count; ++i) {
    repair_t * repair = &run->repairs[i];
    const int64_t cost = run->cost;
    bool is_accepted = false;
    if (repair->verdict != VERDICT_WORSE && !repair->has_failed) {
      is_accepted = accept(run, repair, is_first);
      run->refused += is_accepted || repair->verdict == VERDICT_EQUAL ? 0 : 1;
      is_first = is_first && !is_accepted;
    }
    if (repair->has_failed) {
      fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
      return false;
    }
    const bool is_gain = is_accepted && repair->verdict == VERDICT_BETTER;
    is_better = is_better || is_gain;
    run->accepted += is_accepted ? 1 : 0;
    run->improved += is_gain ? 1 : 0;
    const int64_t gain = is_gain ? (cost > run->cost ? cost - run->cost : 1) : 0;
    fw__neighbourhoods_note(
      &run->neighbourhoods, repair->neighbourhood.arm, gain, repair->expanded + repair->neighbourhood.expanded);
  }
  return is_better;
}

// Batch after batch until the budget is exhausted, nothing can be gained any more, or nothing has been for long.
static void search(improve_t * run)
{
  fw_meter_t * meter = run->context->meter;
  fw_arena_t * arena = run->context->scratch;
  pthread_mutex_t mutex;
  const bool has_mutex = pthread_mutex_init(&mutex, NULL) == 0;
  const int64_t patience = run->context->parameters[PATIENCE] * run->problem->robot_count;
  int64_t last_gain = 0;
  (void)fw__meter_check(meter);
  while (!fw__meter_has_stopped(meter) && run->cost > run->least_sum &&
         (patience == 0 || run->tried - last_gain < patience)) {
    draw_batch(run);
    if (has_mutex && run->worker_count > 1) {
      arena->mutex = &mutex;
      fw__parallel_for(run->repair_count, run->worker_count, repair_one, run);
      arena->mutex = NULL;
    } else {
      fw__parallel_for(run->repair_count, 1, repair_one, run);
    }
    int64_t expanded = 1;
    for (int32_t i = 0; i < run->repair_count; ++i) {
      expanded += run->repairs[i].expanded;
    }
    run->tried += run->repair_count > 0 ? run->repair_count : 1;
    last_gain = end_batch(run) ? run->tried : last_gain;
    (void)fw__meter_add(meter, expanded);
    (void)fw__meter_check(meter);
  }
  for (int32_t w = 0; w < run->worker_count; ++w) {
    FW_ASSERT(run->workers[w].table.has_failed || fw__reservations_validate(&run->workers[w].table));
  }
  if (has_mutex) {
    (void)pthread_mutex_destroy(&mutex);
  }
}

// ---- the first plan -------------------------------------------------------------------------------------------------

// A part of what is left of the budget, in eighths.
static fw_budget_t part_of_budget(const fw_meter_t * meter, int32_t eighths)
{
  fw_budget_t budget = meter->budget;
  if (budget.expansions_max > 0 && eighths < 8) {
    budget.expansions_max = fw__meter_left(meter) / 8 * eighths + 1;
  } else if (budget.expansions_max > 0) {
    budget.expansions_max = fw__meter_left(meter);
  }
  if (budget.deadline_ns > 0 && eighths < 8) {
    const int64_t now_ns = fw__meter_now_ns(meter);
    budget.deadline_ns = now_ns + (budget.deadline_ns - now_ns) / 8 * eighths;
  }
  return budget;
}

// The whole budget has been used by another planner, or its memory, or it was cancelled: that is the end here, too.
static void count_other(fw_meter_t * meter, const fw_meter_t * other)
{
  (void)fw__meter_add(meter, other->expanded);
  if (other->stop == FW_STOP_CANCELLED || other->stop == FW_STOP_MEMORY) {
    fw__meter_stop(meter, other->stop);
  }
  (void)fw__meter_check(meter);
}

static fw_ret_t plan_by_hca(improve_t * run, int32_t eighths, fw_plan_t * plan, fw_error_t * error)
{
  int64_t values[FW_PRIORITIZED_SHARED + FW_PRIORITIZED_DISTANCES];
  for (int32_t i = 0; i < FW_PRIORITIZED_SHARED + FW_PRIORITIZED_DISTANCES; ++i) {
    values[i] = fw__prioritized_parameters[FW_PRIORITIZED_OWN + i].initial;
  }
  fw_meter_t meter;
  fw_planner_context_t context = *run->context;
  const fw_budget_t budget = part_of_budget(run->context->meter, eighths);
  fw__meter_start(&meter, &budget);
  context.meter = &meter;
  fw_prioritized_request_t request = {
    .context = &context, .problem = run->problem, .options = fw__prioritized_options(values), .fleet = &run->fleet};
  request.options.has_true_distance = true;
  request.options.is_rest_free = run->is_rest_free;
  request.options.orders_max = eighths < 8 ? ORDERS_BEFORE_CROWD : request.options.orders_max;
  const fw_ret_t ret = fw__prioritized_solve(&request, plan, error);
  count_other(run->context->meter, &meter);
  run->first_name = "hca";
  return ret;
}

static bool is_for_lacam(const fw_problem_t * problem)
{
  return fw__pibt_check_bodies(problem, NULL) == FW_RET_OK && !fw_grid_has_rules(problem->grid);
}

extern const fw_planner_def_t fw__planner_lacam;

static fw_ret_t plan_by_lacam(improve_t * run, fw_plan_t * plan, fw_error_t * error)
{
  int64_t values[FW_PARAMETERS_MAX];
  for (int32_t i = 0; i < fw__planner_lacam.parameter_count; ++i) {
    values[i] = fw__planner_lacam.parameters[i].initial;
  }
  fw_meter_t meter;
  fw_planner_context_t context = *run->context;
  const fw_budget_t budget = part_of_budget(run->context->meter, 8);
  fw__meter_start(&meter, &budget);
  context.meter = &meter;
  context.parameters = values;
  const fw_ret_t ret = fw__planner_lacam.solve(&context, run->problem, plan, error);
  count_other(run->context->meter, &meter);
  run->first_name = "lacam";
  return ret;
}

// Fills the plan with the first one, whatever its outcome.
static fw_ret_t make_first(improve_t * run, fw_plan_t * plan, fw_error_t * error)
{
  const first_t first = (first_t)run->context->parameters[FIRST];
  const int64_t start_ns = run->context->meter->start_ns;
  const bool has_lacam = first != FIRST_HCA && is_for_lacam(run->problem);
  fw_ret_t ret = FW_RET_OK;
  if (first == FIRST_LACAM) {
    ret = plan_by_lacam(run, plan, error);
  } else {
    ret = plan_by_hca(run, has_lacam ? 4 : 8, plan, error);
  }
  if (
    ret == FW_RET_OK && first == FIRST_AUTO && has_lacam && plan->outcome == FW_OUTCOME_PARTIAL &&
    !fw__meter_has_stopped(run->context->meter)) {
    fw_plan_t other = {0};
    fw_error_t other_error = {.robot = -1, .cell = FW_CELL_NONE};
    if (plan_by_lacam(run, &other, &other_error) == FW_RET_OK && other.outcome != FW_OUTCOME_PARTIAL) {
      *plan = other;
      *error = other_error;
    }
  }
  plan->stats = (fw_stats_t){.lower_bound = run->fleet.lower_bound};
  if (ret == FW_RET_OK && plan->outcome == FW_OUTCOME_SOLVED) {
    plan->stats.first_plan_ns = fw_clock_now_ns() - start_ns;
  }
  return ret;
}

// ---- the plan -------------------------------------------------------------------------------------------------------

// Takes over the first plan. False when there is no memory, or the budget is exhausted.
static bool prepare(improve_t * run, const fw_plan_t * first)
{
  fw_arena_t * arena = run->context->scratch;
  const size_t count = (size_t)run->problem->robot_count;
  run->costs = fw__arena_allocate(arena, count, sizeof(*run->costs));
  run->least = fw__arena_allocate(arena, count, sizeof(*run->least));
  if (
    run->costs == NULL || run->least == NULL || !fw__path_buffers_init(&run->paths, arena, run->problem) ||
    !fw__path_buffers_init(&run->fresh, arena, run->problem)) {
    return false;
  }
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    if (!fw__path_buffers_set(&run->paths, r, first->paths[r])) {
      return false;
    }
    run->costs[r] = cost_of(run, r, &run->paths.paths[r], run->problem->robots[r].arrives);
    run->least[r] = least_of(run, r);
    run->cost += run->costs[r];
    run->least_sum += run->least[r];
  }
  run->first_cost = run->cost;
  const int32_t threads = run->context->threads < BATCH_MAX ? run->context->threads : BATCH_MAX;
  run->worker_count = run->fleet.clusters != NULL ? 1 : threads;  // robots share distances over clusters
  for (int32_t w = 0; w < run->worker_count; ++w) {
    worker_t * worker = &run->workers[w];
    fw__spacetime_search_init(&worker->search, arena);
    if (!fw__reservations_init(&worker->table, arena, run->fleet.places, &run->fleet.bodies)) {
      return false;
    }
    for (int32_t r = 0; r < run->problem->robot_count; ++r) {
      if (!fw__reservations_add_path(&worker->table, r, run->paths.paths[r])) {
        return false;
      }
    }
  }
  const fw_neighbourhood_plan_t plan = {
    .fleet = &run->fleet,
    .table = &run->workers[0].table,
    .paths = run->paths.paths,
    .costs = run->costs,
    .least = run->least,
    .meter = run->context->meter,
  };
  return fw__neighbourhoods_init(&run->neighbourhoods, arena, &plan, run->context->seed);
}

static void answer(const improve_t * run, fw_plan_t * plan)
{
  fw__plan_count(plan, "first_plan_lacam", strcmp(run->first_name, "lacam") == 0);
  fw__plan_count(plan, "first_cost", run->first_cost);
  fw__plan_count(plan, "cost", run->cost);
  fw__plan_count(plan, "neighbourhoods", run->tried);
  fw__plan_count(plan, "accepted", run->accepted);
  fw__plan_count(plan, "improved", run->improved);
  fw__plan_count(plan, "refused", run->refused);
}

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  improve_t * run = fw__arena_allocate_zeroed(context->scratch, 1, sizeof(*run));
  if (run == NULL) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return fw__plan_wait_all(context, problem, plan, error);
  }
  run->context = context;
  run->problem = problem;
  run->is_rest_free = context->parameters[COST] == COST_OFF_GOAL;
  run->fleet.options = (fw_fleet_options_t){
    .distances = (int32_t)context->parameters[DISTANCES], .exact_mb = (int32_t)context->parameters[EXACT_MB]};
  switch (fw__fleet_init(&run->fleet, context, problem, error)) {
    case FW_FLEET_UNREACHABLE:
      return fw__plan_unsolvable(context, problem, plan, error);
    case FW_FLEET_STOPPED:
      return fw__plan_wait_all(context, problem, plan, error);
    case FW_FLEET_READY:
      break;
  }
  const fw_ret_t ret = make_first(run, plan, error);
  if (ret != FW_RET_OK || plan->outcome != FW_OUTCOME_SOLVED) {
    plan->stop = plan->outcome == FW_OUTCOME_PARTIAL ? context->meter->stop : FW_STOP_DONE;
    return ret;
  }
  if (prepare(run, plan)) {
    search(run);
    plan->paths = run->paths.paths;
    plan->groups = NULL;
  } else {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
  }
  plan->stop = context->meter->stop;
  answer(run, plan);
  return FW_RET_OK;
}

const fw_planner_def_t fw__planner_improve = {
  .name = "improve",
  .summary =
    "large neighbourhood search: a few robots at a time plan again, and keep what is better, until the time is "
    "over; the first plan is that of hca or lacam",
  .paper =
    "J. Li, Z. Chen, D. Harabor, P. Stuckey, S. Koenig, Anytime Multi-Agent Path Finding via Large Neighborhood "
    "Search, IJCAI 2021",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .is_anytime = true,
  .may_delay_first = true,
  .has_rules = true,
  .solve = solve,
};
