// The node's services. See services.h.

#include "ros/planner_node/services.h"

#include <rcl/error_handling.h>

#include "base/assert.h"
#include "ros/messages.h"
#include "ros/planner_node/publishers.h"

// ---- ~/replan, ~/pause, ~/resume

static void on_replan(const void * request, void * response, void * context)
{
  (void)request;
  node_services_t * self = context;
  std_srvs__srv__Trigger_Response * out = response;
  const char * reason = fw_controller_status(self->site->controller, node_site_now(self->site)).not_ready;
  fw_controller_replan(self->site->controller);  // even if no round can start now: it starts as soon as one can
  out->success = reason == NULL;
  (void)node_string_set(&out->message, reason == NULL ? "planning" : reason);
}

static void set_pause(node_services_t * self, std_srvs__srv__Trigger_Response * out, bool is_paused)
{
  out->success = self->site->settings->controller.execution_mode == FW_EXECUTION_MODE_DEPENDENCY;
  const char * done = is_paused ? "all robots stop at the end of their released paths" : "resumed";
  (void)node_string_set(&out->message, out->success ? done : "this needs execution_mode dependency");
  if (out->success) {
    fw_controller_set_paused(self->site->controller, is_paused);
    ros_log_write(self->site->log, RCUTILS_LOG_SEVERITY_INFO, is_paused ? "paused" : "resumed");
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
  node_services_t * self = context;
  nav_msgs__msg__Path * path = &((nav_msgs__srv__GetPlan_Response *)response)->plan;
  node_get_plan_t call = {.request = request, .path = path};
  path->poses.size = 0;
  path->header.stamp = ros_message_stamp(node_site_now(self->site));
  (void)node_string_set(&path->header.frame_id, self->site->settings->map_frame);
  if (!node_get_plan(&self->router, self->site, &call)) {
    path->poses.size = 0;
    ros_log_printf(self->site->log, RCUTILS_LOG_SEVERITY_ERROR, "get_plan: %s", call.reason.text);
  }
}

// ---- life

bool node_services_init(node_services_t * self)
{
  FW_ASSERT(self->site != NULL);
  rcl_node_t * node = &self->site->session->node;
  static const struct {
    const char * name;
    void (*callback)(const void * request, void * response, void * context);
  } rows[NODE_TRIGGER_COUNT] = {{"~/replan", on_replan}, {"~/pause", on_pause}, {"~/resume", on_resume}};
  self->get_plan = rcl_get_zero_initialized_service();
  for (size_t k = 0; k < NODE_TRIGGER_COUNT; ++k) {
    self->triggers[k] = rcl_get_zero_initialized_service();
  }
  if (
    !std_srvs__srv__Trigger_Request__init(&self->trigger_request) ||
    !std_srvs__srv__Trigger_Response__init(&self->trigger_response) ||
    !nav_msgs__srv__GetPlan_Request__init(&self->get_plan_request) ||
    !nav_msgs__srv__GetPlan_Response__init(&self->get_plan_response)) {
    return false;
  }
  for (size_t k = 0; k < NODE_TRIGGER_COUNT; ++k) {
    const rosidl_service_type_support_t * type = ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, Trigger);
    if (
      rclc_service_init_default(&self->triggers[k], node, type, rows[k].name) != RCL_RET_OK ||
      ros_executor_add_service(
        self->executor, &self->triggers[k],
        &(ros_on_request_t){&self->trigger_request, &self->trigger_response, rows[k].callback, self}) != RCL_RET_OK) {
      return false;
    }
  }
  return rclc_service_init_default(
           &self->get_plan, node, ROSIDL_GET_SRV_TYPE_SUPPORT(nav_msgs, srv, GetPlan), "~/get_plan") == RCL_RET_OK &&
         ros_executor_add_service(
           self->executor, &self->get_plan,
           &(ros_on_request_t){&self->get_plan_request, &self->get_plan_response, on_get_plan, self}) == RCL_RET_OK;
}

static void fini_service(node_services_t * self, rcl_service_t * service)
{
  (void)ros_executor_remove(self->executor, service);  // not there if offering failed
  if (rcl_service_fini(service, &self->site->session->node) != RCL_RET_OK) {
    rcl_reset_error();
  }
}

void node_services_fini(node_services_t * self)
{
  if (self->site == NULL) {
    return;
  }
  for (size_t k = 0; k < NODE_TRIGGER_COUNT; ++k) {
    fini_service(self, &self->triggers[k]);
  }
  fini_service(self, &self->get_plan);
  std_srvs__srv__Trigger_Request__fini(&self->trigger_request);
  std_srvs__srv__Trigger_Response__fini(&self->trigger_response);
  nav_msgs__srv__GetPlan_Request__fini(&self->get_plan_request);
  nav_msgs__srv__GetPlan_Response__fini(&self->get_plan_response);
  node_router_fini(&self->router);
  *self = (node_services_t){0};
}
