// A file that appears whole or not at all: written under a temporary name beside its target and renamed at the end, so
// that a failure or Ctrl-C leaves the old file as it was.

#ifndef CLI__COMMON__OUTPUT_H_
#define CLI__COMMON__OUTPUT_H_

#include <stdbool.h>
#include <stdio.h>

enum { CLI_PATH_MAX = 4096 };

typedef struct cli_output_t {
  FILE * stream;
  char target[CLI_PATH_MAX];
  char temporary[CLI_PATH_MAX];  // empty: `target` is written directly (stdout, /dev/null, a pipe)
} cli_output_t;

// Whether the file could be written now: asked before long work, not after it. False after saying why not.
bool cli_output_is_possible(const char * path);
// "-" is stdout. False after saying why not.
bool cli_output_open(cli_output_t * output, const char * path);
// Puts the file in place. False after saying why not.
bool cli_output_commit(cli_output_t * output);
// Removes what has been written so far. `{0}` is fine.
void cli_output_discard(cli_output_t * output);

#endif  // CLI__COMMON__OUTPUT_H_
