// What the files of `fleetweave simulate` share.

#ifndef CLI__SIMULATE_H_
#define CLI__SIMULATE_H_

#include "cli/common/instance.h"
#include "cli/common/solve.h"
#include "fleetweave/execution.h"

typedef struct cli_simulate_options_t {
  cli_instance_options_t instance;
  cli_solve_options_t solve;
  const char * planner;
  const char * mode;
  const char * delays;
  double slow;     // per cent of motions; below 0: as --delays has it
  double stops;    // per robot and hour
  double longest;  // seconds
  double noise;    // cells
  double radius;
  double ahead;
  double seconds_per_tick;
  double limit;  // simulated seconds
  bool rings_together;
  bool is_json;
} cli_simulate_options_t;

typedef struct cli_simulated_t {
  const cli_simulate_options_t * options;
  const cli_instance_t * instance;
  const fw_plan_t * plan;
  const fw_execution_t * execution;
  fw_simulated_result_t result;
  double radius;
  double elapsed_seconds;  // of the machine
} cli_simulated_t;

// simulate_options.c
enum { CLI_SIMULATE_GROUPS_MAX = 8 };
// Fills the groups of the manual; returns how many. `rules` has room for CLI_RULE_BODY_COUNT.
int32_t cli_simulate_groups(cli_simulate_options_t * options, cli_group_t * groups, cli_option_t * rules);
cli_simulate_options_t cli_simulate_options_default(void);
// Returns an exit code after saying what is wrong.
int cli_simulate_read_delays(const cli_simulate_options_t * options, fw_simulated_fleet_options_t * delays);

// simulate_report.c
void cli_simulate_print_json(const cli_simulated_t * simulated);
void cli_simulate_print(const cli_simulated_t * simulated);

#endif  // CLI__SIMULATE_H_
