// Messages of transforms into a buffer. See transforms.h.

#include "ros/transforms.h"

#include <stdio.h>
#include <string.h>

#include <geometry_msgs/msg/transform_stamped.h>
#include <rcl/error_handling.h>

#include "ros/messages.h"

// A message can bring links whose use is known only from later ones of it, once per link from a base frame to the map.
enum { PASSES_MAX = 8, TOPIC_SIZE = 512 };

static const char PLACEHOLDER[] = "{robot}";

bool ros_frame_is_per_robot(const char * pattern) { return strstr(pattern, PLACEHOLDER) != NULL; }

bool ros_frame_of_robot(char * frame, size_t size, const char * pattern, const char * robot)
{
  const char * at = strstr(pattern, PLACEHOLDER);
  const char * name = robot[0] == '/' ? robot + 1 : robot;
  if (at == pattern && name[0] == '\0' && at[sizeof PLACEHOLDER - 1] == '/') {
    at = NULL;  // the robot of a namespace
    pattern += sizeof PLACEHOLDER;
  }
  const int length =
    at == NULL ? snprintf(frame, size, "%s", pattern)
               : snprintf(frame, size, "%.*s%s%s", (int)(at - pattern), pattern, name, at + sizeof PLACEHOLDER - 1);
  return length > 0 && (size_t)length < size;
}

bool ros_transforms_subscribe(
  ros_session_t * session, ros_executor_t * executor, const ros_transforms_subscription_t * options,
  const ros_on_message_t * on_message)
{
  char topic[TOPIC_SIZE];
  *options->subscription = rcl_get_zero_initialized_subscription();
  const int length = snprintf(topic, sizeof topic, "%s%s", options->topic, options->is_static ? "_static" : "");
  if (length < 0 || length >= TOPIC_SIZE) {
    RCL_SET_ERROR_MSG("tf_topic is too long");
    return false;
  }
  // What tf2's listener asks for. Nothing static may be missed: there may be as many publishers as robots.
  const rmw_qos_profile_t qos = options->is_static ? ros_qos_latched(1000) : ros_qos_reliable(100);
  return rclc_subscription_init(
           options->subscription, &session->node, ROSIDL_GET_MSG_TYPE_SUPPORT(tf2_msgs, msg, TFMessage), topic, &qos) ==
           RCL_RET_OK &&
         ros_executor_add_subscription(executor, options->subscription, on_message) == RCL_RET_OK;
}

void ros_transforms_add(
  fw_transform_buffer_t * buffer, const tf2_msgs__msg__TFMessage * message, bool is_static, int64_t now_ns,
  fw_error_t * reason)
{
  int32_t wanted = -1;
  for (int32_t pass = 0; pass < PASSES_MAX && buffer->wanted != wanted; ++pass) {
    wanted = buffer->wanted;
    for (size_t k = 0; k < message->transforms.size; ++k) {
      const geometry_msgs__msg__TransformStamped * link = &message->transforms.data[k];
      const geometry_msgs__msg__Vector3 * t = &link->transform.translation;
      const geometry_msgs__msg__Quaternion * q = &link->transform.rotation;
      const fw_transform_link_t one = {
        .parent = link->header.frame_id.data,
        .child = link->child_frame_id.data,
        .transform = {t->x, t->y, t->z, q->x, q->y, q->z, q->w},
        .stamp_ns = ros_message_time(link->header.stamp),
        .is_static = is_static,
      };
      (void)fw__transform_buffer_add(buffer, &one, now_ns, reason);
    }
  }
}
