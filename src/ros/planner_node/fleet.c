#include "ros/planner_node/fleet.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcutils/logging_macros.h>

// Less than this, for longer than that, is no driving: odometry has noise.
static const double STILL_METRES = 0.05;
static const int64_t STILL_NS = 400000000;

bool fleet_init(fleet_t * fleet, const ros_parameters_t * parameters, const char * logger)
{
  fleet->logger = logger;
  return fleet_read_names(fleet, parameters) && fleet_read_robots(fleet, parameters);
}

static int32_t find_place(const fleet_t * fleet, const char * name)
{
  int32_t at = 0;
  while (at < fleet->count && strcmp(fleet->robots[at].name, name) != 0) {
    ++at;
  }
  return at;
}

static void leave(robot_t * robot)
{
  free(robot->queue);
  *robot = (robot_t){.body = robot->body};
}

bool fleet_read_names(fleet_t * fleet, const ros_parameters_t * parameters)
{
  const rosidl_runtime_c__String__Sequence * names = &ros_parameters_value(parameters, "robots")->string_array_value;
  robot_t * robots = realloc(fleet->robots, ((size_t)fleet->count + names->size + 1) * sizeof *robots);
  if (robots == NULL) {
    return false;
  }
  fleet->robots = robots;
  for (int32_t k = 0; k < fleet->count; ++k) {
    bool is_named = false;
    for (size_t n = 0; !is_named && n < names->size; ++n) {
      is_named = strcmp(names->data[n].data, robots[k].name) == 0;
    }
    if (!is_named) {
      leave(&robots[k]);
    }
  }
  for (size_t n = 0; n < names->size; ++n) {
    if (find_place(fleet, names->data[n].data) < fleet->count) {
      continue;
    }
    const int32_t at = find_place(fleet, "");
    fleet->count += at == fleet->count ? 1 : 0;
    robots[at] = (robot_t){.shown_stop = -1, .has_come = true};
    robots[at].has_new_release = true;  // to stay, until there is a plan: somebody else may have told it to drive
    (void)name_copy(robots[at].name, names->data[n].data);
  }
  return true;
}

void fleet_fini(fleet_t * fleet)
{
  for (int32_t k = 0; fleet->robots != NULL && k < fleet->count; ++k) {
    free(fleet->robots[k].queue);
  }
  free(fleet->robots);
  ros_footprints_fini(&fleet->outlines);
  *fleet = (fleet_t){0};
}

static int32_t integer_of(const ros_parameters_t * parameters, const char * name, int32_t index, int32_t initial)
{
  const rosidl_runtime_c__int64__Sequence * values = &ros_parameters_value(parameters, name)->integer_array_value;
  return values->size == 0 ? initial : (int32_t)values->data[index];
}

bool fleet_read_robots(fleet_t * fleet, const ros_parameters_t * parameters)
{
  const rosidl_runtime_c__String__Sequence * names = &ros_parameters_value(parameters, "robots")->string_array_value;
  const rosidl_runtime_c__String__Sequence * texts = &ros_parameters_value(parameters, "footprints")->string_array_value;
  for (int32_t k = 0; k < (int32_t)names->size; ++k) {
    robot_t * robot = &fleet->robots[find_place(fleet, names->data[k].data)];
    const ros_footprint_t * outline = NULL;
    if (ros_footprints_get(&fleet->outlines, texts->size == 0 ? "" : texts->data[k].data, &outline, NULL) != FW_RET_OK) {
      return false;
    }
    robot->priority = integer_of(parameters, "priorities", k, 0);
    robot->body = (body_t){
      .outline = outline,
      .ticks_per_move = integer_of(parameters, "ticks_per_move", k, 1),
      .turn_ticks = integer_of(parameters, "turn_ticks", k, 0),
      .sweeps_sides = ros_parameters_value(parameters, "sweeps_sides")->bool_value,
    };
  }
  return true;
}

void fleet_set_fault(fleet_t * fleet, robot_t * robot, fault_t * fault, int32_t number, const char * format, ...)
{
  fault_t new = {.number = number};
  if (number != 0) {
    va_list arguments;
    va_start(arguments, format);
    (void)vsnprintf(new.text, sizeof new.text, format, arguments);
    va_end(arguments);
  }
  if (new.number == fault->number && strcmp(new.text, fault->text) == 0) {
    return;
  }
  if (number != 0) {
    RCUTILS_LOG_ERROR_NAMED(fleet->logger, "%s: error %d: %s", robot->name, number, new.text);
  } else {
    RCUTILS_LOG_INFO_NAMED(fleet->logger, "%s: error %d is over (%s)", robot->name, fault->number, fault->text);
  }
  *fault = new;
}

bool fleet_check_mail(
  fleet_t * fleet, robot_t * robot, const pose_mail_t * mail, const node_settings_t * settings, const char * what)
{
  const char * frame_id = mail->frame_id[0] == '/' ? mail->frame_id + 1 : mail->frame_id;
  if (strcmp(frame_id, settings->map_frame) != 0) {
    fleet_set_fault(
      fleet, robot, &robot->message, FAULT_FRAME, "%s refused: its frame_id is '%.60s', not '%.60s'", what, frame_id,
      settings->map_frame);
    return false;
  }
  if (!point_is_finite(mail->point) || !isfinite(mail->yaw)) {
    fleet_set_fault(fleet, robot, &robot->message, FW_FAULT_INVALID, "%s refused: its position is not a number", what);
    return false;
  }
  return true;
}

bool fleet_take_pose(
  fleet_t * fleet, robot_t * robot, const pose_mail_t * mail, const node_settings_t * settings, int64_t now_ns)
{
  if (!fleet_check_mail(fleet, robot, mail, settings, "pose")) {
    return false;
  }
  if (strncmp(robot->message.text, "pose", 4) == 0) {
    fleet_set_fault(fleet, robot, &robot->message, 0, "-");
  }
  if (!robot->has_pose || point_distance(mail->point, robot->still_point) > STILL_METRES) {
    robot->still_point = mail->point;
    robot->still_ns = now_ns;
  }
  robot->is_still = now_ns - robot->still_ns > STILL_NS;
  robot->has_pose = true;
  robot->point = mail->point;
  robot->yaw = mail->yaw;
  robot->heard_ns = now_ns;
  return true;
}

void robot_retry_now(robot_t * robot)
{
  robot->retry_ns = 0;
  robot->patience_ns = 0;
}

void robot_restart_clock(robot_t * robot, int64_t now_ns)
{
  robot->heard_ns = now_ns;
  robot->still_ns = now_ns;
  robot->settle_ns = now_ns;
  robot->is_still = false;
  robot->is_off_plan = false;
  robot_retry_now(robot);
}

bool robot_is_given_up(const robot_t * robot, int64_t now_ns)
{
  const int32_t number = robot->planning.number;
  const bool has_no_plan = number == (int32_t)FW_FAULT_TIMEOUT || number == (int32_t)FW_FAULT_NO_VALID_PATH;
  return has_no_plan && now_ns < robot->retry_ns;
}

bool fleet_watch(fleet_t * fleet, const node_settings_t * settings, int64_t now_ns)
{
  bool any_changed = false;
  for (int32_t k = 0; k < fleet->count; ++k) {
    robot_t * robot = &fleet->robots[k];
    const double silence = (double)(now_ns - robot->heard_ns) * 1e-9;
    const bool is_stale = robot->has_pose && settings->odom_timeout > 0.0 && silence > settings->odom_timeout;
    if (is_stale == robot->is_stale) {
      continue;
    }
    any_changed = true;
    robot->is_stale = is_stale;
    if (is_stale) {
      RCUTILS_LOG_ERROR_NAMED(
        fleet->logger, "%s: no pose for %.1f s: it is an obstacle at (%.7g, %.7g) until it is heard again", robot->name,
        silence, robot->point.x, robot->point.y);
    } else {
      RCUTILS_LOG_INFO_NAMED(fleet->logger, "%s: poses come again", robot->name);
    }
  }
  return any_changed;
}

robot_state_t robot_state(const robot_t * robot, bool is_done)
{
  if (!robot->has_pose) {
    return ROBOT_WAITING;
  }
  if (robot->is_stale) {
    return ROBOT_STALE;
  }
  if (!robot->has_goal) {
    return ROBOT_IDLE;
  }
  if (robot->planning.number != 0) {
    return ROBOT_HELD;
  }
  // How well it stands there is its own affair.
  return is_done && !robot->is_off_plan ? ROBOT_ARRIVED : ROBOT_MOVING;
}

const char * robot_state_name(robot_state_t state)
{
  static const char * const names[] = {"waiting", "idle", "moving", "arrived", "held", "stale"};
  return names[state];
}

const fault_t * robot_fault(const robot_t * robot)
{
  const fault_t * here = robot->standing.number != 0 ? &robot->standing : &robot->message;
  return robot->planning.number != 0 ? &robot->planning : here;
}
