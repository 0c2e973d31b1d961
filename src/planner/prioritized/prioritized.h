// Planning robot after robot around the reservations of those before: what `ca` and `hca` share.

#ifndef PLANNER__PRIORITIZED__PRIORITIZED_H_
#define PLANNER__PRIORITIZED__PRIORITIZED_H_

#include "planner/order.h"

typedef struct fw_prioritized_options_t {
  bool has_true_distance;   // by reverse resumable A*, else an estimate
  int32_t estimate_degree;  // 4: Manhattan, 8: larger difference
  fw_order_rule_t order;    // among robots of equal priority
  int32_t orders_max;       // tries before giving up
  int32_t overrides_max;    // in one order, per robot of the fleet; 0: a robot without a path ends the order
  bool is_plain_search;     // states (place, tick) even where intervals would do
  fw_fleet_options_t fleet;
} fw_prioritized_options_t;

typedef enum fw_heuristic_t { FW_HEURISTIC_AUTO, FW_HEURISTIC_MANHATTAN, FW_HEURISTIC_OCTILE } fw_heuristic_t;

// The heuristic, which is `ca`'s own, then what both planners have, then what is `hca`'s own.
enum { FW_PRIORITIZED_OWN = 1, FW_PRIORITIZED_SHARED = 4, FW_PRIORITIZED_DISTANCES = 2 };
extern const fw_parameter_def_t
  fw_prioritized_parameters[FW_PRIORITIZED_OWN + FW_PRIORITIZED_SHARED + FW_PRIORITIZED_DISTANCES];
// The options from the values of the shared parameters; the estimate is the planner's to add.
fw_prioritized_options_t fw__prioritized_options(const int64_t * shared);
// Those of `hca`, from the same values.
fw_fleet_options_t fw__prioritized_distances(const int64_t * shared);

fw_ret_t fw__prioritized_solve(
  fw_planner_context_t * context, const fw_problem_t * problem, const fw_prioritized_options_t * options,
  fw_plan_t * plan, fw_error_t * error);

#endif  // PLANNER__PRIORITIZED__PRIORITIZED_H_
