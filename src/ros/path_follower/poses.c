// Transforms and odometry into poses. See poses.h.

#include "ros/path_follower/poses.h"

#include <stdlib.h>

#include <rcl/error_handling.h>

#include "base/assert.h"
#include "ros/messages.h"
#include "ros/path_follower/follower.h"
#include "ros/transforms.h"

static const int64_t STAMP_MAX_NS = 10000000000;  // a stamp farther from now than this is wrong

// ---- odometry

static void on_odometry(const void * message, void * context)
{
  follower_robot_t * robot = context;
  const nav_msgs__msg__Odometry * odom = message;
  const fw_pose2d_t pose = ros_message_pose(&odom->pose.pose);
  if (!ros_message_is_in(&odom->header, robot->follower->parameters.map_frame)) {
    ros_log_printf(
      &robot->follower->log, RCUTILS_LOG_SEVERITY_WARN,
      "odometry of %s dropped: its frame is '%.60s', not map_frame '%s'; with pose_source tf it may be any",
      follower_robot_name(robot), odom->header.frame_id.data, robot->follower->parameters.map_frame);
    return;
  }
  follower_take_pose(robot, &pose, ros_message_time(odom->header.stamp));
}

static bool subscribe_odometry(follower_robot_t * robot)
{
  const ros_subscription_options_t odometry = {
    .subscription = &robot->odom_in,
    .robot = robot->name,
    .topic = "odom",
    .type = ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Odometry),
    .qos = ros_qos_best_effort(1),
    .message = &robot->odom,
    .callback = on_odometry,
    .context = robot,
  };
  return ros_session_subscribe(&robot->follower->session, &robot->follower->executor, &odometry);
}

// ---- transforms

static void take_changed(follower_transforms_t * self)
{
  for (int32_t frame; (frame = fw__transform_buffer_next_changed(&self->buffer)) >= 0;) {
    follower_robot_t * robot = frame < self->robot_of_size ? self->robot_of[frame] : NULL;
    fw_transform_result_t result;
    if (robot == NULL || !fw__transform_buffer_lookup(&self->buffer, self->root, frame, &result, NULL)) {
      continue;
    }
    const int64_t stamp_ns = result.stamp_ns == FW_TRANSFORM_IS_STATIC ? 0 : result.stamp_ns;
    if (stamp_ns != robot->transform_stamp_ns) {
      const fw_pose2d_t pose = fw__transform_pose2d(&result.transform);
      robot->transform_stamp_ns = stamp_ns;
      follower_take_pose(robot, &pose, stamp_ns);
    }
  }
}

static void take(follower_transforms_t * self, const void * message, bool is_static)
{
  fw_error_t reason = {0};
  const int64_t refused = self->buffer.refused;
  ros_transforms_add(&self->buffer, message, is_static, follower_now(self->follower), &reason);
  if (self->buffer.refused != refused) {
    ros_log_printf(&self->follower->log, RCUTILS_LOG_SEVERITY_WARN, "transform dropped: %s", reason.text);
  }
  take_changed(self);
}

static void on_moving(const void * message, void * context) { take(context, message, false); }

static void on_fixed(const void * message, void * context) { take(context, message, true); }

static bool subscribe_transforms(follower_transforms_t * self, const char * robot)
{
  follower_t * follower = self->follower;
  char topic[ROS_ROBOT_NAME_SIZE + FOLLOWER_FRAME_SIZE];
  if (!ros_frame_of_robot(topic, sizeof topic, follower->parameters.tf_topic, robot)) {
    RCL_SET_ERROR_MSG("tf_topic is empty or too long");
    return false;
  }
  const ros_on_message_t on_message[] = {
    {&follower->poses.message, on_moving, self}, {&follower->poses.message, on_fixed, self}};
  const ros_transforms_subscription_t options[] = {
    {.subscription = &self->moving, .topic = topic}, {.subscription = &self->fixed, .topic = topic, .is_static = true}};
  return ros_transforms_subscribe(&follower->session, &follower->executor, &options[0], &on_message[0]) &&
         ros_transforms_subscribe(&follower->session, &follower->executor, &options[1], &on_message[1]);
}

// Makes a robot's base frame known. False if there is no memory.
static bool watch(follower_transforms_t * self, follower_robot_t * robot)
{
  robot->frame = fw__transform_buffer_watch(&self->buffer, robot->command.header.frame_id.data);
  if (robot->frame < 0) {
    RCL_SET_ERROR_MSG("base_frame is empty or too long");
    return false;
  }
  if (robot->frame >= self->robot_of_size) {
    const int32_t size = 2 * robot->frame + 2;
    follower_robot_t ** robot_of = realloc(self->robot_of, (size_t)size * sizeof(*robot_of));
    if (robot_of == NULL) {
      RCL_SET_ERROR_MSG("out of memory");
      return false;
    }
    for (int32_t k = self->robot_of_size; k < size; ++k) {
      robot_of[k] = NULL;
    }
    self->robot_of = robot_of;
    self->robot_of_size = size;
  }
  robot->transforms = self;
  self->robot_of[robot->frame] = robot;
  return true;
}

static bool connect_transforms(follower_t * follower)
{
  follower_poses_t * self = &follower->poses;
  const bool is_per_robot = ros_frame_is_per_robot(follower->parameters.tf_topic);
  const int32_t count = is_per_robot ? follower->robot_count : 1;
  self->transforms = calloc((size_t)count, sizeof(*self->transforms));
  if (self->transforms == NULL || !tf2_msgs__msg__TFMessage__init(&self->message)) {
    RCL_SET_ERROR_MSG("out of memory");
    return false;
  }
  for (; self->count < count; ++self->count) {
    follower_transforms_t * one = &self->transforms[self->count];
    one->follower = follower;
    one->buffer.stamp_max_ns = STAMP_MAX_NS;
    one->root = fw__transform_buffer_watch_root(&one->buffer, follower->parameters.map_frame);
    if (one->root < 0) {
      RCL_SET_ERROR_MSG("map_frame is empty or too long");
    }
    if (one->root < 0 || !subscribe_transforms(one, is_per_robot ? follower->robots[self->count].name : "")) {
      ++self->count;
      return false;
    }
  }
  for (int32_t k = 0; k < follower->robot_count; ++k) {
    if (!watch(&self->transforms[is_per_robot ? k : 0], &follower->robots[k])) {
      return false;
    }
  }
  return true;
}

bool follower_poses_init(follower_t * follower)
{
  if (follower->parameters.pose_source == FOLLOWER_POSES_TF) {
    return connect_transforms(follower);
  }
  bool is_ok = true;
  for (int32_t k = 0; is_ok && k < follower->robot_count; ++k) {
    is_ok = subscribe_odometry(&follower->robots[k]);
  }
  return is_ok;
}

void follower_poses_fini(follower_t * follower)
{
  follower_poses_t * self = &follower->poses;
  for (int32_t k = 0; k < self->count; ++k) {
    ros_session_fini_subscription(&follower->session, &self->transforms[k].moving);
    ros_session_fini_subscription(&follower->session, &self->transforms[k].fixed);
    fw__transform_buffer_fini(&self->transforms[k].buffer);
    free(self->transforms[k].robot_of);
  }
  if (self->transforms != NULL) {
    tf2_msgs__msg__TFMessage__fini(&self->message);
  }
  free(self->transforms);
  *self = (follower_poses_t){0};
}

void follower_poses_explain(const follower_robot_t * robot, fw_error_t * reason)
{
  const follower_transforms_t * transforms = robot->transforms;
  fw_transform_result_t result;
  *reason = (fw_error_t){0};
  if (transforms == NULL) {
    (void)fw__error(reason, FW_RET_ERROR, "no odometry comes in frame '%s'", robot->follower->parameters.map_frame);
  } else if (fw__transform_buffer_lookup(&transforms->buffer, transforms->root, robot->frame, &result, reason)) {
    (void)fw__error(
      reason, FW_RET_ERROR, "the transform to '%s' is old",
      fw__transform_buffer_name(&transforms->buffer, result.oldest < 0 ? robot->frame : result.oldest));
  }
}

void follower_poses_clear(follower_t * follower)
{
  for (int32_t k = 0; k < follower->poses.count; ++k) {
    fw__transform_buffer_clear(&follower->poses.transforms[k].buffer);
  }
}
