// `bench standley`: one solve.

#include "bench/bench_standley_solve.h"

#include <string.h>
#include <time.h>

#include "cli/progress.h"
#include "cli/words.h"
#include "fleetweave/planner_def.h"

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

bool cli_standley_begin(
  fw_planner_t * planner, const cli_standley_run_t * run, const cli_standley_algorithm_t * algorithm)
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

int cli_standley_solve(const cli_standley_ask_t * ask, cli_standley_solve_t * solve, cli_standley_row_t * row)
{
  const cli_standley_run_t * run = ask->run;
  const cli_standley_algorithm_t * algorithm = ask->algorithm;
  const fw_problem_t * problem = ask->problem;
  fw_error_t error = {0};
  if (!cli_standley_begin(&solve->planner, run, algorithm)) {
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
