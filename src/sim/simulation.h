// Simulation: map, fleet, goals, clock, record and graph together, from start to end.

#ifndef SIM__SIMULATION_H_
#define SIM__SIMULATION_H_

#include <signal.h>

#include "sim/clock.h"
#include "sim/fleet.h"
#include "sim/goals.h"
#include "sim/graph.h"
#include "sim/parameters.h"
#include "sim/record.h"
#include "sim/trouble.h"

typedef struct fw_simulation_t {
  fw_sim_parameters_t parameters;
  fw_grid_t grid;
  fw_goals_t goals;
  fw_cell_t * goal_cells;  // for each robot
  fw_outlines_t outlines;
  fw_fleet_t fleet;
  fw_trouble_t trouble;
  fw_sim_clock_t clock;
  fw_record_t record;
  fw_graph_t graph;
} fw_simulation_t;

// FW_RET_INVALID_ARGUMENT, FW_RET_NOT_FOUND and FW_RET_FILE: the parameters are to blame.
FW_MUST_USE fw_ret_t fw_simulation_init(fw_simulation_t * simulation, int argc, char ** argv, fw_error_t * error);
// Until `duration` is over or `is_stopped` is set by a signal.
FW_MUST_USE fw_ret_t
fw_simulation_run(fw_simulation_t * simulation, const volatile sig_atomic_t * is_stopped, fw_error_t * error);
void fw_simulation_fini(fw_simulation_t * simulation);

// What its two files share: the middle of a cell, and a goal for the record.
fw_pose_t fw__simulation_centre(const fw_simulation_t * simulation, fw_cell_t cell);
void fw__simulation_record_goal(int32_t robot, void * simulation);

#endif  // SIM__SIMULATION_H_
