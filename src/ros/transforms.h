// Transforms: what the nodes share that take poses from /tf and /tf_static (motion/transform_buffer.h).

#ifndef ROS__TRANSFORMS_H_
#define ROS__TRANSFORMS_H_

#include <tf2_msgs/msg/tf_message.h>

#include "motion/transform_buffer.h"
#include "ros/session.h"

// "{robot}/base_link" with the robot's name, without a slash at its begin. False if it does not fit into `size` bytes.
bool ros_frame_of_robot(char * frame, size_t size, const char * pattern, const char * robot);
// The pattern contains {robot}.
bool ros_frame_is_per_robot(const char * pattern);

// Subscribes to a topic of transforms as tf2's listener does; `is_static`: to <topic>_static. The subscription is
// initialised here. On false rcl's error state says why.
typedef struct ros_transforms_subscription_t {
  rcl_subscription_t * subscription;
  const char * topic;
  bool is_static;
} ros_transforms_subscription_t;
bool ros_transforms_subscribe(
  ros_session_t * session, ros_executor_t * executor, const ros_transforms_subscription_t * options,
  const ros_on_message_t * on_message);

// Adds all links of a message. `reason`, of the last link that was refused, may be NULL.
void ros_transforms_add(
  fw_transform_buffer_t * buffer, const tf2_msgs__msg__TFMessage * message, bool is_static, int64_t now_ns,
  fw_error_t * reason);

#endif  // ROS__TRANSFORMS_H_
