// Counts expansions against the caller's budget and says when to stop.
//
// Counting is one addition; the clock and the callback are asked every METER_STRIDE expansions. Once stopped, a meter
// stays stopped.

#ifndef BASE__METER_H_
#define BASE__METER_H_

#include "fleetweave/fleetweave.h"

typedef struct fw_meter_t {
  fw_budget_t budget;
  int64_t expanded;
  int64_t ask_at;    // the next count at which the budget is asked
  fw_stop_t stop;    // FW_STOP_DONE while there is budget
  int64_t start_ns;  // on fw_clock_now_ns()
  int64_t begin_ns;  // on the clock of the deadline; 0 if there is no deadline
} fw_meter_t;

enum { FW_METER_STRIDE = 256 };

void fw__meter_start(fw_meter_t * meter, const fw_budget_t * budget);
int64_t fw__meter_now_ns(const fw_meter_t * meter);  // on the clock of the deadline
bool fw__meter_ask(fw_meter_t * meter);              // the slow path: looks at everything now; true to stop

// Counts `count` expansions; true if the work must stop.
static inline bool fw__meter_add(fw_meter_t * meter, int64_t count)
{
  meter->expanded += count;
  return meter->expanded >= meter->ask_at ? fw__meter_ask(meter) : meter->stop != FW_STOP_DONE;
}

static inline bool fw__meter_has_stopped(const fw_meter_t * meter) { return meter->stop != FW_STOP_DONE; }

// The first reason stands.
void fw__meter_stop(fw_meter_t * meter, fw_stop_t stop);

#endif  // BASE__METER_H_
