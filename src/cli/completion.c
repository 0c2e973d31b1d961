// `fleetweave completion`: the completion script for bash, and `completion words`, which the script calls for the words
// that may stand at the cursor.

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cli/cli.h"
#include "cli/common/completion.h"
#include "cli/common/message.h"

// Bash splits words at `=` and `:`, and expects only the part behind the last of them.
static const char bash_script[] =
  "# Completion of fleetweave for bash: `source <(fleetweave completion bash)`, or install it as a file\n"
  "# named fleetweave in a folder of bash-completion. The program itself lists the possible words.\n"
  "_fleetweave() {\n"
  "  local line words=() under='' i\n"
  "  # Join the parts of a word that bash has split at :.\n"
  "  for ((i = 1; i <= COMP_CWORD; i++)); do\n"
  "    if [[ ${COMP_WORDS[i]} == : || ( ${#words[@]} -gt 0 && ${COMP_WORDS[i - 1]} == : ) ]]; then\n"
  "      words[-1]+=${COMP_WORDS[i]}\n"
  "    else\n"
  "      words+=(\"${COMP_WORDS[i]}\")\n"
  "    fi\n"
  "  done\n"
  "  under=${words[-1]}\n"
  "  COMPREPLY=()\n"
  "  while IFS= read -r line; do\n"
  "    if [[ $line == :files ]]; then\n"
  "      compopt -o default\n"
  "    else\n"
  "      if [[ $line == *[=:] ]]; then compopt -o nospace; fi\n"
  "      if [[ $under == *:* ]]; then line=${line#\"${under%\"${under##*:}\"}\"}; fi\n"
  "      COMPREPLY+=(\"$line\")\n"
  "    fi\n"
  "  done < <(\"$1\" completion words \"${words[@]}\" 2>/dev/null)\n"
  "}\n"
  "complete -F _fleetweave fleetweave\n";

// Prints the words that may stand at the cursor. The arguments are those of the command line behind the program's name,
// the last one is at the cursor. Bash splits --name=value, so `--name = value` means `--name value`.
static int offer_words(int argument_count, char ** arguments)
{
  FW_ASSERT(argument_count >= 0);
  static char complete[] = CLI_COMPLETE, nothing[] = "";
  char * under = argument_count > 0 ? arguments[argument_count - 1] : nothing;
  char * before = argument_count > 1 ? arguments[argument_count - 2] : nothing;
  if (under[0] == '=') {
    under = nothing;
  } else if (before[0] == '=' && argument_count > 2) {
    before = arguments[argument_count - 3];
  }
  char * words[CLI_COMPLETE_COUNT + 1] = {nothing, complete, before, under, NULL};
  if (argument_count <= 1) {
    cli_offer_commands(words);
    return CLI_SUCCESS;
  }
  // The command answers itself; `bench` also needs the experiment, if that word is complete.
  words[0] = arguments[0];
  if (strcmp(arguments[0], "bench") == 0 && argument_count > 2) {
    char * bench[CLI_COMPLETE_COUNT + 2] = {arguments[0], arguments[1], complete, before, under, NULL};
    return cli_command_bench.run(CLI_COMPLETE_COUNT + 1, bench);
  }
  const cli_command_t * command = cli_find_command(arguments[0]);
  return command != NULL ? command->run(CLI_COMPLETE_COUNT, words) : CLI_SUCCESS;
}

static int run(int argument_count, char ** arguments)
{
  const cli_manual_t manual = {
    .name = "completion",
    .usage = "bash",
    .about =
      "Prints a script that completes commands, options and their values in a shell. The script gets the words\n"
      "from the program itself (`fleetweave completion words …`), so it always matches this version.",
    .operand_count = 1,
    .operand = "the name of a shell: bash",
    .examples = "  source <(fleetweave completion bash)",
  };
  const char * shell = NULL;
  if (cli_completion_is_requested(argument_count, arguments)) {
    cli_completion_offer("bash", arguments);
    return CLI_SUCCESS;
  }
  if (argument_count > 1 && strcmp(arguments[1], "words") == 0) {
    return offer_words(argument_count - 2, arguments + 2);
  }
  const int parsed = cli_parse(&manual, argument_count, arguments, &shell);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  if (strcmp(shell, "bash") != 0) {
    return cli_error(CLI_USAGE, "no completion for shell \"%s\"; the supported shell is bash", shell);
  }
  fputs(bash_script, stdout);
  return CLI_SUCCESS;
}

const cli_command_t cli_command_completion = {
  .name = "completion",
  .summary = "print a completion script for the shell: source <(fleetweave completion bash)",
  .run = run,
};
