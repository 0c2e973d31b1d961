// Goals: where robots begin and where they are sent, drawn from a seed.
//
// Robots of one kind have their cells from the largest connected area of the grid in which they fit everywhere, with
// every heading that they can have: so every goal can be reached from every start. Goals of two robots do not overlap,
// and a robot that has arrived keeps its goal until it gets the next one.

#ifndef ROS__FLEET_SIM__GOALS_H_
#define ROS__FLEET_SIM__GOALS_H_

#include "base/rng.h"
#include "ros/footprints.h"

// What robots look like to each other.
typedef struct sim_goals_shape_t {
  const ros_footprint_t * outline;
  bool has_heading;
} sim_goals_shape_t;

typedef struct sim_goals_kind_t {
  sim_goals_shape_t shape;
  fw_cell_t * cells;  // of its largest area, in a random order
  int32_t cell_count;
} sim_goals_kind_t;

typedef struct sim_goals_t {
  const fw_grid_t * grid;  // borrowed
  sim_goals_kind_t * kinds;
  int32_t kind_count;
  int32_t * kind_of;   // by robot
  fw_cell_t * starts;  // by robot
  int32_t robot_count;
  int32_t * claims;  // by cell of the grid: how many goals, or while they are placed starts, cover it
  fw_rng_t rng;
} sim_goals_t;

// Fails if the grid has no room for the robots with goals apart from each other.
FW_MUST_USE fw_ret_t sim_goals_init(
  sim_goals_t * goals, const fw_grid_t * grid, const sim_goals_shape_t * shapes, int32_t robot_count, uint64_t seed,
  fw_error_t * error);
void sim_goals_fini(sim_goals_t * goals);

// Where robot `robot` begins: cells of its own.
fw_cell_t sim_goals_start(const sim_goals_t * goals, int32_t robot);
// The next goal of a robot that stands on `here` and had the goal `last` (FW_CELL_NONE: none yet).
fw_cell_t sim_goals_draw(sim_goals_t * goals, int32_t robot, fw_cell_t here, fw_cell_t last);

#endif  // ROS__FLEET_SIM__GOALS_H_
