// Parameters of the simulator. See parameters.h; config/fleet_sim.yaml shows them to a user.

#include "ros/fleet_sim/parameters.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include "base/error.h"

#define AT(field) offsetof(sim_parameters_t, field)

static const ros_row_t rows[] = {
  {"robots", FW_ROW_ROBOTS, AT(names), 8, 1, FW_ROW_ROBOTS_MAX, NULL,
   "names of the robots, or how many: robot_0, robot_1, ..."},
  {"map", FW_ROW_TEXT, AT(map), 0, 0, 0, "warehouse:41x21,seed=1",
   "a line as for `fleetweave plan --make`, or a .map file"},
  {"cell_size", FW_ROW_NUMBER, AT(cell_size), 0.5, 0.01, 100, NULL, "metres per cell of `map`"},
  {"map_resolution", FW_ROW_NUMBER, AT(map_resolution), 0, 0, 100, NULL,
   "metres per cell of the published map, a whole part of cell_size; 0: cell_size"},
  {"map_frame", FW_ROW_TEXT, AT(map_frame), 0, 0, 0, "map", "frame of map, odometry and goals"},
  {"robot_radius", FW_ROW_NUMBER, AT(robot_radius), 0.2, 0, 100, NULL,
   "metres; overlaps are those of discs this large"},
  {"max_speed", FW_ROW_NUMBER, AT(max_speed), 1.0, 0.001, 1000, NULL,
   "metres per second; more than the plans ask for lets a late robot catch up"},
  {"max_turn_rate", FW_ROW_NUMBER, AT(max_turn_rate), 0, 0, 1000, NULL,
   "radians per second, turning on the spot before driving on; 0: turns take no time"},
  {"footprints", FW_ROW_TEXTS, AT(footprints), 0, 0, 0, NULL,
   "a text per robot: the cells that it covers, as for the planner; overlaps are those of a disc on each"},
  {"ticks_per_move", FW_ROW_INTEGERS, AT(ticks_per_move), 0, 1, FW_TICKS_PER_MOVE_MAX, NULL,
   "a number per robot: its speed is that much less"},
  {"turn_ticks", FW_ROW_INTEGERS, AT(turn_ticks), 0, 0, FW_TICKS_PER_MOVE_MAX, NULL,
   "a number per robot: above 0, its footprint turns with it"},
  {"follow", FW_ROW_TEXT, AT(follow), 0, 0, 0, "released_path",
   "released_path: drive as far as it goes, and stop; timed_path: by its stamps"},
  {"drive", FW_ROW_TEXT, AT(drive), 0, 0, 0, "path",
   "path: robots follow paths by themselves; cmd_vel: as <robot>/cmd_vel says; odom: they are elsewhere, <robot>/odom "
   "comes in, and goals and counts are all that is made here"},
  {"max_acceleration", FW_ROW_NUMBER, AT(max_acceleration), 0, 0, 1000, NULL,
   "cmd_vel: metres per second squared; 0: no bound"},
  {"max_turn_acceleration", FW_ROW_NUMBER, AT(max_turn_acceleration), 0, 0, 1000, NULL,
   "cmd_vel: radians per second squared; 0: no bound"},
  {"drive_error", FW_ROW_NUMBER, AT(drive_error), 0, 0, 0.9, NULL,
   "cmd_vel: share of what it is told by which a robot is off, at most"},
  {"command_timeout", FW_ROW_NUMBER, AT(command_timeout), 0.5, 0.02, 3600, NULL,
   "cmd_vel: seconds without a word after which a robot brakes"},
  {"stamped_commands", FW_ROW_BOOLEAN, AT(stamped_commands), 0, 0, 1, NULL,
   "cmd_vel is geometry_msgs/TwistStamped, not Twist"},
  {"noise", FW_ROW_NUMBER, AT(noise), 0, 0, 10, NULL, "metres; odometry is off by up to this along x and y"},
  {"slow_chance", FW_ROW_NUMBER, AT(slow_chance), 0, 0, 1, NULL, "of a robot, in each second, to be slow in it"},
  {"slow_factor", FW_ROW_NUMBER, AT(slow_factor), 0.3, 0.01, 1, NULL, "times its speed it has then, at worst"},
  {"stops_per_hour", FW_ROW_NUMBER, AT(stops_per_hour), 0, 0, 3600, NULL, "of each robot, at random moments,"},
  {"stop_seconds_max", FW_ROW_NUMBER, AT(stop_seconds_max), 10, 0, 3600, NULL, "for up to so long"},
  {"freeze", FW_ROW_TEXTS, AT(freeze), 0, 0, 0, NULL,
   "robots that stop on purpose: robot_3@10+20 after 10 s for 20 s, robot_3@10 for ever"},
  {"silence", FW_ROW_TEXTS, AT(silence), 0, 0, 0, NULL,
   "robots whose odometry is not published for a while, in the same words; they drive on"},
  {"starts", FW_ROW_TEXTS, AT(starts), 0, 0, 0, NULL, "a text per robot: the cell where it begins, x,y; empty: random"},
  {"goals", FW_ROW_TEXT, AT(goals), 0, 0, 0, "random", "random: a new goal on arrival; none: somebody else sends them"},
  {"goal_tolerance", FW_ROW_NUMBER, AT(goal_tolerance), 0.05, 0.001, 100, NULL, "metres; nearer than this has arrived"},
  {"seed", FW_ROW_INTEGER, AT(seed), 1, 0, 9e15, NULL, "of starts and goals"},
  {"odom_rate", FW_ROW_NUMBER, AT(odom_rate), 10, 0.1, 50, NULL, "hertz, in simulated time"},
  {"publish_clock", FW_ROW_BOOLEAN, AT(publish_clock), 0, 0, 1, NULL, "publish /clock; the others set use_sim_time"},
  {"rate_factor", FW_ROW_NUMBER, AT(rate_factor), 1, 0, 1000, NULL,
   "simulated seconds per second, with publish_clock; 0: as fast as it goes"},
  {"duration", FW_ROW_NUMBER, AT(duration), 0, 0, 1e9, NULL, "simulated seconds, then it ends; 0: until it is stopped"},
  {"record", FW_ROW_TEXT, AT(record), 0, 0, 0, "", "file to record the run in, for `fleetweave replay`; empty: none"},
  {"report_period", FW_ROW_NUMBER, AT(report_period), 5, 0, 1e9, NULL,
   "simulated seconds between lines of progress; 0: none"},
  {"use_sim_time", FW_ROW_BOOLEAN, AT(use_sim_time), 0, 0, 1, NULL, "accepted and not needed: time is made here"},
};

static const ros_rows_t table = {rows, sizeof(rows) / sizeof(rows[0])};

// What no row can say alone.
static fw_ret_t check_together(sim_parameters_t * parameters, fw_error_t * error)
{
  if (parameters->map_resolution == 0.0) {
    parameters->map_resolution = parameters->cell_size;
  }
  const double parts = parameters->cell_size / parameters->map_resolution;
  if (fabs(parts - round(parts)) > 1e-6 || parts < 0.5) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "parameter map_resolution (%g) must divide cell_size (%g)",
      parameters->map_resolution, parameters->cell_size);
  }
  if (strcmp(parameters->follow, "released_path") != 0 && strcmp(parameters->follow, "timed_path") != 0) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "parameter follow must be released_path or timed_path, not %s",
      parameters->follow);
  }
  if (
    strcmp(parameters->drive, "path") != 0 && strcmp(parameters->drive, "cmd_vel") != 0 &&
    strcmp(parameters->drive, "odom") != 0) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "parameter drive must be path, cmd_vel or odom, not %s", parameters->drive);
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
    if (lists[i].count != 0 && lists[i].count != parameters->robot_count) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "parameter %s has %d values for %d robots", lists[i].name, (int)lists[i].count,
        (int)parameters->robot_count);
    }
  }
  if (strcmp(parameters->goals, "random") != 0 && strcmp(parameters->goals, "none") != 0) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "parameter goals must be random or none, not %s", parameters->goals);
  }
  if (parameters->rate_factor != 1.0 && !parameters->publish_clock) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "parameter rate_factor needs publish_clock: true");
  }
  return FW_RET_OK;
}

fw_ret_t sim_parameters_init(sim_parameters_t * parameters, const rcl_node_t * node, fw_error_t * error)
{
  *parameters = (sim_parameters_t){0};
  fw_ret_t ret = ros_rows_read(&table, parameters, node, error);
  if (ret == FW_RET_OK) {
    parameters->robots = parameters->names.items;
    parameters->robot_count = parameters->names.count;
    ret = check_together(parameters, error);
  }
  if (ret != FW_RET_OK) {
    sim_parameters_fini(parameters);
  }
  return ret;
}

void sim_parameters_fini(sim_parameters_t * parameters)
{
  ros_rows_fini(&table, parameters);
  *parameters = (sim_parameters_t){0};
}

void sim_parameters_print(FILE * stream) { ros_rows_print(&table, stream); }
