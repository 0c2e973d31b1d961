// Resolution by waits: prioritized planning in which each robot may only wait on the path that it has.

#include "planner/bcp/wait_resolution.h"

#include "base/assert.h"
#include "planner/bcp/single_search.h"

// Expansions for each robot; orders of robots that are tried.
enum { EXPANSIONS_PER_ROBOT = 512, ORDERS_MAX = 8 };

// ---- waits on a given path ------------------------------------------------------------------------------------------
//
// When can a robot be where on its path without a conflict? Space-time A* answers that on a path graph: the poses of
// the path one behind the other, with no other moves.

typedef struct path_graph_t {
  fw_moves_t moves;
  fw_cell_t * cells;
  uint8_t * headings;
  int32_t * next;
  int32_t capacity;
  int32_t * node_of;  // by pose
  size_t pose_count;  // cells times headings
} path_graph_t;

typedef struct resolve_t {
  fw_bcp_t * run;
  fw_reservations_t table;
  path_graph_t graph;
  fw_path_buffers_t paths;  // of the present try
  fw_meter_t meter;         // of its own: the run's may have stopped
  int32_t failed;           // the first robot that no wait helps, -1 for none
  int64_t waits;
} resolve_t;

// Room for a path of `length` poses of the robot's kind, empty. `node_of` is all -1 between uses. False when there is
// no memory.
static bool reserve(path_graph_t * graph, fw_arena_t * arena, const fw_moves_t * like, int32_t length)
{
  const size_t poses = (size_t)fw_grid_cell_count(like->grid) * (size_t)like->plane_count;
  if (graph->pose_count < poses) {
    graph->node_of = fw__arena_allocate(arena, poses, sizeof(*graph->node_of));
    for (size_t i = 0; graph->node_of != NULL && i < poses; ++i) {
      graph->node_of[i] = -1;
    }
    graph->pose_count = graph->node_of != NULL ? poses : 0;
  }
  while (graph->capacity < length && graph->node_of != NULL) {
    graph->cells = fw__arena_grow(arena, NULL, sizeof(*graph->cells), &graph->capacity);
    const size_t count = (size_t)graph->capacity;
    graph->headings = graph->cells == NULL ? NULL : fw__arena_allocate(arena, count, sizeof(*graph->headings));
    graph->next =
      graph->headings == NULL ? NULL : fw__arena_allocate(arena, count * FW_MOTIONS_MAX, sizeof(*graph->next));
    if (graph->next == NULL) {
      graph->capacity = 0;
      return false;
    }
  }
  graph->moves = *like;
  graph->moves.node_count = 0;
  graph->moves.cell_of = graph->cells;
  graph->moves.heading_of = like->heading_of == NULL ? NULL : graph->headings;
  graph->moves.next = graph->next;
  graph->moves.previous = NULL;  // never searched backwards
  graph->moves.node_of = graph->node_of;
  return graph->node_of != NULL;
}

static int32_t * node_slot(const path_graph_t * graph, fw_grid_pose_t pose)
{
  const fw_moves_t * moves = &graph->moves;
  const int32_t plane = moves->heading_of == NULL ? 0 : pose.heading / moves->body->turn_step;
  return &graph->node_of[(size_t)plane * (size_t)fw_grid_cell_count(moves->grid) + (size_t)pose.cell];
}

// A pose that a path comes back to is another node; the first of them is the one that is found by its pose.
static void add_path(path_graph_t * graph, const fw_path_t * path, const fw_body_t * body)
{
  fw_moves_t * moves = &graph->moves;
  for (int32_t at = 0; at < path->length; ++at) {
    const fw_grid_pose_t pose = fw__path_pose(path, at);
    if (at > 0 && !fw__path_arrives(path, at)) {
      continue;
    }
    const int32_t node = moves->node_count++;
    FW_ASSERT(node < graph->capacity);
    moves->cell_of[node] = pose.cell;
    if (moves->heading_of != NULL) {
      moves->heading_of[node] = (uint8_t)pose.heading;
    }
    for (int32_t d = 0; d < moves->degree; ++d) {
      moves->next[(size_t)node * (size_t)moves->degree + (size_t)d] = -1;
    }
    if (at > 0) {
      const fw_grid_pose_t before = fw__path_pose(path, at - 1);
      const fw_motion_t * motion = fw__body_motion(body, moves->grid, before, pose);
      const size_t d = (size_t)(motion - body->motions[before.heading]);
      moves->next[(size_t)(node - 1) * (size_t)moves->degree + d] = node;
    }
    int32_t * slot = node_slot(graph, pose);
    *slot = *slot < 0 ? node : *slot;
  }
}

static void remove_path(path_graph_t * graph, const fw_path_t * path)
{
  for (int32_t at = 0; at < path->length; ++at) {
    *node_slot(graph, fw__path_pose(path, at)) = -1;
  }
}

// The earliest timing of `path`, with waits on it, around the reservations. True on success: `timed` begins when the
// robot is on its start, and is a view until the next search.
static bool add_waits(resolve_t * resolve, int32_t robot, const fw_path_t * path, fw_path_t * timed)
{
  fw_bcp_t * run = resolve->run;
  path_graph_t * graph = &resolve->graph;
  const fw_robot_t * shape = &run->problem->robots[robot];
  FW_ASSERT(path->length > shape->arrives);
  const fw_path_t driven = {
    .cells = path->cells + shape->arrives,
    .length = path->length - shape->arrives,
    .headings = path->headings == NULL ? NULL : path->headings + shape->arrives,
  };
  if (!reserve(graph, run->context->scratch, run->fleet.moves[robot], driven.length)) {
    return false;
  }
  add_path(graph, &driven, run->fleet.bodies.of[robot]);
  FW_ASSERT(graph->moves.node_count <= graph->capacity);
  const fw_spacetime_query_t query = {
    .table = &resolve->table,
    .moves = &graph->moves,
    .robot = robot,
    .start = shape->start,
    .heading = shape->heading,
    .now = shape->arrives,
    .horizon = run->limit,
    .estimate_degree = run->problem->connectivity,
  };
  const fw_found_t found = fw__spacetime_astar(&run->search, &query, &resolve->meter, timed);
  remove_path(graph, &driven);
  return found == FW_FOUND_PATH;
}

// ---- one robot ------------------------------------------------------------------------------------------------------

static bool is_free(const resolve_t * resolve, int32_t robot, fw_path_t path, fw_tick_t until)
{
  const fw_booking_t booking = {.path = path, .until = until};
  return fw__reservations_first_conflict(&resolve->table, robot, &booking) < 0;
}

// The last tick up to which a path is free of conflicts. It always is before the robot is on its start, which is
// reserved for it from the beginning.
static fw_tick_t last_free(const resolve_t * resolve, int32_t robot, fw_path_t path)
{
  fw_tick_t low = resolve->run->problem->robots[robot].arrives;
  fw_tick_t high = resolve->table.last_tick + path.length + resolve->table.robust_ticks;
  while (low < high) {
    const fw_tick_t middle = low + (high - low + 1) / 2;
    if (is_free(resolve, robot, fw__bcp_cut(resolve->run, robot, path, middle), middle)) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  return low;
}

// A part of the path, or of waiting at the start: what is free of conflicts for longer. False when there is no memory.
static bool set_part(resolve_t * resolve, int32_t robot, fw_tick_t * until)
{
  const fw_path_t chosen = resolve->run->best.paths[robot];
  const fw_path_t start = resolve->paths.starts[robot];
  const fw_tick_t waiting = last_free(resolve, robot, start);
  const fw_tick_t going = last_free(resolve, robot, chosen);
  *until = going >= waiting ? going : waiting;
  resolve->failed = resolve->failed < 0 ? robot : resolve->failed;
  const fw_path_t path = fw__bcp_cut(resolve->run, robot, going >= waiting ? chosen : start, *until);
  return fw__path_buffers_set(&resolve->paths, robot, path);
}

// The robot's path as it is, with waits, or a part of it. False when there is no memory.
static bool set_path(resolve_t * resolve, int32_t robot, fw_tick_t * until)
{
  fw_bcp_t * run = resolve->run;
  const fw_path_t chosen = run->best.paths[robot];
  *until = run->limit;
  if (is_free(resolve, robot, chosen, run->limit)) {
    return fw__path_buffers_set(&resolve->paths, robot, chosen);
  }
  fw_path_t timed;
  const bool can_end = fw__bcp_is_limited(run) || fw__bcp_ends_on_goal(run, robot, &chosen);
  if (can_end && add_waits(resolve, robot, &chosen, &timed)) {
    ++resolve->waits;
    return fw__path_buffers_set_delayed(&resolve->paths, robot, 0, timed);
  }
  return set_part(resolve, robot, until);
}

// Chooses and reserves the path of a robot. False when there is no memory.
static bool place(resolve_t * resolve, int32_t robot, fw_tick_t * until)
{
  fw__reservations_remove(&resolve->table, robot);
  const bool is_set = set_path(resolve, robot, until);
  const fw_booking_t booking = {.path = resolve->paths.paths[robot], .until = *until};
  return is_set && fw__reservations_book(&resolve->table, robot, booking);
}

// ---- all robots -----------------------------------------------------------------------------------------------------

// One order of robots, with those that cannot move first. Returns the last tick without conflicts, -1 when there is no
// memory.
static fw_tick_t try_order(resolve_t * resolve)
{
  fw_bcp_t * run = resolve->run;
  fw_tick_t safe_until = FW_TICK_MAX;
  resolve->failed = -1;
  resolve->waits = 0;
  if (!fw__reservations_reset(&resolve->table)) {
    return -1;
  }
  for (int32_t pass = 0; pass < 2; ++pass) {
    for (int32_t i = 0; i < run->problem->robot_count; ++i) {
      const int32_t robot = run->order.robots[i];
      fw_tick_t until = FW_TICK_MAX;
      if (fw__bcp_is_fixed(run, robot) == (pass == 0) && !place(resolve, robot, &until)) {
        return -1;
      }
      safe_until = resolve->failed >= 0 && until < safe_until ? until : safe_until;
    }
  }
  return safe_until;
}

static bool copy_paths(fw_path_buffers_t * to, const fw_path_buffers_t * from, int32_t count)
{
  bool is_whole = true;
  for (int32_t r = 0; r < count && is_whole; ++r) {
    is_whole = fw__path_buffers_set(to, r, from->paths[r]);
  }
  return is_whole;
}

// A robot that no wait helps becomes the first of its priority in the next try. The try that is free of conflicts for
// longest is kept.
static fw_tick_t try_orders(resolve_t * resolve, fw_path_buffers_t * kept)
{
  fw_bcp_t * run = resolve->run;
  fw_tick_t safe_until = -1;
  for (int32_t i = 0; i < ORDERS_MAX && safe_until < FW_TICK_MAX; ++i) {
    const fw_tick_t tick = try_order(resolve);
    if (tick > safe_until) {
      if (!copy_paths(kept, &resolve->paths, run->problem->robot_count)) {
        return -1;
      }
      safe_until = tick;
      run->waits = resolve->waits;
    }
    if (tick < 0 || resolve->failed < 0) {
      break;
    }
    fw__order_put_first(&run->order, resolve->failed);
  }
  return safe_until;
}

fw_tick_t fw__bcp_resolve(fw_bcp_t * run)
{
  fw_arena_t * arena = run->context->scratch;
  const int64_t effort = (int64_t)EXPANSIONS_PER_ROBOT * run->problem->robot_count + FW_METER_STRIDE;
  resolve_t resolve = {.run = run};
  fw_path_buffers_t kept;
  fw__meter_start(&resolve.meter, &(fw_budget_t){.expansions_max = effort});
  fw_tick_t safe_until = -1;
  if (
    fw__path_buffers_init(&resolve.paths, arena, run->problem) && fw__path_buffers_init(&kept, arena, run->problem) &&
    fw__reservations_init(&resolve.table, arena, run->fleet.places, &run->fleet.bodies)) {
    safe_until = try_orders(&resolve, &kept);
  }
  run->context->meter->expanded += resolve.meter.expanded;
  if (safe_until < 0) {
    return 0;  // no memory: at least tick 0 is free of conflicts
  }
  run->best = kept;
  return safe_until;
}
