// `fleetweave replay`: replays recordings. A run of the fleet simulator becomes a page that plays it back. The problems
// in a record of planner calls are solved again, and the plans must be equal to the recorded ones: planners are
// deterministic, and the record contains the times that they saw.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "cli/cli.h"
#include "cli/common/message.h"
#include "cli/common/options.h"
#include "cli/common/output.h"
#include "fleetweave/view.h"
#include "plan/record.h"
#include "view/player.h"
#include "view/run_file.h"

typedef struct replay_options_t {
  const char * path;  // of the run or the record
  const char * out;
  const char * title;
  bool is_live;
  int64_t entry;  // 0: all
} replay_options_t;

static const cli_option_t page_options[] = {
  {.name = "out",
   .letter = 'o',
   .kind = CLI_TEXT,
   .offset = offsetof(replay_options_t, out),
   .value = "FILE",
   .help = "write the page to FILE; - is stdout"},
  {.name = "title",
   .kind = CLI_TEXT,
   .offset = offsetof(replay_options_t, title),
   .value = "TEXT",
   .help = "title of the page (default: the name of the run)"},
  {.name = "live",
   .kind = CLI_FLAG,
   .offset = offsetof(replay_options_t, is_live),
   .help = "make a page that keeps reading new data from the server it was loaded from,\nas `./run demo --web` does"},
  {0},
};

static const cli_option_t record_options[] = {
  {.name = "entry",
   .kind = CLI_INTEGER,
   .offset = offsetof(replay_options_t, entry),
   .min = 1,
   .max = INT64_MAX,
   .value = "N",
   .help = "compare only this entry; with -o, also draw its plan"},
  {0},
};

// ---- a run of the fleet simulator -----------------------------------------------------------------------------------

static int write_run_page(const replay_options_t * options, const fw_run_file_t * fleet_run)
{
  fw_player_t player = {
    .title = options->title != NULL ? options->title : cli_path_file_name(options->path),
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
  const fw_ret_t ret = fw__player_write(&player, output.stream, &error);
  return cli_output_finish(&output, ret, &error);
}

static int replay_run(const replay_options_t * options)
{
  fw_run_file_t fleet_run = {0};
  fw_error_t error = {0};
  if (fw__run_file_read(&fleet_run, options->path, NULL, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  const int exit_code = write_run_page(options, &fleet_run);
  fw__run_file_fini(&fleet_run);
  return exit_code;
}

// ---- a record of planner calls --------------------------------------------------------------------------------------

// Whether the file is a record: its first line says so.
static bool is_record(const char * path)
{
  char line[32] = "";
  FILE * stream = fopen(path, "r");
  const bool is_found = stream != NULL && fgets(line, sizeof(line), stream) != NULL &&
                        strncmp(line, "fleetweave_record=", strlen("fleetweave_record=")) == 0;
  if (stream != NULL) {
    fclose(stream);
  }
  return is_found;
}

// The entry that is being solved again, its new result, and the counts so far.
typedef struct replay_rerun_t {
  fw_record_reader_t record;
  fw_replay_clock_t clock;  // repeats the times that the planner saw
  fw_planner_t planner;
  fw_ret_t ret;
  fw_plan_t plan;
  fw_error_t error;
  int64_t equal_count;
  int64_t unfinished_count;  // entries without a result
} replay_rerun_t;

static int make_planner(replay_rerun_t * rerun)
{
  const fw_record_planner_t * recorded = &rerun->record.planner;
  fw_planner_options_t options = fw_planner_options_default();
  fw_error_t error = {0};
  options.threads = recorded->threads;
  options.seed = recorded->seed;
  options.memory_max_bytes = recorded->memory_max_bytes;
  fw_planner_fini(&rerun->planner);
  fw_ret_t ret = fw_planner_init(&rerun->planner, recorded->name, &options, &error);
  for (int32_t i = 0; ret == FW_RET_OK && i < recorded->parameter_count; i++) {
    ret = fw_planner_set(&rerun->planner, recorded->names[i], recorded->values[i], &error);
  }
  return ret == FW_RET_OK ? CLI_SUCCESS
                          : cli_error(CLI_FAILURE, "entry %lld: %s", (long long)rerun->record.number, error.text);
}

static void solve(replay_rerun_t * rerun)
{
  FW_ASSERT(rerun->record.number > 0 && rerun->record.problem.robot_count >= 0);
  rerun->clock.notes = rerun->record.notes;
  const fw_budget_t budget = fw__replay_clock_replay(&rerun->clock);
  const bool has_budget = rerun->record.has_answer;  // the budget that was used is a part of the result
  rerun->error = (fw_error_t){0};
  rerun->ret =
    fw_planner_solve(&rerun->planner, &rerun->record.problem, has_budget ? &budget : NULL, &rerun->plan, &rerun->error);
}

static int report_difference(const replay_rerun_t * rerun, const char * what, const char * recorded, const char * now)
{
  return cli_error(
    CLI_NOT_SOLVED, "entry %lld, line %d: different %s: recorded \"%.300s\", now \"%.300s\"",
    (long long)rerun->record.number, rerun->record.text.line_number, what, recorded, now);
}

// Compares the recorded plan with the new one line by line, and reports the first difference.
static int compare_plans(replay_rerun_t * rerun, char * text)
{
  int exit_code = CLI_SUCCESS;
  const char * recorded = fw__record_reader_plan_line(&rerun->record);
  for (char * now = text; exit_code == CLI_SUCCESS && (recorded != NULL || *now != '\0');) {
    char * behind = now + strcspn(now, "\n");
    const bool has_more = *behind == '\n';
    *behind = '\0';
    if (recorded == NULL || strcmp(recorded, now) != 0) {
      exit_code = report_difference(rerun, "plan", recorded != NULL ? recorded : "(end of the plan)", now);
    }
    now = has_more ? behind + 1 : behind;
    recorded = fw__record_reader_plan_line(&rerun->record);
  }
  return exit_code;
}

static int compare_text(replay_rerun_t * rerun)
{
  char * text = NULL;
  size_t size = 0;
  fw_error_t error = {0};
  FILE * stream = open_memstream(&text, &size);
  if (stream == NULL) {
    return cli_error(CLI_FAILURE, "out of memory");
  }
  const bool has_plan = rerun->ret == FW_RET_OK && rerun->plan.paths != NULL;
  const fw_ret_t ret =
    has_plan ? fw__record_write_plan(&rerun->record.problem, &rerun->plan, stream, &error) : FW_RET_OK;
  int exit_code = fclose(stream) == 0 && ret == FW_RET_OK ? CLI_SUCCESS : cli_error(CLI_FAILURE, "out of memory");
  if (exit_code == CLI_SUCCESS) {
    exit_code = compare_plans(rerun, text);
  }
  free(text);
  return exit_code;
}

static int compare(replay_rerun_t * rerun)
{
  const fw_record_reader_t * record = &rerun->record;
  char recorded[64], now[64];
  if (!record->has_answer) {
    rerun->unfinished_count++;
    cli_note(
      "entry %lld, line %d, has no recorded result, because the process ended during the search; the result now is: %s",
      (long long)record->number, record->line,
      rerun->ret == FW_RET_OK ? fw_outcome_name(rerun->plan.outcome) : rerun->error.text);
    return CLI_SUCCESS;
  }
  snprintf(recorded, sizeof(recorded), "%d %.20s %d", (int)record->ret, record->outcome, record->safe_until);
  snprintf(
    now, sizeof(now), "%d %.20s %d", (int)rerun->ret, fw_outcome_name(rerun->plan.outcome), rerun->plan.safe_until);
  if (strcmp(recorded, now) != 0) {
    return report_difference(rerun, "result (return code, outcome, safe until)", recorded, now);
  }
  if (rerun->plan.stats.expanded != record->expanded) {
    snprintf(recorded, sizeof(recorded), "%lld", (long long)record->expanded);
    snprintf(now, sizeof(now), "%lld", (long long)rerun->plan.stats.expanded);
    return report_difference(rerun, "number of expanded nodes", recorded, now);
  }
  const int exit_code = compare_text(rerun);
  rerun->equal_count += exit_code == CLI_SUCCESS ? 1 : 0;
  return exit_code;
}

static int write_plan_page(const replay_options_t * options, const replay_rerun_t * rerun)
{
  char title[128];
  cli_output_t output = {0};
  fw_error_t error = {0};
  snprintf(title, sizeof(title), "%.60s, entry %lld", rerun->record.planner.name, (long long)rerun->record.number);
  const fw_view_options_t view = {.title = options->title != NULL ? options->title : title};
  if (rerun->ret != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "entry %lld has no plan to draw: %s", (long long)options->entry, rerun->error.text);
  }
  if (!cli_output_open(&output, options->out)) {
    return CLI_FAILURE;
  }
  const fw_ret_t ret = fw_view_html(&rerun->record.problem, &rerun->plan, &view, output.stream, &error);
  return cli_output_finish(&output, ret, &error);
}

static int rerun_entry(const replay_options_t * options, replay_rerun_t * rerun)
{
  int exit_code = CLI_SUCCESS;
  if (rerun->record.is_new_planner || rerun->planner.impl == NULL) {
    exit_code = make_planner(rerun);
  }
  if (exit_code != CLI_SUCCESS) {
    return exit_code;
  }
  FW_ASSERT(rerun->planner.impl != NULL);
  solve(rerun);
  const bool is_selected = options->entry == 0 || options->entry == rerun->record.number;
  if (is_selected && options->out != NULL) {
    exit_code = write_plan_page(options, rerun);
  }
  return is_selected && exit_code == CLI_SUCCESS ? compare(rerun) : exit_code;
}

static int report_end(const replay_options_t * options, const replay_rerun_t * rerun)
{
  const fw_record_reader_t * record = &rerun->record;
  if (record->is_cut) {
    cli_note(
      "%s ends in the middle of a problem, at line %d; this entry is ignored", options->path, record->text.line_number);
  }
  if (options->entry > 0 && rerun->equal_count + rerun->unfinished_count == 0) {
    return cli_error(
      CLI_USAGE, "%s has no entry %lld; entries are numbered from 1", options->path, (long long)options->entry);
  }
  const char * ending = rerun->equal_count == 1 ? "entry gives its recorded plan" : "entries give their recorded plans";
  printf("ok: %lld %s\n", (long long)rerun->equal_count, ending);
  return CLI_SUCCESS;
}

// Solves all entries of a record again and compares the results. CLI_NOT_SOLVED if one differs.
static int replay_record(const replay_options_t * options)
{
  fw_error_t error = {0};
  replay_rerun_t * rerun = calloc(1, sizeof(*rerun));
  if (rerun == NULL) {
    return cli_error(CLI_FAILURE, "out of memory");
  }
  fw_ret_t ret = fw__record_reader_open(&rerun->record, options->path, &error);
  int exit_code = CLI_SUCCESS;
  while (ret == FW_RET_OK && exit_code == CLI_SUCCESS) {
    ret = fw__record_reader_next(&rerun->record, &error);
    if (ret == FW_RET_OK && (options->entry == 0 || rerun->record.number <= options->entry)) {
      exit_code = rerun_entry(options, rerun);
    }
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = ret == FW_RET_NOT_FOUND ? report_end(options, rerun) : cli_error(CLI_FAILURE, "%s", error.text);
  }
  fw_planner_fini(&rerun->planner);
  fw__record_reader_close(&rerun->record);
  free(rerun);
  return exit_code;
}

// ---- the command ----------------------------------------------------------------------------------------------------

static int run(int argument_count, char ** arguments)
{
  replay_options_t options = {0};
  const cli_group_t groups[] = {
    {"Page", page_options, .values = &options},
    {"Record", record_options, .values = &options},
    {0},
  };
  const cli_manual_t manual = {
    .name = "replay",
    .usage = "RUN -o page.html [--title TEXT] [--live]\n       fleetweave replay RECORD [--entry N [-o page.html]]",
    .about =
      "Turns a RUN, which the fleet simulator has recorded, into a page that plays it back in any browser, with\n"
      "the goals of the robots, their arrivals and any overlap of two robots.\n"
      "Solves every problem of a RECORD (parameter `record` of the planner node, or `plan --record`) again: each\n"
      "plan must be equal to the recorded one, byte for byte, even where a time limit ended the search.",
    .groups = groups,
    .operand_count = 1,
    .operand = "a RUN or RECORD file",
    .examples =
      "  fleetweave replay run.txt -o run.html --title \"24 robots, one minute\"\n"
      "  fleetweave replay node.record\n"
      "  fleetweave replay node.record --entry 17 -o round.html",
    .exit_codes = "0 success, all plans are equal; 1 a plan differs; 2 invalid command line; 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, &options.path);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  if (is_record(options.path)) {
    return options.out != NULL && options.entry == 0
             ? cli_error(CLI_USAGE, "a page of a record shows one entry; give --entry N too")
             : replay_record(&options);
  }
  if (options.entry > 0) {
    return cli_error(CLI_USAGE, "--entry needs a record, and %s is not one", options.path);
  }
  if (options.out == NULL) {
    return cli_error(CLI_USAGE, "no output file is given; give -o page.html");
  }
  return replay_run(&options);
}

const cli_command_t cli_command_replay = {
  .name = "replay",
  .summary = "play back a recorded run, or solve recorded problems again and compare",
  .run = run,
};
