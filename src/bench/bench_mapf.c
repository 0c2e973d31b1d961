// `fleetweave bench mapf`: planners on one map with growing numbers of robots.
//
// Within a repeat the planners take turns, so that whatever else the machine does falls on all of them alike; each run
// has a planner of its own, so that nothing is remembered from the last.

#include "bench/bench_mapf.h"

#include <stdlib.h>
#include <string.h>

#include "cli/instance.h"
#include "cli/output.h"
#include "cli/solve.h"
#include "cli/words.h"

enum { NAMES_MAX = 32 };

typedef struct options_t {
  cli_instance_options_t instance;
  cli_solve_options_t solve;
  const char * planners;
  const char * robots;
  int64_t repeat;
  const char * csv;
  bool is_json;
} options_t;

#define AT(member) offsetof(options_t, member)

// clang-format off: a table reads better than a member per line
static const cli_option_t robot_options[] = {
  {.name = "scen",
   .kind = CLI_TEXT,
   .offset = AT(instance.scen),
   .value = "FILE",
   .help = "MovingAI .scen file; default: random robots from --seed"},
  {.name = "robots",
   .letter = 'n',
   .kind = CLI_TEXT,
   .offset = AT(robots),
   .value = "N,N,...",
   .help = "numbers of robots, e.g. 50,100,200"},
  {.name = "seed",
   .kind = CLI_INTEGER,
   .offset = AT(instance.seed),
   .min = 0,
   .max = INT64_MAX,
   .value = "N",
   .help = "for random robots and for planners that draw lots (default: 0)"},
};
static const cli_option_t bench_options[] = {
  {.name = "planners",
   .letter = 'p',
   .kind = CLI_TEXT,
   .offset = AT(planners),
   .value = "A,B,...",
   .help = "times are compared with the first one's (default: hca)"},
  {.name = "repeat",
   .letter = 'r',
   .kind = CLI_INTEGER,
   .offset = AT(repeat),
   .min = 1,
   .max = CLI_BENCH_REPEAT_MAX,
   .value = "N",
   .help = "runs of each planner (default: 3)"},
  {.name = "csv", .kind = CLI_TEXT, .offset = AT(csv), .value = "FILE", .help = "a line per run, with a header"},
  {.name = "json", .kind = CLI_FLAG, .offset = AT(is_json), .help = "one JSON object on stdout, in place of the table"},
};
// clang-format on

// The bench while it runs. Lists are cut from copies of the options' text.
typedef struct bench_t {
  const options_t * options;
  cli_mapf_report_t report;
  cli_output_t csv;
  char planner_text[512];
  const char * planners[NAMES_MAX];
  int32_t planner_count;
  char robot_text[512];
  int32_t robot_counts[NAMES_MAX];
  int32_t robot_count_count;
  bool has_failed;
} bench_t;

static int read_lists(bench_t * bench)
{
  const char * words[NAMES_MAX];
  const options_t * options = bench->options;
  if (options->robots == NULL) {
    return cli_say(CLI_USAGE, "bench mapf needs --robots, e.g. --robots 50,100");
  }
  snprintf(bench->planner_text, sizeof(bench->planner_text), "%s", options->planners);
  bench->planner_count = cli_cut_list(bench->planner_text, bench->planners, NAMES_MAX);
  if (bench->planner_count == 0) {
    return cli_say(
      CLI_USAGE, "--planners wants up to %d names with commas between, not \"%s\"", NAMES_MAX, options->planners);
  }
  snprintf(bench->robot_text, sizeof(bench->robot_text), "%s", options->robots);
  bench->robot_count_count = cli_cut_list(bench->robot_text, words, NAMES_MAX);
  if (bench->robot_count_count == 0) {
    return cli_say(
      CLI_USAGE, "--robots wants up to %d numbers with commas between, not \"%s\"", NAMES_MAX, options->robots);
  }
  for (int32_t i = 0; i < bench->robot_count_count; i++) {
    int64_t count = 0;
    cli_reason_t reason;
    if (!cli_read_integer(words[i], (cli_range_t){1, FW_ROBOT_COUNT_MAX}, &count, &reason)) {
      return cli_say(CLI_USAGE, "--robots %s", reason.text);
    }
    bench->robot_counts[i] = (int32_t)count;
  }
  return cli_solve_check_names(&options->solve, bench->planners, bench->planner_count);
}

static int make_rows(bench_t * bench)
{
  cli_mapf_report_t * report = &bench->report;
  const options_t * options = bench->options;
  cli_host_read(&report->host);
  report->scen_name = options->instance.scen;
  report->closures_name = options->instance.closures;
  report->fleet_name = options->instance.fleet;
  report->seed = options->instance.seed;
  report->threads = options->solve.threads;
  report->time_limit = options->solve.time_limit;
  report->repeat = (int32_t)options->repeat;
  report->planner_count = bench->planner_count;
  const int32_t row_count = bench->planner_count * bench->robot_count_count;
  report->rows = calloc((size_t)row_count, sizeof(*report->rows));
  for (int32_t i = 0; report->rows != NULL && i < row_count; i++) {
    report->rows[i].planner = bench->planners[i % bench->planner_count];
    report->rows[i].robot_count = bench->robot_counts[i / bench->planner_count];
    report->rows[i].runs = calloc((size_t)report->repeat, sizeof(cli_mapf_run_t));
    report->row_count = i + 1;
    if (report->rows[i].runs == NULL) {
      return cli_say(CLI_FAILURE, "out of memory");
    }
  }
  return report->rows != NULL ? CLI_SOLVED : cli_say(CLI_FAILURE, "out of memory");
}

static int run_once(bench_t * bench, cli_mapf_row_t * row, const fw_problem_t * problem)
{
  cli_solve_t solve = {0};
  cli_progress_t progress = {0};
  snprintf(
    progress.label, sizeof(progress.label), "%s, %d robots, run %d of %d", row->planner, row->robot_count,
    row->run_count + 1, bench->report.repeat);
  const cli_solve_request_t request = {
    .planner = row->planner,
    .problem = problem,
    .seed = (uint64_t)bench->options->instance.seed,
    .options = &bench->options->solve,
    .progress = &progress,
  };
  const int exit_code = cli_solve_run(&solve, &request);
  if (exit_code == CLI_USAGE) {
    cli_solve_fini(&solve);
    return exit_code;
  }
  cli_mapf_run_t * run = &row->runs[row->run_count];
  *run = (cli_mapf_run_t){
    .has_failed = exit_code != CLI_SOLVED,
    .outcome = solve.plan.outcome,
    .stop = solve.plan.stop,
    .stats = solve.plan.stats,
  };
  bench->has_failed = bench->has_failed || run->has_failed;
  cli_solve_fini(&solve);
  if (cli_progress_was_interrupted()) {
    return CLI_NOT_SOLVED;  // a run that was cut short is no measurement
  }
  if (bench->csv.stream != NULL) {
    cli_mapf_write_csv_run(bench->csv.stream, &bench->report, row, row->run_count);
  }
  row->run_count++;
  return CLI_SOLVED;
}

static int run_all(bench_t * bench, cli_instance_t * instance)
{
  for (int32_t i = 0; i < bench->robot_count_count; i++) {
    cli_instance_options_t options = bench->options->instance;
    options.robots = bench->robot_counts[i];
    fw_scenario_fini(&instance->scenario);
    int exit_code = cli_instance_load_robots(instance, &options);
    for (int32_t repeat = 0; repeat < bench->report.repeat; repeat++) {
      for (int32_t p = 0; exit_code == CLI_SOLVED && p < bench->planner_count; p++) {
        exit_code = run_once(bench, &bench->report.rows[i * bench->planner_count + p], &instance->problem);
      }
    }
    if (exit_code != CLI_SOLVED) {
      return exit_code;
    }
  }
  return CLI_SOLVED;
}

static int measure(bench_t * bench, cli_instance_t * instance)
{
  int exit_code = read_lists(bench);
  if (exit_code == CLI_SOLVED) {
    exit_code = cli_instance_load_grid(instance, &bench->options->instance);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = make_rows(bench);
  }
  if (exit_code != CLI_SOLVED) {
    return exit_code;
  }
  bench->report.map_name = instance->map_name;
  if (bench->options->csv != NULL) {
    if (!cli_output_open(&bench->csv, bench->options->csv)) {
      return CLI_FAILURE;
    }
    cli_mapf_write_csv_header(bench->csv.stream);
  }
  exit_code = run_all(bench, instance);
  if (exit_code != CLI_SOLVED && exit_code != CLI_NOT_SOLVED) {
    return exit_code;
  }
  if (bench->options->is_json) {
    cli_mapf_print_json(&bench->report);
  } else {
    cli_mapf_print_table(&bench->report);
  }
  if (bench->csv.stream != NULL && !cli_output_commit(&bench->csv)) {
    return CLI_FAILURE;
  }
  return bench->has_failed ? CLI_FAILURE : exit_code;
}

static int run(int argument_count, char ** arguments)
{
  options_t options = {
    .instance = cli_instance_options_default(),
    .solve = cli_solve_options_default(),
    .planners = "hca",
    .repeat = 3,
  };
  const cli_group_t groups[] = {
    {"Map", cli_map_options, CLI_MAP_OPTION_COUNT, &options.instance},
    {"Robots", robot_options, 3, &options},
    {"Rules of motion", cli_rule_options, CLI_RULE_OPTION_COUNT, &options.instance},
    {"Bench", bench_options, 4, &options},
    {"Planners' limits and parameters", cli_solve_options, CLI_SOLVE_OPTION_COUNT, &options.solve},
  };
  const cli_manual_t manual = {
    .name = "bench mapf",
    .usage = "(--map FILE | --make LINE) [--scen FILE] --robots N,N,... [--planners A,B,...] [--repeat N]",
    .about =
      "Runs planners on one map with several numbers of robots and prints a table. Planners take turns\n"
      "within a repeat; every plan is checked; `time x` compares with the first planner of the same run.\n"
      "--set planner.key=value reaches one planner, --set key=value all that have the key.",
    .groups = groups,
    .group_count = 5,
    .examples =
      "  fleetweave bench mapf --make warehouse:161x63,seed=1 --robots 50,100,200 --planners hca,ca\n"
      "  fleetweave bench mapf --map hall.map --scen hall.scen --robots 100 --repeat 9 --csv hall.csv",
    .exit_codes = "0 all runs done (solved or not), 1 interrupted, 2 wrong command line, 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_GO_ON) {
    return parsed;
  }
  bench_t bench = {.options = &options};
  cli_instance_t instance = {0};
  const int exit_code = measure(&bench, &instance);
  cli_output_discard(&bench.csv);
  for (int32_t i = 0; i < bench.report.row_count; i++) {
    free(bench.report.rows[i].runs);
  }
  free(bench.report.rows);
  cli_instance_fini(&instance);
  return exit_code;
}

const cli_command_t cli_bench_mapf = {
  .name = "mapf",
  .summary = "one problem at a time: all robots from starts to goals",
  .run = run,
};
