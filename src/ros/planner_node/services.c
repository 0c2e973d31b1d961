#include "ros/planner_node/services.h"

#include <rcl/error_handling.h>
#include <rcutils/logging_macros.h>

#include "ros/planner_node/drive.h"
#include "ros/planner_node/path_message.h"

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

static void set_pause(services_t * self, std_srvs__srv__Trigger_Response * out, bool is_paused)
{
  out->success = self->planning->settings.execution_mode == NODE_EXECUTION_DEPENDENCY;
  const char * done = is_paused ? "everybody stops at the end of what is released" : "going on";
  (void)string_set(&out->message, out->success ? done : "only with execution_mode dependency");
  if (out->success) {
    planning_pause(self->planning, is_paused);
    RCUTILS_LOG_INFO_NAMED(self->planning->logger, "%s", is_paused ? "paused" : "resumed");
  }
}

static void on_pause(const void * request, void * response, void * context)
{
  (void)request;
  set_pause(context, response, true);
}

static void on_resume(const void * request, void * response, void * context)
{
  (void)request;
  set_pause(context, response, false);
}

// ---- ~/get_plan: one robot alone

static void on_get_plan(const void * request, void * response, void * context)
{
  services_t * self = context;
  nav_msgs__msg__Path * path = &((nav_msgs__srv__GetPlan_Response *)response)->plan;
  fw_error_t reason = {0};
  path->poses.size = 0;
  path->header.stamp = stamp_of(self->planning->last_now_ns);
  (void)string_set(&path->header.frame_id, self->planning->settings.map_frame);
  if (!route_find(&self->route, self->planning, request, path, &reason)) {
    path->poses.size = 0;
    RCUTILS_LOG_ERROR_NAMED(self->planning->logger, "get_plan: %s", reason.text);
  }
}

// ---- life

bool services_init(
  services_t * self, planning_t * planning, inbox_t * inbox, rcl_node_t * node, rclc_executor_t * executor)
{
  static const struct {
    const char * name;
    void (*callback)(const void * request, void * response, void * context);
  } rows[TRIGGER_COUNT] = {{"~/replan", on_replan}, {"~/pause", on_pause}, {"~/resume", on_resume}};
  self->planning = planning;
  self->inbox = inbox;
  self->route = (route_t){0};
  self->get_plan = rcl_get_zero_initialized_service();
  for (size_t k = 0; k < TRIGGER_COUNT; ++k) {
    self->triggers[k] = rcl_get_zero_initialized_service();
  }
  bool is_fine = std_srvs__srv__Trigger_Request__init(&self->trigger_request) &&
                 std_srvs__srv__Trigger_Response__init(&self->trigger_response) &&
                 nav_msgs__srv__GetPlan_Request__init(&self->get_plan_request) &&
                 nav_msgs__srv__GetPlan_Response__init(&self->get_plan_response);
  for (size_t k = 0; is_fine && k < TRIGGER_COUNT; ++k) {
    const rosidl_service_type_support_t * type = ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, Trigger);
    is_fine = rclc_service_init_default(&self->triggers[k], node, type, rows[k].name) == RCL_RET_OK &&
              rclc_executor_add_service_with_context(
                executor, &self->triggers[k], &self->trigger_request, &self->trigger_response, rows[k].callback,
                self) == RCL_RET_OK;
  }
  return is_fine &&
         rclc_service_init_default(
           &self->get_plan, node, ROSIDL_GET_SRV_TYPE_SUPPORT(nav_msgs, srv, GetPlan), "~/get_plan") == RCL_RET_OK &&
         rclc_executor_add_service_with_context(
           executor, &self->get_plan, &self->get_plan_request, &self->get_plan_response, on_get_plan, self) ==
           RCL_RET_OK;
}

static void finish(rcl_service_t * service, rcl_node_t * node)
{
  if (rcl_service_fini(service, node) != RCL_RET_OK) {
    rcl_reset_error();
  }
}

void services_fini(services_t * self, rcl_node_t * node)
{
  for (size_t k = 0; k < TRIGGER_COUNT; ++k) {
    finish(&self->triggers[k], node);
  }
  finish(&self->get_plan, node);
  std_srvs__srv__Trigger_Request__fini(&self->trigger_request);
  std_srvs__srv__Trigger_Response__fini(&self->trigger_response);
  nav_msgs__srv__GetPlan_Request__fini(&self->get_plan_request);
  nav_msgs__srv__GetPlan_Response__fini(&self->get_plan_response);
  route_fini(&self->route);
}
