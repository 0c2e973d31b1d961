// Robots, their poses and their faults. See fleet.h.

#include "controller/fleet.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/heap.h"

// A robot that stays within STILL_METRES for longer than STILL_NS stands: odometry has noise. Where poses come only
// while a robot moves, one that is silent for SILENT_STILL_NS stands.
static const double STILL_METRES = 0.05;
static const double STILL_RADIANS =
  0.2;  // for robots with a heading in plans: one that turns on the spot does not stand
static const int64_t STILL_NS = 400000000;
static const int64_t SILENT_STILL_NS = 3000000000;

// ---- slots

int32_t fw__controller_fleet_find(const fw_controller_fleet_t * fleet, const char * name)
{
  for (int32_t k = 0; name[0] != '\0' && k < fleet->count; ++k) {
    if (strcmp(fleet->robots[k].name, name) == 0) {
      return k;
    }
  }
  return -1;
}

static int32_t find_free(const fw_controller_fleet_t * fleet)
{
  int32_t at = 0;
  while (at < fleet->count && fleet->robots[at].name[0] != '\0') {
    ++at;
  }
  return at;
}

// The release of a slot says "stay" when its robot leaves or comes: another node may have sent the robot somewhere.
static void free_slot(fw_controlled_robot_t * robot)
{
  free(robot->goals);
  free(robot->released.waypoints);
  fw__old_release_fini(&robot->old_release);
  *robot = (fw_controlled_robot_t){
    .body = robot->body, .release_revision = robot->release_revision + 1, .path_revision = robot->path_revision + 1};
}

// ---- bodies

// The robots of which bodies are made: a list, or the slots of the fleet.
typedef struct fw_shaped_robot_t {
  const char * name;  // "": a free slot
  fw_robot_shape_t shape;
} fw_shaped_robot_t;

static fw_body_scale_t scale_of(const fw_fleet_grid_t * grid)
{
  const double step = grid->resolution * (grid->settings->connectivity == 8 ? sqrt(2.0) : 1.0);
  return (fw_body_scale_t){
    .resolution = grid->resolution,
    .clearance = fw__waypoint_tolerance(grid->settings, grid->settings->robot_radius, grid->resolution),
    .tick_seconds = (double)grid->tick_ns * 1e-9,
    .step_metres = step,
    .connectivity = grid->settings->connectivity,
  };
}

// Robots that cut corners cover one cell, and nothing beside their diagonals.
static bool check_corners(
  const fw_fleet_grid_t * grid, const fw_fleet_bodies_t * bodies, int32_t k, fw_error_t * reason)
{
  const fw_robot_body_t * body = &bodies->bodies[k];
  if (!grid->settings->cuts_corners) {
    return true;
  }
  if (bodies->needs_sides) {
    return fw__refuse(
      reason,
      "with cut_corners, robots of %g m in cells of %g m would touch others beside a diagonal: set smaller "
      "robot_radius or larger planning_resolution",
      2.0 * bodies->robot_radius, grid->resolution);
  }
  const char * what = body->outline->counts[0] > 1 ? "covers more than one cell"
                      : body->turn_ticks > 0       ? "has a heading (turn_ticks)"
                      : body->sweeps_sides         ? "sweeps its sides"
                                                   : NULL;
  return what == NULL || fw__refuse(reason, "it %s, and cannot cut corners (cut_corners)", what);
}

static bool convert(
  fw_controller_fleet_t * fleet, const fw_shaped_robot_t * robots, const fw_fleet_grid_t * grid,
  fw_fleet_bodies_t * bodies, fw_error_t * reason)
{
  const bool has_grid = grid->resolution > 0.0;
  const fw_body_scale_t scale = has_grid ? scale_of(grid) : (fw_body_scale_t){0};
  bodies->resolution = grid->resolution;
  bodies->robot_radius = grid->settings->robot_radius;
  for (int32_t k = 0; has_grid && k < bodies->count; ++k) {
    const fw_hull_t * hull = robots[k].shape.hull;
    if (robots[k].name[0] != '\0' && hull != NULL && fw__hull_fits_one_cell(hull, grid->resolution)) {
      bodies->robot_radius = fmax(bodies->robot_radius, fmin(hull->radius, 0.5 * grid->resolution));
    }
  }
  bodies->needs_sides = has_grid && fw__diagonals_need_sides(grid->settings, bodies->robot_radius, grid->resolution);
  for (int32_t k = 0; k < bodies->count; ++k) {
    fw_robot_body_t * body = &bodies->bodies[k];
    fw_error_t cause = {0};
    if (robots[k].name[0] == '\0') {
      continue;
    }
    if (!fw__robot_shape_convert(&robots[k].shape, has_grid ? &scale : NULL, &fleet->shapes, body, &cause)) {
      return fw__refuse(reason, "robot '%.60s': %.180s", robots[k].name, cause.text);
    }
    if (!check_corners(grid, bodies, k, &cause)) {
      return fw__refuse(reason, "robot '%.60s': %.180s", robots[k].name, cause.text);
    }
    body->sweeps_sides = body->sweeps_sides || bodies->needs_sides;
    bodies->has_large_robots = bodies->has_large_robots || body->outline->counts[0] > 1;
  }
  return true;
}

static fw_shaped_robot_t * allocate_shapes(fw_fleet_bodies_t * bodies, int32_t count, fw_error_t * reason)
{
  *bodies = (fw_fleet_bodies_t){.bodies = fw__calloc((size_t)count + 1, sizeof *bodies->bodies), .count = count};
  fw_shaped_robot_t * robots = fw__calloc((size_t)count + 1, sizeof *robots);
  if (bodies->bodies == NULL || robots == NULL) {
    (void)fw__refuse(reason, "out of memory for %d robots", count);
    fw__fleet_bodies_fini(bodies);
    free(robots);
    return NULL;
  }
  return robots;
}

bool fw__controller_fleet_convert(
  fw_controller_fleet_t * fleet, const fw_fleet_grid_t * grid, fw_fleet_bodies_t * bodies, fw_error_t * reason)
{
  fw_shaped_robot_t * robots = allocate_shapes(bodies, fleet->count, reason);
  if (robots == NULL) {
    return false;
  }
  for (int32_t k = 0; k < fleet->count; ++k) {
    robots[k] = (fw_shaped_robot_t){fleet->robots[k].name, fleet->robots[k].shape};
  }
  const bool is_good = convert(fleet, robots, grid, bodies, reason);
  free(robots);
  if (!is_good) {
    fw__fleet_bodies_fini(bodies);
  }
  return is_good;
}

static void set_body(fw_controlled_robot_t * robot, const fw_robot_body_t * body)
{
  robot->has_new_body = robot->has_new_body || robot->body.outline != body->outline ||
                        robot->body.ticks_per_move != body->ticks_per_move ||
                        robot->body.turn_ticks != body->turn_ticks || robot->body.sweeps_sides != body->sweeps_sides;
  robot->body = *body;
}

void fw__controller_fleet_set_bodies(fw_controller_fleet_t * fleet, const fw_fleet_bodies_t * bodies)
{
  FW_ASSERT(bodies->count == fleet->count);
  for (int32_t k = 0; k < fleet->count; ++k) {
    if (fw__controlled_robot_is_listed(&fleet->robots[k])) {
      set_body(&fleet->robots[k], &bodies->bodies[k]);
    }
  }
}

void fw__fleet_bodies_fini(fw_fleet_bodies_t * bodies)
{
  free(bodies->bodies);
  *bodies = (fw_fleet_bodies_t){0};
}

// ---- the list of robots

// Reads and converts everything, so that nothing can fail any more once slots change.
static bool check_list(
  fw_controller_fleet_t * fleet, const fw_robot_list_t * list, fw_shaped_robot_t * shaped, fw_error_t * reason)
{
  for (int32_t k = 0; k < list->count; ++k) {
    const fw_controller_robot_t * robot = &list->robots[k];
    fw_error_t cause = {0};
    if (robot->name == NULL || robot->name[0] == '\0' || strlen(robot->name) >= FW_NAME_SIZE) {
      return fw__refuse(reason, "robot %d: its name must have 1 to %d characters", k, FW_NAME_SIZE - 1);
    }
    for (int32_t other = 0; other < k; ++other) {
      if (strcmp(robot->name, list->robots[other].name) == 0) {
        return fw__refuse(reason, "robot '%.60s' is listed twice", robot->name);
      }
    }
    shaped[k].name = robot->name;
    if (!fw__robot_shape_read(&shaped[k].shape, robot, &fleet->shapes, &cause)) {
      return fw__refuse(reason, "robot '%.60s': %.180s", robot->name, cause.text);
    }
  }
  return true;
}

static bool is_named(const fw_robot_list_t * list, const char * name)
{
  for (int32_t k = 0; k < list->count; ++k) {
    if (strcmp(list->robots[k].name, name) == 0) {
      return true;
    }
  }
  return false;
}

// A new robot in a free slot, or in one more for which there is room. Returns its index.
static int32_t add_robot(fw_controller_fleet_t * fleet, const char * name)
{
  const int32_t at = find_free(fleet);
  const bool is_used = at < fleet->count;
  fw_controlled_robot_t * robot = &fleet->robots[at];
  *robot = (fw_controlled_robot_t){
    .published_stop = -1,
    .is_new = true,
    .has_new_release = true,
    .log = fleet->site.log,
    .release_revision = is_used ? robot->release_revision : 0,
    .path_revision = is_used ? robot->path_revision : 0,
  };
  fleet->count += is_used ? 0 : 1;
  (void)fw__name_copy(robot->name, name);
  return at;
}

static bool set_list(
  fw_controller_fleet_t * fleet, const fw_robot_list_t * list, const fw_shaped_robot_t * shaped,
  const fw_fleet_bodies_t * bodies, fw_error_t * reason)
{
  fw_controlled_robot_t * robots =
    fw__realloc(fleet->robots, ((size_t)fleet->count + (size_t)list->count + 1) * sizeof *robots);
  if (robots == NULL) {
    return fw__refuse(reason, "out of memory for %d robots", list->count);
  }
  fleet->robots = robots;
  for (int32_t k = 0; k < fleet->count; ++k) {
    if (robots[k].name[0] != '\0' && !is_named(list, robots[k].name)) {
      list->on_leave(list->context, k);
      free_slot(&robots[k]);
    }
  }
  for (int32_t k = 0; k < list->count; ++k) {
    const int32_t known = fw__controller_fleet_find(fleet, list->robots[k].name);
    fw_controlled_robot_t * robot = &robots[known >= 0 ? known : add_robot(fleet, list->robots[k].name)];
    robot->priority = list->robots[k].priority;
    robot->shape = shaped[k].shape;
    set_body(robot, &bodies->bodies[k]);
  }
  return true;
}

static bool check_or_set(
  fw_controller_fleet_t * fleet, const fw_robot_list_t * list, bool is_check, fw_error_t * reason)
{
  fw_fleet_bodies_t bodies = {0};
  if (list->count < 0) {
    return fw__refuse(reason, "a list cannot have %d robots", list->count);
  }
  fw_shaped_robot_t * shaped = allocate_shapes(&bodies, list->count, reason);
  const bool is_good = shaped != NULL && check_list(fleet, list, shaped, reason) &&
                       convert(fleet, shaped, &list->grid, &bodies, reason) &&
                       (is_check || set_list(fleet, list, shaped, &bodies, reason));
  fw__fleet_bodies_fini(&bodies);
  free(shaped);
  return is_good;
}

bool fw__controller_fleet_set(fw_controller_fleet_t * fleet, const fw_robot_list_t * list, fw_error_t * reason)
{
  return check_or_set(fleet, list, false, reason);
}

bool fw__controller_fleet_check(fw_controller_fleet_t * fleet, const fw_robot_list_t * list, fw_error_t * reason)
{
  return check_or_set(fleet, list, true, reason);
}

void fw__controller_fleet_fini(fw_controller_fleet_t * fleet)
{
  for (int32_t k = 0; fleet->robots != NULL && k < fleet->count; ++k) {
    free(fleet->robots[k].goals);
    free(fleet->robots[k].released.waypoints);
    fw__old_release_fini(&fleet->robots[k].old_release);
  }
  free(fleet->robots);
  fw__robot_shapes_fini(&fleet->shapes);
  *fleet = (fw_controller_fleet_t){0};
}

// ---- faults

static bool is_fault_of(const fw_controlled_robot_t * robot, const fw_robot_fault_t * fault)
{
  return fault == &robot->pose_fault || fault == &robot->goal_fault || fault == &robot->planning_fault ||
         fault == &robot->standing_fault || fault == &robot->approach_fault;
}

void fw__controlled_robot_set_fault(
  fw_controlled_robot_t * robot, fw_robot_fault_t * fault, int32_t number, const char * format, ...)
{
  FW_ASSERT(is_fault_of(robot, fault) && number != 0);
  fw_robot_fault_t new = {.number = number};
  va_list arguments;
  va_start(arguments, format);
  (void)vsnprintf(new.text, sizeof new.text, format, arguments);
  fw__make_printable(new.text);
  va_end(arguments);
  if (new.number == fault->number && strcmp(new.text, fault->text) == 0) {
    return;
  }
  fw__log(robot->log, FW_LOG_ERROR, "%s: error %d: %s", robot->name, number, new.text);
  *fault = new;
}

void fw__controlled_robot_clear_fault(fw_controlled_robot_t * robot, fw_robot_fault_t * fault)
{
  FW_ASSERT(is_fault_of(robot, fault));
  if (fault->number == 0) {
    return;
  }
  fw__log(robot->log, FW_LOG_INFO, "%s: error %d is cleared (%s)", robot->name, fault->number, fault->text);
  *fault = (fw_robot_fault_t){0};
}

// ---- poses

static bool check_report(
  const fw_controller_settings_t * settings, const fw_pose_report_t * report, int64_t now_ns, fw_error_t * reason)
{
  const double age = now_ns > 0 ? ((double)now_ns - (double)report->stamp_ns) * 1e-9 : 0.0;  // no time yet: no age
  if (!fw__point_is_finite(report->pose.point) || !isfinite(report->pose.yaw)) {
    return fw__refuse(reason, "pose refused: its position is not finite");
  }
  if (!(report->deviation >= 0.0) || !isfinite(report->deviation)) {
    return fw__refuse(reason, "pose refused: its covariance is not a finite, positive number");
  }
  if (settings->pose_deviation_max > 0.0 && report->deviation > settings->pose_deviation_max) {
    return fw__refuse(
      reason, "pose refused: its standard deviation is %.3g m, above pose_deviation_max of %g m", report->deviation,
      settings->pose_deviation_max);
  }
  if (now_ns > 0 && report->stamp_ns != 0 && settings->pose_age_max > 0.0 && fabs(age) > settings->pose_age_max) {
    // Without the number of seconds, which would be another text with each message.
    return fw__refuse(
      reason, "pose refused: its stamp is more than pose_age_max (%g s) %s", settings->pose_age_max,
      age > 0.0 ? "old" : "in the future");
  }
  return true;
}

bool fw__controller_fleet_take_pose(
  fw_controller_fleet_t * fleet, fw_controlled_robot_t * robot, const fw_pose_report_t * report, int64_t now_ns,
  fw_error_t * reason)
{
  FW_ASSERT(fw__controlled_robot_is_listed(robot));
  if (!check_report(fleet->site.settings, report, now_ns, reason)) {
    fw__controlled_robot_set_fault(robot, &robot->pose_fault, (int32_t)reason->fault, "%s", reason->text);
    return false;
  }
  const int64_t stamp_ns = report->stamp_ns != 0 ? report->stamp_ns : now_ns;
  // A later one is known. One from the future does not count for that: it came from a clock that was put right since.
  if (robot->has_pose && stamp_ns < robot->stamp_ns && (robot->stamp_ns <= now_ns || stamp_ns > now_ns)) {
    return true;
  }
  // The same message again is not a sign of life.
  if (
    robot->has_pose && report->stamp_ns != 0 && stamp_ns == robot->stamp_ns && report->pose.point.x == robot->point.x &&
    report->pose.point.y == robot->point.y && report->pose.yaw == robot->yaw) {
    return true;
  }
  fw__controlled_robot_clear_fault(robot, &robot->pose_fault);
  const bool has_turned = robot->body.turn_ticks > 0 &&
                          fabs(remainder(report->pose.yaw - robot->still_yaw, 6.283185307179586)) > STILL_RADIANS;
  if (!robot->has_pose || has_turned || fw__point_distance(report->pose.point, robot->still_point) > STILL_METRES) {
    robot->still_point = report->pose.point;
    robot->still_yaw = report->pose.yaw;
    robot->still_ns = now_ns;
  }
  robot->is_still = now_ns - robot->still_ns > STILL_NS;
  robot->is_unsettled = robot->is_unsettled && !robot->is_still;
  robot->has_pose = true;
  robot->point = report->pose.point;
  robot->yaw = report->pose.yaw;
  robot->stamp_ns = stamp_ns;
  robot->heard_ns = now_ns;
  return true;
}

void fw__controlled_robot_reset_backoff(fw_controlled_robot_t * robot)
{
  robot->retry_ns = 0;
  robot->backoff_ns = 0;
}

void fw__controlled_robot_restart_clock(fw_controlled_robot_t * robot, int64_t now_ns)
{
  robot->heard_ns = now_ns;
  robot->stamp_ns = INT64_MIN;
  robot->still_ns = now_ns;
  robot->release_ns = now_ns;
  robot->centering_ns = now_ns;
  robot->approach.retry_ns = 0;
  robot->wait_retry_ns = 0;
  robot->is_still = false;
  robot->is_off_plan = false;
  fw__controlled_robot_reset_backoff(robot);
}

bool fw__controlled_robot_is_in_backoff(const fw_controlled_robot_t * robot, int64_t now_ns)
{
  const int32_t number = robot->planning_fault.number;
  const bool has_no_plan = number == (int32_t)FW_FAULT_TIMEOUT || number == (int32_t)FW_FAULT_NO_VALID_PATH;
  return has_no_plan && now_ns < robot->retry_ns;
}

bool fw__controller_fleet_check_silence(
  fw_controller_fleet_t * fleet, bool (*drives)(const void * context, int32_t index), const void * context,
  int64_t now_ns)
{
  const fw_controller_settings_t * settings = fleet->site.settings;
  const double timeout = settings->odom_timeout;
  bool any_changed = false;
  for (int32_t k = 0; k < fleet->count; ++k) {
    fw_controlled_robot_t * robot = &fleet->robots[k];
    double silence = (double)(now_ns - robot->heard_ns) * 1e-9;
    if (settings->poses_are_on_change) {
      robot->is_still = robot->is_still || (robot->has_pose && now_ns - robot->heard_ns > SILENT_STILL_NS);
      robot->is_unsettled = robot->is_unsettled && !robot->is_still;
      const double since_release = (double)(now_ns - robot->release_ns) * 1e-9;
      silence = drives(context, k) ? fmin(silence, since_release) : 0.0;
    }
    const bool is_stale = robot->has_pose && timeout > 0.0 && silence > timeout;
    if (is_stale == robot->is_stale) {
      continue;
    }
    any_changed = true;
    robot->is_stale = is_stale;
    if (is_stale) {
      fw__log(
        fleet->site.log, FW_LOG_ERROR,
        "%s: no pose for %.1f s; it counts as an obstacle at (%.7g, %.7g) until poses arrive again", robot->name,
        silence, robot->point.x, robot->point.y);
    } else {
      fw__log(fleet->site.log, FW_LOG_INFO, "%s: poses arrive again", robot->name);
    }
  }
  return any_changed;
}

fw_robot_state_t fw__controlled_robot_state(const fw_controlled_robot_t * robot, bool is_done)
{
  if (!robot->has_pose) {
    return FW_ROBOT_WAITING;
  }
  if (robot->is_stale) {
    return FW_ROBOT_STALE;
  }
  if (!robot->has_goal) {
    return FW_ROBOT_IDLE;
  }
  if (robot->planning_fault.number != 0) {
    return FW_ROBOT_HELD;
  }
  // The robot's own controller decides how exactly it stands on the goal.
  return is_done && !robot->is_off_plan ? FW_ROBOT_ARRIVED : FW_ROBOT_MOVING;
}

const fw_robot_fault_t * fw__controlled_robot_fault(const fw_controlled_robot_t * robot)
{
  const fw_robot_fault_t * const faults[] = {
    &robot->planning_fault, &robot->standing_fault, &robot->approach_fault, &robot->goal_fault, &robot->pose_fault};
  for (size_t k = 0; k + 1 < sizeof faults / sizeof faults[0]; ++k) {
    if (faults[k]->number != 0) {
      return faults[k];
    }
  }
  return &robot->pose_fault;
}
