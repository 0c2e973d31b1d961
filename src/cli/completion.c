// `fleetweave completion`: the script for a shell, and the words that it asks for.

#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/words.h"
#include "fleetweave/files.h"
#include "fleetweave/planner_def.h"
#include "fleetweave/search.h"

enum { WORD_BEFORE = 2, WORD_UNDER = 3, WORD_COUNT = 4 };

bool cli_is_completion(int argument_count, char ** arguments)
{
  return argument_count == WORD_COUNT && strcmp(arguments[1], CLI_COMPLETE) == 0;
}

static void offer_part(const char * word, size_t length, char ** arguments)
{
  const char * under = arguments[WORD_UNDER];
  if (strlen(under) <= length && strncmp(word, under, strlen(under)) == 0) {
    printf("%.*s\n", (int)length, word);
  }
}

void cli_offer(const char * word, char ** arguments) { offer_part(word, strlen(word), arguments); }

// ---- values of options ----------------------------------------------------------------------------------------------

static void offer_planners(char ** arguments)
{
  for (int32_t i = 0; i < fw_planner_def_count(); i++) {
    cli_offer(fw_planner_def_at(i)->name, arguments);
  }
}

static void offer_searches(char ** arguments)
{
  for (int32_t i = 0; i < fw_router_def_count(); i++) {
    cli_offer(fw_router_def_at(i)->name, arguments);
  }
}

static bool is_new(const char * name, int32_t planner)
{
  for (int32_t i = 0; i < planner; i++) {
    const fw_planner_def_t * before = fw_planner_def_at(i);
    for (int32_t k = 0; k < before->parameter_count; k++) {
      if (strcmp(before->parameters[k].name, name) == 0) {
        return false;
      }
    }
  }
  return true;
}

static void offer_settings(char ** arguments)
{
  for (int32_t i = 0; i < fw_planner_def_count(); i++) {
    const fw_planner_def_t * planner = fw_planner_def_at(i);
    for (int32_t k = 0; k < planner->parameter_count; k++) {
      char word[72];
      snprintf(word, sizeof(word), "%.64s=", planner->parameters[k].name);
      if (is_new(planner->parameters[k].name, i)) {
        cli_offer(word, arguments);
      }
    }
  }
}

// "open:", "random:", …: the beginnings of the lines of the help that begin with a kind.
static void offer_maps(char ** arguments)
{
  const char * line = fw_grid_make_help();
  while (line != NULL && *line != '\0') {
    const size_t kind = strcspn(line, ": \n");
    if (line[kind] == ':') {
      offer_part(line, kind + 1, arguments);
    }
    line = strchr(line, '\n');
    line = line != NULL ? line + 1 : NULL;
  }
}

// "none|light|heavy"
static void offer_choices(const char * value, char ** arguments)
{
  for (const char * word = value; *word != '\0';) {
    const size_t length = strcspn(word, "|");
    offer_part(word, length, arguments);
    word += length + (word[length] == '|' ? 1 : 0);
  }
}

static void offer_values(const cli_option_t * option, char ** arguments)
{
  static const struct {
    const char * name;
    void (*offer)(char ** arguments);
  } kinds[] = {
    {"planner", offer_planners},  {"planners", offer_planners}, {"search", offer_searches},
    {"searches", offer_searches}, {"set", offer_settings},      {"make", offer_maps},
  };
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
    if (strcmp(option->name, kinds[i].name) == 0) {
      kinds[i].offer(arguments);
    }
  }
  if (strchr(option->value, '|') != NULL) {
    offer_choices(option->value, arguments);
  } else if (strcmp(option->value, "FILE") == 0) {
    puts(":files");
  }
}

static bool is_option(const cli_option_t * option, const char * word)
{
  return (word[0] == '-' && word[1] == '-' && strcmp(word + 2, option->name) == 0) ||
         (word[0] == '-' && word[1] == option->letter && word[1] != '\0' && word[2] == '\0');
}

void cli_complete(const cli_manual_t * manual, char ** arguments)
{
  for (int32_t g = 0; g < manual->group_count; g++) {
    for (int32_t i = 0; i < manual->groups[g].option_count; i++) {
      const cli_option_t * option = &manual->groups[g].options[i];
      if (option->kind != CLI_FLAG && is_option(option, arguments[WORD_BEFORE])) {
        offer_values(option, arguments);
        return;
      }
    }
  }
  for (int32_t g = 0; g < manual->group_count; g++) {
    for (int32_t i = 0; i < manual->groups[g].option_count; i++) {
      char word[72];
      snprintf(word, sizeof(word), "--%.64s", manual->groups[g].options[i].name);
      cli_offer(word, arguments);
    }
  }
  cli_offer("--help", arguments);
  if (manual->operand_count > 0 && arguments[WORD_UNDER][0] != '-') {
    puts(":files");
  }
}

// ---- the command ----------------------------------------------------------------------------------------------------

// Bash cuts words at `=` and `:`, and wants only what comes behind the last of them.
static const char bash_script[] =
  "# Completion of fleetweave for bash: `source <(fleetweave completion bash)`, or install it as a file\n"
  "# named fleetweave in a folder of bash-completion. What may stand where is asked from the program.\n"
  "_fleetweave() {\n"
  "  local line words=() under='' i\n"
  "  # One word again of what was cut at = or :.\n"
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

// The words of a line behind the program's name, the last under the cursor. `--name = value` is `--name value`.
static int offer_words(int argument_count, char ** arguments)
{
  static char complete[] = CLI_COMPLETE, nothing[] = "";
  char * under = argument_count > 0 ? arguments[argument_count - 1] : nothing;
  char * before = argument_count > 1 ? arguments[argument_count - 2] : nothing;
  if (under[0] == '=') {
    under = nothing;
  } else if (before[0] == '=' && argument_count > 2) {
    before = arguments[argument_count - 3];
  }
  char * words[WORD_COUNT + 1] = {nothing, complete, before, under, NULL};
  if (argument_count <= 1) {
    cli_offer_commands(words);
    return CLI_SOLVED;
  }
  // The command, and the kind of a bench, if that is complete.
  words[0] = arguments[0];
  if (strcmp(arguments[0], "bench") == 0 && argument_count > 2) {
    char * bench[WORD_COUNT + 2] = {arguments[0], arguments[1], complete, before, under, NULL};
    return cli_command_bench.run(WORD_COUNT + 1, bench);
  }
  const cli_command_t * command = cli_find_command(arguments[0]);
  return command != NULL ? command->run(WORD_COUNT, words) : CLI_SOLVED;
}

static int run(int argument_count, char ** arguments)
{
  const cli_manual_t manual = {
    .name = "completion",
    .usage = "bash",
    .about =
      "Prints a script that completes commands, options and their values in a shell. The script asks the\n"
      "program itself (`fleetweave completion words …`), so that it knows every option of this version.",
    .operand_count = 1,
    .operand = "the name of a shell: bash",
    .examples = "  source <(fleetweave completion bash)",
  };
  const char * shell = NULL;
  if (cli_is_completion(argument_count, arguments)) {
    cli_offer("bash", arguments);
    return CLI_SOLVED;
  }
  if (argument_count > 1 && strcmp(arguments[1], "words") == 0) {
    return offer_words(argument_count - 2, arguments + 2);
  }
  const int parsed = cli_parse(&manual, argument_count, arguments, &shell);
  if (parsed != CLI_GO_ON) {
    return parsed;
  }
  if (strcmp(shell, "bash") != 0) {
    return cli_say(CLI_USAGE, "there is no completion for \"%s\"; there is one for bash", shell);
  }
  fputs(bash_script, stdout);
  return CLI_SOLVED;
}

const cli_command_t cli_command_completion = {
  .name = "completion",
  .summary = "commands and options for the shell: source <(fleetweave completion bash)",
  .run = run,
};
