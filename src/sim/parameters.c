// Parameters of the simulator. See parameters.h.

#include "sim/parameters.h"

#include <math.h>
#include <rcl/arguments.h>
#include <rcl/error_handling.h>
#include <rcl_yaml_param_parser/parser.h>
#include <rcutils/logging_macros.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ros/node_name.h"
#include "sim/parameter_rows.h"

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
    const fw_ret_t ret = fw__sim_set_value(parameters, &fw__sim_rows[i], &value, error);
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
    const fw_ret_t ret = fw__sim_set_value(parameters, &fw__sim_rows[row], &given->parameter_values[i], error);
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
  free(parameters->silence.items);
  free(parameters->starts.items);
  free(parameters->ticks_per_move.items);
  free(parameters->turn_ticks.items);
  *parameters = (fw_sim_parameters_t){0};
}
