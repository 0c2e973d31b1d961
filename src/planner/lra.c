// lra: Local Repair A*, the baseline that Silver 2006 measures cooperative pathfinding against.
//
// Each robot finds its way alone and follows it, blind to all but those it would run into with its next step. Then it
// repairs: it finds another way around them, and gets more agitated each time, which is noise on its estimate that in
// the end breaks up deadlocks. Nothing makes sure that it does: crowds may never get through.
//
// What is returned holds all the same. Everybody's booking in the reservation table has the past that still counts,
// the move under way and, for ever, the place where that ends: to wait is always possible, and no step that the table
// allows runs into anybody, whoever has chosen first. But for places that close: there the booking ends before, the
// robot flees to any place next to it, and if it cannot the answer ends.

#include "base/rng.h"
#include "planner/order.h"
#include "planner/registry.h"
#include "spacetime/reservations.h"
#include "world/closures.h"

enum { TICKS, AGITATION };

static const fw_parameter_def_t parameters[] = {
  [TICKS] =
    {.name = "ticks", .initial = 2000, .min = 1, .max = 10000000, .help = "give up when this many ticks have passed"},
  [AGITATION] =
    {.name = "agitation_max",
     .initial = 128,
     .max = 1000,
     .help = "each new way adds 1 to a robot's agitation up to this; its estimates err by up to as many moves"},
};

typedef struct list_t {
  int32_t * items;
  int32_t count;
  int32_t capacity;
} list_t;

typedef struct walker_t {
  list_t places;  // by tick: the robot's cell, to the present or the end of the move under way
  list_t route;   // nodes that are left, the goal first and the next one last
  int32_t agitation;
} walker_t;

typedef struct node_t {
  uint32_t seen;     // number of the search that has been here
  uint32_t touched;  // number of the search for which this cell is somebody's in contact
  int32_t g;
  int32_t parent;  // -1 for a first step
  bool is_closed;
} node_t;

// Which others a search sees.
typedef enum view_t {
  VIEW_NOBODY,
  VIEW_STEP,     // only which first steps they leave
  VIEW_ASIDE,    // and of these not the one straight back, where whoever is in the way may well want to go too
  VIEW_CONTACT,  // which first steps they leave, and their cells next to the robot are closed for the whole way
} view_t;

typedef struct run_t {
  fw_planner_context_t * context;
  const fw_problem_t * problem;
  fw_fleet_t * fleet;
  fw_order_t order;
  fw_reservations_t table;
  fw_rng_t rng;
  fw_tick_t now;
  fw_tick_t goals_open_from;  // from then on no goal is closed any more
  walker_t * walkers;         // by robot
  int32_t * pending;          // robots that have not chosen their next step
  node_t * nodes;             // of the present search
  uint32_t search;            // its number
  fw_buckets_t open;
  int64_t reroutes;  // tried; a robot that is shut in tries in vain
  int64_t retreats;  // of these, aside or back
  int64_t waits;
} run_t;

static bool has_stopped(const run_t * run) { return fw_meter_has_stopped(run->context->meter); }

static bool push(run_t * run, list_t * list, int32_t item)
{
  if (list->count == list->capacity) {
    int32_t * items =
      fw_arena_grow(run->context->scratch, list->items, (size_t)list->count, sizeof(*items), &list->capacity);
    if (items == NULL) {
      fw_meter_stop(run->context->meter, FW_STOP_MEMORY);
      return false;
    }
    list->items = items;
  }
  list->items[list->count++] = item;
  return true;
}

static int32_t last(const list_t * list) { return list->items[list->count - 1]; }

// ---- steps ----------------------------------------------------------------------------------------------------------

// The path is borrowed from the walker's places: when they move to a larger array, the old one stays as it was.
static void book(run_t * run, int32_t robot)
{
  const list_t * places = &run->walkers[robot].places;
  // Cells stay reserved for the robust ticks, and a slow move is known by its arrival.
  const fw_tick_t past = run->now - run->problem->robust_ticks - FW_TICKS_PER_MOVE_MAX;
  const fw_tick_t from = past > 0 ? past : 0;
  const fw_booking_t booking = {
    .path = {.cells = places->items + from, .length = places->count - from},
    .from = from,
    .until = fw__closures_open_until(run->problem, robot, last(places), places->count - 1),
  };
  fw_reservations_remove(&run->table, robot);
  if (!fw_reservations_book(&run->table, robot, booking)) {
    fw_meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
}

static void wait(run_t * run, int32_t robot)
{
  list_t * places = &run->walkers[robot].places;
  (void)push(run, places, last(places));
}

static fw_step_t step_to(const run_t * run, int32_t robot, int32_t node)
{
  return (fw_step_t){
    .robot = robot,
    .from = last(&run->walkers[robot].places),
    .to = run->fleet->moves[robot]->cell_of[node],
    .depart = run->now,
  };
}

// Makes a step, if nobody is in the way.
static bool try_step(run_t * run, int32_t robot, int32_t node)
{
  walker_t * walker = &run->walkers[robot];
  const fw_step_t step = step_to(run, robot, node);
  if (!fw_reservations_allow(&run->table, &step)) {
    return false;
  }
  bool is_noted = true;
  for (int32_t i = 1; i <= run->problem->robots[robot].ticks_per_move && is_noted; ++i) {
    is_noted = push(run, &walker->places, i < run->problem->robots[robot].ticks_per_move ? step.from : step.to);
  }
  if (is_noted) {
    book(run, robot);
  }
  return true;
}

// The next step of the route. Whoever is not on the goal has a route.
static bool follow(run_t * run, int32_t robot)
{
  list_t * route = &run->walkers[robot].route;
  if (fw_meter_add(run->context->meter, 1) || !try_step(run, robot, last(route))) {
    return false;
  }
  route->count -= has_stopped(run) ? 0 : 1;
  return true;
}

// ---- routes ---------------------------------------------------------------------------------------------------------

static int32_t footprint_node(const run_t * run, int32_t robot, fw_cell_t place, int32_t index)
{
  const fw_offset_t offset = run->problem->robots[robot].footprint[index];
  return run->fleet->places->node_of[place + offset.dy * run->problem->grid->width + offset.dx];
}

// Marks the cells that others have at a place next to the robot.
static void touch(run_t * run, int32_t robot, fw_cell_t place)
{
  for (int32_t i = 0; i < run->problem->robots[robot].footprint_count; ++i) {
    const int32_t node = footprint_node(run, robot, place, i);
    const int32_t owner = fw_reservations_owner(&run->table, node, run->now + 1);
    if (owner >= 0 && owner != robot) {
      run->nodes[node].touched = run->search;
    }
  }
}

static bool is_touched(const run_t * run, int32_t robot, fw_cell_t place)
{
  for (int32_t i = 0; i < run->problem->robots[robot].footprint_count; ++i) {
    if (run->nodes[footprint_node(run, robot, place, i)].touched == run->search) {
      return true;
    }
  }
  return false;
}

static void offer(run_t * run, int32_t robot, int32_t at, int32_t parent)
{
  fw_distance_t * distance = &run->fleet->distances[robot];
  const int32_t cost = distance->is_weighted ? fw_moves_cost(distance->moves, at) : 1;
  const int32_t g = (parent >= 0 ? run->nodes[parent].g : 0) + cost;
  node_t * node = &run->nodes[at];
  if (node->seen == run->search && (node->is_closed || node->g <= g)) {
    return;
  }
  node->seen = run->search;
  node->is_closed = false;
  node->g = g;
  node->parent = parent;
  const int32_t h = fw_distance_get(distance, at, run->context->meter);
  if (has_stopped(run)) {
    return;
  }
  const int32_t noise = fw_rng_below(&run->rng, run->walkers[robot].agitation + 1);
  if (!fw_buckets_push(&run->open, (int64_t)g + h + noise, at, g)) {
    fw_meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
}

// The first steps there are. The place where the robot stands is not part of the search: it may come back to it.
static void begin_search(run_t * run, int32_t robot, view_t view)
{
  const fw_moves_t * moves = run->fleet->moves[robot];
  const int32_t * next = fw_moves_of(moves, moves->node_of[last(&run->walkers[robot].places)]);
  const int32_t wanted = view == VIEW_ASIDE ? last(&run->walkers[robot].route) : -1;
  ++run->search;
  fw_buckets_clear(&run->open);
  for (int32_t d = 0; d < moves->degree; ++d) {
    if (next[d] < 0 || (wanted >= 0 && next[d ^ 2] == wanted)) {  // d ^ 2 is the opposite direction
      continue;
    }
    const fw_step_t step = step_to(run, robot, next[d]);
    if (view == VIEW_NOBODY || fw_reservations_allow(&run->table, &step)) {
      offer(run, robot, next[d], -1);
    }
    if (view == VIEW_CONTACT) {
      touch(run, robot, step.to);
    }
  }
}

static bool take_route(run_t * run, int32_t robot, int32_t goal)
{
  list_t * route = &run->walkers[robot].route;
  route->count = 0;
  for (int32_t node = goal; node >= 0; node = run->nodes[node].parent) {
    if (!push(run, route, node)) {
      return false;
    }
  }
  return true;
}

// False: there is no such route and the old one stays, or the meter has stopped it.
static bool find_route(run_t * run, int32_t robot, view_t view)
{
  const fw_moves_t * moves = run->fleet->moves[robot];
  const int32_t goal = moves->node_of[run->problem->robots[robot].goal];
  begin_search(run, robot, view);
  if (view == VIEW_CONTACT && is_touched(run, robot, moves->cell_of[goal])) {
    return false;
  }
  int32_t at, g;
  int64_t key;
  while (!has_stopped(run) && fw_buckets_pop(&run->open, &at, &g, &key)) {
    if (at == goal) {
      return take_route(run, robot, goal);
    }
    if (run->nodes[at].is_closed) {
      continue;  // with noise a place may be closed before its shortest way is known: that is what noise is for
    }
    run->nodes[at].is_closed = true;
    (void)fw_meter_add(run->context->meter, 1);
    const int32_t * next = fw_moves_of(moves, at);
    for (int32_t d = 0; d < moves->degree && !has_stopped(run); ++d) {
      if (next[d] >= 0 && (view != VIEW_CONTACT || !is_touched(run, robot, moves->cell_of[next[d]]))) {
        offer(run, robot, next[d], at);
      }
    }
  }
  return false;
}

// ---- repair ---------------------------------------------------------------------------------------------------------

static bool overlap(const run_t * run, int32_t a, fw_cell_t place_a, int32_t b, fw_cell_t place_b)
{
  for (int32_t i = 0; i < run->problem->robots[a].footprint_count; ++i) {
    for (int32_t j = 0; j < run->problem->robots[b].footprint_count; ++j) {
      if (footprint_node(run, a, place_a, i) == footprint_node(run, b, place_b, j)) {
        return true;
      }
    }
  }
  return false;
}

static bool is_closed_for_ever(const run_t * run, int32_t robot, fw_cell_t place)
{
  for (int32_t i = 0; i < run->problem->robots[robot].footprint_count; ++i) {
    const int32_t node = footprint_node(run, robot, place, i);
    if (fw_reservations_owner(&run->table, node, FW_TICK_MAX) == run->table.robot_count) {
      return true;
    }
  }
  return false;
}

// Is everybody in the way about to be gone? Then a wait is better than another way.
static bool clears_by_itself(const run_t * run, int32_t robot)
{
  const fw_step_t step = step_to(run, robot, last(&run->walkers[robot].route));
  fw_met_t met = {.limit = FW_MET_MAX};
  fw_reservations_meet(&run->table, &step, &met);
  for (int32_t i = 0; i < met.count; ++i) {
    const int32_t other = met.robots[i];
    if (!fw_reservations_is_robot(&run->table, other)) {
      if (is_closed_for_ever(run, robot, step.to)) {
        return false;
      }
      continue;  // a door: it opens
    }
    if (overlap(run, robot, step.to, other, last(&run->walkers[other].places))) {
      return false;
    }
  }
  return true;
}

// Another way around those in contact. Where there is none: a step aside or else back, and from there as if alone.
static bool reroute(run_t * run, int32_t robot)
{
  walker_t * walker = &run->walkers[robot];
  walker->agitation += walker->agitation < run->context->parameters[AGITATION] ? 1 : 0;
  ++run->reroutes;
  if (find_route(run, robot, VIEW_CONTACT)) {
    return true;
  }
  const bool is_retreating = (!has_stopped(run) && find_route(run, robot, VIEW_ASIDE)) ||
                             (!has_stopped(run) && find_route(run, robot, VIEW_STEP));
  run->retreats += is_retreating ? 1 : 0;
  return is_retreating;
}

// Will the robot's place close before it could leave it in the tick after?
static bool has_to_leave(const run_t * run, int32_t robot)
{
  const fw_cell_t place = last(&run->walkers[robot].places);
  const fw_tick_t latest = run->now + run->problem->robots[robot].ticks_per_move;
  return fw__closures_next(run->problem, robot, place, run->now + 1) <= latest;
}

// A step to any place next to it, and from there as if alone.
static bool flee(run_t * run, int32_t robot)
{
  const fw_moves_t * moves = run->fleet->moves[robot];
  const int32_t * next = fw_moves_of(moves, moves->node_of[last(&run->walkers[robot].places)]);
  for (int32_t d = 0; d < moves->degree; ++d) {
    if (next[d] >= 0 && try_step(run, robot, next[d])) {
      run->walkers[robot].route.count = 0;
      return last(&run->walkers[robot].places) == run->problem->robots[robot].goal ||
             find_route(run, robot, VIEW_NOBODY) || has_stopped(run);
    }
  }
  return false;
}

static void repair(run_t * run, int32_t robot)
{
  if (last(&run->walkers[robot].places) == run->problem->robots[robot].goal) {
    if (!flee(run, robot) && !has_stopped(run)) {
      wait(run, robot);
    }
    return;
  }
  if (follow(run, robot) || has_stopped(run)) {
    return;  // one who was repaired before has made room
  }
  if (has_to_leave(run, robot) && flee(run, robot)) {
    return;
  }
  if (!clears_by_itself(run, robot) && reroute(run, robot) && follow(run, robot)) {
    return;
  }
  if (!has_stopped(run)) {
    ++run->waits;
    wait(run, robot);
  }
}

// ---- time -----------------------------------------------------------------------------------------------------------

// Robots that have arrived stay; those under way go on. All count on the meter, so that any tick costs something.
static int32_t find_pending(run_t * run)
{
  int32_t count = 0;
  for (int32_t i = 0; i < run->problem->robot_count; ++i) {
    const int32_t robot = run->order.robots[i];
    const list_t * places = &run->walkers[robot].places;
    if (fw_meter_add(run->context->meter, 1) || places->count - 1 > run->now) {
      continue;
    }
    if (last(places) == run->problem->robots[robot].goal && !has_to_leave(run, robot)) {
      wait(run, robot);
    } else {
      run->pending[count++] = robot;
    }
  }
  return count;
}

// One tick: first all who can go, again and again since each makes room for one behind; then repair for the others.
static void tick(run_t * run)
{
  int32_t count = find_pending(run);
  for (int32_t before = count + 1; count < before && !has_stopped(run);) {
    before = count;
    count = 0;
    for (int32_t i = 0; i < before && !has_stopped(run); ++i) {
      const int32_t robot = run->pending[i];
      const bool is_leaving = last(&run->walkers[robot].places) == run->problem->robots[robot].goal;
      if (is_leaving || !follow(run, robot)) {
        run->pending[count++] = run->pending[i];
      }
    }
  }
  for (int32_t i = 0; i < count && !has_stopped(run); ++i) {
    repair(run, run->pending[i]);
  }
}

// Somebody stays where it closes with the next tick: the answer ends here.
static bool is_stuck(const run_t * run)
{
  for (int32_t r = 0; r < run->problem->robot_count && run->problem->closure_count > 0; ++r) {
    const list_t * places = &run->walkers[r].places;
    if (
      places->count - 1 == run->now + 1 && last(places) == places->items[run->now] &&
      fw__closures_next(run->problem, r, last(places), run->now + 1) == run->now + 1) {
      return true;
    }
  }
  return false;
}

static bool have_arrived(const run_t * run)
{
  if (run->now < run->goals_open_from) {
    return false;
  }
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    const list_t * places = &run->walkers[r].places;
    if (places->count - 1 > run->now || last(places) != run->problem->robots[r].goal) {
      return false;
    }
  }
  return true;
}

static bool begin(run_t * run)
{
  fw_arena_t * arena = run->context->scratch;
  const size_t count = (size_t)run->problem->robot_count;
  run->walkers = fw_arena_allocate_zeroed(arena, count, sizeof(*run->walkers));
  run->pending = fw_arena_allocate(arena, count, sizeof(*run->pending));
  run->nodes = fw_arena_allocate_zeroed(arena, (size_t)run->fleet->places->node_count, sizeof(*run->nodes));
  fw_buckets_init(&run->open, arena);
  if (
    run->walkers == NULL || run->pending == NULL || run->nodes == NULL ||
    !fw_order_init(&run->order, arena, run->fleet, FW_ORDER_INDEX) ||
    !fw_reservations_init(&run->table, arena, run->fleet->places, run->problem)) {
    fw_meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
  for (int32_t r = 0; r < run->problem->robot_count && !has_stopped(run); ++r) {
    const fw_robot_t * robot = &run->problem->robots[r];
    if (push(run, &run->walkers[r].places, robot->start)) {
      book(run, r);
    }
    if (!has_stopped(run) && robot->start != robot->goal) {
      (void)find_route(run, r, VIEW_NOBODY);
    }
  }
  return !has_stopped(run);
}

// ---- the planner ----------------------------------------------------------------------------------------------------

// Up to the present tick: what some have chosen beyond it is left out, for others have not.
static fw_ret_t answer(run_t * run, fw_plan_t * plan, fw_error_t * error)
{
  const fw_meter_t * meter = run->context->meter;
  const bool is_solved = have_arrived(run);
  const int32_t count = run->problem->robot_count;
  fw_path_t * paths = fw_arena_allocate(run->context->scratch, (size_t)count, sizeof(*paths));
  if (paths == NULL) {
    fw_meter_stop(run->context->meter, FW_STOP_MEMORY);
    return fw_fleet_answer(FW_FLEET_STOPPED, run->context, run->problem, plan, error);
  }
  for (int32_t r = 0; r < count; ++r) {
    const fw_cell_t * cells = run->walkers[r].places.items;
    int32_t length = run->now + 1;
    while (length > 1 && cells[length - 1] == cells[length - 2]) {
      --length;
    }
    paths[r] = (fw_path_t){.cells = cells, .length = length};
  }
  plan->outcome = is_solved ? FW_OUTCOME_SOLVED : FW_OUTCOME_PARTIAL;
  plan->stop = is_solved ? FW_STOP_DONE : meter->stop;
  plan->safe_until = is_solved ? FW_TICK_MAX : run->now;
  plan->paths = paths;
  plan->stats.first_plan_ns = is_solved ? fw_clock_now_ns() - meter->start_ns : 0;
  fw__plan_count(plan, "reroutes", run->reroutes);
  fw__plan_count(plan, "retreats", run->retreats);
  fw__plan_count(plan, "waits", run->waits);
  return FW_RET_OK;
}

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  fw_fleet_t fleet;
  run_t run = {.context = context, .problem = problem, .fleet = &fleet, .rng = fw_rng(context->seed)};
  const fw_fleet_state_t state = fw_fleet_init(&fleet, context, problem, error);
  if (state != FW_FLEET_READY) {
    return fw_fleet_answer(state, context, problem, plan, error);
  }
  plan->stats.lower_bound = fleet.lower_bound;
  run.goals_open_from = fw__closures_goals_open_from(problem);
  if (!begin(&run)) {
    return fw_fleet_answer(FW_FLEET_STOPPED, context, problem, plan, error);
  }
  while (run.now < context->parameters[TICKS] && !have_arrived(&run)) {
    tick(&run);
    if (has_stopped(&run) || is_stuck(&run)) {
      break;
    }
    ++run.now;
  }
  return answer(&run, plan, error);
}

const fw_planner_def_t fw_planner_lra = {
  .name = "lra",
  .summary = "Local Repair A*: every robot for itself, another way on contact; the baseline, which may not arrive",
  .paper = "D. Silver, Cooperative Pathfinding, AI Game Programming Wisdom 3, 2006",
  .parameters = parameters,
  .parameter_count = sizeof(parameters) / sizeof(parameters[0]),
  .may_delay_first = true,
  .solve = solve,
};
