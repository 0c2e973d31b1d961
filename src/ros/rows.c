// Rows: the parameters of a node as one table. See rows.h.

#include "ros/rows.h"

#include <math.h>
#include <rcl/arguments.h>
#include <rcl/error_handling.h>
#include <rcl_yaml_param_parser/parser.h>
#include <rcutils/logging_macros.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "ros/node_name.h"

static void * field(void * values, const fw_row_t * row) { return (char *)values + row->offset; }

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

static fw_ret_t set_robot_count(fw_row_texts_t * robots, int32_t count, fw_error_t * error)
{
  free(robots->items);
  *robots = (fw_row_texts_t){calloc((size_t)count + 1, sizeof(*robots->items)), count};
  if (robots->items == NULL) {
    return fw__error_memory(error);
  }
  for (int32_t i = 0; i < count; ++i) {
    snprintf(robots->items[i], FW_ROW_NAME_MAX, "robot_%d", (int)i);
  }
  return FW_RET_OK;
}

static fw_ret_t set_robots(void * values, const fw_row_t * row, const rcl_variant_t * value, fw_error_t * error)
{
  fw_row_texts_t * robots = field(values, row);
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

static fw_ret_t set_number(void * values, const fw_row_t * row, const rcl_variant_t * value, fw_error_t * error)
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

static fw_ret_t set_texts(void * values, const fw_row_t * row, const rcl_variant_t * value, fw_error_t * error)
{
  const rcutils_string_array_t * texts = value->string_array_value;
  fw_row_texts_t * list = field(values, row);
  if (is_empty_list(value)) {
    list->count = 0;
    return FW_RET_OK;
  }
  if (texts == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "parameter %s must be a list of texts", row->name);
  }
  free(list->items);
  *list = (fw_row_texts_t){calloc(texts->size + 1, sizeof(*list->items)), (int32_t)texts->size};
  for (int32_t i = 0; list->items != NULL && i < list->count; ++i) {
    if (snprintf(list->items[i], FW_ROW_NAME_MAX, "%s", texts->data[i]) >= FW_ROW_NAME_MAX) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "parameter %s: '%.20s...' has more than %d characters", row->name,
        texts->data[i], FW_ROW_NAME_MAX - 1);
    }
  }
  return list->items == NULL ? fw__error_memory(error) : FW_RET_OK;
}

static fw_ret_t set_integers(void * values, const fw_row_t * row, const rcl_variant_t * value, fw_error_t * error)
{
  const rcl_int64_array_t * numbers = value->integer_array_value;
  fw_row_integers_t * list = field(values, row);
  if (is_empty_list(value)) {
    list->count = 0;
    return FW_RET_OK;
  }
  if (numbers == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "parameter %s must be a list of integers", row->name);
  }
  free(list->items);
  *list = (fw_row_integers_t){calloc(numbers->size + 1, sizeof(*list->items)), (int32_t)numbers->size};
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

static fw_ret_t set_value(void * values, const fw_row_t * row, const rcl_variant_t * value, fw_error_t * error)
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

static fw_ret_t set_initial(void * values, const fw_row_t * row, fw_error_t * error)
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
  return set_value(values, row, &value, error);
}

static fw_ret_t apply(
  const fw_rows_t * rows, void * values, const rcl_node_params_t * given, const char * logger, fw_error_t * error)
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
    const fw_ret_t ret = set_value(values, &rows->rows[row], &given->parameter_values[i], error);
    if (ret != FW_RET_OK) {
      return ret;
    }
  }
  return FW_RET_OK;
}

fw_ret_t fw_rows_read(const fw_rows_t * rows, void * values, const rcl_node_t * node, fw_error_t * error)
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
    if (fw__node_name_matches(overrides->node_names[i], rcl_node_get_fully_qualified_name(node))) {
      ret = apply(rows, values, &overrides->params[i], rcl_node_get_logger_name(node), error);
    }
  }
  if (overrides != NULL) {
    rcl_yaml_node_struct_fini(overrides);
  }
  return ret;
}

void fw_rows_fini(const fw_rows_t * rows, void * values)
{
  for (int32_t i = 0; i < rows->count; ++i) {
    const fw_row_kind_t kind = rows->rows[i].kind;
    if (kind == FW_ROW_ROBOTS || kind == FW_ROW_TEXTS) {
      fw_row_texts_t * texts = field(values, &rows->rows[i]);
      free(texts->items);
      *texts = (fw_row_texts_t){0};
    } else if (kind == FW_ROW_INTEGERS) {
      fw_row_integers_t * integers = field(values, &rows->rows[i]);
      free(integers->items);
      *integers = (fw_row_integers_t){0};
    }
  }
}

void fw_rows_print(const fw_rows_t * rows, FILE * stream)
{
  for (int32_t i = 0; i < rows->count; ++i) {
    const fw_row_t * row = &rows->rows[i];
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
