#include "ros/planner_node/assign.h"

#include <math.h>
#include <string.h>

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>
#include <rmw/qos_profiles.h>

// Of a click: within so many robots' radii somebody is meant.
static const double CLICK_RADII = 2.5;

int32_t assign_selected(const assign_t * assign)
{
  const fleet_t * fleet = &assign->planning->fleet;
  for (int32_t k = 0; assign->selected[0] != '\0' && k < fleet->count; ++k) {
    if (strcmp(fleet->robots[k].name, assign->selected) == 0) {
      return k;
    }
  }
  return -1;
}

static bool is_anybody(const robot_t * robot) { return robot_is_there(robot) && robot->has_pose && !robot->is_stale; }

static bool is_idle(const assign_t * assign, int32_t index)
{
  const planning_t * planning = assign->planning;
  const robot_t * robot = &planning->fleet.robots[index];
  // A goal that has just come counts, although nobody has looked at it yet.
  const bool has_mail = assign->inbox->robots[index]->goal.is_new || assign->inbox->robots[index]->has_queue;
  const bool is_done = !robot->has_goal || (robot->queue_next >= robot->queue_count &&
                                            planning_is_at_goal(planning, index, planning->last_now_ns));
  return is_anybody(robot) && is_done && !has_mail;
}

static int32_t nearest(const assign_t * assign, point_t point, bool is_for_goal, double within)
{
  const fleet_t * fleet = &assign->planning->fleet;
  int32_t best = -1;
  double best_distance = within;
  for (int32_t k = 0; k < fleet->count; ++k) {
    if (is_for_goal ? is_idle(assign, k) : is_anybody(&fleet->robots[k])) {
      const double distance = point_distance(fleet->robots[k].point, point);
      if (distance < best_distance) {
        best = k;
        best_distance = distance;
      }
    }
  }
  return best;
}

static bool is_in_map_frame(const assign_t * assign, const std_msgs__msg__Header * header, const char * what)
{
  const char * frame = assign->planning->settings.map_frame;
  const bool is_fine = header->frame_id.size == 0 || strcmp(header->frame_id.data, frame) == 0;
  if (!is_fine) {
    RCUTILS_LOG_WARN_NAMED(
      assign->planning->logger, "%s is in frame '%s', not '%s': ignored", what, header->frame_id.data, frame);
  }
  return is_fine;
}

static void on_goal(const void * message, void * context)
{
  assign_t * assign = context;
  const geometry_msgs__msg__PoseStamped * goal = message;
  const char * logger = assign->planning->logger;
  const point_t point = {goal->pose.position.x, goal->pose.position.y};
  if (!is_in_map_frame(assign, &goal->header, "goal_pose") || !point_is_finite(point)) {
    return;
  }
  int32_t robot = assign_selected(assign);
  if (robot < 0 && assign->planning->settings.gives_to_nearest) {
    robot = nearest(assign, point, true, INFINITY);
  }
  if (robot < 0) {
    RCUTILS_LOG_WARN_NAMED(
      logger, "goal_pose (%.2f, %.2f): nobody is %s, ignored", point.x, point.y,
      assign->planning->settings.gives_to_nearest ? "idle" : "selected");
    return;
  }
  RCUTILS_LOG_INFO_NAMED(
    logger, "goal_pose (%.2f, %.2f) goes to %s", point.x, point.y, assign->planning->fleet.robots[robot].name);
  inbox_on_goal(goal, assign->inbox->robots[robot]);
}

static void select_robot(assign_t * assign, const char * name)
{
  const char * logger = assign->planning->logger;
  char before[NODE_NAME_SIZE];
  (void)node_name_copy(before, assign->selected);
  if (!node_name_copy(assign->selected, name) || (name[0] != '\0' && assign_selected(assign) < 0)) {
    (void)node_name_copy(assign->selected, before);
    RCUTILS_LOG_WARN_NAMED(logger, "there is no robot '%.60s' to select", name);
  } else {
    RCUTILS_LOG_INFO_NAMED(logger, "%s is selected for goals", name[0] == '\0' ? "nobody" : name);
  }
}

static void on_name(const void * message, void * context)
{
  const std_msgs__msg__String * name = message;
  select_robot(context, name->data.data == NULL ? "" : name->data.data);
}

static void on_point(const void * message, void * context)
{
  assign_t * assign = context;
  const geometry_msgs__msg__PointStamped * clicked = message;
  const point_t point = {clicked->point.x, clicked->point.y};
  if (is_in_map_frame(assign, &clicked->header, "clicked_point") && point_is_finite(point)) {
    const double within = CLICK_RADII * fmax(assign->planning->settings.robot_radius, 0.05);
    const int32_t robot = nearest(assign, point, false, within);
    select_robot(assign, robot < 0 ? "" : assign->planning->fleet.robots[robot].name);
  }
}

bool assign_init(
  assign_t * assign, const planning_t * planning, inbox_t * inbox, rcl_node_t * node, rclc_executor_t * executor)
{
  const struct {
    const char * topic;
    const rosidl_message_type_support_t * type;
    void * message;
    rclc_subscription_callback_with_context_t callback;
  } rows[ASSIGN_COUNT] = {
    {"goal_pose", ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, PoseStamped), &assign->goal, on_goal},
    {"~/select", ROSIDL_GET_MSG_TYPE_SUPPORT(std_msgs, msg, String), &assign->name, on_name},
    {"clicked_point", ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, PointStamped), &assign->point, on_point},
  };
  assign->planning = planning;
  assign->inbox = inbox;
  bool is_fine = geometry_msgs__msg__PoseStamped__init(&assign->goal) && std_msgs__msg__String__init(&assign->name) &&
                 geometry_msgs__msg__PointStamped__init(&assign->point);
  for (int32_t k = 0; k < ASSIGN_COUNT; ++k) {
    assign->subscriptions[k] = rcl_get_zero_initialized_subscription();
  }
  for (int32_t k = 0; is_fine && k < ASSIGN_COUNT; ++k) {
    is_fine =
      rclc_subscription_init(&assign->subscriptions[k], node, rows[k].type, rows[k].topic, &rmw_qos_profile_default) ==
        RCL_RET_OK &&
      rclc_executor_add_subscription_with_context(
        executor, &assign->subscriptions[k], rows[k].message, rows[k].callback, assign, ON_NEW_DATA) == RCL_RET_OK;
  }
  return is_fine;
}

void assign_fini(assign_t * assign, rcl_node_t * node)
{
  for (int32_t k = 0; k < ASSIGN_COUNT; ++k) {
    if (rcl_subscription_fini(&assign->subscriptions[k], node) != RCL_RET_OK) {
      rcl_reset_error();
    }
  }
  geometry_msgs__msg__PoseStamped__fini(&assign->goal);
  std_msgs__msg__String__fini(&assign->name);
  geometry_msgs__msg__PointStamped__fini(&assign->point);
  *assign = (assign_t){0};
}
