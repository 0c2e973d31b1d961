// `fleetweave view`: a plan as a page that plays it, or as a still picture.

#include "fleetweave/view.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/output.h"
#include "cli/plan_file.h"
#include "cli/words.h"

typedef struct options_t {
  cli_instance_options_t instance;
  const char * out;
  const char * title;
  double seconds_per_tick;
} options_t;

#define AT(member) offsetof(options_t, member)

// clang-format off: a table reads better than a member per line
static const cli_option_t picture_options[] = {
  {.name = "out",
   .letter = 'o',
   .kind = CLI_TEXT,
   .offset = AT(out),
   .value = "FILE",
   .help = "page.html plays the plan, picture.svg is still; - is a page on stdout"},
  {.name = "title", .kind = CLI_TEXT, .offset = AT(title), .value = "TEXT", .help = "default: the planner and the map"},
  {.name = "seconds-per-tick",
   .kind = CLI_NUMBER,
   .offset = AT(seconds_per_tick),
   .min = 0,
   .max = 3600,
   .value = "S",
   .help = "for the clock of the page (default: 1)"},
};
// clang-format on

static bool ends_with(const char * text, const char * end)
{
  const size_t length = strlen(text);
  return length >= strlen(end) && strcmp(text + length - strlen(end), end) == 0;
}

static int write_picture(const options_t * options, const cli_plan_file_t * plan_file)
{
  char title[512];
  const char * map = plan_file->instance.map_name;
  const char * slash = strrchr(map, '/');
  snprintf(title, sizeof(title), "%s on %s", plan_file->file.solver, slash != NULL ? slash + 1 : map);
  const fw_view_options_t view = {
    .title = options->title != NULL ? options->title : title, .seconds_per_tick = options->seconds_per_tick};
  cli_output_t output = {0};
  fw_error_t error = {0};
  if (!cli_output_open(&output, options->out)) {
    return CLI_FAILURE;
  }
  const fw_problem_t * problem = &plan_file->instance.problem;
  const fw_ret_t ret = ends_with(options->out, ".svg")
                         ? fw_view_svg(problem, &plan_file->plan, &view, output.stream, &error)
                         : fw_view_html(problem, &plan_file->plan, &view, output.stream, &error);
  if (ret != FW_RET_OK) {
    cli_output_discard(&output);
    return cli_say(CLI_FAILURE, "%s: %s", options->out, error.text);
  }
  return cli_output_commit(&output) ? CLI_SOLVED : CLI_FAILURE;
}

static int run(int argument_count, char ** arguments)
{
  options_t options = {.instance = cli_instance_options_default(), .seconds_per_tick = 1.0};
  const cli_group_t groups[] = {
    {"Picture", picture_options, 3, &options},
    {"Map (default: the one that the plan names)", cli_map_options, CLI_MAP_OPTION_COUNT, &options.instance},
    {"Robots", cli_rule_options + CLI_RULE_FLEET, 1, &options.instance},
  };
  const cli_manual_t manual = {
    .name = "view",
    .usage = "PLAN -o page.html|picture.svg [--map FILE | --make LINE] [--fleet FILE] [--title TEXT]",
    .about =
      "Draws a plan. The page is one file that any browser opens without a network: play and pause, speed,\n"
      "a time line, zoom, and each robot's path. The map named in the plan is looked for beside the plan\n"
      "and in the current folder.",
    .groups = groups,
    .group_count = 3,
    .operand_count = 1,
    .operand = "a PLAN file",
    .examples =
      "  fleetweave view plan.txt -o plan.html\n"
      "  fleetweave view plan.txt -o plan.svg --map maps/hall.map --title \"The hall, 50 robots\"",
  };
  const char * path = NULL;
  switch (cli_parse(&manual, argument_count, arguments, &path)) {
    case CLI_PARSED_HELP:
      return CLI_SOLVED;
    case CLI_PARSED_WRONG:
      return CLI_USAGE;
    case CLI_PARSED:
      break;
  }
  if (options.out == NULL) {
    return cli_say(CLI_USAGE, "view needs -o page.html or -o picture.svg");
  }
  if (
    !ends_with(options.out, ".svg") && !ends_with(options.out, ".html") && !ends_with(options.out, ".htm") &&
    strcmp(options.out, "-") != 0) {
    return cli_say(CLI_USAGE, "-o %s: the name must end in .html (a page that plays) or .svg (a picture)", options.out);
  }
  cli_plan_file_t plan_file = {0};
  int exit_code = cli_plan_file_load(&plan_file, path, &options.instance);
  if (exit_code == CLI_SOLVED) {
    exit_code = write_picture(&options, &plan_file);
  }
  cli_plan_file_fini(&plan_file);
  return exit_code;
}

const cli_command_t cli_command_view = {
  .name = "view",
  .summary = "draw a plan: a page that plays it, or a picture",
  .run = run,
};
