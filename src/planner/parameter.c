// Parameters as text, and the check of a planner's definition with its parameter table.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "fleetweave/planner_def.h"

// ---- text to value and back -----------------------------------------------------------------------------------------

static fw_ret_t parse_boolean(
  const fw_parameter_def_t * parameter, const char * text, int64_t * value, fw_error_t * error)
{
  if (strcmp(text, "true") == 0 || strcmp(text, "1") == 0) {
    *value = 1;
  } else if (strcmp(text, "false") == 0 || strcmp(text, "0") == 0) {
    *value = 0;
  } else {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "%s must be true or false, not '%s'", parameter->name, text);
  }
  return FW_RET_OK;
}

static fw_ret_t parse_choice(
  const fw_parameter_def_t * parameter, const char * text, int64_t * value, fw_error_t * error)
{
  char words[160] = "";  // the choices, for the error text
  size_t used = 0;
  for (int64_t i = 0; i <= parameter->max; ++i) {
    if (strcmp(parameter->choices[i], text) == 0) {
      *value = i;
      return FW_RET_OK;
    }
    const int written = snprintf(
      words + used, sizeof(words) - used, "%s%s", i == 0 ? "" : (i == parameter->max ? " or " : ", "),
      parameter->choices[i]);
    used += written > 0 && (size_t)written < sizeof(words) - used ? (size_t)written : 0;
  }
  return fw__error(error, FW_RET_INVALID_ARGUMENT, "%s must be %s, not '%s'", parameter->name, words, text);
}

fw_ret_t fw_parameter_parse(
  const fw_parameter_def_t * parameter, const char * text, int64_t * value, fw_error_t * error)
{
  if (parameter->type == FW_PARAMETER_BOOLEAN) {
    return parse_boolean(parameter, text, value, error);
  }
  if (parameter->type == FW_PARAMETER_CHOICE) {
    return parse_choice(parameter, text, value, error);
  }
  FW_ASSERT(parameter->type == FW_PARAMETER_INTEGER);
  char * end = NULL;
  errno = 0;
  const long long number = strtoll(text, &end, 10);
  if (end == text || *end != '\0' || errno != 0) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "%s must be a whole number, not '%s'", parameter->name, text);
  }
  if (number < parameter->min || number > parameter->max) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "%s must be between %lld and %lld, not %lld", parameter->name,
      (long long)parameter->min, (long long)parameter->max, number);
  }
  *value = number;
  return FW_RET_OK;
}

void fw_parameter_format(const fw_parameter_def_t * parameter, int64_t value, char * text, size_t text_size)
{
  if (parameter->type == FW_PARAMETER_BOOLEAN) {
    (void)snprintf(text, text_size, "%s", value != 0 ? "true" : "false");
  } else if (parameter->type == FW_PARAMETER_CHOICE && value >= 0 && value <= parameter->max) {
    (void)snprintf(text, text_size, "%s", parameter->choices[value]);
  } else {
    (void)snprintf(text, text_size, "%lld", (long long)value);
  }
}

// ---- definitions ----------------------------------------------------------------------------------------------------

static bool is_word(const char * text)
{
  return text != NULL && text[0] != '\0' && strspn(text, "abcdefghijklmnopqrstuvwxyz0123456789_") == strlen(text);
}

// What is wrong with a parameter, NULL if nothing is.
static const char * fault_of_parameter(const fw_parameter_def_t * parameter)
{
  if (!is_word(parameter->name)) {
    return "its name must consist of lower-case letters, digits and underscores";
  }
  if (parameter->help == NULL) {
    return "it must have a help text";
  }
  if (parameter->min > parameter->initial || parameter->initial > parameter->max) {
    return "its initial value must lie between min and max";
  }
  switch (parameter->type) {
    case FW_PARAMETER_INTEGER:
      return NULL;
    case FW_PARAMETER_BOOLEAN:
      return parameter->min == 0 && parameter->max == 1 ? NULL : "the range of a boolean must be 0 to 1";
    case FW_PARAMETER_CHOICE:
      break;
    default:
      return "its type must be a fw_parameter_type_t";
  }
  if (parameter->choices == NULL || parameter->min != 0 || parameter->max > INT32_MAX) {
    return "a choice must have words, with indices from 0 to max";
  }
  for (int64_t i = 0; i <= parameter->max; ++i) {
    if (!is_word(parameter->choices[i])) {
      return "its choices must consist of lower-case letters, digits and underscores";
    }
  }
  return NULL;
}

fw_ret_t fw_planner_def_check(const fw_planner_def_t * def, fw_error_t * error)
{
  if (def == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "the planner's definition must not be NULL");
  }
  if (!is_word(def->name)) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT,
      "the planner's name must consist of lower-case letters, digits and underscores, not '%.32s'",
      def->name != NULL ? def->name : "");
  }
  if (def->summary == NULL || def->paper == NULL || def->solve == NULL) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "planner %.32s: %s must not be NULL", def->name,
      def->summary == NULL ? "summary" : (def->paper == NULL ? "paper" : "solve"));
  }
  if (def->parameter_count < 0 || def->parameter_count > FW_PARAMETERS_MAX) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "planner %.32s: parameter_count must be between 0 and %d, not %d", def->name,
      FW_PARAMETERS_MAX, def->parameter_count);
  }
  if (def->parameter_count > 0 && def->parameters == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "planner %.32s: parameters must not be NULL", def->name);
  }
  for (int32_t i = 0; i < def->parameter_count; ++i) {
    const fw_parameter_def_t * parameter = &def->parameters[i];
    const char * fault = fault_of_parameter(parameter);
    for (int32_t k = 0; k < i && fault == NULL; ++k) {
      fault = strcmp(def->parameters[k].name, parameter->name) == 0 ? "an earlier parameter has the same name" : NULL;
    }
    if (fault != NULL) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "planner %.32s, parameter %d (%.32s): %s", def->name, i,
        parameter->name != NULL ? parameter->name : "", fault);
    }
  }
  return FW_RET_OK;
}
