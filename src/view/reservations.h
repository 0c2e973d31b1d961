// The reservations of a finished plan as pictures show them: intervals of ticks in which a robot covers a cell or, with
// `robust_ticks`, keeps it after leaving. Closures are reservations without a robot.
//
// This is not the planners' reservation table (spacetime/reservations.h): it is computed from the paths of a plan,
// which may be wrong, and two robots may have the same cell.

#ifndef VIEW__RESERVATIONS_H_
#define VIEW__RESERVATIONS_H_

#include "fleetweave/fleetweave.h"

#define FW_VIEW_CLOSURE (-1)  // in place of a robot

typedef struct fw_view_reservation_t {
  fw_cell_t cell;
  int32_t robot;   // index, or FW_VIEW_CLOSURE
  fw_tick_t from;  // both included
  fw_tick_t to;
} fw_view_reservation_t;

typedef struct fw_tick_span_t {
  fw_tick_t from;  // both included
  fw_tick_t to;
} fw_tick_span_t;

// A list, filled robot by robot. Out of memory is remembered in `has_failed`: add everything, then check it once.
typedef struct fw_view_reservations_t {
  const fw_problem_t * problem;  // borrowed
  const fw_plan_t * plan;        // borrowed
  fw_view_reservation_t * items;
  int32_t count;
  int32_t capacity;
  int32_t * latest;         // by cell: index of the last item added there; may be another robot's or removed since
  fw_cell_t * cells;        // room for the cells of one robot at one tick
  fw_closure_t * closures;  // the problem's, merged
  int32_t closure_count;
  bool has_failed;  // out of memory; nothing is added any more
  fw_allocator_t allocator;
} fw_view_reservations_t;

void fw__view_reservations_init(
  fw_view_reservations_t * reservations, const fw_problem_t * problem, const fw_plan_t * plan,
  const fw_allocator_t * allocator);
void fw__view_reservations_fini(fw_view_reservations_t * reservations);
void fw__view_reservations_clear(fw_view_reservations_t * reservations);

// Adds what a robot reserves within the span, cut to the span, in the order in which it enters the cells.
void fw__view_reservations_add_robot(fw_view_reservations_t * reservations, int32_t robot, fw_tick_span_t span);
// Adds the closures that overlap the span; not cut to it.
void fw__view_reservations_add_closures(fw_view_reservations_t * reservations, fw_tick_span_t span);
// Sorts by cell, then by time.
void fw__view_reservations_sort(fw_view_reservations_t * reservations);

#endif  // VIEW__RESERVATIONS_H_
