// `fleetweave view`: draws a plan as an HTML page that plays it, alone or next to another plan, or as an SVG picture.

#include "fleetweave/view.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cli/cli.h"
#include "cli/common/message.h"
#include "cli/common/output.h"
#include "cli/common/plan_file.h"

typedef struct view_options_t {
  cli_instance_options_t instance;
  const char * out;
  const char * title;
  double seconds_per_tick;
  int64_t at;  // -1: not given
  int64_t window;
  bool shows_reservations;
} view_options_t;

#define AT(member) offsetof(view_options_t, member)

static const cli_option_t picture_options[] = {
  {.name = "out",
   .letter = 'o',
   .kind = CLI_TEXT,
   .offset = AT(out),
   .value = "FILE",
   .help = "write an animated page (.html) or a picture (.svg); - is a page on stdout"},
  {.name = "title",
   .kind = CLI_TEXT,
   .offset = AT(title),
   .value = "TEXT",
   .help = "title of the page or picture (default: the planner and the map)"},
  {.name = "seconds-per-tick",
   .kind = CLI_NUMBER,
   .offset = AT(seconds_per_tick),
   .min = 0,
   .max = 3600,
   .value = "S",
   .help = "seconds per tick, for the clock of the page (default: 1)"},
  {.name = "at",
   .kind = CLI_INTEGER,
   .offset = AT(at),
   .min = 0,
   .max = FW_TICK_MAX,
   .value = "TICK",
   .help = "draw the picture at this tick; a page starts at this tick"},
  {.name = "window",
   .kind = CLI_INTEGER,
   .offset = AT(window),
   .min = 1,
   .max = FW_TICK_MAX,
   .value = "TICKS",
   .help = "how many ticks after --at to show (default: to the end)"},
  {.name = "reservations",
   .kind = CLI_FLAG,
   .offset = AT(shows_reservations),
   .help = "show the cells that are reserved in the window, with their ticks"},
  {0},
};

// The plans of the command line. Must not be copied.
typedef struct view_plans_t {
  const char * paths[FW_VIEW_PLANS_MAX];  // NULL: not given
  cli_plan_file_t files[FW_VIEW_PLANS_MAX];
  int32_t count;
} view_plans_t;

// A plan with headings was made for robots that turn. Without their properties it is drawn as if they did not: tell
// the user.
static void note_headings(const view_plans_t * plans, int32_t at)
{
  const fw_problem_t * problem = &plans->files[at].instance.problem;
  for (int32_t robot = 0; robot < problem->robot_count; robot++) {
    if (plans->files[at].plan.paths[robot].headings != NULL && problem->robots[robot].turn_ticks == 0) {
      cli_note(
        "%s has headings for robot %d, but the robot has no turn_ticks; give the --fleet FILE of `plan`",
        plans->paths[at], robot);
      return;
    }
  }
}

static int load_plans(view_plans_t * plans, const cli_instance_options_t * options)
{
  int exit_code = CLI_SUCCESS;
  while (exit_code == CLI_SUCCESS && plans->count < FW_VIEW_PLANS_MAX && plans->paths[plans->count] != NULL) {
    exit_code = cli_plan_file_load(&plans->files[plans->count], plans->paths[plans->count], options);
    plans->count++;
  }
  for (int32_t i = 0; exit_code == CLI_SUCCESS && i < plans->count; i++) {
    note_headings(plans, i);
  }
  return exit_code;
}

// The default texts.
typedef struct view_titles_t {
  char title[512];
  char names[FW_VIEW_PLANS_MAX][512];
} view_titles_t;

// "hca on hall.map"; of two plans "hca beside whca on hall.map", and "hca, a.txt" for each.
static void make_titles(view_titles_t * titles, const view_plans_t * plans)
{
  const cli_plan_file_t * files = plans->files;
  const char * map = cli_path_file_name(files[0].instance.map_name);
  if (plans->count == 1) {
    snprintf(titles->title, sizeof(titles->title), "%s on %s", files[0].file.solver, map);
  } else {
    snprintf(
      titles->title, sizeof(titles->title), "%s beside %s on %s", files[0].file.solver, files[1].file.solver, map);
  }
  for (int32_t i = 0; i < plans->count; i++) {
    snprintf(
      titles->names[i], sizeof(titles->names[i]), "%s, %s", files[i].file.solver, cli_path_file_name(plans->paths[i]));
  }
}

static fw_ret_t draw(const view_options_t * options, const view_plans_t * plans, FILE * stream, fw_error_t * error)
{
  FW_ASSERT(plans->count >= 1 && plans->count <= FW_VIEW_PLANS_MAX);
  view_titles_t titles;
  make_titles(&titles, plans);
  const fw_view_options_t view = {
    .title = options->title != NULL ? options->title : titles.title,
    .seconds_per_tick = options->seconds_per_tick,
    .has_moment = options->at >= 0,
    .at = options->at >= 0 ? (fw_tick_t)options->at : 0,
    .window = (fw_tick_t)options->window,
    .shows_reservations = options->shows_reservations,
  };
  fw_view_plan_t views[FW_VIEW_PLANS_MAX] = {0};
  for (int32_t i = 0; i < plans->count; i++) {
    const cli_plan_file_t * file = &plans->files[i];
    views[i] = (fw_view_plan_t){.problem = &file->instance.problem, .plan = &file->plan, .name = titles.names[i]};
  }
  return cli_path_has_suffix(options->out, ".svg") ? fw_view_svg(views[0].problem, views[0].plan, &view, stream, error)
                                                   : fw_view_html_plans(views, plans->count, &view, stream, error);
}

static int write_picture(const view_options_t * options, const view_plans_t * plans)
{
  cli_output_t output = {0};
  fw_error_t error = {0};
  if (!cli_output_open(&output, options->out)) {
    return CLI_FAILURE;
  }
  const fw_ret_t ret = draw(options, plans, output.stream, &error);
  return cli_output_finish(&output, ret, &error);
}

// Checks that the options go together. Returns an exit code after an error message.
static int check_options(const view_options_t * options, const view_plans_t * plans)
{
  FW_ASSERT(plans->paths[0] != NULL);
  if (options->out == NULL) {
    return cli_error(CLI_USAGE, "no output file is given; give -o page.html or -o picture.svg");
  }
  const bool is_picture = cli_path_has_suffix(options->out, ".svg");
  if (
    !is_picture && !cli_path_has_suffix(options->out, ".html") && !cli_path_has_suffix(options->out, ".htm") &&
    strcmp(options->out, "-") != 0) {
    return cli_error(
      CLI_USAGE, "-o %s: the name must end in .html (an animated page) or .svg (a picture)", options->out);
  }
  if (is_picture && options->at < 0 && (options->window > 0 || options->shows_reservations)) {
    return cli_error(CLI_USAGE, "--window and --reservations need a tick in a picture; give --at TICK too");
  }
  if (is_picture && plans->paths[1] != NULL) {
    return cli_error(CLI_USAGE, "a picture shows one plan; to compare two plans, write a page with -o page.html");
  }
  return CLI_SUCCESS;
}

static int run(int argument_count, char ** arguments)
{
  view_options_t options = {.instance = cli_instance_options_default(), .seconds_per_tick = 1.0, .at = -1};
  const cli_group_t groups[] = {
    {"Picture", picture_options, .values = &options},
    {"Map (default: the map named in the plan)", cli_map_options, .values = &options.instance},
    {"Rules of motion (give the same as to `plan`)", cli_rule_options, .values = &options.instance},
    {0},
  };
  const cli_manual_t manual = {
    .name = "view",
    .usage =
      "PLAN [PLAN] -o page.html|picture.svg [--at TICK [--window TICKS] [--reservations]] [--fleet FILE] [--title "
      "TEXT]",
    .about =
      "Draws a plan. The page is a single file that any browser opens without a network: play and pause,\n"
      "speed, time line, zoom, the path of each robot, and layers for reservations, waits and closures. Two\n"
      "plans for one map are shown side by side on one time line. A picture shows the whole plan with its\n"
      "waits, or with --at one tick of it: the path so far, the path in the window with its reservations, and\n"
      "the remaining path as a dashed line. Both mark the conflict that `fleetweave check` finds. The map\n"
      "named in the plan is looked up in the folder of the plan and in the current folder.",
    .groups = groups,
    .operand_count = 1,
    .operand_max = FW_VIEW_PLANS_MAX,
    .operand = "a PLAN file",
    .examples =
      "  fleetweave view plan.txt -o plan.html\n"
      "  fleetweave view plan.txt -o plan.svg --map maps/hall.map --title \"The hall, 50 robots\"\n"
      "  fleetweave view hca.txt whca.txt -o both.html\n"
      "  fleetweave view plan.txt -o moment.svg --at 6 --window 8 --reservations --closures doors.txt",
  };
  view_plans_t plans = {0};
  const int parsed = cli_parse(&manual, argument_count, arguments, plans.paths);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  int exit_code = check_options(&options, &plans);
  if (exit_code == CLI_SUCCESS) {
    exit_code = load_plans(&plans, &options.instance);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = write_picture(&options, &plans);
  }
  for (int32_t i = 0; i < plans.count; i++) {
    cli_plan_file_fini(&plans.files[i]);
  }
  return exit_code;
}

const cli_command_t cli_command_view = {
  .name = "view",
  .summary = "draw a plan as an animated page or a picture",
  .run = run,
};
