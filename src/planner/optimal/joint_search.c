// A* over joint states. Order of the file: the store of states, one move of one robot, the search.

#include "planner/optimal/joint_search.h"

#include <stdalign.h>
#include <string.h>

#include "base/assert.h"
#include "base/prefetch.h"
#include "planner/optimal/open_list.h"

// ---- the store of states --------------------------------------------------------------------------------------------
//
// States are records of one size in pages, found by a hash over what makes two of them equal. A record is a header and,
// for each robot of the group, its node, its nodes of the last robust ticks, and the directions that are forbidden by
// the moves that others were assigned in this tick. With those the pre-move nodes of the others need not be kept: two
// states with the same post-move nodes and the same forbidden directions have the same successors, and are duplicates
// (Standley 2010, figure 5).
//
//   | header | node 0 … n-1 | past 0 … k*n-1 | forbidden 0 … n-1 |

typedef struct state_t {
  int32_t g;
  int32_t h;
  int32_t violations;   // conflicts with the conflict avoidance table on the path to this state
  int32_t parent;       // -1 for the start
  int32_t tick;         // of the last standard state
  uint32_t mover : 31;  // robot that is assigned the next move; 0: a standard state, all robots have moved
  uint32_t is_closed : 1;
  // By robot; ~node for a robot that has settled on its goal for good, node | UNMOVED for one that has not left a start
  // where waiting is forbidden to others.
  int32_t nodes[];
} state_t;

enum { UNMOVED = 1 << 30 };
_Static_assert((int64_t)FW_GRID_SIDE_MAX * FW_GRID_SIDE_MAX < UNMOVED, "a bit that no node has");

// A slot of the hash table. Most states that are looked up are new, and most slots that they meet hold other states:
// the hash in the slot tells without a look at the state, which would be a cache miss.
typedef struct slot_t {
  uint32_t hash;
  int32_t index;  // -1: empty
} slot_t;

typedef struct store_t {
  fw_arena_t * arena;
  int32_t count;             // robots
  int32_t past;              // robust ticks
  size_t size_bytes;         // of a record
  size_t key_size_bytes;     // nodes, past and forbidden
  fw_tick_t last_time_tick;  // states that differ only in their ticks are different before this tick, equal from it on
  unsigned char ** pages;
  int32_t page_capacity;
  int32_t used;
  bool is_full;        // a state was dropped: no memory, or no number left
  slot_t * slots;      // linear probing, at most half full
  int32_t slot_count;  // a power of two
} store_t;

enum { PAGE_BITS = 8, PAGE_STATES = 1 << PAGE_BITS };

static inline state_t * state_at(const store_t * store, int32_t index)
{
  FW_ASSERT(index >= 0 && index < store->used);
  return (
    state_t *)(void *)(store->pages[index >> PAGE_BITS] + (size_t)(index & (PAGE_STATES - 1)) * store->size_bytes);
}
static inline int32_t * past_of(const store_t * store, state_t * state) { return state->nodes + store->count; }
static inline const int32_t * past_in(const store_t * store, const state_t * state)
{
  return state->nodes + store->count;
}
static inline const uint8_t * forbidden_in(const store_t * store, const state_t * state)
{
  return (const uint8_t *)(state->nodes + (size_t)store->count * (size_t)(1 + store->past));
}
static inline uint8_t * forbidden_of(const store_t * store, state_t * state)
{
  return (uint8_t *)(state->nodes + (size_t)store->count * (size_t)(1 + store->past));
}

enum { SLOTS_FIRST = 1024, SLOTS_MAX = 1 << 30 };

// NULL when there is no memory.
static slot_t * make_slots(fw_arena_t * arena, int32_t count)
{
  slot_t * slots = fw__arena_allocate(arena, (size_t)count, sizeof(*slots));
  if (slots != NULL) {
    memset(slots, 0xff, (size_t)count * sizeof(*slots));  // index -1 everywhere
  }
  return slots;
}

static void store_init(store_t * store, fw_arena_t * arena, int32_t robots, int32_t past)
{
  *store = (store_t){.arena = arena, .count = robots, .past = past, .slot_count = SLOTS_FIRST};
  const size_t grain = alignof(state_t);
  store->key_size_bytes = (size_t)robots * ((size_t)(1 + past) * sizeof(int32_t) + sizeof(uint8_t));
  store->size_bytes = (sizeof(state_t) + store->key_size_bytes + grain - 1) / grain * grain;
  store->slots = make_slots(arena, SLOTS_FIRST);
}

static inline fw_tick_t time_of(const store_t * store, const state_t * state)
{
  return state->tick < store->last_time_tick ? state->tick : store->last_time_tick;
}

static uint32_t hash_of(const store_t * store, const state_t * state)
{
  uint64_t hash = (uint64_t)time_of(store, state) * UINT64_C(0x9e3779b97f4a7c15) + state->mover;
  const unsigned char * bytes = (const unsigned char *)state->nodes;
  size_t at = 0;
  for (; at + sizeof(uint64_t) <= store->key_size_bytes; at += sizeof(uint64_t)) {
    uint64_t word;
    memcpy(&word, bytes + at, sizeof(word));
    hash = (hash ^ word) * UINT64_C(0xff51afd7ed558ccd);
    hash ^= hash >> 32;
  }
  for (; at < store->key_size_bytes; ++at) {
    hash = (hash ^ bytes[at]) * UINT64_C(0x100000001b3);
  }
  return (uint32_t)(hash ^ (hash >> 29));
}

static bool is_same(const store_t * store, const state_t * a, const state_t * b)
{
  return a->mover == b->mover && time_of(store, a) == time_of(store, b) &&
         memcmp(a->nodes, b->nodes, store->key_size_bytes) == 0;
}

static inline int32_t next_slot(const store_t * store, int32_t slot) { return (slot + 1) & (store->slot_count - 1); }
static inline int32_t first_slot(const store_t * store, uint32_t hash)
{
  return (int32_t)(hash & (uint32_t)(store->slot_count - 1));
}

// False when there is no memory, or there are as many slots as can be.
static bool grow_slots(store_t * store)
{
  const slot_t * old = store->slots;
  const int32_t old_count = store->slot_count;
  slot_t * slots = old_count < SLOTS_MAX ? make_slots(store->arena, old_count * 2) : NULL;
  if (slots == NULL) {
    return false;
  }
  store->slots = slots;
  store->slot_count = old_count * 2;
  for (int32_t i = 0; i < old_count; ++i) {
    if (old[i].index >= 0) {
      int32_t at = first_slot(store, old[i].hash);
      while (slots[at].index >= 0) {
        at = next_slot(store, at);
      }
      slots[at] = old[i];
    }
  }
  return true;
}

// Room for one more state. False when there is no memory.
static bool reserve(store_t * store)
{
  const int32_t page = store->used >> PAGE_BITS;
  if ((store->used & (PAGE_STATES - 1)) != 0) {
    return true;
  }
  if (page == store->page_capacity) {
    unsigned char ** pages = fw__arena_grow(store->arena, store->pages, sizeof(*pages), &store->page_capacity);
    if (pages == NULL) {
      return false;
    }
    store->pages = pages;
  }
  store->pages[page] = fw__arena_allocate(store->arena, PAGE_STATES, store->size_bytes);
  return store->pages[page] != NULL;
}

// The heuristic is consistent: a closed state cannot get better.
static bool is_better(const state_t * state, const state_t * known)
{
  return !known->is_closed && (state->g < known->g || (state->g == known->g && state->violations < known->violations));
}

// The known state of that hash, if there is one, will be compared soon.
static void prefetch_known(const store_t * store, uint32_t hash)
{
  int32_t slot = first_slot(store, hash);
  while (store->slots[slot].index >= 0 && store->slots[slot].hash != hash) {
    slot = next_slot(store, slot);
  }
  if (store->slots[slot].index >= 0) {
    FW_PREFETCH(state_at(store, store->slots[slot].index));
  }
}

// Keeps a copy of the state if it is new, or better than the same state before. Returns its index, to be pushed to the
// open list; -1 if it is known already, or if the store is full.
static int32_t store_put(store_t * store, const state_t * state, uint32_t hash)
{
  int32_t slot = first_slot(store, hash);
  for (; store->slots[slot].index >= 0; slot = next_slot(store, slot)) {
    if (store->slots[slot].hash != hash) {
      continue;
    }
    state_t * known = state_at(store, store->slots[slot].index);
    if (is_same(store, known, state)) {
      if (!is_better(state, known)) {
        return -1;
      }
      known->g = state->g;
      known->h = state->h;
      known->violations = state->violations;
      known->parent = state->parent;
      known->tick = state->tick;
      return store->slots[slot].index;
    }
  }
  if (store->used == INT32_MAX || !reserve(store)) {
    store->is_full = true;
    return -1;
  }
  if (store->used >= store->slot_count / 2) {
    if (!grow_slots(store)) {
      store->is_full = true;
      return -1;
    }
    slot = first_slot(store, hash);
    while (store->slots[slot].index >= 0) {
      slot = next_slot(store, slot);
    }
  }
  const int32_t index = store->used++;
  state_t * copy = state_at(store, index);
  memcpy(copy, state, store->size_bytes);
  copy->is_closed = 0;
  store->slots[slot] = (slot_t){.hash = hash, .index = index};
  return index;
}

// ---- one move of one robot ------------------------------------------------------------------------------------------

typedef struct rules_t {
  const fw_joint_query_t * query;
  store_t * store;
  fw_tick_t * blocked_until;  // by robot: the last tick at which it could not stay on its goal; FW_TICK_MAX: never can
} rules_t;

// What a robot can be assigned: to wait, to settle on its goal for good (only where ticks count up to the last
// arrival), or to move in a direction.
enum { WAIT, SETTLE, FIRST_DIRECTION };
static inline int32_t choice_count(const fw_instance_t * instance) { return FIRST_DIRECTION + instance->moves->degree; }

static inline int32_t node_of(int32_t entry) { return (entry < 0 ? ~entry : entry) & ~UNMOVED; }

// Whether the robot may stay where it is. On its goal it may.
static bool may_wait(const fw_instance_t * instance, int32_t robot, int32_t entry)
{
  return fw__moves_allow_waiting(instance->moves, node_of(entry)) || (entry & UNMOVED) != 0 ||
         node_of(entry) == instance->goals[robot];
}

// Another robot was at the node within the robust ticks. Of a standard state the nodes themselves are the last of them,
// and the oldest ones matter no more: see begin_step().
static bool was_there(const rules_t * rules, const state_t * state, int32_t mover, int32_t node)
{
  const int32_t count = rules->query->count;
  const bool is_standard = mover == 0;
  for (int32_t i = 1; i < count && is_standard; ++i) {
    if (node_of(state->nodes[i]) == node) {
      return true;
    }
  }
  const int32_t * past = past_in(rules->store, state);
  for (int32_t i = 0; i < count * (rules->store->past - (is_standard ? 1 : 0)); ++i) {
    if (node_of(past[i]) == node && i % count != mover) {
      return true;
    }
  }
  return false;
}

// The move conflicts with no robot that was assigned its move before, nor with the past, closures or illegal moves.
static bool is_free(const rules_t * rules, const state_t * state, int32_t mover, const fw_cat_move_t * move)
{
  for (int32_t i = 0; i < mover; ++i) {
    if (node_of(state->nodes[i]) == move->to) {
      return false;
    }
  }
  if (move->direction >= 0 && (forbidden_in(rules->store, state)[mover] >> move->direction & 1) != 0) {
    return false;
  }
  return (rules->store->past == 0 || !was_there(rules, state, mover, move->to)) &&
         !fw__instance_is_closed(rules->query->instance, move->to, move->depart + 1) &&
         (rules->query->illegal == NULL || fw__cat_count_conflicts(rules->query->illegal, move) == 0);
}

// Robots that are assigned their moves later may not swap with this robot, nor cross its diagonal.
static void forbid(const rules_t * rules, state_t * state, int32_t mover, const fw_cat_move_t * move)
{
  uint8_t * forbidden = forbidden_of(rules->store, state);
  const fw_moves_t * moves = rules->query->instance->moves;
  const bool is_diagonal = move->direction >= 4;
  const int32_t left = is_diagonal ? fw__moves_beside(moves, move->from, fw__direction_left(move->direction)) : -1;
  const int32_t right = is_diagonal ? fw__moves_beside(moves, move->from, fw__direction_right(move->direction)) : -1;
  for (int32_t i = mover + 1; i < rules->query->count; ++i) {
    const int32_t node = node_of(state->nodes[i]);
    if (node == move->to) {
      forbidden[i] |= (uint8_t)(1 << fw__direction_back(move->direction));
    } else if (node == left) {  // south-east is crossed by south-west from its east, and by north-east from its south
      forbidden[i] |= (uint8_t)(1 << (4 + (move->direction + 1) % 4));
    } else if (node == right) {
      forbidden[i] |= (uint8_t)(1 << (4 + (move->direction + 3) % 4));
    }
  }
}

// All robots have moved: a standard state, with nothing forbidden.
static void end_step(const rules_t * rules, state_t * state)
{
  state->mover = 0;
  state->tick += 1;
  const size_t count = (size_t)rules->query->count;
  memset(forbidden_of(rules->store, state), 0, count);
  if (rules->store->past > 0) {  // the oldest tick matters no more: overwritten, so that states become equal
    int32_t * past = past_of(rules->store, state);
    memcpy(past + (size_t)(rules->store->past - 1) * count, state->nodes, count * sizeof(*past));
  }
}

// The nodes of this tick become the past when the first robot moves on.
static void begin_step(const rules_t * rules, state_t * state)
{
  const size_t count = (size_t)rules->query->count;
  int32_t * past = past_of(rules->store, state);
  if (rules->store->past > 0) {
    memmove(past + count, past, (size_t)(rules->store->past - 1) * count * sizeof(*past));
    memcpy(past, state->nodes, count * sizeof(*past));
  }
}

// Gives the next mover of `from` its move. False if that is not possible, or costs too much.
static bool assign(const rules_t * rules, const state_t * from, int32_t choice, state_t * to)
{
  const fw_instance_t * instance = rules->query->instance;
  const int32_t mover = (int32_t)from->mover;
  const int32_t robot = rules->query->robots[mover];
  const int32_t entry = from->nodes[mover];
  FW_ASSERT(mover >= 0 && mover < rules->query->count);
  FW_ASSERT(choice >= 0 && choice < choice_count(instance));
  fw_cat_move_t move = {.from = node_of(entry), .to = node_of(entry), .direction = -1, .depart = from->tick};
  if (choice == SETTLE) {
    const bool can_settle = entry >= 0 && instance->rule == FW_COST_LAST_ARRIVAL && move.to == instance->goals[robot] &&
                            from->tick >= rules->blocked_until[mover];
    if (!can_settle && entry >= 0) {
      return false;
    }
  } else if (entry < 0) {
    return false;  // settled for good
  } else if (choice >= FIRST_DIRECTION) {
    move.direction = choice - FIRST_DIRECTION;
    move.to = fw__moves_successors(instance->moves, move.from)[move.direction];
    if (move.to < 0) {
      return false;
    }
  } else if (!may_wait(instance, robot, entry)) {
    return false;
  }
  if (!is_free(rules, from, mover, &move)) {
    return false;
  }
  const int32_t ahead = fw__instance_distance(instance, robot, move.to);
  if (ahead == FW_DISTANCE_NONE) {
    return false;  // the meter has stopped, or a one-way move leads away: other neighbours are connected, too
  }
  const int32_t h = from->h + ahead - fw__instance_distance(instance, robot, move.from);
  const int32_t g = from->g + (choice == SETTLE ? 0 : fw__instance_move_cost(instance, robot, move.from, move.to));
  if ((fw_cost_t)g + h > rules->query->cost_max) {
    return false;
  }
  memcpy(to, from, rules->store->size_bytes);
  if (mover == 0) {
    begin_step(rules, to);
  }
  to->g = g;
  to->h = h;
  to->violations += rules->query->avoided != NULL ? fw__cat_count_conflicts(rules->query->avoided, &move) : 0;
  to->nodes[mover] = choice == SETTLE ? ~move.to : choice == WAIT ? entry : move.to;
  to->mover = (uint32_t)(mover + 1) & INT32_MAX;
  if (mover + 1 == rules->query->count) {
    end_step(rules, to);
  } else if (move.direction >= 0) {
    forbid(rules, to, mover, &move);
  }
  return true;
}

// ---- the search -----------------------------------------------------------------------------------------------------

typedef struct run_t {
  const fw_joint_query_t * query;
  const fw_instance_t * instance;
  store_t store;
  rules_t rules;
  fw_open_list_t open;
  state_t ** stack;   // states under construction: one per robot, and one more; at least one per choice
  uint32_t * hashes;  // of the states on the stack
  int32_t * choices;  // by robot: the next choice to try
  fw_joint_answer_t * answer;
  int32_t children;  // of the present expansion
} run_t;

// f first, then violations, then h: the order of Standley's section on the conflict avoidance table.
static uint64_t key_of(const state_t * state)
{
  const uint64_t violations = state->violations < 0xfff ? (uint64_t)state->violations : 0xfff;
  const uint64_t h = state->h < 0xffffff ? (uint64_t)state->h : 0xffffff;
  return ((uint64_t)(state->g + state->h) << 36) | (violations << 24) | h;
}

// Check fw__arena_has_failed() afterwards.
static void prepare(run_t * run, fw_arena_t * arena)
{
  const fw_joint_query_t * query = run->query;
  const size_t count = (size_t)query->count;
  fw__open_list_init(&run->open, arena);
  store_init(&run->store, arena, query->count, run->instance->robust_ticks);
  const size_t choices = (size_t)choice_count(run->instance);
  const size_t states = count + 1 > choices ? count + 1 : choices;
  run->stack = fw__arena_allocate(arena, states, sizeof(*run->stack));
  run->hashes = fw__arena_allocate(arena, states, sizeof(*run->hashes));
  run->choices = fw__arena_allocate(arena, count, sizeof(*run->choices));
  run->rules = (rules_t){.query = query, .store = &run->store};
  run->rules.blocked_until = fw__arena_allocate(arena, count, sizeof(*run->rules.blocked_until));
  if (fw__arena_has_failed(arena)) {
    return;
  }
  for (size_t i = 0; i < states; ++i) {
    run->stack[i] = fw__arena_allocate_zeroed(arena, 1, run->store.size_bytes);
  }
  run->store.last_time_tick = run->instance->last_closure_change;
  if (
    query->illegal != NULL && query->illegal->last_tick + 1 + run->instance->robust_ticks > run->store.last_time_tick) {
    run->store.last_time_tick = query->illegal->last_tick + 1 + run->instance->robust_ticks;
  }
  for (int32_t i = 0; i < query->count; ++i) {
    const int32_t goal = run->instance->goals[query->robots[i]];
    const fw_tick_t met = query->illegal != NULL ? fw__cat_last_conflict_tick(query->illegal, goal) : -1;
    const fw_tick_t closed = fw__instance_closed_until(run->instance, goal);
    run->rules.blocked_until[i] = met > closed ? met : closed;
  }
}

static void put(run_t * run, const state_t * state, uint32_t hash)
{
  const int32_t index = store_put(&run->store, state, hash);
  if (index >= 0) {
    (void)fw__open_list_push(&run->open, key_of(state), index);
  }
}

// Something was dropped since the beginning.
static bool is_out_of_memory(const run_t * run) { return run->store.is_full || fw__arena_has_failed(run->store.arena); }

// False if a robot starts in a conflict with the illegal move table.
static bool make_start(run_t * run, state_t * start)
{
  const fw_joint_query_t * query = run->query;
  *start = (state_t){.parent = -1};
  for (int32_t i = 0; i < query->count; ++i) {
    const int32_t robot = query->robots[i];
    const int32_t node = run->instance->starts[robot];
    const fw_cat_move_t stand = {.from = node, .to = node, .direction = -1, .depart = -1};
    start->nodes[i] = fw__moves_allow_waiting(run->instance->moves, node) ? node : node | UNMOVED;
    start->h += fw__instance_distance(run->instance, robot, node);
    for (int32_t k = 0; k < run->store.past; ++k) {
      past_of(&run->store, start)[k * query->count + i] = node;
    }
    if (query->illegal != NULL && fw__cat_count_conflicts(query->illegal, &stand) > 0) {
      return false;
    }
  }
  return true;
}

// ---- expansion ------------------------------------------------------------------------------------------------------

// Operator decomposition: the moves of one robot. All successors are made and hashed before the first is looked up, so
// that their cache misses overlap.
static void expand_decomposed(run_t * run, int32_t index)
{
  const int32_t choices = choice_count(run->instance);
  const state_t * from = state_at(&run->store, index);
  for (int32_t choice = 0; choice < choices; ++choice) {
    state_t * child = run->stack[run->children];
    if (assign(&run->rules, from, choice, child)) {
      child->parent = index;
      const uint32_t hash = hash_of(&run->store, child);
      FW_PREFETCH(&run->store.slots[first_slot(&run->store, hash)]);
      run->hashes[run->children++] = hash;
    }
  }
  for (int32_t i = 0; i < run->children; ++i) {
    prefetch_known(&run->store, run->hashes[i]);
  }
  for (int32_t i = 0; i < run->children; ++i) {
    put(run, run->stack[i], run->hashes[i]);
  }
}

// The standard algorithm: every combination of moves, by backtracking over the robots, with the states of those before
// on a stack. There can be exponentially many, so that the steps of the backtracking count as expansions, too.
static void expand_standard(run_t * run, int32_t index)
{
  const int32_t choices = choice_count(run->instance);
  memcpy(run->stack[0], state_at(&run->store, index), run->store.size_bytes);
  run->choices[0] = 0;
  for (int32_t robot = 0; robot >= 0;) {
    if (run->choices[robot] == choices) {
      --robot;
      continue;
    }
    if (!assign(&run->rules, run->stack[robot], run->choices[robot]++, run->stack[robot + 1])) {
      continue;
    }
    if (robot + 1 < run->query->count) {
      run->choices[++robot] = 0;
      if (fw__meter_add(run->instance->meter, 1)) {
        return;
      }
    } else {
      run->stack[robot + 1]->parent = index;
      ++run->children;
      put(run, run->stack[robot + 1], hash_of(&run->store, run->stack[robot + 1]));
      if (is_out_of_memory(run)) {
        return;
      }
    }
  }
}

// All robots can stay on their goals.
static bool is_goal(const run_t * run, const state_t * state)
{
  for (int32_t i = 0; i < run->query->count; ++i) {
    const int32_t goal = run->instance->goals[run->query->robots[i]];
    if (node_of(state->nodes[i]) != goal || state->tick < run->rules.blocked_until[i]) {
      return false;
    }
  }
  return state->mover == 0;
}

// Follows the parents back. Paths end without waits. False when there is no memory.
static bool read_paths(run_t * run, fw_arena_t * arena, int32_t end, fw_path_buffers_t * paths)
{
  const fw_tick_t ticks = state_at(&run->store, end)->tick;
  fw_cell_t * nodes = fw__arena_allocate(arena, (size_t)ticks + 1, sizeof(*nodes));
  if (nodes == NULL) {
    return false;
  }
  for (int32_t i = 0; i < run->query->count; ++i) {
    for (int32_t at = end; at >= 0; at = state_at(&run->store, at)->parent) {
      const state_t * state = state_at(&run->store, at);
      if (state->mover == 0) {
        nodes[state->tick] = node_of(state->nodes[i]);
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
  fw__meter_stop(run->instance->meter, reason);
  return FW_FOUND_STOPPED;
}

static bool is_limit_reached(const run_t * run)
{
  const fw_joint_query_t * query = run->query;
  return query->expansions_max > 0 && run->answer->expanded >= query->expansions_max + query->expansions_per_rise *
                                                                                         run->answer->rise *
                                                                                         run->answer->rise;
}

static fw_found_t search(run_t * run, fw_arena_t * arena, fw_path_buffers_t * paths)
{
  fw_open_item_t item;
  while (fw__open_list_pop(&run->open, &item)) {
    state_t * state = state_at(&run->store, item.value);
    if (run->open.heap.count > 0) {  // what most likely comes next
      FW_PREFETCH(state_at(&run->store, run->open.heap.items[0].value));
    }
    FW_ASSERT(state->g >= 0 && state->h >= 0);
    if (state->is_closed) {
      continue;
    }
    state->is_closed = 1;
    FW_ASSERT(state->g + state->h >= run->answer->bound);  // the heuristic is consistent: f never falls
    run->answer->rise += state->g + state->h - run->answer->bound;
    run->answer->bound = state->g + state->h;
    if (is_goal(run, state)) {
      run->answer->cost = state->g;
      return read_paths(run, arena, item.value, paths) ? FW_FOUND_PATH : stop(run, FW_STOP_MEMORY);
    }
    run->children = 0;
    if (run->query->is_decomposed) {
      expand_decomposed(run, item.value);
    } else {
      expand_standard(run, item.value);
    }
    ++run->answer->expanded;
    run->answer->children += run->children;
    run->answer->children_max = run->children > run->answer->children_max ? run->children : run->answer->children_max;
    if (fw__meter_add(run->instance->meter, 1)) {
      return FW_FOUND_STOPPED;
    }
    if (is_out_of_memory(run)) {
      return stop(run, FW_STOP_MEMORY);
    }
    if (is_limit_reached(run)) {
      return FW_FOUND_STOPPED;
    }
  }
  return FW_FOUND_NONE;
}

fw_found_t fw__joint_search(
  fw_arena_t * arena, const fw_joint_query_t * query, fw_path_buffers_t * paths, fw_joint_answer_t * answer)
{
  run_t run = {.query = query, .instance = query->instance, .answer = answer};
  *answer = (fw_joint_answer_t){0};
  FW_ASSERT(query->count >= 0 && query->cost_max >= 0);
  fw__arena_reset(arena);
  prepare(&run, arena);
  if (fw__arena_has_failed(arena)) {
    return stop(&run, FW_STOP_MEMORY);
  }
  for (int32_t i = 0; i < query->count; ++i) {
    if (run.rules.blocked_until[i] == FW_TICK_MAX) {
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
  put(&run, run.stack[0], hash_of(&run.store, run.stack[0]));
  if (is_out_of_memory(&run)) {
    return stop(&run, FW_STOP_MEMORY);
  }
  return search(&run, arena, paths);
}
