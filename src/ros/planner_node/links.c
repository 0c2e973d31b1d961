#include "ros/planner_node/links.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcl/error_handling.h>
#include <rmw/qos_profiles.h>

enum { ROBOTS_ROOM = 1024 };

typedef struct wish_t {
  rcl_subscription_t * subscription;
  const rosidl_message_type_support_t * type;
  const char * robot;  // its namespace, NULL for the node's own
  const char * topic;
  rmw_qos_profile_t qos;
  void * message;
  rclc_subscription_callback_with_context_t callback;
  void * context;
} wish_t;

static bool subscribe(const wish_t * wish, rcl_node_t * node, rclc_executor_t * executor)
{
  char topic[2 * NODE_NAME_SIZE];
  (void)snprintf(
    topic, sizeof topic, "%s%s%s", wish->robot == NULL ? "" : wish->robot, wish->robot == NULL ? "" : "/", wish->topic);
  *wish->subscription = rcl_get_zero_initialized_subscription();
  return rclc_subscription_init(wish->subscription, node, wish->type, topic, &wish->qos) == RCL_RET_OK &&
         rclc_executor_add_subscription_with_context(
           executor, wish->subscription, wish->message, wish->callback, wish->context, ON_NEW_DATA) == RCL_RET_OK;
}

static rmw_qos_profile_t qos(size_t depth, bool is_reliable, bool is_latched)
{
  rmw_qos_profile_t profile = rmw_qos_profile_default;
  profile.depth = depth;
  profile.reliability = is_reliable ? RMW_QOS_POLICY_RELIABILITY_RELIABLE : RMW_QOS_POLICY_RELIABILITY_BEST_EFFORT;
  profile.durability = is_latched ? RMW_QOS_POLICY_DURABILITY_TRANSIENT_LOCAL : RMW_QOS_POLICY_DURABILITY_VOLATILE;
  return profile;
}

static bool link_robot(
  robot_link_t * link, robot_mail_t * mail, const char * name, bool uses_amcl_pose, rcl_node_t * node,
  rclc_executor_t * executor)
{
  if (
    !nav_msgs__msg__Odometry__init(&link->odometry) ||
    !geometry_msgs__msg__PoseWithCovarianceStamped__init(&link->amcl_pose) ||
    !geometry_msgs__msg__PoseStamped__init(&link->goal_pose)) {
    return false;
  }
  const wish_t odometry = {
    &link->pose,
    ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Odometry),
    name,
    "odom",
    qos(5, false, false),
    &link->odometry,
    inbox_on_odometry,
    mail};
  const wish_t amcl_pose = {
    &link->pose,
    ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, PoseWithCovarianceStamped),
    name,
    "amcl_pose",
    qos(1, true, true),
    &link->amcl_pose,
    inbox_on_amcl_pose,
    mail};
  const wish_t goal = {
    &link->goal,
    ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, PoseStamped),
    name,
    "goal_pose",
    qos(10, true, false),
    &link->goal_pose,
    inbox_on_goal,
    mail};
  bool is_fine = subscribe(uses_amcl_pose ? &amcl_pose : &odometry, node, executor) && subscribe(&goal, node, executor);
#if HAS_GOALS
  const wish_t goals = {
    &link->goals,
    ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Goals),
    name,
    "goals",
    qos(10, true, false),
    &link->goal_list,
    inbox_on_goals,
    mail};
  is_fine = is_fine && nav_msgs__msg__Goals__init(&link->goal_list) && subscribe(&goals, node, executor);
#endif
  return is_fine;
}

static bool link_closures(links_t * links, const listeners_t * listeners, rcl_node_t * node, rclc_executor_t * executor)
{
  links->closures = calloc((size_t)listeners->closures->count + 1, sizeof *links->closures);
  bool is_fine = links->closures != NULL;
  for (int32_t k = 0; is_fine && k < listeners->closures->count; ++k) {
    closure_mail_t * mail = &listeners->inbox->closures[k];
    const wish_t path = {
      &links->closures[k],
      ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Path),
      listeners->closures->sources[k].name,
      "closed_path",
      qos(1, true, true),
      &mail->path,
      inbox_on_closed_path,
      mail};
    links->closure_count = k + 1;
    is_fine = subscribe(&path, node, executor);
  }
  return is_fine;
}

size_t links_count(const fleet_t * fleet, const closures_t * closures)
{
  const size_t robots = (size_t)fleet->count > ROBOTS_ROOM / 2 ? 2 * (size_t)fleet->count : ROBOTS_ROOM;
  return 2 + 3 * robots + (size_t)closures->count;
}

bool links_init(links_t * links, const listeners_t * listeners, rcl_node_t * node, rclc_executor_t * executor)
{
  inbox_t * inbox = listeners->inbox;
  const wish_t map = {
    &links->map,
    ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, OccupancyGrid),
    NULL,
    "map",
    qos(1, true, true),
    &inbox->map,
    inbox_on_map,
    inbox};
  const wish_t blocked = {
    &links->blocked,
    ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, GridCells),
    NULL,
    "blocked_cells",
    qos(10, true, false),
    &inbox->blocked,
    inbox_on_blocked,
    inbox};
  bool is_fine = subscribe(&map, node, executor) && subscribe(&blocked, node, executor);
  return is_fine && links_read_robots(links, listeners, node, executor) &&
         link_closures(links, listeners, node, executor);
}

static void finish(rcl_subscription_t * subscription, rcl_node_t * node)
{
  if (rcl_subscription_fini(subscription, node) != RCL_RET_OK) {
    rcl_reset_error();
  }
}

static void unlink_robot(robot_link_t * link, rcl_node_t * node, rclc_executor_t * executor)
{
  rcl_subscription_t * const subscriptions[] = {
    &link->pose,
    &link->goal,
#if HAS_GOALS
    &link->goals,
#endif
  };
  for (size_t k = 0; k < sizeof subscriptions / sizeof subscriptions[0]; ++k) {
    if (executor != NULL && rclc_executor_remove_subscription(executor, subscriptions[k]) != RCL_RET_OK) {
      rcl_reset_error();
    }
    finish(subscriptions[k], node);
  }
  nav_msgs__msg__Odometry__fini(&link->odometry);
  geometry_msgs__msg__PoseWithCovarianceStamped__fini(&link->amcl_pose);
  geometry_msgs__msg__PoseStamped__fini(&link->goal_pose);
#if HAS_GOALS
  nav_msgs__msg__Goals__fini(&link->goal_list);
#endif
  *link = (robot_link_t){0};
}

static bool make_room(links_t * links, int32_t count)
{
  robot_link_t ** robots = realloc(links->robots, ((size_t)count + 1) * sizeof *robots);
  links->robots = robots == NULL ? links->robots : robots;
  for (; robots != NULL && links->robot_count < count; ++links->robot_count) {
    robots[links->robot_count] = calloc(1, sizeof **robots);
    if (robots[links->robot_count] == NULL) {
      return false;
    }
  }
  return robots != NULL;
}

bool links_read_robots(links_t * links, const listeners_t * listeners, rcl_node_t * node, rclc_executor_t * executor)
{
  const fleet_t * fleet = listeners->fleet;
  bool is_fine = make_room(links, fleet->count) && inbox_grow(listeners->inbox, fleet->count);
  for (int32_t k = 0; is_fine && k < fleet->count; ++k) {
    robot_link_t * link = links->robots[k];
    robot_mail_t * mail = listeners->inbox->robots[k];
    const char * name = fleet->robots[k].name;
    if (strcmp(link->name, name) == 0) {
      continue;
    }
    if (link->name[0] != '\0') {
      unlink_robot(link, node, executor);
      mail->pose.is_new = mail->goal.is_new = mail->has_queue = false;
    }
    if (name[0] != '\0') {
      (void)node_name_copy(link->name, name);
      is_fine = link_robot(link, mail, name, listeners->uses_amcl_pose, node, executor);
    }
  }
  return is_fine;
}

void links_fini(links_t * links, rcl_node_t * node)
{
  finish(&links->map, node);
  finish(&links->blocked, node);
  for (int32_t k = 0; k < links->robot_count; ++k) {
    if (links->robots[k]->name[0] != '\0') {
      unlink_robot(links->robots[k], node, NULL);
    }
    free(links->robots[k]);
  }
  for (int32_t k = 0; k < links->closure_count; ++k) {
    finish(&links->closures[k], node);
  }
  free(links->closures);
  free(links->robots);
  *links = (links_t){0};
}
