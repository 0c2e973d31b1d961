// Robots on their way by the dependency graph of <fleetweave/execution.h>: who may go how far, and what becomes of those
// who do not do what they may. Between the node's world (metres, ROS time, robots by index) and the graph's (cells,
// seconds, the same indices as numbers).
//
// A robot is in it from the first plan that it gets, which it gets where it stands. The others are obstacles.

#ifndef ROS__PLANNER_NODE__DRIVING_H_
#define ROS__PLANNER_NODE__DRIVING_H_

#include <fleetweave/execution.h>

#include "ros/planner_node/fleet.h"
#include "ros/planner_node/job.h"
#include "ros/planner_node/map.h"

typedef struct driving_t {
  bool is_on;  // execution_mode is dependency, and there is an execution for the present map
  fw_execution_t execution;
  fw_execution_options_t options;  // what it was made with
  frame_t frame;
  int32_t connectivity;
  int64_t base_ns;  // ROS time of its time 0
  bool is_paused;   // by ~/pause
  // It must be made anew: nothing more is released, and once everybody stands it ends.
  bool is_draining;
  int64_t drain_end_ns;  // whoever does not stand by then is not waited for
  bool is_cut;
  const char * logger;
} driving_t;

void driving_fini(driving_t * driving);

// Makes an execution for this map and these settings, without robots. False with a reason.
bool driving_begin(
  driving_t * driving, const map_t * map, const node_settings_t * settings, int64_t tick_ns, int64_t now_ns,
  fw_error_t * reason);
// Would begin make another one than there is?
bool driving_is_outdated(const driving_t * driving, const map_t * map, const node_settings_t * settings, int64_t tick_ns);
// Nobody is in it any more, at once. Their releases are void: tell them to stay.
void driving_end(driving_t * driving, fleet_t * fleet);
// The same, once everybody stands at the end of what is released, or a time is over. True when it has ended.
void driving_drain(driving_t * driving, int64_t now_ns);
bool driving_has_drained(const driving_t * driving, const fleet_t * fleet, int64_t now_ns);

double driving_seconds(const driving_t * driving, int64_t time_ns);
// Where the robot is, to the graph. It need not be in it.
void driving_report(driving_t * driving, const robot_t * robot, int32_t index, int64_t now_ns);
void driving_update(driving_t * driving, int64_t now_ns);

// FW_EXECUTION_ABSENT for a robot that is not in it.
fw_execution_status_t driving_status(const driving_t * driving, int32_t index);
bool driving_has(const driving_t * driving, int32_t index);
// Does not do what it may, and others have to plan around all that it holds?
bool driving_is_stuck(const driving_t * driving, int32_t index);
void driving_remove(driving_t * driving, fleet_t * fleet, int32_t index);

// Robots whose way to drive has changed get `has_new_release`.
void driving_note_changes(driving_t * driving, fleet_t * fleet);

// driving_obstacles.c. What is in the way: obstacles of the map as it is now, cells that were called blocked, and robots that are not in it.
typedef struct driving_obstacles_t {
  const map_t * map;
  const bool * is_blocked;  // by cell, NULL: none
  const fleet_t * fleet;
  double robot_radius;
} driving_obstacles_t;
bool driving_set_obstacles(driving_t * driving, const driving_obstacles_t * obstacles);
// Robots that stand before an obstacle on their released way give the rest of it back. True if any did.
bool driving_withdraw_obstructed(driving_t * driving, int64_t now_ns, fleet_t * fleet);

// driving_tracks.c: what is left of each robot's way, with the times at which it is expected there.
bool driving_write_track(const driving_t * driving, int32_t index, const body_t * body, track_t * track);
// Of it, the part that is released: how many waypoints of the track that was written.
int32_t driving_released_count(const driving_t * driving, int32_t index, const track_t * track);

#endif  // ROS__PLANNER_NODE__DRIVING_H_
