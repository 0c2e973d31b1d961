// Which robot gets a goal that names none. See unassigned_goals.h.

#include "ros/planner_node/unassigned_goals.h"

#include <math.h>
#include <string.h>

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>
#include <rmw/qos_profiles.h>

#include "ros/planner_node/subscriptions.h"

// A click selects a robot within this many radii of it.
static const double CLICK_RADII = 2.5;

int32_t node_unassigned_goals_selected(const node_unassigned_goals_t * self)
{
  const node_fleet_t * fleet = &self->controller->fleet;
  for (int32_t k = 0; self->selected[0] != '\0' && k < fleet->count; ++k) {
    if (strcmp(fleet->robots[k].name, self->selected) == 0) {
      return k;
    }
  }
  return -1;
}

// True if the robot can be selected.
static bool is_present(const node_robot_t * robot)
{
  return node_robot_is_listed(robot) && robot->has_pose && !robot->is_stale;
}

static bool is_idle(const node_unassigned_goals_t * self, int32_t index)
{
  const node_controller_t * controller = self->controller;
  const node_robot_t * robot = &controller->fleet.robots[index];
  // A goal that has just arrived counts, although the controller has not read it yet.
  const bool has_new_goal = self->inbox->robots[index]->goal.is_new || self->inbox->robots[index]->has_goals;
  const bool is_done = !robot->has_goal || (robot->queue_next >= robot->queue_count &&
                                            node_controller_is_at_goal(controller, index, controller->last_now_ns));
  return is_present(robot) && is_done && !has_new_goal;
}

// The nearest robot closer than `within` metres, idle if it is for a goal; -1 if there is none.
static int32_t nearest(const node_unassigned_goals_t * self, node_point_t point, bool is_for_goal, double within)
{
  const node_fleet_t * fleet = &self->controller->fleet;
  int32_t best = -1;
  double best_distance = within;
  for (int32_t k = 0; k < fleet->count; ++k) {
    if (is_for_goal ? is_idle(self, k) : is_present(&fleet->robots[k])) {
      const double distance = node_point_distance(fleet->robots[k].point, point);
      if (distance < best_distance) {
        best = k;
        best_distance = distance;
      }
    }
  }
  return best;
}

static bool is_in_map_frame(
  const node_unassigned_goals_t * self, const std_msgs__msg__Header * header, const char * what)
{
  const char * frame = self->controller->settings.map_frame;
  const bool is_in_frame = header->frame_id.size == 0 || strcmp(header->frame_id.data, frame) == 0;
  if (!is_in_frame) {
    RCUTILS_LOG_WARN_NAMED(
      self->controller->logger, "%s is in frame '%s', not '%s': ignored", what, header->frame_id.data, frame);
  }
  return is_in_frame;
}

static void on_goal(const void * message, void * context)
{
  node_unassigned_goals_t * self = context;
  const geometry_msgs__msg__PoseStamped * goal = message;
  const char * logger = self->controller->logger;
  const node_point_t point = {goal->pose.position.x, goal->pose.position.y};
  if (!is_in_map_frame(self, &goal->header, "goal_pose") || !node_point_is_finite(point)) {
    return;
  }
  int32_t robot = node_unassigned_goals_selected(self);
  if (robot < 0 && self->controller->settings.gives_to_nearest) {
    robot = nearest(self, point, true, INFINITY);
  }
  if (robot < 0) {
    RCUTILS_LOG_WARN_NAMED(
      logger, "goal_pose (%.2f, %.2f) ignored: no robot is %s", point.x, point.y,
      self->controller->settings.gives_to_nearest ? "idle" : "selected");
    return;
  }
  RCUTILS_LOG_INFO_NAMED(
    logger, "goal_pose (%.2f, %.2f) goes to %s", point.x, point.y, self->controller->fleet.robots[robot].name);
  node_inbox_put_goal(self->inbox->robots[robot], goal);
}

static void select_robot(node_unassigned_goals_t * self, const char * name)
{
  const char * logger = self->controller->logger;
  char before[NODE_NAME_SIZE];
  (void)node_name_copy(before, self->selected);
  if (!node_name_copy(self->selected, name) || (name[0] != '\0' && node_unassigned_goals_selected(self) < 0)) {
    (void)node_name_copy(self->selected, before);
    RCUTILS_LOG_WARN_NAMED(logger, "there is no robot '%.60s' to select", name);
  } else {
    RCUTILS_LOG_INFO_NAMED(logger, "%s is selected for goals", name[0] == '\0' ? "no robot" : name);
  }
}

static void on_name(const void * message, void * context)
{
  const std_msgs__msg__String * name = message;
  select_robot(context, name->data.data == NULL ? "" : name->data.data);
}

static void on_point(const void * message, void * context)
{
  node_unassigned_goals_t * self = context;
  const geometry_msgs__msg__PointStamped * clicked = message;
  const node_point_t point = {clicked->point.x, clicked->point.y};
  if (is_in_map_frame(self, &clicked->header, "clicked_point") && node_point_is_finite(point)) {
    const double within = CLICK_RADII * fmax(self->controller->settings.robot_radius, 0.05);
    const int32_t robot = nearest(self, point, false, within);
    select_robot(self, robot < 0 ? "" : self->controller->fleet.robots[robot].name);
  }
}

bool node_unassigned_goals_init(node_unassigned_goals_t * self, ros_executor_t * executor)
{
  const struct {
    const char * topic;
    const rosidl_message_type_support_t * type;
    void * message;
    void (*callback)(const void * message, void * context);
  } rows[NODE_UNASSIGNED_GOALS_HANDLES] = {
    {"goal_pose", ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, PoseStamped), &self->goal, on_goal},
    {"~/select", ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, String), &self->name, on_name},
    {"clicked_point", ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, PointStamped), &self->point, on_point},
  };
  for (int32_t k = 0; k < NODE_UNASSIGNED_GOALS_HANDLES; ++k) {
    self->subscriptions[k] = rcl_get_zero_initialized_subscription();
  }
  if (
    !geometry_msgs__msg__PoseStamped__init(&self->goal) || !std_msgs__msg__String__init(&self->name) ||
    !geometry_msgs__msg__PointStamped__init(&self->point)) {
    return false;
  }
  for (int32_t k = 0; k < NODE_UNASSIGNED_GOALS_HANDLES; ++k) {
    if (
      rclc_subscription_init(
        &self->subscriptions[k], &self->session->node, rows[k].type, rows[k].topic, &rmw_qos_profile_default) !=
        RCL_RET_OK ||
      ros_executor_add_subscription(
        executor, &self->subscriptions[k], &(ros_on_message_t){rows[k].message, rows[k].callback, self}) !=
        RCL_RET_OK) {
      return false;
    }
  }
  return true;
}

void node_unassigned_goals_fini(node_unassigned_goals_t * self)
{
  if (self->session == NULL) {
    return;
  }
  for (int32_t k = 0; k < NODE_UNASSIGNED_GOALS_HANDLES; ++k) {
    ros_session_fini_subscription(self->session, &self->subscriptions[k]);
  }
  geometry_msgs__msg__PoseStamped__fini(&self->goal);
  std_msgs__msg__String__fini(&self->name);
  geometry_msgs__msg__PointStamped__fini(&self->point);
  *self = (node_unassigned_goals_t){0};
}
