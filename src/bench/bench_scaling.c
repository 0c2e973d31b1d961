// `fleetweave bench scaling`: time and memory as robots grow at one density, and the exponents of their growth.
//
// The map grows with the robots, so that each has the same room. Its way grows too, with the side of the map: what a
// robot does per step of its way is therefore told apart, and so is a fleet that never ends, whose rounds do not depend
// on how long ways are but through the goals that are new in a round.

#include "bench/bench_scaling.h"

#include "cli/output.h"
#include "cli/words.h"

enum { PLANNERS_MAX = 16 };

typedef struct options_t {
  cli_scaling_world_t world;
  cli_solve_options_t solve;
  cli_life_options_t life;
  const char * planners;
  int64_t from;
  int64_t to;
  int64_t repeat;
  const char * csv;
  bool is_lifelong;
  bool is_json;
} options_t;

#define AT(member) offsetof(options_t, member)

// clang-format off: a table reads better than a member per line
static const cli_option_t world_options[] = {
  {.name = "kind",
   .kind = CLI_TEXT,
   .offset = AT(world.kind),
   .value = "KIND",
   .help = "of a map maker, with its keys but without a size (`fleetweave make --help`)\n"
           "(default: random,obstacles=20)"},
  {.name = "density",
   .kind = CLI_NUMBER,
   .offset = AT(world.density),
   .min = 0,
   .max = 50,
   .value = "PERCENT",
   .help = "robots per hundred free cells (default: 2)"},
  {.name = "from",
   .kind = CLI_INTEGER,
   .offset = AT(from),
   .min = 1,
   .max = FW_ROBOT_COUNT_MAX,
   .value = "N",
   .help = "robots to begin with; they double (default: 100)"},
  {.name = "to",
   .kind = CLI_INTEGER,
   .offset = AT(to),
   .min = 1,
   .max = FW_ROBOT_COUNT_MAX,
   .value = "N",
   .help = "no more robots than that (default: 3200)"},
  {.name = "reach",
   .kind = CLI_INTEGER,
   .offset = AT(world.reach),
   .min = 0,
   .max = 1000000,
   .value = "N",
   .help = "first goals at most N moves from the starts, so that ways do not grow with the\n"
           "map (default: 0, anywhere)"},
  {.name = "seed",
   .kind = CLI_INTEGER,
   .offset = AT(world.seed),
   .min = 0,
   .max = INT32_MAX,
   .value = "N",
   .help = "for maps, robots, and planners that draw lots (default: 0)"},
};
static const cli_option_t bench_options[] = {
  {.name = "planners",
   .letter = 'p',
   .kind = CLI_TEXT,
   .offset = AT(planners),
   .value = "A,B,...",
   .help = "they take turns (default: hca,whca)"},
  {.name = "repeat",
   .letter = 'r',
   .kind = CLI_INTEGER,
   .offset = AT(repeat),
   .min = 1,
   .max = CLI_BENCH_REPEAT_MAX,
   .value = "N",
   .help = "runs of each planner; one that does not solve is not repeated (default: 3)"},
  {.name = "csv", .kind = CLI_TEXT, .offset = AT(csv), .value = "FILE", .help = "a line per run, with a header"},
  {.name = "json", .kind = CLI_FLAG, .offset = AT(is_json), .help = "one JSON object on stdout, in place of the words"},
};
static const cli_option_t life_options[] = {
  {.name = "lifelong",
   .kind = CLI_FLAG,
   .offset = AT(is_lifelong),
   .help = "rounds of a fleet that never ends (as `bench lifelong`) in place of plans"},
  {.name = "ticks",
   .kind = CLI_INTEGER,
   .offset = AT(life.ticks),
   .min = 2,
   .max = 1000000,
   .value = "T",
   .help = "how long such a fleet drives (default: 200)"},
  {.name = "window",
   .kind = CLI_INTEGER,
   .offset = AT(life.window),
   .min = 2,
   .max = 4096,
   .value = "W",
   .help = "ticks that its robots plan ahead (default: 16)"},
};
// clang-format on

// How many there are, 0 after saying what is wrong with them.
static int32_t read_planners(const options_t * options, char * text, size_t text_size, const char ** planners)
{
  snprintf(text, text_size, "%s", options->planners);
  const int32_t count = cli_cut_list(text, planners, PLANNERS_MAX);
  if (count == 0) {
    (void)cli_say(
      CLI_USAGE, "--planners wants up to %d names with commas between, not \"%s\"", PLANNERS_MAX, options->planners);
  }
  return count > 0 && cli_solve_check_names(&options->solve, planners, count) == CLI_SOLVED ? count : 0;
}

static int check_options(const options_t * options)
{
  if (options->world.density <= 0.0) {
    return cli_say(CLI_USAGE, "--density must be more than 0");
  }
  if (options->from > options->to) {
    return cli_say(CLI_USAGE, "--from must not be more than --to");
  }
  return options->csv == NULL || cli_output_is_possible(options->csv) ? CLI_SOLVED : CLI_FAILURE;
}

static int write_csv(const cli_scaling_report_t * report, const char * path)
{
  cli_output_t csv = {0};
  if (!cli_output_open(&csv, path)) {
    return CLI_FAILURE;
  }
  cli_scaling_write_csv(report, csv.stream);
  return cli_output_commit(&csv) ? CLI_SOLVED : CLI_FAILURE;
}

static int tell(const cli_scaling_report_t * report, const options_t * options)
{
  if (options->is_json) {
    cli_scaling_print_json(report);
  } else {
    cli_scaling_print_words(report);
  }
  return options->csv != NULL ? write_csv(report, options->csv) : CLI_SOLVED;
}

static int measure(const options_t * options)
{
  char text[512];
  const char * planners[PLANNERS_MAX] = {"lifelong"};
  cli_scaling_report_t report = {
    .world = options->world,
    .solve = &options->solve,
    .life = options->is_lifelong ? &options->life : NULL,
    .planners = planners,
    .from = options->from,
    .to = options->to,
    .repeat = (int32_t)options->repeat,
  };
  cli_host_read(&report.host);
  int exit_code = check_options(options);
  if (exit_code == CLI_SOLVED) {
    report.planner_count = options->is_lifelong ? 1 : read_planners(options, text, sizeof(text), planners);
    exit_code = report.planner_count > 0 ? cli_scaling_run(&report) : CLI_USAGE;
  }
  if (exit_code == CLI_SOLVED || exit_code == CLI_NOT_SOLVED) {
    const bool is_told = tell(&report, options) == CLI_SOLVED;
    exit_code = is_told && !report.has_failed ? exit_code : CLI_FAILURE;
  }
  cli_scaling_fini(&report);
  return exit_code;
}

static int run(int argument_count, char ** arguments)
{
  options_t options = {
    .world = {.kind = "random,obstacles=20", .density = 2.0},
    .solve = cli_solve_options_default(),
    .life = {.ticks = 200, .window = 16},
    .planners = "hca,whca",
    .from = 100,
    .to = 3200,
    .repeat = 3,
  };
  const cli_group_t groups[] = {
    {"Worlds", world_options, (int32_t)(sizeof(world_options) / sizeof(world_options[0])), &options},
    {"Bench", bench_options, (int32_t)(sizeof(bench_options) / sizeof(bench_options[0])), &options},
    {"A fleet that never ends", life_options, (int32_t)(sizeof(life_options) / sizeof(life_options[0])), &options},
    {"Planners' limits and parameters", cli_solve_options, CLI_SOLVE_OPTION_COUNT, &options.solve},
  };
  const cli_manual_t manual = {
    .name = "bench scaling",
    .usage = "[--kind KIND] [--density PERCENT] [--from N] [--to N] [--planners A,B,... | --lifelong] [--repeat N]",
    .about =
      "Time and memory as robots double on maps that grow with them, and at the end the exponents: time\n"
      "grows with robots^exponent. Ways get longer with the map, so that a plan to all goals must grow faster\n"
      "than the robots; the time per robot-step (over the sum of all shortest ways) says how much of it that\n"
      "is. Every plan is checked; what is not solved is told and left out of the fit.",
    .groups = groups,
    .group_count = (int32_t)(sizeof(groups) / sizeof(groups[0])),
    .examples =
      "  fleetweave bench scaling\n"
      "  fleetweave bench scaling --kind warehouse --density 3 --planners whca --set window=16 --time-limit 120\n"
      "  fleetweave bench scaling --lifelong --kind open --to 6400 --csv rounds.csv",
    .exit_codes = "0 all runs done (solved or not), 1 interrupted, 2 wrong command line, 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_GO_ON) {
    return parsed;
  }
  return measure(&options);
}

const cli_command_t cli_bench_scaling = {
  .name = "scaling",
  .summary = "time and memory as robots grow at one density, and how fast they grow",
  .run = run,
};
