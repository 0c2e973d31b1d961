// Follower: drives robots along their released paths. See follower.h.

#include "ros/path_follower/follower.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>
#include <rosidl_runtime_c/string_functions.h>

#include "base/assert.h"
#include "base/error.h"
#include "ros/messages.h"
#include "ros/transforms.h"

static const double LONGEST_STEP = 0.25;            // seconds; a longer time between poses was a pause, not a step
static const double AGES_SECONDS = 5.0;             // over which the extreme ages of poses are forgotten
static const int64_t REPEAT_STOP_NS = 200000000;    // a command to stop may get lost
static const int64_t WATCH_NS = 50000000;           // between checks for robots whose poses have ceased
static const int64_t EXPLAIN_NS = 5000000000;       // between lines that say why a robot has no pose
static const int64_t LAST_COMMAND_NS = 1000000000;  // that the last command to stop may take to arrive

int64_t follower_now(follower_t * follower)
{
  bool has_jumped_back;  // each robot notices by itself
  const int64_t now_ns = ros_clock_now(&follower->clock, &has_jumped_back);
  if (has_jumped_back) {
    follower_poses_clear(follower);
  }
  return now_ns;
}

// ---- one robot

const char * follower_robot_name(const follower_robot_t * robot)
{
  return robot->name[0] == '\0' ? "the robot" : robot->name;
}

static void publish_command(follower_robot_t * robot, fw_twist_t twist, int64_t now_ns)
{
  geometry_msgs__msg__TwistStamped * command = &robot->command;
  command->header.stamp = ros_message_stamp(now_ns);
  command->twist.linear.x = twist.speed;
  command->twist.linear.y = twist.sideways;
  command->twist.angular.z = twist.turn_rate;
  robot->command_ns = now_ns;
  const bool is_stamped = robot->follower->parameters.stamped_commands;
  const void * message = is_stamped ? (const void *)command : (const void *)&command->twist;
  if (rcl_publish(&robot->command_out, message, NULL) != RCL_RET_OK) {
    ros_log_printf(
      &robot->follower->log, RCUTILS_LOG_SEVERITY_ERROR, "cannot command %s: %.200s", follower_robot_name(robot),
      rcl_get_error_string().str);
    rcl_reset_error();
  }
}

// Commands a robot to stop, whatever it was doing.
static void stop_robot(follower_robot_t * robot, int64_t now_ns)
{
  robot->pursuit.last = (fw_twist_t){0};
  publish_command(robot, (fw_twist_t){0}, now_ns);
}

static void set_state(follower_robot_t * robot, follower_state_t state)
{
  static const char * const texts[] = {
    [FOLLOWER_DRIVING] = "is driven",
    [FOLLOWER_NO_POSE] = "has no pose yet",
    [FOLLOWER_POSE_STALE] = "is stopped: its poses have ceased or are too old",
    [FOLLOWER_OFF_PATH] = "is stopped: it is too far from its released path",
  };
  if (state == robot->state) {
    return;
  }
  // Throttled: a robot at the edge of what is allowed may change with every pose.
  const int severity = state == FOLLOWER_DRIVING ? RCUTILS_LOG_SEVERITY_INFO : RCUTILS_LOG_SEVERITY_WARN;
  ros_log_printf(&robot->follower->log, severity, "%s %s", follower_robot_name(robot), texts[state]);
  robot->state = state;
}

// A robot may join its path from near by only: farther away, a wall or another robot may be in between.
static bool is_near_release(const follower_robot_t * robot, const fw_pose2d_t * pose)
{
  const fw_polyline_t * release = &robot->release;
  if (release->count == 0) {
    return true;
  }
  const fw_polyline_position_t nearest = fw__polyline_nearest(release, (fw_polyline_position_t){0}, INT64_MAX, pose);
  const fw_polyline_point_t point = fw__polyline_at(release, nearest);
  return fw__pose2d_distance(&point.pose, pose) <= robot->follower->parameters.off_line_max;
}

static void stop_off_path(follower_robot_t * robot, int64_t now_ns)
{
  set_state(robot, FOLLOWER_OFF_PATH);
  stop_robot(robot, now_ns);
}

// Answers a pose with a command, `seconds` after the one before.
static void drive(follower_robot_t * robot, const fw_pose2d_t * pose, double seconds, int64_t now_ns)
{
  FW_ASSERT(seconds >= 0.0 && seconds <= LONGEST_STEP);
  const follower_parameters_t * parameters = &robot->follower->parameters;
  fw_pursuit_options_t options = parameters->pursuit;
  options.reaction += robot->age_high - robot->age_low;
  if (robot->has_new_release && !is_near_release(robot, pose)) {
    stop_off_path(robot, now_ns);  // and checks again at the next pose
    return;
  }
  if (robot->has_new_release) {
    if (fw__pursuit_set_path(&robot->pursuit, &robot->release, pose, &options) != FW_RET_OK) {
      ros_log_printf(
        &robot->follower->log, RCUTILS_LOG_SEVERITY_ERROR, "out of memory for the path of %s: it is stopped",
        follower_robot_name(robot));
      fw__polyline_clear(&robot->pursuit.line);
    }
    robot->has_new_release = false;
  }
  const fw_pursuit_command_t command = fw__pursuit_step(&robot->pursuit, pose, seconds, &options);
  if (command.off_line > parameters->off_line_max) {
    stop_off_path(robot, now_ns);
    return;
  }
  set_state(robot, FOLLOWER_DRIVING);
  publish_command(robot, command.twist, now_ns);
}

// A line of its own, throttled, for each pose that is dropped.
static void note_dropped(follower_robot_t * robot, const char * reason)
{
  ros_log_printf(
    &robot->follower->log, RCUTILS_LOG_SEVERITY_WARN, "pose of %s dropped: %s", follower_robot_name(robot), reason);
}

// Follows the ages of poses, `seconds` after the last one. A machine or network that is busy delivers some poses late;
// then commands are late too, and the robot brakes earlier by as much.
static void note_age(follower_robot_t * robot, double age, double seconds)
{
  const double share = fmin(fmax(seconds / AGES_SECONDS, 0.0), 1.0);
  robot->age_high = fmax(age, robot->age_high + share * (age - robot->age_high));
  robot->age_low = fmin(age, robot->age_low + share * (age - robot->age_low));
}

void follower_take_pose(follower_robot_t * robot, const fw_pose2d_t * pose, int64_t stamp_ns)
{
  const follower_parameters_t * parameters = &robot->follower->parameters;
  const int64_t now_ns = follower_now(robot->follower);
  if (!ros_pose_is_finite(pose)) {
    note_dropped(robot, "it is not finite");
    return;
  }
  const double age = stamp_ns > 0 && now_ns > stamp_ns ? 1e-9 * (double)(now_ns - stamp_ns) : 0.0;
  if (age > parameters->odom_timeout) {
    char reason[96];
    (void)snprintf(
      reason, sizeof reason, "it is %.2f s old, more than odom_timeout (%g s)", age, parameters->odom_timeout);
    note_dropped(robot, reason);
    return;
  }
  note_age(robot, age, 1e-9 * (double)(now_ns - robot->pose_received_ns));
  const double seconds = 1e-9 * (double)(stamp_ns - robot->pose_stamp_ns);
  const bool is_step = robot->pose_stamp_ns > 0 && seconds >= 0.0;  // time may go back, with a simulator
  robot->pose_received_ns = now_ns;
  robot->pose_stamp_ns = stamp_ns;
  const fw_pose2d_t here = fw__pose2d_after(*pose, robot->pursuit.last, age);
  drive(robot, &here, is_step ? fmin(seconds, LONGEST_STEP) : 0.0, now_ns);
}

static void on_path(const void * message, void * context)
{
  follower_robot_t * robot = context;
  fw_polyline_t * read = &robot->follower->path;
  const char * reason = ros_message_read_path(read, message, robot->follower->parameters.map_frame);
  if (reason != NULL) {
    ros_log_printf(
      &robot->follower->log, RCUTILS_LOG_SEVERITY_WARN, "path of %s refused, the one before stays in force: %s",
      follower_robot_name(robot), reason);
    return;
  }
  FW_ASSERT(!read->has_failed);
  fw__polyline_swap(&robot->release, read);
  robot->has_new_release = true;
}

// Says once in EXPLAIN_NS what is missing.
static void explain_silence(follower_robot_t * robot)
{
  const int64_t now_ns = fw_clock_now_ns();
  fw_error_t reason;
  if (now_ns >= robot->explain_ns) {
    robot->explain_ns = now_ns + EXPLAIN_NS;
    follower_poses_explain(robot, &reason);
    ros_log_printf(
      &robot->follower->log, RCUTILS_LOG_SEVERITY_WARN, "no pose of %s: %s", follower_robot_name(robot), reason.text);
  }
}

// Stops a robot whose last usable pose is too old.
static void watch_robot(follower_robot_t * robot, int64_t now_ns)
{
  const int64_t timeout_ns = (int64_t)(1e9 * robot->follower->parameters.odom_timeout);
  if (now_ns < robot->pose_received_ns) {
    robot->pose_received_ns = now_ns;  // time went back
  }
  if (robot->state != FOLLOWER_NO_POSE && now_ns - robot->pose_received_ns <= timeout_ns) {
    return;
  }
  if (robot->state == FOLLOWER_NO_POSE || robot->state == FOLLOWER_POSE_STALE) {
    explain_silence(robot);
  }
  if (robot->state == FOLLOWER_NO_POSE) {
    return;
  }
  const bool was_stale = robot->state == FOLLOWER_POSE_STALE;
  set_state(robot, FOLLOWER_POSE_STALE);
  if (!was_stale || now_ns - robot->command_ns >= REPEAT_STOP_NS || now_ns < robot->command_ns) {
    stop_robot(robot, now_ns);
  }
}

// ---- topics of a robot

static bool connect_robot(follower_robot_t * robot)
{
  follower_t * follower = robot->follower;
  const ros_subscription_options_t path = {
    .subscription = &robot->path_in,
    .robot = robot->name,
    .topic = "released_path",
    .type = ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Path),
    .qos = ros_qos_latched(1),
    .message = &robot->path,
    .callback = on_path,
    .context = robot,
  };
  const rosidl_message_type_support_t * type = ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, Twist);
  if (follower->parameters.stamped_commands) {
    type = ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, TwistStamped);
  }
  const rmw_qos_profile_t reliable = ros_qos_reliable(1);
  char topic[ROS_TOPIC_SIZE];
  ros_topic_name(topic, robot->name, "cmd_vel");
  return ros_session_subscribe(&follower->session, &follower->executor, &path) &&
         rclc_publisher_init(&robot->command_out, &follower->session.node, type, topic, &reliable) == RCL_RET_OK;
}

// `name` is empty or a relative name.
static fw_ret_t init_robot(follower_robot_t * robot, follower_t * follower, const char * name, fw_error_t * error)
{
  *robot = (follower_robot_t){
    .follower = follower,
    .state = FOLLOWER_NO_POSE,
    .explain_ns = fw_clock_now_ns() + EXPLAIN_NS,
    .frame = -1,
    .odom_in = rcl_get_zero_initialized_subscription(),
    .path_in = rcl_get_zero_initialized_subscription(),
    .command_out = rcl_get_zero_initialized_publisher(),
  };
  FW_ASSERT(strlen(name) < sizeof(robot->name));
  snprintf(robot->name, sizeof(robot->name), "%s", name);
  char frame[ROS_ROBOT_NAME_SIZE + FOLLOWER_FRAME_SIZE];
  if (!ros_frame_of_robot(frame, sizeof(frame), follower->parameters.base_frame, name)) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "base_frame must not be empty");
  }
  if (
    !nav_msgs__msg__Odometry__init(&robot->odom) || !nav_msgs__msg__Path__init(&robot->path) ||
    !geometry_msgs__msg__TwistStamped__init(&robot->command) ||
    !rosidl_runtime_c__String__assign(&robot->command.header.frame_id, frame)) {
    return fw__error_memory(error);
  }
  char what[ROS_TOPIC_SIZE];
  snprintf(what, sizeof(what), "cannot connect %s", follower_robot_name(robot));
  return connect_robot(robot) ? FW_RET_OK : ros_session_error(error, what);
}

static void fini_robot(follower_robot_t * robot)
{
  if (robot->follower == NULL) {
    return;
  }
  ros_session_t * session = &robot->follower->session;
  ros_session_fini_subscription(session, &robot->odom_in);
  ros_session_fini_subscription(session, &robot->path_in);
  ros_session_fini_publisher(session, &robot->command_out);
  nav_msgs__msg__Odometry__fini(&robot->odom);
  nav_msgs__msg__Path__fini(&robot->path);
  geometry_msgs__msg__TwistStamped__fini(&robot->command);
  fw__polyline_fini(&robot->release);
  fw__pursuit_fini(&robot->pursuit);
  *robot = (follower_robot_t){0};
}

// ---- the node

static fw_ret_t connect(follower_t * follower, fw_error_t * error)
{
  const ros_strings_t * names = &follower->parameters.robots;
  const int32_t count = names->count == 0 ? 1 : names->count;
  const ros_executor_options_t options = {
    .context = &follower->session.support.context, .logger = follower->session.logger};
  follower->robots = calloc((size_t)count, sizeof(*follower->robots));
  if (follower->robots == NULL) {
    return fw__error_memory(error);
  }
  follower->robot_count = count;
  follower->has_clock = ros_clock_init(&follower->clock, &follower->session.allocator);
  if (
    !follower->has_clock || !ros_log_init(&follower->log, follower->session.logger) ||
    ros_executor_init(&follower->executor, &options) != RCL_RET_OK ||
    !ros_clock_use_sim_time(
      &follower->clock, follower->parameters.use_sim_time, &follower->session.node, &follower->executor)) {
    return ros_session_error(error, "cannot start");
  }
  const ros_parameter_services_options_t services = {
    .parameters = &follower->parameters.values, .node = &follower->session.node, .executor = &follower->executor};
  follower->has_parameter_services = true;
  if (!ros_parameter_services_init(&follower->parameter_services, &services)) {
    return ros_session_error(error, "cannot offer the parameter services");
  }
  fw_ret_t ret = FW_RET_OK;
  for (int32_t i = 0; ret == FW_RET_OK && i < count; ++i) {
    ret = init_robot(&follower->robots[i], follower, names->count == 0 ? "" : names->items[i].data, error);
  }
  if (ret == FW_RET_OK && !follower_poses_init(follower)) {
    ret = ros_session_error(error, "cannot listen for poses");
  }
  return ret;
}

fw_ret_t follower_init(follower_t * follower, int argc, char ** argv, fw_error_t * error)
{
  *follower = (follower_t){0};
  const ros_session_options_t options = {.node_name = "path_follower", .argc = argc, .argv = argv};
  fw_ret_t ret = ros_session_init(&follower->session, &options, error);
  if (ret == FW_RET_OK) {
    const ros_parameter_source_t source = ros_session_parameter_source(&follower->session);
    ret = follower_parameters_init(&follower->parameters, &source, error);
  }
  if (ret == FW_RET_OK) {
    ret = connect(follower, error);
  }
  if (ret == FW_RET_OK) {
    RCUTILS_LOG_INFO_NAMED(
      follower->session.logger, "%d %s, at most %g m/s, %s, poses from %s", (int)follower->robot_count,
      follower->robot_count == 1 ? "robot" : "robots", follower->parameters.pursuit.limits.speed,
      follower->parameters.pursuit.is_holonomic ? "holonomic" : "differential",
      follower->parameters.pose_source == FOLLOWER_POSES_TF ? "tf" : "odometry");
  }
  return ret;
}

// Before the process ends: commands all robots to stop and waits a moment until the commands have arrived.
static void stop_all(follower_t * follower)
{
  const int64_t end_ns = fw_clock_now_ns() + LAST_COMMAND_NS;
  for (int32_t i = 0; i < follower->robot_count; ++i) {
    stop_robot(&follower->robots[i], follower_now(follower));
  }
  for (int32_t i = 0; i < follower->robot_count; ++i) {
    const int64_t left_ns = end_ns - fw_clock_now_ns();
    if (left_ns > 0 && rcl_publisher_wait_for_all_acked(&follower->robots[i].command_out, left_ns) != RCL_RET_OK) {
      rcl_reset_error();
    }
  }
}

fw_ret_t follower_run(follower_t * follower, const atomic_bool * is_stopped, fw_error_t * error)
{
  fw_ret_t ret = FW_RET_OK;
  while (ret == FW_RET_OK && !atomic_load(is_stopped)) {
    ret = ros_session_spin(&follower->executor, WATCH_NS, error);
    const int64_t now_ns = follower_now(follower);
    for (int32_t i = 0; i < follower->robot_count; ++i) {
      watch_robot(&follower->robots[i], now_ns);
    }
    ros_log_flush(&follower->log);
  }
  stop_all(follower);
  return ret;
}

void follower_fini(follower_t * follower)
{
  if (!follower->session.is_started) {
    return;
  }
  ros_executor_fini(&follower->executor);
  if (follower->has_parameter_services) {
    ros_parameter_services_fini(&follower->parameter_services, &follower->session.node);
  }
  follower_poses_fini(follower);
  for (int32_t i = 0; i < follower->robot_count; ++i) {
    fini_robot(&follower->robots[i]);
  }
  free(follower->robots);
  if (follower->has_clock) {
    ros_clock_fini(&follower->clock, &follower->session.node);
  }
  fw__polyline_fini(&follower->path);
  ros_log_fini(&follower->log);
  follower_parameters_fini(&follower->parameters);
  ros_session_fini(&follower->session);
}
