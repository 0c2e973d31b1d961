// Robots by their pose topics in the ROS graph. See discovery.h.

#include "ros/planner_node/discovery.h"

#include <stdio.h>
#include <string.h>

#include <rcl/error_handling.h>
#include <rcl/graph.h>
#include <rosidl_runtime_c/string_functions.h>

#include "controller/site.h"

static bool has_name(const ros_parameter_value_t * list, const char * name)
{
  for (size_t k = 0; k < list->string_array_value.size; ++k) {
    if (strcmp(list->string_array_value.data[k].data, name) == 0) {
      return true;
    }
  }
  return false;
}

// The name of a robot in its topic: "/site/robot_1/odom" is robot_1 for a node in /site. False if it is no such topic.
static bool robot_name_of(char name[FW_NAME_SIZE], const char * topic, const char * node_namespace, const char * ending)
{
  const size_t space = strcmp(node_namespace, "/") == 0 ? 0 : strlen(node_namespace);
  const size_t length = strlen(topic), tail = strlen(ending) + 1;
  if (
    length <= space + 1 + tail || strncmp(topic, node_namespace, space) != 0 || topic[space] != '/' ||
    topic[length - tail] != '/' || strcmp(topic + length - tail + 1, ending) != 0) {
    return false;
  }
  return snprintf(name, FW_NAME_SIZE, "%.*s", (int)(length - space - 1 - tail), topic + space + 1) < FW_NAME_SIZE;
}

static bool is_of_type(const rcutils_string_array_t * types, const char * topic)
{
  const char * wanted =
    strcmp(topic, "odom") == 0 ? "nav_msgs/msg/Odometry" : "geometry_msgs/msg/PoseWithCovarianceStamped";
  return types->size == 1 && strcmp(types->data[0], wanted) == 0;
}

// Appends a name to the list of robots. False if there is no memory.
static bool append(rcl_interfaces__msg__Parameter * change, const char * name)
{
  rosidl_runtime_c__String__Sequence * list = &change->value.string_array_value;
  rosidl_runtime_c__String__Sequence grown = {0};
  if (!rosidl_runtime_c__String__Sequence__init(&grown, list->size + 1)) {
    return false;
  }
  bool is_copied = rosidl_runtime_c__String__assign(&grown.data[list->size], name);
  for (size_t k = 0; is_copied && k < list->size; ++k) {
    is_copied = rosidl_runtime_c__String__assign(&grown.data[k], list->data[k].data);
  }
  rosidl_runtime_c__String__Sequence__fini(list);
  *list = grown;
  return is_copied;
}

bool node_discover_robots(
  ros_parameters_t * parameters, const rcl_node_t * node, const char * topic, fw_error_t * reason)
{
  rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_names_and_types_t found = rcl_get_zero_initialized_names_and_types();
  rcl_interfaces__msg__Parameter change = {0};
  if (!rcl_interfaces__msg__Parameter__init(&change)) {
    return fw__refuse(reason, "out of memory");
  }
  const ros_parameter_value_t * robots = ros_parameters_value(parameters, "robots");
  const ros_parameter_value_t * closures = ros_parameters_value(parameters, "closures");
  bool has_memory = rosidl_runtime_c__String__assign(&change.name, "robots") &&
                    rcl_interfaces__msg__ParameterValue__copy(robots, &change.value);
  if (rcl_get_topic_names_and_types(node, &allocator, false, &found) != RCL_RET_OK) {
    rcl_reset_error();  // the graph is not ready yet
  }
  bool any = false;
  for (size_t k = 0; has_memory && k < found.names.size; ++k) {
    char name[FW_NAME_SIZE];
    if (
      robot_name_of(name, found.names.data[k], rcl_node_get_namespace(node), topic) &&
      is_of_type(&found.types[k], topic) && !has_name(&change.value, name) && !has_name(closures, name)) {
      any = true;
      has_memory = append(&change, name);
    }
  }
  if (rcl_names_and_types_fini(&found) != RCL_RET_OK) {
    rcl_reset_error();
  }
  change.value.type = ROS_PARAMETER_STRINGS;
  const ros_parameter_changes_t changes = {.items = &change, .count = 1, .phase = ROS_PARAMETERS_RUNNING};
  const bool is_set = any && has_memory && ros_parameters_set(parameters, &changes, reason) == FW_RET_OK;
  rcl_interfaces__msg__Parameter__fini(&change);
  return is_set;
}
