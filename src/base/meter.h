// A meter counts the expansions of a search against the caller's budget and decides when the search must stop.
//
// Counting is one addition; the clock and the cancel callback are checked every FW_METER_STRIDE expansions. Once
// stopped, a meter stays stopped. Belongs to one thread.

#ifndef BASE__METER_H_
#define BASE__METER_H_

#include "fleetweave/fleetweave.h"

typedef struct fw_meter_t {
  fw_budget_t budget;
  int64_t expanded;  // counted so far
  int64_t check_at;  // the value of `expanded` at which the budget is checked next
  fw_stop_t stop;    // FW_STOP_DONE while there is budget, else the first reason to stop
  int64_t start_ns;  // on fw_clock_now_ns()
  int64_t begin_ns;  // on the clock of the deadline; 0 if there is no deadline
} fw_meter_t;

enum { FW_METER_STRIDE = 256 };

// Starts counting from 0. `budget` is copied; NULL means no limit. A deadline that has passed stops the meter
// immediately.
void fw__meter_start(fw_meter_t * meter, const fw_budget_t * budget);
// The time now, on the clock of the deadline.
int64_t fw__meter_now_ns(const fw_meter_t * meter);
// The slow path of fw__meter_add: checks count, cancel callback and deadline now. True if the work must stop.
bool fw__meter_check(fw_meter_t * meter);

// Counts `count` expansions; true if the work must stop.
static inline bool fw__meter_add(fw_meter_t * meter, int64_t count)
{
  meter->expanded += count;
  return meter->expanded >= meter->check_at ? fw__meter_check(meter) : meter->stop != FW_STOP_DONE;
}

// How many expansions the budget still allows; INT64_MAX without a limit.
static inline int64_t fw__meter_left(const fw_meter_t * meter)
{
  const int64_t most = meter->budget.expansions_max;
  return most == 0 ? INT64_MAX : most > meter->expanded ? most - meter->expanded : 0;
}

static inline bool fw__meter_has_stopped(const fw_meter_t * meter) { return meter->stop != FW_STOP_DONE; }

// Stops the meter. If it has stopped already, the first reason is kept.
void fw__meter_stop(fw_meter_t * meter, fw_stop_t stop);

#endif  // BASE__METER_H_
