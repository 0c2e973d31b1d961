// What pairs of robots cost together, and what that says of a node of the tree.
//
// J. Li, A. Felner, E. Boyarski, H. Ma, S. Koenig, Improved Heuristics for Multi-Agent Path Finding with Conflict-Based
// Search, IJCAI 2019 (the weighted dependency graph). Two robots that meet are solved as a problem of their own under
// their constraints; what that costs more than their paths is the weight of an edge between them. If robot i costs x_i
// more in some plan, x_i + x_j is at least the weight of i and j: the least sum of such x is an estimate for the whole.
//
// That least sum is found for real numbers, which is polynomial, and rounded up for each connected part: it is half of
// the heaviest assignment of the part's robots to each other (the dual, on the double cover), by the Hungarian method.

#include <string.h>

#include "planner/cbs_memo.h"
#include "planner/cbs_tree.h"

enum { PAIR_EXPANSIONS = 64, PAIR_STATES = 4000, WEIGHT_NONE = -1, WEIGHT_NEVER = 1 << 16 };

typedef struct fw_cbs_weights_t {
  fw_cbs_t pair;
  fw_arena_t * store;
  fw_group_query_t group;
  fw_cbs_options_t options;
  fw_cbs_constraint_t * given[2];
  int32_t given_capacity[2];
  fw_cbs_memo_t memo;
  int32_t * weights;  // by member and member
  int32_t * parts;    // by member: its connected part, -1
  int32_t * list;     // members of one part
  int32_t * labels;   // for the assignment: 6 arrays of count + 1
} fw_cbs_weights_t;

bool fw_cbs_weights_init(fw_cbs_t * run, fw_arena_t * store, int32_t count_max)
{
  const size_t count = (size_t)count_max;
  fw_cbs_weights_t * weights = fw_arena_allocate_zeroed(run->arena, 1, sizeof(*weights));
  if (weights == NULL || !fw_cbs_init(&weights->pair, run->arena, store, run->scene, 2)) {
    return false;
  }
  weights->store = store;
  weights->weights = fw_arena_allocate(run->arena, count * count, sizeof(*weights->weights));
  weights->parts = fw_arena_allocate(run->arena, count, sizeof(*weights->parts));
  weights->list = fw_arena_allocate(run->arena, count, sizeof(*weights->list));
  weights->labels = fw_arena_allocate(run->arena, 6 * (count + 1), sizeof(*weights->labels));
  run->weights = weights;
  return fw_cbs_memo_init(&weights->memo, run->arena) && weights->weights != NULL && weights->parts != NULL &&
         weights->list != NULL && weights->labels != NULL;
}

// ---- a pair ---------------------------------------------------------------------------------------------------------

static bool give(fw_cbs_t * run, int32_t index, int32_t member, int32_t side)
{
  fw_cbs_weights_t * weights = run->weights;
  if (!fw_cbs_rules_read(run, 0, index, member, (fw_cbs_more_t){NULL, 0})) {
    return false;
  }
  while (weights->given_capacity[side] < run->rules[0].count) {
    weights->given[side] =
      fw_arena_grow(run->arena, NULL, 0, sizeof(*weights->given[side]), &weights->given_capacity[side]);
    if (weights->given[side] == NULL) {
      return false;
    }
  }
  if (run->rules[0].count > 0) {
    memcpy(weights->given[side], run->rules[0].listed, (size_t)run->rules[0].count * sizeof(*run->rules[0].listed));
  }
  const fw_cbs_member_t * who = &run->members[member];
  weights->pair.members[side] = (fw_cbs_member_t){
    .robot = who->robot,
    .root_path = who->path,
    .root_cost = who->path_cost,
    .given = weights->given[side],
    .given_count = run->rules[0].count,
  };
  return true;
}

// How much more the two cost together. FW_FOUND_STOPPED: the meter says why.
static fw_found_t weigh_pair(fw_cbs_t * run, int32_t index, int32_t one, int32_t two, int32_t * weight)
{
  const fw_cbs_pair_ask_t ask = {index, {one, two}, PAIR_STATES, FW_CBS_DELTA_MAX};
  (void)fw_cbs_pair_weigh(run, &ask, weight);
  return fw_meter_has_stopped(run->scene->meter) ? FW_FOUND_STOPPED : FW_FOUND_PATH;
}

// The same where cells stay reserved after they were left: by a tree of constraints for the two.
static fw_found_t weigh_pair_by_tree(fw_cbs_t * run, int32_t index, int32_t one, int32_t two, int32_t * weight)
{
  fw_cbs_weights_t * weights = run->weights;
  fw_cbs_t * pair = &weights->pair;
  fw_group_answer_t answer = {0};
  fw_arena_reset(weights->store);
  if (!give(run, index, one, 0) || !give(run, index, two, 1)) {
    return fw_cbs_out_of_memory(run);
  }
  weights->group =
    (fw_group_query_t){.scene = run->scene, .count = 2, .illegal = run->group->illegal, .cost_max = INT64_MAX};
  weights->options = *run->options;
  weights->options.has_weights = false;
  pair->group = &weights->group;
  pair->options = &weights->options;
  pair->count = 2;
  pair->pages = NULL;
  pair->page_capacity = 0;
  pair->expanded = 0;
  const int32_t apart = run->members[one].path_cost + run->members[two].path_cost;
  const fw_found_t found = fw_cbs_run(pair, PAIR_EXPANSIONS, &answer);
  for (int32_t side = 0; side < 2; ++side) {  // its paths do not outlive the store
    fw_traffic_remove(&pair->traffic, pair->members[side].robot);
  }
  pair->traffic.last_tick = 0;
  if (fw_meter_has_stopped(run->scene->meter)) {
    return FW_FOUND_STOPPED;
  }
  *weight =
    found == FW_FOUND_NONE ? WEIGHT_NEVER : (int32_t)(found == FW_FOUND_PATH ? answer.cost : answer.bound) - apart;
  return FW_FOUND_PATH;
}

// A pair is known by the nodes that have its constraints.
static fw_found_t weight_of(fw_cbs_t * run, int32_t index, int32_t one, int32_t two, int32_t * weight)
{
  fw_cbs_memo_t * memo = &run->weights->memo;
  const uint64_t keys[2] = {
    fw_cbs_memo_key(one, two), fw_cbs_memo_key(run->members[one].owner, run->members[two].owner)};
  if (fw_cbs_memo_get(memo, keys, weight)) {
    return FW_FOUND_PATH;
  }
  const fw_found_t found = run->scene->robust_ticks == 0 ? weigh_pair(run, index, one, two, weight)
                                                         : weigh_pair_by_tree(run, index, one, two, weight);
  if (found != FW_FOUND_PATH) {
    return found;
  }
  return fw_cbs_memo_put(memo, keys, *weight) ? FW_FOUND_PATH : fw_cbs_out_of_memory(run);
}

// ---- the least sum --------------------------------------------------------------------------------------------------

// The heaviest assignment of the listed members to each other, with the Hungarian method as a search for cheapest
// augmenting paths by potentials (Jonker and Volgenant 1987 have it this way); weights are turned into costs by a minus.
static int32_t assign(fw_cbs_weights_t * weights, int32_t all, int32_t count)
{
  const size_t stride = (size_t)count + 1;
  int32_t * row_label = weights->labels;
  int32_t * column_label = row_label + stride;
  int32_t * match = column_label + stride;  // by column: the row
  int32_t * way = match + stride;
  int32_t * is_used = way + stride;
  int32_t * least = is_used + stride;
  memset(weights->labels, 0, 4 * stride * sizeof(*weights->labels));
  for (int32_t row = 1; row <= count; ++row) {
    int32_t column = 0;
    memset(is_used, 0, stride * sizeof(*is_used));
    match[0] = row;
    for (int32_t j = 0; j <= count; ++j) {
      least[j] = INT32_MAX;
    }
    do {
      is_used[column] = 1;
      int32_t delta = INT32_MAX;
      int32_t next = 0;
      for (int32_t j = 1; j <= count; ++j) {
        if (is_used[j] != 0) {
          continue;
        }
        const int32_t weight = weights->weights[weights->list[match[column] - 1] * all + weights->list[j - 1]];
        const int32_t slack = -weight - row_label[match[column]] - column_label[j];
        if (slack < least[j]) {
          least[j] = slack;
          way[j] = column;
        }
        if (least[j] < delta) {
          delta = least[j];
          next = j;
        }
      }
      for (int32_t j = 0; j <= count; ++j) {
        if (is_used[j] != 0) {
          row_label[match[j]] += delta;
          column_label[j] -= delta;
        } else {
          least[j] -= delta;
        }
      }
      column = next;
    } while (match[column] != 0);
    do {
      const int32_t before = way[column];
      match[column] = match[before];
      column = before;
    } while (column != 0);
  }
  return column_label[0];  // the cost with its sign turned: the weight
}

// Members that edges connect with `first`, by looking again until nobody is new.
static int32_t list_part(fw_cbs_weights_t * weights, int32_t all, int32_t first)
{
  int32_t count = 0;
  weights->list[count++] = first;
  weights->parts[first] = 1;
  for (int32_t i = 0; i < count; ++i) {
    for (int32_t j = 0; j < all; ++j) {
      if (weights->parts[j] == 0 && weights->weights[weights->list[i] * all + j] > 0) {
        weights->parts[j] = 1;
        weights->list[count++] = j;
      }
    }
  }
  return count;
}

fw_found_t fw_cbs_weigh(fw_cbs_t * run, int32_t index, int32_t * h)
{
  fw_cbs_weights_t * weights = run->weights;
  const int32_t all = run->count;
  memset(weights->parts, 0, (size_t)all * sizeof(*weights->parts));
  for (int32_t i = 0; i < all * all; ++i) {
    weights->weights[i] = WEIGHT_NONE;
  }
  for (int32_t i = 0; i < run->conflict_count; ++i) {
    const fw_cbs_conflict_t * conflict = &run->conflicts[i];
    const int32_t one = conflict->one < conflict->two ? conflict->one : conflict->two;
    const int32_t two = conflict->one + conflict->two - one;
    if (weights->weights[one * all + two] == WEIGHT_NONE) {
      int32_t weight = 0;
      const fw_found_t found = weight_of(run, index, one, two, &weight);
      if (found != FW_FOUND_PATH) {
        return found;
      }
      weights->weights[one * all + two] = weights->weights[two * all + one] = weight;
    }
  }
  for (int32_t i = 0; i < all * all; ++i) {
    weights->weights[i] = weights->weights[i] > 0 ? weights->weights[i] : 0;
  }
  for (int32_t i = 0; i < run->conflict_count; ++i) {
    run->conflicts[i].weight = weights->weights[run->conflicts[i].one * all + run->conflicts[i].two];
  }
  *h = 0;
  for (int32_t i = 0; i < all; ++i) {
    if (weights->parts[i] == 0) {
      const int32_t count = list_part(weights, all, i);
      *h += count > 1 ? (assign(weights, all, count) + 1) / 2 : 0;
    }
  }
  return FW_FOUND_PATH;
}
