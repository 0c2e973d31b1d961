// What may stand where the cursor is, asked by the shells' completion: the same tables as the parser's and the help's,
// so that it cannot go stale. A line for each word; `:files` says that names of files may stand there too.

#ifndef CLI__COMMON__COMPLETION_H_
#define CLI__COMMON__COMPLETION_H_

#include <stdbool.h>

#include "cli/common/arguments.h"

// A command that is run with this word gets the word before the cursor and the one under it, in place of its own
// arguments, and prints what may stand there.
#define CLI_COMPLETE "--complete"
// The arguments of such a run: the command's name, CLI_COMPLETE, the word before the cursor, the word under it.
enum { CLI_COMPLETE_BEFORE = 2, CLI_COMPLETE_UNDER = 3, CLI_COMPLETE_COUNT = 4 };

// Whether a command was run for that. Then it hands over and ends.
bool cli_is_completion(int argument_count, char ** arguments);
// A word, if it begins with what is under the cursor.
void cli_offer(const char * word, char ** arguments);
// The options of a command and their values.
void cli_complete(const cli_manual_t * manual, char ** arguments);

#endif  // CLI__COMMON__COMPLETION_H_
