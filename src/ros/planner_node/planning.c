#include "ros/planner_node/planning.h"

#include <stdlib.h>
#include <string.h>

#include <rcutils/logging_macros.h>

#include "ros/planner_node/drive.h"
#include "ros/planner_node/round.h"

// Robots that drive by the dependency graph can do with fewer plans.
static const int64_t ROUNDS_NS = 200000000;

bool planning_init(
  planning_t * planning, const ros_parameters_t * parameters, const node_settings_t * settings, const char * logger,
  void (*on_done)(void * context), void * context)
{
  planning->settings = *settings;
  planning->logger = logger;
  planning->driving.logger = logger;
  planning->lead_ns = node_seconds_to_ns(settings->plan_lead_seconds);
  recording_open(&planning->worker.recording, settings, logger);
  return fleet_init(&planning->fleet, parameters, logger) && closures_init(&planning->closures, parameters, logger) &&
         nav_msgs__msg__OccupancyGrid__init(&planning->map_message) && blocked_init(&planning->blocked) &&
         schedule_init(&planning->schedule, planning->fleet.count) && worker_init(&planning->worker, on_done, context);
}

void planning_fini(planning_t * planning)
{
  worker_fini(&planning->worker);
  driving_fini(&planning->driving);
  schedule_fini(&planning->schedule);
  blocked_fini(&planning->blocked);
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
  planning_end_drive(planning);
  schedule_clear(&planning->schedule);
  planning->story.is_driven = false;
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    robot_retry_now(&planning->fleet.robots[k]);
    robot_restart_clock(&planning->fleet.robots[k], now_ns);
  }
  planning->next_look_ns = now_ns;
  planning->last_now_ns = now_ns;
  planning_want(planning, "the plans were dropped");
}

bool planning_read_names(planning_t * planning, const ros_parameters_t * parameters)
{
  fleet_t * fleet = &planning->fleet;
  const bool is_fine = fleet_read_names(fleet, parameters) && schedule_grow(&planning->schedule, fleet->count);
  for (int32_t k = 0; k < planning->schedule.robot_count; ++k) {
    robot_t * robot = &fleet->robots[k];
    if (!robot_is_there(robot) || robot->has_come) {
      planning->schedule.tracks[k].count = 0;
      driving_remove(&planning->driving, fleet, k);
      robot->has_new_release = robot->has_come;
      robot->has_come = false;
    }
  }
  planning->obstacles_are_old = true;
  return is_fine;
}

void planning_read_settings(planning_t * planning, const ros_parameters_t * parameters, const node_settings_t * settings)
{
  const node_settings_t old = planning->settings;
  planning->settings = *settings;
  planning->lead_ns = node_seconds_to_ns(settings->plan_lead_seconds);
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
    planning_build_map(planning, &planning->map_message);
  } else if (old.closure_radius != settings->closure_radius) {
    closures_lay(&planning->closures, settings, &planning->map);
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

bool planning_is_at_goal(const planning_t * planning, int32_t index, int64_t now_ns)
{
  if (!planning_ends_at_goal(planning, index)) {
    return false;
  }
  return planning->driving.is_on ? driving_status(&planning->driving, index).state == FW_EXECUTION_ARRIVED
                                 : track_end(&planning->schedule.tracks[index]) <= now_ns;
}

static void take_next_goals(planning_t * planning, int64_t now_ns)
{
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    robot_t * robot = &planning->fleet.robots[k];
    if (
      robot->queue_next < robot->queue_count && !robot->is_off_plan && planning_is_at_goal(planning, k, now_ns) &&
      fleet_next_goal(&planning->fleet, robot, &planning->settings, &planning->map)) {
      planning_want_soon(planning, "a robot goes on to its next goal");
    }
  }
}

// ---- one turn

bool planning_update(planning_t * planning, inbox_t * inbox, int64_t now_ns)
{
  bool has_new_schedule = false;
  if (planning->last_now_ns == 0 && now_ns > 0) {  // time begins: nothing is old yet
    planning_drop_plans(planning, now_ns);
  }
  planning->last_now_ns = now_ns;
  planning->oldest_report_ns = 0;
  planning_take_inbox(planning, inbox, now_ns);
  if (fleet_watch(&planning->fleet, &planning->settings, now_ns)) {
    planning_want(planning, "a robot has become stale or is heard again");
  }
  if (worker_state(&planning->worker) == WORKER_DONE) {
    has_new_schedule = round_take(planning, now_ns);
    round_uncut(planning);
    worker_finish(&planning->worker);
  }
  planning_drive(planning, now_ns);
  take_next_goals(planning, now_ns);
  round_look(planning, now_ns);
  if (
    worker_state(&planning->worker) == WORKER_IDLE && round_is_due(planning, now_ns) &&
    planning_obstacle(planning, now_ns) == NULL) {
    RCUTILS_LOG_DEBUG_NAMED(planning->logger, "planning: %s", planning->wanted);
    planning->wanted = NULL;
    planning->is_urgent = false;
    planning->next_round_ns = now_ns + ROUNDS_NS;
    if (!round_write(planning, now_ns)) {
      round_uncut(planning);
      round_note_failure(planning, "out of memory", "the problem does not fit");
    } else if (planning->worker.job.count > 0) {
      worker_start(&planning->worker);
    } else if (planning->driving.is_on) {
      round_uncut(planning);
    } else {  // nobody is left to plan for
      schedule_clear(&planning->schedule);
      planning->story.is_driven = false;
      has_new_schedule = true;
    }
  }
  return has_new_schedule;
}
