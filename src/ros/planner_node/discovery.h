// Discovery: robots are found by their pose topic in this node's namespace (parameter `discover_robots`).

#ifndef ROS__PLANNER_NODE__DISCOVERY_H_
#define ROS__PLANNER_NODE__DISCOVERY_H_

#include <rcl/rcl.h>

#include "ros/planner_node/settings.h"

// Adds every name that has a topic <name>/<topic>, of the type that this topic has here, to the parameter `robots`.
// True if there were new ones; false with a reason if they could not be added.
bool node_discover_robots(
  ros_parameters_t * parameters, const rcl_node_t * node, const char * topic, fw_error_t * reason);

#endif  // ROS__PLANNER_NODE__DISCOVERY_H_
