// A fleet that never ends, between the part that takes options (bench_lifelong.c), the fleet itself
// (bench_lifelong_fleet.c) and the part that tells (bench_lifelong_report.c). `bench scaling` has it run too.

#ifndef BENCH__BENCH_LIFELONG_H_
#define BENCH__BENCH_LIFELONG_H_

#include <stdio.h>

#include "base/rng.h"
#include "bench/bench.h"
#include "cli/progress.h"
#include "planner/window/window.h"

typedef struct cli_life_options_t {
  int64_t ticks;
  int64_t window;       // ticks that robots plan ahead
  int64_t goals_every;  // 0: a new goal on arrival only; N: also every N ticks, wherever the robot is by then
  int64_t seed;
} cli_life_options_t;

// The machine's memory is apart from what the bench writes down, so that it can be told.
typedef struct cli_life_t {
  fw_memory_t memory;
  fw_arena_t arena;
  fw_memory_t record_memory;
  fw_arena_t records;
  cli_progress_t progress;
  fw_meter_t meter;
  fw_planner_context_t context;
  fw_robot_t * robots;  // of the problem; their goals change
  fw_problem_t problem;
  fw_fleet_t fleet;
  fw_window_t window;
  fw_rng_t rng;
  bool * is_goal;      // by cell: somebody's, with what the robot covers there for certain
  int32_t * part;      // by node: which connected part of the floor it is in, from 1; -1 where it closes for ever
  int32_t * in_part;   // nodes by their part, in rising order
  int32_t * part_at;   // by part: where its nodes begin in `in_part`; one more for the end of the last
  fw_grid_pose_t * trace;   // tick after tick
  double * round_ms;   // by tick
  int64_t * searches;  // by tick
  int64_t * expanded;  // by tick
  int64_t * reached;   // by tick: goals
  int32_t ticks;       // that have passed
  int64_t goals;       // reached, and followed by another
  int64_t changes;     // goals given, those that were taken away before they were reached included
} cli_life_t;

// Drives for so many ticks and checks what was driven. Returns an exit code after saying what is wrong, CLI_NOT_SOLVED
// if it was interrupted. `life` is `{0}` before, must not be moved, and must be finished whatever comes back.
int cli_life_run(cli_life_t * life, const fw_problem_t * problem, const cli_life_options_t * options);
void cli_life_fini(cli_life_t * life);

// Inside (bench_lifelong_goals.c). Goals are drawn within a robot's own part of the floor; what is closed for ever is a
// wall between parts. False when there is no memory.
bool cli_life_label_parts(cli_life_t * life);
void cli_life_mark_goal(cli_life_t * life, int32_t robot, bool is_goal);
// Another goal in the robot's part of the floor that nobody has. False if there is none: it keeps the one it has.
bool cli_life_give_goal(cli_life_t * life, int32_t robot);

typedef struct cli_life_figures_t {
  double goals_per_1000_ticks;
  double round_ms[3];  // median, 99th percentile, worst
  double searches[3];  // mean, 99th percentile, most
  double expanded;     // mean of the rounds behind the first, which plans everybody
  double memory_mb;    // the machine's, at its highest
} cli_life_figures_t;

cli_life_figures_t cli_life_figures(const cli_life_t * life);

void cli_life_print_words(const cli_life_t * life, const cli_life_options_t * options, const char * map_name);
void cli_life_print_json(const cli_life_t * life, const cli_life_options_t * options, const char * map_name);
void cli_life_write_csv(const cli_life_t * life, FILE * stream);  // a line per tick, with a header

#endif  // BENCH__BENCH_LIFELONG_H_
