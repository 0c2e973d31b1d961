// When it is time for a round.

#include "ros/planner_node/round.h"

const char * planning_obstacle(const planning_t * planning, int64_t now_ns)
{
  if (now_ns <= 0) {
    return "nothing has come on /clock yet";
  }
  if (planning->map.revision == 0) {
    return "there is no map yet";
  }
  if (planning->settings.execution_mode == NODE_EXECUTION_DEPENDENCY && !planning->driving.is_on) {
    return "there is no dependency graph yet";
  }
  if (planning->driving.is_draining) {
    return "robots come to a stop before anything else";
  }
  int32_t heard = 0, there = 0;
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    there += robot_is_there(&planning->fleet.robots[k]) ? 1 : 0;
    heard += planning->fleet.robots[k].has_pose ? 1 : 0;
  }
  if (heard == 0) {
    return there == 0 ? "the parameter robots is empty" : "no robot has a pose yet";
  }
  const bool is_patient = fw_clock_now_ns() < planning->patience_end_ns;
  if (heard < there && is_patient) {
    return "not all robots have a pose yet";
  }
  if (!planning->has_readers && is_patient) {
    return "not all robots listen to their path yet";
  }
  return NULL;
}

// Two rounds that begin with the same tick would be two answers to one question: the second could not go on from the
// first, of which nothing has been driven.
bool round_is_due(const planning_t * planning, int64_t now_ns)
{
  if (planning->driving.is_on) {
    return planning->wanted != NULL && (planning->is_urgent || now_ns >= planning->next_round_ns);
  }
  const bool goes_on =
    planning->settings.horizon > 0 && planning->settings.planner.has_windows && planning->story.is_driven;
  const int64_t epoch_ns = schedule_round_up(&planning->schedule, now_ns + planning->lead_ns);
  return planning->wanted != NULL && (planning->is_urgent || !goes_on || epoch_ns > planning->story.epoch_ns);
}

// A robot that still has to drive, or cannot.
static bool is_anybody_under_way(const planning_t * planning, int64_t now_ns)
{
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    const track_t * track = &planning->schedule.tracks[k];
    if (planning->fleet.robots[k].planning.number != 0 || track_end(track) > now_ns) {
      return true;
    }
  }
  return false;
}

static void look_at_closures(planning_t * planning, int64_t now_ns)
{
  // From half of it on, so that a change is in force long before it is needed.
  const interval_t in_sight = {planning->closures_seen_ns, now_ns + CLOSURES_AHEAD_NS / 2};
  for (int32_t s = 0; s < planning->closures.count; ++s) {
    const source_t * source = &planning->closures.sources[s];
    if (source_touches(source, in_sight, &planning->schedule, &planning->map.frame, now_ns)) {
      planning_want(planning, "a planned path will be closed");
    }
  }
  if (planning->has_opened && is_anybody_under_way(planning, now_ns)) {
    for (int32_t k = 0; k < planning->fleet.count; ++k) {
      robot_retry_now(&planning->fleet.robots[k]);
    }
    planning_want_soon(planning, "what is closed has changed");
  }
  planning->has_opened = false;
}

static int32_t source_on(const planning_t * planning, const robot_t * robot, int64_t now_ns)
{
  const map_t * map = &planning->map;
  const place_t place =
    body_place(&robot->body, &map->frame, planning->settings.connectivity, robot->point, robot->yaw);
  int32_t source = -1;
  for (int32_t k = 0; source < 0 && place.cell != FW_CELL_NONE && k < body_cell_count(&robot->body, place); ++k) {
    const fw_cell_t cell = body_cell(&robot->body, &map->grid, place, k);
    source = closures_find(&planning->closures, cell, (interval_t){now_ns, now_ns + 1});
  }
  return source;
}

// By where it is measured: one that is late, or that something has closed upon.
static void look_who_is_in_the_way(planning_t * planning, int64_t now_ns)
{
  fleet_t * fleet = &planning->fleet;
  for (int32_t k = 0; planning->closures.count > 0 && k < fleet->count; ++k) {
    robot_t * robot = &fleet->robots[k];
    const int32_t source = robot->has_pose ? source_on(planning, robot, now_ns) : -1;
    if (source >= 0) {
      fleet_set_fault(
        fleet, robot, &robot->standing, FW_FAULT_START_OCCUPIED, "it is where %s has closed",
        planning->closures.sources[source].name);
    } else {
      fleet_set_fault(fleet, robot, &robot->standing, 0, "-");
    }
  }
}

// Does it wait for what does not happen by itself: an obstacle on its way, or a door that it was too late for? One that is
// closed now will open, and the plan knows that.
static bool waits_in_vain(const planning_t * planning, int32_t index, int64_t now_ns)
{
  const fw_execution_status_t status = driving_status(&planning->driving, index);
  if (status.state != FW_EXECUTION_WAITING) {
    return false;
  }
  const interval_t now = {now_ns, now_ns + 1};
  return status.wait == FW_EXECUTION_WAIT_OBSTACLE ||
         (status.wait == FW_EXECUTION_WAIT_CLOSURE && closures_find(&planning->closures, status.cell, now) < 0);
}

static void look_at_robots(planning_t * planning, int64_t now_ns)
{
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    const robot_t * robot = &planning->fleet.robots[k];
    const bool is_waiting = robot->planning.number != 0 && now_ns >= robot->retry_ns;
    const bool is_stranger = planning->driving.is_on && !driving_has(&planning->driving, k);
    const bool needs_plan = is_waiting || robot->is_off_plan || is_stranger || waits_in_vain(planning, k, now_ns);
    if (robot->has_pose && !robot->is_stale && needs_plan) {
      planning_want_soon(planning, is_waiting ? "a robot waits" : "a robot is off its plan");
    }
  }
}

void round_look(planning_t * planning, int64_t now_ns)
{
  const double period = planning->settings.replan_period;
  if (planning->schedule.safe_until_ns < TIME_MAX && now_ns >= planning->next_window_ns) {
    planning_want_soon(planning, "the plan ends before the goals");
  }
  if (now_ns < planning->next_look_ns) {
    return;
  }
  planning->next_look_ns = now_ns + node_seconds_to_ns(period);
  if (planning->map.revision > 0) {
    look_at_closures(planning, now_ns);
    look_who_is_in_the_way(planning, now_ns);
  }
  if (period <= 0.0) {
    return;
  }
  look_at_robots(planning, now_ns);
  if (planning->planner_fault.text[0] != '\0') {
    planning_want(planning, "the last round failed");
  }
}
