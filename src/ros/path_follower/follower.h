// Follower: drives one robot or many along the paths that the planner has released, by tf or odometry.
//
//   sub /tf, /tf_static        tf2_msgs/TFMessage   pose_source tf: map_frame -> ... -> base_frame
//   sub <robot>/odom           nav_msgs/Odometry    pose_source odom: best effort, depth 1, pose in the map's frame
//   sub <robot>/released_path  nav_msgs/Path        reliable, transient_local, depth 1
//   pub <robot>/cmd_vel        geometry_msgs/Twist, or TwistStamped (stamped_commands)   reliable, depth 1
//   sub /clock                 with use_sim_time
//
// Names are relative. Each pose is answered with a command (motion/pursuit.h): there is no control period of its own. A
// pose that is old by its stamp is first extrapolated to now. One thread: callbacks run inside follower_run.

#ifndef ROS__PATH_FOLLOWER__FOLLOWER_H_
#define ROS__PATH_FOLLOWER__FOLLOWER_H_

#include <stdatomic.h>

#include <geometry_msgs/msg/twist.h>
#include <geometry_msgs/msg/twist_stamped.h>
#include <nav_msgs/msg/odometry.h>
#include <nav_msgs/msg/path.h>

#include "ros/clock.h"
#include "ros/log.h"
#include "ros/parameter_services.h"
#include "ros/path_follower/parameters.h"
#include "ros/path_follower/poses.h"
#include "ros/session.h"

struct follower_t;

typedef enum follower_state_t {
  FOLLOWER_DRIVING,     // commanded by its path; also at its end
  FOLLOWER_NO_POSE,     // no pose yet
  FOLLOWER_POSE_STALE,  // stopped: poses have ceased or are too old
  FOLLOWER_OFF_PATH,    // stopped: too far from its released path
} follower_state_t;

typedef struct follower_robot_t {
  struct follower_t * follower;
  char name[ROS_ROBOT_NAME_SIZE];  // empty: topics are relative to the node
  rcl_subscription_t odom_in;
  rcl_subscription_t path_in;
  rcl_publisher_t command_out;
  nav_msgs__msg__Odometry odom;
  nav_msgs__msg__Path path;
  geometry_msgs__msg__TwistStamped command;
  fw_polyline_t release;  // the latest released path
  bool has_new_release;   // the pursuit has not taken it yet
  fw_pursuit_t pursuit;
  follower_transforms_t * transforms;  // where its base frame comes; NULL: its poses come from odometry
  int32_t frame;                       // its base frame there
  int64_t transform_stamp_ns;          // common time of the transforms of its last pose
  follower_state_t state;
  int64_t pose_received_ns;  // when the last usable pose came
  int64_t pose_stamp_ns;     // its stamp
  double age_high;           // seconds; the ages of late and of prompt poses in the last seconds
  double age_low;
  int64_t command_ns;  // when the last command was published
  int64_t explain_ns;  // steady clock: when it may next be said why it has no pose
} follower_robot_t;

typedef struct follower_t {
  ros_session_t session;
  ros_executor_t executor;
  ros_clock_t clock;
  ros_log_t log;  // for what messages cause
  follower_poses_t poses;
  bool has_clock;
  follower_parameters_t parameters;
  ros_parameter_services_t parameter_services;
  bool has_parameter_services;
  follower_robot_t * robots;  // ROS keeps pointers to them
  int32_t robot_count;
  fw_polyline_t path;  // memory for reading paths
} follower_t;

// The follower must not be moved. FW_RET_INVALID_ARGUMENT: a parameter is wrong. Call follower_fini in any case.
FW_MUST_USE fw_ret_t follower_init(follower_t * follower, int argc, char ** argv, fw_error_t * error);
// Until `is_stopped` is set; then all robots are commanded to stop.
FW_MUST_USE fw_ret_t follower_run(follower_t * follower, const atomic_bool * is_stopped, fw_error_t * error);
void follower_fini(follower_t * follower);

// For the sources of poses.

int64_t follower_now(follower_t * follower);                       // ROS time, nanoseconds
const char * follower_robot_name(const follower_robot_t * robot);  // for the log
// Answers a pose in the map frame with a command, or drops it and says why. `stamp_ns` is 0 if it has none.
void follower_take_pose(follower_robot_t * robot, const fw_pose2d_t * pose, int64_t stamp_ns);

#endif  // ROS__PATH_FOLLOWER__FOLLOWER_H_
