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
#include "controller/approach.h"
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

static const fw_timed_waypoint_t * waypoint_at(
  const node_path_header_t * header, const fw_timed_waypoint_t * waypoints, int32_t count, int32_t index)
{
  return index < count ? &waypoints[index] : &header->last_part;
}

bool node_path_message_fill(
  nav_msgs__msg__Path * message, const node_path_header_t * header, const fw_timed_waypoint_t * waypoints,
  int32_t waypoint_count)
{
  const int32_t count = waypoint_count + (header->has_last_part ? 1 : 0);
  if (!reserve_poses(&message->poses, (size_t)count) || !node_string_set(&message->header.frame_id, header->frame_id)) {
    return false;
  }
  message->header.stamp = ros_message_stamp(header->stamp_ns);
  // From the end, so that a wait has the heading of the move after it.
  double yaw = NAN;
  for (int32_t k = count - 1; k >= 0; --k) {
    geometry_msgs__msg__PoseStamped * pose = &message->poses.data[k];
    const fw_timed_waypoint_t * waypoint = waypoint_at(header, waypoints, waypoint_count, k);
    const fw_point_t here = waypoint->point;
    const fw_point_t next = k + 1 < count ? waypoint_at(header, waypoints, waypoint_count, k + 1)->point : here;
    if (!isnan(waypoint->yaw)) {
      yaw = waypoint->yaw;
    } else if (fw__point_distance(here, next) > 1e-6) {
      yaw = atan2(next.y - here.y, next.x - here.x);
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
    pose->header.stamp = ros_message_stamp(waypoint->stamp_ns);
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
  *publisher = rcl_get_zero_initialized_publisher();
  return rclc_publisher_init(
           publisher, &self->site->session->node, ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Path), topic, &latched) ==
         RCL_RET_OK;
}

bool node_publishers_init(node_publishers_t * self, const node_site_t * site)
{
  self->site = site;
  self->diagnostics = rcl_get_zero_initialized_publisher();
  return nav_msgs__msg__Path__init(&self->path) &&
         diagnostic_msgs__msg__DiagnosticArray__init(&self->diagnostic_array) &&
         rclc_publisher_init_default(
           &self->diagnostics, &site->session->node, ROSIDL_GET_MSG_TYPE_SUPPORT(diagnostic_msgs, msg, DiagnosticArray),
           "/diagnostics") == RCL_RET_OK &&
         node_publishers_read_robots(self);
}

static bool reserve_robots(node_publishers_t * self, int32_t count)
{
  node_robot_publishers_t * robots = realloc(self->robots, ((size_t)count + 1) * sizeof *robots);
  if (robots == NULL) {
    return false;
  }
  self->robots = robots;
  for (; self->robot_count < count; ++self->robot_count) {
    robots[self->robot_count] = (node_robot_publishers_t){
      .path = rcl_get_zero_initialized_publisher(), .release = rcl_get_zero_initialized_publisher()};
  }
  return true;
}

static bool is_advertised(const node_publishers_t * self, int32_t index) { return self->robots[index].name[0] != '\0'; }

static void fini_robot(node_publishers_t * self, node_robot_publishers_t * robot)
{
  ros_session_fini_publisher(self->site->session, &robot->path);
  ros_session_fini_publisher(self->site->session, &robot->release);
  *robot = (node_robot_publishers_t){
    .path = rcl_get_zero_initialized_publisher(), .release = rcl_get_zero_initialized_publisher()};
}

bool node_publishers_read_robots(node_publishers_t * self)
{
  const fw_controller_fleet_t * fleet = &node_site_impl(self->site)->fleet;
  if (!reserve_robots(self, fleet->count)) {
    return false;
  }
  for (int32_t k = 0; k < fleet->count; ++k) {
    const fw_controlled_robot_t * robot = &fleet->robots[k];
    node_robot_publishers_t * publishers = &self->robots[k];
    if (strcmp(publishers->name, robot->name) == 0) {
      continue;
    }
    if (is_advertised(self, k)) {
      self->path.poses.size = 0;  // "stay"
      if (rcl_publish(&publishers->release, &self->path, NULL) != RCL_RET_OK) {
        rcl_reset_error();
      }
      fini_robot(self, publishers);
    }
    if (fw__controlled_robot_is_listed(robot) && !self->is_silent) {
      publishers->path_revision = robot->path_revision;
      publishers->release_revision = robot->release_revision;
      if (
        !advertise(self, &publishers->path, robot->name, "timed_path") ||
        !advertise(self, &publishers->release, robot->name, "released_path")) {
        return false;
      }
      (void)fw__name_copy(publishers->name, robot->name);
    }
  }
  return true;
}

void node_publishers_set_silent(node_publishers_t * self, bool is_silent)
{
  self->is_silent = is_silent;
  for (int32_t k = 0; is_silent && k < self->robot_count; ++k) {
    fini_robot(self, &self->robots[k]);
  }
  if (!node_publishers_read_robots(self)) {
    RCUTILS_LOG_ERROR_NAMED(self->site->logger, "cannot publish paths: %s", rcl_get_error_string().str);
    rcl_reset_error();
  }
}

bool node_publishers_resolve(const node_publishers_t * self, const char * topic, char * full, size_t size)
{
  char * name = NULL;
  const rcl_ret_t ret =
    rcl_node_resolve_name(&self->site->session->node, topic, rcl_get_default_allocator(), false, false, &name);
  const bool is_resolved = ret == RCL_RET_OK && snprintf(full, size, "%s", name) < (int)size;
  if (ret == RCL_RET_OK) {
    rcl_get_default_allocator().deallocate(name, rcl_get_default_allocator().state);
  }
  rcl_reset_error();
  return is_resolved;
}

void node_publishers_fini(node_publishers_t * self)
{
  if (self->site == NULL) {
    return;
  }
  for (int32_t k = self->robot_count - 1; k >= 0; --k) {  // see node_actions_fini
    fini_robot(self, &self->robots[k]);
  }
  ros_session_fini_publisher(self->site->session, &self->diagnostics);
  nav_msgs__msg__Path__fini(&self->path);
  diagnostic_msgs__msg__DiagnosticArray__fini(&self->diagnostic_array);
  free(self->robots);
  *self = (node_publishers_t){0};
}

// ---- publishing

bool node_publishers_have_subscribers(const node_publishers_t * self)
{
  for (int32_t k = 0; k < self->robot_count; ++k) {
    const node_robot_publishers_t * robot = &self->robots[k];
    if (
      is_advertised(self, k) &&
      ros_session_count_subscribers(&robot->path) + ros_session_count_subscribers(&robot->release) == 0) {
      return false;
    }
  }
  return true;
}

// The whole plan ends at the exact pose of the goal; releases get that part of the way when its space is free.
static void add_last_part(
  const fw_controller_impl_t * controller, int32_t index, const fw_timed_waypoint_t * end, node_path_header_t * header)
{
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  if (!fw__controller_path_ends_at_goal(controller, index)) {
    return;
  }
  const fw_approach_plan_t plan = fw__approach_plan_of(&controller->fleet.site, robot);
  header->has_last_part = plan.is_needed && plan.is_free;
  header->last_part = (fw_timed_waypoint_t){
    .stamp_ns = end->stamp_ns + (int64_t)(plan.off / controller->settings.speed * 1e9),
    .point = robot->goal,
    .yaw = robot->goal_yaw,
  };
}

static void publish(
  node_publishers_t * self, const rcl_publisher_t * publisher, int32_t index, fw_controller_path_t path)
{
  const fw_controller_impl_t * controller = node_site_impl(self->site);
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_timed_path_t * plan = &controller->schedule.paths[index];
  const bool is_whole =
    path.count > 0 && plan->count > 0 &&
    fw__point_distance(path.waypoints[path.count - 1].point, plan->waypoints[plan->count - 1].point) < 1e-6;
  node_path_header_t header = {
    .frame_id = self->site->settings->map_frame,
    .stamp_ns = path.epoch_ns,
    .first_yaw = robot->yaw,
    .final_yaw = is_whole && fw__controller_path_ends_at_goal(controller, index) ? robot->goal_yaw : NAN,
  };
  if (publisher == &self->robots[index].path && is_whole && controller->execution.is_on) {
    add_last_part(controller, index, &path.waypoints[path.count - 1], &header);
  }
  const bool is_filled = node_path_message_fill(&self->path, &header, path.waypoints, path.count);
  ros_session_publish(publisher, &self->path, is_filled, self->site->logger);
}

bool node_publish_releases(node_publishers_t * self)
{
  bool any = false;
  for (int32_t k = 0; k < self->robot_count; ++k) {
    node_robot_publishers_t * robot = &self->robots[k];
    const fw_controller_path_t path = fw_controller_released_path(self->site->controller, k);
    if (is_advertised(self, k) && path.revision != robot->release_revision) {
      publish(self, &robot->release, k, path);
      robot->release_revision = path.revision;
      any = true;
    }
  }
  return any;
}

void node_publish_paths(node_publishers_t * self)
{
  for (int32_t k = 0; k < self->robot_count; ++k) {
    node_robot_publishers_t * robot = &self->robots[k];
    const fw_controller_path_t path = fw_controller_timed_path(self->site->controller, k);
    if (is_advertised(self, k) && path.revision != robot->path_revision) {
      publish(self, &robot->path, k, path);
      robot->path_revision = path.revision;
    }
  }
}

void node_publish_diagnostics(node_publishers_t * self, int64_t now_ns)
{
  const bool is_filled = node_diagnostics_fill(&self->diagnostic_array, self->site, now_ns);
  ros_session_publish(&self->diagnostics, &self->diagnostic_array, is_filled, self->site->logger);
}
