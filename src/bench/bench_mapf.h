// What `bench mapf` has measured, between the part that runs (bench_mapf.c) and the part that tells
// (bench_mapf_report.c).

#ifndef BENCH__BENCH_MAPF_H_
#define BENCH__BENCH_MAPF_H_

#include <stdbool.h>
#include <stdio.h>

#include "bench/bench.h"
#include "fleetweave/fleetweave.h"

enum { CLI_BENCH_REPEAT_MAX = 1000 };

typedef struct cli_mapf_run_t {
  bool has_failed;  // no answer, or one that fails its check; the reason has been said
  fw_outcome_t outcome;
  fw_stop_t stop;
  fw_stats_t stats;
} cli_mapf_run_t;

// A planner with a number of robots; `repeat` runs, of which `run_count` are done.
typedef struct cli_mapf_row_t {
  const char * planner;
  int32_t robot_count;
  cli_mapf_run_t * runs;
  int32_t run_count;
} cli_mapf_row_t;

typedef struct cli_mapf_report_t {
  cli_host_t host;
  const char * map_name;
  const char * scen_name;      // NULL: random robots
  const char * closures_name;  // NULL: none
  const char * fleet_name;     // NULL: none
  int64_t seed;
  int64_t threads;
  double time_limit;
  int32_t repeat;
  cli_mapf_row_t * rows;  // robots by robots, planners in their order
  int32_t row_count;
  int32_t planner_count;
} cli_mapf_report_t;

void cli_mapf_print_table(const cli_mapf_report_t * report);
void cli_mapf_print_json(const cli_mapf_report_t * report);
void cli_mapf_write_csv_header(FILE * stream);
void cli_mapf_write_csv_run(
  FILE * stream, const cli_mapf_report_t * report, const cli_mapf_row_t * row, int32_t run_index);

#endif  // BENCH__BENCH_MAPF_H_
