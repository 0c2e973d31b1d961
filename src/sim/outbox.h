// Outbox: what the simulator tells the others.

#ifndef SIM__OUTBOX_H_
#define SIM__OUTBOX_H_

#include "sim/graph.h"

FW_MUST_USE fw_ret_t fw_outbox_map(fw_graph_t * graph, const fw_grid_t * grid, int64_t now_ns, fw_error_t * error);
FW_MUST_USE fw_ret_t fw_outbox_clock(fw_graph_t * graph, int64_t now_ns, fw_error_t * error);
FW_MUST_USE fw_ret_t fw_outbox_odometry(fw_graph_t * graph, int64_t now_ns, fw_error_t * error);
// Goals that nobody has heard yet: new ones, and all of them for a listener that has come since.
FW_MUST_USE fw_ret_t fw_outbox_goals(fw_graph_t * graph, int64_t now_ns, fw_error_t * error);
// Counts so far, after `seconds` of the run.
FW_MUST_USE fw_ret_t fw_outbox_status(fw_graph_t * graph, int64_t now_ns, double seconds, fw_error_t * error);
// Waits a moment until the last status has reached those who listen.
void fw_outbox_flush(fw_graph_t * graph);

double fw_outbox_goals_per_minute(const fw_fleet_t * fleet, double seconds);

#endif  // SIM__OUTBOX_H_
