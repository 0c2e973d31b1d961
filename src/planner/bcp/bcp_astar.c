// A* over places for one robot, with virtual costs: part of what a step costs, or part of the estimate as in the paper.
//
// The estimate is the true distance. Among ways that are as good the one that is found first is taken; or by choice the
// straight one, as the paper's Euclidean estimate has it: of the places next to one that is as good as any the one nearest
// to the line from start to goal is looked at first, for the queue hands out what was put in last.
//
// Greedy search is the same without the cost so far; as it knows nothing but estimates, virtual costs are part of them.

#include <stdlib.h>

#include "planner/bcp/bcp.h"

typedef struct query_t {
  fw_bcp_t * run;
  const fw_moves_t * moves;
  fw_distance_t * distance;
  int32_t robot;
  int32_t weight;
  bool is_greedy;
  bool is_in_estimates;  // virtual costs
  fw_tick_t begin;       // when the robot is on its start
  int32_t x, y, dx, dy;  // the line from start to goal
} query_t;

static void offer(const query_t * query, int32_t at, int32_t parent, int32_t motion)
{
  fw_bcp_t * run = query->run;
  const fw_moves_t * moves = query->moves;
  const fw_cell_t cell = moves->cell_of[at];
  const int32_t bump = fw__bcp_field_at(&run->field, cell);
  fw_bcp_node_t next = {.seen = run->search_number, .parent = parent, .tick = query->begin};
  if (parent >= 0) {
    const fw_bcp_node_t * from = &run->nodes[parent];
    const int32_t heading = fw__moves_pose(moves, parent).heading;
    const int32_t floor = query->distance->is_weighted ? fw__moves_cost(moves, at) : 1;
    next.g = from->g + run->unit * moves->spans[motion] * floor + (query->is_in_estimates ? 0 : bump);
    next.tick = from->tick + run->fleet.bodies.of[query->robot]->motions[heading][motion].ticks;
  }
  fw_bcp_node_t * node = &run->nodes[at];
  if (node->seen == run->search_number && (node->is_closed || node->g <= next.g)) {
    return;
  }
  const int32_t left = fw__distance_get(query->distance, at, run->context->meter);
  if (fw__bcp_has_stopped(run) || left == FW_DISTANCE_NONE) {
    return;  // a robot that turns may get where it cannot get out
  }
  *node = next;
  const int64_t estimate = (int64_t)left * run->unit * query->weight / 100 + (query->is_in_estimates ? bump : 0);
  if (!fw__bucket_queue_push(&run->open, estimate + (query->is_greedy ? 0 : next.g), at, next.g)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
}

// How far a place is from the line, in some measure; 0 where that does not matter.
static int64_t deviation(const query_t * query, int32_t node)
{
  if (query->run->options.is_straight == 0) {
    return 0;
  }
  const fw_grid_t * grid = query->moves->grid;
  const fw_cell_t cell = query->moves->cell_of[node];
  const int64_t x = fw_grid_x(grid, cell) - query->x;
  const int64_t y = fw_grid_y(grid, cell) - query->y;
  return llabs(x * query->dy - y * query->dx);
}

// Farthest from the line first, else in the order of motions.
static void expand(const query_t * query, int32_t at)
{
  const fw_moves_t * moves = query->moves;
  const int32_t * next = fw__moves_successors(moves, at);
  int32_t motions[FW_MOTIONS_MAX];
  int64_t deviations[FW_MOTIONS_MAX];
  int32_t count = 0;
  for (int32_t d = 0; d < moves->degree; ++d) {
    if (next[d] < 0) {
      continue;
    }
    const int64_t far = deviation(query, next[d]);
    int32_t place = count++;
    for (; place > 0 && deviations[place - 1] < far; --place) {
      motions[place] = motions[place - 1];
      deviations[place] = deviations[place - 1];
    }
    motions[place] = d;
    deviations[place] = far;
  }
  for (int32_t i = 0; i < count && !fw__bcp_has_stopped(query->run); ++i) {
    offer(query, next[motions[i]], at, motions[i]);
  }
}

bool fw__bcp_reserve_path(fw_bcp_t * run, int32_t length)
{
  while (run->cell_capacity < length) {
    fw_arena_t * arena = run->context->scratch;
    run->cells = fw__arena_grow(arena, NULL, 0, sizeof(*run->cells), &run->cell_capacity);
    run->headings =
      run->cells == NULL ? NULL : fw__arena_allocate(arena, (size_t)run->cell_capacity, sizeof(*run->headings));
    if (run->headings == NULL) {
      run->cell_capacity = 0;
      return false;
    }
  }
  return true;
}

// On the way to a place a robot is listed on the one that it leaves.
static fw_found_t trace(const query_t * query, int32_t last, fw_path_t * path)
{
  fw_bcp_t * run = query->run;
  const int32_t length = run->nodes[last].tick - query->begin + 1;
  if (!fw__bcp_reserve_path(run, length)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return FW_FOUND_STOPPED;
  }
  for (int32_t node = last, end = length; node >= 0; node = run->nodes[node].parent) {
    const fw_grid_pose_t pose = fw__moves_pose(query->moves, node);
    const int32_t first = run->nodes[node].tick - query->begin;
    for (int32_t at = first; at < end; ++at) {
      run->cells[at] = pose.cell;
      run->headings[at] = (uint8_t)pose.heading;
    }
    end = first;
  }
  const bool has_heading = query->moves->heading_of != NULL;
  *path = (fw_path_t){.cells = run->cells, .length = length, .headings = has_heading ? run->headings : NULL};
  return FW_FOUND_PATH;
}

// With a weight, and without the cost so far, keys fall on the way, down to the length of the shortest or to nothing: a mark there keeps the queue from making room
// again and again.
static void open_range(const query_t * query, int32_t start)
{
  fw_bcp_t * run = query->run;
  const int32_t left = fw__distance_get(query->distance, start, run->context->meter);
  const int64_t least = query->is_greedy ? 0 : (int64_t)left * run->unit;
  if ((query->weight > 100 || query->is_greedy) && !fw__bucket_queue_push(&run->open, least, -1, 0)) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
  }
}

fw_found_t fw__bcp_astar(fw_bcp_t * run, int32_t robot, int32_t weight, fw_path_t * path)
{
  const fw_robot_t * shape = &run->problem->robots[robot];
  const fw_moves_t * moves = run->fleet.moves[robot];
  const fw_grid_t * grid = run->problem->grid;
  const bool is_greedy = weight == FW_BCP_GREEDY;
  const query_t query = {
    .run = run,
    .moves = moves,
    .distance = fw__fleet_distance(&run->fleet, robot),
    .robot = robot,
    .weight = is_greedy ? 100 : weight,
    .is_greedy = is_greedy,
    .is_in_estimates = is_greedy || run->options.is_in_estimates != 0,
    .begin = shape->arrives,
    .x = fw_grid_x(grid, shape->start),
    .y = fw_grid_y(grid, shape->start),
    .dx = fw_grid_x(grid, shape->goal) - fw_grid_x(grid, shape->start),
    .dy = fw_grid_y(grid, shape->goal) - fw_grid_y(grid, shape->start),
  };
  ++run->search_number;
  fw__bucket_queue_clear(&run->open);
  const int32_t start = fw__moves_node(moves, (fw_grid_pose_t){shape->start, shape->heading});
  open_range(&query, start);
  offer(&query, start, -1, 0);
  int32_t at, g;
  int64_t key;
  while (!fw__bcp_has_stopped(run) && fw__bucket_queue_pop(&run->open, &at, &g, &key)) {
    fw_bcp_node_t * node = at >= 0 ? &run->nodes[at] : NULL;
    if (node == NULL || node->is_closed || node->g != g) {
      continue;  // known by a better way
    }
    if (moves->cell_of[at] == shape->goal || node->tick >= run->limit) {
      return trace(&query, at, path);
    }
    node->is_closed = true;  // for good, even where an estimate that errs hides a better way
    (void)fw__meter_add(run->context->meter, 1);
    expand(&query, at);
  }
  return fw__bcp_has_stopped(run) ? FW_FOUND_STOPPED : FW_FOUND_NONE;
}
