// `fleetweave bench table`: the reservation table alone, against a plain hash table of (x, y, t), on the paths of a plan.

#include "bench/bench_table.h"

#include <stdio.h>

#include "bench/bench_mapf.h"
#include "cli/instance.h"
#include "cli/solve.h"
#include "cli/words.h"

typedef struct options_t {
  cli_instance_options_t instance;
  cli_solve_options_t solve;
  const char * planner;
  int64_t questions;
  int64_t repeat;
  bool is_json;
} options_t;

#define AT(member) offsetof(options_t, member)

// clang-format off: a table reads better than a member per line
static const cli_option_t bench_options[] = {
  {.name = "planner",
   .letter = 'p',
   .kind = CLI_TEXT,
   .offset = AT(planner),
   .value = "NAME",
   .help = "whose paths are reserved (default: hca)"},
  {.name = "questions",
   .kind = CLI_INTEGER,
   .offset = AT(questions),
   .min = 1,
   .max = 100000000,
   .value = "N",
   .help = "look-ups and gaps per repeat, from --seed (default: 200000)"},
  {.name = "repeat",
   .letter = 'r',
   .kind = CLI_INTEGER,
   .offset = AT(repeat),
   .min = 1,
   .max = CLI_BENCH_REPEAT_MAX,
   .value = "N",
   .help = "times that everything is done (default: 5)"},
  {.name = "json", .kind = CLI_FLAG, .offset = AT(is_json), .help = "one JSON object on stdout, in place of the words"},
};
// clang-format on

// What is measured when no map is given: narrow and wide.
typedef struct standard_t {
  const char * make;
  int32_t robots;
} standard_t;
static const standard_t standards[] = {{"warehouse:161x63,seed=1", 200}, {"open:256x256", 1000}};
enum { STANDARD_COUNT = sizeof(standards) / sizeof(standards[0]) };

static int measure_plan(
  const options_t * options, const cli_instance_t * instance, const fw_plan_t * plan, cli_table_case_t * result)
{
  if (plan->outcome != FW_OUTCOME_SOLVED) {
    return cli_say(
      CLI_NOT_SOLVED, "%s does not solve %s (%s, %s): there are no paths to reserve", options->planner,
      instance->map_name, fw_outcome_name(plan->outcome), fw_stop_name(plan->stop));
  }
  result->map_name = instance->map_name;
  result->planner = options->planner;
  const cli_table_request_t request = {
    .problem = &instance->problem,
    .plan = plan,
    .question_count = (int32_t)options->questions,
    .repeat = (int32_t)options->repeat,
    .seed = (uint64_t)options->instance.seed,
  };
  return cli_table_measure(&request, result);
}

static int measure_case(const options_t * options, cli_instance_options_t instance_options, cli_table_case_t * result)
{
  cli_instance_t instance = {0};
  cli_solve_t solve = {0};
  cli_progress_t progress = {0};
  snprintf(progress.label, sizeof(progress.label), "%s", options->planner);
  int exit_code = cli_instance_load_grid(&instance, &instance_options);
  if (exit_code == CLI_SOLVED) {
    exit_code = cli_instance_load_robots(&instance, &instance_options);
  }
  if (exit_code == CLI_SOLVED) {
    const cli_solve_request_t request = {
      .planner = options->planner,
      .problem = &instance.problem,
      .seed = (uint64_t)instance_options.seed,
      .options = &options->solve,
      .progress = &progress,
    };
    exit_code = cli_solve_run(&solve, &request);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = measure_plan(options, &instance, &solve.plan, result);
  }
  cli_solve_fini(&solve);
  cli_instance_fini(&instance);
  return exit_code;
}

static int measure(const options_t * options)
{
  cli_table_case_t cases[STANDARD_COUNT] = {0};
  const cli_instance_options_t * given = &options->instance;
  const bool is_standard = given->map == NULL && given->make == NULL && given->scen == NULL && given->robots < 0;
  const int32_t case_count = is_standard ? STANDARD_COUNT : 1;
  int exit_code = cli_solve_check_names(&options->solve, &options->planner, 1);
  for (int32_t i = 0; i < case_count && exit_code == CLI_SOLVED; i++) {
    cli_instance_options_t instance_options = *given;
    if (is_standard) {
      instance_options.make = standards[i].make;
      instance_options.robots = standards[i].robots;
    }
    exit_code = measure_case(options, instance_options, &cases[i]);
  }
  if (exit_code == CLI_SOLVED && options->is_json) {
    cli_table_print_json(cases, case_count, (int32_t)options->repeat);
  } else if (exit_code == CLI_SOLVED) {
    cli_table_print_words(cases, case_count, (int32_t)options->repeat);
  }
  return exit_code;
}

static int run(int argument_count, char ** arguments)
{
  options_t options = {
    .instance = cli_instance_options_default(),
    .solve = cli_solve_options_default(),
    .planner = "hca",
    .questions = 200000,
    .repeat = 5,
  };
  const cli_group_t groups[] = {
    {"Map", cli_map_options, CLI_MAP_OPTION_COUNT, &options.instance},
    {"Robots", cli_robot_options, CLI_ROBOT_OPTION_COUNT, &options.instance},
    {"Rules of motion", cli_rule_options, CLI_RULE_OPTION_COUNT, &options.instance},
    {"Bench", bench_options, (int32_t)(sizeof(bench_options) / sizeof(bench_options[0])), &options},
    {"Planner's limits and parameters", cli_solve_options, CLI_SOLVE_OPTION_COUNT, &options.solve},
  };
  const cli_manual_t manual = {
    .name = "bench table",
    .usage = "[(--map FILE | --make LINE) [--scen FILE] [--robots N]] [--planner NAME] [--questions N] [--repeat N]",
    .about =
      "Puts the paths of a plan into the reservation table and into a plain hash table of (x, y, t), and\n"
      "measures both in the same run: inserts and removals in reservations (cells and ticks) per second,\n"
      "look-ups (who is there then) and gaps (from when to when is it free around that tick, which a hash\n"
      "answers tick by tick) per second, and the bytes that are held. Time ends with the plan's makespan for\n"
      "both. Every answer of one is compared with the other's. Without a map: a warehouse and open floor.",
    .groups = groups,
    .group_count = (int32_t)(sizeof(groups) / sizeof(groups[0])),
    .examples =
      "  fleetweave bench table\n"
      "  fleetweave bench table --make warehouse:161x63,seed=1 --robots 400 --planner whca --json",
    .exit_codes = "0 done, 1 the planner has no plan, 2 wrong command line, 3 failure, or answers that differ.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_GO_ON) {
    return parsed;
  }
  return measure(&options);
}

const cli_command_t cli_bench_table = {
  .name = "table",
  .summary = "the reservation table alone, against a hash table of (x, y, t)",
  .run = run,
};
