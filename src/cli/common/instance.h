// An instance: a map and the robots on it. The options that describe one, which most commands share, and the problem
// that they describe.

#ifndef CLI__COMMON__INSTANCE_H_
#define CLI__COMMON__INSTANCE_H_

#include "cli/common/options.h"
#include "fleetweave/files.h"

typedef struct cli_instance_options_t {
  const char * map;      // NULL: not given, as for the other texts
  const char * make;     // specification of a generated map
  const char * terrain;  // costs of letters of a .map file
  const char * keepout;  // YAML files of masks
  const char * cost_mask;
  const char * areas;  // YAML file of areas
  double cell;         // metres; 0: a pixel
  double radius;       // metres
  int64_t map_cost_max;
  int64_t mask_cost_max;
  const char * scen;
  int64_t robots;  // -1: not given
  int64_t seed;
  int64_t connectivity;
  int64_t robust_ticks;
  const char * closures;
  const char * fleet;
  int32_t fleet_count;  // robots that the fleet file may name: the most that a bench has; 0: those that are loaded
  bool cuts_corners;
} cli_instance_options_t;

cli_instance_options_t cli_instance_options_default(void);

// Tables for a cli_group_t with a cli_instance_options_t as values.
extern const cli_option_t cli_map_options[];    // --map, --make, and the layers over the map
extern const cli_option_t cli_robot_options[];  // --scen, --robots, --seed
extern const cli_option_t cli_rule_options[];   // --connectivity, --robust-ticks, --closures, --fleet, --cut-corners

// Owns grid, robots, footprints and closures. `problem` points to all of them, so an instance must not be copied.
typedef struct cli_instance_t {
  fw_grid_t grid;
  fw_scenario_t scenario;
  fw_fleet_file_t fleet;
  fw_closures_t closures;
  fw_problem_t problem;
  const char * map_name;  // as given: a file, or the specification of a generated map
} cli_instance_t;

// All functions return an exit code after an error message.

// Loads grid and robots.
int cli_instance_load(cli_instance_t * instance, const cli_instance_options_t * options);
// Loads the grid of --map or --make.
int cli_instance_load_grid(cli_instance_t * instance, const cli_instance_options_t * options);
// Checks that the options for the rules of motion go together.
int cli_instance_check_rules(const cli_instance_options_t * options);
// Loads the robots of --scen, or generates random ones, with the properties of --fleet, and makes the problem with the
// closures. The grid must have been loaded.
int cli_instance_load_robots(cli_instance_t * instance, const cli_instance_options_t * options);
// Sets the properties of --fleet, if given, in these robots. They point into the instance.
int cli_instance_load_fleet(
  cli_instance_t * instance, const cli_instance_options_t * options, fw_robot_t * robots, int32_t robot_count);
// Loads the closures of --closures, if given, into the problem, in place of its earlier ones.
int cli_instance_load_closures(cli_instance_t * instance, const cli_instance_options_t * options);
void cli_instance_fini(cli_instance_t * instance);

#endif  // CLI__COMMON__INSTANCE_H_
