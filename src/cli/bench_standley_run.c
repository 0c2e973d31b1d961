// `bench standley`: instance after instance, in a few threads if asked for.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/parallel.h"
#include "base/rng.h"
#include "cli/bench_standley.h"
#include "cli/progress.h"
#include "cli/words.h"
#include "fleetweave/files.h"
#include "fleetweave/planner_def.h"
#include "fleetweave/search.h"

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

// ---- instances ------------------------------------------------------------------------------------------------------

typedef struct instance_t {
  int32_t number;
  fw_grid_t grid;
  fw_scenario_t scenario;
  fw_problem_t problem;
  int64_t alone;
} instance_t;

static bool measure_alone(instance_t * instance)
{
  for (int32_t r = 0; r < instance->scenario.robot_count; ++r) {
    const fw_robot_t * robot = &instance->scenario.robots[r];
    fw_route_t route = {0};
    if (fw_route_find(&route, &instance->grid, robot->start, robot->goal, 8, NULL, NULL) != FW_RET_OK) {
      return false;
    }
    instance->alone += route.length - 1;
    fw_route_fini(&route);
  }
  return true;
}

// 32x32, one cell in five blocked, 2 to 60 robots, all from the seed and the number.
static bool make_instance(instance_t * instance, int64_t seed, int32_t number)
{
  fw_rng_t rng = fw_rng((uint64_t)seed * UINT64_C(1000003) + (uint64_t)number);
  char line[80];
  *instance = (instance_t){.number = number};
  snprintf(line, sizeof(line), "random:32x32,obstacles=20,seed=%d", (int)(fw_rng_next(&rng) >> 33));
  const int32_t robots =
    CLI_STANDLEY_ROBOTS_MIN + fw_rng_below(&rng, CLI_STANDLEY_ROBOTS_MAX - CLI_STANDLEY_ROBOTS_MIN + 1);
  if (fw_grid_make(&instance->grid, line, NULL, NULL) != FW_RET_OK) {
    return false;
  }
  if (
    fw_scenario_make(&instance->scenario, &instance->grid, robots, fw_rng_next(&rng), NULL, NULL) != FW_RET_OK ||
    !measure_alone(instance)) {
    return false;
  }
  instance->problem = (fw_problem_t){
    .grid = &instance->grid,
    .robots = instance->scenario.robots,
    .robot_count = instance->scenario.robot_count,
    .connectivity = 8,
  };
  return true;
}

static void end_instance(instance_t * instance)
{
  fw_scenario_fini(&instance->scenario);
  fw_grid_fini(&instance->grid);
}

// ---- one solve ------------------------------------------------------------------------------------------------------

static int64_t processor_now_ns(void)
{
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// `state` is when to end in processor time, 0 for no end.
static bool must_end(void * state)
{
  const int64_t end_ns = *(const int64_t *)state;
  return cli_progress_was_interrupted() || (end_ns > 0 && processor_now_ns() >= end_ns);
}

// "planner:key=value:key=value"
static bool set_all(fw_planner_t * planner, const char * settings, fw_error_t * error)
{
  char text[CLI_STANDLEY_NAME_SIZE];
  snprintf(text, sizeof(text), "%s", settings);
  for (char * word = strchr(text, ':'); word != NULL;) {
    char * next = strchr(++word, ':');
    if (next != NULL) {
      *next = '\0';
    }
    char * equals = strchr(word, '=');
    if (equals == NULL) {
      snprintf(error->text, sizeof(error->text), "\"%s\" is no key=value", word);
      return false;
    }
    *equals = '\0';
    if (fw_planner_set(planner, word, equals + 1, error) != FW_RET_OK) {
      return false;
    }
    word = next;
  }
  return true;
}

static bool begin(fw_planner_t * planner, const cli_standley_run_t * run, const cli_standley_algorithm_t * algorithm)
{
  fw_error_t error = {0};
  fw_planner_options_t options = fw_planner_options_default();
  options.memory_max_bytes = (size_t)run->memory_mb << 20;
  if (
    fw_planner_init(planner, algorithm->planner, &options, &error) != FW_RET_OK ||
    !set_all(planner, algorithm->name, &error)) {
    (void)cli_say(CLI_USAGE, "%s: %s", algorithm->name, error.text);
    return false;
  }
  return true;
}

typedef struct solve_t {
  fw_planner_t planner;
  fw_plan_t plan;
} solve_t;

static int64_t largest_group(const fw_plan_t * plan)
{
  for (int32_t i = 0; i < plan->stats.counter_count; ++i) {
    if (strcmp(plan->stats.counters[i].name, "largest_group") == 0) {
      return plan->stats.counters[i].value;
    }
  }
  return -1;
}

static int check(const fw_problem_t * problem, const fw_plan_t * plan, const char * algorithm)
{
  fw_conflict_t conflict = {0};
  fw_error_t error = {0};
  if (fw_check_plan(problem, plan, NULL, &conflict, &error) != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "the plan cannot be checked: %s", error.text);
  }
  if (conflict.kind != FW_CONFLICT_NONE) {
    char text[256];
    fw_conflict_describe(problem, &conflict, text, sizeof(text));
    return cli_say(CLI_FAILURE, "the plan of %s fails its check: %s", algorithm, text);
  }
  return CLI_SOLVED;
}

// Solves, checks and fills a row. The caller ends the planner.
static int solve(
  const cli_standley_run_t * run, const cli_standley_algorithm_t * algorithm, const fw_problem_t * problem,
  solve_t * solve, cli_standley_row_t * row)
{
  fw_error_t error = {0};
  if (!begin(&solve->planner, run, algorithm)) {
    return CLI_USAGE;
  }
  const double seconds = run->settings->time_limit * (row->is_group ? 2.0 : 1.0);
  const int64_t start_ns = processor_now_ns();
  const int64_t limit_ns = (int64_t)(seconds * 1e9);
  int64_t end_ns = run->is_processor_time ? start_ns + limit_ns : 0;
  const fw_budget_t budget = {
    .deadline_ns = run->is_processor_time ? 0 : fw_clock_now_ns() + limit_ns,
    .is_cancelled = must_end,
    .cancel_state = &end_ns,
  };
  if (fw_planner_solve(&solve->planner, problem, &budget, &solve->plan, &error) != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s: %s", algorithm->name, error.text);
  }
  const int64_t processor_ns = processor_now_ns() - start_ns;
  const fw_stats_t * stats = &solve->plan.stats;
  snprintf(row->algorithm, sizeof(row->algorithm), "%s", algorithm->name);
  snprintf(row->outcome, sizeof(row->outcome), "%s", fw_outcome_name(solve->plan.outcome));
  snprintf(row->stop, sizeof(row->stop), "%s", fw_stop_name(solve->plan.stop));
  row->robots = problem->robot_count;
  row->ms = (double)(run->is_processor_time ? processor_ns : stats->elapsed_ns) / 1e6;
  row->sum_of_costs = stats->sum_of_costs;
  row->lower_bound = stats->lower_bound;
  row->expanded = stats->expanded;
  row->memory_bytes = (int64_t)stats->memory_peak_bytes;
  row->largest_group = largest_group(&solve->plan);
  return check(problem, &solve->plan, algorithm->name);
}

// ---- the largest group alone ----------------------------------------------------------------------------------------

typedef struct group_t {
  fw_robot_t robots[CLI_STANDLEY_ROBOTS_MAX];
  int32_t count;
} group_t;

static void find_largest(const fw_problem_t * problem, const fw_plan_t * plan, group_t * largest)
{
  for (int32_t group = 0; group < problem->robot_count; ++group) {
    group_t found = {.count = 0};
    for (int32_t r = 0; r < problem->robot_count; ++r) {
      if (plan->groups[r] == group) {
        found.robots[found.count++] = problem->robots[r];
      }
    }
    if (found.count > largest->count) {
      *largest = found;
    }
  }
}

// ---- one instance ---------------------------------------------------------------------------------------------------

typedef struct batch_t {
  cli_standley_row_t rows[ROWS_PER_INSTANCE];
  int32_t count;
} batch_t;

static int run_algorithms(const cli_standley_run_t * run, const instance_t * instance, batch_t * batch, group_t * group)
{
  for (int32_t a = 0; a < run->algorithm_count; ++a) {
    solve_t one = {0};
    cli_standley_row_t row = {.instance = instance->number, .alone = instance->alone};
    const int exit_code = solve(run, &run->algorithms[a], &instance->problem, &one, &row);
    if (exit_code == CLI_SOLVED && group->count == 0 && cli_standley_is_solved(&row) && row.largest_group >= 0) {
      find_largest(&instance->problem, &one.plan, group);
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
  const cli_standley_run_t * run, const instance_t * instance, batch_t * batch, const group_t * group)
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
    solve_t one = {0};
    cli_standley_row_t row = {.instance = instance->number, .is_group = true};
    const int exit_code = solve(run, &run->algorithms[a], &problem, &one, &row);
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
  instance_t instance;
  batch_t * batch = calloc(1, sizeof(*batch));
  group_t * group = calloc(1, sizeof(*group));
  int exit_code = CLI_FAILURE;
  if (batch != NULL && group != NULL && make_instance(&instance, work->run->settings->seed, work->instances[item])) {
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
  end_instance(&instance);
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
    const bool is_right = begin(&planner, run, &run->algorithms[a]);
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
  fw_parallel_for(work.count, run->threads, run_instance, &work);
  pthread_mutex_destroy(&work.mutex);
  if (isatty(STDERR_FILENO)) {
    fputs("\r\033[K", stderr);
  }
  free(work.instances);
  cli_standley_sort(run->rows);
  return cli_progress_was_interrupted() ? CLI_NOT_SOLVED : work.exit_code;
}
