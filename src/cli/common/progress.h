// Long work: a progress line on stderr, if that is a terminal, and Ctrl-C, which ends the work with the best result so
// far. Both are driven by the cancel callback of the budget.

#ifndef CLI__COMMON__PROGRESS_H_
#define CLI__COMMON__PROGRESS_H_

#include <stdbool.h>
#include <stdint.h>

typedef struct cli_progress_t {
  char label[96];        // what is running
  double limit_seconds;  // 0: no limit
  int64_t start_ns;
  int64_t shown_ns;  // when the line was last written
} cli_progress_t;

// Starts the clock; label and limit are set by the caller. From the first call on, SIGINT and SIGTERM request a stop
// instead of ending the program; a second signal ends it.
void cli_progress_start(cli_progress_t * progress);

// Callback for fw_budget_t.is_cancelled, with a cli_progress_t as state: prints the line, at most ten times a second,
// and returns whether a stop was requested.
bool cli_progress_is_cancelled(void * progress);

// Whether a signal has requested a stop.
bool cli_progress_was_interrupted(void);

// Removes the progress line, if there is one.
void cli_progress_clear(void);

#endif  // CLI__COMMON__PROGRESS_H_
