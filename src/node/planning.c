#include "node/planning.h"

#include <stdlib.h>
#include <string.h>

#include <rcutils/logging_macros.h>

#include "node/round.h"

// When everything starts, poses come one by one and robots begin to listen one by one. A plan without some of them, or
// one that some of them do not get, would lead others into them. But one robot that is switched off must not stop all.
static const int64_t APPEARANCE_NS = 5000000000;

bool planning_init(
  planning_t * planning, const parameters_t * parameters, const settings_t * settings, const char * logger,
  void (*on_done)(void * context), void * context)
{
  planning->settings = *settings;
  planning->logger = logger;
  planning->lead_ns = seconds_to_ns(settings->plan_lead_seconds);
  return fleet_init(&planning->fleet, parameters, logger) && closures_init(&planning->closures, parameters, logger) &&
         nav_msgs__msg__OccupancyGrid__init(&planning->map_message) &&
         schedule_init(&planning->schedule, planning->fleet.count) && worker_init(&planning->worker, on_done, context);
}

void planning_fini(planning_t * planning)
{
  worker_fini(&planning->worker);
  schedule_fini(&planning->schedule);
  map_fini(&planning->map);
  nav_msgs__msg__OccupancyGrid__fini(&planning->map_message);
  closures_fini(&planning->closures);
  fleet_fini(&planning->fleet);
  free(planning->path.waypoints);
  planning->path = (track_t){0};
}

void planning_want(planning_t * planning, const char * why)
{
  planning->wanted = why;
  planning->is_urgent = true;
}

void planning_want_soon(planning_t * planning, const char * why)
{
  planning->wanted = planning->wanted == NULL ? why : planning->wanted;
}

void planning_drop_plans(planning_t * planning, int64_t now_ns)
{
  worker_cancel(&planning->worker);
  schedule_clear(&planning->schedule);
  planning->story.is_driven = false;
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    robot_retry_now(&planning->fleet.robots[k]);
    planning->fleet.robots[k].heard_ns = now_ns;
    planning->fleet.robots[k].is_off_plan = false;
  }
  planning->next_look_ns = now_ns;
  planning->last_now_ns = now_ns;
  planning_want(planning, "the plans were dropped");
}

// ---- the map

static void build_map(planning_t * planning, nav_msgs__msg__OccupancyGrid * message)
{
  const frame_t * frame = &planning->map.frame;
  reason_t reason = {0};
  if (!map_build(&planning->map, message, &planning->settings, &reason)) {
    if (strcmp(reason.text, planning->map_fault.text) != 0) {
      RCUTILS_LOG_ERROR_NAMED(
        planning->logger, "map refused: %s%s", reason.text,
        planning->map.revision > 0 ? "; the last good one stays in force" : "");
    }
    planning->map_fault = reason;
    return;
  }
  planning->map_fault.text[0] = '\0';
  if (message != &planning->map_message) {
    const nav_msgs__msg__OccupancyGrid swap = planning->map_message;
    planning->map_message = *message;
    *message = swap;
  }
  RCUTILS_LOG_INFO_NAMED(
    planning->logger, "map: %d x %d planning cells of %g m", frame->width, frame->height, frame->resolution);
  if (
    frame->resolution > planning->settings.planning_resolution * 1.001 &&
    planning->settings.planning_resolution > 0.0) {
    RCUTILS_LOG_WARN_NAMED(
      planning->logger, "planning cells are %g m, not %g m: a cell holds a whole robot and a whole map cell",
      frame->resolution, planning->settings.planning_resolution);
  }
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    robot_retry_now(&planning->fleet.robots[k]);
  }
  closures_lay(&planning->closures, &planning->settings, &planning->map);
  worker_cancel(&planning->worker);
  planning_want(planning, "there is a new map");
}

void planning_read_settings(planning_t * planning, const parameters_t * parameters, const settings_t * settings)
{
  const settings_t old = planning->settings;
  planning->settings = *settings;
  planning->lead_ns = seconds_to_ns(settings->plan_lead_seconds);
  if (!fleet_read_robots(&planning->fleet, parameters)) {
    RCUTILS_LOG_ERROR_NAMED(planning->logger, "out of memory for the bodies of robots: some stay as they were");
  }
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    robot_retry_now(&planning->fleet.robots[k]);
  }
  worker_cancel(&planning->worker);
  planning_want(planning, "parameters were set");
  const bool needs_map = old.robot_radius != settings->robot_radius ||
                         old.planning_resolution != settings->planning_resolution ||
                         old.occupied_thresh != settings->occupied_thresh || old.free_thresh != settings->free_thresh ||
                         old.unknown_is_free != settings->unknown_is_free;
  if (needs_map && planning->map.revision > 0) {
    build_map(planning, &planning->map_message);
  } else if (old.closure_radius != settings->closure_radius) {
    closures_lay(&planning->closures, settings, &planning->map);
  }
}

// ---- the inbox

static void take_pose(planning_t * planning, int32_t index, const pose_mail_t * mail, int64_t now_ns)
{
  robot_t * robot = &planning->fleet.robots[index];
  const track_t * track = &planning->schedule.tracks[index];
  const double tolerance = planning->settings.plan_tolerance;
  if (fleet_take_pose(&planning->fleet, robot, mail, &planning->settings, now_ns)) {
    planning_want(planning, "a robot has appeared");
    if (planning->patience_end_ns == 0) {
      planning->patience_end_ns = fw_clock_now_ns() + APPEARANCE_NS;
    }
  }
  const bool was_off_plan = robot->is_off_plan;
  robot->is_off_plan =
    track->count > 0 && tolerance > 0.0 && point_distance(track_at(track, now_ns), robot->point) > tolerance;
  if (robot->is_off_plan && !was_off_plan) {
    planning_want(planning, "a robot has left its plan");
  }
}

// What is closed anew may be in somebody's way, which cannot wait; what has opened can.
static void take_closures(planning_t * planning, int32_t index, const nav_msgs__msg__Path * message, int64_t now_ns)
{
  source_t * source = &planning->closures.sources[index];
  const interval_t always = {INT64_MIN, TIME_MAX};
  if (!closures_take(&planning->closures, source, message, &planning->settings, &planning->map)) {
    return;
  }
  planning->has_opened = true;
  if (source_touches(source, always, &planning->schedule, &planning->map.frame, now_ns)) {
    planning_want(planning, "a planned path is closed");
  }
}

static void take_map(planning_t * planning, nav_msgs__msg__OccupancyGrid * message)
{
  // Map servers repeat themselves; that is no reason to plan again.
  if (planning->map.revision > 0 && map_is_same(message, &planning->map_message)) {
    planning->map_fault.text[0] = '\0';
  } else {
    build_map(planning, message);
  }
}

static void take_inbox(planning_t * planning, inbox_t * inbox, int64_t now_ns)
{
  if (inbox->has_map) {
    inbox->has_map = false;
    take_map(planning, &inbox->map);
  }
  for (int32_t k = 0; k < planning->closures.count; ++k) {
    if (inbox->closures[k].is_new) {
      inbox->closures[k].is_new = false;
      take_closures(planning, k, &inbox->closures[k].path, now_ns);
    }
  }
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    robot_mail_t * mail = &inbox->robots[k];
    if (mail->pose.is_new) {
      mail->pose.is_new = false;
      take_pose(planning, k, &mail->pose, now_ns);
    }
    if (mail->goal.is_new) {
      mail->goal.is_new = false;
      if (fleet_take_goal(
            &planning->fleet, &planning->fleet.robots[k], &mail->goal, &planning->settings, &planning->map)) {
        planning_want_soon(planning, "there is a new goal");
      }
    }
  }
  if (inbox->wants_replan) {
    inbox->wants_replan = false;
    planning_want(planning, "~/replan was called");
  }
}

bool planning_ends_at_goal(const planning_t * planning, int32_t index)
{
  const robot_t * robot = &planning->fleet.robots[index];
  const track_t * track = &planning->schedule.tracks[index];
  const frame_t * frame = &planning->map.frame;
  if (!robot->has_goal || track->count == 0 || planning->map.revision == 0) {
    return false;
  }
  const fw_cell_t goal = frame_cell(frame, robot->goal);
  return goal != FW_CELL_NONE && frame_cell(frame, track->waypoints[track->count - 1].point) == goal;
}

// ---- one turn

bool planning_update(planning_t * planning, inbox_t * inbox, int64_t now_ns)
{
  bool has_new_schedule = false;
  if (planning->last_now_ns == 0 && now_ns > 0) {  // time begins: nothing is old yet
    planning_drop_plans(planning, now_ns);
  }
  planning->last_now_ns = now_ns;
  take_inbox(planning, inbox, now_ns);
  if (fleet_watch(&planning->fleet, &planning->settings, now_ns)) {
    planning_want(planning, "a robot has become stale or is heard again");
  }
  if (worker_state(&planning->worker) == WORKER_DONE) {
    has_new_schedule = round_take(planning, now_ns);
    worker_finish(&planning->worker);
  }
  round_look(planning, now_ns);
  if (
    worker_state(&planning->worker) == WORKER_IDLE && round_is_due(planning, now_ns) &&
    planning_obstacle(planning, now_ns) == NULL) {
    RCUTILS_LOG_DEBUG_NAMED(planning->logger, "planning: %s", planning->wanted);
    planning->wanted = NULL;
    planning->is_urgent = false;
    if (!round_write(planning, now_ns)) {
      round_note_failure(planning, "out of memory", "the problem does not fit");
    } else if (planning->worker.job.count > 0) {
      worker_start(&planning->worker);
    } else {  // nobody is left to plan for
      schedule_clear(&planning->schedule);
      planning->story.is_driven = false;
      has_new_schedule = true;
    }
  }
  return has_new_schedule;
}
