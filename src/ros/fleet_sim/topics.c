// Topics: everything that fleet_sim publishes and subscribes to. See topics.h.

#include "ros/fleet_sim/topics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <diagnostic_msgs/msg/diagnostic_status.h>
#include <diagnostic_msgs/msg/key_value.h>
#include <nav_msgs/msg/occupancy_grid.h>
#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>
#include <rosgraph_msgs/msg/clock.h>
#include <rosidl_runtime_c/primitives_sequence_functions.h>
#include <rosidl_runtime_c/string_functions.h>

#include "base/assert.h"
#include "base/error.h"
#include "ros/messages.h"

// ---- subscriptions: what other nodes send; `context` is the sim_topics_robot_t

static void warn(const sim_topics_robot_t * robot, const char * what, const char * outcome, const char * reason)
{
  ros_log_printf(
    &robot->topics->log, RCUTILS_LOG_SEVERITY_WARN, "%s of %s %s: %s", what,
    sim_robot_name(robot->topics->parameters, robot->index), outcome, reason);
}

static void on_path(const void * message, void * context)
{
  sim_topics_robot_t * robot = context;
  sim_topics_t * topics = robot->topics;
  const char * reason = ros_message_read_path(&topics->path, message, topics->parameters->map_frame);
  sim_driver_t * driver = &topics->fleet->robots[robot->index].driver;
  const bool is_release = topics->parameters->follow == SIM_FOLLOW_RELEASED_PATH;
  if (
    reason == NULL && (is_release ? sim_driver_set_released_path(driver, &topics->path)
                                  : sim_driver_set_timed_path(driver, &topics->path)) != FW_RET_OK) {
    reason = "out of memory";
  }
  if (reason != NULL) {
    warn(robot, "path", "refused", reason);
  }
}

static void on_twist(const void * message, void * context)
{
  const sim_topics_robot_t * robot = context;
  const geometry_msgs__msg__Twist * twist = message;
  if (!isfinite(twist->linear.x) || !isfinite(twist->linear.y) || !isfinite(twist->angular.z)) {
    warn(robot, "command", "refused", "it is not finite");
    return;
  }
  sim_diff_drive_command(
    &robot->topics->fleet->robots[robot->index].diff_drive,
    (fw_twist_t){.speed = twist->linear.x, .turn_rate = twist->angular.z, .sideways = twist->linear.y});
}

static void on_stamped_twist(const void * message, void * context)
{
  const geometry_msgs__msg__TwistStamped * stamped = message;
  on_twist(&stamped->twist, context);
}

static void on_odometry(const void * message, void * context)
{
  const sim_topics_robot_t * robot = context;
  const nav_msgs__msg__Odometry * odometry = message;
  sim_fleet_robot_t * driven = &robot->topics->fleet->robots[robot->index];
  const fw_pose2d_t pose = ros_message_pose(&odometry->pose.pose);
  if (!ros_message_is_in(&odometry->header, robot->topics->parameters->map_frame)) {
    warn(robot, "odometry", "dropped", "its frame is not map_frame");
    return;
  }
  if (!ros_pose_is_finite(&pose)) {
    warn(robot, "odometry", "dropped", "it is not finite");
    return;
  }
  driven->driver.distance += driven->is_placed ? fw__pose2d_distance(&pose, &driven->driver.pose) : 0.0;
  driven->driver.pose = pose;
  driven->driver.speed = odometry->twist.twist.linear.x;
  driven->is_placed = true;
}

static void on_goal(const void * message, void * context)
{
  const sim_topics_robot_t * robot = context;
  sim_topics_t * topics = robot->topics;
  const geometry_msgs__msg__PoseStamped * goal = message;
  if (!ros_message_is_in(&goal->header, topics->parameters->map_frame)) {
    warn(robot, "goal", "rejected", "its frame is not map_frame");
    return;
  }
  if (!isfinite(goal->pose.position.x) || !isfinite(goal->pose.position.y)) {
    warn(robot, "goal", "rejected", "its position is not finite");
    return;
  }
  sim_fleet_set_goal(topics->fleet, robot->index, goal->pose.position.x, goal->pose.position.y);
  if (topics->on_goal != NULL) {
    topics->on_goal(robot->index, topics->on_goal_state);
  }
}

// ---- connecting

fw_ret_t sim_topics_init(sim_topics_t * topics, int argc, char ** argv, fw_error_t * error)
{
  *topics = (sim_topics_t){
    .map = rcl_get_zero_initialized_publisher(),
    .status = rcl_get_zero_initialized_publisher(),
    .clock = rcl_get_zero_initialized_publisher(),
  };
  const ros_session_options_t options = {.node_name = "fleet_sim", .argc = argc, .argv = argv};
  const fw_ret_t ret = ros_session_init(&topics->session, &options, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (
    !ros_log_init(&topics->log, topics->session.logger) || !nav_msgs__msg__Odometry__init(&topics->odom) ||
    !geometry_msgs__msg__PoseStamped__init(&topics->goal_pose) ||
    !diagnostic_msgs__msg__DiagnosticArray__init(&topics->report)) {
    return fw__error_memory(error);
  }
  return FW_RET_OK;
}

// The subscription that moves a robot: its path, its commands, or its odometry.
static ros_subscription_options_t motion_of(const sim_topics_t * topics, sim_topics_robot_t * robot)
{
  const sim_parameters_t * parameters = topics->parameters;
  ros_subscription_options_t motion = {
    .subscription = &robot->motion_in, .robot = sim_robot_name(parameters, robot->index), .context = robot};
  switch (topics->fleet->options.mover) {
    case SIM_MOVER_CMD_VEL:
      motion.topic = "cmd_vel";
      motion.qos = ros_qos_best_effort(1);
      motion.type = ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, Twist);
      motion.message = &robot->twist;
      motion.callback = on_twist;
      if (parameters->stamped_commands) {
        motion.type = ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, TwistStamped);
        motion.message = &robot->stamped_twist;
        motion.callback = on_stamped_twist;
      }
      break;
    case SIM_MOVER_EXTERNAL:
      motion.topic = "odom";
      motion.qos = ros_qos_best_effort(5);
      motion.type = ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Odometry);
      motion.message = &robot->odometry;
      motion.callback = on_odometry;
      break;
    case SIM_MOVER_PATH:
      motion.topic = parameters->follow == SIM_FOLLOW_RELEASED_PATH ? "released_path" : "timed_path";
      motion.qos = ros_qos_latched(1);
      motion.type = ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Path);
      motion.message = &robot->path;
      motion.callback = on_path;
      break;
  }
  FW_ASSERT(motion.topic != NULL);
  return motion;
}

// The goals of a robot: published if they are drawn here, otherwise subscribed to.
static bool connect_goals(sim_topics_t * topics, sim_topics_robot_t * robot, const char * name)
{
  const rosidl_message_type_support_t * type = ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, PoseStamped);
  const rmw_qos_profile_t qos = ros_qos_reliable(10);
  if (topics->parameters->goals == SIM_GOALS_RANDOM) {
    char topic[ROS_TOPIC_SIZE];
    ros_topic_name(topic, name, "goal_pose");
    if (rclc_publisher_init(&robot->goal_out, &topics->session.node, type, topic, &qos) != RCL_RET_OK) {
      return false;
    }
    if (rcl_publisher_event_init(&robot->goal_matched, &robot->goal_out, RCL_PUBLISHER_MATCHED) != RCL_RET_OK) {
      rcl_reset_error();
      robot->goal_matched = rcl_get_zero_initialized_event();
    }
    return true;
  }
  const ros_subscription_options_t goal = {
    .subscription = &robot->goal_in,
    .robot = name,
    .topic = "goal_pose",
    .type = type,
    .qos = qos,
    .message = &robot->goal,
    .callback = on_goal,
    .context = robot,
  };
  return ros_session_subscribe(&topics->session, &topics->executor, &goal);
}

static bool connect_odometry(sim_topics_t * topics, sim_topics_robot_t * robot, const char * name)
{
  char topic[ROS_TOPIC_SIZE];
  const rmw_qos_profile_t qos = ros_qos_best_effort(5);
  ros_topic_name(topic, name, "odom");
  return topics->fleet->options.mover == SIM_MOVER_EXTERNAL || !topics->parameters->publish_odom ||
         rclc_publisher_init(
           &robot->odom_out, &topics->session.node, ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Odometry), topic,
           &qos) == RCL_RET_OK;
}

static fw_ret_t connect_robot(sim_topics_t * topics, int32_t index, fw_error_t * error)
{
  sim_topics_robot_t * robot = &topics->robots[index];
  const char * name = sim_robot_name(topics->parameters, index);
  const ros_subscription_options_t motion = motion_of(topics, robot);
  if (
    !connect_odometry(topics, robot, name) || !ros_session_subscribe(&topics->session, &topics->executor, &motion) ||
    !connect_goals(topics, robot, name)) {
    char what[ROS_TOPIC_SIZE];
    snprintf(what, sizeof(what), "cannot connect robot %s", name);
    return ros_session_error(error, what);
  }
  return FW_RET_OK;
}

static fw_ret_t init_robots(sim_topics_t * topics, fw_error_t * error)
{
  topics->robots = calloc((size_t)topics->parameters->robots.count, sizeof(*topics->robots));
  if (topics->robots == NULL) {
    return fw__error_memory(error);
  }
  for (int32_t i = 0; i < topics->parameters->robots.count; ++i) {
    sim_topics_robot_t * robot = &topics->robots[i];
    robot->topics = topics;
    robot->index = i;
    robot->odom_out = rcl_get_zero_initialized_publisher();
    robot->goal_out = rcl_get_zero_initialized_publisher();
    robot->goal_matched = rcl_get_zero_initialized_event();
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

static fw_ret_t offer_parameters(sim_topics_t * topics, fw_error_t * error)
{
  const ros_parameter_services_options_t services = {
    .parameters = &topics->parameters->values, .node = &topics->session.node, .executor = &topics->executor};
  topics->has_parameter_services = true;
  return ros_parameter_services_init(&topics->parameter_services, &services)
           ? FW_RET_OK
           : ros_session_error(error, "cannot offer the parameter services");
}

fw_ret_t sim_topics_connect(sim_topics_t * topics, fw_error_t * error)
{
  FW_ASSERT(topics->parameters != NULL && topics->fleet != NULL && topics->faults != NULL);
  const sim_parameters_t * parameters = topics->parameters;
  const rmw_qos_profile_t latched = ros_qos_latched(1);
  const rmw_qos_profile_t reliable = ros_qos_reliable(1);
  const ros_executor_options_t options = {
    .context = &topics->session.support.context, .logger = topics->session.logger};
  topics->transforms = (sim_transforms_t){.session = &topics->session, .parameters = parameters};
  fw_ret_t ret = init_robots(topics, error);
  if (ret == FW_RET_OK) {
    ret = sim_transforms_init(&topics->transforms, error);
  }
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (
    ros_executor_init(&topics->executor, &options) != RCL_RET_OK ||
    rclc_publisher_init(
      &topics->map, &topics->session.node, ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, OccupancyGrid), "map",
      &latched) != RCL_RET_OK ||
    rclc_publisher_init(
      &topics->status, &topics->session.node, ROSIDL_GET_MSG_TYPE_SUPPORT(diagnostic_msgs, msg, DiagnosticArray),
      "~/status", &latched) != RCL_RET_OK) {
    return ros_session_error(error, "cannot connect");
  }
  const rosidl_message_type_support_t * clock_type = ROSIDL_GET_MSG_TYPE_SUPPORT(rosgraph_msgs, msg, Clock);
  if (
    parameters->publish_clock &&
    rclc_publisher_init(&topics->clock, &topics->session.node, clock_type, "/clock", &reliable) != RCL_RET_OK) {
    return ros_session_error(error, "cannot publish /clock");
  }
  ret = offer_parameters(topics, error);
  for (int32_t i = 0; ret == FW_RET_OK && i < parameters->robots.count; ++i) {
    ret = connect_robot(topics, i, error);
  }
  return ret;
}

static void fini_robots(sim_topics_t * topics)
{
  for (int32_t i = 0; topics->robots != NULL && i < topics->parameters->robots.count; ++i) {
    sim_topics_robot_t * robot = &topics->robots[i];
    ros_session_fini_publisher(&topics->session, &robot->odom_out);
    if (robot->goal_matched.impl != NULL && rcl_event_fini(&robot->goal_matched) != RCL_RET_OK) {
      rcl_reset_error();
    }
    ros_session_fini_publisher(&topics->session, &robot->goal_out);
    ros_session_fini_subscription(&topics->session, &robot->goal_in);
    ros_session_fini_subscription(&topics->session, &robot->motion_in);
    nav_msgs__msg__Path__fini(&robot->path);
    geometry_msgs__msg__TwistStamped__fini(&robot->stamped_twist);
    nav_msgs__msg__Odometry__fini(&robot->odometry);
    geometry_msgs__msg__PoseStamped__fini(&robot->goal);
  }
  free(topics->robots);
  topics->robots = NULL;
}

void sim_topics_fini(sim_topics_t * topics)
{
  if (!topics->session.is_started) {
    return;
  }
  ros_executor_fini(&topics->executor);
  if (topics->has_parameter_services) {
    ros_parameter_services_fini(&topics->parameter_services, &topics->session.node);
  }
  fini_robots(topics);
  sim_transforms_fini(&topics->transforms);
  ros_session_fini_publisher(&topics->session, &topics->map);
  ros_session_fini_publisher(&topics->session, &topics->status);
  ros_session_fini_publisher(&topics->session, &topics->clock);
  nav_msgs__msg__Odometry__fini(&topics->odom);
  geometry_msgs__msg__PoseStamped__fini(&topics->goal_pose);
  diagnostic_msgs__msg__DiagnosticArray__fini(&topics->report);
  fw__polyline_fini(&topics->path);
  ros_log_fini(&topics->log);
  ros_session_fini(&topics->session);
  *topics = (sim_topics_t){0};
}

// ---- publishing

static fw_ret_t publish(const rcl_publisher_t * publisher, const void * message, const char * what, fw_error_t * error)
{
  return rcl_publish(publisher, message, NULL) == RCL_RET_OK ? FW_RET_OK : ros_session_error(error, what);
}

fw_ret_t sim_topics_publish_map(sim_topics_t * topics, const fw_grid_t * grid, int64_t now_ns, fw_error_t * error)
{
  const int32_t parts = (int32_t)lround(topics->parameters->cell_size / topics->parameters->map_resolution);
  FW_ASSERT(parts >= 1);
  const int32_t width = grid->width * parts;
  const int32_t height = grid->height * parts;
  nav_msgs__msg__OccupancyGrid map = {0};  // init leaves numbers as they are
  if (!nav_msgs__msg__OccupancyGrid__init(&map)) {
    return fw__error_memory(error);
  }
  fw_ret_t ret = FW_RET_OK;
  if (
    !rosidl_runtime_c__String__assign(&map.header.frame_id, topics->parameters->map_frame) ||
    !rosidl_runtime_c__int8__Sequence__init(&map.data, (size_t)width * (size_t)height)) {
    ret = fw__error_memory(error);
    goto cleanup;
  }
  map.header.stamp = ros_message_stamp(now_ns);
  map.info.map_load_time = map.header.stamp;
  map.info.resolution = (float)topics->parameters->map_resolution;
  map.info.width = (uint32_t)width;
  map.info.height = (uint32_t)height;
  const fw_pose2d_t * origin = &topics->fleet->options.origin;
  map.info.origin.position.x = origin->x;
  map.info.origin.position.y = origin->y;
  map.info.origin.orientation = ros_message_orientation(origin->yaw);
  for (int32_t y = 0; y < height; ++y) {
    for (int32_t x = 0; x < width; ++x) {
      map.data.data[(size_t)y * (size_t)width + (size_t)x] = fw_grid_is_free(grid, x / parts, y / parts) ? 0 : 100;
    }
  }
  ret = publish(&topics->map, &map, "cannot publish the map", error);

cleanup:
  nav_msgs__msg__OccupancyGrid__fini(&map);
  return ret;
}

fw_ret_t sim_topics_publish_clock(sim_topics_t * topics, int64_t now_ns, fw_error_t * error)
{
  const rosgraph_msgs__msg__Clock clock = {.clock = ros_message_stamp(now_ns)};
  return publish(&topics->clock, &clock, "cannot publish /clock", error);
}

static fw_ret_t publish_odometry(sim_topics_t * topics, int32_t index, const fw_pose2d_t * pose, fw_error_t * error)
{
  nav_msgs__msg__Odometry * odom = &topics->odom;
  const sim_driver_t * driver = &topics->fleet->robots[index].driver;
  char child[ROS_TOPIC_SIZE];
  ros_topic_name(child, sim_robot_name(topics->parameters, index), "base_link");
  if (!rosidl_runtime_c__String__assign(&odom->child_frame_id, child)) {
    return fw__error_memory(error);
  }
  odom->pose.pose.position.x = pose->x;
  odom->pose.pose.position.y = pose->y;
  odom->pose.pose.orientation = ros_message_orientation(pose->yaw);
  odom->twist.twist.linear.x = driver->speed;
  odom->twist.twist.linear.y = driver->sideways;
  odom->twist.twist.angular.z = driver->turn_rate;
  return publish(&topics->robots[index].odom_out, odom, "cannot publish odometry", error);
}

fw_ret_t sim_topics_publish_poses(sim_topics_t * topics, int64_t now_ns, fw_error_t * error)
{
  nav_msgs__msg__Odometry * odom = &topics->odom;
  odom->header.stamp = ros_message_stamp(now_ns);
  fw_ret_t ret = FW_RET_OK;
  if (!rosidl_runtime_c__String__assign(&odom->header.frame_id, topics->parameters->map_frame)) {
    return fw__error_memory(error);
  }
  for (int32_t i = 0; ret == FW_RET_OK && i < topics->parameters->robots.count; ++i) {
    const sim_fleet_robot_t * robot = &topics->fleet->robots[i];
    if (robot->is_silent) {
      continue;
    }
    fw_pose2d_t measured = robot->driver.pose;
    measured.x += sim_faults_draw_noise(topics->faults);
    measured.y += sim_faults_draw_noise(topics->faults);
    sim_transforms_add(&topics->transforms, i, &measured, robot->driver.distance, now_ns);
    if (topics->parameters->publish_odom) {
      ret = publish_odometry(topics, i, &measured, error);
    }
  }
  return ret == FW_RET_OK ? sim_transforms_publish(&topics->transforms, now_ns, error) : ret;
}

// Has somebody subscribed to a robot's goals since the last call? The count alone does not tell: a planner that was
// killed may leave it in the moment in which the next one comes.
static bool has_new_reader(sim_topics_robot_t * robot, size_t subscribers)
{
  rmw_matched_status_t matched = {0};
  const bool has_event =
    robot->goal_matched.impl != NULL && rcl_take_event(&robot->goal_matched, &matched) == RCL_RET_OK;
  const bool has_more = subscribers > robot->goal_subscribers;
  if (!has_event) {
    rcl_reset_error();
  }
  robot->goal_subscribers = subscribers;
  return has_more || (has_event && matched.total_count_change > 0);
}

fw_ret_t sim_topics_publish_goals(sim_topics_t * topics, int64_t now_ns, fw_error_t * error)
{
  geometry_msgs__msg__PoseStamped * goal = &topics->goal_pose;
  goal->header.stamp = ros_message_stamp(now_ns);
  fw_ret_t ret = FW_RET_OK;
  if (!rosidl_runtime_c__String__assign(&goal->header.frame_id, topics->parameters->map_frame)) {
    return fw__error_memory(error);
  }
  for (int32_t i = 0; ret == FW_RET_OK && i < topics->parameters->robots.count; ++i) {
    sim_topics_robot_t * robot = &topics->robots[i];
    const sim_fleet_robot_t * driven = &topics->fleet->robots[i];
    size_t subscribers = 0;
    if (rcl_publisher_get_subscription_count(&robot->goal_out, &subscribers) != RCL_RET_OK) {
      return ros_session_error(error, "cannot count the subscribers of goals");
    }
    robot->is_goal_unsent = has_new_reader(robot, subscribers) || robot->is_goal_unsent;
    if (!robot->is_goal_unsent || !driven->has_goal || subscribers == 0) {
      continue;
    }
    goal->pose.position.x = driven->goal.x;
    goal->pose.position.y = driven->goal.y;
    goal->pose.orientation = (geometry_msgs__msg__Quaternion){0};  // any yaw will do
    ret = publish(&robot->goal_out, goal, "cannot publish a goal", error);
    robot->is_goal_unsent = false;
  }
  return ret;
}

double sim_goals_per_minute(const sim_fleet_t * fleet, double seconds)
{
  return seconds > 0.0 ? 60.0 * (double)fleet->arrivals / seconds : 0.0;
}

static bool set_value(diagnostic_msgs__msg__KeyValue * value, const char * key, const char * text)
{
  return rosidl_runtime_c__String__assign(&value->key, key) && rosidl_runtime_c__String__assign(&value->value, text);
}

static bool fill_status(diagnostic_msgs__msg__DiagnosticStatus * status, const sim_fleet_t * fleet, double seconds)
{
  const struct {
    const char * key;
    const char * format;
    double value;
  } rows[] = {
    {"seconds", "%.2f", seconds},
    {"robots", "%.0f", (double)fleet->options.robot_count},
    {"goals_reached", "%.0f", (double)fleet->arrivals},
    {"goals_per_minute", "%.1f", sim_goals_per_minute(fleet, seconds)},
    {"overlaps", "%.0f", (double)fleet->overlaps},
    {"late_max_seconds", "%.2f", fleet->late_max_seconds},
  };
  enum { ROW_COUNT = sizeof(rows) / sizeof(rows[0]) };
  if (status->values.size != ROW_COUNT && !diagnostic_msgs__msg__KeyValue__Sequence__init(&status->values, ROW_COUNT)) {
    return false;
  }
  bool is_set = true;
  char text[64];
  for (size_t i = 0; i < ROW_COUNT; ++i) {
    snprintf(text, sizeof(text), rows[i].format, rows[i].value);
    is_set = is_set && set_value(&status->values.data[i], rows[i].key, text);
  }
  snprintf(
    text, sizeof(text), "%lld goals reached, %lld overlaps", (long long)fleet->arrivals, (long long)fleet->overlaps);
  status->level =
    fleet->overlaps == 0 ? diagnostic_msgs__msg__DiagnosticStatus__OK : diagnostic_msgs__msg__DiagnosticStatus__ERROR;
  return is_set && rosidl_runtime_c__String__assign(&status->name, "fleet_sim") &&
         rosidl_runtime_c__String__assign(&status->message, text);
}

fw_ret_t sim_topics_publish_status(sim_topics_t * topics, int64_t now_ns, double seconds, fw_error_t * error)
{
  diagnostic_msgs__msg__DiagnosticArray * report = &topics->report;
  if (
    (report->status.size != 1 && !diagnostic_msgs__msg__DiagnosticStatus__Sequence__init(&report->status, 1)) ||
    !fill_status(report->status.data, topics->fleet, seconds)) {
    return fw__error_memory(error);
  }
  report->header.stamp = ros_message_stamp(now_ns);
  return publish(&topics->status, report, "cannot publish the status", error);
}

void sim_topics_flush(sim_topics_t * topics)
{
  const rmw_time_point_value_t wait_ns = 500000000;
  if (rcl_publisher_wait_for_all_acked(&topics->status, wait_ns) != RCL_RET_OK) {
    rcl_reset_error();  // a subscriber is slow or gone: nothing that matters is lost
  }
}
