#include "cli/replay_record.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/common/output.h"
#include "cli/common/words.h"
#include "fleetweave/view.h"
#include "plan/record.h"

bool cli_is_record(const char * path)
{
  char line[32] = "";
  FILE * stream = fopen(path, "r");
  const bool is_it = stream != NULL && fgets(line, sizeof(line), stream) != NULL &&
                     strncmp(line, "fleetweave_record=", strlen("fleetweave_record=")) == 0;
  if (stream != NULL) {
    fclose(stream);
  }
  return is_it;
}

typedef struct rerun_t {
  fw__record_reader_t record;
  fw__replay_clock_t watch;
  fw_planner_t planner;
  fw_ret_t ret;
  fw_plan_t plan;
  fw_error_t error;
  int64_t equal_count;
  int64_t open_count;  // questions without an answer
} rerun_t;

// ---- solving again --------------------------------------------------------------------------------------------------

static int make_planner(rerun_t * rerun)
{
  const fw__record_planner_t * recorded = &rerun->record.planner;
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
  return ret == FW_RET_OK ? CLI_SOLVED
                          : cli_say(CLI_FAILURE, "entry %lld: %s", (long long)rerun->record.number, error.text);
}

static void solve(rerun_t * rerun)
{
  rerun->watch.notes = rerun->record.notes;
  const fw_budget_t budget = fw__replay_clock_replay(&rerun->watch);
  const bool is_told = rerun->record.has_answer;  // else nobody knows when it was to stop
  rerun->error = (fw_error_t){0};
  rerun->ret =
    fw_planner_solve(&rerun->planner, &rerun->record.problem, is_told ? &budget : NULL, &rerun->plan, &rerun->error);
}

// ---- comparing ------------------------------------------------------------------------------------------------------

static int say_other(const rerun_t * rerun, const char * what, const char * then, const char * now)
{
  return cli_say(
    CLI_NOT_SOLVED, "entry %lld, line %d: another %s: was \"%.300s\", is \"%.300s\"", (long long)rerun->record.number,
    rerun->record.text.line_number, what, then, now);
}

// Line by line, so that the first difference can be told.
static int compare_plans(rerun_t * rerun, char * text)
{
  int exit_code = CLI_SOLVED;
  const char * then = fw__record_reader_plan_line(&rerun->record);
  for (char * now = text; exit_code == CLI_SOLVED && (then != NULL || *now != '\0');) {
    char * behind = now + strcspn(now, "\n");
    const bool has_more = *behind == '\n';
    *behind = '\0';
    if (then == NULL || strcmp(then, now) != 0) {
      exit_code = say_other(rerun, "plan", then != NULL ? then : "its end", now);
    }
    now = has_more ? behind + 1 : behind;
    then = fw__record_reader_plan_line(&rerun->record);
  }
  return exit_code;
}

static int compare_text(rerun_t * rerun)
{
  char * text = NULL;
  size_t size = 0;
  fw_error_t error = {0};
  FILE * stream = open_memstream(&text, &size);
  if (stream == NULL) {
    return cli_say(CLI_FAILURE, "out of memory");
  }
  const bool has_plan = rerun->ret == FW_RET_OK && rerun->plan.paths != NULL;
  const fw_ret_t ret =
    has_plan ? fw__record_write_plan(&rerun->record.problem, &rerun->plan, stream, &error) : FW_RET_OK;
  int exit_code = fclose(stream) == 0 && ret == FW_RET_OK ? CLI_SOLVED : cli_say(CLI_FAILURE, "out of memory");
  if (exit_code == CLI_SOLVED) {
    exit_code = compare_plans(rerun, text);
  }
  free(text);
  return exit_code;
}

static int compare(rerun_t * rerun)
{
  const fw__record_reader_t * record = &rerun->record;
  char then[64], now[64];
  if (!record->has_answer) {
    rerun->open_count++;
    return cli_say(
      CLI_SOLVED, "note: entry %lld, line %d, has no answer: the process ended while it solved; now it is %s",
      (long long)record->number, record->line,
      rerun->ret == FW_RET_OK ? fw_outcome_name(rerun->plan.outcome) : rerun->error.text);
  }
  snprintf(then, sizeof(then), "%d %.20s %d", (int)record->ret, record->outcome, record->safe_until);
  snprintf(
    now, sizeof(now), "%d %.20s %d", (int)rerun->ret, fw_outcome_name(rerun->plan.outcome), rerun->plan.safe_until);
  if (strcmp(then, now) != 0) {
    return say_other(rerun, "answer (return code, outcome, safe until)", then, now);
  }
  if (rerun->plan.stats.expanded != record->expanded) {
    snprintf(then, sizeof(then), "%lld", (long long)record->expanded);
    snprintf(now, sizeof(now), "%lld", (long long)rerun->plan.stats.expanded);
    return say_other(rerun, "number of expanded nodes", then, now);
  }
  const int exit_code = compare_text(rerun);
  rerun->equal_count += exit_code == CLI_SOLVED ? 1 : 0;
  return exit_code;
}

// ---- the whole ------------------------------------------------------------------------------------------------------

static int write_page(const cli_replay_t * replay, const rerun_t * rerun)
{
  char title[128];
  cli_output_t output = {0};
  fw_error_t error = {0};
  snprintf(title, sizeof(title), "%.60s, entry %lld", rerun->record.planner.name, (long long)rerun->record.number);
  const fw_view_options_t view = {.title = replay->title != NULL ? replay->title : title};
  if (rerun->ret != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "entry %lld has no plan to show: %s", (long long)replay->entry, rerun->error.text);
  }
  if (!cli_output_open(&output, replay->page)) {
    return CLI_FAILURE;
  }
  if (fw_view_html(&rerun->record.problem, &rerun->plan, &view, output.stream, &error) != FW_RET_OK) {
    cli_output_discard(&output);
    return cli_say(CLI_FAILURE, "%s: %s", replay->page, error.text);
  }
  return cli_output_commit(&output) ? CLI_SOLVED : CLI_FAILURE;
}

static int rerun_entry(const cli_replay_t * replay, rerun_t * rerun)
{
  int exit_code = CLI_SOLVED;
  if (rerun->record.is_new_planner || rerun->planner.impl == NULL) {
    exit_code = make_planner(rerun);
  }
  if (exit_code != CLI_SOLVED) {
    return exit_code;
  }
  solve(rerun);
  const bool is_wanted = replay->entry == 0 || replay->entry == rerun->record.number;
  if (is_wanted && replay->page != NULL) {
    exit_code = write_page(replay, rerun);
  }
  return is_wanted && exit_code == CLI_SOLVED ? compare(rerun) : exit_code;
}

static int say_end(const cli_replay_t * replay, const rerun_t * rerun)
{
  const fw__record_reader_t * record = &rerun->record;
  if (record->is_cut) {
    (void)cli_say(
      CLI_SOLVED, "note: %s ends in the middle of a question, at line %d, which is passed over", replay->path,
      record->text.line_number);
  }
  if (replay->entry > 0 && rerun->equal_count + rerun->open_count == 0) {
    return cli_say(CLI_USAGE, "%s has no entry %lld", replay->path, (long long)replay->entry);
  }
  const char * ending = rerun->equal_count == 1 ? "entry gives its recorded plan" : "entries give their recorded plans";
  printf("ok: %lld %s\n", (long long)rerun->equal_count, ending);
  return CLI_SOLVED;
}

int cli_replay_record(const cli_replay_t * replay)
{
  fw_error_t error = {0};
  rerun_t * rerun = calloc(1, sizeof(*rerun));
  if (rerun == NULL) {
    return cli_say(CLI_FAILURE, "out of memory");
  }
  fw_ret_t ret = fw__record_reader_open(&rerun->record, replay->path, &error);
  int exit_code = CLI_SOLVED;
  while (ret == FW_RET_OK && exit_code == CLI_SOLVED) {
    ret = fw__record_reader_next(&rerun->record, &error);
    if (ret == FW_RET_OK && (replay->entry == 0 || rerun->record.number <= replay->entry)) {
      exit_code = rerun_entry(replay, rerun);
    }
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = ret == FW_RET_NOT_FOUND ? say_end(replay, rerun) : cli_say(CLI_FAILURE, "%s", error.text);
  }
  fw_planner_fini(&rerun->planner);
  fw__record_reader_close(&rerun->record);
  free(rerun);
  return exit_code;
}
