// What the experiments share: the description of the machine, statistics, the options --csv and --json and what they
// write, lists such as `--planners a,b`, and one measured solve.

#ifndef BENCH__BENCH_H_
#define BENCH__BENCH_H_

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "cli/common/command.h"
#include "cli/common/json.h"
#include "cli/common/options.h"
#include "cli/common/solve.h"
#include "fleetweave/fleetweave.h"

#define BENCH_COUNT(array) ((int32_t)(sizeof(array) / sizeof((array)[0])))

// ---- the machine ----------------------------------------------------------------------------------------------------

// Measurements mean little without the machine and the day they come from.
typedef struct bench_host_t {
  char cpu[128];  // "unknown" where /proc/cpuinfo does not say
  long cores;     // online
  char date[32];  // UTC, 2026-11-05T10:20:30Z
} bench_host_t;

void bench_host_read(bench_host_t * host);
// The first line of a table, and the first members of a JSON object.
void bench_host_print(const bench_host_t * host);
void bench_host_write(const bench_host_t * host, cli_json_t * json);

// ---- statistics -----------------------------------------------------------------------------------------------------

enum { BENCH_REPEAT_MAX = 1000 };

// The median (the mean of the two middle values for an even count). Sorts `values`. 0 for an empty array.
double bench_median(double * values, int32_t count);
// The value below which `share` of the values lie (0.99: the 99th percentile). Sorts `values`. 0 for an empty array.
double bench_percentile(double * values, int32_t count, double share);

// ---- output ---------------------------------------------------------------------------------------------------------

// The values of the options that every experiment has.
typedef struct bench_output_t {
  const char * csv;  // NULL: no file
  bool is_json;
} bench_output_t;

// --csv and --json, for a cli_group_t "Output" with a bench_output_t as values.
extern const cli_option_t bench_output_options[];

// The three forms of one report.
typedef struct bench_report_t {
  const void * state;  // handed to the functions
  void (*print_text)(const void * state);
  void (*print_json)(const void * state);
  void (*write_csv)(const void * state, FILE * stream);  // NULL: the CSV file was written while measuring
} bench_report_t;

// Whether the CSV file can be written, tested before a long run. False after an error message.
bool bench_output_is_possible(const bench_output_t * output);
// Prints the text or the JSON, and writes the CSV file. Returns an exit code after an error message.
int bench_output_write(const bench_output_t * output, const bench_report_t * report);

// A CSV field in quotes: the specification of a generated map contains commas.
void bench_write_quoted(FILE * stream, const char * text);

// ---- unknown obstacles ----------------------------------------------------------------------------------------------

typedef struct bench_unknown_t {
  int64_t hidden;  // per cent of the obstacles
  int64_t sight;   // cells; 3 by default
} bench_unknown_t;

// --hidden and --sight, for a cli_group_t "Unknown obstacles" with a bench_unknown_t as values.
extern const cli_option_t bench_unknown_options[];

// ---- lists ----------------------------------------------------------------------------------------------------------

enum { BENCH_NAMES_MAX = 32, BENCH_NAMES_SIZE = 1024 };

// The words of "a,b,c". `items` points into `text`: not to be copied.
typedef struct bench_names_t {
  char text[BENCH_NAMES_SIZE];
  const char * items[BENCH_NAMES_MAX];
  int32_t count;
} bench_names_t;

// Splits `text` at its commas. `option` names the option in the error message. Returns an exit code after an error
// message: a word is empty, or there are too many.
int bench_names_read(bench_names_t * names, const char * option, const char * text);

// ---- one solve ------------------------------------------------------------------------------------------------------

typedef struct bench_run_t {
  bool has_failed;  // no answer, or one that fails its check; an error message has been printed
  fw_outcome_t outcome;
  fw_stop_t stop;
  fw_stats_t stats;
} bench_run_t;

// Solves with a new planner, so that nothing is kept from an earlier run, and checks the plan. CLI_USAGE: the request
// is wrong. CLI_NOT_SOLVED: interrupted, the run is not a measurement. Otherwise CLI_SUCCESS, and `run` says how it
// ended.
int bench_solve(const cli_solve_request_t * request, bench_run_t * run);

// ---- grids ----------------------------------------------------------------------------------------------------------

int32_t bench_count_free(const fw_grid_t * grid);

// The cells of the largest 4-connected component of the free cells, in rising order, in `cells`, which has room for all
// cells of the grid. Returns their number, -1 when there is no memory.
int32_t bench_find_largest_component(const fw_grid_t * grid, fw_cell_t * cells);

#endif  // BENCH__BENCH_H_
