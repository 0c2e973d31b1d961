// `bench standley`: instance after instance, in a few threads if asked for.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/parallel.h"
#include "bench/bench_standley_solve.h"
#include "cli/progress.h"
#include "cli/words.h"

enum { ROWS_PER_INSTANCE = 2 * CLI_STANDLEY_ALGORITHMS_MAX, BAR_WIDTH = 30 };

typedef struct work_t {
  const cli_standley_run_t * run;
  int32_t * instances;  // those that are still to do
  int32_t count;
  pthread_mutex_t mutex;  // for all below
  int32_t done;
  int exit_code;
  int64_t start_ns;
} work_t;

// ---- one instance ---------------------------------------------------------------------------------------------------

typedef struct batch_t {
  cli_standley_row_t rows[ROWS_PER_INSTANCE];
  int32_t count;
} batch_t;

static int run_algorithms(
  const cli_standley_run_t * run, const cli_standley_instance_t * instance, batch_t * batch,
  cli_standley_group_t * group)
{
  for (int32_t a = 0; a < run->algorithm_count; ++a) {
    cli_standley_solve_t one = {0};
    cli_standley_row_t row = {.instance = instance->number, .alone = instance->alone};
    const int exit_code =
      cli_standley_solve(&(cli_standley_ask_t){run, &run->algorithms[a], &instance->problem}, &one, &row);
    if (exit_code == CLI_SOLVED && group->count == 0 && cli_standley_is_solved(&row) && row.largest_group >= 0) {
      cli_standley_find_largest(&instance->problem, &one.plan, group);
    }
    fw_planner_fini(&one.planner);
    if (exit_code != CLI_SOLVED) {
      return exit_code;
    }
    batch->rows[batch->count++] = row;
  }
  return CLI_SOLVED;
}

static int run_group(
  const cli_standley_run_t * run, const cli_standley_instance_t * instance, batch_t * batch,
  const cli_standley_group_t * group)
{
  fw_problem_t problem = instance->problem;
  problem.robots = group->robots;
  problem.robot_count = group->count;
  for (int32_t a = 0; a < run->algorithm_count; ++a) {
    const bool is_joint =
      strcmp(run->algorithms[a].planner, "standard") == 0 || strcmp(run->algorithms[a].planner, "od") == 0;
    if (!is_joint || group->count == 0) {
      continue;
    }
    cli_standley_solve_t one = {0};
    cli_standley_row_t row = {.instance = instance->number, .is_group = true};
    const int exit_code = cli_standley_solve(&(cli_standley_ask_t){run, &run->algorithms[a], &problem}, &one, &row);
    fw_planner_fini(&one.planner);
    if (exit_code != CLI_SOLVED) {
      return exit_code;
    }
    batch->rows[batch->count++] = row;
  }
  return CLI_SOLVED;
}

static void show_bar(const work_t * work)
{
  if (!isatty(STDERR_FILENO)) {
    return;
  }
  const double elapsed = (double)(fw_clock_now_ns() - work->start_ns) / 1e9;
  const int32_t filled = work->count > 0 ? BAR_WIDTH * work->done / work->count : BAR_WIDTH;
  fprintf(
    stderr, "\r[%.*s%*s] %d of %d, %.0f s, about %.0f s to go (Ctrl-C: go on later)\033[K", filled,
    "##############################", BAR_WIDTH - filled, "", work->done, work->count, elapsed,
    work->done > 0 ? elapsed / work->done * (work->count - work->done) : 0.0);
  fflush(stderr);
}

static int keep(work_t * work, const batch_t * batch)
{
  for (int32_t i = 0; i < batch->count; ++i) {
    if (!cli_standley_add(work->run->rows, &batch->rows[i])) {
      return cli_say(CLI_FAILURE, "out of memory");
    }
    if (work->run->csv != NULL) {
      cli_standley_write_row(&batch->rows[i], work->run->csv);
    }
  }
  if (work->run->csv != NULL && fflush(work->run->csv) != 0) {
    return cli_say(CLI_FAILURE, "the CSV file cannot be written");
  }
  return CLI_SOLVED;
}

static void run_instance(int32_t item, int32_t worker, void * state)
{
  (void)worker;
  work_t * work = state;
  pthread_mutex_lock(&work->mutex);
  const bool must_stop = work->exit_code != CLI_SOLVED || cli_progress_was_interrupted();
  pthread_mutex_unlock(&work->mutex);
  if (must_stop) {
    return;
  }
  cli_standley_instance_t instance;
  batch_t * batch = calloc(1, sizeof(*batch));
  cli_standley_group_t * group = calloc(1, sizeof(*group));
  int exit_code = CLI_FAILURE;
  if (
    batch != NULL && group != NULL &&
    cli_standley_make_instance(&instance, work->run->settings, work->instances[item])) {
    exit_code = run_algorithms(work->run, &instance, batch, group);
    exit_code = exit_code == CLI_SOLVED ? run_group(work->run, &instance, batch, group) : exit_code;
  }
  pthread_mutex_lock(&work->mutex);
  if (!cli_progress_was_interrupted()) {  // else the rows say "cancelled"
    exit_code = exit_code == CLI_SOLVED ? keep(work, batch) : exit_code;
    work->exit_code = exit_code == CLI_SOLVED ? work->exit_code : exit_code;
    ++work->done;
    show_bar(work);
  }
  pthread_mutex_unlock(&work->mutex);
  cli_standley_end_instance(&instance);
  free(batch);
  free(group);
}

// ---- all ------------------------------------------------------------------------------------------------------------

// Those of the shard that have no rows yet.
static bool list_instances(work_t * work)
{
  const cli_standley_run_t * run = work->run;
  const size_t count = (size_t)run->settings->instances;
  bool * is_done = calloc(count, sizeof(*is_done));
  work->instances = calloc(count, sizeof(*work->instances));
  if (is_done == NULL || work->instances == NULL) {
    free(is_done);
    return false;
  }
  for (int32_t i = 0; i < run->rows->count; ++i) {
    is_done[run->rows->rows[i].instance] = true;
  }
  for (int32_t i = run->shard; i < run->settings->instances; i += run->shard_count) {
    if (!is_done[i]) {
      work->instances[work->count++] = i;
    }
  }
  free(is_done);
  return true;
}

int cli_standley_run(const cli_standley_run_t * run)
{
  work_t work = {.run = run, .exit_code = CLI_SOLVED, .start_ns = fw_clock_now_ns()};
  cli_progress_t progress = {.label = "bench standley"};
  for (int32_t a = 0; a < run->algorithm_count; ++a) {  // wrong names are told before anything is run
    fw_planner_t planner = {0};
    const bool is_right = cli_standley_begin(&planner, run, &run->algorithms[a]);
    fw_planner_fini(&planner);
    if (!is_right) {
      return CLI_USAGE;
    }
  }
  if (!list_instances(&work)) {
    free(work.instances);
    return cli_say(CLI_FAILURE, "out of memory");
  }
  cli_progress_start(&progress);
  pthread_mutex_init(&work.mutex, NULL);
  fw__parallel_for(work.count, run->threads, run_instance, &work);
  pthread_mutex_destroy(&work.mutex);
  if (isatty(STDERR_FILENO)) {
    fputs("\r\033[K", stderr);
  }
  free(work.instances);
  cli_standley_sort(run->rows);
  return cli_progress_was_interrupted() ? CLI_NOT_SOLVED : work.exit_code;
}
