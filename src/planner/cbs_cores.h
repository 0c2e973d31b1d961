// What has been learned about costs: sets of robots that cannot all keep to their costs.
//
// G. Gange, D. Harabor, P. Stuckey, Lazy CBS: Implicit Conflict-Based Search Using Lazy Clause Generation, ICAPS 2019,
// brought cores to this problem: a reason for a higher cost is found once, and holds wherever else the search looks. Here
// a core says of robots i with limits v_i that their extra costs x_i have sum(max(x_i, v_i) - v_i) >= weight.

#ifndef PLANNER__CBS_CORES_H_
#define PLANNER__CBS_CORES_H_

#include "planner/cbs_tree.h"

typedef struct fw_cbs_core_t {
  int32_t count;
  int32_t weight;
  int32_t * members;
  int32_t * limits;
} fw_cbs_core_t;

typedef struct fw_cbs_cores_t {
  fw_arena_t * arena;
  fw_cbs_core_t * cores;  // in the order in which they were learned
  int32_t count;
  int32_t capacity;
} fw_cbs_cores_t;

static inline void fw_cbs_cores_init(fw_cbs_cores_t * cores, fw_arena_t * arena)
{
  *cores = (fw_cbs_cores_t){.arena = arena};
}
// A core of `count` members; limits by member of the group. False when there is no memory.
bool fw_cbs_cores_add(
  fw_cbs_cores_t * cores, const int32_t * members, int32_t count, const uint16_t * limits, int32_t weight);

#endif  // PLANNER__CBS_CORES_H_
