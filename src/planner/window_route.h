// One robot's next plan in a rolling fleet: around others, through those of lower rank, with everybody concerned.

#ifndef PLANNER__WINDOW_ROUTE_H_
#define PLANNER__WINDOW_ROUTE_H_

#include "planner/window.h"

// Does robot `a` go before robot `b`?
bool fw__window_outranks(const fw_window_t * window, int32_t a, int32_t b);

// A new plan for `robot` until `horizon`, if there is one; otherwise the old one stays.
void fw__window_replan(fw_window_t * window, int32_t robot, fw_tick_t horizon);

#endif  // PLANNER__WINDOW_ROUTE_H_
