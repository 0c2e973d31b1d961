// `fleetweave simulate --controller`: the fleet controller drives simulated robots through faults.

#ifndef CLI__SIMULATE_CONTROLLER_H_
#define CLI__SIMULATE_CONTROLLER_H_

#include <stdbool.h>
#include <stdint.h>

#include "fleetweave/fleetweave.h"

typedef struct cli_controller_run_t {
  const fw_problem_t * problem;  // NULL: a world from the seed
  const char * map_name;         // NULL likewise
  const char * planner;
  uint64_t seed;
  double fault_seconds;
  bool has_no_faults;
  bool has_no_areas;
  bool has_trace;
  bool is_json;
  const char * out;  // page; NULL: none
} cli_controller_run_t;

// Returns an exit code: CLI_NOT_SOLVED if something did not hold or goals are left.
int cli_controller_run(const cli_controller_run_t * run);

#endif  // CLI__SIMULATE_CONTROLLER_H_
