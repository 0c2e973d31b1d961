// Inbox: what the others send. See inbox.h.

#include "sim/inbox.h"

#include <math.h>
#include <rcutils/logging_macros.h>
#include <string.h>

#include "sim/graph.h"

static double yaw_of(const geometry_msgs__msg__Quaternion * q)
{
  return atan2(2.0 * (q->w * q->z + q->x * q->y), 1.0 - 2.0 * (q->y * q->y + q->z * q->z));
}

static bool is_our_frame(const fw_graph_t * graph, const std_msgs__msg__Header * header)
{
  return header->frame_id.size == 0 || strcmp(header->frame_id.data, graph->parameters->map_frame) == 0;
}

// Why this path cannot be driven, NULL if it can; then the graph's track is filled.
static const char * read_path(fw_graph_t * graph, const nav_msgs__msg__Path * path)
{
  fw_track_clear(&graph->track);
  if (!is_our_frame(graph, &path->header)) {
    return "its frame is not ours";
  }
  for (size_t i = 0; i < path->poses.size; ++i) {
    const geometry_msgs__msg__PoseStamped * pose = &path->poses.data[i];
    const fw_track_point_t point = {
      .time_ns = INT64_C(1000000000) * pose->header.stamp.sec + (int64_t)pose->header.stamp.nanosec,
      .pose = {.x = pose->pose.position.x, .y = pose->pose.position.y, .yaw = yaw_of(&pose->pose.orientation)},
    };
    if (!is_our_frame(graph, &pose->header)) {
      return "the frame of a pose is not ours";
    }
    if (!isfinite(point.pose.x) || !isfinite(point.pose.y) || !isfinite(point.pose.yaw)) {
      return "a pose is not a number";
    }
    if (i > 0 && point.time_ns < graph->track.points[i - 1].time_ns) {
      return "its times do not rise";
    }
    if (fw_track_append(&graph->track, point) != FW_RET_OK) {
      return "out of memory";
    }
  }
  return NULL;
}

void fw_inbox_on_path(const void * message, void * context)
{
  fw_graph_robot_t * robot = context;
  fw_graph_t * graph = robot->graph;
  const char * reason = read_path(graph, message);
  fw_driver_t * driver = &graph->fleet->robots[robot->index].driver;
  const bool is_release = strcmp(graph->parameters->follow, "released_path") == 0;
  if (
    reason == NULL &&
    (is_release ? fw_driver_follow(driver, &graph->track) : fw_driver_take(driver, &graph->track)) != FW_RET_OK) {
    reason = "out of memory";
  }
  if (reason != NULL) {
    RCUTILS_LOG_WARN_NAMED(graph->logger, "path of %s refused: %s", graph->parameters->robots[robot->index], reason);
  }
}

void fw_inbox_on_goal(const void * message, void * context)
{
  const fw_graph_robot_t * robot = context;
  fw_graph_t * graph = robot->graph;
  const geometry_msgs__msg__PoseStamped * goal = message;
  const char * name = graph->parameters->robots[robot->index];
  if (!is_our_frame(graph, &goal->header)) {
    RCUTILS_LOG_WARN_NAMED(graph->logger, "goal of %s ignored: its frame is not ours", name);
    return;
  }
  if (!isfinite(goal->pose.position.x) || !isfinite(goal->pose.position.y)) {
    RCUTILS_LOG_WARN_NAMED(graph->logger, "goal of %s ignored: it is not a number", name);
    return;
  }
  fw_fleet_set_goal(graph->fleet, robot->index, goal->pose.position.x, goal->pose.position.y);
  if (graph->on_goal != NULL) {
    graph->on_goal(robot->index, graph->on_goal_state);
  }
}
