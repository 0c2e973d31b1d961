#include "cli/common/options.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cli/common/command.h"
#include "cli/common/completion.h"
#include "cli/common/message.h"

// ---- the table of all options ---------------------------------------------------------------------------------------

// Whether no two options have the same name or letter, and each one can be stored and explained.
static bool is_table_valid(const cli_option_table_t * table)
{
  for (int32_t i = 0; i < table->count; i++) {
    const cli_option_t * option = table->rows[i].option;
    const bool is_number = option->kind == CLI_INTEGER || option->kind == CLI_NUMBER;
    if (
      option->help == NULL || (option->value == NULL) != (option->kind == CLI_FLAG) || option->letter == 'h' ||
      (is_number && option->min >= option->max)) {
      return false;
    }
    for (int32_t k = 0; k < i; k++) {
      const cli_option_t * other = table->rows[k].option;
      if (strcmp(option->name, other->name) == 0 || (option->letter != 0 && option->letter == other->letter)) {
        return false;
      }
    }
  }
  return true;
}

void cli_option_table_init(cli_option_table_t * table, const cli_group_t * groups)
{
  *table = (cli_option_table_t){0};
  for (const cli_group_t * group = groups; group != NULL && group->options != NULL; group++) {
    FW_ASSERT(group->values != NULL && (group->title != NULL || group > groups));
    const char * title = group->title;
    bool is_left_out = group->without == NULL;
    for (const cli_option_t * option = group->options; option->name != NULL; option++) {
      if (group->without != NULL && strcmp(option->name, group->without) == 0) {
        is_left_out = true;
        continue;
      }
      FW_ASSERT(table->count < CLI_OPTIONS_MAX);
      table->rows[table->count].option = option;
      table->rows[table->count].value = (char *)group->values + option->offset;
      table->rows[table->count].title = title;
      table->count++;
      title = NULL;
    }
    FW_ASSERT(is_left_out);  // `without` names an option of the table
    (void)is_left_out;
  }
  const bool is_valid = FW_ASSERT_ENABLED ? is_table_valid(table) : true;
  FW_ASSERT(is_valid);
  (void)is_valid;
}

// ---- help -----------------------------------------------------------------------------------------------------------

static void print_option(const cli_option_t * option)
{
  enum { COLUMN = 30 };  // where the help texts begin
  char left[64];
  char letter[8] = "    ";
  if (option->letter != 0) {
    snprintf(letter, sizeof(letter), "-%c, ", option->letter);
  }
  snprintf(
    left, sizeof(left), "  %s--%s%s%s", letter, option->name, option->value != NULL ? " " : "",
    option->value != NULL ? option->value : "");
  printf("%-*s", COLUMN, left);
  if (strlen(left) >= COLUMN) {
    printf("\n%-*s", COLUMN, "");
  }
  for (const char * c = option->help; *c != '\0'; c++) {
    putchar(*c);
    if (*c == '\n') {
      printf("%-*s", COLUMN, "");
    }
  }
  putchar('\n');
}

static void print_manual(const cli_manual_t * manual, const cli_option_table_t * table)
{
  printf("Usage: fleetweave %s %s\n\n%s\n", manual->name, manual->usage, manual->about);
  for (int32_t i = 0; i < table->count; i++) {
    if (table->rows[i].title != NULL) {
      printf("\n%s:\n", table->rows[i].title);
    }
    print_option(table->rows[i].option);
  }
  printf("\nExamples:\n%s\n", manual->examples);
  printf(
    "\nExit code: %s\n", manual->exit_codes != NULL
                           ? manual->exit_codes
                           : "0 success, 2 invalid command line, 3 failure (the reason is on stderr).");
}

// ---- parser ---------------------------------------------------------------------------------------------------------

// getopt_long returns a letter, or FIRST_LONG plus the row of the option in the table.
enum { FIRST_LONG = 256 };

typedef struct option_parser_t {
  const cli_manual_t * manual;
  cli_option_table_t table;
  struct option long_options[CLI_OPTIONS_MAX + 2];  // all rows, --help, and the end
  char letters[2 * CLI_OPTIONS_MAX + 4];            // ":h", then a letter and maybe a colon for each row
} option_parser_t;

static void init_parser(option_parser_t * parser, const cli_manual_t * manual)
{
  *parser = (option_parser_t){.manual = manual};
  cli_option_table_init(&parser->table, manual->groups);
  char * letter = parser->letters;
  *letter++ = ':';  // getopt_long then tells a missing argument from an unknown option
  *letter++ = 'h';
  for (int32_t i = 0; i < parser->table.count; i++) {
    const cli_option_t * option = parser->table.rows[i].option;
    const int has_argument = option->kind == CLI_FLAG ? no_argument : required_argument;
    parser->long_options[i] = (struct option){option->name, has_argument, NULL, FIRST_LONG + i};
    if (option->letter != 0) {
      *letter++ = option->letter;
      if (has_argument == required_argument) {
        *letter++ = ':';
      }
    }
  }
  parser->long_options[parser->table.count] = (struct option){"help", no_argument, NULL, 'h'};
  FW_ASSERT(letter < parser->letters + sizeof(parser->letters));
}

static const char * long_name(const void * state, int32_t index)
{
  return ((const option_parser_t *)state)->long_options[index].name;
}

// The row of an option, from the result of getopt_long; -1 for an unknown option.
static int32_t find_row(const cli_option_table_t * table, int code)
{
  if (code >= FIRST_LONG) {
    FW_ASSERT(code - FIRST_LONG < table->count);
    return code - FIRST_LONG;
  }
  for (int32_t i = 0; i < table->count; i++) {
    if (table->rows[i].option->letter == code) {
      return i;
    }
  }
  return -1;
}

// Whether `text` is one of the words of `choices`, "a|b|c". Otherwise sets the reason.
static bool check_choice(const char * text, const char * choices, fw_error_t * reason)
{
  size_t used = (size_t)snprintf(reason->text, sizeof(reason->text), "must be ");
  for (const char * word = choices; *word != '\0';) {
    const size_t length = strcspn(word, "|");
    const char * next = word + length + (word[length] == '|' ? 1 : 0);
    if (strlen(text) == length && strncmp(text, word, length) == 0) {
      return true;
    }
    const char * separator = *next == '\0' ? "" : strchr(next, '|') != NULL ? ", " : " or ";
    used += (size_t)snprintf(reason->text + used, sizeof(reason->text) - used, "%.*s%s", (int)length, word, separator);
    FW_ASSERT(used < sizeof(reason->text));
    word = next;
  }
  snprintf(reason->text + used, sizeof(reason->text) - used, ", not \"%.40s\"", text);
  return false;
}

// Stores an argument at `value` in the type of the option. Returns an exit code after an error message.
static int store(const cli_option_t * option, void * value, const char * text)
{
  fw_error_t reason = {0};
  const cli_range_t range = {option->min, option->max};
  cli_list_t * list = value;
  bool is_stored = true;
  switch (option->kind) {
    case CLI_FLAG:
      *(bool *)value = true;
      break;
    case CLI_CHOICE:
      is_stored = check_choice(text, option->value, &reason);
      *(const char **)value = text;
      break;
    case CLI_TEXT:
      *(const char **)value = text;
      break;
    case CLI_INTEGER:
      is_stored = cli_parse_integer(text, range, value, &reason);
      break;
    case CLI_NUMBER:
      is_stored = cli_parse_number(text, range, value, &reason);
      break;
    case CLI_LIST:
      is_stored = list->count < CLI_LIST_MAX;
      snprintf(reason.text, sizeof(reason.text), "may be given at most %d times", CLI_LIST_MAX);
      if (is_stored) {
        list->items[list->count++] = text;
      }
      break;
  }
  return is_stored ? CLI_CONTINUE : cli_error(CLI_USAGE, "--%s %s", option->name, reason.text);
}

static int refuse_option(const option_parser_t * parser, const char * argument)
{
  char name[64];
  if (argument[0] != '-' || argument[1] != '-') {  // -x, maybe in a bundle such as -axb
    snprintf(name, sizeof(name), "-%c", optopt);
  } else {
    snprintf(name, sizeof(name), "%.*s", (int)strcspn(argument, "="), argument);
  }
  const char * suggestion = name[1] == '-' ? cli_suggest_name(name + 2, long_name, parser) : NULL;
  const char * command = parser->manual->name;
  if (suggestion != NULL) {
    return cli_error(CLI_USAGE, "%s has no option %s; did you mean --%s?", command, name, suggestion);
  }
  return cli_error(CLI_USAGE, "%s has no option %s; see `fleetweave %s --help`", command, name, command);
}

static int take_operands(const cli_manual_t * manual, int count, char ** words, const char ** operands)
{
  const int max = manual->operand_max > 0 ? manual->operand_max : manual->operand_count;
  FW_ASSERT(max >= manual->operand_count && (max == 0 || operands != NULL));
  if (count < manual->operand_count) {
    const char * name = manual->name;
    return cli_error(CLI_USAGE, "%s needs %s; see `fleetweave %s --help`", name, manual->operand, name);
  }
  if (count > max) {
    return cli_error(
      CLI_USAGE, "%s: unexpected argument \"%s\"; see `fleetweave %s --help`", manual->name, words[max], manual->name);
  }
  for (int i = 0; i < count; i++) {
    operands[i] = words[i];
  }
  return CLI_CONTINUE;
}

int cli_parse(const cli_manual_t * manual, int argument_count, char ** arguments, const char ** operands)
{
  if (cli_completion_is_requested(argument_count, arguments)) {
    cli_completion_offer_options(manual, arguments);
    return CLI_SUCCESS;
  }
  option_parser_t parser;
  init_parser(&parser, manual);
  const cli_option_table_t * table = &parser.table;
  opterr = 0;
  optind = 1;
  for (;;) {
    const int code = getopt_long(argument_count, arguments, parser.letters, parser.long_options, NULL);
    if (code == -1) {
      return take_operands(manual, argument_count - optind, arguments + optind, operands);
    }
    if (code == 'h') {
      print_manual(manual, table);
      return CLI_SUCCESS;
    }
    const int32_t row = find_row(table, code == ':' ? optopt : code);
    if (code == ':' && row >= 0) {
      const cli_option_t * option = table->rows[row].option;
      return cli_error(CLI_USAGE, "--%s needs an argument (%s)", option->name, option->value);
    }
    if (code == '?' || row < 0) {
      return refuse_option(&parser, arguments[optind - 1]);
    }
    const int stored = store(table->rows[row].option, table->rows[row].value, optarg);
    if (stored != CLI_CONTINUE) {
      return stored;
    }
  }
}
