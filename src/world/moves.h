// Where a robot of one body can stand, and which motions it has there: the grid as a graph.
//
// Places (nodes) are cells, or cells with a heading. They are numbered without gaps, tile by tile of 32 x 32 cells, so
// that searches over a small part of a large map touch few pages and neighbours are near each other in memory.

#ifndef WORLD__MOVES_H_
#define WORLD__MOVES_H_

#include "world/body.h"

typedef struct fw_moves_t {
  const fw_grid_t * grid;
  const fw_body_t * body;
  int32_t connectivity;  // 4 or 8
  int32_t degree;        // motions at each node: body->motion_count
  int32_t node_count;
  fw_cell_t * cell_of;   // node to cell
  uint8_t * heading_of;  // node to heading; NULL without
  int32_t * node_of;     // cell to node, -1 where the robot does not fit; with headings a plane of cells for each
  int32_t plane_count;
  int32_t * next;      // next[node * degree + motion]: node, or -1
  int32_t * previous;  // the node from which that motion leads here, or -1; the same table as `next` without headings,
                       // where every motion has one that goes back
  // What a motion counts in distances: 1 without headings, where they are in moves; else its ticks.
  int32_t spans[FW_MOTIONS_MAX];
  int32_t move_span;  // of a move, the least that brings the robot from a cell to the next
  bool is_uniform;    // every place costs 1
} fw_moves_t;

// `body` stays borrowed. False when there is no memory.
bool fw__moves_init_body(fw_moves_t * moves, fw_arena_t * arena, const fw_grid_t * grid, const fw_body_t * body);
// The same for a robot without heading of one tick per move. `footprint` as in fw_robot_t, count at least 1.
bool fw__moves_init(
  fw_moves_t * moves, fw_arena_t * arena, const fw_grid_t * grid, int32_t connectivity, const fw_offset_t * footprint,
  int32_t footprint_count);
// The same for a robot of one cell, by the rules of a problem as the door leaves it: its connectivity, and whether
// corners are cut. Its robots are not looked at.
bool fw__moves_init_cells(fw_moves_t * moves, fw_arena_t * arena, const fw_problem_t * problem);

static inline const int32_t * fw__moves_successors(const fw_moves_t * moves, int32_t node)
{
  return moves->next + (size_t)node * (size_t)moves->degree;
}
static inline const int32_t * fw__moves_predecessors(const fw_moves_t * moves, int32_t node)
{
  return moves->previous + (size_t)node * (size_t)moves->degree;
}

static inline int32_t fw__moves_cost(const fw_moves_t * moves, int32_t node)
{
  return moves->grid->cost[moves->cell_of[node]];
}

// Poses to nodes and back. -1 where the robot does not fit.
static inline int32_t fw__moves_node(const fw_moves_t * moves, fw_grid_pose_t pose)
{
  const int32_t plane = moves->heading_of == NULL ? 0 : pose.heading / moves->body->turn_step;
  return moves->node_of[(size_t)plane * (size_t)fw_grid_cell_count(moves->grid) + (size_t)pose.cell];
}
static inline fw_grid_pose_t fw__moves_pose(const fw_moves_t * moves, int32_t node)
{
  return (fw_grid_pose_t){moves->cell_of[node], moves->heading_of == NULL ? 0 : moves->heading_of[node]};
}
// A node on the cell, with whatever heading; -1 if there is none.
int32_t fw__moves_any_node(const fw_moves_t * moves, fw_cell_t cell);

// A lower bound on the number of moves between two cells: Manhattan for 4 directions, the larger difference for 8
// (a diagonal takes as long as a straight move).
int32_t fw__grid_distance(const fw_grid_t * grid, int32_t degree, fw_cell_t from, fw_cell_t to);

#endif  // WORLD__MOVES_H_
