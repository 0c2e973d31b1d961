// One robot's next plan in a rolling fleet: around others, through those of lower rank, or as it was negotiated.

#ifndef PLANNER__WINDOW__WINDOW_ROUTE_H_
#define PLANNER__WINDOW__WINDOW_ROUTE_H_

#include "planner/window/window.h"

// A new plan for `robot` until `horizon`, if there is one; otherwise the old one stays.
void fw__window_replan(fw_window_t * window, int32_t robot, fw_tick_t horizon);

#endif  // PLANNER__WINDOW__WINDOW_ROUTE_H_
