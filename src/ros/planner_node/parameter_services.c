#include "ros/parameter_services.h"

#include <stdio.h>
#include <string.h>

#include <rcl/error_handling.h>
#include <rcl_interfaces/msg/set_parameters_result.h>
#include <rcl_interfaces/srv/describe_parameters.h>
#include <rcl_interfaces/srv/get_parameter_types.h>
#include <rcl_interfaces/srv/get_parameters.h>
#include <rcl_interfaces/srv/list_parameters.h>
#include <rcl_interfaces/srv/set_parameters.h>
#include <rcl_interfaces/srv/set_parameters_atomically.h>
#include <rmw/qos_profiles.h>
#include <rosidl_runtime_c/string_functions.h>

#include "ros/planner_node/parameter_replies.h"
#include "ros/messages.h"
#include "ros/planner_node/publishers.h"

// ---- /parameter_events

static void announce(ros_parameter_services_t * self, const rcl_interfaces__msg__Parameter * changes, size_t count)
{
  rcl_interfaces__msg__ParameterEvent * event = &self->event;
  rcl_interfaces__msg__Parameter__Sequence * list = &event->changed_parameters;
  int64_t now_ns = 0;
  rcl_interfaces__msg__Parameter__Sequence__fini(list);
  if (
    rcl_clock_get_now(self->clock, &now_ns) != RCL_RET_OK ||
    !rcl_interfaces__msg__Parameter__Sequence__init(list, count)) {
    rcl_reset_error();
    return;
  }
  event->stamp = ros_message_stamp(now_ns);
  for (size_t k = 0; k < count; ++k) {
    // What is in force now, in the parameter's own type.
    const ros_parameter_value_t * value = ros_parameters_value(self->parameters, changes[k].name.data);
    if (
      !rosidl_runtime_c__String__copy(&changes[k].name, &list->data[k].name) ||
      !rcl_interfaces__msg__ParameterValue__copy(value, &list->data[k].value)) {
      return;
    }
  }
  if (rcl_publish(&self->events, event, NULL) != RCL_RET_OK) {
    rcl_reset_error();
  }
}

static void apply(
  ros_parameter_services_t * self, const rcl_interfaces__msg__Parameter * changes, size_t count,
  rcl_interfaces__msg__SetParametersResult * result)
{
  fw_error_t reason = {0};
<<<<<<< /tmp/m.o
  result->successful = node_parameters_set(self->parameters, changes, count, false, &reason);
  (void)string_set(&result->reason, reason.text);
=======
  result->successful = parameters_set(self->parameters, changes, count, false, &reason);
  (void)node_string_set(&result->reason, reason.text);
>>>>>>> /tmp/m.t
  if (result->successful && count > 0) {
    self->has_changed = true;
    announce(self, changes, count);
  }
}

// ---- callbacks

static void on_get(const void * request, void * response, void * context)
{
  const ros_parameter_services_t * self = context;
  parameter_reply_values(request, response, self->parameters);
}

static void on_set(const void * request, void * response, void * context)
{
  const rcl_interfaces__srv__SetParameters_Request * in = request;
  rcl_interfaces__srv__SetParameters_Response * out = response;
  rcl_interfaces__msg__SetParametersResult__Sequence__fini(&out->results);
  if (!rcl_interfaces__msg__SetParametersResult__Sequence__init(&out->results, in->parameters.size)) {
    return;
  }
  for (size_t k = 0; k < in->parameters.size; ++k) {
    apply(context, &in->parameters.data[k], 1, &out->results.data[k]);
  }
}

static void on_set_atomically(const void * request, void * response, void * context)
{
  const rcl_interfaces__srv__SetParametersAtomically_Request * in = request;
  rcl_interfaces__srv__SetParametersAtomically_Response * out = response;
  apply(context, in->parameters.data, in->parameters.size, &out->result);
}

static void on_list(const void * request, void * response, void * context)
{
  const ros_parameter_services_t * self = context;
  parameter_reply_names(request, response, self->parameters);
}

static void on_describe(const void * request, void * response, void * context)
{
  const ros_parameter_services_t * self = context;
  parameter_reply_descriptors(request, response, self->parameters);
}

static void on_get_types(const void * request, void * response, void * context)
{
  const ros_parameter_services_t * self = context;
  parameter_reply_types(request, response, self->parameters);
}

// ---- life

typedef struct offer_t {
  const char * name;
  const rosidl_service_type_support_t * type;
  void * request;
  void * response;
  rclc_service_callback_with_context_t callback;
} offer_t;

#define TYPE(name) ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, name)
#define MESSAGES(name) rcl_interfaces__srv__##name##_Request__create(), rcl_interfaces__srv__##name##_Response__create()

bool ros_parameter_services_init(
  ros_parameter_services_t * self, ros_parameters_t * parameters, rcl_node_t * node, rclc_executor_t * executor,
  rcl_clock_t * clock)
{
  const offer_t offers[ROS_PARAMETER_SERVICE_COUNT] = {
    {"~/get_parameters", TYPE(GetParameters), MESSAGES(GetParameters), on_get},
    {"~/set_parameters", TYPE(SetParameters), MESSAGES(SetParameters), on_set},
    {"~/set_parameters_atomically", TYPE(SetParametersAtomically), MESSAGES(SetParametersAtomically),
     on_set_atomically},
    {"~/list_parameters", TYPE(ListParameters), MESSAGES(ListParameters), on_list},
    {"~/describe_parameters", TYPE(DescribeParameters), MESSAGES(DescribeParameters), on_describe},
    {"~/get_parameter_types", TYPE(GetParameterTypes), MESSAGES(GetParameterTypes), on_get_types},
  };
  self->parameters = parameters;
  self->node_name = rcl_node_get_fully_qualified_name(node);
  self->clock = clock;
  self->events = rcl_get_zero_initialized_publisher();
  bool is_fine =
<<<<<<< /tmp/m.o
    rcl_interfaces__msg__ParameterEvent__init(&self->event) && string_set(&self->event.node, self->node_name);
  for (size_t k = 0; k < ROS_PARAMETER_SERVICE_COUNT; ++k) {
=======
    rcl_interfaces__msg__ParameterEvent__init(&self->event) && node_string_set(&self->event.node, self->node_name);
  for (size_t k = 0; k < PARAMETER_SERVICE_COUNT; ++k) {
>>>>>>> /tmp/m.t
    self->services[k] = rcl_get_zero_initialized_service();
    self->requests[k] = offers[k].request;
    self->responses[k] = offers[k].response;
  }
  is_fine = is_fine && rclc_publisher_init(
                         &self->events, node, ROSIDL_GET_MSG_TYPE_SUPPORT(rcl_interfaces, msg, ParameterEvent),
                         "/parameter_events", &rmw_qos_profile_parameter_events) == RCL_RET_OK;
  for (size_t k = 0; is_fine && k < ROS_PARAMETER_SERVICE_COUNT; ++k) {
    is_fine =
      offers[k].request != NULL && offers[k].response != NULL &&
      rclc_service_init_default(&self->services[k], node, offers[k].type, offers[k].name) == RCL_RET_OK &&
      rclc_executor_add_service_with_context(
        executor, &self->services[k], self->requests[k], self->responses[k], offers[k].callback, self) == RCL_RET_OK;
  }
  return is_fine;
}

#define DESTROY(index, name)                                             \
  rcl_interfaces__srv__##name##_Request__destroy(self->requests[index]); \
  rcl_interfaces__srv__##name##_Response__destroy(self->responses[index])

void ros_parameter_services_fini(ros_parameter_services_t * self, rcl_node_t * node)
{
  for (size_t k = 0; k < ROS_PARAMETER_SERVICE_COUNT; ++k) {
    if (rcl_service_fini(&self->services[k], node) != RCL_RET_OK) {
      rcl_reset_error();
    }
  }
  if (rcl_publisher_fini(&self->events, node) != RCL_RET_OK) {
    rcl_reset_error();
  }
  rcl_interfaces__msg__ParameterEvent__fini(&self->event);
  DESTROY(0, GetParameters);
  DESTROY(1, SetParameters);
  DESTROY(2, SetParametersAtomically);
  DESTROY(3, ListParameters);
  DESTROY(4, DescribeParameters);
  DESTROY(5, GetParameterTypes);
}
