#include "cli/common/progress.h"

#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "base/assert.h"
#include "fleetweave/fleetweave.h"

#define INTERVAL_NS 100000000
#define DELAY_NS 300000000  // shorter work shows no progress line

// The only global state of the program: a signal handler has no argument, and there is one terminal.
static volatile sig_atomic_t is_interrupted = 0;
static bool is_line_shown = false;

static void interrupt(int number)
{
  (void)number;
  is_interrupted = 1;
}

void cli_progress_start(cli_progress_t * progress)
{
  // SA_RESETHAND: a second Ctrl-C ends the program at once.
  struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  if (!is_interrupted) {
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
  }
  progress->start_ns = fw_clock_now_ns();
  progress->shown_ns = progress->start_ns + DELAY_NS - INTERVAL_NS;
}

bool cli_progress_is_cancelled(void * state)
{
  cli_progress_t * progress = state;
  FW_ASSERT(progress->start_ns != 0);  // cli_progress_start was called
  const int64_t now_ns = fw_clock_now_ns();
  if (now_ns - progress->shown_ns >= INTERVAL_NS && isatty(STDERR_FILENO)) {
    const double elapsed = (double)(now_ns - progress->start_ns) / 1e9;
    progress->shown_ns = now_ns;
    is_line_shown = true;
    if (progress->limit_seconds > 0.0) {
      fprintf(
        stderr, "\r%s: %.1f of %g s (Ctrl-C: stop with the best plan so far)\033[K", progress->label, elapsed,
        progress->limit_seconds);
    } else {
      fprintf(stderr, "\r%s: %.1f s (Ctrl-C: stop with the best plan so far)\033[K", progress->label, elapsed);
    }
    fflush(stderr);
  }
  return is_interrupted != 0;
}

bool cli_progress_was_interrupted(void) { return is_interrupted != 0; }

void cli_progress_clear(void)
{
  if (is_line_shown) {
    fputs("\r\033[K", stderr);
    fflush(stderr);
    is_line_shown = false;
  }
}
