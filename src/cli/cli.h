// The command line: what its commands share. Names begin with `cli_`, since they are the program's and not the
// library's. Words go to stderr, data to stdout.

#ifndef CLI__CLI_H_
#define CLI__CLI_H_

#include <stdint.h>

#include "fleetweave/fleetweave.h"

// Exit codes of every command.
enum {
  CLI_SOLVED = 0,      // what was asked for is there
  CLI_NOT_SOLVED = 1,  // a proper answer, but not a solution; for `check`: the plan is not right
  CLI_USAGE = 2,       // the command line is wrong
  CLI_FAILURE = 3,     // a file, memory, or a plan that fails its own check
};

// A command is one file with one of these and one line in main.c. `arguments[0]` is the command's name.
typedef struct cli_command_t {
  const char * name;
  const char * summary;  // one line, for `fleetweave --help`
  int (*run)(int argument_count, char ** arguments);
} cli_command_t;

extern const cli_command_t cli_command_plan;
extern const cli_command_t cli_command_check;
extern const cli_command_t cli_command_route;
extern const cli_command_t cli_command_list;
extern const cli_command_t cli_command_bench;
extern const cli_command_t cli_command_view;
extern const cli_command_t cli_command_replay;
extern const cli_command_t cli_command_make;
extern const cli_command_t cli_command_simulate;
extern const cli_command_t cli_command_world;
extern const cli_command_t cli_command_completion;

const cli_command_t * cli_find_command(const char * name);  // NULL if there is none
void cli_offer_commands(char ** arguments);                 // completion.h

#endif  // CLI__CLI_H_
