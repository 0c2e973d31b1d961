// Parameters of fleet_sim: the table and what must hold between several of them. See parameters.h;
// config/fleet_sim.yaml shows the same list to a user.

#include "ros/fleet_sim/parameters.h"

#include <math.h>

#include "base/error.h"

static const char * const follow_names[] = {"released_path", "timed_path"};
static const char * const drive_names[] = {"path", "cmd_vel", "odom"};
static const char * const goals_names[] = {"random", "none"};

#define FIELD(member) ROS_FIELD(sim_parameters_t, member)
#define CHOICES(names) .choices = (names), .choice_count = sizeof(names) / sizeof((names)[0])

static const ros_parameter_row_t rows[] = {
  {.name = "robots",
   FIELD(robots),
   .number = 8,
   .min = 1,
   .max = ROS_ROBOTS_MAX,
   .list = ROS_LIST_NAMES,
   .help = "names of the robots, or their number: robot_0, robot_1, ..."},
  {.name = "map",
   FIELD(map),
   .text = "warehouse:41x21,seed=1",
   .help =
     "a generator line as for `fleetweave plan --make`, a .map file, or a .yaml map of map_server with its origin"},
  {.name = "cell_size", FIELD(cell_size), .number = 0.5, .min = 0.01, .max = 100, .help = "metres per cell of `map`"},
  {.name = "map_resolution",
   FIELD(map_resolution),
   .max = 100,
   .help = "metres per cell of the published map, cell_size divided by a whole number; 0: cell_size"},
  {.name = "map_frame", FIELD(map_frame), .text = "map", .help = "frame of map, odometry and goals"},
  {.name = "robot_radius",
   FIELD(robot_radius),
   .number = 0.2,
   .max = 100,
   .help = "metres; robots overlap when discs of this radius do"},
  {.name = "max_speed",
   FIELD(max_speed),
   .number = 1.0,
   .min = 0.001,
   .max = 1000,
   .help = "metres per second; a late robot catches up if this is more than the speed of the plans"},
  {.name = "max_turn_rate",
   FIELD(max_turn_rate),
   .max = 1000,
   .help = "radians per second of turns on the spot before driving on; 0: turns take no time"},
  {.name = "footprints",
   FIELD(footprints),
   .help = "one string per robot: the cells that it covers, as for the planner, with a disc on each"},
  {.name = "ticks_per_move",
   FIELD(ticks_per_move),
   .min = 1,
   .max = FW_TICKS_PER_MOVE_MAX,
   .help = "one number per robot: its speed limit is max_speed divided by it"},
  {.name = "turn_ticks",
   FIELD(turn_ticks),
   .max = FW_TICKS_PER_MOVE_MAX,
   .help = "one number per robot: above 0, its footprint turns with it"},
  {.name = "follow",
   FIELD(follow),
   .text = "released_path",
   CHOICES(follow_names),
   .help = "released_path: drive to its end and stop; timed_path: be on time at its stamps"},
  {.name = "drive",
   FIELD(drive),
   .text = "path",
   CHOICES(drive_names),
   .help = "path: robots follow paths by themselves; cmd_vel: they execute <robot>/cmd_vel; odom: they move "
           "elsewhere, <robot>/odom is subscribed, and only map, goals and counts come from here"},
  {.name = "max_acceleration",
   FIELD(max_acceleration),
   .max = 1000,
   .help = "cmd_vel: metres per second squared; 0: no limit"},
  {.name = "max_turn_acceleration",
   FIELD(max_turn_acceleration),
   .max = 1000,
   .help = "cmd_vel: radians per second squared; 0: no limit"},
  {.name = "drive_error",
   FIELD(drive_error),
   .max = 0.9,
   .help = "cmd_vel: largest relative error of the executed velocities"},
  {.name = "command_timeout",
   FIELD(command_timeout),
   .number = 0.5,
   .min = 0.02,
   .max = 3600,
   .help = "cmd_vel: seconds without a command after which a robot brakes"},
  {.name = "holonomic",
   FIELD(holonomic),
   .help = "cmd_vel: robots execute linear.y too, as path_follower sends it with holonomic: true"},
  {.name = "stamped_commands",
   FIELD(stamped_commands),
   .help = "cmd_vel: expect geometry_msgs/TwistStamped instead of Twist"},
  {.name = "noise", FIELD(noise), .max = 10, .help = "metres; largest error of the published position along x and y"},
  {.name = "slow_chance",
   FIELD(slow_chance),
   .max = 1,
   .help = "probability that a robot is slow, drawn for each robot and second"},
  {.name = "slow_factor",
   FIELD(slow_factor),
   .number = 0.3,
   .min = 0.01,
   .max = 1,
   .help = "lowest speed of a slow robot, as a fraction of its speed limit"},
  {.name = "stops_per_hour",
   FIELD(stops_per_hour),
   .max = 3600,
   .help = "mean number of random stops of each robot per hour"},
  {.name = "stop_seconds_max",
   FIELD(stop_seconds_max),
   .number = 10,
   .max = 3600,
   .help = "longest duration of a random stop, in seconds"},
  {.name = "freeze",
   FIELD(freeze),
   .help = "stops of single robots: robot_3@10+20 after 10 s for 20 s, robot_3@10 forever"},
  {.name = "silence",
   FIELD(silence),
   .help = "robots whose poses are not published for a while, written as for freeze; they keep driving"},
  {.name = "starts",
   FIELD(starts),
   .help = "one string per robot: its start cell, x,y, with decimals beside the middle; empty: random"},
  {.name = "goals",
   FIELD(goals),
   .text = "random",
   CHOICES(goals_names),
   .help = "random: a new goal on arrival; none: another node sends goals"},
  {.name = "goal_tolerance",
   FIELD(goal_tolerance),
   .number = 0.05,
   .min = 0.001,
   .max = 100,
   .help = "metres; a robot nearer than this has reached its goal"},
  {.name = "seed", FIELD(seed), .number = 1, .max = 9e15, .help = "seed of random starts, goals and faults"},
  {.name = "odom_rate",
   FIELD(odom_rate),
   .number = 10,
   .min = 0.1,
   .max = 50,
   .help = "poses of each robot per second of simulated time"},
  {.name = "publish_tf",
   FIELD(publish_tf),
   .number = 1,
   .help = "publish the poses of all robots on tf_topic: map_frame -> <robot>/odom -> <robot>/base_link"},
  {.name = "tf_topic", FIELD(tf_topic), .text = "/tf", .help = "topic of these transforms"},
  {.name = "publish_odom",
   FIELD(publish_odom),
   .number = 1,
   .help = "publish <robot>/odom, in map_frame; false saves one message per robot and pose"},
  {.name = "odom_drift",
   FIELD(odom_drift),
   .number = 0.02,
   .max = 1,
   .help = "metres and radians per metre driven by which odometry drifts on tf; map -> odom makes up for it"},
  {.name = "odom_jumps_per_hour",
   FIELD(odom_jumps_per_hour),
   .max = 36000,
   .help = "mean number of jumps of each robot's odometry per hour, of up to 0.5 m and 0.5 rad; likewise"},
  {.name = "map_odom_rate",
   FIELD(map_odom_rate),
   .max = 50,
   .help = "transforms map -> odom of each robot per second; 0: one with each pose"},
  {.name = "map_odom_ahead",
   FIELD(map_odom_ahead),
   .max = 10,
   .help = "seconds by which map -> odom is stamped ahead, as by AMCL's transform_tolerance"},
  {.name = "publish_clock", FIELD(publish_clock), .help = "publish /clock; other nodes set use_sim_time"},
  {.name = "rate_factor",
   FIELD(rate_factor),
   .number = 1,
   .max = 1000,
   .help = "simulated seconds per second, with publish_clock; 0: as fast as possible"},
  {.name = "duration", FIELD(duration), .max = 1e9, .help = "simulated seconds until the node ends; 0: no limit"},
  {.name = "record",
   FIELD(record),
   .text = "",
   .help = "file that receives a record of the run, for `fleetweave replay`; empty: none"},
  {.name = "report_period",
   FIELD(report_period),
   .number = 5,
   .max = 1e9,
   .help = "simulated seconds between progress lines in the log; 0: none"},
  {.name = "use_sim_time",
   FIELD(use_sim_time),
   .help = "accepted but ignored: fleet_sim is the source of simulated time"},
};

static const ros_parameter_table_t table = {.rows = rows, .count = sizeof(rows) / sizeof(rows[0])};

// What must hold between several values.
static fw_ret_t check_together(sim_parameters_t * parameters, fw_error_t * error)
{
  if (parameters->map_resolution == 0.0) {
    parameters->map_resolution = parameters->cell_size;
  }
  const double parts = parameters->cell_size / parameters->map_resolution;
  if (fabs(parts - round(parts)) > 1e-6 || parts < 0.5) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "map_resolution (%g) must be cell_size (%g) divided by a whole number",
      parameters->map_resolution, parameters->cell_size);
  }
  const struct {
    const char * name;
    int32_t count;
  } lists[] = {
    {"footprints", parameters->footprints.count},
    {"ticks_per_move", parameters->ticks_per_move.count},
    {"turn_ticks", parameters->turn_ticks.count},
    {"starts", parameters->starts.count},
  };
  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); ++i) {
    if (lists[i].count != 0 && lists[i].count != parameters->robots.count) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "%s has %d values for %d robots: give one per robot, or none", lists[i].name,
        (int)lists[i].count, (int)parameters->robots.count);
    }
  }
  if (parameters->rate_factor != 1.0 && !parameters->publish_clock) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "rate_factor needs publish_clock: true");
  }
  return FW_RET_OK;
}

fw_ret_t sim_parameters_init(sim_parameters_t * parameters, const ros_parameter_source_t * source, fw_error_t * error)
{
  *parameters = (sim_parameters_t){0};
  fw_ret_t ret = ros_parameters_init(&parameters->values, &table, error);
  if (ret == FW_RET_OK) {
    ret = ros_parameters_override(&parameters->values, source, error);
  }
  if (ret == FW_RET_OK) {
    ros_parameters_make_read_only(&parameters->values);
    ros_parameters_read(&parameters->values, parameters);
    ret = check_together(parameters, error);
  }
  return ret;
}

void sim_parameters_fini(sim_parameters_t * parameters)
{
  ros_parameters_fini(&parameters->values);
  *parameters = (sim_parameters_t){0};
}

void sim_parameters_print(FILE * stream) { ros_parameters_print(&table, stream); }
