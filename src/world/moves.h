// The graph of a body's motions on a grid (a state lattice): where the robot can stand, and where each motion leads.
//
// A node is a pose that fits: a cell, or a cell with a heading. Nodes are numbered without gaps, tile by tile of 32 x
// 32 cells, so that searches over a small part of a large map touch few pages and neighbours are near each other in
// memory. The graph knows the grid only: other robots, closures and waits are not in it.

#ifndef WORLD__MOVES_H_
#define WORLD__MOVES_H_

#include "base/assert.h"
#include "world/body.h"

typedef struct fw_moves_t {
  const fw_grid_t * grid;
  const fw_body_t * body;
  int32_t connectivity;  // 4 or 8
  int32_t degree;        // motions at each node, possible or not: body->motion_count
  int32_t node_count;
  fw_cell_t * cell_of;   // node to cell
  uint8_t * heading_of;  // node to heading; NULL for a body without heading
  int32_t * node_of;  // cell to node, -1 where the robot does not fit; with headings a plane of cells for each heading
  int32_t plane_count;
  int32_t * next;  // next[node * degree + motion]: the node where it leads, -1 if it is blocked
  // previous[node * degree + motion]: the node from which that motion leads here, or -1. Without headings and one-way
  // cells it is the same table as `next`, since every motion has an opposite one.
  int32_t * previous;
  // The length of each motion in distances: 1 without headings, where distances count moves; else its ticks.
  int32_t spans[FW_MOTIONS_MAX];
  int32_t move_span;    // the length of a move to the next cell
  bool is_uniform;      // every node costs 1
  bool has_no_waiting;  // there are nodes where robots may not wait
} fw_moves_t;

// The heading of a step to a neighbouring cell, -1 for none at all.
int32_t fw__step_heading(int32_t dx, int32_t dy);
// Whether the one-way rules of both cells allow a move to a neighbouring cell.
bool fw__grid_allows_move(const fw_grid_t * grid, fw_cell_t from, fw_cell_t to);

// The graph of a body, which stays borrowed like the grid. False when there is no memory.
bool fw__moves_init_body(fw_moves_t * moves, fw_arena_t * arena, const fw_grid_t * grid, const fw_body_t * body);
// The same for a robot of one cell, without heading and with one tick per move, by the rules of a normalised problem:
// its connectivity, and whether corners are cut. The robots of the problem do not matter.
bool fw__moves_init_cells(fw_moves_t * moves, fw_arena_t * arena, const fw_problem_t * problem);

// `degree` nodes, in the order of the body's motions; -1 where a motion is blocked.
static inline const int32_t * fw__moves_successors(const fw_moves_t * moves, int32_t node)
{
  FW_ASSERT(node >= 0 && node < moves->node_count);
  return moves->next + (size_t)node * (size_t)moves->degree;
}
// The same backwards: the nodes from which each motion leads to `node`.
static inline const int32_t * fw__moves_predecessors(const fw_moves_t * moves, int32_t node)
{
  FW_ASSERT(node >= 0 && node < moves->node_count);
  return moves->previous + (size_t)node * (size_t)moves->degree;
}

// The cost of the node's cell, 1 to 255.
static inline int32_t fw__moves_cost(const fw_moves_t * moves, int32_t node)
{
  FW_ASSERT(node >= 0 && node < moves->node_count);
  return moves->grid->cost[moves->cell_of[node]];
}

// Whether a robot may wait on the node, apart from its start and its goal.
static inline bool fw__moves_allow_waiting(const fw_moves_t * moves, int32_t node)
{
  FW_ASSERT(node >= 0 && node < moves->node_count);
  return !moves->has_no_waiting || fw_grid_allows_waiting(moves->grid, moves->cell_of[node]);
}
// The node beside another one in a direction 0 to 3 (east, south, west, north), for a body without heading, whether or
// not a move leads there; -1 where the robot does not fit.
static inline int32_t fw__moves_beside(const fw_moves_t * moves, int32_t node, int32_t direction)
{
  FW_ASSERT(moves->heading_of == NULL && direction >= 0 && direction < 4);
  if (moves->previous == moves->next) {
    return fw__moves_successors(moves, node)[direction];
  }
  const fw_motion_t * motion = &moves->body->motions[0][direction];
  const int32_t x = fw_grid_x(moves->grid, moves->cell_of[node]) + motion->dx;
  const int32_t y = fw_grid_y(moves->grid, moves->cell_of[node]) + motion->dy;
  return fw_grid_contains(moves->grid, x, y) ? moves->node_of[fw_grid_cell(moves->grid, x, y)] : -1;
}

// The node of a pose; -1 where the robot does not fit.
static inline int32_t fw__moves_node(const fw_moves_t * moves, fw_grid_pose_t pose)
{
  FW_ASSERT(pose.cell >= 0 && pose.cell < fw_grid_cell_count(moves->grid));
  const int32_t plane = moves->heading_of == NULL ? 0 : pose.heading / moves->body->turn_step;
  return moves->node_of[(size_t)plane * (size_t)fw_grid_cell_count(moves->grid) + (size_t)pose.cell];
}
// The pose of a node.
static inline fw_grid_pose_t fw__moves_pose(const fw_moves_t * moves, int32_t node)
{
  FW_ASSERT(node >= 0 && node < moves->node_count);
  return (fw_grid_pose_t){moves->cell_of[node], moves->heading_of == NULL ? 0 : moves->heading_of[node]};
}
// A node on the cell, with the first heading that fits; -1 if there is none.
int32_t fw__moves_any_node(const fw_moves_t * moves, fw_cell_t cell);

// The distance of two cells in moves without obstacles, a lower bound: Manhattan for 4 directions, Chebyshev for 8 (a
// diagonal takes as long as a straight move).
int32_t fw__grid_distance(const fw_grid_t * grid, int32_t degree, fw_cell_t from, fw_cell_t to);

// Whether the tables agree: cells and nodes map to each other, all nodes are in range, and `previous` is the inverse of
// `next`.
bool fw__moves_validate(const fw_moves_t * moves);

#endif  // WORLD__MOVES_H_
