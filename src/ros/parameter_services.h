// Parameter services: the six services of rcl_interfaces and /parameter_events, as `ros2 param` and rqt use them.
// rclc's own parameter server has neither strings nor arrays.
//
// Callbacks run in the thread that spins the executor.

#ifndef ROS__PARAMETER_SERVICES_H_
#define ROS__PARAMETER_SERVICES_H_

#include <rcl_interfaces/msg/parameter_event.h>
#include <rclc/rclc.h>

#include "ros/executor.h"
#include "ros/parameters.h"

enum { ROS_PARAMETER_SERVICE_COUNT = 6 };

typedef struct ros_parameter_services_t {
  ros_parameters_t * parameters;  // borrowed
  bool has_changed;               // set after each change; the owner clears it

  // Private
  const char * node_name;  // fully qualified
  rcl_clock_t * clock;     // borrowed, for the stamps of events; NULL: nothing changes
  rcl_publisher_t events;
  rcl_interfaces__msg__ParameterEvent event;
  rcl_service_t services[ROS_PARAMETER_SERVICE_COUNT];
  void * requests[ROS_PARAMETER_SERVICE_COUNT];
  void * responses[ROS_PARAMETER_SERVICE_COUNT];
} ros_parameter_services_t;

// What the services belong to; all borrowed until fini.
typedef struct ros_parameter_services_options_t {
  ros_parameters_t * parameters;
  rcl_node_t * node;
  ros_executor_t * executor;
  rcl_clock_t * clock;  // for the stamps of events; NULL if all parameters are read-only
} ros_parameter_services_options_t;

// Offers the services and adds them to the executor. On false rcl's error state says why; call fini in either case.
bool ros_parameter_services_init(ros_parameter_services_t * self, const ros_parameter_services_options_t * options);
void ros_parameter_services_fini(ros_parameter_services_t * self, rcl_node_t * node);

#endif  // ROS__PARAMETER_SERVICES_H_
