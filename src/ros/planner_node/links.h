// Topics in: the map, for each robot its poses and goals, and what others have closed, all into the inbox.

#ifndef ROS__PLANNER_NODE__LINKS_H_
#define ROS__PLANNER_NODE__LINKS_H_

#include <geometry_msgs/msg/pose_stamped.h>
#include <geometry_msgs/msg/pose_with_covariance_stamped.h>
#include <nav_msgs/msg/odometry.h>
#include <rclc/executor.h>
#include <rclc/rclc.h>

#include "ros/planner_node/closures.h"
#include "ros/planner_node/fleet.h"

typedef struct robot_link_t {
  char name[NODE_NAME_SIZE];  // whose it is; empty: nobody's
  rcl_subscription_t pose;
  rcl_subscription_t goal;
  nav_msgs__msg__Odometry odometry;  // of these two only the one in use is filled
  geometry_msgs__msg__PoseWithCovarianceStamped amcl_pose;
  geometry_msgs__msg__PoseStamped goal_pose;
#if HAS_GOALS
  rcl_subscription_t goals;
  nav_msgs__msg__Goals goal_list;
#endif
} robot_link_t;

typedef struct links_t {
  rcl_subscription_t map;
  rcl_subscription_t blocked;
  robot_link_t ** robots;  // one each, that stays where it is: the executor knows it by its address
  int32_t robot_count;
  rcl_subscription_t * closures;
  int32_t closure_count;
} links_t;

// What there is to listen to; borrowed.
typedef struct listeners_t {
  inbox_t * inbox;
  const fleet_t * fleet;
  const closures_t * closures;
  bool uses_amcl_pose;
} listeners_t;

// Places that are kept in the executor, with room for robots to come.
size_t links_count(const fleet_t * fleet, const closures_t * closures);
bool links_init(links_t * links, const listeners_t * listeners, rcl_node_t * node, rclc_executor_t * executor);
// Listens to robots that are new, and no longer to those that are gone. False if that fails.
bool links_read_robots(links_t * links, const listeners_t * listeners, rcl_node_t * node, rclc_executor_t * executor);
void links_fini(links_t * links, rcl_node_t * node);

#endif  // ROS__PLANNER_NODE__LINKS_H_
