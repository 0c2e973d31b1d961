// Inbox: what the others send. See inbox.h.

#include "ros/fleet_sim/inbox.h"

#include <math.h>
#include <rcutils/logging_macros.h>
#include <string.h>

#include "ros/messages.h"
#include "ros/fleet_sim/graph.h"

void sim_inbox_on_path(const void * message, void * context)
{
  sim_graph_robot_t * robot = context;
  sim_graph_t * graph = robot->graph;
  const char * reason = ros_message_track(&graph->track, message, graph->parameters->map_frame);
  sim_driver_t * driver = &graph->fleet->robots[robot->index].driver;
  const bool is_release = strcmp(graph->parameters->follow, "released_path") == 0;
  if (
    reason == NULL &&
    (is_release ? sim_driver_follow(driver, &graph->track) : sim_driver_take(driver, &graph->track)) != FW_RET_OK) {
    reason = "out of memory";
  }
  if (reason != NULL) {
    RCUTILS_LOG_WARN_NAMED(
      graph->ros.logger, "path of %s refused: %s", graph->parameters->robots[robot->index], reason);
  }
}

void sim_inbox_on_twist(const void * message, void * context)
{
  const sim_graph_robot_t * robot = context;
  const geometry_msgs__msg__Twist * twist = message;
  if (isfinite(twist->linear.x) && isfinite(twist->angular.z)) {
    sim_wheels_tell(&robot->graph->fleet->robots[robot->index].wheels, (fw_twist_t){twist->linear.x, twist->angular.z});
  }
}

void sim_inbox_on_stamped_twist(const void * message, void * context)
{
  const geometry_msgs__msg__TwistStamped * stamped = message;
  sim_inbox_on_twist(&stamped->twist, context);
}

void sim_inbox_on_odometry(const void * message, void * context)
{
  const sim_graph_robot_t * robot = context;
  const nav_msgs__msg__Odometry * odometry = message;
  sim_fleet_robot_t * driven = &robot->graph->fleet->robots[robot->index];
  const fw_pose_t pose = ros_message_pose(&odometry->pose.pose);
  if (ros_message_is_in(&odometry->header, robot->graph->parameters->map_frame) && ros_pose_is_finite(&pose)) {
    driven->driver.distance += driven->is_placed ? fw__pose_distance(&pose, &driven->driver.pose) : 0.0;
    driven->driver.pose = pose;
    driven->driver.speed = odometry->twist.twist.linear.x;
    driven->is_placed = true;
  }
}

void sim_inbox_on_goal(const void * message, void * context)
{
  const sim_graph_robot_t * robot = context;
  sim_graph_t * graph = robot->graph;
  const geometry_msgs__msg__PoseStamped * goal = message;
  const char * name = graph->parameters->robots[robot->index];
  if (!ros_message_is_in(&goal->header, graph->parameters->map_frame)) {
    RCUTILS_LOG_WARN_NAMED(graph->ros.logger, "goal of %s ignored: its frame is not ours", name);
    return;
  }
  if (!isfinite(goal->pose.position.x) || !isfinite(goal->pose.position.y)) {
    RCUTILS_LOG_WARN_NAMED(graph->ros.logger, "goal of %s ignored: it is not a number", name);
    return;
  }
  sim_fleet_set_goal(graph->fleet, robot->index, goal->pose.position.x, goal->pose.position.y);
  if (graph->on_goal != NULL) {
    graph->on_goal(robot->index, graph->on_goal_state);
  }
}
