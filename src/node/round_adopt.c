// Makes an answer the schedule, and tells robots what it says of them.

#include <stdlib.h>

#include "node/round.h"

static const int64_t PATIENCE_NS = 1000000000;
static const int64_t PATIENCE_MAX_NS = 8000000000;

static const char * source_on(const planning_t * planning, const entrant_t * entrant)
{
  const interval_t from_now_on = {planning->worker.job.epoch_ns, TIME_MAX};
  const int32_t source = closures_find(&planning->closures, entrant->start, from_now_on);
  return source < 0 ? "something" : planning->closures.sources[source].name;
}

static void tell_fault(planning_t * planning, const entrant_t * entrant, int64_t now_ns)
{
  fleet_t * fleet = &planning->fleet;
  robot_t * robot = &fleet->robots[entrant->robot];
  if (robot_is_given_up(robot, now_ns) && (int32_t)entrant->fault == robot->planning.number) {
    return;  // it was not tried: what was said still holds
  }
  if (entrant->fault == FW_FAULT_NONE) {
    robot_retry_now(robot);
  } else if (entrant->fault == FW_FAULT_TIMEOUT || entrant->fault == FW_FAULT_NO_VALID_PATH) {
    const int64_t doubled_ns = 2 * robot->patience_ns;
    robot->patience_ns = doubled_ns == 0 ? PATIENCE_NS : doubled_ns < PATIENCE_MAX_NS ? doubled_ns : PATIENCE_MAX_NS;
    robot->retry_ns = now_ns + robot->patience_ns;
  }
  const char * source = entrant->closer >= 0 ? planning->closures.sources[entrant->closer].name : "an obstacle";
  const char * other = entrant->other >= 0 ? fleet->robots[entrant->other].name : source;
  const int32_t number = (int32_t)entrant->fault;
  switch (entrant->fault) {
    case FW_FAULT_NONE:
      fleet_set_fault(fleet, robot, &robot->planning, 0, "-");
      break;
    case FW_FAULT_GOAL_OCCUPIED:
      fleet_set_fault(
        fleet, robot, &robot->planning, number, "its goal (%.7g, %.7g) is taken by %s", robot->goal.x, robot->goal.y,
        other);
      break;
    case FW_FAULT_START_OCCUPIED:
      fleet_set_fault(
        fleet, robot, &robot->planning, number, "it is where %s closes, and has no way out",
        source_on(planning, entrant));
      break;
    case FW_FAULT_GOAL_OUTSIDE:
      fleet_set_fault(
        fleet, robot, &robot->planning, number, "its goal (%.7g, %.7g) is outside the map", robot->goal.x,
        robot->goal.y);
      break;
    case FW_FAULT_TIMEOUT:
      fleet_set_fault(
        fleet, robot, &robot->planning, number, "no plan to its goal (%.7g, %.7g) within %g s", robot->goal.x,
        robot->goal.y, planning->settings.time_limit);
      break;
    default:
      fleet_set_fault(
        fleet, robot, &robot->planning, number, "there is no way to its goal (%.7g, %.7g)", robot->goal.x,
        robot->goal.y);
      break;
  }
}

static bool reserve_points(planning_t * planning, int32_t count)
{
  if (count > planning->points_capacity) {
    point_t * points = realloc(planning->points, (size_t)count * sizeof *points);
    if (points == NULL) {
      return false;
    }
    planning->points = points;
    planning->points_capacity = count;
  }
  return true;
}

static bool adopt_path(planning_t * planning, const entrant_t * entrant, const fw_path_t * path, int64_t now_ns)
{
  const job_t * job = &planning->worker.job;
  const fw_tick_t safe_until = planning->worker.answer.plan.safe_until;
  const int32_t count = path->length <= safe_until ? path->length : safe_until + 1;
  if (!reserve_points(planning, count)) {
    return false;
  }
  for (int32_t k = 0; k < count; ++k) {
    planning->points[k] = frame_point(&job->frame, path->cells[k]);
  }
  const track_change_t change = {
    .now_ns = now_ns,
    .epoch_ns = job->epoch_ns,
    .tick_ns = job->tick_ns,
    .keeps_old = entrant->follows,
    .points = planning->points,
    .count = count,
  };
  return schedule_change_track(&planning->schedule, entrant->robot, &change);
}

bool round_adopt(planning_t * planning, int64_t now_ns)
{
  const job_t * job = &planning->worker.job;
  const fw_plan_t * plan = &planning->worker.answer.plan;
  schedule_t * schedule = &planning->schedule;
  bool is_fine = true;
  for (int32_t k = 0; is_fine && k < job->count; ++k) {
    tell_fault(planning, &job->entrants[k], now_ns);
    is_fine = adopt_path(planning, &job->entrants[k], &plan->paths[k], now_ns);
  }
  // Who took no part has no plan any more: others may be going where it would have gone.
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    bool took_part = false;
    for (int32_t e = 0; !took_part && e < job->count; ++e) {
      took_part = job->entrants[e].robot == k;
    }
    schedule->tracks[k].count = took_part ? schedule->tracks[k].count : 0;
  }
  if (!is_fine) {
    schedule_clear(schedule);
    return false;
  }
  schedule->epoch_ns = job->epoch_ns;
  schedule->tick_ns = job->tick_ns;
  schedule->safe_until_ns =
    plan->safe_until == FW_TICK_MAX ? TIME_MAX : job->epoch_ns + plan->safe_until * job->tick_ns;
  (void)name_copy(schedule->planner, job->planner.name);
  return true;
}
