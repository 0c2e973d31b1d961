#include "ros/planner_node/route.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ros/planner_node/path_message.h"

// ---- whose way it is

static const robot_t * robot_at(const planning_t * planning, fw_cell_t cell)
{
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    const robot_t * robot = &planning->fleet.robots[k];
    if (robot_is_there(robot) && robot->has_pose && frame_cell(&planning->map.frame, robot->point) == cell) {
      return robot;
    }
  }
  return NULL;
}

static bool fits(const planning_t * planning, const robot_t * robot, fw_cell_t cell)
{
  if (robot == NULL) {
    return map_is_free(&planning->map, cell);
  }
  return cell != FW_CELL_NONE && body_fits_on(&robot->body, &planning->map.grid, planning->settings.connectivity, cell);
}

// A goal in an obstacle may be moved by the request's tolerance: to the nearest cell where the robot fits.
static fw_cell_t relax_goal(const planning_t * planning, const robot_t * robot, point_t goal, double tolerance)
{
  const map_t * map = &planning->map;
  const fw_cell_t cell = frame_cell(&map->frame, goal);
  if (cell == FW_CELL_NONE || fits(planning, robot, cell) || !(tolerance > 0.0)) {
    return cell;
  }
  const int32_t reach = (int32_t)fmin(ceil(tolerance / map->frame.resolution), (double)FW_GRID_SIDE_MAX);
  const int32_t x = fw_grid_x(&map->grid, cell), y = fw_grid_y(&map->grid, cell);
  fw_cell_t best = cell;
  double best_distance = tolerance;
  for (int32_t dy = -reach; dy <= reach; ++dy) {
    for (int32_t dx = -reach; dx <= reach; ++dx) {
      if (!fw_grid_is_free(&map->grid, x + dx, y + dy)) {
        continue;
      }
      const fw_cell_t near = fw_grid_cell(&map->grid, x + dx, y + dy);
      const double distance = point_distance(goal, frame_point(&map->frame, near));
      if (distance < best_distance && fits(planning, robot, near)) {
        best = near;
        best_distance = distance;
      }
    }
  }
  return best;
}

// ---- the search

// Jumps know floor of one cost only.
static const char * name_of(const planning_t * planning)
{
  const char * name = planning->settings.search;
  if (strcmp(name, "auto") != 0) {
    return name;
  }
  const fw_grid_t * grid = &planning->map.grid;
  for (int32_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    if (grid->cost[cell] > 1) {
      return "astar";
    }
  }
  return "jps";
}

// The cells of all headings that it can have, or of the one. NULL when there is no memory.
static fw_offset_t * cells_of(const route_t * wanted, int32_t * count)
{
  const ros_footprint_t * outline = wanted->outline;
  const int32_t headings = wanted->has_heading ? FW_HEADING_COUNT : 1;
  const int32_t step = wanted->connectivity == 8 ? 1 : 2;
  *count = 0;
  for (int32_t heading = 0; heading < headings; heading += step) {
    *count += outline->counts[heading];
  }
  fw_offset_t * cells = calloc((size_t)*count, sizeof *cells);
  int32_t used = 0;
  for (int32_t heading = 0; cells != NULL && heading < headings; heading += step) {
    memcpy(cells + used, outline->cells[heading], (size_t)outline->counts[heading] * sizeof *cells);
    used += outline->counts[heading];
  }
  return cells;
}

static bool is_same(const route_t * a, const route_t * b)
{
  return a->map_revision == b->map_revision && strcmp(a->search, b->search) == 0 &&
         a->connectivity == b->connectivity && a->is_any_angle == b->is_any_angle && a->outline == b->outline &&
         a->has_heading == b->has_heading;
}

static bool prepare(route_t * route, const planning_t * planning, const robot_t * robot, fw_error_t * reason)
{
  route_t wanted = {
    .map_revision = planning->map.revision,
    .connectivity = planning->settings.connectivity,
    .is_any_angle = planning->settings.is_any_angle,
    .outline = robot == NULL ? NULL : robot->body.outline,
    .has_heading = robot != NULL && robot->body.turn_ticks > 0,
  };
  (void)name_copy(wanted.search, name_of(planning));
  if (is_same(route, &wanted)) {
    return true;
  }
  route_fini(route);
  int32_t count = 0;
  fw_offset_t * cells = wanted.outline == NULL ? NULL : cells_of(&wanted, &count);
  if (wanted.outline != NULL && cells == NULL) {
    return refuse(reason, "out of memory");
  }
  const fw_router_options_t options = {
    .connectivity = wanted.connectivity,
    .diagonal = FW_DIAGONAL_ROOT,
    .footprint = cells,
    .footprint_count = count,
    .finds_corners = wanted.is_any_angle,
    .memory_max_bytes = planning->settings.planner.memory_max_bytes,
  };
  fw_error_t error = {0};
  fw_ret_t ret = fw_router_init(&wanted.router, wanted.search, &options, &error);
  ret = ret == FW_RET_OK ? fw_router_build(&wanted.router, &planning->map.grid, &error) : ret;
  free(cells);
  if (ret != FW_RET_OK) {
    route_fini(&wanted);
    return refuse(reason, "%s", error.text);
  }
  *route = wanted;
  return true;
}

void route_fini(route_t * route)
{
  fw_router_fini(&route->router);
  *route = (route_t){0};
}

// ---- the answer

// Cells, or turning points; stamps as if the robot set out now and drove at its speed.
static bool write_path(const planning_t * planning, const fw_route_t * found, nav_msgs__msg__Path * path)
{
  const bool has_corners = found->corner_count > 0;
  const fw_cell_t * cells = has_corners ? found->corners : found->cells;
  const int32_t count = has_corners ? found->corner_count : found->length;
  waypoint_t * waypoints = calloc((size_t)count, sizeof *waypoints);
  if (waypoints == NULL) {
    return false;
  }
  double metres = 0.0;
  for (int32_t k = 0; k < count; ++k) {
    const point_t point = frame_point(&planning->map.frame, cells[k]);
    metres += k > 0 ? point_distance(waypoints[k - 1].point, point) : 0.0;
    waypoints[k] = (waypoint_t){
      .stamp_ns = planning->last_now_ns + node_seconds_to_ns(metres / planning->settings.speed),
      .point = point,
      .yaw = NAN,
    };
  }
  const path_text_t text = {
    .frame_id = planning->settings.map_frame, .stamp_ns = planning->last_now_ns, .final_yaw = NAN};
  const bool is_fine = path_message_fill(path, &text, waypoints, count);
  free(waypoints);
  return is_fine;
}

static bool check_pose(
  const geometry_msgs__msg__PoseStamped * pose, const node_settings_t * settings, const char * what, fw_error_t * reason)
{
  const point_t point = {pose->pose.position.x, pose->pose.position.y};
  if (pose->header.frame_id.size != 0 && strcmp(pose->header.frame_id.data, settings->map_frame) != 0) {
    return refuse(
      reason, "the frame_id of the %s is '%.60s', not '%.60s'", what, pose->header.frame_id.data, settings->map_frame);
  }
  return point_is_finite(point) || refuse(reason, "the %s is not a number", what);
}

bool route_find(
  route_t * route, const planning_t * planning, const nav_msgs__srv__GetPlan_Request * request,
  nav_msgs__msg__Path * path, fw_error_t * reason)
{
  const node_settings_t * settings = &planning->settings;
  if (planning->map.revision == 0) {
    return refuse(reason, "there is no map yet");
  }
  if (
    !check_pose(&request->start, settings, "start", reason) || !check_pose(&request->goal, settings, "goal", reason)) {
    return false;
  }
  const point_t start = {request->start.pose.position.x, request->start.pose.position.y};
  const point_t goal = {request->goal.pose.position.x, request->goal.pose.position.y};
  const fw_cell_t start_cell = frame_cell(&planning->map.frame, start);
  const robot_t * robot = start_cell == FW_CELL_NONE ? NULL : robot_at(planning, start_cell);
  if (!prepare(route, planning, robot, reason)) {
    return false;
  }
  const fw_cell_t goal_cell = relax_goal(planning, robot, goal, (double)request->tolerance);
  const fw_budget_t budget = {.deadline_ns = fw_clock_now_ns() + node_seconds_to_ns(settings->time_limit)};
  fw_route_t found = {0};
  fw_error_t error = {0};
  if (fw_router_find(&route->router, start_cell, goal_cell, &budget, &found, &error) != FW_RET_OK) {
    return refuse(reason, "error %d: %s", (int)error.fault, error.text);
  }
  if (found.stop != FW_STOP_DONE) {
    return refuse(reason, "search %s has found no way in the time and memory that it has", route->search);
  }
  if (found.length == 0) {
    return refuse(reason, "error %d: there is no way", (int)FW_FAULT_NO_VALID_PATH);
  }
  return write_path(planning, &found, path) || refuse(reason, "out of memory");
}
