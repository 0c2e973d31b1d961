// `fleetweave plan`: solves one problem with one planner, prints a summary or JSON, and writes the plan to a file.

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "cli/cli.h"
#include "cli/common/instance.h"
#include "cli/common/json.h"
#include "cli/common/message.h"
#include "cli/common/output.h"
#include "cli/common/solve.h"

typedef struct plan_options_t {
  cli_instance_options_t instance;
  cli_solve_options_t solve;
  int64_t horizon;
  const char * out;
  const char * record;
  bool is_json;
} plan_options_t;

#define AT(member) offsetof(plan_options_t, member)

static const cli_option_t horizon_options[] = {
  {.name = "horizon",
   .kind = CLI_INTEGER,
   .offset = AT(horizon),
   .min = 0,
   .max = FW_TICK_MAX / 4,
   .value = "TICKS",
   .help = "accept a plan that is safe for this many ticks: one window of a rolling-\n"
           "horizon planner (whca); other planners ignore it and plan until all\n"
           "robots arrive (default: 0, until all robots arrive)"},
  {0},
};
static const cli_option_t output_options[] = {
  {.name = "out",
   .letter = 'o',
   .kind = CLI_TEXT,
   .offset = AT(out),
   .value = "FILE",
   .help = "write the plan to FILE; - is stdout, instead of the summary"},
  {.name = "json", .kind = CLI_FLAG, .offset = AT(is_json), .help = "print one JSON object instead of the summary"},
  {.name = "record",
   .kind = CLI_TEXT,
   .offset = AT(record),
   .value = "FILE",
   .help = "record the problem and the plan for `fleetweave replay`; an existing FILE is\nrenamed to FILE.old"},
  {0},
};

static void print_json(const plan_options_t * options, const cli_instance_t * instance, const fw_plan_t * plan)
{
  const fw_stats_t * stats = &plan->stats;
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  cli_json_text(&json, "planner", options->solve.planner);
  cli_json_text(&json, "map", instance->map_name);
  cli_json_integer(&json, "robots", plan->robot_count);
  cli_json_text(&json, "outcome", fw_outcome_name(plan->outcome));
  cli_json_text(&json, "stop", fw_stop_name(plan->stop));
  cli_json_integer(&json, "sum_of_costs", stats->sum_of_costs);
  cli_json_integer(&json, "lower_bound", stats->lower_bound);
  cli_json_integer(&json, "makespan", stats->makespan);
  cli_json_integer(&json, "expanded", stats->expanded);
  cli_json_number(&json, "elapsed_ms", (double)stats->elapsed_ns / 1e6);
  cli_json_number(&json, "first_plan_ms", (double)stats->first_plan_ns / 1e6);
  cli_json_integer(&json, "memory_peak_bytes", (int64_t)stats->memory_peak_bytes);
  cli_json_open(&json, "counters", '{');
  for (int32_t i = 0; i < stats->counter_count; i++) {
    cli_json_integer(&json, stats->counters[i].name, stats->counters[i].value);
  }
  cli_json_close(&json, '}');
  if (stats->backend[0] != '\0') {
    cli_json_text(&json, "backend", stats->backend);
    cli_json_text(&json, "device", stats->device);
  }
  if (stats->backend[0] != '\0' || stats->note[0] != '\0') {
    cli_json_text(&json, "note", stats->note);
  }
  cli_json_close(&json, '}');
  putchar('\n');
}

// Why the search stopped early, for the first line of the summary.
static const char * stop_text(fw_stop_t stop)
{
  switch (stop) {
    case FW_STOP_DEADLINE:
      return ", out of time";
    case FW_STOP_EXPANSIONS:
      return ", out of expansions";
    case FW_STOP_CANCELLED:
      return ", interrupted";
    case FW_STOP_MEMORY:
      return ", out of memory";
    case FW_STOP_DONE:
      break;
  }
  return "";
}

// Of planners that can use a GPU: where the plan was computed, and why not there. Notes of other planners.
static void print_backend(const fw_stats_t * stats)
{
  if (stats->backend[0] != '\0') {
    const bool has_device = stats->device[0] != '\0';
    printf(
      "  %-18s %s%s%s%s\n", "backend", stats->backend, has_device ? " (" : "", stats->device, has_device ? ")" : "");
  }
  if (stats->note[0] != '\0') {
    printf("  %-18s %s\n", "note", stats->note);
  }
}

static void print_summary(const plan_options_t * options, const cli_instance_t * instance, const fw_plan_t * plan)
{
  const fw_stats_t * stats = &plan->stats;
  char number[CLI_NUMBER_SIZE];
  const bool is_solved = plan->outcome == FW_OUTCOME_SOLVED;
  printf(
    "%s%s: %d robot%s on %s, planner %s\n", fw_outcome_name(plan->outcome), stop_text(plan->stop), plan->robot_count,
    plan->robot_count == 1 ? "" : "s", instance->map_name, options->solve.planner);
  if (is_solved) {
    printf("  %-18s %s", "sum of costs", cli_format_thousands(number, stats->sum_of_costs));
    if (stats->lower_bound > 0) {
      const double above = 100.0 * ((double)stats->sum_of_costs / (double)stats->lower_bound - 1.0);
      printf(" (lower bound %s, %.1f %% above it)", cli_format_thousands(number, stats->lower_bound), above);
    }
    printf("\n  %-18s %d ticks\n", "makespan", stats->makespan);
    printf("  %-18s %.1f ms\n", "first plan after", (double)stats->first_plan_ns / 1e6);
  } else if (plan->outcome == FW_OUTCOME_PARTIAL) {
    printf(
      "  %-18s %d of %d robot%s\n", "arrive", cli_count_on_goal(&instance->problem, plan), plan->robot_count,
      plan->robot_count == 1 ? "" : "s");
    if (plan->safe_until < FW_TICK_MAX) {
      printf("  %-18s tick %d\n", "safe until", plan->safe_until);
    }
  }
  printf("  %-18s %.1f ms\n", "time", (double)stats->elapsed_ns / 1e6);
  printf("  %-18s %s nodes\n", "expanded", cli_format_thousands(number, stats->expanded));
  printf("  %-18s %.1f MB\n", "memory", (double)stats->memory_peak_bytes / 1e6);
  printf("  %-18s no conflict\n", "check");
  for (int32_t i = 0; i < stats->counter_count; i++) {
    char name[32];
    snprintf(name, sizeof(name), "%s", stats->counters[i].name);
    for (char * c = strchr(name, '_'); c != NULL; c = strchr(c, '_')) {
      *c = ' ';
    }
    printf("  %-18s %s\n", name, cli_format_thousands(number, stats->counters[i].value));
  }
  print_backend(stats);
}

static int write_plan(const plan_options_t * options, const cli_instance_t * instance, const fw_plan_t * plan)
{
  cli_output_t output = {0};
  fw_error_t error = {0};
  if (!cli_output_open(&output, options->out)) {
    return CLI_FAILURE;
  }
  const fw_ret_t ret =
    fw_plan_write(&instance->problem, plan, instance->map_name, options->solve.planner, output.stream, &error);
  return cli_output_finish(&output, ret, &error);
}

// Writes and prints the plan. Returns the exit code of the command.
static int report(const plan_options_t * options, const cli_instance_t * instance, const fw_plan_t * plan)
{
  FW_ASSERT(plan->robot_count == instance->problem.robot_count);
  const int exit_code = options->out != NULL ? write_plan(options, instance, plan) : CLI_SUCCESS;
  if (exit_code != CLI_SUCCESS) {
    return exit_code;
  }
  if (options->out == NULL || strcmp(options->out, "-") != 0) {
    if (options->is_json) {
      print_json(options, instance, plan);
    } else {
      print_summary(options, instance, plan);
    }
  }
  const bool is_enough = options->horizon > 0 && plan->outcome == FW_OUTCOME_PARTIAL && plan->stop == FW_STOP_DONE &&
                         plan->safe_until >= options->horizon;
  return plan->outcome == FW_OUTCOME_SOLVED || is_enough ? CLI_SUCCESS : CLI_NOT_SOLVED;
}

static int solve_and_report(const plan_options_t * options)
{
  cli_instance_t instance = {0};
  cli_solve_t solve = {0};
  cli_progress_t progress = {0};
  int exit_code = cli_solve_check_options(&options->solve, &options->solve.planner, 1);
  if (exit_code == CLI_SUCCESS && options->is_json && options->out != NULL && strcmp(options->out, "-") == 0) {
    exit_code = cli_error(CLI_USAGE, "--json and --out - both write to stdout; write the plan to a file, --out FILE");
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_instance_load(&instance, &options->instance);
  }
  instance.problem.horizon = (fw_tick_t)options->horizon;
  if (exit_code == CLI_SUCCESS && options->out != NULL && !cli_output_is_possible(options->out)) {
    exit_code = CLI_FAILURE;
  }
  if (exit_code == CLI_SUCCESS) {
    snprintf(
      progress.label, sizeof(progress.label), "%s, %d robot%s", options->solve.planner, instance.problem.robot_count,
      instance.problem.robot_count == 1 ? "" : "s");
    const cli_solve_request_t request = {
      .planner = options->solve.planner,
      .problem = &instance.problem,
      .seed = (uint64_t)options->instance.seed,
      .options = &options->solve,
      .progress = &progress,
      .record = options->record,
    };
    exit_code = cli_solve_run(&solve, &request);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = report(options, &instance, &solve.plan);
  }
  cli_solve_fini(&solve);
  cli_instance_fini(&instance);
  return exit_code;
}

static int run(int argument_count, char ** arguments)
{
  plan_options_t options = {.instance = cli_instance_options_default(), .solve = cli_solve_options_default()};
  const cli_group_t groups[] = {
    {"Map", cli_map_options, .values = &options.instance},
    {"Robots", cli_robot_options, .values = &options.instance},
    {"Rules of motion", cli_rule_options, .values = &options.instance},
    {"Planner", cli_planner_options, .values = &options.solve},
    {NULL, horizon_options, .values = &options},
    {"Limits and parameters of the planner", cli_solve_options, .values = &options.solve},
    {"Output", output_options, .values = &options},
    {0},
  };
  const cli_manual_t manual = {
    .name = "plan",
    .usage = "(--map FILE | --make SPEC) [--scen FILE] [--robots N] [--planner NAME] [--out PLAN]",
    .about =
      "Plans timed, collision-free paths for robots on a map. The plan is checked before it is written.\n"
      "Ctrl-C ends the search with the best plan found so far.",
    .groups = groups,
    .examples =
      "  fleetweave plan --make warehouse:161x63,seed=1 --robots 200 --out plan.txt\n"
      "  fleetweave plan --map hall.map --scen hall.scen --robots 50 --planner hca --json\n"
      "  fleetweave plan --make random:32x32,obstacles=20 --robots 30 --connectivity 8 --robust-ticks 1\n"
      "  fleetweave plan --map hall.map --scen hall.scen --closures doors.txt --planner whca\n"
      "  fleetweave plan --map hall.map --scen hall.scen --fleet fleet.txt --connectivity 8\n"
      "  fleetweave plan --make random:32x32,obstacles=20 --robots 30 --connectivity 8 --cut-corners -p lazy_sat",
    .exit_codes =
      "0 solved, or safe up to --horizon; 1 not solved (partial plan or proved unsolvable); 2 invalid command\n"
      "line; 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  return solve_and_report(&options);
}

const cli_command_t cli_command_plan = {
  .name = "plan",
  .summary = "plan collision-free paths for robots on a map",
  .run = run,
};
