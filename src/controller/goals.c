// Goals from acceptance to their end. See goals.h.

#include "controller/goals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/heap.h"
#include "controller/approach.h"

enum { EVENTS_PER_GOAL = 2, GOALS_MAX = 1024 };  // active and end; goals of one robot, as many as a journal holds

// ---- events

void fw__goal_events_fini(fw_goal_events_t * events)
{
  free(events->events);
  *events = (fw_goal_events_t){0};
}

bool fw__goal_events_next(fw_goal_events_t * events, fw_goal_event_t * event)
{
  if (events->count == 0) {
    return false;
  }
  *event = events->events[events->first];
  events->first = (events->first + 1) % events->capacity;
  events->count -= 1;
  events->noted -= events->noted > 0 ? 1 : 0;
  events->ends_taken += fw__goal_event_is_end(event) ? 1 : 0;
  return true;
}

const fw_goal_event_t * fw__goal_events_at(const fw_goal_events_t * events, int32_t at)
{
  FW_ASSERT(at >= 0 && at < events->count);
  return &events->events[(events->first + at) % events->capacity];
}

bool fw__goal_event_is_end(const fw_goal_event_t * event)
{
  return event->kind != FW_GOAL_ACCEPTED && event->kind != FW_GOAL_ACTIVE;
}

// Makes room for `more` goals: the acceptance of each, and what is still to come of all that live.
static bool reserve(fw_goal_events_t * events, int32_t more)
{
  const int32_t needed = events->count + more + EVENTS_PER_GOAL * (events->live_goals + more);
  if (needed <= events->capacity) {
    return true;
  }
  fw_goal_event_t * grown = fw__calloc((size_t)needed * 2, sizeof *grown);
  if (grown == NULL) {
    return false;
  }
  for (int32_t k = 0; k < events->count; ++k) {
    grown[k] = events->events[(events->first + k) % events->capacity];
  }
  free(events->events);
  events->events = grown;
  events->capacity = needed * 2;
  events->first = 0;
  return true;
}

bool fw__goal_events_reserve(fw_goal_events_t * events, int32_t count) { return reserve(events, count); }

void fw__goal_events_tell_again(fw_goal_events_t * events, const fw_goal_event_t * event)
{
  FW_ASSERT(events->count < events->capacity && events->noted == events->count);
  events->events[(events->first + events->count++) % events->capacity] = *event;
  events->noted = events->count;
}

void fw__goal_events_leave_slot(fw_goal_events_t * events, int32_t robot)
{
  for (int32_t k = 0; k < events->count; ++k) {
    fw_goal_event_t * event = &events->events[(events->first + k) % events->capacity];
    event->robot = event->robot == robot ? -1 : event->robot;
  }
}

static void add_event(const fw_goals_t * goals, int32_t robot, uint64_t id, fw_goal_end_t end)
{
  fw_goal_events_t * events = goals->events;
  FW_ASSERT(events->count < events->capacity);  // see reserve
  fw_goal_event_t * event = &events->events[(events->first + events->count++) % events->capacity];
  *event = (fw_goal_event_t){.kind = end.kind, .id = id, .robot = robot, .time_ns = goals->now_ns, .fault = end.fault};
  (void)snprintf(event->text, sizeof event->text, "%s", end.text == NULL ? "" : end.text);
}

// ---- the active goal

static void activate(const fw_goals_t * goals, int32_t index)
{
  fw_controlled_robot_t * robot = &goals->fleet->robots[index];
  const fw_robot_goal_t * goal = &robot->goals[0];
  robot->has_goal = true;
  robot->goal = goal->pose.point;
  robot->goal_yaw = goal->pose.yaw;
  robot->goal_tolerance = goal->position_tolerance;
  robot->goal_yaw_tolerance = goal->yaw_tolerance;
  robot->goal_order = goal->id;
  fw__controlled_robot_reset_backoff(robot);
  add_event(goals, index, goal->id, (fw_goal_end_t){.kind = FW_GOAL_ACTIVE});
}

// ---- acceptance

// Could the robot stand there?
static bool check_request(
  const fw_goals_t * goals, const fw_controlled_robot_t * robot, const fw_goal_request_t * request, fw_error_t * reason)
{
  const fw_controller_site_t * site = &goals->fleet->site;
  const fw_planning_map_t * map = site->map;
  const fw_point_t point = request->pose.point;
  if (!fw__point_is_finite(point) || isinf(request->pose.yaw)) {
    return fw__refuse(reason, "goal refused: its position is not finite");
  }
  if (!(request->position_tolerance >= 0.0) || !(request->yaw_tolerance >= 0.0)) {
    return fw__refuse(reason, "goal refused: its tolerances must be 0 or more");
  }
  if (robot->service == FW_ROBOT_OUT_OF_SERVICE) {
    return fw__refuse(reason, "goal refused: %s is out of service", robot->name);
  }
  if (map->revision == 0) {
    return true;
  }
  const fw_robot_goal_t goal = {.pose = request->pose, .position_tolerance = request->position_tolerance};
  const fw_approach_plan_t approach = fw__approach_plan(site, &robot->body, &goal);
  if (approach.cell == FW_CELL_NONE) {
    return fw__refuse_as(
      reason, FW_FAULT_GOAL_OUTSIDE, "goal refused: (%.7g, %.7g) is outside the map", point.x, point.y);
  }
  if (!fw__robot_body_fits_on(&robot->body, &map->grid, site->settings->connectivity, approach.cell)) {
    return fw__refuse_as(
      reason, FW_FAULT_GOAL_OCCUPIED, "goal refused: (%.7g, %.7g) is in an obstacle", point.x, point.y);
  }
  if (!fw_grid_allows_waiting(&map->grid, approach.cell)) {
    return fw__refuse_as(
      reason, FW_FAULT_GOAL_OCCUPIED, "goal refused: (%.7g, %.7g) is in a no-waiting area", point.x, point.y);
  }
  const bool is_exact = site->settings->execution_mode == FW_EXECUTION_MODE_DEPENDENCY && approach.is_free;
  if (request->position_tolerance > 0.0 && approach.is_needed && !is_exact) {
    return fw__refuse_as(
      reason, FW_FAULT_GOAL_OCCUPIED,
      "goal refused: the robot cannot come nearer to it than %.3g m%s, which is above its tolerance of %g m",
      approach.off, approach.is_free ? " in this execution_mode" : ", because of an obstacle",
      request->position_tolerance);
  }
  return true;
}

static bool reserve_goals(fw_controlled_robot_t * robot, int32_t count)
{
  if (count <= robot->goal_capacity) {
    return true;
  }
  fw_robot_goal_t * list = fw__realloc(robot->goals, (size_t)count * 2 * sizeof *list);
  if (list == NULL) {
    return false;
  }
  robot->goals = list;
  robot->goal_capacity = count * 2;
  return true;
}

static bool check_requests(const fw_goals_t * goals, const fw_goal_requests_t * requests, fw_error_t * reason)
{
  fw_controlled_robot_t * robot = &goals->fleet->robots[requests->robot];
  for (int32_t k = 0; k < requests->count; ++k) {
    if (!check_request(goals, robot, &requests->requests[k], reason)) {
      return false;
    }
  }
  if (requests->count > GOALS_MAX - robot->goal_count) {
    return fw__refuse(reason, "goal refused: a robot can have %d goals", GOALS_MAX);
  }
  return (reserve_goals(robot, robot->goal_count + requests->count) && reserve(goals->events, requests->count)) ||
         fw__refuse(reason, "goal refused: out of memory");
}

bool fw__goals_accept(const fw_goals_t * goals, const fw_goal_requests_t * requests, fw_error_t * reason)
{
  fw_controlled_robot_t * robot = &goals->fleet->robots[requests->robot];
  FW_ASSERT(fw__controlled_robot_is_listed(robot) && requests->count > 0);
  if (!check_requests(goals, requests, reason)) {
    fw__controlled_robot_set_fault(robot, &robot->goal_fault, (int32_t)reason->fault, "%s", reason->text);
    return false;
  }
  fw__controlled_robot_clear_fault(robot, &robot->goal_fault);
  if (!requests->requests[0].is_queued) {
    fw__goals_end_all(goals, requests->robot, 0, (fw_goal_end_t){.kind = FW_GOAL_REPLACED});
  }
  for (int32_t k = 0; k < requests->count; ++k) {
    const uint64_t id = ++goals->fleet->goals_seen;
    robot->goals[robot->goal_count++] = (fw_robot_goal_t){
      .id = id,
      .pose = requests->requests[k].pose,
      .position_tolerance = requests->requests[k].position_tolerance,
      .yaw_tolerance = requests->requests[k].yaw_tolerance,
    };
    goals->events->live_goals += 1;
    robot->saved.has_goals = false;
    add_event(goals, requests->robot, id, (fw_goal_end_t){.kind = FW_GOAL_ACCEPTED});
    if (robot->goal_count == 1) {
      activate(goals, requests->robot);
    }
    if (requests->ids != NULL) {
      requests->ids[k] = id;
    }
  }
  FW_ASSERT(fw__goals_validate(goals->fleet, goals->events));
  return true;
}

bool fw__goals_reserve(const fw_goals_t * goals, int32_t index, int32_t count)
{
  fw_controlled_robot_t * robot = &goals->fleet->robots[index];
  return reserve_goals(robot, robot->goal_count + count) && reserve(goals->events, count);
}

void fw__goals_restore(const fw_goals_t * goals, int32_t index, const fw_robot_goal_t * goal)
{
  fw_controlled_robot_t * robot = &goals->fleet->robots[index];
  FW_ASSERT(robot->goal_count < robot->goal_capacity);
  goals->fleet->goals_seen = goal->id > goals->fleet->goals_seen ? goal->id : goals->fleet->goals_seen;
  robot->goals[robot->goal_count++] = *goal;
  goals->events->live_goals += 1;
  if (robot->goal_count == 1) {
    activate(goals, index);
  }
  FW_ASSERT(fw__goals_validate(goals->fleet, goals->events));
}

// ---- ends

// Ends goal `at` of the list. An active goal must have a successor activated by the caller.
static void remove_goal(const fw_goals_t * goals, int32_t index, int32_t at, fw_goal_end_t end)
{
  fw_controlled_robot_t * robot = &goals->fleet->robots[index];
  FW_ASSERT(at >= 0 && at < robot->goal_count && goals->events->live_goals > 0);
  add_event(goals, index, robot->goals[at].id, end);
  robot->last_ended = (fw_ended_goal_t){robot->goals[at].id, end.kind, end.fault};
  robot->saved.has_goals = false;
  goals->events->live_goals -= 1;
  robot->goal_count -= 1;
  memmove(&robot->goals[at], &robot->goals[at + 1], (size_t)(robot->goal_count - at) * sizeof *robot->goals);
}

void fw__goals_end_active(const fw_goals_t * goals, int32_t index, fw_goal_end_t end)
{
  fw_controlled_robot_t * robot = &goals->fleet->robots[index];
  remove_goal(goals, index, 0, end);
  if (robot->goal_count > 0) {
    activate(goals, index);
  } else if (end.kind != FW_GOAL_REACHED) {
    robot->has_goal = false;
    fw__controlled_robot_reset_backoff(robot);
    fw__controlled_robot_clear_fault(robot, &robot->planning_fault);
  }
  FW_ASSERT(fw__goals_validate(goals->fleet, goals->events));
}

void fw__goals_end_all(const fw_goals_t * goals, int32_t index, int32_t from, fw_goal_end_t end)
{
  fw_controlled_robot_t * robot = &goals->fleet->robots[index];
  while (robot->goal_count > from) {
    const int32_t last = robot->goal_count - 1;
    if (last == 0) {
      fw__goals_end_active(goals, index, end);
    } else {
      remove_goal(goals, index, last, end);
    }
  }
  robot->has_goal = robot->has_goal && (from > 0 || robot->goal_count > 0);  // a station is given up too
  robot->saved.has_goals = false;
}

bool fw__goals_end(const fw_goals_t * goals, uint64_t id, fw_goal_end_t end)
{
  for (int32_t k = 0; k < goals->fleet->count; ++k) {
    for (int32_t g = 0; g < goals->fleet->robots[k].goal_count; ++g) {
      if (goals->fleet->robots[k].goals[g].id != id) {
        continue;
      }
      if (g == 0) {
        fw__goals_end_active(goals, k, end);
      } else {
        remove_goal(goals, k, g, end);
      }
      return true;
    }
  }
  return false;
}

// The lists are sorted.
static bool has_goal_with(const fw_controlled_robot_t * robot, uint64_t id)
{
  int32_t low = 0, high = robot->goal_count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    if (robot->goals[middle].id < id) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < robot->goal_count && robot->goals[low].id == id;
}

bool fw__goals_validate(const fw_controller_fleet_t * fleet, const fw_goal_events_t * events)
{
  int64_t live = 0, events_left = 0;
  for (int32_t k = 0; k < fleet->count; ++k) {
    const fw_controlled_robot_t * robot = &fleet->robots[k];
    live += robot->goal_count;
    // The first one is active already: only its end is to come.
    events_left += robot->goal_count > 0 ? EVENTS_PER_GOAL * robot->goal_count - 1 : 0;
    for (int32_t g = 0; g < robot->goal_count; ++g) {
      if (robot->goals[g].id > fleet->goals_seen || (g > 0 && robot->goals[g].id <= robot->goals[g - 1].id)) {
        return false;
      }
      for (int32_t other = 0; other < k; ++other) {
        if (has_goal_with(&fleet->robots[other], robot->goals[g].id)) {
          return false;
        }
      }
    }
    if (robot->goal_count > 0 && !robot->has_goal) {
      return false;
    }
  }
  return live == events->live_goals && events->count + events_left <= events->capacity;
}
