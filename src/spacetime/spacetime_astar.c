// Space-time A*: states (place, tick), the plain search of Silver's "Cooperative Pathfinding" (2005). A place may be a
// cell with a heading: turns are motions like any other.
//
// Each tick costs the byte of the cell that the robot waits on or moves to, until it is on its goal for good; on
// uniform floor that is the arrival tick. With a horizon, or if the query says so, a wait on the goal costs nothing, so
// that robots come back to it. Without a horizon, nothing changes any more after the last reservation: from then on a
// place is one state, whenever it is reached, and no path needs more ticks than until then plus one visit to every
// place.
//
// Where waiting is forbidden a state has no wait. The robot's start is an exception until the robot leaves it: such
// states are not the same as those of a robot that has come back.

#include "spacetime/search_state.h"

// Added to a path that ends at the horizon where waiting is forbidden, in ticks: the robot had better wait before the
// area than be in it without a plan for the rest. Not so much that it does not enter an area that it cannot cross
// within the horizon.
enum { NO_WAITING_PENALTY = 8 };

typedef struct run_t {
  fw_spacetime_search_t * search;
  const fw_spacetime_query_t * query;
  const fw_robot_t * robot;
  const fw_body_t * body;
  fw_meter_t * meter;
  int32_t scale;              // cost of one unit of the heuristic
  int32_t unit;               // cost of a tick on plain floor
  fw_tick_t quiet;            // from here on nothing depends on the tick
  fw_tick_t last_tick;        // that the search looks at
  fw_conflict_set_t present;  // conflicts on the state that is expanded: they have been paid for
  bool has_failed;
} run_t;

static uint32_t hash(int32_t node, fw_tick_t tick)
{
  const uint64_t key = ((uint64_t)(uint32_t)tick << 32 | (uint32_t)node) * UINT64_C(0x9e3779b97f4a7c15);
  return (uint32_t)(key >> 32);
}

// Keeps the hash table at most half full. False when there is no memory.
static bool reserve_slots(fw_spacetime_search_t * search)
{
  if (search->state_count * 2 < search->slot_capacity) {
    return true;
  }
  int32_t capacity = search->slot_capacity < 1024 ? 512 : search->slot_capacity;
  int32_t * slots = fw__arena_grow(search->arena, NULL, sizeof(*slots), &capacity);
  if (slots == NULL) {
    return false;
  }
  fw__arena_recycle(search->arena, search->slots, (size_t)search->slot_capacity, sizeof(*slots));
  search->slots = slots;
  search->slot_capacity = capacity;
  for (int32_t i = 0; i < capacity; ++i) {
    slots[i] = -1;
  }
  for (int32_t i = 0; i < search->state_count; ++i) {
    fw_spacetime_state_t * state = &search->states[i];
    const uint32_t slot = hash(state->node, state->safe_to) & (uint32_t)(capacity - 1);
    state->next = slots[slot];
    slots[slot] = i;
  }
  return true;
}

static bool may_wait(const run_t * run, const fw_spacetime_state_t * state)
{
  const fw_moves_t * moves = run->query->moves;
  return fw__moves_allow_waiting(moves, state->node) || state->safe_to < 0 ||
         moves->cell_of[state->node] == run->robot->goal;
}

// Keeps a state if it is the first or the cheapest of its identity: its place and its tick, or the quiet tick for all
// later ones. The tick of the identity is kept in safe_to, which is negative before for a robot that has not left a
// start without waiting.
static void offer(run_t * run, fw_spacetime_state_t state)
{
  fw_spacetime_search_t * search = run->search;
  const fw_tick_t identity = state.tick < run->quiet ? state.tick : run->quiet;
  state.safe_to = state.safe_to < 0 ? ~identity : identity;
  if (!reserve_slots(search)) {
    run->has_failed = true;
    return;
  }
  FW_ASSERT(state.tick <= run->last_tick && search->state_count * 2 < search->slot_capacity);
  const uint32_t slot = hash(state.node, state.safe_to) & (uint32_t)(search->slot_capacity - 1);
  int32_t index = search->slots[slot];
  while (index >= 0 && (search->states[index].node != state.node || search->states[index].safe_to != state.safe_to)) {
    index = search->states[index].next;
  }
  if (index >= 0 && search->states[index].cost <= state.cost) {
    return;
  }
  const int32_t left = fw__spacetime_search_estimate(run->query, state.node, run->meter);
  if (left == FW_DISTANCE_NONE) {
    return;
  }
  if (index >= 0 && search->states[index].tick == state.tick) {
    search->states[index].cost = state.cost;
    search->states[index].parent = state.parent;
    search->states[index].is_closed = false;
  } else {
    // A state that is reached later for less, where costs differ, stands before the other in the slot; paths that go on
    // from the other keep it.
    if (index >= 0) {
      search->states[index].is_closed = true;
    }
    state.next = search->slots[slot];
    index = fw__spacetime_search_add(search, &state);
    if (index < 0) {
      run->has_failed = true;
      return;
    }
    search->slots[slot] = index;
  }
  const bool has_to_go = state.tick == run->query->horizon && !may_wait(run, &state);
  const int64_t key = state.cost + (int64_t)left * run->scale + (has_to_go ? NO_WAITING_PENALTY * run->unit : 0);
  if (!fw__bucket_queue_push(&search->open, key, index, state.cost)) {
    run->has_failed = true;
  }
}

static bool is_paid(const run_t * run, int32_t robot)
{
  for (int32_t i = 0; i < run->present.count; ++i) {
    if (run->present.robots[i] == robot) {
      return true;
    }
  }
  return false;
}

// The price of conflicts: the sum over all robots that have not been paid for, or FW_PRICE_NEVER.
static int32_t price_of(const run_t * run, const fw_conflict_set_t * met)
{
  if (met->count == 0) {
    return 0;
  }
  if (run->query->prices == NULL || met->is_fixed) {
    return FW_PRICE_NEVER;
  }
  int32_t sum = 0;
  for (int32_t i = 0; i < met->count; ++i) {
    const int32_t price = run->query->prices[met->robots[i]];
    if (price == FW_PRICE_NEVER) {
      return FW_PRICE_NEVER;
    }
    sum += is_paid(run, met->robots[i]) ? 0 : price;
  }
  return sum;
}

static fw_conflict_set_t no_conflicts(const run_t * run)
{
  return (fw_conflict_set_t){.limit = run->query->prices == NULL ? 1 : FW_CONFLICT_SET_MAX};
}

static int32_t bias_at(const run_t * run, fw_cell_t cell, fw_tick_t tick)
{
  const fw_bias_t * bias = run->query->bias;
  return bias == NULL ? 0 : bias->at(bias->state, cell, tick);
}

// The extra costs of standing on the goal from then on.
static int64_t bias_after(const run_t * run, fw_tick_t tick)
{
  const fw_bias_t * bias = run->query->bias;
  const fw_tick_t last = bias == NULL ? tick : bias->until < run->last_tick ? bias->until : run->last_tick;
  int64_t sum = 0;
  for (fw_tick_t later = tick + 1; later <= last; ++later) {
    sum += bias_at(run, run->robot->goal, later);
  }
  return sum;
}

// A motion from the state that is expanded.
typedef struct motion_t {
  int32_t to;
  int32_t ticks;
  int32_t cost;
} motion_t;

static void try_motion(run_t * run, int32_t index, motion_t motion)
{
  FW_ASSERT(motion.ticks > 0);
  const int32_t to = motion.to;
  const int32_t ticks = motion.ticks;
  const fw_moves_t * moves = run->query->moves;
  const fw_spacetime_state_t here = run->search->states[index];
  if (here.tick + ticks > run->last_tick) {
    return;
  }
  const fw_grid_pose_t before = fw__moves_pose(moves, here.node);
  const fw_grid_pose_t after = fw__moves_pose(moves, to);
  const fw_timed_motion_t step = {
    .robot = run->query->robot,
    .from = before.cell,
    .heading = before.heading,
    .to = after.cell,
    .heading_to = after.heading,
    .depart = here.tick,
  };
  fw_conflict_set_t met = no_conflicts(run);
  fw__reservations_find_conflicts(run->query->table, &step, &met);
  const int32_t price = price_of(run, &met);
  if (price != FW_PRICE_NEVER) {
    const fw_tick_t tick = here.tick + ticks;
    const int32_t all = motion.cost * run->unit + price + bias_at(run, after.cell, tick);
    const fw_tick_t unmoved = here.safe_to < 0 && before.cell == after.cell ? -1 : 0;
    offer(
      run,
      (fw_spacetime_state_t){.node = to, .tick = tick, .parent = index, .cost = here.cost + all, .safe_to = unmoved});
  }
}

static void expand(run_t * run, int32_t index)
{
  const fw_moves_t * moves = run->query->moves;
  const int32_t node = run->search->states[index].node;
  const fw_motion_t * motions = run->body->motions[fw__moves_pose(moves, node).heading];
  const bool is_rest_free = run->query->horizon != FW_TICK_MAX || run->query->is_rest_free;
  const bool is_free = is_rest_free && moves->cell_of[node] == run->robot->goal;
  if (may_wait(run, &run->search->states[index])) {
    try_motion(run, index, (motion_t){.to = node, .ticks = 1, .cost = is_free ? 0 : fw__moves_cost(moves, node)});
  }
  const int32_t * next = fw__moves_successors(moves, node);
  for (int32_t d = 0; d < moves->degree; ++d) {
    if (next[d] >= 0) {
      const int32_t cost = motions[d].ticks * fw__moves_cost(moves, next[d]);
      try_motion(run, index, (motion_t){.to = next[d], .ticks = motions[d].ticks, .cost = cost});
    }
  }
}

// A state on the goal can be the end, if the goal is free from then on or can be made so.
static void offer_end(run_t * run, int32_t index)
{
  const fw_spacetime_state_t * state = &run->search->states[index];
  if (run->query->moves->cell_of[state->node] != run->robot->goal) {
    return;
  }
  fw_conflict_set_t met = no_conflicts(run);
  const fw_timed_stand_t stand = {
    .robot = run->query->robot,
    .pose = fw__moves_pose(run->query->moves, state->node),
    .from = state->tick,
    .to = run->query->horizon,
  };
  fw__reservations_find_stand_conflicts(run->query->table, &stand, &met);
  const int32_t price = price_of(run, &met);
  if (
    price != FW_PRICE_NEVER &&
    !fw__bucket_queue_push(
      &run->search->open, state->cost + price + bias_after(run, state->tick), index, FW__SPACETIME_SEARCH_ENDS)) {
    run->has_failed = true;
  }
}

// The conflicts of the state that is expanded, if they are paid for only once.
static void note_present(run_t * run, int32_t index)
{
  const fw_spacetime_state_t * state = &run->search->states[index];
  run->present = no_conflicts(run);
  if (run->query->prices != NULL && run->query->is_paid_once) {
    const fw_grid_pose_t pose = fw__moves_pose(run->query->moves, state->node);
    const fw_timed_stand_t stand = {run->query->robot, pose, state->tick, state->tick};
    fw__reservations_find_stand_conflicts(run->query->table, &stand, &run->present);
  }
}

static fw_found_t search_on(run_t * run, fw_path_t * path)
{
  fw_spacetime_search_t * search = run->search;
  int32_t index, cost;
  int64_t key;
  const int64_t limit = run->query->limit > 0 ? run->query->limit : INT64_MAX;
  int64_t effort = run->query->effort > 0 ? run->query->effort : INT64_MAX;
  while (fw__bucket_queue_pop(&search->open, &index, &cost, &key) && key < limit && effort-- > 0) {
    fw_spacetime_state_t * state = &search->states[index];
    const bool is_end = state->tick == run->query->horizon && state->cost == cost && !run->query->must_arrive;
    if (cost == FW__SPACETIME_SEARCH_ENDS || is_end) {
      return fw__spacetime_search_trace(search, run->query, index, path) ? FW_FOUND_PATH : FW_FOUND_STOPPED;
    }
    if (state->is_closed || state->cost != cost) {
      continue;
    }
    state->is_closed = true;
    note_present(run, index);
    offer_end(run, index);
    expand(run, index);
    if (fw__meter_add(run->meter, 1) || run->has_failed) {
      return FW_FOUND_STOPPED;
    }
  }
  return FW_FOUND_NONE;
}

// From which tick on nothing changes, and how far the search has to look.
static void set_ends(run_t * run)
{
  const fw_spacetime_query_t * query = run->query;
  const fw_reservations_t * table = query->table;
  run->quiet = run->last_tick = query->horizon;
  if (query->horizon == FW_TICK_MAX) {
    const fw_tick_t biased = query->bias != NULL ? query->bias->until : 0;
    const fw_tick_t known = biased > query->now ? biased : query->now;
    const fw_tick_t busy = table->last_tick > known ? table->last_tick : known;
    const int64_t quiet = (int64_t)busy + table->robust_ticks + 1;
    const int64_t last = quiet + ((int64_t)query->moves->node_count + 1) * fw__body_ticks_max(run->body);
    run->quiet = quiet < FW_TICK_MAX ? (fw_tick_t)quiet : FW_TICK_MAX;
    run->last_tick = last < FW_TICK_MAX ? (fw_tick_t)last : FW_TICK_MAX;
  }
}

// Whether the robot can be on its goal in the end, with some heading. Without this test the search would expand
// everything before it finds that the goal is reserved forever.
static bool can_end(const run_t * run)
{
  const fw_moves_t * moves = run->query->moves;
  bool is_possible = run->query->horizon != FW_TICK_MAX;
  for (int32_t plane = 0; plane < moves->plane_count && !is_possible; ++plane) {
    const fw_grid_pose_t pose = {run->robot->goal, plane * moves->body->turn_step};
    if (fw__moves_node(moves, pose) >= 0) {
      const fw_timed_stand_t stand = {run->query->robot, pose, run->last_tick, FW_TICK_MAX};
      fw_conflict_set_t met = no_conflicts(run);
      fw__reservations_find_stand_conflicts(run->query->table, &stand, &met);
      is_possible = price_of(run, &met) != FW_PRICE_NEVER;
    }
  }
  return is_possible;
}

fw_found_t fw__spacetime_astar(
  fw_spacetime_search_t * search, const fw_spacetime_query_t * query, fw_meter_t * meter, fw_path_t * path)
{
  FW_ASSERT(query->horizon >= query->now && (query->distance != NULL || query->estimate_degree != 0));
  FW_ASSERT(query->bias == NULL || (query->prices == NULL && query->limit == 0));
  const fw_body_t * body = query->table->bodies[query->robot];
  const bool is_in_ticks = query->distance != NULL && body->turn_ticks > 0;
  run_t run = {
    .search = search,
    .query = query,
    .robot = &query->table->robots[query->robot],
    .body = body,
    .meter = meter,
    .unit = query->bias != NULL ? query->bias->unit : 1,
  };
  run.scale = run.unit * (is_in_ticks ? 1 : body->ticks_per_move);
  set_ends(&run);
  const fw_grid_pose_t pose = {query->start, query->heading};
  fw_conflict_set_t at_start = no_conflicts(&run);
  fw__reservations_find_stand_conflicts(
    query->table, &(fw_timed_stand_t){query->robot, pose, query->now, query->now}, &at_start);
  if (price_of(&run, &at_start) == FW_PRICE_NEVER || !can_end(&run)) {
    return FW_FOUND_NONE;
  }
  run.has_failed = !fw__spacetime_search_begin(search, query->moves->node_count);
  for (int32_t i = 0; i < search->slot_capacity; ++i) {
    search->slots[i] = -1;
  }
  if (!run.has_failed) {
    const int32_t node = fw__moves_node(query->moves, pose);
    const fw_tick_t unmoved = !query->has_left && !fw__moves_allow_waiting(query->moves, node) ? -1 : 0;
    offer(&run, (fw_spacetime_state_t){.node = node, .tick = query->now, .parent = -1, .safe_to = unmoved});
  }
  return fw__spacetime_search_end(meter, run.has_failed ? FW_FOUND_STOPPED : search_on(&run, path));
}
