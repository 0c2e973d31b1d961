// Inbox: what the others send. See inbox.h.

#include "sim/inbox.h"

#include <math.h>
#include <rcutils/logging_macros.h>
#include <string.h>

#include "ros/messages.h"
#include "sim/graph.h"

void fw_inbox_on_path(const void * message, void * context)
{
  fw_graph_robot_t * robot = context;
  fw_graph_t * graph = robot->graph;
  const char * reason = fw_message_track(&graph->track, message, graph->parameters->map_frame);
  fw_driver_t * driver = &graph->fleet->robots[robot->index].driver;
  const bool is_release = strcmp(graph->parameters->follow, "released_path") == 0;
  if (
    reason == NULL &&
    (is_release ? fw_driver_follow(driver, &graph->track) : fw_driver_take(driver, &graph->track)) != FW_RET_OK) {
    reason = "out of memory";
  }
  if (reason != NULL) {
    RCUTILS_LOG_WARN_NAMED(
      graph->ros.logger, "path of %s refused: %s", graph->parameters->robots[robot->index], reason);
  }
}

void fw_inbox_on_twist(const void * message, void * context)
{
  const fw_graph_robot_t * robot = context;
  const geometry_msgs__msg__Twist * twist = message;
  if (isfinite(twist->linear.x) && isfinite(twist->angular.z)) {
    fw_wheels_tell(&robot->graph->fleet->robots[robot->index].wheels, (fw_twist_t){twist->linear.x, twist->angular.z});
  }
}

void fw_inbox_on_stamped_twist(const void * message, void * context)
{
  const geometry_msgs__msg__TwistStamped * stamped = message;
  fw_inbox_on_twist(&stamped->twist, context);
}

void fw_inbox_on_odometry(const void * message, void * context)
{
  const fw_graph_robot_t * robot = context;
  const nav_msgs__msg__Odometry * odometry = message;
  fw_fleet_robot_t * driven = &robot->graph->fleet->robots[robot->index];
  const fw_pose_t pose = fw_message_pose(&odometry->pose.pose);
  if (fw_message_is_in(&odometry->header, robot->graph->parameters->map_frame) && fw_pose_is_finite(&pose)) {
    driven->driver.distance += driven->is_placed ? fw_pose_distance(&pose, &driven->driver.pose) : 0.0;
    driven->driver.pose = pose;
    driven->driver.speed = odometry->twist.twist.linear.x;
    driven->is_placed = true;
  }
}

void fw_inbox_on_goal(const void * message, void * context)
{
  const fw_graph_robot_t * robot = context;
  fw_graph_t * graph = robot->graph;
  const geometry_msgs__msg__PoseStamped * goal = message;
  const char * name = graph->parameters->robots[robot->index];
  if (!fw_message_is_in(&goal->header, graph->parameters->map_frame)) {
    RCUTILS_LOG_WARN_NAMED(graph->ros.logger, "goal of %s ignored: its frame is not ours", name);
    return;
  }
  if (!isfinite(goal->pose.position.x) || !isfinite(goal->pose.position.y)) {
    RCUTILS_LOG_WARN_NAMED(graph->ros.logger, "goal of %s ignored: it is not a number", name);
    return;
  }
  fw_fleet_set_goal(graph->fleet, robot->index, goal->pose.position.x, goal->pose.position.y);
  if (graph->on_goal != NULL) {
    graph->on_goal(robot->index, graph->on_goal_state);
  }
}
