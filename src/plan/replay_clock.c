// Recording and replaying what a planner learns of time and cancellation.

#include "plan/replay_clock.h"

#include "base/assert.h"

// The time at the beginning of a step.
static int64_t time_at(const fw_replay_clock_t * clock, int32_t step)
{
  return clock->begin_ns + step * clock->notes.step_ns;
}

// fw_budget_t.now_ns while recording: the real time, rounded down to a step.
static int64_t record_time(void * state)
{
  fw_replay_clock_t * clock = state;
  fw_replay_clock_trace_t * notes = &clock->notes;
  const int64_t passed = (fw_clock_now_ns() - clock->begin_ns) / notes->step_ns;
  const int32_t step = passed < FW__REPLAY_CLOCK_STEPS ? (int32_t)passed : FW__REPLAY_CLOCK_STEPS;
  const int32_t last = notes->step_count > 0 ? notes->steps[notes->step_count - 1].step : 0;
  ++clock->time_queries;
  if (step > last) {
    FW_ASSERT(notes->step_count < FW__REPLAY_CLOCK_STEPS);  // recorded steps rise strictly, up to this one
    notes->steps[notes->step_count++] = (fw_replay_clock_step_t){clock->time_queries, step};
  }
  return time_at(clock, step > last ? step : last);
}

static bool record_cancelled(void * state)
{
  fw_replay_clock_t * clock = state;
  ++clock->cancel_queries;
  const bool is_cancelled = clock->budget.is_cancelled(clock->budget.cancel_state);
  if (is_cancelled && clock->notes.cancelled_at == 0) {
    clock->notes.cancelled_at = clock->cancel_queries;
  }
  return is_cancelled;
}

fw_budget_t fw__replay_clock_record(fw_replay_clock_t * clock, const fw_budget_t * budget)
{
  *clock = (fw_replay_clock_t){.budget = *budget, .begin_ns = fw_clock_now_ns()};
  clock->notes.expansions_max = budget->expansions_max;
  fw_budget_t recorded = {.expansions_max = budget->expansions_max};
  if (budget->deadline_ns > 0) {
    const int64_t step_ns = (budget->deadline_ns - clock->begin_ns) / FW__REPLAY_CLOCK_STEPS;
    clock->notes.step_ns = step_ns > 0 ? step_ns : 1;
    recorded.deadline_ns = time_at(clock, FW__REPLAY_CLOCK_STEPS);
    recorded.now_ns = record_time;
    recorded.now_state = clock;
  }
  if (budget->is_cancelled != NULL) {
    recorded.is_cancelled = record_cancelled;
    recorded.cancel_state = clock;
  }
  return recorded;
}

// fw_budget_t.now_ns while replaying: the step that the recorded solve saw at the same query.
static int64_t replay_time(void * state)
{
  fw_replay_clock_t * clock = state;
  const fw_replay_clock_trace_t * notes = &clock->notes;
  ++clock->time_queries;
  while (clock->replayed_steps < notes->step_count &&
         notes->steps[clock->replayed_steps].query <= clock->time_queries) {
    ++clock->replayed_steps;
  }
  return time_at(clock, clock->replayed_steps > 0 ? notes->steps[clock->replayed_steps - 1].step : 0);
}

static bool replay_cancelled(void * state)
{
  fw_replay_clock_t * clock = state;
  return ++clock->cancel_queries >= clock->notes.cancelled_at;
}

fw_budget_t fw__replay_clock_replay(fw_replay_clock_t * clock)
{
  const fw_replay_clock_trace_t * notes = &clock->notes;
  FW_ASSERT(notes->step_count >= 0 && notes->step_count <= FW__REPLAY_CLOCK_STEPS);
  clock->begin_ns = 1;  // not 0: a deadline of 0 means none
  clock->time_queries = clock->cancel_queries = 0;
  clock->replayed_steps = 0;
  fw_budget_t replayed = {.expansions_max = notes->expansions_max};
  if (notes->step_ns > 0) {
    replayed.deadline_ns = time_at(clock, FW__REPLAY_CLOCK_STEPS);
    replayed.now_ns = replay_time;
    replayed.now_state = clock;
  }
  if (notes->cancelled_at > 0) {
    replayed.is_cancelled = replay_cancelled;
    replayed.cancel_state = clock;
  }
  return replayed;
}
