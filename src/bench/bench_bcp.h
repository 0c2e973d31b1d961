// The scenarios of "Biased Cost Pathfinding" (Geramifard, Chubak, Bulitko 2006), between the part that takes options
// (bench_bcp.c), the worlds (bench_bcp_world.c), the testbed that drives without looking ahead (bench_bcp_testbed.c), what
// is measured (bench_bcp_run.c) and the parts that tell (bench_bcp_report.c, bench_bcp_plot.c).

#ifndef BENCH__BENCH_BCP_H_
#define BENCH__BENCH_BCP_H_

#include <stdio.h>

#include "base/rng.h"
#include "bench/bench.h"

// ---- worlds ---------------------------------------------------------------------------------------------------------

enum { CLI_BCP_SIDE = 15, CLI_BCP_UNITS_MAX = 19, CLI_BCP_BLOCK = 9 };

// Open floor, eight directions, and a cell stays taken for one tick after it was left, as the paper has it. Points into
// itself: not to be copied.
typedef struct cli_bcp_world_t {
  uint8_t cost[CLI_BCP_SIDE * CLI_BCP_SIDE];
  fw_grid_t grid;
  fw_robot_t robots[CLI_BCP_UNITS_MAX];
  fw_problem_t problem;
} cli_bcp_world_t;

// Rescue the hero: robot 0, of higher priority, 10 moves from its goal; `units` others come down from a block of 3x3.
void cli_bcp_make_rescue(cli_bcp_world_t * world, int32_t units, fw_rng_t * rng);
// The same with nine others, and the hero somewhere in a rectangle of 7x3 around that place.
void cli_bcp_make_flight(cli_bcp_world_t * world, fw_rng_t * rng);
// Two groups, each in a block of 3x3, that change places.
void cli_bcp_make_groups(cli_bcp_world_t * world, int32_t units, fw_rng_t * rng);

// ---- testbed --------------------------------------------------------------------------------------------------------

enum { CLI_BCP_TICKS = 200 };

// What was driven.
typedef struct cli_bcp_drive_t {
  fw_cell_t cells[CLI_BCP_UNITS_MAX][CLI_BCP_TICKS + 1];
  int32_t ticks;
  bool have_arrived;
} cli_bcp_drive_t;

typedef struct cli_bcp_ride_t {
  const fw_problem_t * problem;
  const fw_path_t * paths;  // to begin with
  fw_planner_t * planner;   // by which all plan again when somebody is held up; NULL: that one alone, by A*
} cli_bcp_ride_t;

// Everybody follows its path, and stays where its next step is taken.
fw_ret_t cli_bcp_drive(cli_bcp_drive_t * drive, const cli_bcp_ride_t * ride, fw_rng_t * rng, fw_error_t * error);
// The tick from which the unit is on its goal.
int32_t cli_bcp_arrival(const cli_bcp_drive_t * drive, const fw_problem_t * problem, int32_t robot);

// ---- measuring ------------------------------------------------------------------------------------------------------

typedef enum cli_bcp_player_t {
  CLI_BCP_TESTBED,  // plain A* in the testbed
  CLI_BCP_LRA,      // the planner `lra`
  CLI_BCP_BCP,      // the planner `bcp`
  CLI_BCP_PLAYERS,
} cli_bcp_player_t;

typedef enum cli_bcp_scenario_t { CLI_BCP_RESCUE, CLI_BCP_GROUPS, CLI_BCP_SCENARIOS } cli_bcp_scenario_t;

typedef struct cli_bcp_sample_t {
  int32_t units;  // the hero not included
  int32_t number;
  int32_t steps[CLI_BCP_PLAYERS];  // of all units, until each has arrived; -1: not all have
  int32_t hero[CLI_BCP_PLAYERS];   // of the hero; -1 where there is none
  double delay_ms;                 // until `bcp` has planned the first move
} cli_bcp_sample_t;

enum { CLI_BCP_EXTENSIONS = 3, CLI_BCP_ITERATIONS_MAX = 64, CLI_BCP_SAMPLES_MAX = 1000 };

typedef struct cli_bcp_report_t {
  cli_host_t host;
  int32_t sample_count;    // for each number of units
  int32_t run_count;       // of the hero's flight, for each number of iterations
  int32_t iterations_max;  // of those runs
  int64_t seed;
  cli_bcp_sample_t * samples[CLI_BCP_SCENARIOS];  // by number of units, then sample
  int32_t * damages[CLI_BCP_EXTENSIONS];          // by iterations, then run
} cli_bcp_report_t;

// The numbers of units of a scenario.
int32_t cli_bcp_units_first(cli_bcp_scenario_t scenario);
int32_t cli_bcp_units_last(cli_bcp_scenario_t scenario);

// Returns an exit code after saying what is wrong. The report must be finished whatever comes back.
int cli_bcp_run(cli_bcp_report_t * report);
void cli_bcp_fini(cli_bcp_report_t * report);

// ---- telling --------------------------------------------------------------------------------------------------------

// Means over the samples of one number of units.
typedef struct cli_bcp_row_t {
  int32_t units;
  double steps[CLI_BCP_PLAYERS];
  double hero[CLI_BCP_PLAYERS];
  int32_t hero_most[CLI_BCP_PLAYERS];
  int32_t late[CLI_BCP_PLAYERS];  // samples in which not all have arrived
  double delay_ms;                // median
  double delay_most_ms;
} cli_bcp_row_t;

cli_bcp_row_t cli_bcp_row(const cli_bcp_report_t * report, cli_bcp_scenario_t scenario, int32_t units);
// Milliseconds in the paper's Table 1, 0 where it has none.
int32_t cli_bcp_paper_delay(cli_bcp_scenario_t scenario, int32_t units);
// The mean of what the hero loses with a number of iterations, and the share of runs in which that is more than it has: as
// in the paper its hit points are the mean of its losses over all numbers of iterations, here of the same run.
double cli_bcp_damage(const cli_bcp_report_t * report, int32_t extension, int32_t iterations);
double cli_bcp_death_rate(const cli_bcp_report_t * report, int32_t extension, int32_t iterations);

void cli_bcp_print_words(const cli_bcp_report_t * report);
void cli_bcp_print_json(const cli_bcp_report_t * report);
void cli_bcp_write_csv(const cli_bcp_report_t * report, FILE * stream);
void cli_bcp_write_svg(const cli_bcp_report_t * report, FILE * stream);

#endif  // BENCH__BENCH_BCP_H_
