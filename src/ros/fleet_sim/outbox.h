// Outbox: what the simulator tells the others.

#ifndef ROS__FLEET_SIM__OUTBOX_H_
#define ROS__FLEET_SIM__OUTBOX_H_

#include "ros/fleet_sim/graph.h"

FW_MUST_USE fw_ret_t sim_outbox_map(sim_graph_t * graph, const fw_grid_t * grid, int64_t now_ns, fw_error_t * error);
FW_MUST_USE fw_ret_t sim_outbox_clock(sim_graph_t * graph, int64_t now_ns, fw_error_t * error);
FW_MUST_USE fw_ret_t sim_outbox_odometry(sim_graph_t * graph, int64_t now_ns, fw_error_t * error);
// Goals that nobody has heard yet: new ones, and all of them for a listener that has come since.
FW_MUST_USE fw_ret_t sim_outbox_goals(sim_graph_t * graph, int64_t now_ns, fw_error_t * error);
// Counts so far, after `seconds` of the run.
FW_MUST_USE fw_ret_t sim_outbox_status(sim_graph_t * graph, int64_t now_ns, double seconds, fw_error_t * error);
// Waits a moment until the last status has reached those who listen.
void sim_outbox_flush(sim_graph_t * graph);

double sim_outbox_goals_per_minute(const sim_fleet_t * fleet, double seconds);

#endif  // ROS__FLEET_SIM__OUTBOX_H_
