// Virtual costs: what keeps a robot away from a predicted collision. A Gaussian around the collision, cut off at two
// sigma, in integers:
//
//   height x exp(-d^2 / (2 sigma^2)),  d <= 2 sigma,  sigma = the parameter x number of robots that collide
//
// Each robot has a list of its own. Before it searches, its costs are summed up in a field over the cells, so that a
// search reads the sum at a cell in one step. Searches through time also count the distance in time, and go through the
// list.

#ifndef PLANNER__BCP__VIRTUAL_COST_H_
#define PLANNER__BCP__VIRTUAL_COST_H_

#include "base/arena.h"

// The cost of a move on floor of cost 1 in searches, so that virtual costs have fractions; less on maps where sums of
// costs could overflow.
enum { FW_VIRTUAL_COST_UNIT = 64 };
// The largest sum at one cell, in moves; the largest number of robots that sigma grows with.
enum { FW_VIRTUAL_COST_MOVES_MAX = 256, FW_VIRTUAL_COST_ROBOTS_MAX = 16 };

typedef struct fw_virtual_cost_t {
  fw_cell_t cell;  // where the collision was
  fw_tick_t tick;  // when
  int32_t robots;  // in the collision
} fw_virtual_cost_t;

typedef struct fw_virtual_costs_t {
  fw_virtual_cost_t * items;
  int32_t count;
  int32_t capacity;
} fw_virtual_costs_t;

// False when there is no memory: the list is as it was.
bool fw__virtual_costs_push(fw_virtual_costs_t * list, fw_arena_t * arena, fw_virtual_cost_t cost);

// The value of a Gaussian of a height at squared distance `distance2` in cells, rounded down; 0 beyond two sigma.
// `sigma` is in hundredths of a cell.
int32_t fw__virtual_cost_gauss(int32_t height, int32_t sigma, int64_t distance2);

typedef struct fw_virtual_field_t {
  fw_arena_t * arena;
  const fw_grid_t * grid;
  int32_t height;  // at the collision, in units of cost
  int32_t sigma;   // for each robot in it, in hundredths of a cell
  int32_t sum_max;
  // By number of robots in a collision: the Gaussian by squared distance (NULL: not needed so far), the largest
  // distance along a row, and the largest squared distance.
  int32_t * values[FW_VIRTUAL_COST_ROBOTS_MAX + 1];
  int32_t reach[FW_VIRTUAL_COST_ROBOTS_MAX + 1];
  int32_t distance2_max[FW_VIRTUAL_COST_ROBOTS_MAX + 1];
  int32_t * costs;  // by cell: sum of the applied costs
} fw_virtual_field_t;

typedef struct fw_virtual_shape_t {
  int32_t height;  // hundredths of a move
  int32_t sigma;   // hundredths of a cell
  int32_t unit;    // cost of a move
} fw_virtual_shape_t;

// False when there is no memory.
bool fw__virtual_field_init(
  fw_virtual_field_t * field, fw_arena_t * arena, const fw_grid_t * grid, fw_virtual_shape_t shape);

// Applies the costs of one robot, and clears them again before those of the next. False when there is no memory.
bool fw__virtual_field_apply(fw_virtual_field_t * field, const fw_virtual_costs_t * list);
void fw__virtual_field_clear(fw_virtual_field_t * field, const fw_virtual_costs_t * list);

// The sum of the applied costs at a cell.
static inline int32_t fw__virtual_field_at(const fw_virtual_field_t * field, fw_cell_t cell)
{
  return field->costs[cell] < field->sum_max ? field->costs[cell] : field->sum_max;
}
// How far a virtual cost goes along a row, in cells, and in ticks. It must have been applied once.
int32_t fw__virtual_field_reach(const fw_virtual_field_t * field, const fw_virtual_cost_t * cost);
// The sum of the costs of a list at a cell and tick; one tick is as far as one cell. They must have been applied once.
int32_t fw__virtual_field_at_tick(
  const fw_virtual_field_t * field, const fw_virtual_costs_t * list, fw_cell_t cell, fw_tick_t tick);

#endif  // PLANNER__BCP__VIRTUAL_COST_H_
