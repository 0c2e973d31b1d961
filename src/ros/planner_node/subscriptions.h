// Subscriptions: messages into calls of the controller. The map and the masks over it, blocked cells, closures, and
// each robot's goals and poses, unless these come from transforms (transforms.h). A message in another frame, or with
// values that make no sense, changes nothing but a fault.

#ifndef ROS__PLANNER_NODE__SUBSCRIPTIONS_H_
#define ROS__PLANNER_NODE__SUBSCRIPTIONS_H_

#include <geometry_msgs/msg/pose_stamped.h>
#include <geometry_msgs/msg/pose_with_covariance_stamped.h>
#include <map_msgs/msg/occupancy_grid_update.h>
#include <nav_msgs/msg/grid_cells.h>
#include <nav_msgs/msg/occupancy_grid.h>
#include <nav_msgs/msg/odometry.h>
#include <nav_msgs/msg/path.h>
#include <rclc/rclc.h>

#include "motion/transform_buffer.h"
#include "ros/planner_node/site.h"
#include "ros/qos_watch.h"

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
  char name[FW_NAME_SIZE];  // of the robot; empty: there are no subscriptions here
  const node_site_t * site;
  int32_t index;  // of the robot
  rcl_subscription_t pose;
  rcl_subscription_t carrying;  // with amcl_pose: odometry in a frame of its own
  rcl_subscription_t goal;
  nav_msgs__msg__Odometry odometry;
  geometry_msgs__msg__PoseWithCovarianceStamped amcl_pose;
  // AMCL says where a robot is only now and then; in between odometry carries that pose forward.
  fw_transform_buffer_t moved;  // where odometry had the robot
  int32_t odometry_frame;       // root and frame of that
  int32_t base_frame;
  fw_transform_t located;  // the last pose of AMCL, until odometry has come as far
  int64_t located_ns;
  double deviation;       // of that pose
  fw_transform_t origin;  // of the frame of odometry in the map
  bool has_located;
  bool has_origin;
  geometry_msgs__msg__PoseStamped goal_pose;
  ros_qos_watch_t pose_watch;
  ros_qos_watch_t goal_watch;
  ros_qos_watch_t goals_watch;
#if NODE_HAS_GOALS
  rcl_subscription_t goals;
  nav_msgs__msg__Goals goal_list;
#endif
} node_robot_subscriptions_t;

typedef struct node_closure_subscription_t {
  const node_site_t * site;
  int32_t index;  // of the source
  rcl_subscription_t subscription;
  ros_qos_watch_t watch;
  nav_msgs__msg__Path path;
} node_closure_subscription_t;

typedef struct node_subscriptions_t {
  rcl_subscription_t map;
  ros_qos_watch_t map_watch;
  nav_msgs__msg__OccupancyGrid map_message;
  rcl_subscription_t map_update;
  map_msgs__msg__OccupancyGridUpdate map_update_message;
  rcl_subscription_t keepout_mask;
  nav_msgs__msg__OccupancyGrid keepout_message;
  rcl_subscription_t cost_mask;
  nav_msgs__msg__OccupancyGrid cost_message;
  rcl_subscription_t blocked;
  ros_qos_watch_t blocked_watch;
  ros_qos_watch_t keepout_watch;
  ros_qos_watch_t cost_watch;
  nav_msgs__msg__GridCells blocked_message;
  node_robot_subscriptions_t ** robots;  // by robot; each stays at its address, which the executor keeps
  int32_t robot_count;
  node_closure_subscription_t * closures;  // by source
  int32_t closure_count;

  // Borrowed.
  const node_site_t * site;
  ros_executor_t * executor;
} node_subscriptions_t;

// Subscribes to everything. The borrowed members of `subscriptions` are set, the rest is zero. On false rcl's error
// state says why; call fini in either case.
bool node_subscriptions_init(node_subscriptions_t * subscriptions);
// Subscribes to new robots, and unsubscribes from removed ones. False if that fails.
bool node_subscriptions_read_robots(node_subscriptions_t * subscriptions);
// Forgets what odometry has said: ROS time has jumped.
void node_subscriptions_clear(node_subscriptions_t * subscriptions);
// Before the fini of the executor.
void node_subscriptions_fini(node_subscriptions_t * subscriptions);

// A goal of a message.
typedef struct node_goal_t {
  int32_t robot;  // whose it is; -1: that is not known yet
  const std_msgs__msg__Header * header;
  const geometry_msgs__msg__Pose * pose;
} node_goal_t;

// The request, in the map frame, that a goal means. False if it makes no sense, or if nobody knows where its frame is.
bool node_read_goal(
  const node_site_t * site, const node_goal_t * goal, fw_goal_request_t * request, fw_error_t * reason);
// Requests a goal as if it had come on <robot>/goal_pose.
void node_request_goal(const node_site_t * site, int32_t robot, const geometry_msgs__msg__PoseStamped * goal);

#endif  // ROS__PLANNER_NODE__SUBSCRIPTIONS_H_
