// Reservations as a picture shows them: who keeps which cell, from when to when. Closures are stays that are nobody's.

#ifndef VIEW__STAYS_H_
#define VIEW__STAYS_H_

#include "fleetweave/fleetweave.h"

#define FW__STAY_CLOSED (-1)  // in place of a robot

typedef struct fw__stay_t {
  fw_cell_t cell;
  int32_t robot;
  fw_tick_t from;  // both included
  fw_tick_t to;
} fw__stay_t;

typedef struct fw__span_t {
  fw_tick_t from;  // both included
  fw_tick_t to;
} fw__span_t;

// A list, filled robot by robot. `{0}` is empty but must be made ready by init before anything is added.
typedef struct fw__stays_t {
  const fw_problem_t * problem;
  const fw_plan_t * plan;
  fw__stay_t * items;
  int32_t count;
  int32_t capacity;
  int32_t * latest;   // by cell: the last item there, to be looked at with care: it may be another robot's, or old
  fw_cell_t * cells;  // room for one robot at one tick
  fw_closure_t * closures;  // of the problem, merged
  int32_t closure_count;
  fw_allocator_t allocator;
} fw__stays_t;

FW_MUST_USE fw_ret_t fw__stays_init(
  fw__stays_t * stays, const fw_problem_t * problem, const fw_plan_t * plan, const fw_allocator_t * allocator,
  fw_error_t * error);
void fw__stays_fini(fw__stays_t * stays);
void fw__stays_clear(fw__stays_t * stays);

// What a robot covers within the span, and keeps for `robust_ticks` afterwards; cut to the span, in the order in which
// the cells are entered.
FW_MUST_USE fw_ret_t fw__stays_add_robot(fw__stays_t * stays, int32_t robot, fw__span_t span, fw_error_t * error);
// The closures that have to do with the span; not cut to it.
FW_MUST_USE fw_ret_t fw__stays_add_closures(fw__stays_t * stays, fw__span_t span, fw_error_t * error);
// By cell, then by time.
void fw__stays_sort(fw__stays_t * stays);

#endif  // VIEW__STAYS_H_
