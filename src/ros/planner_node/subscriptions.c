// Topics into the inbox. Callbacks only copy; the controller validates what has arrived. See subscriptions.h.

#include "ros/planner_node/subscriptions.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcl/error_handling.h>
#include <rmw/qos_profiles.h>

#include "base/assert.h"
#include "ros/messages.h"

// ---- callbacks; `context` is the inbox, or that of one robot or source

static void on_map(const void * message, void * context)
{
  (void)message;  // it is inbox->map
  ((node_inbox_t *)context)->has_map = true;
}

static void on_blocked_cells(const void * message, void * context)
{
  (void)message;  // it is inbox->blocked
  ((node_inbox_t *)context)->has_blocked = true;
}

static void on_closed_path(const void * message, void * context)
{
  (void)message;  // it is the inbox's path
  ((node_closure_inbox_t *)context)->is_new = true;
}

static void put_pose(
  node_pose_message_t * to, const std_msgs__msg__Header * header, const geometry_msgs__msg__Pose * pose)
{
  const geometry_msgs__msg__Quaternion * q = &pose->orientation;
  (void)snprintf(to->frame_id, sizeof to->frame_id, "%s", header->frame_id.data);
  to->point = (node_point_t){pose->position.x, pose->position.y};
  to->yaw = node_yaw_of_quaternion(q->x, q->y, q->z, q->w);
  to->stamp_ns = ros_message_time(header->stamp);
  to->is_new = true;
}

static void on_odometry(const void * message, void * context)
{
  const nav_msgs__msg__Odometry * odometry = message;
  put_pose(&((node_robot_inbox_t *)context)->pose, &odometry->header, &odometry->pose.pose);
}

static void on_amcl_pose(const void * message, void * context)
{
  const geometry_msgs__msg__PoseWithCovarianceStamped * pose = message;
  put_pose(&((node_robot_inbox_t *)context)->pose, &pose->header, &pose->pose.pose);
}

void node_inbox_put_goal(node_robot_inbox_t * inbox, const geometry_msgs__msg__PoseStamped * goal)
{
  put_pose(&inbox->goal, &goal->header, &goal->pose);
}

static void on_goal(const void * message, void * context) { node_inbox_put_goal(context, message); }

#if NODE_HAS_GOALS
static void on_goals(const void * message, void * context)
{
  const nav_msgs__msg__Goals * goals = message;
  node_robot_inbox_t * inbox = context;
  const int32_t count = (int32_t)goals->goals.size;
  if (count > inbox->queue_capacity) {
    node_pose_message_t * queue = realloc(inbox->queue, (size_t)count * sizeof *queue);
    if (queue == NULL) {
      return;
    }
    inbox->queue = queue;
    inbox->queue_capacity = count;
  }
  for (int32_t k = 0; k < count; ++k) {
    const geometry_msgs__msg__PoseStamped * goal = &goals->goals.data[k];
    put_pose(&inbox->queue[k], goal->header.frame_id.size > 0 ? &goal->header : &goals->header, &goal->pose);
  }
  inbox->queue_count = count;
  inbox->has_goals = true;
}
#endif

// ---- subscribing

typedef struct subscription_spec_t {
  rcl_subscription_t * subscription;
  const rosidl_message_type_support_t * type;
  const char * robot;  // namespace of a robot or source; NULL: the node's own
  const char * topic;
  rmw_qos_profile_t qos;
  void * message;  // into which the executor takes
  void (*callback)(const void * message, void * context);
  void * context;
} subscription_spec_t;

static bool subscribe(node_subscriptions_t * self, const subscription_spec_t * spec)
{
  char topic[2 * NODE_NAME_SIZE];
  const char * robot = spec->robot == NULL ? "" : spec->robot;
  (void)snprintf(topic, sizeof topic, "%s%s%s", robot, spec->robot == NULL ? "" : "/", spec->topic);
  *spec->subscription = rcl_get_zero_initialized_subscription();
  return rclc_subscription_init(spec->subscription, &self->session->node, spec->type, topic, &spec->qos) ==
           RCL_RET_OK &&
         ros_executor_add_subscription(
           self->executor, spec->subscription, &(ros_on_message_t){spec->message, spec->callback, spec->context}) ==
           RCL_RET_OK;
}

static bool subscribe_to_robot(node_subscriptions_t * self, node_robot_subscriptions_t * robot, void * inbox)
{
  if (
    !nav_msgs__msg__Odometry__init(&robot->odometry) ||
    !geometry_msgs__msg__PoseWithCovarianceStamped__init(&robot->amcl_pose) ||
    !geometry_msgs__msg__PoseStamped__init(&robot->goal_pose)) {
    return false;
  }
  const subscription_spec_t odometry = {
    &robot->pose,
    ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Odometry),
    robot->name,
    "odom",
    ros_qos(5, false, false),
    &robot->odometry,
    on_odometry,
    inbox};
  const subscription_spec_t amcl_pose = {
    &robot->pose,
    ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, PoseWithCovarianceStamped),
    robot->name,
    "amcl_pose",
    ros_qos(1, true, true),
    &robot->amcl_pose,
    on_amcl_pose,
    inbox};
  const subscription_spec_t goal = {
    &robot->goal,
    ROSIDL_GET_MSG_TYPE_SUPPORT(geometry_msgs, msg, PoseStamped),
    robot->name,
    "goal_pose",
    ros_qos(10, true, false),
    &robot->goal_pose,
    on_goal,
    inbox};
  if (!subscribe(self, self->controller->settings.uses_amcl_pose ? &amcl_pose : &odometry) || !subscribe(self, &goal)) {
    return false;
  }
#if NODE_HAS_GOALS
  const subscription_spec_t goals = {
    &robot->goals,
    ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Goals),
    robot->name,
    "goals",
    ros_qos(10, true, false),
    &robot->goal_list,
    on_goals,
    inbox};
  return nav_msgs__msg__Goals__init(&robot->goal_list) && subscribe(self, &goals);
#else
  return true;
#endif
}

// `executor` is NULL at the end, after its fini.
static void unsubscribe_from_robot(
  node_subscriptions_t * self, node_robot_subscriptions_t * robot, ros_executor_t * executor)
{
  rcl_subscription_t * const subscriptions[] = {
    &robot->pose,
    &robot->goal,
#if NODE_HAS_GOALS
    &robot->goals,
#endif
  };
  for (size_t k = 0; k < sizeof subscriptions / sizeof subscriptions[0]; ++k) {
    if (executor != NULL) {
      (void)ros_executor_remove(executor, subscriptions[k]);  // not there if subscribing failed
    }
    ros_session_fini_subscription(self->session, subscriptions[k]);
  }
  nav_msgs__msg__Odometry__fini(&robot->odometry);
  geometry_msgs__msg__PoseWithCovarianceStamped__fini(&robot->amcl_pose);
  geometry_msgs__msg__PoseStamped__fini(&robot->goal_pose);
#if NODE_HAS_GOALS
  nav_msgs__msg__Goals__fini(&robot->goal_list);
#endif
  *robot = (node_robot_subscriptions_t){0};
}

static bool subscribe_to_closures(node_subscriptions_t * self)
{
  const node_closures_t * closures = &self->controller->closures;
  self->closures = calloc((size_t)closures->count + 1, sizeof *self->closures);
  if (self->closures == NULL) {
    return false;
  }
  for (int32_t k = 0; k < closures->count; ++k) {
    node_closure_inbox_t * inbox = &self->inbox->closures[k];
    const subscription_spec_t path = {
      &self->closures[k],
      ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, Path),
      closures->sources[k].name,
      "closed_path",
      ros_qos(1, true, true),
      &inbox->path,
      on_closed_path,
      inbox};
    self->closure_count = k + 1;
    if (!subscribe(self, &path)) {
      return false;
    }
  }
  return true;
}

// ---- life

bool node_subscriptions_init(node_subscriptions_t * self)
{
  FW_ASSERT(self->session != NULL && self->executor != NULL && self->controller != NULL && self->inbox != NULL);
  const subscription_spec_t map = {
    &self->map,
    ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, OccupancyGrid),
    NULL,
    "map",
    ros_qos(1, true, true),
    &self->inbox->map,
    on_map,
    self->inbox};
  const subscription_spec_t blocked = {
    &self->blocked,
    ROSIDL_GET_MSG_TYPE_SUPPORT(nav_msgs, msg, GridCells),
    NULL,
    "blocked_cells",
    ros_qos(10, true, false),
    &self->inbox->blocked,
    on_blocked_cells,
    self->inbox};
  return subscribe(self, &map) && subscribe(self, &blocked) && node_subscriptions_read_robots(self) &&
         subscribe_to_closures(self);
}

static bool reserve_robots(node_subscriptions_t * self, int32_t count)
{
  node_robot_subscriptions_t ** robots = realloc(self->robots, ((size_t)count + 1) * sizeof *robots);
  if (robots == NULL) {
    return false;
  }
  self->robots = robots;
  for (; self->robot_count < count; ++self->robot_count) {
    robots[self->robot_count] = calloc(1, sizeof **robots);
    if (robots[self->robot_count] == NULL) {
      return false;
    }
  }
  return true;
}

bool node_subscriptions_read_robots(node_subscriptions_t * self)
{
  const node_fleet_t * fleet = &self->controller->fleet;
  if (!reserve_robots(self, fleet->count) || !node_inbox_grow(self->inbox, fleet->count)) {
    return false;
  }
  for (int32_t k = 0; k < fleet->count; ++k) {
    node_robot_subscriptions_t * robot = self->robots[k];
    node_robot_inbox_t * inbox = self->inbox->robots[k];
    const char * name = fleet->robots[k].name;
    if (strcmp(robot->name, name) == 0) {
      continue;
    }
    if (robot->name[0] != '\0') {
      unsubscribe_from_robot(self, robot, self->executor);
      inbox->pose.is_new = inbox->goal.is_new = inbox->has_goals = false;
    }
    if (name[0] != '\0') {
      (void)node_name_copy(robot->name, name);
      if (!subscribe_to_robot(self, robot, inbox)) {
        return false;
      }
    }
  }
  return true;
}

void node_subscriptions_fini(node_subscriptions_t * self)
{
  if (self->session == NULL) {
    return;
  }
  ros_session_fini_subscription(self->session, &self->map);
  ros_session_fini_subscription(self->session, &self->blocked);
  for (int32_t k = 0; k < self->robot_count; ++k) {
    if (self->robots[k]->name[0] != '\0') {
      unsubscribe_from_robot(self, self->robots[k], NULL);
    }
    free(self->robots[k]);
  }
  for (int32_t k = 0; k < self->closure_count; ++k) {
    ros_session_fini_subscription(self->session, &self->closures[k]);
  }
  free(self->closures);
  free(self->robots);
  *self = (node_subscriptions_t){0};
}
