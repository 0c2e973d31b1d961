#include "cli/common/completion.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "fleetweave/files.h"
#include "fleetweave/planner_def.h"
#include "fleetweave/search.h"

bool cli_completion_is_requested(int argument_count, char ** arguments)
{
  return argument_count == CLI_COMPLETE_COUNT && strcmp(arguments[1], CLI_COMPLETE) == 0;
}

// Prints the first `length` characters of `word` if they begin with the word at the cursor.
static void offer_part(const char * word, size_t length, char ** arguments)
{
  FW_ASSERT(length <= strlen(word));
  const char * under = arguments[CLI_COMPLETE_UNDER];
  if (strlen(under) <= length && strncmp(word, under, strlen(under)) == 0) {
    printf("%.*s\n", (int)length, word);
  }
}

void cli_completion_offer(const char * word, char ** arguments) { offer_part(word, strlen(word), arguments); }

// ---- values of options ----------------------------------------------------------------------------------------------

static void offer_planners(char ** arguments)
{
  for (int32_t i = 0; i < fw_planner_def_count(); i++) {
    cli_completion_offer(fw_planner_def_at(i)->name, arguments);
  }
}

static void offer_searches(char ** arguments)
{
  for (int32_t i = 0; i < fw_router_def_count(); i++) {
    cli_completion_offer(fw_router_def_at(i)->name, arguments);
  }
}

// Whether no planner before number `planner` has a parameter of that name.
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
        cli_completion_offer(word, arguments);
      }
    }
  }
}

// The kinds of maps, "open:", "random:", …: each begins a line of the map generator's help.
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

// The words of a placeholder such as "none|light|heavy".
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

void cli_completion_offer_options(const cli_manual_t * manual, char ** arguments)
{
  cli_option_table_t table;
  cli_option_table_init(&table, manual->groups);
  for (int32_t i = 0; i < table.count; i++) {
    const cli_option_t * option = table.rows[i].option;
    if (option->kind != CLI_FLAG && is_option(option, arguments[CLI_COMPLETE_BEFORE])) {
      offer_values(option, arguments);
      return;
    }
  }
  for (int32_t i = 0; i < table.count; i++) {
    char word[72];
    snprintf(word, sizeof(word), "--%.64s", table.rows[i].option->name);
    cli_completion_offer(word, arguments);
  }
  cli_completion_offer("--help", arguments);
  if (manual->operand_count > 0 && arguments[CLI_COMPLETE_UNDER][0] != '-') {
    puts(":files");
  }
}
