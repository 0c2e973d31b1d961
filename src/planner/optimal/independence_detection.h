// Independence detection (ID): robots that do not conflict are planned apart, and groups are merged only where they
// must be. T. Standley, Finding Optimal Solutions to Cooperative Pathfinding Problems, AAAI 2010, algorithms 1 and 2.

#ifndef PLANNER__OPTIMAL__INDEPENDENCE_DETECTION_H_
#define PLANNER__OPTIMAL__INDEPENDENCE_DETECTION_H_

#include "planner/optimal/optimal.h"

// As the search of fw_optimal_strategy_t. `is_simple`: algorithm 1 (SID), conflicting groups are merged immediately;
// else algorithm 2: each of them is first replanned at the same cost, around the other.
fw_found_t fw__independence_search(fw_optimal_t * run, bool is_simple);

#endif  // PLANNER__OPTIMAL__INDEPENDENCE_DETECTION_H_
