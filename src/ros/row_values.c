// Rows, one value: into its place, if it is of the right type and range. See rows.h.

#include <math.h>
#include <rcl_yaml_param_parser/types.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ros/row_values.h"

static void * field(void * values, const ros_row_t * row) { return (char *)values + row->offset; }

// An empty list has no type in YAML.
static bool is_empty_list(const rcl_variant_t * value)
{
  const bool has_scalar = value->bool_value != NULL || value->integer_value != NULL || value->double_value != NULL ||
                          value->string_value != NULL;
  const bool has_items = (value->bool_array_value != NULL && value->bool_array_value->size > 0) ||
                         (value->integer_array_value != NULL && value->integer_array_value->size > 0) ||
                         (value->double_array_value != NULL && value->double_array_value->size > 0) ||
                         (value->string_array_value != NULL && value->string_array_value->size > 0) ||
                         (value->byte_array_value != NULL && value->byte_array_value->size > 0);
  return !has_scalar && !has_items;
}

static fw_ret_t set_robot_count(ros_row_texts_t * robots, int32_t count, fw_error_t * error)
{
  free(robots->items);
  *robots = (ros_row_texts_t){calloc((size_t)count + 1, sizeof(*robots->items)), count};
  if (robots->items == NULL) {
    return fw__error_memory(error);
  }
  for (int32_t i = 0; i < count; ++i) {
    snprintf(robots->items[i], FW_ROW_NAME_MAX, "robot_%d", (int)i);
  }
  return FW_RET_OK;
}

static fw_ret_t set_robots(void * values, const ros_row_t * row, const rcl_variant_t * value, fw_error_t * error)
{
  ros_row_texts_t * robots = field(values, row);
  const rcutils_string_array_t * names = value->string_array_value;
  const int64_t count = names != NULL                  ? (int64_t)names->size
                        : is_empty_list(value)         ? 0
                        : value->integer_value != NULL ? *value->integer_value
                                                       : -1;
  if (count < (int64_t)row->min || count > (int64_t)row->max) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "parameter %s must be a list of names or a number from %g to %g", row->name,
      row->min, row->max);
  }
  const fw_ret_t ret = set_robot_count(robots, (int32_t)count, error);
  for (int32_t i = 0; ret == FW_RET_OK && names != NULL && i < (int32_t)count; ++i) {
    const int length = snprintf(robots->items[i], FW_ROW_NAME_MAX, "%s", names->data[i]);
    if (length < 1 || length >= FW_ROW_NAME_MAX) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "parameter %s: name %d must have 1 to %d characters", row->name, (int)i,
        FW_ROW_NAME_MAX - 1);
    }
    for (int32_t j = 0; j < i; ++j) {
      if (strcmp(robots->items[i], robots->items[j]) == 0) {
        return fw__error(
          error, FW_RET_INVALID_ARGUMENT, "parameter %s: %s stands there twice", row->name, names->data[i]);
      }
    }
  }
  return ret;
}

static fw_ret_t set_number(void * values, const ros_row_t * row, const rcl_variant_t * value, fw_error_t * error)
{
  const bool is_integer = value->integer_value != NULL;
  const double number = is_integer                    ? (double)*value->integer_value
                        : value->double_value != NULL ? *value->double_value
                                                      : NAN;
  // Written so that a NaN is refused too.
  if (!(number >= row->min && number <= row->max) || (row->kind == FW_ROW_INTEGER && !is_integer)) {
    char given[32] = "";
    if (!isnan(number)) {
      snprintf(given, sizeof(given), ", not %g", number);
    }
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "parameter %s must be %s from %g to %g%s", row->name,
      row->kind == FW_ROW_INTEGER ? "an integer" : "a number", row->min, row->max, given);
  }
  if (row->kind == FW_ROW_INTEGER) {
    *(int64_t *)field(values, row) = *value->integer_value;
  } else {
    *(double *)field(values, row) = number;
  }
  return FW_RET_OK;
}

static fw_ret_t set_texts(void * values, const ros_row_t * row, const rcl_variant_t * value, fw_error_t * error)
{
  const rcutils_string_array_t * texts = value->string_array_value;
  ros_row_texts_t * list = field(values, row);
  if (is_empty_list(value)) {
    list->count = 0;
    return FW_RET_OK;
  }
  if (texts == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "parameter %s must be a list of texts", row->name);
  }
  free(list->items);
  *list = (ros_row_texts_t){calloc(texts->size + 1, sizeof(*list->items)), (int32_t)texts->size};
  for (int32_t i = 0; list->items != NULL && i < list->count; ++i) {
    if (snprintf(list->items[i], FW_ROW_NAME_MAX, "%s", texts->data[i]) >= FW_ROW_NAME_MAX) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "parameter %s: '%.20s...' has more than %d characters", row->name,
        texts->data[i], FW_ROW_NAME_MAX - 1);
    }
  }
  return list->items == NULL ? fw__error_memory(error) : FW_RET_OK;
}

static fw_ret_t set_integers(void * values, const ros_row_t * row, const rcl_variant_t * value, fw_error_t * error)
{
  const rcl_int64_array_t * numbers = value->integer_array_value;
  ros_row_integers_t * list = field(values, row);
  if (is_empty_list(value)) {
    list->count = 0;
    return FW_RET_OK;
  }
  if (numbers == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "parameter %s must be a list of integers", row->name);
  }
  free(list->items);
  *list = (ros_row_integers_t){calloc(numbers->size + 1, sizeof(*list->items)), (int32_t)numbers->size};
  for (int32_t i = 0; list->items != NULL && i < list->count; ++i) {
    list->items[i] = numbers->values[i];
    if ((double)list->items[i] < row->min || (double)list->items[i] > row->max) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "parameter %s must be integers from %g to %g, not %lld", row->name, row->min,
        row->max, (long long)list->items[i]);
    }
  }
  return list->items == NULL ? fw__error_memory(error) : FW_RET_OK;
}

fw_ret_t ros_row_set_value(void * values, const ros_row_t * row, const rcl_variant_t * value, fw_error_t * error)
{
  switch (row->kind) {
    case FW_ROW_ROBOTS:
      return set_robots(values, row, value, error);
    case FW_ROW_TEXT:
      if (value->string_value == NULL || strlen(value->string_value) >= FW_ROW_TEXT_MAX) {
        return fw__error(
          error, FW_RET_INVALID_ARGUMENT, "parameter %s must be a text shorter than %d", row->name, FW_ROW_TEXT_MAX);
      }
      snprintf(field(values, row), FW_ROW_TEXT_MAX, "%s", value->string_value);
      return FW_RET_OK;
    case FW_ROW_BOOLEAN:
      if (value->bool_value == NULL) {
        return fw__error(error, FW_RET_INVALID_ARGUMENT, "parameter %s must be true or false", row->name);
      }
      *(bool *)field(values, row) = *value->bool_value;
      return FW_RET_OK;
    case FW_ROW_NUMBER:
    case FW_ROW_INTEGER:
      return set_number(values, row, value, error);
    case FW_ROW_TEXTS:
      return set_texts(values, row, value, error);
    case FW_ROW_INTEGERS:
      return set_integers(values, row, value, error);
  }
  return FW_RET_ERROR;
}
