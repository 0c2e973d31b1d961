// A plan from a file together with the map and the robots that it was made for, as `check` and `view` need it.

#ifndef CLI__COMMON__PLAN_FILE_H_
#define CLI__COMMON__PLAN_FILE_H_

#include "cli/common/instance.h"
#include "cli/common/output.h"
#include "fleetweave/files.h"

// Header lines that are needed before the grid is loaded, and those that fw_plan_read ignores.
typedef struct cli_plan_header_t {
  char map_file[CLI_PATH_MAX];  // empty: not in the file
  int64_t sum_of_costs;         // -1: not in the file
  int64_t makespan;
} cli_plan_header_t;

// Must not be copied: `instance.problem` and `plan` point into the other members.
typedef struct cli_plan_file_t {
  cli_plan_header_t header;
  cli_instance_t instance;
  fw_plan_file_t file;
  fw_robot_t * robots;  // from the starts and goals in the file; NULL if they are from a scenario
  fw_plan_t plan;       // outcome as in the file, statistics computed from the paths
} cli_plan_file_t;

// Loads a plan. The map is that of the options; if they give none, the one of `map_file=` in the plan: a file, which is
// looked up in the folder of the plan and in the current folder, or the specification of a generated map. The robots
// are those of --scen; without it, the starts and goals in the plan with the properties of --fleet. A plan that is
// marked as cutting corners is checked by that rule. Returns an exit code after an error message.
int cli_plan_file_load(cli_plan_file_t * plan_file, const char * path, const cli_instance_options_t * options);
void cli_plan_file_fini(cli_plan_file_t * plan_file);

#endif  // CLI__COMMON__PLAN_FILE_H_
