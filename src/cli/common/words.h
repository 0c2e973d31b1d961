// Words to people: one clear line on stderr, numbers that can be read, and a guess at what was meant.

#ifndef CLI__COMMON__WORDS_H_
#define CLI__COMMON__WORDS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "fleetweave/fleetweave.h"

enum { CLI_NUMBER_SIZE = 32 };

// "fleetweave: …" and a newline on stderr; a progress line that stands there is wiped first. Returns `exit_code`, so
// that a check reads `return cli_say(CLI_USAGE, "…")`.
int cli_say(int exit_code, const char * format, ...) FW_PRINTF(2, 3);

// 1234567 -> "1,234,567"; returns `text`, which has room for CLI_NUMBER_SIZE characters.
const char * cli_thousands(char * text, int64_t value);

// The name nearest to `word`, NULL if none is near enough to be what was meant. The names are asked for with 0, 1, …
// until there is a NULL.
typedef const char * (*cli_name_at_t)(const void * state, int32_t index);
const char * cli_nearest(const char * word, cli_name_at_t name_at, const void * state);

typedef struct cli_range_t {
  int64_t min;
  int64_t max;
} cli_range_t;

typedef struct cli_reason_t {
  char text[160];
} cli_reason_t;

// A number from text; false with the reason ("must be …, not …").
bool cli_read_integer(const char * text, cli_range_t range, int64_t * value, cli_reason_t * reason);
bool cli_read_number(const char * text, cli_range_t range, double * value, cli_reason_t * reason);

#endif  // CLI__COMMON__WORDS_H_
