#include "node/fleet.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcutils/logging_macros.h>

bool fleet_init(fleet_t * fleet, const parameters_t * parameters, const char * logger)
{
  const rosidl_runtime_c__String__Sequence * names = &parameters_value(parameters, "robots")->string_array_value;
  fleet->logger = logger;
  fleet->robots = calloc(names->size + 1, sizeof *fleet->robots);
  if (fleet->robots == NULL) {
    return false;
  }
  fleet->count = (int32_t)names->size;
  for (size_t k = 0; k < names->size; ++k) {
    (void)name_copy(fleet->robots[k].name, names->data[k].data);
  }
  return fleet_read_robots(fleet, parameters);
}

void fleet_fini(fleet_t * fleet)
{
  free(fleet->robots);
  fw_outlines_fini(&fleet->outlines);
  *fleet = (fleet_t){0};
}

static int32_t integer_of(const parameters_t * parameters, const char * name, int32_t index, int32_t initial)
{
  const rosidl_runtime_c__int64__Sequence * values = &parameters_value(parameters, name)->integer_array_value;
  return values->size == 0 ? initial : (int32_t)values->data[index];
}

bool fleet_read_robots(fleet_t * fleet, const parameters_t * parameters)
{
  const rosidl_runtime_c__String__Sequence * texts = &parameters_value(parameters, "footprints")->string_array_value;
  for (int32_t k = 0; k < fleet->count; ++k) {
    robot_t * robot = &fleet->robots[k];
    const fw_outline_t * outline = NULL;
    if (fw_outlines_get(&fleet->outlines, texts->size == 0 ? "" : texts->data[k].data, &outline, NULL) != FW_RET_OK) {
      return false;
    }
    robot->priority = integer_of(parameters, "priorities", k, 0);
    robot->body = (body_t){
      .outline = outline,
      .ticks_per_move = integer_of(parameters, "ticks_per_move", k, 1),
      .turn_ticks = integer_of(parameters, "turn_ticks", k, 0),
      .sweeps_sides = parameters_value(parameters, "sweeps_sides")->bool_value,
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

static bool check_mail(
  fleet_t * fleet, robot_t * robot, const pose_mail_t * mail, const settings_t * settings, const char * what)
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
  fleet_t * fleet, robot_t * robot, const pose_mail_t * mail, const settings_t * settings, int64_t now_ns)
{
  if (!check_mail(fleet, robot, mail, settings, "pose")) {
    return false;
  }
  if (strncmp(robot->message.text, "pose", 4) == 0) {
    fleet_set_fault(fleet, robot, &robot->message, 0, "-");
  }
  const bool is_first = !robot->has_pose;
  robot->has_pose = true;
  robot->point = mail->point;
  robot->yaw = mail->yaw;
  robot->heard_ns = now_ns;
  return is_first;
}

bool fleet_take_goal(
  fleet_t * fleet, robot_t * robot, const pose_mail_t * mail, const settings_t * settings, const map_t * map)
{
  if (!check_mail(fleet, robot, mail, settings, "goal")) {
    return false;
  }
  // Without a map it is kept and judged in the first round.
  if (map->revision > 0) {
    const fw_cell_t cell = frame_cell(&map->frame, mail->point);
    if (cell == FW_CELL_NONE) {
      fleet_set_fault(
        fleet, robot, &robot->message, FW_FAULT_GOAL_OUTSIDE, "goal refused: (%.7g, %.7g) is outside the map",
        mail->point.x, mail->point.y);
      return false;
    }
    if (!body_fits_on(&robot->body, &map->grid, settings->connectivity, cell)) {
      fleet_set_fault(
        fleet, robot, &robot->message, FW_FAULT_GOAL_OCCUPIED, "goal refused: (%.7g, %.7g) is in an obstacle",
        mail->point.x, mail->point.y);
      return false;
    }
  }
  fleet_set_fault(fleet, robot, &robot->message, 0, "-");
  robot->has_goal = true;
  robot->goal = mail->point;
  robot->goal_yaw = mail->yaw;
  robot->goal_order = ++fleet->goals_seen;
  robot_retry_now(robot);
  return true;
}

void robot_retry_now(robot_t * robot)
{
  robot->retry_ns = 0;
  robot->patience_ns = 0;
}

bool robot_is_given_up(const robot_t * robot, int64_t now_ns)
{
  const int32_t number = robot->planning.number;
  const bool has_no_plan = number == (int32_t)FW_FAULT_TIMEOUT || number == (int32_t)FW_FAULT_NO_VALID_PATH;
  return has_no_plan && now_ns < robot->retry_ns;
}

bool fleet_watch(fleet_t * fleet, const settings_t * settings, int64_t now_ns)
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
