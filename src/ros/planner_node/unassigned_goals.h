// Unassigned goals: goals for no robot in particular, and which robot gets them.
//
//   sub goal_pose      geometry_msgs/PoseStamped   as RViz's "2D Goal Pose" sends it
//   sub ~/select       std_msgs/String             name of the robot that gets such goals; empty: by the parameter
//   sub clicked_point  geometry_msgs/PointStamped  the same with RViz's "Publish Point": the robot there, or none
//
// A goal goes to the selected robot. If none is selected and `unassigned_goals` is nearest_idle, it goes to the nearest
// idle robot. It is requested as if it had come on that robot's own topic.

#ifndef ROS__PLANNER_NODE__UNASSIGNED_GOALS_H_
#define ROS__PLANNER_NODE__UNASSIGNED_GOALS_H_

#include <geometry_msgs/msg/point_stamped.h>
#include <geometry_msgs/msg/pose_stamped.h>
#include <rclc/rclc.h>
#include <std_msgs/msg/string.h>

#include "ros/planner_node/site.h"
#include "ros/qos_watch.h"

enum { NODE_UNASSIGNED_GOALS_HANDLES = 3 };  // subscriptions

typedef struct node_unassigned_goals_t {
  const node_site_t * site;   // borrowed
  ros_executor_t * executor;  // borrowed
  rcl_subscription_t subscriptions[NODE_UNASSIGNED_GOALS_HANDLES];
  ros_qos_watch_t watches[NODE_UNASSIGNED_GOALS_HANDLES];
  geometry_msgs__msg__PoseStamped goal;
  std_msgs__msg__String name;
  geometry_msgs__msg__PointStamped point;
  char selected[FW_NAME_SIZE];  // empty: no robot
  fw_error_t fault;             // why the last message was refused; empty if it was not
} node_unassigned_goals_t;

// `site` and `executor` are set, the rest is zero. On false rcl's error state says why; call fini in either case.
bool node_unassigned_goals_init(node_unassigned_goals_t * self);
// Before the fini of the executor.
void node_unassigned_goals_fini(node_unassigned_goals_t * self);

// The index of the selected robot in the fleet; -1: none is selected, or it has been removed.
int32_t node_unassigned_goals_selected(const node_unassigned_goals_t * self);

#endif  // ROS__PLANNER_NODE__UNASSIGNED_GOALS_H_
