// Robot services: <robot>/cancel, <robot>/hold and <robot>/release (std_srvs/Trigger).
//
//   cancel   ends all goals of the robot, whoever sent them; it stops at the end of what is released to it
//   hold     the robot stops at the end of what is released to it, and its goals wait
//   release  ends that
//
// In DDS a service is two endpoints, each of which is compared with all others of the process: 600 services take longer
// to start and to end than all the rest of a node with 200 robots. So a large fleet has none (robot_services_max).

#ifndef ROS__PLANNER_NODE__ROBOT_SERVICES_H_
#define ROS__PLANNER_NODE__ROBOT_SERVICES_H_

#include <std_srvs/srv/trigger.h>

#include "ros/planner_node/site.h"

enum { NODE_ROBOT_SERVICE_COUNT = 3 };

typedef struct node_robot_services_t {
  char name[FW_NAME_SIZE];  // of the robot; empty: there are no services here
  const node_site_t * site;
  int32_t index;  // of the robot
  rcl_service_t services[NODE_ROBOT_SERVICE_COUNT];
} node_robot_services_t;

typedef struct node_fleet_services_t {
  // Borrowed.
  const node_site_t * site;
  ros_executor_t * executor;

  node_robot_services_t ** robots;  // by robot; each stays at its address, which the executor keeps
  int32_t robot_count;
  bool are_withheld;  // the fleet is too large
  std_srvs__srv__Trigger_Request request;
  std_srvs__srv__Trigger_Response response;
} node_fleet_services_t;

// The borrowed members are set, the rest is zero. On false rcl's error state says why; call fini in either case.
bool node_fleet_services_init(node_fleet_services_t * services);
// Offers the services of new robots and ends those of removed robots. False if that fails.
bool node_fleet_services_read_robots(node_fleet_services_t * services);
// Before the fini of the executor.
void node_fleet_services_fini(node_fleet_services_t * services);

#endif  // ROS__PLANNER_NODE__ROBOT_SERVICES_H_
