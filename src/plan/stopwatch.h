// Time as a planner asks for it, noted so that it can be told again.
//
// A deadline makes the clock a part of the answer. So that an answer can be repeated all the same, time goes in steps of a
// thousandth of what is allowed, and noted is with which question a new step began: a solve that is told the same steps
// with the same questions does the same, and gives the same bytes. Being cancelled is a question too.

#ifndef PLAN__STOPWATCH_H_
#define PLAN__STOPWATCH_H_

#include "fleetweave/fleetweave.h"

enum { FW__STOPWATCH_STEPS = 1000 };

typedef struct fw__stopwatch_step_t {
  int64_t question;  // from 1
  int32_t step;      // rising, up to FW__STOPWATCH_STEPS
} fw__stopwatch_step_t;

// What has been noted: all that the clock and the caller have to do with the answer.
typedef struct fw__stopwatch_notes_t {
  int64_t step_ns;         // 0: there was no deadline
  int64_t expansions_max;  // of the budget
  int64_t cancelled_at;    // the question about it that was answered with yes; 0: none
  int32_t step_count;
  fw__stopwatch_step_t steps[FW__STOPWATCH_STEPS];
} fw__stopwatch_notes_t;

typedef struct fw__stopwatch_t {
  fw__stopwatch_notes_t notes;
  // Private
  fw_budget_t budget;  // the caller's, while notes are taken
  int64_t begin_ns;
  int64_t questions;  // about the time
  int64_t doubts;     // about being cancelled
  int32_t told;       // steps that have been told
} fw__stopwatch_t;

// The budget to solve with in place of the caller's, whose deadline is kept to a thousandth. Both stay borrowed.
fw_budget_t fw__stopwatch_note(fw__stopwatch_t * watch, const fw_budget_t * budget);
// The budget that repeats what is in `watch->notes`.
fw_budget_t fw__stopwatch_tell(fw__stopwatch_t * watch);

#endif  // PLAN__STOPWATCH_H_
