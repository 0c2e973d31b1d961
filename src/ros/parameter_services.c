// Parameter services: the six services of rcl_interfaces and /parameter_events. See parameter_services.h.

#include "ros/parameter_services.h"

#include <string.h>

#include <rcl/error_handling.h>
#include <rcl_interfaces/msg/floating_point_range.h>
#include <rcl_interfaces/msg/integer_range.h>
#include <rcl_interfaces/msg/parameter_descriptor.h>
#include <rcl_interfaces/msg/set_parameters_result.h>
#include <rcl_interfaces/srv/describe_parameters.h>
#include <rcl_interfaces/srv/get_parameter_types.h>
#include <rcl_interfaces/srv/get_parameters.h>
#include <rcl_interfaces/srv/list_parameters.h>
#include <rcl_interfaces/srv/set_parameters.h>
#include <rcl_interfaces/srv/set_parameters_atomically.h>
#include <rmw/qos_profiles.h>
#include <rosidl_runtime_c/primitives_sequence_functions.h>
#include <rosidl_runtime_c/string_functions.h>

#include "base/assert.h"
#include "ros/messages.h"

// ---- get, describe, list: a response is filled anew each time; an unknown name has the type "not set"
// Callbacks of rclc: `context` is the ros_parameter_services_t.

static void on_get(const void * request_message, void * response_message, void * context)
{
  const rcl_interfaces__srv__GetParameters_Request * request = request_message;
  rcl_interfaces__srv__GetParameters_Response * response = response_message;
  const ros_parameters_t * parameters = ((const ros_parameter_services_t *)context)->parameters;
  rcl_interfaces__msg__ParameterValue__Sequence__fini(&response->values);
  if (!rcl_interfaces__msg__ParameterValue__Sequence__init(&response->values, request->names.size)) {
    return;
  }
  for (size_t k = 0; k < request->names.size; ++k) {
    const ros_parameter_t * item = ros_parameters_find(parameters, request->names.data[k].data);
    if (
      item != NULL && !rcl_interfaces__msg__ParameterValue__copy(
                        &parameters->values[item - parameters->items], &response->values.data[k])) {
      return;
    }
  }
}

static void on_get_types(const void * request_message, void * response_message, void * context)
{
  const rcl_interfaces__srv__GetParameterTypes_Request * request = request_message;
  rcl_interfaces__srv__GetParameterTypes_Response * response = response_message;
  const ros_parameters_t * parameters = ((const ros_parameter_services_t *)context)->parameters;
  rosidl_runtime_c__uint8__Sequence__fini(&response->types);
  if (!rosidl_runtime_c__uint8__Sequence__init(&response->types, request->names.size)) {
    return;
  }
  for (size_t k = 0; k < request->names.size; ++k) {
    const ros_parameter_t * item = ros_parameters_find(parameters, request->names.data[k].data);
    response->types.data[k] =
      item == NULL ? (uint8_t)rcl_interfaces__msg__ParameterType__PARAMETER_NOT_SET : (uint8_t)ros_parameter_type(item);
  }
}

static bool describe(rcl_interfaces__msg__ParameterDescriptor * descriptor, const ros_parameter_t * item)
{
  const ros_parameter_row_t * row = &item->row;
  const bool has_range = row->min < row->max;
  const ros_parameter_type_t type = ros_parameter_type(item);
  descriptor->type = (uint8_t)type;
  descriptor->read_only = row->is_read_only;
  if (has_range && type == ROS_PARAMETER_INTEGER) {
    if (!rcl_interfaces__msg__IntegerRange__Sequence__init(&descriptor->integer_range, 1)) {
      return false;
    }
    descriptor->integer_range.data[0] = (rcl_interfaces__msg__IntegerRange){
      .from_value = (int64_t)row->min, .to_value = (int64_t)row->max, .step = row->step == 0 ? 1 : (uint64_t)row->step};
  }
  if (has_range && type == ROS_PARAMETER_DOUBLE) {
    if (!rcl_interfaces__msg__FloatingPointRange__Sequence__init(&descriptor->floating_point_range, 1)) {
      return false;
    }
    descriptor->floating_point_range.data[0] =
      (rcl_interfaces__msg__FloatingPointRange){.from_value = row->min, .to_value = row->max};
  }
  return rosidl_runtime_c__String__assign(&descriptor->description, item->help);
}

static void on_describe(const void * request_message, void * response_message, void * context)
{
  const rcl_interfaces__srv__DescribeParameters_Request * request = request_message;
  rcl_interfaces__srv__DescribeParameters_Response * response = response_message;
  const ros_parameters_t * parameters = ((const ros_parameter_services_t *)context)->parameters;
  rcl_interfaces__msg__ParameterDescriptor__Sequence__fini(&response->descriptors);
  if (!rcl_interfaces__msg__ParameterDescriptor__Sequence__init(&response->descriptors, request->names.size)) {
    return;
  }
  for (size_t k = 0; k < request->names.size; ++k) {
    rcl_interfaces__msg__ParameterDescriptor * descriptor = &response->descriptors.data[k];
    const ros_parameter_t * item = ros_parameters_find(parameters, request->names.data[k].data);
    if (
      !rosidl_runtime_c__String__copy(&request->names.data[k], &descriptor->name) ||
      (item != NULL && !describe(descriptor, item))) {
      return;
    }
  }
}

static uint64_t depth_of(const char * name)
{
  uint64_t depth = 1;
  for (; *name != '\0'; ++name) {
    depth += *name == '.' ? 1 : 0;
  }
  return depth;
}

// Prefixes and depth as in rclcpp: "a.b" has depth 2, depth 0 is no limit, a prefix itself does not count.
static bool is_listed(const rcl_interfaces__srv__ListParameters_Request * request, const char * name)
{
  if (request->prefixes.size == 0) {
    return request->depth == 0 || depth_of(name) <= request->depth;
  }
  for (size_t k = 0; k < request->prefixes.size; ++k) {
    const char * prefix = request->prefixes.data[k].data;
    const size_t length = strlen(prefix);
    if (strncmp(name, prefix, length) != 0) {
      continue;
    }
    if (
      name[length] == '\0' ||
      (name[length] == '.' && (request->depth == 0 || depth_of(name + length + 1) <= request->depth))) {
      return true;
    }
  }
  return false;
}

static size_t prefix_length(const char * name)
{
  const char * dot = strrchr(name, '.');
  return dot == NULL ? 0 : (size_t)(dot - name);
}

static void on_list(const void * request_message, void * response_message, void * context)
{
  const rcl_interfaces__srv__ListParameters_Request * request = request_message;
  rcl_interfaces__srv__ListParameters_Response * response = response_message;
  const ros_parameters_t * parameters = ((const ros_parameter_services_t *)context)->parameters;
  rosidl_runtime_c__String__Sequence * names = &response->result.names;
  rosidl_runtime_c__String__Sequence * prefixes = &response->result.prefixes;
  rosidl_runtime_c__String__Sequence__fini(names);
  rosidl_runtime_c__String__Sequence__fini(prefixes);
  if (
    !rosidl_runtime_c__String__Sequence__init(names, parameters->count) ||
    !rosidl_runtime_c__String__Sequence__init(prefixes, parameters->count)) {
    return;
  }
  names->size = 0;
  prefixes->size = 0;
  for (size_t k = 0; k < parameters->count; ++k) {
    const char * name = parameters->items[k].name;
    const size_t length = prefix_length(name);
    if (!is_listed(request, name)) {
      continue;
    }
    FW_ASSERT(names->size < names->capacity);
    if (!rosidl_runtime_c__String__assign(&names->data[names->size++], name)) {
      return;
    }
    // Names are sorted, so the same prefix comes in one run.
    const rosidl_runtime_c__String * last = prefixes->size == 0 ? NULL : &prefixes->data[prefixes->size - 1];
    const bool is_known = last != NULL && last->size == length && strncmp(last->data, name, length) == 0;
    if (
      length > 0 && !is_known && !rosidl_runtime_c__String__assignn(&prefixes->data[prefixes->size++], name, length)) {
      return;
    }
  }
}

// ---- /parameter_events

// Publishes what is in force after a change.
static void announce(ros_parameter_services_t * self, const rcl_interfaces__msg__Parameter * changes, size_t count)
{
  rcl_interfaces__msg__ParameterEvent * event = &self->event;
  rcl_interfaces__msg__Parameter__Sequence * list = &event->changed_parameters;
  int64_t now_ns = 0;
  FW_ASSERT(self->clock != NULL);
  rcl_interfaces__msg__Parameter__Sequence__fini(list);
  if (
    rcl_clock_get_now(self->clock, &now_ns) != RCL_RET_OK ||
    !rcl_interfaces__msg__Parameter__Sequence__init(list, count)) {
    rcl_reset_error();
    return;
  }
  event->stamp = ros_message_stamp(now_ns);
  for (size_t k = 0; k < count; ++k) {
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
  fw_error_t error = {0};
  if (count == 0) {  // a change would replace the values, into which the owner's lists point
    result->successful = true;
    (void)rosidl_runtime_c__String__assign(&result->reason, "");
    return;
  }
  const ros_parameter_changes_t change = {changes, count, ROS_PARAMETERS_RUNNING};
  result->successful = ros_parameters_set(self->parameters, &change, &error) == FW_RET_OK;
  (void)rosidl_runtime_c__String__assign(&result->reason, error.text);
  if (result->successful) {
    self->has_changed = true;
    announce(self, changes, count);
  }
}

// ---- set

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

// ---- life

// The order in the arrays of ros_parameter_services_t.
enum { GET, SET, SET_ATOMICALLY, LIST, DESCRIBE, GET_TYPES, SERVICE_COUNT };

typedef struct service_offer_t {
  const char * name;
  const rosidl_service_type_support_t * type;
  void * request;
  void * response;
  void (*callback)(const void * request, void * response, void * context);
} service_offer_t;

#define TYPE(name) ROSIDL_GET_SRV_TYPE_SUPPORT(rcl_interfaces, srv, name)
#define MESSAGES(name) rcl_interfaces__srv__##name##_Request__create(), rcl_interfaces__srv__##name##_Response__create()

bool ros_parameter_services_init(ros_parameter_services_t * self, const ros_parameter_services_options_t * options)
{
  FW_ASSERT(options->parameters->count > 0);
  rcl_node_t * node = options->node;
  _Static_assert((int)SERVICE_COUNT == (int)ROS_PARAMETER_SERVICE_COUNT, "one entry per service");
  const service_offer_t offers[SERVICE_COUNT] = {
    [GET] = {"~/get_parameters", TYPE(GetParameters), MESSAGES(GetParameters), on_get},
    [SET] = {"~/set_parameters", TYPE(SetParameters), MESSAGES(SetParameters), on_set},
    [SET_ATOMICALLY] =
      {"~/set_parameters_atomically", TYPE(SetParametersAtomically), MESSAGES(SetParametersAtomically),
       on_set_atomically},
    [LIST] = {"~/list_parameters", TYPE(ListParameters), MESSAGES(ListParameters), on_list},
    [DESCRIBE] = {"~/describe_parameters", TYPE(DescribeParameters), MESSAGES(DescribeParameters), on_describe},
    [GET_TYPES] = {"~/get_parameter_types", TYPE(GetParameterTypes), MESSAGES(GetParameterTypes), on_get_types},
  };
  self->parameters = options->parameters;
  self->node_name = rcl_node_get_fully_qualified_name(node);
  self->clock = options->clock;
  self->events = rcl_get_zero_initialized_publisher();
  bool is_done = rcl_interfaces__msg__ParameterEvent__init(&self->event) &&
                 rosidl_runtime_c__String__assign(&self->event.node, self->node_name);
  for (size_t k = 0; k < ROS_PARAMETER_SERVICE_COUNT; ++k) {
    self->services[k] = rcl_get_zero_initialized_service();
    self->requests[k] = offers[k].request;
    self->responses[k] = offers[k].response;
  }
  is_done = is_done && rclc_publisher_init(
                         &self->events, node, ROSIDL_GET_MSG_TYPE_SUPPORT(rcl_interfaces, msg, ParameterEvent),
                         "/parameter_events", &rmw_qos_profile_parameter_events) == RCL_RET_OK;
  for (size_t k = 0; is_done && k < ROS_PARAMETER_SERVICE_COUNT; ++k) {
    is_done = offers[k].request != NULL && offers[k].response != NULL &&
              rclc_service_init_default(&self->services[k], node, offers[k].type, offers[k].name) == RCL_RET_OK &&
              ros_executor_add_service(
                options->executor, &self->services[k],
                &(ros_on_request_t){self->requests[k], self->responses[k], offers[k].callback, self}) == RCL_RET_OK;
  }
  return is_done;
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
  DESTROY(GET, GetParameters);
  DESTROY(SET, SetParameters);
  DESTROY(SET_ATOMICALLY, SetParametersAtomically);
  DESTROY(LIST, ListParameters);
  DESTROY(DESCRIBE, DescribeParameters);
  DESTROY(GET_TYPES, GetParameterTypes);
}
