// fleetweave_bench: finds an experiment by its name and runs it. `fleetweave bench` hands over to this program.
//
// An experiment is one file with one cli_command_t, and one name in the two lists below.

#include <stdio.h>
#include <string.h>

#include "bench/bench.h"
#include "cli/common/completion.h"
#include "cli/common/message.h"

extern const cli_command_t bench_mapf, bench_lifelong, bench_controller, bench_scaling, bench_search, bench_table;
extern const cli_command_t bench_standley, bench_merge, bench_bcp, bench_rtaa, bench_arrival;

// First what users need to choose a planner for their site, then what we measure, then the papers' experiments.
static const cli_command_t * const experiments[] = {
  &bench_mapf,    &bench_lifelong, &bench_controller, &bench_scaling, &bench_search, &bench_table,
  &bench_arrival, &bench_standley, &bench_merge,      &bench_bcp,     &bench_rtaa,
};
#define EXPERIMENT_COUNT ((int32_t)(sizeof(experiments) / sizeof(experiments[0])))

static const char * experiment_name(const void * state, int32_t index)
{
  (void)state;
  return index < EXPERIMENT_COUNT ? experiments[index]->name : NULL;
}

static void print_help(FILE * stream)
{
  fputs(
    "Usage: fleetweave bench KIND [options]\n\n"
    "Measures planners and searches side by side in one run. Every plan is checked.\n"
    "To choose a planner for your site, run `mapf` (all robots drive once) or `lifelong` (robots get new\n"
    "goals on arrival) on your map. The other kinds measure parts, or repeat the experiments of papers.\n\nKinds:\n",
    stream);
  for (int32_t i = 0; i < EXPERIMENT_COUNT; i++) {
    fprintf(stream, "  %-10s %s\n", experiments[i]->name, experiments[i]->summary);
  }
  fputs(
    "\nOptions of a kind: fleetweave bench KIND --help\n"
    "Each kind prints a table, or JSON with --json, and writes a CSV file with --csv FILE.\n"
    "`./run plot FILE...` in the repository draws figures from these files.\n"
    "The same program is installed as fleetweave_bench, and runs in the repository as ./run bench.\n",
    stream);
}

// Experiments no longer draw: a user of the old option learns what to do now.
static int refuse_svg(const char * kind)
{
  return cli_error(
    CLI_USAGE,
    "bench %s has no option --svg any more; write --csv FILE or --json, then draw: ./run plot FILE -o %s.svg", kind,
    kind);
}

static int run_experiment(const cli_command_t * experiment, int argument_count, char ** arguments)
{
  for (int i = 1; i < argument_count && !cli_completion_is_requested(argument_count, arguments); i++) {
    if (strcmp(arguments[i], "--svg") == 0 || strncmp(arguments[i], "--svg=", strlen("--svg=")) == 0) {
      return refuse_svg(experiment->name);
    }
  }
  return experiment->run(argument_count, arguments);
}

static int run(int argument_count, char ** arguments)
{
  if (argument_count < 2) {
    print_help(stderr);
    return CLI_USAGE;
  }
  if (strcmp(arguments[1], "--help") == 0 || strcmp(arguments[1], "-h") == 0) {
    print_help(stdout);
    return CLI_SUCCESS;
  }
  if (strcmp(arguments[1], "--version") == 0) {
    puts("fleetweave_bench " FLEETWEAVE_VERSION);
    return CLI_SUCCESS;
  }
  if (cli_completion_is_requested(argument_count, arguments)) {
    for (int32_t i = 0; i < EXPERIMENT_COUNT; i++) {
      cli_completion_offer(experiments[i]->name, arguments);
    }
    return CLI_SUCCESS;
  }
  for (int32_t i = 0; i < EXPERIMENT_COUNT; i++) {
    if (strcmp(experiments[i]->name, arguments[1]) == 0) {
      return run_experiment(experiments[i], argument_count - 1, arguments + 1);
    }
  }
  const char * nearest = cli_suggest_name(arguments[1], experiment_name, NULL);
  if (nearest != NULL) {
    return cli_error(CLI_USAGE, "bench has no kind \"%s\"; did you mean %s?", arguments[1], nearest);
  }
  return cli_error(CLI_USAGE, "bench has no kind \"%s\"; see `fleetweave bench --help`", arguments[1]);
}

int main(int argument_count, char ** arguments)
{
  const int exit_code = run(argument_count, arguments);
  // A full disk or a closed pipe must not look like success.
  if (fflush(stdout) != 0 || ferror(stdout)) {
    return cli_error(CLI_FAILURE, "cannot write to standard output");
  }
  return exit_code;
}
