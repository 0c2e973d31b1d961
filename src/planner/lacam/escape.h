// Where a robot may be among closures without being trapped: for every place and tick, whether a robot alone could go
// on for ever from there.
//
// Closures (world/closures.h) divide the time of a place into open intervals. A robot that is on a place when its
// interval ends must have left. `latest` of an interval is the last tick at which it can still leave in time, over
// however many places, to one that never closes again:
//
//   place 0  [0 ............ 9]            latest 5: to place 1 at tick 6, to place 2 at tick 7
//   place 1  [0 ...... 6]                  latest 6
//   place 2  [0 ............................ for ever
//
// A planner that decides tick by tick does not see a closure coming; it treats a place as closed from `latest` on.

#ifndef PLANNER__LACAM__ESCAPE_H_
#define PLANNER__LACAM__ESCAPE_H_

#include "world/moves.h"

typedef struct fw_open_interval_t {
  fw_tick_t from;
  fw_tick_t to;      // FW_TICK_MAX: for ever
  fw_tick_t latest;  // -1: from no tick of the interval
} fw_open_interval_t;

typedef struct fw_escape_t {
  int32_t * firsts;  // by place: the index of its first interval, and one entry more; NULL: there are no closures
  fw_open_interval_t * intervals;
  fw_tick_t last_change;  // no place opens or closes after this tick
} fw_escape_t;

// For robots of one cell on the places of `moves`. The problem is normalised and has no traffic rules. False when there
// is no memory.
bool fw__escape_init(fw_escape_t * escape, fw_arena_t * arena, const fw_moves_t * moves, const fw_problem_t * problem);

// The problem with cells that are closed for ever from tick 0 on as obstacles, so that distances lead around them; the
// problem itself if there are none. Not with eight directions where corners may not be cut: an obstacle forbids the
// diagonals beside it, a closure does not. Cells that are goals stay closed. NULL when there is no memory.
const fw_problem_t * fw__escape_block_closed(fw_arena_t * arena, const fw_problem_t * problem);

// The interval of the place that contains the tick; NULL if the place is closed then. Not without closures.
const fw_open_interval_t * fw__escape_find(const fw_escape_t * escape, int32_t place, fw_tick_t tick);

// Whether a robot may be on the place at the tick: it is open, and the robot is not trapped there.
static inline bool fw__escape_allows(const fw_escape_t * escape, int32_t place, fw_tick_t tick)
{
  if (escape->firsts == NULL) {
    return true;
  }
  const fw_open_interval_t * interval = fw__escape_find(escape, place, tick);
  return interval != NULL && tick <= interval->latest;
}
// The last tick up to which a robot can stand on the place from `tick` on.
static inline fw_tick_t fw__escape_open_until(const fw_escape_t * escape, int32_t place, fw_tick_t tick)
{
  const fw_open_interval_t * interval = escape->firsts == NULL ? NULL : fw__escape_find(escape, place, tick);
  return escape->firsts == NULL ? FW_TICK_MAX : interval == NULL ? tick - 1 : interval->to;
}

#endif  // PLANNER__LACAM__ESCAPE_H_
