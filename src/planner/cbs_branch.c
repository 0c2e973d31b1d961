// The two ways out of a conflict.
//
// Target reasoning: J. Li, G. Gange, D. Harabor, P. Stuckey, H. Ma, S. Koenig, New Techniques for Pairwise Symmetry
// Breaking in Multi-Agent Path Finding, ICAPS 2020. A robot passes the goal of one that has ended there: either that one
// ends later than now, or the other does not come by any more, now or later. It counts only where the cost runs up to
// the last arrival; otherwise a robot on its goal can step aside for two ticks.

#include "planner/cbs_tree.h"

static fw_cbs_constraint_t forbid(const fw_cbs_t * run, int32_t member, fw_tick_t tick, bool is_between)
{
  const fw_path_t * path = &run->members[member].path;
  const int32_t to = fw_path_at(path, tick);
  const int32_t direction = is_between ? fw_scene_direction(run->scene, fw_path_at(path, tick - 1), to) : FW_CBS_BE;
  return (fw_cbs_constraint_t){.node = to, .direction = direction, .from = tick, .to = tick};
}

static bool has_ended(const fw_cbs_t * run, int32_t member, fw_tick_t tick)
{
  return tick >= run->members[member].path_cost;
}

// `who` passes the goal of `target`, which has ended.
static fw_cbs_split_t split_target(
  const fw_cbs_t * run, int32_t who, int32_t target, fw_tick_t tick, fw_tick_t target_tick)
{
  const int32_t goal = run->scene->goals[run->members[target].robot];
  return (fw_cbs_split_t){
    .members = {who, target},
    .constraints = {
      {.node = goal, .direction = FW_CBS_BE, .from = tick, .to = FW_TICK_MAX},
      {.node = goal, .direction = FW_CBS_END, .from = 0, .to = target_tick},
    }};
}

// J. Li, D. Harabor, P. Stuckey, A. Felner, H. Ma, S. Koenig, Disjoint Splitting for Multi-Agent Path Finding with
// Conflict-Based Search, ICAPS 2019: one robot is not there, or it is and the other is not.
static fw_cbs_split_t split_places(const fw_cbs_t * run, const fw_cbs_conflict_t * conflict)
{
  const bool takes_two = conflict->is_forced[1] && !conflict->is_forced[0];
  const int32_t members[2] = {conflict->one, conflict->two};
  const fw_tick_t ticks[2] = {conflict->tick, conflict->two_tick};
  fw_cbs_split_t split;
  for (int32_t i = 0; i < 2; ++i) {
    const int32_t from = takes_two ? 1 - i : i;
    split.members[i] = members[from];
    split.constraints[i] = forbid(run, members[from], ticks[from], conflict->is_between);
  }
  split.fixed_count = 0;
  const fw_tick_t tick = split.constraints[0].from;
  for (int32_t back = 0; back <= (conflict->is_between ? 1 : 0) && run->options->is_disjoint; ++back) {
    split.fixed[split.fixed_count++] = (fw_cbs_constraint_t){
      .node = fw_path_at(&run->members[split.members[0]].path, tick - back),
      .direction = FW_CBS_MUST,
      .from = tick - back,
      .to = tick - back,
    };
  }
  return split;
}

fw_cbs_split_t fw_cbs_split(const fw_cbs_t * run, const fw_cbs_conflict_t * conflict)
{
  if (run->options->has_targets && run->scene->rule == FW_COST_LAST_ARRIVAL && !conflict->is_between) {
    if (has_ended(run, conflict->two, conflict->two_tick)) {
      return split_target(run, conflict->one, conflict->two, conflict->tick, conflict->two_tick);
    }
    if (has_ended(run, conflict->one, conflict->tick)) {
      return split_target(run, conflict->two, conflict->one, conflict->two_tick, conflict->tick);
    }
  }
  return split_places(run, conflict);
}

// x_i + x_j >= w means x_i >= a or x_j >= w - a + 1, for any a from 1 to w.
fw_cbs_split_t fw_cbs_split_costs(const fw_cbs_t * run, const fw_cbs_conflict_t * conflict)
{
  const fw_cbs_member_t * one = &run->members[conflict->one];
  const fw_cbs_member_t * two = &run->members[conflict->two];
  const int32_t part = (conflict->weight + 1) / 2;
  return (fw_cbs_split_t){
    .members = {conflict->one, conflict->two},
    .constraints =
      {
        {.node = run->scene->goals[one->robot], .direction = FW_CBS_COST, .to = one->path_cost + part},
        {.node = run->scene->goals[two->robot],
         .direction = FW_CBS_COST,
         .to = two->path_cost + conflict->weight - part + 1},
      },
    .fixed = {{.node = run->scene->goals[one->robot], .direction = FW_CBS_COST_MAX, .to = one->path_cost + part - 1}},
    .fixed_count = run->options->is_disjoint ? 1 : 0,
  };
}
