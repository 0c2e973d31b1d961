// Completion of the options of a command, from the same tables as the parser. See completion.h.

#include "cli/common/completion.h"

#include <stdio.h>
#include <string.h>

#include "fleetweave/files.h"
#include "fleetweave/planner_def.h"
#include "fleetweave/search.h"

bool cli_is_completion(int argument_count, char ** arguments)
{
  return argument_count == CLI_COMPLETE_COUNT && strcmp(arguments[1], CLI_COMPLETE) == 0;
}

static void offer_part(const char * word, size_t length, char ** arguments)
{
  const char * under = arguments[CLI_COMPLETE_UNDER];
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
      if (option->kind != CLI_FLAG && is_option(option, arguments[CLI_COMPLETE_BEFORE])) {
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
  if (manual->operand_count > 0 && arguments[CLI_COMPLETE_UNDER][0] != '-') {
    puts(":files");
  }
}
