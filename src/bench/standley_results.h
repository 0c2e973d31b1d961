// Results of `bench standley`: a row per solve, in memory and in files, and the figures made of them.
//
// A file is a line of settings, a line of column names, and a line per solve, appended as they come: an interrupted run
// continues from it, and files of shards can be merged.

#ifndef BENCH__STANDLEY_RESULTS_H_
#define BENCH__STANDLEY_RESULTS_H_

#include <stdio.h>

#include "bench/bench.h"

enum {
  STANDLEY_ALGORITHMS_MAX = 16,
  STANDLEY_NAME_SIZE = 96,
  STANDLEY_SETTINGS_SIZE = 1024,
  STANDLEY_ROBOTS_MIN = 2,
  STANDLEY_ROBOTS_MAX = 60,
  STANDLEY_MANY_ROBOTS = 40,  // instances with more robots count for the excess over the lower bound
};

// The settings of a run. Files can be merged, and a run continued, only with equal settings.
typedef struct standley_settings_t {
  int64_t seed;
  int64_t instances;                        // in all, over all shards
  double time_limit;                        // seconds per solve; twice that for a largest group alone
  bool cuts_corners;                        // diagonals as in the paper
  char algorithms[STANDLEY_SETTINGS_SIZE];  // "od,hca:comparison=1:overrides=0"
} standley_settings_t;

// A planner with settings: "hca:comparison=1:overrides=0".
typedef struct standley_algorithm_t {
  char name[STANDLEY_NAME_SIZE];  // as given
  char planner[STANDLEY_NAME_SIZE];
} standley_algorithm_t;

// One solve.
typedef struct standley_row_t {
  int32_t instance;
  int32_t robots;
  bool is_group;  // the largest group of an instance, solved alone (figure 7)
  char algorithm[STANDLEY_NAME_SIZE];
  char outcome[16];
  char stop[16];
  double ms;
  int64_t sum_of_costs;
  int64_t lower_bound;
  int64_t alone;  // sum of the single-robot shortest path lengths
  int64_t expanded;
  int64_t memory_bytes;
  int64_t largest_group;  // of robots planned together; -1 for planners without groups
} standley_row_t;

typedef struct standley_rows_t {
  standley_settings_t settings;
  standley_row_t * rows;
  int32_t count;
  int32_t capacity;
} standley_rows_t;

// Whether the planner did all that it promises: an optimal planner with its proof, any other with a plan.
bool bench_standley_is_solved(const standley_row_t * row);

// Splits the settings' list of algorithms. Returns how many there are, 0 after an error message.
int32_t bench_standley_algorithms(const standley_settings_t * settings, standley_algorithm_t * algorithms);

// ---- rows in memory and in files ------------------------------------------------------------------------------------

bool bench_standley_add(standley_rows_t * rows, const standley_row_t * row);  // false: no memory
void bench_standley_sort(standley_rows_t * rows);                             // by instance, then by algorithm
void bench_standley_fini(standley_rows_t * rows);

void bench_standley_write_row(const standley_row_t * row, FILE * stream);
bool bench_standley_write_file(const standley_rows_t * rows, const char * path);  // false after an error message
// Reads a file and adds its rows. If `rows` already has settings (instances > 0), those of the file must be equal.
// Returns an exit code after an error message. An incomplete last line is left out.
int bench_standley_read_file(standley_rows_t * rows, const char * path);

// ---- report ---------------------------------------------------------------------------------------------------------

// Prints the report as text or JSON; the rows are the CSV file already. Returns an exit code after an error message.
int bench_standley_report(const standley_rows_t * rows, const bench_output_t * output);

#endif  // BENCH__STANDLEY_RESULTS_H_
