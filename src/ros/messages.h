// Messages: conversions between ROS messages and plain C: stamps, poses and paths.

#ifndef ROS__MESSAGES_H_
#define ROS__MESSAGES_H_

#include <builtin_interfaces/msg/time.h>
#include <geometry_msgs/msg/pose.h>
#include <nav_msgs/msg/path.h>
#include <std_msgs/msg/header.h>

#include "motion/polyline.h"

// Times are nanoseconds of ROS time, not negative.
builtin_interfaces__msg__Time ros_message_stamp(int64_t time_ns);
int64_t ros_message_time(builtin_interfaces__msg__Time stamp);
// Position and yaw of a pose; roll, pitch and height are dropped.
fw_pose2d_t ros_message_pose(const geometry_msgs__msg__Pose * pose);
geometry_msgs__msg__Quaternion ros_message_orientation(double yaw);
// The yaw of a quaternion; it need not have length 1. All zero, as in an unset message, is yaw 0. NAN if it is not
// finite.
double ros_yaw_of_quaternion(double x, double y, double z, double w);
bool ros_pose_is_finite(const fw_pose2d_t * pose);
// A header without a frame counts as one in `frame`.
bool ros_message_is_in(const std_msgs__msg__Header * header, const char * frame);

// Reads a path into `line`, which is cleared first. Returns why the path cannot be driven, NULL if it can.
const char * ros_message_read_path(fw_polyline_t * line, const nav_msgs__msg__Path * path, const char * frame);

#endif  // ROS__MESSAGES_H_
