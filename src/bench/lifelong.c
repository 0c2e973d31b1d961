// `bench lifelong`: how many goals a fleet reaches that never stops, planners side by side; see lifelong.h.

#include "bench/lifelong.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cli/common/instance.h"
#include "cli/common/message.h"

// One planner's run, and what the CSV file needs of it.
typedef struct lifelong_row_t {
  const char * planner;
  int32_t ticks;
  int64_t goals;
  int64_t goals_given;
  bench_life_counts_t counts;
  bench_life_figures_t figures;
  double * round_ms;  // by tick, as the following
  double * cpu_ms;
  int64_t * searches;
  int64_t * expanded;
  int64_t * reached;
} lifelong_row_t;

// What the three forms of the report have at hand.
typedef struct lifelong_report_t {
  lifelong_row_t rows[BENCH_NAMES_MAX];
  int32_t row_count;
  const bench_life_options_t * options;
  const char * map_name;
  int32_t robot_count;
  int32_t closure_count;
} lifelong_report_t;

// ---- rows -----------------------------------------------------------------------------------------------------------

// False when there is no memory.
static bool copy_values(void ** to, const void * from, size_t bytes)
{
  *to = malloc(bytes);
  if (*to == NULL) {
    return false;
  }
  memcpy(*to, from, bytes);
  return true;
}

// Keeps what is reported of a run. False when there is no memory.
static bool keep(lifelong_row_t * row, const bench_life_t * life)
{
  const size_t ticks = (size_t)life->ticks;
  row->ticks = life->ticks;
  row->goals = life->goals;
  row->goals_given = life->changes;
  row->counts = life->counts;
  row->figures = bench_life_figures(life);
  return copy_values((void **)&row->round_ms, life->round_ms, ticks * sizeof(*life->round_ms)) &&
         copy_values((void **)&row->cpu_ms, life->cpu_ms, ticks * sizeof(*life->cpu_ms)) &&
         copy_values((void **)&row->searches, life->searches, ticks * sizeof(*life->searches)) &&
         copy_values((void **)&row->expanded, life->expanded, ticks * sizeof(*life->expanded)) &&
         copy_values((void **)&row->reached, life->reached, ticks * sizeof(*life->reached));
}

static void free_rows(lifelong_report_t * report)
{
  for (int32_t i = 0; i < report->row_count; ++i) {
    free(report->rows[i].round_ms);
    free(report->rows[i].cpu_ms);
    free(report->rows[i].searches);
    free(report->rows[i].expanded);
    free(report->rows[i].reached);
  }
}

// ---- report ---------------------------------------------------------------------------------------------------------

static void print_row(const lifelong_row_t * row)
{
  const bench_life_figures_t * figures = &row->figures;
  const bench_life_counts_t * counts = &row->counts;
  printf("planner                %s\n", row->planner);
  printf(
    "goals per 1,000 ticks  %.0f reached, %.0f assigned; longest wait for a goal %d ticks\n",
    figures->goals_per_1000_ticks, (double)row->goals_given * 1000.0 / row->ticks, figures->longest_wait);
  printf(
    "ms per round           median %.2f, 99th percentile %.2f, worst %.2f\n", figures->round_ms[0],
    figures->round_ms[1], figures->round_ms[2]);
  printf(
    "processor ms           mean %.2f, 99th percentile %.2f, worst %.2f\n", figures->cpu_ms[0], figures->cpu_ms[1],
    figures->cpu_ms[2]);
  printf(
    "expanded per round     mean %.0f, 99th percentile %.0f, most %.0f\n", figures->expanded, figures->expanded_p99,
    figures->expanded_most);
  printf(
    "searches per tick      mean %.1f, 99th percentile %.0f, most %.0f\n", figures->searches[0], figures->searches[1],
    figures->searches[2]);
  printf(
    "memory                 %.1f MB, %.1f after a tenth of the ticks\n", figures->memory_mb, figures->early_memory_mb);
  printf(
    "overridden %" PRId64 ", rollbacks %" PRId64 ", second chances %" PRId64 ", fleet stops %" PRId64
    ", robots stepped %" PRId64 ", rounds cut %" PRId64 "\n",
    counts->overridden, counts->rollbacks, counts->promotions, counts->stops, counts->stepped, counts->cut_rounds);
}

static void print_text(const void * state)
{
  const lifelong_report_t * report = state;
  const bench_life_options_t * options = report->options;
  bench_host_t host;
  bench_host_read(&host);
  bench_host_print(&host);
  printf(
    "# %s, %d robots, window %" PRId64 ", %" PRId64 " ticks, seed %" PRId64, report->map_name, report->robot_count,
    options->window, options->ticks, options->seed);
  if (options->goals_every > 0) {
    printf(", a new goal every %" PRId64 " ticks", options->goals_every);
  }
  if (options->has_distinct_goals) {
    printf(", distinct goals");
  }
  if (report->closure_count > 0) {
    printf(", %d closures", report->closure_count);
  }
  printf("; the driven paths passed the check\n");
  for (int32_t i = 0; i < report->row_count; ++i) {
    print_row(&report->rows[i]);
  }
}

static void write_row(cli_json_t * json, const lifelong_row_t * row)
{
  const bench_life_figures_t * figures = &row->figures;
  const bench_life_counts_t * counts = &row->counts;
  cli_json_open(json, NULL, '{');
  cli_json_text(json, "planner", row->planner);
  cli_json_integer(json, "goals", row->goals);
  cli_json_integer(json, "goals_given", row->goals_given);
  cli_json_number(json, "goals_per_1000_ticks", figures->goals_per_1000_ticks);
  cli_json_integer(json, "longest_wait", figures->longest_wait);
  cli_json_number(json, "round_ms_median", figures->round_ms[0]);
  cli_json_number(json, "round_ms_p99", figures->round_ms[1]);
  cli_json_number(json, "round_ms_worst", figures->round_ms[2]);
  cli_json_number(json, "cpu_ms_mean", figures->cpu_ms[0]);
  cli_json_number(json, "cpu_ms_p99", figures->cpu_ms[1]);
  cli_json_number(json, "cpu_ms_worst", figures->cpu_ms[2]);
  cli_json_number(json, "expanded_per_round", figures->expanded);
  cli_json_number(json, "expanded_p99", figures->expanded_p99);
  cli_json_number(json, "expanded_most", figures->expanded_most);
  cli_json_number(json, "searches_per_tick", figures->searches[0]);
  cli_json_number(json, "searches_per_tick_most", figures->searches[2]);
  cli_json_number(json, "memory_peak_mb", figures->memory_mb);
  cli_json_number(json, "memory_early_mb", figures->early_memory_mb);
  cli_json_integer(json, "expanded", counts->expanded);
  cli_json_integer(json, "overridden", counts->overridden);
  cli_json_integer(json, "rollbacks", counts->rollbacks);
  cli_json_integer(json, "second_chances", counts->promotions);
  cli_json_integer(json, "fleet_stops", counts->stops);
  cli_json_integer(json, "robots_stepped", counts->stepped);
  cli_json_integer(json, "rounds_cut", counts->cut_rounds);
  cli_json_close(json, '}');
}

static void print_json(const void * state)
{
  const lifelong_report_t * report = state;
  const bench_life_options_t * options = report->options;
  cli_json_t json = {.stream = stdout};
  bench_host_t host;
  bench_host_read(&host);
  cli_json_open(&json, NULL, '{');
  bench_host_write(&host, &json);
  cli_json_text(&json, "map", report->map_name);
  cli_json_integer(&json, "robots", report->robot_count);
  cli_json_integer(&json, "window", options->window);
  cli_json_integer(&json, "ticks", options->ticks);
  cli_json_integer(&json, "seed", options->seed);
  cli_json_integer(&json, "goals_every", options->goals_every);
  cli_json_boolean(&json, "distinct_goals", options->has_distinct_goals);
  cli_json_integer(&json, "closures", report->closure_count);
  cli_json_open(&json, "rows", '[');
  for (int32_t i = 0; i < report->row_count; ++i) {
    write_row(&json, &report->rows[i]);
  }
  cli_json_close(&json, ']');
  cli_json_close(&json, '}');
  putchar('\n');
}

static void write_csv(const void * state, FILE * stream)
{
  const lifelong_report_t * report = state;
  fputs("planner,tick,round_ms,cpu_ms,searches,expanded,goals_reached\n", stream);
  for (int32_t i = 0; i < report->row_count; ++i) {
    const lifelong_row_t * row = &report->rows[i];
    for (int32_t t = 0; t < row->ticks; ++t) {
      fprintf(
        stream, "%s,%d,%.6f,%.6f,%" PRId64 ",%" PRId64 ",%" PRId64 "\n", row->planner, t, row->round_ms[t],
        row->cpu_ms[t], row->searches[t], row->expanded[t], row->reached[t]);
    }
  }
}

// ---- command --------------------------------------------------------------------------------------------------------

typedef struct lifelong_options_t {
  cli_instance_options_t instance;
  bench_life_options_t life;
  const char * planners;
  bench_output_t output;
} lifelong_options_t;

#define AT(member) offsetof(lifelong_options_t, member)

static const cli_option_t run_options[] = {
  {.name = "planners",
   .kind = CLI_TEXT,
   .offset = AT(planners),
   .value = "A,B,...",
   .help = "planners with a rolling horizon, one after the other with the same goals;\nsettings follow a colon, as in "
           "pibt:swap=false (default: whca)"},
  {.name = "ticks",
   .kind = CLI_INTEGER,
   .offset = AT(life.ticks),
   .min = 1,
   .max = 1000000,
   .value = "T",
   .help = "how long the fleet drives (default: 1000)"},
  {.name = "window",
   .kind = CLI_INTEGER,
   .offset = AT(life.window),
   .min = 4,  // half of it, and the tick that is driven before the next round
   .max = 4096,
   .value = "W",
   .help = "planning horizon: ticks that robots plan ahead, for whca (default: 16)"},
  {.name = "goals-every",
   .kind = CLI_INTEGER,
   .offset = AT(life.goals_every),
   .min = 0,
   .max = 1000000,
   .value = "N",
   .help =
     "also replace a goal after N ticks, reached or not; robots take turns\n(default: 0, new goals on arrival only)"},
  {.name = "distinct-goals",
   .kind = CLI_FLAG,
   .offset = AT(life.has_distinct_goals),
   .help =
     "no two robots have the same goal at a time: those in use are skipped, so that the goals\nof a robot depend on "
     "when the others arrive"},
  {0},
};

// One run for each planner.
static int measure(const lifelong_options_t * options, const cli_instance_t * instance, lifelong_report_t * report)
{
  bench_names_t planners;
  int exit_code = bench_names_read(&planners, "planners", options->planners);
  for (int32_t i = 0; i < planners.count && exit_code == CLI_SUCCESS; ++i) {
    bench_life_t life = {0};
    bench_life_options_t run = options->life;
    lifelong_row_t * row = &report->rows[report->row_count++];
    run.planner = row->planner = planners.items[i];
    exit_code = bench_life_run(&life, &instance->problem, &run);
    if (exit_code == CLI_SUCCESS && !keep(row, &life)) {
      exit_code = cli_error(CLI_FAILURE, "out of memory");
    }
    bench_life_fini(&life);
  }
  return exit_code == CLI_SUCCESS
           ? bench_output_write(&options->output, &(bench_report_t){report, print_text, print_json, write_csv})
           : exit_code;
}

static int run(int argument_count, char ** arguments)
{
  lifelong_options_t options = {
    .instance = cli_instance_options_default(), .life = {.ticks = 1000, .window = 16}, .planners = "whca"};
  const cli_group_t groups[] = {
    {"Map", cli_map_options, .values = &options.instance},
    {"Robots", cli_robot_options, .values = &options.instance},
    {"Rules of motion", cli_rule_options, .values = &options.instance},
    {"Run", run_options, .values = &options},
    {"Output", bench_output_options, .values = &options.output},
    {0},
  };
  const cli_manual_t manual = {
    .name = "bench lifelong",
    .usage = "(--map FILE | --make SPEC) [--scen FILE] [--robots N] [--planners A,B,...] [--ticks T] [--window W]",
    .about =
      "See whether your site can keep a fleet busy: robots get a new random goal whenever they arrive, and\n"
      "a planner with a rolling horizon plans tick after tick, as the planner node does for a running fleet.\n"
      "Use your own map (--map) and vary --robots and --window. Prints the throughput (goals per 1,000\n"
      "ticks), the time of a planning round (median, 99th percentile and worst: it must stay below the time\n"
      "of one move of your robots), processor time, expansions and searches per tick, memory, and how long a\n"
      "robot had to wait for its goal at most. Every robot has the same sequence of goals with every planner.\n"
      "The driven paths are checked, 1,000 ticks at a time.\n"
      "To compare planners on a single problem, see `fleetweave bench mapf --help`.",
    .groups = groups,
    .examples =
      "  fleetweave bench lifelong --make warehouse:161x63,seed=1 --robots 200 --ticks 1000\n"
      "  fleetweave bench lifelong --make random:32x32,obstacles=20,seed=1 --robots 400 --planners whca,pibt\n"
      "  fleetweave bench lifelong --make open:256x256 --robots 1000 --window 16 --json\n"
      "  fleetweave bench lifelong --map hall.map --robots 50 --closures doors.txt --goals-every 5 --csv ticks.csv",
    .exit_codes = "0 done, 1 interrupted, 2 wrong command line, 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_CONTINUE) {
    return parsed;
  }
  options.life.seed = options.instance.seed;
  cli_instance_t instance = {0};
  int exit_code = bench_output_is_possible(&options.output) ? CLI_SUCCESS : CLI_FAILURE;
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_instance_load_grid(&instance, &options.instance);
  }
  if (exit_code == CLI_SUCCESS) {
    exit_code = cli_instance_load_robots(&instance, &options.instance);
  }
  if (exit_code == CLI_SUCCESS) {
    lifelong_report_t report = {
      .options = &options.life,
      .map_name = instance.map_name,
      .robot_count = instance.problem.robot_count,
      .closure_count = instance.problem.closure_count,
    };
    exit_code = measure(&options, &instance, &report);
    free_rows(&report);
  }
  cli_instance_fini(&instance);
  return exit_code;
}

const cli_command_t bench_lifelong = {
  .name = "lifelong",
  .summary = "choose a fleet size: robots get a new goal on arrival, tick after tick",
  .run = run,
};
