// A second checker of plans, written from the contract alone: looks at every tick, every two robots and every cell.
// O(robots^2 x ticks x cells), for tiny worlds; shares nothing with src/plan.

#ifndef SUPPORT__NAIVE_H_
#define SUPPORT__NAIVE_H_

#include "fleetweave/fleetweave.h"

typedef struct naive_verdict_t {
  bool is_broken;
  bool is_alone;   // a robot breaks a rule by itself; what it covers just before is then undefined
  bool is_later;   // the same, after `until`
  fw_tick_t tick;  // the earliest at which something is wrong
} naive_verdict_t;

// As fw_check_paths: `until` = FW_TICK_MAX means for ever, and requires the goals to be reached.
naive_verdict_t naive_check(const fw_problem_t * problem, const fw_path_t * paths, fw_tick_t until);

// Whether the robot covers the cell at `tick`. During a motion it covers both ends and what it sweeps.
bool naive_covers(const fw_problem_t * problem, const fw_path_t * paths, int32_t robot, fw_offset_t at, fw_tick_t tick);

#endif  // SUPPORT__NAIVE_H_
