// Topics: everything that fleet_sim publishes and subscribes to. Names are relative: namespaces and remaps work.
//
//   pub map                 nav_msgs/OccupancyGrid          reliable, transient_local, depth 1
//   pub /tf                 tf2_msgs/TFMessage              reliable, depth 100, all robots  (publish_tf; tf_topic)
//   pub <robot>/odom        nav_msgs/Odometry               best effort, depth 5, in the map's frame (publish_odom)
//   pub <robot>/goal_pose   geometry_msgs/PoseStamped       reliable, depth 10   (goals: random)
//   sub <robot>/goal_pose                                                        (goals: none)
//   sub <robot>/released_path  nav_msgs/Path                reliable, transient_local, depth 1 (or timed_path: follow)
//   sub <robot>/cmd_vel     geometry_msgs/Twist, or TwistStamped   best effort, depth 1  (drive: cmd_vel; no path then)
//   sub <robot>/odom                                                             (drive: odom; no path then)
//   pub ~/status            diagnostic_msgs/DiagnosticArray reliable, transient_local, depth 1
//   pub /clock              rosgraph_msgs/Clock             reliable, depth 1    (publish_clock)
//   pub /rosout             its log
//   srv ~/get_parameters and the like: what it was started with
//
// A message that cannot be used changes nothing and is reported in the log, where many such lines become few. One
// thread: callbacks run inside ros_session_spin and write to the fleet.

#ifndef ROS__FLEET_SIM__TOPICS_H_
#define ROS__FLEET_SIM__TOPICS_H_

#include <diagnostic_msgs/msg/diagnostic_array.h>
#include <geometry_msgs/msg/pose_stamped.h>
#include <geometry_msgs/msg/twist.h>
#include <geometry_msgs/msg/twist_stamped.h>
#include <nav_msgs/msg/odometry.h>
#include <nav_msgs/msg/path.h>

#include <rcl/event.h>

#include "ros/fleet_sim/faults.h"
#include "ros/fleet_sim/fleet.h"
#include "ros/fleet_sim/parameters.h"
#include "ros/fleet_sim/transforms.h"
#include "ros/log.h"
#include "ros/parameter_services.h"
#include "ros/session.h"

struct sim_topics_t;

typedef struct sim_topics_robot_t {
  struct sim_topics_t * topics;
  int32_t index;
  rcl_publisher_t odom_out;
  rcl_publisher_t goal_out;
  rcl_event_t goal_matched;  // of goal_out, where the middleware has such events
  rcl_subscription_t goal_in;
  rcl_subscription_t motion_in;  // its path, its cmd_vel or its odometry
  // Messages of the subscriptions; only those in use are ever filled.
  nav_msgs__msg__Path path;
  geometry_msgs__msg__Twist twist;
  geometry_msgs__msg__TwistStamped stamped_twist;
  nav_msgs__msg__Odometry odometry;
  geometry_msgs__msg__PoseStamped goal;
  size_t goal_subscribers;  // when goals were published last
  bool is_goal_unsent;      // set when the robot gets a new goal
} sim_topics_robot_t;

typedef struct sim_topics_t {
  ros_session_t session;
  ros_executor_t executor;
  rcl_publisher_t map;
  rcl_publisher_t status;
  rcl_publisher_t clock;
  sim_topics_robot_t * robots;  // one per robot of the parameters
  sim_transforms_t transforms;
  ros_log_t log;  // for what messages cause
  nav_msgs__msg__Odometry odom;
  geometry_msgs__msg__PoseStamped goal_pose;
  diagnostic_msgs__msg__DiagnosticArray report;
  fw_polyline_t path;  // memory for reading paths
  ros_parameter_services_t parameter_services;
  bool has_parameter_services;
  sim_parameters_t * parameters;  // this and the next two: borrowed
  sim_fleet_t * fleet;
  sim_faults_t * faults;  // source of the noise of odometry
  // Called when another node has set a goal (goals: none).
  void (*on_goal)(int32_t robot, void * state);
  void * on_goal_state;
} sim_topics_t;

// The node alone, so that its parameters can be read. Call sim_topics_fini in any case.
FW_MUST_USE fw_ret_t sim_topics_init(sim_topics_t * topics, int argc, char ** argv, fw_error_t * error);
// All publishers and subscriptions. `parameters`, `fleet` and `faults` are set before and outlive the topics.
FW_MUST_USE fw_ret_t sim_topics_connect(sim_topics_t * topics, fw_error_t * error);
void sim_topics_fini(sim_topics_t * topics);

// Stamps are `now_ns`, in simulated time.
FW_MUST_USE fw_ret_t
sim_topics_publish_map(sim_topics_t * topics, const fw_grid_t * grid, int64_t now_ns, fw_error_t * error);
FW_MUST_USE fw_ret_t sim_topics_publish_clock(sim_topics_t * topics, int64_t now_ns, fw_error_t * error);
FW_MUST_USE fw_ret_t sim_topics_publish_poses(sim_topics_t * topics, int64_t now_ns, fw_error_t * error);
// Publishes goals that no subscriber has received yet: new ones, and all of them when a subscriber has joined.
FW_MUST_USE fw_ret_t sim_topics_publish_goals(sim_topics_t * topics, int64_t now_ns, fw_error_t * error);
// Counts since the start, after `seconds` of the run.
FW_MUST_USE fw_ret_t
sim_topics_publish_status(sim_topics_t * topics, int64_t now_ns, double seconds, fw_error_t * error);
// Waits up to half a second until the last status has reached its subscribers.
void sim_topics_flush(sim_topics_t * topics);

double sim_goals_per_minute(const sim_fleet_t * fleet, double seconds);

#endif  // ROS__FLEET_SIM__TOPICS_H_
