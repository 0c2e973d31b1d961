// Independence detection over joint searches.

#include "planner/optimal/independence_detection.h"

#include "base/assert.h"

enum { CONFLICTS_MAX = 16 };

typedef struct run_t {
  fw_optimal_t * frame;
  const fw_independence_options_t * options;
  fw_independence_counts_t * counts;
  const fw_instance_t * instance;
  int32_t count;         // robots
  fw_cat_t all;          // paths of all robots: the conflict avoidance table
  fw_cat_t illegal;      // paths of one other group: the illegal move table
  fw_cost_t * costs;     // by group
  bool * have_met;       // by group and group: they have been in conflict before
  int32_t * robots;      // of the group that is planned
  int32_t * moved;       // robots of the group that has been merged into another
  fw_cost_t last_bound;  // proved by the last search
  int64_t spent;         // expansions that count against the limit
} run_t;

typedef struct pair_t {
  int32_t one;
  int32_t two;
} pair_t;

// False when there is no memory.
static bool prepare(run_t * run)
{
  fw_arena_t * arena = run->frame->context->scratch;
  const size_t count = (size_t)run->count;
  run->costs = fw__arena_allocate_zeroed(arena, count, sizeof(*run->costs));
  run->have_met = fw__arena_allocate_zeroed(arena, count * count, sizeof(*run->have_met));
  run->robots = fw__arena_allocate(arena, count, sizeof(*run->robots));
  run->moved = fw__arena_allocate(arena, count, sizeof(*run->moved));
  return run->costs != NULL && run->have_met != NULL && run->robots != NULL && run->moved != NULL &&
         fw__cat_init(&run->all, arena, run->instance) && fw__cat_init(&run->illegal, arena, run->instance);
}

static fw_found_t out_of_memory(run_t * run)
{
  fw__meter_stop(run->instance->meter, FW_STOP_MEMORY);
  return FW_FOUND_STOPPED;
}

static int32_t list_group(run_t * run, int32_t group)
{
  int32_t count = 0;
  for (int32_t r = 0; r < run->count; ++r) {
    if (run->frame->group_of[r] == group) {
      run->robots[count++] = r;
    }
  }
  return count;
}

// ---- one group ------------------------------------------------------------------------------------------------------

// What a search expands beyond the allowance for the rise of its lower bound uses up the limit.
static void charge(run_t * run, const fw_joint_answer_t * answer)
{
  const int64_t spent = answer->expanded - run->options->expansions_per_rise * answer->rise * answer->rise;
  run->spent += spent > 0 ? spent : 0;
}

// Plans a group again, at a cost of no more than `cost_max`. Its old paths, if it has any, are out of the tables
// meanwhile; they stay in force if nothing is found. The limit does not hold for the first path of each robot.
static fw_found_t plan_group(run_t * run, int32_t group, fw_cost_t cost_max, const fw_cat_t * illegal)
{
  const int32_t count = list_group(run, group);
  const bool is_limited = run->options->expansions_max > 0 && run->frame->has_paths;
  const fw_joint_query_t query = {
    .instance = run->instance,
    .robots = run->robots,
    .count = count,
    .is_decomposed = !run->options->is_standard,
    .illegal = illegal,
    .avoided = run->options->is_simple ? NULL : &run->all,
    .cost_max = cost_max,
    .expansions_max = is_limited ? run->options->expansions_max - run->spent : 0,
    .expansions_per_rise = run->options->expansions_per_rise,
  };
  FW_ASSERT(count > 0);
  if (is_limited && run->spent >= run->options->expansions_max) {
    run->last_bound = 0;
    return FW_FOUND_STOPPED;
  }
  for (int32_t i = 0; i < count; ++i) {
    fw__cat_remove(&run->all, run->robots[i]);
  }
  fw_joint_answer_t answer = {0};
  const fw_found_t found = fw__joint_search(run->frame->work_joint, &query, &run->frame->paths, &answer);
  fw_independence_counts_t * counts = run->counts;
  counts->largest_group = count > counts->largest_group ? count : counts->largest_group;
  counts->most_children = answer.children_max > counts->most_children ? answer.children_max : counts->most_children;
  run->last_bound = answer.bound;
  if (is_limited) {
    charge(run, &answer);
  }
  if (found == FW_FOUND_PATH) {
    run->costs[group] = answer.cost;
  }
  const bool has_paths = found == FW_FOUND_PATH || run->frame->has_paths;
  for (int32_t i = 0; i < count && has_paths; ++i) {
    if (!fw__cat_add(&run->all, run->robots[i], run->frame->paths.paths[run->robots[i]])) {
      return out_of_memory(run);
    }
  }
  return found;
}

static fw_cost_t sum_costs(const run_t * run)
{
  fw_cost_t sum = 0;
  for (int32_t group = 0; group < run->count; ++group) {
    sum += run->costs[group];
  }
  return sum;
}

// ---- conflicts ------------------------------------------------------------------------------------------------------

// The first pair of groups in conflict, in order of time; `one` is -1 if there is none.
static pair_t find_conflict(const run_t * run)
{
  const fw_path_buffers_t * paths = &run->frame->paths;
  const int32_t * group_of = run->frame->group_of;
  for (fw_tick_t t = 0; t <= run->all.last_tick + run->instance->robust_ticks; ++t) {
    for (int32_t r = 0; r < run->count; ++r) {
      const fw_path_t * path = &paths->paths[r];
      const int32_t from = fw_path_at(path, t > 0 ? t - 1 : 0);
      const int32_t to = fw_path_at(path, t);
      const fw_cat_move_t move = {from, to, from == to ? -1 : fw__instance_direction(run->instance, from, to), t - 1};
      int32_t others[CONFLICTS_MAX];
      const int32_t count = fw__cat_find_conflicts(&run->all, &move, others, CONFLICTS_MAX);
      for (int32_t i = 0; i < count && i < CONFLICTS_MAX; ++i) {
        if (group_of[others[i]] != group_of[r]) {
          return (pair_t){group_of[r], group_of[others[i]]};
        }
      }
    }
  }
  return (pair_t){-1, -1};
}

// Looks for another plan for `group`, of the same cost, without conflicts with `other`.
static fw_found_t replan(run_t * run, int32_t group, int32_t other)
{
  const int32_t count = list_group(run, other);
  for (int32_t i = 0; i < count; ++i) {
    if (!fw__cat_add(&run->illegal, run->robots[i], run->frame->paths.paths[run->robots[i]])) {
      return out_of_memory(run);
    }
  }
  ++run->counts->replans;
  const fw_found_t found = plan_group(run, group, run->costs[group], &run->illegal);
  for (int32_t r = 0; r < run->count; ++r) {
    fw__cat_remove(&run->illegal, r);
  }
  run->illegal.last_tick = 0;
  return found;
}

static fw_found_t merge(run_t * run, pair_t pair)
{
  const int32_t into = pair.one < pair.two ? pair.one : pair.two;
  const int32_t from = pair.one + pair.two - into;
  FW_ASSERT(into != from);
  const fw_cost_t apart = run->costs[into] + run->costs[from];
  int32_t * group_of = run->frame->group_of;
  int32_t moved = 0;
  ++run->counts->merges;
  for (int32_t r = 0; r < run->count; ++r) {
    if (group_of[r] == from) {
      group_of[r] = into;
      run->moved[moved++] = r;
    }
    run->have_met[into * run->count + r] = run->have_met[r * run->count + into] = false;
  }
  run->costs[from] = 0;
  const fw_found_t found = plan_group(run, into, INT64_MAX, NULL);
  if (found == FW_FOUND_STOPPED) {  // they are apart as before, but together they are known to cost more
    run->costs[into] = run->last_bound > apart ? run->last_bound : apart;
    for (int32_t i = 0; i < moved; ++i) {
      group_of[run->moved[i]] = from;
    }
  }
  return found;
}

// Algorithm 2 does not say which of the two groups is replanned first. The smaller one is: its search is exponentially
// cheaper, also where it fails.
static fw_found_t resolve(run_t * run, pair_t pair)
{
  bool * have_met = &run->have_met[pair.one * run->count + pair.two];
  fw_found_t found = FW_FOUND_NONE;
  if (!*have_met && !run->options->is_simple) {
    *have_met = run->have_met[pair.two * run->count + pair.one] = true;
    const bool is_second_smaller = list_group(run, pair.two) < list_group(run, pair.one);
    const pair_t order = is_second_smaller ? (pair_t){pair.two, pair.one} : pair;
    found = replan(run, order.one, order.two);
    found = found == FW_FOUND_NONE ? replan(run, order.two, order.one) : found;
  }
  return found == FW_FOUND_NONE ? merge(run, pair) : found;
}

// ---- all groups -----------------------------------------------------------------------------------------------------

static int32_t count_groups(run_t * run)
{
  int32_t groups = 0;
  for (int32_t group = 0; group < run->count; ++group) {
    groups += list_group(run, group) > 0 ? 1 : 0;
  }
  return groups;
}

static fw_found_t detect(run_t * run)
{
  for (int32_t r = 0; r < run->count; ++r) {
    const fw_found_t found = plan_group(run, r, INT64_MAX, NULL);
    if (found != FW_FOUND_PATH) {
      return found;
    }
  }
  run->frame->has_paths = true;
  for (;;) {
    run->frame->bound = sum_costs(run);
    FW_ASSERT(fw__cat_validate(&run->all));
    const pair_t pair = find_conflict(run);
    if (pair.one < 0) {
      return FW_FOUND_PATH;
    }
    const fw_found_t found = resolve(run, pair);
    if (found != FW_FOUND_PATH) {
      run->frame->bound = found == FW_FOUND_STOPPED ? sum_costs(run) : run->frame->bound;
      return found;
    }
  }
}

fw_found_t fw__independence_search(
  fw_optimal_t * frame, const fw_independence_options_t * options, fw_independence_counts_t * counts)
{
  run_t run = {
    .frame = frame,
    .options = options,
    .counts = counts,
    .instance = &frame->instance,
    .count = frame->instance.problem->robot_count};
  *counts = (fw_independence_counts_t){0};
  if (!prepare(&run)) {
    return out_of_memory(&run);
  }
  const fw_found_t found = detect(&run);
  counts->groups = count_groups(&run);
  return found;
}

fw_found_t fw__independence_solve(fw_optimal_t * frame, const fw_independence_options_t * options)
{
  fw_independence_counts_t counts;
  const fw_found_t found = fw__independence_search(frame, options, &counts);
  fw__plan_count(frame->plan, "groups", counts.groups);
  fw__plan_count(frame->plan, "largest_group", counts.largest_group);
  fw__plan_count(frame->plan, "replans", counts.replans);
  fw__plan_count(frame->plan, "merges", counts.merges);
  fw__plan_count(frame->plan, "most_children", counts.most_children);
  return found;
}
