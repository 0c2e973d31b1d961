#include "ros/planner_node/closed_path.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int64_t nanoseconds_of(builtin_interfaces__msg__Time stamp)
{
  return (int64_t)stamp.sec * 1000000000 + (int64_t)stamp.nanosec;
}

static bool check_frame(const rosidl_runtime_c__String * frame_id, const node_settings_t * settings, fw_error_t * reason)
{
  const char * text = frame_id->data[0] == '/' ? frame_id->data + 1 : frame_id->data;
  return strcmp(text, settings->map_frame) == 0 ||
         refuse(reason, "its frame_id is '%.60s', not '%.60s'", text, settings->map_frame);
}

bool closed_path_check(
  const nav_msgs__msg__Path * message, const node_settings_t * settings, const map_t * map, fw_error_t * reason)
{
  int64_t before_ns = INT64_MIN;
  if (message->poses.size > 0 && !check_frame(&message->header.frame_id, settings, reason)) {
    return false;
  }
  for (size_t k = 0; k < message->poses.size; ++k) {
    const geometry_msgs__msg__PoseStamped * pose = &message->poses.data[k];
    const point_t point = {pose->pose.position.x, pose->pose.position.y};
    const int64_t stamp_ns = nanoseconds_of(pose->header.stamp);
    if (pose->header.frame_id.size > 0 && !check_frame(&pose->header.frame_id, settings, reason)) {
      return false;
    }
    if (!point_is_finite(point)) {
      return refuse(reason, "its pose %zu is not a number", k);
    }
    if (stamp_ns < before_ns) {
      return refuse(reason, "the stamp of its pose %zu is before that of the pose before", k);
    }
    if (map->revision > 0 && frame_cell(&map->frame, point) == FW_CELL_NONE) {
      return refuse(reason, "its pose %zu, (%.7g, %.7g), is outside the map", k, point.x, point.y);
    }
    before_ns = stamp_ns;
  }
  return true;
}

bool closed_path_copy(const nav_msgs__msg__Path * message, waypoint_t ** waypoints)
{
  *waypoints = calloc(message->poses.size + 1, sizeof **waypoints);
  for (size_t k = 0; *waypoints != NULL && k < message->poses.size; ++k) {
    const geometry_msgs__msg__PoseStamped * pose = &message->poses.data[k];
    (*waypoints)[k] = (waypoint_t){
      .stamp_ns = nanoseconds_of(pose->header.stamp),
      .point = {pose->pose.position.x, pose->pose.position.y},
      .yaw = NAN,
    };
  }
  return *waypoints != NULL;
}
