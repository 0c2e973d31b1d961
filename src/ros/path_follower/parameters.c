// Parameters of path_follower: the table. See parameters.h; config/path_follower.yaml shows the same list to a user.

#include "ros/path_follower/parameters.h"

#define FIELD(member) ROS_FIELD(follower_parameters_t, member)
#define CHOICES(names) .choices = (names), .choice_count = sizeof(names) / sizeof((names)[0])

static const char * const pose_source_names[] = {"tf", "odom"};

static const ros_parameter_row_t rows[] = {
  {.name = "robots",
   FIELD(robots),
   .max = ROS_ROBOTS_MAX,
   .list = ROS_LIST_NAMES,
   .help = "names of the robots, or their number: robot_0, robot_1, ...; none: the robot of this node's namespace"},
  {.name = "map_frame",
   FIELD(map_frame),
   .text = "map",
   .help = "frame of paths, and of odometry with pose_source odom; messages in other frames are dropped"},
  {.name = "pose_source",
   FIELD(pose_source),
   .text = "tf",
   CHOICES(pose_source_names),
   .help = "where poses come from; tf: transforms from map_frame to base_frame; odom: <robot>/odom in map_frame"},
  {.name = "tf_topic",
   FIELD(tf_topic),
   .text = "/tf",
   .help = "topic of transforms; static ones come on <tf_topic>_static; {robot}/tf: each robot has its own"},
  {.name = "stamped_commands",
   FIELD(stamped_commands),
   .help = "publish cmd_vel as geometry_msgs/TwistStamped instead of Twist"},
  {.name = "base_frame",
   FIELD(base_frame),
   .text = "{robot}/base_link",
   .help = "frame of a robot, for tf and for stamped commands; {robot} stands for its name"},
  {.name = "holonomic",
   FIELD(pursuit.is_holonomic),
   .help = "the robots can move sideways (cmd_vel's linear.y); otherwise they have a differential drive"},
  {.name = "speed",
   FIELD(pursuit.limits.speed),
   .number = 0.5,
   .min = 0.01,
   .max = 100,
   .help = "metres per second at most"},
  {.name = "acceleration",
   FIELD(pursuit.limits.acceleration),
   .number = 1,
   .min = 0.01,
   .max = 100,
   .help = "metres per second squared"},
  {.name = "deceleration",
   FIELD(pursuit.deceleration),
   .number = 0.8,
   .min = 0.01,
   .max = 100,
   .help = "metres per second squared; braking for corners and ends, less than the robot's maximum"},
  {.name = "turn_rate",
   FIELD(pursuit.limits.turn_rate),
   .number = 1.5,
   .min = 0.01,
   .max = 100,
   .help = "radians per second at most"},
  {.name = "turn_acceleration",
   FIELD(pursuit.limits.turn_acceleration),
   .number = 4,
   .min = 0.01,
   .max = 1000,
   .help = "radians per second squared"},
  {.name = "lookahead",
   FIELD(pursuit.lookahead),
   .number = 0.3,
   .min = 0.01,
   .max = 100,
   .help = "metres; the robot steers at the point of its path that is this far ahead (pure pursuit)"},
  {.name = "corner",
   FIELD(pursuit.corner),
   .number = 0.3,
   .min = 0.01,
   .max = 3.2,
   .help = "radians; where the path bends by more than this, the robot stops and turns on the spot"},
  {.name = "heading_tolerance",
   FIELD(pursuit.heading_tolerance),
   .number = 0.05,
   .min = 0.001,
   .max = 1,
   .help = "radians; turns on the spot and the heading at the end of a path are this exact"},
  {.name = "tolerance",
   FIELD(pursuit.tolerance),
   .number = 0.02,
   .min = 0.001,
   .max = 10,
   .help = "metres; a corner or the end is reached when the robot is nearer than this; less than the "
           "planner's waypoint_tolerance"},
  {.name = "reaction",
   FIELD(pursuit.reaction),
   .number = 0.2,
   .max = 10,
   .help = "seconds from a pose to the effect of its command on the wheels"},
  {.name = "odom_timeout",
   FIELD(odom_timeout),
   .number = 0.5,
   .min = 0.01,
   .max = 3600,
   .help = "seconds without a pose, or age of a pose, after which the robot is stopped"},
  {.name = "off_line_max",
   FIELD(off_line_max),
   .number = 0.5,
   .min = 0.01,
   .max = 1000,
   .help = "metres; a robot farther than this from its path is stopped"},
  {.name = "use_sim_time", FIELD(use_sim_time), .help = "take the time from /clock"},
};

static const ros_parameter_table_t table = {.rows = rows, .count = sizeof(rows) / sizeof(rows[0])};

fw_ret_t follower_parameters_init(
  follower_parameters_t * parameters, const ros_parameter_source_t * source, fw_error_t * error)
{
  *parameters = (follower_parameters_t){0};
  fw_ret_t ret = ros_parameters_init(&parameters->values, &table, error);
  if (ret == FW_RET_OK) {
    ret = ros_parameters_override(&parameters->values, source, error);
  }
  if (ret == FW_RET_OK) {
    ros_parameters_make_read_only(&parameters->values);
    ros_parameters_read(&parameters->values, parameters);
  }
  return ret;
}

void follower_parameters_fini(follower_parameters_t * parameters)
{
  ros_parameters_fini(&parameters->values);
  *parameters = (follower_parameters_t){0};
}

void follower_parameters_print(FILE * stream) { ros_parameters_print(&table, stream); }
