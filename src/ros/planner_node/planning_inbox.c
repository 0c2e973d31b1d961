// What has come in: poses, goals, closures, blocked cells. Bad messages change nothing.

#include <string.h>

#include <rcutils/logging_macros.h>

#include "ros/planner_node/concern.h"

// When everything starts, poses come one by one and robots begin to listen one by one. A plan without some of them, or
// one that some of them do not get, would lead others into them. But one robot that is switched off must not stop all.
static const int64_t APPEARANCE_NS = 5000000000;

static void take_pose(planning_t * planning, int32_t index, const pose_mail_t * mail, int64_t now_ns)
{
  robot_t * robot = &planning->fleet.robots[index];
  const track_t * track = &planning->schedule.tracks[index];
  const double tolerance = planning->settings.plan_tolerance;
  const bool is_first = !robot->has_pose;
  if (!fleet_take_pose(&planning->fleet, robot, mail, &planning->settings, now_ns)) {
    return;
  }
  planning->reports += 1;
  if (is_first) {
    planning_want(planning, "a robot has appeared");
    if (planning->patience_end_ns == 0) {
      planning->patience_end_ns = fw_clock_now_ns() + APPEARANCE_NS;
    }
  }
  if (planning->driving.is_on) {
    const bool is_stranger = !driving_has(&planning->driving, index);
    planning->obstacles_are_old = planning->obstacles_are_old || (is_stranger && !robot->is_still);
    driving_report(&planning->driving, robot, index, now_ns);
    const bool is_oldest = planning->oldest_report_ns == 0 || mail->stamp_ns < planning->oldest_report_ns;
    planning->oldest_report_ns = is_oldest ? mail->stamp_ns : planning->oldest_report_ns;
    return;
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

// Costmaps say the same again and again: only what is new counts. It may be in somebody's way; what is gone may help
// somebody who waits. A round that is under way goes on, so that obstacles that move do not keep everybody from planning;
// round_take.c looks at what has come in the meantime.
static void take_blocked(planning_t * planning, nav_msgs__msg__GridCells * message)
{
  const fw_error_t before = planning->blocked.fault;
  const int64_t revision = planning->blocked.revision;
  const bool is_taken = blocked_take(&planning->blocked, message, &planning->settings, &planning->map);
  const char * fault = planning->blocked.fault.text;
  if (fault[0] != '\0' && strcmp(fault, before.text) != 0) {
    RCUTILS_LOG_ERROR_NAMED(planning->logger, "blocked_cells refused, the last good ones stay in force: %s", fault);
  }
  if (!is_taken || planning->blocked.revision == revision) {
    return;
  }
  planning->obstacles_are_old = true;
  if (concern_is_on_a_way(planning, concern_is_newly_blocked)) {
    planning_want(planning, "a planned path is blocked");
  } else if (concern_is_for_somebody_who_waits(planning)) {
    planning->has_opened = true;
  }
}

void planning_take_inbox(planning_t * planning, inbox_t * inbox, int64_t now_ns)
{
  if (inbox->has_map) {
    inbox->has_map = false;
    planning_take_map(planning, &inbox->map);
  }
  if (inbox->has_blocked) {
    inbox->has_blocked = false;
    take_blocked(planning, &inbox->blocked);
  }
  for (int32_t k = 0; k < planning->closures.count; ++k) {
    if (inbox->closures[k].is_new) {
      inbox->closures[k].is_new = false;
      take_closures(planning, k, &inbox->closures[k].path, now_ns);
    }
  }
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    robot_mail_t * mail = inbox->robots[k];
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
    if (mail->has_queue) {
      mail->has_queue = false;
      if (fleet_take_goals(&planning->fleet, &planning->fleet.robots[k], mail, &planning->settings, &planning->map)) {
        planning_want_soon(planning, "there are new goals");
      }
    }
  }
  if (inbox->wants_replan) {
    inbox->wants_replan = false;
    planning_want(planning, "~/replan was called");
  }
}
