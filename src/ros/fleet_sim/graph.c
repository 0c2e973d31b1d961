// Graph: the simulator's place among the other nodes. See graph.h.

#include "ros/fleet_sim/graph.h"

#include <nav_msgs/msg/occupancy_grid.h>
#include <rosgraph_msgs/msg/clock.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ros/fleet_sim/inbox.h"

fw_ret_t sim_graph_init(sim_graph_t * graph, int argc, char ** argv, fw_error_t * error)
{
  *graph = (sim_graph_t){
    .executor = rclc_executor_get_zero_initialized_executor(),
    .map = rcl_get_zero_initialized_publisher(),
    .status = rcl_get_zero_initialized_publisher(),
    .clock = rcl_get_zero_initialized_publisher(),
  };
  const fw_ret_t ret = ros_session_init(&graph->ros, "fleet_sim", argc, argv, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (
    !nav_msgs__msg__Odometry__init(&graph->odom) || !geometry_msgs__msg__PoseStamped__init(&graph->goal_pose) ||
    !diagnostic_msgs__msg__DiagnosticArray__init(&graph->report)) {
    return fw__error_memory(error);
  }
  return FW_RET_OK;
}

// What moves the robot: a path, commands, or news of where it is.
typedef struct motion_t {
  const char * topic;
  const rosidl_message_type_support_t * type;
  rmw_qos_profile_t qos;
  void * message;
  rclc_subscription_callback_with_context_t callback;
} motion_t;

static motion_t motion_of(const sim_graph_t * graph, sim_graph_robot_t * robot)
{
  const sim_fleet_mover_t mover = graph->fleet->options.mover;
  if (mover == FW_FLEET_WHEELS && graph->parameters->stamped_commands) {
    return (motion_t){
      "cmd_vel", ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, TwistStamped), ros_qos(1, false, false),
      &robot->stamped_twist, sim_inbox_on_stamped_twist};
  }
  if (mover == FW_FLEET_WHEELS) {
    return (motion_t){
      "cmd_vel", ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, Twist), ros_qos(1, false, false), &robot->twist,
      sim_inbox_on_twist};
  }
  if (mover == FW_FLEET_ELSEWHERE) {
    return (motion_t){
      "odom", ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Odometry), ros_qos(5, false, false), &robot->odometry,
      sim_inbox_on_odometry};
  }
  return (motion_t){
    graph->parameters->follow, ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Path), ros_qos(1, true, true), &robot->path,
    sim_inbox_on_path};
}

static fw_ret_t connect_motion(sim_graph_t * graph, sim_graph_robot_t * robot, const char * name)
{
  char topic[FW_ROW_NAME_MAX + FW_ROW_TEXT_MAX];
  const motion_t motion = motion_of(graph, robot);
  snprintf(topic, sizeof(topic), "%s/%s", name, motion.topic);
  if (
    rclc_subscription_init(&robot->motion_in, &graph->ros.node, motion.type, topic, &motion.qos) != RCL_RET_OK ||
    rclc_executor_add_subscription_with_context(
      &graph->executor, &robot->motion_in, motion.message, motion.callback, robot, ON_NEW_DATA) != RCL_RET_OK) {
    return FW_RET_ERROR;
  }
  return FW_RET_OK;
}

static fw_ret_t connect_goals(sim_graph_t * graph, sim_graph_robot_t * robot, const char * name)
{
  char topic[FW_ROW_NAME_MAX + 16];
  const rmw_qos_profile_t reliable = ros_qos(10, true, false);
  const rosidl_message_type_support_t * type = ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, PoseStamped);
  snprintf(topic, sizeof(topic), "%s/goal_pose", name);
  if (strcmp(graph->parameters->goals, "random") == 0) {
    const rcl_ret_t ret = rclc_publisher_init(&robot->goal_out, &graph->ros.node, type, topic, &reliable);
    return ret == RCL_RET_OK ? FW_RET_OK : FW_RET_ERROR;
  }
  if (
    rclc_subscription_init(&robot->goal_in, &graph->ros.node, type, topic, &reliable) != RCL_RET_OK ||
    rclc_executor_add_subscription_with_context(
      &graph->executor, &robot->goal_in, &robot->goal, sim_inbox_on_goal, robot, ON_NEW_DATA) != RCL_RET_OK) {
    return FW_RET_ERROR;
  }
  return FW_RET_OK;
}

static fw_ret_t connect_robot(sim_graph_t * graph, int32_t index, fw_error_t * error)
{
  sim_graph_robot_t * robot = &graph->robots[index];
  const char * name = graph->parameters->robots[index];
  char topic[FW_ROW_NAME_MAX + 16];
  const rmw_qos_profile_t best_effort = ros_qos(5, false, false);
  const rosidl_message_type_support_t * type = ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Odometry);
  snprintf(topic, sizeof(topic), "%s/odom", name);
  const bool is_ours = graph->fleet->options.mover != FW_FLEET_ELSEWHERE;
  if (
    (is_ours && rclc_publisher_init(&robot->odom, &graph->ros.node, type, topic, &best_effort) != RCL_RET_OK) ||
    connect_motion(graph, robot, name) != FW_RET_OK || connect_goals(graph, robot, name) != FW_RET_OK) {
    char what[FW_ROW_NAME_MAX + 32];
    snprintf(what, sizeof(what), "cannot connect robot %s", name);
    return ros_session_error(error, what);
  }
  return FW_RET_OK;
}

static fw_ret_t init_robots(sim_graph_t * graph, fw_error_t * error)
{
  graph->robots = calloc((size_t)graph->parameters->robot_count, sizeof(*graph->robots));
  if (graph->robots == NULL) {
    return fw__error_memory(error);
  }
  for (int32_t i = 0; i < graph->parameters->robot_count; ++i) {
    sim_graph_robot_t * robot = &graph->robots[i];
    robot->graph = graph;
    robot->index = i;
    robot->odom = rcl_get_zero_initialized_publisher();
    robot->goal_out = rcl_get_zero_initialized_publisher();
    robot->goal_in = rcl_get_zero_initialized_subscription();
    robot->motion_in = rcl_get_zero_initialized_subscription();
    if (
      !nav_msgs__msg__Path__init(&robot->path) || !geometry_msgs__msg__PoseStamped__init(&robot->goal) ||
      !geometry_msgs__msg__TwistStamped__init(&robot->stamped_twist) ||
      !nav_msgs__msg__Odometry__init(&robot->odometry)) {
      return fw__error_memory(error);
    }
  }
  return FW_RET_OK;
}

fw_ret_t sim_graph_connect(
  sim_graph_t * graph, const sim_parameters_t * parameters, sim_fleet_t * fleet, fw_error_t * error)
{
  graph->parameters = parameters;
  graph->fleet = fleet;
  const rmw_qos_profile_t latched = ros_qos(1, true, true);
  const rmw_qos_profile_t reliable = ros_qos(1, true, false);
  const size_t handle_count = 2 * (size_t)parameters->robot_count;
  fw_ret_t ret = init_robots(graph, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (
    rclc_executor_init(&graph->executor, &graph->ros.support.context, handle_count, &graph->ros.allocator) !=
      RCL_RET_OK ||
    rclc_publisher_init(
      &graph->map, &graph->ros.node, ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, OccupancyGrid), "map", &latched) !=
      RCL_RET_OK ||
    rclc_publisher_init(
      &graph->status, &graph->ros.node, ROSIDL_GET_MSG_TYPE_SUPPORT(diagnostic_msgs, msg, DiagnosticArray), "~/status",
      &latched) != RCL_RET_OK) {
    return ros_session_error(error, "cannot connect");
  }
  const rosidl_message_type_support_t * clock_type = ROSIDL_GET_MSG_TYPE_SUPPORT(rosgraph_msgs, msg, Clock);
  if (
    parameters->publish_clock &&
    rclc_publisher_init(&graph->clock, &graph->ros.node, clock_type, "/clock", &reliable) != RCL_RET_OK) {
    return ros_session_error(error, "cannot publish /clock");
  }
  for (int32_t i = 0; ret == FW_RET_OK && i < parameters->robot_count; ++i) {
    ret = connect_robot(graph, i, error);
  }
  return ret;
}

fw_ret_t sim_graph_spin(sim_graph_t * graph, int64_t wait_ns, fw_error_t * error)
{
  return ros_session_spin(&graph->executor, wait_ns, error);
}

static void fini_robots(sim_graph_t * graph)
{
  for (int32_t i = 0; graph->robots != NULL && i < graph->parameters->robot_count; ++i) {
    sim_graph_robot_t * robot = &graph->robots[i];
    ros_session_fini_publisher(&graph->ros, &robot->odom);
    ros_session_fini_publisher(&graph->ros, &robot->goal_out);
    ros_session_fini_subscription(&graph->ros, &robot->goal_in);
    ros_session_fini_subscription(&graph->ros, &robot->motion_in);
    nav_msgs__msg__Path__fini(&robot->path);
    geometry_msgs__msg__TwistStamped__fini(&robot->stamped_twist);
    nav_msgs__msg__Odometry__fini(&robot->odometry);
    geometry_msgs__msg__PoseStamped__fini(&robot->goal);
  }
  free(graph->robots);
  graph->robots = NULL;
}

void sim_graph_fini(sim_graph_t * graph)
{
  if (!graph->ros.is_started) {
    return;
  }
  (void)rclc_executor_fini(&graph->executor);
  fini_robots(graph);
  ros_session_fini_publisher(&graph->ros, &graph->map);
  ros_session_fini_publisher(&graph->ros, &graph->status);
  ros_session_fini_publisher(&graph->ros, &graph->clock);
  nav_msgs__msg__Odometry__fini(&graph->odom);
  geometry_msgs__msg__PoseStamped__fini(&graph->goal_pose);
  diagnostic_msgs__msg__DiagnosticArray__fini(&graph->report);
  fw__track_fini(&graph->track);
  ros_session_fini(&graph->ros);
  *graph = (sim_graph_t){0};
}
