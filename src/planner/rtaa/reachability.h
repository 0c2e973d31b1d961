// What `rtaa` needs to know of the whole map: which cells are connected, and lower bounds. RTAA* itself never looks
// that far.

#ifndef PLANNER__RTAA__REACHABILITY_H_
#define PLANNER__RTAA__REACHABILITY_H_

#include "base/arena.h"
#include "base/meter.h"

// The first robot whose goal is not connected with its start; -1 if there is none, -2 when there is no memory.
int32_t fw__rtaa_find_unreachable(fw_arena_t * arena, const fw_problem_t * problem);
// A lower bound on the sum of costs: every robot alone. Exact for as many robots as a fixed amount of work allows.
fw_cost_t fw__rtaa_lower_bound(const fw_problem_t * problem, fw_arena_t * arena, fw_meter_t * meter);

#endif  // PLANNER__RTAA__REACHABILITY_H_
