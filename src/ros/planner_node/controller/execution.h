// Execution: robots that drive by the dependency graph (ADG) of <fleetweave/execution.h>.
//
// It translates between the node's world (metres, ROS time, robots by index) and the graph's (cells, seconds, the same
// indices), and computes the releases: how far each robot may drive now. A robot is in the graph from its first plan
// on, which it gets where it stands. Robots outside the graph are obstacles for those inside.

#ifndef ROS__PLANNER_NODE__CONTROLLER__EXECUTION_H_
#define ROS__PLANNER_NODE__CONTROLLER__EXECUTION_H_

#include <fleetweave/execution.h>

#include "ros/planner_node/controller/blocked_cells.h"
#include "ros/planner_node/controller/fleet.h"
#include "ros/planner_node/controller/schedule.h"

typedef struct node_execution_t {
  bool is_on;  // execution_mode is dependency, and there is a graph for the present map
  fw_execution_t graph;
  fw_execution_options_t options;  // with which the graph was made
  node_frame_t frame;              // likewise
  int32_t connectivity;            // likewise
  int64_t base_ns;                 // ROS time of the graph's time 0
  bool is_paused;                  // by ~/pause
  // The graph must be replaced: nothing more is released, and it ends once all robots stand.
  bool is_draining;
  int64_t drain_end_ns;  // robots that do not stand by then are not waited for
  bool is_cut;           // between fw_execution_cut and splice or uncut
  node_site_t site;
} node_execution_t;

void node_execution_fini(node_execution_t * execution);

// Makes a graph without robots for the present map and settings. False with a reason.
bool node_execution_begin(node_execution_t * execution, int64_t tick_ns, int64_t now_ns, fw_error_t * reason);
// True if node_execution_begin would make another graph than the present one.
bool node_execution_is_outdated(const node_execution_t * execution, int64_t tick_ns);
// Removes all robots at once. Their releases are void: they get new, empty ones.
void node_execution_end(node_execution_t * execution, node_fleet_t * fleet);
// Stops releasing. node_execution_has_drained is true once all robots stand at the end of what is released, or time is
// up.
void node_execution_drain(node_execution_t * execution, int64_t now_ns);
bool node_execution_has_drained(const node_execution_t * execution, const node_fleet_t * fleet, int64_t now_ns);

// ROS time as the graph's time.
double node_execution_seconds(const node_execution_t * execution, int64_t time_ns);
// Reports a robot's pose to the graph; the robot need not be in it.
void node_execution_report(node_execution_t * execution, const node_robot_t * robot, int32_t index, int64_t now_ns);
void node_execution_update(node_execution_t * execution, int64_t now_ns);

// FW_EXECUTION_ABSENT for a robot that is not in the graph.
fw_execution_status_t node_execution_status(const node_execution_t * execution, int32_t index);
bool node_execution_has(const node_execution_t * execution, int32_t index);
// True if the robot does not drive although it may: others must plan around all cells that it has reserved.
bool node_execution_is_stuck(const node_execution_t * execution, int32_t index);
void node_execution_remove(node_execution_t * execution, node_fleet_t * fleet, int32_t index);

// Sets `has_new_release` of robots whose release has changed.
void node_execution_mark_changed_releases(node_execution_t * execution, node_fleet_t * fleet);

// Sets the obstacles for robots in the graph: those of the present map, blocked cells, and robots outside the graph.
// False if there is no memory; the old ones stay in force.
bool node_execution_set_obstacles(
  node_execution_t * execution, const node_blocked_t * blocked, const node_fleet_t * fleet);
// Withdraws the rest of their releases from robots that stand before an obstacle. True if there were any.
bool node_execution_withdraw_obstructed(node_execution_t * execution, node_fleet_t * fleet, int64_t now_ns);

// Writes what is left of a robot's path, with expected times: from the last waypoint that it has reached to the end.
// Empty for a robot outside the graph. False if there is no memory.
bool node_execution_write_path(
  const node_execution_t * execution, int32_t index, const node_body_t * body, node_timed_path_t * timed_path);
// The same for all robots of the fleet.
bool node_execution_write_paths(
  const node_execution_t * execution, const node_fleet_t * fleet, node_schedule_t * schedule);
// How many waypoints of a path that was just written are released.
int32_t node_execution_released_count(
  const node_execution_t * execution, int32_t index, const node_timed_path_t * timed_path);

#endif  // ROS__PLANNER_NODE__CONTROLLER__EXECUTION_H_
