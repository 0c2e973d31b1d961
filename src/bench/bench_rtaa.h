// `bench rtaa`: what has been measured, between the parts that take options (bench_rtaa.c), make worlds
// (bench_rtaa_world.c), run (bench_rtaa_run.c), solve the five tasks (bench_rtaa_tasks.c) and tell (bench_rtaa_report.c,
// bench_rtaa_svg.c).

#ifndef BENCH__BENCH_RTAA_H_
#define BENCH__BENCH_RTAA_H_

#include <stdio.h>

#include "bench/bench.h"
#include "fleetweave/batch.h"

// The maps and groups of the paper, with what it says of them.
enum { CLI_RTAA_MAPS = 6, CLI_RTAA_GROUPS = 6 };

typedef struct cli_rtaa_map_t {
  const char * name;
  int32_t side;
  double paper_length;  // mean, over all groups
  double paper_episodes;
} cli_rtaa_map_t;

typedef struct cli_rtaa_group_t {
  const char * name;
  int32_t robots;
  double paper_mb;  // of GPU memory
} cli_rtaa_group_t;

extern const cli_rtaa_map_t cli_rtaa_maps[CLI_RTAA_MAPS];
extern const cli_rtaa_group_t cli_rtaa_groups[CLI_RTAA_GROUPS];

// ---- worlds: bench_rtaa_world.c -------------------------------------------------------------------------------------

typedef struct cli_rtaa_world_t {
  fw_grid_t grid;
  fw_cell_t * starts;
  fw_cell_t * goals;
  int32_t robots;
} cli_rtaa_world_t;

// A square map with so many per cent of cells blocked, and robots at random on its largest part. An exit code after saying
// what is wrong.
int cli_rtaa_world_make(cli_rtaa_world_t * world, int32_t side, int32_t robots, int32_t obstacles, int64_t seed);
void cli_rtaa_world_fini(cli_rtaa_world_t * world);

// ---- what was measured ----------------------------------------------------------------------------------------------

typedef struct cli_rtaa_way_t {
  int32_t threads;
  bool is_fused;
  int32_t stride;  // episodes per call
} cli_rtaa_way_t;

// One map and group, run in one way, with one or more seeds: means over them, of several repeats the fastest.
typedef struct cli_rtaa_row_t {
  int32_t map;    // index into cli_rtaa_maps
  int32_t group;  // index into cli_rtaa_groups
  cli_rtaa_way_t way;
  char backend[16];
  char note[192];
  int32_t seeds;
  double total_s;
  double cpu_s;         // of all threads
  double mean_length;   // of the robots that arrived
  double least_length;  // the same of the seed with the shortest, and with the longest
  double most_length;
  double mean_episodes;    // of the robots that arrived
  int64_t robot_episodes;  // of all robots
  int32_t passes;          // the most episodes that a robot took
  int32_t arrived;         // the fewest of any seed
  double touched_gb;       // memory read and written, at most: what a robot has, once in every call
  double memory_mb;
  double map_kb;
  size_t robot_bytes;
  uint64_t digest;  // of all robots' ends with the first seed: equal for every way of running
} cli_rtaa_row_t;

enum { CLI_RTAA_TASKS = 5, CLI_RTAA_TASK_MIN = 3, CLI_RTAA_TASK_MAX = 7 };

typedef struct cli_rtaa_task_t {
  int32_t length[CLI_RTAA_TASK_MAX + 1];  // by lookahead, 0 for A*; -1: not arrived
  int32_t episodes[CLI_RTAA_TASK_MAX + 1];
} cli_rtaa_task_t;

enum { CLI_RTAA_ROWS_MAX = CLI_RTAA_MAPS * CLI_RTAA_GROUPS, CLI_RTAA_WAYS_MAX = 16 };

typedef struct cli_rtaa_report_t {
  cli_host_t host;
  fw_batch_options_t batch;  // of all runs; threads, fused and so on are the rows' own
  cli_rtaa_way_t way;        // of `rows`
  int32_t obstacles;
  int64_t seed;  // the first of
  int32_t seeds;
  int32_t repeat;
  bool has_map[CLI_RTAA_MAPS];
  bool has_group[CLI_RTAA_GROUPS];
  // Filled by the run:
  cli_rtaa_row_t rows[CLI_RTAA_ROWS_MAX];
  int32_t row_count;
  cli_rtaa_row_t ways[CLI_RTAA_WAYS_MAX];  // the largest map and group, run in other ways
  int32_t way_count;
  cli_rtaa_task_t tasks[CLI_RTAA_TASKS];
  double copy_gb_per_s;  // of this machine's memory, one thread, read and written bytes together
} cli_rtaa_report_t;

// Everything. CLI_NOT_SOLVED if it was interrupted; CLI_FAILURE after saying so if two ways of running differ.
int cli_rtaa_run(cli_rtaa_report_t * report);
int cli_rtaa_run_tasks(cli_rtaa_report_t * report);
void cli_rtaa_print_tasks(const cli_rtaa_report_t * report);

static inline double cli_rtaa_per_episode_ms(const cli_rtaa_row_t * row)
{
  return row->mean_episodes > 0.0 ? row->total_s * 1e3 / row->mean_episodes : 0.0;
}
static inline double cli_rtaa_per_pass_ms(const cli_rtaa_row_t * row)
{
  return row->passes > 0 ? row->total_s * 1e3 / row->passes : 0.0;
}
// Robot-episodes per second of a core, by the processor's time: others may use the machine as well.
static inline double cli_rtaa_rate(const cli_rtaa_row_t * row)
{
  return row->cpu_s > 0.0 ? (double)row->robot_episodes / row->cpu_s : 0.0;
}
// What was touched against what could have been copied in that time, 0 to 1, in one thread's bandwidth.
static inline double cli_rtaa_bandwidth(const cli_rtaa_row_t * row, double copy_gb_per_s)
{
  return row->cpu_s > 0.0 && copy_gb_per_s > 0.0 ? row->touched_gb / row->cpu_s / copy_gb_per_s : 0.0;
}

void cli_rtaa_print_words(const cli_rtaa_report_t * report);
void cli_rtaa_print_json(const cli_rtaa_report_t * report);
void cli_rtaa_write_csv(const cli_rtaa_report_t * report, FILE * stream);
void cli_rtaa_write_svg(const cli_rtaa_report_t * report, FILE * stream);

#endif  // BENCH__BENCH_RTAA_H_
