// lra: Local Repair A*, the baseline against which Silver 2006 compares cooperative pathfinding.
//
// Each robot finds a path alone on the map and follows it. It ignores the others until its next step would run into
// one. Then it repairs: it finds another path around the robots in contact, and its agitation rises by one. Agitation
// is random noise on the heuristic, which in the end breaks up most deadlocks. Nothing guarantees that it does: crowds
// may never get through.
//
// The plan is free of conflicts all the same. In the reservation table each robot has its recent past, the motion
// under way and, forever, the place where that motion ends. So waiting is always possible, and no step that the table
// allows collides with another robot, whatever the order in which the robots choose. The exception is a place that
// closes: there the reservation ends before the closure and the robot escapes to any place next to it; if it cannot,
// the plan ends at that tick.

#include "base/assert.h"
#include "base/list.h"
#include "base/rng.h"
#include "fleetweave/planner_def.h"
#include "planner/order.h"
#include "spacetime/reservations.h"
#include "world/closures.h"

enum { TICKS, AGITATION };

static const fw_parameter_def_t parameters[] = {
  [TICKS] =
    {.name = "ticks",
     .initial = 2000,
     .min = 1,
     .max = 10000000,
     .help = "the plan ends after this many ticks if not all robots have arrived"},
  [AGITATION] =
    {.name = "agitation_max",
     .initial = 128,
     .max = 1000,
     .help = "each repair adds 1 to the robot's agitation, up to this; the noise on its heuristic is at most this many "
             "moves"},
};

// A robot and the path that it has executed.
typedef struct walker_t {
  fw_cell_t * cells;   // by tick: the robot's cell, up to the present or the end of the motion under way
  uint8_t * headings;  // like `cells`; NULL for a robot without heading
  int32_t count;
  int32_t capacity;
  fw_list_t route;  // the nodes that are left, in reverse: the goal first and the next node last
  int32_t agitation;
} walker_t;

typedef struct search_node_t {
  uint32_t seen;  // number of the last search that has reached this node; valid if it is the present one
  int32_t g;
  int32_t parent;  // -1 for a first step
  bool is_closed;
} search_node_t;

// Which other robots a search takes into account.
typedef enum visible_t {
  SEES_NOBODY,
  SEES_FIRST_STEP,  // the first step must be free
  SEES_STEP_ASIDE,  // the same, and the first step must not go straight back, where the robot in the way may want to go
  SEES_CONTACT,     // the first step must be free, and cells of others next to the robot are blocked for the whole path
} visible_t;

typedef struct lra_run_t {
  fw_planner_context_t * context;
  const fw_problem_t * problem;
  fw_fleet_t * fleet;
  fw_order_t order;
  fw_reservations_t table;
  fw_rng_t rng;
  fw_tick_t now;
  int32_t agitation_max;
  walker_t * walkers;     // by robot
  int32_t * pending;      // robots that have not chosen their next step in this tick
  search_node_t * nodes;  // of the present search, by node of the robot that searches
  uint32_t * touched;     // by cell: number of the last search in which another robot in contact had it
  uint32_t search;        // number of the present search
  fw_bucket_queue_t open;
  int64_t reroutes;  // repairs that were tried, successful or not
  int64_t retreats;  // of these, steps aside or back
  int64_t waits;
} lra_run_t;

static bool has_stopped(const lra_run_t * run) { return fw__meter_has_stopped(run->context->meter); }

// ---- walkers: where robots are, and their next step -----------------------------------------------------------------

// The path that the robot has executed so far; a view.
static fw_path_t path_of(const walker_t * walker)
{
  return (fw_path_t){.cells = walker->cells, .length = walker->count, .headings = walker->headings};
}
// Where the robot is, or will be at the end of its motion.
static fw_grid_pose_t pose_of(const lra_run_t * run, int32_t robot)
{
  FW_ASSERT(robot >= 0 && robot < run->problem->robot_count && run->walkers[robot].count > 0);
  const fw_path_t path = path_of(&run->walkers[robot]);
  return fw__path_pose(&path, path.length - 1);
}
static bool is_on_goal(const lra_run_t * run, int32_t robot)
{
  return pose_of(run, robot).cell == run->problem->robots[robot].goal;
}

// Room for one more tick. False when there is no memory; the meter has stopped then.
static bool reserve(lra_run_t * run, int32_t robot)
{
  walker_t * walker = &run->walkers[robot];
  if (walker->count < walker->capacity) {
    return true;
  }
  fw_arena_t * arena = run->context->scratch;
  const bool has_heading = run->problem->robots[robot].turn_ticks > 0;
  int32_t capacity = walker->capacity;
  uint8_t * headings = has_heading ? fw__arena_grow(arena, walker->headings, sizeof(*headings), &capacity) : NULL;
  fw_cell_t * cells = fw__arena_grow(arena, walker->cells, sizeof(*cells), &walker->capacity);
  if (cells == NULL || (has_heading && headings == NULL)) {
    walker->capacity = walker->count;
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return false;
  }
  walker->cells = cells;
  walker->headings = headings;
  return true;
}

// Adds one tick to the robot's path.
static bool push(lra_run_t * run, int32_t robot, fw_grid_pose_t pose)
{
  if (!reserve(run, robot)) {
    return false;
  }
  walker_t * walker = &run->walkers[robot];
  walker->cells[walker->count] = pose.cell;
  if (walker->headings != NULL) {
    walker->headings[walker->count] = (uint8_t)pose.heading;
  }
  ++walker->count;
  return true;
}

// Reserves the robot's recent past, the motion under way, and the place where it ends. The table borrows the path from
// the walker; when the walker moves to larger arrays, the old ones stay in the arena unchanged.
static void reserve_place(lra_run_t * run, int32_t robot)
{
  const walker_t * walker = &run->walkers[robot];
  // Older ticks no longer matter: cells stay reserved for the robust ticks, and no motion takes longer than the
  // maximum.
  const fw_tick_t past = run->now - run->problem->robust_ticks - FW_TICKS_PER_MOVE_MAX;
  const fw_tick_t from = past > 0 ? past : 0;
  const fw_grid_pose_t end = pose_of(run, robot);
  const fw_booking_t booking = {
    .path =
      {.cells = walker->cells + from,
       .length = walker->count - from,
       .headings = walker->headings == NULL ? NULL : walker->headings + from},
    .from = from,
    .until = fw__closures_open_until(
      run->problem, fw__fleet_footprint(run->fleet, robot, end.heading), end.cell, walker->count - 1),
  };
  fw__reservations_remove(&run->table, robot);
  if (!fw__reservations_book(&run->table, robot, booking)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
}

// Puts the robot on its start, or lets it arrive there. False if the meter has stopped.
static bool place_on_start(lra_run_t * run, int32_t robot)
{
  const fw_path_t start = run->fleet->bodies.starts[robot];
  for (int32_t i = 0; i < start.length; ++i) {
    if (!push(run, robot, fw__path_pose(&start, i))) {
      return false;
    }
  }
  reserve_place(run, robot);
  return !has_stopped(run);
}

static void wait_one_tick(lra_run_t * run, int32_t robot) { (void)push(run, robot, pose_of(run, robot)); }

// The robot's step to a neighbouring node, beginning now.
static fw_timed_motion_t step_to(const lra_run_t * run, int32_t robot, int32_t node)
{
  const fw_grid_pose_t from = pose_of(run, robot);
  const fw_grid_pose_t to = fw__moves_pose(run->fleet->moves[robot], node);
  return (fw_timed_motion_t){
    .robot = robot,
    .from = from.cell,
    .heading = from.heading,
    .to = to.cell,
    .heading_to = to.heading,
    .depart = run->now,
  };
}

// Makes the step if it is free. False if it is not.
static bool try_step(lra_run_t * run, int32_t robot, int32_t node)
{
  FW_ASSERT(run->walkers[robot].count - 1 == run->now);  // it has not chosen yet
  const fw_timed_motion_t step = step_to(run, robot, node);
  if (!fw__reservations_allow(&run->table, &step)) {
    return false;
  }
  const fw_grid_pose_t from = {step.from, step.heading};
  const fw_grid_pose_t to = {step.to, step.heading_to};
  const int32_t ticks = fw__body_motion(run->fleet->bodies.of[robot], run->problem->grid, from, to)->ticks;
  bool is_noted = true;
  for (int32_t i = 1; i <= ticks && is_noted; ++i) {
    is_noted = push(run, robot, i < ticks ? from : to);
  }
  if (is_noted) {
    reserve_place(run, robot);
  }
  return true;
}

// The next node of the robot's route. A robot that is not on its goal has one.
static int32_t next_node(const lra_run_t * run, int32_t robot)
{
  const fw_list_t * route = &run->walkers[robot].route;
  FW_ASSERT(route->count > 0);
  return route->items[route->count - 1];
}

// Makes the next step of the route if it is free. False if it is not, or if the meter has stopped.
static bool follow_route(lra_run_t * run, int32_t robot)
{
  FW_ASSERT(!is_on_goal(run, robot));
  if (fw__meter_add(run->context->meter, 1) || !try_step(run, robot, next_node(run, robot))) {
    return false;
  }
  run->walkers[robot].route.count -= has_stopped(run) ? 0 : 1;
  return true;
}

// ---- contact: which cells next to a robot belong to others ----------------------------------------------------------

typedef enum contact_t { CONTACT_MARK, CONTACT_QUERY } contact_t;

// CONTACT_MARK: marks the cells of a place next to the robot that other robots have in the next tick; returns false.
// CONTACT_QUERY: is a cell of the place marked?
static bool check_contact(lra_run_t * run, int32_t robot, int32_t node, contact_t contact)
{
  const fw_grid_pose_t pose = fw__moves_pose(run->fleet->moves[robot], node);
  const fw_footprint_t footprint = fw__fleet_footprint(run->fleet, robot, pose.heading);
  for (int32_t i = 0; i < footprint.count; ++i) {
    const fw_cell_t cell = pose.cell + footprint.cells[i].dy * run->problem->grid->width + footprint.cells[i].dx;
    if (contact == CONTACT_QUERY) {
      if (run->touched[cell] == run->search) {
        return true;
      }
      continue;
    }
    const int32_t owner = fw__reservations_owner(&run->table, run->fleet->places->node_of[cell], run->now + 1);
    if (owner >= 0 && owner != robot) {
      run->touched[cell] = run->search;
    }
  }
  return false;
}

static bool is_touched(lra_run_t * run, int32_t robot, int32_t node)
{
  return check_contact(run, robot, node, CONTACT_QUERY);
}

// ---- routes ---------------------------------------------------------------------------------------------------------

// From node to node by a motion; `from` is -1 for a first step.
typedef struct edge_t {
  int32_t from;
  int32_t to;
  int32_t motion;
} edge_t;

// Puts the end of an edge on the open list if it is reached on a shorter path than before. The key is g + h + noise.
static void push_open(lra_run_t * run, int32_t robot, edge_t edge)
{
  FW_ASSERT(edge.from < 0 || run->nodes[edge.from].seen == run->search);
  fw_distance_t * distance = fw__fleet_distance(run->fleet, robot);
  const fw_moves_t * moves = distance->moves;
  const int32_t cost = moves->spans[edge.motion] * (distance->is_weighted ? fw__moves_cost(moves, edge.to) : 1);
  const int32_t g = (edge.from >= 0 ? run->nodes[edge.from].g : 0) + cost;
  search_node_t * node = &run->nodes[edge.to];
  if (node->seen == run->search && (node->is_closed || node->g <= g)) {
    return;
  }
  *node = (search_node_t){.seen = run->search, .g = g, .parent = edge.from};
  const int32_t h = fw__distance_get(distance, edge.to, run->context->meter);
  if (has_stopped(run) || h == FW_DISTANCE_NONE) {
    return;  // a robot that turns can reach places from which it cannot reach the goal
  }
  const int64_t noise = (int64_t)fw__rng_below(&run->rng, run->walkers[robot].agitation + 1) * moves->move_span;
  if (!fw__bucket_queue_push(&run->open, g + h + noise, edge.to, g)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
}

// Opens the search with the robot's first steps. The place where it stands is not part of the search: the route may
// come back to it.
static void begin_search(lra_run_t * run, int32_t robot, visible_t view)
{
  const fw_moves_t * moves = run->fleet->moves[robot];
  const int32_t * next = fw__moves_successors(moves, fw__moves_node(moves, pose_of(run, robot)));
  // A robot with a heading has no step straight back.
  const int32_t wanted = view == SEES_STEP_ASIDE && moves->heading_of == NULL ? next_node(run, robot) : -1;
  ++run->search;
  fw__bucket_queue_clear(&run->open);
  for (int32_t d = 0; d < moves->degree; ++d) {
    if (next[d] < 0 || (wanted >= 0 && next[d ^ 2] == wanted)) {  // d ^ 2 is the opposite direction
      continue;
    }
    const fw_timed_motion_t step = step_to(run, robot, next[d]);
    if (view == SEES_NOBODY || fw__reservations_allow(&run->table, &step)) {
      push_open(run, robot, (edge_t){.from = -1, .to = next[d], .motion = d});
    }
    if (view == SEES_CONTACT) {
      (void)check_contact(run, robot, next[d], CONTACT_MARK);
    }
  }
}

// Replaces the robot's route by the path to `goal` in the search tree. False when there is no memory.
static bool take_route(lra_run_t * run, int32_t robot, int32_t goal)
{
  fw_list_t * route = &run->walkers[robot].route;
  route->count = 0;
  for (int32_t node = goal; node >= 0; node = run->nodes[node].parent) {
    FW_ASSERT(run->nodes[node].seen == run->search);
    fw__list_push(route, node);
  }
  if (fw__arena_has_failed(run->context->scratch)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
  return !has_stopped(run);
}

// Is the goal in contact and taken, with every heading?
static bool is_goal_touched(lra_run_t * run, int32_t robot)
{
  const fw_moves_t * moves = run->fleet->moves[robot];
  for (int32_t heading = 0; heading < moves->plane_count * moves->body->turn_step; heading += moves->body->turn_step) {
    const int32_t node = fw__moves_node(moves, (fw_grid_pose_t){run->problem->robots[robot].goal, heading});
    if (node >= 0 && !is_touched(run, robot, node)) {
      return false;
    }
  }
  return true;
}

// Finds a route to the goal and replaces the present one. False: there is no such route and the present one stays, or
// the meter has stopped.
static bool find_route(lra_run_t * run, int32_t robot, visible_t view)
{
  const fw_moves_t * moves = run->fleet->moves[robot];
  const fw_cell_t goal = run->problem->robots[robot].goal;
  begin_search(run, robot, view);
  if (view == SEES_CONTACT && is_goal_touched(run, robot)) {
    return false;
  }
  int32_t at, g;
  int64_t key;
  while (!has_stopped(run) && fw__bucket_queue_pop(&run->open, &at, &g, &key)) {
    if (moves->cell_of[at] == goal) {
      return take_route(run, robot, at);
    }
    if (run->nodes[at].is_closed) {
      continue;  // with noise, a node may be closed before its shortest path is known; the noise is meant to do that
    }
    run->nodes[at].is_closed = true;
    (void)fw__meter_add(run->context->meter, 1);
    const int32_t * next = fw__moves_successors(moves, at);
    for (int32_t d = 0; d < moves->degree && !has_stopped(run); ++d) {
      if (next[d] >= 0 && (view != SEES_CONTACT || !is_touched(run, robot, next[d]))) {
        push_open(run, robot, (edge_t){.from = at, .to = next[d], .motion = d});
      }
    }
  }
  return false;
}

// ---- repair: what a robot does if its next step is blocked, or its place closes -------------------------------------

// Would robot `a` in `pose_a` cover a cell that robot `b` covers where it is?
static bool overlap(const lra_run_t * run, int32_t a, fw_grid_pose_t pose_a, int32_t b)
{
  const fw_grid_pose_t pose_b = pose_of(run, b);
  const int32_t width = run->problem->grid->width;
  const fw_footprint_t f = fw__fleet_footprint(run->fleet, a, pose_a.heading);
  const fw_footprint_t g = fw__fleet_footprint(run->fleet, b, pose_b.heading);
  for (int32_t i = 0; i < f.count; ++i) {
    for (int32_t j = 0; j < g.count; ++j) {
      if (pose_a.cell + f.cells[i].dy * width + f.cells[i].dx == pose_b.cell + g.cells[j].dy * width + g.cells[j].dx) {
        return true;
      }
    }
  }
  return false;
}

// Is a cell that the step ends on closed forever?
static bool is_closed_forever(const lra_run_t * run, const fw_timed_motion_t * step)
{
  const fw_grid_t * grid = run->problem->grid;
  const fw_motion_t * motion = fw__body_motion(
    run->fleet->bodies.of[step->robot], grid, (fw_grid_pose_t){step->from, step->heading},
    (fw_grid_pose_t){step->to, step->heading_to});
  for (int32_t i = 0; i < motion->sweep_count; ++i) {
    const fw_cell_t cell = step->from + motion->sweeps[i].dy * grid->width + motion->sweeps[i].dx;
    const int32_t node = run->fleet->places->node_of[cell];
    const bool is_left = motion->sweeps[i].to < motion->ticks;
    if (!is_left && fw__reservations_owner(&run->table, node, FW_TICK_MAX) == run->table.robot_count) {
      return true;
    }
  }
  return false;
}

// Are all robots in the way about to leave? Then waiting is better than another route.
static bool clears_by_itself(const lra_run_t * run, int32_t robot)
{
  const fw_timed_motion_t step = step_to(run, robot, next_node(run, robot));
  fw_conflict_set_t met = {.limit = FW_CONFLICT_SET_MAX};
  fw__reservations_find_conflicts(&run->table, &step, &met);
  for (int32_t i = 0; i < met.count; ++i) {
    const int32_t other = met.robots[i];
    if (!fw__reservations_is_robot(&run->table, other)) {
      if (is_closed_forever(run, &step)) {
        return false;
      }
      continue;  // a closure that ends
    }
    if (overlap(run, robot, (fw_grid_pose_t){step.to, step.heading_to}, other)) {
      return false;
    }
  }
  return true;
}

// Another route around the robots in contact. If there is none: a step aside, or else back, and from there a route as
// if alone.
static bool reroute(lra_run_t * run, int32_t robot)
{
  walker_t * walker = &run->walkers[robot];
  walker->agitation += walker->agitation < run->agitation_max ? 1 : 0;
  ++run->reroutes;
  if (find_route(run, robot, SEES_CONTACT)) {
    return true;
  }
  const bool is_retreating = (!has_stopped(run) && find_route(run, robot, SEES_STEP_ASIDE)) ||
                             (!has_stopped(run) && find_route(run, robot, SEES_FIRST_STEP));
  run->retreats += is_retreating ? 1 : 0;
  return is_retreating;
}

// Will the robot's place close before it could leave one tick later? A robot with a heading may have to turn round
// before it can move.
static bool has_to_leave(const lra_run_t * run, int32_t robot)
{
  const fw_grid_pose_t pose = pose_of(run, robot);
  const fw_body_t * body = run->fleet->bodies.of[robot];
  const int32_t turns = FW_HEADING_COUNT / 2 / body->turn_step * body->turn_ticks;
  const fw_footprint_t footprint = body->footprints[pose.heading];
  return fw__closures_next(run->problem, footprint, pose.cell, run->now + 1) <= run->now + body->ticks_per_move + turns;
}

// A step to any place next to the robot from which the goal can be reached, and from there a route as if alone.
static bool escape(lra_run_t * run, int32_t robot)
{
  const fw_moves_t * moves = run->fleet->moves[robot];
  const int32_t * next = fw__moves_successors(moves, fw__moves_node(moves, pose_of(run, robot)));
  fw_distance_t * distance = fw__fleet_distance(run->fleet, robot);
  for (int32_t d = 0; d < moves->degree && !has_stopped(run); ++d) {
    const bool is_reachable =
      next[d] >= 0 && fw__distance_get(distance, next[d], run->context->meter) != FW_DISTANCE_NONE;
    if (is_reachable && try_step(run, robot, next[d])) {
      run->walkers[robot].route.count = 0;
      return is_on_goal(run, robot) || find_route(run, robot, SEES_NOBODY) || has_stopped(run);
    }
  }
  return false;
}

// For a robot whose next step is blocked: another route, a step aside, or a wait.
static void repair(lra_run_t * run, int32_t robot)
{
  FW_ASSERT(run->walkers[robot].count - 1 == run->now);
  if (is_on_goal(run, robot)) {
    if (!escape(run, robot) && !has_stopped(run)) {
      wait_one_tick(run, robot);
    }
    return;
  }
  if (follow_route(run, robot) || has_stopped(run)) {
    return;  // a robot that was repaired before has made room
  }
  if (has_to_leave(run, robot) && escape(run, robot)) {
    return;
  }
  if (!clears_by_itself(run, robot) && reroute(run, robot) && follow_route(run, robot)) {
    return;
  }
  if (!has_stopped(run)) {
    ++run->waits;
    wait_one_tick(run, robot);
  }
}

// ---- time -----------------------------------------------------------------------------------------------------------

// Lists the robots that have to choose a step now. Robots that have arrived wait, and those in motion are left alone.
// Every robot counts on the meter, so that each tick uses up some of the budget.
static int32_t find_pending(lra_run_t * run)
{
  int32_t count = 0;
  for (int32_t i = 0; i < run->problem->robot_count; ++i) {
    const int32_t robot = run->order.robots[i];
    if (fw__meter_add(run->context->meter, 1) || run->walkers[robot].count - 1 > run->now) {
      continue;
    }
    if (is_on_goal(run, robot) && !has_to_leave(run, robot)) {
      wait_one_tick(run, robot);
    } else {
      run->pending[count++] = robot;
    }
  }
  return count;
}

// One tick. First all robots whose next step is free make it, again and again, since each makes room for one behind it;
// then the others repair.
static void tick(lra_run_t * run)
{
  int32_t count = find_pending(run);
  for (int32_t before = count + 1; count < before && !has_stopped(run);) {
    before = count;
    count = 0;
    for (int32_t i = 0; i < before && !has_stopped(run); ++i) {
      const int32_t robot = run->pending[i];
      if (is_on_goal(run, robot) || !follow_route(run, robot)) {
        run->pending[count++] = robot;
      }
    }
  }
  for (int32_t i = 0; i < count && !has_stopped(run); ++i) {
    repair(run, run->pending[i]);
  }
}

// The first tick, `tick` or later, at which the robot's place closes; FW_TICK_MAX for never.
static fw_tick_t closes_at(const lra_run_t * run, int32_t robot, fw_tick_t tick)
{
  const fw_grid_pose_t pose = pose_of(run, robot);
  return fw__closures_next(run->problem, fw__fleet_footprint(run->fleet, robot, pose.heading), pose.cell, tick);
}

// Does a robot stay on a cell that closes at the next tick? Then the plan ends here.
static bool is_stuck(const lra_run_t * run)
{
  for (int32_t r = 0; r < run->problem->robot_count && run->problem->closure_count > 0; ++r) {
    const fw_path_t path = path_of(&run->walkers[r]);
    if (
      path.length - 1 == run->now + 1 && !fw__path_arrives(&path, run->now + 1) &&
      closes_at(run, r, run->now + 1) == run->now + 1) {
      return true;
    }
  }
  return false;
}

// Are all robots on their goals, and does no goal close any more?
static bool have_arrived(const lra_run_t * run)
{
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    if (run->walkers[r].count - 1 > run->now || !is_on_goal(run, r) || closes_at(run, r, run->now) != FW_TICK_MAX) {
      return false;
    }
  }
  return true;
}

// The number of nodes of the largest table of moves.
static int32_t most_nodes(const fw_fleet_t * fleet)
{
  int32_t most = fleet->places->node_count;
  for (int32_t r = 0; r < fleet->problem->robot_count; ++r) {
    most = fleet->moves[r]->node_count > most ? fleet->moves[r]->node_count : most;
  }
  return most;
}

// Allocates everything, puts the robots on their starts and finds their first routes. False if the meter has stopped.
static bool begin(lra_run_t * run)
{
  fw_arena_t * arena = run->context->scratch;
  const size_t count = (size_t)run->problem->robot_count;
  const size_t cells = (size_t)fw_grid_cell_count(run->problem->grid);
  run->walkers = fw__arena_allocate_zeroed(arena, count, sizeof(*run->walkers));
  run->pending = fw__arena_allocate(arena, count, sizeof(*run->pending));
  run->nodes = fw__arena_allocate_zeroed(arena, (size_t)most_nodes(run->fleet), sizeof(*run->nodes));
  run->touched = fw__arena_allocate_zeroed(arena, cells, sizeof(*run->touched));
  fw__bucket_queue_init(&run->open, arena);
  if (
    !fw__order_init(&run->order, arena, run->fleet, FW_ORDER_INDEX) ||
    !fw__reservations_init(&run->table, arena, run->fleet->places, &run->fleet->bodies) ||
    fw__arena_has_failed(arena)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return false;
  }
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    run->walkers[r].route = fw__list(arena);
  }
  for (int32_t r = 0; r < run->problem->robot_count && !has_stopped(run); ++r) {
    if (place_on_start(run, r) && !is_on_goal(run, r)) {
      (void)find_route(run, r, SEES_NOBODY);
    }
  }
  return !has_stopped(run);
}

// ---- the planner ----------------------------------------------------------------------------------------------------

// The plan up to the present tick. Steps that some robots have chosen beyond it are left out, since others have not
// chosen.
static fw_ret_t answer(lra_run_t * run, fw_plan_t * plan, fw_error_t * error)
{
  const fw_meter_t * meter = run->context->meter;
  const bool is_solved = have_arrived(run);
  const int32_t count = run->problem->robot_count;
  fw_path_t * paths = fw__arena_allocate(run->context->scratch, (size_t)count, sizeof(*paths));
  if (paths == NULL) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return fw__plan_wait_all(run->context, run->problem, plan, error);
  }
  for (int32_t r = 0; r < count; ++r) {
    paths[r] = path_of(&run->walkers[r]);
    paths[r].length = run->now + 1;
    while (paths[r].length > 1 && !fw__path_arrives(&paths[r], paths[r].length - 1)) {
      --paths[r].length;
    }
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
  fw_fleet_t fleet = {0};
  lra_run_t run = {
    .context = context,
    .problem = problem,
    .fleet = &fleet,
    .rng = fw__rng(context->seed),
    .agitation_max = (int32_t)context->parameters[AGITATION],
  };
  switch (fw__fleet_init(&fleet, context, problem, error)) {
    case FW_FLEET_UNREACHABLE:
      return fw__plan_unsolvable(context, problem, plan, error);
    case FW_FLEET_STOPPED:
      return fw__plan_wait_all(context, problem, plan, error);
    case FW_FLEET_READY:
      break;
  }
  plan->stats.lower_bound = fleet.lower_bound;
  if (!begin(&run)) {
    return fw__plan_wait_all(context, problem, plan, error);
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

const fw_planner_def_t fw__planner_lra = {
  .name = "lra",
  .summary =
    "Local Repair A*: each robot plans alone and replans when another blocks its next step; a baseline, may not arrive",
  .paper = "D. Silver, Cooperative Pathfinding, AI Game Programming Wisdom 3, 2006",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .may_delay_first = true,
  .solve = solve,
};
