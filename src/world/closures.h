// Closures behind the door: sorted by cell and time, disjoint, none on obstacles.

#ifndef WORLD__CLOSURES_H_
#define WORLD__CLOSURES_H_

#include "world/body.h"

// Sorts and merges the problem's closures into `merged`, which has room for all of them. Returns how many are left.
int32_t fw__closures_merge(const fw_problem_t * problem, fw_closure_t * merged);

// The questions below are about a problem that was normalised (world/problem.h).

// The first tick, `tick` or later, at which a robot that stands on `place` covers a closed cell; FW_TICK_MAX for none.
fw_tick_t fw__closures_next(const fw_problem_t * problem, fw_footprint_t footprint, fw_cell_t place, fw_tick_t tick);
// The last tick up to which a robot can stand on `place` from `tick` on: FW_TICK_MAX for ever.
fw_tick_t fw__closures_open_until(
  const fw_problem_t * problem, fw_footprint_t footprint, fw_cell_t place, fw_tick_t tick);
// The same for all robots on their starts: that long it is safe that everybody waits.
fw_tick_t fw__closures_starts_open_until(const fw_bodies_t * bodies);

#endif  // WORLD__CLOSURES_H_
