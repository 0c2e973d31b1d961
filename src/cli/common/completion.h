// Completion for the shell. A command that is started with CLI_COMPLETE prints the words that may stand at the cursor,
// one per line, instead of running; `:files` means that file names may stand there too. The words come from the tables
// of options that the parser reads (options.h), so they are always up to date.

#ifndef CLI__COMMON__COMPLETION_H_
#define CLI__COMMON__COMPLETION_H_

#include <stdbool.h>

#include "cli/common/options.h"

// The arguments of such a start: the command's name, CLI_COMPLETE, the word before the cursor, the word at the cursor.
#define CLI_COMPLETE "--complete"
enum { CLI_COMPLETE_BEFORE = 2, CLI_COMPLETE_UNDER = 3, CLI_COMPLETE_COUNT = 4 };

// Whether a command was started for completion. The functions below take the arguments of such a start.
bool cli_completion_is_requested(int argument_count, char ** arguments);
// Prints a word if it begins with the word at the cursor.
void cli_completion_offer(const char * word, char ** arguments);
// Prints the options of a command; behind an option with an argument, the values that it may have.
void cli_completion_offer_options(const cli_manual_t * manual, char ** arguments);

#endif  // CLI__COMMON__COMPLETION_H_
