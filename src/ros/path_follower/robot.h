// Robot: one robot that is driven along its released path, from messages in to commands out.
//
// Each pose is answered with a command: there is no clock of its own to drift against the robot's. A pose that is old by
// its stamp is first moved on to where the robot must be by now.

#ifndef ROS__PATH_FOLLOWER__ROBOT_H_
#define ROS__PATH_FOLLOWER__ROBOT_H_

#include <geometry_msgs/msg/twist.h>
#include <geometry_msgs/msg/twist_stamped.h>
#include <nav_msgs/msg/odometry.h>
#include <nav_msgs/msg/path.h>

#include "ros/path_follower/parameters.h"
#include "ros/session.h"

struct follower_t;

// Why a robot is not driven.
typedef enum follower_robot_halt_t {
  FW_FOLLOWER_GOES,      // it is
  FW_FOLLOWER_WAITS,     // no pose yet
  FW_FOLLOWER_SILENT,    // its poses have stopped, or are too old
  FW_FOLLOWER_OFF_LINE,  // it is not where its path is
} follower_robot_halt_t;

typedef struct follower_robot_t {
  struct follower_t * follower;
  char name[FW_ROW_NAME_MAX];  // empty: names are relative to the node
  rcl_subscription_t odom_in;
  rcl_subscription_t path_in;
  rcl_publisher_t command_out;
  nav_msgs__msg__Odometry odom;
  nav_msgs__msg__Path path;
  geometry_msgs__msg__TwistStamped command;
  fw_track_t release;    // the latest
  bool has_new_release;  // which the pursuit has not taken yet
  fw_pursuit_t pursuit;
  follower_robot_halt_t halt;
  int64_t heard_ns;  // when the last good pose came
  int64_t pose_ns;   // its stamp
  int64_t said_ns;   // when the last command went out
} follower_robot_t;

// The robot stays where it is: ROS keeps pointers to it. `name` is empty or a relative name.
FW_MUST_USE fw_ret_t
follower_robot_init(follower_robot_t * robot, struct follower_t * follower, const char * name, fw_error_t * error);
void follower_robot_fini(follower_robot_t * robot);

// Stops it if nothing was heard of it for too long.
void follower_robot_watch(follower_robot_t * robot, int64_t now_ns);
// Now, whatever it was doing.
void follower_robot_stop(follower_robot_t * robot, int64_t now_ns);

#endif  // ROS__PATH_FOLLOWER__ROBOT_H_
