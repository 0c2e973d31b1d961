// The constraints of one robot, gathered from a node of the tree and all above it, in lists by place.

#include <string.h>

#include "planner/cbs_tree.h"

bool fw_cbs_rules_init(fw_cbs_t * run)
{
  const size_t nodes = (size_t)run->scene->moves->node_count;
  for (int32_t side = 0; side < 2; ++side) {
    run->rules[side].heads = fw_arena_allocate(run->arena, nodes, sizeof(*run->rules[side].heads));
    if (run->rules[side].heads == NULL) {
      return false;
    }
    memset(run->rules[side].heads, 0xff, nodes * sizeof(*run->rules[side].heads));  // -1 in every place
  }
  run->xs = fw_arena_allocate(run->arena, nodes, sizeof(*run->xs));
  run->ys = fw_arena_allocate(run->arena, nodes, sizeof(*run->ys));
  for (size_t i = 0; i < nodes && run->xs != NULL && run->ys != NULL; ++i) {
    run->xs[i] = (int16_t)fw_grid_x(run->scene->moves->grid, run->scene->moves->cell_of[i]);
    run->ys[i] = (int16_t)fw_grid_y(run->scene->moves->grid, run->scene->moves->cell_of[i]);
  }
  return run->xs != NULL && run->ys != NULL;
}

static void clear(fw_cbs_rules_t * rules)
{
  for (int32_t i = 0; i < rules->count; ++i) {
    rules->heads[rules->listed[i].node] = -1;
  }
  rules->count = 0;
  rules->must_count = 0;
}

static bool list(fw_cbs_t * run, fw_cbs_rules_t * rules, const fw_cbs_constraint_t * constraints, int32_t count)
{
  while (rules->count + count > rules->capacity) {
    fw_cbs_constraint_t * listed =
      fw_arena_grow(run->arena, rules->listed, (size_t)rules->count, sizeof(*listed), &rules->capacity);
    int32_t * links =
      fw_arena_grow(run->arena, rules->links, (size_t)rules->count, sizeof(*links), &rules->links_capacity);
    if (listed == NULL || links == NULL) {
      rules->capacity = rules->links_capacity = rules->count;  // as much as is surely there
      return false;
    }
    rules->listed = listed;
    rules->links = links;
  }
  for (int32_t i = 0; i < count; ++i) {
    const int32_t at = rules->count++;
    rules->listed[at] = constraints[i];
    if (constraints[i].direction == FW_CBS_MUST) {
      if (rules->must_count == rules->musts_capacity) {
        int32_t * musts =
          fw_arena_grow(run->arena, rules->musts, (size_t)rules->must_count, sizeof(*musts), &rules->musts_capacity);
        if (musts == NULL) {
          return false;
        }
        rules->musts = musts;
      }
      rules->musts[rules->must_count++] = at;
    }
    rules->links[at] = rules->heads[constraints[i].node];
    rules->heads[constraints[i].node] = at;
  }
  return true;
}

// When the robot may end, from when on its world stands still, and what it counts.
static void read_times(fw_cbs_t * run, fw_cbs_rules_t * rules)
{
  const int32_t goal = run->scene->goals[rules->robot];
  const fw_traffic_t * illegal = run->group->illegal;
  fw_tick_t still = run->scene->closed_last;
  fw_tick_t held = fw_scene_closed_until(run->scene, goal);
  rules->least = 0;
  rules->most = INT32_MAX;
  if (illegal != NULL) {
    const fw_tick_t last = illegal->last_tick + 1 + run->scene->robust_ticks;
    const fw_tick_t met = fw_traffic_last(illegal, goal);
    still = last > still ? last : still;
    held = met > held ? met : held;
  }
  for (int32_t i = 0; i < rules->count; ++i) {
    const fw_cbs_constraint_t * rule = &rules->listed[i];
    if (rule->direction == FW_CBS_COST) {
      rules->least = rule->to > rules->least ? rule->to : rules->least;
      continue;
    }
    if (rule->direction == FW_CBS_COST_MAX) {
      rules->most = rule->to < rules->most ? rule->to : rules->most;
      continue;
    }
    const fw_tick_t change = rule->to == FW_TICK_MAX ? rule->from : rule->to + 1;
    still = change > still ? change : still;
    const bool holds = rule->direction == FW_CBS_END || (rule->direction == FW_CBS_BE && rule->node == goal) ||
                       (rule->direction == FW_CBS_MUST && rule->node != goal);
    held = holds && rule->to > held ? rule->to : held;
  }
  rules->still_from = still;
  rules->end_from = held == FW_TICK_MAX ? FW_TICK_MAX : held + 1;
  if (run->scene->rule == FW_COST_LAST_ARRIVAL && rules->end_from < FW_TICK_MAX && rules->end_from > rules->least) {
    rules->least = rules->end_from;
  }
}

bool fw_cbs_rules_read(fw_cbs_t * run, int32_t side, int32_t index, int32_t member, fw_cbs_more_t more)
{
  const fw_cbs_member_t * who = &run->members[member];
  fw_cbs_rules_t * rules = &run->rules[side];
  clear(rules);
  rules->robot = who->robot;
  if (!list(run, rules, who->given, who->given_count) || !list(run, rules, more.constraints, more.count)) {
    return false;
  }
  for (int32_t at = index; at > 0; at = fw_cbs_node(run, at)->parent) {
    const fw_cbs_node_t * node = fw_cbs_node(run, at);
    if (node->member == member && !list(run, rules, node->constraints, node->constraint_count)) {
      return false;
    }
    if (node->fixed == member && !list(run, rules, node->fixed_constraints, node->fixed_count)) {
      return false;
    }
  }
  read_times(run, rules);
  return true;
}

// Can it still be where it must?
static bool keeps_musts(const fw_cbs_t * run, const fw_cbs_rules_t * rules, int32_t node, fw_tick_t arrival)
{
  for (int32_t i = 0; i < rules->must_count; ++i) {
    const fw_cbs_constraint_t * must = &rules->listed[rules->musts[i]];
    const int32_t dx =
      run->xs[node] > run->xs[must->node] ? run->xs[node] - run->xs[must->node] : run->xs[must->node] - run->xs[node];
    const int32_t dy =
      run->ys[node] > run->ys[must->node] ? run->ys[node] - run->ys[must->node] : run->ys[must->node] - run->ys[node];
    const int32_t way = run->scene->moves->degree == 4 ? dx + dy : (dx > dy ? dx : dy);
    if (arrival <= must->from && way > must->from - arrival) {
      return false;
    }
  }
  return true;
}

bool fw_cbs_allows(const fw_cbs_t * run, int32_t side, const fw_hop_t * hop)
{
  const fw_cbs_rules_t * rules = &run->rules[side];
  const fw_tick_t arrival = hop->depart + 1;
  for (int32_t i = rules->heads[hop->to]; i >= 0; i = rules->links[i]) {
    const fw_cbs_constraint_t * rule = &rules->listed[i];
    if (
      arrival >= rule->from && arrival <= rule->to &&
      (rule->direction == FW_CBS_BE || (rule->direction >= 0 && rule->direction == hop->direction))) {
      return false;
    }
  }
  return keeps_musts(run, rules, hop->to, arrival) && !fw_scene_is_closed(run->scene, hop->to, arrival) &&
         (run->group->illegal == NULL || fw_traffic_count(run->group->illegal, hop) == 0);
}
