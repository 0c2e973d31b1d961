#include "cli/common/solve_record.h"

#include <stdio.h>

#include "fleetweave/planner_def.h"
#include "plan/record.h"

static fw__record_planner_t describe(const cli_solve_t * solve, const cli_solve_request_t * request)
{
  const fw_planner_def_t * def = fw_planner_definition(&solve->planner);
  fw__record_planner_t planner = {
    .threads = (int32_t)request->options->threads,
    .seed = request->seed,
    .memory_max_bytes = (size_t)request->options->memory_mb << 20,
    .parameter_count = def->parameter_count,
  };
  snprintf(planner.name, sizeof(planner.name), "%s", def->name);
  for (int32_t i = 0; i < def->parameter_count; i++) {
    snprintf(planner.names[i], sizeof(planner.names[i]), "%s", def->parameters[i].name);
    if (
      fw_planner_get(&solve->planner, planner.names[i], planner.values[i], sizeof(planner.values[i]), NULL) !=
      FW_RET_OK) {
      planner.values[i][0] = '\0';  // there is such a parameter: it stands in the table
    }
  }
  return planner;
}

fw_ret_t cli_solve_recorded(
  cli_solve_t * solve, const cli_solve_request_t * request, const fw_budget_t * budget, fw_error_t * error)
{
  fw__record_writer_t recorder = {0};
  fw__replay_clock_t watch = {0};
  fw_ret_t ret = fw__record_writer_open(&recorder, request->record, INT64_MAX, error);
  const fw__record_planner_t planner = describe(solve, request);
  if (ret == FW_RET_OK) {
    ret = fw__record_writer_add_problem(&recorder, &planner, request->problem, error);
  }
  if (ret == FW_RET_OK) {
    const fw_budget_t noted = fw__replay_clock_record(&watch, budget);
    const fw_ret_t solved = fw_planner_solve(&solve->planner, request->problem, &noted, &solve->plan, error);
    const fw__record_result_t answer = {request->problem, &watch.notes, solved, &solve->plan};
    fw_error_t trouble = {0};
    ret = fw__record_writer_add_result(&recorder, &answer, &trouble);
    if (ret != FW_RET_OK && solved == FW_RET_OK) {
      *error = trouble;
    }
    ret = solved != FW_RET_OK ? solved : ret;
  }
  fw__record_writer_close(&recorder);
  return ret;
}
