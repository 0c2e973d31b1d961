// Settings: the table of planner_node's parameters, what must hold between several of them, and reading them.
// See settings.h; config/planner.yaml shows the same list to a user.

#include "ros/planner_node/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fleetweave/search.h>
#include <rmw/validate_full_topic_name.h>

#include "base/assert.h"
#include "base/error.h"
#include "controller/controller.h"
#include "controller/metres.h"
#include "map_files/area_file.h"

// ---- the table

static const char * const pose_source_names[] = {"tf", "odom", "amcl_pose"};
static const char * const unassigned_goals_names[] = {"selected", "nearest_idle"};
static const char * const missing_robots_names[] = {"wait", "ignore"};
static const char * const execution_mode_names[] = {"dependency", "timed", "none"};
static const char * const journal_sync_names[] = {"each", "interval", "never"};

#define FIELD(member) ROS_FIELD(node_settings_t, member)
#define CHOICES(names) .choices = (names), .choice_count = sizeof(names) / sizeof((names)[0])

static const ros_parameter_row_t own_rows[] = {
  // Fleet
  {.name = "robots",
   .type = ROS_PARAMETER_STRINGS,
   .help = "Namespaces of the robots. An added robot joins where it stands; a removed one leaves the fleet and "
           "its space is free."},
  {.name = "discover_robots",
   FIELD(discovers_robots),
   .help =
     "Add every robot whose base frame appears on tf_topic; with another pose_source, or {robot} in tf_topic, every "
     "robot whose topic appears. Discovery never removes a robot."},
  {.name = "priorities",
   .type = ROS_PARAMETER_INTEGERS,
   .min = INT32_MIN,
   .max = INT32_MAX,
   .help = "One number per robot; robots with a larger number go first. Empty: all equal."},
  {.name = "ticks_per_move",
   .type = ROS_PARAMETER_INTEGERS,
   .min = 1,
   .max = FW_TICKS_PER_MOVE_MAX,
   .help = "One number per robot, 1 to 8: ticks that a move takes. A robot with 2 drives at half of `speed`. "
           "Empty: all 1."},
  {.name = "turn_ticks",
   .type = ROS_PARAMETER_INTEGERS,
   .min = 0,
   .max = FW_TICKS_PER_MOVE_MAX,
   .help = "One number per robot. 1 to 8: it drives forward only and needs this many ticks to turn on the spot "
           "by a quarter (connectivity 8: an eighth) of a turn. 0: it moves in any direction and turns in no "
           "time. Empty: all 0."},
  {.name = "footprints",
   .type = ROS_PARAMETER_STRINGS,
   .help = "One string per robot: the planning cells that it covers, WxH or dx,dy;dx,dy;..., when it faces along "
           "the map's x axis; with turn_ticks they turn with it. '' is one cell. Empty: all one cell. Poses are "
           "those of cell 0,0."},
  {.name = "footprints_m",
   .type = ROS_PARAMETER_STRINGS,
   .help = "One string per robot: a polygon in metres around its base, as Nav2's footprint, [[x, y], [x, y], ...]. Its "
           "convex hull counts. '' is by `footprints`. A robot is given in metres and seconds, or in cells and ticks. "
           "Empty: none."},
  {.name = "speeds",
   .type = ROS_PARAMETER_DOUBLES,
   .min = 0.0,
   .max = 100.0,
   .help = "One number per robot: metres per second that it can sustain, at least an eighth of `speed`. 0: by "
           "ticks_per_move. Empty: all 0."},
  {.name = "turn_seconds",
   .type = ROS_PARAMETER_DOUBLES,
   .min = 0.0,
   .max = 3600.0,
   .help = "One number per robot: seconds for a quarter turn on the spot, at most 8 ticks (connectivity 8: 16). Such a "
           "robot drives forward only. 0: by turn_ticks. Empty: all 0."},
  {.name = "sweeps_sides",
   .type = ROS_PARAMETER_BOOL,
   .help = "On a diagonal move a robot also covers the two cells beside it. The node adds it where robots would touch "
           "without it."},
  {.name = "robot_radius",
   FIELD(controller.robot_radius),
   .number = 0.2,
   .min = 0.0,
   .max = 100.0,
   .help = "Metres, of a robot of one cell, with the distance by which it may stray from its path. Planning cells are "
           "free where this disc is; they are never smaller than its diameter. A larger robot of footprints_m that "
           "fits into one cell counts instead."},
  {.name = "speed",
   FIELD(controller.speed),
   .number = 0.5,
   .min = 0.001,
   .max = 100.0,
   .help = "Metres per second that a robot with ticks_per_move 1 can sustain. A tick is the time of the "
           "longest move at this speed."},
  {.name = "pose_source",
   FIELD(pose_source),
   .text = "tf",
   CHOICES(pose_source_names),
   .is_read_only = true,
   .help = "Where poses come from. tf: transforms from map_frame to base_frame; odom: <robot>/odom in map_frame "
           "(nav_msgs/Odometry); amcl_pose: <robot>/amcl_pose (geometry_msgs/PoseWithCovarianceStamped)."},
  {.name = "tf_topic",
   FIELD(tf_topic),
   .text = "/tf",
   .is_read_only = true,
   .help = "Topic of transforms (tf2_msgs/TFMessage), with pose_source tf; static ones come on <tf_topic>_static. "
           "{robot}/tf: each robot has topics and frames of its own."},
  {.name = "base_frame",
   FIELD(base_frame),
   .text = "{robot}/base_link",
   .is_read_only = true,
   .help = "Frame of a robot, with pose_source tf; {robot} stands for its name. With {robot} in tf_topic it may be the "
           "same for all, for example base_link."},
  {.name = "odom_timeout",
   FIELD(controller.odom_timeout),
   .number = 1.0,
   .min = 0.0,
   .max = 3600.0,
   .help = "Seconds without a pose after which a robot is stale and its cell becomes an obstacle; 0: never."},
  {.name = "pose_age_max",
   FIELD(controller.pose_age_max),
   .number = 10.0,
   .min = 0.0,
   .max = 3600.0,
   .help = "Seconds. A pose whose stamp is farther from now than this, before or after, is refused; 0: any stamp is "
           "taken. A stamp of 0 counts as now."},
  {.name = "pose_deviation_max",
   FIELD(controller.pose_deviation_max),
   .number = 1.0,
   .min = 0.0,
   .max = 1000.0,
   .help = "Metres. A pose whose covariance means a larger standard deviation of the position is refused; 0: any."},
  {.name = "missing_robots",
   FIELD(controller.ignores_missing_robots),
   .text = "wait",
   CHOICES(missing_robots_names),
   .help = "A listed robot that has not reported since the start: wait (nothing is released before all have "
           "reported) or ignore (after 5 seconds the others drive as if it did not exist)."},
  {.name = "plan_tolerance",
   FIELD(controller.plan_tolerance),
   .number = 0.75,
   .min = 0.0,
   .max = 100.0,
   .help = "Metres. If a robot is farther than this from its place in the plan, it is planned again from "
           "where it is; 0: never."},
  {.name = "goal_tolerance",
   FIELD(controller.goal_tolerance),
   .number = 0.1,
   .min = 0.001,
   .max = 1000.0,
   .help = "Metres. A robot this near to the exact position of its goal has reached it. A goal farther than this from "
           "the centre of its cell is approached in a straight line from there, once the space is free."},
  {.name = "goal_yaw_tolerance",
   FIELD(controller.goal_yaw_tolerance),
   .number = 0.25,
   .min = 0.001,
   .max = 7.0,
   .help = "Radians. A goal is reached when the robot is turned as the goal is, to within this; 3.2: any yaw will do."},
  {.name = "unassigned_goals",
   FIELD(gives_to_nearest),
   .text = "nearest_idle",
   CHOICES(unassigned_goals_names),
   .help = "Which robot receives a goal from the topic goal_pose, which names no robot: the nearest idle "
           "one, or only the selected one."},
  // Execution
  {.name = "execution_mode",
   FIELD(controller.execution_mode),
   .text = "dependency",
   CHOICES(execution_mode_names),
   .is_read_only = true,
   .help = "What keeps robots apart. dependency: released_path grows as robots ahead report that they have left; "
           "timed: the stamps alone, everything is released; none: nothing is released."},
  {.name = "release_ahead",
   FIELD(controller.release_ahead),
   .number = 2.0,
   .min = 0.0,
   .max = 1000.0,
   .help = "Metres of path that are released ahead of a robot at most; 0: no limit. A robot keeps what is "
           "released to it."},
  {.name = "waypoint_tolerance",
   FIELD(controller.waypoint_tolerance),
   .min = 0.0,
   .max = 10.0,
   .help = "Metres. A robot that is nearer than this to a waypoint has reached it and left the cells behind "
           "it; 0: derived from the clearance between robots."},
  {.name = "stopped_timeout",
   FIELD(controller.stopped_timeout),
   .number = 5.0,
   .min = 0.0,
   .max = 3600.0,
   .help = "Seconds without progress after which a robot that may drive counts as stopped, and others plan "
           "around it; 0: never."},
  // Closures
  {.name = "closures",
   .type = ROS_PARAMETER_STRINGS,
   .is_read_only = true,
   .help = "Names of doors, lifts and robots of other fleets: <name>/closed_path says which cells are closed, "
           "and when."},
  {.name = "closure_radius",
   FIELD(controller.closure_radius),
   .min = 0.0,
   .max = 10.0,
   .help = "Metres. Cells closer than this to a closed path are closed too: the radius of the other fleet's "
           "robots."},
  // Map
  {.name = "map_frame",
   FIELD(map_frame),
   .text = "map",
   .is_read_only = true,
   .help = "Frame of the map, the poses, the goals and the paths. Messages in another frame are rejected."},
  {.name = "planning_resolution",
   FIELD(controller.planning_resolution),
   .number = 0.5,
   .min = 0.0,
   .max = 100.0,
   .help = "Metres per planning cell; 0: the map's resolution. A cell is free if a robot's disc (robot_radius) touches "
           "no obstacle at its centre and on its way to free neighbours. Aisles wider than a cell and a robot together "
           "always have free cells."},
  {.name = "occupied_thresh",
   FIELD(controller.occupied_thresh),
   .number = 0.65,
   .min = 0.0,
   .max = 1.0,
   .help = "A map cell with a larger occupancy is an obstacle."},
  {.name = "free_thresh",
   FIELD(controller.free_thresh),
   .number = 0.25,
   .min = 0.0,
   .max = 1.0,
   .help = "A map cell with a smaller occupancy is free; between both thresholds, and -1, it is unknown."},
  {.name = "unknown_is_free", FIELD(controller.unknown_is_free), .help = "Plan through map cells that are unknown."},
  {.name = "map_cost_max",
   FIELD(controller.map_cost_max),
   .number = 1,
   .min = 1,
   .max = 255,
   .help =
     "1: map cells are free, occupied or unknown (trinary). Above: cells up to occupied_thresh are free, and cost "
     "from 1, below free_thresh, to this (scale). Robots prefer cells that cost less; times do not change."},
  {.name = "mask_cost_max",
   FIELD(controller.mask_cost_max),
   .number = 50,
   .min = 0,
   .max = 254,
   .help = "What a value of 100 in cost_mask adds to the cost of a planning cell, where open floor costs 1."},
  {.name = "areas",
   FIELD(areas),
   .text = "",
   .help = "YAML file of areas: one_way, no_waiting, keepout, cost. Read again whenever a parameter is set; '': none."},
  // Planning
  {.name = "planner", FIELD(controller.planner.name), .text = "auto", .help = "Name of the planner."},
  {.name = "search",
   FIELD(search),
   .text = "auto",
   .help = "Search that get_plan uses, a name of `fleetweave route --list`; auto: jps or astar, by sample queries "
           "on the map."},
  {.name = "any_angle",
   FIELD(is_any_angle),
   .help = "get_plan returns turning points with a free line of sight from each to the next, instead of "
           "every cell."},
  {.name = "connectivity",
   FIELD(controller.connectivity),
   .number = 4,
   .min = 4,
   .max = 8,
   .step = 4,
   .help = "Neighbours of a cell: 4, or 8 with diagonals."},
  {.name = "cut_corners",
   FIELD(controller.cuts_corners),
   .help = "A diagonal needs only its end free, not the two cells beside it: robots pass between obstacles that are "
           "smaller than their cells, where their discs touch nothing. Needs connectivity 8 and robots of one cell "
           "without heading, and is not for planner rtaa."},
  {.name = "robust_ticks",
   FIELD(controller.robust_ticks),
   .number = 1,
   .min = 0,
   .max = FW_ROBUST_TICKS_MAX,
   .help = "Ticks for which a cell stays reserved after a robot has left it. 0 lets robots follow without a gap."},
  {.name = "horizon",
   FIELD(controller.horizon),
   .number = 15,
   .min = 0,
   .max = 100000,
   .help = "Ticks that a plan covers at least, with planners that plan window by window; the next plan "
           "follows when half of it has passed. 0: plan to the goals."},
  {.name = "time_limit",
   FIELD(controller.time_limit),
   .number = 2.0,
   .min = 0.001,
   .max = 3600.0,
   .help = "Seconds that one planning round may take."},
  {.name = "threads",
   FIELD(controller.planner.threads),
   .number = 1,
   .min = 1,
   .max = 1024,
   .help = "Threads of the planner. The number changes the time, never the plan."},
  {.name = "seed",
   FIELD(controller.planner.seed),
   .min = 0,
   .max = 9007199254740992.0,
   .help = "Seed of all random choices of a planner."},
  {.name = "memory_max_mb",
   FIELD(memory_max_mb),
   .number = 2048,
   .min = 1,
   .max = 1048576,
   .help = "Megabytes that a planner may allocate."},
  {.name = "replan_period",
   FIELD(controller.replan_period),
   .number = 1.0,
   .min = 0.0,
   .max = 3600.0,
   .help = "Seconds between checks whether waiting robots or robots off their plan need a new one; 0: only on "
           "events."},
  {.name = "plan_lead_seconds",
   FIELD(controller.plan_lead_seconds),
   .number = 0.5,
   .min = 0.0,
   .max = 60.0,
   .help = "Seconds. A new plan begins this far in the future: half for planning, half for sending it to the "
           "robots."},
  {.name = "partial_rounds_max",
   FIELD(controller.partial_rounds_max),
   .number = 50,
   .min = 0,
   .max = 1000000,
   .help = "Rounds in a row that plan only the robots that a change concerns, while the others keep their plans; then "
           "one plans the whole fleet. 0: each round does."},
  {.name = "diagnostics_period",
   FIELD(diagnostics_period),
   .number = 1.0,
   .min = 0.05,
   .max = 3600.0,
   .help = "Seconds of the machine's clock between two messages on /diagnostics."},
  {.name = "record",
   FIELD(record),
   .text = "",
   .is_read_only = true,
   .help = "File that receives every planning problem and its plan, for `fleetweave replay`; '': none."},
  {.name = "record_max_mb",
   FIELD(record_max_mb),
   .number = 100,
   .min = 1,
   .max = 1048576,
   .is_read_only = true,
   .help = "Megabytes of records in all. At half of it the file is renamed to FILE.old and a new one begins."},
  {.name = "journal",
   FIELD(journal),
   .text = "",
   .is_read_only = true,
   .help = "File that holds goals, last poses and releases, so that a node that was killed continues; '': none."},
  {.name = "journal_sync",
   FIELD(journal_sync),
   .text = "interval",
   CHOICES(journal_sync_names),
   .is_read_only = true,
   .help = "When the journal is written through to the disk. each: before each release, for machines that may lose "
           "power while robots drive; interval: once per second; never: as the operating system likes."},
  {.name = "actions_max",
   FIELD(actions_max),
   .number = 300,
   .min = 0,
   .max = 2000,
   .help = "Fleets of at most this many robots have the action <robot>/navigate_to_pose. For larger ones it would make "
           "the node start slowly: the time grows with the square of their number."},
  {.name = "robot_services_max",
   FIELD(robot_services_max),
   .number = 200,
   .min = 0,
   .max = 2000,
   .help = "Fleets of at most this many robots have the services <robot>/cancel, <robot>/hold and <robot>/release. For "
           "large fleets they make the node start and end slowly."},
  {.name = "autostart",
   FIELD(autostart),
   .number = 1,
   .is_read_only = true,
   .help = "Configure and activate the node at its start. false: a lifecycle manager does."},
  {.name = "action_result_timeout",
   FIELD(action_result_timeout),
   .number = 60.0,
   .min = 1.0,
   .max = 86400.0,
   .is_read_only = true,
   .help = "Seconds for which the result of a navigate_to_pose goal is kept for clients that ask for it late."},
  {.name = "use_sim_time", FIELD(use_sim_time), .help = "Take the time from /clock."},
};

enum {
  OWN_COUNT = sizeof(own_rows) / sizeof(own_rows[0]),
  ROWS_MAX = 256,  // with those of the planners
};

// The rows with the texts that are made for some of them.
typedef struct node_rows_t {
  ros_parameter_row_t rows[ROWS_MAX];
  char names[ROWS_MAX][ROS_PARAMETER_NAME_SIZE];
  char helps[ROWS_MAX][ROS_PARAMETER_HELP_SIZE];
  size_t count;
} node_rows_t;

// "One of: ca, hca" at the end of a help text.
static void append_choice(char help[ROS_PARAMETER_HELP_SIZE], int64_t index, const char * choice)
{
  const size_t used = strlen(help);
  (void)snprintf(help + used, ROS_PARAMETER_HELP_SIZE - used, "%s%s", index == 0 ? " One of: " : ", ", choice);
}

static void add_planner_row(node_rows_t * rows, const fw_planner_def_t * planner, const fw_parameter_def_t * parameter)
{
  FW_ASSERT(rows->count < ROWS_MAX);
  const size_t index = rows->count++;
  char * name = rows->names[index];
  char * help = rows->helps[index];
  (void)snprintf(name, ROS_PARAMETER_NAME_SIZE, "%s.%s", planner->name, parameter->name);
  (void)snprintf(help, ROS_PARAMETER_HELP_SIZE, "%s", parameter->help);
  int64_t initial = parameter->initial;
  const fw_ret_t ret =
    parameter->in_fleet == NULL ? FW_RET_OK : fw_parameter_parse(parameter, parameter->in_fleet, &initial, NULL);
  FW_ASSERT(ret == FW_RET_OK);
  (void)ret;
  ros_parameter_row_t row = {.name = name, .help = help, .number = (double)initial};
  switch (parameter->type) {
    case FW_PARAMETER_BOOLEAN:
      row.type = ROS_PARAMETER_BOOL;
      break;
    case FW_PARAMETER_CHOICE:
      row.type = ROS_PARAMETER_STRING;
      row.text = parameter->choices[initial];
      row.choices = parameter->choices;
      row.choice_count = (int32_t)parameter->max + 1;
      for (int64_t k = 0; k <= parameter->max; ++k) {
        append_choice(help, k, parameter->choices[k]);
      }
      break;
    case FW_PARAMETER_INTEGER:
    default:
      FW_ASSERT(parameter->min >= -(INT64_C(1) << 53) && parameter->max <= INT64_C(1) << 53);  // exact as a double
      row.type = ROS_PARAMETER_INTEGER;
      row.min = (double)parameter->min;
      row.max = (double)parameter->max;
      break;
  }
  rows->rows[index] = row;
}

// Too large for the stack. NULL when there is no memory.
static node_rows_t * create_rows(void)
{
  _Static_assert((int)OWN_COUNT < (int)ROWS_MAX, "room for the node's own rows");
  node_rows_t * rows = calloc(1, sizeof *rows);
  if (rows == NULL) {
    return NULL;
  }
  rows->count = OWN_COUNT;
  memcpy(rows->rows, own_rows, sizeof(own_rows));
  for (size_t i = 0; i < OWN_COUNT; ++i) {
    if (strcmp(own_rows[i].name, "planner") == 0) {
      (void)snprintf(rows->helps[i], ROS_PARAMETER_HELP_SIZE, "%s", own_rows[i].help);
      for (int32_t k = 0; k < fw_planner_def_count(); ++k) {
        append_choice(rows->helps[i], k, fw_planner_def_at(k)->name);
      }
      rows->rows[i].help = rows->helps[i];
    }
  }
  for (int32_t p = 0; p < fw_planner_def_count(); ++p) {
    const fw_planner_def_t * planner = fw_planner_def_at(p);
    for (int32_t k = 0; k < planner->parameter_count && rows->count < ROWS_MAX; ++k) {
      add_planner_row(rows, planner, &planner->parameters[k]);
    }
  }
  return rows;
}

// ---- what must hold between several values, or needs more than a range

static const rosidl_runtime_c__String__Sequence * strings_of(const ros_parameters_t * parameters, const char * name)
{
  return &ros_parameters_value(parameters, name)->string_array_value;
}

static fw_ret_t check_namespace(const char * what, const char * name, fw_error_t * error)
{
  char topic[FW_NAME_SIZE + 1];
  int result = RMW_TOPIC_VALID;
  const int length = snprintf(topic, sizeof topic, "%s%s", name[0] == '/' ? "" : "/", name);
  if (length < 0 || (size_t)length >= FW_NAME_SIZE / 2) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "%s: the name '%.40s...' has more than %d characters", what, name,
      FW_NAME_SIZE / 2 - 2);
  }
  if (rmw_validate_full_topic_name(topic, &result, NULL) != RMW_RET_OK || result != RMW_TOPIC_VALID) {
    const char * why = rmw_full_topic_name_validation_result_string(result);
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "%s: '%s' cannot be a namespace: %s", what, name, why == NULL ? "?" : why);
  }
  return FW_RET_OK;
}

static fw_ret_t check_names(const ros_parameters_t * parameters, const char * what, fw_error_t * error)
{
  const rosidl_runtime_c__String__Sequence * names = strings_of(parameters, what);
  fw_ret_t ret = FW_RET_OK;
  if (names->size > ROS_ROBOTS_MAX) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "%s has %zu names, and at most %d are possible", what, names->size,
      ROS_ROBOTS_MAX);
  }
  for (size_t k = 0; ret == FW_RET_OK && k < names->size; ++k) {
    ret = check_namespace(what, names->data[k].data, error);
    for (size_t other = 0; ret == FW_RET_OK && other < k; ++other) {
      if (strcmp(names->data[k].data, names->data[other].data) == 0) {
        ret = fw__error(error, FW_RET_INVALID_ARGUMENT, "%s: '%s' is listed twice", what, names->data[k].data);
      }
    }
  }
  return ret;
}

// A list with one item per robot has that many, or none.
static fw_ret_t check_counts(const ros_parameters_t * parameters, fw_error_t * error)
{
  static const char * const lists[] = {"priorities",   "ticks_per_move", "turn_ticks",  "footprints",
                                       "footprints_m", "speeds",         "turn_seconds"};
  const size_t robots = strings_of(parameters, "robots")->size;
  const bool has_discovery = ros_parameters_value(parameters, "discover_robots")->bool_value;
  for (size_t k = 0; k < sizeof lists / sizeof lists[0]; ++k) {
    const ros_parameter_value_t * value = ros_parameters_value(parameters, lists[k]);
    const size_t count = value->type == ROS_PARAMETER_STRINGS   ? value->string_array_value.size
                         : value->type == ROS_PARAMETER_DOUBLES ? value->double_array_value.size
                                                                : value->integer_array_value.size;
    // A robot that was discovered has the initial values.
    if (count != 0 && count != robots && !(has_discovery && count < robots)) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "%s has %zu values for %zu robots: give one per robot, or none", lists[k],
        count, robots);
    }
  }
  return FW_RET_OK;
}

// What needs no grid.
static fw_ret_t check_shapes(const ros_parameters_t * parameters, fw_error_t * error)
{
  int32_t count = 0;
  fw_controller_robot_t * robots = node_robots_read(parameters, &count);
  fw_robot_shapes_t shapes = {0};
  fw_ret_t ret = robots == NULL ? fw__error_memory(error) : FW_RET_OK;
  for (int32_t k = 0; ret == FW_RET_OK && k < count; ++k) {
    fw_robot_shape_t shape;
    fw_error_t cause = {0};
    if (!fw__robot_shape_read(&shape, &robots[k], &shapes, &cause)) {
      ret = fw__error(error, FW_RET_INVALID_ARGUMENT, "robot '%.60s': %.180s", robots[k].name, cause.text);
    }
  }
  fw__robot_shapes_fini(&shapes);
  free(robots);
  return ret;
}

static fw_ret_t check_fleet(const ros_parameters_t * parameters, fw_error_t * error)
{
  const rosidl_runtime_c__String__Sequence * robots = strings_of(parameters, "robots");
  const rosidl_runtime_c__String__Sequence * closures = strings_of(parameters, "closures");
  fw_ret_t ret = check_names(parameters, "robots", error);
  ret = ret == FW_RET_OK ? check_names(parameters, "closures", error) : ret;
  for (size_t k = 0; ret == FW_RET_OK && k < closures->size; ++k) {
    for (size_t robot = 0; ret == FW_RET_OK && robot < robots->size; ++robot) {
      if (strcmp(closures->data[k].data, robots->data[robot].data) == 0) {
        ret = fw__error(
          error, FW_RET_INVALID_ARGUMENT, "closures: '%s' is already in the parameter robots",
          robots->data[robot].data);
      }
    }
  }
  ret = ret == FW_RET_OK ? check_counts(parameters, error) : ret;
  return ret == FW_RET_OK ? check_shapes(parameters, error) : ret;
}

// ---- reading

// "planner: there is no 'magic', but: ca hca": appends a name to such a list.
static void append_name(fw_error_t * error, const char * name)
{
  const size_t used = strlen(error->text);
  (void)snprintf(error->text + used, sizeof error->text - used, " %s", name);
}

// Whether the planner can work with its values on this machine: a GPU that they require must be there.
static fw_ret_t check_planner(
  const fw_planner_choice_t * planner, const fw_planner_def_t * definition, fw_error_t * error)
{
  int64_t values[FW_PARAMETERS_MAX];
  fw_ret_t ret = FW_RET_OK;
  for (int32_t k = 0; k < definition->parameter_count && ret == FW_RET_OK; ++k) {
    ret = fw_parameter_parse(&definition->parameters[k], planner->values[k], &values[k], error);
  }
  return ret == FW_RET_OK && definition->check != NULL ? definition->check(values, error) : ret;
}

static fw_ret_t read_planner(node_settings_t * settings, const ros_parameters_t * parameters, fw_error_t * error)
{
  fw_planner_choice_t * planner = &settings->controller.planner;
  const fw_planner_def_t * definition = fw_planner_def_find(planner->name);
  if (definition == NULL) {
    (void)fw__error(error, FW_RET_INVALID_ARGUMENT, "planner must be one of these, not '%.60s':", planner->name);
    for (int32_t k = 0; k < fw_planner_def_count(); ++k) {
      append_name(error, fw_planner_def_at(k)->name);
    }
    return FW_RET_INVALID_ARGUMENT;
  }
  FW_ASSERT(definition->parameter_count <= FW_PARAMETERS_MAX);
  planner->memory_max_bytes = (size_t)settings->memory_max_mb * 1024 * 1024;
  for (int32_t k = 0; k < definition->parameter_count; ++k) {
    char name[ROS_PARAMETER_NAME_SIZE];
    (void)snprintf(name, sizeof name, "%s.%s", definition->name, definition->parameters[k].name);
    const ros_parameter_value_t * value = ros_parameters_value(parameters, name);
    char * text = planner->values[k];
    if (value->type == ROS_PARAMETER_STRING) {
      (void)snprintf(text, sizeof planner->values[k], "%s", value->string_value.data);
    } else if (value->type == ROS_PARAMETER_BOOL) {
      (void)snprintf(text, sizeof planner->values[k], "%s", value->bool_value ? "true" : "false");
    } else {
      (void)snprintf(text, sizeof planner->values[k], "%lld", (long long)value->integer_value);
    }
  }
  return check_planner(planner, definition, error);
}

static fw_ret_t check_search(const node_settings_t * settings, fw_error_t * error)
{
  if (fw_router_def_find(settings->search) != NULL) {
    return FW_RET_OK;
  }
  (void)fw__error(error, FW_RET_INVALID_ARGUMENT, "search must be one of these, not '%.60s':", settings->search);
  for (int32_t k = 0; k < fw_router_def_count(); ++k) {
    append_name(error, fw_router_def_at(k)->name);
  }
  return FW_RET_INVALID_ARGUMENT;
}

// A file that cannot be read, or that the planner cannot keep to, refuses the parameter.
static fw_ret_t check_areas(const node_settings_t * settings, fw_error_t * error)
{
  fw_area_list_t areas = {0};
  fw_ret_t ret = settings->areas[0] == '\0' ? FW_RET_OK : fw__area_file_read(&areas, settings->areas, error);
  if (
    ret == FW_RET_OK && fw_planner_def_find(settings->controller.planner.name) != NULL &&
    !fw__controller_check_rules(&areas, &settings->controller, error)) {
    ret = FW_RET_INVALID_ARGUMENT;
  }
  fw__area_list_fini(&areas);
  return ret;
}

// The names that tf_topic and base_frame give for robots.
static fw_ret_t check_transforms(const node_settings_t * settings, fw_error_t * error)
{
  const bool is_per_robot = strstr(settings->tf_topic, "{robot}") != NULL;
  if (settings->tf_topic[0] == '\0' || strlen(settings->tf_topic) >= FW_NAME_SIZE / 2) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "tf_topic must have 1 to %d characters, not '%.40s'", FW_NAME_SIZE / 2 - 1,
      settings->tf_topic);
  }
  if (settings->base_frame[0] == '\0' || strlen(settings->base_frame) >= FW_NAME_SIZE / 2) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "base_frame must have 1 to %d characters, not '%.40s'", FW_NAME_SIZE / 2 - 1,
      settings->base_frame);
  }
  if (!is_per_robot && strstr(settings->base_frame, "{robot}") == NULL) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT,
      "base_frame '%.60s' is the same for all robots: it must contain {robot}, as in {robot}/base_link, unless "
      "tf_topic "
      "does",
      settings->base_frame);
  }
  return FW_RET_OK;
}

static fw_ret_t read_settings(node_settings_t * settings, const ros_parameters_t * parameters, fw_error_t * error)
{
  *settings = (node_settings_t){0};
  ros_parameters_read(parameters, settings);
  if (settings->controller.connectivity != 4 && settings->controller.connectivity != 8) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "connectivity must be 4 or 8, not %d", (int)settings->controller.connectivity);
  }
  if (settings->controller.cuts_corners && settings->controller.connectivity != 8) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "cut_corners needs diagonal moves: set connectivity to 8, too");
  }
  if (settings->controller.free_thresh > settings->controller.occupied_thresh) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "free_thresh (%g) must not be above occupied_thresh (%g)",
      settings->controller.free_thresh, settings->controller.occupied_thresh);
  }
  if (settings->map_frame[0] == '\0') {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "map_frame must be a name of 1 to %d characters", FW_NAME_SIZE - 1);
  }
  settings->controller.poses_are_on_change = settings->pose_source == NODE_POSES_AMCL;
  fw_ret_t ret = check_transforms(settings, error);
  ret = ret == FW_RET_OK ? check_search(settings, error) : ret;
  ret = ret == FW_RET_OK ? check_areas(settings, error) : ret;
  ret = ret == FW_RET_OK ? check_fleet(parameters, error) : ret;
  return ret == FW_RET_OK ? read_planner(settings, parameters, error) : ret;
}

// With the controller, robots must fit the planning grid in force, too.
static fw_ret_t check_settings(const ros_parameters_t * parameters, fw_error_t * error)
{
  node_settings_t settings;
  const fw_ret_t ret = read_settings(&settings, parameters, error);
  fw_controller_impl_t * controller = parameters->check_context;
  if (ret != FW_RET_OK || controller == NULL) {
    return ret;
  }
  int32_t count = 0;
  fw_controller_robot_t * robots = node_robots_read(parameters, &count);
  const fw_fleet_setup_t setup = {&settings.controller, robots, count};
  const bool is_good = robots != NULL && fw__controller_check_setup(controller, &setup, error);
  free(robots);
  return robots == NULL ? fw__error_memory(error) : is_good ? FW_RET_OK : FW_RET_INVALID_ARGUMENT;
}

// ---- lists

// Value `index` of a list of integers; `initial` if the list is shorter.
static int32_t integer_of(const ros_parameters_t * parameters, const char * name, size_t index, int32_t initial)
{
  const rosidl_runtime_c__int64__Sequence * values = &ros_parameters_value(parameters, name)->integer_array_value;
  return index < values->size ? (int32_t)values->data[index] : initial;
}

static double double_of(const ros_parameters_t * parameters, const char * name, size_t index)
{
  const rosidl_runtime_c__double__Sequence * values = &ros_parameters_value(parameters, name)->double_array_value;
  return index < values->size ? values->data[index] : 0.0;
}

fw_controller_robot_t * node_robots_read(const ros_parameters_t * parameters, int32_t * count)
{
  const rosidl_runtime_c__String__Sequence * names = strings_of(parameters, "robots");
  const rosidl_runtime_c__String__Sequence * footprints = strings_of(parameters, "footprints");
  const rosidl_runtime_c__String__Sequence * polygons = strings_of(parameters, "footprints_m");
  fw_controller_robot_t * robots = calloc(names->size + 1, sizeof *robots);
  for (size_t k = 0; robots != NULL && k < names->size; ++k) {
    robots[k] = (fw_controller_robot_t){
      .name = names->data[k].data,
      .footprint = k < footprints->size ? footprints->data[k].data : "",
      .priority = integer_of(parameters, "priorities", k, 0),
      .ticks_per_move = integer_of(parameters, "ticks_per_move", k, 1),
      .turn_ticks = integer_of(parameters, "turn_ticks", k, 0),
      .sweeps_sides = ros_parameters_value(parameters, "sweeps_sides")->bool_value,
      .footprint_m = k < polygons->size ? polygons->data[k].data : "",
      .speed = double_of(parameters, "speeds", k),
      .turn_seconds = double_of(parameters, "turn_seconds", k),
    };
  }
  *count = (int32_t)names->size;
  return robots;
}

const char ** node_closures_read(const ros_parameters_t * parameters, int32_t * count)
{
  const rosidl_runtime_c__String__Sequence * names = strings_of(parameters, "closures");
  const char ** list = calloc(names->size + 1, sizeof *list);
  for (size_t k = 0; list != NULL && k < names->size; ++k) {
    list[k] = names->data[k].data;
  }
  *count = (int32_t)names->size;
  return list;
}

// ---- life

bool node_parameters_init(ros_parameters_t * parameters)
{
  node_rows_t * rows = create_rows();
  if (rows == NULL) {
    return false;
  }
  const ros_parameter_table_t table = {rows->rows, rows->count, check_settings};
  const fw_ret_t ret = ros_parameters_init(parameters, &table, NULL);
  free(rows);
  return ret == FW_RET_OK;
}

void node_parameters_print(FILE * stream)
{
  node_rows_t * rows = create_rows();
  if (rows != NULL) {
    const ros_parameter_table_t table = {rows->rows, rows->count, NULL};
    ros_parameters_print(&table, stream);
  }
  free(rows);
}

bool node_settings_read(node_settings_t * settings, const ros_parameters_t * parameters, fw_error_t * error)
{
  return read_settings(settings, parameters, error) == FW_RET_OK;
}
