// Markers: what a person looks at in RViz, on two topics.
//
//   fleet_markers  robots, paths, goals, waits, reservations, who waits for whom, trouble, closures: a namespace each,
//                  so that RViz can switch them on and off
//   fleet_tubes    the ways in space and time, with time upwards; made only while somebody listens
//
// A fleet must not drown the network: what is alike for all robots is one list for all of them, layers have rates of
// their own, and of paths only those that have changed are sent. Whoever begins to listen gets everything once.
// Times here are of the steady clock: when simulated time runs fast, the network does not.

#ifndef ROS__PLANNER_NODE__MARKERS_H_
#define ROS__PLANNER_NODE__MARKERS_H_

#include <rclc/rclc.h>
#include <visualization_msgs/msg/marker_array.h>

#include "ros/planner_node/planning.h"

// Digests of the markers of one robot as they were sent last; 0: it has none.
typedef struct marker_shown_t {
  uint64_t path;
  uint64_t body;
  uint64_t text;
  uint64_t tube;
} marker_shown_t;

typedef struct markers_t {
  rcl_publisher_t fleet;
  rcl_publisher_t tubes;
  visualization_msgs__msg__MarkerArray fleet_array;
  visualization_msgs__msg__MarkerArray tube_array;
  int64_t next_robots_ns;  // steady clock: when each kind is due
  int64_t next_cells_ns;
  int64_t next_ways_ns;
  int64_t next_all_ns;
  int64_t next_tubes_ns;
  size_t listeners;        // to fleet_markers
  marker_shown_t * shown;  // by robot
  int32_t robot_count;
  uint64_t goals;  // digests of lists
  uint64_t waits;
  int32_t selected;  // the robot that goals go to, -1: none; the owner sets it
} markers_t;

bool markers_init(markers_t * markers, rcl_node_t * node);
void markers_fini(markers_t * markers, rcl_node_t * node);
// Sends what is due. Asked in every turn of the node.
void markers_update(markers_t * markers, const planning_t * planning, int64_t now_ns);

#endif  // ROS__PLANNER_NODE__MARKERS_H_
