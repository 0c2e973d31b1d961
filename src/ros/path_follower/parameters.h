// Parameters of path_follower: read once at the start, from YAML files and the command line.
//
// To add one: a field here, a row in parameters.c, a line in config/path_follower.yaml, and the code that uses it.

#ifndef ROS__PATH_FOLLOWER__PARAMETERS_H_
#define ROS__PATH_FOLLOWER__PARAMETERS_H_

#include "motion/pursuit.h"
#include "ros/parameters.h"

enum { FOLLOWER_FRAME_SIZE = 512 };  // bytes of a frame's name, with its final zero

typedef enum follower_pose_source_t {
  FOLLOWER_POSES_TF,
  FOLLOWER_POSES_ODOM,
} follower_pose_source_t;

// Each field has the name of its parameter and is described in its row (parameters.c). `pursuit` receives those that
// say how to drive.
typedef struct follower_parameters_t {
  ros_parameters_t values;  // `robots` points into it
  ros_strings_t robots;     // empty: the one robot whose namespace the node is in
  char map_frame[FOLLOWER_FRAME_SIZE];
  char base_frame[FOLLOWER_FRAME_SIZE];
  follower_pose_source_t pose_source;
  char tf_topic[FOLLOWER_FRAME_SIZE];
  bool stamped_commands;
  fw_pursuit_options_t pursuit;
  double odom_timeout;  // seconds
  double off_line_max;  // metres
  bool use_sim_time;
} follower_parameters_t;

// The error names the parameter, its value and what is allowed. Call follower_parameters_fini in any case.
FW_MUST_USE fw_ret_t
follower_parameters_init(follower_parameters_t * parameters, const ros_parameter_source_t * source, fw_error_t * error);
void follower_parameters_fini(follower_parameters_t * parameters);
// The table for --help.
void follower_parameters_print(FILE * stream);

#endif  // ROS__PATH_FOLLOWER__PARAMETERS_H_
