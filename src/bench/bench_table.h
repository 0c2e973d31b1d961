// What `bench table` has measured, between the part that takes options (bench_table.c), the part that runs
// (bench_table_run.c) and the part that tells (bench_table_report.c).

#ifndef BENCH__BENCH_TABLE_H_
#define BENCH__BENCH_TABLE_H_

#include "bench/bench.h"
#include "fleetweave/fleetweave.h"

// The work that both sides do. Reservations are counted by cell and tick on both sides.
typedef enum cli_table_work_t {
  CLI_TABLE_FILL,     // reservations: from nothing, memory included
  CLI_TABLE_INSERT,   // reservations: into memory that is there
  CLI_TABLE_LOOK_UP,  // questions: who has this place at this tick
  CLI_TABLE_GAP,      // questions: from when to when is this place free around this tick
  CLI_TABLE_REMOVE,   // reservations
  CLI_TABLE_WORK_COUNT,
} cli_table_work_t;

typedef enum cli_table_side_t { CLI_TABLE_ROWS, CLI_TABLE_HASH, CLI_TABLE_SIDE_COUNT } cli_table_side_t;

// One map with the paths of one plan.
typedef struct cli_table_case_t {
  const char * map_name;
  const char * planner;
  int32_t robot_count;
  int32_t place_count;   // free cells
  fw_tick_t end;         // the plan's makespan: time ends there for both
  int64_t reservations;  // cells and ticks
  int64_t stays;         // what the table makes of them
  int32_t question_count;
  int32_t hit_count;                                              // questions about a place that somebody has then
  double per_second[CLI_TABLE_SIDE_COUNT][CLI_TABLE_WORK_COUNT];  // medians
  size_t bytes[CLI_TABLE_SIDE_COUNT];                             // held when everything is in
  double hash_load;                                               // share of the slots that are in use then
} cli_table_case_t;

typedef struct cli_table_request_t {
  const fw_problem_t * problem;
  const fw_plan_t * plan;  // solved
  int32_t question_count;
  int32_t repeat;
  uint64_t seed;
} cli_table_request_t;

// Measures both sides on the same paths and compares every answer. Returns an exit code after saying what is wrong:
// CLI_FAILURE if an answer differs.
int cli_table_measure(const cli_table_request_t * request, cli_table_case_t * result);

void cli_table_print_words(const cli_table_case_t * cases, int32_t case_count, int32_t repeat);
void cli_table_print_json(const cli_table_case_t * cases, int32_t case_count, int32_t repeat);

#endif  // BENCH__BENCH_TABLE_H_
