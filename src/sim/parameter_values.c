// Parameter values: each kind of row takes its value from what YAML or the command line says. See parameter_rows.h.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "sim/parameter_rows.h"

static void * field(fw_sim_parameters_t * parameters, const fw_sim_row_t * row)
{
  return (char *)parameters + row->offset;
}

static fw_ret_t set_robot_count(fw_sim_parameters_t * parameters, int32_t count, fw_error_t * error)
{
  free(parameters->robots);
  parameters->robots = calloc((size_t)count, sizeof(*parameters->robots));
  parameters->robot_count = count;
  if (parameters->robots == NULL) {
    return fw__error_memory(error);
  }
  for (int32_t i = 0; i < count; ++i) {
    snprintf(parameters->robots[i], FW_SIM_NAME_MAX, "robot_%d", (int)i);
  }
  return FW_RET_OK;
}

static fw_ret_t set_robots(fw_sim_parameters_t * parameters, const rcl_variant_t * value, fw_error_t * error)
{
  const rcutils_string_array_t * names = value->string_array_value;
  const int64_t count = names != NULL                  ? (int64_t)names->size
                        : value->integer_value != NULL ? *value->integer_value
                                                       : -1;
  if (count < 1 || count > FW_SIM_ROBOTS_MAX) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "parameter robots must be a list of names or a number from 1 to %d",
      FW_SIM_ROBOTS_MAX);
  }
  const fw_ret_t ret = set_robot_count(parameters, (int32_t)count, error);
  for (int32_t i = 0; ret == FW_RET_OK && names != NULL && i < (int32_t)count; ++i) {
    const int length = snprintf(parameters->robots[i], FW_SIM_NAME_MAX, "%s", names->data[i]);
    if (length < 1 || length >= FW_SIM_NAME_MAX) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "parameter robots: name %d must have 1 to %d characters", (int)i,
        FW_SIM_NAME_MAX - 1);
    }
    for (int32_t j = 0; j < i; ++j) {
      if (strcmp(parameters->robots[i], parameters->robots[j]) == 0) {
        return fw__error(error, FW_RET_INVALID_ARGUMENT, "parameter robots: %s stands there twice", names->data[i]);
      }
    }
  }
  return ret;
}

static fw_ret_t set_number(
  fw_sim_parameters_t * parameters, const fw_sim_row_t * row, const rcl_variant_t * value, fw_error_t * error)
{
  const bool is_integer = value->integer_value != NULL;
  const double number = is_integer                    ? (double)*value->integer_value
                        : value->double_value != NULL ? *value->double_value
                                                      : NAN;
  // Written so that a NaN is refused too.
  if (!(number >= row->min && number <= row->max) || (row->kind == FW_SIM_INTEGER && !is_integer)) {
    char given[32] = "";
    if (!isnan(number)) {
      snprintf(given, sizeof(given), ", not %g", number);
    }
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "parameter %s must be %s from %g to %g%s", row->name,
      row->kind == FW_SIM_INTEGER ? "an integer" : "a number", row->min, row->max, given);
  }
  if (row->kind == FW_SIM_INTEGER) {
    *(int64_t *)field(parameters, row) = *value->integer_value;
  } else {
    *(double *)field(parameters, row) = number;
  }
  return FW_RET_OK;
}

static fw_ret_t set_texts(
  fw_sim_parameters_t * parameters, const fw_sim_row_t * row, const rcl_variant_t * value, fw_error_t * error)
{
  const rcutils_string_array_t * texts = value->string_array_value;
  fw_sim_texts_t * list = field(parameters, row);
  if (texts == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "parameter %s must be a list of texts", row->name);
  }
  free(list->items);
  *list = (fw_sim_texts_t){calloc(texts->size + 1, sizeof(*list->items)), (int32_t)texts->size};
  for (int32_t i = 0; list->items != NULL && i < list->count; ++i) {
    if (snprintf(list->items[i], FW_SIM_NAME_MAX, "%s", texts->data[i]) >= FW_SIM_NAME_MAX) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "parameter %s: '%.20s...' has more than %d characters", row->name,
        texts->data[i], FW_SIM_NAME_MAX - 1);
    }
  }
  return list->items == NULL ? fw__error_memory(error) : FW_RET_OK;
}

static fw_ret_t set_integers(
  fw_sim_parameters_t * parameters, const fw_sim_row_t * row, const rcl_variant_t * value, fw_error_t * error)
{
  const rcl_int64_array_t * numbers = value->integer_array_value;
  fw_sim_integers_t * list = field(parameters, row);
  if (numbers == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "parameter %s must be a list of integers", row->name);
  }
  free(list->items);
  *list = (fw_sim_integers_t){calloc(numbers->size + 1, sizeof(*list->items)), (int32_t)numbers->size};
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

fw_ret_t fw__sim_set_value(
  fw_sim_parameters_t * parameters, const fw_sim_row_t * row, const rcl_variant_t * value, fw_error_t * error)
{
  switch (row->kind) {
    case FW_SIM_ROBOTS:
      return set_robots(parameters, value, error);
    case FW_SIM_TEXT:
      if (value->string_value == NULL || strlen(value->string_value) >= FW_SIM_TEXT_MAX) {
        return fw__error(
          error, FW_RET_INVALID_ARGUMENT, "parameter %s must be a text shorter than %d", row->name, FW_SIM_TEXT_MAX);
      }
      snprintf(field(parameters, row), FW_SIM_TEXT_MAX, "%s", value->string_value);
      return FW_RET_OK;
    case FW_SIM_BOOLEAN:
      if (value->bool_value == NULL) {
        return fw__error(error, FW_RET_INVALID_ARGUMENT, "parameter %s must be true or false", row->name);
      }
      *(bool *)field(parameters, row) = *value->bool_value;
      return FW_RET_OK;
    case FW_SIM_NUMBER:
    case FW_SIM_INTEGER:
      return set_number(parameters, row, value, error);
    case FW_SIM_TEXTS:
      return set_texts(parameters, row, value, error);
    case FW_SIM_INTEGERS:
      return set_integers(parameters, row, value, error);
  }
  return FW_RET_ERROR;
}
