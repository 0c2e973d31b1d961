// Space-time A*: states (place, tick), the plain search of Silver's "Cooperative Pathfinding" (2005).
//
// Cost: each tick costs the byte of the cell that the robot waits on or moves to, until it is on its goal for good. With
// uniform floor that is the arrival tick. After the last reservation nothing changes any more, so that no path needs
// more ticks than until then plus one visit to every place; the search ends there.

#include "spacetime/search_memory.h"

typedef struct run_t {
  fw_search_t * search;
  const fw_query_t * query;
  const fw_robot_t * robot;
  fw_meter_t * meter;
  fw_tick_t horizon;
  bool has_failed;
} run_t;

static uint32_t hash(int32_t node, fw_tick_t tick)
{
  const uint64_t key = ((uint64_t)(uint32_t)tick << 32 | (uint32_t)node) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(key >> 32);
}

// Twice as many slots as states.
static bool reserve_slots(fw_search_t * search)
{
  if (search->state_count * 2 < search->slot_capacity) {
    return true;
  }
  const int32_t capacity = search->slot_capacity < 1024 ? 1024 : search->slot_capacity * 2;
  int32_t * slots = fw_arena_allocate(search->arena, (size_t)capacity, sizeof(*slots));
  if (slots == NULL) {
    return false;
  }
  search->slots = slots;
  search->slot_capacity = capacity;
  for (int32_t i = 0; i < capacity; ++i) {
    slots[i] = -1;
  }
  for (int32_t i = 0; i < search->state_count; ++i) {
    fw_search_state_t * state = &search->states[i];
    const uint32_t slot = hash(state->node, state->tick) & (uint32_t)(capacity - 1);
    state->next = slots[slot];
    slots[slot] = i;
  }
  return true;
}

static void offer(run_t * run, fw_search_state_t state)
{
  fw_search_t * search = run->search;
  if (!reserve_slots(search)) {
    run->has_failed = true;
    return;
  }
  const uint32_t slot = hash(state.node, state.tick) & (uint32_t)(search->slot_capacity - 1);
  int32_t index = search->slots[slot];
  while (index >= 0 && (search->states[index].node != state.node || search->states[index].tick != state.tick)) {
    index = search->states[index].next;
  }
  if (index >= 0 && search->states[index].cost <= state.cost) {
    return;
  }
  const int32_t left = fw__search_estimate(run->query, state.node, run->meter);
  if (left == FW_DISTANCE_NONE) {
    return;
  }
  if (index >= 0) {
    search->states[index].cost = state.cost;
    search->states[index].parent = state.parent;
    search->states[index].is_closed = false;
  } else {
    state.next = search->slots[slot];
    index = fw__search_add(search, state);
    if (index < 0) {
      run->has_failed = true;
      return;
    }
    search->slots[slot] = index;
  }
  const int64_t key = state.cost + (int64_t)left * run->robot->ticks_per_move;
  if (!fw_buckets_push(&search->open, key, index, state.cost)) {
    run->has_failed = true;
  }
}

static void expand(run_t * run, int32_t index)
{
  const fw_moves_t * moves = run->query->moves;
  const fw_search_state_t here = run->search->states[index];
  fw_step_t step = {
    .robot = run->query->robot, .from = moves->cell_of[here.node], .to = moves->cell_of[here.node],
    .depart = here.tick};
  if (here.tick < run->horizon && fw_reservations_allow(run->query->table, &step)) {
    offer(run, (fw_search_state_t){
                 .node = here.node,
                 .tick = here.tick + 1,
                 .parent = index,
                 .cost = here.cost + fw_moves_cost(moves, here.node)});
  }
  const int32_t speed = run->robot->ticks_per_move;
  const int32_t * next = fw_moves_of(moves, here.node);
  for (int32_t d = 0; d < moves->degree && here.tick + speed <= run->horizon; ++d) {
    if (next[d] < 0) {
      continue;
    }
    step.to = moves->cell_of[next[d]];
    if (fw_reservations_allow(run->query->table, &step)) {
      offer(run, (fw_search_state_t){
                   .node = next[d],
                   .tick = here.tick + speed,
                   .parent = index,
                   .cost = here.cost + speed * fw_moves_cost(moves, next[d])});
    }
  }
}

static fw_found_t search_on(run_t * run, fw_path_t * path)
{
  fw_search_t * search = run->search;
  const fw_moves_t * moves = run->query->moves;
  int32_t index, cost;
  int64_t key;
  while (fw_buckets_pop(&search->open, &index, &cost, &key)) {
    fw_search_state_t * state = &search->states[index];
    if (state->is_closed || state->cost != cost) {
      continue;
    }
    state->is_closed = true;
    if (
      moves->cell_of[state->node] == run->robot->goal &&
      fw_reservations_allow_stay(run->query->table, run->query->robot, run->robot->goal, state->tick)) {
      return fw__search_trace(search, moves, index, path) ? FW_FOUND_PATH : FW_FOUND_STOPPED;
    }
    expand(run, index);
    if (fw_meter_add(run->meter, 1) || run->has_failed) {
      return FW_FOUND_STOPPED;
    }
  }
  return FW_FOUND_NONE;
}

fw_found_t fw_spacetime_astar(fw_search_t * search, const fw_query_t * query, fw_meter_t * meter, fw_path_t * path)
{
  const fw_reservations_t * table = query->table;
  const fw_robot_t * robot = &table->robots[query->robot];
  const int64_t horizon = (int64_t)table->last_tick + table->robust_ticks + 1 +
                          ((int64_t)query->moves->node_count + 1) * robot->ticks_per_move;
  run_t run = {
    .search = search,
    .query = query,
    .robot = robot,
    .meter = meter,
    .horizon = horizon < FW_TICK_MAX ? (fw_tick_t)horizon : FW_TICK_MAX,
  };
  const fw_step_t first = {.robot = query->robot, .from = robot->start, .to = robot->start, .depart = -1};
  if (!fw_reservations_allow(table, &first)) {
    return FW_FOUND_NONE;
  }
  // Goals that somebody has for ever: without this the search would look everywhere first.
  if (!fw_reservations_allow_stay(table, query->robot, robot->goal, (fw_tick_t)run.horizon)) {
    return FW_FOUND_NONE;
  }
  run.has_failed = !fw__search_begin(search, query->moves->node_count);
  for (int32_t i = 0; i < search->slot_capacity; ++i) {
    search->slots[i] = -1;
  }
  if (!run.has_failed) {
    offer(&run, (fw_search_state_t){.node = query->moves->node_of[robot->start], .parent = -1});
  }
  const fw_found_t found = run.has_failed ? FW_FOUND_STOPPED : search_on(&run, path);
  if (fw_meter_has_stopped(meter) && found != FW_FOUND_PATH) {
    return FW_FOUND_STOPPED;
  }
  if (found == FW_FOUND_STOPPED) {
    fw_meter_stop(meter, FW_STOP_MEMORY);
  }
  return found;
}
