// `bench standley`: an instance and one solve of it.

#ifndef BENCH__BENCH_STANDLEY_SOLVE_H_
#define BENCH__BENCH_STANDLEY_SOLVE_H_

#include "bench/bench_standley.h"
#include "fleetweave/files.h"

typedef struct cli_standley_instance_t {
  int32_t number;
  fw_grid_t grid;
  fw_scenario_t scenario;
  fw_problem_t problem;
  int64_t alone;  // the sum of all shortest ways
} cli_standley_instance_t;

// 32x32, one cell in five blocked, 2 to 60 robots, all from the seed and the number. False when there is no memory.
bool cli_standley_make_instance(
  cli_standley_instance_t * instance, const cli_standley_settings_t * settings, int32_t number);
void cli_standley_end_instance(cli_standley_instance_t * instance);

// The largest group of robots that were planned together.
typedef struct cli_standley_group_t {
  fw_robot_t robots[CLI_STANDLEY_ROBOTS_MAX];
  int32_t count;
} cli_standley_group_t;

void cli_standley_find_largest(const fw_problem_t * problem, const fw_plan_t * plan, cli_standley_group_t * largest);

typedef struct cli_standley_solve_t {
  fw_planner_t planner;
  fw_plan_t plan;
} cli_standley_solve_t;

typedef struct cli_standley_ask_t {
  const cli_standley_run_t * run;
  const cli_standley_algorithm_t * algorithm;
  const fw_problem_t * problem;
} cli_standley_ask_t;

// A planner with its settings. False after saying what is wrong with them.
bool cli_standley_begin(
  fw_planner_t * planner, const cli_standley_run_t * run, const cli_standley_algorithm_t * algorithm);
// Solves, checks and fills a row. The caller ends the planner. An exit code, after saying what is wrong.
int cli_standley_solve(const cli_standley_ask_t * ask, cli_standley_solve_t * solve, cli_standley_row_t * row);

#endif  // BENCH__BENCH_STANDLEY_SOLVE_H_
