// Long work: a line on stderr that says how far it is, where stderr is a terminal, and Ctrl-C that ends the work with
// the best answer so far. Both hang on the budget's cancel callback.

#ifndef CLI__COMMON__PROGRESS_H_
#define CLI__COMMON__PROGRESS_H_

#include <stdbool.h>
#include <stdint.h>

typedef struct cli_progress_t {
  char label[96];        // what is going on
  double limit_seconds;  // 0: none
  int64_t start_ns;
  int64_t shown_ns;  // when the line was last written
} cli_progress_t;

// Label and limit are kept; the clock starts. From the first call on, SIGINT and SIGTERM ask to stop instead of
// killing; a second signal kills.
void cli_progress_start(cli_progress_t * progress);

// For fw_budget_t.is_cancelled, with a cli_progress_t as state. Writes the line at most ten times a second.
bool cli_progress_is_cancelled(void * progress);

bool cli_progress_was_interrupted(void);

// Removes the line, if one is there.
void cli_progress_wipe(void);

#endif  // CLI__COMMON__PROGRESS_H_
