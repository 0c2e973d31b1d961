// Goals: where robots begin and where they are sent, drawn from a seed.
//
// Robots of one kind have their cells from the largest connected area of the grid in which they fit everywhere, with
// every heading that they can have: so every goal can be reached from every start. Goals of two robots do not overlap,
// and a robot that has arrived keeps its goal until it gets the next one.

#ifndef SIM__GOALS_H_
#define SIM__GOALS_H_

#include "base/rng.h"
#include "ros/outline.h"

// What robots look like to each other.
typedef struct fw_goals_shape_t {
  const fw_outline_t * outline;
  bool has_heading;
} fw_goals_shape_t;

typedef struct fw_goals_kind_t {
  fw_goals_shape_t shape;
  fw_cell_t * cells;  // of its largest area, in a random order
  int32_t cell_count;
} fw_goals_kind_t;

typedef struct fw_goals_t {
  const fw_grid_t * grid;  // borrowed
  fw_goals_kind_t * kinds;
  int32_t kind_count;
  int32_t * kind_of;   // by robot
  fw_cell_t * starts;  // by robot
  int32_t robot_count;
  int32_t * claims;  // by cell of the grid: how many goals, or while they are placed starts, cover it
  fw_rng_t rng;
} fw_goals_t;

// Fails if the grid has no room for the robots with goals apart from each other.
FW_MUST_USE fw_ret_t fw_goals_init(
  fw_goals_t * goals, const fw_grid_t * grid, const fw_goals_shape_t * shapes, int32_t robot_count, uint64_t seed,
  fw_error_t * error);
void fw_goals_fini(fw_goals_t * goals);

// Where robot `robot` begins: cells of its own.
fw_cell_t fw_goals_start(const fw_goals_t * goals, int32_t robot);
// The next goal of a robot that stands on `here` and had the goal `last` (FW_CELL_NONE: none yet).
fw_cell_t fw_goals_draw(fw_goals_t * goals, int32_t robot, fw_cell_t here, fw_cell_t last);

#endif  // SIM__GOALS_H_
