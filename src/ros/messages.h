// Messages as plain C: poses, paths and stamps, as the nodes that drive robots need them.

#ifndef ROS__MESSAGES_H_
#define ROS__MESSAGES_H_

#include <builtin_interfaces/msg/time.h>
#include <geometry_msgs/msg/pose.h>
#include <nav_msgs/msg/path.h>
#include <std_msgs/msg/header.h>

#include "motion/track.h"

builtin_interfaces__msg__Time ros_message_stamp(int64_t time_ns);
int64_t ros_message_time(builtin_interfaces__msg__Time stamp);
fw_pose_t ros_message_pose(const geometry_msgs__msg__Pose * pose);
bool ros_pose_is_finite(const fw_pose_t * pose);
// A header without a frame is taken for one in ours.
bool ros_message_is_in(const std_msgs__msg__Header * header, const char * frame);

// Why this path cannot be driven, NULL if it can; then `track` is filled.
const char * ros_message_track(fw_track_t * track, const nav_msgs__msg__Path * path, const char * frame);

#endif  // ROS__MESSAGES_H_
