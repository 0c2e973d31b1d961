// Graph: the simulator's place among the other nodes. See graph.h.

#include "sim/graph.h"

#include <nav_msgs/msg/occupancy_grid.h>
#include <rcl/error_handling.h>
#include <rcl/logging.h>
#include <rcl/logging_rosout.h>
#include <rosgraph_msgs/msg/clock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sim/inbox.h"

fw_ret_t fw_graph_error(fw_error_t * error, const char * what)
{
  const rcl_error_string_t text = rcl_get_error_string();
  rcl_reset_error();
  return fw__error(error, FW_RET_ERROR, "%s: %s", what, text.str);
}

fw_ret_t fw_graph_init(fw_graph_t * graph, int argc, char ** argv, fw_error_t * error)
{
  *graph = (fw_graph_t){
    .node = rcl_get_zero_initialized_node(),
    .executor = rclc_executor_get_zero_initialized_executor(),
    .map = rcl_get_zero_initialized_publisher(),
    .status = rcl_get_zero_initialized_publisher(),
    .clock = rcl_get_zero_initialized_publisher(),
  };
  graph->allocator = rcl_get_default_allocator();  // the support keeps a pointer to it
  const rcl_ret_t ret = rclc_support_init(&graph->support, argc, (const char * const *)argv, &graph->allocator);
  if (ret != RCL_RET_OK) {
    rcl_reset_error();  // rclc has logged it
    return fw__error(
      error, ret == RCL_RET_INVALID_ROS_ARGS ? FW_RET_INVALID_ARGUMENT : FW_RET_ERROR, "cannot start ROS: see above");
  }
  graph->is_started = true;
  if (rcl_logging_configure(&graph->support.context.global_arguments, &graph->allocator) != RCL_RET_OK) {
    return fw_graph_error(error, "cannot start logging");
  }
  if (rclc_node_init_default(&graph->node, "fleet_sim", "", &graph->support) != RCL_RET_OK) {
    return fw_graph_error(error, "cannot make the node");
  }
  graph->logger = rcl_node_get_logger_name(&graph->node);
  if (rcl_logging_rosout_enabled() && rcl_logging_rosout_init_publisher_for_node(&graph->node) != RCL_RET_OK) {
    return fw_graph_error(error, "cannot publish the log");
  }
  if (
    !nav_msgs__msg__Odometry__init(&graph->odom) || !geometry_msgs__msg__PoseStamped__init(&graph->goal_pose) ||
    !diagnostic_msgs__msg__DiagnosticArray__init(&graph->report)) {
    return fw__error_memory(error);
  }
  return FW_RET_OK;
}

static rmw_qos_profile_t qos(size_t depth, bool is_reliable, bool is_latched)
{
  rmw_qos_profile_t profile = rmw_qos_profile_default;
  profile.depth = depth;
  profile.reliability = is_reliable ? RMW_QOS_POLICY_RELIABILITY_RELIABLE : RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT;
  profile.durability = is_latched ? RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL : RMW_QOS_POLICY_DURABILITY_VOLATILE;
  return profile;
}

static fw_ret_t connect_paths(fw_graph_t * graph, fw_graph_robot_t * robot, const char * name)
{
  char topic[FW_SIM_NAME_MAX + FW_SIM_TEXT_MAX];
  const rmw_qos_profile_t latched = qos(1, true, true);
  const rmw_qos_profile_t reliable = qos(10, true, false);
  snprintf(topic, sizeof(topic), "%s/%s", name, graph->parameters->follow);
  if (
    rclc_subscription_init(
      &robot->path_in, &graph->node, ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Path), topic, &latched) != RCL_RET_OK ||
    rclc_executor_add_subscription_with_context(
      &graph->executor, &robot->path_in, &robot->path, fw_inbox_on_path, robot, ON_NEW_DATA) != RCL_RET_OK) {
    return FW_RET_ERROR;
  }
  const rosidl_message_type_support_t * type = ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, PoseStamped);
  snprintf(topic, sizeof(topic), "%s/goal_pose", name);
  if (strcmp(graph->parameters->goals, "random") == 0) {
    const rcl_ret_t ret = rclc_publisher_init(&robot->goal_out, &graph->node, type, topic, &reliable);
    return ret == RCL_RET_OK ? FW_RET_OK : FW_RET_ERROR;
  }
  if (
    rclc_subscription_init(&robot->goal_in, &graph->node, type, topic, &reliable) != RCL_RET_OK ||
    rclc_executor_add_subscription_with_context(
      &graph->executor, &robot->goal_in, &robot->goal, fw_inbox_on_goal, robot, ON_NEW_DATA) != RCL_RET_OK) {
    return FW_RET_ERROR;
  }
  return FW_RET_OK;
}

static fw_ret_t connect_robot(fw_graph_t * graph, int32_t index, fw_error_t * error)
{
  fw_graph_robot_t * robot = &graph->robots[index];
  const char * name = graph->parameters->robots[index];
  char topic[FW_SIM_NAME_MAX + 16];
  const rmw_qos_profile_t best_effort = qos(5, false, false);
  snprintf(topic, sizeof(topic), "%s/odom", name);
  if (
    rclc_publisher_init(
      &robot->odom, &graph->node, ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Odometry), topic, &best_effort) !=
      RCL_RET_OK ||
    connect_paths(graph, robot, name) != FW_RET_OK) {
    char what[FW_SIM_NAME_MAX + 32];
    snprintf(what, sizeof(what), "cannot connect robot %s", name);
    return fw_graph_error(error, what);
  }
  return FW_RET_OK;
}

static fw_ret_t init_robots(fw_graph_t * graph, fw_error_t * error)
{
  graph->robots = calloc((size_t)graph->parameters->robot_count, sizeof(*graph->robots));
  if (graph->robots == NULL) {
    return fw__error_memory(error);
  }
  for (int32_t i = 0; i < graph->parameters->robot_count; ++i) {
    fw_graph_robot_t * robot = &graph->robots[i];
    robot->graph = graph;
    robot->index = i;
    robot->odom = rcl_get_zero_initialized_publisher();
    robot->goal_out = rcl_get_zero_initialized_publisher();
    robot->goal_in = rcl_get_zero_initialized_subscription();
    robot->path_in = rcl_get_zero_initialized_subscription();
    if (!nav_msgs__msg__Path__init(&robot->path) || !geometry_msgs__msg__PoseStamped__init(&robot->goal)) {
      return fw__error_memory(error);
    }
  }
  return FW_RET_OK;
}

fw_ret_t fw_graph_connect(
  fw_graph_t * graph, const fw_sim_parameters_t * parameters, fw_fleet_t * fleet, fw_error_t * error)
{
  graph->parameters = parameters;
  graph->fleet = fleet;
  const rmw_qos_profile_t latched = qos(1, true, true);
  const rmw_qos_profile_t reliable = qos(1, true, false);
  const size_t handle_count = 2 * (size_t)parameters->robot_count;
  fw_ret_t ret = init_robots(graph, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (
    rclc_executor_init(&graph->executor, &graph->support.context, handle_count, &graph->allocator) != RCL_RET_OK ||
    rclc_publisher_init(
      &graph->map, &graph->node, ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, OccupancyGrid), "map", &latched) !=
      RCL_RET_OK ||
    rclc_publisher_init(
      &graph->status, &graph->node, ROSIDL_GET_MSG_TYPE_SUPPORT(diagnostic_msgs, msg, DiagnosticArray), "~/status",
      &latched) != RCL_RET_OK) {
    return fw_graph_error(error, "cannot connect");
  }
  const rosidl_message_type_support_t * clock_type = ROSIDL_GET_MSG_TYPE_SUPPORT(rosgraph_msgs, msg, Clock);
  if (
    parameters->publish_clock &&
    rclc_publisher_init(&graph->clock, &graph->node, clock_type, "/clock", &reliable) != RCL_RET_OK) {
    return fw_graph_error(error, "cannot publish /clock");
  }
  for (int32_t i = 0; ret == FW_RET_OK && i < parameters->robot_count; ++i) {
    ret = connect_robot(graph, i, error);
  }
  return ret;
}

fw_ret_t fw_graph_spin(fw_graph_t * graph, int64_t wait_ns, fw_error_t * error)
{
  const rcl_ret_t ret = rclc_executor_spin_some(&graph->executor, (uint64_t)wait_ns);
  return ret == RCL_RET_OK || ret == RCL_RET_TIMEOUT ? FW_RET_OK : fw_graph_error(error, "cannot receive");
}

// On the way out nothing can be done about an error of rcl: the process ends.
static void fini_publisher(fw_graph_t * graph, rcl_publisher_t * publisher)
{
  if (rcl_publisher_is_valid(publisher) && rcl_publisher_fini(publisher, &graph->node) != RCL_RET_OK) {
    rcl_reset_error();
  }
  rcl_reset_error();
}

static void fini_subscription(fw_graph_t * graph, rcl_subscription_t * subscription)
{
  if (rcl_subscription_is_valid(subscription) && rcl_subscription_fini(subscription, &graph->node) != RCL_RET_OK) {
    rcl_reset_error();
  }
  rcl_reset_error();
}

static void fini_robots(fw_graph_t * graph)
{
  for (int32_t i = 0; graph->robots != NULL && i < graph->parameters->robot_count; ++i) {
    fw_graph_robot_t * robot = &graph->robots[i];
    fini_publisher(graph, &robot->odom);
    fini_publisher(graph, &robot->goal_out);
    fini_subscription(graph, &robot->goal_in);
    fini_subscription(graph, &robot->path_in);
    nav_msgs__msg__Path__fini(&robot->path);
    geometry_msgs__msg__PoseStamped__fini(&robot->goal);
  }
  free(graph->robots);
  graph->robots = NULL;
}

void fw_graph_fini(fw_graph_t * graph)
{
  if (!graph->is_started) {
    return;
  }
  (void)rclc_executor_fini(&graph->executor);
  fini_robots(graph);
  fini_publisher(graph, &graph->map);
  fini_publisher(graph, &graph->status);
  fini_publisher(graph, &graph->clock);
  nav_msgs__msg__Odometry__fini(&graph->odom);
  geometry_msgs__msg__PoseStamped__fini(&graph->goal_pose);
  diagnostic_msgs__msg__DiagnosticArray__fini(&graph->report);
  fw_track_fini(&graph->track);
  if (rcl_node_is_valid(&graph->node)) {
    (void)!rcl_logging_rosout_fini_publisher_for_node(&graph->node);
    rcl_reset_error();  // it may be that there was none
    (void)!rcl_node_fini(&graph->node);
  }
  (void)!rcl_logging_fini();
  (void)!rclc_support_fini(&graph->support);
  rcl_reset_error();
  *graph = (fw_graph_t){0};
}
