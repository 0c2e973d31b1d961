// ~/replan, ~/pause, ~/resume and ~/get_plan.

#ifndef ROS__PLANNER_NODE__SERVICES_H_
#define ROS__PLANNER_NODE__SERVICES_H_

#include <rclc/executor.h>
#include <rclc/rclc.h>
#include <std_srvs/srv/trigger.h>

#include "ros/planner_node/route.h"

enum {
  TRIGGER_COUNT = 3,  // replan, pause, resume
  SERVICE_COUNT = TRIGGER_COUNT + 1
};

typedef struct services_t {
  planning_t * planning;
  inbox_t * inbox;
  rcl_service_t triggers[TRIGGER_COUNT];
  std_srvs__srv__Trigger_Request trigger_request;
  std_srvs__srv__Trigger_Response trigger_response;
  rcl_service_t get_plan;
  route_t route;
  nav_msgs__srv__GetPlan_Request get_plan_request;
  nav_msgs__srv__GetPlan_Response get_plan_response;
} services_t;

// Takes SERVICE_COUNT places in the executor. Pointers are borrowed.
bool services_init(
  services_t * self, planning_t * planning, inbox_t * inbox, rcl_node_t * node, rclc_executor_t * executor);
void services_fini(services_t * self, rcl_node_t * node);

#endif  // ROS__PLANNER_NODE__SERVICES_H_
