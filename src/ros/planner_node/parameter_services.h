// The six parameter services and /parameter_events, as `ros2 param` and RQt speak to them. rclc's own parameter server
// knows neither strings nor arrays.

#ifndef ROS__PLANNER_NODE__PARAMETER_SERVICES_H_
#define ROS__PLANNER_NODE__PARAMETER_SERVICES_H_

#include <rcl_interfaces/msg/parameter_event.h>
#include <rclc/executor.h>
#include <rclc/rclc.h>

#include "ros/planner_node/parameters.h"

enum { PARAMETER_SERVICE_COUNT = 6 };

typedef struct parameter_services_t {
  parameters_t * parameters;
  bool has_changed;  // set after each change; the owner clears it

  // Private
  const char * node_name;
  rcl_clock_t * clock;
  rcl_publisher_t events;
  rcl_interfaces__msg__ParameterEvent event;
  rcl_service_t services[PARAMETER_SERVICE_COUNT];
  void * requests[PARAMETER_SERVICE_COUNT];
  void * responses[PARAMETER_SERVICE_COUNT];
} parameter_services_t;

// Offers the services and takes PARAMETER_SERVICE_COUNT places in the executor. Pointers are borrowed.
bool parameter_services_init(
  parameter_services_t * self, parameters_t * parameters, rcl_node_t * node, rclc_executor_t * executor,
  rcl_clock_t * clock);
void parameter_services_fini(parameter_services_t * self, rcl_node_t * node);

#endif  // ROS__PLANNER_NODE__PARAMETER_SERVICES_H_
