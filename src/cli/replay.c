// `fleetweave replay`: what was recorded, once more. A run of the simulator becomes a page that plays it back; questions
// to planners are solved again, and compared.

#include <stdio.h>
#include <string.h>

#include "cli/common/arguments.h"
#include "cli/cli.h"
#include "cli/common/output.h"
#include "cli/replay_record.h"
#include "cli/common/words.h"
#include "view/player.h"
#include "view/run_file.h"

typedef struct options_t {
  const char * out;
  const char * title;
  bool is_live;
  int64_t entry;
} options_t;

// clang-format off: a table reads better than a member per line
static const cli_option_t page_options[] = {
  {.name = "out",
   .letter = 'o',
   .kind = CLI_TEXT,
   .offset = offsetof(options_t, out),
   .value = "FILE",
   .help = "the page to write; - is stdout"},
  {.name = "title",
   .kind = CLI_TEXT,
   .offset = offsetof(options_t, title),
   .value = "TEXT",
   .help = "default: the name of the run"},
  {.name = "live",
   .kind = CLI_FLAG,
   .offset = offsetof(options_t, is_live),
   .help = "a page that goes on with what the server that it comes from sends, as `./run demo --web` does"},
};
enum { PAGE_OPTION_COUNT = sizeof(page_options) / sizeof(page_options[0]) };

static const cli_option_t record_options[] = {
  {.name = "entry",
   .kind = CLI_INTEGER,
   .offset = offsetof(options_t, entry),
   .min = 1,
   .max = INT64_MAX,
   .value = "N",
   .help = "compare this one alone; with -o, a page of its plan"},
};
// clang-format on

static int write_page(const options_t * options, const fw_run_file_t * fleet_run, const char * path)
{
  const char * slash = strrchr(path, '/');
  fw_player_t player = {
    .title = options->title != NULL ? options->title
             : slash != NULL        ? slash + 1
                                    : path,
    .kind = options->is_live ? "live" : "run",
    .scenes = {{.tracks = &fleet_run->tracks}},
    .scene_count = 1,
    .at = -1,
  };
  const double seconds = (double)fleet_run->tracks.end * fleet_run->tracks.seconds_per_unit;
  if (seconds > 0.0) {
    fw__player_add_fact(
      &player.scenes[0], "Goals per minute", "%.1f", (double)fleet_run->arrival_count * 60.0 / seconds);
  }
  cli_output_t output = {0};
  fw_error_t error = {0};
  if (!cli_output_open(&output, options->out)) {
    return CLI_FAILURE;
  }
  if (fw__player_write(&player, output.stream, &error) != FW_RET_OK) {
    cli_output_discard(&output);
    return cli_say(CLI_FAILURE, "%s: %s", options->out, error.text);
  }
  return cli_output_commit(&output) ? CLI_SOLVED : CLI_FAILURE;
}

static int replay_record(const options_t * options, const char * path)
{
  if (options->out != NULL && options->entry == 0) {
    return cli_say(CLI_USAGE, "a page of a record shows one entry: give --entry N too");
  }
  const cli_replay_t replay = {.path = path, .entry = options->entry, .page = options->out, .title = options->title};
  return cli_replay_record(&replay);
}

static int run(int argument_count, char ** arguments)
{
  options_t options = {0};
  const cli_group_t groups[] = {
    {"Page", page_options, PAGE_OPTION_COUNT, &options},
    {"Record", record_options, 1, &options},
  };
  const cli_manual_t manual = {
    .name = "replay",
    .usage = "RUN -o page.html [--title TEXT] [--live]\n       fleetweave replay RECORD [--entry N [-o page.html]]",
    .about =
      "Turns a run that the fleet simulator has recorded into one page that plays it back in any browser,\n"
      "with the robots' goals, their arrivals and any overlap of two robots.\n"
      "Of a record (the parameter `record` of the planner node, or `plan --record`) every question is solved\n"
      "again: each plan must be the recorded one, byte for byte, also where a time limit ended the search.",
    .groups = groups,
    .group_count = 2,
    .operand_count = 1,
    .operand = "a RUN or RECORD file",
    .examples =
      "  fleetweave replay run.txt -o run.html --title \"24 robots, one minute\"\n"
      "  fleetweave replay node.record\n"
      "  fleetweave replay node.record --entry 17 -o round.html",
    .exit_codes = "0 done, all plans equal, 1 a plan differs, 2 wrong command line, 3 failure.",
  };
  const char * path = NULL;
  const int parsed = cli_parse(&manual, argument_count, arguments, &path);
  if (parsed != CLI_GO_ON) {
    return parsed;
  }
  if (cli_is_record(path)) {
    return replay_record(&options, path);
  }
  if (options.entry > 0) {
    return cli_say(CLI_USAGE, "--entry is for a record, and %s is none", path);
  }
  if (options.out == NULL) {
    return cli_say(CLI_USAGE, "replay needs -o page.html");
  }
  fw_run_file_t fleet_run = {0};
  fw_error_t error = {0};
  if (fw__run_file_read(&fleet_run, path, NULL, &error) != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  const int exit_code = write_page(&options, &fleet_run, path);
  fw__run_file_fini(&fleet_run);
  return exit_code;
}

const cli_command_t cli_command_replay = {
  .name = "replay",
  .summary = "what was recorded, once more: a run as a page, questions solved again",
  .run = run,
};
