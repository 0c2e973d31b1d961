// Goals for nobody in particular: which robot gets them.
//
//   sub goal_pose      geometry_msgs/PoseStamped   as RViz's "2D Goal Pose" sends it
//   sub ~/select       std_msgs/String             the name of the robot that such goals go to; empty: by the parameter
//   sub clicked_point  geometry_msgs/PointStamped  the same with RViz's "Publish Point": the robot there, or nobody
//
// A goal goes to the robot that is selected, else, with unassigned_goals nearest_idle, to the nearest one that has nothing
// to do. It is put into that robot's mail as if it had come on its own topic.

#ifndef ROS__PLANNER_NODE__ASSIGN_H_
#define ROS__PLANNER_NODE__ASSIGN_H_

#include <geometry_msgs/msg/point_stamped.h>
#include <geometry_msgs/msg/pose_stamped.h>
#include <rclc/executor.h>
#include <rclc/rclc.h>
#include <std_msgs/msg/string.h>

#include "ros/planner_node/planning.h"

enum { ASSIGN_COUNT = 3 };  // places in the executor

typedef struct assign_t {
  const planning_t * planning;
  inbox_t * inbox;
  rcl_subscription_t subscriptions[ASSIGN_COUNT];
  geometry_msgs__msg__PoseStamped goal;
  std_msgs__msg__String name;
  geometry_msgs__msg__PointStamped point;
  char selected[NODE_NAME_SIZE];  // empty: nobody
} assign_t;

// Pointers are borrowed.
bool assign_init(
  assign_t * assign, const planning_t * planning, inbox_t * inbox, rcl_node_t * node, rclc_executor_t * executor);
void assign_fini(assign_t * assign, rcl_node_t * node);

int32_t assign_selected(const assign_t * assign);  // its place in the fleet; -1: nobody, or it is gone

#endif  // ROS__PLANNER_NODE__ASSIGN_H_
