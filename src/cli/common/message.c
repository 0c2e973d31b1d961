#include "cli/common/message.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "cli/common/command.h"
#include "cli/common/progress.h"

static void print(const char * prefix, const char * format, va_list arguments)
{
  cli_progress_clear();
  fflush(stdout);
  fputs(prefix, stderr);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
}

int cli_error(int exit_code, const char * format, ...)
{
  FW_ASSERT(exit_code != CLI_SUCCESS);
  va_list arguments;
  va_start(arguments, format);
  print("fleetweave: ", format, arguments);
  va_end(arguments);
  return exit_code;
}

void cli_note(const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  print("fleetweave: note: ", format, arguments);
  va_end(arguments);
}

const char * cli_format_thousands(char * text, int64_t value)
{
  char digits[CLI_NUMBER_SIZE];
  const int length = snprintf(digits, sizeof(digits), "%" PRId64, value);
  int out = 0;
  for (int i = 0; i < length && out < CLI_NUMBER_SIZE - 2; i++) {
    const int left = length - i;  // digits that are not written yet
    if (i > 0 && left % 3 == 0 && digits[i - 1] != '-') {
      text[out++] = ',';
    }
    text[out++] = digits[i];
  }
  FW_ASSERT(out < CLI_NUMBER_SIZE);
  text[out] = '\0';
  return text;
}

// Levenshtein distance by dynamic programming, with one row of the matrix in memory.
static size_t edit_distance(const char * a, const char * b)
{
  enum { LENGTH_MAX = 40 };
  const size_t a_length = strlen(a);
  const size_t b_length = strlen(b);
  if (a_length > LENGTH_MAX || b_length > LENGTH_MAX) {
    return LENGTH_MAX;
  }
  size_t row[LENGTH_MAX + 1];
  for (size_t j = 0; j <= b_length; j++) {
    row[j] = j;
  }
  for (size_t i = 1; i <= a_length; i++) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      const size_t change = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      const size_t gap = 1 + (row[j] < row[j - 1] ? row[j] : row[j - 1]);
      diagonal = row[j];
      row[j] = change < gap ? change : gap;
    }
  }
  return row[b_length];
}

const char * cli_suggest_name(const char * word, cli_name_at_t name_at, const void * state)
{
  const char * suggestion = NULL;
  const size_t length = strlen(word);
  size_t smallest = 1 + (length < 3 ? 1 : length < 8 ? 2 : 3);  // this distance is too large to be a typing error
  for (int32_t i = 0;; i++) {
    const char * name = name_at(state, i);
    if (name == NULL) {
      return suggestion;
    }
    const bool is_prefix = length >= 2 && strncmp(word, name, length) == 0;
    const size_t distance = is_prefix ? 1 : edit_distance(word, name);
    if (distance < smallest) {
      smallest = distance;
      suggestion = name;
    }
  }
}

static bool refuse_range(const char * text, cli_range_t range, fw_error_t * reason)
{
  snprintf(
    reason->text, sizeof(reason->text), "must be between %" PRId64 " and %" PRId64 ", not %.40s", range.min, range.max,
    text);
  return false;
}

bool cli_parse_integer(const char * text, cli_range_t range, int64_t * value, fw_error_t * reason)
{
  char * end = NULL;
  errno = 0;
  FW_ASSERT(range.min <= range.max);
  const long long number = strtoll(text, &end, 10);
  if (end == text || *end != '\0') {
    snprintf(reason->text, sizeof(reason->text), "must be a whole number, not \"%.40s\"", text);
    return false;
  }
  if (errno == ERANGE || number < range.min || number > range.max) {
    return refuse_range(text, range, reason);
  }
  *value = number;
  return true;
}

bool cli_parse_number(const char * text, cli_range_t range, double * value, fw_error_t * reason)
{
  char * end = NULL;
  FW_ASSERT(range.min <= range.max);
  const double number = strtod(text, &end);
  if (end == text || *end != '\0' || !isfinite(number)) {
    snprintf(reason->text, sizeof(reason->text), "must be a number, not \"%.40s\"", text);
    return false;
  }
  if (number < (double)range.min || number > (double)range.max) {
    return refuse_range(text, range, reason);
  }
  *value = number;
  return true;
}
