#include "ros/planner_node/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <rosidl_runtime_c/primitives_sequence_functions.h>
#include <rosidl_runtime_c/string_functions.h>

#include "ros/planner_node/settings.h"

static int by_name(const void * a, const void * b)
{
  return strcmp(((const parameter_t *)a)->name, ((const parameter_t *)b)->name);
}

const parameter_t * parameters_find(const ros_parameters_t * parameters, const char * name)
{
  parameter_t key = {0};
  if (parameters->count == 0 || !node_name_copy(key.name, name)) {
    return NULL;
  }
  return bsearch(&key, parameters->items, parameters->count, sizeof key, by_name);
}

const ros_parameter_value_t * ros_parameters_value(const ros_parameters_t * parameters, const char * name)
{
  const parameter_t * parameter = parameters_find(parameters, name);
  return parameter == NULL ? NULL : &parameters->values[parameter - parameters->items];
}

const char * parameter_type_name(uint8_t type)
{
  static const char * const names[] = {"not set",    "bool",       "integer",       "double",       "string",
                                       "byte array", "bool array", "integer array", "double array", "string array"};
  return type < sizeof names / sizeof names[0] ? names[type] : "unknown";
}

// ---- declaring

static void declare_row(parameter_t * item, const parameter_row_t * row)
{
  (void)node_name_copy(item->name, row->name);
  (void)snprintf(item->help, sizeof item->help, "%s", row->help);
  item->type = row->type;
  item->is_read_only = row->is_read_only;
  item->has_range = row->min < row->max;
  item->integer_min = (int64_t)row->min;
  item->integer_max = (int64_t)row->max;
  item->integer_step = row->step == 0 ? 1 : row->step;
  item->double_min = row->min;
  item->double_max = row->max;
}

// "One of: ca, hca" at the end of the help.
static void list_planners(parameter_t * item)
{
  size_t used = strlen(item->help);
  for (int32_t k = 0; k < fw_planner_def_count() && used < sizeof item->help; ++k) {
    const int added = snprintf(
      item->help + used, sizeof item->help - used, "%s%s", k == 0 ? " One of: " : ", ", fw_planner_def_at(k)->name);
    used += added < 0 ? 0 : (size_t)added;
  }
}

static void declare_planner_parameter(
  parameter_t * item, const fw_planner_def_t * planner, const fw_parameter_def_t * parameter)
{
  (void)snprintf(item->name, sizeof item->name, "%s.%s", planner->name, parameter->name);
  int used = snprintf(item->help, sizeof item->help, "%s", parameter->help);
  item->planner_parameter = parameter;
  item->integer_min = parameter->min;
  item->integer_max = parameter->max;
  item->integer_step = 1;
  switch (parameter->type) {
    case FW_PARAMETER_BOOLEAN:
      item->type = TYPE_BOOL;
      break;
    case FW_PARAMETER_CHOICE:
      item->type = TYPE_STRING;
      for (int64_t k = 0; k <= parameter->max && used >= 0 && (size_t)used < sizeof item->help; ++k) {
        used += snprintf(
          item->help + used, sizeof item->help - (size_t)used, "%s%s", k == 0 ? " One of: " : ", ",
          parameter->choices[k]);
      }
      break;
    case FW_PARAMETER_INTEGER:
    default:
      item->type = TYPE_INTEGER;
      item->has_range = true;
      break;
  }
}

static bool initial_value(const parameter_t * item, ros_parameter_value_t * value)
{
  value->type = item->type;
  if (item->planner_parameter != NULL) {
    const fw_parameter_def_t * parameter = item->planner_parameter;
    value->bool_value = parameter->initial != 0;
    value->integer_value = parameter->initial;
    return item->type != TYPE_STRING ||
           rosidl_runtime_c__String__assign(&value->string_value, parameter->choices[parameter->initial]);
  }
  for (size_t k = 0; k < parameter_row_count; ++k) {
    const parameter_row_t * row = &parameter_rows[k];
    if (strcmp(row->name, item->name) == 0) {
      value->bool_value = row->number > 0.0;
      value->integer_value = (int64_t)row->number;
      value->double_value = row->number;
      return rosidl_runtime_c__String__assign(&value->string_value, row->text == NULL ? "" : row->text);
    }
  }
  return false;
}

static ros_parameter_value_t * values_create(size_t count)
{
  ros_parameter_value_t * values = calloc(count, sizeof *values);
  for (size_t k = 0; values != NULL && k < count; ++k) {
    if (!rcl_interfaces__msg__ParameterValue__init(&values[k])) {
      for (size_t done = 0; done < k; ++done) {
        rcl_interfaces__msg__ParameterValue__fini(&values[done]);
      }
      free(values);
      return NULL;
    }
  }
  return values;
}

static void values_destroy(ros_parameter_value_t * values, size_t count)
{
  for (size_t k = 0; values != NULL && k < count; ++k) {
    rcl_interfaces__msg__ParameterValue__fini(&values[k]);
  }
  free(values);
}

bool node_parameters_init(ros_parameters_t * parameters)
{
  size_t count = parameter_row_count;
  for (int32_t p = 0; p < fw_planner_def_count(); ++p) {
    count += (size_t)fw_planner_def_at(p)->parameter_count;
  }
  parameters->items = calloc(count, sizeof *parameters->items);
  parameters->values = values_create(count);
  parameters->count = count;
  if (parameters->items == NULL || parameters->values == NULL) {
    return false;
  }
  size_t next = 0;
  for (; next < parameter_row_count; ++next) {
    declare_row(&parameters->items[next], &parameter_rows[next]);
    if (strcmp(parameter_rows[next].name, "planner") == 0) {
      list_planners(&parameters->items[next]);
    }
  }
  for (int32_t p = 0; p < fw_planner_def_count(); ++p) {
    const fw_planner_def_t * planner = fw_planner_def_at(p);
    for (int32_t k = 0; k < planner->parameter_count; ++k, ++next) {
      declare_planner_parameter(&parameters->items[next], planner, &planner->parameters[k]);
    }
  }
  qsort(parameters->items, count, sizeof *parameters->items, by_name);
  for (size_t k = 0; k < count; ++k) {
    if (!initial_value(&parameters->items[k], &parameters->values[k])) {
      return false;
    }
  }
  return true;
}

void ros_parameters_fini(ros_parameters_t * parameters)
{
  values_destroy(parameters->values, parameters->count);
  free(parameters->items);
  *parameters = (ros_parameters_t){0};
}

// ---- changing

// A number without a point is fine for a double, and an empty list of any type for a list.
static bool convert(const parameter_t * item, ros_parameter_value_t * value)
{
  if (item->type == TYPE_DOUBLE && value->type == TYPE_INTEGER) {
    value->double_value = (double)value->integer_value;
    value->type = TYPE_DOUBLE;
  }
  const bool is_list = item->type == ROS_PARAMETER_STRINGS || item->type == TYPE_INTEGERS;
  const bool is_empty_list = value->type >= rcl_interfaces__msg__ParameterType__PARAMETER_BYTE_ARRAY &&
                             value->byte_array_value.size == 0 && value->bool_array_value.size == 0 &&
                             value->integer_array_value.size == 0 && value->double_array_value.size == 0 &&
                             value->string_array_value.size == 0;
  if (is_list && is_empty_list) {
    value->type = item->type;
  }
  return value->type == item->type;
}

<<<<<<< /tmp/m.o
static bool fits(const parameter_t * item, const ros_parameter_value_t * value, fw_error_t * reason)
=======
static bool fits(const parameter_t * item, const value_t * value, fw_error_t * reason)
>>>>>>> /tmp/m.t
{
  if (item->planner_parameter != NULL && item->type == TYPE_STRING) {
    int64_t ignored;
    fw_error_t error = {0};
    const char * text = value->string_value.data;
    if (fw_parameter_parse(item->planner_parameter, text, &ignored, &error) != FW_RET_OK) {
      return node_refuse(reason, "%s: %s", item->name, error.text);
    }
  }
  if (
    item->has_range && item->type == TYPE_INTEGER &&
    (value->integer_value < item->integer_min || value->integer_value > item->integer_max)) {
    return node_refuse(
      reason, "%s must be between %lld and %lld, not %lld", item->name, (long long)item->integer_min,
      (long long)item->integer_max, (long long)value->integer_value);
  }
  // Written so that a value that is no number is refused as well.
  if (
    item->has_range && item->type == TYPE_DOUBLE &&
    !(value->double_value >= item->double_min && value->double_value <= item->double_max)) {
    return node_refuse(
      reason, "%s must be between %g and %g, not %g", item->name, item->double_min, item->double_max,
      value->double_value);
  }
  return true;
}

static bool change(
<<<<<<< /tmp/m.o
  ros_parameters_t * trial, const rcl_interfaces__msg__Parameter * wanted, bool at_start, fw_error_t * reason)
=======
  parameters_t * trial, const rcl_interfaces__msg__Parameter * wanted, bool at_start, fw_error_t * reason)
>>>>>>> /tmp/m.t
{
  const parameter_t * item = parameters_find(trial, wanted->name.data);
  if (item == NULL) {
    return node_refuse(reason, "there is no parameter '%s'", wanted->name.data);
  }
  if (item->is_read_only && !at_start) {
    return node_refuse(reason, "%s can only be set when the node starts", item->name);
  }
  ros_parameter_value_t * value = &trial->values[item - trial->items];
  if (!rcl_interfaces__msg__ParameterValue__copy(&wanted->value, value)) {
    return node_refuse(reason, "out of memory");
  }
  if (!convert(item, value)) {
    return node_refuse(
      reason, "%s is of type %s, not %s", item->name, parameter_type_name(item->type),
      parameter_type_name(wanted->value.type));
  }
  return fits(item, value, reason);
}

<<<<<<< /tmp/m.o
bool node_parameters_set(
  ros_parameters_t * parameters, const rcl_interfaces__msg__Parameter * changes, size_t count, bool at_start,
=======
bool parameters_set(
  parameters_t * parameters, const rcl_interfaces__msg__Parameter * changes, size_t count, bool at_start,
>>>>>>> /tmp/m.t
  fw_error_t * reason)
{
  ros_parameters_t trial = *parameters;
  trial.values = values_create(parameters->count);
  bool is_fine = trial.values != NULL || node_refuse(reason, "out of memory");
  for (size_t k = 0; is_fine && k < trial.count; ++k) {
    is_fine = rcl_interfaces__msg__ParameterValue__copy(&parameters->values[k], &trial.values[k]) ||
              node_refuse(reason, "out of memory");
  }
  for (size_t k = 0; is_fine && k < count; ++k) {
    is_fine = change(&trial, &changes[k], at_start, reason);
  }
  node_settings_t settings;
<<<<<<< /tmp/m.o
  is_fine = is_fine && node_settings_read(&settings, &trial, reason);
=======
  is_fine = is_fine && settings_read(&settings, &trial, reason);
>>>>>>> /tmp/m.t
  if (is_fine) {
    values_destroy(parameters->values, parameters->count);
    parameters->values = trial.values;
  } else {
    values_destroy(trial.values, trial.count);
  }
  return is_fine;
}
