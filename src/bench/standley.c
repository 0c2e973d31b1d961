// `bench standley`: the experiments of Standley 2010, with the paper's algorithms and ours; and `bench merge`, which
// joins the files of its shards. docs/optimal.md has the paper's figures beside ours.

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/assert.h"
#include "base/parallel.h"
#include "base/rng.h"
#include "base/text.h"
#include "bench/standley_results.h"
#include "cli/common/message.h"
#include "cli/common/output.h"
#include "cli/common/progress.h"
#include "fleetweave/files.h"
#include "fleetweave/search.h"

typedef struct standley_run_t {
  const standley_settings_t * settings;
  const standley_algorithm_t * algorithms;
  int32_t algorithm_count;
  int32_t shard;  // from 0
  int32_t shard_count;
  int32_t threads;
  int64_t memory_mb;
  bool is_processor_time;  // limits and times are processor time of the solving thread
  standley_rows_t * rows;  // instances that are already there are not run again
  FILE * csv;              // rows are appended here as they come; NULL: no file
} standley_run_t;

typedef struct standley_instance_t {
  int32_t number;
  fw_grid_t grid;
  fw_scenario_t scenario;
  fw_problem_t problem;
  int64_t alone;  // sum of the single-robot shortest path lengths
} standley_instance_t;

// The largest group of robots that were planned together.
typedef struct standley_group_t {
  fw_robot_t robots[STANDLEY_ROBOTS_MAX];
  int32_t count;
} standley_group_t;

typedef struct standley_solve_t {
  fw_planner_t planner;
  fw_plan_t plan;
} standley_solve_t;

typedef struct standley_request_t {
  const standley_run_t * run;
  const standley_algorithm_t * algorithm;
  const fw_problem_t * problem;
} standley_request_t;

// ---- instances ------------------------------------------------------------------------------------------------------

// The sum of the single-robot shortest path lengths. False when there is no memory.
static bool sum_shortest_paths(standley_instance_t * instance)
{
  for (int32_t r = 0; r < instance->scenario.robot_count; ++r) {
    const fw_robot_t * robot = &instance->scenario.robots[r];
    fw_route_t route = {0};
    if (fw_route_find_for(&route, &instance->problem, robot->start, robot->goal, NULL, NULL) != FW_RET_OK) {
      return false;
    }
    instance->alone += route.length - 1;
    fw_route_fini(&route);
  }
  return true;
}

// 32x32, one cell in five blocked, 2 to 60 robots, all from the seed and the number. False when there is no memory.
static bool make_instance(standley_instance_t * instance, const standley_settings_t * settings, int32_t number)
{
  fw_rng_t rng = fw__rng((uint64_t)settings->seed * UINT64_C(1000003) + (uint64_t)number);
  char line[80];
  *instance = (standley_instance_t){.number = number};
  snprintf(line, sizeof(line), "random:32x32,obstacles=20,seed=%d", (int)(fw__rng_next(&rng) >> 33));
  const int32_t robots = STANDLEY_ROBOTS_MIN + fw__rng_below(&rng, STANDLEY_ROBOTS_MAX - STANDLEY_ROBOTS_MIN + 1);
  if (fw_grid_make(&instance->grid, line, NULL, NULL) != FW_RET_OK) {
    return false;
  }
  instance->problem = (fw_problem_t){
    .grid = &instance->grid,
    .robot_count = robots,
    .connectivity = 8,
    .cuts_corners = settings->cuts_corners,
  };
  if (fw_scenario_make_for(&instance->scenario, &instance->problem, fw__rng_next(&rng), NULL, NULL) != FW_RET_OK) {
    return false;
  }
  instance->problem.robots = instance->scenario.robots;
  return sum_shortest_paths(instance);
}

static void fini_instance(standley_instance_t * instance)
{
  fw_scenario_fini(&instance->scenario);
  fw_grid_fini(&instance->grid);
}

// The largest group of robots that were planned together.
static void find_largest_group(const fw_problem_t * problem, const fw_plan_t * plan, standley_group_t * largest)
{
  for (int32_t group = 0; group < problem->robot_count; ++group) {
    standley_group_t found = {.count = 0};
    for (int32_t r = 0; r < problem->robot_count; ++r) {
      if (plan->groups[r] == group) {
        FW_ASSERT(found.count < STANDLEY_ROBOTS_MAX);
        found.robots[found.count++] = problem->robots[r];
      }
    }
    if (found.count > largest->count) {
      *largest = found;
    }
  }
}

// ---- one solve ------------------------------------------------------------------------------------------------------

static int64_t cpu_now_ns(void)
{
  struct timespec now = {0};
  (void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// `state` is the deadline in processor time, 0 for none.
static bool must_end(void * state)
{
  const int64_t end_ns = *(const int64_t *)state;
  return cli_progress_was_interrupted() || (end_ns > 0 && cpu_now_ns() >= end_ns);
}

// "planner:key=value:key=value"
static bool apply_settings(fw_planner_t * planner, const char * settings, fw_error_t * error)
{
  char text[STANDLEY_NAME_SIZE];
  snprintf(text, sizeof(text), "%s", settings);
  for (char * word = strchr(text, ':'); word != NULL;) {
    char * next = strchr(++word, ':');
    if (next != NULL) {
      *next = '\0';
    }
    char * equals = strchr(word, '=');
    if (equals == NULL) {
      snprintf(error->text, sizeof(error->text), "\"%s\" is not key=value", word);
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

// A planner with its settings. False after an error message.
static bool init_planner(fw_planner_t * planner, const standley_run_t * run, const standley_algorithm_t * algorithm)
{
  fw_error_t error = {0};
  fw_planner_options_t options = fw_planner_options_default();
  options.memory_max_bytes = (size_t)run->memory_mb << 20;
  if (
    fw_planner_init(planner, algorithm->planner, &options, &error) != FW_RET_OK ||
    !apply_settings(planner, algorithm->name, &error)) {
    (void)cli_error(CLI_USAGE, "%s: %s", algorithm->name, error.text);
    return false;
  }
  return true;
}

// The statistic of planners that split the robots into groups; -1 without it.
static int64_t largest_group(const fw_plan_t * plan)
{
  for (int32_t i = 0; i < plan->stats.counter_count; ++i) {
    if (strcmp(plan->stats.counters[i].name, "largest_group") == 0) {
      return plan->stats.counters[i].value;
    }
  }
  return -1;
}

// The independent check of a plan. Returns an exit code after an error message.
static int check(const fw_problem_t * problem, const fw_plan_t * plan, const char * algorithm)
{
  fw_conflict_t conflict = {0};
  fw_error_t error = {0};
  if (fw_check_plan(problem, plan, NULL, &conflict, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "the plan cannot be checked: %s", error.text);
  }
  if (conflict.kind != FW_CONFLICT_NONE) {
    char text[256];
    fw_conflict_describe(problem, &conflict, text, sizeof(text));
    return cli_error(CLI_FAILURE, "the plan of %s fails its check: %s", algorithm, text);
  }
  return CLI_SUCCESS;
}

// Solves, checks and fills a row. The caller finishes the planner. Returns an exit code after an error message.
static int solve(const standley_request_t * request, standley_solve_t * one, standley_row_t * row)
{
  const standley_run_t * run = request->run;
  const standley_algorithm_t * algorithm = request->algorithm;
  const fw_problem_t * problem = request->problem;
  fw_error_t error = {0};
  if (!init_planner(&one->planner, run, algorithm)) {
    return CLI_USAGE;
  }
  const double seconds = run->settings->time_limit * (row->is_group ? 2.0 : 1.0);
  const int64_t start_ns = cpu_now_ns();
  const int64_t limit_ns = (int64_t)(seconds * 1e9);
  int64_t end_ns = run->is_processor_time ? start_ns + limit_ns : 0;
  const fw_budget_t budget = {
    .deadline_ns = run->is_processor_time ? 0 : fw_clock_now_ns() + limit_ns,
    .is_cancelled = must_end,
    .cancel_state = &end_ns,
  };
  if (fw_planner_solve(&one->planner, problem, &budget, &one->plan, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s: %s", algorithm->name, error.text);
  }
  const int64_t processor_ns = cpu_now_ns() - start_ns;
  const fw_stats_t * stats = &one->plan.stats;
  snprintf(row->algorithm, sizeof(row->algorithm), "%s", algorithm->name);
  snprintf(row->outcome, sizeof(row->outcome), "%s", fw_outcome_name(one->plan.outcome));
  snprintf(row->stop, sizeof(row->stop), "%s", fw_stop_name(one->plan.stop));
  row->robots = problem->robot_count;
  row->ms = (double)(run->is_processor_time ? processor_ns : stats->elapsed_ns) / 1e6;
  row->sum_of_costs = stats->sum_of_costs;
  row->lower_bound = stats->lower_bound;
  row->expanded = stats->expanded;
  row->memory_bytes = (int64_t)stats->memory_peak_bytes;
  row->largest_group = largest_group(&one->plan);
  return check(problem, &one->plan, algorithm->name);
}

// ---- running --------------------------------------------------------------------------------------------------------

enum { ROWS_PER_INSTANCE = 2 * STANDLEY_ALGORITHMS_MAX, BAR_WIDTH = 30 };

typedef struct standley_work_t {
  const standley_run_t * run;
  int32_t * instances;  // still to do
  int32_t count;
  pthread_mutex_t mutex;  // protects the members below
  int32_t done;
  int exit_code;
  int64_t start_ns;
} standley_work_t;

// ---- one instance ---------------------------------------------------------------------------------------------------

typedef struct standley_batch_t {
  standley_row_t rows[ROWS_PER_INSTANCE];
  int32_t count;
} standley_batch_t;

// Solves an instance with every algorithm; `group` receives the largest group that independence detection (od_id)
// finds, as in the paper, if it solves the instance.
static int run_algorithms(
  const standley_run_t * run, const standley_instance_t * instance, standley_batch_t * batch, standley_group_t * group)
{
  for (int32_t a = 0; a < run->algorithm_count; ++a) {
    standley_solve_t one = {0};
    standley_row_t row = {.instance = instance->number, .alone = instance->alone};
    const int exit_code = solve(&(standley_request_t){run, &run->algorithms[a], &instance->problem}, &one, &row);
    const bool is_detection = strcmp(run->algorithms[a].planner, "od_id") == 0;
    if (exit_code == CLI_SUCCESS && group->count == 0 && is_detection && bench_standley_is_solved(&row)) {
      find_largest_group(&instance->problem, &one.plan, group);
    }
    fw_planner_fini(&one.planner);
    if (exit_code != CLI_SUCCESS) {
      return exit_code;
    }
    FW_ASSERT(batch->count < ROWS_PER_INSTANCE);
    batch->rows[batch->count++] = row;
  }
  return CLI_SUCCESS;
}

// Figure 7: the largest group alone, with the planners that search the joint state space.
static int run_group(
  const standley_run_t * run, const standley_instance_t * instance, standley_batch_t * batch,
  const standley_group_t * group)
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
    standley_solve_t one = {0};
    standley_row_t row = {.instance = instance->number, .is_group = true};
    const int exit_code = solve(&(standley_request_t){run, &run->algorithms[a], &problem}, &one, &row);
    fw_planner_fini(&one.planner);
    if (exit_code != CLI_SUCCESS) {
      return exit_code;
    }
    FW_ASSERT(batch->count < ROWS_PER_INSTANCE);
    batch->rows[batch->count++] = row;
  }
  return CLI_SUCCESS;
}

// A progress line on a terminal. The mutex is held.
static void show_bar(const standley_work_t * work)
{
  if (!isatty(STDERR_FILENO)) {
    return;
  }
  const double elapsed = (double)(fw_clock_now_ns() - work->start_ns) / 1e9;
  const int32_t filled = work->count > 0 ? BAR_WIDTH * work->done / work->count : BAR_WIDTH;
  fprintf(
    stderr, "\r[%.*s%*s] %d of %d, %.0f s, about %.0f s to go (Ctrl-C: continue later)\033[K", filled,
    "##############################", BAR_WIDTH - filled, "", work->done, work->count, elapsed,
    work->done > 0 ? elapsed / work->done * (work->count - work->done) : 0.0);
  fflush(stderr);
}

// Appends the rows of an instance to the results and to the file. The mutex is held.
static int keep(standley_work_t * work, const standley_batch_t * batch)
{
  for (int32_t i = 0; i < batch->count; ++i) {
    if (!bench_standley_add(work->run->rows, &batch->rows[i])) {
      return cli_error(CLI_FAILURE, "out of memory");
    }
    if (work->run->csv != NULL) {
      bench_standley_write_row(&batch->rows[i], work->run->csv);
    }
  }
  if (work->run->csv != NULL && fflush(work->run->csv) != 0) {
    return cli_error(CLI_FAILURE, "the CSV file cannot be written");
  }
  return CLI_SUCCESS;
}

// One instance, in a worker thread.
static void run_instance(int32_t item, int32_t worker, void * state)
{
  (void)worker;
  standley_work_t * work = state;
  pthread_mutex_lock(&work->mutex);
  const bool must_stop = work->exit_code != CLI_SUCCESS || cli_progress_was_interrupted();
  pthread_mutex_unlock(&work->mutex);
  if (must_stop) {
    return;
  }
  standley_instance_t instance;
  standley_batch_t * batch = calloc(1, sizeof(*batch));
  standley_group_t * group = calloc(1, sizeof(*group));
  int exit_code = CLI_FAILURE;
  if (batch != NULL && group != NULL && make_instance(&instance, work->run->settings, work->instances[item])) {
    exit_code = run_algorithms(work->run, &instance, batch, group);
    exit_code = exit_code == CLI_SUCCESS ? run_group(work->run, &instance, batch, group) : exit_code;
  }
  pthread_mutex_lock(&work->mutex);
  if (!cli_progress_was_interrupted()) {  // else the rows would say "cancelled"
    exit_code = exit_code == CLI_SUCCESS ? keep(work, batch) : exit_code;
    work->exit_code = exit_code == CLI_SUCCESS ? work->exit_code : exit_code;
    ++work->done;
    show_bar(work);
  }
  pthread_mutex_unlock(&work->mutex);
  fini_instance(&instance);
  free(batch);
  free(group);
}

// ---- all instances --------------------------------------------------------------------------------------------------

// The instances of the shard that have no rows yet.
static bool list_instances(standley_work_t * work)
{
  const standley_run_t * run = work->run;
  const size_t count = (size_t)run->settings->instances;
  bool * is_done = calloc(count, sizeof(*is_done));
  work->instances = calloc(count, sizeof(*work->instances));
  if (is_done == NULL || work->instances == NULL) {
    free(is_done);
    return false;
  }
  for (int32_t i = 0; i < run->rows->count; ++i) {
    FW_ASSERT(run->rows->rows[i].instance >= 0 && run->rows->rows[i].instance < run->settings->instances);
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

static int run_all(const standley_run_t * run)
{
  standley_work_t work = {.run = run, .exit_code = CLI_SUCCESS, .start_ns = fw_clock_now_ns()};
  cli_progress_t progress = {.label = "bench standley"};
  for (int32_t a = 0; a < run->algorithm_count; ++a) {  // wrong names are reported before anything runs
    fw_planner_t planner = {0};
    const bool is_right = init_planner(&planner, run, &run->algorithms[a]);
    fw_planner_fini(&planner);
    if (!is_right) {
      return CLI_USAGE;
    }
  }
  if (!list_instances(&work)) {
    free(work.instances);
    return cli_error(CLI_FAILURE, "out of memory");
  }
  cli_progress_start(&progress);
  pthread_mutex_init(&work.mutex, NULL);
  fw__parallel_for(work.count, run->threads, run_instance, &work);
  pthread_mutex_destroy(&work.mutex);
  if (isatty(STDERR_FILENO)) {
    fputs("\r\033[K", stderr);
  }
  free(work.instances);
  bench_standley_sort(run->rows);
  return cli_progress_was_interrupted() ? CLI_NOT_SOLVED : work.exit_code;
}

// ---- bench standley -------------------------------------------------------------------------------------------------

// The algorithms of the paper's figure 6 (S, OD, S+ID, OD+ID), ours (lazy_sat), and the paper's HCA*: one order of the
// robots, without our repairs. docs/hca.md says why it is that order.
#define DEFAULT_ALGORITHMS "standard,od,od_id:operators=standard,od_id,lazy_sat,hca:order=shortest:orders=1:overrides=0"

typedef struct standley_options_t {
  int64_t instances;
  int64_t seed;
  double time_limit;
  const char * algorithms;
  bool cuts_corners;
  const char * shard;
  int64_t threads;
  int64_t memory_mb;
  bool is_processor_time;
  bench_output_t output;
} standley_options_t;

#define AT(member) offsetof(standley_options_t, member)

static const cli_option_t bench_options[] = {
  {.name = "instances",
   .letter = 'n',
   .kind = CLI_INTEGER,
   .offset = AT(instances),
   .min = 1,
   .max = 10000000,
   .value = "N",
   .help = "number of instances over all shards (default: 500; the paper has 10000)"},
  {.name = "seed",
   .kind = CLI_INTEGER,
   .offset = AT(seed),
   .min = 0,
   .max = INT32_MAX,
   .value = "S",
   .help = "for maps and robots (default: 1)"},
  {.name = "time-limit",
   .letter = 't',
   .kind = CLI_NUMBER,
   .offset = AT(time_limit),
   .min = 0,
   .max = 100000,
   .value = "SECONDS",
   .help = "limit of each solve; twice that for a largest group alone (default: 1)"},
  {.name = "planners",
   .letter = 'p',
   .kind = CLI_TEXT,
   .offset = AT(algorithms),
   .value = "A,B,...",
   .help = "planners, each with settings if needed: lazy_sat:cost=last_arrival\n(default: " DEFAULT_ALGORITHMS ")"},
  {.name = "memory",
   .kind = CLI_INTEGER,
   .offset = AT(memory_mb),
   .min = 1,
   .max = 1 << 24,
   .value = "MB",
   .help = "memory limit of a planner (default: 1024)"},
  {.name = "cut-corners",
   .kind = CLI_FLAG,
   .offset = AT(cuts_corners),
   .help = "diagonals as in the paper: only the end of a diagonal must be free, not the\n"
           "cells beside it (default: these too)"},
  {0},
};
static const cli_option_t run_options[] = {
  {.name = "processor-time",
   .kind = CLI_FLAG,
   .offset = AT(is_processor_time),
   .help = "measure processor time of the solving thread, for machines that do other work\n"
           "meanwhile; a solve that runs out of time ends as cancelled, without a last answer"},
  {.name = "threads",
   .kind = CLI_INTEGER,
   .offset = AT(threads),
   .min = 1,
   .max = FW_PARALLEL_THREADS_MAX,
   .value = "T",
   .help = "instances that run in parallel, each on one core (default: 1)"},
  {.name = "shard",
   .kind = CLI_TEXT,
   .offset = AT(shard),
   .value = "I/N",
   .help = "run only part I of N, from 1; `fleetweave bench merge` joins the files (default: 1/1)"},
  {0},
};

static bool read_shard(const char * text, standley_run_t * run)
{
  int32_t part = 0;
  int32_t parts = 0;
  char * at = (char *)text;
  if (
    !fw__text_integer(&at, 1, INT32_MAX, &part) || !fw__text_skip(&at, "/") ||
    !fw__text_integer(&at, part, INT32_MAX, &parts) || *at != '\0') {
    (void)cli_error(CLI_USAGE, "--shard must be I/N with I from 1 to N, not \"%s\"", text);
    return false;
  }
  run->shard = part - 1;
  run->shard_count = parts;
  return true;
}

// An instance with missing rows is run again.
static void drop_unfinished(standley_rows_t * rows, int32_t algorithm_count)
{
  bench_standley_sort(rows);
  int32_t kept = 0;
  for (int32_t first = 0; first < rows->count;) {
    int32_t end = first;
    int32_t whole = 0;
    while (end < rows->count && rows->rows[end].instance == rows->rows[first].instance) {
      whole += rows->rows[end++].is_group ? 0 : 1;
    }
    const bool is_known = rows->rows[first].instance >= 0 && rows->rows[first].instance < rows->settings.instances;
    if (whole == algorithm_count && is_known) {
      memmove(&rows->rows[kept], &rows->rows[first], (size_t)(end - first) * sizeof(*rows->rows));
      kept += end - first;
    }
    first = end;
  }
  rows->count = kept;
}

// Reads the rows of an earlier run and opens the file to append to it. Returns an exit code after an error message.
static int open_csv(standley_rows_t * rows, const char * path, int32_t algorithm_count, FILE ** csv)
{
  if (access(path, F_OK) == 0) {
    const int exit_code = bench_standley_read_file(rows, path);
    if (exit_code != CLI_SUCCESS) {
      return exit_code;
    }
    drop_unfinished(rows, algorithm_count);
  }
  if (!bench_standley_write_file(rows, path)) {
    return CLI_FAILURE;
  }
  *csv = fopen(path, "a");
  return *csv != NULL ? CLI_SUCCESS : cli_error(CLI_FAILURE, "%s cannot be written", path);
}

static int measure(const standley_options_t * options)
{
  standley_algorithm_t algorithms[STANDLEY_ALGORITHMS_MAX];
  standley_rows_t rows = {
    .settings = {
      .seed = options->seed,
      .instances = options->instances,
      .time_limit = options->time_limit,
      .cuts_corners = options->cuts_corners,
    }};
  snprintf(rows.settings.algorithms, sizeof(rows.settings.algorithms), "%s", options->algorithms);
  standley_run_t run = {
    .settings = &rows.settings,
    .algorithms = algorithms,
    .algorithm_count = bench_standley_algorithms(&rows.settings, algorithms),
    .threads = (int32_t)options->threads,
    .memory_mb = options->memory_mb,
    .is_processor_time = options->is_processor_time,
    .rows = &rows,
  };
  if (run.algorithm_count == 0 || !read_shard(options->shard, &run)) {
    return CLI_USAGE;
  }
  if (options->time_limit <= 0.0) {
    return cli_error(CLI_USAGE, "--time-limit must be more than 0");
  }
  int exit_code = CLI_SUCCESS;
  if (options->output.csv != NULL) {
    exit_code = open_csv(&rows, options->output.csv, run.algorithm_count, &run.csv);
  }
  exit_code = exit_code == CLI_SUCCESS ? run_all(&run) : exit_code;
  if (run.csv != NULL && fclose(run.csv) != 0) {
    exit_code = cli_error(CLI_FAILURE, "%s cannot be written", options->output.csv);
  }
  if (exit_code == CLI_SUCCESS || exit_code == CLI_NOT_SOLVED) {
    exit_code = bench_standley_report(&rows, &options->output) == CLI_SUCCESS ? exit_code : CLI_FAILURE;
  }
  bench_standley_fini(&rows);
  return exit_code;
}

static int run_standley(int argument_count, char ** arguments)
{
  standley_options_t options = {
    .instances = 500,
    .seed = 1,
    .time_limit = 1.0,
    .algorithms = DEFAULT_ALGORITHMS,
    .shard = "1/1",
    .threads = 1,
    .memory_mb = 1024,
  };
  const cli_group_t groups[] = {
    {"Bench", bench_options, .values = &options},
    {"Running", run_options, .values = &options},
    {"Output", bench_output_options, .values = &options.output},
    {0},
  };
  const cli_manual_t manual = {
    .name = "bench standley",
    .usage = "[--instances N] [--seed S] [--time-limit SECONDS] [--planners A,B,...] [--shard I/N] [--csv FILE]",
    .about =
      "The experiments of T. Standley, Finding Optimal Solutions to Cooperative Pathfinding Problems (AAAI\n"
      "2010): maps of 32x32 cells, one in five blocked, 2 to 60 robots, 8 directions. Prints the share that\n"
      "each planner solves within the limit (optimal planners: with the proof) and its times; how many of\n"
      "the largest groups that `od_id` finds `standard` and `od` solve alone; and the comparison with one\n"
      "order of HCA*. Which row is which: `standard` (S), `od` (OD), `od_id:operators=standard` (S+ID),\n"
      "`od_id` (OD+ID) and one order of `hca` are the paper's algorithms; `sid` is its simple independence\n"
      "detection; `lazy_sat` is ours, SAT-based. By default a diagonal needs both its side cells free, which\n"
      "makes harder problems than the paper's; with --cut-corners it needs neither, as in the paper: compare\n"
      "those results with the paper's. With --csv FILE an interrupted run continues where it was.",
    .groups = groups,
    .examples =
      "  fleetweave bench standley --instances 100 --cut-corners --csv standley.csv\n"
      "      # then, in the repository: ./run plot standley.csv -o standley.svg\n"
      "  fleetweave bench standley -n 10000 --cut-corners --planners od_id,lazy_sat --shard 3/50 --csv part3.csv\n"
      "  fleetweave bench merge all.csv part*.csv",
    .exit_codes = "0 all runs done (solved or not), 1 interrupted, 2 wrong command line, 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  return measure(&options);
}

const cli_command_t bench_standley = {
  .name = "standley",
  .summary = "the experiments of Standley (2010): optimal planners, the paper's and ours",
  .run = run_standley,
};

// ---- bench merge ----------------------------------------------------------------------------------------------------

// If an instance is in two files, the rows of the first are kept.
static void drop_duplicates(standley_rows_t * rows)
{
  bench_standley_sort(rows);
  int32_t kept = 0;
  for (int32_t i = 0; i < rows->count; ++i) {
    const standley_row_t * row = &rows->rows[i];
    const standley_row_t * last = kept > 0 ? &rows->rows[kept - 1] : NULL;
    if (
      last == NULL || last->instance != row->instance || last->is_group != row->is_group ||
      strcmp(last->algorithm, row->algorithm) != 0) {
      rows->rows[kept++] = *row;
    }
  }
  rows->count = kept;
}

// --json alone: the CSV file is an operand.
static int run_merge(int argument_count, char ** arguments)
{
  bench_output_t output = {0};
  const cli_group_t groups[] = {{"Output", bench_output_options + 1, .values = &output}, {0}};
  const cli_manual_t manual = {
    .name = "bench merge",
    .usage = "OUT.csv IN.csv... [--json]",
    .about =
      "Merges the files of the shards of one `bench standley` (--shard I/N --csv FILE) into one file and\n"
      "prints the report of the whole. The shards must have the same seed, instances, time limit and\n"
      "planners, and be all with --cut-corners or all without.",
    .groups = groups,
    .examples = "  fleetweave bench merge all.csv part1.csv part2.csv",
    .exit_codes = "0 merged, 2 wrong command line or files that do not belong together, 3 failure.",
  };
  // The parser of the other commands takes a fixed number of operands: these come first and are cut off here.
  int32_t files = 0;
  while (files + 1 < argument_count && arguments[files + 1][0] != '-') {
    ++files;
  }
  char ** options = arguments + files;
  char * first = options[0];
  options[0] = arguments[0];
  const int parsed = cli_parse(&manual, argument_count - files, options, NULL);
  options[0] = first;
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  if (files < 2) {
    return cli_error(CLI_USAGE, "bench merge needs OUT.csv and at least one IN.csv before its options");
  }
  standley_rows_t rows = {0};
  int exit_code = cli_output_is_possible(arguments[1]) ? CLI_SUCCESS : CLI_FAILURE;
  for (int32_t i = 2; i <= files && exit_code == CLI_SUCCESS; ++i) {
    exit_code = bench_standley_read_file(&rows, arguments[i]);
  }
  drop_duplicates(&rows);
  if (exit_code == CLI_SUCCESS) {
    exit_code = bench_standley_write_file(&rows, arguments[1]) ? bench_standley_report(&rows, &output) : CLI_FAILURE;
  }
  bench_standley_fini(&rows);
  return exit_code;
}

const cli_command_t bench_merge = {
  .name = "merge",
  .summary = "merge the files of the shards of `bench standley`",
  .run = run_merge,
};
