// Parameters of the simulator: one table, filled from YAML files and the command line.

#ifndef ROS__FLEET_SIM__PARAMETERS_H_
#define ROS__FLEET_SIM__PARAMETERS_H_

#include "ros/rows.h"

typedef struct sim_parameters_t {
  ros_row_texts_t names;
  char (*robots)[FW_ROW_NAME_MAX];  // the same: `robot_count` names
  int32_t robot_count;
  char map[FW_ROW_TEXT_MAX];
  char map_frame[FW_ROW_TEXT_MAX];
  char goals[FW_ROW_TEXT_MAX];
  char record[FW_ROW_TEXT_MAX];
  char follow[FW_ROW_TEXT_MAX];
  char drive[FW_ROW_TEXT_MAX];
  ros_row_texts_t footprints;  // empty, or one per robot
  ros_row_integers_t ticks_per_move;
  ros_row_integers_t turn_ticks;
  ros_row_texts_t freeze;
  ros_row_texts_t silence;
  ros_row_texts_t starts;
  double cell_size;
  double map_resolution;
  double odom_rate;
  double max_speed;
  double max_turn_rate;
  double robot_radius;
  double goal_tolerance;
  double max_acceleration;
  double max_turn_acceleration;
  double drive_error;
  double command_timeout;
  double noise;
  double slow_chance;
  double slow_factor;
  double stops_per_hour;
  double stop_seconds_max;
  double rate_factor;
  double duration;
  double report_period;
  int64_t seed;
  bool stamped_commands;
  bool publish_clock;
  bool use_sim_time;
} sim_parameters_t;

// The defaults, then what the arguments of `node` say. The error names the parameter, its value and what it may be.
FW_MUST_USE fw_ret_t sim_parameters_init(sim_parameters_t * parameters, const rcl_node_t * node, fw_error_t * error);
void sim_parameters_fini(sim_parameters_t * parameters);
// The table, for --help.
void sim_parameters_print(FILE * stream);

#endif  // ROS__FLEET_SIM__PARAMETERS_H_
