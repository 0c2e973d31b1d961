// A planner's parameters as text.

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fleetweave/planner_def.h"

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
  char words[160] = "";
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
