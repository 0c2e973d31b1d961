// Messages to the user: errors and notes on stderr, spelling suggestions, and numbers to and from text.

#ifndef CLI__COMMON__MESSAGE_H_
#define CLI__COMMON__MESSAGE_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleetweave/fleetweave.h"

// Prints "fleetweave: …" and a newline to stderr, in place of a progress line. An error says what was given, what is
// allowed and what to do. Returns `exit_code`, which is not CLI_SUCCESS, so that a check reads
// `return cli_error(CLI_USAGE, "…")`.
int cli_error(int exit_code, const char * format, ...) FW_PRINTF(2, 3);
// Prints "fleetweave: note: …": something that the user should know, but the command goes on.
void cli_note(const char * format, ...) FW_PRINTF(1, 2);

// Name number `index` of a list, NULL behind the last one.
typedef const char * (*cli_name_at_t)(const void * state, int32_t index);
// The name of the list that the user most likely meant by `word`: the one with the smallest Levenshtein distance, or
// one that begins with `word`. NULL if no name is similar.
const char * cli_suggest_name(const char * word, cli_name_at_t name_at, const void * state);

enum { CLI_NUMBER_SIZE = 32 };
// 1234567 -> "1,234,567". Returns `text`, which has room for CLI_NUMBER_SIZE characters.
const char * cli_format_thousands(char * text, int64_t value);

// Both bounds are included.
typedef struct cli_range_t {
  int64_t min;
  int64_t max;
} cli_range_t;

// Reads a number. Otherwise returns false and sets `reason` ("must be …, not …"), which follows the option's name in
// an error message.
bool cli_parse_integer(const char * text, cli_range_t range, int64_t * value, fw_error_t * reason);
bool cli_parse_number(const char * text, cli_range_t range, double * value, fw_error_t * reason);

#endif  // CLI__COMMON__MESSAGE_H_
