// Robots that show up by themselves: whoever has a pose topic in this namespace.

#ifndef ROS__PLANNER_NODE__DISCOVERY_H_
#define ROS__PLANNER_NODE__DISCOVERY_H_

#include <rcl/rcl.h>

#include "ros/planner_node/settings.h"

// Adds those that are not there yet to the parameter `robots`: all with <name>/<topic>, of the type that the topic has
// here. True if there were any; false with a reason if they could not be added.
bool discovery_look(ros_parameters_t * parameters, const rcl_node_t * node, const char * topic, fw_error_t * reason);

#endif  // ROS__PLANNER_NODE__DISCOVERY_H_
