// The frame of the optimal planners: checks the problem, divides the budget, runs a planner's search, and returns the
// plan. With a limit of time or expansions, an anytime planner first plans as `hca` does. When the budget runs out, it
// keeps the groups that are done and plans the other robots around them by prioritized planning; the better of the two
// plans is the result, so that it is never worse than that of `hca`.

#ifndef PLANNER__OPTIMAL__OPTIMAL_H_
#define PLANNER__OPTIMAL__OPTIMAL_H_

#include "planner/optimal/joint_search.h"

typedef struct fw_optimal_t {
  fw_planner_context_t * context;
  fw_instance_t instance;
  fw_meter_t meter;         // the part of the budget that is for the search
  fw_arena_t * work;        // memory of a search
  fw_arena_t * work_joint;  // memory of one joint search after another
  fw_path_buffers_t paths;  // by robot: paths of nodes
  int32_t * group_of;       // by robot: number of its group; the paths of a group are optimal for it and do not collide
  bool has_paths;           // every robot has a path to its goal; paths of different groups may collide
  fw_cost_t bound;          // lower bound that is proved so far, by the instance's cost rule
  fw_plan_t * plan;         // for counters
  fw_plan_t fast;           // as `hca` plans; no outcome: there is none
  fw_path_buffers_t fast_paths;
  int64_t fast_expanded;  // expansions of the first plan
} fw_optimal_t;

// What distinguishes the planners.
typedef struct fw_optimal_strategy_t {
  // FW_FOUND_PATH: `paths` are the plan. FW_FOUND_NONE: no plan exists, which is proved.
  fw_found_t (*search)(fw_optimal_t * run);
  bool has_fallback;  // anytime: there is a plan by prioritized planning when the budget runs out
} fw_optimal_strategy_t;

// The `cost` parameter, number FW_OPTIMAL_COST of each of these planners.
enum { FW_OPTIMAL_COST };
#define FW_OPTIMAL_COST_PARAMETER                                                                                     \
  {                                                                                                                   \
    .name = "cost", .type = FW_PARAMETER_CHOICE, .initial = FW_COST_OFF_GOAL, .max = 1,                               \
    .choices = fw__cost_rule_names,                                                                                   \
    .help =                                                                                                           \
      "what is minimised: ticks off the goal (off_goal, the sum of costs in the statistics), or all ticks up to the " \
      "last arrival (last_arrival, as in most papers; the counter cost_to_last_arrival has the sum)"                  \
  }
extern const char * const fw__cost_rule_names[];

// For fw_planner_def_t. The planner's state is its strategy, which must stay, and a pair of arenas that keep their
// memory between solves.
fw_ret_t fw__optimal_init(fw_planner_context_t * context, const fw_optimal_strategy_t * strategy, fw_error_t * error);
void fw__optimal_fini(fw_planner_context_t * context);
fw_ret_t fw__optimal_solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error);

#endif  // PLANNER__OPTIMAL__OPTIMAL_H_
