// Independence detection: robots that do not get in each other's way are planned apart (Standley 2010, algorithms 1 and
// 2).

#ifndef PLANNER__OPTIMAL__INDEPENDENCE_H_
#define PLANNER__OPTIMAL__INDEPENDENCE_H_

#include "planner/optimal/optimal.h"

// Plans one group. As fw__joint_search.
typedef fw_found_t (*fw_group_solver_t)(
  fw_optimal_t * run, const fw_group_query_t * query, fw_group_answer_t * answer, void * state);

typedef struct fw_independence_t {
  bool is_simple;  // SID: conflicting groups are merged at once, nobody is avoided
  fw_group_solver_t solver;
  void * state;
} fw_independence_t;

fw_found_t fw__independence_search(fw_optimal_t * run, const fw_independence_t * options);

#endif  // PLANNER__OPTIMAL__INDEPENDENCE_H_
