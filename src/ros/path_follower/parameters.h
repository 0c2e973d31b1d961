// Parameters of the follower. config/path_follower.yaml shows them to a user.

#ifndef ROS__PATH_FOLLOWER__PARAMETERS_H_
#define ROS__PATH_FOLLOWER__PARAMETERS_H_

#include "motion/pursuit.h"
#include "ros/rows.h"

typedef struct follower_parameters_t {
  ros_row_texts_t robots;  // empty: the one whose namespace the node is in
  char map_frame[FW_ROW_TEXT_MAX];
  char base_frame[FW_ROW_TEXT_MAX];
  bool stamped_commands;
  fw_pursuit_options_t pursuit;
  double odom_timeout;
  double off_line_max;
  bool use_sim_time;
} follower_parameters_t;

FW_MUST_USE fw_ret_t
follower_parameters_init(follower_parameters_t * parameters, const rcl_node_t * node, fw_error_t * error);
void follower_parameters_fini(follower_parameters_t * parameters);
void follower_parameters_print(FILE * stream);

#endif  // ROS__PATH_FOLLOWER__PARAMETERS_H_
