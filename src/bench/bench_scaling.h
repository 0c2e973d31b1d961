// `bench scaling`: what has been measured as robots grow, between the parts that take options (bench_scaling.c),
// make worlds (bench_scaling_world.c), run (bench_scaling_run.c), fit (bench_scaling_fit.c) and tell
// (bench_scaling_report.c).

#ifndef BENCH__BENCH_SCALING_H_
#define BENCH__BENCH_SCALING_H_

#include "bench/bench_lifelong.h"
#include "bench/bench_mapf.h"
#include "cli/instance.h"
#include "cli/solve.h"

enum { CLI_SCALING_MAP_SIZE = 192 };

// ---- the world of a number of robots --------------------------------------------------------------------------------

typedef struct cli_scaling_world_t {
  const char * kind;  // of a map maker, with keys: "random,obstacles=20"
  double density;     // robots per hundred free cells
  int64_t reach;      // goals at most so many moves from the start; 0: anywhere
  int64_t seed;
  int32_t robot_count;
} cli_scaling_world_t;

// The smallest square map of the kind with enough free cells, and random robots on it. Pockets that are cut off from the
// largest part of the floor are filled: a robot in one has nowhere to go. `map` receives its line and must
// live as long as the instance. Returns an exit code after saying what is wrong.
int cli_scaling_make(const cli_scaling_world_t * world, cli_instance_t * instance, char map[CLI_SCALING_MAP_SIZE]);
int32_t cli_scaling_count_free(const fw_grid_t * grid);

// ---- what was measured ----------------------------------------------------------------------------------------------

// One run: a solve, or so many ticks of a fleet that never ends.
typedef struct cli_scaling_run_t {
  bool is_life;
  cli_mapf_run_t solve;
  cli_life_figures_t life;
} cli_scaling_run_t;

// A planner with a number of robots.
typedef struct cli_scaling_row_t {
  const char * planner;
  int32_t robot_count;
  char map[CLI_SCALING_MAP_SIZE];
  int32_t free_count;
  cli_scaling_run_t * runs;
  int32_t run_count;
} cli_scaling_row_t;

typedef struct cli_scaling_report_t {
  cli_host_t host;
  cli_scaling_world_t world;  // robot_count is each row's own
  const cli_solve_options_t * solve;
  const cli_life_options_t * life;  // NULL: plans to the goals
  const char * const * planners;
  int32_t planner_count;
  int64_t from;  // robots double from here
  int64_t to;    // up to here
  int32_t repeat;
  // Filled by the run:
  cli_scaling_row_t * rows;  // robots by robots, planners in their order
  int32_t row_count;
  bool has_failed;  // some run has no answer, or one that fails its check; the reason has been said
} cli_scaling_report_t;

// Runs everything. CLI_NOT_SOLVED if it was interrupted, else an exit code after saying what is wrong.
int cli_scaling_run(cli_scaling_report_t * report);
void cli_scaling_fini(cli_scaling_report_t * report);

// A row in short.
typedef struct cli_scaling_figures_t {
  bool is_solved;   // every run; only such rows are part of a fit
  char end[48];     // "solved", or how the first unsolved run ended
  double ms;        // median: of the solve, or of a round
  double expanded;  // of the solve, or per round
  double memory_mb;
  double steps;  // moves from all starts to all goals if nobody else were there; 0 for a fleet that never ends
  double cost;   // sum of costs
  cli_life_figures_t life;  // of the first run
} cli_scaling_figures_t;

cli_scaling_figures_t cli_scaling_figures(const cli_scaling_row_t * row);

// ---- how it grows ---------------------------------------------------------------------------------------------------

// Exponents of the robots, by least squares of the logarithms over all solved rows of a planner. NaN where fewer than
// two rows with different robots say something.
typedef struct cli_scaling_fit_t {
  int32_t row_count;
  double time;
  double time_per_step;  // time over `steps`
  double expanded;
  double memory;
  double path;  // steps per robot
} cli_scaling_fit_t;

cli_scaling_fit_t cli_scaling_fit(const cli_scaling_report_t * report, int32_t planner);

void cli_scaling_print_words(const cli_scaling_report_t * report);
void cli_scaling_print_json(const cli_scaling_report_t * report);
void cli_scaling_write_csv(const cli_scaling_report_t * report, FILE * stream);  // a line per run, with a header

#endif  // BENCH__BENCH_SCALING_H_
