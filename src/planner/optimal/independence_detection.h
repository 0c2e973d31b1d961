// Independence detection (ID): robots that do not conflict are planned apart, and groups are merged only where they
// must be. T. Standley, Finding Optimal Solutions to Cooperative Pathfinding Problems, AAAI 2010, algorithms 1 and 2.

#ifndef PLANNER__OPTIMAL__INDEPENDENCE_DETECTION_H_
#define PLANNER__OPTIMAL__INDEPENDENCE_DETECTION_H_

#include "planner/optimal/optimal.h"

typedef struct fw_independence_options_t {
  bool is_simple;    // algorithm 1 (SID): conflicting groups are merged immediately; else algorithm 2: each of them is
                     // first replanned at the same cost, around the other
  bool is_standard;  // groups are searched by the standard algorithm (S+ID); else with operator decomposition (OD+ID)
  // The searches that replan and merge groups may expand this much together, and each of them `expansions_per_rise`
  // more times the square of the rise of its lower bound. 0: no limit.
  int64_t expansions_max;
  int64_t expansions_per_rise;
} fw_independence_options_t;

typedef struct fw_independence_counts_t {
  int32_t groups;
  int32_t largest_group;  // that was planned
  int32_t replans;
  int32_t merges;
  int32_t most_children;  // of one expansion, over all searches
} fw_independence_counts_t;

// As the search of fw_optimal_strategy_t, and FW_FOUND_STOPPED with a meter that has not stopped when the limit of
// `options` is reached. Then the run has paths, groups and a lower bound, as when its budget has run out.
fw_found_t fw__independence_search(
  fw_optimal_t * run, const fw_independence_options_t * options, fw_independence_counts_t * counts);
// The same; the counts become counters of the plan.
fw_found_t fw__independence_solve(fw_optimal_t * run, const fw_independence_options_t * options);

#endif  // PLANNER__OPTIMAL__INDEPENDENCE_DETECTION_H_
