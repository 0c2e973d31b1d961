// `fleetweave bench lifelong`: a fleet that never ends. Robots get a new random goal whenever they arrive, or every few
// ticks, and the window of `whca` rolls on, tick after tick. What was driven is checked at the end like any plan.

#include "bench/bench_lifelong.h"

#include "cli/instance.h"
#include "cli/output.h"

typedef struct options_t {
  cli_instance_options_t instance;
  cli_life_options_t life;
  const char * csv;
  bool is_json;
} options_t;

#define AT(member) offsetof(options_t, member)

// clang-format off: a table reads better than a member per line
static const cli_option_t run_options[] = {
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
   .min = 2,
   .max = 4096,
   .value = "W",
   .help = "ticks that robots plan ahead (default: 16)"},
  {.name = "goals-every",
   .kind = CLI_INTEGER,
   .offset = AT(life.goals_every),
   .min = 0,
   .max = 1000000,
   .value = "N",
   .help = "a new goal also after N ticks, reached or not; robots take turns\n(default: 0, on arrival only)"},
  {.name = "csv", .kind = CLI_TEXT, .offset = AT(csv), .value = "FILE", .help = "a line per tick, with a header"},
  {.name = "json", .kind = CLI_FLAG, .offset = AT(is_json), .help = "one JSON object on stdout, in place of the words"},
};
// clang-format on

static int measure(const options_t * options, const cli_instance_t * instance)
{
  cli_life_t life = {0};
  int exit_code = cli_life_run(&life, &instance->problem, &options->life);
  if (exit_code == CLI_SOLVED && options->is_json) {
    cli_life_print_json(&life, &options->life, instance->map_name);
  } else if (exit_code == CLI_SOLVED) {
    cli_life_print_words(&life, &options->life, instance->map_name);
  }
  if (exit_code == CLI_SOLVED && options->csv != NULL) {
    cli_output_t csv = {0};
    exit_code = CLI_FAILURE;
    if (cli_output_open(&csv, options->csv)) {
      cli_life_write_csv(&life, csv.stream);
      exit_code = cli_output_commit(&csv) ? CLI_SOLVED : CLI_FAILURE;
    }
  }
  cli_life_fini(&life);
  return exit_code;
}

static int run(int argument_count, char ** arguments)
{
  options_t options = {.instance = cli_instance_options_default(), .life = {.ticks = 1000, .window = 16}};
  const cli_group_t groups[] = {
    {"Map", cli_map_options, CLI_MAP_OPTION_COUNT, &options.instance},
    {"Robots", cli_robot_options, CLI_ROBOT_OPTION_COUNT, &options.instance},
    {"Rules of motion", cli_rule_options, CLI_RULE_OPTION_COUNT, &options.instance},
    {"Run", run_options, (int32_t)(sizeof(run_options) / sizeof(run_options[0])), &options},
  };
  const cli_manual_t manual = {
    .name = "bench lifelong",
    .usage = "(--map FILE | --make LINE) [--scen FILE] [--robots N] [--ticks T] [--window W] [--goals-every N]",
    .about =
      "Robots that get a new random goal whenever they arrive, planned by the rolling window of `whca`.\n"
      "Prints goals per 1,000 ticks, the time of a round (one tick's planning) and the searches per tick.\n"
      "What was driven is checked at the end.",
    .groups = groups,
    .group_count = 4,
    .examples =
      "  fleetweave bench lifelong --make warehouse:161x63,seed=1 --robots 200 --ticks 1000\n"
      "  fleetweave bench lifelong --make open:256x256 --robots 1000 --window 16 --json\n"
      "  fleetweave bench lifelong --map hall.map --robots 50 --closures doors.txt --goals-every 5 --csv ticks.csv",
    .exit_codes = "0 done, 1 interrupted, 2 wrong command line, 3 failure.",
  };
  const int parsed = cli_parse(&manual, argument_count, arguments, NULL);
  if (parsed != CLI_GO_ON) {
    return parsed;
  }
  options.life.seed = options.instance.seed;
  cli_instance_t instance = {0};
  int exit_code = options.csv == NULL || cli_output_is_possible(options.csv) ? CLI_SOLVED : CLI_FAILURE;
  if (exit_code == CLI_SOLVED) {
    exit_code = cli_instance_load_grid(&instance, &options.instance);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = cli_instance_load_robots(&instance, &options.instance);
  }
  if (exit_code == CLI_SOLVED) {
    exit_code = measure(&options, &instance);
  }
  cli_instance_fini(&instance);
  return exit_code;
}

const cli_command_t cli_bench_lifelong = {
  .name = "lifelong",
  .summary = "a fleet that never ends: a new goal on arrival, tick after tick",
  .run = run,
};
