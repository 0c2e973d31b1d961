// A path for one robot alone. See get_plan.h.

#include "ros/planner_node/get_plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "ros/planner_node/publishers.h"

// ---- start and goal

// The robot whose centre is on a cell, NULL if there is none.
static const fw_controlled_robot_t * robot_at(const fw_controller_impl_t * controller, fw_cell_t cell)
{
  for (int32_t k = 0; k < controller->fleet.count; ++k) {
    const fw_controlled_robot_t * robot = &controller->fleet.robots[k];
    if (
      fw__controlled_robot_is_listed(robot) && robot->has_pose &&
      fw__map_frame_cell(&controller->map.frame, robot->point) == cell) {
      return robot;
    }
  }
  return NULL;
}

static bool fits(const fw_controller_impl_t * controller, const fw_controlled_robot_t * robot, fw_cell_t cell)
{
  if (robot == NULL) {
    return fw__planning_map_is_free(&controller->map, cell) && fw_grid_allows_waiting(&controller->map.grid, cell);
  }
  return cell != FW_CELL_NONE && fw_grid_allows_waiting(&controller->map.grid, cell) &&
         fw__robot_body_fits_on(&robot->body, &controller->map.grid, controller->settings.connectivity, cell);
}

// The cell of the goal. A goal in an obstacle may be moved by the request's tolerance, to the nearest cell where the
// robot fits.
static fw_cell_t relax_goal(
  const fw_controller_impl_t * controller, const fw_controlled_robot_t * robot, fw_point_t goal, double tolerance)
{
  const fw_planning_map_t * map = &controller->map;
  const fw_cell_t cell = fw__map_frame_cell(&map->frame, goal);
  if (cell == FW_CELL_NONE || fits(controller, robot, cell) || !(tolerance > 0.0)) {
    return cell;
  }
  const int32_t width = map->grid.width, height = map->grid.height;
  const int32_t farthest = width > height ? width : height;
  const int32_t reach = (int32_t)fmin(ceil(tolerance / map->frame.resolution), (double)farthest);
  const int32_t x = fw_grid_x(&map->grid, cell), y = fw_grid_y(&map->grid, cell);
  fw_cell_t best = cell;
  double best_distance = tolerance;
  // Ring by ring, until no cell of the next ring can be nearer: work grows with the distance of the answer.
  for (int32_t ring = 1; ring <= reach && (ring - 1) * map->frame.resolution < best_distance; ++ring) {
    for (int32_t dy = -ring; dy <= ring; ++dy) {
      const int32_t step = dy == -ring || dy == ring ? 1 : 2 * ring;
      for (int32_t dx = -ring; dx <= ring; dx += step) {
        if (!fw_grid_is_free(&map->grid, x + dx, y + dy)) {
          continue;
        }
        const fw_cell_t near = fw_grid_cell(&map->grid, x + dx, y + dy);
        const double distance = fw__point_distance(goal, fw__map_frame_point(&map->frame, near));
        if (distance < best_distance && fits(controller, robot, near)) {
          best = near;
          best_distance = distance;
        }
      }
    }
  }
  return best;
}

// ---- the search

// The footprint at all headings that the robot can have, or at heading 0. NULL if there is no memory.
static fw_offset_t * cells_of(const node_router_t * wanted, int32_t * count)
{
  const fw_rotated_footprint_t * outline = wanted->outline;
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

static bool is_same(const node_router_t * a, const node_router_t * b)
{
  return a->map_revision == b->map_revision && strcmp(a->search, b->search) == 0 &&
         a->connectivity == b->connectivity && a->is_any_angle == b->is_any_angle && a->outline == b->outline &&
         a->has_heading == b->has_heading;
}

// How long a search that can end its preparation early (subgoals) may prepare: the node waits for it.
#define PREPARE_NS INT64_C(1000000000)

// Prepares the search for the present map, parameters and footprint, unless it is prepared already.
static bool prepare(
  node_router_t * router, const node_site_t * site, const fw_controlled_robot_t * robot, fw_error_t * reason)
{
  const fw_controller_impl_t * controller = node_site_impl(site);
  node_router_t wanted = {
    .map_revision = controller->map.revision,
    .connectivity = controller->settings.connectivity,
    .is_any_angle = site->settings->is_any_angle,
    .outline = robot == NULL ? NULL : robot->body.outline,
    .has_heading = robot != NULL && robot->body.turn_ticks > 0,
  };
  (void)fw__name_copy(wanted.search, site->settings->search);
  if (is_same(router, &wanted)) {
    return true;
  }
  node_router_fini(router);
  int32_t count = 0;
  fw_offset_t * cells = wanted.outline == NULL ? NULL : cells_of(&wanted, &count);
  if (wanted.outline != NULL && cells == NULL) {
    return fw__refuse(reason, "out of memory");
  }
  const fw_router_options_t options = {
    .connectivity = wanted.connectivity,
    .diagonal = FW_DIAGONAL_ROOT,
    .footprint = cells,
    .footprint_count = count,
    .finds_corners = wanted.is_any_angle,
    .memory_max_bytes = controller->settings.planner.memory_max_bytes,
  };
  fw_error_t error = {0};
  fw_ret_t ret = fw_router_init(&wanted.router, wanted.search, &options, &error);
  const fw_budget_t budget = {.deadline_ns = fw_clock_now_ns() + PREPARE_NS};
  ret = ret == FW_RET_OK ? fw_router_build_within(&wanted.router, &controller->map.grid, &budget, &error) : ret;
  free(cells);
  if (ret != FW_RET_OK) {
    node_router_fini(&wanted);
    return fw__refuse(reason, "%s", error.text);
  }
  *router = wanted;
  return true;
}

void node_router_fini(node_router_t * router)
{
  fw_router_fini(&router->router);
  *router = (node_router_t){0};
}

// ---- the answer

// Points of a path; stamps as if the robot departed now and drove at `speed`.
static bool write_cells(const node_site_t * site, const fw_cell_t * cells, int32_t count, nav_msgs__msg__Path * path)
{
  const fw_controller_impl_t * controller = node_site_impl(site);
  fw_timed_waypoint_t * waypoints = calloc((size_t)count, sizeof *waypoints);
  if (waypoints == NULL) {
    return false;
  }
  double metres = 0.0;
  for (int32_t k = 0; k < count; ++k) {
    const fw_point_t point = fw__map_frame_point(&controller->map.frame, cells[k]);
    metres += k > 0 ? fw__point_distance(waypoints[k - 1].point, point) : 0.0;
    waypoints[k] = (fw_timed_waypoint_t){
      .stamp_ns = controller->last_now_ns + fw__seconds_to_ns(metres / controller->settings.speed),
      .point = point,
      .yaw = NAN,
    };
  }
  const node_path_header_t header = {
    .frame_id = site->settings->map_frame, .stamp_ns = controller->last_now_ns, .final_yaw = NAN};
  const bool is_filled = node_path_message_fill(path, &header, waypoints, count);
  free(waypoints);
  return is_filled;
}

// The cells of a route, or its turning points.
static bool write_path(
  const node_router_t * router, const node_site_t * site, const fw_route_t * found, nav_msgs__msg__Path * path)
{
  if (found->corner_count == 0) {
    return write_cells(site, found->cells, found->length, path);
  }
  const bool has_one_cell = router->outline == NULL || router->outline->counts[0] == 1;
  fw_cell_t * turns = calloc((size_t)found->length, sizeof *turns);
  const bool is_written =
    turns != NULL &&
    write_cells(site, turns, fw__planning_map_find_turns(&node_site_impl(site)->map, found, has_one_cell, turns), path);
  free(turns);
  return is_written;
}

static bool check_pose(
  const geometry_msgs__msg__PoseStamped * pose, const node_settings_t * settings, const char * what,
  fw_error_t * reason)
{
  const fw_point_t point = {pose->pose.position.x, pose->pose.position.y};
  if (pose->header.frame_id.size != 0 && strcmp(pose->header.frame_id.data, settings->map_frame) != 0) {
    return fw__refuse(
      reason, "the frame_id of the %s is '%.60s', not '%.60s'", what, pose->header.frame_id.data, settings->map_frame);
  }
  return fw__point_is_finite(point) || fw__refuse(reason, "the %s is not finite", what);
}

bool node_get_plan(node_router_t * router, const node_site_t * site, node_get_plan_t * call)
{
  const fw_controller_impl_t * controller = node_site_impl(site);
  const nav_msgs__srv__GetPlan_Request * request = call->request;
  fw_error_t * reason = &call->reason;
  const node_settings_t * settings = site->settings;
  if (controller->map.revision == 0) {
    return fw__refuse(reason, "there is no map yet");
  }
  if (
    !check_pose(&request->start, settings, "start", reason) || !check_pose(&request->goal, settings, "goal", reason)) {
    return false;
  }
  const fw_point_t start = {request->start.pose.position.x, request->start.pose.position.y};
  const fw_point_t goal = {request->goal.pose.position.x, request->goal.pose.position.y};
  const fw_cell_t start_cell = fw__map_frame_cell(&controller->map.frame, start);
  const fw_controlled_robot_t * robot = start_cell == FW_CELL_NONE ? NULL : robot_at(controller, start_cell);
  if (!prepare(router, site, robot, reason)) {
    return false;
  }
  const fw_cell_t goal_cell = relax_goal(controller, robot, goal, (double)request->tolerance);
  const fw_budget_t budget = {.deadline_ns = fw_clock_now_ns() + fw__seconds_to_ns(settings->controller.time_limit)};
  fw_route_t found = {0};
  fw_error_t error = {0};
  if (fw_router_find(&router->router, start_cell, goal_cell, &budget, &found, &error) != FW_RET_OK) {
    return fw__refuse(reason, "error %d: %s", (int)error.fault, error.text);
  }
  if (found.stop != FW_STOP_DONE) {
    return fw__refuse(reason, "search %s found no path within time_limit and memory_max_mb", router->search);
  }
  if (found.length == 0) {
    return fw__refuse(reason, "error %d: there is no path", (int)FW_FAULT_NO_VALID_PATH);
  }
  return write_path(router, site, &found, call->path) || fw__refuse(reason, "out of memory");
}
