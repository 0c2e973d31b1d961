// Messages: conversions between ROS messages and plain C. See messages.h.

#include "ros/messages.h"

#include <math.h>
#include <string.h>

#include "base/assert.h"

builtin_interfaces__msg__Time ros_message_stamp(int64_t time_ns)
{
  return (builtin_interfaces__msg__Time){
    .sec = (int32_t)(time_ns / 1000000000), .nanosec = (uint32_t)(time_ns % 1000000000)};
}

int64_t ros_message_time(builtin_interfaces__msg__Time stamp)
{
  return INT64_C(1000000000) * stamp.sec + (int64_t)stamp.nanosec;
}

fw_pose2d_t ros_message_pose(const geometry_msgs__msg__Pose * pose)
{
  const geometry_msgs__msg__Quaternion * q = &pose->orientation;
  return (fw_pose2d_t){
    .x = pose->position.x,
    .y = pose->position.y,
    .yaw = ros_yaw_of_quaternion(q->x, q->y, q->z, q->w),
  };
}

geometry_msgs__msg__Quaternion ros_message_orientation(double yaw)
{
  return (geometry_msgs__msg__Quaternion){.z = sin(0.5 * yaw), .w = cos(0.5 * yaw)};
}

bool ros_pose_is_finite(const fw_pose2d_t * pose)
{
  return isfinite(pose->x) && isfinite(pose->y) && isfinite(pose->yaw);
}

bool ros_message_is_in(const std_msgs__msg__Header * header, const char * frame)
{
  return header->frame_id.size == 0 || strcmp(header->frame_id.data, frame) == 0;
}

const char * ros_message_read_path(fw_polyline_t * line, const nav_msgs__msg__Path * path, const char * frame)
{
  fw__polyline_clear(line);
  if (!ros_message_is_in(&path->header, frame)) {
    return "its frame is not map_frame";
  }
  for (size_t i = 0; i < path->poses.size; ++i) {
    const geometry_msgs__msg__PoseStamped * pose = &path->poses.data[i];
    const fw_polyline_point_t point = {
      .time_ns = ros_message_time(pose->header.stamp), .pose = ros_message_pose(&pose->pose)};
    if (!ros_message_is_in(&pose->header, frame)) {
      return "the frame of a pose is not map_frame";
    }
    if (!ros_pose_is_finite(&point.pose)) {
      return "a pose is not finite";
    }
    if (i > 0 && point.time_ns < line->points[i - 1].time_ns) {
      return "its stamps decrease";
    }
    fw__polyline_append(line, point);
    if (line->has_failed) {
      return "out of memory";
    }
  }
  FW_ASSERT(fw__polyline_validate(line));
  return NULL;
}

double ros_yaw_of_quaternion(double x, double y, double z, double w)
{
  if (!isfinite(x) || !isfinite(y) || !isfinite(z) || !isfinite(w)) {
    return NAN;  // atan2 of two infinities would be an angle
  }
  return atan2(2.0 * (w * z + x * y), w * w + x * x - y * y - z * z);
}
