// Topics in: the map, and for each robot its poses and goals, all into the inbox.

#ifndef NODE__LINKS_H_
#define NODE__LINKS_H_

#include <geometry_msgs/msg/pose_stamped.h>
#include <geometry_msgs/msg/pose_with_covariance_stamped.h>
#include <nav_msgs/msg/odometry.h>
#include <rclc/executor.h>
#include <rclc/rclc.h>

#include "node/fleet.h"

typedef struct robot_link_t {
  rcl_subscription_t pose;
  rcl_subscription_t goal;
  nav_msgs__msg__Odometry odometry;  // of these two only the one in use is filled
  geometry_msgs__msg__PoseWithCovarianceStamped amcl_pose;
  geometry_msgs__msg__PoseStamped goal_pose;
} robot_link_t;

typedef struct links_t {
  rcl_subscription_t map;
  robot_link_t * robots;
  int32_t robot_count;
} links_t;

// Takes 1 + 2 * robots places in the executor.
bool links_init(
  links_t * links, inbox_t * inbox, const fleet_t * fleet, const settings_t * settings, rcl_node_t * node,
  rclc_executor_t * executor);
void links_fini(links_t * links, rcl_node_t * node);

#endif  // NODE__LINKS_H_
