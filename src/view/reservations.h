// Reservations as a picture shows them: who keeps which cell, from when to when. Closures are reservations that are nobody's.

#ifndef VIEW__RESERVATIONS_H_
#define VIEW__RESERVATIONS_H_

#include "fleetweave/fleetweave.h"

#define FW_VIEW_CLOSURE (-1)  // in place of a robot

typedef struct fw_view_reservation_t {
  fw_cell_t cell;
  int32_t robot;
  fw_tick_t from;  // both included
  fw_tick_t to;
} fw_view_reservation_t;

typedef struct fw_tick_span_t {
  fw_tick_t from;  // both included
  fw_tick_t to;
} fw_tick_span_t;

// A list, filled robot by robot. `{0}` is empty but must be made ready by init before anything is added.
typedef struct fw_view_reservations_t {
  const fw_problem_t * problem;
  const fw_plan_t * plan;
  fw_view_reservation_t * items;
  int32_t count;
  int32_t capacity;
  int32_t * latest;   // by cell: the last item there, to be looked at with care: it may be another robot's, or old
  fw_cell_t * cells;  // room for one robot at one tick
  fw_closure_t * closures;  // of the problem, merged
  int32_t closure_count;
  fw_allocator_t allocator;
} fw_view_reservations_t;

FW_MUST_USE fw_ret_t fw__view_reservations_init(
  fw_view_reservations_t * reservations, const fw_problem_t * problem, const fw_plan_t * plan,
  const fw_allocator_t * allocator, fw_error_t * error);
void fw__view_reservations_fini(fw_view_reservations_t * reservations);
void fw__view_reservations_clear(fw_view_reservations_t * reservations);

// What a robot covers within the span, and keeps for `robust_ticks` afterwards; cut to the span, in the order in which
// the cells are entered.
FW_MUST_USE fw_ret_t fw__view_reservations_add_robot(
  fw_view_reservations_t * reservations, int32_t robot, fw_tick_span_t span, fw_error_t * error);
// The closures that have to do with the span; not cut to it.
FW_MUST_USE fw_ret_t
fw__view_reservations_add_closures(fw_view_reservations_t * reservations, fw_tick_span_t span, fw_error_t * error);
// By cell, then by time.
void fw__view_reservations_sort(fw_view_reservations_t * reservations);

#endif  // VIEW__RESERVATIONS_H_
