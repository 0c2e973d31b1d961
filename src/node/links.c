#include "node/links.h"

#include <stdio.h>
#include <stdlib.h>

#include <rcl/error_handling.h>
#include <rmw/qos_profiles.h>

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
  char topic[2 * NAME_SIZE];
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
  return subscribe(uses_amcl_pose ? &amcl_pose : &odometry, node, executor) && subscribe(&goal, node, executor);
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
  return 1 + 2 * (size_t)fleet->count + (size_t)closures->count;
}

bool links_init(links_t * links, const listeners_t * listeners, rcl_node_t * node, rclc_executor_t * executor)
{
  inbox_t * inbox = listeners->inbox;
  const fleet_t * fleet = listeners->fleet;
  const wish_t map = {
    &links->map,
    ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, OccupancyGrid),
    NULL,
    "map",
    qos(1, true, true),
    &inbox->map,
    inbox_on_map,
    inbox};
  links->robots = calloc((size_t)fleet->count + 1, sizeof *links->robots);
  bool is_fine = links->robots != NULL && subscribe(&map, node, executor);
  for (int32_t k = 0; is_fine && k < fleet->count; ++k) {
    links->robot_count = k + 1;
    is_fine = link_robot(
      &links->robots[k], &inbox->robots[k], fleet->robots[k].name, listeners->uses_amcl_pose, node, executor);
  }
  return is_fine && link_closures(links, listeners, node, executor);
}

static void finish(rcl_subscription_t * subscription, rcl_node_t * node)
{
  if (rcl_subscription_fini(subscription, node) != RCL_RET_OK) {
    rcl_reset_error();
  }
}

void links_fini(links_t * links, rcl_node_t * node)
{
  finish(&links->map, node);
  for (int32_t k = 0; k < links->robot_count; ++k) {
    robot_link_t * link = &links->robots[k];
    finish(&link->pose, node);
    finish(&link->goal, node);
    nav_msgs__msg__Odometry__fini(&link->odometry);
    geometry_msgs__msg__PoseWithCovarianceStamped__fini(&link->amcl_pose);
    geometry_msgs__msg__PoseStamped__fini(&link->goal_pose);
  }
  for (int32_t k = 0; k < links->closure_count; ++k) {
    finish(&links->closures[k], node);
  }
  free(links->closures);
  free(links->robots);
  *links = (links_t){0};
}
