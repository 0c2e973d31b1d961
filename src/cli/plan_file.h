// A plan from its file together with the map it was made for, as `check` and `view` need it.

#ifndef CLI__PLAN_FILE_H_
#define CLI__PLAN_FILE_H_

#include "cli/common/instance.h"
#include "cli/common/output.h"
#include "fleetweave/files.h"

// Header lines that are needed before the grid is known, and those that fw_plan_read passes over.
typedef struct cli_plan_header_t {
  char map_file[CLI_PATH_MAX];  // empty: none
  int64_t sum_of_costs;         // -1: not in the file
  int64_t makespan;
} cli_plan_header_t;

// Must not be copied: `instance.problem` and `plan` borrow from their neighbours.
typedef struct cli_plan_file_t {
  cli_plan_header_t header;
  cli_instance_t instance;
  fw_plan_file_t file;
  fw_robot_t * robots;  // of the file's starts and goals; NULL if they came from a scenario
  fw_plan_t plan;       // statistics are computed from the paths; outcome as the file says
} cli_plan_file_t;

// The map is that of the options, else `map_file=`: a file, looked for beside the plan and in the current folder, or
// the line of a map maker. Robots are those of --scen, else the starts and goals of the plan, with the properties of
// --fleet. A file that says that corners may be cut is judged by that. Returns an exit code after saying what is wrong.
int cli_plan_file_load(cli_plan_file_t * plan_file, const char * path, const cli_instance_options_t * options);
void cli_plan_file_fini(cli_plan_file_t * plan_file);

#endif  // CLI__PLAN_FILE_H_
