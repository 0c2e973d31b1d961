// The controller: facts in, one step forward, results out. See <fleetweave/controller.h> and controller.h.

#include "controller/controller.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/heap.h"
#include "controller/approach.h"
#include "controller/map/escape.h"
#include "controller/round/request_closures.h"
#include "controller/round/round.h"
#include "world/moves.h"

// In execution mode dependency robots need fewer plans: at most one round in this time, unless it is urgent.
static const int64_t ROUNDS_NS = 200000000;
// At start-up poses arrive one by one, and robots subscribe one by one. A plan without some robots, or one that some do
// not get, would lead others into them, so all are waited for: with ignores_missing_robots for this time only.
static const int64_t STARTUP_NS = 5000000000;
static const int64_t UPDATE_NS = 100000000;      // between two checks of robots in the graph
static const int64_t RETIME_NS = 1000000000;     // between two computations of expected times
static const int64_t CENTERING_NS = 5000000000;  // a robot that has not reached the centre of its cell by then will not

enum { CONTRADICTIONS_MAX = 5 };                   // rounds that cannot be planned until all plans are dropped
enum { UNSPLICED_MAX = 60 };                       // the same where an obstacle or a robot that goes away may end it
static const int64_t TELL_AGAIN_NS = 10000000000;  // a robot that has stopped gets its release again

static const int64_t WAIT_BACKOFF_MAX_NS = 8000000000;  // between rounds for a robot that waits on its path

static const double MOVED_CELLS = 1.0;         // a robot this far from where it was planned for was moved
static const double BESIDE_PATH_CELLS = 0.25;  // a robot this far from its path is not on it

// ---- requests for rounds

void fw__controller_request_round(fw_controller_impl_t * controller, const char * why)
{
  controller->round_reason = why;
  controller->round_is_urgent = true;
}

void fw__controller_request_round_soon(fw_controller_impl_t * controller, const char * why)
{
  controller->round_reason = controller->round_reason == NULL ? why : controller->round_reason;
}

void fw__controller_want_whole_round(fw_controller_impl_t * controller) { controller->round_is_whole = true; }

// ---- paths and goals

bool fw__controller_path_ends_at_goal(const fw_controller_impl_t * controller, int32_t index)
{
  FW_ASSERT(index >= 0 && index < controller->fleet.count && index < controller->schedule.robot_count);
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_timed_path_t * timed_path = &controller->schedule.paths[index];
  const fw_map_frame_t * frame = &controller->map.frame;
  if (!robot->has_goal || timed_path->count == 0 || controller->map.revision == 0) {
    return false;
  }
  const fw_cell_t goal = fw__approach_cell_of(&controller->fleet.site, robot);
  return goal != FW_CELL_NONE && fw__map_frame_cell(frame, timed_path->waypoints[timed_path->count - 1].point) == goal;
}

bool fw__controller_has_arrived(const fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  if (!fw__controller_path_ends_at_goal(controller, index)) {
    return false;
  }
  if (controller->execution.is_on) {
    // A robot that is first sent to the centre of its cell has a path of one waypoint, which it has not reached yet,
    // and perhaps never will.
    const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
    const fw_execution_status_t status = fw__fleet_execution_status(&controller->execution, index);
    // The timed path may be an older one, if there was no memory to write it again.
    fw_execution_waypoint_t end;
    return !robot->is_centering && status.state == FW_EXECUTION_ARRIVED && status.off_path <= BESIDE_PATH_CELLS &&
           fw_execution_waypoint(&controller->execution.graph, index, status.end, &end, NULL) == FW_RET_OK &&
           end.cell == fw__approach_cell_of(&controller->fleet.site, robot);
  }
  // By its stamps the path is over; a robot that is late, or never drove, is not there yet.
  const fw_timed_path_t * path = &controller->schedule.paths[index];
  const double tolerance = controller->settings.plan_tolerance;
  const double near = tolerance > 0.0 ? tolerance : controller->map.frame.resolution;
  return fw__timed_path_end(path) <= now_ns &&
         fw__point_distance(path->waypoints[path->count - 1].point, controller->fleet.robots[index].point) <= near;
}

bool fw__controller_is_at_goal(const fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  const bool has_arrived = fw__controller_has_arrived(controller, index, now_ns);
  if (!controller->execution.is_on) {
    return has_arrived;  // by stamps robots end in the centres of cells
  }
  return fw__approach_is_at_goal(&controller->fleet.site, &controller->fleet.robots[index], has_arrived);
}

static fw_goals_t goals_at(fw_controller_impl_t * controller, int64_t now_ns)
{
  return (fw_goals_t){.fleet = &controller->fleet, .events = &controller->events, .now_ns = now_ns};
}

// Goals that are reached end, and the next one of the queue begins.
static void end_reached_goals(fw_controller_impl_t * controller, int64_t now_ns)
{
  const fw_goals_t goals = goals_at(controller, now_ns);
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    if (
      robot->goal_count > 0 && robot->planning_fault.number == 0 && !robot->is_off_plan &&
      fw__controller_is_at_goal(controller, k, now_ns)) {
      fw__goals_end_active(&goals, k, (fw_goal_end_t){.kind = FW_GOAL_REACHED});
      if (robot->goal_count > 0) {
        fw__controller_request_round_soon(controller, "a robot continues to its next goal");
      }
    }
  }
}

// Why a goal is impossible on this map. A goal in an obstacle may become free again, so that only the first map counts
// for that; a goal outside the map has no place on it.
static fw_goal_end_t find_impossible(
  const fw_controller_impl_t * controller, const fw_controlled_robot_t * robot, const fw_robot_goal_t * goal,
  char text[FW_REASON_SIZE])
{
  const fw_planning_map_t * map = &controller->map;
  const fw_cell_t cell = fw__approach_plan(&controller->fleet.site, &robot->body, goal).cell;
  const bool is_outside = cell == FW_CELL_NONE;
  if (
    !is_outside && (map->revision > 1 ||
                    (fw_grid_allows_waiting(&map->grid, cell) &&
                     fw__robot_body_fits_on(&robot->body, &map->grid, controller->settings.connectivity, cell)))) {
    return (fw_goal_end_t){0};
  }
  (void)snprintf(
    text, FW_REASON_SIZE, "its goal (%.7g, %.7g) is %s", goal->pose.point.x, goal->pose.point.y,
    is_outside                                 ? "outside the map"
    : fw_grid_allows_waiting(&map->grid, cell) ? "in an obstacle"
                                               : "in a no-waiting area");
  return (fw_goal_end_t){FW_GOAL_FAILED, is_outside ? FW_FAULT_GOAL_OUTSIDE : FW_FAULT_GOAL_OCCUPIED, text};
}

// Goals that were accepted without a map and that the first one shows to be impossible fail. On a later map a goal
// waits with a fault instead: maps are replaced by mistake, and nothing should be lost then.
static void fail_impossible_goals(fw_controller_impl_t * controller, int64_t now_ns)
{
  const fw_goals_t goals = goals_at(controller, now_ns);
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    for (int32_t g = robot->goal_count - 1; g >= 0; --g) {  // from the last one on: none becomes active only to fail
      char text[FW_REASON_SIZE];
      const fw_goal_end_t end = find_impossible(controller, robot, &robot->goals[g], text);
      if (end.fault != FW_FAULT_NONE) {
        fw__controlled_robot_set_fault(robot, &robot->goal_fault, (int32_t)end.fault, "%s", text);
        const bool is_ended = fw__goals_end(&goals, robot->goals[g].id, end);
        FW_ASSERT(is_ended);
        (void)is_ended;
      }
    }
  }
}

static bool path_crosses(
  const fw_controller_impl_t * controller, const fw_timed_path_t * timed_path, fw_cell_test_t * test)
{
  const fw_planning_map_t * map = &controller->map;
  for (int32_t w = 0; w < timed_path->count; ++w) {
    const fw_pose_t pose = fw__timed_waypoint_pose(&timed_path->waypoints[w], &map->frame);
    const fw_grid_pose_t place = fw__robot_body_place(&timed_path->body, &map->frame, 8, pose);
    for (int32_t c = 0; place.cell >= 0 && c < fw__robot_body_cell_count(&timed_path->body, place); ++c) {
      if (test(controller, fw__robot_body_cell(&timed_path->body, &map->grid, place, c))) {
        return true;
      }
    }
  }
  return false;
}

bool fw__controller_any_path_crosses(const fw_controller_impl_t * controller, fw_cell_test_t * test)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    if (path_crosses(controller, &controller->schedule.paths[k], test)) {
      return true;
    }
  }
  return false;
}

// ---- the map

static bool is_new_obstacle(const fw_controller_impl_t * controller, fw_cell_t cell)
{
  FW_ASSERT(controller->map.before.cost != NULL);
  return cell >= 0 && controller->map.grid.cost[cell] == 0 && controller->map.before.cost[cell] != 0;
}

// True if a robot has no plan and a change of obstacles may help it.
static bool has_robot_without_plan(const fw_controller_impl_t * controller)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    if (controller->fleet.robots[k].planning_fault.number != 0) {
      return true;
    }
  }
  return false;
}

static void reset_backoffs(fw_controller_impl_t * controller)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    fw__controlled_robot_reset_backoff(&controller->fleet.robots[k]);
  }
}

// How a grid differs from the one before: floor is free that was not, and floor has another cost, or another rule.
typedef struct map_change_t {
  bool has_opened;
  bool has_other_costs;
  bool has_other_rules;
} map_change_t;

static bool has_same_rules(const fw_grid_t * a, const fw_grid_t * b)
{
  bool are_same = true;
  for (fw_cell_t cell = 0; (a->rules != NULL || b->rules != NULL) && cell < fw_grid_cell_count(a) && are_same; ++cell) {
    are_same = (a->rules == NULL ? 0 : a->rules[cell]) == (b->rules == NULL ? 0 : b->rules[cell]);
  }
  return are_same;
}

static map_change_t compare_with_before(const fw_planning_map_t * map)
{
  map_change_t change = {.has_other_rules = !has_same_rules(&map->grid, &map->before)};
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&map->grid); ++cell) {
    const uint8_t old = map->before.cost[cell], new = map->grid.cost[cell];
    change.has_opened = change.has_opened || (old == 0 && new != 0);
    change.has_other_costs = change.has_other_costs || (old != new && old != 0 && new != 0);
  }
  return change;
}

// The next update tells the graph, before it publishes releases that have grown since.
static void note_new_obstacles(fw_controller_impl_t * controller)
{
  controller->obstacles_are_outdated = true;
  controller->next_execution_ns = 0;
}

// A map with the same frame as before matters only where a new obstacle lies on a path, or a robot waits for a path, or
// other costs may give better paths.
static void request_round_for_new_map(fw_controller_impl_t * controller)
{
  const bool is_busy = fw__round_worker_state(&controller->worker) == FW_ROUND_WORKER_BUSY;
  const bool is_other = controller->map.before.cost == NULL;
  // The worker plans on the map before. Where the graph knows the new obstacles when the plan comes, that does no harm,
  // and a map that changes often cannot starve a slow planner.
  if (is_other || !controller->execution.is_on) {
    fw__round_worker_cancel(&controller->worker);
  }
  const map_change_t change = is_other ? (map_change_t){.has_opened = true} : compare_with_before(&controller->map);
  if (change.has_opened || change.has_other_costs || change.has_other_rules) {
    fw__controller_want_whole_round(controller);
  }
  if (change.has_other_rules) {
    reset_backoffs(controller);
    fw__controller_request_round(controller, "areas have changed");
  }
  if (change.has_other_costs) {
    fw__controller_request_round_soon(controller, "costs have changed");
  }
  if (is_other || is_busy || fw__controller_any_path_crosses(controller, is_new_obstacle)) {
    fw__controller_request_round(controller, "there is a new map");
  }
  if (is_other || has_robot_without_plan(controller)) {
    reset_backoffs(controller);
    fw__controller_request_round_soon(controller, "there is a new map");
  }
}

// A copy of the values of an occupancy grid; NULL if there is no memory.
static int8_t * copy_values(const fw_occupancy_map_t * occupancy)
{
  const size_t size = (size_t)occupancy->width * (size_t)occupancy->height;
  int8_t * values = fw__malloc(size);
  if (values != NULL) {
    memcpy(values, occupancy->values, size);
  }
  return values;
}

static bool occupancies_are_equal(const fw_occupancy_map_t * a, const fw_occupancy_map_t * b)
{
  return a->width == b->width && a->height == b->height && a->resolution == b->resolution &&
         a->origin.point.x == b->origin.point.x && a->origin.point.y == b->origin.point.y &&
         a->origin.yaw == b->origin.yaw && a->values != NULL && b->values != NULL &&
         memcmp(a->values, b->values, (size_t)a->width * (size_t)a->height) == 0;
}

// ---- bodies

static fw_fleet_grid_t grid_of(const fw_controller_settings_t * settings, const fw_map_frame_t * frame)
{
  return (fw_fleet_grid_t){
    .settings = settings, .resolution = frame->resolution, .tick_ns = fw__round_tick_ns(frame, settings)};
}

// What the graph and the worker have of robots with new bodies is outdated. True if there is one.
static bool note_new_bodies(fw_controller_impl_t * controller)
{
  bool any = false;
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    if (robot->has_new_body && !robot->is_new && fw__controlled_robot_is_listed(robot)) {
      any = true;
      controller->execution.has_old_bodies =
        controller->execution.has_old_bodies || fw__fleet_execution_has(&controller->execution, k);
    }
    robot->has_new_body = false;
  }
  return any;
}

static void note_diagonals(fw_controller_impl_t * controller, const fw_fleet_bodies_t * bodies)
{
  if (bodies->needs_sides && !controller->sweeps_sides) {
    fw__log(
      &controller->log, FW_LOG_INFO,
      "robots of %g m in cells of %g m would touch others beside a diagonal: each diagonal covers the cells beside it "
      "(sweeps_sides)",
      2.0 * bodies->robot_radius, controller->map.frame.resolution);
  }
  controller->sweeps_sides = bodies->needs_sides;
}

// Puts bodies for the map and settings in force into force.
static void take_bodies(fw_controller_impl_t * controller, const fw_fleet_bodies_t * bodies)
{
  fw__controller_fleet_set_bodies(&controller->fleet, bodies);
  note_diagonals(controller, bodies);
  if (note_new_bodies(controller)) {
    fw__round_worker_cancel(&controller->worker);
    controller->obstacles_are_outdated = true;
    fw__controller_request_round(controller, "robots have other bodies on the planning grid");
  }
}

// Builds the planning grid, and the robots' bodies on it. False with a reason: the last good one stays in force.
static bool build_map(
  fw_controller_impl_t * controller, const fw_occupancy_map_t * occupancy, int64_t now_ns, fw_error_t * reason)
{
  const fw_map_frame_t * frame = &controller->map.frame;
  const fw_controller_settings_t * settings = &controller->settings;
  fw_map_source_t source = fw__controller_map_source(controller, occupancy);
  fw_map_frame_t new_frame;
  fw_fleet_bodies_t bodies = {0};
  if (!fw__planning_map_place(&new_frame, &source, reason)) {
    return false;
  }
  const fw_fleet_grid_t grid = grid_of(settings, &new_frame);
  if (!fw__controller_fleet_convert(&controller->fleet, &grid, &bodies, reason)) {
    return false;
  }
  source.needs_whole_squares = bodies.has_large_robots;
  source.robot_radius = bodies.robot_radius;
  // All that can fail comes before the map changes.
  const bool is_stored = occupancy == &controller->occupancy;
  int8_t * values = is_stored ? NULL : copy_values(occupancy);
  if (!is_stored && values == NULL) {
    fw__fleet_bodies_fini(&bodies);
    return fw__refuse(reason, "out of memory");
  }
  if (!fw__planning_map_build(&controller->map, &source, reason)) {
    fw__fleet_bodies_fini(&bodies);
    free(values);
    return false;
  }
  take_bodies(controller, &bodies);
  fw__fleet_bodies_fini(&bodies);
  if (!is_stored) {
    free((void *)(uintptr_t)controller->occupancy.values);
    controller->occupancy = *occupancy;
    controller->occupancy.values = values;
  }
  fw__log(
    &controller->log, FW_LOG_INFO, "map: %d x %d planning cells of %g m", frame->width, frame->height,
    frame->resolution);
  if (frame->resolution > settings->planning_resolution * 1.001 && settings->planning_resolution > 0.0) {
    fw__log(
      &controller->log, FW_LOG_WARN,
      "planning cells are %g m, not %g m: a cell must hold a whole robot and a whole map cell", frame->resolution,
      settings->planning_resolution);
  }
  if (controller->map.count.moves > 0) {
    fw__log(
      &controller->log, FW_LOG_WARN,
      "map: %d planning cells that hold a robot are blocked, because something thin lies between them and their "
      "neighbours; a planning_resolution of at most a robot's diameter and the thinnest wall together keeps them",
      controller->map.count.moves);
  }
  fw__closure_sources_rasterise(&controller->closures);
  if (!fw__blocked_cells_rasterise(&controller->blocked)) {
    fw__log(&controller->log, FW_LOG_ERROR, "out of memory for blocked_cells: nothing is blocked");
  }
  if (controller->map.revision == 1) {
    fail_impossible_goals(controller, now_ns);
  }
  fw__controller_note_new_map(controller);
  return true;
}

// Does a plan lead against a one-way area of the present map, beyond what is released?
static bool leads_against_areas(const fw_controller_impl_t * controller, int32_t index)
{
  const fw_fleet_execution_t * execution = &controller->execution;
  const fw_execution_status_t status = fw__fleet_execution_status(execution, index);
  fw_execution_waypoint_t from, to;
  bool leads = false;
  for (int32_t at = status.released; !leads && at < status.end; ++at) {
    leads = fw_execution_waypoint(&execution->graph, index, at, &from, NULL) == FW_RET_OK &&
            fw_execution_waypoint(&execution->graph, index, at + 1, &to, NULL) == FW_RET_OK &&
            !fw__grid_allows_move(&controller->map.grid, from.cell, to.cell);
  }
  return leads;
}

void fw__controller_stop_against_areas(fw_controller_impl_t * controller)
{
  const fw_fleet_execution_t * execution = &controller->execution;
  const bool may_lead = controller->map.grid.rules != NULL && execution->is_on &&
                        fw__map_frames_are_equal(&execution->frame, &controller->map.frame);
  for (int32_t k = 0; may_lead && k < controller->fleet.count; ++k) {
    if (fw__fleet_execution_has(execution, k) && leads_against_areas(controller, k)) {
      controller->fleet.robots[k].stop = FW_ROBOT_STOP_WANTED;
      fw__fleet_execution_hold(&controller->execution, k, true);
      fw__controller_request_round_soon(controller, "a plan leads against a one-way area");
    }
  }
}

void fw__controller_note_new_map(fw_controller_impl_t * controller)
{
  note_new_obstacles(controller);
  fw__escapes_reset(&controller->escapes);
  fw__escapes_update(controller);
  fw__controller_stop_against_areas(controller);
  request_round_for_new_map(controller);
}

bool fw__controller_rebuild_map(fw_controller_impl_t * controller, int64_t now_ns, fw_error_t * reason)
{
  return controller->occupancy.values == NULL || build_map(controller, &controller->occupancy, now_ns, reason);
}

fw_map_source_t fw__controller_map_source(const fw_controller_impl_t * controller, const fw_occupancy_map_t * occupancy)
{
  return (fw_map_source_t){
    .occupancy = occupancy,
    .settings = &controller->settings,
    .keepout = controller->keepout.mask.values == NULL ? NULL : &controller->keepout.mask,
    .cost_mask = controller->cost_mask.mask.values == NULL ? NULL : &controller->cost_mask.mask,
    .areas = &controller->areas,
    .needs_whole_squares = controller->map.needs_whole_squares,
    .robot_radius = controller->map.robot_radius,
  };
}

void fw__controller_note_map_fault(fw_controller_impl_t * controller, const char * reason)
{
  if (reason[0] != '\0' && strcmp(reason, controller->map_fault.text) != 0) {
    fw__log(
      &controller->log, FW_LOG_ERROR, "map refused: %s%s", reason,
      controller->map.revision > 0 ? "; the last good one stays in force" : "");
  }
  (void)snprintf(controller->map_fault.text, sizeof controller->map_fault.text, "%s", reason);
}

fw_ret_t fw_controller_set_map(
  fw_controller_t * self, const fw_occupancy_map_t * map, int64_t now_ns, fw_error_t * error)
{
  fw_controller_impl_t * controller = self->impl;
  fw_error_t reason = {0};
  // Map servers repeat their map; that does not request a round.
  const bool is_same = controller->map.revision > 0 && occupancies_are_equal(map, &controller->occupancy);
  const bool is_good = is_same || build_map(controller, map, now_ns, &reason);
  fw__controller_note_map_fault(controller, is_good ? "" : reason.text);
  return is_good ? FW_RET_OK : fw__error(error, FW_RET_INVALID_ARGUMENT, "%s", reason.text);
}

// ---- poses, closures, obstacles, goals

// True if the slot has a robot; otherwise sets the error.
static bool has_robot(const fw_controller_impl_t * controller, int32_t robot, fw_error_t * error)
{
  if (
    robot >= 0 && robot < controller->fleet.count && fw__controlled_robot_is_listed(&controller->fleet.robots[robot])) {
    return true;
  }
  (void)fw__error(error, FW_RET_NOT_FOUND, "there is no robot %d", robot);
  return false;
}

static void apply_pause(fw_controller_impl_t * controller);

fw_ret_t fw_controller_report_pose(
  fw_controller_t * self, int32_t index, const fw_pose_report_t * report, int64_t now_ns, fw_error_t * error)
{
  fw_controller_impl_t * controller = self->impl;
  if (!has_robot(controller, index, error)) {
    return FW_RET_NOT_FOUND;
  }
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_timed_path_t * timed_path = &controller->schedule.paths[index];
  const double tolerance = controller->settings.plan_tolerance;
  const bool is_first = !robot->has_pose;
  const int64_t heard_ns = robot->heard_ns;
  const int64_t stamp_ns = robot->stamp_ns;
  fw_error_t reason = {0};
  if (!fw__controller_fleet_take_pose(&controller->fleet, robot, report, now_ns, &reason)) {
    return fw__error_at(error, (fw_error_detail_t){reason.fault, index, FW_CELL_NONE}, "%s", reason.text);
  }
  if (!is_first && robot->heard_ns == heard_ns && robot->stamp_ns == stamp_ns) {
    return FW_RET_OK;  // overtaken by a later one, or the same again
  }
  controller->reports += 1;
  if (is_first) {
    fw__controller_request_round(controller, "a robot has appeared");
    controller->startup_end_ns = controller->startup_end_ns == 0 ? now_ns + STARTUP_NS : controller->startup_end_ns;
  }
  if (controller->execution.is_on) {
    const bool is_obstacle = !fw__fleet_execution_has(&controller->execution, index);
    controller->obstacles_are_outdated = controller->obstacles_are_outdated || (is_obstacle && !robot->is_still);
    if (is_first && is_obstacle) {
      controller->has_untold_robot = controller->obstacles_are_outdated = true;
      controller->next_execution_ns = 0;
      apply_pause(controller);
    }
    fw__fleet_execution_report(&controller->execution, robot, index, now_ns);
    const bool is_oldest = controller->oldest_report_ns == 0 || robot->stamp_ns < controller->oldest_report_ns;
    controller->oldest_report_ns = is_oldest ? robot->stamp_ns : controller->oldest_report_ns;
    return FW_RET_OK;
  }
  const bool was_off_plan = robot->is_off_plan;
  robot->is_off_plan = timed_path->count > 0 && tolerance > 0.0 &&
                       fw__point_distance(fw__timed_path_at(timed_path, now_ns), robot->point) > tolerance;
  if (robot->is_off_plan && !was_off_plan) {
    fw__controller_request_round(controller, "a robot has left its plan");
  }
  return FW_RET_OK;
}

// A new closure on a planned path cannot wait; cells that have opened can wait for the next check.
fw_ret_t fw_controller_set_closures(
  fw_controller_t * self, int32_t source, const fw_timed_waypoint_t * waypoints, int32_t count, int64_t now_ns,
  fw_error_t * error)
{
  fw_controller_impl_t * controller = self->impl;
  if (source < 0 || source >= controller->closures.count) {
    return fw__error(error, FW_RET_NOT_FOUND, "there is no source of closures %d", source);
  }
  if (count < 0) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "a path cannot have %d waypoints", count);
  }
  fw_closure_source_t * closures = &controller->closures.sources[source];
  const fw_closure_query_t all = {{INT64_MIN, FW_TIME_MAX_NS}, now_ns};
  if (!fw__closure_sources_take(&controller->closures, closures, waypoints, count)) {
    return closures->fault.text[0] == '\0' ? FW_RET_OK
                                           : fw__error(error, FW_RET_INVALID_ARGUMENT, "%s", closures->fault.text);
  }
  controller->closures_have_changed = true;
  if (fw__closure_source_touches(closures, &controller->map.frame, &controller->schedule, all)) {
    fw__controller_request_round(controller, "a planned path is closed");
  }
  return FW_RET_OK;
}

static bool is_newly_blocked(const fw_controller_impl_t * controller, fw_cell_t cell)
{
  return fw__blocked_cells_has(&controller->blocked, cell) && !controller->blocked.before[cell];
}

void fw__controller_note_obstacle_fault(fw_controller_impl_t * controller, const char * reason)
{
  if (reason[0] != '\0' && strcmp(reason, controller->blocked.fault.text) != 0) {
    fw__log(&controller->log, FW_LOG_ERROR, "blocked_cells refused, the last good ones stay in force: %s", reason);
  }
  (void)fw__refuse(&controller->blocked.fault, "%s", reason);
}

void fw__controller_refuse_pose(fw_controller_impl_t * controller, int32_t robot, const fw_error_t * reason)
{
  fw_controlled_robot_t * one = &controller->fleet.robots[robot];
  fw__controlled_robot_set_fault(one, &one->pose_fault, (int32_t)reason->fault, "pose refused: %s", reason->text);
}

void fw__controller_note_pose_fault(fw_controller_impl_t * controller, int32_t robot, const fw_error_t * reason)
{
  fw_controlled_robot_t * one = &controller->fleet.robots[robot];
  fw__controlled_robot_set_fault(one, &one->pose_fault, (int32_t)reason->fault, "%s", reason->text);
}

void fw__controller_refuse_goal(fw_controller_impl_t * controller, int32_t robot, const fw_error_t * reason)
{
  fw_controlled_robot_t * one = &controller->fleet.robots[robot];
  fw__controlled_robot_set_fault(one, &one->goal_fault, (int32_t)reason->fault, "goal refused: %s", reason->text);
}

void fw__controller_note_released(fw_controller_impl_t * controller, int64_t now_ns)
{
  if (controller->oldest_report_ns > 0) {
    controller->release_times_ns[controller->release_times_count++ % FW_RELEASE_TIMES_SIZE] =
      now_ns - controller->oldest_report_ns;
  }
}

// Costmaps repeat the same cells, so only changes count: a newly blocked cell may lie on a path, and a freed cell may
// help a robot without a plan. The worker is not cancelled, so that moving obstacles do not starve planning;
// fw__round_take_result checks for cells that were blocked in the meantime.
fw_ret_t fw_controller_set_obstacles(
  fw_controller_t * self, const fw_obstacle_cells_t * obstacles, int64_t now_ns, fw_error_t * error)
{
  (void)now_ns;
  fw_controller_impl_t * controller = self->impl;
  const int64_t revision = controller->blocked.revision;
  fw_error_t reason = {0};
  const bool is_taken = fw__blocked_cells_take(&controller->blocked, obstacles, &reason);
  fw__controller_note_obstacle_fault(controller, is_taken ? "" : reason.text);
  if (!is_taken) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "%s", reason.text);
  }
  if (controller->blocked.revision == revision) {
    return FW_RET_OK;
  }
  note_new_obstacles(controller);
  if (fw__controller_any_path_crosses(controller, is_newly_blocked)) {
    fw__controller_request_round(controller, "a planned path is blocked");
  } else if (has_robot_without_plan(controller)) {
    controller->closures_have_changed = true;
  }
  return FW_RET_OK;
}

fw_ret_t fw_controller_request_goals(
  fw_controller_t * self, int32_t robot, const fw_goal_request_t * requests, int32_t count, int64_t now_ns,
  uint64_t * ids, fw_error_t * error)
{
  fw_controller_impl_t * controller = self->impl;
  if (!has_robot(controller, robot, error)) {
    return FW_RET_NOT_FOUND;
  }
  const fw_goals_t goals = goals_at(controller, now_ns);
  const fw_goal_requests_t all = {.robot = robot, .requests = requests, .count = count, .ids = ids};
  fw_error_t reason = {0};
  if (count < 0) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "a list cannot have %d goals", count);
  }
  fw__restart_restore_left(controller, now_ns);
  if (controller->fleet.robots[robot].is_unrestored) {
    return fw__error_memory(error);
  }
  if (count == 0) {
    fw__goals_end_all(&goals, robot, 1, (fw_goal_end_t){.kind = FW_GOAL_REPLACED});
    fw__restart_commit(controller, now_ns);
    return FW_RET_OK;
  }
  if (!fw__goals_accept(&goals, &all, &reason)) {
    return fw__error_at(error, (fw_error_detail_t){reason.fault, robot, FW_CELL_NONE}, "%s", reason.text);
  }
  fw__restart_commit(controller, now_ns);  // an accepted goal is never lost
  fw__controller_request_round_soon(controller, "there is a new goal");
  return FW_RET_OK;
}

fw_ret_t fw_controller_request_goal(
  fw_controller_t * self, int32_t robot, const fw_goal_request_t * request, int64_t now_ns, uint64_t * id,
  fw_error_t * error)
{
  return fw_controller_request_goals(self, robot, request, 1, now_ns, id, error);
}

// The robot drives what is released, and nothing more until there is a plan without the goal. A round under way does
// not know that.
static void stop_after_cancel(fw_controller_impl_t * controller, int32_t index)
{
  if (controller->execution.is_on && !fw__fleet_execution_has(&controller->execution, index)) {
    return;  // it has no part in a plan: what it may still drive ends soon
  }
  controller->fleet.robots[index].stop = FW_ROBOT_STOP_WANTED;
  fw__fleet_execution_hold(&controller->execution, index, true);
  fw__controller_request_round(controller, "a goal was cancelled");
}

fw_ret_t fw_controller_cancel_goal(fw_controller_t * self, uint64_t id, int64_t now_ns, fw_error_t * error)
{
  fw_controller_impl_t * controller = self->impl;
  const fw_goals_t goals = goals_at(controller, now_ns);
  fw__restart_restore_left(controller, now_ns);
  int32_t index = -1;  // the robot whose active goal it is
  for (int32_t k = 0; index < 0 && k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    index = robot->goal_count > 0 && robot->goals[0].id == id ? k : -1;
  }
  if (!fw__goals_end(&goals, id, (fw_goal_end_t){.kind = FW_GOAL_CANCELLED})) {
    return fw__error(error, FW_RET_NOT_FOUND, "there is no goal %llu, or it has ended", (unsigned long long)id);
  }
  fw__restart_commit(controller, now_ns);
  if (index >= 0) {
    stop_after_cancel(controller, index);
  }
  return FW_RET_OK;
}

void fw_controller_cancel_goals(fw_controller_t * self, int32_t robot, int64_t now_ns)
{
  const fw_goals_t goals = goals_at(self->impl, now_ns);
  if (has_robot(self->impl, robot, NULL)) {
    fw__goals_end_all(&goals, robot, 0, (fw_goal_end_t){.kind = FW_GOAL_CANCELLED});
    fw__restart_commit(self->impl, now_ns);
    stop_after_cancel(self->impl, robot);
  }
}

bool fw_controller_next_event(fw_controller_t * self, fw_goal_event_t * event)
{
  return fw__goal_events_next(&self->impl->events, event);
}

const char * fw_goal_event_kind_name(fw_goal_event_kind_t kind)
{
  static const char * const names[] = {"accepted", "active", "reached", "failed", "cancelled", "replaced"};
  FW_ASSERT((size_t)kind < sizeof names / sizeof names[0]);
  return names[kind];
}

// ---- execution by the dependency graph

static bool is_by_dependency(const fw_controller_impl_t * controller)
{
  return controller->settings.execution_mode == FW_EXECUTION_MODE_DEPENDENCY;
}

void fw__controller_tell_obstacles(fw_controller_impl_t * controller)
{
  controller->obstacles_are_outdated =
    !fw__fleet_execution_set_obstacles(&controller->execution, &controller->blocked, &controller->fleet);
}

static void log_stuck(const fw_controller_impl_t * controller, int32_t index, bool is_stuck)
{
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  if (is_stuck) {
    const char * state = fw_execution_state_name(fw__fleet_execution_status(&controller->execution, index).state);
    fw__log(
      &controller->log, FW_LOG_WARN, "%s is %s at (%.7g, %.7g): the others plan around it", robot->name, state,
      robot->point.x, robot->point.y);
  } else {
    fw__log(&controller->log, FW_LOG_INFO, "%s is driving again", robot->name);
  }
}

// Has a robot that was told where its path ends, for example after an obstacle had cut it short behind the robot, not
// gone there in time?
static bool stays_beside_end(
  const fw_controller_impl_t * controller, const fw_controlled_robot_t * robot, const fw_execution_status_t * status)
{
  const int64_t since_ns = robot->still_ns > robot->release_ns ? robot->still_ns : robot->release_ns;
  return status->state == FW_EXECUTION_ARRIVED && robot->is_still &&
         controller->last_now_ns - since_ns > 2 * TELL_AGAIN_NS;
}

// True if a robot has stopped in a cell that is not on its path, although it is near enough to it to return: it will
// not.
static bool has_stopped_beside_path(
  const fw_controller_impl_t * controller, int32_t index, const fw_execution_status_t * status)
{
  const bool has_stopped =
    status->state == FW_EXECUTION_STOPPED || stays_beside_end(controller, &controller->fleet.robots[index], status);
  if (!has_stopped || status->off_path <= BESIDE_PATH_CELLS) {
    return false;
  }
  const fw_cell_t cell = fw__map_frame_cell(&controller->execution.frame, controller->fleet.robots[index].point);
  bool is_on_path = cell == FW_CELL_NONE;
  for (int32_t at = status->reached; !is_on_path && at <= status->released; ++at) {
    fw_execution_waypoint_t waypoint;
    is_on_path = fw_execution_waypoint(&controller->execution.graph, index, at, &waypoint, NULL) == FW_RET_OK &&
                 waypoint.cell == cell;
  }
  return !is_on_path;
}

// A robot that has left its path and stands is removed from the graph: the next round plans from where it is.
static void remove_off_path(fw_controller_impl_t * controller, int32_t index, const fw_execution_status_t * status)
{
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  // Where poses come only while a robot moves, one that stands beside its path is silent.
  const bool is_silent = robot->is_stale && !controller->settings.poses_are_on_change;
  const bool has_left = status->state == FW_EXECUTION_OFF_PATH || has_stopped_beside_path(controller, index, status);
  if (!has_left || !robot->is_still || is_silent) {
    return;
  }
  if (fw__round_worker_state(&controller->worker) != FW_ROUND_WORKER_IDLE) {
    fw__round_worker_cancel(&controller->worker);  // it plans from where the robot will not be
  } else {
    controller->fleet.robots[index].was_stuck = false;
    fw__fleet_execution_remove(&controller->execution, &controller->fleet, index);
    fw__restart_void_release(controller, index, controller->last_now_ns);  // it may still want to return to its path
    fw__controller_tell_obstacles(controller);
    fw__controller_request_round(controller, "a robot has left its path");
  }
}

// True if nothing may be released because a listed robot has never reported, and no journal knows where it is: it could
// be anywhere.
static bool waits_for_missing_robots(const fw_controller_impl_t * controller, int64_t now_ns)
{
  bool is_missing = false;
  for (int32_t k = 0; !is_missing && k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    is_missing = fw__controlled_robot_is_listed(robot) && !fw__controlled_robot_has_place(robot);
  }
  return is_missing && (now_ns < controller->startup_end_ns || !controller->settings.ignores_missing_robots);
}

// A robot that has stopped may not have heard its release, or has heard "stay" from somebody else since: another
// controller, before that one knew of this one. Not while a robot is missing, which may be on that path by now.
static void tell_again(
  const fw_controller_impl_t * controller, fw_controlled_robot_t * robot, const fw_execution_status_t * status)
{
  const int64_t now_ns = controller->last_now_ns;
  const int64_t told_ns = robot->release_ns > robot->told_again_ns ? robot->release_ns : robot->told_again_ns;
  // A path of one waypoint, the centre of its cell, is over before the robot is there.
  const bool is_beside_end =
    status->state == FW_EXECUTION_ARRIVED && status->off_path > controller->execution.options.tolerance;
  const bool has_stopped = status->state == FW_EXECUTION_STOPPED || is_beside_end;
  const bool is_due = has_stopped && (now_ns - told_ns > TELL_AGAIN_NS || told_ns > now_ns);
  if (is_due && !waits_for_missing_robots(controller, now_ns)) {
    robot->told_again_ns = now_ns;
    robot->release_revision += 1;
  }
}

// Notes whether a robot is stuck or off its path, by the graph.
static void check_execution_of(fw_controller_impl_t * controller, int32_t index)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_execution_status_t status = fw__fleet_execution_status(&controller->execution, index);
  const bool is_stuck = fw__fleet_execution_is_stuck(&controller->execution, index);
  robot->is_off_plan = status.state == FW_EXECUTION_OFF_PATH;
  tell_again(controller, robot, &status);
  if (is_stuck != robot->was_stuck) {
    robot->was_stuck = is_stuck;
    log_stuck(controller, index, is_stuck);
    fw__controller_request_round(controller, is_stuck ? "a robot is stuck" : "a robot is driving again");
  }
  remove_off_path(controller, index, &status);
}

// Robots that have reached the centre of their cell, or take too long for it, are planned for.
static void check_centering(fw_controller_impl_t * controller, int64_t now_ns)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    const fw_map_frame_t * frame = &controller->map.frame;
    const fw_cell_t cell = fw__map_frame_cell(frame, robot->point);
    if (!robot->is_centering || cell == FW_CELL_NONE) {
      continue;
    }
    const double off = fw__point_distance(fw__map_frame_point(frame, cell), robot->point);
    if (
      off <= controller->execution.options.tolerance * frame->resolution ||
      now_ns > robot->centering_ns + CENTERING_NS) {
      robot->is_centering = false;
      fw__controller_request_round(controller, "a robot has reached the centre of its cell");
    }
  }
}

// Paths are published again when their end has shifted by more than half a tick.
static void mark_retimed_paths(fw_controller_impl_t * controller)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    const int64_t shift_ns = fw__timed_path_end(&controller->schedule.paths[k]) - robot->published_end_ns;
    const int64_t least_ns = controller->schedule.tick_ns / 2;
    robot->has_new_path = robot->has_new_path || shift_ns > least_ns || shift_ns < -least_ns;
  }
}

// Releases become void. Robots that have not driven theirs to the end are told to stay, but where they do is not known:
// one that is silent may come to rest anywhere on what it still has.
static void note_unsettled(fw_controller_impl_t * controller)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    const fw_execution_status_t status = fw__fleet_execution_status(&controller->execution, k);
    if (status.state != FW_EXECUTION_ABSENT && status.reached < status.released) {
      robot->is_unsettled = true;
      robot->is_still = false;
      robot->still_ns = controller->last_now_ns;
    }
  }
}

// The plans are void; what robots hold becomes their old release. Does nothing in the other execution modes.
//
// After a drain robots stand at the end of what they hold, apart from those that did not come there in time. These may
// still do so, and the place to which their release leads is as good as any: it is kept. Where the clock has jumped,
// the world may have been reset, and after a rival's end robots hold the rival's releases: to follow ours would lead
// them across the floor, so they are told to stay (`are_void`).
static void end_execution(fw_controller_impl_t * controller, bool are_void, int64_t now_ns)
{
  if (is_by_dependency(controller) || controller->execution.is_on) {
    note_unsettled(controller);
    fw__fleet_execution_end(&controller->execution, &controller->fleet);
    for (int32_t k = 0; k < controller->fleet.count; ++k) {
      if (are_void) {
        fw__restart_void_release(controller, k, now_ns);
      } else {
        fw__restart_keep_release(controller, k);
      }
    }
    for (int32_t k = 0; k < controller->fleet.count; ++k) {
      controller->fleet.robots[k].has_new_path = controller->schedule.paths[k].count > 0;
      controller->fleet.robots[k].was_stuck = false;
      controller->fleet.robots[k].is_centering = false;
    }
    fw__schedule_clear(&controller->schedule);
    controller->obstacles_are_outdated = true;
  }
}

// The graph was made for one map frame, speed and set of tolerances. For others it is replaced, once all robots stand;
// for another execution mode it ends then.
static void replace_outdated_graph(fw_controller_impl_t * controller, int64_t now_ns)
{
  fw_fleet_execution_t * execution = &controller->execution;
  fw_error_t reason = {0};
  const int64_t tick_ns = fw__round_tick_ns(&controller->map.frame, &controller->settings);
  if (execution->is_on && (!is_by_dependency(controller) || fw__fleet_execution_is_outdated(execution, tick_ns))) {
    fw__round_worker_cancel(&controller->worker);
    fw__fleet_execution_drain(execution, now_ns);
  }
  if (execution->is_draining && fw__fleet_execution_has_drained(execution, &controller->fleet, now_ns)) {
    end_execution(controller, false, now_ns);
    fw__controller_request_round(controller, "all robots stand");
  }
  if (
    is_by_dependency(controller) && !execution->is_on &&
    !fw__fleet_execution_begin(execution, tick_ns, now_ns, &reason)) {
    fw__round_note_failure(controller, "cannot make the dependency graph", reason.text);
  }
}

// Pauses the graph if anything wants it: the caller, another controller of the robots, robots that are missing, or one
// that has just reported and that the graph does not know as an obstacle yet.
static void apply_pause(fw_controller_impl_t * controller)
{
  const bool is_paused = controller->is_paused || controller->is_inactive || controller->rival[0] != '\0' ||
                         controller->has_untold_robot || waits_for_missing_robots(controller, controller->last_now_ns);
  if (is_paused != controller->execution.is_paused) {
    controller->execution.is_paused = is_paused;
    fw__fleet_execution_apply_pause(&controller->execution);
  }
}

// Reads the graph, requests rounds, and marks whose path or release is to be published. Nothing in other modes.
static void supervise_execution(fw_controller_impl_t * controller, int64_t now_ns)
{
  fw_fleet_execution_t * execution = &controller->execution;
  if ((!is_by_dependency(controller) && !execution->is_on) || controller->map.revision == 0 || now_ns <= 0) {
    return;
  }
  replace_outdated_graph(controller, now_ns);
  if (!execution->is_on) {
    return;
  }
  if (now_ns >= controller->next_execution_ns || controller->next_execution_ns > now_ns + 2 * UPDATE_NS) {
    controller->next_execution_ns = now_ns + UPDATE_NS;
    fw__fleet_execution_update(execution, now_ns);
    if (controller->obstacles_are_outdated) {
      fw__controller_tell_obstacles(controller);
    }
    if (controller->obstacles_are_outdated) {  // no memory: nothing is published before the graph knows them
      controller->next_execution_ns = 0;
      return;
    }
    if (controller->has_untold_robot) {
      controller->has_untold_robot = false;
      apply_pause(controller);
    }
    for (int32_t k = 0; k < controller->fleet.count; ++k) {
      check_execution_of(controller, k);
    }
    check_centering(controller, now_ns);
    const bool is_idle = fw__round_worker_state(&controller->worker) == FW_ROUND_WORKER_IDLE;
    if (is_idle && fw__fleet_execution_withdraw_obstructed(execution, &controller->fleet, now_ns)) {
      fw__controller_request_round(controller, "a robot stands before an obstacle");
    }
  }
  if (now_ns >= controller->next_retime_ns || controller->next_retime_ns > now_ns + 2 * RETIME_NS) {
    controller->next_retime_ns = now_ns + RETIME_NS;
    if (fw__fleet_execution_write_paths(execution, &controller->fleet, &controller->schedule)) {
      mark_retimed_paths(controller);
    }
  }
  fw__fleet_execution_mark_changed_releases(execution, &controller->fleet);
}

// True if a robot is somewhere on a release that has become void: nothing is released then, too.
static bool has_unsettled_robot(const fw_controller_impl_t * controller)
{
  bool is_unsettled = false;
  for (int32_t k = 0; !is_unsettled && k < controller->fleet.count; ++k) {
    is_unsettled = controller->fleet.robots[k].is_unsettled;
  }
  return is_unsettled && !controller->settings.ignores_missing_robots;
}

void fw_controller_set_paused(fw_controller_t * self, bool is_paused)
{
  self->impl->is_paused = is_paused;
  apply_pause(self->impl);
  fw__restart_commit(self->impl, self->impl->last_now_ns);
}

void fw_controller_set_active(fw_controller_t * self, bool is_active)
{
  if (is_active && self->impl->is_inactive) {
    fw__controller_request_round(self->impl, "the controller is active again");
  }
  self->impl->is_inactive = !is_active;
  apply_pause(self->impl);
}

void fw_controller_set_rival(fw_controller_t * self, const char * who)
{
  fw_controller_impl_t * controller = self->impl;
  const char * text = who == NULL ? "" : who;
  if (strncmp(text, controller->rival, sizeof controller->rival - 1) == 0) {
    return;
  }
  (void)snprintf(controller->rival, sizeof controller->rival, "%s", text);
  if (controller->rival[0] != '\0') {
    fw__log(
      &controller->log, FW_LOG_ERROR,
      "%s releases paths to the same robots: nothing is released here until it has ended", controller->rival);
  } else {
    fw__log(&controller->log, FW_LOG_INFO, "no other controller releases paths to these robots any more");
    fw__controller_drop_plans(controller, controller->last_now_ns);  // robots may be anywhere now
    for (int32_t k = 0; k < controller->fleet.count; ++k) {
      controller->fleet.robots[k].old_release.is_unknown = controller->fleet.robots[k].old_release.is_there;
    }
    for (int32_t k = 0; k < controller->fleet.count; ++k) {
      controller->fleet.robots[k].has_new_release = true;
    }
  }
  apply_pause(controller);
}

void fw_controller_set_not_ready(fw_controller_t * self, const char * reason) { self->impl->not_ready = reason; }

void fw_controller_replan(fw_controller_t * self)
{
  fw__controller_want_whole_round(self->impl);
  fw__controller_request_round(self->impl, "a new plan was requested");
}

// ---- when to plan

const char * fw__controller_not_ready_reason(const fw_controller_impl_t * controller, int64_t now_ns)
{
  if (now_ns <= 0) {
    return "no message has arrived on /clock yet";
  }
  if (controller->map.revision == 0) {
    return "there is no map yet";
  }
  if (controller->settings.execution_mode == FW_EXECUTION_MODE_DEPENDENCY && !controller->execution.is_on) {
    return "there is no dependency graph yet";
  }
  if (controller->execution.is_draining) {
    return "waiting for all robots to stop before the dependency graph is replaced";
  }
  int32_t heard = 0, listed = 0;
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    listed += fw__controlled_robot_is_listed(&controller->fleet.robots[k]) ? 1 : 0;
    heard += controller->fleet.robots[k].has_pose ? 1 : 0;
  }
  if (heard == 0) {
    return listed == 0 ? "the parameter robots is empty" : "no robot has a pose yet";
  }
  if (controller->rival[0] != '\0') {
    return "another controller releases paths to the same robots";
  }
  if (waits_for_missing_robots(controller, now_ns)) {
    return heard < listed ? "not all robots have a pose yet"
                          : "robots may still drive what another controller released to them";
  }
  if (has_unsettled_robot(controller)) {
    return "not all robots have been seen standing since their releases became void";
  }
  if (controller->is_paused && !is_by_dependency(controller)) {
    return "paused";  // a new plan would be a release
  }
  if (controller->is_inactive) {
    return "not active";
  }
  return controller->not_ready;
}

// Two rounds with the same epoch would solve one problem twice: the second could not continue from the first, of which
// nothing would have been driven.
static bool round_is_due(const fw_controller_impl_t * controller, int64_t now_ns)
{
  FW_ASSERT(!controller->round_is_urgent || controller->round_reason != NULL);
  if (controller->execution.is_on) {
    return controller->round_reason != NULL && (controller->round_is_urgent || now_ns >= controller->next_round_ns);
  }
  const bool continues = controller->settings.horizon > 0 && controller->has_windows && controller->warm_start.is_valid;
  const int64_t epoch_ns = fw__schedule_round_up(&controller->schedule, now_ns + controller->lead_ns);
  return controller->round_reason != NULL &&
         (controller->round_is_urgent || !continues || epoch_ns > controller->warm_start.epoch_ns);
}

// True if a robot still has to drive, or cannot.
static bool has_unfinished_robot(const fw_controller_impl_t * controller, int64_t now_ns)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    const fw_timed_path_t * timed_path = &controller->schedule.paths[k];
    if (controller->fleet.robots[k].planning_fault.number != 0 || fw__timed_path_end(timed_path) > now_ns) {
      return true;
    }
  }
  return false;
}

// Closures that begin soon on a planned path, and closures that have changed.
static void check_closures(fw_controller_impl_t * controller, int64_t now_ns)
{
  // Up to half of what a round sees, so that a change is in force long before it is needed.
  const fw_time_interval_t begin = {controller->closures_seen_ns, now_ns + FW_CLOSURES_AHEAD_NS / 2};
  if (fw__closure_sources_touch(&controller->closures, &controller->schedule, (fw_closure_query_t){begin, now_ns})) {
    fw__controller_request_round(controller, "a planned path will be closed");
  }
  if (controller->closures_have_changed && has_unfinished_robot(controller, now_ns)) {
    reset_backoffs(controller);
    fw__controller_want_whole_round(controller);  // cells may have opened: there may be better paths for any robot
    fw__controller_request_round_soon(controller, "closures have changed");
  }
  controller->closures_have_changed = false;
}

// The source that closes a cell where the robot is measured, -1 if there is none.
static int32_t closing_source_at(
  const fw_controller_impl_t * controller, const fw_controlled_robot_t * robot, int64_t now_ns)
{
  const fw_planning_map_t * map = &controller->map;
  const fw_grid_pose_t place = fw__robot_body_place(
    &robot->body, &map->frame, controller->settings.connectivity, fw__controlled_robot_pose(robot));
  if (!robot->has_pose || place.cell == FW_CELL_NONE) {
    return -1;
  }
  return fw__closure_sources_find_body(
    &controller->closures, &map->grid, (fw_placed_body_t){&robot->body, place},
    (fw_time_interval_t){now_ns, now_ns + 1});
}

// Robots on closed cells get a fault: they are late, or the closure came unexpected.
static void check_standing_on_closures(fw_controller_impl_t * controller, int64_t now_ns)
{
  fw_controller_fleet_t * fleet = &controller->fleet;
  for (int32_t k = 0; controller->closures.count > 0 && k < fleet->count; ++k) {
    fw_controlled_robot_t * robot = &fleet->robots[k];
    const int32_t source = closing_source_at(controller, robot, now_ns);
    if (source >= 0) {
      fw__controlled_robot_set_fault(
        robot, &robot->standing_fault, FW_FAULT_START_OCCUPIED, "it is on a cell that %s has closed",
        controller->closures.sources[source].name);
    } else {
      fw__controlled_robot_clear_fault(robot, &robot->standing_fault);
    }
  }
}

// True if a robot waits for what does not end by itself: an obstacle on its path, or a closure that it was too late
// for. A cell that is closed now will open, and the plan knows that.
static bool waits_without_end(const fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  const fw_execution_status_t status = fw__fleet_execution_status(&controller->execution, index);
  if (status.state != FW_EXECUTION_WAITING) {
    return false;
  }
  const fw_time_interval_t now = {now_ns, now_ns + 1};
  return status.wait == FW_EXECUTION_WAIT_OBSTACLE ||
         (status.wait == FW_EXECUTION_WAIT_CLOSURE &&
          fw__closure_sources_find(&controller->closures, status.cell, now) < 0);
}

// True if a robot stands at the end of a complete plan that does not lead to its goal: a round began while an obstacle
// was on its release and left it out, and the obstacle has gone before the robot had to stop. No event tells of that.
static bool ends_elsewhere(const fw_controller_impl_t * controller, int32_t index)
{
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_execution_status_t status = fw__fleet_execution_status(&controller->execution, index);
  fw_execution_waypoint_t end;
  if (
    robot->goal_count == 0 || status.state != FW_EXECUTION_ARRIVED || fw__controlled_robot_is_held(robot) ||
    controller->schedule.safe_until_ns < FW_TIME_MAX_NS ||
    fw_execution_waypoint(&controller->execution.graph, index, status.end, &end, NULL) != FW_RET_OK) {
    return false;
  }
  const fw_cell_t goal = fw__approach_cell_of(&controller->fleet.site, robot);
  return goal != FW_CELL_NONE && goal != end.cell && robot->planning_fault.number == 0;
}

// Does a robot need a new plan, without an event that says so, and has the last one had its time? If plans do not help,
// they must not unsettle the others each second.
static bool needs_other_plan(fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  if (!waits_without_end(controller, index, now_ns) && !ends_elsewhere(controller, index)) {
    robot->wait_retry_ns = 0;
    return false;
  }
  if (now_ns < robot->wait_retry_ns && robot->wait_retry_ns - now_ns <= WAIT_BACKOFF_MAX_NS) {
    return false;
  }
  const bool has_begun = robot->wait_retry_ns == 0;
  // It was planned over the way out of a robot inside a keepout, where nobody else is released: that one goes later.
  const fw_execution_status_t status = fw__fleet_execution_status(&controller->execution, index);
  if (!has_begun && status.wait == FW_EXECUTION_WAIT_OBSTACLE && fw__escapes_have(&controller->escapes, status.cell)) {
    controller->escapes.others_first = true;
  }
  robot->wait_backoff_ns = has_begun ? UPDATE_NS : 2 * robot->wait_backoff_ns;
  robot->wait_backoff_ns = robot->wait_backoff_ns < WAIT_BACKOFF_MAX_NS ? robot->wait_backoff_ns : WAIT_BACKOFF_MAX_NS;
  robot->wait_retry_ns = now_ns + robot->wait_backoff_ns;
  return true;
}

static void check_robots(fw_controller_impl_t * controller, int64_t now_ns)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    const bool is_waiting = robot->planning_fault.number != 0 && now_ns >= robot->retry_ns;
    const bool is_outside_graph = controller->execution.is_on && !robot->old_release.is_there &&
                                  !fw__fleet_execution_has(&controller->execution, k);
    const bool needs_plan =
      needs_other_plan(controller, k, now_ns) || is_waiting || robot->is_off_plan || is_outside_graph;
    if (robot->has_pose && !robot->is_stale && needs_plan) {
      fw__controller_request_round_soon(controller, is_waiting ? "a robot waits" : "a robot is off its plan");
    }
  }
}

// Requests a round for what no event announces: robots that wait, robots off their plan, a plan that ends before the
// goals, closures that begin soon.
static void check_for_round(fw_controller_impl_t * controller, int64_t now_ns)
{
  const double period = controller->settings.replan_period;
  if (controller->schedule.safe_until_ns < FW_TIME_MAX_NS && now_ns >= controller->next_window_ns) {
    fw__controller_request_round_soon(controller, "the plan ends before the goals");
  }
  if (now_ns < controller->next_check_ns) {
    return;
  }
  controller->next_check_ns = now_ns + fw__seconds_to_ns(period);
  if (controller->map.revision > 0) {
    check_closures(controller, now_ns);
    check_standing_on_closures(controller, now_ns);
  }
  if (period <= 0.0) {
    return;
  }
  check_robots(controller, now_ns);
  if (controller->contradictions >= CONTRADICTIONS_MAX || controller->unspliced >= UNSPLICED_MAX) {
    controller->contradictions = controller->unspliced = 0;
    fw__log(
      &controller->log, FW_LOG_WARN, "%s: the plans are dropped, and robots are planned for where they stand",
      controller->planner_fault.text);
    fw__controller_drop_plans(controller, now_ns);
    controller->schedule_is_new = true;
    return;
  }
  if (controller->planner_fault.text[0] != '\0') {
    fw__controller_want_whole_round(controller);
    fw__controller_request_round(controller, "the last round failed");
  }
}

// ---- one step

// Nothing that was measured in time so far counts.
static void begin_time(fw_controller_impl_t * controller, int64_t now_ns)
{
  controller->warm_start.is_valid = false;
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    fw__controlled_robot_reset_backoff(&controller->fleet.robots[k]);
    fw__controlled_robot_restart_clock(&controller->fleet.robots[k], now_ns);
  }
  controller->next_check_ns = now_ns;
  controller->last_now_ns = now_ns;
  controller->startup_end_ns = controller->startup_end_ns == 0 ? 0 : now_ns + STARTUP_NS;
  fw__controller_want_whole_round(controller);
  fw__controller_request_round(controller, "the plans were dropped");
}

void fw__controller_drop_plans(fw_controller_impl_t * controller, int64_t now_ns)
{
  fw__round_worker_cancel(&controller->worker);
  end_execution(controller, true, now_ns);
  fw__schedule_clear(&controller->schedule);
  begin_time(controller, now_ns);
}

void fw_controller_restart_clock(fw_controller_t * self, int64_t now_ns)
{
  fw__controller_drop_plans(self->impl, now_ns);
  self->impl->schedule_is_new = true;
}

// Has the robot something left to drive?
static bool drives(const void * context, int32_t index)
{
  const fw_controller_impl_t * controller = context;
  const fw_fleet_execution_t * execution = &controller->execution;
  if (execution->is_on) {
    const fw_execution_status_t status = fw__fleet_execution_status(execution, index);
    const int32_t told = controller->fleet.robots[index].published_stop;  // what is released now it hears of after this
    return status.state != FW_EXECUTION_ABSENT && status.reached < status.stop_at &&
           (told < 0 || status.reached < told);
  }
  return fw__timed_path_end(&controller->schedule.paths[index]) > controller->last_now_ns;
}

// Makes room for the released path of a robot. False if there is no memory.
static bool reserve_release(fw_controller_impl_t * controller, int32_t index)
{
  const fw_execution_status_t status = fw__fleet_execution_status(&controller->execution, index);
  const int32_t count =
    controller->execution.is_on ? 2 * (status.end - status.reached + 1) : controller->schedule.paths[index].count;
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const int32_t old = robot->old_release.is_there ? robot->old_release.path.count : 0;
  return fw__timed_path_reserve(&robot->released, count > old ? count : old);
}

// A robot that may turn as it likes turns at its goal as that wants it.
static void set_final_yaw(fw_controller_impl_t * controller, int32_t index)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_execution_status_t status = fw__fleet_execution_status(&controller->execution, index);
  const bool is_round = robot->body.turn_ticks == 0 && robot->body.outline->counts[0] == 1;
  if (
    is_round && robot->released.count > 0 && status.stop_at == status.end &&
    fw__controller_path_ends_at_goal(controller, index)) {
    robot->released.waypoints[robot->released.count - 1].yaw = robot->goal_yaw;
  }
}

// Writes the released path of a robot again: a part of its timed path, or all of it in execution mode timed. There is
// room for it.
static void write_release(fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_fleet_execution_t * execution = &controller->execution;
  fw_timed_path_t * released = &robot->released;
  released->count = 0;
  robot->reserved_count = 0;
  robot->has_new_release = false;
  robot->release_revision += 1;
  robot->published_stop = -1;
  const bool is_timed = controller->settings.execution_mode == FW_EXECUTION_MODE_TIMED && !execution->is_on;
  const fw_old_release_t * old = &robot->old_release;
  if (is_timed || (old->is_there && !old->is_void)) {
    const fw_timed_path_t * path = is_timed ? &controller->schedule.paths[index] : &old->path;
    FW_ASSERT(path->count <= released->capacity);
    if (path->count > 0) {
      memcpy(released->waypoints, path->waypoints, (size_t)path->count * sizeof *path->waypoints);
      released->count = path->count;
    }
    for (int32_t k = 0; !is_timed && k < released->count; ++k) {
      released->waypoints[k].stamp_ns = now_ns + k * fw__round_tick_ns(&controller->map.frame, &controller->settings);
    }
  } else if (execution->is_on && fw__fleet_execution_write_path(execution, index, &robot->body, released)) {
    const fw_released_count_t count = fw__fleet_execution_released_count(execution, index, released);
    released->count = count.told;
    robot->reserved_count = count.reserved;
    const fw_execution_status_t status = fw__fleet_execution_status(execution, index);
    robot->published_stop = status.state == FW_EXECUTION_ABSENT ? -1 : status.stop_at;
    set_final_yaw(controller, index);
  }
  robot->release_ns = now_ns;
}

// Robots that have come into the graph are where they were when the round began. Where they are by now the graph has
// not heard, and where poses come only while a robot moves, it never would: nor would it hear of a robot that has given
// its release back and stands where its new path ends.
static void report_unheard_poses(fw_controller_impl_t * controller, int64_t now_ns)
{
  for (int32_t k = 0; controller->execution.is_on && k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    const bool is_unheard = !robot->was_in_graph || controller->settings.poses_are_on_change;
    if (robot->has_pose && is_unheard && fw__fleet_execution_has(&controller->execution, k)) {
      fw__fleet_execution_report(&controller->execution, robot, k, now_ns);
    }
  }
}

// Was a robot carried away since the round began, which would lead it from where it was then? It must not be sent back
// across the floor.
static bool was_newcomer_moved(const fw_controller_impl_t * controller)
{
  const fw_round_request_t * request = &controller->worker.request;
  bool was_moved = false;
  for (int32_t k = 0; controller->execution.is_on && !was_moved && k < request->count; ++k) {
    const fw_round_agent_t * agent = &request->agents[k];
    const fw_controlled_robot_t * robot = &controller->fleet.robots[agent->robot];
    const fw_point_t start = fw__map_frame_point(&request->frame, agent->start.cell);
    was_moved = !agent->follows_schedule && robot->has_pose && !robot->was_in_graph &&
                fw__point_distance(start, robot->point) > MOVED_CELLS * request->frame.resolution;
  }
  return was_moved;
}

// Takes the result of a round that is done. True if it is in force.
static bool take_result(fw_controller_impl_t * controller, int64_t now_ns)
{
  if (fw__round_worker_state(&controller->worker) != FW_ROUND_WORKER_DONE) {
    return false;
  }
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    controller->fleet.robots[k].was_in_graph = fw__fleet_execution_has(&controller->execution, k);
  }
  const bool is_outdated = was_newcomer_moved(controller);
  const bool is_in_force = !is_outdated && fw__round_take_result(controller, now_ns);
  report_unheard_poses(controller, now_ns);
  if (is_outdated) {
    fw__controller_request_round(controller, "a robot was moved while it was planned for");
  }
  controller->round_is_whole = controller->round_is_whole || !is_in_force;  // what it was to plan is still to be done
  fw__round_undo_cut(controller);
  fw__round_worker_finish(&controller->worker);
  return is_in_force;
}

// Is the release of a robot cut short at a place that it may have passed since it was last heard of? It is told so when
// it is heard again: a path that ends behind a robot leads it back, across the obstacle for which it was cut.
static bool may_have_passed_cut(const fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_fleet_execution_t * execution = &controller->execution;
  const fw_execution_status_t status = fw__fleet_execution_status(execution, index);
  fw_execution_waypoint_t stop;
  if (
    !execution->is_on || !robot->is_stale || robot->old_release.is_there || status.state == FW_EXECUTION_ABSENT ||
    status.stop_at >= status.released ||
    fw_execution_waypoint(&execution->graph, index, status.stop_at, &stop, NULL) != FW_RET_OK) {
    return false;
  }
  const fw_map_frame_t * frame = &controller->map.frame;
  const double tick = (double)fw__round_tick_ns(frame, &controller->settings) * 1e-9;
  const double speed = 2.0 * frame->resolution / (tick * robot->body.ticks_per_move);  // it may be faster than planned
  const double seconds = (double)(now_ns - robot->heard_ns) * 1e-9;
  return fw__point_distance(robot->point, fw__map_frame_point(frame, stop.cell)) <= speed * seconds;
}

// Writes what callers see: releases first, then the announcement of new timed paths.
static void write_results(fw_controller_impl_t * controller, bool has_new_schedule, int64_t now_ns)
{
  // A graph that ends because of another mode still releases until all robots stand.
  const bool is_by_graph = controller->execution.is_on || is_by_dependency(controller);
  const fw_execution_mode_t mode = is_by_graph ? FW_EXECUTION_MODE_DEPENDENCY : controller->settings.execution_mode;
  // By stamps all robots get their paths or all stop, which needs no memory: one that stayed alone would be driven
  // into.
  bool has_room = true;
  for (int32_t k = 0; has_new_schedule && mode == FW_EXECUTION_MODE_TIMED && k < controller->fleet.count; ++k) {
    has_room = reserve_release(controller, k) && has_room;
  }
  if (!has_room) {
    fw__round_note_failure(controller, "out of memory", "the paths of the robots");
    fw__controller_drop_plans(controller, now_ns);
    controller->schedule_is_new = true;
    return;
  }
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    const bool has_new_path = fw__controlled_robot_is_listed(robot) && (has_new_schedule || robot->has_new_path);
    if (
      fw__controlled_robot_is_listed(robot) && mode == FW_EXECUTION_MODE_DEPENDENCY && robot->has_new_release &&
      !may_have_passed_cut(controller, k, now_ns) && reserve_release(controller, k)) {
      write_release(controller, k, now_ns);
    }
    if (has_new_path) {
      robot->has_new_path = false;
      robot->path_revision += 1;
      robot->published_end_ns = fw__timed_path_end(&controller->schedule.paths[k]);
    }
    if (has_new_path && mode == FW_EXECUTION_MODE_TIMED && reserve_release(controller, k)) {
      write_release(controller, k, now_ns);
    }
  }
}

bool fw_controller_update(fw_controller_t * self, int64_t now_ns)
{
  fw_controller_impl_t * controller = self->impl;
  FW_ASSERT(controller->schedule.robot_count >= controller->fleet.count);
  bool has_new_schedule = controller->schedule_is_new;
  controller->schedule_is_new = false;
  if (controller->last_now_ns == 0 && now_ns > 0) {  // time begins
    begin_time(controller, now_ns);
    controller->startup_end_ns = controller->startup_end_ns == 0 ? 0 : now_ns + STARTUP_NS;
  }
  controller->last_now_ns = now_ns;
  if (fw__controller_fleet_check_silence(&controller->fleet, drives, controller, now_ns)) {
    fw__controller_request_round(controller, "a robot has become stale or is heard again");
  }
  fw__restart_update(controller, now_ns);
  apply_pause(controller);
  has_new_schedule = take_result(controller, now_ns) || has_new_schedule;
  supervise_execution(controller, now_ns);
  fw__approach_update(controller, now_ns);
  end_reached_goals(controller, now_ns);
  fw__escapes_update(controller);
  check_for_round(controller, now_ns);
  if (
    fw__round_worker_state(&controller->worker) == FW_ROUND_WORKER_IDLE && round_is_due(controller, now_ns) &&
    fw__controller_not_ready_reason(controller, now_ns) == NULL) {
    fw__log(&controller->log, FW_LOG_DEBUG, "planning: %s", controller->round_reason);
    controller->round_reason = NULL;
    controller->round_is_urgent = false;
    controller->next_round_ns = now_ns + ROUNDS_NS;
    const bool is_written = fw__round_write_request(controller, now_ns);
    controller->round_is_whole = !is_written && controller->round_is_whole;
    if (!is_written) {
      fw__round_undo_cut(controller);
      fw__round_note_failure(controller, "out of memory", "the planning request");
    } else if (controller->worker.request.count > 0) {
      fw__round_worker_start(&controller->worker);
    } else if (controller->execution.is_on) {
      fw__round_undo_cut(controller);
    } else {  // no robot is left to plan for
      fw__schedule_clear(&controller->schedule);
      controller->warm_start.is_valid = false;
      has_new_schedule = true;
    }
  }
  if (controller->worker.mode == FW_CONTROLLER_WORKER_INLINE) {
    has_new_schedule = take_result(controller, now_ns) || has_new_schedule;
    supervise_execution(controller, now_ns);
  }
  write_results(controller, has_new_schedule, now_ns);
  fw__restart_commit(controller, now_ns);  // before anybody sees the releases
  return has_new_schedule;
}

// ---- results

fw_controller_path_t fw_controller_released_path(const fw_controller_t * self, int32_t robot)
{
  const fw_controller_impl_t * controller = self->impl;
  if (robot < 0 || robot >= controller->fleet.count) {
    return (fw_controller_path_t){0};
  }
  const fw_controlled_robot_t * one = &controller->fleet.robots[robot];
  return (fw_controller_path_t){
    one->released.waypoints, one->released.count, controller->schedule.epoch_ns, one->release_revision};
}

fw_controller_path_t fw_controller_timed_path(const fw_controller_t * self, int32_t robot)
{
  const fw_controller_impl_t * controller = self->impl;
  if (robot < 0 || robot >= controller->fleet.count) {
    return (fw_controller_path_t){0};
  }
  const fw_timed_path_t * path = &controller->schedule.paths[robot];
  return (fw_controller_path_t){
    path->waypoints, path->count, controller->schedule.epoch_ns, controller->fleet.robots[robot].path_revision};
}

int32_t fw_controller_robot_count(const fw_controller_t * self) { return self->impl->fleet.count; }

int32_t fw_controller_find_robot(const fw_controller_t * self, const char * name)
{
  return fw__controller_fleet_find(&self->impl->fleet, name);
}

const char * fw_robot_state_name(fw_robot_state_t state)
{
  static const char * const names[] = {"waiting", "idle", "moving", "arrived", "held", "stale"};
  FW_ASSERT((size_t)state < sizeof names / sizeof names[0]);
  return names[state];
}

// Metres from the end of the plan to the exact pose of the goal, as far as they are not driven yet.
static double last_part(const fw_controller_impl_t * controller, const fw_controlled_robot_t * robot)
{
  if (!robot->has_goal || controller->map.revision == 0 || robot->approach.state == FW_APPROACH_THERE) {
    return 0.0;
  }
  if (robot->approach.state == FW_APPROACH_OUT) {
    return fw__point_distance(robot->point, robot->goal);
  }
  const fw_approach_plan_t plan = fw__approach_plan_of(&controller->fleet.site, robot);
  return plan.is_needed && plan.is_free ? plan.off : 0.0;
}

fw_controller_robot_status_t fw_controller_robot_status(const fw_controller_t * self, int32_t index, int64_t now_ns)
{
  const fw_controller_impl_t * controller = self->impl;
  if (index < 0 || index >= controller->fleet.count) {
    return (fw_controller_robot_status_t){.name = "", .fault_text = ""};
  }
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_timed_path_t * path = &controller->schedule.paths[index];
  const fw_robot_fault_t * fault = fw__controlled_robot_fault(robot);
  const fw_execution_status_t execution = fw__fleet_execution_status(&controller->execution, index);
  double distance = 0.0;
  for (int32_t k = 1; !controller->execution.is_on && k < path->count; ++k) {
    distance += path->waypoints[k].stamp_ns > now_ns
                  ? fw__point_distance(path->waypoints[k - 1].point, path->waypoints[k].point)
                  : 0.0;
  }
  distance = controller->execution.is_on ? fw__fleet_execution_distance(&controller->execution, index) : distance;
  distance += controller->execution.is_on ? last_part(controller, robot) : 0.0;
  const int64_t end_ns = fw__timed_path_end(path);
  const bool is_over = execution.state == FW_EXECUTION_ARRIVED || end_ns <= now_ns;
  const bool has_no_plan = robot->goal_count > 0 && robot->planning_fault.number != 0;
  const double seconds = is_over ? 0.0 : (double)(end_ns - now_ns) * 1e-9;
  return (fw_controller_robot_status_t){
    .name = robot->name,
    .state = fw__controlled_robot_state(robot, fw__controller_is_at_goal(controller, index, now_ns)),
    .service = robot->service,
    .has_pose = robot->has_pose,
    .pose = fw__controlled_robot_pose(robot),
    .fault = (fw_fault_t)fault->number,
    .fault_text = fault->text,
    .goal = robot->goal_count > 0 ? robot->goals[0].id : 0,
    .goals_left = robot->goal_count > 0 ? robot->goal_count - 1 : 0,
    .distance_remaining = distance,
    .seconds_remaining = isinf(execution.expected) || has_no_plan ? INFINITY : seconds,
    .execution = execution,
  };
}

fw_controller_status_t fw_controller_status(const fw_controller_t * self, int64_t now_ns)
{
  const fw_controller_impl_t * controller = self->impl;
  return (fw_controller_status_t){
    .not_ready = fw__controller_not_ready_reason(controller, now_ns),
    .fault = controller->planner_fault.text,
    .rounds = controller->rounds,
    .partial_rounds = controller->partial_rounds,
    .planned_robots = controller->planned_robots,
    .expanded = controller->expanded,
    .outcome = controller->outcome,
    .stop = controller->stop,
    .journal_fault = controller->restart.fault.text,
  };
}

bool fw_controller_wants_solve(const fw_controller_t * self)
{
  fw_round_worker_t * worker = &self->impl->worker;
  return worker->mode == FW_CONTROLLER_WORKER_CALLER && fw__round_worker_state(worker) == FW_ROUND_WORKER_BUSY;
}

void fw_controller_solve(fw_controller_t * self, bool fails)
{
  if (fw_controller_wants_solve(self)) {
    fw__round_worker_solve(&self->impl->worker, fails);
  }
}

// ---- life, settings, the list of robots

fw_controller_settings_t fw_controller_settings_default(void)
{
  return (fw_controller_settings_t){
    .robot_radius = 0.2,
    .speed = 0.5,
    .planning_resolution = 0.5,
    .occupied_thresh = 0.65,
    .free_thresh = 0.25,
    .map_cost_max = 1,
    .mask_cost_max = 50,
    .odom_timeout = 1.0,
    .pose_age_max = 10.0,
    .pose_deviation_max = 1.0,
    .plan_tolerance = 0.75,
    .goal_tolerance = 0.1,
    .goal_yaw_tolerance = 0.25,
    .execution_mode = FW_EXECUTION_MODE_DEPENDENCY,
    .release_ahead = 2.0,
    .stopped_timeout = 5.0,
    .connectivity = 4,
    .robust_ticks = 1,
    .horizon = 15,
    .time_limit = 2.0,
    .replan_period = 1.0,
    .plan_lead_seconds = 0.5,
    .partial_rounds_max = 50,
    .planner = {.name = "auto", .threads = 1, .memory_max_bytes = (size_t)2048 * 1024 * 1024},
  };
}

fw_controller_options_t fw_controller_options_default(void)
{
  return (fw_controller_options_t){
    .settings = fw_controller_settings_default(),
    .record_max_bytes = 100000000,
    .journal_sync = FW_CONTROLLER_SYNC_INTERVAL,
    .journal_sync_seconds = 1.0,
  };
}

static bool is_between(double value, double min, double max) { return value >= min && value <= max; }

static bool check_settings(const fw_controller_settings_t * settings, fw_error_t * reason)
{
  static const double SECONDS_MAX = 3600.0;
  static const double METRES_MAX = 1000.0;
  const struct {
    const char * name;
    double value, min, max;
  } rows[] = {
    {"robot_radius", settings->robot_radius, 0.0, 100.0},
    {"speed", settings->speed, 0.001, 100.0},
    {"planning_resolution", settings->planning_resolution, 0.0, 100.0},
    {"occupied_thresh", settings->occupied_thresh, 0.0, 1.0},
    {"free_thresh", settings->free_thresh, 0.0, settings->occupied_thresh},
    {"map_cost_max", (double)settings->map_cost_max, 1.0, 255.0},
    {"mask_cost_max", (double)settings->mask_cost_max, 0.0, 254.0},
    {"closure_radius", settings->closure_radius, 0.0, METRES_MAX},
    {"odom_timeout", settings->odom_timeout, 0.0, SECONDS_MAX},
    {"pose_age_max", settings->pose_age_max, 0.0, SECONDS_MAX},
    {"pose_deviation_max", settings->pose_deviation_max, 0.0, METRES_MAX},
    {"plan_tolerance", settings->plan_tolerance, 0.0, 100.0},
    {"goal_tolerance", settings->goal_tolerance, 0.001, METRES_MAX},
    {"goal_yaw_tolerance", settings->goal_yaw_tolerance, 0.001, 7.0},
    {"release_ahead", settings->release_ahead, 0.0, METRES_MAX},
    {"waypoint_tolerance", settings->waypoint_tolerance, 0.0, METRES_MAX},
    {"stopped_timeout", settings->stopped_timeout, 0.0, SECONDS_MAX},
    {"robust_ticks", (double)settings->robust_ticks, 0.0, (double)FW_ROBUST_TICKS_MAX},
    {"horizon", (double)settings->horizon, 0.0, 100000.0},
    {"time_limit", settings->time_limit, 0.001, SECONDS_MAX},
    {"replan_period", settings->replan_period, 0.0, SECONDS_MAX},
    {"plan_lead_seconds", settings->plan_lead_seconds, 0.0, 60.0},
    {"partial_rounds_max", (double)settings->partial_rounds_max, 0.0, 1000000.0},
    {"expansions_max", (double)settings->expansions_max, 0.0, 1e18},
  };
  for (size_t k = 0; k < sizeof rows / sizeof rows[0]; ++k) {
    if (!is_between(rows[k].value, rows[k].min, rows[k].max)) {
      return fw__refuse(
        reason, "%s must be between %g and %g, not %g", rows[k].name, rows[k].min, rows[k].max, rows[k].value);
    }
  }
  if (settings->connectivity != 4 && settings->connectivity != 8) {
    return fw__refuse(reason, "connectivity must be 4 or 8, not %d", settings->connectivity);
  }
  if (settings->cuts_corners && settings->connectivity != 8) {
    return fw__refuse(reason, "cut_corners needs diagonal moves: set connectivity to 8, too");
  }
  if ((int32_t)settings->execution_mode < 0 || settings->execution_mode > FW_EXECUTION_MODE_NONE) {
    return fw__refuse(
      reason, "execution_mode must be one of fw_execution_mode_t, not %d", (int)settings->execution_mode);
  }
  return fw_planner_def_find(settings->planner.name) != NULL ||
         fw__refuse(reason, "there is no planner '%.60s'", settings->planner.name);
}

static void take_settings(fw_controller_impl_t * controller, const fw_controller_settings_t * settings)
{
  controller->settings = *settings;
  const fw_planner_def_t * planner = fw_planner_def_find(settings->planner.name);
  controller->has_windows = planner->goes_on && !planner->is_anytime;  // such a planner plans all of the way as well
  controller->lead_ns = fw__seconds_to_ns(settings->plan_lead_seconds);
}

fw_ret_t fw_controller_init(fw_controller_t * self, const fw_controller_options_t * options, fw_error_t * error)
{
  fw_error_t reason = {0};
  if (!check_settings(&options->settings, &reason)) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "%s", reason.text);
  }
  fw_controller_impl_t * controller = fw__calloc(1, sizeof *controller);
  if (controller == NULL) {
    return fw__error_memory(error);
  }
  const fw_controller_site_t site = {&controller->settings, &controller->map, &controller->log};
  take_settings(controller, &options->settings);
  controller->log = (fw_log_t){options->log, options->context};
  controller->execution.site = site;
  controller->fleet.site = site;
  controller->blocked.site = site;
  self->impl = controller;
  fw__round_worker_open_record(&controller->worker, options->record, options->record_max_bytes, &controller->log);
  if (
    !fw__closure_sources_init(&controller->closures, options->closure_names, options->closure_count, site) ||
    !fw__schedule_init(&controller->schedule, 0) ||
    !fw__round_worker_init(&controller->worker, options->worker, options->on_result, options->context)) {
    fw_controller_fini(self);
    return fw__error_memory(error);
  }
  const fw_ret_t ret = fw__restart_init(controller, options, error);
  if (ret != FW_RET_OK) {
    fw_controller_fini(self);
  }
  return ret;
}

void fw__controller_end_worker(fw_controller_impl_t * controller)
{
  if (controller != NULL) {
    fw__round_worker_fini(&controller->worker);
  }
}

void fw_controller_fini(fw_controller_t * self)
{
  fw_controller_impl_t * controller = self->impl;
  if (controller == NULL) {
    return;
  }
  fw__round_worker_fini(&controller->worker);
  fw__restart_fini(controller);
  fw__fleet_execution_fini(&controller->execution);
  fw__schedule_fini(&controller->schedule);
  fw__blocked_cells_fini(&controller->blocked);
  fw__planning_map_fini(&controller->map);
  fw__closure_sources_fini(&controller->closures);
  fw__controller_fleet_fini(&controller->fleet);
  fw__goal_events_fini(&controller->events);
  free((void *)(uintptr_t)controller->occupancy.values);
  free((void *)(uintptr_t)controller->keepout.mask.values);
  free((void *)(uintptr_t)controller->cost_mask.mask.values);
  fw__area_list_fini(&controller->areas);
  fw__escapes_fini(&controller->escapes);
  free(controller->scratch.waypoints);
  free(controller);
  self->impl = NULL;
}

// A robot leaves: its goals end, and its space is free.
static void on_leave(void * context, int32_t index)
{
  fw_controller_impl_t * controller = context;
  const fw_goals_t goals = goals_at(controller, controller->last_now_ns);
  fw__goals_end_all(
    &goals, index, 0, (fw_goal_end_t){.kind = FW_GOAL_CANCELLED, .text = "the robot has left the fleet"});
  fw__restart_forget(controller, index);
}

static bool is_in_request(const fw_controller_impl_t * controller, int32_t index)
{
  const fw_round_request_t * request = &controller->worker.request;  // constant while the worker has it
  for (int32_t k = 0; k < request->count; ++k) {
    if (request->agents[k].robot == index) {
      return true;
    }
  }
  return false;
}

// The largest robot of one cell, or that there are larger ones, is something else now: other cells are free.
static void fit_map_to_bodies(fw_controller_impl_t * controller, int64_t now_ns)
{
  fw_fleet_bodies_t bodies = {0};
  fw_error_t reason = {0};
  const fw_planning_map_t * map = &controller->map;
  const fw_fleet_grid_t grid = grid_of(&controller->settings, &map->frame);
  if (map->revision == 0 || !fw__controller_fleet_convert(&controller->fleet, &grid, &bodies, &reason)) {
    return;  // the second only without memory: the list was converted before
  }
  note_diagonals(controller, &bodies);
  if (map->needs_whole_squares != bodies.has_large_robots || map->robot_radius != bodies.robot_radius) {
    fw__controller_note_map_fault(
      controller, build_map(controller, &controller->occupancy, now_ns, &reason) ? "" : reason.text);
  }
  fw__fleet_bodies_fini(&bodies);
}

// The grid for settings: the planning grid that they give the last good map, or the one in force if they give none;
// without a map none.
static fw_fleet_grid_t grid_for(const fw_controller_impl_t * controller, const fw_controller_settings_t * settings)
{
  const fw_map_source_t source = {.occupancy = &controller->occupancy, .settings = settings};
  fw_map_frame_t frame = controller->map.frame;
  fw_error_t unused = {0};
  if (controller->map.revision == 0) {
    return (fw_fleet_grid_t){.settings = settings};
  }
  if (!fw__planning_map_place(&frame, &source, &unused)) {
    frame = controller->map.frame;  // the old map stays in force: build_map says why
  }
  return grid_of(settings, &frame);
}

// Takes a list of robots with bodies for a grid, which may be that of settings to come.
static fw_ret_t set_robots(
  fw_controller_impl_t * controller, const fw_robot_list_t * list, int64_t now_ns, fw_error_t * error)
{
  fw_error_t reason = {0};
  controller->last_now_ns =
    now_ns > controller->last_now_ns && controller->last_now_ns > 0 ? now_ns : controller->last_now_ns;
  if (list->count > 0 && !fw__schedule_grow(&controller->schedule, controller->fleet.count + list->count)) {
    return fw__error_memory(error);
  }
  if (!fw__controller_fleet_set(&controller->fleet, list, &reason)) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "%s", reason.text);
  }
  fw__restart_tell_again(controller, now_ns);
  bool is_outdated = note_new_bodies(controller);  // what the worker plans
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    if (!fw__controlled_robot_is_listed(robot) || robot->is_new) {
      is_outdated = is_outdated || controller->schedule.paths[k].count > 0 || is_in_request(controller, k);
      controller->schedule.paths[k].count = 0;
      fw__fleet_execution_remove(&controller->execution, &controller->fleet, k);
      robot->has_new_release = robot->is_new;
      if (robot->is_new) {
        fw__goal_events_leave_slot(&controller->events, k);
        fw__restart_restore(controller, k, now_ns);
      }
    }
    robot->is_new = false;
  }
  controller->obstacles_are_outdated = true;
  reset_backoffs(controller);
  if (is_outdated) {  // not if robots only came: lists that change often must not starve a slow planner
    fw__round_worker_cancel(&controller->worker);
    fw__controller_want_whole_round(controller);
  }
  fw__controller_request_round(controller, "the list of robots was set");
  return FW_RET_OK;
}

fw_ret_t fw_controller_set_robots(
  fw_controller_t * self, const fw_controller_robot_t * robots, int32_t count, int64_t now_ns, fw_error_t * error)
{
  fw_controller_impl_t * controller = self->impl;
  const bool has_map = controller->map.revision > 0;
  const fw_robot_list_t list = {
    .robots = robots,
    .count = count,
    .grid = has_map ? grid_of(&controller->settings, &controller->map.frame)
                    : (fw_fleet_grid_t){.settings = &controller->settings},
    .on_leave = on_leave,
    .context = controller,
  };
  const fw_ret_t ret = set_robots(controller, &list, now_ns, error);
  if (ret == FW_RET_OK) {
    apply_pause(controller);  // a pose that is reported before the next update must not release anything
    fit_map_to_bodies(controller, now_ns);
    fw__restart_commit(controller, now_ns);
  }
  return ret;
}

static bool needs_other_map(const fw_controller_settings_t * old, const fw_controller_settings_t * settings)
{
  return old->robot_radius != settings->robot_radius || old->planning_resolution != settings->planning_resolution ||
         old->occupied_thresh != settings->occupied_thresh || old->free_thresh != settings->free_thresh ||
         old->unknown_is_free != settings->unknown_is_free || old->connectivity != settings->connectivity ||
         old->cuts_corners != settings->cuts_corners || old->waypoint_tolerance != settings->waypoint_tolerance ||
         old->map_cost_max != settings->map_cost_max || old->mask_cost_max != settings->mask_cost_max;
}

fw_ret_t fw_controller_set_settings(
  fw_controller_t * self, const fw_controller_settings_t * settings, int64_t now_ns, fw_error_t * error)
{
  fw_controller_impl_t * controller = self->impl;
  const fw_controller_settings_t old = controller->settings;
  const bool has_map = controller->map.revision > 0;
  fw_fleet_bodies_t bodies = {0};
  fw_error_t reason = {0};
  if (!check_settings(settings, &reason)) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "%s", reason.text);
  }
  if (!fw__controller_check_rules(&controller->areas, settings, &reason)) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "%s", reason.text);
  }
  const fw_fleet_grid_t grid = grid_for(controller, settings);
  if (has_map && !fw__controller_fleet_convert(&controller->fleet, &grid, &bodies, &reason)) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "%s", reason.text);
  }
  take_settings(controller, settings);
  reset_backoffs(controller);
  fw__round_worker_cancel(&controller->worker);
  fw__controller_want_whole_round(controller);
  fw__controller_request_round(controller, "settings were changed");
  if (old.execution_mode != settings->execution_mode && !controller->execution.is_on) {
    // What was released by stamps is void: the graph must not take it for robots that stand.
    fw__controller_drop_plans(controller, now_ns);
    for (int32_t k = 0; k < controller->fleet.count; ++k) {
      controller->fleet.robots[k].has_new_release = true;
    }
  }
  if (needs_other_map(&old, settings) && has_map) {
    const bool is_built = build_map(controller, &controller->occupancy, now_ns, &reason);
    fw__controller_note_map_fault(controller, is_built ? "" : reason.text);
  } else if (old.closure_radius != settings->closure_radius) {
    fw__closure_sources_rasterise(&controller->closures);
  }
  // After build_map these are the same, unless there was no memory for the new map.
  if (has_map && bodies.resolution == controller->map.frame.resolution) {
    take_bodies(controller, &bodies);
  }
  fw__fleet_bodies_fini(&bodies);
  return FW_RET_OK;
}

bool fw__controller_check_setup(fw_controller_impl_t * controller, const fw_fleet_setup_t * setup, fw_error_t * reason)
{
  if (
    !check_settings(setup->settings, reason) ||
    !fw__controller_check_rules(&controller->areas, setup->settings, reason)) {
    return false;
  }
  const fw_robot_list_t list = {
    .robots = setup->robots, .count = setup->count, .grid = grid_for(controller, setup->settings)};
  return fw__controller_fleet_check(&controller->fleet, &list, reason);
}

bool fw__controller_configure(
  fw_controller_t * self, const fw_fleet_setup_t * setup, int64_t now_ns, fw_error_t * reason)
{
  fw_controller_impl_t * controller = self->impl;
  if (
    !check_settings(setup->settings, reason) ||
    !fw__controller_check_rules(&controller->areas, setup->settings, reason)) {
    return false;
  }
  const fw_robot_list_t list = {
    .robots = setup->robots,
    .count = setup->count,
    .grid = grid_for(controller, setup->settings),
    .on_leave = on_leave,
    .context = controller,
  };
  // After the check the settings can be refused only without memory.
  if (
    set_robots(controller, &list, now_ns, reason) != FW_RET_OK ||
    fw_controller_set_settings(self, setup->settings, now_ns, reason) != FW_RET_OK) {
    return false;
  }
  fit_map_to_bodies(controller, now_ns);
  fw__restart_commit(controller, now_ns);
  return true;
}

fw_ret_t fw_controller_set_service(
  fw_controller_t * self, int32_t index, fw_robot_service_t service, int64_t now_ns, fw_error_t * error)
{
  fw_controller_impl_t * controller = self->impl;
  if (!has_robot(controller, index, error)) {
    return FW_RET_NOT_FOUND;
  }
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  fw__restart_restore_left(controller, now_ns);
  if (robot->is_unrestored) {
    return fw__error_memory(error);
  }
  if (service == FW_ROBOT_OUT_OF_SERVICE) {
    const fw_goals_t goals = goals_at(controller, now_ns);
    fw__goals_end_all(
      &goals, index, 0, (fw_goal_end_t){FW_GOAL_FAILED, FW_FAULT_INVALID, "the robot is out of service"});
  }
  if (robot->service != service) {
    static const char * const names[] = {"in service", "on hold", "out of service"};
    fw__log(&controller->log, FW_LOG_INFO, "%s is %s", robot->name, names[service]);
    robot->service = service;
    fw__fleet_execution_hold(&controller->execution, index, fw__controlled_robot_is_held(robot));
    fw__controller_request_round(controller, "a robot is held or released");
  }
  fw__restart_commit(controller, now_ns);
  return FW_RET_OK;
}
