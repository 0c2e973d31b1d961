// Two robots that meet in a corridor from opposite ends: one has to wait until the other is through, or go around.
//
// J. Li, G. Gange, D. Harabor, P. Stuckey, H. Ma, S. Koenig, New Techniques for Pairwise Symmetry Breaking in
// Multi-Agent Path Finding, ICAPS 2020. A corridor is a chain of nodes with two neighbours each. Let the robots leave it
// at ends a and b, not before ticks t(a) and t(b), around it not before t'(a) and t'(b), and let it be k moves long. They
// cannot both be out by min(t'(a) - 1, t(b) + k) and min(t'(b) - 1, t(a) + k): each child forbids one of the two.

#include "planner/cbs_tree.h"

typedef struct corridor_t {
  int32_t ends[2];
  int32_t beside[2];  // the node next to each end, inside
  int32_t length;     // moves from end to end
} corridor_t;

static int32_t degree_of(const fw_cbs_t * run, int32_t node)
{
  const int32_t * next = fw_moves_of(run->scene->moves, node);
  int32_t degree = 0;
  for (int32_t d = 0; d < run->scene->moves->degree; ++d) {
    degree += next[d] >= 0 ? 1 : 0;
  }
  return degree;
}

// The neighbour of a node of the chain that is not `from`; -1 if there is none.
static int32_t step_on(const fw_cbs_t * run, int32_t from, int32_t node)
{
  const int32_t * next = fw_moves_of(run->scene->moves, node);
  for (int32_t d = 0; d < run->scene->moves->degree; ++d) {
    if (next[d] >= 0 && next[d] != from) {
      return next[d];
    }
  }
  return -1;
}

// The chain around `middle`, which has two neighbours. False for a ring.
static bool find_corridor(const fw_cbs_t * run, int32_t middle, corridor_t * corridor)
{
  const int32_t first = step_on(run, -1, middle);
  const int32_t sides[2] = {first, step_on(run, first, middle)};
  corridor->length = 0;
  for (int32_t side = 0; side < 2; ++side) {
    int32_t from = middle;
    int32_t node = sides[side];
    int32_t steps = 1;
    while (degree_of(run, node) == 2 && node != middle) {
      const int32_t next = step_on(run, from, node);
      from = node;
      node = next;
      ++steps;
    }
    if (node == middle) {
      return false;
    }
    corridor->ends[side] = node;
    corridor->beside[side] = from;
    corridor->length += steps;
  }
  return corridor->ends[0] != corridor->ends[1];
}

// The last tick before, and the first tick after `tick` at which a path is on an end; -1 if it is on none.
typedef struct passage_t {
  int32_t in;   // the end by which it comes
  int32_t out;  // and goes
  fw_tick_t out_tick;
} passage_t;

static bool find_passage(const corridor_t * corridor, const fw_path_t * path, fw_tick_t tick, passage_t * passage)
{
  passage->in = passage->out = -1;
  for (fw_tick_t t = tick < path->length ? tick : path->length - 1; t >= 0 && passage->in < 0; --t) {
    passage->in = path->cells[t] == corridor->ends[0] ? 0 : path->cells[t] == corridor->ends[1] ? 1 : -1;
  }
  for (fw_tick_t t = tick; t < path->length && passage->out < 0; ++t) {
    passage->out = path->cells[t] == corridor->ends[0] ? 0 : path->cells[t] == corridor->ends[1] ? 1 : -1;
    passage->out_tick = t;
  }
  return passage->in >= 0 && passage->out >= 0 && passage->in != passage->out;
}

typedef struct times_t {
  fw_tick_t through;  // t
  fw_tick_t around;   // t'
} times_t;

static fw_found_t find_times(
  fw_cbs_t * run, int32_t index, int32_t member, const corridor_t * corridor, int32_t out, times_t * times)
{
  if (!fw_cbs_rules_read(run, 0, index, member, (fw_cbs_more_t){NULL, 0})) {
    return fw_cbs_out_of_memory(run);
  }
  const int32_t end = corridor->ends[out];
  const int32_t barred[2] = {end, corridor->beside[out]};
  if (fw_cbs_earliest(run, member, end, NULL, &times->through) == FW_FOUND_STOPPED) {
    return FW_FOUND_STOPPED;
  }
  return fw_cbs_earliest(run, member, end, barred, &times->around) == FW_FOUND_STOPPED ? FW_FOUND_STOPPED
                                                                                       : FW_FOUND_PATH;
}

static fw_tick_t forbidden_until(const times_t * own, const times_t * other, int32_t length)
{
  const fw_tick_t behind = other->through == FW_TICK_MAX ? FW_TICK_MAX : other->through + length;
  const fw_tick_t around = own->around == FW_TICK_MAX ? FW_TICK_MAX : own->around - 1;
  return behind < around ? behind : around;
}

fw_found_t fw_cbs_split_corridor(
  fw_cbs_t * run, int32_t index, const fw_cbs_conflict_t * conflict, fw_cbs_split_t * split)
{
  const int32_t members[2] = {conflict->one, conflict->two};
  const fw_tick_t ticks[2] = {conflict->tick, conflict->two_tick};
  corridor_t corridor;
  passage_t passages[2];
  times_t times[2];
  int32_t middle = fw_path_at(&run->members[members[0]].path, ticks[0]);
  if (conflict->is_between && degree_of(run, middle) != 2) {
    middle = fw_path_at(&run->members[members[0]].path, ticks[0] - 1);
  }
  if (degree_of(run, middle) != 2 || !find_corridor(run, middle, &corridor)) {
    return FW_FOUND_NONE;
  }
  for (int32_t i = 0; i < 2; ++i) {
    if (!find_passage(&corridor, &run->members[members[i]].path, ticks[i], &passages[i])) {
      return FW_FOUND_NONE;
    }
  }
  if (passages[0].out == passages[1].out) {
    return FW_FOUND_NONE;  // they follow each other
  }
  for (int32_t i = 0; i < 2; ++i) {
    if (find_times(run, index, members[i], &corridor, passages[i].out, &times[i]) == FW_FOUND_STOPPED) {
      return FW_FOUND_STOPPED;
    }
  }
  fw_cbs_split_t better = {.fixed_count = 0};
  for (int32_t i = 0; i < 2; ++i) {
    const fw_tick_t until = forbidden_until(&times[i], &times[1 - i], corridor.length);
    if (passages[i].out_tick > until) {
      return FW_FOUND_NONE;  // the path is not touched by it
    }
    better.members[i] = members[i];
    better.constraints[i] =
      (fw_cbs_constraint_t){.node = corridor.ends[passages[i].out], .direction = FW_CBS_BE, .from = 0, .to = until};
  }
  *split = better;
  return FW_FOUND_PATH;
}
