// Robot: one robot that is driven along its released path. See robot.h.

#include "ros/path_follower/robot.h"

#include <math.h>
#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>
#include <rosidl_runtime_c/string_functions.h>
#include <stdio.h>

#include "base/error.h"
#include "ros/path_follower/follower.h"
#include "ros/messages.h"

static const double LONGEST_STEP = 0.25;          // seconds; what is longer was a pause, not a step
static const int64_t REPEAT_STOP_NS = 200000000;  // a command to stop may get lost

static const char * shown_name(const follower_robot_t * robot)
{
  return robot->name[0] == '\0' ? "the robot" : robot->name;
}

static void say(follower_robot_t * robot, fw_twist_t twist, int64_t now_ns)
{
  geometry_msgs__msg__TwistStamped * command = &robot->command;
  command->header.stamp = ros_message_stamp(now_ns);
  command->twist.linear.x = twist.speed;
  command->twist.angular.z = twist.turn_rate;
  robot->said_ns = now_ns;
  const bool is_stamped = robot->follower->parameters.stamped_commands;
  const void * message = is_stamped ? (const void *)command : (const void *)&command->twist;
  if (rcl_publish(&robot->command_out, message, NULL) != RCL_RET_OK) {
    RCUTILS_LOG_ERROR_NAMED(
      robot->follower->ros.logger, "cannot command %s: %s", shown_name(robot), rcl_get_error_string().str);
    rcl_reset_error();
  }
}

void follower_robot_stop(follower_robot_t * robot, int64_t now_ns)
{
  robot->pursuit.last = (fw_twist_t){0};
  say(robot, (fw_twist_t){0}, now_ns);
}

static void set_halt(follower_robot_t * robot, follower_robot_halt_t halt)
{
  static const char * const words[] = {
    [FW_FOLLOWER_GOES] = "is driven",
    [FW_FOLLOWER_WAITS] = "has no pose yet",
    [FW_FOLLOWER_SILENT] = "is stopped: its odometry is silent or old",
    [FW_FOLLOWER_OFF_LINE] = "is stopped: it is too far from its released path",
  };
  if (halt == robot->halt) {
    return;
  }
  const char * logger = robot->follower->ros.logger;
  if (halt == FW_FOLLOWER_GOES) {
    RCUTILS_LOG_INFO_NAMED(logger, "%s %s", shown_name(robot), words[halt]);
  } else {
    RCUTILS_LOG_WARN_NAMED(logger, "%s %s", shown_name(robot), words[halt]);
  }
  robot->halt = halt;
}

// A robot may have to come to its line, but not from anywhere: between them may be a wall, or somebody.
static bool is_near_release(const follower_robot_t * robot, const fw_pose_t * pose)
{
  const fw_track_t * release = &robot->release;
  if (release->count == 0) {
    return true;
  }
  const fw_track_place_t place = fw__track_nearest(release, (fw_track_place_t){0}, INT64_MAX, pose);
  const fw_track_point_t point = fw__track_at(release, place);
  return fw__pose_distance(&point.pose, pose) <= robot->follower->parameters.off_line_max;
}

static void halt_off_line(follower_robot_t * robot, int64_t now_ns)
{
  set_halt(robot, FW_FOLLOWER_OFF_LINE);
  follower_robot_stop(robot, now_ns);
}

static void drive(follower_robot_t * robot, const fw_pose_t * pose, double seconds, int64_t now_ns)
{
  const follower_parameters_t * parameters = &robot->follower->parameters;
  if (robot->has_new_release && !is_near_release(robot, pose)) {
    halt_off_line(robot, now_ns);  // and looks again at the next pose
    return;
  }
  if (robot->has_new_release) {
    if (fw__pursuit_take(&robot->pursuit, &robot->release, pose, &parameters->pursuit) != FW_RET_OK) {
      RCUTILS_LOG_ERROR_NAMED(
        robot->follower->ros.logger, "out of memory for the path of %s: it is stopped", shown_name(robot));
      fw__track_clear(&robot->pursuit.line);
    }
    robot->has_new_release = false;
  }
  const fw_pursuit_answer_t answer = fw__pursuit_step(&robot->pursuit, pose, seconds, &parameters->pursuit);
  if (answer.off_line > parameters->off_line_max) {
    halt_off_line(robot, now_ns);
    return;
  }
  set_halt(robot, FW_FOLLOWER_GOES);
  say(robot, answer.twist, now_ns);
}

static void on_odometry(const void * message, void * context)
{
  follower_robot_t * robot = context;
  const follower_parameters_t * parameters = &robot->follower->parameters;
  const nav_msgs__msg__Odometry * odom = message;
  const fw_pose_t pose = ros_message_pose(&odom->pose.pose);
  const int64_t now_ns = follower_now(robot->follower);
  if (!ros_message_is_in(&odom->header, parameters->map_frame) || !ros_pose_is_finite(&pose)) {
    return;  // counts as silence
  }
  const int64_t stamp_ns = ros_message_time(odom->header.stamp);
  const double age = stamp_ns > 0 && now_ns > stamp_ns ? 1e-9 * (double)(now_ns - stamp_ns) : 0.0;
  if (age > parameters->odom_timeout) {
    return;
  }
  const double seconds = 1e-9 * (double)(stamp_ns - robot->pose_ns);
  const bool is_step = robot->pose_ns > 0 && seconds >= 0.0;  // time may also go back, with a simulator
  robot->heard_ns = now_ns;
  robot->pose_ns = stamp_ns;
  const fw_pose_t here = fw__pose_after(pose, robot->pursuit.last, age);
  drive(robot, &here, is_step ? fmin(seconds, LONGEST_STEP) : 0.0, now_ns);
}

static void on_path(const void * message, void * context)
{
  follower_robot_t * robot = context;
  fw_track_t * read = &robot->follower->track;
  const char * reason = ros_message_track(read, message, robot->follower->parameters.map_frame);
  if (reason != NULL) {
    RCUTILS_LOG_WARN_NAMED(
      robot->follower->ros.logger, "path of %s refused, the last one stays in force: %s", shown_name(robot), reason);
    return;
  }
  fw__track_swap(&robot->release, read);
  robot->has_new_release = true;
}

void follower_robot_watch(follower_robot_t * robot, int64_t now_ns)
{
  const int64_t timeout_ns = (int64_t)(1e9 * robot->follower->parameters.odom_timeout);
  if (now_ns < robot->heard_ns) {
    robot->heard_ns = now_ns;  // time went back
  }
  if (robot->halt == FW_FOLLOWER_WAITS || now_ns - robot->heard_ns <= timeout_ns) {
    return;
  }
  const bool was_silent = robot->halt == FW_FOLLOWER_SILENT;
  set_halt(robot, FW_FOLLOWER_SILENT);
  if (!was_silent || now_ns - robot->said_ns >= REPEAT_STOP_NS || now_ns < robot->said_ns) {
    follower_robot_stop(robot, now_ns);
  }
}

// ---- life

static void topic_of(const follower_robot_t * robot, const char * what, char topic[static FW_ROW_NAME_MAX + 32])
{
  snprintf(topic, FW_ROW_NAME_MAX + 32, "%s%s%s", robot->name, robot->name[0] == '\0' ? "" : "/", what);
}

static bool connect(follower_robot_t * robot)
{
  follower_t * follower = robot->follower;
  rcl_node_t * node = &follower->ros.node;
  const rmw_qos_profile_t newest = ros_qos(1, false, false), latched = ros_qos(1, true, true),
                          reliable = ros_qos(1, true, false);
  char topic[FW_ROW_NAME_MAX + 32];
  topic_of(robot, "odom", topic);
  if (
    rclc_subscription_init(
      &robot->odom_in, node, ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Odometry), topic, &newest) != RCL_RET_OK ||
    rclc_executor_add_subscription_with_context(
      &follower->executor, &robot->odom_in, &robot->odom, on_odometry, robot, ON_NEW_DATA) != RCL_RET_OK) {
    return false;
  }
  topic_of(robot, "released_path", topic);
  if (
    rclc_subscription_init(&robot->path_in, node, ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Path), topic, &latched) !=
      RCL_RET_OK ||
    rclc_executor_add_subscription_with_context(
      &follower->executor, &robot->path_in, &robot->path, on_path, robot, ON_NEW_DATA) != RCL_RET_OK) {
    return false;
  }
  topic_of(robot, "cmd_vel", topic);
  const rosidl_message_type_support_t * type = ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, Twist);
  if (follower->parameters.stamped_commands) {
    type = ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, TwistStamped);
  }
  return rclc_publisher_init(&robot->command_out, node, type, topic, &reliable) == RCL_RET_OK;
}

fw_ret_t follower_robot_init(
  follower_robot_t * robot, struct follower_t * follower, const char * name, fw_error_t * error)
{
  *robot = (follower_robot_t){
    .follower = follower,
    .halt = FW_FOLLOWER_WAITS,
    .odom_in = rcl_get_zero_initialized_subscription(),
    .path_in = rcl_get_zero_initialized_subscription(),
    .command_out = rcl_get_zero_initialized_publisher(),
  };
  snprintf(robot->name, sizeof(robot->name), "%s", name);
  char frame[FW_ROW_NAME_MAX + FW_ROW_TEXT_MAX];
  snprintf(frame, sizeof(frame), "%s%s%s", name, name[0] == '\0' ? "" : "/", follower->parameters.base_frame);
  if (
    !nav_msgs__msg__Odometry__init(&robot->odom) || !nav_msgs__msg__Path__init(&robot->path) ||
    !geometry_msgs__msg__TwistStamped__init(&robot->command) ||
    !rosidl_runtime_c__String__assign(&robot->command.header.frame_id, frame)) {
    return fw__error_memory(error);
  }
  char what[FW_ROW_NAME_MAX + 32];
  snprintf(what, sizeof(what), "cannot connect %s", shown_name(robot));
  return connect(robot) ? FW_RET_OK : ros_session_error(error, what);
}

void follower_robot_fini(follower_robot_t * robot)
{
  if (robot->follower == NULL) {
    return;
  }
  ros_session_t * ros = &robot->follower->ros;
  ros_session_fini_subscription(ros, &robot->odom_in);
  ros_session_fini_subscription(ros, &robot->path_in);
  ros_session_fini_publisher(ros, &robot->command_out);
  nav_msgs__msg__Odometry__fini(&robot->odom);
  nav_msgs__msg__Path__fini(&robot->path);
  geometry_msgs__msg__TwistStamped__fini(&robot->command);
  fw__track_fini(&robot->release);
  fw__pursuit_fini(&robot->pursuit);
  *robot = (follower_robot_t){0};
}
