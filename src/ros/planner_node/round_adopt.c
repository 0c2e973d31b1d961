// Makes an answer the schedule, and tells robots what it says of them.

#include <math.h>
#include <stdlib.h>

#include "ros/planner_node/round.h"

static const int64_t PATIENCE_NS = 1000000000;
static const int64_t PATIENCE_MAX_NS = 8000000000;

static const char * source_on(const planning_t * planning, const entrant_t * entrant)
{
  const interval_t from_now_on = {planning->worker.job.epoch_ns, TIME_MAX};
  int32_t source = -1;
  for (int32_t k = 0; source < 0 && k < body_cell_count(&entrant->body, entrant->start); ++k) {
    const fw_cell_t cell = body_cell(&entrant->body, &planning->worker.job.grid, entrant->start, k);
    source = closures_find(&planning->closures, cell, from_now_on);
  }
  return source < 0 ? "something" : planning->closures.sources[source].name;
}

// One of those who may be in the way of a robot that has none, NULL if there are none.
static const robot_t * stuck_robot(const fleet_t * fleet)
{
  for (int32_t k = 0; k < fleet->count; ++k) {
    if (fleet->robots[k].was_stuck) {
      return &fleet->robots[k];
    }
  }
  return NULL;
}

void round_tell_fault(planning_t * planning, const entrant_t * entrant, int64_t now_ns)
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
  const robot_t * stuck = stuck_robot(fleet);
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
        fleet, robot, &robot->planning, number, "there is no way to its goal (%.7g, %.7g)%s%.40s%s", robot->goal.x,
        robot->goal.y, stuck == NULL ? "" : " past ", stuck == NULL ? "" : stuck->name,
        stuck == NULL ? "" : ", which is stuck");
      break;
  }
}

static bool reserve(track_t * path, int32_t count)
{
  if (count > path->capacity) {
    waypoint_t * waypoints = realloc(path->waypoints, (size_t)count * sizeof *waypoints);
    if (waypoints == NULL) {
      return false;
    }
    path->waypoints = waypoints;
    path->capacity = count;
  }
  return true;
}

// A robot without heading may look where it likes, if it is no wider one way than the other: if it is a single cell.
static double yaw_at(const job_t * job, const body_t * body, int32_t heading)
{
  return body->turn_ticks == 0 && body->outline->counts[0] == 1 ? NAN : frame_yaw(&job->frame, heading);
}

// In a path robots on a motion of several ticks are listed where they come from; here those ticks are left out.
static void write_waypoints(track_t * track, const job_t * job, const entrant_t * entrant, const fw_path_t * path)
{
  const body_t * body = &entrant->body;
  for (fw_tick_t tick = 0; tick < path->length; ++tick) {
    const fw_cell_t cell = path->cells[tick];
    const int32_t heading = fw_path_heading(path, tick);
    const bool is_move = tick > 0 && cell != path->cells[tick - 1];
    const bool is_turn = tick > 0 && !is_move && heading != fw_path_heading(path, tick - 1);
    const fw_tick_t ticks = is_move ? body->ticks_per_move : is_turn ? body->turn_ticks : 1;
    const fw_tick_t left = ticks - 1 < tick ? ticks - 1 : tick;
    track->count -= left < track->count ? left : track->count;
    track->waypoints[track->count++] = (waypoint_t){
      .stamp_ns = job->epoch_ns + (int64_t)tick * job->tick_ns,
      .point = frame_point(&job->frame, cell),
      .yaw = yaw_at(job, body, heading),
    };
  }
}

static bool adopt_path(planning_t * planning, const entrant_t * entrant, const fw_path_t * path, int64_t now_ns)
{
  const job_t * job = &planning->worker.job;
  const fw_tick_t safe_until = planning->worker.answer.plan.safe_until;
  // Who is under way arrives in any case. Who would only depart before the end of the plan and arrive after it, stays.
  const fw_tick_t last = entrant->arrives > safe_until ? entrant->arrives : safe_until;
  const fw_path_t shown = {path->cells, path->length <= last ? path->length : last + 1, path->headings};
  if (!reserve(&planning->path, shown.length)) {
    return false;
  }
  planning->path.count = 0;
  write_waypoints(&planning->path, job, entrant, &shown);
  const track_change_t change = {
    .now_ns = now_ns,
    .epoch_ns = job->epoch_ns,
    .keeps_old = entrant->follows,
    .waypoints = planning->path.waypoints,
    .count = planning->path.count,
    .body = entrant->body,
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
    round_tell_fault(planning, &job->entrants[k], now_ns);
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
  (void)node_name_copy(schedule->planner, job->planner.name);
  return true;
}
