// nav_msgs/Path from waypoints.

#ifndef ROS__PLANNER_NODE__PATH_MESSAGE_H_
#define ROS__PLANNER_NODE__PATH_MESSAGE_H_

#include <nav_msgs/msg/path.h>

#include "ros/planner_node/schedule.h"

typedef struct path_text_t {
  const char * frame_id;
  int64_t stamp_ns;  // of the header: the epoch
  double first_yaw;  // heading where there is no move to take it from
  double final_yaw;  // heading on the last pose; NAN: as it came
} path_text_t;

// Reuses the memory of `message`. Yaw is that of the waypoint, or the heading of the next move. False if there is no memory.
bool path_message_fill(
  nav_msgs__msg__Path * message, const path_text_t * text, const waypoint_t * waypoints, int32_t count);

builtin_interfaces__msg__Time stamp_of(int64_t time_ns);
// Assigns only what differs.
bool string_set(rosidl_runtime_c__String * string, const char * text);

#endif  // ROS__PLANNER_NODE__PATH_MESSAGE_H_
