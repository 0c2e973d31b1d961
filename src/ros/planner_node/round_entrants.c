// Who takes part in a round, from where, and to where.

#include <math.h>

#include "ros/planner_node/job_closures.h"
#include "ros/planner_node/round.h"

// Takes it into the round. False if there is no memory.
bool round_enter(planning_t * planning, entrant_t entrant)
{
  job_t * job = &planning->worker.job;
  const robot_t * robot = &planning->fleet.robots[entrant.robot];
  entrant.goal = FW_CELL_NONE;
  entrant.home = entrant.start.cell;
  entrant.priority = robot->priority;
  entrant.goal_order = robot->goal_order;
  entrant.other = -1;
  entrant.closer = -1;
  job->entrants[job->count++] = entrant;
  return job_claim_start(job, &job->entrants[job->count - 1]);
}

static bool follows_track(const planning_t * planning, int32_t index)
{
  const robot_t * robot = &planning->fleet.robots[index];
  return robot->has_pose && !robot->is_stale && !robot->is_off_plan && planning->schedule.tracks[index].count > 0;
}

static place_t measured_place(const planning_t * planning, const robot_t * robot)
{
  const node_settings_t * settings = &planning->settings;
  return body_place(&robot->body, &planning->map.frame, settings->connectivity, robot->point, robot->yaw);
}

// Somebody who has a plan is there already: who comes without one does not take the cells away.
static int32_t follower_on(const planning_t * planning, placed_t placed, int32_t index)
{
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    const robot_t * robot = &planning->fleet.robots[k];
    if (k == index || !follows_track(planning, k)) {
      continue;
    }
    const placed_t other = {&robot->body, measured_place(planning, robot)};
    if (other.place.cell != FW_CELL_NONE && bodies_overlap(placed, other, planning->map.grid.width)) {
      return k;
    }
  }
  return -1;
}

// From where it is measured: it has no plan, has left it, or must not go on with it.
bool round_enter_measured(planning_t * planning, int32_t index)
{
  const job_t * job = &planning->worker.job;
  fleet_t * fleet = &planning->fleet;
  robot_t * robot = &fleet->robots[index];
  const placed_t placed = {&robot->body, measured_place(planning, robot)};
  if (placed.place.cell == FW_CELL_NONE) {
    fleet_set_fault(
      fleet, robot, &robot->planning, FW_FAULT_START_OUTSIDE, "it is at (%.7g, %.7g), outside the map", robot->point.x,
      robot->point.y);
    return true;
  }
  if (!body_fits(placed.body, &job->grid, placed.place)) {
    fleet_set_fault(
      fleet, robot, &robot->planning, FW_FAULT_START_OCCUPIED, "it is at (%.7g, %.7g), in an obstacle", robot->point.x,
      robot->point.y);
    return true;
  }
  int32_t other = claims_find(&job->claims, &job->grid, placed);
  other = other < 0 && !follows_track(planning, index) ? follower_on(planning, placed, index) : other;
  if (other >= 0) {
    fleet_set_fault(
      fleet, robot, &robot->planning, FW_FAULT_START_OCCUPIED, "it is at (%.7g, %.7g), in the planning cell of %s",
      robot->point.x, robot->point.y, fleet->robots[other].name);
    return true;
  }
  return round_enter(planning, (entrant_t){.robot = index, .body = robot->body, .start = placed.place});
}

// Where its track has it at the epoch, standing or on a motion. False if that is nothing to plan from: the map, the
// speed or the robot has become another.
static bool place_on_track(const planning_t * planning, entrant_t * entrant)
{
  const job_t * job = &planning->worker.job;
  const track_t * track = &planning->schedule.tracks[entrant->robot];
  const body_t * body = &entrant->body;
  const track_motion_t motion = track_motion(track, job->epoch_ns);
  const double yaw = isnan(motion.to->yaw) ? job->frame.yaw : motion.to->yaw;
  const double from_yaw = isnan(motion.from->yaw) ? job->frame.yaw : motion.from->yaw;
  entrant->start = body_place(body, &job->frame, job->connectivity, motion.to->point, yaw);
  entrant->from = body_place(body, &job->frame, job->connectivity, motion.from->point, from_yaw);
  if (entrant->start.cell == FW_CELL_NONE || !body_fits(body, &job->grid, entrant->start)) {
    return false;
  }
  if (motion.from == motion.to) {
    return true;
  }
  const int64_t left_ns = motion.to->stamp_ns - job->epoch_ns;
  const bool is_turn = entrant->from.cell == entrant->start.cell;
  entrant->arrives = (fw_tick_t)(left_ns / job->tick_ns);
  return left_ns % job->tick_ns == 0 && entrant->arrives < (is_turn ? body->turn_ticks : body->ticks_per_move) &&
         planning->story.map_revision == job->map_revision && body_fits(body, &job->grid, entrant->from);
}

static bool enter_follower(planning_t * planning, int32_t index)
{
  const job_t * job = &planning->worker.job;
  const robot_t * robot = &planning->fleet.robots[index];
  entrant_t entrant = {.robot = index, .body = robot->body, .follows = true};
  const bool is_placed = place_on_track(planning, &entrant) &&
                         claims_find(&job->claims, &job->grid, (placed_t){&entrant.body, entrant.start}) < 0;
  return is_placed ? round_enter(planning, entrant) : round_enter_measured(planning, index);
}

bool round_write_entrants(planning_t * planning)
{
  job_t * job = &planning->worker.job;
  const fleet_t * fleet = &planning->fleet;
  bool is_fine = true;
  for (int32_t k = 0; k < fleet->count; ++k) {
    const robot_t * robot = &fleet->robots[k];
    const place_t place = measured_place(planning, robot);
    for (int32_t c = 0; robot->is_stale && place.cell >= 0 && c < body_cell_count(&robot->body, place); ++c) {
      const fw_cell_t cell = body_cell(&robot->body, &job->grid, place, c);
      if (cell != FW_CELL_NONE) {
        job->grid.cost[cell] = 0;
      }
    }
  }
  // Robots that stand where they stand come first: who drives can still be stopped before them.
  for (int32_t k = 0; is_fine && k < fleet->count; ++k) {
    if (fleet->robots[k].has_pose && !fleet->robots[k].is_stale && !follows_track(planning, k)) {
      is_fine = round_enter_measured(planning, k);
    }
  }
  for (int32_t k = 0; is_fine && k < fleet->count; ++k) {
    if (follows_track(planning, k)) {
      is_fine = enter_follower(planning, k);
    }
  }
  return is_fine;
}

// ---- to where

// Of those who cannot be planned away, -1 if there is none.
static int32_t robot_in_the_way(const planning_t * planning, placed_t placed)
{
  const fleet_t * fleet = &planning->fleet;
  const int32_t owner = claims_find(&planning->worker.job.claims, &planning->worker.job.grid, placed);
  if (owner >= 0 && fleet->robots[owner].was_stuck) {
    return owner;
  }
  for (int32_t k = 0; k < fleet->count; ++k) {
    const placed_t other = {&fleet->robots[k].body, measured_place(planning, &fleet->robots[k])};
    if (
      fleet->robots[k].is_stale && other.place.cell != FW_CELL_NONE &&
      bodies_overlap(placed, other, planning->map.grid.width)) {
      return k;
    }
  }
  return -1;
}

static int32_t closer_of(const planning_t * planning, placed_t placed)
{
  const job_t * job = &planning->worker.job;
  int32_t source = -1;
  for (int32_t k = 0; source < 0 && k < body_cell_count(placed.body, placed.place); ++k) {
    const fw_cell_t cell = body_cell(placed.body, &job->grid, placed.place, k);
    source = closures_find(&planning->closures, cell, (interval_t){job->epoch_ns, TIME_MAX});
  }
  return source;
}

// With one of the headings that it can have.
static bool can_stay_on(const job_t * job, const body_t * body, fw_cell_t cell)
{
  const int32_t step = body->turn_ticks == 0 ? FW_HEADING_COUNT : job->connectivity == 8 ? 1 : 2;
  bool can_stay = false;
  for (int32_t heading = 0; !can_stay && heading < FW_HEADING_COUNT; heading += step) {
    const placed_t placed = {body, {cell, heading}};
    can_stay = body_fits(body, &job->grid, placed.place) && !job_closes_for_good(job, placed);
  }
  return can_stay;
}

void round_write_goals(planning_t * planning, int64_t now_ns)
{
  job_t * job = &planning->worker.job;
  for (int32_t k = 0; k < job->count; ++k) {
    entrant_t * entrant = &job->entrants[k];
    const robot_t * robot = &planning->fleet.robots[entrant->robot];
    const fw_cell_t cell = robot->has_goal ? frame_cell(&job->frame, robot->goal) : FW_CELL_NONE;
    const placed_t placed = {&entrant->body, {.cell = cell}};
    if (!robot->has_goal || robot->is_settling) {
      continue;
    }
    if (cell == FW_CELL_NONE) {
      entrant->fault = FW_FAULT_GOAL_OUTSIDE;
    } else if (robot_is_given_up(robot, now_ns)) {
      entrant->fault = (fw_fault_t)robot->planning.number;
    } else if (!can_stay_on(job, &entrant->body, cell)) {
      entrant->fault = FW_FAULT_GOAL_OCCUPIED;
      entrant->other = robot_in_the_way(planning, placed);
      entrant->closer = closer_of(planning, placed);
    } else {
      entrant->goal = cell;
    }
  }
}
