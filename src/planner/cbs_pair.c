// What two robots cost together under their constraints: a search through their decision diagrams at once.
//
// Two robots can keep their costs only if there are two paths of these costs that do not meet. That is asked for one sum
// of costs after another, as in the pairwise pruning of G. Sharon, R. Stern, M. Goldenberg, A. Felner, The Increasing
// Cost Tree Search for Optimal Multi-Agent Pathfinding, AIJ 2013. Whatever it is that two robots get in each other's way
// with (corridors, open places that they cross, goals that the other passes), it shows here at once.

#include <string.h>

#include "planner/cbs_diagram.h"

enum { FIRST_HEADS = 8192, SIDES = 2 };

typedef struct state_t {
  int32_t entries[SIDES];
  fw_tick_t tick;
  int32_t met;  // others that are better not met
  int32_t parent;
  int32_t chain;
} state_t;

typedef struct fw_cbs_pair_t {
  state_t * states;
  int32_t count;
  int32_t capacity;
  fw_ranked_t open;  // by those met, then by how far along
  int32_t * heads;
  int32_t head_count;
  bool avoids_others;  // those in the traffic
  const fw_cbs_diagram_t * diagrams[SIDES];
  fw_cell_t * nodes[SIDES];  // the paths found
  int32_t node_capacity[SIDES];
} fw_cbs_pair_t;

bool fw_cbs_pair_init(fw_cbs_t * run)
{
  run->pair = fw_arena_allocate_zeroed(run->arena, 1, sizeof(*run->pair));
  if (run->pair == NULL) {
    return false;
  }
  fw_ranked_init(&run->pair->open, run->arena);
  run->pair->head_count = FIRST_HEADS;
  run->pair->heads = fw_arena_allocate(run->arena, FIRST_HEADS, sizeof(*run->pair->heads));
  return run->pair->heads != NULL;
}

// ---- states ---------------------------------------------------------------------------------------------------------

static int32_t * head_of(const fw_cbs_pair_t * pair, const state_t * state)
{
  const int32_t nodes[SIDES] = {
    pair->diagrams[0]->entries[state->entries[0]].node, pair->diagrams[1]->entries[state->entries[1]].node};
  uint64_t hash = (((uint64_t)(uint32_t)nodes[0] << 32) | (uint32_t)nodes[1]) * UINT64_C(0x9e3779b97f4a7c15);
  hash = (hash ^ (hash >> 32) ^ (uint64_t)state->tick) * UINT64_C(0xff51afd7ed558ccd);
  return &pair->heads[(hash >> 40) & (uint64_t)(pair->head_count - 1)];
}

// The same places at the same tick, at no higher cost for either.
static bool is_no_better(const fw_cbs_pair_t * pair, const state_t * state, const state_t * known)
{
  if (known->tick != state->tick) {
    return false;
  }
  for (int32_t side = 0; side < SIDES; ++side) {
    const fw_cbs_entry_t * a = &pair->diagrams[side]->entries[state->entries[side]];
    const fw_cbs_entry_t * b = &pair->diagrams[side]->entries[known->entries[side]];
    if (a->node != b->node || a->has_settled != b->has_settled || b->before > a->before) {
      return false;
    }
  }
  return true;
}

static bool push(fw_cbs_t * run, int32_t index)
{
  const state_t * state = &run->pair->states[index];
  return fw_ranked_push(&run->pair->open, ((uint64_t)state->met << 32) | (uint32_t)(INT32_MAX - state->tick), index);
}

// Keeps a state unless there is one that is as good in all respects.
static bool offer(fw_cbs_t * run, const state_t * state)
{
  fw_cbs_pair_t * pair = run->pair;
  int32_t * head = head_of(pair, state);
  for (int32_t i = *head; i >= 0; i = pair->states[i].chain) {
    if (pair->states[i].met <= state->met && is_no_better(pair, state, &pair->states[i])) {
      return true;
    }
  }
  if (pair->count == pair->capacity) {
    state_t * states = fw_arena_grow(run->arena, pair->states, (size_t)pair->count, sizeof(*states), &pair->capacity);
    if (states == NULL) {
      return false;
    }
    pair->states = states;
  }
  pair->states[pair->count] = *state;
  pair->states[pair->count].chain = *head;
  *head = pair->count;
  return push(run, pair->count++);
}

// ---- moves ----------------------------------------------------------------------------------------------------------

static bool do_meet(
  const fw_cbs_t * run, const fw_cbs_entry_t * const from[SIDES], const fw_cbs_edge_t edges[SIDES],
  const fw_cbs_entry_t * const to[SIDES])
{
  if (to[0]->node == to[1]->node || (to[0]->node == from[1]->node && to[1]->node == from[0]->node)) {
    return true;
  }
  if (edges[0].direction < 4 || edges[1].direction < 4) {
    return false;
  }
  const int32_t * next = fw_moves_of(run->scene->moves, from[0]->node);
  const int32_t left = next[fw_direction_left(edges[0].direction)];
  const int32_t right = next[fw_direction_right(edges[0].direction)];
  return (from[1]->node == left && to[1]->node == right) || (from[1]->node == right && to[1]->node == left);
}

// A robot that has come to the end of its diagram stays there.
static fw_cbs_edge_t edge_at(const fw_cbs_diagram_t * diagram, int32_t entry, int32_t i, fw_tick_t tick)
{
  return tick >= diagram->ticks ? (fw_cbs_edge_t){entry, -1} : diagram->edges[diagram->entries[entry].edge + i];
}

static int32_t edge_count(const fw_cbs_diagram_t * diagram, int32_t entry, fw_tick_t tick)
{
  if (tick >= diagram->ticks) {
    return diagram->entries[entry].after == 0 ? 1 : 0;
  }
  return diagram->entries[entry].edge_count;
}

static int32_t count_met(
  const fw_cbs_t * run, const fw_cbs_entry_t * from, const fw_cbs_entry_t * to, fw_cbs_edge_t edge, fw_tick_t tick)
{
  const fw_hop_t hop = {from->node, to->node, edge.direction, tick};
  return fw_traffic_count(&run->traffic, &hop) +
         (run->group->avoided != NULL ? fw_traffic_count(run->group->avoided, &hop) : 0);
}

// What the two may cost: each, and together.
typedef struct limits_t {
  int32_t each[SIDES];
  int32_t sum;
} limits_t;

static bool expand(fw_cbs_t * run, int32_t index, const limits_t * limits)
{
  const state_t state = run->pair->states[index];
  const fw_cbs_diagram_t * const * diagrams = run->pair->diagrams;
  const fw_cbs_entry_t * from[SIDES] = {
    &diagrams[0]->entries[state.entries[0]], &diagrams[1]->entries[state.entries[1]]};
  const int32_t counts[SIDES] = {
    edge_count(diagrams[0], state.entries[0], state.tick), edge_count(diagrams[1], state.entries[1], state.tick)};
  for (int32_t i = 0; i < counts[0]; ++i) {
    fw_cbs_edge_t edges[SIDES] = {edge_at(diagrams[0], state.entries[0], i, state.tick)};
    const fw_cbs_entry_t * to[SIDES] = {&diagrams[0]->entries[edges[0].to]};
    int32_t met = -1;
    if (to[0]->total > limits->each[0]) {
      continue;
    }
    for (int32_t k = 0; k < counts[1]; ++k) {
      edges[1] = edge_at(diagrams[1], state.entries[1], k, state.tick);
      to[1] = &diagrams[1]->entries[edges[1].to];
      if (
        to[1]->total > limits->each[1] || to[0]->total > limits->sum - to[1]->total || do_meet(run, from, edges, to)) {
        continue;
      }
      state_t child = {.entries = {edges[0].to, edges[1].to}, .tick = state.tick + 1, .parent = index};
      if (run->pair->avoids_others) {
        met = met < 0 ? count_met(run, from[0], to[0], edges[0], state.tick) : met;
        child.met = state.met + met + count_met(run, from[1], to[1], edges[1], state.tick);
      }
      if (!offer(run, &child)) {
        return false;
      }
    }
  }
  return true;
}

// ---- the search -----------------------------------------------------------------------------------------------------

// FW_FOUND_NONE: not within these limits.
static fw_found_t search(fw_cbs_t * run, const limits_t * limits, int64_t * expansions_left, int32_t * end)
{
  fw_cbs_pair_t * pair = run->pair;
  fw_ranked_item_t item;
  pair->count = pair->open.count = 0;
  memset(pair->heads, 0xff, (size_t)pair->head_count * sizeof(*pair->heads));
  const int32_t least[SIDES] = {pair->diagrams[0]->entries[0].total, pair->diagrams[1]->entries[0].total};
  if (least[0] > limits->each[0] || least[1] > limits->each[1] || least[0] > limits->sum - least[1]) {
    return FW_FOUND_NONE;
  }
  if (!offer(run, &(state_t){.parent = -1})) {
    return fw_cbs_out_of_memory(run);
  }
  while (fw_ranked_pop(&pair->open, &item)) {
    const state_t * state = &pair->states[item.value];
    if (
      pair->diagrams[0]->entries[state->entries[0]].after == 0 &&
      pair->diagrams[1]->entries[state->entries[1]].after == 0) {
      *end = item.value;
      return FW_FOUND_PATH;
    }
    if (!expand(run, item.value, limits)) {
      return fw_cbs_out_of_memory(run);
    }
    if (fw_meter_add(run->scene->meter, 1) || --*expansions_left <= 0) {
      return FW_FOUND_STOPPED;
    }
  }
  return FW_FOUND_NONE;
}

// Until when anything can happen. By the larger cost both have been on their goals once; from the last change on, every
// tick that not both of them rest costs one of them at least one, of what they may cost more than alone.
static bool find_horizon(
  fw_cbs_t * run, int32_t index, const int32_t members[SIDES], const int32_t costs[SIDES], fw_tick_t * horizon)
{
  fw_tick_t last = 0;
  int32_t spare = 0;
  for (int32_t side = 0; side < SIDES; ++side) {
    const int32_t robot = run->members[members[side]].robot;
    if (!fw_cbs_rules_read(run, side, index, members[side], (fw_cbs_more_t){NULL, 0})) {
      return false;
    }
    last = run->rules[side].still_from > last ? run->rules[side].still_from : last;
    last = costs[side] > last ? costs[side] : last;
    spare += costs[side] - fw_scene_distance(run->scene, robot, run->scene->starts[robot]);
  }
  *horizon = last + spare;
  return true;
}

// Diagrams for paths that cost up to so much.
static bool ask_diagrams(fw_cbs_t * run, int32_t index, const int32_t members[SIDES], const int32_t costs[SIDES])
{
  const fw_cbs_diagram_t * kept = NULL;
  fw_tick_t ticks;
  if (!find_horizon(run, index, members, costs, &ticks)) {
    return false;
  }
  for (int32_t side = 0; side < SIDES; ++side) {
    kept = fw_cbs_diagram(run, &(fw_cbs_diagram_ask_t){index, members[side], costs[side], ticks, kept});
    if (kept == NULL) {
      return false;
    }
    run->pair->diagrams[side] = kept;
  }
  return true;
}

fw_found_t fw_cbs_pair_weigh(fw_cbs_t * run, const fw_cbs_pair_ask_t * ask, int32_t * weight)
{
  int64_t left = ask->expansions_max;
  const int32_t apart = run->members[ask->members[0]].path_cost + run->members[ask->members[1]].path_cost;
  run->pair->avoids_others = false;
  for (int32_t delta = 0; delta <= ask->delta_max; ++delta) {
    int32_t end;
    *weight = delta;
    const int64_t made = fw_cbs_diagrams_made(run);
    const int32_t costs[SIDES] = {
      run->members[ask->members[0]].path_cost + delta, run->members[ask->members[1]].path_cost + delta};
    const limits_t limits = {{costs[0], costs[1]}, apart + delta};
    if (!ask_diagrams(run, ask->index, ask->members, costs)) {
      return fw_cbs_out_of_memory(run);
    }
    left -= (fw_cbs_diagrams_made(run) - made) / 2;
    if (left <= 0 || fw_meter_has_stopped(run->scene->meter)) {
      return FW_FOUND_STOPPED;
    }
    const fw_found_t found = search(run, &limits, &left, &end);
    if (found != FW_FOUND_NONE) {
      return found;
    }
  }
  *weight = ask->delta_max + 1;
  return FW_FOUND_STOPPED;
}

fw_found_t fw_cbs_pair_fits(fw_cbs_t * run, const fw_cbs_pair_ask_t * ask, const int32_t costs[2])
{
  int64_t left = ask->expansions_max;
  const limits_t limits = {{costs[0], costs[1]}, costs[0] + costs[1]};
  int32_t end;
  run->pair->avoids_others = false;
  if (!ask_diagrams(run, ask->index, ask->members, costs)) {
    return fw_cbs_out_of_memory(run);
  }
  return search(run, &limits, &left, &end);
}

// ---- paths ----------------------------------------------------------------------------------------------------------

static bool tell(fw_cbs_t * run, int32_t end, fw_path_t paths[SIDES])
{
  fw_cbs_pair_t * pair = run->pair;
  for (int32_t side = 0; side < SIDES; ++side) {
    int32_t length = pair->states[end].tick + 1;
    while (length > pair->node_capacity[side]) {
      fw_cell_t * nodes = fw_arena_grow(run->arena, NULL, 0, sizeof(*nodes), &pair->node_capacity[side]);
      if (nodes == NULL) {
        return false;
      }
      pair->nodes[side] = nodes;
    }
    for (int32_t at = end; at >= 0; at = pair->states[at].parent) {
      pair->nodes[side][pair->states[at].tick] = pair->diagrams[side]->entries[pair->states[at].entries[side]].node;
    }
    while (length > 1 && pair->nodes[side][length - 2] == pair->nodes[side][length - 1]) {
      --length;
    }
    paths[side] = (fw_path_t){.cells = pair->nodes[side], .length = length};
  }
  return true;
}

fw_found_t fw_cbs_pair_paths(
  fw_cbs_t * run, int32_t index, const int32_t members[2], int64_t expansions_max, fw_path_t paths[2])
{
  int64_t left = expansions_max;
  int32_t end;
  run->pair->avoids_others = true;
  const int32_t costs[SIDES] = {run->members[members[0]].path_cost, run->members[members[1]].path_cost};
  const limits_t limits = {{costs[0], costs[1]}, costs[0] + costs[1]};
  if (!ask_diagrams(run, index, members, costs)) {
    return fw_cbs_out_of_memory(run);
  }
  const fw_found_t found = search(run, &limits, &left, &end);
  return found != FW_FOUND_PATH || tell(run, end, paths) ? found : fw_cbs_out_of_memory(run);
}
