// Which robots on which map: the options that `plan`, `check`, `bench` and `make` share, and the problem made of them.

#ifndef CLI__COMMON__INSTANCE_H_
#define CLI__COMMON__INSTANCE_H_

#include "cli/common/arguments.h"
#include "fleetweave/files.h"

typedef struct cli_instance_options_t {
  const char * map;
  const char * make;
  const char * scen;
  int64_t robots;  // -1: not given
  int64_t seed;
  int64_t connectivity;
  int64_t robust_ticks;
  const char * closures;
  const char * fleet;
  bool cuts_corners;
} cli_instance_options_t;

cli_instance_options_t cli_instance_options_default(void);

// Titles and tables for a cli_group_t. The first has --map and --make alone.
extern const cli_option_t cli_map_options[];
enum { CLI_MAP_OPTION_COUNT = 2 };
extern const cli_option_t cli_robot_options[];
enum { CLI_ROBOT_OPTION_COUNT = 3 };
extern const cli_option_t cli_rule_options[];
enum { CLI_RULE_OPTION_COUNT = 5, CLI_RULE_BODY_COUNT = 4 };  // --cut-corners is the last: robots with bodies do not

// Owns grid, robots, their footprints and closures; `problem` borrows all of them, so an instance must not be copied.
typedef struct cli_instance_t {
  fw_grid_t grid;
  fw_scenario_t scenario;
  fw_fleet_file_t fleet;
  fw_closures_t closures;
  fw_problem_t problem;
  const char * map_name;  // as given: a file, or the line of a map maker
} cli_instance_t;

// The grid of --map or --make. Returns an exit code after saying what is wrong.
int cli_instance_load_grid(cli_instance_t * instance, const cli_instance_options_t * options);
// Do the rules go together? Returns an exit code after saying what is wrong.
int cli_instance_check_rules(const cli_instance_options_t * options);
// The robots of --scen, or random ones, with the properties of --fleet; then the problem, with the closures. The grid
// must be there.
int cli_instance_load_robots(cli_instance_t * instance, const cli_instance_options_t * options);
// The properties of --fleet, if any, for these robots.
int cli_instance_load_fleet(
  cli_instance_t * instance, const cli_instance_options_t * options, fw_robot_t * robots, int32_t robot_count);
// The closures of --closures, if any, for the problem that is there. They replace those that it had.
int cli_instance_load_closures(cli_instance_t * instance, const cli_instance_options_t * options);
void cli_instance_fini(cli_instance_t * instance);

#endif  // CLI__COMMON__INSTANCE_H_
