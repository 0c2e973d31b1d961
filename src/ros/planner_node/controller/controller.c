// The controller's step: facts in, execution, and the decision when to plan. See controller.h.

#include "ros/planner_node/controller/controller.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <rcutils/logging_macros.h>

#include "base/assert.h"
#include "ros/planner_node/controller/request_closures.h"
#include "ros/planner_node/controller/round.h"

// In execution mode dependency robots need fewer plans: at most one round in this time, unless it is urgent.
static const int64_t ROUNDS_NS = 200000000;
// At start-up poses arrive one by one, and robots subscribe one by one. A plan without some robots, or one that some do
// not get, would lead others into them, so all are waited for. But a robot that is switched off must not stop the
// fleet.
static const int64_t STARTUP_NS = 5000000000;
static const int64_t UPDATE_NS = 100000000;      // between two checks of robots in the graph
static const int64_t RETIME_NS = 1000000000;     // between two computations of expected times
static const int64_t CENTERING_NS = 5000000000;  // a robot that has not reached the centre of its cell by then will not

// ---- requests for rounds

void node_controller_request_round(node_controller_t * controller, const char * why)
{
  controller->round_reason = why;
  controller->round_is_urgent = true;
}

void node_controller_request_round_soon(node_controller_t * controller, const char * why)
{
  controller->round_reason = controller->round_reason == NULL ? why : controller->round_reason;
}

// ---- paths and goals

bool node_controller_path_ends_at_goal(const node_controller_t * controller, int32_t index)
{
  FW_ASSERT(index >= 0 && index < controller->fleet.count && index < controller->schedule.robot_count);
  const node_robot_t * robot = &controller->fleet.robots[index];
  const node_timed_path_t * timed_path = &controller->schedule.paths[index];
  const node_frame_t * frame = &controller->map.frame;
  if (!robot->has_goal || timed_path->count == 0 || controller->map.revision == 0) {
    return false;
  }
  const fw_cell_t goal = node_frame_cell(frame, robot->goal);
  return goal != FW_CELL_NONE && node_frame_cell(frame, timed_path->waypoints[timed_path->count - 1].point) == goal;
}

bool node_controller_is_at_goal(const node_controller_t * controller, int32_t index, int64_t now_ns)
{
  if (!node_controller_path_ends_at_goal(controller, index)) {
    return false;
  }
  return controller->execution.is_on
           ? node_execution_status(&controller->execution, index).state == FW_EXECUTION_ARRIVED
           : node_timed_path_end(&controller->schedule.paths[index]) <= now_ns;
}

// Robots that have reached their goal get the next one of their queue.
static void take_next_goals(node_controller_t * controller, int64_t now_ns)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    node_robot_t * robot = &controller->fleet.robots[k];
    if (
      robot->queue_next < robot->queue_count && !robot->is_off_plan &&
      node_controller_is_at_goal(controller, k, now_ns) && node_fleet_next_goal(&controller->fleet, robot)) {
      node_controller_request_round_soon(controller, "a robot continues to its next goal");
    }
  }
}

static bool path_crosses(
  const node_controller_t * controller, const node_timed_path_t * timed_path, node_cell_test_t * test)
{
  const node_map_t * map = &controller->map;
  for (int32_t w = 0; w < timed_path->count; ++w) {
    const node_pose_t pose = node_waypoint_pose(&timed_path->waypoints[w], &map->frame);
    const node_place_t place = node_body_place(&timed_path->body, &map->frame, 8, pose);
    for (int32_t c = 0; place.cell >= 0 && c < node_body_cell_count(&timed_path->body, place); ++c) {
      if (test(controller, node_body_cell(&timed_path->body, &map->grid, place, c))) {
        return true;
      }
    }
  }
  return false;
}

bool node_controller_any_path_crosses(const node_controller_t * controller, node_cell_test_t * test)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    if (path_crosses(controller, &controller->schedule.paths[k], test)) {
      return true;
    }
  }
  return false;
}

// ---- the map

static bool is_new_obstacle(const node_controller_t * controller, fw_cell_t cell)
{
  FW_ASSERT(controller->map.before.cost != NULL);
  return cell >= 0 && controller->map.grid.cost[cell] == 0 && controller->map.before.cost[cell] != 0;
}

// True if a robot has no plan and a change of obstacles may help it.
static bool has_robot_without_plan(const node_controller_t * controller)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    if (controller->fleet.robots[k].planning_fault.number != 0) {
      return true;
    }
  }
  return false;
}

static void reset_backoffs(node_controller_t * controller)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    node_robot_reset_backoff(&controller->fleet.robots[k]);
  }
}

// A map with the same frame as before matters only where a new obstacle lies on a path, or a robot waits for a path.
static void request_round_for_new_map(node_controller_t * controller)
{
  const bool is_busy = node_worker_state(&controller->worker) == NODE_WORKER_BUSY;
  const bool is_other = controller->map.before.cost == NULL;
  node_worker_cancel(&controller->worker);  // it plans on the map before
  if (is_other || is_busy || node_controller_any_path_crosses(controller, is_new_obstacle)) {
    node_controller_request_round(controller, "there is a new map");
  }
  if (is_other || has_robot_without_plan(controller)) {
    reset_backoffs(controller);
    node_controller_request_round_soon(controller, "there is a new map");
  }
}

// Builds the planning grid from a message, which may be the stored one, and keeps the message by swapping.
static void build_map(node_controller_t * controller, nav_msgs__msg__OccupancyGrid * message)
{
  const node_frame_t * frame = &controller->map.frame;
  fw_error_t reason = {0};
  if (!node_map_build(&controller->map, message, &controller->settings, &reason)) {
    if (strcmp(reason.text, controller->map_fault.text) != 0) {
      RCUTILS_LOG_ERROR_NAMED(
        controller->logger, "map refused: %s%s", reason.text,
        controller->map.revision > 0 ? "; the last good one stays in force" : "");
    }
    controller->map_fault = reason;
    return;
  }
  controller->map_fault.text[0] = '\0';
  if (message != &controller->map_message) {
    const nav_msgs__msg__OccupancyGrid swap = controller->map_message;
    controller->map_message = *message;
    *message = swap;
  }
  RCUTILS_LOG_INFO_NAMED(
    controller->logger, "map: %d x %d planning cells of %g m", frame->width, frame->height, frame->resolution);
  if (
    frame->resolution > controller->settings.planning_resolution * 1.001 &&
    controller->settings.planning_resolution > 0.0) {
    RCUTILS_LOG_WARN_NAMED(
      controller->logger, "planning cells are %g m, not %g m: a cell must hold a whole robot and a whole map cell",
      frame->resolution, controller->settings.planning_resolution);
  }
  node_closures_rasterise(&controller->closures);
  if (!node_blocked_rasterise(&controller->blocked)) {
    RCUTILS_LOG_ERROR_NAMED(controller->logger, "out of memory for blocked_cells: nothing is blocked");
  }
  controller->obstacles_are_outdated = true;
  request_round_for_new_map(controller);
}

static void take_map(node_controller_t * controller, nav_msgs__msg__OccupancyGrid * message)
{
  // Map servers repeat their map; that does not request a round.
  if (controller->map.revision > 0 && node_map_messages_are_equal(message, &controller->map_message)) {
    controller->map_fault.text[0] = '\0';
  } else {
    build_map(controller, message);
  }
}

// ---- messages

static void take_pose(
  node_controller_t * controller, int32_t index, const node_pose_message_t * message, int64_t now_ns)
{
  FW_ASSERT(index >= 0 && index < controller->fleet.count);
  node_robot_t * robot = &controller->fleet.robots[index];
  const node_timed_path_t * timed_path = &controller->schedule.paths[index];
  const double tolerance = controller->settings.plan_tolerance;
  const bool is_first = !robot->has_pose;
  if (!node_fleet_take_pose(&controller->fleet, robot, message, now_ns)) {
    return;
  }
  controller->reports += 1;
  if (is_first) {
    node_controller_request_round(controller, "a robot has appeared");
    if (controller->startup_end_ns == 0) {
      controller->startup_end_ns = fw_clock_now_ns() + STARTUP_NS;
    }
  }
  if (controller->execution.is_on) {
    const bool is_obstacle = !node_execution_has(&controller->execution, index);
    controller->obstacles_are_outdated = controller->obstacles_are_outdated || (is_obstacle && !robot->is_still);
    node_execution_report(&controller->execution, robot, index, now_ns);
    const bool is_oldest = controller->oldest_report_ns == 0 || message->stamp_ns < controller->oldest_report_ns;
    controller->oldest_report_ns = is_oldest ? message->stamp_ns : controller->oldest_report_ns;
    return;
  }
  const bool was_off_plan = robot->is_off_plan;
  robot->is_off_plan = timed_path->count > 0 && tolerance > 0.0 &&
                       node_point_distance(node_timed_path_at(timed_path, now_ns), robot->point) > tolerance;
  if (robot->is_off_plan && !was_off_plan) {
    node_controller_request_round(controller, "a robot has left its plan");
  }
}

// A new closure on a planned path cannot wait; cells that have opened can wait for the next check.
static void take_closures(
  node_controller_t * controller, int32_t index, const nav_msgs__msg__Path * message, int64_t now_ns)
{
  node_closure_source_t * source = &controller->closures.sources[index];
  const node_closure_query_t all = {{INT64_MIN, NODE_TIME_MAX}, now_ns};
  if (!node_closures_take(&controller->closures, source, message)) {
    return;
  }
  controller->closures_have_changed = true;
  if (node_closure_source_touches(source, &controller->map.frame, &controller->schedule, all)) {
    node_controller_request_round(controller, "a planned path is closed");
  }
}

static bool is_newly_blocked(const node_controller_t * controller, fw_cell_t cell)
{
  return node_blocked_has(&controller->blocked, cell) && !controller->blocked.before[cell];
}

// Costmaps repeat the same cells, so only changes count: a newly blocked cell may lie on a path, and a freed cell may
// help a robot without a plan. The worker is not cancelled, so that moving obstacles do not starve planning;
// node_round_take_result checks for cells that were blocked in the meantime.
static void take_blocked(node_controller_t * controller, nav_msgs__msg__GridCells * message)
{
  const fw_error_t before = controller->blocked.fault;
  const int64_t revision = controller->blocked.revision;
  const bool is_taken = node_blocked_take(&controller->blocked, message);
  const char * fault = controller->blocked.fault.text;
  if (fault[0] != '\0' && strcmp(fault, before.text) != 0) {
    RCUTILS_LOG_ERROR_NAMED(controller->logger, "blocked_cells refused, the last good ones stay in force: %s", fault);
  }
  if (!is_taken || controller->blocked.revision == revision) {
    return;
  }
  controller->obstacles_are_outdated = true;
  if (node_controller_any_path_crosses(controller, is_newly_blocked)) {
    node_controller_request_round(controller, "a planned path is blocked");
  } else if (has_robot_without_plan(controller)) {
    controller->closures_have_changed = true;
  }
}

static void take_inbox(node_controller_t * controller, node_inbox_t * inbox, int64_t now_ns)
{
  FW_ASSERT(inbox->closure_count >= controller->closures.count && inbox->robot_count >= controller->fleet.count);
  if (inbox->has_map) {
    inbox->has_map = false;
    take_map(controller, &inbox->map);
  }
  if (inbox->has_blocked) {
    inbox->has_blocked = false;
    take_blocked(controller, &inbox->blocked);
  }
  for (int32_t k = 0; k < controller->closures.count; ++k) {
    if (inbox->closures[k].is_new) {
      inbox->closures[k].is_new = false;
      take_closures(controller, k, &inbox->closures[k].path, now_ns);
    }
  }
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    node_robot_inbox_t * robot_inbox = inbox->robots[k];
    node_robot_t * robot = &controller->fleet.robots[k];
    if (robot_inbox->pose.is_new) {
      robot_inbox->pose.is_new = false;
      take_pose(controller, k, &robot_inbox->pose, now_ns);
    }
    if (robot_inbox->goal.is_new) {
      robot_inbox->goal.is_new = false;
      if (node_fleet_take_goal(&controller->fleet, robot, &robot_inbox->goal)) {
        node_controller_request_round_soon(controller, "there is a new goal");
      }
    }
    if (robot_inbox->has_goals) {
      robot_inbox->has_goals = false;
      if (node_fleet_take_goals(&controller->fleet, robot, robot_inbox)) {
        node_controller_request_round_soon(controller, "there are new goals");
      }
    }
  }
  if (inbox->replan_is_requested) {
    inbox->replan_is_requested = false;
    node_controller_request_round(controller, "~/replan was called");
  }
}

// ---- execution by the dependency graph

static bool is_by_dependency(const node_controller_t * controller)
{
  return controller->settings.execution_mode == NODE_EXECUTION_DEPENDENCY;
}

static void set_obstacles(node_controller_t * controller)
{
  controller->obstacles_are_outdated =
    !node_execution_set_obstacles(&controller->execution, &controller->blocked, &controller->fleet);
}

static void log_stuck(const node_controller_t * controller, int32_t index, bool is_stuck)
{
  const node_robot_t * robot = &controller->fleet.robots[index];
  if (is_stuck) {
    const char * state = fw_execution_state_name(node_execution_status(&controller->execution, index).state);
    RCUTILS_LOG_WARN_NAMED(
      controller->logger, "%s is %s at (%.7g, %.7g): the others plan around it", robot->name, state, robot->point.x,
      robot->point.y);
  } else {
    RCUTILS_LOG_INFO_NAMED(controller->logger, "%s is driving again", robot->name);
  }
}

// A robot that has left its path and stands is removed from the graph: the next round plans from where it is.
static void remove_off_path(node_controller_t * controller, int32_t index, const fw_execution_status_t * status)
{
  const node_robot_t * robot = &controller->fleet.robots[index];
  if (status->state != FW_EXECUTION_OFF_PATH || !robot->is_still || robot->is_stale) {
    return;
  }
  if (node_worker_state(&controller->worker) != NODE_WORKER_IDLE) {
    node_worker_cancel(&controller->worker);  // it plans from where the robot will not be
  } else {
    controller->fleet.robots[index].was_stuck = false;
    node_execution_remove(&controller->execution, &controller->fleet, index);
    set_obstacles(controller);
    node_controller_request_round(controller, "a robot has left its path");
  }
}

// Notes whether a robot is stuck or off its path, by the graph.
static void check_execution_of(node_controller_t * controller, int32_t index)
{
  node_robot_t * robot = &controller->fleet.robots[index];
  const fw_execution_status_t status = node_execution_status(&controller->execution, index);
  const bool is_stuck = node_execution_is_stuck(&controller->execution, index);
  robot->is_off_plan = status.state == FW_EXECUTION_OFF_PATH;
  if (is_stuck != robot->was_stuck) {
    robot->was_stuck = is_stuck;
    log_stuck(controller, index, is_stuck);
    node_controller_request_round(controller, is_stuck ? "a robot is stuck" : "a robot is driving again");
  }
  remove_off_path(controller, index, &status);
}

// Robots that have reached the centre of their cell, or take too long for it, are planned for.
static void check_centering(node_controller_t * controller, int64_t now_ns)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    node_robot_t * robot = &controller->fleet.robots[k];
    const node_frame_t * frame = &controller->map.frame;
    const fw_cell_t cell = node_frame_cell(frame, robot->point);
    if (!robot->is_centering || cell == FW_CELL_NONE) {
      continue;
    }
    const double off = node_point_distance(node_frame_point(frame, cell), robot->point);
    if (
      off <= controller->execution.options.tolerance * frame->resolution ||
      now_ns > robot->centering_ns + CENTERING_NS) {
      robot->is_centering = false;
      node_controller_request_round(controller, "a robot has reached the centre of its cell");
    }
  }
}

// Paths are published again when their end has shifted by more than half a tick.
static void mark_retimed_paths(node_controller_t * controller)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    node_robot_t * robot = &controller->fleet.robots[k];
    const int64_t shift_ns = node_timed_path_end(&controller->schedule.paths[k]) - robot->published_end_ns;
    const int64_t least_ns = controller->schedule.tick_ns / 2;
    robot->has_new_path = robot->has_new_path || shift_ns > least_ns || shift_ns < -least_ns;
  }
}

// All robots are to stay where they are: the plans are void. Does nothing in the other execution modes.
static void end_execution(node_controller_t * controller)
{
  if (is_by_dependency(controller)) {
    node_execution_end(&controller->execution, &controller->fleet);
    for (int32_t k = 0; k < controller->fleet.count; ++k) {
      controller->fleet.robots[k].has_new_path = controller->schedule.paths[k].count > 0;
      controller->fleet.robots[k].was_stuck = false;
      controller->fleet.robots[k].is_centering = false;
    }
    node_schedule_clear(&controller->schedule);
    controller->obstacles_are_outdated = true;
  }
}

// The graph was made for one map frame, speed and set of tolerances. For others it is replaced, once all robots stand.
static void replace_outdated_graph(node_controller_t * controller, int64_t now_ns)
{
  node_execution_t * execution = &controller->execution;
  fw_error_t reason = {0};
  const int64_t tick_ns = node_round_tick_ns(&controller->map.frame, &controller->settings);
  if (execution->is_on && node_execution_is_outdated(execution, tick_ns)) {
    node_worker_cancel(&controller->worker);
    node_execution_drain(execution, now_ns);
  }
  if (execution->is_draining && node_execution_has_drained(execution, &controller->fleet, now_ns)) {
    end_execution(controller);
    node_controller_request_round(controller, "all robots stand");
  }
  if (!execution->is_on && !node_execution_begin(execution, tick_ns, now_ns, &reason)) {
    node_round_note_failure(controller, "cannot make the dependency graph", reason.text);
  }
}

// Reads the graph, requests rounds, and marks whose path or release is to be published. Nothing in other modes.
static void supervise_execution(node_controller_t * controller, int64_t now_ns)
{
  node_execution_t * execution = &controller->execution;
  if (!is_by_dependency(controller) || controller->map.revision == 0 || now_ns <= 0) {
    return;
  }
  replace_outdated_graph(controller, now_ns);
  if (!execution->is_on) {
    return;
  }
  if (now_ns >= controller->next_execution_ns || controller->next_execution_ns > now_ns + 2 * UPDATE_NS) {
    controller->next_execution_ns = now_ns + UPDATE_NS;
    node_execution_update(execution, now_ns);
    if (controller->obstacles_are_outdated) {
      set_obstacles(controller);
    }
    for (int32_t k = 0; k < controller->fleet.count; ++k) {
      check_execution_of(controller, k);
    }
    check_centering(controller, now_ns);
    const bool is_idle = node_worker_state(&controller->worker) == NODE_WORKER_IDLE;
    if (is_idle && node_execution_withdraw_obstructed(execution, &controller->fleet, now_ns)) {
      node_controller_request_round(controller, "a robot stands before an obstacle");
    }
  }
  if (now_ns >= controller->next_retime_ns || controller->next_retime_ns > now_ns + 2 * RETIME_NS) {
    controller->next_retime_ns = now_ns + RETIME_NS;
    if (node_execution_write_paths(execution, &controller->fleet, &controller->schedule)) {
      mark_retimed_paths(controller);
    }
  }
  node_execution_mark_changed_releases(execution, &controller->fleet);
}

void node_controller_pause(node_controller_t * controller, bool is_paused)
{
  node_execution_t * execution = &controller->execution;
  execution->is_paused = is_paused;
  if (execution->is_on && !execution->is_draining) {
    if (is_paused) {
      fw_execution_pause(&execution->graph);
    } else {
      fw_execution_resume(&execution->graph);
    }
  }
}

// ---- when to plan

const char * node_controller_not_ready_reason(const node_controller_t * controller, int64_t now_ns)
{
  if (now_ns <= 0) {
    return "no message has arrived on /clock yet";
  }
  if (controller->map.revision == 0) {
    return "there is no map yet";
  }
  if (controller->settings.execution_mode == NODE_EXECUTION_DEPENDENCY && !controller->execution.is_on) {
    return "there is no dependency graph yet";
  }
  if (controller->execution.is_draining) {
    return "waiting for all robots to stop before the dependency graph is replaced";
  }
  int32_t heard = 0, listed = 0;
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    listed += node_robot_is_listed(&controller->fleet.robots[k]) ? 1 : 0;
    heard += controller->fleet.robots[k].has_pose ? 1 : 0;
  }
  if (heard == 0) {
    return listed == 0 ? "the parameter robots is empty" : "no robot has a pose yet";
  }
  const bool is_starting = fw_clock_now_ns() < controller->startup_end_ns;
  if (heard < listed && is_starting) {
    return "not all robots have a pose yet";
  }
  if (!controller->has_subscribers && is_starting) {
    return "not all robots have subscribed to their path yet";
  }
  return NULL;
}

// Two rounds with the same epoch would solve one problem twice: the second could not continue from the first, of which
// nothing would have been driven.
static bool round_is_due(const node_controller_t * controller, int64_t now_ns)
{
  FW_ASSERT(!controller->round_is_urgent || controller->round_reason != NULL);
  if (controller->execution.is_on) {
    return controller->round_reason != NULL && (controller->round_is_urgent || now_ns >= controller->next_round_ns);
  }
  const bool continues =
    controller->settings.horizon > 0 && controller->settings.planner.has_windows && controller->warm_start.is_valid;
  const int64_t epoch_ns = node_schedule_round_up(&controller->schedule, now_ns + controller->lead_ns);
  return controller->round_reason != NULL &&
         (controller->round_is_urgent || !continues || epoch_ns > controller->warm_start.epoch_ns);
}

// True if a robot still has to drive, or cannot.
static bool has_unfinished_robot(const node_controller_t * controller, int64_t now_ns)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    const node_timed_path_t * timed_path = &controller->schedule.paths[k];
    if (controller->fleet.robots[k].planning_fault.number != 0 || node_timed_path_end(timed_path) > now_ns) {
      return true;
    }
  }
  return false;
}

// Closures that begin soon on a planned path, and closures that have changed.
static void check_closures(node_controller_t * controller, int64_t now_ns)
{
  // Up to half of what a round sees, so that a change is in force long before it is needed.
  const node_interval_t begin = {controller->closures_seen_ns, now_ns + NODE_CLOSURES_AHEAD_NS / 2};
  if (node_closures_touch(&controller->closures, &controller->schedule, (node_closure_query_t){begin, now_ns})) {
    node_controller_request_round(controller, "a planned path will be closed");
  }
  if (controller->closures_have_changed && has_unfinished_robot(controller, now_ns)) {
    reset_backoffs(controller);
    node_controller_request_round_soon(controller, "closures have changed");
  }
  controller->closures_have_changed = false;
}

// The source that closes a cell where the robot is measured, -1 if there is none.
static int32_t closing_source_at(const node_controller_t * controller, const node_robot_t * robot, int64_t now_ns)
{
  const node_map_t * map = &controller->map;
  const node_place_t place =
    node_body_place(&robot->body, &map->frame, controller->settings.connectivity, node_robot_pose(robot));
  if (!robot->has_pose || place.cell == FW_CELL_NONE) {
    return -1;
  }
  return node_closures_find_body(
    &controller->closures, &map->grid, (node_placed_t){&robot->body, place}, (node_interval_t){now_ns, now_ns + 1});
}

// Robots on closed cells get a fault: they are late, or the closure came unexpected.
static void check_standing_on_closures(node_controller_t * controller, int64_t now_ns)
{
  node_fleet_t * fleet = &controller->fleet;
  for (int32_t k = 0; controller->closures.count > 0 && k < fleet->count; ++k) {
    node_robot_t * robot = &fleet->robots[k];
    const int32_t source = closing_source_at(controller, robot, now_ns);
    if (source >= 0) {
      node_robot_set_fault(
        robot, &robot->standing_fault, FW_FAULT_START_OCCUPIED, "it is on a cell that %s has closed",
        controller->closures.sources[source].name);
    } else {
      node_robot_clear_fault(robot, &robot->standing_fault);
    }
  }
}

// True if a robot waits for what does not end by itself: an obstacle on its path, or a closure that it was too late
// for. A cell that is closed now will open, and the plan knows that.
static bool waits_without_end(const node_controller_t * controller, int32_t index, int64_t now_ns)
{
  const fw_execution_status_t status = node_execution_status(&controller->execution, index);
  if (status.state != FW_EXECUTION_WAITING) {
    return false;
  }
  const node_interval_t now = {now_ns, now_ns + 1};
  return status.wait == FW_EXECUTION_WAIT_OBSTACLE ||
         (status.wait == FW_EXECUTION_WAIT_CLOSURE && node_closures_find(&controller->closures, status.cell, now) < 0);
}

static void check_robots(node_controller_t * controller, int64_t now_ns)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    const node_robot_t * robot = &controller->fleet.robots[k];
    const bool is_waiting = robot->planning_fault.number != 0 && now_ns >= robot->retry_ns;
    const bool is_outside_graph = controller->execution.is_on && !node_execution_has(&controller->execution, k);
    const bool needs_plan =
      is_waiting || robot->is_off_plan || is_outside_graph || waits_without_end(controller, k, now_ns);
    if (robot->has_pose && !robot->is_stale && needs_plan) {
      node_controller_request_round_soon(controller, is_waiting ? "a robot waits" : "a robot is off its plan");
    }
  }
}

// Requests a round for what no event announces: robots that wait, robots off their plan, a plan that ends before the
// goals, closures that begin soon.
static void check_for_round(node_controller_t * controller, int64_t now_ns)
{
  const double period = controller->settings.replan_period;
  if (controller->schedule.safe_until_ns < NODE_TIME_MAX && now_ns >= controller->next_window_ns) {
    node_controller_request_round_soon(controller, "the plan ends before the goals");
  }
  if (now_ns < controller->next_check_ns) {
    return;
  }
  controller->next_check_ns = now_ns + node_seconds_to_ns(period);
  if (controller->map.revision > 0) {
    check_closures(controller, now_ns);
    check_standing_on_closures(controller, now_ns);
  }
  if (period <= 0.0) {
    return;
  }
  check_robots(controller, now_ns);
  if (controller->planner_fault.text[0] != '\0') {
    node_controller_request_round(controller, "the last round failed");
  }
}

// ---- one step

void node_controller_drop_plans(node_controller_t * controller, int64_t now_ns)
{
  node_worker_cancel(&controller->worker);
  end_execution(controller);
  node_schedule_clear(&controller->schedule);
  controller->warm_start.is_valid = false;
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    node_robot_reset_backoff(&controller->fleet.robots[k]);
    node_robot_restart_clock(&controller->fleet.robots[k], now_ns);
  }
  controller->next_check_ns = now_ns;
  controller->last_now_ns = now_ns;
  node_controller_request_round(controller, "the plans were dropped");
}

bool node_controller_update(node_controller_t * controller, node_inbox_t * inbox, int64_t now_ns)
{
  FW_ASSERT(controller->schedule.robot_count >= controller->fleet.count);
  bool has_new_schedule = false;
  if (controller->last_now_ns == 0 && now_ns > 0) {  // ROS time begins
    node_controller_drop_plans(controller, now_ns);
  }
  controller->last_now_ns = now_ns;
  controller->oldest_report_ns = 0;
  take_inbox(controller, inbox, now_ns);
  if (node_fleet_check_staleness(&controller->fleet, now_ns)) {
    node_controller_request_round(controller, "a robot has become stale or is heard again");
  }
  if (node_worker_state(&controller->worker) == NODE_WORKER_DONE) {
    has_new_schedule = node_round_take_result(controller, now_ns);
    node_round_undo_cut(controller);
    node_worker_finish(&controller->worker);
  }
  supervise_execution(controller, now_ns);
  take_next_goals(controller, now_ns);
  check_for_round(controller, now_ns);
  if (
    node_worker_state(&controller->worker) == NODE_WORKER_IDLE && round_is_due(controller, now_ns) &&
    node_controller_not_ready_reason(controller, now_ns) == NULL) {
    RCUTILS_LOG_DEBUG_NAMED(controller->logger, "planning: %s", controller->round_reason);
    controller->round_reason = NULL;
    controller->round_is_urgent = false;
    controller->next_round_ns = now_ns + ROUNDS_NS;
    if (!node_round_write_request(controller, now_ns)) {
      node_round_undo_cut(controller);
      node_round_note_failure(controller, "out of memory", "the planning request");
    } else if (controller->worker.request.count > 0) {
      node_worker_start(&controller->worker);
    } else if (controller->execution.is_on) {
      node_round_undo_cut(controller);
    } else {  // no robot is left to plan for
      node_schedule_clear(&controller->schedule);
      controller->warm_start.is_valid = false;
      has_new_schedule = true;
    }
  }
  return has_new_schedule;
}

// ---- life and parameters

bool node_controller_init(node_controller_t * controller, const node_controller_options_t * options)
{
  const node_site_t site = {&controller->settings, &controller->map, options->logger};
  controller->settings = *options->settings;
  controller->logger = options->logger;
  controller->execution.site = site;
  controller->lead_ns = node_seconds_to_ns(options->settings->plan_lead_seconds);
  node_worker_open_record(&controller->worker, options->settings, options->logger);
  return node_fleet_init(&controller->fleet, options->parameters, site) &&
         node_closures_init(&controller->closures, options->parameters, site) &&
         nav_msgs__msg__OccupancyGrid__init(&controller->map_message) &&
         node_blocked_init(&controller->blocked, site) &&
         node_schedule_init(&controller->schedule, controller->fleet.count) &&
         node_worker_init(&controller->worker, options->on_done, options->context);
}

void node_controller_fini(node_controller_t * controller)
{
  node_worker_fini(&controller->worker);
  node_execution_fini(&controller->execution);
  node_schedule_fini(&controller->schedule);
  node_blocked_fini(&controller->blocked);
  node_map_fini(&controller->map);
  nav_msgs__msg__OccupancyGrid__fini(&controller->map_message);
  node_closures_fini(&controller->closures);
  node_fleet_fini(&controller->fleet);
  free(controller->scratch.waypoints);
  controller->scratch = (node_timed_path_t){0};
}

bool node_controller_read_robots(node_controller_t * controller, const ros_parameters_t * parameters)
{
  node_fleet_t * fleet = &controller->fleet;
  const bool is_read =
    node_fleet_read_names(fleet, parameters) && node_schedule_grow(&controller->schedule, fleet->count);
  for (int32_t k = 0; k < controller->schedule.robot_count; ++k) {
    node_robot_t * robot = &fleet->robots[k];
    if (!node_robot_is_listed(robot) || robot->is_new) {
      controller->schedule.paths[k].count = 0;
      node_execution_remove(&controller->execution, fleet, k);
      robot->has_new_release = robot->is_new;
      robot->is_new = false;
    }
  }
  controller->obstacles_are_outdated = true;
  return is_read;
}

void node_controller_read_settings(
  node_controller_t * controller, const ros_parameters_t * parameters, const node_settings_t * settings)
{
  const node_settings_t old = controller->settings;
  controller->settings = *settings;
  controller->lead_ns = node_seconds_to_ns(settings->plan_lead_seconds);
  if (!node_fleet_read_bodies(&controller->fleet, parameters)) {
    RCUTILS_LOG_ERROR_NAMED(controller->logger, "out of memory for the footprints of robots: some stay as they were");
  }
  reset_backoffs(controller);
  node_worker_cancel(&controller->worker);
  node_controller_request_round(controller, "parameters were set");
  const bool needs_map = old.robot_radius != settings->robot_radius ||
                         old.planning_resolution != settings->planning_resolution ||
                         old.occupied_thresh != settings->occupied_thresh || old.free_thresh != settings->free_thresh ||
                         old.unknown_is_free != settings->unknown_is_free;
  if (needs_map && controller->map.revision > 0) {
    build_map(controller, &controller->map_message);
  } else if (old.closure_radius != settings->closure_radius) {
    node_closures_rasterise(&controller->closures);
  }
}
