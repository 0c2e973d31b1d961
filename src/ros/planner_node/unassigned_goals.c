// Which robot gets a goal that names none. See unassigned_goals.h.

#include "ros/planner_node/unassigned_goals.h"

#include <math.h>
#include <string.h>

#include <rcl/error_handling.h>
#include <rmw/qos_profiles.h>

#include "ros/planner_node/subscriptions.h"

// A click selects a robot within this many radii of it.
static const double CLICK_RADII = 2.5;

int32_t node_unassigned_goals_selected(const node_unassigned_goals_t * self)
{
  const fw_controller_fleet_t * fleet = &node_site_impl(self->site)->fleet;
  for (int32_t k = 0; self->selected[0] != '\0' && k < fleet->count; ++k) {
    if (strcmp(fleet->robots[k].name, self->selected) == 0) {
      return k;
    }
  }
  return -1;
}

// True if the robot can be selected.
static bool is_present(const fw_controlled_robot_t * robot)
{
  return fw__controlled_robot_is_listed(robot) && robot->has_pose && !robot->is_stale;
}

static bool is_idle(const node_unassigned_goals_t * self, int32_t index)
{
  const fw_controller_impl_t * controller = node_site_impl(self->site);
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  // In execution modes other than dependency a goal ends by its stamp, perhaps before the next update notes it.
  const bool is_done =
    robot->goal_count == 0 ||
    (robot->goal_count == 1 && fw__controller_is_at_goal(controller, index, controller->last_now_ns));
  return is_present(robot) && is_done;
}

// The nearest robot closer than `within` metres, idle if it is for a goal; -1 if there is none.
static int32_t nearest(const node_unassigned_goals_t * self, fw_point_t point, bool is_for_goal, double within)
{
  const fw_controller_fleet_t * fleet = &node_site_impl(self->site)->fleet;
  int32_t best = -1;
  double best_distance = within;
  for (int32_t k = 0; k < fleet->count; ++k) {
    if (is_for_goal ? is_idle(self, k) : is_present(&fleet->robots[k])) {
      const double distance = fw__point_distance(fleet->robots[k].point, point);
      if (distance < best_distance) {
        best = k;
        best_distance = distance;
      }
    }
  }
  return best;
}

// Logs why a message of a topic was refused, unless that is what was said last.
static void refuse(node_unassigned_goals_t * self, const char * topic, const fw_error_t * reason)
{
  fw_error_t fault = {0};
  (void)fw__refuse(&fault, "%s refused: %.200s", topic, reason->text);
  if (strcmp(fault.text, self->fault.text) != 0) {
    ros_log_write(self->site->log, RCUTILS_LOG_SEVERITY_WARN, fault.text);
  }
  self->fault = fault;
}

static bool check_point(fw_point_t point, fw_error_t * reason)
{
  return fw__point_is_finite(point) || fw__refuse(reason, "its position is not finite");
}

// Of a click, which shows a place as one sees it in the map.
static bool check_frame(const node_unassigned_goals_t * self, const std_msgs__msg__Header * header, fw_error_t * reason)
{
  const char * frame = self->site->settings->map_frame;
  return header->frame_id.size == 0 || strcmp(header->frame_id.data, frame) == 0 ||
         fw__refuse(reason, "its frame_id is '%.60s', not '%.60s'", header->frame_id.data, frame);
}

static void on_goal(const void * message, void * context)
{
  node_unassigned_goals_t * self = context;
  const geometry_msgs__msg__PoseStamped * goal = message;
  int32_t robot = node_unassigned_goals_selected(self);
  fw_error_t reason = {0};
  fw_goal_request_t request;
  if (
    !node_read_goal(self->site, &(node_goal_t){robot, &goal->header, &goal->pose}, &request, &reason) ||
    !check_point(request.pose.point, &reason)) {
    refuse(self, "goal_pose", &reason);
    return;
  }
  const fw_point_t point = request.pose.point;
  if (robot < 0 && self->site->settings->gives_to_nearest) {
    robot = nearest(self, point, true, INFINITY);
  }
  if (robot < 0) {
    (void)fw__refuse(
      &reason, "(%.7g, %.7g): no robot is %s", point.x, point.y,
      self->site->settings->gives_to_nearest ? "idle" : "selected");
    refuse(self, "goal_pose", &reason);
    return;
  }
  self->fault = (fw_error_t){0};
  ros_log_printf(
    self->site->log, RCUTILS_LOG_SEVERITY_INFO, "goal_pose: (%.7g, %.7g) goes to %s", point.x, point.y,
    node_site_impl(self->site)->fleet.robots[robot].name);
  node_request_goal(self->site, robot, goal);
}

static void select_robot(node_unassigned_goals_t * self, const char * name)
{
  ros_log_t * log = self->site->log;
  char before[FW_NAME_SIZE];
  (void)fw__name_copy(before, self->selected);
  if (!fw__name_copy(self->selected, name) || (name[0] != '\0' && node_unassigned_goals_selected(self) < 0)) {
    (void)fw__name_copy(self->selected, before);
    ros_log_printf(log, RCUTILS_LOG_SEVERITY_WARN, "select refused: there is no robot '%.60s'", name);
  } else {
    ros_log_printf(
      log, RCUTILS_LOG_SEVERITY_INFO, "select: %s is selected for goals", name[0] == '\0' ? "no robot" : name);
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
  const fw_point_t point = {clicked->point.x, clicked->point.y};
  fw_error_t reason = {0};
  if (!check_frame(self, &clicked->header, &reason) || !check_point(point, &reason)) {
    refuse(self, "clicked_point", &reason);
  } else {
    const double within = CLICK_RADII * fmax(self->site->settings->controller.robot_radius, 0.05);
    const int32_t robot = nearest(self, point, false, within);
    select_robot(self, robot < 0 ? "" : node_site_impl(self->site)->fleet.robots[robot].name);
  }
}

bool node_unassigned_goals_init(node_unassigned_goals_t * self)
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
        &self->subscriptions[k], &self->site->session->node, rows[k].type, rows[k].topic, &rmw_qos_profile_default) !=
        RCL_RET_OK ||
      ros_executor_add_subscription(
        self->executor, &self->subscriptions[k], &(ros_on_message_t){rows[k].message, rows[k].callback, self}) !=
        RCL_RET_OK) {
      return false;
    }
    ros_qos_watch_begin(
      &self->watches[k], &(ros_qos_watch_options_t){self->executor, &self->subscriptions[k], self->site->log});
  }
  return true;
}

void node_unassigned_goals_fini(node_unassigned_goals_t * self)
{
  if (self->site == NULL) {
    return;
  }
  for (int32_t k = 0; k < NODE_UNASSIGNED_GOALS_HANDLES; ++k) {
    ros_qos_watch_end(&self->watches[k]);
    (void)ros_executor_remove(self->executor, &self->subscriptions[k]);  // not there if subscribing failed
    ros_session_fini_subscription(self->site->session, &self->subscriptions[k]);
  }
  geometry_msgs__msg__PoseStamped__fini(&self->goal);
  std_msgs__msg__String__fini(&self->name);
  geometry_msgs__msg__PointStamped__fini(&self->point);
  *self = (node_unassigned_goals_t){0};
}
