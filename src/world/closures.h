// Closures: cells that are closed from one tick to another, for doors, lifts and the robots of others.
//
// A normalised problem (world/problem.h) has them sorted by cell and time, neither overlapping nor adjoining, and none
// on obstacles.

#ifndef WORLD__CLOSURES_H_
#define WORLD__CLOSURES_H_

#include "world/body.h"

// Sorts and merges the problem's closures into `merged`, which must have room for all of them. Returns how many are
// left.
int32_t fw__closures_merge(const fw_problem_t * problem, fw_closure_t * merged);

// Whether closures are as a normalised problem has them.
bool fw__closures_validate(const fw_closure_t * closures, int32_t count);

// The index of the first closure of `cell` that ends at `tick` or later, or of a later cell; `count` if there is none.
// The closures must be sorted by cell and time and must not overlap.
int32_t fw__closures_find(const fw_closure_t * closures, int32_t count, fw_cell_t cell, fw_tick_t tick);

// The functions below need a normalised problem.

// The first tick, `tick` or later, at which a robot that stands on `place` would cover a closed cell; FW_TICK_MAX for
// none.
fw_tick_t fw__closures_next(const fw_problem_t * problem, fw_footprint_t footprint, fw_cell_t place, fw_tick_t tick);
// The last tick up to which a robot can stand on `place` from `tick` on; FW_TICK_MAX forever.
fw_tick_t fw__closures_open_until(
  const fw_problem_t * problem, fw_footprint_t footprint, fw_cell_t place, fw_tick_t tick);
// The same for all robots on their starts: up to this tick it is safe that all of them wait.
fw_tick_t fw__closures_starts_open_until(const fw_bodies_t * bodies);

#endif  // WORLD__CLOSURES_H_
