#include "ros/planner_node/driving.h"

#include <math.h>
#include <rcutils/logging_macros.h>

static const double NEVER = 1e9;  // seconds, or cells
// Robots that have not come to the end of their release by then do not come.
static const int64_t DRAIN_NS = 15000000000;

void driving_fini(driving_t * driving)
{
  fw_execution_fini(&driving->execution);
  *driving = (driving_t){0};
}

// ---- beginning and end

static double clamp(double value, double low, double high) { return fmin(fmax(value, low), high); }

// Two robots of radius r cells that are to pass each other leave 1 - 2 r: half of it is for being early at a waypoint,
// the other half for odometry.
static fw_execution_options_t options_of(const frame_t * frame, const node_settings_t * settings, int64_t tick_ns)
{
  const double room = 1.0 - 2.0 * settings->robot_radius / frame->resolution;
  const double cell = frame->resolution;
  fw_execution_options_t options = fw_execution_options_default();
  options.seconds_per_tick = (double)tick_ns * 1e-9;
  options.rings = settings->robust_ticks == 0 ? FW_RINGS_TOGETHER : FW_RINGS_REFUSED;
  options.tolerance = settings->waypoint_tolerance > 0.0 ? clamp(settings->waypoint_tolerance / cell, 0.01, 0.4)
                                                         : clamp(0.5 * room, 0.01, 0.1);
  options.yaw_tolerance = 0.2;
  options.off_path_max = settings->plan_tolerance > 0.0 ? fmin(settings->plan_tolerance / cell, 0.75) : NEVER;
  options.ahead_max = settings->release_ahead / cell;
  options.stale_seconds = settings->odom_timeout > 0.0 ? settings->odom_timeout : NEVER;
  options.stopped_seconds = settings->stopped_timeout > 0.0 ? settings->stopped_timeout : NEVER;
  return options;
}

bool driving_is_outdated(const driving_t * driving, const map_t * map, const node_settings_t * settings, int64_t tick_ns)
{
  const fw_execution_options_t new = options_of(&map->frame, settings, tick_ns);
  const fw_execution_options_t * old = &driving->options;
  return !frames_are_same(&driving->frame, &map->frame) || driving->connectivity != settings->connectivity ||
         old->seconds_per_tick != new.seconds_per_tick || old->rings != new.rings || old->tolerance != new.tolerance ||
         old->off_path_max != new.off_path_max || old->ahead_max != new.ahead_max ||
         old->stale_seconds != new.stale_seconds || old->stopped_seconds != new.stopped_seconds;
}

bool driving_begin(
  driving_t * driving, const map_t * map, const node_settings_t * settings, int64_t tick_ns, int64_t now_ns,
  fw_error_t * reason)
{
  fw_error_t error = {0};
  driving->options = options_of(&map->frame, settings, tick_ns);
  driving->frame = map->frame;
  driving->connectivity = settings->connectivity;
  driving->base_ns = now_ns;
  driving->is_draining = false;
  driving->is_cut = false;
  driving->is_on = fw_execution_init(&driving->execution, &driving->options, &error) == FW_RET_OK;
  if (!driving->is_on) {
    return refuse(reason, "%s", error.text);
  }
  if (driving->is_paused) {
    fw_execution_pause(&driving->execution);
  }
  return true;
}

void driving_end(driving_t * driving, fleet_t * fleet)
{
  fw_execution_fini(&driving->execution);
  driving->execution = (fw_execution_t){0};
  driving->is_on = false;
  driving->is_draining = false;
  driving->is_cut = false;
  for (int32_t k = 0; k < fleet->count; ++k) {
    fleet->robots[k].has_new_release = true;
    fleet->robots[k].shown_stop = -1;
  }
}

void driving_drain(driving_t * driving, int64_t now_ns)
{
  if (driving->is_on && !driving->is_draining) {
    driving->is_draining = true;
    driving->drain_end_ns = now_ns + DRAIN_NS;
    fw_execution_pause(&driving->execution);
  }
}

bool driving_has_drained(const driving_t * driving, const fleet_t * fleet, int64_t now_ns)
{
  bool have_all = true;
  for (int32_t k = 0; have_all && k < fleet->count; ++k) {
    const fw_execution_status_t status = driving_status(driving, k);
    have_all = status.state == FW_EXECUTION_ABSENT || status.reached == status.stop_at || driving_is_stuck(driving, k);
  }
  return have_all || now_ns >= driving->drain_end_ns;
}

// ---- progress

double driving_seconds(const driving_t * driving, int64_t time_ns)
{
  return (double)(time_ns - driving->base_ns) * 1e-9;
}

void driving_report(driving_t * driving, const robot_t * robot, int32_t index, int64_t now_ns)
{
  const point_t at = frame_coordinates(&driving->frame, robot->point);
  const fw_execution_measure_t measure = {
    .time = driving_seconds(driving, now_ns),
    .x = at.x - 0.5,
    .y = at.y - 0.5,
    .yaw = robot->yaw - driving->frame.yaw,
  };
  fw_error_t error = {0};
  if (fw_execution_report(&driving->execution, index, &measure, &error) != FW_RET_OK) {
    RCUTILS_LOG_DEBUG_NAMED(driving->logger, "report of %s: %s", robot->name, error.text);
  }
}

void driving_update(driving_t * driving, int64_t now_ns)
{
  fw_execution_update(&driving->execution, driving_seconds(driving, now_ns));
}

fw_execution_status_t driving_status(const driving_t * driving, int32_t index)
{
  fw_execution_status_t status = {.other = -1, .root = -1, .cell = FW_CELL_NONE};
  if (driving->is_on && fw_execution_robot(&driving->execution, index, &status, NULL) != FW_RET_OK) {
    status.state = FW_EXECUTION_ABSENT;
  }
  return status;
}

bool driving_has(const driving_t * driving, int32_t index)
{
  return driving_status(driving, index).state != FW_EXECUTION_ABSENT;
}

bool driving_is_stuck(const driving_t * driving, int32_t index)
{
  const fw_execution_state_t state = driving_status(driving, index).state;
  return state == FW_EXECUTION_STOPPED || state == FW_EXECUTION_OBSTRUCTED || state == FW_EXECUTION_OFF_PATH ||
         state == FW_EXECUTION_STALE;
}

void driving_remove(driving_t * driving, fleet_t * fleet, int32_t index)
{
  if (driving_has(driving, index)) {
    fw_execution_remove(&driving->execution, index);
    fleet->robots[index].has_new_release = true;
    fleet->robots[index].shown_stop = -1;
  }
}

void driving_note_changes(driving_t * driving, fleet_t * fleet)
{
  int32_t count = 0;
  const int32_t * changed = fw_execution_changed(&driving->execution, &count);
  for (int32_t k = 0; k < count; ++k) {
    if (changed[k] >= fleet->count) {
      continue;
    }
    robot_t * robot = &fleet->robots[changed[k]];
    const fw_execution_status_t status = driving_status(driving, changed[k]);
    // A splice leaves what is released as it was: numbers of waypoints stay, so that is nothing to tell.
    robot->has_new_release = robot->has_new_release || status.stop_at != robot->shown_stop;
  }
}
