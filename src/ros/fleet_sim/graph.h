// Graph: the simulator's place among the other nodes. Names are relative, so that namespaces and remaps work.
//
//   pub map                 nav_msgs/OccupancyGrid          reliable, transient_local, depth 1
//   pub <robot>/odom        nav_msgs/Odometry               best effort, depth 5, pose in the map's frame
//   pub <robot>/goal_pose   geometry_msgs/PoseStamped       reliable, depth 10   (goals: random)
//   sub <robot>/goal_pose                                                        (goals: none)
//   sub <robot>/released_path  nav_msgs/Path                reliable, transient_local, depth 1 (or timed_path: follow)
//   sub <robot>/cmd_vel     geometry_msgs/Twist, or TwistStamped   best effort, depth 1  (drive: cmd_vel; no path then)
//   sub <robot>/odom                                                             (drive: odom; no path then)
//   pub ~/status            diagnostic_msgs/DiagnosticArray reliable, transient_local, depth 1
//   pub /clock              rosgraph_msgs/Clock             reliable, depth 1    (publish_clock)
//   pub /rosout             its log
//
// One thread: callbacks run inside sim_graph_spin.

#ifndef ROS__FLEET_SIM__GRAPH_H_
#define ROS__FLEET_SIM__GRAPH_H_

#include <diagnostic_msgs/msg/diagnostic_array.h>
#include <geometry_msgs/msg/pose_stamped.h>
#include <geometry_msgs/msg/twist.h>
#include <geometry_msgs/msg/twist_stamped.h>
#include <nav_msgs/msg/odometry.h>
#include <nav_msgs/msg/path.h>

#include "ros/session.h"
#include "ros/fleet_sim/fleet.h"
#include "ros/fleet_sim/parameters.h"

struct sim_graph_t;

typedef struct sim_graph_robot_t {
  struct sim_graph_t * graph;
  int32_t index;
  rcl_publisher_t odom;
  rcl_publisher_t goal_out;
  rcl_subscription_t goal_in;
  rcl_subscription_t motion_in;  // its path, its cmd_vel or its odometry
  nav_msgs__msg__Path path;
  geometry_msgs__msg__Twist twist;
  geometry_msgs__msg__TwistStamped stamped_twist;
  nav_msgs__msg__Odometry odometry;
  geometry_msgs__msg__PoseStamped goal;
  size_t goal_listeners;
  bool is_goal_unsent;
} sim_graph_robot_t;

typedef struct sim_graph_t {
  ros_session_t ros;
  rclc_executor_t executor;
  rcl_publisher_t map;
  rcl_publisher_t status;
  rcl_publisher_t clock;
  sim_graph_robot_t * robots;
  nav_msgs__msg__Odometry odom;
  geometry_msgs__msg__PoseStamped goal_pose;
  diagnostic_msgs__msg__DiagnosticArray report;
  fw_track_t track;  // memory for reading paths
  const sim_parameters_t * parameters;
  sim_fleet_t * fleet;
  struct sim_trouble_t * trouble;  // the noise of odometry
  // Called when somebody else has set a goal (goals: none).
  void (*on_goal)(int32_t robot, void * state);
  void * on_goal_state;
} sim_graph_t;

// The node alone, so that its parameters can be read; then its endpoints, for a fleet that outlives them.
FW_MUST_USE fw_ret_t sim_graph_init(sim_graph_t * graph, int argc, char ** argv, fw_error_t * error);
FW_MUST_USE fw_ret_t
sim_graph_connect(sim_graph_t * graph, const sim_parameters_t * parameters, sim_fleet_t * fleet, fw_error_t * error);
void sim_graph_fini(sim_graph_t * graph);

// Waits up to `wait_ns` for messages and handles those that are there.
FW_MUST_USE fw_ret_t sim_graph_spin(sim_graph_t * graph, int64_t wait_ns, fw_error_t * error);

#endif  // ROS__FLEET_SIM__GRAPH_H_
