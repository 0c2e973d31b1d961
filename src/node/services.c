#include "node/services.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <fleetweave/search.h>
#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>

#include "node/path_message.h"

static void on_replan(const void * request, void * response, void * context)
{
  (void)request;
  services_t * self = context;
  std_srvs__srv__Trigger_Response * out = response;
  const char * obstacle = planning_obstacle(self->planning, self->planning->last_now_ns);
  self->inbox->wants_replan = true;  // if it cannot be done now it is done as soon as it can
  out->success = obstacle == NULL;
  (void)string_set(&out->message, obstacle == NULL ? "planning" : obstacle);
}

// ---- ~/get_plan: one robot alone

// A goal in an obstacle may be moved by the request's tolerance: to the nearest free cell.
static fw_cell_t relax_goal(const map_t * map, point_t goal, double tolerance)
{
  const fw_cell_t cell = frame_cell(&map->frame, goal);
  if (map_is_free(map, cell) || cell == FW_CELL_NONE || !(tolerance > 0.0)) {
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
      if (distance < best_distance) {
        best = near;
        best_distance = distance;
      }
    }
  }
  return best;
}

static bool check_pose(
  const geometry_msgs__msg__PoseStamped * pose, const settings_t * settings, const char * what, reason_t * reason)
{
  const point_t point = {pose->pose.position.x, pose->pose.position.y};
  if (pose->header.frame_id.size != 0 && strcmp(pose->header.frame_id.data, settings->map_frame) != 0) {
    return refuse(
      reason, "the frame_id of the %s is '%.60s', not '%.60s'", what, pose->header.frame_id.data, settings->map_frame);
  }
  return point_is_finite(point) || refuse(reason, "the %s is not a number", what);
}

static bool write_route(services_t * self, nav_msgs__msg__Path * path, const fw_route_t * route)
{
  const planning_t * planning = self->planning;
  const int64_t now_ns = planning->last_now_ns;
  const double seconds = planning->map.frame.resolution / planning->settings.speed;
  waypoint_t * waypoints = calloc((size_t)route->length, sizeof *waypoints);
  if (waypoints == NULL) {
    return false;
  }
  for (int32_t k = 0; k < route->length; ++k) {
    waypoints[k] = (waypoint_t){
      .stamp_ns = now_ns + (int64_t)((double)k * seconds * 1e9),
      .point = frame_point(&planning->map.frame, route->cells[k]),
      .yaw = NAN,
    };
  }
  const path_text_t text = {.frame_id = planning->settings.map_frame, .stamp_ns = now_ns, .final_yaw = NAN};
  const bool is_fine = path_message_fill(path, &text, waypoints, route->length);
  free(waypoints);
  return is_fine;
}

static bool find_route(
  services_t * self, const nav_msgs__srv__GetPlan_Request * in, nav_msgs__msg__Path * path, reason_t * reason)
{
  const map_t * map = &self->planning->map;
  const settings_t * settings = &self->planning->settings;
  if (map->revision == 0) {
    return refuse(reason, "there is no map yet");
  }
  if (!check_pose(&in->start, settings, "start", reason) || !check_pose(&in->goal, settings, "goal", reason)) {
    return false;
  }
  const point_t start = {in->start.pose.position.x, in->start.pose.position.y};
  const point_t goal = {in->goal.pose.position.x, in->goal.pose.position.y};
  const fw_cell_t goal_cell = relax_goal(map, goal, (double)in->tolerance);
  fw_route_t route = {0};
  fw_error_t error = {0};
  const fw_ret_t ret =
    fw_route_find(&route, &map->grid, frame_cell(&map->frame, start), goal_cell, settings->connectivity, NULL, &error);
  bool is_fine = true;
  if (ret != FW_RET_OK) {
    is_fine = refuse(reason, "error %d: %s", (int)error.fault, error.text);
  } else if (route.length == 0) {
    is_fine = refuse(reason, "error %d: there is no way", (int)FW_FAULT_NO_VALID_PATH);
  } else if (!write_route(self, path, &route)) {
    is_fine = refuse(reason, "out of memory");
  }
  fw_route_fini(&route);
  return is_fine;
}

static void on_get_plan(const void * request, void * response, void * context)
{
  services_t * self = context;
  nav_msgs__msg__Path * path = &((nav_msgs__srv__GetPlan_Response *)response)->plan;
  reason_t reason = {0};
  path->poses.size = 0;
  path->header.stamp = stamp_of(self->planning->last_now_ns);
  (void)string_set(&path->header.frame_id, self->planning->settings.map_frame);
  if (!find_route(self, request, path, &reason)) {
    path->poses.size = 0;
    RCUTILS_LOG_ERROR_NAMED(self->planning->logger, "get_plan: %s", reason.text);
  }
}

// ---- life

bool services_init(
  services_t * self, planning_t * planning, inbox_t * inbox, rcl_node_t * node, rclc_executor_t * executor)
{
  self->planning = planning;
  self->inbox = inbox;
  self->replan = rcl_get_zero_initialized_service();
  self->get_plan = rcl_get_zero_initialized_service();
  return std_srvs__srv__Trigger_Request__init(&self->replan_request) &&
         std_srvs__srv__Trigger_Response__init(&self->replan_response) &&
         nav_msgs__srv__GetPlan_Request__init(&self->get_plan_request) &&
         nav_msgs__srv__GetPlan_Response__init(&self->get_plan_response) &&
         rclc_service_init_default(
           &self->replan, node, ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, Trigger), "~/replan") == RCL_RET_OK &&
         rclc_service_init_default(
           &self->get_plan, node, ROSIDL_GET_SRV_TYPE_SUPPORT(nav_msgs, srv, GetPlan), "~/get_plan") == RCL_RET_OK &&
         rclc_executor_add_service_with_context(
           executor, &self->replan, &self->replan_request, &self->replan_response, on_replan, self) == RCL_RET_OK &&
         rclc_executor_add_service_with_context(
           executor, &self->get_plan, &self->get_plan_request, &self->get_plan_response, on_get_plan, self) ==
           RCL_RET_OK;
}

void services_fini(services_t * self, rcl_node_t * node)
{
  rcl_service_t * const services[SERVICE_COUNT] = {&self->replan, &self->get_plan};
  for (size_t k = 0; k < SERVICE_COUNT; ++k) {
    if (rcl_service_fini(services[k], node) != RCL_RET_OK) {
      rcl_reset_error();
    }
  }
  std_srvs__srv__Trigger_Request__fini(&self->replan_request);
  std_srvs__srv__Trigger_Response__fini(&self->replan_response);
  nav_msgs__srv__GetPlan_Request__fini(&self->get_plan_request);
  nav_msgs__srv__GetPlan_Response__fini(&self->get_plan_response);
}
