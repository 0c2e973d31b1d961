// Options of a command. One table per set of options gives the name, the argument, the help text and the place where
// the value is stored. The parser, the help text and the completion of the shell all read this table, so they cannot
// disagree.
//
//   typedef struct options_t { const char * planner; } options_t;
//   static const cli_option_t planner_options[] = {
//     {.name = "planner", .letter = 'p', .kind = CLI_TEXT, .offset = offsetof(options_t, planner), .value = "NAME",
//      .help = "see `fleetweave list` (default: hca)"},
//     {0},
//   };
//   options_t options = {.planner = "hca"};
//   const cli_group_t groups[] = {{"Planner", planner_options, .values = &options}, {0}};
//
// The parser is getopt_long of the C library: users know its conventions (--name value, --name=value, unambiguous
// abbreviations, -o value), and it needs no further dependency.

#ifndef CLI__COMMON__OPTIONS_H_
#define CLI__COMMON__OPTIONS_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CLI_LIST_MAX = 64, CLI_OPTIONS_MAX = 48 };

// The type of an option's value.
typedef enum cli_option_kind_t {
  CLI_FLAG,     // bool; the option has no argument
  CLI_TEXT,     // const char *, points into the command line
  CLI_CHOICE,   // const char *, one of the words of the placeholder "a|b|c"
  CLI_INTEGER,  // int64_t, min to max
  CLI_NUMBER,   // double, min to max
  CLI_LIST,     // cli_list_t; the option may be repeated
} cli_option_kind_t;

// The arguments of a CLI_LIST option, in the order of the command line.
typedef struct cli_list_t {
  const char * items[CLI_LIST_MAX];
  int32_t count;
} cli_list_t;

// A row of a table of options. A row without a name ends the table.
typedef struct cli_option_t {
  const char * name;
  char letter;  // 0: the option has no short form
  cli_option_kind_t kind;
  size_t offset;  // of the value in the struct that the group points to
  int64_t min;    // CLI_INTEGER and CLI_NUMBER only, both bounds included
  int64_t max;
  const char * value;  // placeholder of the argument in the help; NULL for a flag
  const char * help;   // with the default; further lines follow a newline
} cli_option_t;

// A table of options, the heading above it in the help, and the struct that takes the values. A group without a table
// ends the list of groups.
typedef struct cli_group_t {
  const char * title;  // NULL: the options follow those of the group before under the same heading
  const cli_option_t * options;
  void * values;
  const char * without;  // name of an option of the table that this command does not have; NULL: has all of them
} cli_group_t;

// The syntax of a command and the text of its help.
typedef struct cli_manual_t {
  const char * name;           // "plan", "bench mapf"
  const char * usage;          // what follows the name
  const char * about;          // a paragraph, lines of at most 100 characters
  const cli_group_t * groups;  // NULL: the command has no options
  int32_t operand_count;       // minimum number of operands
  int32_t operand_max;         // maximum number of operands; 0: operand_count
  const char * operand;        // describes an operand in the error about a missing one
  const char * examples;
  const char * exit_codes;  // NULL: the usual ones
} cli_manual_t;

// Returned by cli_parse when the command is to run. It is not an exit code.
enum { CLI_CONTINUE = -1 };

// Parses the command line: fills the values of the groups and the operands (the arguments that are not options, at
// most operand_max; the remaining ones keep their value). Any result other than CLI_CONTINUE is the exit code of the
// program: the help, the completion or an error message has been printed.
int cli_parse(const cli_manual_t * manual, int argument_count, char ** arguments, const char ** operands);

// All options of a command in the order of its help.
typedef struct cli_option_table_t {
  struct {
    const cli_option_t * option;
    void * value;        // where the parsed value goes
    const char * title;  // heading, for the first option of a group; NULL for the others
  } rows[CLI_OPTIONS_MAX];
  int32_t count;
} cli_option_table_t;

void cli_option_table_init(cli_option_table_t * table, const cli_group_t * groups);

#endif  // CLI__COMMON__OPTIONS_H_
