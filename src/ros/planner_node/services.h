// Services: ~/replan, ~/pause, ~/resume and ~/get_plan.

#ifndef ROS__PLANNER_NODE__SERVICES_H_
#define ROS__PLANNER_NODE__SERVICES_H_

#include <rclc/rclc.h>
#include <std_srvs/srv/trigger.h>

#include "ros/planner_node/get_plan.h"
#include "ros/session.h"

enum { NODE_TRIGGER_COUNT = 3 };  // replan, pause, resume

typedef struct node_services_t {
  const node_site_t * site;   // borrowed
  ros_executor_t * executor;  // borrowed
  rcl_service_t triggers[NODE_TRIGGER_COUNT];
  std_srvs__srv__Trigger_Request trigger_request;
  std_srvs__srv__Trigger_Response trigger_response;
  rcl_service_t get_plan;
  node_router_t router;
  nav_msgs__srv__GetPlan_Request get_plan_request;
  nav_msgs__srv__GetPlan_Response get_plan_response;
} node_services_t;

// Adds the services to the executor. `site` and `executor` are set, the rest is zero. On false rcl's error state says
// why; call fini in either case.
bool node_services_init(node_services_t * self);
// Before the fini of the executor.
void node_services_fini(node_services_t * self);

#endif  // ROS__PLANNER_NODE__SERVICES_H_
