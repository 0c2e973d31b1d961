// Prioritized planning for other planners: the optimal planners use this as their fallback. The planners
// `ca` and `hca` themselves are in registry.c's list.

#ifndef PLANNER__PRIORITIZED__PRIORITIZED_H_
#define PLANNER__PRIORITIZED__PRIORITIZED_H_

#include "planner/order.h"

typedef struct fw_prioritized_options_t {
  bool has_true_distance;   // searches follow true distances (`hca`), else an estimate (`ca`)
  int32_t estimate_degree;  // of the estimate: 4 for Manhattan distance, 8 for Chebyshev distance
  fw_order_rule_t order;    // among robots of equal priority
  bool is_strict;           // a robot never gives way to one of lower priority, even if there is no plan then
  int32_t orders_max;       // orders that are tried before giving up
  int32_t orders_sure;      // after this many orders, only a sixteenth of the budget may be used; 0: all of it, always
  int32_t overrides_max;    // per order and robot of the fleet; 0: a robot without a path ends the order
  fw_tick_t arrival_max;    // a path that arrives later is none; 0: no limit
  bool is_rest_free;     // paths have the fewest ticks off the goal, which they may leave again; else the earliest end
  bool is_whole_only;    // a plan in which all robots arrive or none: nothing of the budget is kept for parking
  bool is_plain_search;  // search states (place, tick) even where safe intervals would do
  fw_fleet_options_t fleet;
} fw_prioritized_options_t;

// The parameters of both planners in one table: first the heuristic, which only `ca` has, then those of both planners,
// then the distances, which only `hca` has.
enum { FW_PRIORITIZED_OWN = 1, FW_PRIORITIZED_SHARED = 7, FW_PRIORITIZED_DISTANCES = 2 };
extern const fw_parameter_def_t
  fw__prioritized_parameters[FW_PRIORITIZED_OWN + FW_PRIORITIZED_SHARED + FW_PRIORITIZED_DISTANCES];
// Options from the values of the shared parameters. The caller adds the heuristic.
fw_prioritized_options_t fw__prioritized_options(const int64_t * shared);

typedef struct fw_prioritized_request_t {
  fw_planner_context_t * context;  // its scratch has the plan
  const fw_problem_t * problem;    // normalised (world/problem.h)
  fw_prioritized_options_t options;
  fw_fleet_t * fleet;  // of the problem, ready, if the caller has one already; else NULL. Distances may be dropped
} fw_prioritized_request_t;

// Returns a code and fills the plan like `solve` of a planner's definition.
fw_ret_t fw__prioritized_solve(const fw_prioritized_request_t * request, fw_plan_t * plan, fw_error_t * error);

#endif  // PLANNER__PRIORITIZED__PRIORITIZED_H_
