// Options of `fleetweave simulate`.

#include <math.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/simulate.h"
#include "cli/common/words.h"

#define AT(member) offsetof(cli_simulate_options_t, member)

// clang-format off: a table reads better than a member per line
static const cli_option_t planner_options[] = {
  {.name = "planner",
   .letter = 'p',
   .kind = CLI_TEXT,
   .offset = AT(planner),
   .value = "NAME",
   .help = "see `fleetweave list` (default: hca)"},
};
static const cli_option_t drive_options[] = {
  {.name = "mode",
   .kind = CLI_TEXT,
   .offset = AT(mode),
   .value = "dependency|timed",
   .help = "follow releases of the dependency graph, or the stamps of the plan\nwithout a look at the others (default: "
           "dependency)"},
  {.name = "ahead",
   .kind = CLI_NUMBER,
   .offset = AT(ahead),
   .min = 0,
   .max = 100000,
   .value = "CELLS",
   .help = "release at most so much ahead of a robot (default: 0, all that can be)"},
  {.name = "rings-together",
   .kind = CLI_FLAG,
   .offset = AT(rings_together),
   .help = "let a ring of robots rotate at once; with --robust-ticks 0 only,\nand as safe as the robots are in step "
           "(default: refuse such plans)"},
  {.name = "seconds-per-tick",
   .kind = CLI_NUMBER,
   .offset = AT(seconds_per_tick),
   .min = 0,
   .max = 3600,
   .value = "S",
   .help = "how long a tick of the plan is (default: 1)"},
  {.name = "radius",
   .kind = CLI_NUMBER,
   .offset = AT(radius),
   .min = 0,
   .max = 1,
   .value = "CELLS",
   .help = "of the robots' discs, up to 0.5 (default: the largest that fits the rules)"},
  {.name = "limit",
   .kind = CLI_NUMBER,
   .offset = AT(limit),
   .min = 1,
   .max = 100000000,
   .value = "S",
   .help = "give up after so many simulated seconds (default: 100000)"},
};
static const cli_option_t delay_options[] = {
  {.name = "delays",
   .kind = CLI_TEXT,
   .offset = AT(delays),
   .value = "none|light|heavy",
   .help = "light: every tenth motion slow, 10 stops per robot and hour of up to 10 s;\n"
           "heavy: every third, 60 stops of up to 30 s (default: light)"},
  {.name = "slow",
   .kind = CLI_NUMBER,
   .offset = AT(slow),
   .min = 0,
   .max = 100,
   .value = "PERCENT",
   .help = "of motions that take up to three times as long, in place of --delays'"},
  {.name = "stops",
   .kind = CLI_NUMBER,
   .offset = AT(stops),
   .min = 0,
   .max = 100000,
   .value = "N",
   .help = "stops per robot and hour, at random moments, in place of --delays'"},
  {.name = "longest",
   .kind = CLI_NUMBER,
   .offset = AT(longest),
   .min = 0,
   .max = 100000,
   .value = "S",
   .help = "the longest stop, in place of --delays'"},
  {.name = "noise",
   .kind = CLI_NUMBER,
   .offset = AT(noise),
   .min = 0,
   .max = 1,
   .value = "CELLS",
   .help = "error of the odometry, up to so much on each axis (default: 0.02)"},
};
static const cli_option_t output_options[] = {
  {.name = "json",
   .kind = CLI_FLAG,
   .offset = AT(is_json),
   .help = "one JSON object on stdout, in place of the summary"},
};
// clang-format on

cli_simulate_options_t cli_simulate_options_default(void)
{
  cli_simulate_options_t options = {
    .instance = cli_instance_options_default(),
    .solve = cli_solve_options_default(),
    .planner = "hca",
    .mode = "dependency",
    .delays = "light",
    .slow = -1.0,
    .stops = -1.0,
    .longest = -1.0,
    .noise = 0.02,
    .seconds_per_tick = 1.0,
    .limit = 1e5,
  };
  options.instance.robust_ticks = 1;
  return options;
}

int32_t cli_simulate_groups(cli_simulate_options_t * options, cli_group_t * groups, cli_option_t * rules)
{
  memcpy(rules, cli_rule_options, CLI_RULE_BODY_COUNT * sizeof(*rules));
  for (int32_t i = 0; i < CLI_RULE_BODY_COUNT; ++i) {
    if (strcmp(rules[i].name, "robust-ticks") == 0) {
      rules[i].help = "keep a cell reserved for K ticks after it is left (default: 1)";
    }
  }
  const cli_group_t all[] = {
    {"Map", cli_map_options, CLI_MAP_OPTION_COUNT, &options->instance},
    {"Robots", cli_robot_options, CLI_ROBOT_OPTION_COUNT, &options->instance},
    {"Rules of motion", rules, CLI_RULE_BODY_COUNT, &options->instance},
    {"Planner", planner_options, 1, options},
    {"Planner's limits and parameters", cli_solve_options, CLI_SOLVE_OPTION_COUNT, &options->solve},
    {"Driving", drive_options, sizeof(drive_options) / sizeof(drive_options[0]), options},
    {"What goes wrong", delay_options, sizeof(delay_options) / sizeof(delay_options[0]), options},
    {"Output", output_options, 1, options},
  };
  memcpy(groups, all, sizeof(all));
  return (int32_t)(sizeof(all) / sizeof(all[0]));
}

int cli_simulate_read_delays(const cli_simulate_options_t * options, fw_simulated_fleet_options_t * delays)
{
  static const struct {
    const char * name;
    double slow;
    double stops;
    double longest;
  } kinds[] = {{"none", 0.0, 0.0, 0.0}, {"light", 10.0, 10.0, 10.0}, {"heavy", 33.0, 60.0, 30.0}};
  int32_t kind = 0;
  while (kind < 3 && strcmp(kinds[kind].name, options->delays) != 0) {
    ++kind;
  }
  if (kind == 3) {
    return cli_say(CLI_USAGE, "--delays must be none, light or heavy, not \"%s\"", options->delays);
  }
  const bool is_timed = strcmp(options->mode, "timed") == 0;
  if (!is_timed && strcmp(options->mode, "dependency") != 0) {
    return cli_say(CLI_USAGE, "--mode must be dependency or timed, not \"%s\"", options->mode);
  }
  if (options->radius > 0.5 || options->seconds_per_tick < 1e-3 || options->noise > 0.1) {
    return cli_say(
      CLI_USAGE, "--radius is up to 0.5 cells, --noise up to 0.1 (the tolerance of waypoints), a tick 0.001 s or more");
  }
  *delays = fw_simulated_fleet_options_default();
  delays->is_timed = is_timed;
  delays->seed = (uint64_t)options->instance.seed;
  delays->radius = options->radius;
  delays->noise = options->noise;
  delays->slow_chance = 0.01 * (options->slow >= 0.0 ? options->slow : kinds[kind].slow);
  delays->stops_per_hour = options->stops >= 0.0 ? options->stops : kinds[kind].stops;
  delays->stop_seconds_max = options->longest >= 0.0 ? options->longest : kinds[kind].longest;
  return CLI_SOLVED;
}
