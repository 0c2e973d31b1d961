// A meter of expansions, time and cancellation.

#include "base/meter.h"

#include <time.h>

#include "base/assert.h"

int64_t fw_clock_now_ns(void)
{
  struct timespec now;
  (void)clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void fw__meter_start(fw_meter_t * meter, const fw_budget_t * budget)
{
  *meter = (fw_meter_t){.start_ns = fw_clock_now_ns()};
  if (budget != NULL) {
    meter->budget = *budget;
  }
  meter->begin_ns = meter->budget.deadline_ns > 0 ? fw__meter_now_ns(meter) : 0;
  (void)fw__meter_check(meter);  // a deadline that has passed stops the work before the first expansion
}

void fw__meter_stop(fw_meter_t * meter, fw_stop_t stop)
{
  FW_ASSERT(stop != FW_STOP_DONE);
  if (meter->stop == FW_STOP_DONE) {
    meter->stop = stop;
  }
}

int64_t fw__meter_now_ns(const fw_meter_t * meter)
{
  const fw_budget_t * budget = &meter->budget;
  return budget->now_ns != NULL ? budget->now_ns(budget->now_state) : fw_clock_now_ns();
}

bool fw__meter_check(fw_meter_t * meter)
{
  const fw_budget_t * budget = &meter->budget;
  if (budget->expansions_max > 0 && meter->expanded >= budget->expansions_max) {
    fw__meter_stop(meter, FW_STOP_EXPANSIONS);
  } else if (budget->is_cancelled != NULL && budget->is_cancelled(budget->cancel_state)) {
    fw__meter_stop(meter, FW_STOP_CANCELLED);
  } else if (budget->deadline_ns > 0 && fw__meter_now_ns(meter) >= budget->deadline_ns) {
    fw__meter_stop(meter, FW_STOP_DEADLINE);
  }
  meter->check_at = meter->expanded + FW_METER_STRIDE;
  if (budget->expansions_max > 0 && meter->check_at > budget->expansions_max) {
    meter->check_at = budget->expansions_max;
  }
  return meter->stop != FW_STOP_DONE;
}
