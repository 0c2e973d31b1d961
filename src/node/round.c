#include "node/round.h"

#include <math.h>

#include "node/job_closures.h"

static int64_t tick_ns_of(const frame_t * frame, const settings_t * settings)
{
  const double step = frame->resolution * (settings->connectivity == 8 ? sqrt(2.0) : 1.0);
  const double tick_ns = ceil(step / settings->speed * 1e9);
  return tick_ns < 1e6 ? 1000000 : (int64_t)tick_ns;
}

// ---- who, from where

static bool is_start_taken(const job_t * job, fw_cell_t cell, int32_t * robot)
{
  for (int32_t k = 0; k < job->count; ++k) {
    if (job->entrants[k].start == cell) {
      *robot = job->entrants[k].robot;
      return true;
    }
  }
  return false;
}

static void enter(planning_t * planning, int32_t index, fw_cell_t start, bool follows)
{
  job_t * job = &planning->worker.job;
  const robot_t * robot = &planning->fleet.robots[index];
  job->entrants[job->count++] = (entrant_t){
    .robot = index,
    .start = start,
    .goal = FW_CELL_NONE,
    .home = start,
    .priority = robot->priority,
    .goal_order = robot->goal_order,
    .follows = follows,
    .other = -1,
    .closer = -1,
  };
}

static bool follows_track(const planning_t * planning, int32_t index)
{
  const robot_t * robot = &planning->fleet.robots[index];
  return robot->has_pose && !robot->is_stale && !robot->is_off_plan && planning->schedule.tracks[index].count > 0;
}

// Somebody who has a plan is there already: who comes without one does not take the cell away.
static bool is_cell_of_follower(const planning_t * planning, fw_cell_t cell, int32_t index, int32_t * other)
{
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    const point_t point = planning->fleet.robots[k].point;
    if (k != index && follows_track(planning, k) && frame_cell(&planning->map.frame, point) == cell) {
      *other = k;
      return true;
    }
  }
  return false;
}

// From where it is measured: it has no plan, has left it, or must not go on with it.
static void enter_measured(planning_t * planning, int32_t index)
{
  const job_t * job = &planning->worker.job;
  fleet_t * fleet = &planning->fleet;
  robot_t * robot = &fleet->robots[index];
  const fw_cell_t cell = frame_cell(&job->frame, robot->point);
  int32_t other = -1;
  if (cell == FW_CELL_NONE) {
    fleet_set_fault(
      fleet, robot, &robot->planning, FW_FAULT_START_OUTSIDE, "it is at (%.7g, %.7g), outside the map", robot->point.x,
      robot->point.y);
  } else if (job->grid.cost[cell] == 0) {
    fleet_set_fault(
      fleet, robot, &robot->planning, FW_FAULT_START_OCCUPIED, "it is at (%.7g, %.7g), in an obstacle", robot->point.x,
      robot->point.y);
  } else if (
    is_start_taken(job, cell, &other) ||
    (!follows_track(planning, index) && is_cell_of_follower(planning, cell, index, &other))) {
    fleet_set_fault(
      fleet, robot, &robot->planning, FW_FAULT_START_OCCUPIED, "it is at (%.7g, %.7g), in the planning cell of %s",
      robot->point.x, robot->point.y, fleet->robots[other].name);
  } else {
    enter(planning, index, cell, false);
  }
}

static void write_entrants(planning_t * planning)
{
  job_t * job = &planning->worker.job;
  const fleet_t * fleet = &planning->fleet;
  for (int32_t k = 0; k < fleet->count; ++k) {
    const fw_cell_t cell = frame_cell(&job->frame, fleet->robots[k].point);
    if (fleet->robots[k].is_stale && cell != FW_CELL_NONE) {
      job->grid.cost[cell] = 0;
    }
  }
  // Robots that stand where they stand come first: who drives can still be stopped before them.
  for (int32_t k = 0; k < fleet->count; ++k) {
    if (fleet->robots[k].has_pose && !fleet->robots[k].is_stale && !follows_track(planning, k)) {
      enter_measured(planning, k);
    }
  }
  for (int32_t k = 0; k < fleet->count; ++k) {
    if (!follows_track(planning, k)) {
      continue;
    }
    const fw_cell_t cell = frame_cell(&job->frame, track_at(&planning->schedule.tracks[k], job->epoch_ns));
    int32_t other = -1;
    if (cell != FW_CELL_NONE && job->grid.cost[cell] != 0 && !is_start_taken(job, cell, &other)) {
      enter(planning, k, cell, true);
    } else {
      enter_measured(planning, k);
    }
  }
}

// ---- to where

static int32_t stale_robot_on(const planning_t * planning, fw_cell_t cell)
{
  const fleet_t * fleet = &planning->fleet;
  for (int32_t k = 0; k < fleet->count; ++k) {
    if (fleet->robots[k].is_stale && frame_cell(&planning->map.frame, fleet->robots[k].point) == cell) {
      return k;
    }
  }
  return -1;
}

static void write_goals(planning_t * planning, int64_t now_ns)
{
  job_t * job = &planning->worker.job;
  for (int32_t k = 0; k < job->count; ++k) {
    entrant_t * entrant = &job->entrants[k];
    const robot_t * robot = &planning->fleet.robots[entrant->robot];
    const fw_cell_t cell = robot->has_goal ? frame_cell(&job->frame, robot->goal) : FW_CELL_NONE;
    if (!robot->has_goal) {
      continue;
    }
    if (cell == FW_CELL_NONE) {
      entrant->fault = FW_FAULT_GOAL_OUTSIDE;
    } else if (robot_is_given_up(robot, now_ns)) {
      entrant->fault = (fw_fault_t)robot->planning.number;
    } else if (job->grid.cost[cell] == 0 || job_closes_for_good(job, cell)) {
      entrant->fault = FW_FAULT_GOAL_OCCUPIED;
      entrant->other = stale_robot_on(planning, cell);
      entrant->closer = closures_find(&planning->closures, cell, (interval_t){job->epoch_ns, TIME_MAX});
    } else {
      entrant->goal = cell;
    }
  }
}

// Of the planner's last plan, if that is what robots drive. Robots that have left it, other closures and other rules are
// the planner's to see.
static fw_tick_t ticks_driven(const planning_t * planning)
{
  const story_t * story = &planning->story;
  const job_t * job = &planning->worker.job;
  const bool goes_on = story->is_driven && story->tick_ns == job->tick_ns && story->map_revision == job->map_revision &&
                       job->epoch_ns <= planning->schedule.safe_until_ns;
  return goes_on ? (fw_tick_t)((job->epoch_ns - story->epoch_ns) / job->tick_ns) : 0;
}

bool round_write(planning_t * planning, int64_t now_ns)
{
  job_t * job = &planning->worker.job;
  const settings_t * settings = &planning->settings;
  const schedule_t * schedule = &planning->schedule;
  if (!job_reset(job, &planning->map.grid, planning->fleet.count)) {
    return false;
  }
  job->frame = planning->map.frame;
  job->map_revision = planning->map.revision;
  job->connectivity = settings->connectivity;
  job->robust_ticks = settings->robust_ticks;
  job->horizon = settings->horizon;
  job->time_limit = settings->time_limit;
  job->planner = settings->planner;
  job->tick_ns = tick_ns_of(&job->frame, settings);
  job->epoch_ns = schedule_round_up(schedule, now_ns + planning->lead_ns);
  write_entrants(planning);
  if (!round_write_closures(planning)) {
    return false;
  }
  write_goals(planning, now_ns);
  job->is_movable = schedule_end(schedule) <= now_ns && job->closure_count == 0;
  job->since = ticks_driven(planning);
  planning->closures_seen_ns = job->epoch_ns + CLOSURES_AHEAD_NS;
  return round_write_homes(planning);
}
