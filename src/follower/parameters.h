// Parameters of the follower. config/path_follower.yaml shows them to a user.

#ifndef FOLLOWER__PARAMETERS_H_
#define FOLLOWER__PARAMETERS_H_

#include "motion/pursuit.h"
#include "ros/rows.h"

typedef struct fw_follower_parameters_t {
  fw_row_texts_t robots;  // empty: the one whose namespace the node is in
  char map_frame[FW_ROW_TEXT_MAX];
  char base_frame[FW_ROW_TEXT_MAX];
  bool stamped_commands;
  fw_pursuit_options_t pursuit;
  double odom_timeout;
  double off_line_max;
  bool use_sim_time;
} fw_follower_parameters_t;

FW_MUST_USE fw_ret_t
fw_follower_parameters_init(fw_follower_parameters_t * parameters, const rcl_node_t * node, fw_error_t * error);
void fw_follower_parameters_fini(fw_follower_parameters_t * parameters);
void fw_follower_parameters_print(FILE * stream);

#endif  // FOLLOWER__PARAMETERS_H_
