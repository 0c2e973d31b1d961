#include "ros/planner_node/publish.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>
#include <rmw/qos_profiles.h>

#include "ros/planner_node/diagnostics.h"
#include "ros/planner_node/path_message.h"

static bool offer_path(rcl_publisher_t * publisher, const char * robot, const char * what, rcl_node_t * node)
{
  rmw_qos_profile_t latched = rmw_qos_profile_default;
  latched.depth = 1;
  latched.durability = RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL;
  char topic[2 * NAME_SIZE];
  (void)snprintf(topic, sizeof topic, "%s/%s", robot, what);
  return rclc_publisher_init(publisher, node, ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Path), topic, &latched) ==
         RCL_RET_OK;
}

bool publish_init(publish_t * publish, const fleet_t * fleet, rcl_node_t * node)
{
  publish->diagnostics = rcl_get_zero_initialized_publisher();
  return nav_msgs__msg__Path__init(&publish->path) &&
         diagnostic_msgs__msg__DiagnosticArray__init(&publish->diagnostic_array) &&
         rclc_publisher_init_default(
           &publish->diagnostics, node, ROSIDL_GET_MSG_TYPE_SUPPORT(diagnostic_msgs, msg, DiagnosticArray),
           "/diagnostics") == RCL_RET_OK &&
         publish_read_robots(publish, fleet, node);
}

static void finish(rcl_publisher_t * publisher, rcl_node_t * node)
{
  if (rcl_publisher_fini(publisher, node) != RCL_RET_OK) {
    rcl_reset_error();
  }
}

static bool make_room(publish_t * publish, int32_t count)
{
  rcl_publisher_t * paths = realloc(publish->paths, ((size_t)count + 1) * sizeof *paths);
  publish->paths = paths == NULL ? publish->paths : paths;
  rcl_publisher_t * releases = realloc(publish->releases, ((size_t)count + 1) * sizeof *releases);
  publish->releases = releases == NULL ? publish->releases : releases;
  if (paths == NULL || releases == NULL) {
    return false;
  }
  for (; publish->path_count < count; ++publish->path_count) {
    paths[publish->path_count] = rcl_get_zero_initialized_publisher();
    releases[publish->path_count] = rcl_get_zero_initialized_publisher();
  }
  return true;
}

static bool is_offered(const publish_t * publish, int32_t index) { return publish->paths[index].impl != NULL; }

// A robot that has come into the place of another in one call has another name.
static bool is_of(const publish_t * publish, int32_t index, const robot_t * robot)
{
  const char * topic = rcl_publisher_get_topic_name(&publish->paths[index]);
  const size_t length = topic == NULL ? 0 : strlen(topic), tail = strlen("/timed_path"), own = strlen(robot->name);
  return length >= tail + own && own > 0 && strncmp(topic + length - tail - own, robot->name, own) == 0 &&
         (length == tail + own || topic[length - tail - own - 1] == '/' || robot->name[0] == '/');
}

bool publish_read_robots(publish_t * publish, const fleet_t * fleet, rcl_node_t * node)
{
  bool is_fine = make_room(publish, fleet->count);
  for (int32_t k = 0; is_fine && k < fleet->count; ++k) {
    const robot_t * robot = &fleet->robots[k];
    if (is_offered(publish, k) && !is_of(publish, k, robot)) {
      publish->path.poses.size = 0;  // stay
      if (rcl_publish(&publish->releases[k], &publish->path, NULL) != RCL_RET_OK) {
        rcl_reset_error();
      }
      finish(&publish->paths[k], node);
      finish(&publish->releases[k], node);
      publish->paths[k] = rcl_get_zero_initialized_publisher();
      publish->releases[k] = rcl_get_zero_initialized_publisher();
    }
    if (robot_is_there(robot) && !is_offered(publish, k)) {
      is_fine = offer_path(&publish->paths[k], robot->name, "timed_path", node) &&
                offer_path(&publish->releases[k], robot->name, "released_path", node);
    }
  }
  return is_fine;
}

void publish_fini(publish_t * publish, rcl_node_t * node)
{
  for (int32_t k = 0; k < publish->path_count; ++k) {
    finish(&publish->paths[k], node);
    finish(&publish->releases[k], node);
  }
  finish(&publish->diagnostics, node);
  nav_msgs__msg__Path__fini(&publish->path);
  diagnostic_msgs__msg__DiagnosticArray__fini(&publish->diagnostic_array);
  free(publish->paths);
  free(publish->releases);
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

static size_t count_readers(const rcl_publisher_t * publisher)
{
  size_t count = 0;
  if (rcl_publisher_get_subscription_count(publisher, &count) != RCL_RET_OK) {
    rcl_reset_error();
  }
  return count;
}

bool publish_has_readers(const publish_t * publish)
{
  for (int32_t k = 0; k < publish->path_count; ++k) {
    if (is_offered(publish, k) && count_readers(&publish->paths[k]) + count_readers(&publish->releases[k]) == 0) {
      return false;
    }
  }
  return true;
}

static path_text_t text_of(const planning_t * planning, int32_t index)
{
  const robot_t * robot = &planning->fleet.robots[index];
  return (path_text_t){
    .frame_id = planning->settings.map_frame,
    .stamp_ns = planning->schedule.epoch_ns,
    .first_yaw = robot->yaw,
    .final_yaw = planning_ends_at_goal(planning, index) ? robot->goal_yaw : NAN,
  };
}

static void publish_path(publish_t * publish, planning_t * planning, int32_t index)
{
  const track_t * track = &planning->schedule.tracks[index];
  const path_text_t text = text_of(planning, index);
  const bool is_filled = path_message_fill(&publish->path, &text, track->waypoints, track->count);
  send(&publish->paths[index], &publish->path, is_filled, planning->logger);
  planning->fleet.robots[index].has_new_track = false;
  planning->fleet.robots[index].shown_end_ns = track_end(track);
}

// By the stamps all of it is released. By the dependency graph that is what the graph says, with what is left of the way
// written anew, so that it begins where the robot is.
static void publish_release(publish_t * publish, planning_t * planning, int32_t index)
{
  robot_t * robot = &planning->fleet.robots[index];
  const driving_t * driving = &planning->driving;
  track_t * track = &planning->schedule.tracks[index];
  path_text_t text = text_of(planning, index);
  int32_t count = track->count;
  if (planning->settings.execution_mode == NODE_EXECUTION_DEPENDENCY) {
    const bool is_in = driving->is_on && driving_write_track(driving, index, &robot->body, track);
    count = is_in ? driving_released_count(driving, index, track) : 0;
    text.final_yaw = count == track->count ? text.final_yaw : NAN;
    robot->shown_stop = is_in ? driving_status(driving, index).stop_at : -1;
  }
  const bool is_filled = path_message_fill(&publish->path, &text, track->waypoints, count);
  send(&publish->releases[index], &publish->path, is_filled, planning->logger);
  robot->has_new_release = false;
}

bool publish_releases(publish_t * publish, planning_t * planning)
{
  bool any = false;
  for (int32_t k = 0; planning->settings.execution_mode == NODE_EXECUTION_DEPENDENCY && k < publish->path_count; ++k) {
    if (is_offered(publish, k) && planning->fleet.robots[k].has_new_release) {
      publish_release(publish, planning, k);
      any = true;
    }
  }
  return any;
}

void publish_paths(publish_t * publish, planning_t * planning, bool all)
{
  for (int32_t k = 0; k < publish->path_count; ++k) {
    if (is_offered(publish, k) && (all || planning->fleet.robots[k].has_new_track)) {
      publish_path(publish, planning, k);
      if (planning->settings.execution_mode == NODE_EXECUTION_TIMED) {
        publish_release(publish, planning, k);
      }
    }
  }
}

void publish_diagnostics(publish_t * publish, const planning_t * planning, const char * node_name, int64_t now_ns)
{
  const bool is_filled = diagnostics_fill(&publish->diagnostic_array, planning, node_name, now_ns);
  send(&publish->diagnostics, &publish->diagnostic_array, is_filled, planning->logger);
}
