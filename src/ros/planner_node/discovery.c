// Robots by their base frames, or by their pose topics in the ROS graph. See discovery.h.

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

// The topic that each robot has in its namespace, and its type. NULL: they share one.
static const char * pose_topic(const node_settings_t * settings, const char ** type)
{
  static const char in_namespace[] = "{robot}/";
  switch (settings->pose_source) {
    case NODE_POSES_ODOM:
      *type = "nav_msgs/msg/Odometry";
      return "odom";
    case NODE_POSES_AMCL:
      *type = "geometry_msgs/msg/PoseWithCovarianceStamped";
      return "amcl_pose";
    case NODE_POSES_TF:
    default:
      *type = "tf2_msgs/msg/TFMessage";
      return strncmp(settings->tf_topic, in_namespace, sizeof in_namespace - 1) == 0
               ? settings->tf_topic + sizeof in_namespace - 1
               : NULL;
  }
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

// What is to become of the parameter `robots`.
typedef struct change_t {
  rcl_interfaces__msg__Parameter parameter;
  const ros_parameter_value_t * closures;  // names that are no robots
  bool has_new;
  bool is_full;  // there are more, and no room for them
  bool has_memory;
} change_t;

static void add_name(change_t * change, const char * name)
{
  if (!change->has_memory || has_name(&change->parameter.value, name) || has_name(change->closures, name)) {
    return;
  }
  // Anybody can publish frames and topics: what is found must not take more than a list may have.
  if (change->parameter.value.string_array_value.size >= ROS_ROBOTS_MAX) {
    change->is_full = true;
    return;
  }
  change->has_new = true;
  change->has_memory = append(&change->parameter, name);
}

static void add_by_topic(change_t * change, const rcl_node_t * node, const char * topic, const char * type)
{
  rcl_allocator_t allocator = rcl_get_default_allocator();
  rcl_names_and_types_t found = rcl_get_zero_initialized_names_and_types();
  if (rcl_get_topic_names_and_types(node, &allocator, false, &found) != RCL_RET_OK) {
    rcl_reset_error();  // the graph is not ready yet
  }
  for (size_t k = 0; k < found.names.size; ++k) {
    char name[FW_NAME_SIZE];
    const rcutils_string_array_t * types = &found.types[k];
    if (
      types->size == 1 && strcmp(types->data[0], type) == 0 &&
      robot_name_of(name, found.names.data[k], rcl_node_get_namespace(node), topic)) {
      add_name(change, name);
    }
  }
  if (rcl_names_and_types_fini(&found) != RCL_RET_OK) {
    rcl_reset_error();
  }
}

static void add_by_frame(change_t * change, node_transforms_t * transforms)
{
  for (int32_t k = 0; k < transforms->discovered_count; ++k) {
    add_name(change, transforms->discovered[k]);
  }
  transforms->discovered_count = 0;  // one that cannot be added now will be found again
}

bool node_discover_robots(const node_discovery_t * discovery, fw_error_t * reason)
{
  change_t change = {.closures = ros_parameters_value(discovery->parameters, "closures")};
  if (!rcl_interfaces__msg__Parameter__init(&change.parameter)) {
    return fw__refuse(reason, "out of memory");
  }
  change.has_memory = rosidl_runtime_c__String__assign(&change.parameter.name, "robots") &&
                      rcl_interfaces__msg__ParameterValue__copy(
                        ros_parameters_value(discovery->parameters, "robots"), &change.parameter.value);
  const char * type = NULL;
  const char * topic = pose_topic(discovery->settings, &type);
  if (topic != NULL) {
    add_by_topic(&change, discovery->node, topic, type);
  } else {
    add_by_frame(&change, discovery->transforms);
  }
  change.parameter.value.type = ROS_PARAMETER_STRINGS;
  const ros_parameter_changes_t changes = {.items = &change.parameter, .count = 1, .phase = ROS_PARAMETERS_RUNNING};
  const bool is_set =
    change.has_new && change.has_memory && ros_parameters_set(discovery->parameters, &changes, reason) == FW_RET_OK;
  rcl_interfaces__msg__Parameter__fini(&change.parameter);
  if (change.is_full && !is_set) {
    return fw__refuse(reason, "there are %d robots already, the most that are possible", ROS_ROBOTS_MAX);
  }
  return is_set;
}
