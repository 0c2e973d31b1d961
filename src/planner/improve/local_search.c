// Large neighbourhood search: see local_search.h.
//
// Neighbourhoods are tried in batches. Those of one batch have no robot in common and are planned side by side against
// the same plan, each thread with a reservation table of its own; then they are accepted one after another, unless
// their paths conflict with what has been accepted before them. What is tried depends on the batch and not on the
// threads, so that the plan is the same for any number of them. The clock is read between batches only.

#include "planner/improve/local_search.h"

#include "base/assert.h"
#include "base/parallel.h"
#include "planner/improve/neighbourhood.h"
#include "spacetime/search.h"

enum {
  BATCH_MAX = 8,            // neighbourhoods
  ROBOTS_PER_BATCH = 12,    // one more neighbourhood for so many robots
  EFFORT_PER_ROBOT = 4000,  // expansions that a neighbourhood may use
  FIRST_HALF = 2000,        // expansions for each robot of the fleet before the gain is looked at
  NEAR_PERCENT = 5,         // a plan is near the least cost if it is this little above it
  FAR_FACTOR = 10,          // the first half of a plan that is not
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
  const fw_local_search_request_t * request;
  fw_planner_context_t * context;
  const fw_problem_t * problem;
  fw_fleet_t fleet;
  bool is_rest_free;
  fw_path_buffers_t paths;  // the present plan
  fw_path_buffers_t fresh;  // the new paths of robots in a neighbourhood
  int64_t * costs;          // by robot: of its present path
  int64_t * least;          // by robot: no path costs less
  int64_t least_sum;
  worker_t workers[FW_PARALLEL_THREADS_MAX];
  int32_t worker_count;
  fw_neighbourhoods_t neighbourhoods;
  repair_t repairs[BATCH_MAX];
  int32_t repair_count;
  fw_local_search_t * found;
} improve_t;

// ---- costs ----------------------------------------------------------------------------------------------------------

// From tick `from` on, as the searches count it.
static int64_t path_cost(const fw_fleet_t * fleet, int32_t robot, const fw_path_t * path, bool is_rest_free)
{
  const fw_problem_t * problem = fleet->problem;
  const fw_moves_t * moves = fleet->moves[robot];
  const fw_tick_t from = problem->robots[robot].arrives;
  if (moves->is_uniform && !is_rest_free) {
    return path->length - 1 - from;
  }
  const uint8_t * cost = problem->grid->cost;
  int64_t sum = 0;
  for (int32_t at = from, next; at < path->length - 1; at = next) {
    for (next = at + 1; next < path->length && !fw__path_arrives(path, next); ++next) {}
    const bool is_free = is_rest_free && path->cells[at] == problem->robots[robot].goal;
    const int32_t ticks = next < path->length ? fw__path_motion_ticks(path, next, fleet->bodies.of[robot]) : 0;
    const int32_t wait = next - at - ticks;
    sum += is_free || wait < 0 ? 0 : (int64_t)wait * cost[path->cells[at]];
    sum += next < path->length ? (int64_t)ticks * cost[path->cells[next]] : 0;
  }
  return sum;
}

int64_t fw__local_search_cost(const fw_fleet_t * fleet, const fw_path_t * paths, bool is_rest_free)
{
  int64_t sum = 0;
  for (int32_t r = 0; r < fleet->problem->robot_count; ++r) {
    sum += path_cost(fleet, r, &paths[r], is_rest_free);
  }
  return sum;
}

static int64_t cost_of(const improve_t * run, int32_t robot, const fw_path_t * path)
{
  return path_cost(&run->fleet, robot, path, run->is_rest_free);
}

// No path of the robot costs less: the true distance, or the straight one where distances are those over clusters.
static int64_t least_of(fw_fleet_t * fleet, int32_t robot, fw_meter_t * meter)
{
  const fw_robot_t * shape = &fleet->problem->robots[robot];
  const fw_moves_t * moves = fleet->moves[robot];
  if (fleet->is_in_turn && moves->move_span == 1) {
    return fw__fleet_ticks(fleet, robot, fleet->lengths[robot]);  // the distances may have been dropped
  }
  if (!fw__fleet_take_distance(fleet, robot)) {
    fw__meter_stop(meter, FW_STOP_MEMORY);
    return 0;
  }
  fw_distance_t * field = fw__fleet_distance(fleet, robot);
  const int32_t node = fw__moves_node(moves, (fw_grid_pose_t){shape->start, shape->heading});
  const int32_t distance =
    field->coarse != NULL
      ? fw__grid_distance(fleet->problem->grid, fleet->problem->connectivity, shape->start, shape->goal)
      : fw__distance_get(field, node, meter);
  fw__fleet_leave_distance(fleet, robot);
  return distance == FW_DISTANCE_NONE ? 0 : fw__fleet_ticks(fleet, robot, distance);
}

int64_t fw__local_search_least(fw_fleet_t * fleet, fw_meter_t * meter)
{
  int64_t sum = 0;
  for (int32_t r = 0; r < fleet->problem->robot_count; ++r) {
    sum += least_of(fleet, r, meter);
  }
  return sum;
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
    repair->costs[i] = cost_of(run, robot, &run->fresh.paths[robot]);
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
    run->found->cost += repair->costs[i] - run->costs[robot];
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
    const int64_t cost = run->found->cost;
    bool is_accepted = false;
    if (repair->verdict != VERDICT_WORSE && !repair->has_failed) {
      is_accepted = accept(run, repair, is_first);
      run->found->refused += is_accepted || repair->verdict == VERDICT_EQUAL ? 0 : 1;
      is_first = is_first && !is_accepted;
    }
    if (repair->has_failed) {
      fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
      return false;
    }
    const bool is_gain = is_accepted && repair->verdict == VERDICT_BETTER;
    is_better = is_better || is_gain;
    run->found->accepted += is_accepted ? 1 : 0;
    run->found->improved += is_gain ? 1 : 0;
    const int64_t gain = is_gain ? (cost > run->found->cost ? cost - run->found->cost : 1) : 0;
    fw__neighbourhoods_note(
      &run->neighbourhoods, repair->neighbourhood.arm, gain, repair->expanded + repair->neighbourhood.expanded);
  }
  return is_better;
}

// What has been gained, in halves: whenever as much has been expanded again as in all before, the gain of that second
// half decides whether as much again is worth it.
typedef struct halves_t {
  int64_t begun;  // expansions before the search
  int64_t until;  // of the search, up to the end of the half
  int64_t cost;   // at its beginning
} halves_t;

// A plan that is near the least cost can gain little. One that is far from it may gain little at first: the rules need
// some time to find out what helps, and a robot in a crowd is only faster when others are.
static int64_t first_half(const improve_t * run)
{
  const bool is_near = (run->found->cost - run->least_sum) * 100 <= NEAR_PERCENT * run->least_sum;
  return (int64_t)FIRST_HALF * run->problem->robot_count * (is_near ? 1 : FAR_FACTOR);
}

// True if the half has ended and has gained too little.
static bool has_converged(const improve_t * run, halves_t * half)
{
  if (run->request->least_gain == 0 || run->context->meter->expanded - half->begun < half->until) {
    return false;
  }
  const int64_t gain = half->cost - run->found->cost;
  const bool is_little = gain * 1000 < run->request->least_gain * half->cost;
  half->until *= 2;
  half->cost = run->found->cost;
  return is_little;
}

// Batch after batch until the budget is exhausted, nothing can be gained any more, or nothing has been for long.
static void search(improve_t * run)
{
  fw_meter_t * meter = run->context->meter;
  fw_arena_t * arena = run->context->scratch;
  pthread_mutex_t mutex;
  const bool has_mutex = pthread_mutex_init(&mutex, NULL) == 0;
  const int64_t patience = run->request->patience * run->problem->robot_count;
  int64_t last_gain = 0;
  halves_t half = {meter->expanded, first_half(run), run->found->cost};
  (void)fw__meter_check(meter);
  while (!fw__meter_has_stopped(meter) && run->found->cost > run->least_sum &&
         (patience == 0 || run->found->tried - last_gain < patience) && !has_converged(run, &half)) {
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
    run->found->tried += run->repair_count > 0 ? run->repair_count : 1;
    last_gain = end_batch(run) ? run->found->tried : last_gain;
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

// ---- the plan -------------------------------------------------------------------------------------------------------

// Takes over the plan. False when there is no memory, or the budget is exhausted.
static bool prepare(improve_t * run)
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
    if (!fw__path_buffers_set(&run->paths, r, run->request->paths[r])) {
      return false;
    }
    run->costs[r] = cost_of(run, r, &run->paths.paths[r]);
    run->least[r] = least_of(&run->fleet, r, run->context->meter);
    run->found->cost += run->costs[r];
    run->least_sum += run->least[r];
  }
  run->found->first_cost = run->found->cost;
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

bool fw__local_search_run(const fw_local_search_request_t * request, fw_local_search_t * found)
{
  *found = (fw_local_search_t){.paths = request->paths};
  improve_t * run = fw__arena_allocate_zeroed(request->context->scratch, 1, sizeof(*run));
  if (run == NULL) {
    fw__meter_stop(request->context->meter, FW_STOP_MEMORY);
    return false;
  }
  run->request = request;
  run->context = request->context;
  run->problem = request->fleet->problem;
  run->fleet = *request->fleet;
  run->is_rest_free = request->is_rest_free;
  run->found = found;
  FW_ASSERT(!run->fleet.is_in_turn);
  if (!prepare(run)) {
    fw__meter_stop(request->context->meter, FW_STOP_MEMORY);
    return false;
  }
  search(run);
  found->paths = run->paths.paths;
  found->least = run->least_sum;
  return true;
}
