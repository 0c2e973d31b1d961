// Parameters of the follower. See parameters.h.

#include "ros/path_follower/parameters.h"

#include <stddef.h>

#define AT(field) offsetof(follower_parameters_t, field)

static const ros_row_t rows[] = {
  {"robots", FW_ROW_ROBOTS, AT(robots), 0, 0, FW_ROW_ROBOTS_MAX, NULL,
   "names of the robots, or how many: robot_0, robot_1, ...; none: the one whose namespace this node is in"},
  {"map_frame", FW_ROW_TEXT, AT(map_frame), 0, 0, 0, "map", "frame of odometry and paths; others are refused"},
  {"stamped_commands", FW_ROW_BOOLEAN, AT(stamped_commands), 0, 0, 1, NULL,
   "cmd_vel is geometry_msgs/TwistStamped, not Twist"},
  {"base_frame", FW_ROW_TEXT, AT(base_frame), 0, 0, 0, "base_link",
   "frame of stamped commands: <robot>/<base_frame>, without a robot's name the frame alone"},
  {"speed", FW_ROW_NUMBER, AT(pursuit.limits.speed), 0.5, 0.01, 100, NULL, "metres per second at most"},
  {"acceleration", FW_ROW_NUMBER, AT(pursuit.limits.acceleration), 1, 0.01, 100, NULL, "metres per second squared"},
  {"deceleration", FW_ROW_NUMBER, AT(pursuit.deceleration), 0.8, 0.01, 100, NULL,
   "metres per second squared by which it brakes for corners and ends: less than the robot can do"},
  {"turn_rate", FW_ROW_NUMBER, AT(pursuit.limits.turn_rate), 1.5, 0.01, 100, NULL, "radians per second at most"},
  {"turn_acceleration", FW_ROW_NUMBER, AT(pursuit.limits.turn_acceleration), 4, 0.01, 1000, NULL,
   "radians per second squared"},
  {"lookahead", FW_ROW_NUMBER, AT(pursuit.lookahead), 0.3, 0.01, 100, NULL,
   "metres ahead on the line at which it steers"},
  {"corner", FW_ROW_NUMBER, AT(pursuit.corner), 0.3, 0.01, 3.2, NULL,
   "radians; where the line bends by more it stops and turns on the spot"},
  {"heading_tolerance", FW_ROW_NUMBER, AT(pursuit.heading_tolerance), 0.05, 0.001, 1, NULL,
   "radians; looking this exactly along the line it drives off after a turn"},
  {"tolerance", FW_ROW_NUMBER, AT(pursuit.tolerance), 0.02, 0.001, 10, NULL,
   "metres; this near to a corner or the end it is there; less than the planner's waypoint_tolerance"},
  {"reaction", FW_ROW_NUMBER, AT(pursuit.reaction), 0.2, 0, 10, NULL,
   "seconds from a pose to what the wheels make of it"},
  {"odom_timeout", FW_ROW_NUMBER, AT(odom_timeout), 0.5, 0.01, 3600, NULL,
   "seconds without a pose, or of its age, after which the robot is stopped"},
  {"off_line_max", FW_ROW_NUMBER, AT(off_line_max), 0.5, 0.01, 1000, NULL,
   "metres; farther than this from its line a robot is not driven"},
  {"use_sim_time", FW_ROW_BOOLEAN, AT(use_sim_time), 0, 0, 1, NULL, "take time from /clock"},
};
static const ros_rows_t table = {rows, sizeof(rows) / sizeof(rows[0])};

fw_ret_t follower_parameters_init(follower_parameters_t * parameters, const rcl_node_t * node, fw_error_t * error)
{
  *parameters = (follower_parameters_t){0};
  return ros_rows_read(&table, parameters, node, error);
}

void follower_parameters_fini(follower_parameters_t * parameters) { ros_rows_fini(&table, parameters); }

void follower_parameters_print(FILE * stream) { ros_rows_print(&table, stream); }
