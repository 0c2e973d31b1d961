// `fleetweave view`: a plan as a page that plays it, alone or beside another one, or as a still picture.

#include "fleetweave/view.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/common/output.h"
#include "cli/plan_file.h"
#include "cli/common/words.h"

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

static const char * last_part(const char * path)
{
  const char * slash = strrchr(path, '/');
  return slash != NULL ? slash + 1 : path;
}

// The plans of the command line. Must not be copied.
typedef struct plans_t {
  const char * paths[FW_VIEW_PLANS_MAX];  // NULL: not given
  cli_plan_file_t files[FW_VIEW_PLANS_MAX];
  int32_t count;
} plans_t;

// Headings without robots that turn are shown as if nobody did: say so.
static void note_headings(const plans_t * plans, int32_t at)
{
  const fw_problem_t * problem = &plans->files[at].instance.problem;
  for (int32_t robot = 0; robot < problem->robot_count; robot++) {
    if (plans->files[at].plan.paths[robot].headings != NULL && problem->robots[robot].turn_ticks == 0) {
      (void)cli_say(
        CLI_SOLVED, "note: %s has a heading for robot %d, which does not turn; give --fleet FILE as to plan",
        plans->paths[at], robot);
      return;
    }
  }
}

static int load_plans(plans_t * plans, const cli_instance_options_t * options)
{
  int exit_code = CLI_SOLVED;
  while (exit_code == CLI_SOLVED && plans->count < FW_VIEW_PLANS_MAX && plans->paths[plans->count] != NULL) {
    exit_code = cli_plan_file_load(&plans->files[plans->count], plans->paths[plans->count], options);
    plans->count++;
  }
  for (int32_t i = 0; exit_code == CLI_SOLVED && i < plans->count; i++) {
    note_headings(plans, i);
  }
  return exit_code;
}

typedef struct words_t {
  char title[512];
  char names[FW_VIEW_PLANS_MAX][512];
} words_t;

// "hca on hall.map"; of two plans "hca beside whca on hall.map", and "hca, a.txt" for each.
static void find_words(words_t * words, const plans_t * plans)
{
  const cli_plan_file_t * files = plans->files;
  const char * map = last_part(files[0].instance.map_name);
  if (plans->count == 1) {
    snprintf(words->title, sizeof(words->title), "%s on %s", files[0].file.solver, map);
  } else {
    snprintf(words->title, sizeof(words->title), "%s beside %s on %s", files[0].file.solver, files[1].file.solver, map);
  }
  for (int32_t i = 0; i < plans->count; i++) {
    snprintf(words->names[i], sizeof(words->names[i]), "%s, %s", files[i].file.solver, last_part(plans->paths[i]));
  }
}

static fw_ret_t draw(const options_t * options, const plans_t * plans, FILE * stream, fw_error_t * error)
{
  words_t words;
  find_words(&words, plans);
  const fw_view_options_t view = {
    .title = options->title != NULL ? options->title : words.title,
    .seconds_per_tick = options->seconds_per_tick,
    .has_moment = options->at >= 0,
    .at = options->at >= 0 ? (fw_tick_t)options->at : 0,
    .window = (fw_tick_t)options->window,
    .shows_reservations = options->shows_reservations,
  };
  fw_view_plan_t shown[FW_VIEW_PLANS_MAX];
  for (int32_t i = 0; i < plans->count; i++) {
    const cli_plan_file_t * file = &plans->files[i];
    shown[i] = (fw_view_plan_t){.problem = &file->instance.problem, .plan = &file->plan, .name = words.names[i]};
  }
  return ends_with(options->out, ".svg") ? fw_view_svg(shown[0].problem, shown[0].plan, &view, stream, error)
                                         : fw_view_html_plans(shown, plans->count, &view, stream, error);
}

static int write_picture(const options_t * options, const plans_t * plans)
{
  cli_output_t output = {0};
  fw_error_t error = {0};
  if (!cli_output_open(&output, options->out)) {
    return CLI_FAILURE;
  }
  if (draw(options, plans, output.stream, &error) != FW_RET_OK) {
    cli_output_discard(&output);
    return cli_say(CLI_FAILURE, "%s: %s", options->out, error.text);
  }
  return cli_output_commit(&output) ? CLI_SOLVED : CLI_FAILURE;
}

// Whether what is asked for can be; an exit code after saying why not.
static int check_options(const options_t * options, const plans_t * plans)
{
  if (options->out == NULL) {
    return cli_say(CLI_USAGE, "view needs -o page.html or -o picture.svg");
  }
  const bool is_picture = ends_with(options->out, ".svg");
  if (
    !is_picture && !ends_with(options->out, ".html") && !ends_with(options->out, ".htm") &&
    strcmp(options->out, "-") != 0) {
    return cli_say(
      CLI_USAGE, "-o %s: the name must end in .html (a page that plays) or .svg (a picture)", options->out);
  }
  if (is_picture && options->at < 0 && (options->window > 0 || options->shows_reservations)) {
    return cli_say(CLI_USAGE, "a picture has a window and reservations at a moment: give --at TICK too");
  }
  if (is_picture && plans->paths[1] != NULL) {
    return cli_say(CLI_USAGE, "a picture has one plan; two are for a page, -o page.html");
  }
  return CLI_SOLVED;
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
      "PLAN [PLAN] -o page.html|picture.svg [--at TICK [--window TICKS] [--reservations]] [--fleet FILE] [--title "
      "TEXT]",
    .about =
      "Draws a plan. The page is one file that any browser opens without a network: play and pause, speed,\n"
      "a time line, zoom, each robot's path, and layers of reservations, waits and closures. Two plans for one\n"
      "map are shown beside each other on one time line. A picture shows the whole plan with its waits, or\n"
      "with --at one moment of it: the way behind, the way ahead in the window, what is reserved there, and\n"
      "the rest of the way as a dashed line. Both mark the conflict that `fleetweave check` finds. The map\n"
      "named in the plan is looked for beside the plan and in the current folder.",
    .groups = groups,
    .group_count = 3,
    .operand_count = 1,
    .operand_max = FW_VIEW_PLANS_MAX,
    .operand = "a PLAN file",
    .examples =
      "  fleetweave view plan.txt -o plan.html\n"
      "  fleetweave view plan.txt -o plan.svg --map maps/hall.map --title \"The hall, 50 robots\"\n"
      "  fleetweave view hca.txt whca.txt -o both.html\n"
      "  fleetweave view plan.txt -o moment.svg --at 6 --window 8 --reservations --closures doors.txt",
  };
  plans_t plans = {0};
  const int parsed = cli_parse(&manual, argument_count, arguments, plans.paths);
  if (parsed != CLI_GO_ON) {
    return parsed;
  }
  int exit_code = check_options(&options, &plans);
  if (exit_code == CLI_SOLVED) {
    exit_code = load_plans(&plans, &options.instance);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = write_picture(&options, &plans);
  }
  for (int32_t i = 0; i < plans.count; i++) {
    cli_plan_file_fini(&plans.files[i]);
  }
  return exit_code;
}

const cli_command_t cli_command_view = {
  .name = "view",
  .summary = "draw a plan: a page that plays it, or a picture",
  .run = run,
};
