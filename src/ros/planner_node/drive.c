// One turn of driving by the dependency graph: what robots have reported, who is stuck, and what is to be told.

#include "ros/planner_node/drive.h"

#include <rcutils/logging_macros.h>

#include "ros/planner_node/round.h"

static const int64_t UPDATE_NS = 100000000;
static const int64_t RETIME_NS = 1000000000;
static const int64_t SETTLE_NS = 5000000000;  // whoever is not in the middle of its cell by then does not get there

static bool is_by_dependency(const planning_t * planning)
{
  return planning->settings.execution_mode == NODE_EXECUTION_DEPENDENCY;
}

static void set_obstacles(planning_t * planning)
{
  const driving_obstacles_t obstacles = {
    .map = &planning->map,
    .is_blocked = planning->blocked.count > 0 ? planning->blocked.cells : NULL,
    .fleet = &planning->fleet,
    .robot_radius = planning->settings.robot_radius,
  };
  planning->obstacles_are_old = !driving_set_obstacles(&planning->driving, &obstacles);
}

// ---- who is stuck

static void log_stuck(const planning_t * planning, int32_t index, bool is_stuck)
{
  const robot_t * robot = &planning->fleet.robots[index];
  if (is_stuck) {
    const char * state = fw_execution_state_name(driving_status(&planning->driving, index).state);
    RCUTILS_LOG_WARN_NAMED(
      planning->logger, "%s is %s at (%.7g, %.7g): the others plan around it", robot->name, state, robot->point.x,
      robot->point.y);
  } else {
    RCUTILS_LOG_INFO_NAMED(planning->logger, "%s is on its way again", robot->name);
  }
}

// A robot that was pushed off its way, and stands, is planned for anew from where it is.
static void let_go_of_lost(planning_t * planning, int32_t index, const fw_execution_status_t * status)
{
  const robot_t * robot = &planning->fleet.robots[index];
  if (status->state != FW_EXECUTION_OFF_PATH || !robot->is_still || robot->is_stale) {
    return;
  }
  if (worker_state(&planning->worker) != WORKER_IDLE) {
    worker_cancel(&planning->worker);  // it plans from where the robot does not get to
  } else {
    planning->fleet.robots[index].was_stuck = false;
    driving_remove(&planning->driving, &planning->fleet, index);
    set_obstacles(planning);
    planning_want(planning, "a robot has left its way");
  }
}

static void look_at_robot(planning_t * planning, int32_t index)
{
  robot_t * robot = &planning->fleet.robots[index];
  const fw_execution_status_t status = driving_status(&planning->driving, index);
  const bool is_stuck = driving_is_stuck(&planning->driving, index);
  robot->is_off_plan = status.state == FW_EXECUTION_OFF_PATH;
  if (is_stuck != robot->was_stuck) {
    robot->was_stuck = is_stuck;
    log_stuck(planning, index, is_stuck);
    planning_want(planning, is_stuck ? "a robot is stuck" : "a robot is on its way again");
  }
  let_go_of_lost(planning, index, &status);
}

static void look_who_settles(planning_t * planning, int64_t now_ns)
{
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    robot_t * robot = &planning->fleet.robots[k];
    const frame_t * frame = &planning->map.frame;
    const fw_cell_t cell = frame_cell(frame, robot->point);
    if (!robot->is_settling || cell == FW_CELL_NONE) {
      continue;
    }
    const double off = point_distance(frame_point(frame, cell), robot->point);
    if (off <= planning->driving.options.tolerance * frame->resolution || now_ns > robot->settle_ns + SETTLE_NS) {
      robot->is_settling = false;
      planning_want(planning, "a robot has come to the middle of its cell");
    }
  }
}

// ---- what is to be told

static void note_new_tracks(planning_t * planning)
{
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    robot_t * robot = &planning->fleet.robots[k];
    const int64_t shift_ns = track_end(&planning->schedule.tracks[k]) - robot->shown_end_ns;
    const int64_t least_ns = planning->schedule.tick_ns / 2;
    robot->has_new_track = robot->has_new_track || shift_ns > least_ns || shift_ns < -least_ns;
  }
}

// ---- life

// Is there an execution for this map, these speeds and tolerances? Else there will be, once everybody stands.
static void keep_up_to_date(planning_t * planning, int64_t now_ns)
{
  driving_t * driving = &planning->driving;
  fw_error_t reason = {0};
  const int64_t tick_ns = round_tick_ns(&planning->map.frame, &planning->settings);
  if (driving->is_on && driving_is_outdated(driving, &planning->map, &planning->settings, tick_ns)) {
    worker_cancel(&planning->worker);
    driving_drain(driving, now_ns);
  }
  if (driving->is_draining && driving_has_drained(driving, &planning->fleet, now_ns)) {
    planning_end_drive(planning);
    planning_want(planning, "everybody stands");
  }
  if (!driving->is_on && !driving_begin(driving, &planning->map, &planning->settings, tick_ns, now_ns, &reason)) {
    round_note_failure(planning, "cannot drive", reason.text);
  }
}

void planning_end_drive(planning_t * planning)
{
  if (is_by_dependency(planning)) {
    driving_end(&planning->driving, &planning->fleet);
    for (int32_t k = 0; k < planning->fleet.count; ++k) {
      planning->fleet.robots[k].has_new_track = planning->schedule.tracks[k].count > 0;
      planning->fleet.robots[k].was_stuck = false;
      planning->fleet.robots[k].is_settling = false;
    }
    schedule_clear(&planning->schedule);
    planning->obstacles_are_old = true;
  }
}

void planning_drive(planning_t * planning, int64_t now_ns)
{
  driving_t * driving = &planning->driving;
  if (!is_by_dependency(planning) || planning->map.revision == 0 || now_ns <= 0) {
    return;
  }
  keep_up_to_date(planning, now_ns);
  if (!driving->is_on) {
    return;
  }
  if (now_ns >= planning->next_drive_ns || planning->next_drive_ns > now_ns + 2 * UPDATE_NS) {
    planning->next_drive_ns = now_ns + UPDATE_NS;
    driving_update(driving, now_ns);
    if (planning->obstacles_are_old) {
      set_obstacles(planning);
    }
    for (int32_t k = 0; k < planning->fleet.count; ++k) {
      look_at_robot(planning, k);
    }
    look_who_settles(planning, now_ns);
    const bool is_idle = worker_state(&planning->worker) == WORKER_IDLE;
    if (is_idle && driving_withdraw_obstructed(driving, now_ns, &planning->fleet)) {
      planning_want(planning, "a robot stands before an obstacle");
    }
  }
  if (now_ns >= planning->next_retime_ns || planning->next_retime_ns > now_ns + 2 * RETIME_NS) {
    planning->next_retime_ns = now_ns + RETIME_NS;
    if (round_write_tracks(planning)) {
      note_new_tracks(planning);
    }
  }
  driving_note_changes(driving, &planning->fleet);
}

void planning_pause(planning_t * planning, bool is_paused)
{
  driving_t * driving = &planning->driving;
  driving->is_paused = is_paused;
  if (driving->is_on && !driving->is_draining) {
    if (is_paused) {
      fw_execution_pause(&driving->execution);
    } else {
      fw_execution_resume(&driving->execution);
    }
  }
}
