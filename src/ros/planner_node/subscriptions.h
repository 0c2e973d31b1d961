// Subscriptions: topics into the inbox. The map, blocked cells, closures, and each robot's poses and goals.

#ifndef ROS__PLANNER_NODE__SUBSCRIPTIONS_H_
#define ROS__PLANNER_NODE__SUBSCRIPTIONS_H_

#include <geometry_msgs/msg/pose_stamped.h>
#include <geometry_msgs/msg/pose_with_covariance_stamped.h>
#include <nav_msgs/msg/odometry.h>
#include <rclc/rclc.h>

#include "ros/planner_node/controller/controller.h"
#include "ros/session.h"

// nav_msgs/Goals is newer than some ROS 2 distributions.
#if defined(__has_include)
#if __has_include(<nav_msgs/msg/goals.h>)
#include <nav_msgs/msg/goals.h>
#define NODE_HAS_GOALS 1
#endif
#endif
#ifndef NODE_HAS_GOALS
#define NODE_HAS_GOALS 0
#endif

typedef struct node_robot_subscriptions_t {
  char name[NODE_NAME_SIZE];  // of the robot; empty: there are no subscriptions here
  rcl_subscription_t pose;
  rcl_subscription_t goal;
  nav_msgs__msg__Odometry odometry;  // of these two only the one of `pose_source` is used
  geometry_msgs__msg__PoseWithCovarianceStamped amcl_pose;
  geometry_msgs__msg__PoseStamped goal_pose;
#if NODE_HAS_GOALS
  rcl_subscription_t goals;
  nav_msgs__msg__Goals goal_list;
#endif
} node_robot_subscriptions_t;

typedef struct node_subscriptions_t {
  rcl_subscription_t map;
  rcl_subscription_t blocked;
  node_robot_subscriptions_t ** robots;  // by robot; each stays at its address, which the executor keeps
  int32_t robot_count;
  rcl_subscription_t * closures;  // by source
  int32_t closure_count;

  // Borrowed.
  ros_session_t * session;
  ros_executor_t * executor;
  const node_controller_t * controller;  // for the names of robots and sources, and the pose source
  node_inbox_t * inbox;
} node_subscriptions_t;

// Subscribes to everything. The borrowed members of `subscriptions` are set, the rest is zero. On false rcl's error
// state says why; call fini in either case.
bool node_subscriptions_init(node_subscriptions_t * subscriptions);
// Subscribes to new robots, and unsubscribes from removed ones. False if that fails.
bool node_subscriptions_read_robots(node_subscriptions_t * subscriptions);
void node_subscriptions_fini(node_subscriptions_t * subscriptions);

// Puts a goal into a robot's inbox, as if it had come on <robot>/goal_pose.
void node_inbox_put_goal(node_robot_inbox_t * inbox, const geometry_msgs__msg__PoseStamped * goal);

#endif  // ROS__PLANNER_NODE__SUBSCRIPTIONS_H_
