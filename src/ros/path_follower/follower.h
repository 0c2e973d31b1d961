// Follower: the node that drives robots along what the planner has released. For one robot or many.
//
//   sub <robot>/odom           nav_msgs/Odometry    best effort, depth 1, pose in the map's frame
//   sub <robot>/released_path  nav_msgs/Path        reliable, transient_local, depth 1
//   pub <robot>/cmd_vel        geometry_msgs/Twist, or TwistStamped (stamped_commands)   reliable, depth 1
//   sub /clock                 with use_sim_time
//
// Names are relative. One thread: callbacks run inside follower_run.

#ifndef ROS__PATH_FOLLOWER__FOLLOWER_H_
#define ROS__PATH_FOLLOWER__FOLLOWER_H_

#include <signal.h>

#include "ros/path_follower/robot.h"
#include "ros/clock.h"

typedef struct follower_t {
  ros_session_t ros;
  rclc_executor_t executor;
  ros_clock_t clock;
  bool has_clock;
  follower_parameters_t parameters;
  follower_robot_t * robots;
  int32_t robot_count;
  fw_track_t track;  // memory for reading paths
} follower_t;

// The follower stays where it is. FW_RET_INVALID_ARGUMENT: the parameters are to blame.
FW_MUST_USE fw_ret_t follower_init(follower_t * follower, int argc, char ** argv, fw_error_t * error);
// Until `is_stopped` is set by a signal; then everybody is told to stop.
FW_MUST_USE fw_ret_t follower_run(follower_t * follower, const volatile sig_atomic_t * is_stopped, fw_error_t * error);
void follower_fini(follower_t * follower);

int64_t follower_now(follower_t * follower);  // ROS time, nanoseconds

#endif  // ROS__PATH_FOLLOWER__FOLLOWER_H_
