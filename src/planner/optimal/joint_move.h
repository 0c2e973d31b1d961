// One move of one robot in a joint search: what operator decomposition has as its step, and what the standard algorithm
// makes its steps of.

#ifndef PLANNER__OPTIMAL__JOINT_MOVE_H_
#define PLANNER__OPTIMAL__JOINT_MOVE_H_

#include "planner/optimal/joint.h"
#include "planner/optimal/joint_store.h"

typedef struct fw_joint_rules_t {
  const fw_group_query_t * query;
  fw_joint_store_t * store;
  fw_tick_t * held_until;  // per robot: the last tick at which its goal is not free for good
} fw_joint_rules_t;

// Moves by number: 0 waits, 1 settles for good (where others count until the last arrival), 2 and up are directions.
enum { FW_JOINT_WAIT, FW_JOINT_SETTLE, FW_JOINT_FIRST_DIRECTION };
static inline int32_t fw__joint_move_count(const fw_scene_t * scene)
{
  return FW_JOINT_FIRST_DIRECTION + scene->moves->degree;
}

static inline int32_t fw__joint_node(int32_t place) { return place < 0 ? ~place : place; }

// Gives the mover of `from` its move. False if that is not possible, or costs too much.
bool fw__joint_assign(
  const fw_joint_rules_t * rules, const fw_joint_state_t * from, int32_t move, fw_joint_state_t * to);

#endif  // PLANNER__OPTIMAL__JOINT_MOVE_H_
