// `bench standley`: rows of measurements between the parts that take options (bench_standley.c), run
// (bench_standley_run.c), keep rows in files (bench_standley_rows.c), sum up (bench_standley_figures.c) and tell
// (bench_standley_report.c, bench_standley_svg.c). `bench merge` joins the files of shards.

#ifndef BENCH__BENCH_STANDLEY_H_
#define BENCH__BENCH_STANDLEY_H_

#include <stdio.h>

#include "bench/bench.h"
#include "fleetweave/fleetweave.h"

enum {
  CLI_STANDLEY_ALGORITHMS_MAX = 16,
  CLI_STANDLEY_NAME_SIZE = 96,
  CLI_STANDLEY_SETTINGS_SIZE = 1024,
  CLI_STANDLEY_ROBOTS_MIN = 2,
  CLI_STANDLEY_ROBOTS_MAX = 60,
  CLI_STANDLEY_MANY_ROBOTS = 40,  // the excess over the lower bound is that of instances with more
};

// ---- what is measured -----------------------------------------------------------------------------------------------

// What two files must have in common to be joined, and a file with the run that goes on with it.
typedef struct cli_standley_settings_t {
  int64_t seed;
  int64_t instances;                            // in all, over all shards
  double time_limit;                            // seconds per solve; twice as much for a largest group alone
  bool cuts_corners;                            // as in the paper
  char algorithms[CLI_STANDLEY_SETTINGS_SIZE];  // "od,hca:orders=1:overrides=0"
} cli_standley_settings_t;

// A planner with settings: "hca:orders=1:overrides=0".
typedef struct cli_standley_algorithm_t {
  char name[CLI_STANDLEY_NAME_SIZE];  // as given
  char planner[CLI_STANDLEY_NAME_SIZE];
} cli_standley_algorithm_t;

// One solve.
typedef struct cli_standley_row_t {
  int32_t instance;
  int32_t robots;
  bool is_group;  // the largest group that od_id found, alone (figure 7)
  char algorithm[CLI_STANDLEY_NAME_SIZE];
  char outcome[16];
  char stop[16];
  double ms;
  int64_t sum_of_costs;
  int64_t lower_bound;
  int64_t alone;  // the sum of all shortest ways
  int64_t expanded;
  int64_t memory_bytes;
  int64_t largest_group;  // -1 where there are none
} cli_standley_row_t;

typedef struct cli_standley_rows_t {
  cli_standley_settings_t settings;
  cli_standley_row_t * rows;
  int32_t count;
  int32_t capacity;
} cli_standley_rows_t;

// Did it do all it promises: an optimal planner with its proof, any other with a plan?
bool cli_standley_is_solved(const cli_standley_row_t * row);

// Cuts the settings' list. Returns how many there are, 0 after saying what is wrong with it.
int32_t cli_standley_algorithms(const cli_standley_settings_t * settings, cli_standley_algorithm_t * algorithms);

// ---- rows in memory and in files ------------------------------------------------------------------------------------

bool cli_standley_add(cli_standley_rows_t * rows, const cli_standley_row_t * row);  // false: no memory
void cli_standley_sort(cli_standley_rows_t * rows);                                 // by instance, then as they came
void cli_standley_fini(cli_standley_rows_t * rows);

void cli_standley_write_head(const cli_standley_settings_t * settings, FILE * stream);
void cli_standley_write_row(const cli_standley_row_t * row, FILE * stream);
bool cli_standley_write_file(const cli_standley_rows_t * rows, const char * path);  // false after saying why
// Reads a file and adds its rows. Where `rows` has rows or settings (seed not negative), those of the file must be the
// same. Returns an exit code after saying what is wrong; a last line that was not finished is left out.
int cli_standley_read_file(cli_standley_rows_t * rows, const char * path);

// ---- running --------------------------------------------------------------------------------------------------------

typedef struct cli_standley_run_t {
  const cli_standley_settings_t * settings;
  const cli_standley_algorithm_t * algorithms;
  int32_t algorithm_count;
  int32_t shard;  // from 0
  int32_t shard_count;
  int32_t threads;
  int64_t memory_mb;
  bool is_processor_time;      // limits and times are the solving thread's, whatever else the machine does
  cli_standley_rows_t * rows;  // those that are there are not run again
  FILE * csv;                  // rows go here as they come; NULL for nowhere
} cli_standley_run_t;

// CLI_NOT_SOLVED if it was interrupted, else an exit code after saying what is wrong.
int cli_standley_run(const cli_standley_run_t * run);

// ---- figures --------------------------------------------------------------------------------------------------------

typedef struct cli_standley_figures_t {
  const char * algorithm;
  int32_t count;       // instances
  int32_t solved;      // see cli_standley_is_solved
  int32_t unsolvable;  // proved
  double median_ms;    // over all instances, solved or not
  double mean_ms;
  double p99_ms;
  double mean_largest_group;  // over solved instances; NaN where the planner has no groups
  double * solved_ms;         // sorted: the curve of figure 6
} cli_standley_figures_t;

// The largest groups of one size, alone (figure 7).
typedef struct cli_standley_group_figures_t {
  int32_t size;
  int32_t count;
  int32_t solved;
} cli_standley_group_figures_t;

// One order of hca beside od_id.
typedef struct cli_standley_orders_t {
  int32_t count;            // instances that both ran
  int32_t unsolved;         // by hca
  int32_t unsolved_but_od;  // of those, by od_id
  int32_t unsolved_by_both;
  int32_t many;      // instances of more than 40 robots that both solved
  double excess_od;  // mean cost over the lower bound of those
  double excess_hca;
} cli_standley_orders_t;

// Figures of an algorithm; fini frees the curve.
cli_standley_figures_t cli_standley_figures(const cli_standley_rows_t * rows, const char * algorithm);
void cli_standley_figures_fini(cli_standley_figures_t * figures);
// By size from 1 to 60; returns the number of sizes that there are.
int32_t cli_standley_group_figures(
  const cli_standley_rows_t * rows, const char * algorithm,
  cli_standley_group_figures_t figures[CLI_STANDLEY_ROBOTS_MAX]);
// The first algorithms of the list whose planners are hca and od_id. False if one is not there.
bool cli_standley_orders(const cli_standley_rows_t * rows, cli_standley_orders_t * orders);

typedef struct cli_standley_output_t {
  const char * svg;
  bool is_json;
} cli_standley_output_t;

// Words or JSON on stdout, and the picture. Returns an exit code after saying what is wrong.
int cli_standley_tell(const cli_standley_rows_t * rows, const cli_standley_output_t * output);
void cli_standley_print_words(const cli_standley_rows_t * rows);
void cli_standley_print_json(const cli_standley_rows_t * rows);
void cli_standley_write_svg(const cli_standley_rows_t * rows, FILE * stream);

#endif  // BENCH__BENCH_STANDLEY_H_
