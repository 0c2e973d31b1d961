#include "cli/common/instance.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/text.h"
#include "cli/common/command.h"
#include "cli/common/message.h"
#include "map_files/occupancy_file.h"

#define AT(member) offsetof(cli_instance_options_t, member)

const cli_option_t cli_map_options[] = {
  {.name = "map",
   .kind = CLI_TEXT,
   .offset = AT(map),
   .value = "FILE",
   .help = "map file: MovingAI's .map, or .yaml of Nav2's map_server with its image"},
  {.name = "make",
   .kind = CLI_TEXT,
   .offset = AT(make),
   .value = "SPEC",
   .help = "generate the map instead, e.g. warehouse:161x63,seed=1\n(kinds and keys: `fleetweave make --help`)"},
  {.name = "terrain",
   .kind = CLI_TEXT,
   .offset = AT(terrain),
   .value = "LIST",
   .help = "costs of letters of a .map file, 0 (blocked) to 255, e.g. S=3,W=8\n(default: 1 for . G S, others blocked)"},
  {.name = "keepout",
   .kind = CLI_TEXT,
   .offset = AT(keepout),
   .value = "FILE",
   .help = "mask (.yaml of map_server): cells that it occupies are blocked"},
  {.name = "costs",
   .kind = CLI_TEXT,
   .offset = AT(cost_mask),
   .value = "FILE",
   .help = "mask (.yaml of map_server): its values 1 to 100 add to the cost of cells"},
  {.name = "areas",
   .kind = CLI_TEXT,
   .offset = AT(areas),
   .value = "FILE",
   .help = "areas (.yaml, see docs/command_line.md): one_way, no_waiting, keepout, cost"},
  {.name = "mask-cost",
   .kind = CLI_INTEGER,
   .offset = AT(mask_cost_max),
   .min = 0,
   .max = 254,
   .value = "N",
   .help = "what a value of 100 of --costs adds, where open floor costs 1 (default: 50)"},
  {.name = "map-cost",
   .kind = CLI_INTEGER,
   .offset = AT(map_cost_max),
   .min = 1,
   .max = 255,
   .value = "N",
   .help = "cost of values of a .yaml map (mode scale or raw) just below occupied\n(default: 1: all floor costs the "
           "same)"},
  {.name = "cell-size",
   .kind = CLI_NUMBER,
   .offset = AT(cell),
   .min = 0,
   .max = 100,
   .value = "METRES",
   .help = "side of a planning cell over a .yaml map (default: one pixel); masks over\nother maps: side of a cell "
           "(default: 1)"},
  {.name = "robot-radius",
   .kind = CLI_NUMBER,
   .offset = AT(radius),
   .min = 0,
   .max = 100,
   .value = "METRES",
   .help = "a cell is free if a disc of this radius touches nothing there and on moves\nto free cells (default: if "
           "its whole square is free)"},
  {0},
};

const cli_option_t cli_robot_options[] = {
  {.name = "scen",
   .kind = CLI_TEXT,
   .offset = AT(scen),
   .value = "FILE",
   .help = "robots from a MovingAI .scen file (default: random robots from --seed)"},
  {.name = "robots",
   .letter = 'n',
   .kind = CLI_INTEGER,
   .offset = AT(robots),
   .min = 1,
   .max = FW_ROBOT_COUNT_MAX,
   .value = "N",
   .help = "use the first N robots of the scenario (default: all), or N random ones"},
  {.name = "seed",
   .kind = CLI_INTEGER,
   .offset = AT(seed),
   .min = 0,
   .max = INT64_MAX,
   .value = "N",
   .help = "seed of random robots and of planners that use random numbers (default: 0)"},
  {0},
};

const cli_option_t cli_rule_options[] = {
  {.name = "connectivity",
   .kind = CLI_INTEGER,
   .offset = AT(connectivity),
   .min = 4,
   .max = 8,
   .value = "4|8",
   .help = "4: moves along the axes; 8: diagonal moves too (default: 4)"},
  {.name = "robust-ticks",
   .kind = CLI_INTEGER,
   .offset = AT(robust_ticks),
   .min = 0,
   .max = FW_ROBUST_TICKS_MAX,
   .value = "K",
   .help = "keep a cell reserved for K ticks after a robot has left it\n(default: 0; for `simulate`: 1)"},
  {.name = "closures",
   .kind = CLI_TEXT,
   .offset = AT(closures),
   .value = "FILE",
   .help = "cells that are closed for a time (doors, lifts): lines `x y from to` in\n"
           "ticks, both included; `-` as `to` means forever, `#` begins a comment"},
  {.name = "fleet",
   .kind = CLI_TEXT,
   .offset = AT(fleet),
   .value = "FILE",
   .help = "properties of robots: lines such as\n"
           "`0-9 ticks_per_move=2 footprint=2x2 turn_ticks=1 heading=east`;\n"
           "`*` selects all robots; other keys: priority=N, sweeps_sides=true"},
  {.name = "cut-corners",
   .kind = CLI_FLAG,
   .offset = AT(cuts_corners),
   .help = "a diagonal move needs only its end cell free, not the two cells beside it;\n"
           "needs --connectivity 8 and robots of one cell"},
  {0},
};

cli_instance_options_t cli_instance_options_default(void)
{
  return (cli_instance_options_t){.robots = -1, .connectivity = 4, .map_cost_max = 1, .mask_cost_max = 50};
}

// Reads a list such as "S=3,W=8" into the costs of letters.
static bool read_terrain(const char * list, uint8_t costs[256])
{
  fw_terrain_default(costs);
  for (char * at = (char *)list; at != NULL && *at != '\0';) {
    const char letter = *at++;
    int32_t cost = 0;
    if (!fw__text_skip(&at, "=") || !fw__text_integer(&at, 0, UINT8_MAX, &cost)) {
      return false;
    }
    if (!fw__text_skip(&at, ",") && *at != '\0') {
      return false;
    }
    costs[(unsigned char)letter] = (uint8_t)cost;
  }
  return true;
}

static fw_planning_files_t planning_files(const cli_instance_options_t * options)
{
  return (fw_planning_files_t){
    .keepout = options->keepout,
    .cost_mask = options->cost_mask,
    .areas = options->areas,
    .cell = options->cell,
    .robot_radius = options->radius,
    .map_cost_max = (int32_t)options->map_cost_max,
    .mask_cost_max = (int32_t)options->mask_cost_max,
    .connectivity = options->connectivity == 4 ? 4 : 8,  // hexagonal tiles have diagonals, too
  };
}

// Reads the file of --map. A .yaml map brings its masks onto the grid at once.
static int read_map(cli_instance_t * instance, const cli_instance_options_t * options)
{
  fw_error_t error = {0};
  uint8_t costs[256];
  if (!read_terrain(options->terrain, costs)) {
    return cli_error(
      CLI_USAGE, "--terrain must be a list such as S=3,W=8 with costs from 0 to 255, not '%s'", options->terrain);
  }
  fw_planning_files_t files = planning_files(options);
  files.map = options->map;
  const fw_ret_t ret = fw__occupancy_file_is(options->map)
                         ? fw__planning_files_read(&instance->grid, &files, &error)
                         : fw_grid_read_terrain(&instance->grid, options->map, costs, NULL, &error);
  return ret == FW_RET_OK ? CLI_SUCCESS : cli_error(CLI_FAILURE, "%s", error.text);
}

// Puts the masks onto the grid of a .map file or a generated map.
static int add_masks(cli_instance_t * instance, const cli_instance_options_t * options)
{
  fw_error_t error = {0};
  const fw_planning_files_t files = planning_files(options);
  const bool has_masks = options->keepout != NULL || options->cost_mask != NULL || options->areas != NULL;
  if (has_masks && fw__planning_files_read(&instance->grid, &files, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  return CLI_SUCCESS;
}

int cli_instance_load_grid(cli_instance_t * instance, const cli_instance_options_t * options)
{
  fw_error_t error = {0};
  if (options->map != NULL && options->make != NULL) {
    return cli_error(CLI_USAGE, "--map and --make are both given; give --map or --make, not both");
  }
  if (options->map == NULL && options->make == NULL) {
    return cli_error(
      CLI_USAGE, "a map is needed; give --map FILE, or --make SPEC such as --make warehouse:61x33,seed=1");
  }
  if (options->make != NULL) {
    instance->map_name = options->make;
    const fw_ret_t ret = fw_grid_make(&instance->grid, options->make, NULL, &error);
    if (ret != FW_RET_OK) {
      return cli_error(ret == FW_RET_BAD_ALLOC ? CLI_FAILURE : CLI_USAGE, "--make: %s", error.text);
    }
    return add_masks(instance, options);
  }
  instance->map_name = options->map;
  const int exit_code = read_map(instance, options);
  return exit_code == CLI_SUCCESS && !fw__occupancy_file_is(options->map) ? add_masks(instance, options) : exit_code;
}

int cli_instance_load(cli_instance_t * instance, const cli_instance_options_t * options)
{
  const int exit_code = cli_instance_load_grid(instance, options);
  return exit_code == CLI_SUCCESS ? cli_instance_load_robots(instance, options) : exit_code;
}

int cli_instance_check_rules(const cli_instance_options_t * options)
{
  if (options->connectivity != 4 && options->connectivity != 8) {
    return cli_error(CLI_USAGE, "--connectivity must be 4 or 8, not %d", (int)options->connectivity);
  }
  if (options->cuts_corners && options->connectivity != 8) {
    return cli_error(CLI_USAGE, "--cut-corners needs diagonal moves; give --connectivity 8 too");
  }
  return CLI_SUCCESS;
}

// Whether some robot covers more than its own cell.
static bool has_large_robot(const fw_scenario_t * scenario)
{
  bool has_large = false;
  for (int32_t r = 0; r < scenario->robot_count && !has_large; r++) {
    has_large = scenario->robots[r].footprint_count > 1;
  }
  return has_large;
}

int cli_instance_load_robots(cli_instance_t * instance, const cli_instance_options_t * options)
{
  fw_error_t error = {0};
  int exit_code = cli_instance_check_rules(options);
  if (exit_code != CLI_SUCCESS) {
    return exit_code;
  }
  if (options->scen == NULL && options->robots < 0) {
    return cli_error(CLI_USAGE, "robots are needed; give --scen FILE, or --robots N for random ones");
  }
  FW_ASSERT(instance->grid.cost != NULL);
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
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  exit_code = cli_instance_load_fleet(instance, options, instance->scenario.robots, instance->scenario.robot_count);
  if (exit_code != CLI_SUCCESS) {
    return exit_code;
  }
  // Random robots were placed as robots of one cell: place them again if some of them turn out to be larger.
  const bool is_placed_again = options->scen == NULL && has_large_robot(&instance->scenario);
  if (
    is_placed_again && fw_scenario_place(&instance->scenario, problem, (uint64_t)options->seed, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s", error.text);
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
  FW_ASSERT(robots != NULL && robot_count > 0);
  if (options->fleet == NULL) {
    return CLI_SUCCESS;
  }
  const int32_t count = options->fleet_count > robot_count ? options->fleet_count : robot_count;
  fw_robot_t * fleet = calloc((size_t)count, sizeof(*fleet));
  if (fleet == NULL) {
    return cli_error(CLI_FAILURE, "out of memory for %d robots", count);
  }
  memcpy(fleet, robots, (size_t)robot_count * sizeof(*fleet));
  const fw_ret_t ret = fw_fleet_file_read(&instance->fleet, options->fleet, fleet, count, NULL, &error);
  memcpy(robots, fleet, (size_t)robot_count * sizeof(*fleet));
  free(fleet);
  return ret == FW_RET_OK ? CLI_SUCCESS : cli_error(CLI_FAILURE, "%s", error.text);
}

int cli_instance_load_closures(cli_instance_t * instance, const cli_instance_options_t * options)
{
  fw_error_t error = {0};
  fw_closures_fini(&instance->closures);
  if (
    options->closures != NULL &&
    fw_closures_read(&instance->closures, options->closures, &instance->grid, NULL, &error) != FW_RET_OK) {
    return cli_error(CLI_FAILURE, "%s", error.text);
  }
  instance->problem.closures = instance->closures.closures;
  instance->problem.closure_count = instance->closures.closure_count;
  return CLI_SUCCESS;
}

void cli_instance_fini(cli_instance_t * instance)
{
  fw_closures_fini(&instance->closures);
  fw_scenario_fini(&instance->scenario);
  fw_fleet_file_fini(&instance->fleet);
  fw_grid_fini(&instance->grid);
  *instance = (cli_instance_t){0};
}
