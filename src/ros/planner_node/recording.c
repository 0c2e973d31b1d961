#include "ros/planner_node/recording.h"

#include <stdio.h>

#include <rcutils/logging_macros.h>

static const int64_t MEGABYTE = 1000000;

void recording_open(recording_t * recording, const node_settings_t * settings, const char * logger)
{
  fw_error_t error = {0};
  recording->logger = logger;
  if (settings->record[0] == '\0') {
    return;
  }
  recording->is_on =
    fw__recorder_open(&recording->recorder, settings->record, settings->record_max_mb * MEGABYTE, &error) == FW_RET_OK;
  if (recording->is_on) {
    RCUTILS_LOG_INFO_NAMED(logger, "questions to the planner are recorded in %s", settings->record);
  } else {
    RCUTILS_LOG_ERROR_NAMED(logger, "nothing is recorded: %s", error.text);
  }
}

void recording_close(recording_t * recording)
{
  fw__recorder_close(&recording->recorder);
  recording->is_on = false;
}

void recording_forget_planner(recording_t * recording) { fw__recorder_forget_planner(&recording->recorder); }

static fw__record_planner_t describe(const recorded_solve_t * solve)
{
  const fw_planner_def_t * definition = fw_planner_definition(solve->planner);
  fw__record_planner_t planner = {
    .threads = solve->choice->threads,
    .seed = solve->choice->seed,
    .memory_max_bytes = solve->choice->memory_max_bytes,
    .parameter_count = definition->parameter_count,
  };
  (void)snprintf(planner.name, sizeof planner.name, "%s", definition->name);
  for (int32_t k = 0; k < definition->parameter_count; ++k) {
    (void)snprintf(planner.names[k], sizeof planner.names[k], "%s", definition->parameters[k].name);
    (void)snprintf(planner.values[k], sizeof planner.values[k], "%s", solve->choice->values[k]);
  }
  return planner;
}

// Recording is no reason to stop driving.
static void give_up(recording_t * recording, const fw_error_t * error)
{
  RCUTILS_LOG_ERROR_NAMED(recording->logger, "recording ends: %s", error->text);
  recording_close(recording);
}

static void tell_if_full(recording_t * recording)
{
  const bool is_full = recording->recorder.is_full;
  if (is_full && !recording->was_full) {
    RCUTILS_LOG_WARN_NAMED(
      recording->logger,
      "the record is full, and goes on with a new file when a plan begins that does not go on from "
      "the one before");
  }
  recording->was_full = is_full;
}

fw_ret_t recording_solve(recording_t * recording, const recorded_solve_t * solve, fw_plan_t * plan, fw_error_t * error)
{
  if (!recording->is_on) {
    return fw_planner_solve(solve->planner, solve->problem, solve->budget, plan, error);
  }
  fw_error_t trouble = {0};
  const fw__record_planner_t planner = describe(solve);
  const fw_budget_t noted = fw__stopwatch_note(&recording->watch, solve->budget);
  fw_ret_t recorded = fw__recorder_ask(&recording->recorder, &planner, solve->problem, &trouble);
  const fw_ret_t ret = fw_planner_solve(solve->planner, solve->problem, &noted, plan, error);
  if (recorded == FW_RET_OK) {
    const fw__record_answer_t answer = {
      .problem = solve->problem, .notes = &recording->watch.notes, .ret = ret, .plan = plan};
    recorded = fw__recorder_answer(&recording->recorder, &answer, &trouble);
  }
  if (recorded != FW_RET_OK) {
    give_up(recording, &trouble);
  }
  tell_if_full(recording);
  return ret;
}
