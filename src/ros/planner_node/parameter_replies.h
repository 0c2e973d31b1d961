// What the parameter services that only look answer. Responses are filled anew each time.

#ifndef ROS__PLANNER_NODE__PARAMETER_REPLIES_H_
#define ROS__PLANNER_NODE__PARAMETER_REPLIES_H_

#include <rcl_interfaces/srv/describe_parameters.h>
#include <rcl_interfaces/srv/get_parameter_types.h>
#include <rcl_interfaces/srv/get_parameters.h>
#include <rcl_interfaces/srv/list_parameters.h>

#include "ros/planner_node/settings.h"

// A name that does not exist has the type "not set" in all three.
void parameter_reply_values(
  const rcl_interfaces__srv__GetParameters_Request * request, rcl_interfaces__srv__GetParameters_Response * response,
  const ros_parameters_t * parameters);
void parameter_reply_types(
  const rcl_interfaces__srv__GetParameterTypes_Request * request,
  rcl_interfaces__srv__GetParameterTypes_Response * response, const ros_parameters_t * parameters);
void parameter_reply_descriptors(
  const rcl_interfaces__srv__DescribeParameters_Request * request,
  rcl_interfaces__srv__DescribeParameters_Response * response, const ros_parameters_t * parameters);
// Prefixes and depth as in rclcpp: "a.b" has depth 2, depth 0 is no limit, a prefix itself does not count.
void parameter_reply_names(
  const rcl_interfaces__srv__ListParameters_Request * request, rcl_interfaces__srv__ListParameters_Response * response,
  const ros_parameters_t * parameters);

#endif  // ROS__PLANNER_NODE__PARAMETER_REPLIES_H_
