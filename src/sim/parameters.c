// Parameters of the simulator. See parameters.h.

#include "sim/parameters.h"

#include <math.h>
#include <rcl/arguments.h>
#include <rcl/error_handling.h>
#include <rcl_yaml_param_parser/parser.h>
#include <rcutils/logging_macros.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ros/node_name.h"
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

static fw_ret_t set_value(
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

static fw_ret_t set_defaults(fw_sim_parameters_t * parameters, fw_error_t * error)
{
  *parameters = (fw_sim_parameters_t){0};
  for (int32_t i = 0; i < fw__sim_row_count; ++i) {
    if (fw__sim_rows[i].kind == FW_SIM_TEXTS || fw__sim_rows[i].kind == FW_SIM_INTEGERS) {
      continue;  // empty
    }
    double number = fw__sim_rows[i].initial;
    int64_t integer = (int64_t)number;
    bool boolean = number != 0.0;
    char text[FW_SIM_TEXT_MAX];
    snprintf(text, sizeof(text), "%s", fw__sim_rows[i].text == NULL ? "" : fw__sim_rows[i].text);
    rcl_variant_t value = {0};
    value.double_value = fw__sim_rows[i].kind == FW_SIM_NUMBER ? &number : NULL;
    value.integer_value = fw__sim_rows[i].kind == FW_SIM_NUMBER ? NULL : &integer;
    value.bool_value = &boolean;
    value.string_value = text;
    const fw_ret_t ret = set_value(parameters, &fw__sim_rows[i], &value, error);
    if (ret != FW_RET_OK) {
      return ret;
    }
  }
  return FW_RET_OK;
}

static fw_ret_t apply(
  fw_sim_parameters_t * parameters, const rcl_node_params_t * given, const char * logger, fw_error_t * error)
{
  for (size_t i = 0; i < given->num_params; ++i) {
    const char * name = given->parameter_names[i];
    int32_t row = 0;
    while (row < fw__sim_row_count && strcmp(fw__sim_rows[row].name, name) != 0) {
      ++row;
    }
    if (row == fw__sim_row_count) {
      // A section for all nodes may hold what is meant for another one.
      RCUTILS_LOG_DEBUG_NAMED(logger, "no parameter %s here: ignored", name);
      continue;
    }
    const fw_ret_t ret = set_value(parameters, &fw__sim_rows[row], &given->parameter_values[i], error);
    if (ret != FW_RET_OK) {
      return ret;
    }
  }
  return FW_RET_OK;
}

// What no row can say alone.
static fw_ret_t check_together(fw_sim_parameters_t * parameters, fw_error_t * error)
{
  if (parameters->map_resolution == 0.0) {
    parameters->map_resolution = parameters->cell_size;
  }
  const double parts = parameters->cell_size / parameters->map_resolution;
  if (fabs(parts - round(parts)) > 1e-6 || parts < 0.5) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "parameter map_resolution (%g) must divide cell_size (%g)",
      parameters->map_resolution, parameters->cell_size);
  }
  if (strcmp(parameters->follow, "released_path") != 0 && strcmp(parameters->follow, "timed_path") != 0) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "parameter follow must be released_path or timed_path, not %s",
      parameters->follow);
  }
  const struct {
    const char * name;
    int32_t count;
  } lists[] = {
    {"footprints", parameters->footprints.count},
    {"ticks_per_move", parameters->ticks_per_move.count},
    {"turn_ticks", parameters->turn_ticks.count},
    {"starts", parameters->starts.count},
  };
  for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); ++i) {
    if (lists[i].count != 0 && lists[i].count != parameters->robot_count) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "parameter %s has %d values for %d robots", lists[i].name, (int)lists[i].count,
        (int)parameters->robot_count);
    }
  }
  if (strcmp(parameters->goals, "random") != 0 && strcmp(parameters->goals, "none") != 0) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "parameter goals must be random or none, not %s", parameters->goals);
  }
  if (parameters->rate_factor != 1.0 && !parameters->publish_clock) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "parameter rate_factor needs publish_clock: true");
  }
  return FW_RET_OK;
}

fw_ret_t fw_sim_parameters_init(fw_sim_parameters_t * parameters, const rcl_node_t * node, fw_error_t * error)
{
  fw_ret_t ret = set_defaults(parameters, error);
  rcl_params_t * overrides = NULL;
  const rcl_arguments_t * arguments = &node->context->global_arguments;
  if (ret == FW_RET_OK && rcl_arguments_get_param_overrides(arguments, &overrides) != RCL_RET_OK) {
    ret = fw__error(error, FW_RET_ERROR, "cannot read the parameters: %s", rcl_get_error_string().str);
  }
  // In the order in which they were given, so that the later ones win.
  for (size_t i = 0; ret == FW_RET_OK && overrides != NULL && i < overrides->num_nodes; ++i) {
    if (fw__node_name_matches(overrides->node_names[i], rcl_node_get_fully_qualified_name(node))) {
      ret = apply(parameters, &overrides->params[i], rcl_node_get_logger_name(node), error);
    }
  }
  if (overrides != NULL) {
    rcl_yaml_node_struct_fini(overrides);
  }
  if (ret == FW_RET_OK) {
    ret = check_together(parameters, error);
  }
  if (ret != FW_RET_OK) {
    fw_sim_parameters_fini(parameters);
  }
  return ret;
}

void fw_sim_parameters_fini(fw_sim_parameters_t * parameters)
{
  free(parameters->robots);
  free(parameters->footprints.items);
  free(parameters->freeze.items);
  free(parameters->starts.items);
  free(parameters->ticks_per_move.items);
  free(parameters->turn_ticks.items);
  *parameters = (fw_sim_parameters_t){0};
}
