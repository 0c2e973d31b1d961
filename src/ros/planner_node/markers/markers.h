// Markers for RViz, on two topics.
//
//   fleet_markers  robots, paths, goals, waits, reservations, waits_for, trouble, closures, areas: one namespace each,
//                  so that RViz can switch them on and off
//   fleet_tubes    the paths in space and time, with time upwards; written only while there is a subscriber
//
// A large fleet must not flood the network: what is alike for all robots is one list, layers have rates of their own,
// and of paths only those that have changed are sent. A new subscriber gets everything once. Times here are of the
// steady clock: when simulated time runs fast, the network does not.

#ifndef ROS__PLANNER_NODE__MARKERS__MARKERS_H_
#define ROS__PLANNER_NODE__MARKERS__MARKERS_H_

#include <rclc/rclc.h>
#include <visualization_msgs/msg/marker_array.h>

#include "ros/planner_node/site.h"
#include "ros/session.h"

// Digests of the markers of one robot as they were sent last; 0: it has none.
typedef struct node_marker_digests_t {
  uint64_t path;
  uint64_t body;
  uint64_t text;
  uint64_t name;
  uint64_t tube;
} node_marker_digests_t;

typedef struct node_markers_t {
  ros_session_t * session;  // borrowed
  rcl_publisher_t fleet;
  rcl_publisher_t tubes;
  visualization_msgs__msg__MarkerArray fleet_array;
  visualization_msgs__msg__MarkerArray tube_array;
  int64_t next_robots_ns;  // steady clock: when each kind is due
  int64_t next_cells_ns;
  int64_t next_paths_ns;
  int64_t next_all_ns;
  int64_t next_tubes_ns;
  size_t subscribers;               // of fleet_markers
  node_marker_digests_t * digests;  // by robot
  int32_t robot_count;
  uint64_t goals_digest;
  uint64_t waits_digest;
  uint64_t areas_digests[FW_AREA_COST + 1];  // by kind
  int32_t selected;                          // the robot that unassigned goals go to, -1: none; the node sets it
} node_markers_t;

// `markers` is zeroed. On false rcl's error state says why; call fini in either case.
bool node_markers_init(node_markers_t * markers, ros_session_t * session);
void node_markers_fini(node_markers_t * markers);
// Publishes what is due. Called after each update of the controller.
void node_markers_update(node_markers_t * markers, const node_site_t * site, int64_t now_ns);

#endif  // ROS__PLANNER_NODE__MARKERS__MARKERS_H_
