// Paths and diagnostics out. See publishers.h.

#include "ros/planner_node/publishers.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <geometry_msgs/msg/pose_stamped.h>
#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>
#include <rmw/qos_profiles.h>
#include <rosidl_runtime_c/string_functions.h>

#include "base/assert.h"
#include "ros/messages.h"
#include "ros/planner_node/diagnostics.h"

// ---- messages

bool node_string_set(rosidl_runtime_c__String * string, const char * text)
{
  const bool is_same = string->data != NULL && strcmp(string->data, text) == 0;
  return is_same || rosidl_runtime_c__String__assign(string, text);
}

// A sequence keeps its memory when `size` shrinks; fini releases it by `capacity`.
static bool reserve_poses(geometry_msgs__msg__PoseStamped__Sequence * poses, size_t count)
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

bool node_path_message_fill(
  nav_msgs__msg__Path * message, const node_path_header_t * header, const fw_timed_waypoint_t * waypoints,
  int32_t count)
{
  if (!reserve_poses(&message->poses, (size_t)count) || !node_string_set(&message->header.frame_id, header->frame_id)) {
    return false;
  }
  message->header.stamp = ros_message_stamp(header->stamp_ns);
  // From the end, so that a wait has the heading of the move after it.
  double yaw = NAN;
  for (int32_t k = count - 1; k >= 0; --k) {
    geometry_msgs__msg__PoseStamped * pose = &message->poses.data[k];
    const fw_point_t here = waypoints[k].point;
    if (!isnan(waypoints[k].yaw)) {
      yaw = waypoints[k].yaw;
    } else if (k + 1 < count && fw__point_distance(here, waypoints[k + 1].point) > 1e-6) {
      yaw = atan2(waypoints[k + 1].point.y - here.y, waypoints[k + 1].point.x - here.x);
    } else if (k + 1 == count && !isnan(header->final_yaw)) {
      yaw = header->final_yaw;
    } else if (k + 1 == count) {
      for (int32_t before = k - 1; isnan(yaw) && before >= 0; --before) {
        const fw_point_t from = waypoints[before].point;
        if (fw__point_distance(from, here) > 1e-6) {
          yaw = atan2(here.y - from.y, here.x - from.x);
        }
      }
      yaw = isnan(yaw) ? header->first_yaw : yaw;
    }
    if (!node_string_set(&pose->header.frame_id, header->frame_id)) {
      return false;
    }
    pose->header.stamp = ros_message_stamp(waypoints[k].stamp_ns);
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

// ---- life

static bool advertise(node_publishers_t * self, rcl_publisher_t * publisher, const char * robot, const char * what)
{
  const rmw_qos_profile_t latched = ros_qos(1, true, true);
  char topic[2 * FW_NAME_SIZE];
  (void)snprintf(topic, sizeof topic, "%s/%s", robot, what);
  return rclc_publisher_init(
           publisher, &self->session->node, ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Path), topic, &latched) ==
         RCL_RET_OK;
}

bool node_publishers_init(node_publishers_t * self, ros_session_t * session, const fw_controller_fleet_t * fleet)
{
  self->session = session;
  self->diagnostics = rcl_get_zero_initialized_publisher();
  return nav_msgs__msg__Path__init(&self->path) &&
         diagnostic_msgs__msg__DiagnosticArray__init(&self->diagnostic_array) &&
         rclc_publisher_init_default(
           &self->diagnostics, &session->node, ROSIDL_GET_MSG_TYPE_SUPPORT(diagnostic_msgs, msg, DiagnosticArray),
           "/diagnostics") == RCL_RET_OK &&
         node_publishers_read_robots(self, fleet);
}

static bool reserve_robots(node_publishers_t * self, int32_t count)
{
  rcl_publisher_t * paths = realloc(self->paths, ((size_t)count + 1) * sizeof *paths);
  self->paths = paths == NULL ? self->paths : paths;
  rcl_publisher_t * releases = realloc(self->releases, ((size_t)count + 1) * sizeof *releases);
  self->releases = releases == NULL ? self->releases : releases;
  if (paths == NULL || releases == NULL) {
    return false;
  }
  for (; self->path_count < count; ++self->path_count) {
    paths[self->path_count] = rcl_get_zero_initialized_publisher();
    releases[self->path_count] = rcl_get_zero_initialized_publisher();
  }
  return true;
}

static bool is_advertised(const node_publishers_t * self, int32_t index) { return self->paths[index].impl != NULL; }

// True if the publishers of this slot are those of the robot. Another robot can get the slot within one call.
static bool is_of(const node_publishers_t * self, int32_t index, const fw_controlled_robot_t * robot)
{
  const char * topic = rcl_publisher_get_topic_name(&self->paths[index]);
  const size_t length = topic == NULL ? 0 : strlen(topic), tail = strlen("/timed_path"), own = strlen(robot->name);
  return length >= tail + own && own > 0 && strncmp(topic + length - tail - own, robot->name, own) == 0 &&
         (length == tail + own || topic[length - tail - own - 1] == '/' || robot->name[0] == '/');
}

bool node_publishers_read_robots(node_publishers_t * self, const fw_controller_fleet_t * fleet)
{
  if (!reserve_robots(self, fleet->count)) {
    return false;
  }
  for (int32_t k = 0; k < fleet->count; ++k) {
    const fw_controlled_robot_t * robot = &fleet->robots[k];
    if (is_advertised(self, k) && !is_of(self, k, robot)) {
      self->path.poses.size = 0;  // "stay"
      if (rcl_publish(&self->releases[k], &self->path, NULL) != RCL_RET_OK) {
        rcl_reset_error();
      }
      ros_session_fini_publisher(self->session, &self->paths[k]);
      ros_session_fini_publisher(self->session, &self->releases[k]);
      self->paths[k] = rcl_get_zero_initialized_publisher();
      self->releases[k] = rcl_get_zero_initialized_publisher();
    }
    if (
      fw__controlled_robot_is_listed(robot) && !is_advertised(self, k) &&
      (!advertise(self, &self->paths[k], robot->name, "timed_path") ||
       !advertise(self, &self->releases[k], robot->name, "released_path"))) {
      return false;
    }
  }
  return true;
}

void node_publishers_fini(node_publishers_t * self)
{
  if (self->session == NULL) {
    return;
  }
  for (int32_t k = 0; k < self->path_count; ++k) {
    ros_session_fini_publisher(self->session, &self->paths[k]);
    ros_session_fini_publisher(self->session, &self->releases[k]);
  }
  ros_session_fini_publisher(self->session, &self->diagnostics);
  nav_msgs__msg__Path__fini(&self->path);
  diagnostic_msgs__msg__DiagnosticArray__fini(&self->diagnostic_array);
  free(self->paths);
  free(self->releases);
  *self = (node_publishers_t){0};
}

// ---- publishing

bool node_publishers_have_subscribers(const node_publishers_t * self)
{
  for (int32_t k = 0; k < self->path_count; ++k) {
    if (
      is_advertised(self, k) &&
      ros_session_count_subscribers(&self->paths[k]) + ros_session_count_subscribers(&self->releases[k]) == 0) {
      return false;
    }
  }
  return true;
}

static node_path_header_t header_of(const fw_controller_impl_t * controller, int32_t index)
{
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  return (node_path_header_t){
    .frame_id = controller->settings.map_frame,
    .stamp_ns = controller->schedule.epoch_ns,
    .first_yaw = robot->yaw,
    .final_yaw = fw__controller_path_ends_at_goal(controller, index) ? robot->goal_yaw : NAN,
  };
}

static void publish_path(node_publishers_t * self, fw_controller_impl_t * controller, int32_t index)
{
  FW_ASSERT(is_advertised(self, index) && index < controller->schedule.robot_count);
  const fw_timed_path_t * timed_path = &controller->schedule.paths[index];
  const node_path_header_t header = header_of(controller, index);
  const bool is_filled = node_path_message_fill(&self->path, &header, timed_path->waypoints, timed_path->count);
  ros_session_publish(&self->paths[index], &self->path, is_filled, controller->logger);
  controller->fleet.robots[index].has_new_path = false;
  controller->fleet.robots[index].published_end_ns = fw__timed_path_end(timed_path);
}

// In execution mode timed the whole path is released. By the dependency graph, the path is written again from where the
// robot is, and the part up to the graph's stop is released.
static void publish_release(node_publishers_t * self, fw_controller_impl_t * controller, int32_t index)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_fleet_execution_t * execution = &controller->execution;
  fw_timed_path_t * timed_path = &controller->schedule.paths[index];
  node_path_header_t header = header_of(controller, index);
  int32_t count = timed_path->count;
  if (controller->settings.execution_mode == FW_EXECUTION_MODE_DEPENDENCY) {
    const bool is_in = execution->is_on && fw__fleet_execution_write_path(execution, index, &robot->body, timed_path);
    count = is_in ? fw__fleet_execution_released_count(execution, index, timed_path) : 0;
    header.final_yaw = count == timed_path->count ? header.final_yaw : NAN;
    robot->published_stop = is_in ? fw__fleet_execution_status(execution, index).stop_at : -1;
  }
  FW_ASSERT(count >= 0 && count <= timed_path->count);
  const bool is_filled = node_path_message_fill(&self->path, &header, timed_path->waypoints, count);
  ros_session_publish(&self->releases[index], &self->path, is_filled, controller->logger);
  robot->has_new_release = false;
}

bool node_publish_releases(node_publishers_t * self, fw_controller_impl_t * controller)
{
  bool any = false;
  for (int32_t k = 0; controller->settings.execution_mode == FW_EXECUTION_MODE_DEPENDENCY && k < self->path_count;
       ++k) {
    if (is_advertised(self, k) && controller->fleet.robots[k].has_new_release) {
      publish_release(self, controller, k);
      any = true;
    }
  }
  return any;
}

void node_publish_paths(node_publishers_t * self, fw_controller_impl_t * controller, bool all)
{
  for (int32_t k = 0; k < self->path_count; ++k) {
    if (is_advertised(self, k) && (all || controller->fleet.robots[k].has_new_path)) {
      publish_path(self, controller, k);
      if (controller->settings.execution_mode == FW_EXECUTION_MODE_TIMED) {
        publish_release(self, controller, k);
      }
    }
  }
}

void node_publish_diagnostics(
  node_publishers_t * self, const fw_controller_impl_t * controller, const char * node_name, int64_t now_ns)
{
  const bool is_filled = node_diagnostics_fill(&self->diagnostic_array, controller, node_name, now_ns);
  ros_session_publish(&self->diagnostics, &self->diagnostic_array, is_filled, controller->logger);
}
