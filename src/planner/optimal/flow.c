// Robots as clauses: places and states.

#include "planner/optimal/flow.h"

#include <string.h>

enum { HEADS_FIRST = 1 << 12 };

static uint32_t hash(const fw_flow_t * flow, int32_t node, fw_tick_t tick)
{
  const uint32_t mixed = ((uint32_t)tick * UINT32_C(0x9e3779b1)) ^ ((uint32_t)node * UINT32_C(0x85ebca6b));
  return (mixed ^ (mixed >> 15)) & (uint32_t)(flow->head_count - 1);
}

static int32_t find_place(const fw_flow_t * flow, int32_t node, fw_tick_t tick)
{
  int32_t place = flow->heads[hash(flow, node, tick)];
  while (place >= 0 && (flow->places[place].node != node || flow->places[place].tick != tick)) {
    place = flow->places[place].next;
  }
  return place;
}

const fw_flow_place_t * fw__flow_place(const fw_flow_t * flow, int32_t node, fw_tick_t tick)
{
  const int32_t place = find_place(flow, node, tick);
  return place >= 0 ? &flow->places[place] : NULL;
}

static bool set_heads(fw_flow_t * flow, int32_t count)
{
  int32_t * heads = fw__arena_allocate(flow->arena, (size_t)count, sizeof(*heads));
  if (heads == NULL) {
    return false;
  }
  memset(heads, 0xff, (size_t)count * sizeof(*heads));  // -1 in every place
  flow->heads = heads;
  flow->head_count = count;
  for (int32_t i = 0; i < flow->place_count; ++i) {
    int32_t * head = &heads[hash(flow, flow->places[i].node, flow->places[i].tick)];
    flow->places[i].next = *head;
    *head = i;
  }
  return true;
}

bool fw__flow_init_places(fw_flow_t * flow) { return set_heads(flow, HEADS_FIRST); }

static int32_t add_place(fw_flow_t * flow, int32_t node, fw_tick_t tick)
{
  if (flow->place_count == flow->place_capacity) {
    fw_flow_place_t * places =
      fw__arena_grow(flow->arena, flow->places, (size_t)flow->place_count, sizeof(*places), &flow->place_capacity);
    if (places == NULL) {
      return -1;
    }
    flow->places = places;
  }
  if (flow->place_count >= 2 * flow->head_count && !set_heads(flow, 4 * flow->head_count)) {
    return -1;
  }
  const int32_t index = flow->place_count++;
  int32_t * head = &flow->heads[hash(flow, node, tick)];
  flow->places[index] = (fw_flow_place_t){.node = node, .tick = tick, .first = -1, .next = *head, .moves = -1};
  *head = index;
  return index;
}

int32_t fw__flow_find(const fw_flow_t * flow, int32_t robot, int32_t node, fw_tick_t tick, int32_t extra)
{
  const int32_t place = find_place(flow, node, tick);
  int32_t state = place >= 0 ? flow->places[place].first : -1;
  while (state >= 0 && (flow->states[state].robot != robot || flow->states[state].extra != extra)) {
    state = flow->states[state].here;
  }
  return state;
}

bool fw__flow_add(fw_flow_t * flow, fw_flow_state_t state)
{
  fw_list_t * layers = &flow->robots[state.robot].layers;
  int32_t place = find_place(flow, state.node, state.tick);
  place = place >= 0 ? place : add_place(flow, state.node, state.tick);
  if (flow->state_count == flow->state_capacity) {
    fw_flow_state_t * states =
      fw__arena_grow(flow->arena, flow->states, (size_t)flow->state_count, sizeof(*states), &flow->state_capacity);
    if (states == NULL) {
      return false;
    }
    flow->states = states;
  }
  const int32_t variable = place >= 0 ? fw__sat_add_optional_variable(&flow->sat) : -1;
  if (variable < 0 || (layers->count == state.tick && !fw__list_push_in(flow->arena, layers, -1))) {
    return false;
  }
  const int32_t index = flow->state_count++;
  state.literal = 2 * variable;
  state.here = flow->places[place].first;
  state.besides = layers->items[state.tick];
  flow->states[index] = state;
  flow->places[place].first = index;
  layers->items[state.tick] = index;
  return fw__flow_keep_apart(flow, index);
}

int32_t fw__flow_extra(const fw_flow_t * flow, const fw_flow_state_t * state, int32_t node)
{
  const fw_scene_t * scene = flow->scene;
  if (node == state->node && node == scene->goals[state->robot]) {
    return state->extra;
  }
  const int32_t ahead = fw__scene_distance(scene, state->robot, node);
  if (ahead == FW_DISTANCE_NONE) {
    return INT32_MAX;
  }
  return scene->rule == FW_COST_OFF_GOAL
           ? state->extra + 1 + ahead - fw__scene_distance(scene, state->robot, state->node)
           : state->tick + 1 + ahead - flow->robots[state->robot].distance;
}
