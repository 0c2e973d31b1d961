#include "ros/planner_node/parameter_replies.h"

#include <string.h>

#include <rcl_interfaces/msg/floating_point_range.h>
#include <rcl_interfaces/msg/integer_range.h>
#include <rcl_interfaces/msg/parameter_descriptor.h>
#include <rosidl_runtime_c/primitives_sequence_functions.h>
#include <rosidl_runtime_c/string_functions.h>

void parameter_reply_values(
  const rcl_interfaces__srv__GetParameters_Request * request, rcl_interfaces__srv__GetParameters_Response * response,
  const ros_parameters_t * parameters)
{
  rcl_interfaces__msg__ParameterValue__Sequence__fini(&response->values);
  if (!rcl_interfaces__msg__ParameterValue__Sequence__init(&response->values, request->names.size)) {
    return;
  }
  for (size_t k = 0; k < request->names.size; ++k) {
    const ros_parameter_value_t * value = ros_parameters_value(parameters, request->names.data[k].data);
    if (value != NULL && !rcl_interfaces__msg__ParameterValue__copy(value, &response->values.data[k])) {
      return;
    }
  }
}

void parameter_reply_types(
  const rcl_interfaces__srv__GetParameterTypes_Request * request,
  rcl_interfaces__srv__GetParameterTypes_Response * response, const ros_parameters_t * parameters)
{
  rosidl_runtime_c__uint8__Sequence__fini(&response->types);
  if (!rosidl_runtime_c__uint8__Sequence__init(&response->types, request->names.size)) {
    return;
  }
  for (size_t k = 0; k < request->names.size; ++k) {
    const parameter_t * item = parameters_find(parameters, request->names.data[k].data);
    response->types.data[k] =
      item == NULL ? (uint8_t)rcl_interfaces__msg__ParameterType__PARAMETER_NOT_SET : item->type;
  }
}

static bool describe(rcl_interfaces__msg__ParameterDescriptor * descriptor, const parameter_t * item)
{
  descriptor->type = item->type;
  descriptor->read_only = item->is_read_only;
  if (item->has_range && item->type == TYPE_INTEGER) {
    if (!rcl_interfaces__msg__IntegerRange__Sequence__init(&descriptor->integer_range, 1)) {
      return false;
    }
    descriptor->integer_range.data[0] = (rcl_interfaces__msg__IntegerRange){
      .from_value = item->integer_min, .to_value = item->integer_max, .step = (uint64_t)item->integer_step};
  }
  if (item->has_range && item->type == TYPE_DOUBLE) {
    if (!rcl_interfaces__msg__FloatingPointRange__Sequence__init(&descriptor->floating_point_range, 1)) {
      return false;
    }
    descriptor->floating_point_range.data[0] =
      (rcl_interfaces__msg__FloatingPointRange){.from_value = item->double_min, .to_value = item->double_max};
  }
  return rosidl_runtime_c__String__assign(&descriptor->description, item->help);
}

void parameter_reply_descriptors(
  const rcl_interfaces__srv__DescribeParameters_Request * request,
  rcl_interfaces__srv__DescribeParameters_Response * response, const ros_parameters_t * parameters)
{
  rcl_interfaces__msg__ParameterDescriptor__Sequence__fini(&response->descriptors);
  if (!rcl_interfaces__msg__ParameterDescriptor__Sequence__init(&response->descriptors, request->names.size)) {
    return;
  }
  for (size_t k = 0; k < request->names.size; ++k) {
    rcl_interfaces__msg__ParameterDescriptor * descriptor = &response->descriptors.data[k];
    const parameter_t * item = parameters_find(parameters, request->names.data[k].data);
    if (
      !rosidl_runtime_c__String__copy(&request->names.data[k], &descriptor->name) ||
      (item != NULL && !describe(descriptor, item))) {
      return;
    }
  }
}

// ---- names

static uint64_t depth_of(const char * name)
{
  uint64_t depth = 1;
  for (; *name != '\0'; ++name) {
    depth += *name == '.' ? 1 : 0;
  }
  return depth;
}

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

void parameter_reply_names(
  const rcl_interfaces__srv__ListParameters_Request * request, rcl_interfaces__srv__ListParameters_Response * response,
  const ros_parameters_t * parameters)
{
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
