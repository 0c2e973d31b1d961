// Parameters: rows of a table, their values, changes from outside, and the fields that receive them. See parameters.h.

#include "ros/parameters.h"

#include <stdlib.h>
#include <string.h>

#include <rcl/error_handling.h>
#include <rcl_yaml_param_parser/parser.h>
#include <rcutils/logging_macros.h>
#include <rosidl_runtime_c/primitives_sequence_functions.h>
#include <rosidl_runtime_c/string_functions.h>

#include "base/assert.h"
#include "base/error.h"

// ---- rows

static ros_parameter_type_t row_type(const ros_parameter_row_t * row)
{
  if (row->choices != NULL) {
    return ROS_PARAMETER_STRING;
  }
  switch (row->field) {
    case ROS_FIELD_BOOL:
      return ROS_PARAMETER_BOOL;
    case ROS_FIELD_INT32:
    case ROS_FIELD_INT64:
      return ROS_PARAMETER_INTEGER;
    case ROS_FIELD_DOUBLE:
      return ROS_PARAMETER_DOUBLE;
    case ROS_FIELD_TEXT:
      return ROS_PARAMETER_STRING;
    case ROS_FIELD_STRINGS:
      return ROS_PARAMETER_STRINGS;
    case ROS_FIELD_INTEGERS:
      return ROS_PARAMETER_INTEGERS;
    case ROS_FIELD_NONE:
      break;
  }
  return row->type;
}

ros_parameter_type_t ros_parameter_type(const ros_parameter_t * parameter) { return row_type(&parameter->row); }

static bool has_range(const ros_parameter_row_t * row) { return row->min < row->max; }

// The index of `text` among the choices of a row, -1 if it is none of them.
static int32_t find_choice(const ros_parameter_row_t * row, const char * text)
{
  int32_t index = row->choice_count - 1;
  while (index >= 0 && strcmp(row->choices[index], text) != 0) {
    --index;
  }
  return index;
}

static const char * type_name(uint8_t type)
{
  static const char * const names[] = {"not set",    "bool",       "integer",       "double",       "string",
                                       "byte array", "bool array", "integer array", "double array", "string array"};
  return type < sizeof(names) / sizeof(names[0]) ? names[type] : "unknown";
}

// ---- finding

static int compare_names(const void * one, const void * other)
{
  return strcmp(((const ros_parameter_t *)one)->name, ((const ros_parameter_t *)other)->name);
}

const ros_parameter_t * ros_parameters_find(const ros_parameters_t * parameters, const char * name)
{
  size_t first = 0;
  size_t end = parameters->count;
  while (first < end) {
    const size_t middle = first + (end - first) / 2;
    const int order = strcmp(name, parameters->items[middle].name);
    if (order == 0) {
      return &parameters->items[middle];
    }
    first = order > 0 ? middle + 1 : first;
    end = order < 0 ? middle : end;
  }
  return NULL;
}

const ros_parameter_value_t * ros_parameters_value(const ros_parameters_t * parameters, const char * name)
{
  const ros_parameter_t * parameter = ros_parameters_find(parameters, name);
  FW_ASSERT(parameter != NULL);  // a name that the node's own code has wrong
  return parameter == NULL ? NULL : &parameters->values[parameter - parameters->items];
}

// ---- values

static void destroy_values(ros_parameter_value_t * values, size_t count)
{
  for (size_t i = 0; values != NULL && i < count; ++i) {
    rcl_interfaces__msg__ParameterValue__fini(&values[i]);
  }
  free(values);
}

// NULL when there is no memory.
static ros_parameter_value_t * create_values(size_t count)
{
  ros_parameter_value_t * values = calloc(count + 1, sizeof(*values));
  for (size_t i = 0; values != NULL && i < count; ++i) {
    if (!rcl_interfaces__msg__ParameterValue__init(&values[i])) {
      destroy_values(values, i);
      return NULL;
    }
  }
  return values;
}

static ros_parameter_value_t * copy_values(const ros_parameters_t * parameters)
{
  ros_parameter_value_t * values = create_values(parameters->count);
  for (size_t i = 0; values != NULL && i < parameters->count; ++i) {
    if (!rcl_interfaces__msg__ParameterValue__copy(&parameters->values[i], &values[i])) {
      destroy_values(values, parameters->count);
      return NULL;
    }
  }
  return values;
}

// The names robot_0, robot_1, ... as the value of a list.
static fw_ret_t number_robots(ros_parameter_value_t * value, size_t count, fw_error_t * error)
{
  rosidl_runtime_c__String__Sequence * names = &value->string_array_value;
  rosidl_runtime_c__String__Sequence__fini(names);
  bool is_done = rosidl_runtime_c__String__Sequence__init(names, count);
  for (size_t i = 0; is_done && i < count; ++i) {
    char name[ROS_ROBOT_NAME_SIZE];
    (void)snprintf(name, sizeof(name), "robot_%zu", i);
    is_done = rosidl_runtime_c__String__assign(&names->data[i], name);
  }
  value->type = ROS_PARAMETER_STRINGS;
  return is_done ? FW_RET_OK : fw__error_memory(error);
}

static fw_ret_t set_initial(const ros_parameter_t * parameter, ros_parameter_value_t * value, fw_error_t * error)
{
  const ros_parameter_row_t * row = &parameter->row;
  value->type = (uint8_t)row_type(row);
  value->bool_value = row->number > 0.0;
  value->integer_value = (int64_t)row->number;
  value->double_value = row->number;
  if (row->list == ROS_LIST_NAMES) {
    return number_robots(value, (size_t)row->number, error);
  }
  return rosidl_runtime_c__String__assign(&value->string_value, row->text == NULL ? "" : row->text)
           ? FW_RET_OK
           : fw__error_memory(error);
}

// ---- checking one value

// "dependency, timed or none".
static void list_choices(const ros_parameter_row_t * row, char * text, size_t size)
{
  size_t used = 0;
  text[0] = '\0';
  for (int32_t i = 0; i < row->choice_count && used < size; ++i) {
    const char * separator = i == 0 ? "" : i + 1 == row->choice_count ? " or " : ", ";
    const int added = snprintf(text + used, size - used, "%s%s", separator, row->choices[i]);
    used += added < 0 ? 0 : (size_t)added;
  }
}

static fw_ret_t check_integer(const ros_parameter_row_t * row, int64_t value, fw_error_t * error)
{
  const int64_t min = (int64_t)row->min, max = (int64_t)row->max;
  if (!has_range(row) || (value >= min && value <= max)) {
    return FW_RET_OK;
  }
  return fw__error(
    error, FW_RET_INVALID_ARGUMENT, "%s must be between %lld and %lld, not %lld", row->name, (long long)min,
    (long long)max, (long long)value);
}

static fw_ret_t check_double(const ros_parameter_row_t * row, double value, fw_error_t * error)
{
  // Written so that a NaN is rejected too.
  if (!has_range(row) || (value >= row->min && value <= row->max)) {
    return FW_RET_OK;
  }
  return fw__error(
    error, FW_RET_INVALID_ARGUMENT, "%s must be between %g and %g, not %g", row->name, row->min, row->max, value);
}

// A message carries the length of a text, so there may be a zero byte in it, and what is behind it would be lost.
static fw_ret_t check_text(const ros_parameter_row_t * row, const rosidl_runtime_c__String * text, fw_error_t * error)
{
  return strlen(text->data) == text->size
           ? FW_RET_OK
           : fw__error(
               error, FW_RET_INVALID_ARGUMENT, "%s must not contain a zero byte: '%.40s'", row->name, text->data);
}

static fw_ret_t check_string(const ros_parameter_row_t * row, const rosidl_runtime_c__String * text, fw_error_t * error)
{
  const char * value = text->data;
  const fw_ret_t ret = check_text(row, text, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (row->choices != NULL && find_choice(row, value) < 0) {
    char allowed[160];
    list_choices(row, allowed, sizeof(allowed));
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "%s must be %s, not '%.40s'", row->name, allowed, value);
  }
  if (row->field == ROS_FIELD_TEXT && strlen(value) >= row->size) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "%s must have at most %zu characters: '%.40s...'", row->name, row->size - 1,
      value);
  }
  return FW_RET_OK;
}

static fw_ret_t check_names(
  const ros_parameter_row_t * row, const rosidl_runtime_c__String__Sequence * names, fw_error_t * error)
{
  if ((double)names->size < row->min || (double)names->size > row->max) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "%s must be a list of names or a number from %g to %g", row->name, row->min,
      row->max);
  }
  for (size_t i = 0; i < names->size; ++i) {
    const char * name = names->data[i].data;
    if (name[0] == '\0' || names->data[i].size >= ROS_ROBOT_NAME_SIZE) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "%s: name %zu must have 1 to %d characters: '%.70s'", row->name, i,
        ROS_ROBOT_NAME_SIZE - 1, name);
    }
    for (size_t j = 0; j < i; ++j) {
      if (strcmp(name, names->data[j].data) == 0) {
        return fw__error(error, FW_RET_INVALID_ARGUMENT, "%s: '%s' is listed twice", row->name, name);
      }
    }
  }
  return FW_RET_OK;
}

static fw_ret_t check_value(const ros_parameter_row_t * row, const ros_parameter_value_t * value, fw_error_t * error)
{
  FW_ASSERT(value->type == row_type(row));
  fw_ret_t ret = FW_RET_OK;
  switch (row_type(row)) {
    case ROS_PARAMETER_BOOL:
      break;
    case ROS_PARAMETER_INTEGER:
      return check_integer(row, value->integer_value, error);
    case ROS_PARAMETER_DOUBLE:
      return check_double(row, value->double_value, error);
    case ROS_PARAMETER_STRING:
      return check_string(row, &value->string_value, error);
    case ROS_PARAMETER_INTEGERS:
      for (size_t i = 0; ret == FW_RET_OK && i < value->integer_array_value.size; ++i) {
        ret = check_integer(row, value->integer_array_value.data[i], error);
      }
      break;
    case ROS_PARAMETER_DOUBLES:
      for (size_t i = 0; ret == FW_RET_OK && i < value->double_array_value.size; ++i) {
        ret = check_double(row, value->double_array_value.data[i], error);
      }
      break;
    case ROS_PARAMETER_STRINGS:
      for (size_t i = 0; ret == FW_RET_OK && i < value->string_array_value.size; ++i) {
        ret = check_text(row, &value->string_array_value.data[i], error);
      }
      if (ret == FW_RET_OK && row->list == ROS_LIST_NAMES) {
        ret = check_names(row, &value->string_array_value, error);
      }
      break;
  }
  return ret;
}

// ---- life

fw_ret_t ros_parameters_init(ros_parameters_t * parameters, const ros_parameter_table_t * table, fw_error_t * error)
{
  *parameters = (ros_parameters_t){
    .items = calloc(table->count + 1, sizeof(*parameters->items)),
    .values = create_values(table->count),
    .count = table->count,
    .check = table->check,
  };
  if (parameters->items == NULL || parameters->values == NULL) {
    return fw__error_memory(error);
  }
  for (size_t i = 0; i < table->count; ++i) {
    ros_parameter_t * item = &parameters->items[i];
    FW_ASSERT(strlen(table->rows[i].name) < sizeof(item->name));
    item->row = table->rows[i];
    (void)snprintf(item->name, sizeof(item->name), "%s", table->rows[i].name);
    (void)snprintf(item->help, sizeof(item->help), "%s", table->rows[i].help);
  }
  qsort(parameters->items, parameters->count, sizeof(*parameters->items), compare_names);
  fw_ret_t ret = FW_RET_OK;
  for (size_t i = 0; ret == FW_RET_OK && i < parameters->count; ++i) {
    ros_parameter_t * item = &parameters->items[i];
    item->row.name = item->name;
    item->row.help = item->help;
    ret = set_initial(item, &parameters->values[i], error);
  }
  if (FW_ASSERT_ENABLED && ret == FW_RET_OK) {
    FW_ASSERT(ros_parameters_validate(parameters, NULL));
  }
  return ret;
}

void ros_parameters_fini(ros_parameters_t * parameters)
{
  destroy_values(parameters->values, parameters->count);
  free(parameters->items);
  *parameters = (ros_parameters_t){0};
}

// Why a row is wrong, NULL if it is right. `before` is the row before it by name, NULL for the first.
static const char * find_fault(
  const ros_parameter_row_t * row, const ros_parameter_row_t * before, const ros_parameter_value_t * value)
{
  const bool is_index = row->choices != NULL && row->field != ROS_FIELD_NONE && row->field != ROS_FIELD_TEXT;
  if (row->name[0] == '\0' || row->help[0] == '\0') {
    return "has no name or no help";
  }
  if (before != NULL && strcmp(before->name, row->name) >= 0) {
    return "is declared twice";
  }
  if (row_type(row) == 0) {
    return "has neither a field nor a type";
  }
  if (row->min > row->max || (row->list == ROS_LIST_NAMES && !has_range(row))) {
    return "has an empty range";
  }
  if (row->choices != NULL && row->choice_count < 1) {
    return "has no choices";
  }
  if (is_index && row->field == ROS_FIELD_BOOL && row->choice_count != 2) {
    return "has more choices than its bool field can hold";
  }
  if (is_index && row->field != ROS_FIELD_BOOL && row->field != ROS_FIELD_INT32) {
    return "has choices and a field that cannot hold their index";
  }
  if (
    row->field == ROS_FIELD_INT32 && !is_index &&
    (!has_range(row) || row->min < (double)INT32_MIN || row->max > (double)INT32_MAX)) {
    return "has a 32-bit field that cannot hold its whole range";
  }
  return check_value(row, value, NULL) == FW_RET_OK ? NULL : "has an initial value that is not allowed";
}

bool ros_parameters_validate(const ros_parameters_t * parameters, fw_error_t * error)
{
  for (size_t i = 0; i < parameters->count; ++i) {
    const ros_parameter_row_t * row = &parameters->items[i].row;
    const ros_parameter_row_t * before = i == 0 ? NULL : &parameters->items[i - 1].row;
    const char * fault = find_fault(row, before, &parameters->values[i]);
    if (fault != NULL) {
      (void)fw__error(error, FW_RET_ERROR, "parameter '%s' %s", row->name, fault);
      return false;
    }
  }
  return true;
}

// ---- changing

static bool is_empty_list(const ros_parameter_value_t * value)
{
  return value->type >= rcl_interfaces__msg__ParameterType__PARAMETER_BYTE_ARRAY && value->byte_array_value.size == 0 &&
         value->bool_array_value.size == 0 && value->integer_array_value.size == 0 &&
         value->double_array_value.size == 0 && value->string_array_value.size == 0;
}

static bool make_doubles(ros_parameter_value_t * value)
{
  const rosidl_runtime_c__int64__Sequence * given = &value->integer_array_value;
  rosidl_runtime_c__double__Sequence * doubles = &value->double_array_value;
  rosidl_runtime_c__double__Sequence__fini(doubles);
  const bool is_done = rosidl_runtime_c__double__Sequence__init(doubles, given->size);
  for (size_t i = 0; is_done && i < given->size; ++i) {
    doubles->data[i] = (double)given->data[i];
  }
  value->type = ROS_PARAMETER_DOUBLES;
  return is_done;
}

static bool is_list(ros_parameter_type_t type)
{
  return type == ROS_PARAMETER_STRINGS || type == ROS_PARAMETER_INTEGERS || type == ROS_PARAMETER_DOUBLES;
}

// Gives a value the type of its row where nothing is lost: an integer for a double, also in lists, an empty list of any
// type for a list (in YAML it has no type), the number of robots for their names.
static fw_ret_t convert(const ros_parameter_row_t * row, ros_parameter_value_t * value, fw_error_t * error)
{
  const ros_parameter_type_t type = row_type(row);
  const uint8_t given = value->type;
  if (type == ROS_PARAMETER_DOUBLE && given == ROS_PARAMETER_INTEGER) {
    value->double_value = (double)value->integer_value;
    value->type = ROS_PARAMETER_DOUBLE;
  }
  if (type == ROS_PARAMETER_DOUBLES && given == ROS_PARAMETER_INTEGERS && !make_doubles(value)) {
    return fw__error_memory(error);
  }
  if (is_list(type) && is_empty_list(value)) {
    value->type = (uint8_t)type;
  }
  if (row->list == ROS_LIST_NAMES && given == ROS_PARAMETER_INTEGER) {
    const double count = (double)value->integer_value;
    if (count >= row->min && count <= row->max) {
      return number_robots(value, (size_t)value->integer_value, error);
    }
  }
  if (value->type == type) {
    return FW_RET_OK;
  }
  if (row->list == ROS_LIST_NAMES) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "%s must be a list of names or a number from %g to %g", row->name, row->min,
      row->max);
  }
  return fw__error(
    error, FW_RET_INVALID_ARGUMENT, "%s must be of type %s, not %s", row->name, type_name((uint8_t)type),
    type_name(given));
}

static fw_ret_t apply_change(
  ros_parameters_t * trial, const rcl_interfaces__msg__Parameter * change, ros_parameter_phase_t phase,
  fw_error_t * error)
{
  const ros_parameter_t * parameter = ros_parameters_find(trial, change->name.data);
  if (parameter == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "there is no parameter '%.100s'", change->name.data);
  }
  if (parameter->row.is_read_only && phase == ROS_PARAMETERS_RUNNING) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "%s can only be set when the node starts", parameter->name);
  }
  ros_parameter_value_t * value = &trial->values[parameter - trial->items];
  if (!rcl_interfaces__msg__ParameterValue__copy(&change->value, value)) {
    return fw__error_memory(error);
  }
  const fw_ret_t ret = convert(&parameter->row, value, error);
  return ret == FW_RET_OK ? check_value(&parameter->row, value, error) : ret;
}

fw_ret_t ros_parameters_set(ros_parameters_t * parameters, const ros_parameter_changes_t * changes, fw_error_t * error)
{
  ros_parameters_t trial = *parameters;
  trial.values = copy_values(parameters);
  fw_ret_t ret = trial.values == NULL ? fw__error_memory(error) : FW_RET_OK;
  for (size_t i = 0; ret == FW_RET_OK && i < changes->count; ++i) {
    ret = apply_change(&trial, &changes->items[i], changes->phase, error);
  }
  if (ret == FW_RET_OK && trial.check != NULL) {
    ret = trial.check(&trial, error);
  }
  destroy_values(ret == FW_RET_OK ? parameters->values : trial.values, parameters->count);
  if (ret == FW_RET_OK) {
    parameters->values = trial.values;
  }
  return ret;
}

// ---- YAML files and the command line

// A pattern or a name of a node is a row of tokens, each behind a slash.
static const char * next_token(const char * text, size_t * length)
{
  text += *text == '/';
  *length = strcspn(text, "/");
  return text;
}

// Is the node with the full name `name` ("/fleet/fleet_sim") meant by `pattern` ("/**", "/*/fleet_sim")? `*` stands for
// one token between slashes, `**` for any number of them. Glob matching with one backtracking point: after a `**` that
// took too few tokens, it takes one more and the rest is tried again.
static bool matches_node(const char * pattern, const char * name)
{
  const char * retry_pattern = NULL;
  const char * retry_name = NULL;
  while (*name != '\0' || *pattern != '\0') {
    size_t pattern_length = 0;
    size_t name_length = 0;
    const char * pattern_token = next_token(pattern, &pattern_length);
    const char * name_token = next_token(name, &name_length);
    if (pattern_length == 2 && memcmp(pattern_token, "**", 2) == 0) {
      pattern = pattern_token + 2;
      retry_pattern = pattern;
      retry_name = name;
    } else if (
      name_length > 0 && ((pattern_length == 1 && *pattern_token == '*') ||
                          (pattern_length == name_length && memcmp(pattern_token, name_token, name_length) == 0))) {
      pattern = pattern_token + pattern_length;
      name = name_token + name_length;
    } else if (retry_name != NULL && *retry_name != '\0') {
      retry_name = next_token(retry_name, &name_length);
      retry_name += name_length;
      name = retry_name;
      pattern = retry_pattern;
    } else {
      return false;
    }
  }
  return true;
}

static bool copy_strings(rosidl_runtime_c__String__Sequence * to, const rcutils_string_array_t * from)
{
  bool is_done = rosidl_runtime_c__String__Sequence__init(to, from->size);
  for (size_t i = 0; is_done && i < from->size; ++i) {
    is_done = rosidl_runtime_c__String__assign(&to->data[i], from->data[i]);
  }
  return is_done;
}

static bool copy_integers(rosidl_runtime_c__int64__Sequence * to, const rcl_int64_array_t * from)
{
  if (!rosidl_runtime_c__int64__Sequence__init(to, from->size)) {
    return false;
  }
  for (size_t i = 0; i < from->size; ++i) {
    to->data[i] = from->values[i];
  }
  return true;
}

static bool copy_doubles(rosidl_runtime_c__double__Sequence * to, const rcl_double_array_t * from)
{
  if (!rosidl_runtime_c__double__Sequence__init(to, from->size)) {
    return false;
  }
  for (size_t i = 0; i < from->size; ++i) {
    to->data[i] = from->values[i];
  }
  return true;
}

// rcl's variant has one pointer per type; an empty list in YAML leaves all of them NULL or an array of size 0. Of the
// types that no parameter has, only the type and the size are copied, for the error text.
static bool copy_variant(ros_parameter_value_t * value, const rcl_variant_t * variant)
{
  if (variant->bool_value != NULL) {
    value->type = ROS_PARAMETER_BOOL;
    value->bool_value = *variant->bool_value;
  } else if (variant->integer_value != NULL) {
    value->type = ROS_PARAMETER_INTEGER;
    value->integer_value = *variant->integer_value;
  } else if (variant->double_value != NULL) {
    value->type = ROS_PARAMETER_DOUBLE;
    value->double_value = *variant->double_value;
  } else if (variant->string_value != NULL) {
    value->type = ROS_PARAMETER_STRING;
    return rosidl_runtime_c__String__assign(&value->string_value, variant->string_value);
  } else if (variant->string_array_value != NULL) {
    value->type = ROS_PARAMETER_STRINGS;
    return copy_strings(&value->string_array_value, variant->string_array_value);
  } else if (variant->integer_array_value != NULL) {
    value->type = ROS_PARAMETER_INTEGERS;
    return copy_integers(&value->integer_array_value, variant->integer_array_value);
  } else if (variant->double_array_value != NULL) {
    value->type = ROS_PARAMETER_DOUBLES;
    return copy_doubles(&value->double_array_value, variant->double_array_value);
  } else if (variant->bool_array_value != NULL) {
    value->type = rcl_interfaces__msg__ParameterType__PARAMETER_BOOL_ARRAY;
    return rosidl_runtime_c__boolean__Sequence__init(&value->bool_array_value, variant->bool_array_value->size);
  } else {
    value->type = rcl_interfaces__msg__ParameterType__PARAMETER_BYTE_ARRAY;
  }
  return true;
}

static void log_unknown(const ros_parameter_source_t * source, const char * name)
{
  // A section for all nodes may hold what is meant for another one, so this is no error.
  if (source->warns_of_unknown) {
    RCUTILS_LOG_WARN_NAMED(source->logger, "parameter '%s' is given but not known here", name);
  } else {
    RCUTILS_LOG_DEBUG_NAMED(source->logger, "parameter '%s' is given but not known here", name);
  }
}

static size_t count_matching(const rcl_params_t * overrides, const char * node_name)
{
  size_t count = 0;
  for (size_t n = 0; n < overrides->num_nodes; ++n) {
    count += matches_node(overrides->node_names[n], node_name) ? overrides->params[n].num_params : 0;
  }
  return count;
}

// Everything that is meant for this node and known to it, in the order in which it was given.
static bool collect(
  rcl_interfaces__msg__Parameter__Sequence * changes, const rcl_params_t * overrides,
  const ros_parameters_t * parameters, const ros_parameter_source_t * source)
{
  size_t next = 0;
  for (size_t n = 0; n < overrides->num_nodes; ++n) {
    const rcl_node_params_t * list = &overrides->params[n];
    for (size_t i = 0; matches_node(overrides->node_names[n], source->node_name) && i < list->num_params; ++i) {
      const char * name = list->parameter_names[i];
      if (ros_parameters_find(parameters, name) == NULL) {
        log_unknown(source, name);
        continue;
      }
      FW_ASSERT(next < changes->capacity);
      rcl_interfaces__msg__Parameter * change = &changes->data[next++];
      if (
        !rosidl_runtime_c__String__assign(&change->name, name) ||
        !copy_variant(&change->value, &list->parameter_values[i])) {
        return false;
      }
    }
  }
  changes->size = next;
  return true;
}

fw_ret_t ros_parameters_override(
  ros_parameters_t * parameters, const ros_parameter_source_t * source, fw_error_t * error)
{
  rcl_params_t * overrides = NULL;
  if (rcl_arguments_get_param_overrides(source->arguments, &overrides) != RCL_RET_OK) {
    const rcl_error_string_t text = rcl_get_error_string();
    rcl_reset_error();
    return fw__error(error, FW_RET_ERROR, "cannot read the parameters of the command line: %s", text.str);
  }
  // Without overrides the change is empty; the initial values are then checked as a whole all the same.
  rcl_interfaces__msg__Parameter__Sequence changes = {0};
  const size_t count = overrides == NULL ? 0 : count_matching(overrides, source->node_name);
  fw_ret_t ret = FW_RET_OK;
  if (
    !rcl_interfaces__msg__Parameter__Sequence__init(&changes, count) ||
    (overrides != NULL && !collect(&changes, overrides, parameters, source))) {
    ret = fw__error_memory(error);
  }
  if (ret == FW_RET_OK) {
    const ros_parameter_changes_t change = {changes.data, changes.size, ROS_PARAMETERS_AT_START};
    ret = ros_parameters_set(parameters, &change, error);
  }
  rcl_interfaces__msg__Parameter__Sequence__fini(&changes);
  if (overrides != NULL) {
    rcl_yaml_node_struct_fini(overrides);
  }
  return ret;
}

void ros_parameters_make_read_only(ros_parameters_t * parameters)
{
  for (size_t i = 0; i < parameters->count; ++i) {
    parameters->items[i].row.is_read_only = true;
  }
}

// ---- reading

// The number that a bool, integer or enum field receives.
static int64_t to_integer(const ros_parameter_row_t * row, const ros_parameter_value_t * value)
{
  if (row->choices != NULL) {
    return find_choice(row, value->string_value.data);
  }
  return row_type(row) == ROS_PARAMETER_BOOL ? (value->bool_value ? 1 : 0) : value->integer_value;
}

static void read_field(const ros_parameter_row_t * row, const ros_parameter_value_t * value, void * field)
{
  switch (row->field) {
    case ROS_FIELD_NONE:
      break;
    case ROS_FIELD_BOOL:
      *(bool *)field = to_integer(row, value) != 0;
      break;
    case ROS_FIELD_INT32:
      FW_ASSERT(row->size == sizeof(int32_t));
      *(int32_t *)field = (int32_t)to_integer(row, value);
      break;
    case ROS_FIELD_INT64:
      FW_ASSERT(row->size == sizeof(int64_t));
      *(int64_t *)field = to_integer(row, value);
      break;
    case ROS_FIELD_DOUBLE:
      *(double *)field = value->double_value;
      break;
    case ROS_FIELD_TEXT:
      FW_ASSERT(value->string_value.size < row->size);
      (void)snprintf(field, row->size, "%s", value->string_value.data);
      break;
    case ROS_FIELD_STRINGS:
      *(ros_strings_t *)field =
        (ros_strings_t){value->string_array_value.data, (int32_t)value->string_array_value.size};
      break;
    case ROS_FIELD_INTEGERS:
      *(ros_integers_t *)field =
        (ros_integers_t){value->integer_array_value.data, (int32_t)value->integer_array_value.size};
      break;
  }
}

void ros_parameters_read(const ros_parameters_t * parameters, void * fields)
{
  for (size_t i = 0; i < parameters->count; ++i) {
    const ros_parameter_row_t * row = &parameters->items[i].row;
    read_field(row, &parameters->values[i], (char *)fields + row->offset);
  }
}

// ---- printing

void ros_parameters_print(const ros_parameter_table_t * table, FILE * stream)
{
  for (size_t i = 0; i < table->count; ++i) {
    const ros_parameter_row_t * row = &table->rows[i];
    const ros_parameter_type_t type = row_type(row);
    char initial[ROS_PARAMETER_HELP_SIZE];
    if (type == ROS_PARAMETER_STRING) {
      (void)snprintf(initial, sizeof(initial), "\"%s\"", row->text == NULL ? "" : row->text);
    } else if (type == ROS_PARAMETER_BOOL) {
      (void)snprintf(initial, sizeof(initial), "%s", row->number != 0.0 ? "true" : "false");
    } else if (is_list(type) && row->number == 0.0) {
      (void)snprintf(initial, sizeof(initial), "[]");
    } else {
      (void)snprintf(initial, sizeof(initial), "%g", row->number);
    }
    fprintf(stream, "  %-16s %s [%s]\n", row->name, row->help, initial);
  }
}
