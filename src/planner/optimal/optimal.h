// The frame of the optimal planners: who can be planned for, how the budget is shared out, and what the answer is when
// it runs out.

#ifndef PLANNER__OPTIMAL__OPTIMAL_H_
#define PLANNER__OPTIMAL__OPTIMAL_H_

#include "planner/optimal/joint.h"

typedef struct fw_optimal_t {
  fw_planner_context_t * context;
  fw_scene_t scene;
  fw_meter_t meter;   // the part of the budget that is for the search
  fw_arena_t * work;  // memory of one search after another, and of joint searches in between
  fw_arena_t * work_joint;
  fw_path_buffers_t paths;  // of nodes, by robot
  int32_t * group_of;       // by robot: a number of its group; the paths of one group do not meet and are its best
  bool has_paths;           // every robot has one
  fw_cost_t bound;          // proved so far, by the scene's rule; no less than everybody alone
  fw_plan_t * plan;         // for counters
} fw_optimal_t;

// How a planner uses the frame.
typedef struct fw_optimal_way_t {
  // FW_FOUND_PATH: `paths` are the answer. FW_FOUND_NONE: no plan exists, which has been proved.
  fw_found_t (*search)(fw_optimal_t * run);
  fw_cost_rule_t rule;
  bool has_fallback;  // out of budget: what is not done as `hca` plans it
} fw_optimal_way_t;

// The `cost` parameter, the first of each of them.
#define FW_OPTIMAL_COST_PARAMETER                                                                               \
  {                                                                                                             \
    .name = "cost", .type = FW_PARAMETER_CHOICE, .initial = FW_COST_OFF_GOAL, .max = 1,                         \
    .choices = fw__cost_rule_names,                                                                             \
    .help =                                                                                                     \
      "what is minimised: ticks off the goal (off_goal, as the statistics count), or all ticks up to the last " \
      "arrival (last_arrival, as others count; the counter cost_to_last_arrival tells the sum)"                 \
  }
extern const char * const fw__cost_rule_names[];

fw_ret_t fw__optimal_init(fw_planner_context_t * context, fw_error_t * error);
void fw__optimal_fini(fw_planner_context_t * context);
fw_ret_t fw__optimal_solve(
  fw_planner_context_t * context, const fw_problem_t * problem, const fw_optimal_way_t * way, fw_plan_t * plan,
  fw_error_t * error);

// The answer of a search that ran out of budget: the groups that do not meet keep their paths, the others plan around
// them one after another; if that fails, everybody does (fallback.c). False if there is nothing better than waiting.
bool fw__optimal_fall_back(fw_optimal_t * run, const fw_problem_t * problem);

#endif  // PLANNER__OPTIMAL__OPTIMAL_H_
