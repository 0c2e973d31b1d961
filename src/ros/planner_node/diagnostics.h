// /diagnostics: one status for the planner, one for each robot and one for each source of closures.
//
// "<node>: planner"
//   planner, plan_by (the planner of the plan in force, or none), outcome, stop
//   rounds, going_on (rounds that continued the plan before), late (results after their epoch)
//   partial_rounds (that planned only robots that a change concerned), whole_rounds, planned_robots (in all rounds)
//   solve_ms_last, solve_ms_median, solve_ms_p99, sum_of_costs, lower_bound (0: not known), makespan
//   expanded, memory_mb
//   cell_m, tick_s, lead_s, map ("60x40" cells)
//   sources_heard ("1/2"), closed_cells (now), closures_refused (messages)
//   reports, release_ms_median, release_ms_p99 (from the stamp of a pose to the releases that followed, in ROS time)
//   blocked_cells, execution_mode (or "paused")
// "<node>: <robot>"
//   state (waiting, idle, moving, arrived, held, stale), error (Nav2's number, 0 is none), reason
//   goal_cell ("x,y" or empty), goals_left (in its queue), delay_s (against the plan)
//   by the dependency graph: execution (absent, arrived, driving, waiting, late, stopped, obstructed, withdrawn,
//   off path, stale), waits_for (a robot, or "obstacle", "closure", "plan", "pause"), because_of (the robot at the root
//   of the waiting), released_m (path ahead)
// "<node>: <source>"
//   poses (of the path in force), closed_cells (now), refused (messages), reason

#ifndef ROS__PLANNER_NODE__DIAGNOSTICS_H_
#define ROS__PLANNER_NODE__DIAGNOSTICS_H_

#include <diagnostic_msgs/msg/diagnostic_array.h>

#include "ros/planner_node/site.h"

// Fills the message; reuses its memory. False if there is no memory.
bool node_diagnostics_fill(diagnostic_msgs__msg__DiagnosticArray * message, const node_site_t * site, int64_t now_ns);

#endif  // ROS__PLANNER_NODE__DIAGNOSTICS_H_
