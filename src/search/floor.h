// The floor: the grid as one robot sees it, laid out for searches.
//
// A place is an index into rows with a margin of one blocked place around the map, so that a search looks at neighbours
// without asking where the map ends:
//
//   # # # # # #      stride = width + 2
//   # . . . . #      place of cell (x, y) = (y + 1) * stride + x + 1
//   # . . . . #
//   # # # # # #
//
// Each place has a byte of moves, bit d set if direction d is open: a search need not look at neighbours that it cannot
// go to. Directions are those of world/body.h (east, south, west, north, then the diagonals between them); hexagonal
// tiles have six, clockwise from east.

#ifndef SEARCH__FLOOR_H_
#define SEARCH__FLOOR_H_

#include <stdlib.h>

#include "fleetweave/search.h"
#include "world/footprint.h"

enum { FW_FLOOR_DIRECTIONS = 8 };

typedef struct fw_floor_t {
  const fw_grid_t * grid;  // borrowed
  int32_t width;
  int32_t height;
  int32_t stride;
  int32_t place_count;                    // margins included
  uint8_t * cost;                         // by place: the cell's own byte where the robot fits, else 0
  uint8_t * moves;                        // by place: bit d, direction d is open
  int32_t degree;                         // 4, 6 or 8
  int32_t steps[2][FW_FLOOR_DIRECTIONS];  // to the neighbour, for rows of even and odd y (the same for square tiles)
  int32_t opposite[FW_FLOOR_DIRECTIONS];
  int32_t lengths[FW_FLOOR_DIRECTIONS];  // of a move, before the cost of the cell
  int32_t straight;
  int32_t diagonal;  // for 4 directions: two straight moves
  int32_t cost_min;  // of places where the robot fits; 1 if there are none
  int32_t cost_max;
  bool is_uniform;  // every place costs 1
  int32_t free_count;
  fw_diagonal_t diagonal_rule;
  fw_footprint_t footprint;  // what must be free: the robot's and the clearance's
  int32_t reach;             // the farthest cell of it along an axis
} fw_floor_t;

// What the floor is made for. `footprint` and `clearance` as in fw_router_options_t.
typedef struct fw_floor_options_t {
  int32_t connectivity;
  fw_diagonal_t diagonal;
  fw_footprint_t footprint;
  int32_t clearance;
  int32_t cost_max;  // changes will not bring dearer floor than that; 0: than there is
} fw_floor_options_t;

// FW_RET_UNSUPPORTED if costs along the longest way could overflow.
FW_MUST_USE fw_ret_t fw__floor_init(
  fw_floor_t * floor, fw_arena_t * arena, const fw_grid_t * grid, const fw_floor_options_t * options,
  fw_error_t * error);

// The grid's cells have changed. False if the floor must be made anew: cheaper or dearer floor than there was.
bool fw__floor_update(fw_floor_t * floor, const fw_cell_t * cells, int32_t cell_count);

static inline int32_t fw__floor_place(const fw_floor_t * floor, fw_cell_t cell)
{
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
// Any coordinates, also far outside.
static inline bool fw__floor_is_free(const fw_floor_t * floor, int32_t x, int32_t y)
{
  return x >= 0 && y >= 0 && x < floor->width && y < floor->height && floor->cost[fw__floor_place_at(floor, x, y)] != 0;
}
// The neighbour in a direction; the place must not be in the margin.
static inline int32_t fw__floor_next(const fw_floor_t * floor, int32_t place, int32_t direction)
{
  return place + floor->steps[floor->degree == 6 ? fw__floor_y(floor, place) & 1 : 0][direction];
}
// What the move from there costs.
static inline int32_t fw__floor_step_cost(const fw_floor_t * floor, int32_t to, int32_t direction)
{
  return floor->lengths[direction] * floor->cost[to];
}
// The direction from a place to its neighbour, -1 if it is none.
int32_t fw__floor_direction(const fw_floor_t * floor, int32_t from, int32_t to);

// The least that a way can cost: as if the floor were open and as cheap as it is anywhere.
static inline int32_t fw__floor_estimate(const fw_floor_t * floor, int32_t dx, int32_t dy)
{
  const int32_t across = abs(dx);
  const int32_t down = abs(dy);
  const int32_t less = across < down ? across : down;
  return ((across + down - 2 * less) * floor->straight + less * floor->diagonal) * floor->cost_min;
}

// The same between any two places, hexagons too.
int32_t fw__floor_estimate_between(const fw_floor_t * floor, int32_t from, int32_t to);

#endif  // SEARCH__FLOOR_H_
