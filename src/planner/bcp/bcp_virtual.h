// Virtual costs: what keeps a robot away from where it would collide. A Gaussian around the point, cut off at two sigma,
// in whole numbers.
//
//   height x exp(-d^2 / (2 sigma^2)),  d <= 2 sigma,  sigma = the parameter x how many robots collide
//
// Each robot has a list of its own. Before it searches its costs are laid out over the cells, so that a search asks for
// their sum at a place in one step; searches through time take the distance in time into account as well and go through
// the list.

#ifndef PLANNER__BCP__BCP_VIRTUAL_H_
#define PLANNER__BCP__BCP_VIRTUAL_H_

#include "base/arena.h"

// What a move on plain floor counts in searches, so that costs have fractions; less on maps where sums could overflow.
enum { FW_BCP_UNIT = 64 };
// Sums at one place go no higher than so many moves, and sigma does not grow with more robots than that.
enum { FW_BCP_MOVES_MAX = 256, FW_BCP_CROWD_MAX = 16 };

typedef struct fw_bcp_bump_t {
  fw_cell_t cell;  // where the collision was
  fw_tick_t tick;  // when
  int32_t robots;  // how many were in it
} fw_bcp_bump_t;

typedef struct fw_bcp_bumps_t {
  fw_bcp_bump_t * items;
  int32_t count;
  int32_t capacity;
} fw_bcp_bumps_t;

bool fw__bcp_bumps_push(fw_bcp_bumps_t * bumps, fw_arena_t * arena, fw_bcp_bump_t bump);

// The value of a Gaussian of that height at squared distance `distance2`, rounded down; 0 beyond two sigma. `sigma` is in
// hundredths of a cell.
int32_t fw__bcp_gauss(int32_t height, int32_t sigma, int64_t distance2);

typedef struct fw_bcp_field_t {
  fw_arena_t * arena;
  const fw_grid_t * grid;
  int32_t height;  // at the collision, in units of cost
  int32_t sigma;   // for each robot in it, in hundredths of a cell
  int32_t sum_max;
  int32_t * values[FW_BCP_CROWD_MAX + 1];  // by robots in a collision: the Gaussian by squared distance; NULL so far
  int32_t reach[FW_BCP_CROWD_MAX + 1];     // how many cells it goes along a row
  int32_t far2[FW_BCP_CROWD_MAX + 1];      // and to which squared distance at most
  int32_t * costs;                         // by cell: what is laid out
} fw_bcp_field_t;

typedef struct fw_bcp_shape_t {
  int32_t height;  // hundredths of a move
  int32_t sigma;   // hundredths of a cell
  int32_t unit;    // of a move
} fw_bcp_shape_t;

bool fw__bcp_field_init(fw_bcp_field_t * field, fw_arena_t * arena, const fw_grid_t * grid, fw_bcp_shape_t shape);

// Lays out the costs of one robot, and takes them up again before the next. False when there is no memory.
bool fw__bcp_field_lay(fw_bcp_field_t * field, const fw_bcp_bumps_t * bumps);
void fw__bcp_field_lift(fw_bcp_field_t * field, const fw_bcp_bumps_t * bumps);

// The sum at a cell, of what is laid out.
static inline int32_t fw__bcp_field_at(const fw_bcp_field_t * field, fw_cell_t cell)
{
  return field->costs[cell] < field->sum_max ? field->costs[cell] : field->sum_max;
}
// How far a virtual cost goes along a row, and in ticks. It must have been laid out once.
int32_t fw__bcp_field_reach(const fw_bcp_field_t * field, const fw_bcp_bump_t * bump);
// The sum at a cell and tick, where a tick counts as far as a cell. The bumps must have been laid out once.
int32_t fw__bcp_field_at_tick(
  const fw_bcp_field_t * field, const fw_bcp_bumps_t * bumps, fw_cell_t cell, fw_tick_t tick);

#endif  // PLANNER__BCP__BCP_VIRTUAL_H_
