#include "ros/planner_node/path_message.h"

#include <math.h>
#include <string.h>

#include <geometry_msgs/msg/pose_stamped.h>
#include <rosidl_runtime_c/string_functions.h>

builtin_interfaces__msg__Time stamp_of(int64_t time_ns)
{
  return (builtin_interfaces__msg__Time){
    .sec = (int32_t)(time_ns / 1000000000),
    .nanosec = (uint32_t)(time_ns % 1000000000),
  };
}

bool string_set(rosidl_runtime_c__String * string, const char * text)
{
  const bool is_same = string->data != NULL && strcmp(string->data, text) == 0;
  return is_same || rosidl_runtime_c__String__assign(string, text);
}

// A sequence keeps its capacity when `size` shrinks, and fini releases the capacity.
static bool reserve(geometry_msgs__msg__PoseStamped__Sequence * poses, size_t count)
{
  if (count > poses->capacity) {
    geometry_msgs__msg__PoseStamped__Sequence__fini(poses);
    if (!geometry_msgs__msg__PoseStamped__Sequence__init(poses, count + count / 2)) {
      return false;
    }
  }
  poses->size = count;
  return true;
}

bool path_message_fill(
  nav_msgs__msg__Path * message, const path_text_t * text, const waypoint_t * waypoints, int32_t count)
{
  if (!reserve(&message->poses, (size_t)count) || !string_set(&message->header.frame_id, text->frame_id)) {
    return false;
  }
  message->header.stamp = stamp_of(text->stamp_ns);
  // From the end, so that a wait has the heading of the move after it.
  double yaw = NAN;
  for (int32_t k = count - 1; k >= 0; --k) {
    geometry_msgs__msg__PoseStamped * pose = &message->poses.data[k];
    const point_t here = waypoints[k].point;
    if (!isnan(waypoints[k].yaw)) {
      yaw = waypoints[k].yaw;
    } else if (k + 1 < count && point_distance(here, waypoints[k + 1].point) > 1e-6) {
      yaw = atan2(waypoints[k + 1].point.y - here.y, waypoints[k + 1].point.x - here.x);
    } else if (k + 1 == count && !isnan(text->final_yaw)) {
      yaw = text->final_yaw;
    } else if (k + 1 == count) {
      for (int32_t before = k - 1; isnan(yaw) && before >= 0; --before) {
        const point_t from = waypoints[before].point;
        if (point_distance(from, here) > 1e-6) {
          yaw = atan2(here.y - from.y, here.x - from.x);
        }
      }
      yaw = isnan(yaw) ? text->first_yaw : yaw;
    }
    if (!string_set(&pose->header.frame_id, text->frame_id)) {
      return false;
    }
    pose->header.stamp = stamp_of(waypoints[k].stamp_ns);
    pose->pose.position.x = here.x;
    pose->pose.position.y = here.y;
    pose->pose.position.z = 0.0;
    pose->pose.orientation.x = 0.0;
    pose->pose.orientation.y = 0.0;
    pose->pose.orientation.z = sin(yaw / 2.0);
    pose->pose.orientation.w = cos(yaw / 2.0);
  }
  return true;
}
