// Searching for a group of robots at once.

#include "planner/optimal/joint.h"

#include <string.h>

#include "planner/optimal/joint_move.h"

typedef struct run_t {
  const fw_group_query_t * query;
  const fw_scene_t * scene;
  fw_joint_store_t store;
  fw_joint_rules_t rules;
  fw_ranked_t open;
  fw_joint_state_t ** stack;  // states in the making: one per robot, and one more
  int32_t * options;          // per robot: the next move to try
  fw_group_answer_t * answer;
  int32_t children;  // of the present expansion
} run_t;

// f first, then violations, then what is left to go: the order of Standley's section on the conflict avoidance table.
static uint64_t key_of(const fw_joint_state_t * state)
{
  const uint64_t violations = state->violations < 0xfff ? (uint64_t)state->violations : 0xfff;
  const uint64_t h = state->h < 0xffffff ? (uint64_t)state->h : 0xffffff;
  return ((uint64_t)(state->g + state->h) << 36) | (violations << 24) | h;
}

// ---- beginning ------------------------------------------------------------------------------------------------------

static bool prepare(run_t * run, fw_arena_t * arena)
{
  const fw_group_query_t * query = run->query;
  const size_t count = (size_t)query->count;
  fw__ranked_init(&run->open, arena);
  if (!fw__joint_store_init(&run->store, arena, query->count, run->scene->robust_ticks)) {
    return false;
  }
  run->stack = fw__arena_allocate(arena, count + 1, sizeof(*run->stack));
  run->options = fw__arena_allocate(arena, count, sizeof(*run->options));
  run->rules = (fw_joint_rules_t){.query = query, .store = &run->store};
  run->rules.held_until = fw__arena_allocate(arena, count, sizeof(*run->rules.held_until));
  if (run->stack == NULL || run->options == NULL || run->rules.held_until == NULL) {
    return false;
  }
  for (size_t i = 0; i <= count; ++i) {
    run->stack[i] = fw__arena_allocate_zeroed(arena, 1, run->store.size);
    if (run->stack[i] == NULL) {
      return false;
    }
  }
  run->store.time_matters = run->scene->closed_last;
  if (query->illegal != NULL && query->illegal->last_tick + 1 + run->scene->robust_ticks > run->store.time_matters) {
    run->store.time_matters = query->illegal->last_tick + 1 + run->scene->robust_ticks;
  }
  for (int32_t i = 0; i < query->count; ++i) {
    const int32_t goal = run->scene->goals[query->robots[i]];
    const fw_tick_t met = query->illegal != NULL ? fw__traffic_last(query->illegal, goal) : -1;
    const fw_tick_t closed = fw__scene_closed_until(run->scene, goal);
    run->rules.held_until[i] = met > closed ? met : closed;
  }
  return true;
}

static fw_joint_put_t put(run_t * run, const fw_joint_state_t * state)
{
  int32_t index;
  const fw_joint_put_t put = fw__joint_put(&run->store, state, &index);
  if (put == FW_JOINT_PUT) {
    return fw__ranked_push(&run->open, key_of(state), index) ? FW_JOINT_PUT : FW_JOINT_FULL;
  }
  return put;
}

// False: somebody is met at the start already.
static bool make_start(run_t * run, fw_joint_state_t * start)
{
  const fw_group_query_t * query = run->query;
  *start = (fw_joint_state_t){.parent = -1};
  for (int32_t i = 0; i < query->count; ++i) {
    const int32_t robot = query->robots[i];
    const int32_t node = run->scene->starts[robot];
    const fw_hop_t stand = {.from = node, .to = node, .direction = -1, .depart = -1};
    start->places[i] = node;
    start->h += fw__scene_distance(run->scene, robot, node);
    for (int32_t k = 0; k < run->store.past; ++k) {
      fw__joint_past(&run->store, start)[k * query->count + i] = node;
    }
    if (query->illegal != NULL && fw__traffic_count(query->illegal, &stand) > 0) {
      return false;
    }
  }
  return true;
}

// ---- expansion ------------------------------------------------------------------------------------------------------

static bool keep(run_t * run, fw_joint_state_t * child, int32_t parent)
{
  child->parent = parent;
  ++run->children;
  return put(run, child) != FW_JOINT_FULL;
}

// One move of one robot.
static bool expand_decomposed(run_t * run, int32_t index)
{
  const int32_t moves = fw__joint_move_count(run->scene);
  for (int32_t move = 0; move < moves; ++move) {
    if (
      fw__joint_assign(&run->rules, fw__joint_at(&run->store, index), move, run->stack[0]) &&
      !keep(run, run->stack[0], index)) {
      return false;
    }
  }
  return true;
}

// Every combination of moves, by backtracking: robot after robot, those before on the stack. There can be more of them
// than anybody can wait for, so that the nodes of this search count as well.
static bool expand_whole(run_t * run, int32_t index)
{
  const int32_t moves = fw__joint_move_count(run->scene);
  memcpy(run->stack[0], fw__joint_at(&run->store, index), run->store.size);
  run->options[0] = 0;
  for (int32_t robot = 0; robot >= 0;) {
    if (run->options[robot] == moves) {
      --robot;
      continue;
    }
    if (!fw__joint_assign(&run->rules, run->stack[robot], run->options[robot]++, run->stack[robot + 1])) {
      continue;
    }
    if (robot + 1 < run->query->count) {
      run->options[++robot] = 0;
      if (fw__meter_add(run->scene->meter, 1)) {
        return false;
      }
    } else if (!keep(run, run->stack[robot + 1], index)) {
      return false;
    }
  }
  return true;
}

static bool is_end(const run_t * run, const fw_joint_state_t * state)
{
  for (int32_t i = 0; i < run->query->count; ++i) {
    const int32_t goal = run->scene->goals[run->query->robots[i]];
    if (fw__joint_node(state->places[i]) != goal || state->tick < run->rules.held_until[i]) {
      return false;
    }
  }
  return state->mover == 0;
}

// ---- the end --------------------------------------------------------------------------------------------------------

// Paths from the parents' places, each without the waits at its end.
static bool tell(run_t * run, fw_arena_t * arena, int32_t end, fw_path_buffers_t * paths)
{
  const fw_tick_t ticks = fw__joint_at(&run->store, end)->tick;
  fw_cell_t * nodes = fw__arena_allocate(arena, (size_t)ticks + 1, sizeof(*nodes));
  if (nodes == NULL) {
    return false;
  }
  for (int32_t i = 0; i < run->query->count; ++i) {
    for (int32_t at = end; at >= 0; at = fw__joint_at(&run->store, at)->parent) {
      const fw_joint_state_t * state = fw__joint_at(&run->store, at);
      if (state->mover == 0) {
        nodes[state->tick] = fw__joint_node(state->places[i]);
      }
    }
    int32_t length = ticks + 1;
    while (length > 1 && nodes[length - 2] == nodes[length - 1]) {
      --length;
    }
    if (!fw__path_buffers_set(paths, run->query->robots[i], (fw_path_t){.cells = nodes, .length = length})) {
      return false;
    }
  }
  return true;
}

static fw_found_t stop(run_t * run, fw_stop_t reason)
{
  fw__meter_stop(run->scene->meter, reason);
  return FW_FOUND_STOPPED;
}

static fw_found_t search(run_t * run, fw_arena_t * arena, fw_path_buffers_t * paths)
{
  fw_ranked_item_t item;
  while (fw__ranked_pop(&run->open, &item)) {
    fw_joint_state_t * state = fw__joint_at(&run->store, item.value);
    if (state->is_closed) {
      continue;
    }
    state->is_closed = 1;
    run->answer->bound = state->g + state->h;
    if (is_end(run, state)) {
      run->answer->cost = state->g;
      return tell(run, arena, item.value, paths) ? FW_FOUND_PATH : stop(run, FW_STOP_MEMORY);
    }
    run->children = 0;
    const bool is_whole =
      run->query->is_decomposed ? expand_decomposed(run, item.value) : expand_whole(run, item.value);
    ++run->answer->expanded;
    run->answer->children += run->children;
    run->answer->children_max = run->children > run->answer->children_max ? run->children : run->answer->children_max;
    if (fw__meter_add(run->scene->meter, 1)) {
      return FW_FOUND_STOPPED;
    }
    if (!is_whole) {
      return stop(run, FW_STOP_MEMORY);
    }
    if (run->query->expansions_max > 0 && run->answer->expanded >= run->query->expansions_max) {
      return FW_FOUND_STOPPED;
    }
  }
  return FW_FOUND_NONE;
}

fw_found_t fw__joint_search(
  fw_arena_t * arena, const fw_group_query_t * query, fw_path_buffers_t * paths, fw_group_answer_t * answer)
{
  run_t run = {.query = query, .scene = query->scene, .answer = answer};
  *answer = (fw_group_answer_t){0};
  fw__arena_reset(arena);
  if (!prepare(&run, arena)) {
    return stop(&run, FW_STOP_MEMORY);
  }
  for (int32_t i = 0; i < query->count; ++i) {
    if (run.rules.held_until[i] == FW_TICK_MAX) {
      return FW_FOUND_NONE;
    }
  }
  if (!make_start(&run, run.stack[0])) {
    return FW_FOUND_NONE;
  }
  answer->bound = run.stack[0]->h;
  if (answer->bound > query->cost_max) {
    return FW_FOUND_NONE;
  }
  if (put(&run, run.stack[0]) == FW_JOINT_FULL) {
    return stop(&run, FW_STOP_MEMORY);
  }
  return search(&run, arena, paths);
}
