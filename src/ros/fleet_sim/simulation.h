// Simulation: map, fleet, goals, faults, clock, record and topics together, from start to end.
//
// Time advances in fixed steps. It is either the system's time, or a simulated time of its own (publish_clock) that
// starts at 0 and runs `rate_factor` times as fast as the wall clock. Simulated time slows down when the machine cannot
// keep up; the system's does not wait.

#ifndef ROS__FLEET_SIM__SIMULATION_H_
#define ROS__FLEET_SIM__SIMULATION_H_

#include <stdatomic.h>

#include "ros/fleet_sim/faults.h"
#include "ros/fleet_sim/fleet.h"
#include "ros/fleet_sim/goals.h"
#include "ros/fleet_sim/parameters.h"
#include "ros/fleet_sim/record.h"
#include "ros/fleet_sim/topics.h"

typedef struct sim_clock_t {
  bool is_own;         // simulated time; otherwise the system's
  double factor;       // of simulated time; 0: as fast as possible
  int64_t now_ns;      // the time that the simulation has reached
  int64_t elapsed_ns;  // since the start
  int64_t due_ns;      // simulated time: when the next step is due, on fw_clock_now_ns()
} sim_clock_t;

typedef struct sim_simulation_t {
  sim_parameters_t parameters;
  fw_grid_t grid;
  fw_pose2d_t origin;  // of the grid in the map frame
  sim_goals_t goals;
  fw_cell_t * goal_cells;  // by robot; FW_CELL_NONE: none was drawn
  fw_rotated_footprints_t footprints;
  sim_fleet_t fleet;
  sim_faults_t faults;
  sim_clock_t clock;
  sim_record_t record;
  sim_topics_t topics;
} sim_simulation_t;

// FW_RET_INVALID_ARGUMENT, FW_RET_NOT_FOUND and FW_RET_FILE: a parameter is wrong. The simulation must not be moved.
// Call sim_simulation_fini in any case.
FW_MUST_USE fw_ret_t sim_simulation_init(sim_simulation_t * simulation, int argc, char ** argv, fw_error_t * error);
// Until `duration` is over or `is_stopped` is set.
FW_MUST_USE fw_ret_t
sim_simulation_run(sim_simulation_t * simulation, const atomic_bool * is_stopped, fw_error_t * error);
void sim_simulation_fini(sim_simulation_t * simulation);

#endif  // ROS__FLEET_SIM__SIMULATION_H_
