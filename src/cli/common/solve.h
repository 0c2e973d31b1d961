// One solve of a problem: a planner by its name with the settings and limits of the command line, progress on the
// terminal, the independent check of the plan, and optionally a record for `fleetweave replay`.

#ifndef CLI__COMMON__SOLVE_H_
#define CLI__COMMON__SOLVE_H_

#include "cli/common/options.h"
#include "cli/common/progress.h"
#include "fleetweave/fleetweave.h"

typedef struct cli_solve_options_t {
  const char * planner;
  cli_list_t settings;  // texts for cli_setting_parse
  double time_limit;    // seconds, 0: no limit
  int64_t expansions;   // 0: no limit
  int64_t memory_mb;
  int64_t threads;
} cli_solve_options_t;

cli_solve_options_t cli_solve_options_default(void);

// Tables for a cli_group_t with a cli_solve_options_t as values.
extern const cli_option_t cli_planner_options[];  // --planner
extern const cli_option_t cli_solve_options[];    // --set and the limits

typedef struct cli_solve_t {
  fw_planner_t planner;  // owns the paths of the plan
  fw_plan_t plan;
} cli_solve_t;

// Checks that the planners exist and that each setting is for at least one of them. Returns an exit code after an error
// message.
int cli_solve_check_options(const cli_solve_options_t * options, const char * const * planners, int32_t planner_count);

typedef struct cli_solve_request_t {
  const char * planner;
  const fw_problem_t * problem;
  uint64_t seed;
  const cli_solve_options_t * options;
  cli_progress_t * progress;  // with its label
  const char * record;        // path of the record to write; NULL: none
} cli_solve_request_t;

// Solves the problem and checks the plan. Returns CLI_SUCCESS if there is a plan that passes the check, whatever its
// outcome; otherwise an exit code after an error message.
int cli_solve_run(cli_solve_t * solve, const cli_solve_request_t * request);
void cli_solve_fini(cli_solve_t * solve);

// The number of robots whose path ends on their goal.
int32_t cli_count_on_goal(const fw_problem_t * problem, const fw_plan_t * plan);

#endif  // CLI__COMMON__SOLVE_H_
