// Parameter values from the command line: --params-file FILE and -p name:=value.

#ifndef ROS__PLANNER_NODE__OVERRIDES_H_
#define ROS__PLANNER_NODE__OVERRIDES_H_

#include <rcl/rcl.h>

#include "ros/planner_node/settings.h"

// Sets whatever is meant for the node of that full name. As in rclcpp a later entry wins over an earlier one.
// `logger`: a value for a parameter that does not exist is warned of. False with a reason for a bad value.
<<<<<<< /tmp/m.o
bool node_parameters_override(
  ros_parameters_t * parameters, const rcl_arguments_t * arguments, const char * node_name, const char * logger,
=======
bool overrides_apply(
  parameters_t * parameters, const rcl_arguments_t * arguments, const char * node_name, const char * logger,
>>>>>>> /tmp/m.t
  fw_error_t * reason);

#endif  // ROS__PLANNER_NODE__OVERRIDES_H_
