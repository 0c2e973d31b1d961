// Goals: start cells and random goals of the simulated robots, drawn from a seed.
//
// Robots of one shape draw their cells from the largest connected area of the grid in which the shape fits everywhere,
// at every heading that it can have: so every goal can be reached from every start. Goals of two robots do not overlap,
// and a robot that has arrived keeps its goal until it receives the next one.

#ifndef ROS__FLEET_SIM__GOALS_H_
#define ROS__FLEET_SIM__GOALS_H_

#include "base/rng.h"
#include "world/rotated_footprint.h"

typedef struct sim_shape_t {
  const fw_rotated_footprint_t * footprint;
  bool has_heading;  // it turns with the robot; otherwise it is always at heading 0
} sim_shape_t;

typedef struct sim_goals_options_t {
  const fw_grid_t * grid;      // borrowed until sim_goals_fini
  const sim_shape_t * shapes;  // one per robot, copied
  int32_t robot_count;
  uint64_t seed;
} sim_goals_options_t;

// Robots of one shape.
typedef struct sim_goals_kind_t {
  sim_shape_t shape;
  fw_cell_t * cells;  // of the largest area, in random order
  int32_t cell_count;
} sim_goals_kind_t;

typedef struct sim_goals_t {
  const fw_grid_t * grid;
  sim_goals_kind_t * kinds;
  int32_t kind_count;
  int32_t * kind_of;   // by robot
  fw_cell_t * starts;  // by robot
  int32_t robot_count;
  int32_t * cover;  // by cell of the grid: how many goals (while robots are placed: starts) cover it
  fw_rng_t rng;
} sim_goals_t;

// FW_RET_INVALID_ARGUMENT if the grid has no room for all robots with goals apart from each other.
FW_MUST_USE fw_ret_t sim_goals_init(sim_goals_t * goals, const sim_goals_options_t * options, fw_error_t * error);
void sim_goals_fini(sim_goals_t * goals);

// The start cell of a robot; no two robots overlap there.
fw_cell_t sim_goals_start(const sim_goals_t * goals, int32_t robot);
// The next goal of a robot that stands on `here` and had the goal `last` (FW_CELL_NONE: none yet). Returns `last` if
// there is no free place for now.
fw_cell_t sim_goals_draw(sim_goals_t * goals, int32_t robot, fw_cell_t here, fw_cell_t last);

#endif  // ROS__FLEET_SIM__GOALS_H_
