// What the two programs of the command line, `fleetweave` and `fleetweave_bench`, have in common: a command and its
// exit codes. Names begin with `cli_`, since they belong to the programs and not to the library. Messages go to stderr,
// data to stdout.

#ifndef CLI__COMMON__COMMAND_H_
#define CLI__COMMON__COMMAND_H_

#include <stdint.h>

#include "fleetweave/fleetweave.h"

// Exit codes of every command.
enum {
  CLI_SOLVED = 0,      // done: the result is there
  CLI_NOT_SOLVED = 1,  // a valid answer, but not a solution; for `check`: the plan is not valid
  CLI_USAGE = 2,       // the command line is wrong
  CLI_FAILURE = 3,     // a file, memory, or a plan that fails its own check
};

// A command is one file with one of these and one line in the list of its program. `arguments[0]` is the command's
// name.
typedef struct cli_command_t {
  const char * name;
  const char * summary;  // one line, for --help
  int (*run)(int argument_count, char ** arguments);
} cli_command_t;

#endif  // CLI__COMMON__COMMAND_H_
