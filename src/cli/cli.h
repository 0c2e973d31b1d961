// The commands of `fleetweave`, each in the file of its name, and how to find them.

#ifndef CLI__CLI_H_
#define CLI__CLI_H_

#include "cli/common/command.h"

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

// The command of that name, NULL if there is none.
const cli_command_t * cli_find_command(const char * name);
// Prints the names of the commands for the completion of the shell (cli/common/completion.h).
void cli_offer_commands(char ** arguments);

#endif  // CLI__CLI_H_
