// fleetweave: the command line. Finds the command by its name and runs it.
//
// A command is one file with one cli_command_t, one declaration in cli.h and one line in the list below.

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cli/cli.h"
#include "cli/common/completion.h"
#include "cli/common/message.h"

// In the order in which a new user needs them.
static const cli_command_t * const commands[] = {
  &cli_command_plan,   &cli_command_check, &cli_command_view,       &cli_command_list,
  &cli_command_make,   &cli_command_route, &cli_command_simulate,   &cli_command_bench,
  &cli_command_replay, &cli_command_world, &cli_command_completion,
};
#define COMMAND_COUNT ((int32_t)(sizeof(commands) / sizeof(commands[0])))

static const char * command_name(const void * state, int32_t index)
{
  (void)state;
  return index < COMMAND_COUNT ? commands[index]->name : index == COMMAND_COUNT ? "help" : NULL;
}

static const char help_end[] =
  "  help       print the help of a command: fleetweave help plan\n"
  "\n"
  "First steps:\n"
  "  fleetweave plan --make warehouse:61x33,seed=1 --robots 40 --out plan.txt\n"
  "  fleetweave check plan.txt\n"
  "  fleetweave view plan.txt -o plan.html        # open it in a browser\n"
  "\n"
  "Results go to stdout, messages to stderr.\n"
  "Exit code: 0 success, 1 not solved, 2 invalid command line, 3 failure.\n";

static void print_help(FILE * stream)
{
  fputs("Usage: fleetweave COMMAND [options]\n\n", stream);
  fputs("Plans timed, collision-free paths for a fleet of robots on one map.\n\nCommands:\n", stream);
  for (int32_t i = 0; i < COMMAND_COUNT; i++) {
    fprintf(stream, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
  }
  fputs(help_end, stream);
}

const cli_command_t * cli_find_command(const char * name)
{
  for (int32_t i = 0; i < COMMAND_COUNT; i++) {
    if (strcmp(commands[i]->name, name) == 0) {
      return commands[i];
    }
  }
  return NULL;
}

void cli_offer_commands(char ** arguments)
{
  for (int32_t i = 0; command_name(NULL, i) != NULL; i++) {
    cli_completion_offer(command_name(NULL, i), arguments);
  }
}

static int refuse(const char * name)
{
  const char * suggestion = cli_suggest_name(name, command_name, NULL);
  if (suggestion != NULL) {
    return cli_error(CLI_USAGE, "unknown command \"%s\"; did you mean %s?", name, suggestion);
  }
  return cli_error(CLI_USAGE, "unknown command \"%s\"; see `fleetweave --help`", name);
}

// `help plan` is `plan --help`; `help bench mapf` is `bench mapf --help`.
static int run_help(int argument_count, char ** arguments)
{
  enum { WORDS_MAX = 4 };
  if (argument_count < 2) {
    print_help(stdout);
    return CLI_SUCCESS;
  }
  const cli_command_t * command = cli_find_command(arguments[1]);
  if (command == NULL) {
    return refuse(arguments[1]);
  }
  char flag[] = "--help";
  char * words[WORDS_MAX + 2] = {NULL};
  int count = 0;
  for (int i = 1; i < argument_count && count < WORDS_MAX; i++) {
    words[count++] = arguments[i];
  }
  words[count++] = flag;
  FW_ASSERT(count < (int)(sizeof(words) / sizeof(words[0])));  // a NULL ends the list
  return command->run(count, words);
}

static int run(int argument_count, char ** arguments)
{
  if (argument_count < 2) {
    print_help(stderr);
    return CLI_USAGE;
  }
  const char * name = arguments[1];
  if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0) {
    print_help(stdout);
    return CLI_SUCCESS;
  }
  if (strcmp(name, "--version") == 0) {
    puts("fleetweave " FLEETWEAVE_VERSION);
    return CLI_SUCCESS;
  }
  if (strcmp(name, "help") == 0) {
    return run_help(argument_count - 1, arguments + 1);
  }
  const cli_command_t * command = cli_find_command(name);
  return command != NULL ? command->run(argument_count - 1, arguments + 1) : refuse(name);
}

int main(int argument_count, char ** arguments)
{
  const int exit_code = run(argument_count, arguments);
  // A full disk or a closed pipe is a failure.
  if (fflush(stdout) != 0 || ferror(stdout)) {
    return cli_error(CLI_FAILURE, "cannot write to standard output");
  }
  return exit_code;
}
