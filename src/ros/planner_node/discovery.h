// Discovery (parameter `discover_robots`): robots are found by their base frame on tf_topic or, if each has a topic of
// its own for poses, by that topic in this node's namespace.

#ifndef ROS__PLANNER_NODE__DISCOVERY_H_
#define ROS__PLANNER_NODE__DISCOVERY_H_

#include <rcl/rcl.h>

#include "ros/planner_node/settings.h"
#include "ros/planner_node/transforms.h"

// All of it is borrowed.
typedef struct node_discovery_t {
  ros_parameters_t * parameters;
  const rcl_node_t * node;
  const node_settings_t * settings;
  node_transforms_t * transforms;
} node_discovery_t;

// Adds every robot that was found to the parameter `robots`. True if there were new ones; false with a reason if they
// could not be added.
bool node_discover_robots(const node_discovery_t * discovery, fw_error_t * reason);

#endif  // ROS__PLANNER_NODE__DISCOVERY_H_
