#include "cli/common/arguments.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "cli/common/command.h"
#include "cli/common/completion.h"
#include "cli/common/words.h"

// Long options are told apart by their place in the list of all options, from FIRST_VALUE on; letters are below.
enum { FIRST_VALUE = 256 };

typedef struct table_t {
  const cli_manual_t * manual;
  struct option long_options[CLI_OPTIONS_MAX + 2];
  const cli_option_t * options[CLI_OPTIONS_MAX];
  void * values[CLI_OPTIONS_MAX];
  int32_t count;
  char letters[2 * CLI_OPTIONS_MAX + 4];
} table_t;

static void make_table(table_t * table, const cli_manual_t * manual)
{
  *table = (table_t){.manual = manual};
  char * letter = table->letters;
  *letter++ = ':';  // tell a missing value from an unknown option
  *letter++ = 'h';
  for (int32_t g = 0; g < manual->group_count; g++) {
    const cli_group_t * group = &manual->groups[g];
    for (int32_t i = 0; i < group->option_count && table->count < CLI_OPTIONS_MAX; i++) {
      const cli_option_t * option = &group->options[i];
      const int has_value = option->kind == CLI_FLAG ? no_argument : required_argument;
      table->long_options[table->count] = (struct option){option->name, has_value, NULL, FIRST_VALUE + table->count};
      table->options[table->count] = option;
      table->values[table->count] = (char *)group->values + option->offset;
      table->count++;
      if (option->letter != 0) {
        *letter++ = option->letter;
        if (has_value == required_argument) {
          *letter++ = ':';
        }
      }
    }
  }
  table->long_options[table->count] = (struct option){"help", no_argument, NULL, 'h'};
}

static const char * long_name(const void * state, int32_t index)
{
  return ((const table_t *)state)->long_options[index].name;
}

// The place of an option in the table, from what getopt_long returned; -1 if there is none.
static int32_t find(const table_t * table, int code)
{
  if (code >= FIRST_VALUE) {
    return code - FIRST_VALUE;
  }
  for (int32_t i = 0; i < table->count; i++) {
    if (table->options[i]->letter == code) {
      return i;
    }
  }
  return -1;
}

static bool store(const cli_option_t * option, void * value, const char * text)
{
  cli_reason_t reason = {{0}};
  const cli_range_t range = {option->min, option->max};
  cli_list_t * list = value;
  bool is_right = true;
  switch (option->kind) {
    case CLI_FLAG:
      *(bool *)value = true;
      break;
    case CLI_TEXT:
      *(const char **)value = text;
      break;
    case CLI_INTEGER:
      is_right = cli_read_integer(text, range, value, &reason);
      break;
    case CLI_NUMBER:
      is_right = cli_read_number(text, range, value, &reason);
      break;
    case CLI_LIST:
      is_right = list->count < CLI_LIST_MAX;
      snprintf(reason.text, sizeof(reason.text), "may be given at most %d times", CLI_LIST_MAX);
      if (is_right) {
        list->items[list->count++] = text;
      }
      break;
  }
  if (!is_right) {
    (void)cli_say(CLI_USAGE, "--%s %s", option->name, reason.text);
  }
  return is_right;
}

static int refuse_option(const table_t * table, const char * argument)
{
  char name[64];
  if (argument[0] != '-' || argument[1] != '-') {  // -x, maybe inside a bundle
    snprintf(name, sizeof(name), "-%c", optopt);
  } else {
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(argument, "="), argument);
  }
  const char * nearest = name[1] == '-' ? cli_nearest(name + 2, long_name, table) : NULL;
  const char * command = table->manual->name;
  if (nearest != NULL) {
    return cli_say(CLI_USAGE, "%s has no option %s; did you mean --%s?", command, name, nearest);
  }
  return cli_say(CLI_USAGE, "%s has no option %s; see `fleetweave %s --help`", command, name, command);
}

static int take_operands(const cli_manual_t * manual, int count, char ** words, const char ** operands)
{
  const int most = manual->operand_max > 0 ? manual->operand_max : manual->operand_count;
  if (count < manual->operand_count) {
    const char * name = manual->name;
    return cli_say(CLI_USAGE, "%s needs %s; see `fleetweave %s --help`", name, manual->operand, name);
  }
  if (count > most) {
    return cli_say(CLI_USAGE, "%s does not know what to do with \"%s\"", manual->name, words[most]);
  }
  for (int i = 0; i < count; i++) {
    operands[i] = words[i];
  }
  return CLI_GO_ON;
}

int cli_parse(const cli_manual_t * manual, int argument_count, char ** arguments, const char ** operands)
{
  table_t table;
  if (cli_is_completion(argument_count, arguments)) {
    cli_complete(manual, arguments);
    return CLI_SOLVED;
  }
  make_table(&table, manual);
  opterr = 0;
  optind = 1;
  for (;;) {
    const int code = getopt_long(argument_count, arguments, table.letters, table.long_options, NULL);
    if (code == -1) {
      return take_operands(manual, argument_count - optind, arguments + optind, operands);
    }
    if (code == 'h') {
      cli_print_manual(manual);
      return CLI_SOLVED;
    }
    const int32_t at = find(&table, code == ':' ? optopt : code);
    if (code == ':' && at >= 0) {
      return cli_say(CLI_USAGE, "--%s needs a value (%s)", table.options[at]->name, table.options[at]->value);
    }
    if (code == '?' || at < 0) {
      return refuse_option(&table, arguments[optind - 1]);
    }
    if (!store(table.options[at], table.values[at], optarg)) {
      return CLI_USAGE;
    }
  }
}
