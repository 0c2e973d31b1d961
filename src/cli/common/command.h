// A command and its exit codes, for the two programs of the command line, `fleetweave` (src/cli) and `fleetweave_bench`
// (src/bench). Names begin with `cli_`, because they belong to the programs and not to the library. Results go to
// stdout, messages to stderr.

#ifndef CLI__COMMON__COMMAND_H_
#define CLI__COMMON__COMMAND_H_

#include <stdint.h>

#include "fleetweave/fleetweave.h"

// Exit codes of every command.
enum {
  CLI_SUCCESS = 0,     // the command did what it says
  CLI_NOT_SOLVED = 1,  // a valid result, but not a solution; for `check`: the plan has a conflict
  CLI_USAGE = 2,       // the command line is invalid
  CLI_FAILURE = 3,     // a file, memory, or an internal error
};

// A command is one file with one of these and one line in the list of its program.
typedef struct cli_command_t {
  const char * name;
  const char * summary;  // one line, for --help
  // Returns an exit code. arguments[0] is the name of the command.
  int (*run)(int argument_count, char ** arguments);
} cli_command_t;

#endif  // CLI__COMMON__COMMAND_H_
