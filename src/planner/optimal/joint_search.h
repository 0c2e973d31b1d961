// Joint search: A* over the joint states of a group of robots, with or without operator decomposition (OD).
//
// T. Standley, Finding Optimal Solutions to Cooperative Pathfinding Problems, AAAI 2010.
//
// A joint state has a node for each robot of the group. The standard algorithm moves all robots in one step, so that a
// state has up to 9^n successors. Operator decomposition assigns moves to one robot after another: in between are
// intermediate states, in which some robots are on their post-move nodes and the others on their pre-move nodes. An
// expansion has at most 9 successors, and A* never expands those that do not look good:
//
//   standard state ──robot 0──> intermediate ──robot 1──> … ──robot n-1──> standard state of the next tick

#ifndef PLANNER__OPTIMAL__JOINT_SEARCH_H_
#define PLANNER__OPTIMAL__JOINT_SEARCH_H_

#include "planner/optimal/conflict_avoidance_table.h"
#include "spacetime/search.h"

typedef struct fw_joint_query_t {
  const fw_instance_t * instance;
  const int32_t * robots;
  int32_t count;
  bool is_decomposed;           // operator decomposition
  const fw_cat_t * illegal;     // illegal move table: robots that must not be met; NULL for none
  const fw_cat_t * avoided;     // conflict avoidance table: breaks ties between plans of equal cost; NULL for none
  fw_cost_t cost_max;           // only plans that cost no more; INT64_MAX for any
  int64_t expansions_max;       // 0: no limit. Beyond it the result is FW_FOUND_STOPPED, and the meter does not stop
  int64_t expansions_per_rise;  // times the square of the rise of the lower bound in this search: added to that limit
} fw_joint_query_t;

typedef struct fw_joint_answer_t {
  fw_cost_t cost;        // of the plan found
  fw_cost_t bound;       // no plan for this query costs less, even if none was found
  fw_cost_t rise;        // of the lower bound, from the first state to the last
  int32_t children_max;  // the most successors of one expansion
  int64_t children;
  int64_t expanded;
} fw_joint_answer_t;

// Memory comes from `arena`, which is emptied first.
// FW_FOUND_PATH: the `paths` of the group's robots are set. FW_FOUND_NONE: there is no plan, which is proved.
fw_found_t fw__joint_search(
  fw_arena_t * arena, const fw_joint_query_t * query, fw_path_buffers_t * paths, fw_joint_answer_t * answer);

#endif  // PLANNER__OPTIMAL__JOINT_SEARCH_H_
