// Final approaches to the exact poses of goals. See approach.h.

#include "controller/approach.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/assert.h"
#include "base/heap.h"
#include "controller/controller.h"
#include "controller/round/request_closures.h"

enum { WAYPOINTS_MAX = 4, FAILURES_MAX = 3 };

static const int64_t TELL_AGAIN_NS = 10000000000;  // a robot that has stopped on its way back gets its release again
static const double WHOLE_TURN = 6.283185307179586;
static const double ANY_YAW = 3.14159;          // radians; a tolerance from here on allows any yaw
static const int64_t PERIOD_NS = 100000000;     // between two looks at all robots
static const int64_t RETRY_NS = 500000000;      // after space was not free
static const int64_t CLEARING_NS = 2000000000;  // after a round was asked to clear the space
// Rounds keep the space clear for this long, also while the robot itself makes way for one that has to leave it.
static const int64_t CLEAR_NS = 10000000000;
// A robot that was called back leaves the way to the others for this long.
static const int64_t CALLED_BACK_NS = 10000000000;
// A robot in its cell has this long to turn as its goal wants it, or more if stopped_timeout is longer.
static const int64_t TURN_NS = 10000000000;
// A robot that is there may stray by this much more before it is not there any more: poses have noise.
static const double STRAY_METRES = 0.1;
static const double STRAY_YAW = 0.2;  // radians

// ---- goals on the map

// The cell to whose centre plans lead. A place in a cell that is not free may be within reach of a free one beside it.
static fw_cell_t find_cell(const fw_controller_site_t * site, const fw_robot_body_t * body, fw_point_t point)
{
  const fw_planning_map_t * map = site->map;
  const fw_cell_t cell = fw__map_frame_cell(&map->frame, point);
  const bool is_exact = site->settings->execution_mode == FW_EXECUTION_MODE_DEPENDENCY;
  if (
    cell == FW_CELL_NONE || !is_exact || body->outline->counts[0] > 1 || body->turn_ticks > 0 ||
    fw__planning_map_is_free(map, cell)) {
    return cell;
  }
  const fw_cell_t nearest = fw__planning_map_locate(map, point).cell;
  return nearest == FW_CELL_NONE ? cell : nearest;
}

typedef struct floor_check_t {
  const fw_planning_map_t * map;
  bool is_free;
} floor_check_t;

static void check_floor(void * context, fw_cell_t cell)
{
  floor_check_t * check = context;
  check->is_free = check->is_free && fw__planning_map_is_free(check->map, cell);
}

// Does the map leave a body room from the centre of a cell to a point? A disc is compared with the map exactly, a body
// of several cells cell by cell. One that turns must be able to turn anywhere on the way.
static bool is_free_to(const fw_planning_map_t * map, const fw_robot_body_t * body, fw_point_t from, fw_point_t to)
{
  const double cell = map->frame.resolution;
  if (body->outline->counts[0] == 1) {
    return fw__planning_map_line_is_free(map, from, to);
  }
  floor_check_t check = {map, true};
  const fw_raster_visitor_t visitor = {.visit = check_floor, .context = &check};
  if (body->turn_ticks > 0) {
    const double radius = cell * hypot((double)body->outline->reach + 0.5, (double)body->outline->reach + 0.5);
    (void)fw__raster_visit_sweep(&map->frame, &(fw_raster_sweep_t){from, to, radius}, visitor);
    return check.is_free;
  }
  const double c = cos(map->frame.yaw) * cell, s = sin(map->frame.yaw) * cell;
  for (int32_t k = 0; k < body->outline->counts[0]; ++k) {
    const double dx = body->outline->cells[0][k].dx, dy = body->outline->cells[0][k].dy;
    const fw_point_t by = {c * dx - s * dy, s * dx + c * dy};
    const fw_raster_sweep_t sweep = {{from.x + by.x, from.y + by.y}, {to.x + by.x, to.y + by.y}, map->radius};
    (void)fw__raster_visit_sweep(&map->frame, &sweep, visitor);
  }
  return check.is_free;
}

fw_approach_plan_t fw__approach_plan(
  const fw_controller_site_t * site, const fw_robot_body_t * body, const fw_robot_goal_t * goal)
{
  FW_ASSERT(site->map->revision > 0 && fw__point_is_finite(goal->pose.point));
  const fw_planning_map_t * map = site->map;
  fw_approach_plan_t plan = {
    .cell = find_cell(site, body, goal->pose.point),
    .tolerance = goal->position_tolerance > 0.0 ? goal->position_tolerance : site->settings->goal_tolerance,
  };
  if (plan.cell == FW_CELL_NONE) {
    return plan;
  }
  plan.centre = fw__map_frame_point(&map->frame, plan.cell);
  plan.off = fw__point_distance(plan.centre, goal->pose.point);
  plan.is_needed = plan.off > plan.tolerance || plan.cell != fw__map_frame_cell(&map->frame, goal->pose.point);
  plan.is_free = is_free_to(map, body, plan.centre, goal->pose.point);
  return plan;
}

fw_approach_plan_t fw__approach_plan_of(const fw_controller_site_t * site, const fw_controlled_robot_t * robot)
{
  FW_ASSERT(robot->has_goal);
  const fw_robot_goal_t goal = {
    .pose = {robot->goal, robot->goal_yaw},
    .position_tolerance = robot->goal_tolerance,
    .yaw_tolerance = robot->goal_yaw_tolerance,
  };
  return fw__approach_plan(site, &robot->body, &goal);
}

fw_cell_t fw__approach_cell_of(const fw_controller_site_t * site, const fw_controlled_robot_t * robot)
{
  FW_ASSERT(robot->has_goal && site->map->revision > 0);
  return find_cell(site, &robot->body, robot->goal);
}

static double yaw_tolerance_of(const fw_controller_site_t * site, const fw_controlled_robot_t * robot)
{
  return robot->goal_yaw_tolerance > 0.0 ? robot->goal_yaw_tolerance : site->settings->goal_yaw_tolerance;
}

static bool is_turned_well(const fw_controller_site_t * site, const fw_controlled_robot_t * robot)
{
  const double tolerance = yaw_tolerance_of(site, robot);
  return isnan(robot->goal_yaw) || tolerance >= ANY_YAW ||
         fabs(remainder(robot->yaw - robot->goal_yaw, WHOLE_TURN)) <= tolerance;
}

// Must the robot leave the centre of its cell, or turn there as its heading on the grid does not allow?
static bool is_wanted(const fw_controller_site_t * site, const fw_controlled_robot_t * robot)
{
  const fw_approach_plan_t plan = fw__approach_plan_of(site, robot);
  return plan.is_free && (plan.is_needed || (robot->body.turn_ticks > 0 && !is_turned_well(site, robot)));
}

bool fw__approach_is_at_goal(const fw_controller_site_t * site, const fw_controlled_robot_t * robot, bool has_arrived)
{
  const fw_approach_t * approach = &robot->approach;
  if (!robot->has_goal || site->map->revision == 0) {
    return false;
  }
  if (approach->state == FW_APPROACH_THERE) {
    return approach->goal_order == robot->goal_order && !robot->old_release.is_void;
  }
  return has_arrived && !is_wanted(site, robot) && is_turned_well(site, robot);
}

// ---- the space

typedef struct space_t {
  fw_cell_t * cells;
  int32_t count;
  int32_t capacity;
  bool has_failed;
} space_t;

static bool has_cell(const space_t * space, fw_cell_t cell)
{
  bool has = false;
  for (int32_t k = 0; !has && k < space->count; ++k) {
    has = space->cells[k] == cell;
  }
  return has;
}

static void add_to_space(void * context, fw_cell_t cell)
{
  space_t * space = context;
  if (has_cell(space, cell)) {
    return;
  }
  if (space->count == space->capacity) {
    const int32_t capacity = 2 * space->capacity + 16;
    fw_cell_t * grown = fw__realloc(space->cells, (size_t)capacity * sizeof *grown);
    if (grown == NULL) {
      space->has_failed = true;
      return;
    }
    space->cells = grown;
    space->capacity = capacity;
  }
  space->cells[space->count++] = cell;
}

// How near to the centre of its cell a robot must be to take part in plans, in metres.
static double centre_tolerance(const fw_controller_impl_t * controller)
{
  return controller->execution.options.tolerance * controller->map.frame.resolution;
}

// What others may stray from their paths, or need for diagonals beside the robot.
static double margin_of(const fw_controller_impl_t * controller)
{
  const fw_planning_map_t * map = &controller->map;
  return fmax(centre_tolerance(controller), map->touch_radius - map->robot_radius);
}

// The way of an approach, as a release that is not in force yet. `waypoints` has room for WAYPOINTS_MAX. A robot with
// heading turns into the direction of the way, drives, and turns as its goal wants it.
static fw_old_release_t make_way(
  const fw_controller_impl_t * controller, const fw_controlled_robot_t * robot, fw_timed_waypoint_t * waypoints)
{
  const fw_controller_site_t * site = &controller->fleet.site;
  const fw_approach_plan_t plan = fw__approach_plan_of(site, robot);
  const bool has_heading = robot->body.turn_ticks > 0;
  const fw_grid_pose_t place = fw__robot_body_place(
    &robot->body, &controller->map.frame, controller->settings.connectivity,
    (fw_pose_t){plan.centre, fw__controlled_robot_pose(robot).yaw});
  const double first_yaw = has_heading ? fw__map_frame_yaw(&controller->map.frame, place.heading) : NAN;
  const double way_yaw = plan.off > 0.0 ? atan2(robot->goal.y - plan.centre.y, robot->goal.x - plan.centre.x) : 0.0;
  const double tolerance = yaw_tolerance_of(site, robot);
  const bool has_goal_yaw = !isnan(robot->goal_yaw) && tolerance < ANY_YAW;
  int32_t count = 0;
  waypoints[count++] = (fw_timed_waypoint_t){.point = plan.centre, .yaw = first_yaw};
  if (has_heading && plan.is_needed) {
    waypoints[count++] = (fw_timed_waypoint_t){.point = plan.centre, .yaw = way_yaw};
    waypoints[count++] = (fw_timed_waypoint_t){.point = robot->goal, .yaw = way_yaw};
  }
  if (!has_heading || has_goal_yaw) {
    const fw_point_t end = plan.is_needed ? robot->goal : plan.centre;
    waypoints[count++] = (fw_timed_waypoint_t){.point = end, .yaw = robot->goal_yaw};
  }
  FW_ASSERT(count <= WAYPOINTS_MAX);
  return (fw_old_release_t){
    .is_there = true,
    .path = {.waypoints = waypoints, .count = count, .capacity = count, .body = robot->body},
    .is_sent = true,
    .is_approach = true,
    .is_kept = true,
    .margin = margin_of(controller),
    .end_tolerance = plan.tolerance,
    .end_yaw_tolerance = has_goal_yaw ? tolerance : 0.0,
  };
}

// Writes the cells that a way touches; the caller frees them.
static space_t find_space(
  const fw_controller_impl_t * controller, const fw_controlled_robot_t * robot, const fw_old_release_t * way)
{
  space_t cells = {0};
  const fw_reserved_space_t space = {way, &robot->body, controller->map.robot_radius};
  fw__reserved_space_visit_cells(
    &space, &controller->map.frame, (fw_raster_visitor_t){.visit = add_to_space, .context = &cells});
  return cells;
}

typedef struct meeting_t {
  const space_t * space;
  bool is_there;
} meeting_t;

static void note_meeting(void * context, fw_cell_t cell)
{
  meeting_t * meeting = context;
  meeting->is_there = meeting->is_there || has_cell(meeting->space, cell);
}

// Does the robot need a cell of the space: where it is, or what is released to it?
static bool meets(const fw_controller_impl_t * controller, int32_t index, const space_t * space)
{
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_map_frame_t * frame = &controller->map.frame;
  const double radius = controller->map.robot_radius;
  meeting_t meeting = {.space = space};
  const fw_raster_visitor_t visitor = {.visit = note_meeting, .context = &meeting};
  if (robot->old_release.is_there) {
    const fw_reserved_space_t reserved = {&robot->old_release, &robot->body, radius};
    fw__reserved_space_visit_cells(&reserved, frame, visitor);
    return meeting.is_there;
  }
  if (robot->has_pose) {
    const fw_measured_body_t measured = {&robot->body, fw__controlled_robot_pose(robot), radius, 0.0};
    fw__robot_body_visit_touched_cells(&measured, frame, visitor);
  }
  const int32_t count = fw_execution_held(&controller->execution.graph, index, NULL, 0);
  if (meeting.is_there || count <= 0) {
    return meeting.is_there;
  }
  fw_cell_t * cells = fw__calloc((size_t)count, sizeof *cells);
  if (cells == NULL) {
    return true;
  }
  (void)fw_execution_held(&controller->execution.graph, index, cells, count);
  for (int32_t k = 0; k < count; ++k) {
    note_meeting(&meeting, cells[k]);
  }
  free(cells);
  return meeting.is_there;
}

// What keeps a robot from its approach.
typedef enum obstruction_kind_t { FREE, BY_ROBOT, BY_OBSTACLE, BY_CLOSURE, BY_MEMORY } obstruction_kind_t;
typedef struct obstruction_t {
  obstruction_kind_t kind;
  int32_t robot;  // or source of closures
} obstruction_t;

static obstruction_t find_obstruction(
  const fw_controller_impl_t * controller, int32_t index, const space_t * space, int64_t now_ns)
{
  if (space->has_failed) {
    return (obstruction_t){BY_MEMORY, -1};
  }
  for (int32_t k = 0; k < space->count; ++k) {
    if (fw__blocked_cells_has(&controller->blocked, space->cells[k])) {
      return (obstruction_t){BY_OBSTACLE, -1};
    }
    const int32_t source =
      fw__closure_sources_find(&controller->closures, space->cells[k], (fw_time_interval_t){now_ns, now_ns + 1});
    if (source >= 0) {
      return (obstruction_t){BY_CLOSURE, source};
    }
  }
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    if (k != index && fw__controlled_robot_is_listed(&controller->fleet.robots[k]) && meets(controller, k, space)) {
      return (obstruction_t){BY_ROBOT, k};
    }
  }
  return (obstruction_t){FREE, -1};
}

static void note_obstruction(fw_controller_impl_t * controller, int32_t index, obstruction_t obstruction)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const char * what = "an obstacle";
  if (obstruction.kind == FREE) {
    fw__controlled_robot_clear_fault(robot, &robot->approach_fault);
    return;
  }
  what = obstruction.kind == BY_ROBOT     ? controller->fleet.robots[obstruction.robot].name
         : obstruction.kind == BY_CLOSURE ? controller->closures.sources[obstruction.robot].name
                                          : what;
  const bool is_passing =
    obstruction.kind == BY_ROBOT &&
    fw__fleet_execution_status(&controller->execution, obstruction.robot).state != FW_EXECUTION_ARRIVED;
  if (!is_passing) {  // who passes by is no fault
    fw__controlled_robot_set_fault(
      robot, &robot->approach_fault, FW_FAULT_GOAL_OCCUPIED, "the space of its goal (%.7g, %.7g) is taken by %s",
      robot->goal.x, robot->goal.y, what);
  }
}

// ---- on the way

// Gives the robot the way as its release. False if there is no memory; nothing has changed then.
static bool begin_way(fw_controller_impl_t * controller, int32_t index, const fw_old_release_t * way, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  fw_old_release_t * old = &robot->old_release;
  if (!fw__timed_path_reserve(&old->path, way->path.count)) {
    return false;
  }
  fw_timed_path_t path = old->path;
  for (int32_t k = 0; k < way->path.count; ++k) {
    path.waypoints[k] = way->path.waypoints[k];
  }
  path.count = way->path.count;
  path.body = robot->body;
  fw__fleet_execution_remove(&controller->execution, &controller->fleet, index);
  *old = *way;
  old->path = path;
  fw__old_release_report(old, fw__controlled_robot_pose(robot), 0.0);
  robot->is_still = false;
  robot->still_ns = now_ns;
  robot->is_off_plan = false;
  robot->was_stuck = false;
  fw__controlled_robot_clear_fault(robot, &robot->planning_fault);  // no round is about it until it is back
  fw__controlled_robot_reset_backoff(robot);
  robot->has_new_release = true;
  controller->schedule.paths[index].count = 0;
  robot->has_new_path = true;
  fw__controller_tell_obstacles(controller);
  fw__controller_request_round_soon(controller, "a robot leaves the plan for the exact pose of its goal");
  return true;
}

// The robot stands at its pose by itself, as after a restart, or has come there.
static void arrive(fw_controlled_robot_t * robot)
{
  fw_old_release_t * old = &robot->old_release;
  robot->approach.state = FW_APPROACH_THERE;
  robot->approach.is_called_back = false;
  old->is_kept = true;
  old->end_tolerance += STRAY_METRES;
  old->end_yaw_tolerance += old->end_yaw_tolerance > 0.0 ? STRAY_YAW : 0.0;
}

// Reverses the way. The robot holds the space already.
static void turn_back(fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  fw_old_release_t * old = &robot->old_release;
  fw_timed_path_t * path = &old->path;
  FW_ASSERT(old->is_there && path->count > 0);
  for (int32_t k = 0; k < path->count / 2; ++k) {
    const fw_timed_waypoint_t other = path->waypoints[k];
    path->waypoints[k] = path->waypoints[path->count - 1 - k];
    path->waypoints[path->count - 1 - k] = other;
  }
  old->first = 0;
  old->is_kept = false;
  // Where plans begin: as near to the centre as a waypoint must be reached.
  old->end_tolerance = centre_tolerance(controller);
  old->end_yaw_tolerance = 0.0;
  fw__old_release_report(old, fw__controlled_robot_pose(robot), 0.0);
  robot->approach.state = FW_APPROACH_BACK;
  robot->is_still = false;
  robot->still_ns = now_ns;
  robot->has_new_release = true;
}

// ---- decisions for one robot

static bool has_active_goal(const fw_controlled_robot_t * robot) { return robot->goal_count > 0; }

// A robot that stands at its pose and could make room.
static bool can_be_called_back(const fw_controlled_robot_t * robot)
{
  return fw__controlled_robot_is_listed(robot) && robot->approach.state == FW_APPROACH_THERE &&
         !has_active_goal(robot) && !robot->is_stale && robot->service == FW_ROBOT_IN_SERVICE;
}

static void call_back(fw_controller_impl_t * controller, int32_t index)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  if (!robot->approach.is_called_back) {
    robot->approach.is_called_back = true;
    fw__log(&controller->log, FW_LOG_INFO, "%s makes room: it is called back to the centre of its cell", robot->name);
  }
}

// Has it come to the end of its path in the goal's cell, and may it drive?
static bool may_begin(const fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const bool is_allowed = !controller->execution.is_paused && !controller->execution.is_draining && !robot->is_stale &&
                          !fw__controlled_robot_is_held(robot) && robot->planning_fault.number == 0;
  return is_allowed && robot->has_goal && now_ns >= robot->approach.retry_ns &&
         fw__controller_has_arrived(controller, index, now_ns) && is_wanted(&controller->fleet.site, robot);
}

static bool any_robot_has_no_plan(const fw_controller_impl_t * controller)
{
  bool any = false;
  for (int32_t k = 0; !any && k < controller->fleet.count; ++k) {
    any = controller->fleet.robots[k].planning_fault.number != 0;
  }
  return any;
}

static void try_begin(fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  fw_timed_waypoint_t waypoints[WAYPOINTS_MAX];
  if (!has_active_goal(robot) && any_robot_has_no_plan(controller)) {
    return;
  }
  const fw_old_release_t way = make_way(controller, robot, waypoints);
  space_t space = find_space(controller, robot, &way);
  const obstruction_t obstruction = find_obstruction(controller, index, &space, now_ns);
  const bool is_new_goal = robot->approach.goal_order != robot->goal_order;
  robot->approach.failures = is_new_goal ? 0 : robot->approach.failures;
  robot->approach.goal_order = robot->goal_order;
  if (obstruction.kind == FREE && begin_way(controller, index, &way, now_ns)) {
    robot->approach.state = FW_APPROACH_OUT;
    robot->approach.centre = waypoints[0].point;
    robot->approach.is_waiting = false;
    robot->approach.clearing_ns = 0;
    robot->approach.is_called_back = false;
    note_obstruction(controller, index, obstruction);
  } else {
    // A round clears the space of robots that have no goal of their own; others will leave it by themselves.
    const bool can_be_cleared = obstruction.kind == BY_ROBOT && has_active_goal(robot) &&
                                !has_active_goal(&controller->fleet.robots[obstruction.robot]);
    // One that stands at a pose takes part in no round before it is back in its cell.
    if (can_be_cleared && can_be_called_back(&controller->fleet.robots[obstruction.robot])) {
      call_back(controller, obstruction.robot);
    } else if (can_be_cleared) {
      fw__controller_request_round_soon(controller, "a robot waits for the space of its goal's exact pose");
    }
    robot->approach.is_waiting = can_be_cleared;
    robot->approach.clearing_ns = can_be_cleared ? now_ns : robot->approach.clearing_ns;
    note_obstruction(controller, index, obstruction);
    robot->approach.retry_ns = now_ns + (can_be_cleared ? CLEARING_NS : RETRY_NS);
  }
  free(space.cells);
}

// The robot did not come near enough. It returns to the centre, and tries again a few times.
static void note_failure(fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  robot->approach.failures += 1;
  robot->approach.retry_ns = now_ns + RETRY_NS;
  if (robot->approach.failures < FAILURES_MAX || !has_active_goal(robot)) {
    return;
  }
  char text[FW_REASON_SIZE];
  (void)snprintf(
    text, sizeof text,
    "it stands at (%.7g, %.7g), %.3g m from its goal, which is above the tolerance of %g m, or turned", robot->point.x,
    robot->point.y, fw__point_distance(robot->point, robot->goal),
    fw__approach_plan_of(&controller->fleet.site, robot).tolerance);
  fw__controlled_robot_set_fault(robot, &robot->goal_fault, (int32_t)FW_FAULT_INVALID, "%s", text);
  const fw_goals_t goals = {.fleet = &controller->fleet, .events = &controller->events, .now_ns = now_ns};
  fw__goals_end_active(&goals, index, (fw_goal_end_t){FW_GOAL_FAILED, FW_FAULT_INVALID, text});
  robot->approach.failures = 0;
  fw__controller_request_round_soon(controller, "a goal has failed");
}

// A robot outside the graph, as after a restart, that stands at its exact pose stays there.
static bool try_adopt(fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const bool stands = robot->has_pose && robot->is_still && !robot->is_stale && robot->has_goal;
  if (
    !stands || robot->approach.is_called_back || fw__fleet_execution_has(&controller->execution, index) ||
    !is_wanted(&controller->fleet.site, robot)) {
    return false;
  }
  fw_timed_waypoint_t waypoints[WAYPOINTS_MAX];
  fw_old_release_t way = make_way(controller, robot, waypoints);
  way.place = fw__controlled_robot_pose(robot);
  way.has_place = true;
  if (!fw__old_release_is_at_end(&way, &robot->body, way.end_tolerance)) {
    return false;
  }
  space_t space = find_space(controller, robot, &way);
  const bool is_free = find_obstruction(controller, index, &space, now_ns).kind == FREE;
  free(space.cells);
  if (!is_free || !begin_way(controller, index, &way, now_ns)) {
    return false;
  }
  robot->approach.goal_order = robot->goal_order;
  robot->approach.centre = waypoints[0].point;
  arrive(robot);
  robot->is_still = true;
  return true;
}

// A robot without plan whose cell is not free, at a wall, cannot be planned for: it drives back to a free cell first.
static void return_from_blocked_cell(fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_cell_t cell = fw__map_frame_cell(&controller->map.frame, robot->point);
  const bool is_outside = robot->has_pose && robot->is_still && !robot->is_stale && robot->body.outline->counts[0] == 1;
  if (!is_outside || cell == FW_CELL_NONE || fw__planning_map_is_free(&controller->map, cell)) {
    return;
  }
  const fw_cell_t nearest = fw__planning_map_locate(&controller->map, robot->point).cell;
  if (nearest == FW_CELL_NONE) {
    return;
  }
  fw_timed_waypoint_t waypoints[2] = {
    {.point = robot->point, .yaw = robot->body.turn_ticks > 0 ? robot->yaw : NAN},
    {.point = fw__map_frame_point(&controller->map.frame, nearest),
     .yaw = robot->body.turn_ticks > 0 ? robot->yaw : NAN},
  };
  const fw_old_release_t way = {
    .is_there = true,
    .path = {.waypoints = waypoints, .count = 2, .capacity = 2, .body = robot->body},
    .is_sent = true,
    .is_approach = true,
    .margin = margin_of(controller),
    .end_tolerance = centre_tolerance(controller),
  };
  space_t space = find_space(controller, robot, &way);
  if (find_obstruction(controller, index, &space, now_ns).kind == FREE && begin_way(controller, index, &way, now_ns)) {
    robot->approach.state = FW_APPROACH_BACK;
    robot->approach.centre = waypoints[1].point;
  }
  free(space.cells);
}

// The release of an approach is over: the robot stands somewhere, and has been told to stay.
static void note_end(fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const bool is_for_goal = robot->has_goal && robot->approach.goal_order == robot->goal_order;
  const bool was_out = robot->approach.state == FW_APPROACH_OUT && is_for_goal;
  robot->approach.state = FW_APPROACH_NONE;
  fw__controlled_robot_clear_fault(robot, &robot->approach_fault);
  if (was_out && !try_adopt(controller, index, now_ns)) {
    note_failure(controller, index, now_ns);
  }
}

// A robot that stands on its way longer than it may. It keeps its space, whatever it is told.
static bool has_stopped(fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const double timeout = controller->settings.stopped_timeout > 0.0 ? controller->settings.stopped_timeout : 5.0;
  const bool stands = robot->is_still && !robot->is_stale && now_ns - robot->still_ns > fw__seconds_to_ns(timeout);
  if (stands && robot->approach_fault.number != (int32_t)FW_FAULT_INVALID) {  // once: each pose differs a little
    fw__controlled_robot_set_fault(
      robot, &robot->approach_fault, FW_FAULT_INVALID, "it has stopped at (%.7g, %.7g), beside the centre of its cell",
      robot->point.x, robot->point.y);
  } else if (!stands && robot->approach_fault.number == (int32_t)FW_FAULT_INVALID) {
    fw__controlled_robot_clear_fault(robot, &robot->approach_fault);
  }
  return stands;
}

static void update_out(fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const bool is_at_end =
    robot->is_still && !robot->is_stale && fw__old_release_is_at_end(&robot->old_release, &robot->body, 0.0);
  if (is_at_end && robot->has_goal && robot->goal_order == robot->approach.goal_order) {
    arrive(robot);
  } else if (is_at_end && !fw__controlled_robot_is_held(robot)) {
    turn_back(controller, index, now_ns);
  } else if (!is_at_end && has_stopped(controller, index, now_ns)) {
    const bool is_for_goal = robot->has_goal && robot->goal_order == robot->approach.goal_order;
    turn_back(controller, index, now_ns);
    if (is_for_goal) {
      note_failure(controller, index, now_ns);
    }
  }
}

// The centre of a disc of a body in a pose.
static fw_point_t disc_of(const fw_map_frame_t * frame, const fw_robot_body_t * body, fw_pose_t pose, int32_t index)
{
  const double yaw = body->turn_ticks > 0 ? pose.yaw : frame->yaw;
  const double dx = body->outline->cells[0][index].dx, dy = body->outline->cells[0][index].dy;
  const double c = cos(yaw) * frame->resolution, s = sin(yaw) * frame->resolution;
  return (fw_point_t){pose.point.x + c * dx - s * dy, pose.point.y + s * dx + c * dy};
}

// Do the discs of a robot that does not turn keep away from those of another one, on the line back to the centre? Cells
// would say less: where a robot is measured some millimetres beside its pose, it may touch one more.
static bool is_apart(
  const fw_controller_impl_t * controller, const fw_controlled_robot_t * robot, const fw_controlled_robot_t * other)
{
  const fw_map_frame_t * frame = &controller->map.frame;
  const fw_pose_t from = fw__controlled_robot_pose(robot), to = {robot->approach.centre, from.yaw};
  const fw_pose_t pose = fw__controlled_robot_pose(other);
  bool is_apart = true;
  for (int32_t i = 0; is_apart && i < robot->body.outline->counts[0]; ++i) {
    const fw_point_t begin = disc_of(frame, &robot->body, from, i), end = disc_of(frame, &robot->body, to, i);
    for (int32_t j = 0; is_apart && j < other->body.outline->counts[0]; ++j) {
      is_apart = fw__point_line_distance(disc_of(frame, &other->body, pose, j), begin, end) >=
                 2.0 * controller->map.robot_radius;
    }
  }
  return is_apart;
}

bool fw__approach_would_touch(const fw_controller_impl_t * controller, int32_t index, fw_point_t to, int32_t other)
{
  const fw_map_frame_t * frame = &controller->map.frame;
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const fw_controlled_robot_t * obstacle = &controller->fleet.robots[other];
  const fw_pose_t from = fw__controlled_robot_pose(robot), pose = fw__controlled_robot_pose(obstacle);
  double now = INFINITY, least = INFINITY;
  for (int32_t i = 0; i < robot->body.outline->counts[0]; ++i) {
    const fw_point_t begin = disc_of(frame, &robot->body, from, i);
    const fw_point_t end = disc_of(frame, &robot->body, (fw_pose_t){to, from.yaw}, i);
    for (int32_t j = 0; j < obstacle->body.outline->counts[0]; ++j) {
      const fw_point_t disc = disc_of(frame, &obstacle->body, pose, j);
      now = fmin(now, fw__point_distance(disc, begin));
      least = fmin(least, fw__point_line_distance(disc, begin, end));
    }
  }
  return least < 2.0 * controller->map.robot_radius && least < now - 1e-6;
}

// Is nobody on the way back? The space is reserved, but a robot may have been carried there.
static bool can_turn_back(const fw_controller_impl_t * controller, int32_t index)
{
  const fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  bool is_clear = true;
  for (int32_t k = 0; is_clear && k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * other = &controller->fleet.robots[k];
    if (k == index || !fw__controlled_robot_is_listed(other) || !other->has_pose || other->old_release.is_there) {
      continue;
    }
    const bool is_round = robot->body.outline->counts[0] == 1 && other->body.outline->counts[0] == 1;
    if (is_round || (robot->body.turn_ticks == 0 && robot->body.hull == NULL && other->body.hull == NULL)) {
      is_clear = is_apart(controller, robot, other);
    } else {
      space_t space = find_space(controller, robot, &robot->old_release);
      is_clear = !space.has_failed && !meets(controller, k, &space);
      free(space.cells);
    }
  }
  return is_clear;
}

static void update_there(fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const bool has_other_goal = !robot->has_goal || robot->goal_order != robot->approach.goal_order;
  const bool is_allowed = !controller->execution.is_paused && !controller->execution.is_draining && !robot->is_stale &&
                          robot->service == FW_ROBOT_IN_SERVICE;
  const bool is_wanted_back = (has_other_goal || robot->approach.is_called_back) && is_allowed;
  if (is_wanted_back && can_turn_back(controller, index)) {
    robot->approach.retry_ns = robot->approach.is_called_back ? now_ns + CALLED_BACK_NS : 0;
    turn_back(controller, index, now_ns);
  }
}

// A robot in the centre of its cell that does not turn as its goal wants it cannot. It is told once more how first.
static void check_turn(fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  const bool is_round = robot->body.turn_ticks == 0 && robot->body.outline->counts[0] == 1;
  if (
    !is_round || !robot->has_goal || is_turned_well(&controller->fleet.site, robot) ||
    !fw__controller_has_arrived(controller, index, now_ns)) {
    return;
  }
  const fw_timed_path_t * released = &robot->released;
  const double told = released->count > 0 ? released->waypoints[released->count - 1].yaw : NAN;
  robot->has_new_release = robot->has_new_release || isnan(told) || told != robot->goal_yaw;
  const int64_t stopped_ns = fw__seconds_to_ns(controller->settings.stopped_timeout);
  const int64_t since_ns = robot->still_ns > robot->release_ns ? robot->still_ns : robot->release_ns;
  if (robot->is_still && now_ns - since_ns > (stopped_ns > TURN_NS ? stopped_ns : TURN_NS)) {
    robot->approach.failures = FAILURES_MAX;
    note_failure(controller, index, now_ns);
  }
}

static void update_robot(fw_controller_impl_t * controller, int32_t index, int64_t now_ns)
{
  fw_controlled_robot_t * robot = &controller->fleet.robots[index];
  fw_approach_t * approach = &robot->approach;
  if (approach->state != FW_APPROACH_NONE && !robot->old_release.is_there) {
    note_end(controller, index, now_ns);
  } else if (!robot->old_release.is_approach) {
    approach->state = FW_APPROACH_NONE;  // the approach has ended, and the robot holds something else by now
  }
  if (robot->old_release.is_there && robot->old_release.is_void) {
    return;
  }
  switch (approach->state) {
    case FW_APPROACH_OUT:
      update_out(controller, index, now_ns);
      break;
    case FW_APPROACH_THERE:
      update_there(controller, index, now_ns);
      break;
    case FW_APPROACH_BACK:
      // Its release ends by itself. One that stands may have heard "stay" from another controller since.
      if (has_stopped(controller, index, now_ns) && now_ns - robot->release_ns > TELL_AGAIN_NS) {
        robot->has_new_release = true;
      }
      break;
    default:
      if (robot->old_release.is_there) {
        break;
      }
      // Without memory or a robot in a place of its own there is nothing to do.
      if (!fw__fleet_execution_has(&controller->execution, index)) {
        if (!try_adopt(controller, index, now_ns) && robot->has_goal && !fw__controlled_robot_is_held(robot)) {
          return_from_blocked_cell(controller, index, now_ns);
        }
      } else if (may_begin(controller, index, now_ns)) {
        try_begin(controller, index, now_ns);
      } else if (approach->is_waiting || robot->approach_fault.number != 0) {
        const bool has_left = !fw__controller_has_arrived(controller, index, now_ns);
        approach->is_waiting = approach->is_waiting && !has_left;
        if (has_left) {
          fw__controlled_robot_clear_fault(robot, &robot->approach_fault);
        }
      }
      check_turn(controller, index, now_ns);
      break;
  }
}

void fw__approach_update(fw_controller_impl_t * controller, int64_t now_ns)
{
  const bool is_idle = fw__round_worker_state(&controller->worker) == FW_ROUND_WORKER_IDLE;
  const bool is_due = now_ns >= controller->next_approach_ns || controller->next_approach_ns > now_ns + 2 * PERIOD_NS;
  // Robots leave the graph only while it is not cut.
  if (!controller->execution.is_on || !is_idle || !is_due || controller->rival[0] != '\0') {
    return;
  }
  controller->next_approach_ns = now_ns + PERIOD_NS;
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    if (fw__controlled_robot_is_listed(&controller->fleet.robots[k])) {
      update_robot(controller, k, now_ns);
    }
  }
}

// ---- rounds

// Does another robot drive to a goal in this space?
static bool is_goal_of_another(const fw_controller_impl_t * controller, int32_t index, const space_t * space)
{
  bool is_goal = false;
  for (int32_t k = 0; !is_goal && k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    if (k != index && fw__controlled_robot_is_listed(robot) && has_active_goal(robot)) {
      const fw_cell_t cell = fw__approach_cell_of(&controller->fleet.site, robot);
      is_goal = cell != FW_CELL_NONE && has_cell(space, cell);
    }
  }
  return is_goal;
}

static bool has_cell_of_body(const fw_round_request_t * request, fw_placed_body_t placed, fw_cell_t cell)
{
  bool has = false;
  for (int32_t k = 0; !has && k < fw__robot_body_cell_count(placed.body, placed.place); ++k) {
    has = fw__robot_body_cell(placed.body, &request->grid, placed.place, k) == cell;
  }
  return has;
}

// Is the space of an agent's goal to be cleared? The agent waits in the goal's cell, or did so a moment ago and makes
// way now: a robot in a dead end can leave it only through that cell.
static bool needs_clear_space(
  const fw_controller_impl_t * controller, const fw_round_request_t * request, const fw_round_agent_t * agent)
{
  const fw_controlled_robot_t * robot = &controller->fleet.robots[agent->robot];
  const fw_approach_t * approach = &robot->approach;
  if (!has_active_goal(robot) || robot->goal_order != approach->goal_order || approach->state != FW_APPROACH_NONE) {
    return false;
  }
  const fw_cell_t goal = fw__approach_cell_of(&controller->fleet.site, robot);
  const int64_t since_ns = request->epoch_ns - approach->clearing_ns;
  const bool is_recent = approach->clearing_ns != 0 && since_ns < CLEAR_NS && since_ns > -CLEAR_NS;
  return goal != FW_CELL_NONE && ((approach->is_waiting && agent->start.cell == goal) || is_recent);
}

// Whoever has to leave the space through the goal's cell must not stay in it.
static void clear_goal(
  const fw_controller_impl_t * controller, fw_round_request_t * request, int32_t index, fw_placed_body_t goal)
{
  for (int32_t k = 0; k < request->count; ++k) {
    fw_round_agent_t * agent = &request->agents[k];
    const fw_placed_body_t start = {&agent->body, agent->start};
    agent->must_leave = agent->must_leave || (k != index && !has_active_goal(&controller->fleet.robots[agent->robot]) &&
                                              fw__robot_bodies_overlap(start, goal, request->grid.width));
  }
}

void fw__approach_write_closures(const fw_controller_impl_t * controller, fw_round_request_t * request)
{
  for (int32_t k = 0; k < request->count; ++k) {
    const fw_round_agent_t * agent = &request->agents[k];
    const fw_controlled_robot_t * robot = &controller->fleet.robots[agent->robot];
    if (!needs_clear_space(controller, request, agent)) {
      continue;
    }
    fw_timed_waypoint_t waypoints[WAYPOINTS_MAX];
    const fw_old_release_t way = make_way(controller, robot, waypoints);
    space_t space = find_space(controller, robot, &way);
    const fw_placed_body_t own = {&agent->body, agent->start};
    const fw_grid_pose_t end = {fw__approach_cell_of(&controller->fleet.site, robot), agent->start.heading};
    const fw_placed_body_t goal = {&agent->body, end};
    const bool is_shared = is_goal_of_another(controller, agent->robot, &space);
    for (int32_t c = 0; !is_shared && c < space.count; ++c) {
      const fw_cell_t cell = space.cells[c];
      if (!has_cell_of_body(request, own, cell) && !has_cell_of_body(request, goal, cell)) {
        fw__round_request_close_cell(request, cell);
      }
    }
    clear_goal(controller, request, k, goal);
    free(space.cells);
  }
}

void fw__approach_make_room(fw_controller_impl_t * controller, int32_t index, int32_t by)
{
  if (can_be_called_back(&controller->fleet.robots[index]) && has_active_goal(&controller->fleet.robots[by])) {
    call_back(controller, index);
  }
}

void fw__approach_leave(fw_controller_impl_t * controller, int32_t index)
{
  if (can_be_called_back(&controller->fleet.robots[index])) {
    call_back(controller, index);
  }
}

typedef struct flood_t {
  fw_cell_t * queue;
  fw_cell_t * before;  // by cell; FW_CELL_NONE: not reached
} flood_t;

// The cells from a start to a goal, if robots that can be called back were not there. False if there is no such way.
static bool flood(
  const fw_controller_impl_t * controller, const fw_round_agent_t * agent, fw_cell_t goal, const flood_t * search)
{
  static const fw_offset_t steps[] = {{1, 0}, {-1, 0}, {0, 1}, {0, -1}};
  const fw_grid_t * grid = &controller->map.grid;
  int32_t tail = 0;
  search->queue[tail++] = agent->start.cell;
  search->before[agent->start.cell] = agent->start.cell;
  for (int32_t head = 0; head < tail && search->before[goal] == FW_CELL_NONE; ++head) {
    const fw_cell_t cell = search->queue[head];
    for (size_t k = 0; k < 4; ++k) {
      const int32_t x = fw_grid_x(grid, cell) + steps[k].dx, y = fw_grid_y(grid, cell) + steps[k].dy;
      const fw_cell_t next = fw_grid_is_free(grid, x, y) ? fw_grid_cell(grid, x, y) : FW_CELL_NONE;
      if (
        next != FW_CELL_NONE && search->before[next] == FW_CELL_NONE &&
        !fw__blocked_cells_has(&controller->blocked, next) &&
        fw__robot_body_fits_on(&agent->body, grid, controller->settings.connectivity, next)) {
        search->before[next] = cell;
        search->queue[tail++] = next;
      }
    }
  }
  return search->before[goal] != FW_CELL_NONE;
}

// Calls back whoever is on the way that was found. False if nobody is.
static bool call_back_on_way(
  fw_controller_impl_t * controller, const fw_round_agent_t * agent, fw_cell_t goal, const flood_t * search)
{
  space_t way = {0};
  bool any = false;
  for (fw_cell_t cell = goal; cell != agent->start.cell; cell = search->before[cell]) {
    for (int32_t k = 0; k < fw__robot_body_cell_count(&agent->body, (fw_grid_pose_t){.cell = cell}); ++k) {
      add_to_space(&way, fw__robot_body_cell(&agent->body, &controller->map.grid, (fw_grid_pose_t){.cell = cell}, k));
    }
  }
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    if (
      k != agent->robot && can_be_called_back(&controller->fleet.robots[k]) &&
      (way.has_failed || meets(controller, k, &way))) {
      call_back(controller, k);
      any = true;
    }
  }
  free(way.cells);
  return any;
}

// Where a shortest way leads past all of them, and there is no plan all the same, the way around others may lead
// through any of them.
static void call_back_all(fw_controller_impl_t * controller, int32_t except)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    if (k != except && can_be_called_back(&controller->fleet.robots[k])) {
      call_back(controller, k);
    }
  }
}

void fw__approach_call_back(fw_controller_impl_t * controller, const fw_round_agent_t * agent)
{
  const fw_controlled_robot_t * robot = &controller->fleet.robots[agent->robot];
  const bool has_no_way = agent->fault == FW_FAULT_NO_VALID_PATH || agent->fault == FW_FAULT_GOAL_OCCUPIED;
  bool any = false;
  for (int32_t k = 0; !any && k < controller->fleet.count; ++k) {
    any = can_be_called_back(&controller->fleet.robots[k]);
  }
  if (!has_no_way || !any || !has_active_goal(robot) || controller->map.revision == 0) {
    return;
  }
  const fw_cell_t goal = fw__approach_cell_of(&controller->fleet.site, robot);
  const size_t count = (size_t)fw_grid_cell_count(&controller->map.grid);
  if (goal == FW_CELL_NONE || agent->start.cell >= (fw_cell_t)count) {
    return;
  }
  const flood_t search = {fw__malloc(count * sizeof(fw_cell_t)), fw__malloc(count * sizeof(fw_cell_t))};
  if (search.queue != NULL && search.before != NULL) {
    for (size_t k = 0; k < count; ++k) {
      search.before[k] = FW_CELL_NONE;
    }
    if (flood(controller, agent, goal, &search) && !call_back_on_way(controller, agent, goal, &search)) {
      call_back_all(controller, agent->robot);
    }
  }
  free(search.queue);
  free(search.before);
}
