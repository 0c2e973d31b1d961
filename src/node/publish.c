#include "node/publish.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>
#include <rmw/qos_profiles.h>

#include "node/diagnostics.h"
#include "node/markers.h"
#include "node/path_message.h"

bool publish_init(publish_t * publish, const fleet_t * fleet, rcl_node_t * node)
{
  rmw_qos_profile_t latched = rmw_qos_profile_default;
  latched.depth = 1;
  latched.durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
  publish->markers = rcl_get_zero_initialized_publisher();
  publish->diagnostics = rcl_get_zero_initialized_publisher();
  publish->paths = calloc((size_t)fleet->count + 1, sizeof *publish->paths);
  bool is_fine = publish->paths != NULL && nav_msgs__msg__Path__init(&publish->path) &&
                 visualization_msgs__msg__MarkerArray__init(&publish->marker_array) &&
                 diagnostic_msgs__msg__DiagnosticArray__init(&publish->diagnostic_array) &&
                 rclc_publisher_init(
                   &publish->markers, node, ROSIDL_GET_MSG_TYPE_SUPPORT(visualization_msgs, msg, MarkerArray),
                   "fleet_markers", &latched) == RCL_RET_OK &&
                 rclc_publisher_init_default(
                   &publish->diagnostics, node, ROSIDL_GET_MSG_TYPE_SUPPORT(diagnostic_msgs, msg, DiagnosticArray),
                   "/diagnostics") == RCL_RET_OK;
  for (int32_t k = 0; is_fine && k < fleet->count; ++k) {
    char topic[2 * NAME_SIZE];
    (void)snprintf(topic, sizeof topic, "%s/timed_path", fleet->robots[k].name);
    publish->paths[k] = rcl_get_zero_initialized_publisher();
    publish->path_count = k + 1;
    is_fine =
      rclc_publisher_init(
        &publish->paths[k], node, ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Path), topic, &latched) == RCL_RET_OK;
  }
  return is_fine;
}

static void finish(rcl_publisher_t * publisher, rcl_node_t * node)
{
  if (rcl_publisher_fini(publisher, node) != RCL_RET_OK) {
    rcl_reset_error();
  }
}

void publish_fini(publish_t * publish, rcl_node_t * node)
{
  for (int32_t k = 0; k < publish->path_count; ++k) {
    finish(&publish->paths[k], node);
  }
  finish(&publish->markers, node);
  finish(&publish->diagnostics, node);
  nav_msgs__msg__Path__fini(&publish->path);
  visualization_msgs__msg__MarkerArray__fini(&publish->marker_array);
  diagnostic_msgs__msg__DiagnosticArray__fini(&publish->diagnostic_array);
  free(publish->paths);
  *publish = (publish_t){0};
}

static void send(const rcl_publisher_t * publisher, const void * message, bool is_filled, const char * logger)
{
  if (!is_filled) {
    RCUTILS_LOG_ERROR_NAMED(logger, "out of memory for a message on %s", rcl_publisher_get_topic_name(publisher));
  } else if (rcl_publish(publisher, message, NULL) != RCL_RET_OK) {
    RCUTILS_LOG_ERROR_NAMED(
      logger, "cannot publish on %s: %s", rcl_publisher_get_topic_name(publisher), rcl_get_error_string().str);
    rcl_reset_error();
  }
}

bool publish_has_readers(const publish_t * publish)
{
  for (int32_t k = 0; k < publish->path_count; ++k) {
    size_t count = 0;
    if (rcl_publisher_get_subscription_count(&publish->paths[k], &count) != RCL_RET_OK) {
      rcl_reset_error();
    }
    if (count == 0) {
      return false;
    }
  }
  return true;
}

void publish_paths(publish_t * publish, const planning_t * planning)
{
  for (int32_t k = 0; k < publish->path_count; ++k) {
    const robot_t * robot = &planning->fleet.robots[k];
    const track_t * track = &planning->schedule.tracks[k];
    const path_text_t text = {
      .frame_id = planning->settings.map_frame,
      .stamp_ns = planning->schedule.epoch_ns,
      .first_yaw = robot->yaw,
      .final_yaw = planning_ends_at_goal(planning, k) ? robot->goal_yaw : NAN,
    };
    const bool is_filled = path_message_fill(&publish->path, &text, track->waypoints, track->count);
    send(&publish->paths[k], &publish->path, is_filled, planning->logger);
  }
}

void publish_markers(publish_t * publish, const planning_t * planning, int64_t now_ns)
{
  const bool is_filled = markers_fill(&publish->marker_array, planning, now_ns);
  send(&publish->markers, &publish->marker_array, is_filled, planning->logger);
}

void publish_diagnostics(publish_t * publish, const planning_t * planning, const char * node_name, int64_t now_ns)
{
  const bool is_filled = diagnostics_fill(&publish->diagnostic_array, planning, node_name, now_ns);
  send(&publish->diagnostics, &publish->diagnostic_array, is_filled, planning->logger);
}
