// Lifelong MAPF: robots get a new random goal whenever they arrive, and a planner with a rolling horizon (`whca`,
// `pibt`) plans tick after tick: each round is one fw_planner_solve with `horizon` and `since`, as the fleet
// controller calls it. `bench lifelong` reports it; `bench scaling --lifelong` measures how it grows.
//
// Every robot has a sequence of goals of its own, which depends on the map and the seed alone, so that planners can be
// compared; goals of several robots may be the same place. With distinct goals, those that another robot has at the
// moment are skipped.

#ifndef BENCH__LIFELONG_H_
#define BENCH__LIFELONG_H_

#include "base/rng.h"
#include "bench/bench.h"
#include "cli/common/progress.h"
#include "planner/fleet.h"

typedef struct bench_life_options_t {
  const char * planner;  // "name:key=value:key=value"; NULL: "whca"
  int64_t ticks;
  int64_t window;       // planning horizon in ticks
  int64_t goals_every;  // 0: a new goal on arrival only; N: also every N ticks, reached or not
  int64_t seed;
  bool has_distinct_goals;
} bench_life_options_t;

// What the planner has counted, over all rounds.
typedef struct bench_life_counts_t {
  int64_t searches;
  int64_t expanded;
  int64_t overridden;
  int64_t rollbacks;
  int64_t promotions;
  int64_t stops;
  int64_t stepped;
  int64_t cut_rounds;
  size_t memory_peak_bytes;
} bench_life_counts_t;

// Where a piece of the drive begins that is checked at once.
typedef struct bench_life_piece_t {
  fw_robot_t * robots;
  fw_closure_t * closures;
  int32_t closure_count;
  fw_tick_t from;
} bench_life_piece_t;

// A fleet that keeps driving.
typedef struct bench_life_t {
  fw_memory_t memory;
  fw_arena_t arena;
  cli_progress_t progress;
  fw_planner_t planner;
  fw_robot_t * robots;      // of the problem: where they are now, and their goals
  fw_closure_t * closures;  // of the problem, in ticks from now on
  fw_problem_t problem;     // of the present round
  const fw_problem_t * given;
  bench_life_counts_t counts;
  // For the choice of goals only: whether a robot can reach one. The planner has a fleet of its own.
  fw_meter_t meter;
  fw_planner_context_t context;
  fw_fleet_t fleet;
  uint64_t sequence_seed;
  bool has_distinct_goals;
  bool has_rules;      // one-way or no-waiting areas
  int32_t * goals_at;  // by cell: how many robots cover it at their goals, whatever their headings
  int32_t * draws;     // by robot: places drawn of its sequence
  int32_t * given_at;  // by robot: the tick at which it got its goal
  int32_t longest_wait;
  int32_t * component;  // by node: which connected component of the floor it is in, from 1; -1 where it closes forever
  int32_t * in_component;        // nodes by component, in rising order
  int32_t * component_at;        // by component: index of its first node in `in_component`; one more for the end
  bench_life_piece_t pieces[2];  // the present one, and the next one while they overlap
  int32_t overlap;               // ticks
  fw_grid_pose_t * trace;        // poses, by tick of the present piece, then by robot
  fw_path_t * paths;             // the same for the checker
  fw_cell_t * cells;
  uint8_t * headings;
  double * round_ms;          // by tick
  double * cpu_ms;            // by tick: processor time
  int64_t * searches;         // by tick
  int64_t * expanded;         // by tick
  int64_t * reached;          // by tick: goals reached so far
  int32_t ticks;              // passed
  int64_t goals;              // reached and replaced by a new one
  int64_t changes;            // goals assigned, including those replaced before they were reached
  size_t early_memory_bytes;  // peak of the planner's memory after a tenth of the ticks
} bench_life_t;

// Drives for `options->ticks` ticks and checks the driven paths. Returns an exit code after an error message;
// CLI_NOT_SOLVED: interrupted. `life` is `{0}` before, must not be moved, and needs bench_life_fini in every case.
int bench_life_run(bench_life_t * life, const fw_problem_t * problem, const bench_life_options_t * options);
void bench_life_fini(bench_life_t * life);

typedef struct bench_life_figures_t {
  double goals_per_1000_ticks;
  double round_ms[3];  // median, 99th percentile, worst
  double cpu_ms[3];    // mean, 99th percentile, worst
  double searches[3];  // mean, 99th percentile, most
  double expanded;     // mean over all rounds but the first, which plans all robots
  double expanded_p99;
  double expanded_most;
  int32_t longest_wait;    // ticks that a robot had one goal
  double memory_mb;        // peak of the planner's memory
  double early_memory_mb;  // the same after a tenth of the ticks
} bench_life_figures_t;

bench_life_figures_t bench_life_figures(const bench_life_t * life);

#endif  // BENCH__LIFELONG_H_
