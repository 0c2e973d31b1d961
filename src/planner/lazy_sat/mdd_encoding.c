// MDDs as clauses. Order of the file: the hash table of vertices; clauses that exclude conflicts; states; growing an
// MDD; paths out of (partial) assignments; conflicts between the paths of a model.
//
// Memory: additions are dropped when there is none, and the arena remembers (base/list.h). Literals that could not be
// made are replaced by the first one that there is, so that every literal is valid. Each public function checks at its
// end, and its caller gives the whole encoding up.

#include "planner/lazy_sat/mdd_encoding.h"

#include <string.h>

// PAIR_CONFLICTS: so many conflicts of two robots exclude all that they could have.
enum { BUCKETS_FIRST = 1 << 12, HORIZON_MARGIN = 3, PAIR_CONFLICTS = 2 };

// ---- clauses --------------------------------------------------------------------------------------------------------

static void add_clause(fw_mdd_encoding_t * mdd, const int32_t * literals, int32_t count)
{
  (void)fw__sat_add_clause(&mdd->sat, literals, count);
}

static void push_literal(fw_mdd_encoding_t * mdd, int32_t literal)
{
  FW_ASSERT(literal >= 0 && literal < 2 * mdd->sat.variable_count);
  (void)fw__list_push(&mdd->clause, literal);
}

static void end_clause(fw_mdd_encoding_t * mdd)
{
  add_clause(mdd, mdd->clause.items, mdd->clause.count);
  mdd->clause.count = 0;
}

// The positive literal of a new variable. The arena has failed if `variable` is negative.
static int32_t literal_of(int32_t variable) { return variable >= 0 ? 2 * variable : 0; }

// ---- vertices: a hash table over node and tick ----------------------------------------------------------------------

static uint32_t hash(const fw_mdd_encoding_t * mdd, int32_t node, fw_tick_t tick)
{
  const uint32_t mixed = ((uint32_t)tick * UINT32_C(0x9e3779b1)) ^ ((uint32_t)node * UINT32_C(0x85ebca6b));
  return (mixed ^ (mixed >> 15)) & (uint32_t)(mdd->bucket_count - 1);
}

static int32_t find_vertex_index(const fw_mdd_encoding_t * mdd, int32_t node, fw_tick_t tick)
{
  int32_t vertex = mdd->buckets[hash(mdd, node, tick)];
  while (vertex >= 0 && (mdd->vertices[vertex].node != node || mdd->vertices[vertex].tick != tick)) {
    vertex = mdd->vertices[vertex].next_in_bucket;
  }
  return vertex;
}

// NULL if no robot can be there.
static fw_mdd_vertex_t * find_vertex(const fw_mdd_encoding_t * mdd, int32_t node, fw_tick_t tick)
{
  const int32_t vertex = find_vertex_index(mdd, node, tick);
  return vertex >= 0 ? &mdd->vertices[vertex] : NULL;
}

// The first state of a vertex, -1 for none.
static int32_t first_state(const fw_mdd_encoding_t * mdd, int32_t node, fw_tick_t tick)
{
  const fw_mdd_vertex_t * vertex = find_vertex(mdd, node, tick);
  return vertex != NULL ? vertex->first_state : -1;
}

static void set_bucket_count(fw_mdd_encoding_t * mdd, int32_t count)
{
  FW_ASSERT((count & (count - 1)) == 0);
  int32_t * buckets = fw__arena_allocate(mdd->arena, (size_t)count, sizeof(*buckets));
  if (buckets == NULL) {
    return;
  }
  memset(buckets, 0xff, (size_t)count * sizeof(*buckets));  // -1 everywhere
  mdd->buckets = buckets;
  mdd->bucket_count = count;
  for (int32_t i = 0; i < mdd->vertex_count; ++i) {
    int32_t * head = &buckets[hash(mdd, mdd->vertices[i].node, mdd->vertices[i].tick)];
    mdd->vertices[i].next_in_bucket = *head;
    *head = i;
  }
}

// The index of a new vertex, -1 when there is no memory.
static int32_t add_vertex(fw_mdd_encoding_t * mdd, int32_t node, fw_tick_t tick)
{
  if (mdd->vertex_count == mdd->vertex_capacity) {
    fw_mdd_vertex_t * vertices = fw__arena_grow(mdd->arena, mdd->vertices, sizeof(*vertices), &mdd->vertex_capacity);
    if (vertices == NULL) {
      return -1;
    }
    mdd->vertices = vertices;
  }
  if (mdd->vertex_count >= 2 * mdd->bucket_count) {
    set_bucket_count(mdd, 4 * mdd->bucket_count);
  }
  const int32_t index = mdd->vertex_count++;
  int32_t * head = &mdd->buckets[hash(mdd, node, tick)];
  mdd->vertices[index] =
    (fw_mdd_vertex_t){.node = node, .tick = tick, .first_state = -1, .next_in_bucket = *head, .first_edge = -1};
  *head = index;
  return index;
}

// ---- states ---------------------------------------------------------------------------------------------------------

// What makes a state: the first four members of fw_mdd_state_t.
typedef struct state_key_t {
  int32_t robot;
  int32_t node;
  fw_tick_t tick;
  int32_t excess;
} state_key_t;

// -1 if there is none.
static int32_t find_state(const fw_mdd_encoding_t * mdd, const state_key_t * key)
{
  int32_t state = first_state(mdd, key->node, key->tick);
  while (state >= 0 && (mdd->states[state].robot != key->robot || mdd->states[state].excess != key->excess)) {
    state = mdd->states[state].next_here;
  }
  return state;
}

// The excess of the robot when it goes on to `node`; INT32_MAX if its goal cannot be reached from there.
static int32_t excess_after(const fw_mdd_encoding_t * mdd, const fw_mdd_state_t * state, int32_t node)
{
  const fw_instance_t * instance = mdd->instance;
  if (node == state->node && node == instance->goals[state->robot]) {
    return state->excess;
  }
  const int32_t ahead = fw__instance_distance(instance, state->robot, node);
  if (ahead == FW_DISTANCE_NONE) {
    return INT32_MAX;
  }
  return instance->rule == FW_COST_OFF_GOAL
           ? state->excess + 1 + ahead - fw__instance_distance(instance, state->robot, state->node)
           : state->tick + 1 + ahead - mdd->robots[state->robot].distance;
}

// ---- clauses that exclude conflicts ---------------------------------------------------------------------------------

// Not both states.
static void exclude_two(fw_mdd_encoding_t * mdd, int32_t one, int32_t two)
{
  FW_ASSERT(mdd->states[one].robot != mdd->states[two].robot);
  const int32_t clause[2] = {fw__sat_not(mdd->states[one].literal), fw__sat_not(mdd->states[two].literal)};
  add_clause(mdd, clause, 2);
}

// Not a state together with any of another robot in a list of states.
static void exclude_list(fw_mdd_encoding_t * mdd, int32_t state, int32_t first)
{
  for (int32_t i = first; i >= 0; i = mdd->states[i].next_here) {
    if (mdd->states[i].robot != mdd->states[state].robot) {
      exclude_two(mdd, state, i);
    }
  }
}

// No two robots at a vertex and the same node some ticks later; from now on also for states that are added.
static void exclude_vertex(fw_mdd_encoding_t * mdd, int32_t node, fw_tick_t tick, int32_t later)
{
  fw_mdd_vertex_t * vertex = find_vertex(mdd, node, tick);
  FW_ASSERT(vertex != NULL && later >= 0 && later <= FW_MDD_ROBUST_TICKS_MAX);
  if ((vertex->excluded >> later & 1) != 0) {
    return;
  }
  vertex->excluded |= UINT32_C(1) << later;
  const int32_t others = first_state(mdd, node, tick + later);
  for (int32_t i = vertex->first_state; i >= 0; i = mdd->states[i].next_here) {
    exclude_list(mdd, i, later == 0 ? mdd->states[i].next_here : others);
  }
}

// If the robot reaches the state along the edge, the literal of the edge is true.
static void imply_edge(fw_mdd_encoding_t * mdd, const fw_mdd_edge_t * edge, const fw_mdd_state_t * state)
{
  for (int32_t i = first_state(mdd, edge->from, state->tick - 1); i >= 0; i = mdd->states[i].next_here) {
    const fw_mdd_state_t * before = &mdd->states[i];
    if (before->robot == state->robot && excess_after(mdd, before, state->node) == state->excess) {
      const int32_t clause[3] = {fw__sat_not(before->literal), fw__sat_not(state->literal), edge->literal};
      add_clause(mdd, clause, 3);
    }
  }
}

// The literal of "a robot moves from node to node", departing at a tick. Made when it is first needed.
static int32_t edge_literal(fw_mdd_encoding_t * mdd, int32_t from, int32_t to, fw_tick_t depart)
{
  fw_mdd_vertex_t * vertex = find_vertex(mdd, to, depart + 1);
  FW_ASSERT(vertex != NULL);
  for (int32_t i = vertex->first_edge; i >= 0; i = mdd->edges[i].next) {
    if (mdd->edges[i].from == from) {
      return mdd->edges[i].literal;
    }
  }
  if (mdd->edge_count == mdd->edge_capacity) {
    fw_mdd_edge_t * edges = fw__arena_grow(mdd->arena, mdd->edges, sizeof(*edges), &mdd->edge_capacity);
    if (edges == NULL) {
      return literal_of(-1);
    }
    mdd->edges = edges;
  }
  fw_mdd_edge_t * edge = &mdd->edges[mdd->edge_count];
  const int32_t literal = literal_of(fw__sat_add_optional_variable(&mdd->sat));
  *edge = (fw_mdd_edge_t){.from = from, .literal = literal, .next = vertex->first_edge};
  vertex->first_edge = mdd->edge_count++;
  for (int32_t i = vertex->first_state; i >= 0; i = mdd->states[i].next_here) {
    imply_edge(mdd, edge, &mdd->states[i]);
  }
  return literal;
}

// The clauses that a new state needs because its vertex, or an edge to it, was in a conflict before.
static void apply_exclusions(fw_mdd_encoding_t * mdd, int32_t index)
{
  const fw_mdd_state_t * state = &mdd->states[index];
  const int32_t k = mdd->instance->robust_ticks;
  for (int32_t later = -k; later <= k; ++later) {
    const fw_mdd_vertex_t * other = find_vertex(mdd, state->node, state->tick + later);
    const fw_mdd_vertex_t * earlier = later < 0 ? other : find_vertex(mdd, state->node, state->tick);
    if (other != NULL && (earlier->excluded >> (later < 0 ? -later : later) & 1) != 0) {
      exclude_list(mdd, index, other->first_state);
    }
  }
  if (state->tick > 0) {
    for (int32_t i = find_vertex(mdd, state->node, state->tick)->first_edge; i >= 0; i = mdd->edges[i].next) {
      imply_edge(mdd, &mdd->edges[i], state);
    }
  }
}

// ---- adding states --------------------------------------------------------------------------------------------------

static void add_state(fw_mdd_encoding_t * mdd, const state_key_t * key)
{
  fw_list_t * layers = &mdd->robots[key->robot].layers;
  int32_t vertex = find_vertex_index(mdd, key->node, key->tick);
  vertex = vertex >= 0 ? vertex : add_vertex(mdd, key->node, key->tick);
  if (mdd->state_count == mdd->state_capacity) {
    fw_mdd_state_t * states = fw__arena_grow(mdd->arena, mdd->states, sizeof(*states), &mdd->state_capacity);
    if (states == NULL) {
      return;
    }
    mdd->states = states;
  }
  const int32_t variable = vertex >= 0 ? fw__sat_add_optional_variable(&mdd->sat) : -1;
  if (variable < 0 || (layers->count == key->tick && !fw__list_push(layers, -1))) {
    return;
  }
  FW_ASSERT(key->tick < layers->count);  // layers are begun in order of ticks
  const int32_t index = mdd->state_count++;
  mdd->states[index] = (fw_mdd_state_t){
    .robot = key->robot,
    .node = key->node,
    .tick = key->tick,
    .excess = key->excess,
    .literal = literal_of(variable),
    .next_here = mdd->vertices[vertex].first_state,
    .next_in_layer = layers->items[key->tick],
  };
  mdd->vertices[vertex].first_state = index;
  layers->items[key->tick] = index;
  apply_exclusions(mdd, index);
}

// ---- growing an MDD -------------------------------------------------------------------------------------------------

// How far the robot's MDD goes, before and after.
typedef struct growth_t {
  int32_t robot;
  int32_t excess;
  fw_tick_t end_tick;
  int32_t excess_before;  // -1: there was nothing
  fw_tick_t end_tick_before;
  int32_t first_new_state;
  bool is_cut;  // the horizon has cut off a state so far
} growth_t;

// What follows a state in one direction.
typedef struct step_t {
  int32_t node;  // -1: nothing
  int32_t excess;
  bool is_inside;  // of the MDD
  bool is_new;     // inside for the first time, or outside for other reasons than before
  bool is_cut;     // outside only because of the horizon
} step_t;

// Direction -1 waits.
static step_t look_ahead(
  const fw_mdd_encoding_t * mdd, const growth_t * growth, const fw_mdd_state_t * state, int32_t direction)
{
  const fw_instance_t * instance = mdd->instance;
  const int32_t node = direction < 0 ? state->node : fw__moves_successors(instance->moves, state->node)[direction];
  if (node < 0 || fw__instance_is_closed(instance, node, state->tick + 1)) {
    return (step_t){.node = -1};
  }
  const int32_t excess = excess_after(mdd, state, node);
  const int32_t ahead = excess < INT32_MAX ? fw__instance_distance(instance, growth->robot, node) : FW_DISTANCE_NONE;
  if (ahead == FW_DISTANCE_NONE) {
    return (step_t){.node = -1};
  }
  const fw_tick_t arrival = state->tick + 1 + ahead;
  return (step_t){
    .node = node,
    .excess = excess,
    .is_inside = excess <= growth->excess && arrival <= growth->end_tick,
    .is_new = excess > growth->excess_before || arrival > growth->end_tick_before,
    .is_cut = excess <= growth->excess && arrival > growth->end_tick,
  };
}

// The literal of "the robot costs more than the MDD has".
static int32_t exceeds_bound(const fw_mdd_encoding_t * mdd, const growth_t * growth)
{
  const fw_mdd_robot_t * robot = &mdd->robots[growth->robot];
  const int32_t index = growth->excess - robot->excess_first;
  return index < robot->bounds.count ? fw__sat_not(robot->bounds.items[index]) : literal_of(-1);
}

// The clause: from the state the robot goes on to a successor, or exceeds its bound, or exceeds the horizon. False if a
// successor is missing, because the meter has stopped the distances or memory has run out.
static bool add_successor_clause(fw_mdd_encoding_t * mdd, const growth_t * growth, int32_t index)
{
  fw_mdd_state_t * state = &mdd->states[index];
  bool is_limited = false;
  bool is_cut = false;
  if (state->tick == growth->end_tick) {
    return true;  // on the goal for good
  }
  push_literal(mdd, fw__sat_not(state->literal));
  state->successor = mdd->successors.count;
  for (int32_t direction = -1; direction < mdd->instance->moves->degree; ++direction) {
    const step_t step = look_ahead(mdd, growth, state, direction);
    if (step.node < 0) {
      continue;
    }
    is_cut = is_cut || step.is_cut;
    is_limited = is_limited || step.excess > growth->excess;
    if (step.is_inside) {
      const state_key_t key = {growth->robot, step.node, state->tick + 1, step.excess};
      const int32_t next = find_state(mdd, &key);
      if (next < 0) {
        return false;
      }
      push_literal(mdd, mdd->states[next].literal);
      (void)fw__list_push(&mdd->successors, next);
    }
  }
  state->successor_count = mdd->successors.count - state->successor;
  if (is_limited) {
    push_literal(mdd, exceeds_bound(mdd, growth));
  }
  if (is_cut) {
    push_literal(mdd, fw__sat_not(mdd->horizon));
  }
  end_clause(mdd);
  return true;
}

// The redundant clause: at a tick the robot is in one of its states, or exceeds its bound or the horizon.
static void add_layer_clause(fw_mdd_encoding_t * mdd, const growth_t * growth, fw_tick_t tick, bool is_cut)
{
  push_literal(mdd, exceeds_bound(mdd, growth));
  if (is_cut) {
    push_literal(mdd, fw__sat_not(mdd->horizon));
  }
  for (int32_t i = mdd->robots[growth->robot].layers.items[tick]; i >= 0; i = mdd->states[i].next_in_layer) {
    if (mdd->states[i].excess <= growth->excess) {
      push_literal(mdd, mdd->states[i].literal);
    }
  }
  end_clause(mdd);
}

// Adds the states that follow one; true if its successors are others than before.
static bool add_successors(fw_mdd_encoding_t * mdd, growth_t * growth, int32_t index)
{
  const bool is_new = index >= growth->first_new_state;
  bool has_changed = is_new;
  for (int32_t direction = -1; direction < mdd->instance->moves->degree; ++direction) {
    const fw_mdd_state_t state = mdd->states[index];  // a copy: the array can move
    const step_t step = look_ahead(mdd, growth, &state, direction);
    if (step.node < 0) {
      continue;
    }
    growth->is_cut = growth->is_cut || step.is_cut;
    has_changed = has_changed || step.is_new;
    const state_key_t key = {growth->robot, step.node, state.tick + 1, step.excess};
    if (step.is_inside && (step.is_new || is_new) && find_state(mdd, &key) < 0) {
      add_state(mdd, &key);
    }
  }
  return has_changed;
}

// Layer after layer. False when the meter has stopped the work or memory has run out.
static bool grow(fw_mdd_encoding_t * mdd, growth_t growth)
{
  fw_mdd_robot_t * robot = &mdd->robots[growth.robot];
  bool can_go_on = true;
  for (fw_tick_t tick = 0; tick < robot->layers.count && can_go_on; ++tick) {
    const bool was_cut = growth.is_cut;
    for (int32_t i = robot->layers.items[tick]; i >= 0 && can_go_on; i = mdd->states[i].next_in_layer) {
      const bool is_inside = mdd->states[i].excess <= growth.excess && tick < growth.end_tick;
      if (is_inside && add_successors(mdd, &growth, i)) {
        can_go_on = add_successor_clause(mdd, &growth, i);
      }
    }
    if (can_go_on && mdd->options.has_layer_clauses) {
      add_layer_clause(mdd, &growth, tick, was_cut);
    }
    can_go_on = can_go_on && !fw__arena_has_failed(mdd->arena) && !fw__meter_add(mdd->instance->meter, 1);
  }
  robot->excess = growth.excess;
  robot->end_tick = growth.end_tick;
  return can_go_on;
}

static growth_t growth_of(const fw_mdd_encoding_t * mdd, int32_t robot)
{
  return (growth_t){
    .robot = robot,
    .excess = mdd->robots[robot].excess,
    .end_tick = mdd->end_tick,
    .excess_before = mdd->robots[robot].excess,
    .end_tick_before = mdd->robots[robot].end_tick,
    .first_new_state = mdd->state_count,
  };
}

// ---- bounds and the horizon -----------------------------------------------------------------------------------------

// The literal of the next bound, which every lower bound implies.
static void add_bound(fw_mdd_encoding_t * mdd, int32_t robot)
{
  fw_list_t * bounds = &mdd->robots[robot].bounds;
  const int32_t literal = literal_of(fw__sat_add_variable(&mdd->sat, true));
  if (fw__list_push(bounds, literal) && bounds->count > 1) {
    push_literal(mdd, fw__sat_not(bounds->items[bounds->count - 2]));
    push_literal(mdd, literal);
    end_clause(mdd);
  }
}

static void add_horizon(fw_mdd_encoding_t * mdd) { mdd->horizon = literal_of(fw__sat_add_variable(&mdd->sat, true)); }

bool fw__mdd_raise_bound(fw_mdd_encoding_t * mdd, int32_t robot)
{
  FW_ASSERT(robot >= 0 && robot < mdd->instance->problem->robot_count);
  growth_t growth = growth_of(mdd, robot);
  FW_ASSERT(growth.excess == mdd->robots[robot].excess_first + mdd->robots[robot].bounds.count - 1);
  ++growth.excess;
  add_bound(mdd, robot);
  return !fw__arena_has_failed(mdd->arena) && grow(mdd, growth);
}

bool fw__mdd_extend_horizon(fw_mdd_encoding_t * mdd, fw_tick_t ticks)
{
  FW_ASSERT(ticks > 0);
  mdd->end_tick += ticks;
  add_horizon(mdd);
  bool can_go_on = !fw__arena_has_failed(mdd->arena);
  for (int32_t r = 0; r < mdd->instance->problem->robot_count && can_go_on; ++r) {
    growth_t growth = growth_of(mdd, r);
    const int32_t last = growth.excess;
    growth.excess_before = INT32_MAX;  // only the horizon changes
    for (growth.excess = mdd->robots[r].excess_first; growth.excess <= last && can_go_on; ++growth.excess) {
      growth.first_new_state = mdd->state_count;
      can_go_on = grow(mdd, growth);
    }
  }
  FW_ASSERT(!can_go_on || fw__mdd_validate(mdd));
  return can_go_on;
}

// The MDD of one robot up to the cost of its path without others. Its start is a fact.
static bool add_robot(fw_mdd_encoding_t * mdd, int32_t r)
{
  fw_mdd_robot_t * robot = &mdd->robots[r];
  robot->excess_first = mdd->options.excesses[r];
  robot->layers = fw__list(mdd->arena);
  robot->bounds = fw__list(mdd->arena);
  robot->path = fw__list(mdd->arena);
  growth_t growth = growth_of(mdd, r);
  growth.excess = robot->excess_first;
  growth.excess_before = -1;
  add_bound(mdd, r);
  add_state(mdd, &(state_key_t){.robot = r, .node = mdd->instance->starts[r]});
  if (fw__arena_has_failed(mdd->arena)) {
    return false;
  }
  push_literal(mdd, mdd->states[growth.first_new_state].literal);
  end_clause(mdd);
  return grow(mdd, growth);
}

static int32_t decide(void * state);

bool fw__mdd_init(
  fw_mdd_encoding_t * mdd, fw_arena_t * arena, const fw_instance_t * instance, const fw_mdd_options_t * options)
{
  const int32_t count = instance->problem->robot_count;
  FW_ASSERT(instance->robust_ticks <= FW_MDD_ROBUST_TICKS_MAX);
  *mdd = (fw_mdd_encoding_t){
    .instance = instance,
    .options = *options,
    .arena = arena,
    .end_tick = instance->last_closure_change,
    .successors = fw__list(arena),
    .clause = fw__list(arena),
  };
  fw__sat_init(&mdd->sat, arena, instance->meter);
  mdd->sat.decider = (fw_sat_decider_t){.choose = decide, .state = mdd};
  mdd->robots = fw__arena_allocate_zeroed(arena, (size_t)count, sizeof(*mdd->robots));
  mdd->conflict_counts = fw__arena_allocate_zeroed(arena, (size_t)count * (size_t)count, sizeof(*mdd->conflict_counts));
  set_bucket_count(mdd, BUCKETS_FIRST);
  add_horizon(mdd);
  if (fw__arena_has_failed(arena)) {
    return false;
  }
  for (int32_t r = 0; r < count; ++r) {
    const int32_t distance = fw__instance_distance(instance, r, instance->starts[r]);
    const fw_tick_t arrival = distance + options->excesses[r];
    mdd->robots[r].distance = distance;
    mdd->end_tick = arrival > mdd->end_tick ? arrival : mdd->end_tick;
  }
  mdd->end_tick += HORIZON_MARGIN;
  bool can_go_on = true;
  for (int32_t r = 0; r < count && can_go_on; ++r) {
    can_go_on = add_robot(mdd, r);
  }
  FW_ASSERT(!can_go_on || fw__mdd_validate(mdd));
  return can_go_on;
}

// ---- paths ----------------------------------------------------------------------------------------------------------

// In the last model, or in the solver's present assignment.
static bool is_true(const fw_mdd_encoding_t * mdd, int32_t literal, bool is_in_model)
{
  return is_in_model ? fw__sat_model_is_true(&mdd->sat, literal) : mdd->sat.values[literal] > 0;
}

// The least bound that the robot keeps, as excess; -1 for none: it need not arrive.
static int32_t find_bound(const fw_mdd_encoding_t * mdd, int32_t robot, bool is_in_model)
{
  const fw_mdd_robot_t * r = &mdd->robots[robot];
  for (int32_t i = 0; i < r->bounds.count; ++i) {
    if (is_true(mdd, r->bounds.items[i], is_in_model)) {
      return r->excess_first + i;
    }
  }
  return -1;
}

// The next state of a path: the true one of least excess; -1 if no true one keeps the bound.
static int32_t find_true_successor(const fw_mdd_encoding_t * mdd, int32_t at, int32_t bound, bool is_in_model)
{
  const fw_mdd_state_t * state = &mdd->states[at];
  int32_t best = -1;
  for (int32_t i = state->successor; i < state->successor + state->successor_count; ++i) {
    const int32_t next = mdd->successors.items[i];
    const int32_t excess = mdd->states[next].excess;
    if (excess <= bound && is_true(mdd, mdd->states[next].literal, is_in_model)) {
      best = best < 0 || excess < mdd->states[best].excess ? next : best;
    }
  }
  return best;
}

// An unassigned state to go on to: one where the robot was last time (its saved phase), then of least excess.
static int32_t find_open_successor(const fw_mdd_encoding_t * mdd, int32_t at, int32_t bound)
{
  const fw_mdd_state_t * state = &mdd->states[at];
  int32_t best = -1;
  bool is_best_saved = false;
  for (int32_t i = state->successor; i < state->successor + state->successor_count; ++i) {
    const fw_mdd_state_t * next = &mdd->states[mdd->successors.items[i]];
    const bool is_saved = mdd->sat.variables[next->literal >> 1].phase;
    if (
      mdd->sat.values[next->literal] == 0 && next->excess <= bound &&
      (best < 0 || (is_saved && !is_best_saved) ||
       (is_saved == is_best_saved && next->excess < mdd->states[best].excess))) {
      best = mdd->successors.items[i];
      is_best_saved = is_saved;
    }
  }
  return best;
}

// A state with which the robot's path of true states can be continued; -1 if the path is complete or cannot be.
static int32_t continue_path(const fw_mdd_encoding_t * mdd, int32_t robot)
{
  const int32_t bound = find_bound(mdd, robot, false);
  int32_t at = mdd->robots[robot].layers.items[0];
  for (fw_tick_t tick = 0; tick < mdd->end_tick && bound >= 0; ++tick) {
    const int32_t next = find_true_successor(mdd, at, bound, false);
    if (next < 0) {
      return find_open_successor(mdd, at, bound);
    }
    at = next;
  }
  return -1;
}

// The solver's decision callback: a literal to set, -1 when all paths are complete. A decision for one robot can lead
// another to a path that ends, so that it goes around until nothing was missing for any of them.
static int32_t decide(void * state)
{
  fw_mdd_encoding_t * mdd = state;
  const int32_t count = mdd->instance->problem->robot_count;
  if (mdd->completed_turn != mdd->sat.backjump_count) {
    mdd->completed_turn = mdd->sat.backjump_count;
    mdd->completed_robots = 0;
    mdd->has_decided = false;
  }
  while (mdd->completed_robots < count) {
    const int32_t missing = continue_path(mdd, mdd->completed_robots);
    if (missing >= 0) {
      mdd->has_decided = true;
      return mdd->states[missing].literal;
    }
    ++mdd->completed_robots;
    if (mdd->completed_robots == count && mdd->has_decided) {
      mdd->completed_robots = 0;
      mdd->has_decided = false;
    }
  }
  mdd->completed_turn = -1;
  return -1;
}

void fw__mdd_read_model(fw_mdd_encoding_t * mdd)
{
  for (int32_t r = 0; r < mdd->instance->problem->robot_count; ++r) {
    fw_mdd_robot_t * robot = &mdd->robots[r];
    const int32_t bound = find_bound(mdd, r, true);
    int32_t at = robot->layers.items[0];
    robot->has_path = bound >= 0;
    if (bound < 0) {
      continue;
    }
    robot->path.count = 0;
    (void)fw__list_push(&robot->path, at);
    for (fw_tick_t tick = 0; tick < mdd->end_tick; ++tick) {
      at = find_true_successor(mdd, at, bound, true);
      FW_ASSERT(at >= 0 && mdd->states[at].tick == tick + 1);  // the clauses make every path complete
      (void)fw__list_push(&robot->path, at);
    }
    if (robot->path.count <= mdd->end_tick) {
      robot->path.count = 0;  // no memory: no path rather than one with gaps
    }
  }
}

// ---- conflicts between the paths of the last model ------------------------------------------------------------------

static bool is_on_path(const fw_mdd_encoding_t * mdd, int32_t state)
{
  const fw_mdd_robot_t * robot = &mdd->robots[mdd->states[state].robot];
  FW_ASSERT(!robot->has_path || mdd->states[state].tick < robot->path.count);
  return robot->has_path && robot->path.items[mdd->states[state].tick] == state;
}

// The state that follows on the path of the state's robot.
static const fw_mdd_state_t * next_on_path(const fw_mdd_encoding_t * mdd, const fw_mdd_state_t * state)
{
  const fw_list_t * path = &mdd->robots[state->robot].path;
  FW_ASSERT(state->tick + 1 < path->count);
  return &mdd->states[path->items[state->tick + 1]];
}

// Two robots that keep meeting would go on to the next vertex: excludes that they meet at any vertex of both MDDs.
static void exclude_pair(fw_mdd_encoding_t * mdd, int32_t one, int32_t two)
{
  const fw_list_t * layers = &mdd->robots[one].layers;
  for (fw_tick_t tick = 0; tick < layers->count; ++tick) {
    for (int32_t i = layers->items[tick]; i >= 0; i = mdd->states[i].next_in_layer) {
      int32_t other = first_state(mdd, mdd->states[i].node, tick);
      while (other >= 0 && mdd->states[other].robot != two) {
        other = mdd->states[other].next_here;
      }
      if (other >= 0) {
        exclude_vertex(mdd, mdd->states[i].node, tick, 0);
      }
    }
  }
}

// Lazily at first: most pairs of robots meet once, if at all.
static void count_conflict(fw_mdd_encoding_t * mdd, int32_t one, int32_t two)
{
  if (!mdd->options.excludes_pairs) {
    return;
  }
  const int32_t first = one < two ? one : two;
  uint8_t * count = &mdd->conflict_counts[first * mdd->instance->problem->robot_count + (one + two - first)];
  *count = (uint8_t)(*count + 1);
  if (*count == PAIR_CONFLICTS) {
    exclude_pair(mdd, one, two);
    *count = 0;
  }
}

// Vertex conflict: another robot at the same node, now or some ticks later. True if there is one.
static bool exclude_vertex_conflict(fw_mdd_encoding_t * mdd, int32_t index, int32_t later)
{
  const fw_mdd_state_t * state = &mdd->states[index];
  for (int32_t i = first_state(mdd, state->node, state->tick + later); i >= 0; i = mdd->states[i].next_here) {
    if (mdd->states[i].robot != state->robot && is_on_path(mdd, i)) {
      if (mdd->options.excludes_whole_vertex) {
        exclude_vertex(mdd, state->node, state->tick, later);
      } else {
        exclude_two(mdd, index, i);
      }
      count_conflict(mdd, state->robot, mdd->states[i].robot);
      return true;
    }
  }
  return false;
}

// Two robots collide as they move on from their states.
static void exclude_moves(fw_mdd_encoding_t * mdd, int32_t one, int32_t two)
{
  const fw_mdd_state_t ends[4] = {
    mdd->states[one], *next_on_path(mdd, &mdd->states[one]), mdd->states[two], *next_on_path(mdd, &mdd->states[two])};
  if (mdd->options.excludes_whole_vertex) {
    const int32_t first = edge_literal(mdd, ends[0].node, ends[1].node, ends[0].tick);
    const int32_t second = edge_literal(mdd, ends[2].node, ends[3].node, ends[2].tick);
    add_clause(mdd, (int32_t[]){fw__sat_not(first), fw__sat_not(second)}, 2);
    return;
  }
  const int32_t clause[4] = {
    fw__sat_not(ends[0].literal), fw__sat_not(ends[1].literal), fw__sat_not(ends[2].literal),
    fw__sat_not(ends[3].literal)};
  add_clause(mdd, clause, 4);
}

// Another robot, of higher number, moves from `from` to `to` while the state's robot moves on. True if there is one.
static bool exclude_opposite_move(fw_mdd_encoding_t * mdd, int32_t index, int32_t from, int32_t to)
{
  const fw_mdd_state_t * state = &mdd->states[index];
  for (int32_t i = first_state(mdd, from, state->tick); i >= 0; i = mdd->states[i].next_here) {
    const fw_mdd_state_t * other = &mdd->states[i];
    if (other->robot > state->robot && is_on_path(mdd, i) && next_on_path(mdd, other)->node == to) {
      exclude_moves(mdd, index, i);
      count_conflict(mdd, state->robot, other->robot);
      return true;
    }
  }
  return false;
}

// Edge conflict: robots swap nodes, or cross on diagonals. True if there is one.
static bool exclude_edge_conflict(fw_mdd_encoding_t * mdd, int32_t index)
{
  const fw_instance_t * instance = mdd->instance;
  const fw_mdd_state_t * state = &mdd->states[index];
  const int32_t from = state->node;
  const int32_t to = next_on_path(mdd, state)->node;
  const int32_t direction = to != from ? fw__instance_direction(instance, from, to) : -1;
  if (direction < 0) {
    return false;
  }
  if (instance->robust_ticks == 0 && exclude_opposite_move(mdd, index, to, from)) {
    return true;
  }
  if (direction < 4) {
    return false;
  }
  const int32_t * next = fw__moves_successors(instance->moves, from);
  const int32_t left = next[fw__direction_left(direction)];
  const int32_t right = next[fw__direction_right(direction)];
  return exclude_opposite_move(mdd, index, left, right) || exclude_opposite_move(mdd, index, right, left);
}

int32_t fw__mdd_exclude_conflicts(fw_mdd_encoding_t * mdd)
{
  FW_ASSERT(!fw__arena_has_failed(mdd->arena));  // every path is complete
  int32_t conflicts = 0;
  for (int32_t r = 0; r < mdd->instance->problem->robot_count; ++r) {
    const fw_list_t * path = &mdd->robots[r].path;
    for (fw_tick_t tick = 0; tick < path->count && mdd->robots[r].has_path; ++tick) {
      for (int32_t later = 0; later <= mdd->instance->robust_ticks; ++later) {
        conflicts += exclude_vertex_conflict(mdd, path->items[tick], later) ? 1 : 0;
      }
      conflicts += tick + 1 < path->count && exclude_edge_conflict(mdd, path->items[tick]) ? 1 : 0;
    }
  }
  return conflicts;
}

// ---- validation -----------------------------------------------------------------------------------------------------

static bool is_in_lists(const fw_mdd_encoding_t * mdd, int32_t index)
{
  const fw_mdd_state_t * state = &mdd->states[index];
  const fw_list_t * layers = &mdd->robots[state->robot].layers;
  int32_t here = first_state(mdd, state->node, state->tick);
  int32_t beside = state->tick < layers->count ? layers->items[state->tick] : -1;
  while (here > index) {  // both lists begin with the newest state
    here = mdd->states[here].next_here;
  }
  while (beside > index) {
    beside = mdd->states[beside].next_in_layer;
  }
  return here == index && beside == index;
}

bool fw__mdd_validate(const fw_mdd_encoding_t * mdd)
{
  for (int32_t i = 0; i < mdd->state_count; ++i) {
    const fw_mdd_state_t * state = &mdd->states[i];
    if (
      state->robot < 0 || state->robot >= mdd->instance->problem->robot_count || state->tick < 0 ||
      state->tick > mdd->end_tick || state->literal < 0 || state->literal >= 2 * mdd->sat.variable_count ||
      state->successor_count < 0 || state->successor + state->successor_count > mdd->successors.count ||
      !is_in_lists(mdd, i)) {
      return false;
    }
    for (int32_t k = state->successor; k < state->successor + state->successor_count; ++k) {
      const int32_t next = mdd->successors.items[k];
      if (
        next < 0 || next >= mdd->state_count || mdd->states[next].robot != state->robot ||
        mdd->states[next].tick != state->tick + 1) {
        return false;
      }
    }
  }
  return true;
}
