// Where a robot of one shape can stand, and which moves it has there: the grid as a graph.
//
// Places (nodes) are numbered without gaps, tile by tile of 32 x 32 cells, so that searches over a small part of a
// large map touch few pages and neighbours are near each other in memory.

#ifndef WORLD__MOVES_H_
#define WORLD__MOVES_H_

#include "base/arena.h"

enum { FW_DIRECTIONS = 8 };
// East, south (y + 1), west, north, then the diagonals between them.
extern const fw_offset_t fw_directions[FW_DIRECTIONS];

typedef struct fw_moves_t {
  const fw_grid_t * grid;
  int32_t degree;  // 4 or 8
  int32_t node_count;
  fw_cell_t * cell_of;  // node to cell
  int32_t * node_of;    // cell to node, -1 where the robot does not fit
  int32_t * next;       // next[node * degree + direction]: node, or -1
  bool is_uniform;      // every place costs 1
} fw_moves_t;

// `footprint` as in fw_robot_t, count at least 1. False when there is no memory.
bool fw_moves_init(
  fw_moves_t * moves, fw_arena_t * arena, const fw_grid_t * grid, int32_t connectivity, const fw_offset_t * footprint,
  int32_t footprint_count);

static inline const int32_t * fw_moves_of(const fw_moves_t * moves, int32_t node)
{
  return moves->next + (size_t)node * (size_t)moves->degree;
}

static inline int32_t fw_moves_cost(const fw_moves_t * moves, int32_t node)
{
  return moves->grid->cost[moves->cell_of[node]];
}

// A lower bound on the number of moves between two cells: Manhattan for 4 directions, the larger difference for 8
// (a diagonal takes as long as a straight move).
int32_t fw_moves_estimate(const fw_grid_t * grid, int32_t degree, fw_cell_t from, fw_cell_t to);

#endif  // WORLD__MOVES_H_
