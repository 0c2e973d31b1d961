// The first plan of planners that improve one (`improve`, `auto`): by `hca` or `lacam`, or by both, each within a share
// of the budget.

#ifndef PLANNER__IMPROVE__FIRST_PLAN_H_
#define PLANNER__IMPROVE__FIRST_PLAN_H_

#include "planner/fleet.h"

typedef struct fw_first_plan_t {
  fw_planner_context_t * context;  // its scratch has the plans; its meter counts
  const fw_problem_t * problem;
  fw_fleet_t fleet;      // options set; for hca and for costs. `lacam` makes its own
  bool begins_with_hca;  // also in crowds: lacam only where hca has no plan for all within 7/8 of the budget
  bool is_rest_free;     // searches of hca, and the better of two plans: ticks off the goal, else last arrivals
  // Results.
  bool has_fleet;  // the fleet is ready
  int64_t hca_expanded;
  int64_t lacam_expanded;
  int64_t first_ns;  // from the beginning to the first plan in which every robot arrives; 0: none
  bool is_lacams;    // the plan is that of lacam
} fw_first_plan_t;

// A share of what is left of the budget.
typedef struct fw_share_t {
  int32_t eighths;         // of expansions and time
  int64_t expansions_max;  // 0: no other limit
  int32_t orders_max;      // of hca; 0: as many as hca tries
  bool is_whole_only;      // of hca: no plan in which some robots park
} fw_share_t;

// The budget of the share, without its limit of expansions if that is 0.
fw_budget_t fw__share_budget(const fw_meter_t * meter, const fw_share_t * share);
// Counts what a planner with a meter of its own has used. If that has been cancelled or is out of memory, so is the
// whole.
void fw__share_count(fw_meter_t * whole, const fw_meter_t * part);
// Gives each parameter of a planner its initial value.
void fw__share_parameters(const fw_planner_def_t * def, int64_t * values);

// Does lacam handle the problem? Robots of one cell, one tick per move and no heading; no traffic rules.
bool fw__first_plan_suits_lacam(const fw_problem_t * problem, fw_arena_t * scratch);
// Do robots fill so much of the floor that lacam answers before hca does?
bool fw__first_plan_is_crowded(const fw_problem_t * problem);

// Makes the fleet ready, unless it is. The error names a robot without a path.
fw_fleet_state_t fw__first_plan_prepare(fw_first_plan_t * first, fw_error_t * error);
// Fills the plan like `solve` of a planner.
fw_ret_t fw__first_plan_by_hca(fw_first_plan_t * first, const fw_share_t * share, fw_plan_t * plan, fw_error_t * error);
fw_ret_t fw__first_plan_by_lacam(
  fw_first_plan_t * first, const fw_share_t * share, fw_plan_t * plan, fw_error_t * error);
// The planner that answers first, then the other one where its plan may be better or is needed; the better plan.
// Without `tries_both` the first plan is enough. The fleet is ready afterwards, unless the budget is exhausted or the
// plan is not solved.
fw_ret_t fw__first_plan_make(fw_first_plan_t * first, bool tries_both, fw_plan_t * plan, fw_error_t * error);

#endif  // PLANNER__IMPROVE__FIRST_PLAN_H_
