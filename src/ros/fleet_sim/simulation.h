// Simulation: map, fleet, goals, clock, record and graph together, from start to end.

#ifndef ROS__FLEET_SIM__SIMULATION_H_
#define ROS__FLEET_SIM__SIMULATION_H_

#include <signal.h>

#include "ros/fleet_sim/clock.h"
#include "ros/fleet_sim/fleet.h"
#include "ros/fleet_sim/goals.h"
#include "ros/fleet_sim/graph.h"
#include "ros/fleet_sim/parameters.h"
#include "ros/fleet_sim/record.h"
#include "ros/fleet_sim/trouble.h"

typedef struct sim_simulation_t {
  sim_parameters_t parameters;
  fw_grid_t grid;
  sim_goals_t goals;
  fw_cell_t * goal_cells;  // for each robot
  ros_footprints_t outlines;
  sim_fleet_t fleet;
  sim_trouble_t trouble;
  sim_clock_t clock;
  sim_record_t record;
  sim_graph_t graph;
} sim_simulation_t;

// FW_RET_INVALID_ARGUMENT, FW_RET_NOT_FOUND and FW_RET_FILE: the parameters are to blame.
FW_MUST_USE fw_ret_t sim_simulation_init(sim_simulation_t * simulation, int argc, char ** argv, fw_error_t * error);
// Until `duration` is over or `is_stopped` is set by a signal.
FW_MUST_USE fw_ret_t
sim_simulation_run(sim_simulation_t * simulation, const volatile sig_atomic_t * is_stopped, fw_error_t * error);
void sim_simulation_fini(sim_simulation_t * simulation);

// What its two files share: the middle of a cell, and a goal for the record.
fw_pose_t sim_simulation_centre(const sim_simulation_t * simulation, fw_cell_t cell);
void sim_simulation_record_goal(int32_t robot, void * simulation);

#endif  // ROS__FLEET_SIM__SIMULATION_H_
