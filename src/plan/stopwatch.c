#include "plan/stopwatch.h"

static int64_t time_at(const fw__stopwatch_t * watch, int32_t step)
{
  return watch->begin_ns + step * watch->notes.step_ns;
}

static int64_t note_time(void * state)
{
  fw__stopwatch_t * watch = state;
  fw__stopwatch_notes_t * notes = &watch->notes;
  const int64_t passed = (fw_clock_now_ns() - watch->begin_ns) / notes->step_ns;
  const int32_t step = passed < FW__STOPWATCH_STEPS ? (int32_t)passed : FW__STOPWATCH_STEPS;
  const int32_t last = notes->step_count > 0 ? notes->steps[notes->step_count - 1].step : 0;
  ++watch->questions;
  if (step > last) {  // there are no more of these than steps
    notes->steps[notes->step_count++] = (fw__stopwatch_step_t){watch->questions, step};
  }
  return time_at(watch, step > last ? step : last);
}

static bool note_cancelled(void * state)
{
  fw__stopwatch_t * watch = state;
  ++watch->doubts;
  const bool is_cancelled = watch->budget.is_cancelled(watch->budget.cancel_state);
  if (is_cancelled && watch->notes.cancelled_at == 0) {
    watch->notes.cancelled_at = watch->doubts;
  }
  return is_cancelled;
}

fw_budget_t fw__stopwatch_note(fw__stopwatch_t * watch, const fw_budget_t * budget)
{
  *watch = (fw__stopwatch_t){.budget = *budget, .begin_ns = fw_clock_now_ns()};
  watch->notes.expansions_max = budget->expansions_max;
  fw_budget_t noted = {.expansions_max = budget->expansions_max};
  if (budget->deadline_ns > 0) {
    const int64_t step_ns = (budget->deadline_ns - watch->begin_ns) / FW__STOPWATCH_STEPS;
    watch->notes.step_ns = step_ns > 0 ? step_ns : 1;
    noted.deadline_ns = time_at(watch, FW__STOPWATCH_STEPS);
    noted.now_ns = note_time;
    noted.now_state = watch;
  }
  if (budget->is_cancelled != NULL) {
    noted.is_cancelled = note_cancelled;
    noted.cancel_state = watch;
  }
  return noted;
}

static int64_t tell_time(void * state)
{
  fw__stopwatch_t * watch = state;
  const fw__stopwatch_notes_t * notes = &watch->notes;
  ++watch->questions;
  while (watch->told < notes->step_count && notes->steps[watch->told].question <= watch->questions) {
    ++watch->told;
  }
  return time_at(watch, watch->told > 0 ? notes->steps[watch->told - 1].step : 0);
}

static bool tell_cancelled(void * state)
{
  fw__stopwatch_t * watch = state;
  return ++watch->doubts >= watch->notes.cancelled_at;
}

fw_budget_t fw__stopwatch_tell(fw__stopwatch_t * watch)
{
  const fw__stopwatch_notes_t * notes = &watch->notes;
  watch->begin_ns = 1;  // a time of 0 would be none
  watch->questions = watch->doubts = 0;
  watch->told = 0;
  fw_budget_t told = {.expansions_max = notes->expansions_max};
  if (notes->step_ns > 0) {
    told.deadline_ns = time_at(watch, FW__STOPWATCH_STEPS);
    told.now_ns = tell_time;
    told.now_state = watch;
  }
  if (notes->cancelled_at > 0) {
    told.is_cancelled = tell_cancelled;
    told.cancel_state = watch;
  }
  return told;
}
