// Lifelong MAPF: robots get a new random goal whenever they arrive, and the rolling horizon of `whca` plans tick after
// tick: each round is one fw_planner_solve with `horizon` and `since`, as the fleet controller calls it. `bench
// lifelong` reports it; `bench scaling --lifelong` measures how it grows.

#ifndef BENCH__LIFELONG_H_
#define BENCH__LIFELONG_H_

#include "base/rng.h"
#include "bench/bench.h"
#include "cli/common/progress.h"
#include "planner/fleet.h"

typedef struct bench_life_options_t {
  int64_t ticks;
  int64_t window;       // planning horizon in ticks
  int64_t goals_every;  // 0: a new goal on arrival only; N: also every N ticks, reached or not
  int64_t seed;
} bench_life_options_t;

// What the planner has counted, over all rounds.
typedef struct bench_life_counts_t {
  int64_t searches;
  int64_t expanded;
  int64_t overridden;
  int64_t rollbacks;
  int64_t promotions;
  int64_t stops;
  size_t memory_peak_bytes;
} bench_life_counts_t;

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
  fw_rng_t rng;
  bool * is_goal;       // by cell: covered by some robot at its goal, whatever its heading
  int32_t * component;  // by node: which connected component of the floor it is in, from 1; -1 where it closes forever
  int32_t * in_component;  // nodes by component, in rising order
  int32_t * component_at;  // by component: index of its first node in `in_component`; one more for the end
  fw_grid_pose_t * trace;  // poses, by tick, then by robot
  double * round_ms;       // by tick
  int64_t * searches;      // by tick
  int64_t * expanded;      // by tick
  int64_t * reached;       // by tick: goals reached so far
  int32_t ticks;           // passed
  int64_t goals;           // reached and replaced by a new one
  int64_t changes;         // goals assigned, including those replaced before they were reached
} bench_life_t;

// Drives for `options->ticks` ticks and checks the driven paths. Returns an exit code after an error message;
// CLI_NOT_SOLVED: interrupted. `life` is `{0}` before, must not be moved, and needs bench_life_fini in every case.
int bench_life_run(bench_life_t * life, const fw_problem_t * problem, const bench_life_options_t * options);
void bench_life_fini(bench_life_t * life);

typedef struct bench_life_figures_t {
  double goals_per_1000_ticks;
  double round_ms[3];  // median, 99th percentile, worst
  double searches[3];  // mean, 99th percentile, most
  double expanded;     // mean over all rounds but the first, which plans all robots
  double memory_mb;    // peak of the planner's memory
} bench_life_figures_t;

bench_life_figures_t bench_life_figures(const bench_life_t * life);

#endif  // BENCH__LIFELONG_H_
