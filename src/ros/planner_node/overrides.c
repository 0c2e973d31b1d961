#include "ros/planner_node/settings.h"

#include <string.h>

#include <rcl/error_handling.h>
#include <rcl_yaml_param_parser/parser.h>
#include <rcutils/logging_macros.h>
#include <rosidl_runtime_c/primitives_sequence_functions.h>
#include <rosidl_runtime_c/string_functions.h>

#include "ros/node_name.h"

static bool copy_strings(rosidl_runtime_c__String__Sequence * to, const rcutils_string_array_t * from)
{
  bool is_fine = rosidl_runtime_c__String__Sequence__init(to, from->size);
  for (size_t k = 0; is_fine && k < from->size; ++k) {
    is_fine = rosidl_runtime_c__String__assign(&to->data[k], from->data[k]);
  }
  return is_fine;
}

// rcl's variant has one pointer per type; an empty list in YAML leaves all of them NULL or an array of size 0.
static bool copy_variant(ros_parameter_value_t * value, const rcl_variant_t * variant)
{
  if (variant->bool_value != NULL) {
    value->type = TYPE_BOOL;
    value->bool_value = *variant->bool_value;
  } else if (variant->integer_value != NULL) {
    value->type = TYPE_INTEGER;
    value->integer_value = *variant->integer_value;
  } else if (variant->double_value != NULL) {
    value->type = TYPE_DOUBLE;
    value->double_value = *variant->double_value;
  } else if (variant->string_value != NULL) {
    value->type = TYPE_STRING;
    return rosidl_runtime_c__String__assign(&value->string_value, variant->string_value);
  } else if (variant->string_array_value != NULL) {
    value->type = ROS_PARAMETER_STRINGS;
    return copy_strings(&value->string_array_value, variant->string_array_value);
  } else if (variant->integer_array_value != NULL) {
    value->type = TYPE_INTEGERS;
    const size_t size = variant->integer_array_value->size;
    if (!rosidl_runtime_c__int64__Sequence__init(&value->integer_array_value, size)) {
      return false;
    }
    for (size_t k = 0; k < size; ++k) {
      value->integer_array_value.data[k] = variant->integer_array_value->values[k];
    }
  } else if (variant->double_array_value != NULL) {
    value->type = rcl_interfaces__msg__ParameterType__PARAMETER_DOUBLE_ARRAY;
    return rosidl_runtime_c__double__Sequence__init(&value->double_array_value, variant->double_array_value->size);
  } else if (variant->bool_array_value != NULL) {
    value->type = rcl_interfaces__msg__ParameterType__PARAMETER_BOOL_ARRAY;
    return rosidl_runtime_c__boolean__Sequence__init(&value->bool_array_value, variant->bool_array_value->size);
  } else {
    value->type = rcl_interfaces__msg__ParameterType__PARAMETER_BYTE_ARRAY;
  }
  return true;
}

static size_t count_matching(const rcl_params_t * overrides, const char * node_name)
{
  size_t count = 0;
  for (size_t n = 0; n < overrides->num_nodes; ++n) {
    count += ros_node_name_matches(overrides->node_names[n], node_name) ? overrides->params[n].num_params : 0;
  }
  return count;
}

// The values that exist here, in one list, so that they are judged together.
static bool collect(
  rcl_interfaces__msg__Parameter__Sequence * changes, const rcl_params_t * overrides,
  const ros_parameters_t * parameters, const char * node_name, const char * logger)
{
  size_t next = 0;
  for (size_t n = 0; n < overrides->num_nodes; ++n) {
    const rcl_node_params_t * list = &overrides->params[n];
    for (size_t k = 0; ros_node_name_matches(overrides->node_names[n], node_name) && k < list->num_params; ++k) {
      const char * name = list->parameter_names[k];
      if (parameters_find(parameters, name) == NULL) {
        // Some are meant for every node and honoured by none of ours, so this is no error.
        RCUTILS_LOG_WARN_NAMED(logger, "parameter '%s' is given but not known here", name);
        continue;
      }
      rcl_interfaces__msg__Parameter * change = &changes->data[next++];
      if (
        !rosidl_runtime_c__String__assign(&change->name, name) ||
        !copy_variant(&change->value, &list->parameter_values[k])) {
        return false;
      }
    }
  }
  changes->size = next;
  return true;
}

<<<<<<< /tmp/m.o
bool node_parameters_override(
  ros_parameters_t * parameters, const rcl_arguments_t * arguments, const char * node_name, const char * logger,
=======
bool overrides_apply(
  parameters_t * parameters, const rcl_arguments_t * arguments, const char * node_name, const char * logger,
>>>>>>> /tmp/m.t
  fw_error_t * reason)
{
  rcl_params_t * overrides = NULL;
  if (rcl_arguments_get_param_overrides(arguments, &overrides) != RCL_RET_OK) {
    rcl_reset_error();
    return node_refuse(reason, "the parameters on the command line cannot be read");
  }
  if (overrides == NULL) {
    return true;
  }
  rcl_interfaces__msg__Parameter__Sequence changes = {0};
  const bool is_fine =
    (rcl_interfaces__msg__Parameter__Sequence__init(&changes, count_matching(overrides, node_name)) &&
     collect(&changes, overrides, parameters, node_name, logger)) ||
<<<<<<< /tmp/m.o
    refuse(reason, "out of memory");
  const bool is_set = is_fine && node_parameters_set(parameters, changes.data, changes.size, true, reason);
=======
    node_refuse(reason, "out of memory");
  const bool is_set = is_fine && parameters_set(parameters, changes.data, changes.size, true, reason);
>>>>>>> /tmp/m.t
  rcl_interfaces__msg__Parameter__Sequence__fini(&changes);
  rcl_yaml_node_struct_fini(overrides);
  return is_set;
}
