// Rows: the parameters of a node as one table. See rows.h.

#include "ros/rows.h"

#include <rcl/arguments.h>
#include <rcl/error_handling.h>
#include <rcl_yaml_param_parser/parser.h>
#include <rcutils/logging_macros.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ros/node_name.h"
#include "ros/row_values.h"

static fw_ret_t set_initial(void * values, const ros_row_t * row, fw_error_t * error)
{
  if (row->kind == FW_ROW_TEXTS || row->kind == FW_ROW_INTEGERS) {
    return FW_RET_OK;  // empty
  }
  double number = row->initial;
  int64_t integer = (int64_t)number;
  bool boolean = number != 0.0;
  char text[FW_ROW_TEXT_MAX];
  snprintf(text, sizeof(text), "%s", row->text == NULL ? "" : row->text);
  rcl_variant_t value = {0};
  value.double_value = row->kind == FW_ROW_NUMBER ? &number : NULL;
  value.integer_value = row->kind == FW_ROW_NUMBER ? NULL : &integer;
  value.bool_value = &boolean;
  value.string_value = text;
  return ros_row_set_value(values, row, &value, error);
}

static fw_ret_t apply(
  const ros_rows_t * rows, void * values, const rcl_node_params_t * given, const char * logger, fw_error_t * error)
{
  for (size_t i = 0; i < given->num_params; ++i) {
    const char * name = given->parameter_names[i];
    int32_t row = 0;
    while (row < rows->count && strcmp(rows->rows[row].name, name) != 0) {
      ++row;
    }
    if (row == rows->count) {
      // A section for all nodes may hold what is meant for another one.
      RCUTILS_LOG_DEBUG_NAMED(logger, "no parameter %s here: ignored", name);
      continue;
    }
    const fw_ret_t ret = ros_row_set_value(values, &rows->rows[row], &given->parameter_values[i], error);
    if (ret != FW_RET_OK) {
      return ret;
    }
  }
  return FW_RET_OK;
}

fw_ret_t ros_rows_read(const ros_rows_t * rows, void * values, const rcl_node_t * node, fw_error_t * error)
{
  fw_ret_t ret = FW_RET_OK;
  for (int32_t i = 0; ret == FW_RET_OK && i < rows->count; ++i) {
    ret = set_initial(values, &rows->rows[i], error);
  }
  rcl_params_t * overrides = NULL;
  const rcl_arguments_t * arguments = &node->context->global_arguments;
  if (ret == FW_RET_OK && rcl_arguments_get_param_overrides(arguments, &overrides) != RCL_RET_OK) {
    ret = fw__error(error, FW_RET_ERROR, "cannot read the parameters: %s", rcl_get_error_string().str);
  }
  // In the order in which they were given, so that the later ones win.
  for (size_t i = 0; ret == FW_RET_OK && overrides != NULL && i < overrides->num_nodes; ++i) {
    if (ros_node_name_matches(overrides->node_names[i], rcl_node_get_fully_qualified_name(node))) {
      ret = apply(rows, values, &overrides->params[i], rcl_node_get_logger_name(node), error);
    }
  }
  if (overrides != NULL) {
    rcl_yaml_node_struct_fini(overrides);
  }
  return ret;
}

static void * field(void * values, const ros_row_t * row) { return (char *)values + row->offset; }

void ros_rows_fini(const ros_rows_t * rows, void * values)
{
  for (int32_t i = 0; i < rows->count; ++i) {
    const ros_row_kind_t kind = rows->rows[i].kind;
    if (kind == FW_ROW_ROBOTS || kind == FW_ROW_TEXTS) {
      ros_row_texts_t * texts = field(values, &rows->rows[i]);
      free(texts->items);
      *texts = (ros_row_texts_t){0};
    } else if (kind == FW_ROW_INTEGERS) {
      ros_row_integers_t * integers = field(values, &rows->rows[i]);
      free(integers->items);
      *integers = (ros_row_integers_t){0};
    }
  }
}

void ros_rows_print(const ros_rows_t * rows, FILE * stream)
{
  for (int32_t i = 0; i < rows->count; ++i) {
    const ros_row_t * row = &rows->rows[i];
    char initial[FW_ROW_TEXT_MAX];
    if (row->kind == FW_ROW_TEXT) {
      snprintf(initial, sizeof(initial), "\"%s\"", row->text);
    } else if (row->kind == FW_ROW_TEXTS || row->kind == FW_ROW_INTEGERS) {
      snprintf(initial, sizeof(initial), "[]");
    } else if (row->kind == FW_ROW_BOOLEAN) {
      snprintf(initial, sizeof(initial), "%s", row->initial != 0.0 ? "true" : "false");
    } else {
      snprintf(initial, sizeof(initial), "%g", row->initial);
    }
    fprintf(stream, "  %-16s %s [%s]\n", row->name, row->help, initial);
  }
}
