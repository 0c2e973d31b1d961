// `bench scaling`: size after size, repeat after repeat, planners in turns.

#include <stdlib.h>

#include "bench/bench_scaling.h"
#include "cli/words.h"

static int make_rows(cli_scaling_report_t * report)
{
  int32_t size_count = 0;
  for (int64_t robots = report->from; robots <= report->to; robots *= 2) {
    ++size_count;
  }
  const int32_t row_count = size_count * report->planner_count;
  report->rows = calloc((size_t)row_count, sizeof(*report->rows));
  for (int32_t i = 0; report->rows != NULL && i < row_count; i++) {
    cli_scaling_row_t * row = &report->rows[i];
    row->planner = report->planners[i % report->planner_count];
    row->robot_count = (int32_t)(report->from << (i / report->planner_count));
    row->runs = calloc((size_t)report->repeat, sizeof(*row->runs));
    report->row_count = i + 1;
    if (row->runs == NULL) {
      return cli_say(CLI_FAILURE, "out of memory");
    }
  }
  return report->rows != NULL ? CLI_SOLVED : cli_say(CLI_FAILURE, "out of memory");
}

static int solve_once(cli_scaling_report_t * report, const cli_scaling_row_t * row, const fw_problem_t * problem)
{
  cli_solve_t solve = {0};
  cli_progress_t progress = {0};
  snprintf(
    progress.label, sizeof(progress.label), "%s, %d robots, run %d of %d", row->planner, row->robot_count,
    row->run_count + 1, report->repeat);
  const cli_solve_request_t request = {
    .planner = row->planner,
    .problem = problem,
    .seed = (uint64_t)report->world.seed,
    .options = report->solve,
    .progress = &progress,
  };
  const int exit_code = cli_solve_run(&solve, &request);
  row->runs[row->run_count].solve = (cli_mapf_run_t){
    .has_failed = exit_code != CLI_SOLVED,
    .outcome = solve.plan.outcome,
    .stop = solve.plan.stop,
    .stats = solve.plan.stats,
  };
  cli_solve_fini(&solve);
  return exit_code;
}

static int live_once(cli_scaling_report_t * report, const cli_scaling_row_t * row, const fw_problem_t * problem)
{
  cli_life_t life = {0};
  cli_life_options_t options = *report->life;
  options.seed = report->world.seed;
  const int exit_code = cli_life_run(&life, problem, &options);
  cli_scaling_run_t * run = &row->runs[row->run_count];
  run->is_life = true;
  run->solve.has_failed = exit_code != CLI_SOLVED;
  if (exit_code == CLI_SOLVED) {
    run->solve.outcome = FW_OUTCOME_SOLVED;
    run->life = cli_life_figures(&life);
  }
  cli_life_fini(&life);
  return exit_code;
}

// A failure is noted and the bench goes on; a wrong command line or an interruption ends it.
static int run_once(cli_scaling_report_t * report, cli_scaling_row_t * row, const fw_problem_t * problem)
{
  const int exit_code = report->life != NULL ? live_once(report, row, problem) : solve_once(report, row, problem);
  if (exit_code == CLI_USAGE) {
    return exit_code;
  }
  if (cli_progress_was_interrupted()) {
    return CLI_NOT_SOLVED;
  }
  report->has_failed = report->has_failed || exit_code != CLI_SOLVED;
  ++row->run_count;
  return CLI_SOLVED;
}

static int run_size(cli_scaling_report_t * report, cli_scaling_row_t * rows, cli_instance_t * instance)
{
  cli_scaling_world_t world = report->world;
  world.robot_count = rows[0].robot_count;
  char map[CLI_SCALING_MAP_SIZE];
  int exit_code = cli_scaling_make(&world, instance, map);
  for (int32_t p = 0; p < report->planner_count && exit_code == CLI_SOLVED; p++) {
    snprintf(rows[p].map, sizeof(rows[p].map), "%s", map);
    rows[p].free_count = cli_scaling_count_free(&instance->grid);
  }
  for (int32_t repeat = 0; repeat < report->repeat; repeat++) {
    for (int32_t p = 0; p < report->planner_count && exit_code == CLI_SOLVED; p++) {
      if (repeat == 0 || cli_scaling_figures(&rows[p]).is_solved) {
        exit_code = run_once(report, &rows[p], &instance->problem);
      }
    }
  }
  return exit_code;
}

int cli_scaling_run(cli_scaling_report_t * report)
{
  int exit_code = make_rows(report);
  for (int32_t i = 0; i < report->row_count && exit_code == CLI_SOLVED; i += report->planner_count) {
    cli_instance_t instance = {0};
    exit_code = run_size(report, &report->rows[i], &instance);
    cli_instance_fini(&instance);
  }
  return exit_code;
}

void cli_scaling_fini(cli_scaling_report_t * report)
{
  for (int32_t i = 0; i < report->row_count; i++) {
    free(report->rows[i].runs);
  }
  free(report->rows);
  *report = (cli_scaling_report_t){0};
}
