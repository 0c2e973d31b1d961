// Rounds while robots drive by the dependency graph: they start from a cut through it, and end with a splice. Until then,
// and if nothing comes of a round, the old plan is in force.

#include <stdlib.h>

#include <rcutils/logging_macros.h>

#include "ros/planner_node/round.h"
#include "ros/planner_node/sweep.h"

// ---- from where

static bool is_in_the_middle(const planning_t * planning, const robot_t * robot)
{
  const frame_t * frame = &planning->map.frame;
  const fw_cell_t cell = frame_cell(frame, robot->point);
  const double near = planning->driving.options.tolerance * frame->resolution;
  return cell != FW_CELL_NONE && point_distance(frame_point(frame, cell), robot->point) <= near;
}

static void wall(job_t * job, fw_cell_t cell)
{
  if (cell != FW_CELL_NONE) {
    job->grid.cost[cell] = 0;
  }
}

static bool wall_for(job_t * job, fw_cell_t cell, int32_t robot)
{
  wall(job, cell);
  return claims_add_cell(&job->claims, cell, robot);
}

// For one round nobody plans over these: all that a robot holds, and where it comes to stand.
static bool wall_in(planning_t * planning, int32_t index, place_t end)
{
  job_t * job = &planning->worker.job;
  const body_t * body = &planning->fleet.robots[index].body;
  const int32_t count = fw_execution_held(&planning->driving.execution, index, NULL, 0);
  fw_cell_t * cells = calloc((size_t)count + 1, sizeof *cells);
  if (cells == NULL) {
    return false;
  }
  (void)fw_execution_held(&planning->driving.execution, index, cells, count);
  bool is_fine = true;
  for (int32_t k = 0; is_fine && k < count; ++k) {
    is_fine = wall_for(job, cells[k], index);
  }
  for (int32_t k = 0; is_fine && k < body_cell_count(body, end); ++k) {
    is_fine = wall_for(job, body_cell(body, &job->grid, end, k), index);
  }
  free(cells);
  return is_fine;
}

static bool wall_free_cell(void * context, fw_cell_t cell)
{
  job_t * job = context;
  if (job->claims.owners[cell] == 0) {
    wall(job, cell);
  }
  return true;
}

// A robot that stands on the edge of its cell reaches into others.
static void wall_around(planning_t * planning, const robot_t * robot)
{
  const sweep_t disc = {robot->point, robot->point, planning->settings.robot_radius};
  (void)sweep_cells(&disc, &planning->map.frame, wall_free_cell, &planning->worker.job);
}

// What a robot that is in the graph keeps from those who are not: its way up to the cut.
static bool claim_way(planning_t * planning, const fw_execution_end_t * end)
{
  job_t * job = &planning->worker.job;
  const fw_execution_t * execution = &planning->driving.execution;
  const body_t * body = &planning->fleet.robots[end->robot].body;
  const fw_execution_status_t status = driving_status(&planning->driving, end->robot);
  bool is_fine = true, has_ended = false;
  for (int32_t at = status.reached; is_fine && !has_ended && at <= status.end; ++at) {
    fw_execution_waypoint_t waypoint;
    if (fw_execution_waypoint(execution, end->robot, at, &waypoint, NULL) != FW_RET_OK) {
      break;
    }
    const placed_t placed = {body, {waypoint.cell, waypoint.heading}};
    is_fine = claims_add(&job->claims, &job->grid, placed, end->robot);
    has_ended = at >= status.released && waypoint.cell == end->cell && waypoint.heading == end->heading;
  }
  return is_fine;
}

static bool enter_end(planning_t * planning, const fw_execution_end_t * end)
{
  fleet_t * fleet = &planning->fleet;
  robot_t * robot = &fleet->robots[end->robot];
  const job_t * job = &planning->worker.job;
  const entrant_t entrant = {
    .robot = end->robot,
    .body = robot->body,
    .start = {end->cell, end->heading},
    .follows = true,
  };
  if (body_fits(&entrant.body, &job->grid, entrant.start)) {
    return round_enter(planning, entrant);
  }
  fleet_set_fault(
    fleet, robot, &robot->planning, FW_FAULT_START_OCCUPIED, "it is at (%.7g, %.7g), on its way into an obstacle",
    robot->point.x, robot->point.y);
  return wall_in(planning, end->robot, entrant.start);
}

static bool enter_stranger(planning_t * planning, int32_t index)
{
  robot_t * robot = &planning->fleet.robots[index];
  job_t * job = &planning->worker.job;
  const int32_t count = job->count;
  if (!robot->is_still) {
    wall_around(planning, robot);
    planning_want_soon(planning, "a robot is coming to rest");
    return true;
  }
  if (!round_enter_measured(planning, index)) {
    return false;
  }
  if (job->count == count) {
    wall_around(planning, robot);
  } else if (!is_in_the_middle(planning, robot)) {
    robot->is_settling = true;
    robot->settle_ns = planning->last_now_ns;
  }
  return true;
}

bool round_enter_driven(planning_t * planning, const fw_execution_cut_t * cut)
{
  const fleet_t * fleet = &planning->fleet;
  bool is_fine = true;
  for (int32_t k = 0; is_fine && k < cut->count; ++k) {
    const fw_execution_end_t * end = &cut->ends[k];
    if (driving_is_stuck(&planning->driving, end->robot)) {
      is_fine = wall_in(planning, end->robot, (place_t){end->cell, end->heading});
    }
  }
  for (int32_t k = 0; is_fine && k < cut->count; ++k) {
    if (!driving_is_stuck(&planning->driving, cut->ends[k].robot)) {
      is_fine = enter_end(planning, &cut->ends[k]);
    }
  }
  for (int32_t k = 0; is_fine && k < cut->count; ++k) {
    is_fine = claim_way(planning, &cut->ends[k]);
  }
  for (int32_t k = 0; is_fine && k < fleet->count; ++k) {
    const robot_t * robot = &fleet->robots[k];
    if (robot->has_pose && !driving_has(&planning->driving, k)) {
      if (robot->is_stale) {
        wall_around(planning, robot);
      } else {
        is_fine = enter_stranger(planning, k);
      }
    }
  }
  for (int32_t k = 0; k < fleet->count; ++k) {
    if (fleet->robots[k].is_settling) {
      wall_around(planning, &fleet->robots[k]);
    }
  }
  return is_fine;
}

bool round_cut(planning_t * planning, fw_execution_cut_t * cut, fw_error_t * reason)
{
  driving_t * driving = &planning->driving;
  const int64_t last = planning->history_count == 0 ? 0 : (planning->history_count - 1) % HISTORY_SIZE;
  const int64_t ahead_ns = planning->lead_ns / 2 + 2 * planning->history_ns[last];
  fw_error_t error = {0};
  driving->is_cut = fw_execution_cut(&driving->execution, (double)ahead_ns * 1e-9, cut, &error) == FW_RET_OK;
  return driving->is_cut || refuse(reason, "%s", error.text);
}

void round_uncut(planning_t * planning)
{
  if (planning->driving.is_on && planning->driving.is_cut) {
    fw_execution_uncut(&planning->driving.execution);
    planning->driving.is_cut = false;
  }
}

// ---- what comes of it

bool round_write_tracks(planning_t * planning)
{
  bool is_fine = true;
  for (int32_t k = 0; is_fine && k < planning->fleet.count; ++k) {
    is_fine =
      driving_write_track(&planning->driving, k, &planning->fleet.robots[k].body, &planning->schedule.tracks[k]);
  }
  return is_fine;
}

bool round_splice(planning_t * planning, int64_t now_ns)
{
  driving_t * driving = &planning->driving;
  job_t * job = &planning->worker.job;
  const fw_plan_t * plan = &planning->worker.answer.plan;
  schedule_t * schedule = &planning->schedule;
  int32_t * robots = calloc((size_t)job->count + 1, sizeof *robots);
  fw_error_t error = {.text = "out of memory"};
  for (int32_t k = 0; robots != NULL && k < job->count; ++k) {
    robots[k] = job->entrants[k].robot;
  }
  // Closures are counted in ticks from the epoch; without any the plan begins now.
  job->epoch_ns = job->closure_count > 0 ? job->epoch_ns : now_ns;
  const fw_problem_t problem = job_pose(job);
  const fw_execution_splice_t splice = {
    .problem = &problem,
    .plan = plan,
    .robots = robots,
    .time = driving_seconds(driving, job->epoch_ns),
  };
  const bool is_done = robots != NULL && fw_execution_splice(&driving->execution, &splice, &error) == FW_RET_OK;
  free(robots);
  if (!is_done) {
    round_note_failure(planning, "the plan does not fit to what robots do", error.text);
    return false;
  }
  driving->is_cut = false;
  for (int32_t k = 0; k < job->count; ++k) {
    round_tell_fault(planning, &job->entrants[k], now_ns);
  }
  schedule->epoch_ns = job->epoch_ns;
  schedule->tick_ns = job->tick_ns;
  schedule->safe_until_ns =
    plan->safe_until == FW_TICK_MAX ? TIME_MAX : job->epoch_ns + plan->safe_until * job->tick_ns;
  (void)name_copy(schedule->planner, job->planner.name);
  planning->obstacles_are_old = true;  // who was a stranger may be none any more
  driving_update(driving, now_ns);
  return round_write_tracks(planning);
}
