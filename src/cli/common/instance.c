#include "cli/common/instance.h"

#include "cli/common/command.h"
#include "cli/common/words.h"

#define AT(member) offsetof(cli_instance_options_t, member)

// clang-format off: a table reads better than a member per line
const cli_option_t cli_map_options[] = {
  {.name = "map", .kind = CLI_TEXT, .offset = AT(map), .value = "FILE", .help = "MovingAI .map file"},
  {.name = "make",
   .kind = CLI_TEXT,
   .offset = AT(make),
   .value = "LINE",
   .help = "make the map instead, e.g. warehouse:161x63,seed=1\n(kinds and keys: `fleetweave make --help`)"},
};

const cli_option_t cli_robot_options[] = {
  {.name = "scen",
   .kind = CLI_TEXT,
   .offset = AT(scen),
   .value = "FILE",
   .help = "MovingAI .scen file; default: random robots from --seed"},
  {.name = "robots",
   .letter = 'n',
   .kind = CLI_INTEGER,
   .offset = AT(robots),
   .min = 1,
   .max = FW_ROBOT_COUNT_MAX,
   .value = "N",
   .help = "the first N of the scenario (default: all), or N random ones"},
  {.name = "seed",
   .kind = CLI_INTEGER,
   .offset = AT(seed),
   .min = 0,
   .max = INT64_MAX,
   .value = "N",
   .help = "for random robots and for planners that draw lots (default: 0)"},
};

const cli_option_t cli_rule_options[] = {
  {.name = "connectivity",
   .kind = CLI_INTEGER,
   .offset = AT(connectivity),
   .min = 4,
   .max = 8,
   .value = "4|8",
   .help = "moves along the axes, or diagonal ones too (default: 4)"},
  {.name = "robust-ticks",
   .kind = CLI_INTEGER,
   .offset = AT(robust_ticks),
   .min = 0,
   .max = FW_ROBUST_TICKS_MAX,
   .value = "K",
   .help = "keep a cell reserved for K ticks after it is left (default: 0)"},
  {.name = "closures",
   .kind = CLI_TEXT,
   .offset = AT(closures),
   .value = "FILE",
   .help = "cells that are closed for a time (doors, lifts): lines `x y from to` in\n"
           "ticks, both included; - as `to` is for ever, # begins a comment"},
  {.name = "fleet",
   .kind = CLI_TEXT,
   .offset = AT(fleet),
   .value = "FILE",
   .help = "properties of robots: lines such as\n"
           "`0-9 ticks_per_move=2 footprint=2x2 turn_ticks=1 heading=east`;\n"
           "* is all robots; also priority=N and sweeps_sides=true"},
  {.name = "cut-corners",
   .kind = CLI_FLAG,
   .offset = AT(cuts_corners),
   .help = "a diagonal needs only its end free, not the cells beside it; with\n"
           "--connectivity 8, for robots of one cell"},
};
// clang-format on

cli_instance_options_t cli_instance_options_default(void)
{
  return (cli_instance_options_t){.robots = -1, .connectivity = 4};
}

int cli_instance_load_grid(cli_instance_t * instance, const cli_instance_options_t * options)
{
  fw_error_t error = {0};
  if (options->map != NULL && options->make != NULL) {
    return cli_say(CLI_USAGE, "give --map or --make, not both");
  }
  if (options->map == NULL && options->make == NULL) {
    return cli_say(CLI_USAGE, "a map is needed: --map FILE, or --make LINE (such as --make warehouse:61x33,seed=1)");
  }
  if (options->make != NULL) {
    instance->map_name = options->make;
    const fw_ret_t ret = fw_grid_make(&instance->grid, options->make, NULL, &error);
    if (ret != FW_RET_OK) {
      return cli_say(ret == FW_RET_BAD_ALLOC ? CLI_FAILURE : CLI_USAGE, "--make: %s", error.text);
    }
    return CLI_SOLVED;
  }
  instance->map_name = options->map;
  if (fw_grid_read(&instance->grid, options->map, NULL, &error) != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  return CLI_SOLVED;
}

int cli_instance_check_rules(const cli_instance_options_t * options)
{
  if (options->connectivity != 4 && options->connectivity != 8) {
    return cli_say(CLI_USAGE, "--connectivity must be 4 or 8, not %d", (int)options->connectivity);
  }
  if (options->cuts_corners && options->connectivity != 8) {
    return cli_say(CLI_USAGE, "--cut-corners is about diagonals: give --connectivity 8 too");
  }
  return CLI_SOLVED;
}

int cli_instance_load_robots(cli_instance_t * instance, const cli_instance_options_t * options)
{
  fw_error_t error = {0};
  int exit_code = cli_instance_check_rules(options);
  if (exit_code != CLI_SOLVED) {
    return exit_code;
  }
  if (options->scen == NULL && options->robots < 0) {
    return cli_say(CLI_USAGE, "robots are needed: --scen FILE, or --robots N for random ones");
  }
  fw_problem_t * problem = &instance->problem;
  *problem = (fw_problem_t){
    .grid = &instance->grid,
    .robot_count = (int32_t)options->robots,
    .connectivity = (int32_t)options->connectivity,
    .cuts_corners = options->cuts_corners,
    .robust_ticks = (int32_t)options->robust_ticks,
  };
  fw_ret_t ret = FW_RET_OK;
  if (options->scen != NULL) {
    ret = fw_scenario_read(&instance->scenario, options->scen, problem->grid, problem->robot_count, NULL, &error);
  } else {
    ret = fw_scenario_make_for(&instance->scenario, problem, (uint64_t)options->seed, NULL, &error);
  }
  if (ret != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  exit_code = cli_instance_load_fleet(instance, options, instance->scenario.robots, instance->scenario.robot_count);
  if (exit_code != CLI_SOLVED) {
    return exit_code;
  }
  const bool is_drawn = options->scen == NULL && options->fleet != NULL;
  if (is_drawn && fw_scenario_place(&instance->scenario, problem, (uint64_t)options->seed, &error) != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  problem->robots = instance->scenario.robots;
  problem->robot_count = instance->scenario.robot_count;
  return cli_instance_load_closures(instance, options);
}

int cli_instance_load_fleet(
  cli_instance_t * instance, const cli_instance_options_t * options, fw_robot_t * robots, int32_t robot_count)
{
  fw_error_t error = {0};
  fw_fleet_file_fini(&instance->fleet);
  if (
    options->fleet != NULL &&
    fw_fleet_file_read(&instance->fleet, options->fleet, robots, robot_count, NULL, &error) != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  return CLI_SOLVED;
}

int cli_instance_load_closures(cli_instance_t * instance, const cli_instance_options_t * options)
{
  fw_error_t error = {0};
  fw_closures_fini(&instance->closures);
  if (
    options->closures != NULL &&
    fw_closures_read(&instance->closures, options->closures, &instance->grid, NULL, &error) != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  instance->problem.closures = instance->closures.closures;
  instance->problem.closure_count = instance->closures.closure_count;
  return CLI_SOLVED;
}

void cli_instance_fini(cli_instance_t * instance)
{
  fw_closures_fini(&instance->closures);
  fw_scenario_fini(&instance->scenario);
  fw_fleet_file_fini(&instance->fleet);
  fw_grid_fini(&instance->grid);
  *instance = (cli_instance_t){0};
}
