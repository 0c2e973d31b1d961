// A message on <name>/closed_path: is it good, and what does it say? closures.h tells what it means.

#ifndef ROS__PLANNER_NODE__CLOSED_PATH_H_
#define ROS__PLANNER_NODE__CLOSED_PATH_H_

#include <nav_msgs/msg/path.h>

#include "ros/planner_node/map.h"
#include "ros/planner_node/schedule.h"

// In the map frame (a pose may leave that to the header), numbers, stamps that do not fall, inside the map if there is
// one (revision 0: there is none).
bool closed_path_check(
  const nav_msgs__msg__Path * message, const node_settings_t * settings, const map_t * map, fw_error_t * reason);
// Its poses; the caller frees them. False if there is no memory.
bool closed_path_copy(const nav_msgs__msg__Path * message, waypoint_t ** waypoints);

#endif  // ROS__PLANNER_NODE__CLOSED_PATH_H_
