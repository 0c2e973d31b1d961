// Searching for a group of robots at once: A* over joint states, with or without operator decomposition.
//
// T. Standley, Finding Optimal Solutions to Cooperative Pathfinding Problems, AAAI 2010.
//
// A state has a place for each robot of the group. The standard algorithm moves everybody in one step, so that a state
// has up to 9^n successors. Operator decomposition moves robot after robot: in between are intermediate states, in which
// some robots have been given their move (they are on their post-move places) and the others not (they are on their
// pre-move places). It generates at most 9 at a time, and A* leaves those aside that do not look good.

#ifndef PLANNER__OPTIMAL__JOINT_H_
#define PLANNER__OPTIMAL__JOINT_H_

#include "planner/optimal/ranked.h"
#include "planner/optimal/traffic.h"
#include "spacetime/search.h"

typedef struct fw_group_query_t {
  const fw_scene_t * scene;
  const int32_t * robots;
  int32_t count;
  bool is_decomposed;            // joint search only
  const fw_traffic_t * illegal;  // robots that must not be met, NULL for none
  const fw_traffic_t * avoided;  // robots that are better not met, NULL for none: decides between plans of equal cost
  fw_cost_t cost_min;            // known: no plan costs less; 0 for nothing known
  fw_cost_t cost_max;            // only plans that cost no more; INT64_MAX for any
  int64_t expansions_max;        // 0 for any. The answer is FW_FOUND_STOPPED then, and the meter goes on.
} fw_group_query_t;

typedef struct fw_group_answer_t {
  fw_cost_t cost;        // of the plan found
  fw_cost_t bound;       // no plan for this query costs less, even if none was found
  int32_t children_max;  // the most successors of one expansion
  int64_t children;
  int64_t expanded;
} fw_group_answer_t;

// Memory comes from `arena`, which is emptied first.
// FW_FOUND_PATH: `paths` of the group's robots are set, by robot. FW_FOUND_NONE: there is no plan, which has been proved.
fw_found_t fw__joint_search(
  fw_arena_t * arena, const fw_group_query_t * query, fw_path_buffers_t * paths, fw_group_answer_t * answer);

#endif  // PLANNER__OPTIMAL__JOINT_H_
