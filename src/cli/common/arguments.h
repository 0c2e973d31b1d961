// Arguments of a command, from tables: a table says what an option is called, what it may be and what it means, and
// serves both the parser and the help text, so that they cannot disagree.
//
// The parser is getopt_long of the C library: known to everybody's fingers (--name value, --name=value, abbreviations,
// -o value) and nothing to install.

#ifndef CLI__COMMON__ARGUMENTS_H_
#define CLI__COMMON__ARGUMENTS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLI_LIST_MAX = 64, CLI_OPTIONS_MAX = 48, CLI_OPERANDS_MAX = 4 };

typedef enum cli_option_kind_t {
  CLI_FLAG,     // bool
  CLI_TEXT,     // const char *
  CLI_INTEGER,  // int64_t, between min and max
  CLI_NUMBER,   // double, between min and max
  CLI_LIST,     // cli_list_t; the option may be given more than once
} cli_option_kind_t;

typedef struct cli_list_t {
  const char * items[CLI_LIST_MAX];
  int32_t count;
} cli_list_t;

typedef struct cli_option_t {
  const char * name;
  char letter;  // 0: none
  cli_option_kind_t kind;
  size_t offset;  // of its value in the group's values
  int64_t min;
  int64_t max;
  const char * value;  // what stands for the value in the help, NULL for a flag
  const char * help;   // one line, with the default
} cli_option_t;

// Options that belong together; their values are members of one struct.
typedef struct cli_group_t {
  const char * title;
  const cli_option_t * options;
  int32_t option_count;
  void * values;
} cli_group_t;

typedef struct cli_manual_t {
  const char * name;   // "plan", "bench mapf"
  const char * usage;  // what follows the name
  const char * about;  // a paragraph, lines of at most 100 characters
  const cli_group_t * groups;
  int32_t group_count;
  int32_t operand_count;  // how many, at least
  int32_t operand_max;    // how many, at most; 0: exactly as many
  const char * operand;   // their name, for the message when one is missing
  const char * examples;
  const char * exit_codes;  // NULL: the usual ones
} cli_manual_t;

enum { CLI_GO_ON = -1 };

// Fills the groups' values and the operands (the words that are no options); those beyond the words there are stay as
// they were. Anything but CLI_GO_ON is the exit code of the program: the help, or what is wrong, has been printed.
int cli_parse(const cli_manual_t * manual, int argument_count, char ** arguments, const char ** operands);

// The help of a command on stdout (manual.c).
void cli_print_manual(const cli_manual_t * manual);

#endif  // CLI__COMMON__ARGUMENTS_H_
