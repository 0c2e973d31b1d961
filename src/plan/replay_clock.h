// A clock that makes a solve with a deadline repeatable (record and replay, as in rr).
//
// With a deadline the clock is an input of the planner. To repeat a solve, the time that the planner sees advances in
// steps of a thousandth of the allowed time, and the trace lists at which query of the clock a new step began. A solve
// that is given the same steps at the same queries does the same and returns the same bytes. Cancellation is a query
// too.
//
//   recording:  planner reads now_ns  ->  real time, rounded down to a step; a new step is added to the trace
//   replaying:  planner reads now_ns  ->  the step that the trace has at this query
//
// One thread: the one that solves.

#ifndef PLAN__REPLAY_CLOCK_H_
#define PLAN__REPLAY_CLOCK_H_

#include "fleetweave/fleetweave.h"

enum { FW__REPLAY_CLOCK_STEPS = 1000 };

typedef struct fw_replay_clock_step_t {
  int64_t query;  // of the clock, counted from 1
  int32_t step;   // strictly rising, 1 to FW__REPLAY_CLOCK_STEPS
} fw_replay_clock_step_t;

// Everything that the clock and the caller contributed to one result.
typedef struct fw_replay_clock_trace_t {
  int64_t step_ns;         // length of a step; 0: there was no deadline
  int64_t expansions_max;  // of the budget
  int64_t cancelled_at;    // the first query of is_cancelled that returned true, counted from 1; 0: none
  int32_t step_count;
  fw_replay_clock_step_t steps[FW__REPLAY_CLOCK_STEPS];
} fw_replay_clock_trace_t;

typedef struct fw_replay_clock_t {
  fw_replay_clock_trace_t notes;  // the trace
  // Private
  fw_budget_t budget;  // the caller's, while recording
  int64_t begin_ns;
  int64_t time_queries;
  int64_t cancel_queries;
  int32_t replayed_steps;  // of the trace
} fw_replay_clock_t;

// Returns the budget to solve with in place of the caller's; its deadline is the caller's rounded to a thousandth.
// `clock` and what `budget` points to stay borrowed during the solve; afterwards `clock->notes` is the trace.
fw_budget_t fw__replay_clock_record(fw_replay_clock_t * clock, const fw_budget_t * budget);
// Returns the budget that repeats the trace in `clock->notes`. `clock` stays borrowed during the solve.
fw_budget_t fw__replay_clock_replay(fw_replay_clock_t * clock);

#endif  // PLAN__REPLAY_CLOCK_H_
