// A second opinion on a plan, from the words of the contract alone: for every tick, every two robots and every cell.
// O(robots^2 x ticks x cells), for tiny worlds; shares nothing with src/plan/check.c.

#ifndef SUPPORT__NAIVE_H_
#define SUPPORT__NAIVE_H_

#include "fleetweave/fleetweave.h"

typedef struct naive_verdict_t {
  bool is_broken;
  bool is_alone;   // a robot breaks a rule by itself, so what it covers just before is a matter of taste
  bool is_later;   // the same, after `until`
  fw_tick_t tick;  // the earliest at which something is wrong
} naive_verdict_t;

// As fw_check_paths: `until` = FW_TICK_MAX looks for ever and asks for the goals.
naive_verdict_t naive_check(const fw_problem_t * problem, const fw_path_t * paths, fw_tick_t until);

// Does the robot cover (x, y) at `tick`? On the way it covers both ends and what it sweeps.
bool naive_covers(const fw_problem_t * problem, const fw_path_t * paths, int32_t robot, fw_offset_t at, fw_tick_t tick);

#endif  // SUPPORT__NAIVE_H_
