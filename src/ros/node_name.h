// Names of nodes in parameter files: which of the values there are meant for a node.

#ifndef ROS__NODE_NAME_H_
#define ROS__NODE_NAME_H_

#include <stdbool.h>

// Is the node with the full name `name` ("/fleet/fleet_sim") meant by `pattern` ("/**", "/*/fleet_sim")?
// `*` stands for one token between slashes, `**` for any number of them.
bool ros_node_name_matches(const char * pattern, const char * name);

#endif  // ROS__NODE_NAME_H_
