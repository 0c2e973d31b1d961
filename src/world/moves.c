// Building the graph of motions: numbering the poses that fit, then connecting them.

#include "world/moves.h"

#include <stdlib.h>

#include "base/assert.h"

enum { TILE = 32 };  // cells along a side

static bool fits(const fw_grid_t * grid, const fw_footprint_t * footprint, int32_t x, int32_t y)
{
  for (int32_t i = 0; i < footprint->count; ++i) {
    if (!fw_grid_is_free(grid, x + footprint->cells[i].dx, y + footprint->cells[i].dy)) {
      return false;
    }
  }
  return true;
}

// Numbers the nodes on one cell.
static int32_t number_cell(fw_moves_t * moves, int32_t x, int32_t y, int32_t count)
{
  const fw_grid_t * grid = moves->grid;
  const fw_cell_t cell = fw_grid_cell(grid, x, y);
  int32_t * node_of = moves->node_of + cell;
  for (int32_t plane = 0; plane < moves->plane_count; ++plane, node_of += fw_grid_cell_count(grid)) {
    const int32_t heading = plane * moves->body->turn_step;
    if (!fits(grid, &moves->body->footprints[heading], x, y)) {
      *node_of = -1;
      continue;
    }
    moves->is_uniform = moves->is_uniform && grid->cost[cell] == 1;
    moves->cell_of[count] = cell;
    if (moves->heading_of != NULL) {
      moves->heading_of[count] = (uint8_t)heading;
    }
    *node_of = count++;
  }
  return count;
}

// Numbers the nodes tile by tile and notes whether all of them cost 1. Returns how many there are.
static int32_t number_nodes(fw_moves_t * moves)
{
  const fw_grid_t * grid = moves->grid;
  int32_t count = 0;
  for (int32_t top = 0; top < grid->height; top += TILE) {
    for (int32_t left = 0; left < grid->width; left += TILE) {
      for (int32_t y = top; y < top + TILE && y < grid->height; ++y) {
        for (int32_t x = left; x < left + TILE && x < grid->width; ++x) {
          count = number_cell(moves, x, y, count);
        }
      }
    }
  }
  return count;
}

static bool swept_cells_are_free(const fw_grid_t * grid, const fw_motion_t * motion, int32_t x, int32_t y)
{
  for (int32_t i = 0; i < motion->sweep_count; ++i) {
    if (!fw_grid_is_free(grid, x + motion->sweeps[i].dx, y + motion->sweeps[i].dy)) {
      return false;
    }
  }
  return true;
}

// Whether a robot may not wait on some node.
static bool find_no_waiting(const fw_moves_t * moves)
{
  bool has_any = false;
  for (int32_t node = 0; moves->grid->rules != NULL && node < moves->node_count && !has_any; ++node) {
    has_any = !fw_grid_allows_waiting(moves->grid, moves->cell_of[node]);
  }
  return has_any;
}

// The node where a motion from a node leads, -1 if it is blocked. A diagonal is possible if the robot fits on both
// cells beside it, or if it may cut corners.
static int32_t follow(const fw_moves_t * moves, int32_t node, int32_t index)
{
  const fw_grid_t * grid = moves->grid;
  const int32_t heading = fw__moves_pose(moves, node).heading;
  const fw_motion_t * motion = &moves->body->motions[heading][index];
  const int32_t x = fw_grid_x(grid, moves->cell_of[node]);
  const int32_t y = fw_grid_y(grid, moves->cell_of[node]);
  if (!fw_grid_contains(grid, x + motion->dx, y + motion->dy)) {
    return -1;
  }
  if (
    motion->dx != 0 && motion->dy != 0 && !moves->body->cuts_corners &&
    (fw__moves_node(moves, (fw_grid_pose_t){fw_grid_cell(grid, x + motion->dx, y), heading}) < 0 ||
     fw__moves_node(moves, (fw_grid_pose_t){fw_grid_cell(grid, x, y + motion->dy), heading}) < 0)) {
    return -1;
  }
  if (motion->heading != heading && !swept_cells_are_free(grid, motion, x, y)) {
    return -1;
  }
  return fw__moves_node(moves, (fw_grid_pose_t){fw_grid_cell(grid, x + motion->dx, y + motion->dy), motion->heading});
}

static void connect(fw_moves_t * moves)
{
  for (int32_t node = 0; node < moves->node_count; ++node) {
    for (int32_t d = 0; d < moves->degree; ++d) {
      moves->next[(size_t)node * (size_t)moves->degree + (size_t)d] = follow(moves, node, d);
    }
  }
}

int32_t fw__step_heading(int32_t dx, int32_t dy)
{
  static const int32_t headings[3][3] = {
    {FW_HEADING_NORTH_WEST, FW_HEADING_NORTH, FW_HEADING_NORTH_EAST},
    {FW_HEADING_WEST, -1, FW_HEADING_EAST},
    {FW_HEADING_SOUTH_WEST, FW_HEADING_SOUTH, FW_HEADING_SOUTH_EAST},
  };
  FW_ASSERT(dx >= -1 && dx <= 1 && dy >= -1 && dy <= 1);
  return headings[dy + 1][dx + 1];
}

bool fw__grid_allows_move(const fw_grid_t * grid, fw_cell_t from, fw_cell_t to)
{
  if (grid->rules == NULL || from == to) {
    return true;
  }
  const int32_t heading =
    fw__step_heading(fw_grid_x(grid, to) - fw_grid_x(grid, from), fw_grid_y(grid, to) - fw_grid_y(grid, from));
  return ((grid->rules[from] | grid->rules[to]) & FW_RULE_ONE_WAY(heading)) == 0;
}

// Whether the rules of both cells allow the motion from a node to another; a turn is always allowed.
static bool is_allowed(const fw_moves_t * moves, int32_t node, int32_t index, int32_t to)
{
  const fw_motion_t * motion = &moves->body->motions[fw__moves_pose(moves, node).heading][index];
  const int32_t heading = fw__step_heading(motion->dx, motion->dy);
  const uint16_t * rules = moves->grid->rules;
  return heading < 0 || ((rules[moves->cell_of[node]] | rules[moves->cell_of[to]]) & FW_RULE_ONE_WAY(heading)) == 0;
}

// Takes away the motions that the rules of the grid forbid.
static void apply_rules(fw_moves_t * moves)
{
  for (int32_t node = 0; node < moves->node_count; ++node) {
    for (int32_t d = 0; d < moves->degree; ++d) {
      int32_t * next = &moves->next[(size_t)node * (size_t)moves->degree + (size_t)d];
      *next = *next >= 0 && is_allowed(moves, node, d, *next) ? *next : -1;
    }
  }
}

// Each motion leads to a node from at most one other node.
static void connect_back(fw_moves_t * moves)
{
  const size_t count = (size_t)moves->node_count * (size_t)moves->degree;
  for (size_t i = 0; i < count; ++i) {
    moves->previous[i] = -1;
  }
  for (size_t i = 0; i < count; ++i) {
    if (moves->next[i] >= 0) {
      const size_t degree = (size_t)moves->degree;
      FW_ASSERT(moves->next[i] < moves->node_count);
      moves->previous[(size_t)moves->next[i] * degree + i % degree] = (int32_t)(i / degree);
    }
  }
}

static bool allocate_nodes(fw_moves_t * moves, fw_arena_t * arena)
{
  const size_t cells = (size_t)fw_grid_cell_count(moves->grid);
  const size_t planes = (size_t)moves->plane_count;
  size_t free_cells = 0;
  for (size_t i = 0; i < cells; ++i) {
    free_cells += moves->grid->cost[i] != 0;
  }
  moves->node_of = fw__arena_allocate(arena, cells * planes, sizeof(*moves->node_of));
  moves->cell_of = fw__arena_allocate(arena, free_cells * planes, sizeof(*moves->cell_of));
  if (moves->body->turn_ticks > 0) {
    moves->heading_of = fw__arena_allocate(arena, free_cells * planes, sizeof(*moves->heading_of));
  }
  return moves->node_of != NULL && moves->cell_of != NULL &&
         (moves->body->turn_ticks == 0 || moves->heading_of != NULL);
}

bool fw__moves_init_body(fw_moves_t * moves, fw_arena_t * arena, const fw_grid_t * grid, const fw_body_t * body)
{
  FW_ASSERT(body->motion_count > 0 && body->motion_count <= FW_MOTIONS_MAX);
  const bool has_heading = body->turn_ticks > 0;
  *moves = (fw_moves_t){
    .grid = grid,
    .body = body,
    .connectivity = body->connectivity,
    .degree = body->motion_count,
    .plane_count = has_heading ? FW_HEADING_COUNT / body->turn_step : 1,
    .move_span = has_heading ? body->ticks_per_move : 1,
    .is_uniform = true,
  };
  for (int32_t d = 0; d < moves->degree; ++d) {
    moves->spans[d] = has_heading ? body->motions[0][d].ticks : 1;
  }
  if (!allocate_nodes(moves, arena)) {
    return false;
  }
  moves->node_count = number_nodes(moves);
  moves->has_no_waiting = find_no_waiting(moves);
  const size_t edges = (size_t)moves->node_count * (size_t)moves->degree;
  moves->next = fw__arena_allocate(arena, edges, sizeof(*moves->next));
  const bool is_two_way = !has_heading && grid->rules == NULL;
  moves->previous = is_two_way ? moves->next : fw__arena_allocate(arena, edges, sizeof(*moves->previous));
  if (moves->next == NULL || moves->previous == NULL) {
    return false;
  }
  connect(moves);
  if (grid->rules != NULL) {
    apply_rules(moves);
  }
  if (!is_two_way) {
    connect_back(moves);
  }
  FW_ASSERT(fw__moves_validate(moves));
  return true;
}

bool fw__moves_init_cells(fw_moves_t * moves, fw_arena_t * arena, const fw_problem_t * problem)
{
  const fw_robot_t robot = {
    .ticks_per_move = 1, .footprint = fw__footprint_single.cells, .footprint_count = fw__footprint_single.count};
  fw_body_t * body = fw__arena_allocate(arena, 1, sizeof(*body));
  if (body == NULL || !fw__body_init(body, arena, &robot, problem->connectivity)) {
    return false;
  }
  body->cuts_corners = problem->cuts_corners;
  return fw__moves_init_body(moves, arena, problem->grid, body);
}

int32_t fw__moves_any_node(const fw_moves_t * moves, fw_cell_t cell)
{
  FW_ASSERT(cell >= 0 && cell < fw_grid_cell_count(moves->grid));
  for (int32_t plane = 0; plane < moves->plane_count; ++plane) {
    const int32_t node = moves->node_of[(size_t)plane * (size_t)fw_grid_cell_count(moves->grid) + (size_t)cell];
    if (node >= 0) {
      return node;
    }
  }
  return -1;
}

int32_t fw__grid_distance(const fw_grid_t * grid, int32_t degree, fw_cell_t from, fw_cell_t to)
{
  FW_ASSERT(degree == 4 || degree == 8);
  const int32_t dx = abs(fw_grid_x(grid, from) - fw_grid_x(grid, to));
  const int32_t dy = abs(fw_grid_y(grid, from) - fw_grid_y(grid, to));
  return degree == 4 ? dx + dy : (dx > dy ? dx : dy);
}

// The motion that leads back along `motion` of a body without heading.
static int32_t opposite(const fw_moves_t * moves, int32_t motion)
{
  const fw_motion_t * motions = moves->body->motions[0];
  int32_t back = 0;
  while (motions[back].dx != -motions[motion].dx || motions[back].dy != -motions[motion].dy) {
    ++back;
  }
  return back;
}

bool fw__moves_validate(const fw_moves_t * moves)
{
  for (int32_t node = 0; node < moves->node_count; ++node) {
    const fw_cell_t cell = moves->cell_of[node];
    if (
      cell < 0 || cell >= fw_grid_cell_count(moves->grid) || moves->grid->cost[cell] == 0 ||
      fw__moves_node(moves, fw__moves_pose(moves, node)) != node) {
      return false;
    }
    const int32_t * next = fw__moves_successors(moves, node);
    for (int32_t d = 0; d < moves->degree; ++d) {
      if (next[d] < -1 || next[d] >= moves->node_count) {
        return false;
      }
      const int32_t back = moves->previous != moves->next ? d : opposite(moves, d);
      if (next[d] >= 0 && fw__moves_predecessors(moves, next[d])[back] != node) {
        return false;
      }
    }
  }
  return true;
}
