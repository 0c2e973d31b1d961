// Robots, their poses and their goals. See fleet.h.

#include "ros/planner_node/controller/fleet.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcutils/logging_macros.h>

#include "base/assert.h"

// A robot that stays within STILL_METRES for longer than STILL_NS stands: odometry has noise.
static const double STILL_METRES = 0.05;
static const int64_t STILL_NS = 400000000;

bool node_fleet_init(node_fleet_t * fleet, const ros_parameters_t * parameters, node_site_t site)
{
  fleet->site = site;
  return node_fleet_read_names(fleet, parameters) && node_fleet_read_bodies(fleet, parameters);
}

// ---- the list of robots

// The slot of a name; fleet->count if there is none.
static int32_t find_place(const node_fleet_t * fleet, const char * name)
{
  int32_t at = 0;
  while (at < fleet->count && strcmp(fleet->robots[at].name, name) != 0) {
    ++at;
  }
  return at;
}

static void free_place(node_robot_t * robot)
{
  free(robot->queue);
  *robot = (node_robot_t){.body = robot->body};
}

bool node_fleet_read_names(node_fleet_t * fleet, const ros_parameters_t * parameters)
{
  const rosidl_runtime_c__String__Sequence * names = &ros_parameters_value(parameters, "robots")->string_array_value;
  node_robot_t * robots = realloc(fleet->robots, ((size_t)fleet->count + names->size + 1) * sizeof *robots);
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
      free_place(&robots[k]);
    }
  }
  for (size_t n = 0; n < names->size; ++n) {
    if (find_place(fleet, names->data[n].data) < fleet->count) {
      continue;
    }
    const int32_t at = find_place(fleet, "");
    fleet->count += at == fleet->count ? 1 : 0;
    robots[at] = (node_robot_t){.published_stop = -1, .is_new = true, .logger = fleet->site.logger};
    // An empty release, "stay", until there is a plan: another node may have sent the robot somewhere.
    robots[at].has_new_release = true;
    (void)node_name_copy(robots[at].name, names->data[n].data);
  }
  return true;
}

void node_fleet_fini(node_fleet_t * fleet)
{
  for (int32_t k = 0; fleet->robots != NULL && k < fleet->count; ++k) {
    free(fleet->robots[k].queue);
  }
  free(fleet->robots);
  ros_footprints_fini(&fleet->outlines);
  *fleet = (node_fleet_t){0};
}

// Value `index` of a list of integers; `initial` if the list is empty.
static int32_t integer_of(const ros_parameters_t * parameters, const char * name, int32_t index, int32_t initial)
{
  const rosidl_runtime_c__int64__Sequence * values = &ros_parameters_value(parameters, name)->integer_array_value;
  FW_ASSERT(values->size == 0 || (size_t)index < values->size);
  return values->size == 0 ? initial : (int32_t)values->data[index];
}

bool node_fleet_read_bodies(node_fleet_t * fleet, const ros_parameters_t * parameters)
{
  const rosidl_runtime_c__String__Sequence * names = &ros_parameters_value(parameters, "robots")->string_array_value;
  const rosidl_runtime_c__String__Sequence * texts =
    &ros_parameters_value(parameters, "footprints")->string_array_value;
  for (int32_t k = 0; k < (int32_t)names->size; ++k) {
    const int32_t at = find_place(fleet, names->data[k].data);
    FW_ASSERT(at < fleet->count);  // node_fleet_read_names was called
    node_robot_t * robot = &fleet->robots[at];
    const ros_footprint_t * outline = NULL;
    if (
      ros_footprints_get(&fleet->outlines, texts->size == 0 ? "" : texts->data[k].data, &outline, NULL) != FW_RET_OK) {
      return false;
    }
    robot->priority = integer_of(parameters, "priorities", k, 0);
    robot->body = (node_body_t){
      .outline = outline,
      .ticks_per_move = integer_of(parameters, "ticks_per_move", k, 1),
      .turn_ticks = integer_of(parameters, "turn_ticks", k, 0),
      .sweeps_sides = ros_parameters_value(parameters, "sweeps_sides")->bool_value,
    };
  }
  return true;
}

// ---- faults

static bool is_fault_of(const node_robot_t * robot, const node_fault_t * fault)
{
  return fault == &robot->message_fault || fault == &robot->planning_fault || fault == &robot->standing_fault;
}

void node_robot_set_fault(node_robot_t * robot, node_fault_t * fault, int32_t number, const char * format, ...)
{
  FW_ASSERT(is_fault_of(robot, fault) && number != 0);
  node_fault_t new = {.number = number};
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(new.text, sizeof new.text, format, arguments);
  va_end(arguments);
  if (new.number == fault->number && strcmp(new.text, fault->text) == 0) {
    return;
  }
  RCUTILS_LOG_ERROR_NAMED(robot->logger, "%s: error %d: %s", robot->name, number, new.text);
  *fault = new;
}

void node_robot_clear_fault(node_robot_t * robot, node_fault_t * fault)
{
  FW_ASSERT(is_fault_of(robot, fault));
  if (fault->number == 0) {
    return;
  }
  RCUTILS_LOG_INFO_NAMED(robot->logger, "%s: error %d is cleared (%s)", robot->name, fault->number, fault->text);
  *fault = (node_fault_t){0};
}

// ---- poses

// True if the message is in the map frame and finite; otherwise sets the robot's `message_fault`.
static bool check_pose_message(
  node_fleet_t * fleet, node_robot_t * robot, const node_pose_message_t * message, const char * what)
{
  const char * frame_id = message->frame_id[0] == '/' ? message->frame_id + 1 : message->frame_id;
  if (strcmp(frame_id, fleet->site.settings->map_frame) != 0) {
    node_robot_set_fault(
      robot, &robot->message_fault, NODE_FAULT_FRAME, "%s refused: its frame_id is '%.60s', not '%.60s'", what,
      frame_id, fleet->site.settings->map_frame);
    return false;
  }
  if (!node_point_is_finite(message->point) || !isfinite(message->yaw)) {
    node_robot_set_fault(
      robot, &robot->message_fault, FW_FAULT_INVALID, "%s refused: its position is not finite", what);
    return false;
  }
  return true;
}

bool node_fleet_take_pose(
  node_fleet_t * fleet, node_robot_t * robot, const node_pose_message_t * message, int64_t now_ns)
{
  if (!check_pose_message(fleet, robot, message, "pose")) {
    return false;
  }
  if (strncmp(robot->message_fault.text, "pose", 4) == 0) {
    node_robot_clear_fault(robot, &robot->message_fault);
  }
  FW_ASSERT(node_robot_is_listed(robot));
  if (!robot->has_pose || node_point_distance(message->point, robot->still_point) > STILL_METRES) {
    robot->still_point = message->point;
    robot->still_ns = now_ns;
  }
  robot->is_still = now_ns - robot->still_ns > STILL_NS;
  robot->has_pose = true;
  robot->point = message->point;
  robot->yaw = message->yaw;
  robot->heard_ns = now_ns;
  return true;
}

void node_robot_reset_backoff(node_robot_t * robot)
{
  robot->retry_ns = 0;
  robot->backoff_ns = 0;
}

void node_robot_restart_clock(node_robot_t * robot, int64_t now_ns)
{
  robot->heard_ns = now_ns;
  robot->still_ns = now_ns;
  robot->centering_ns = now_ns;
  robot->is_still = false;
  robot->is_off_plan = false;
  node_robot_reset_backoff(robot);
}

bool node_robot_is_in_backoff(const node_robot_t * robot, int64_t now_ns)
{
  const int32_t number = robot->planning_fault.number;
  const bool has_no_plan = number == (int32_t)FW_FAULT_TIMEOUT || number == (int32_t)FW_FAULT_NO_VALID_PATH;
  return has_no_plan && now_ns < robot->retry_ns;
}

bool node_fleet_check_staleness(node_fleet_t * fleet, int64_t now_ns)
{
  const double timeout = fleet->site.settings->odom_timeout;
  bool any_changed = false;
  for (int32_t k = 0; k < fleet->count; ++k) {
    node_robot_t * robot = &fleet->robots[k];
    const double silence = (double)(now_ns - robot->heard_ns) * 1e-9;
    const bool is_stale = robot->has_pose && timeout > 0.0 && silence > timeout;
    if (is_stale == robot->is_stale) {
      continue;
    }
    any_changed = true;
    robot->is_stale = is_stale;
    if (is_stale) {
      RCUTILS_LOG_ERROR_NAMED(
        fleet->site.logger, "%s: no pose for %.1f s; it counts as an obstacle at (%.7g, %.7g) until poses arrive again",
        robot->name, silence, robot->point.x, robot->point.y);
    } else {
      RCUTILS_LOG_INFO_NAMED(fleet->site.logger, "%s: poses arrive again", robot->name);
    }
  }
  return any_changed;
}

node_robot_state_t node_robot_state(const node_robot_t * robot, bool is_done)
{
  if (!robot->has_pose) {
    return NODE_ROBOT_WAITING;
  }
  if (robot->is_stale) {
    return NODE_ROBOT_STALE;
  }
  if (!robot->has_goal) {
    return NODE_ROBOT_IDLE;
  }
  if (robot->planning_fault.number != 0) {
    return NODE_ROBOT_HELD;
  }
  // The robot's own controller decides how exactly it stands on the goal.
  return is_done && !robot->is_off_plan ? NODE_ROBOT_ARRIVED : NODE_ROBOT_MOVING;
}

const char * node_robot_state_name(node_robot_state_t state)
{
  static const char * const names[] = {"waiting", "idle", "moving", "arrived", "held", "stale"};
  FW_ASSERT((size_t)state < sizeof names / sizeof names[0]);
  return names[state];
}

const node_fault_t * node_robot_fault(const node_robot_t * robot)
{
  const node_fault_t * here = robot->standing_fault.number != 0 ? &robot->standing_fault : &robot->message_fault;
  return robot->planning_fault.number != 0 ? &robot->planning_fault : here;
}

// ---- goals

// True if the robot could stand on the goal; otherwise sets its `message_fault`.
static bool check_goal(node_fleet_t * fleet, node_robot_t * robot, const node_pose_message_t * message)
{
  if (!check_pose_message(fleet, robot, message, "goal")) {
    return false;
  }
  const node_map_t * map = fleet->site.map;
  const fw_cell_t cell = map->revision > 0 ? node_frame_cell(&map->frame, message->point) : 0;
  if (cell == FW_CELL_NONE) {
    node_robot_set_fault(
      robot, &robot->message_fault, FW_FAULT_GOAL_OUTSIDE, "goal refused: (%.7g, %.7g) is outside the map",
      message->point.x, message->point.y);
    return false;
  }
  if (map->revision > 0 && !node_body_fits_on(&robot->body, &map->grid, fleet->site.settings->connectivity, cell)) {
    node_robot_set_fault(
      robot, &robot->message_fault, FW_FAULT_GOAL_OCCUPIED, "goal refused: (%.7g, %.7g) is in an obstacle",
      message->point.x, message->point.y);
    return false;
  }
  return true;
}

static void set_goal(node_fleet_t * fleet, node_robot_t * robot, const node_pose_message_t * message)
{
  node_robot_clear_fault(robot, &robot->message_fault);
  robot->has_goal = true;
  robot->goal = message->point;
  robot->goal_yaw = message->yaw;
  robot->goal_order = ++fleet->goals_seen;
  node_robot_reset_backoff(robot);
}

bool node_fleet_take_goal(node_fleet_t * fleet, node_robot_t * robot, const node_pose_message_t * message)
{
  if (!check_goal(fleet, robot, message)) {
    return false;
  }
  robot->queue_count = 0;
  robot->queue_next = 0;
  set_goal(fleet, robot, message);
  return true;
}

bool node_fleet_take_goals(node_fleet_t * fleet, node_robot_t * robot, const node_robot_inbox_t * inbox)
{
  for (int32_t k = 0; k < inbox->queue_count; ++k) {
    if (!check_goal(fleet, robot, &inbox->queue[k])) {
      return false;
    }
  }
  node_pose_message_t * queue = realloc(robot->queue, ((size_t)inbox->queue_count + 1) * sizeof *queue);
  if (queue == NULL) {
    node_robot_set_fault(robot, &robot->message_fault, FW_FAULT_INVALID, "goals refused: out of memory");
    return false;
  }
  for (int32_t k = 0; k < inbox->queue_count; ++k) {
    queue[k] = inbox->queue[k];
  }
  robot->queue = queue;
  robot->queue_count = inbox->queue_count;
  robot->queue_next = 0;
  return node_fleet_next_goal(fleet, robot);
}

bool node_fleet_next_goal(node_fleet_t * fleet, node_robot_t * robot)
{
  FW_ASSERT(robot->queue_next >= 0 && robot->queue_next <= robot->queue_count);
  while (robot->queue_next < robot->queue_count) {
    const node_pose_message_t * next = &robot->queue[robot->queue_next++];
    if (check_goal(fleet, robot, next)) {
      set_goal(fleet, robot, next);
      return true;
    }
  }
  return false;
}
