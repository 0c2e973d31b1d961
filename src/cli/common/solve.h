// One solve, as `plan` and `bench` do it: planner by name, its settings, a budget, and the check of the answer.

#ifndef CLI__COMMON__SOLVE_H_
#define CLI__COMMON__SOLVE_H_

#include "cli/common/arguments.h"
#include "cli/common/progress.h"
#include "fleetweave/fleetweave.h"

typedef struct cli_solve_options_t {
  cli_list_t settings;  // "key=value", "planner.key=value"
  double time_limit;    // seconds, 0: none
  int64_t expansions;   // 0: no limit
  int64_t memory_mb;
  int64_t threads;
} cli_solve_options_t;

cli_solve_options_t cli_solve_options_default(void);
extern const cli_option_t cli_solve_options[];
enum { CLI_SOLVE_OPTION_COUNT = 5 };

typedef struct cli_solve_t {
  fw_planner_t planner;  // owns the plan's paths
  fw_plan_t plan;
} cli_solve_t;

// Whether the planners exist and each setting fits at least one of them. Returns an exit code after saying what is
// wrong.
int cli_solve_check_names(const cli_solve_options_t * options, const char * const * planners, int32_t planner_count);

typedef struct cli_solve_request_t {
  const char * planner;
  const fw_problem_t * problem;
  uint64_t seed;
  const cli_solve_options_t * options;
  cli_progress_t * progress;
  const char * record;  // a file for `fleetweave replay`; NULL: none
} cli_solve_request_t;

// Solves and checks. Returns CLI_SOLVED whenever there is an answer that passes its check, whatever its outcome; an
// exit code after saying what is wrong otherwise.
int cli_solve_run(cli_solve_t * solve, const cli_solve_request_t * request);
void cli_solve_fini(cli_solve_t * solve);

// Robots whose path ends on their goal.
int32_t cli_count_on_goal(const fw_problem_t * problem, const fw_plan_t * plan);

#endif  // CLI__COMMON__SOLVE_H_
