// Execution: robots that drive by the dependency graph (ADG) of <fleetweave/execution.h>.
//
// It translates between the node's world (metres, ROS time, robots by index) and the graph's (cells, seconds, the same
// indices), and computes the releases: how far each robot may drive now. A robot is in the graph from its first plan
// on, which it gets where it stands. Robots outside the graph are obstacles for those inside.

#ifndef CONTROLLER__EXECUTION_H_
#define CONTROLLER__EXECUTION_H_

#include <fleetweave/execution.h>

#include "controller/map/blocked_cells.h"
#include "controller/fleet.h"
#include "controller/round/schedule.h"

// The obstacles that the graph was told, so that a change costs what has changed.
typedef struct fw_known_obstacles_t {
  bool is_known;             // false: the graph must be told all
  int64_t map_revision;      // of what `obstacle` holds
  int64_t blocked_revision;  // likewise
  uint8_t * obstacle;        // by cell of the graph: 1 for an obstacle of the map or a blocked cell, 2 for a way out
  int32_t cell_count;
  fw_cell_t * robot_cells;  // of robots outside the graph
  int32_t robot_cell_count;
  int64_t visited;  // cells that were looked at so far: for tests of the cost
} fw_known_obstacles_t;

typedef struct fw_fleet_execution_t {
  bool is_on;  // execution_mode is dependency, and there is a graph for the present map
  fw_execution_t graph;
  fw_execution_options_t options;  // with which the graph was made
  fw_map_frame_t frame;            // likewise
  int32_t connectivity;            // likewise
  int64_t base_ns;                 // ROS time of the graph's time 0
  bool is_paused;                  // by the caller, because of a rival, or of missing robots
  // The graph must be replaced: nothing more is released, and it ends once all robots stand.
  bool is_draining;
  int64_t drain_end_ns;  // robots that do not stand by then are not waited for
  bool is_cut;           // between fw_execution_cut and splice or uncut
  bool has_old_bodies;   // a robot of the graph has another body now
  fw_known_obstacles_t obstacles;
  fw_controller_site_t site;
} fw_fleet_execution_t;

void fw__fleet_execution_fini(fw_fleet_execution_t * execution);

// Makes a graph without robots for the present map and settings. False with a reason.
bool fw__fleet_execution_begin(fw_fleet_execution_t * execution, int64_t tick_ns, int64_t now_ns, fw_error_t * reason);
// True if fw__fleet_execution_begin would make another graph than the present one.
bool fw__fleet_execution_is_outdated(const fw_fleet_execution_t * execution, int64_t tick_ns);
// Removes all robots at once. Their releases are void: they get new, empty ones.
void fw__fleet_execution_end(fw_fleet_execution_t * execution, fw_controller_fleet_t * fleet);
// Stops releasing. fw__fleet_execution_has_drained is true once all robots stand at the end of what is released, or
// time is up.
void fw__fleet_execution_drain(fw_fleet_execution_t * execution, int64_t now_ns);
bool fw__fleet_execution_has_drained(
  const fw_fleet_execution_t * execution, const fw_controller_fleet_t * fleet, int64_t now_ns);

// ROS time as the graph's time.
double fw__fleet_execution_seconds(const fw_fleet_execution_t * execution, int64_t time_ns);
// Reports a robot's pose to the graph; the robot need not be in it.
void fw__fleet_execution_report(
  fw_fleet_execution_t * execution, const fw_controlled_robot_t * robot, int32_t index, int64_t now_ns);
void fw__fleet_execution_update(fw_fleet_execution_t * execution, int64_t now_ns);

// FW_EXECUTION_ABSENT for a robot that is not in the graph.
fw_execution_status_t fw__fleet_execution_status(const fw_fleet_execution_t * execution, int32_t index);
bool fw__fleet_execution_has(const fw_fleet_execution_t * execution, int32_t index);
// True if the robot does not drive although it may: others must plan around all cells that it has reserved.
bool fw__fleet_execution_is_stuck(const fw_fleet_execution_t * execution, int32_t index);
void fw__fleet_execution_remove(fw_fleet_execution_t * execution, fw_controller_fleet_t * fleet, int32_t index);

// Pauses or resumes the graph as `is_paused` and `is_draining` say.
void fw__fleet_execution_apply_pause(fw_fleet_execution_t * execution);
// Nothing more is released to a robot of the graph while it is held.
void fw__fleet_execution_hold(fw_fleet_execution_t * execution, int32_t index, bool is_held);

// Sets `has_new_release` of robots whose release has changed.
void fw__fleet_execution_mark_changed_releases(fw_fleet_execution_t * execution, fw_controller_fleet_t * fleet);

// Sets the obstacles for robots in the graph: those of the present map, blocked cells, and robots outside the graph.
// A robot that moves costs the cells that it touches; a changed map or blocked cells, one look at each cell. False if
// there is no memory; the old ones stay in force.
bool fw__fleet_execution_set_obstacles(
  fw_fleet_execution_t * execution, const fw_blocked_cells_t * blocked, const fw_controller_fleet_t * fleet);
// Withdraws the rest of their releases from robots that stand before an obstacle. True if there were any.
bool fw__fleet_execution_withdraw_obstructed(
  fw_fleet_execution_t * execution, fw_controller_fleet_t * fleet, int64_t now_ns);

// Writes what is left of a robot's path, with expected times: from the last waypoint that it has reached to the end.
// Empty for a robot outside the graph. False if there is no memory.
bool fw__fleet_execution_write_path(
  const fw_fleet_execution_t * execution, int32_t index, const fw_robot_body_t * body, fw_timed_path_t * timed_path);
// The same for all robots of the fleet.
bool fw__fleet_execution_write_paths(
  const fw_fleet_execution_t * execution, const fw_controller_fleet_t * fleet, fw_schedule_t * schedule);
// Metres that are left of a robot's path, from where it was last reported; 0 for a robot outside the graph.
double fw__fleet_execution_distance(const fw_fleet_execution_t * execution, int32_t index);
// How many waypoints of a path that was just written are released.
typedef struct fw_released_count_t {
  int32_t told;      // up to where the robot is to stop
  int32_t reserved;  // up to where space is reserved: more, if an obstacle has come on what it was told before
} fw_released_count_t;
fw_released_count_t fw__fleet_execution_released_count(
  const fw_fleet_execution_t * execution, int32_t index, const fw_timed_path_t * timed_path);

#endif  // CONTROLLER__EXECUTION_H_
