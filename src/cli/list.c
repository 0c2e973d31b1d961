// `fleetweave list`: the planners of the registry with their papers and parameters.

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cli/cli.h"
#include "cli/common/json.h"
#include "cli/common/options.h"
#include "fleetweave/planner_def.h"
#include "fleetweave_cuda.h"

typedef struct list_options_t {
  bool is_json;
  bool is_markdown;
} list_options_t;

static const cli_option_t list_options[] = {
  {.name = "json", .kind = CLI_FLAG, .offset = offsetof(list_options_t, is_json), .help = "print a JSON array"},
  {.name = "markdown",
   .kind = CLI_FLAG,
   .offset = offsetof(list_options_t, is_markdown),
   .help = "print a Markdown table, as in the README"},
  {0},
};

static const char * type_name(fw_parameter_type_t type)
{
  switch (type) {
    case FW_PARAMETER_BOOLEAN:
      return "boolean";
    case FW_PARAMETER_CHOICE:
      return "choice";
    case FW_PARAMETER_INTEGER:
      break;
  }
  return "integer";
}

// Whether this parameter chooses between the CPU and a GPU.
static bool has_backends(const fw_parameter_def_t * parameter) { return strcmp(parameter->name, "backend") == 0; }

static void print_parameter(const fw_parameter_def_t * parameter)
{
  char initial[64];
  fw_parameter_format(parameter, parameter->initial, initial, sizeof(initial));
  printf("    %s=%s  ", parameter->name, initial);
  if (parameter->type == FW_PARAMETER_CHOICE) {
    for (int64_t i = 0; i <= parameter->max; i++) {
      printf("%s%s", i > 0 ? "|" : "(", parameter->choices[i]);
    }
    puts(")");
  } else if (parameter->type == FW_PARAMETER_BOOLEAN) {
    puts("(true|false)");
  } else {
    printf("(%" PRId64 " to %" PRId64 ")\n", parameter->min, parameter->max);
  }
  printf("        %s\n", parameter->help);
}

static void print_planner(const fw_planner_def_t * planner)
{
  printf("%s: %s\n", planner->name, planner->summary);
  printf("    after %s\n", planner->paper);
  if (planner->is_anytime) {
    puts("    anytime");
  }
  if (planner->is_optimal || planner->is_complete) {
    printf(
      "    %s%s%s\n", planner->is_optimal ? "optimal" : "", planner->is_optimal && planner->is_complete ? ", " : "",
      planner->is_complete ? "complete" : "");
  }
  for (int32_t i = 0; i < planner->parameter_count; i++) {
    print_parameter(&planner->parameters[i]);
    if (has_backends(&planner->parameters[i])) {
      printf("        %s\n", fw__cuda_status());
    }
  }
}

// Writes the initial value in its own JSON type, the range of an integer and the words of a choice.
static void write_parameter(cli_json_t * json, const fw_parameter_def_t * parameter)
{
  FW_ASSERT(parameter->min <= parameter->initial && parameter->initial <= parameter->max);
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "name", parameter->name);
  cli_json_text(json, "type", type_name(parameter->type));
  if (parameter->type == FW_PARAMETER_INTEGER) {
    cli_json_integer(json, "initial", parameter->initial);
    cli_json_integer(json, "min", parameter->min);
    cli_json_integer(json, "max", parameter->max);
  } else if (parameter->type == FW_PARAMETER_BOOLEAN) {
    cli_json_boolean(json, "initial", parameter->initial != 0);
  } else {
    cli_json_text(json, "initial", parameter->choices[parameter->initial]);
    cli_json_open(json, "choices", '[');
    for (int64_t i = 0; i <= parameter->max; i++) {
      cli_json_text(json, NULL, parameter->choices[i]);
    }
    cli_json_close(json, ']');
  }
  cli_json_text(json, "help", parameter->help);
  if (has_backends(parameter)) {
    cli_json_text(json, "status", fw__cuda_status());
  }
  cli_json_close(json, '}');
}

static void write_planner(cli_json_t * json, const fw_planner_def_t * planner)
{
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "name", planner->name);
  cli_json_text(json, "summary", planner->summary);
  cli_json_text(json, "paper", planner->paper);
  cli_json_boolean(json, "is_optimal", planner->is_optimal);
  cli_json_boolean(json, "is_complete", planner->is_complete);
  cli_json_boolean(json, "is_anytime", planner->is_anytime);
  cli_json_open(json, "parameters", '[');
  for (int32_t i = 0; i < planner->parameter_count; i++) {
    write_parameter(json, &planner->parameters[i]);
  }
  cli_json_close(json, ']');
  cli_json_close(json, '}');
}

// Prints a cell of a table. Characters with a meaning in Markdown are escaped.
static void print_cell(const char * text)
{
  fputs("| ", stdout);
  for (const char * c = text; *c != '\0'; c++) {
    if (*c == '*' || *c == '|' || *c == '_') {
      putchar('\\');
    }
    putchar(*c);
  }
  putchar(' ');
}

// The guarantees of a planner, for the table.
static const char * guarantees(const fw_planner_def_t * planner)
{
  if (planner->is_optimal) {
    return planner->is_complete ? "optimal, complete" : "optimal";
  }
  return planner->is_complete  ? "complete"
         : planner->is_anytime ? "anytime"
         : planner->goes_on    ? "window by window"
                               : "";
}

static void print_row(const fw_planner_def_t * planner)
{
  printf("| `%s` ", planner->name);
  print_cell(planner->summary);
  print_cell(guarantees(planner));
  print_cell(planner->paper);
  puts("|");
}

static int print_table(void)
{
  puts("| name | what it is | | after |\n| --- | --- | --- | --- |");
  for (int32_t i = 0; i < fw_planner_def_count(); i++) {
    print_row(fw_planner_def_at(i));
  }
  return CLI_SUCCESS;
}

static int run(int argument_count, char ** arguments)
{
  list_options_t options = {0};
  const cli_group_t groups[] = {{"Output", list_options, .values = &options}, {0}};
  const cli_manual_t manual = {
    .name = "list",
    .usage = "[--json | --markdown]",
    .about = "Lists the planners, the paper that each one implements, and the parameters for `plan --set KEY=VALUE`.",
    .groups = groups,
    .examples = "  fleetweave list\n  fleetweave plan --make open:16x16 --robots 20 --planner ca --set orders=8",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  if (options.is_markdown) {
    return print_table();
  }
  cli_json_t json = {.stream = stdout};
  if (options.is_json) {
    cli_json_open(&json, NULL, '[');
  }
  for (int32_t i = 0; i < fw_planner_def_count(); i++) {
    if (options.is_json) {
      write_planner(&json, fw_planner_def_at(i));
    } else {
      print_planner(fw_planner_def_at(i));
    }
  }
  if (options.is_json) {
    cli_json_close(&json, ']');
    putchar('\n');
  }
  return CLI_SUCCESS;
}

const cli_command_t cli_command_list = {
  .name = "list",
  .summary = "list the planners and their parameters",
  .run = run,
};
