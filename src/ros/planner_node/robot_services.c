// Services of each robot. See robot_services.h.

#include "ros/planner_node/robot_services.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rcl/error_handling.h>

#include "base/assert.h"
#include "ros/planner_node/publishers.h"

static void answer(std_srvs__srv__Trigger_Response * response, bool is_done, const char * text)
{
  response->success = is_done;
  (void)node_string_set(&response->message, text);
}

static void on_cancel(const void * request, void * response, void * context)
{
  (void)request;
  const node_robot_services_t * robot = context;
  const node_site_t * site = robot->site;
  const int32_t goals = node_site_impl(site)->fleet.robots[robot->index].goal_count;
  char text[64];
  if (goals > 0) {
    fw_controller_cancel_goals(site->controller, robot->index, node_site_now(site));
  }
  (void)snprintf(text, sizeof text, goals == 0 ? "it has no goal" : "goals cancelled: %d", goals);
  answer(response, true, text);
}

static void set_service(const node_robot_services_t * robot, fw_robot_service_t service, void * response)
{
  const node_site_t * site = robot->site;
  fw_error_t error = {0};
  if (site->settings->controller.execution_mode != FW_EXECUTION_MODE_DEPENDENCY) {
    answer(response, false, "this needs execution_mode dependency");
  } else if (
    fw_controller_set_service(site->controller, robot->index, service, node_site_now(site), &error) != FW_RET_OK) {
    answer(response, false, error.text);
  } else {
    answer(
      response, true, service == FW_ROBOT_ON_HOLD ? "it stops at the end of its released path" : "it may drive again");
  }
}

static void on_hold(const void * request, void * response, void * context)
{
  (void)request;
  set_service(context, FW_ROBOT_ON_HOLD, response);
}

static void on_release(const void * request, void * response, void * context)
{
  (void)request;
  set_service(context, FW_ROBOT_IN_SERVICE, response);
}

// ---- life

static bool offer(node_fleet_services_t * self, node_robot_services_t * robot)
{
  static const struct {
    const char * name;
    void (*callback)(const void * request, void * response, void * context);
  } rows[NODE_ROBOT_SERVICE_COUNT] = {{"cancel", on_cancel}, {"hold", on_hold}, {"release", on_release}};
  for (size_t k = 0; k < NODE_ROBOT_SERVICE_COUNT; ++k) {
    char name[2 * FW_NAME_SIZE];
    (void)snprintf(name, sizeof name, "%s/%s", robot->name, rows[k].name);
    if (
      rclc_service_init_default(
        &robot->services[k], &self->site->session->node, ROSIDL_GET_SRV_TYPE_SUPPORT(std_srvs, srv, Trigger), name) !=
        RCL_RET_OK ||
      ros_executor_add_service(
        self->executor, &robot->services[k],
        &(ros_on_request_t){&self->request, &self->response, rows[k].callback, robot}) != RCL_RET_OK) {
      return false;
    }
  }
  return true;
}

static void withdraw(node_fleet_services_t * self, node_robot_services_t * robot)
{
  for (size_t k = 0; k < NODE_ROBOT_SERVICE_COUNT; ++k) {
    (void)ros_executor_remove(self->executor, &robot->services[k]);  // not there if offering failed
    if (rcl_service_fini(&robot->services[k], &self->site->session->node) != RCL_RET_OK) {
      rcl_reset_error();
    }
  }
  *robot = (node_robot_services_t){0};
}

static bool reserve_robots(node_fleet_services_t * self, int32_t count)
{
  node_robot_services_t ** robots = realloc(self->robots, ((size_t)count + 1) * sizeof *robots);
  if (robots == NULL) {
    return false;
  }
  self->robots = robots;
  for (; self->robot_count < count; ++self->robot_count) {
    robots[self->robot_count] = calloc(1, sizeof **robots);
    if (robots[self->robot_count] == NULL) {
      return false;
    }
  }
  return true;
}

// Whether the fleet is small enough for services; says so when that changes.
static bool decide(node_fleet_services_t * self, const fw_controller_fleet_t * fleet)
{
  int32_t listed = 0;
  for (int32_t k = 0; k < fleet->count; ++k) {
    listed += fw__controlled_robot_is_listed(&fleet->robots[k]) ? 1 : 0;
  }
  const bool are_offered = listed <= self->site->settings->robot_services_max;
  if (!are_offered && !self->are_withheld) {
    ros_log_printf(
      self->site->log, RCUTILS_LOG_SEVERITY_INFO,
      "robot_services_max is %d: <robot>/cancel, hold and release are not offered to %d robots",
      self->site->settings->robot_services_max, listed);
  }
  self->are_withheld = !are_offered;
  return are_offered;
}

bool node_fleet_services_read_robots(node_fleet_services_t * self)
{
  const fw_controller_fleet_t * fleet = &node_site_impl(self->site)->fleet;
  if (!reserve_robots(self, fleet->count)) {
    RCL_SET_ERROR_MSG("out of memory");
    return false;
  }
  const bool are_offered = decide(self, fleet);
  for (int32_t k = 0; k < fleet->count; ++k) {
    node_robot_services_t * robot = self->robots[k];
    const char * name = are_offered ? fleet->robots[k].name : "";
    if (strcmp(robot->name, name) == 0) {
      continue;
    }
    if (robot->name[0] != '\0') {
      withdraw(self, robot);
    }
    if (name[0] != '\0') {
      (void)fw__name_copy(robot->name, name);
      robot->site = self->site;
      robot->index = k;
      if (!offer(self, robot)) {
        return false;
      }
    }
  }
  return true;
}

bool node_fleet_services_init(node_fleet_services_t * self)
{
  FW_ASSERT(self->site != NULL && self->executor != NULL);
  return std_srvs__srv__Trigger_Request__init(&self->request) &&
         std_srvs__srv__Trigger_Response__init(&self->response) && node_fleet_services_read_robots(self);
}

void node_fleet_services_fini(node_fleet_services_t * self)
{
  if (self->site == NULL) {
    return;
  }
  for (int32_t k = self->robot_count - 1; k >= 0; --k) {  // see node_actions_fini
    if (self->robots[k]->name[0] != '\0') {
      withdraw(self, self->robots[k]);
    }
    free(self->robots[k]);
  }
  free(self->robots);
  std_srvs__srv__Trigger_Request__fini(&self->request);
  std_srvs__srv__Trigger_Response__fini(&self->response);
  *self = (node_fleet_services_t){0};
}
