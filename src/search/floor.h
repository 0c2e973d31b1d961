// The floor: the grid as one robot sees it (its configuration space), laid out for searches.
//
// A place is an index into the grid padded with a margin of one blocked place on each side, so that a search looks at
// neighbours without testing where the map ends:
//
//   # # # # # #      stride = width + 2
//   # . . . . #      place of cell (x, y) = (y + 1) * stride + x + 1
//   # . . . . #
//   # # # # # #
//
// Each place has a byte of moves; bit d is set if the move in direction d is allowed. Directions are those of
// world/body.h (east, south, west, north, then the diagonals between them); hexagonal tiles have six, clockwise from
// east.
//
// Costs are integers. A straight move is `straight` long and a diagonal `diagonal`, a fraction near the square root of
// 2 if the options say so; a move costs its length times the cost byte of the place entered.

#ifndef SEARCH__FLOOR_H_
#define SEARCH__FLOOR_H_

#include <stdlib.h>

#include "base/assert.h"
#include "fleetweave/search.h"
#include "world/footprint.h"

enum { FW_FLOOR_DIRECTIONS = 8 };

typedef struct fw_floor_t {
  const fw_grid_t * grid;  // borrowed
  int32_t width;
  int32_t height;
  int32_t stride;
  int32_t place_count;                    // margins included
  uint8_t * cost;                         // by place: the cell's cost byte where the robot fits, else 0
  uint8_t * moves;                        // by place: bit d is set if the move in direction d is allowed
  int32_t degree;                         // 4, 6 or 8
  int32_t steps[2][FW_FLOOR_DIRECTIONS];  // to the neighbour, for rows of even and odd y (the same for square tiles)
  int32_t opposite[FW_FLOOR_DIRECTIONS];
  int32_t lengths[FW_FLOOR_DIRECTIONS];  // of a move, to be multiplied by the cost of the place entered
  int32_t straight;
  int32_t diagonal;  // with 4 directions: two straight moves
  int32_t cost_min;  // least cost byte where the robot fits; 1 if it fits nowhere
  int32_t cost_max;
  bool is_uniform;   // every free place costs 1
  bool has_one_way;  // a move may have no opposite one
  int32_t free_count;
  fw_diagonal_t diagonal_rule;
  fw_footprint_t footprint;  // cells that must be free: those of the robot and of the clearance
  int32_t reach;             // Chebyshev distance of the footprint's farthest cell
} fw_floor_t;

// The grid and the robot that the floor is made for. `footprint` and `clearance` as in fw_router_options_t.
typedef struct fw_floor_options_t {
  const fw_grid_t * grid;  // borrowed by the floor
  int32_t connectivity;
  fw_diagonal_t diagonal;
  fw_footprint_t footprint;
  int32_t clearance;
  int32_t cost_max;  // the largest cost byte that updates will bring; 0: no more than the grid has now
} fw_floor_options_t;

// The grid stays borrowed. FW_RET_UNSUPPORTED if the cost of the longest simple path could overflow 32 bits.
FW_MUST_USE fw_ret_t
fw__floor_init(fw_floor_t * floor, fw_arena_t * arena, const fw_floor_options_t * options, fw_error_t * error);

// Some cells of the grid have changed. False if the floor must be initialised again: a cost outside cost_min to
// cost_max, or costs that could now overflow.
bool fw__floor_update(fw_floor_t * floor, const fw_cell_t * cells, int32_t cell_count);

static inline int32_t fw__floor_place(const fw_floor_t * floor, fw_cell_t cell)
{
  FW_ASSERT(cell >= 0 && cell < floor->width * floor->height);
  return (cell / floor->width + 1) * floor->stride + cell % floor->width + 1;
}
static inline int32_t fw__floor_place_at(const fw_floor_t * floor, int32_t x, int32_t y)
{
  return (y + 1) * floor->stride + x + 1;
}
static inline int32_t fw__floor_y(const fw_floor_t * floor, int32_t place)
{
  return (int32_t)((uint32_t)place / (uint32_t)floor->stride) - 1;
}
static inline int32_t fw__floor_x(const fw_floor_t * floor, int32_t place)
{
  return (int32_t)((uint32_t)place % (uint32_t)floor->stride) - 1;
}
static inline fw_cell_t fw__floor_cell(const fw_floor_t * floor, int32_t place)
{
  return fw__floor_y(floor, place) * floor->width + fw__floor_x(floor, place);
}
// Whether the robot fits at (x, y); any coordinates are allowed.
static inline bool fw__floor_is_free(const fw_floor_t * floor, int32_t x, int32_t y)
{
  return x >= 0 && y >= 0 && x < floor->width && y < floor->height && floor->cost[fw__floor_place_at(floor, x, y)] != 0;
}
// Whether the cell of a place forbids moves in some direction.
static inline bool fw__floor_is_one_way(const fw_floor_t * floor, int32_t place)
{
  return floor->has_one_way && (floor->grid->rules[fw__floor_cell(floor, place)] & 0xff) != 0;
}
// The neighbour in a direction; the place must not lie in the margin.
static inline int32_t fw__floor_next(const fw_floor_t * floor, int32_t place, int32_t direction)
{
  return place + floor->steps[floor->degree == 6 ? fw__floor_y(floor, place) & 1 : 0][direction];
}
// The cost of the move in `direction` that enters `to`.
static inline int32_t fw__floor_step_cost(const fw_floor_t * floor, int32_t to, int32_t direction)
{
  return floor->lengths[direction] * floor->cost[to];
}

// The octile distance (Manhattan with 4 directions) times the least cost: an admissible and consistent heuristic.
static inline int32_t fw__floor_estimate(const fw_floor_t * floor, int32_t dx, int32_t dy)
{
  const int32_t across = abs(dx);
  const int32_t down = abs(dy);
  const int32_t less = across < down ? across : down;
  return ((across + down - 2 * less) * floor->straight + less * floor->diagonal) * floor->cost_min;
}

// The same between two places, on hexagonal tiles too.
int32_t fw__floor_estimate_between(const fw_floor_t * floor, int32_t from, int32_t to);

#endif  // SEARCH__FLOOR_H_
