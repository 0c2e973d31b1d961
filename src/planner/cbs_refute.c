// Depth first through a tree of constraints in which nobody may cost more, with backjumping.
//
// Each conflict is split in two. If a side fails for reasons that have nothing to do with its constraint, the node fails
// for them as well, and the other side need not be looked at (conflict-directed backjumping: P. Prosser, Hybrid
// Algorithms for the Constraint Satisfaction Problem, Computational Intelligence 9, 1993). Reasons are sets of robots.

#include "planner/cbs_refute.h"

#include <string.h>

enum { PAIR_STATES = FW_CBS_PAIR_STATES, PAIR_STATES_BELOW = 1000, ACTIVITY_MAX = 1 << 20 };

typedef struct fw_cbs_frame_t {
  int32_t node;
  fw_cbs_split_t split;
  int32_t children[2];  // -1: no path
  int32_t side;         // that is looked at
  bool is_second;
  uint64_t * failed;  // what the first side failed for
} fw_cbs_frame_t;

bool fw_cbs_refuter_init(fw_cbs_refuter_t * refuter, fw_cbs_t * run, fw_cbs_cores_t * cores)
{
  const size_t count = (size_t)run->count;
  *refuter = (fw_cbs_refuter_t){.run = run, .cores = cores, .words = (run->count + 63) / 64};
  refuter->failed = fw_arena_allocate(run->arena, (size_t)refuter->words, sizeof(*refuter->failed));
  refuter->activity = fw_arena_allocate_zeroed(run->arena, count, sizeof(*refuter->activity));
  refuter->list = fw_arena_allocate(run->arena, count, sizeof(*refuter->list));
  return refuter->failed != NULL && refuter->activity != NULL && refuter->list != NULL &&
         fw_cbs_memo_init(&refuter->roots, run->arena) && fw_cbs_memo_init(&refuter->pairs, run->arena);
}

// ---- sets -----------------------------------------------------------------------------------------------------------

static bool has(const uint64_t * set, int32_t member) { return fw_cbs_set_has(set, member); }

static void fail_for(fw_cbs_refuter_t * refuter, int32_t one, int32_t two)
{
  memset(refuter->failed, 0, (size_t)refuter->words * sizeof(*refuter->failed));
  refuter->failed[one >> 6] |= UINT64_C(1) << (one & 63);
  refuter->failed[two >> 6] |= UINT64_C(1) << (two & 63);
  refuter->activity[one] += refuter->activity[one] < ACTIVITY_MAX ? 1 : 0;
  refuter->activity[two] += refuter->activity[two] < ACTIVITY_MAX ? 1 : 0;
}

// ---- pairs ----------------------------------------------------------------------------------------------------------

// How much more a pair costs, or just whether it does if there are constraints.
fw_cbs_verdict_t fw_cbs_ask_pair(fw_cbs_refuter_t * refuter, int32_t index, const int32_t members[2], int32_t * weight)
{
  fw_cbs_t * run = refuter->run;
  const fw_cbs_member_t * one = &run->members[members[0]];
  const fw_cbs_member_t * two = &run->members[members[1]];
  const bool is_root = one->owner == 0 && two->owner == 0;
  fw_cbs_memo_t * memo = is_root ? &refuter->roots : &refuter->pairs;
  const uint64_t keys[2] = {
    fw_cbs_memo_key(members[0], members[1]),
    is_root ? fw_cbs_memo_key(one->path_cost, two->path_cost) : fw_cbs_memo_key(one->owner, two->owner)};
  if (fw_cbs_memo_get(memo, keys, weight)) {
    return FW_CBS_REFUTED;
  }
  const fw_cbs_pair_ask_t ask = {
    .index = index,
    .members = {members[0], members[1]},
    .expansions_max = is_root ? PAIR_STATES : PAIR_STATES_BELOW,
    .delta_max = is_root && refuter->tells_pairs ? FW_CBS_DELTA_MAX : 0,
  };
  (void)fw_cbs_pair_weigh(run, &ask, weight);
  if (fw_meter_has_stopped(run->scene->meter)) {
    return FW_CBS_STOPPED;
  }
  if (!fw_cbs_memo_put(memo, keys, *weight)) {
    (void)fw_cbs_out_of_memory(run);
    return FW_CBS_STOPPED;
  }
  return FW_CBS_REFUTED;
}

// A pair that cannot keep its costs: FW_CBS_FEASIBLE if there is none. At the root all of them are told.
static fw_cbs_verdict_t look_at_pairs(fw_cbs_refuter_t * refuter, int32_t index)
{
  fw_cbs_t * run = refuter->run;
  fw_cbs_verdict_t verdict = FW_CBS_FEASIBLE;
  for (int32_t i = 0; i < run->conflict_count; ++i) {
    const fw_cbs_conflict_t * conflict = &run->conflicts[i];
    const bool is_turned = conflict->one > conflict->two;
    const int32_t members[2] = {is_turned ? conflict->two : conflict->one, is_turned ? conflict->one : conflict->two};
    bool is_new = true;
    for (int32_t k = i - 1; k >= 0 && is_new; --k) {
      const fw_cbs_conflict_t * other = &run->conflicts[k];
      is_new =
        !((other->one == conflict->one && other->two == conflict->two) ||
          (other->one == conflict->two && other->two == conflict->one));
    }
    int32_t weight = 0;
    if (is_new && fw_cbs_ask_pair(refuter, index, members, &weight) == FW_CBS_STOPPED) {
      return FW_CBS_STOPPED;
    }
    if (weight == 0) {
      continue;
    }
    verdict = FW_CBS_REFUTED;
    fail_for(refuter, members[0], members[1]);
    if (index > 0 || !refuter->tells_pairs) {
      return verdict;
    }
    if (fw_cbs_learn_pair(refuter, members, weight) == FW_FOUND_STOPPED) {
      return FW_CBS_STOPPED;
    }
    refuter->has_told = true;
  }
  return verdict;
}

// ---- splitting ------------------------------------------------------------------------------------------------------

// Those that can be avoided least, and of robots that have failed before: what fails fails early and for few.
static const fw_cbs_conflict_t * choose(const fw_cbs_refuter_t * refuter)
{
  const fw_cbs_t * run = refuter->run;
  const fw_cbs_conflict_t * best = &run->conflicts[0];
  for (int32_t i = 1; i < run->conflict_count; ++i) {
    const fw_cbs_conflict_t * a = &run->conflicts[i];
    const int32_t activity = refuter->activity[a->one] + refuter->activity[a->two];
    const int32_t known = refuter->activity[best->one] + refuter->activity[best->two];
    if (a->rank != best->rank ? a->rank > best->rank : (activity != known ? activity > known : a->tick < best->tick)) {
      best = a;
    }
  }
  return best;
}

static fw_cbs_frame_t * push_frame(fw_cbs_refuter_t * refuter)
{
  fw_arena_t * arena = refuter->run->arena;
  if (refuter->depth == refuter->frame_capacity) {
    const int32_t old = refuter->frame_capacity;
    fw_cbs_frame_t * frames =
      fw_arena_grow(arena, refuter->frames, (size_t)old, sizeof(*frames), &refuter->frame_capacity);
    if (frames == NULL) {
      return NULL;
    }
    memset(frames + old, 0, (size_t)(refuter->frame_capacity - old) * sizeof(*frames));
    refuter->frames = frames;
  }
  fw_cbs_frame_t * frame = &refuter->frames[refuter->depth];
  if (frame->failed == NULL) {
    frame->failed = fw_arena_allocate(arena, (size_t)refuter->words, sizeof(*frame->failed));
  }
  if (frame->failed != NULL) {
    ++refuter->depth;
  }
  return frame->failed != NULL ? frame : NULL;
}

// Splits the loaded node. `next` is a child that takes its place, if there is one that meets fewer for nothing.
static fw_cbs_verdict_t split(fw_cbs_refuter_t * refuter, int32_t index, int32_t * next)
{
  fw_cbs_t * run = refuter->run;
  const fw_cbs_split_t ways = fw_cbs_split(run, choose(refuter));
  int32_t children[2];
  *next = -1;
  for (int32_t side = 0; side < 2; ++side) {
    if (fw_cbs_make_child(run, index, &ways, side, &children[side]) == FW_FOUND_STOPPED) {
      return FW_CBS_STOPPED;
    }
    if (children[side] >= 0 && fw_cbs_take_bypass(run, index, children[side])) {
      *next = children[side];
      return FW_CBS_REFUTED;
    }
  }
  fw_cbs_frame_t * frame = push_frame(refuter);
  if (frame == NULL) {
    (void)fw_cbs_out_of_memory(run);
    return FW_CBS_STOPPED;
  }
  const bool is_first_hopeless = children[0] < 0;
  const bool is_second_better = !is_first_hopeless && (children[1] < 0 || fw_cbs_node(run, children[1])->pairs <
                                                                            fw_cbs_node(run, children[0])->pairs);
  frame->node = index;
  frame->split = ways;
  frame->children[0] = children[0];
  frame->children[1] = children[1];
  frame->side = is_second_better ? 1 : 0;
  frame->is_second = false;
  memset(frame->failed, 0, (size_t)refuter->words * sizeof(*frame->failed));
  return FW_CBS_REFUTED;
}

// ---- the search -----------------------------------------------------------------------------------------------------

// Looks at a node until it is a plan, has failed (REFUTED, the set is in `failed`), or is split (GAVE_UP: go on below).
static fw_cbs_verdict_t enter(fw_cbs_refuter_t * refuter, int32_t index)
{
  fw_cbs_t * run = refuter->run;
  for (;;) {
    if (!fw_cbs_load(run, index) || !fw_cbs_find_conflicts(run)) {
      (void)fw_cbs_out_of_memory(run);
      return FW_CBS_STOPPED;
    }
    ++run->expanded;
    if (fw_meter_add(run->scene->meter, 1)) {
      return FW_CBS_STOPPED;
    }
    if (run->conflict_count == 0) {
      return FW_CBS_FEASIBLE;
    }
    fw_cbs_node(run, index)->pairs = fw_cbs_count_pairs(run);
    if (fw_cbs_node(run, index)->pairs < fw_cbs_node(run, refuter->best)->pairs) {
      refuter->best = index;
    }
    const fw_cbs_verdict_t verdict = look_at_pairs(refuter, index);
    if (verdict != FW_CBS_FEASIBLE) {
      return verdict;
    }
    int32_t next;
    if (!fw_cbs_rank_conflicts(run, index)) {
      (void)fw_cbs_out_of_memory(run);
      return FW_CBS_STOPPED;
    }
    if (split(refuter, index, &next) == FW_CBS_STOPPED) {
      return FW_CBS_STOPPED;
    }
    if (next < 0) {
      return FW_CBS_GAVE_UP;
    }
    index = next;
  }
}

// Whether the set that failed has to do with the constraint of the frame's present side.
static bool is_touched(const fw_cbs_refuter_t * refuter, const fw_cbs_frame_t * frame)
{
  const fw_cbs_split_t * ways = &frame->split;
  return has(refuter->failed, ways->members[frame->side]) ||
         (frame->side == 1 && ways->fixed_count > 0 && has(refuter->failed, ways->members[0]));
}

// Goes up from what has failed to the next side to look at; -1 if there is none: the whole has failed.
static int32_t back_jump(fw_cbs_refuter_t * refuter)
{
  while (refuter->depth > 0) {
    fw_cbs_frame_t * frame = &refuter->frames[refuter->depth - 1];
    if (is_touched(refuter, frame)) {
      for (int32_t i = 0; i < refuter->words; ++i) {
        frame->failed[i] |= refuter->failed[i];
      }
      if (!frame->is_second) {
        frame->is_second = true;
        frame->side = 1 - frame->side;
        if (frame->children[frame->side] >= 0) {
          return frame->children[frame->side];
        }
        fail_for(refuter, frame->split.members[frame->side], frame->split.members[frame->side]);
        continue;  // it fails at once, for its own path
      }
      memcpy(refuter->failed, frame->failed, (size_t)refuter->words * sizeof(*refuter->failed));
    }
    --refuter->depth;
  }
  return -1;
}

static fw_cbs_verdict_t search(fw_cbs_refuter_t * refuter, int32_t nodes_max)
{
  fw_cbs_t * run = refuter->run;
  int32_t index = 0;
  for (;;) {
    const fw_cbs_verdict_t verdict = enter(refuter, index);
    if (verdict == FW_CBS_FEASIBLE || verdict == FW_CBS_STOPPED) {
      return verdict;
    }
    if (verdict == FW_CBS_REFUTED && index == 0 && refuter->depth == 0) {
      return verdict;  // a pair by itself
    }
    if (run->node_count > nodes_max) {
      return FW_CBS_GAVE_UP;
    }
    if (verdict == FW_CBS_GAVE_UP) {  // split: down
      fw_cbs_frame_t * frame = &refuter->frames[refuter->depth - 1];
      index = frame->children[frame->side];
      if (index >= 0) {
        continue;
      }
      fail_for(refuter, frame->split.members[frame->side], frame->split.members[frame->side]);
    }
    index = back_jump(refuter);
    if (index < 0) {
      return FW_CBS_REFUTED;
    }
  }
}

fw_cbs_verdict_t fw_cbs_refute(fw_cbs_refuter_t * refuter, int32_t nodes_max)
{
  fw_cbs_t * run = refuter->run;
  refuter->has_told = false;
  run->node_count = 0;
  fw_cbs_node_t * root = fw_cbs_add_node(run);
  if (root == NULL) {
    (void)fw_cbs_out_of_memory(run);
    return FW_CBS_STOPPED;
  }
  *root = (fw_cbs_node_t){.parent = -1, .member = -1, .fixed = -1, .pairs = INT32_MAX};
  for (int32_t i = 0; i < run->count; ++i) {
    root->cost += run->members[i].root_cost;
  }
  refuter->depth = 0;
  refuter->best = 0;
  fw_cbs_memo_clear(&refuter->pairs);
  fw_cbs_diagrams_forget(run, false);
  return search(refuter, nodes_max);
}
