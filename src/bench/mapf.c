// `bench mapf`: planners side by side on one map with growing numbers of robots. What users need to choose a planner
// for their site.
//
// Within a repeat the planners take turns, so that whatever else the machine does affects all of them alike. Each run
// has a planner object of its own, so that nothing is kept from an earlier run.

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "bench/bench.h"
#include "cli/common/instance.h"
#include "cli/common/message.h"
#include "cli/common/output.h"
#include "cli/common/progress.h"

// A planner with a number of robots: `repeat` runs, of which `run_count` are done.
typedef struct mapf_row_t {
  const char * planner;
  int32_t robot_count;
  bench_run_t * runs;
  int32_t run_count;
} mapf_row_t;

typedef struct mapf_report_t {
  bench_host_t host;
  const char * map_name;
  const char * scen_name;      // NULL: random robots
  const char * closures_name;  // NULL: none
  const char * fleet_name;     // NULL: none
  int64_t seed;
  int64_t threads;
  double time_limit;
  int32_t repeat;
  mapf_row_t * rows;  // by number of robots, then by planner
  int32_t row_count;
  int32_t planner_count;
} mapf_report_t;

// ---- report ---------------------------------------------------------------------------------------------------------

// One row in short: costs of the best solved run (all runs are equal unless a deadline ended one), times of all runs.
typedef struct mapf_summary_t {
  int32_t solved_count;
  fw_stats_t best;
  fw_cost_t lower_bound;
  double min_ms;
  double median_ms;
  double first_ms;   // median, of solved runs
  double memory_mb;  // largest
  char end[48];      // "solved", or how the first unsolved run ended
} mapf_summary_t;

static double ms(int64_t ns) { return (double)ns / 1e6; }

// Sums up the runs of a row; failed runs count for `end` alone.
static void summarise(const mapf_row_t * row, mapf_summary_t * summary)
{
  FW_ASSERT(row->run_count <= BENCH_REPEAT_MAX);
  double times[BENCH_REPEAT_MAX];
  double firsts[BENCH_REPEAT_MAX];
  int32_t time_count = 0;
  *summary = (mapf_summary_t){.min_ms = NAN, .end = "solved"};
  for (int32_t i = row->run_count - 1; i >= 0; i--) {
    const bench_run_t * run = &row->runs[i];
    const fw_stats_t * stats = &run->stats;
    if (run->has_failed) {
      snprintf(summary->end, sizeof(summary->end), "failed");
      continue;
    }
    times[time_count++] = ms(stats->elapsed_ns);
    summary->lower_bound = stats->lower_bound > summary->lower_bound ? stats->lower_bound : summary->lower_bound;
    summary->memory_mb = fmax(summary->memory_mb, (double)stats->memory_peak_bytes / 1e6);
    if (run->outcome != FW_OUTCOME_SOLVED) {
      snprintf(summary->end, sizeof(summary->end), "%s, %s", fw_outcome_name(run->outcome), fw_stop_name(run->stop));
      continue;
    }
    firsts[summary->solved_count] = ms(stats->first_plan_ns);
    if (summary->solved_count++ == 0 || stats->sum_of_costs < summary->best.sum_of_costs) {
      summary->best = *stats;
    }
  }
  FW_ASSERT(time_count <= row->run_count && summary->solved_count <= time_count);
  summary->median_ms = bench_median(times, time_count);
  summary->min_ms = time_count > 0 ? times[0] : NAN;
  summary->first_ms = bench_median(firsts, summary->solved_count);
}

// The time divided by the time of the first planner with the same robots, in the same run.
static double ratio(const mapf_report_t * report, int32_t row, double median_ms)
{
  FW_ASSERT(row >= 0 && row < report->row_count);
  mapf_summary_t first;
  summarise(&report->rows[row - row % report->planner_count], &first);
  return first.median_ms > 0.0 ? median_ms / first.median_ms : NAN;
}

static void print_text(const void * state)
{
  const mapf_report_t * report = state;
  bench_host_print(&report->host);
  printf(
    "# %s, %s%s%s%s%s, seed %" PRId64 ", %" PRId64 " threads, limit %g s, %d runs each; every plan checked\n",
    report->map_name, report->scen_name != NULL ? report->scen_name : "random robots",
    report->closures_name != NULL ? ", closures " : "", report->closures_name != NULL ? report->closures_name : "",
    report->fleet_name != NULL ? ", fleet " : "", report->fleet_name != NULL ? report->fleet_name : "", report->seed,
    report->threads, report->time_limit, report->repeat);
  printf(
    "%-12s %6s %8s %10s %10s %9s %12s %10s %10s %10s %9s %8s  %s\n", "planner", "robots", "solved", "cost", "bound",
    "makespan", "expanded", "min ms", "median ms", "first ms", "MB", "time x", "end");
  for (int32_t i = 0; i < report->row_count; i++) {
    const mapf_row_t * row = &report->rows[i];
    mapf_summary_t summary;
    summarise(row, &summary);
    if (row->run_count == 0) {
      continue;  // interrupted before its turn
    }
    char share[24];
    snprintf(share, sizeof(share), "%d/%d", summary.solved_count, row->run_count);
    printf("%-12s %6d %8s ", row->planner, row->robot_count, share);
    if (summary.solved_count > 0) {
      printf(
        "%10" PRId64 " %10" PRId64 " %9d %12" PRId64 " ", summary.best.sum_of_costs, summary.lower_bound,
        summary.best.makespan, summary.best.expanded);
    } else {
      printf("%10s %10" PRId64 " %9s %12" PRId64 " ", "-", summary.lower_bound, "-", row->runs[0].stats.expanded);
    }
    printf("%10.1f %10.1f ", summary.min_ms, summary.median_ms);
    if (summary.solved_count > 0) {
      printf("%10.1f ", summary.first_ms);
    } else {
      printf("%10s ", "-");
    }
    printf("%9.1f %8.2f  %s\n", summary.memory_mb, ratio(report, i, summary.median_ms), summary.end);
  }
}

static void write_row(cli_json_t * json, const mapf_report_t * report, int32_t index)
{
  const mapf_row_t * row = &report->rows[index];
  mapf_summary_t summary;
  summarise(row, &summary);
  const bool is_solved = summary.solved_count > 0;
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "planner", row->planner);
  cli_json_integer(json, "robots", row->robot_count);
  cli_json_integer(json, "runs", row->run_count);
  cli_json_integer(json, "solved", summary.solved_count);
  cli_json_text(json, "end", summary.end);
  if (is_solved) {
    cli_json_integer(json, "sum_of_costs", summary.best.sum_of_costs);
    cli_json_integer(json, "makespan", summary.best.makespan);
    cli_json_integer(json, "expanded", summary.best.expanded);
  }
  cli_json_integer(json, "lower_bound", summary.lower_bound);
  cli_json_number(json, "min_ms", summary.min_ms);
  cli_json_number(json, "median_ms", summary.median_ms);
  cli_json_number(json, "first_plan_ms", is_solved ? summary.first_ms : NAN);
  cli_json_number(json, "memory_peak_mb", summary.memory_mb);
  cli_json_number(json, "time_ratio", ratio(report, index, summary.median_ms));
  cli_json_close(json, '}');
}

static void print_json(const void * state)
{
  const mapf_report_t * report = state;
  cli_json_t json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  bench_host_write(&report->host, &json);
  cli_json_text(&json, "map", report->map_name);
  cli_json_text(&json, "scen", report->scen_name);
  cli_json_text(&json, "closures", report->closures_name);
  cli_json_text(&json, "fleet", report->fleet_name);
  cli_json_integer(&json, "seed", report->seed);
  cli_json_integer(&json, "threads", report->threads);
  cli_json_number(&json, "time_limit", report->time_limit);
  cli_json_open(&json, "rows", '[');
  for (int32_t i = 0; i < report->row_count; i++) {
    if (report->rows[i].run_count > 0) {
      write_row(&json, report, i);
    }
  }
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
  putchar('\n');
}

static void write_csv_header(FILE * stream)
{
  fputs(
    "map,scen,planner,robots,run,seed,threads,outcome,stop,sum_of_costs,lower_bound,makespan,expanded,elapsed_ms,"
    "first_plan_ms,memory_peak_bytes,date,cpu,cores\n",
    stream);
}

static void write_csv_run(FILE * stream, const mapf_report_t * report, const mapf_row_t * row, int32_t run_index)
{
  const bench_run_t * run = &row->runs[run_index];
  const fw_stats_t * stats = &run->stats;
  bench_write_quoted(stream, report->map_name);
  fputc(',', stream);
  bench_write_quoted(stream, report->scen_name != NULL ? report->scen_name : "");
  fprintf(
    stream, ",%s,%d,%d,%" PRId64 ",%" PRId64 ",%s,%s", row->planner, row->robot_count, run_index, report->seed,
    report->threads, run->has_failed ? "failed" : fw_outcome_name(run->outcome), fw_stop_name(run->stop));
  fprintf(
    stream, ",%" PRId64 ",%" PRId64 ",%d,%" PRId64 ",%.6f,%.6f,%zu,%s,", stats->sum_of_costs, stats->lower_bound,
    stats->makespan, stats->expanded, ms(stats->elapsed_ns), ms(stats->first_plan_ns), stats->memory_peak_bytes,
    report->host.date);
  bench_write_quoted(stream, report->host.cpu);
  fprintf(stream, ",%ld\n", report->host.cores);
}

// ---- options --------------------------------------------------------------------------------------------------------

typedef struct mapf_options_t {
  cli_instance_options_t instance;
  cli_solve_options_t solve;
  const char * planners;
  const char * robots;
  int64_t repeat;
  bench_output_t output;
} mapf_options_t;

#define AT(member) offsetof(mapf_options_t, member)

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
   .help = "for random robots and for randomised planners (default: 0)"},
  {0},
};
static const cli_option_t bench_options[] = {
  {.name = "planners",
   .letter = 'p',
   .kind = CLI_TEXT,
   .offset = AT(planners),
   .value = "A,B,...",
   .help = "planners to compare; the first is the reference for `time x` (default: hca)"},
  {.name = "repeat",
   .letter = 'r',
   .kind = CLI_INTEGER,
   .offset = AT(repeat),
   .min = 1,
   .max = BENCH_REPEAT_MAX,
   .value = "N",
   .help = "runs of each planner (default: 3)"},
  {0},
};

// ---- running --------------------------------------------------------------------------------------------------------

// The experiment while it runs.
typedef struct mapf_t {
  const mapf_options_t * options;
  mapf_report_t report;
  cli_output_t csv;
  bench_names_t planners;
  int32_t robot_counts[BENCH_NAMES_MAX];
  int32_t robot_count_count;
  bool has_failed;
} mapf_t;

static int read_robot_counts(mapf_t * bench)
{
  bench_names_t words;
  if (bench->options->robots == NULL) {
    return cli_error(CLI_USAGE, "bench mapf needs the numbers of robots to try, e.g. --robots 50,100");
  }
  const int exit_code = bench_names_read(&words, "robots", bench->options->robots);
  for (int32_t i = 0; i < words.count && exit_code == CLI_SUCCESS; i++) {
    int64_t count = 0;
    fw_error_t reason;
    if (!cli_parse_integer(words.items[i], (cli_range_t){1, FW_ROBOT_COUNT_MAX}, &count, &reason)) {
      return cli_error(CLI_USAGE, "--robots %s", reason.text);
    }
    bench->robot_counts[i] = (int32_t)count;
  }
  bench->robot_count_count = words.count;
  return exit_code;
}

static int read_lists(mapf_t * bench)
{
  const mapf_options_t * options = bench->options;
  int exit_code = read_robot_counts(bench);
  if (exit_code == CLI_SUCCESS) {
    exit_code = bench_names_read(&bench->planners, "planners", options->planners);
  }
  return exit_code == CLI_SUCCESS
           ? cli_solve_check_options(&options->solve, bench->planners.items, bench->planners.count)
           : exit_code;
}

// Allocates a row for each planner and number of robots.
static int make_rows(mapf_t * bench)
{
  mapf_report_t * report = &bench->report;
  const mapf_options_t * options = bench->options;
  bench_host_read(&report->host);
  report->scen_name = options->instance.scen;
  report->closures_name = options->instance.closures;
  report->fleet_name = options->instance.fleet;
  report->seed = options->instance.seed;
  report->threads = options->solve.threads;
  report->time_limit = options->solve.time_limit;
  report->repeat = (int32_t)options->repeat;
  report->planner_count = bench->planners.count;
  const int32_t row_count = bench->planners.count * bench->robot_count_count;
  report->rows = calloc((size_t)row_count, sizeof(*report->rows));
  for (int32_t i = 0; report->rows != NULL && i < row_count; i++) {
    report->rows[i].planner = bench->planners.items[i % bench->planners.count];
    report->rows[i].robot_count = bench->robot_counts[i / bench->planners.count];
    report->rows[i].runs = calloc((size_t)report->repeat, sizeof(bench_run_t));
    report->row_count = i + 1;
    if (report->rows[i].runs == NULL) {
      return cli_error(CLI_FAILURE, "out of memory");
    }
  }
  return report->rows != NULL ? CLI_SUCCESS : cli_error(CLI_FAILURE, "out of memory");
}

// One run of one row. CLI_NOT_SOLVED: interrupted, the run does not count.
static int run_once(mapf_t * bench, mapf_row_t * row, const fw_problem_t * problem)
{
  FW_ASSERT(row->run_count < bench->report.repeat);
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
  const int exit_code = bench_solve(&request, &row->runs[row->run_count]);
  if (exit_code != CLI_SUCCESS) {
    return exit_code;
  }
  bench->has_failed = bench->has_failed || row->runs[row->run_count].has_failed;
  if (bench->csv.stream != NULL) {
    write_csv_run(bench->csv.stream, &bench->report, row, row->run_count);
  }
  row->run_count++;
  return CLI_SUCCESS;
}

// For each number of robots: new robots, then repeat by repeat all planners in turn.
static int run_all(mapf_t * bench, cli_instance_t * instance)
{
  int32_t most = 0;
  for (int32_t i = 0; i < bench->robot_count_count; i++) {
    most = bench->robot_counts[i] > most ? bench->robot_counts[i] : most;
  }
  for (int32_t i = 0; i < bench->robot_count_count; i++) {
    cli_instance_options_t options = bench->options->instance;
    options.robots = bench->robot_counts[i];
    options.fleet_count = most;
    fw_scenario_fini(&instance->scenario);
    int exit_code = cli_instance_load_robots(instance, &options);
    for (int32_t repeat = 0; repeat < bench->report.repeat; repeat++) {
      for (int32_t p = 0; exit_code == CLI_SUCCESS && p < bench->planners.count; p++) {
        exit_code = run_once(bench, &bench->report.rows[i * bench->planners.count + p], &instance->problem);
      }
    }
    if (exit_code != CLI_SUCCESS) {
      return exit_code;
    }
  }
  return CLI_SUCCESS;
}

static int measure(mapf_t * bench, cli_instance_t * instance)
{
  int exit_code = read_lists(bench);
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_instance_load_grid(instance, &bench->options->instance);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = make_rows(bench);
  }
  if (exit_code != CLI_SUCCESS) {
    return exit_code;
  }
  bench->report.map_name = instance->map_name;
  if (bench->options->output.csv != NULL) {  // a line per run, as soon as it is done
    if (!cli_output_open(&bench->csv, bench->options->output.csv)) {
      return CLI_FAILURE;
    }
    write_csv_header(bench->csv.stream);
  }
  exit_code = run_all(bench, instance);
  if (exit_code != CLI_SUCCESS && exit_code != CLI_NOT_SOLVED) {
    return exit_code;
  }
  (void)bench_output_write(
    &bench->options->output, &(bench_report_t){&bench->report, print_text, print_json, .write_csv = NULL});
  if (bench->csv.stream != NULL && !cli_output_commit(&bench->csv)) {
    return CLI_FAILURE;
  }
  return bench->has_failed ? CLI_FAILURE : exit_code;
}

static int run(int argument_count, char ** arguments)
{
  mapf_options_t options = {
    .instance = cli_instance_options_default(),
    .solve = cli_solve_options_default(),
    .planners = "hca",
    .repeat = 3,
  };
  const cli_group_t groups[] = {
    {"Map", cli_map_options, .values = &options.instance},
    {"Robots", robot_options, .values = &options},
    {"Rules of motion", cli_rule_options, .values = &options.instance},
    {"Bench", bench_options, .values = &options},
    {"Planners' limits and parameters", cli_solve_options, .values = &options.solve},
    {"Output", bench_output_options, .values = &options.output},
    {0},
  };
  const cli_manual_t manual = {
    .name = "bench mapf",
    .usage = "(--map FILE | --make SPEC) [--scen FILE] --robots N,N,... [--planners A,B,...] [--repeat N]",
    .about =
      "Choose a planner for your site: solves the same problem (all robots drive from their starts to their\n"
      "goals once) with several planners and several numbers of robots, and prints one table. Read it from\n"
      "left to right: how many runs were solved, the sum of costs beside its lower bound, then time and\n"
      "memory. Use your own map (--map) and as many robots as you have; a planner whose `solved` drops or\n"
      "whose time grows too fast is not for that fleet. Planners take turns within a repeat, so that\n"
      "whatever else the machine does affects all of them alike, and every plan is checked. `time x` is the\n"
      "time divided by the first planner's. --set planner.key=value sets a parameter of one planner, --set\n"
      "key=value of all that have it. If your robots get new goals all the time, see also `fleetweave bench\n"
      "lifelong --help`.",
    .groups = groups,
    .examples =
      "  fleetweave bench mapf --make warehouse:161x63,seed=1 --robots 50,100,200 --planners hca,ca\n"
      "  fleetweave bench mapf --map hall.map --scen hall.scen --robots 100 --repeat 9 --csv hall.csv",
    .exit_codes = "0 all runs done (solved or not), 1 interrupted, 2 wrong command line, 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  mapf_t bench = {.options = &options};
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

const cli_command_t bench_mapf = {
  .name = "mapf",
  .summary = "choose a planner: all robots drive from starts to goals, planners side by side",
  .run = run,
};
