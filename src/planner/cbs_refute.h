// Can a group be planned with everybody at given costs? If not: which robots are the reason?

#ifndef PLANNER__CBS_REFUTE_H_
#define PLANNER__CBS_REFUTE_H_

#include "planner/cbs_cores.h"
#include "planner/cbs_memo.h"

typedef enum fw_cbs_verdict_t {
  FW_CBS_FEASIBLE,  // the loaded node is a plan
  FW_CBS_REFUTED,   // there is no plan
  FW_CBS_GAVE_UP,   // too many nodes
  FW_CBS_STOPPED,   // the meter says why
} fw_cbs_verdict_t;

typedef struct fw_cbs_refuter_t {
  fw_cbs_t * run;
  fw_cbs_cores_t * cores;
  const uint16_t * extra;  // by member: beyond what it costs alone
  bool tells_pairs;        // pairs that fail without constraints are learned at once
  bool has_told;           // it was so
  struct fw_cbs_frame_t * frames;
  int32_t depth;
  int32_t frame_capacity;
  int32_t words;        // of a set of members
  uint64_t * failed;    // the set that cannot be planned under the present constraints
  int32_t * activity;   // by member: how often it was in such a set
  int32_t * list;       // a set as a list
  fw_cbs_memo_t roots;  // weights of pairs without constraints, by their costs
  fw_cbs_memo_t pairs;  // whether pairs can keep their costs under constraints, in this tree
  int32_t best;         // the node with the fewest pairs that meet
} fw_cbs_refuter_t;

bool fw_cbs_refuter_init(fw_cbs_refuter_t * refuter, fw_cbs_t * run, fw_cbs_cores_t * cores);
// Everybody has its root path, and counts what it may cost. The tree is in `run->store`. FW_CBS_REFUTED: `failed` is the
// set that fails.
fw_cbs_verdict_t fw_cbs_refute(fw_cbs_refuter_t * refuter, int32_t nodes_max);
// How much more a pair costs; or just whether it does, where there are constraints. FW_CBS_STOPPED, or not.
fw_cbs_verdict_t fw_cbs_ask_pair(fw_cbs_refuter_t * refuter, int32_t index, const int32_t members[2], int32_t * weight);

// cbs_learn.c: cores from a pair, and from the set that has failed. FW_FOUND_STOPPED, or not.
enum { FW_CBS_PAIR_STATES = 4000 };
fw_found_t fw_cbs_learn_pair(fw_cbs_refuter_t * refuter, const int32_t members[2], int32_t weight);
fw_found_t fw_cbs_learn(fw_cbs_refuter_t * refuter);

static inline bool fw_cbs_set_has(const uint64_t * set, int32_t member)
{
  return (set[member >> 6] >> (member & 63) & 1) != 0;
}

#endif  // PLANNER__CBS_REFUTE_H_
