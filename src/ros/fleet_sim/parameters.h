// Parameters of fleet_sim: read once at the start, from YAML files and the command line.
//
// To add one: a field here, a row in parameters.c, a line in config/fleet_sim.yaml, and the code that uses it.

#ifndef ROS__FLEET_SIM__PARAMETERS_H_
#define ROS__FLEET_SIM__PARAMETERS_H_

#include "base/assert.h"
#include "ros/fleet_sim/fleet.h"
#include "ros/parameters.h"

enum { SIM_TEXT_SIZE = 512 };  // bytes of a text, with its final zero

// The order of these two is that of the parameters' choices.
typedef enum sim_follow_t { SIM_FOLLOW_RELEASED_PATH, SIM_FOLLOW_TIMED_PATH } sim_follow_t;
typedef enum sim_goal_source_t { SIM_GOALS_RANDOM, SIM_GOALS_NONE } sim_goal_source_t;

// Each field has the name of its parameter and is described in its row (parameters.c). Distances are in metres, times
// in simulated seconds.
typedef struct sim_parameters_t {
  ros_parameters_t values;  // the lists below point into it
  ros_strings_t robots;     // at least one
  char map[SIM_TEXT_SIZE];
  char map_frame[SIM_TEXT_SIZE];
  char record[SIM_TEXT_SIZE];
  char tf_topic[SIM_TEXT_SIZE];
  sim_goal_source_t goals;
  sim_follow_t follow;
  sim_mover_t drive;
  ros_strings_t footprints;  // this list and those below: empty, or one item per robot
  ros_integers_t ticks_per_move;
  ros_integers_t turn_ticks;
  ros_strings_t starts;
  ros_strings_t freeze;  // any number
  ros_strings_t silence;
  double cell_size;
  double map_resolution;  // never 0: that of `cell_size` then
  double odom_rate;
  double odom_drift;
  double odom_jumps_per_hour;
  double map_odom_rate;
  double map_odom_ahead;
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
  bool holonomic;
  bool stamped_commands;
  bool publish_clock;
  bool publish_odom;
  bool publish_tf;
  bool use_sim_time;
} sim_parameters_t;

// The error names the parameter, its value and what is allowed. Call sim_parameters_fini in any case.
FW_MUST_USE fw_ret_t
sim_parameters_init(sim_parameters_t * parameters, const ros_parameter_source_t * source, fw_error_t * error);
void sim_parameters_fini(sim_parameters_t * parameters);
// The table for --help.
void sim_parameters_print(FILE * stream);

static inline const char * sim_robot_name(const sim_parameters_t * parameters, int32_t robot)
{
  FW_ASSERT(robot >= 0 && robot < parameters->robots.count);
  return parameters->robots.items[robot].data;
}

#endif  // ROS__FLEET_SIM__PARAMETERS_H_
