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
  int64_t at;  // -1: not given
  int64_t window;
  bool shows_reservations;
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
  {.name = "at",
   .kind = CLI_INTEGER,
   .offset = AT(at),
   .min = 0,
   .max = FW_TICK_MAX,
   .value = "TICK",
   .help = "a picture of that moment; a page opens there"},
  {.name = "window",
   .kind = CLI_INTEGER,
   .offset = AT(window),
   .min = 1,
   .max = FW_TICK_MAX,
   .value = "TICKS",
   .help = "how far to look ahead of that moment (default: to the end)"},
  {.name = "reservations",
   .kind = CLI_FLAG,
   .offset = AT(shows_reservations),
   .help = "cells that are reserved in the window, with their ticks"},
};
enum { PICTURE_OPTION_COUNT = sizeof(picture_options) / sizeof(picture_options[0]) };
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
    .title = options->title != NULL ? options->title : title,
    .seconds_per_tick = options->seconds_per_tick,
    .has_moment = options->at >= 0,
    .at = options->at >= 0 ? (fw_tick_t)options->at : 0,
    .window = (fw_tick_t)options->window,
    .shows_reservations = options->shows_reservations,
  };
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
  options_t options = {.instance = cli_instance_options_default(), .seconds_per_tick = 1.0, .at = -1};
  const cli_group_t groups[] = {
    {"Picture", picture_options, PICTURE_OPTION_COUNT, &options},
    {"Map (default: the one that the plan names)", cli_map_options, CLI_MAP_OPTION_COUNT, &options.instance},
    {"Rules of motion, as they were given to plan", cli_rule_options, CLI_RULE_OPTION_COUNT, &options.instance},
  };
  const cli_manual_t manual = {
    .name = "view",
    .usage =
      "PLAN -o page.html|picture.svg [--at TICK [--window TICKS] [--reservations]] [--fleet FILE] [--title TEXT]",
    .about =
      "Draws a plan. The page is one file that any browser opens without a network: play and pause, speed,\n"
      "a time line, zoom, each robot's path, and layers of reservations, waits and closures. A picture shows\n"
      "the whole plan with its waits, or with --at one moment of it: the way behind, the way ahead in the\n"
      "window, what is reserved there, and the rest of the way as a dashed line. The map named in the plan is\n"
      "looked for beside the plan and in the current folder.",
    .groups = groups,
    .group_count = 3,
    .operand_count = 1,
    .operand = "a PLAN file",
    .examples =
      "  fleetweave view plan.txt -o plan.html\n"
      "  fleetweave view plan.txt -o plan.svg --map maps/hall.map --title \"The hall, 50 robots\"\n"
      "  fleetweave view plan.txt -o moment.svg --at 6 --window 8 --reservations --closures doors.txt",
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
  if (ends_with(options.out, ".svg") && options.at < 0 && (options.window > 0 || options.shows_reservations)) {
    return cli_say(CLI_USAGE, "a picture has a window and reservations at a moment: give --at TICK too");
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
