// `fleetweave simulate --swarm`: robots that drive tick by tick without a plan.

#ifndef CLI__SIMULATE_SWARM_H_
#define CLI__SIMULATE_SWARM_H_

#include <stdbool.h>
#include <stdint.h>

#include "fleetweave/fleetweave.h"

typedef struct cli_swarm_run_t {
  const fw_problem_t * problem;
  const char * map_name;
  uint64_t seed;
  int32_t threads;
  int32_t ticks;
  bool is_json;
  bool has_window;  // the memory of the paper, else regions
  int32_t hidden;   // per cent of the obstacles that robots do not know at first
  int32_t moving;   // obstacles that wander about
  int32_t sight;    // cells, in which robots see both; only used with one of these
} cli_swarm_run_t;

// Returns an exit code: CLI_NOT_SOLVED if robots collided with each other or with an obstacle, or the run was
// interrupted, which prints what there is.
int cli_swarm_run(const cli_swarm_run_t * run);

#endif  // CLI__SIMULATE_SWARM_H_
