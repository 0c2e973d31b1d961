// lacam: lazy constraints addition search. Depth-first search over configurations (the places of all robots), whose
// successors come from PIBT (pibt.h), one at a time.
//
// K. Okumura, LaCAM: Search-Based Algorithm for Quick Multi-Agent Pathfinding, AAAI 2023; Improving LaCAM for Scalable
// Eventually Optimal Multi-Agent Pathfinding, IJCAI 2023 (LaCAM*: `anytime`, and the swap operation); Engineering
// LaCAM*, AAMAS 2024.
//
// A configuration of n robots has up to 5^n successors. A node of the search therefore has a tree of constraints, grown
// breadth-first: the root asks for any successor, and the children of a constraint fix one robot more, in the order of
// the node, to each place in turn. Each visit to a node takes one constraint and lets PIBT find a configuration that
// satisfies it. In easy instances the roots suffice; in the end all successors have been tried, so that the search
// finds a plan if there is one, and proves otherwise that there is none.
//
// Every edge that was found is kept. When it makes a configuration cheaper, that is handed on along the edges
// (rewiring). With `anytime` the search goes on after the first plan and leaves out what cannot lead to a better one.
//
// With robust ticks the search leaves out rotations, and its plan is driven one robot after the other
// (step_schedule.h). With closures a state is a configuration and the tick, up to the last change of a closure; with
// closures and robust ticks k it is the last k configurations and the tick.

#include <string.h>

#include "base/assert.h"
#include "base/list.h"
#include "fleetweave/planner_def.h"
#include "planner/lacam/pibt.h"
#include "planner/lacam/step_schedule.h"
#include "planner/optimal/instance.h"
#include "planner/optimal/refutation.h"

enum { ANYTIME, SWAP, RESTART, DISTANCES, EXACT_MB };

static const fw_parameter_def_t parameters[] = {
  [ANYTIME] =
    {.name = "anytime",
     .type = FW_PARAMETER_BOOLEAN,
     .max = 1,
     .help = "go on after the first plan until the budget is used up, for a smaller sum of costs (LaCAM*); without a "
             "budget the first plan is returned"},
  [SWAP] =
    {.name = "swap",
     .type = FW_PARAMETER_BOOLEAN,
     .initial = 1,
     .max = 1,
     .help = "two robots that meet in a corridor go back to a junction and pass each other there"},
  [RESTART] =
    {.name = "restart",
     .initial = 1,
     .max = 1000,
     .help = "per mille of the visits to a known configuration, before the first plan, after which the search goes on "
             "from the start instead of from there"},
  [DISTANCES] = FW_FLEET_DISTANCES_PARAMETER,
  [EXACT_MB] = FW_FLEET_EXACT_MB_PARAMETER,
};

// A constraint: `robot` goes to `place`, and the constraints of its parents hold.
typedef struct constraint_t {
  struct constraint_t * parent;  // NULL for the root, which fixes nothing
  struct constraint_t * next;    // in the queue of its node
  int32_t robot;
  int32_t place;
  int32_t depth;  // number of robots that are fixed
} constraint_t;

typedef struct edge_t {
  struct edge_t * next;
  int32_t node;
  fw_cost_t cost;
} edge_t;

// A configuration. `order` and `places` have room behind the struct.
typedef struct node_t {
  struct node_t * chain;  // the next one with the same slot of the hash table
  uint64_t hash;
  int32_t index;
  int32_t parent;     // -1 for the start
  int32_t last_from;  // the node of the last edge to it
  fw_tick_t tick;     // at most that of the last change of closures
  bool is_goal;
  fw_cost_t g;  // sum of costs from the start, by the best edges known
  fw_cost_t h;  // lower bound on the rest
  edge_t * edges;
  constraint_t * first;  // of the queue
  constraint_t * last;
  int32_t * order;   // in which robots choose
  int32_t * places;  // rows, as in fw_pibt_request_t
} node_t;

typedef struct run_t {
  fw_planner_context_t * context;
  const fw_problem_t * problem;
  fw_arena_t * arena;
  fw_fleet_t fleet;
  fw_pibt_generator_t pibt;
  fw_rng_t rng;
  int32_t rows;
  node_t ** nodes;
  int32_t node_count;
  int32_t node_capacity;
  node_t ** slots;  // hash table, a power of two
  int32_t slot_count;
  fw_list_t open;       // a stack of nodes
  fw_list_t rewired;    // nodes whose edges have to be looked at
  fw_list_t goals;      // nodes where all robots are on their goals for good
  fw_list_t plan;       // the nodes of the best plan, from the last to the first
  int32_t best;         // of the goals, the one of least cost; -1: no plan yet
  fw_cost_t best_cost;  // INT64_MAX: no plan yet
  int32_t nearest;      // the node of least h
  int32_t * next;       // a configuration that is being made
  int32_t * state;      // with the rows before
  int32_t * fixed_robots;
  int32_t * fixed_places;
  int64_t stalled_at;  // constraints tried at which the search begins again
  int64_t patience;    // constraints more after which it does so, if no configuration was nearer to the goals
  int64_t tried;       // constraints
  int64_t restarts;
  int64_t rewirings;
  int64_t improvements;
} run_t;

enum { PATIENCE_FIRST = 256 };

// ---- costs ----------------------------------------------------------------------------------------------------------

// Every tick costs 1, except waiting on the goal; where cells differ in cost, a move costs that of the cell entered.
static fw_cost_t step_cost(const run_t * run, const int32_t * from, const int32_t * to)
{
  fw_cost_t cost = 0;
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    const bool is_rest = from[r] == to[r] && to[r] == run->pibt.goals[r];
    const bool is_weighted = run->fleet.is_weighted && from[r] != to[r];
    cost += is_rest ? 0 : is_weighted ? fw__moves_cost(run->pibt.moves, to[r]) : 1;
  }
  return cost;
}

static fw_cost_t lower_bound(const run_t * run, const int32_t * places)
{
  const fw_moves_t * moves = run->pibt.moves;
  fw_cost_t sum = 0;
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    sum +=
      run->pibt.fields[r]->coarse == NULL
        ? fw__pibt_distance(&run->pibt, r, places[r])
        : fw__grid_distance(moves->grid, moves->connectivity, moves->cell_of[places[r]], run->problem->robots[r].goal);
  }
  return sum;
}

// ---- states and their table -----------------------------------------------------------------------------------------

// A Zobrist hash whose random numbers are computed instead of stored.
static uint64_t hash_state(const run_t * run, const int32_t * places, fw_tick_t tick)
{
  uint64_t hash = fw__rng(~(uint64_t)tick).state;
  for (int32_t i = 0; i < run->rows * run->problem->robot_count; ++i) {
    uint64_t z = ((uint64_t)(uint32_t)i << 32 | (uint32_t)places[i]) * UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 29)) * UINT64_C(0xbf58476d1ce4e5b9);
    hash ^= z ^ (z >> 32);
  }
  return hash;
}

static size_t state_bytes(const run_t * run)
{
  return (size_t)run->rows * (size_t)run->problem->robot_count * sizeof(int32_t);
}

static node_t * find_node(const run_t * run, uint64_t hash, const int32_t * places, fw_tick_t tick)
{
  node_t * node = run->slots[hash & (uint64_t)(run->slot_count - 1)];
  while (node != NULL) {
    if (node->hash == hash && node->tick == tick && memcmp(node->places, places, state_bytes(run)) == 0) {
      return node;
    }
    node = node->chain;
  }
  return NULL;
}

// Doubles the table. False when there is no memory.
static bool grow_slots(run_t * run)
{
  const int32_t count = run->slot_count == 0 ? 1024 : 2 * run->slot_count;
  node_t ** slots = fw__arena_allocate_zeroed(run->arena, (size_t)count, sizeof(node_t *));
  if (slots == NULL) {
    return false;
  }
  for (int32_t i = 0; i < run->node_count; ++i) {
    node_t * node = run->nodes[i];
    node_t ** slot = &slots[node->hash & (uint64_t)(count - 1)];
    node->chain = *slot;
    *slot = node;
  }
  fw__arena_recycle(run->arena, run->slots, (size_t)run->slot_count, sizeof(node_t *));
  run->slots = slots;
  run->slot_count = count;
  return true;
}

// Whether all robots are on their goals, and none has to leave again.
static bool is_goal(const run_t * run, const int32_t * places, fw_tick_t tick)
{
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    if (places[r] != run->pibt.goals[r] || fw__escape_open_until(&run->pibt.escape, places[r], tick) < FW_TICK_MAX) {
      return false;
    }
  }
  return true;
}

// A node for run->state, without an order. NULL when there is no memory.
static node_t * add_node(run_t * run, uint64_t hash, fw_tick_t tick)
{
  if (run->node_count == run->node_capacity) {
    const int32_t outgrown = run->node_capacity;
    node_t ** nodes = fw__arena_grow(run->arena, run->nodes, sizeof(node_t *), &run->node_capacity);
    if (nodes == NULL) {
      return NULL;
    }
    fw__arena_recycle(run->arena, run->nodes, (size_t)outgrown, sizeof(node_t *));
    run->nodes = nodes;
  }
  if (run->node_count >= run->slot_count && !grow_slots(run)) {
    return NULL;
  }
  const size_t count = (size_t)run->problem->robot_count;
  node_t * node = fw__arena_allocate(run->arena, 1, sizeof(*node) + count * sizeof(int32_t) + state_bytes(run));
  constraint_t * root = fw__arena_allocate(run->arena, 1, sizeof(*root));
  if (node == NULL || root == NULL) {
    return NULL;
  }
  *root = (constraint_t){.robot = -1, .place = -1};
  *node = (node_t){
    .hash = hash, .index = run->node_count, .parent = -1, .last_from = -1, .tick = tick, .first = root, .last = root};
  node->order = (int32_t *)(node + 1);
  node->places = node->order + count;
  memcpy(node->places, run->state, state_bytes(run));
  node->is_goal = is_goal(run, node->places, tick);
  node->h = lower_bound(run, node->places);
  node_t ** slot = &run->slots[hash & (uint64_t)(run->slot_count - 1)];
  node->chain = *slot;
  *slot = node;
  run->nodes[run->node_count++] = node;
  if (run->nearest < 0 || node->h < run->nodes[run->nearest]->h) {
    run->nearest = node->index;
    run->stalled_at = run->tried + run->patience;
  }
  if (node->is_goal) {
    (void)fw__list_push(&run->goals, node->index);
  }
  return node;
}

// ---- constraints ----------------------------------------------------------------------------------------------------

// Whether the robot's move agrees with the robots that the constraint and its parents fix.
static bool agrees(const run_t * run, const node_t * node, const constraint_t * constraint, fw_pibt_move_t move)
{
  for (const constraint_t * at = constraint; at->parent != NULL; at = at->parent) {
    const fw_pibt_move_t other = {.from = node->places[at->robot], .to = at->place};
    if (!fw__pibt_moves_agree(&run->pibt, move, other)) {
      return false;
    }
  }
  return true;
}

static void add_constraint(run_t * run, node_t * node, constraint_t constraint)
{
  constraint_t * added = fw__arena_allocate(run->arena, 1, sizeof(*added));
  if (added == NULL) {
    return;  // the arena remembers it
  }
  *added = constraint;
  if (node->first == NULL) {
    node->first = added;
  } else {
    node->last->next = added;
  }
  node->last = added;
}

// The children of a constraint: one robot more, on each place that it can go to, in random order.
static void add_constraints(run_t * run, node_t * node, constraint_t * constraint)
{
  if (constraint->depth == run->problem->robot_count) {
    return;
  }
  const int32_t robot = node->order[constraint->depth];
  const int32_t here = node->places[robot];
  const int32_t * next = fw__moves_successors(run->pibt.moves, here);
  int32_t places[FW_HEADING_COUNT + 1];
  int32_t count = 0;
  places[count++] = here;
  for (int32_t d = 0; d < run->pibt.moves->degree; ++d) {
    if (next[d] >= 0) {
      places[count++] = next[d];
    }
  }
  fw__rng_shuffle(&run->rng, places, count);
  for (int32_t i = 0; i < count; ++i) {
    if (
      fw__escape_allows(&run->pibt.escape, places[i], node->tick + 1) &&
      agrees(run, node, constraint, (fw_pibt_move_t){.from = here, .to = places[i]})) {
      const constraint_t child = {
        .parent = constraint, .robot = robot, .place = places[i], .depth = constraint->depth + 1};
      add_constraint(run, node, child);
    }
  }
}

// ---- edges ----------------------------------------------------------------------------------------------------------

// Whether a plan through the node may be better than the best one.
static bool is_promising(const run_t * run, const node_t * node) { return node->g + node->h < run->best_cost; }

// The edge to a node; NULL when there is no memory, which the arena remembers. An edge that is found again right after
// the last time is not stored twice.
static const edge_t * add_edge(run_t * run, node_t * from, node_t * to)
{
  if (to->last_from == from->index && from->edges != NULL && from->edges->node == to->index) {
    return from->edges;
  }
  edge_t * edge = fw__arena_allocate(run->arena, 1, sizeof(*edge));
  if (edge != NULL) {
    *edge = (edge_t){.next = from->edges, .node = to->index, .cost = step_cost(run, from->places, to->places)};
    from->edges = edge;
    to->last_from = from->index;
  }
  return edge;
}

// If an edge makes its end cheaper, notes that. True if it does.
static bool relax(run_t * run, const node_t * from, const edge_t * edge)
{
  node_t * to = run->nodes[edge->node];
  if (from->g + edge->cost >= to->g) {
    return false;
  }
  to->g = from->g + edge->cost;
  to->parent = from->index;
  ++run->rewirings;
  if (run->best >= 0 && is_promising(run, to)) {
    (void)fw__list_push(&run->open, to->index);
  }
  return true;
}

// Hands smaller costs on, from the end of an edge along all edges.
static void rewire(run_t * run, const node_t * from, const edge_t * edge)
{
  run->rewired.count = 0;
  if (relax(run, from, edge)) {
    (void)fw__list_push(&run->rewired, edge->node);
  }
  while (run->rewired.count > 0) {
    const node_t * node = run->nodes[run->rewired.items[--run->rewired.count]];
    for (const edge_t * at = node->edges; at != NULL; at = at->next) {
      if (relax(run, node, at)) {
        (void)fw__list_push(&run->rewired, at->node);
      }
    }
  }
}

static void choose_best(run_t * run)
{
  const fw_cost_t before = run->best_cost;
  for (int32_t i = 0; i < run->goals.count; ++i) {
    const node_t * goal = run->nodes[run->goals.items[i]];
    if (goal->g < run->best_cost) {
      run->best = goal->index;
      run->best_cost = goal->g;
    }
  }
  if (run->best_cost == before) {
    return;
  }
  run->improvements += before != INT64_MAX ? 1 : 0;
  run->plan.count = 0;
  for (int32_t at = run->best; at >= 0; at = run->nodes[at]->parent) {
    (void)fw__list_push(&run->plan, at);
  }
}

// While a plan is being improved: goes on from a configuration of the best plan, chosen at random, if something is left
// to be tried there. Depth-first search alone would change only the end of the plan for a long time.
static void jump(run_t * run)
{
  const int32_t index = run->plan.items[fw__rng_below(&run->rng, run->plan.count)];
  const node_t * node = run->nodes[index];
  if (node->first != NULL && !node->is_goal && is_promising(run, node)) {
    (void)fw__list_push(&run->open, index);
  }
}

// ---- the search -----------------------------------------------------------------------------------------------------

static fw_tick_t next_tick(const run_t * run, fw_tick_t tick)
{
  return tick < run->pibt.escape.last_change ? tick + 1 : tick;
}

// The node of the start. False when there is no memory.
static bool begin(run_t * run)
{
  const fw_problem_t * problem = run->problem;
  const size_t count = (size_t)problem->robot_count;
  run->arena = run->context->scratch;
  run->rows = fw__pibt_rows(problem);
  run->best = run->nearest = -1;
  run->best_cost = INT64_MAX;
  run->patience = PATIENCE_FIRST;
  run->open = run->rewired = run->goals = run->plan = fw__list(run->arena);
  run->next = fw__arena_allocate(run->arena, count, sizeof(*run->next));
  run->state = fw__arena_allocate(run->arena, count * (size_t)run->rows, sizeof(*run->state));
  run->fixed_robots = fw__arena_allocate(run->arena, count, sizeof(*run->fixed_robots));
  run->fixed_places = fw__arena_allocate(run->arena, count, sizeof(*run->fixed_places));
  if (
    fw__arena_has_failed(run->arena) ||
    !fw__pibt_generator_init(&run->pibt, run->arena, &run->fleet, run->context->meter)) {
    return false;
  }
  run->pibt.swaps = run->context->parameters[SWAP] != 0;
  run->pibt.rng = fw__rng(run->context->seed);
  run->rng = fw__rng(~run->context->seed);
  for (int32_t i = 0; i < run->rows * problem->robot_count; ++i) {
    run->state[i] = run->pibt.moves->node_of[problem->robots[i % problem->robot_count].start];
  }
  node_t * start = add_node(run, hash_state(run, run->state, 0), 0);
  if (start == NULL) {
    return false;
  }
  fw__pibt_order_first(&run->pibt, run->fleet.lengths, run->next);
  fw__pibt_order_next(&run->pibt, &(fw_pibt_turn_t){.places = start->places, .before = run->next}, start->order);
  (void)fw__list_push(&run->open, start->index);
  choose_best(run);
  return !fw__arena_has_failed(run->arena);
}

// Takes the next constraint of a node, and lets PIBT find a configuration. False if there is none.
static bool make_successor(run_t * run, node_t * node)
{
  constraint_t * constraint = node->first;
  node->first = constraint->next;
  ++run->tried;
  add_constraints(run, node, constraint);
  int32_t count = 0;
  for (const constraint_t * at = constraint; at->parent != NULL; at = at->parent) {
    run->fixed_robots[count] = at->robot;
    run->fixed_places[count++] = at->place;
  }
  const fw_pibt_request_t request = {
    .places = node->places,
    .tick = node->tick,
    .order = node->order,
    .fixed_robots = run->fixed_robots,
    .fixed_places = run->fixed_places,
    .fixed_count = count,
  };
  return fw__pibt_generate(&run->pibt, &request, run->next);
}

// The configuration in run->next follows the node.
static void connect(run_t * run, node_t * node)
{
  const int32_t count = run->problem->robot_count;
  memcpy(run->state, run->next, (size_t)count * sizeof(*run->state));
  memcpy(run->state + count, node->places, (size_t)(run->rows - 1) * (size_t)count * sizeof(*run->state));
  const fw_tick_t tick = next_tick(run, node->tick);
  const uint64_t hash = hash_state(run, run->state, tick);
  node_t * found = find_node(run, hash, run->state, tick);
  if (found != NULL) {
    const edge_t * edge = add_edge(run, node, found);
    if (edge != NULL) {
      rewire(run, node, edge);
    }
    if (run->best >= 0) {
      choose_best(run);
      jump(run);
      return;
    }
    const bool restarts = fw__rng_below(&run->rng, 1000) < run->context->parameters[RESTART];
    (void)fw__list_push(&run->open, restarts ? 0 : found->index);
  } else {
    found = add_node(run, hash, tick);
    if (found == NULL) {
      return;  // the arena remembers it
    }
    found->g = node->g + step_cost(run, node->places, found->places);
    found->parent = node->index;
    const fw_pibt_turn_t turn = {.places = found->places, .tick = found->tick, .before = node->order};
    fw__pibt_order_next(&run->pibt, &turn, found->order);
    (void)add_edge(run, node, found);
    if (is_promising(run, found)) {
      (void)fw__list_push(&run->open, found->index);
    }
  }
  choose_best(run);
}

// PIBT may lead from one new configuration to the next for ever without robots arriving. After a while without one that
// is nearer to the goals, the search goes on from the start, with the next constraint there, and has more patience.
static void restart_if_stalled(run_t * run)
{
  if (run->best < 0 && run->tried >= run->stalled_at) {
    run->patience += run->patience / 4;
    run->stalled_at = run->tried + run->patience;
    ++run->restarts;
    (void)fw__list_push(&run->open, 0);
  }
}

// Until there is a plan, or with `improves` until nothing is left to be tried or the budget is used up.
static void search(run_t * run, bool improves)
{
  while (run->open.count > 0 && (run->best < 0 || improves)) {
    if (fw__meter_add(run->context->meter, run->problem->robot_count)) {
      return;
    }
    node_t * node = run->nodes[run->open.items[run->open.count - 1]];
    if (node->first == NULL || node->is_goal || !is_promising(run, node)) {
      --run->open.count;
      if (run->best >= 0) {
        jump(run);
      }
      continue;
    }
    if (make_successor(run, node) && !fw__meter_has_stopped(run->context->meter)) {
      connect(run, node);
    }
    restart_if_stalled(run);
    if (fw__arena_has_failed(run->arena)) {
      fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    }
    if (fw__meter_has_stopped(run->context->meter)) {
      return;
    }
  }
}

// ---- the plan -------------------------------------------------------------------------------------------------------

// Ticks from the start to the node.
static fw_tick_t depth_of(const run_t * run, int32_t index)
{
  fw_tick_t depth = 0;
  for (int32_t at = run->nodes[index]->parent; at >= 0; at = run->nodes[at]->parent) {
    ++depth;
  }
  return depth;
}

// Room for a plan, taken before the search for a better one: it may use up all memory.
typedef struct room_t {
  fw_path_t * paths;
  fw_cell_t * cells;
  size_t capacity;  // cells
} room_t;

static bool make_room(const run_t * run, room_t * room, size_t cells)
{
  if (room->capacity >= cells && room->paths != NULL) {
    return true;
  }
  fw_path_t * paths = fw__arena_allocate(run->arena, (size_t)run->problem->robot_count, sizeof(*paths));
  fw_cell_t * buffer = fw__arena_allocate(run->arena, cells, sizeof(*buffer));
  if (paths == NULL || buffer == NULL) {
    return false;
  }
  *room = (room_t){.paths = paths, .cells = buffer, .capacity = cells};
  return true;
}

// With robust ticks: the paths that lead to a node, and more memory than these take. False when there is none.
static bool write_schedule(const run_t * run, int32_t index, room_t * room)
{
  const fw_tick_t end = depth_of(run, index);
  int32_t * nodes = fw__arena_allocate(run->arena, (size_t)end + 1, sizeof(*nodes));
  fw_step_schedule_t schedule;
  if (nodes == NULL || !fw__step_schedule_init(&schedule, run->arena, &run->pibt, run->nodes[0]->places)) {
    return false;
  }
  fw_tick_t tick = end;
  for (int32_t at = index; at >= 0; at = run->nodes[at]->parent) {
    nodes[tick--] = at;
  }
  for (tick = 1; tick <= end; ++tick) {
    if (!fw__step_schedule_add(&schedule, run->nodes[nodes[tick]]->places)) {
      return false;
    }
  }
  fw_path_t * paths = fw__step_schedule_paths(&schedule, FW_TICK_MAX);
  if (paths != NULL) {
    *room = (room_t){.paths = paths};
  }
  return paths != NULL;
}

// Writes the paths that lead to a node. False when there is no memory: the room is unchanged.
static bool write_paths(const run_t * run, int32_t index, room_t * room)
{
  if (fw__pibt_has_schedule(run->problem)) {
    return write_schedule(run, index, room);
  }
  const int32_t count = run->problem->robot_count;
  const fw_tick_t end = depth_of(run, index);
  const size_t length = (size_t)end + 1;
  if (!make_room(run, room, length * (size_t)count)) {
    return false;
  }
  fw_tick_t tick = end;
  for (int32_t at = index; at >= 0; at = run->nodes[at]->parent, --tick) {
    for (int32_t r = 0; r < count; ++r) {
      room->cells[(size_t)r * length + (size_t)tick] = run->pibt.moves->cell_of[run->nodes[at]->places[r]];
    }
  }
  for (int32_t r = 0; r < count; ++r) {
    const fw_cell_t * cells = room->cells + (size_t)r * length;
    int32_t last = end;  // the tick of the last move
    while (last > 0 && cells[last] == cells[last - 1]) {
      --last;
    }
    room->paths[r] = (fw_path_t){.cells = cells, .length = last + 1};
  }
  return true;
}

static void count_work(const run_t * run, fw_plan_t * plan)
{
  fw__plan_count(plan, "configurations", run->node_count);
  fw__plan_count(plan, "constraints", run->tried);
  fw__plan_count(plan, "restarts", run->restarts);
  fw__plan_count(plan, "rewirings", run->rewirings);
  fw__plan_count(plan, "improvements", run->improvements);
  fw__plan_count(plan, "pushes", run->pibt.pushes);
  fw__plan_count(plan, "swaps", run->pibt.swap_count);
}

// The search was stopped without a plan: to the configuration that was nearest to the goals, to stay there.
static fw_ret_t answer_partial(run_t * run, fw_plan_t * plan, fw_error_t * error)
{
  room_t room = {0};
  if (run->nearest < 0 || !write_paths(run, run->nearest, &room)) {
    return fw__plan_wait_all(run->context, run->problem, plan, error);
  }
  const fw_tick_t end = depth_of(run, run->nearest);
  plan->outcome = FW_OUTCOME_PARTIAL;
  plan->stop = run->context->meter->stop;
  plan->paths = room.paths;
  plan->safe_until = FW_TICK_MAX;
  for (int32_t r = 0; r < run->problem->robot_count; ++r) {
    const fw_tick_t until = fw__escape_open_until(&run->pibt.escape, run->nodes[run->nearest]->places[r], end);
    plan->safe_until = until < plan->safe_until ? until : plan->safe_until;
  }
  count_work(run, plan);
  return FW_RET_OK;
}

static bool has_budget(const fw_budget_t * budget)
{
  return budget->deadline_ns > 0 || budget->expansions_max > 0 || budget->is_cancelled != NULL;
}

// Of two plans, by the sum of costs; on weighted floor what the search says counts.
static bool is_cheaper(const run_t * run, const room_t * one, const room_t * other)
{
  return run->fleet.is_weighted ||
         fw_paths_sum_of_costs(run->problem, one->paths) < fw_paths_sum_of_costs(run->problem, other->paths);
}

// There is a plan. Goes on with the search for a better one if that is wanted.
static fw_ret_t answer_solved(run_t * run, fw_plan_t * plan, fw_error_t * error)
{
  fw_meter_t * meter = run->context->meter;
  room_t room = {0}, better = {0};
  plan->stats.first_plan_ns = fw_clock_now_ns() - meter->start_ns;
  if (!write_paths(run, run->best, &room)) {
    fw__meter_stop(meter, FW_STOP_MEMORY);
    return fw__plan_wait_all(run->context, run->problem, plan, error);
  }
  const fw_cost_t first_cost = run->best_cost;
  const bool improves = run->context->parameters[ANYTIME] != 0 && has_budget(&meter->budget);
  if (improves) {
    (void)make_room(run, &better, 2 * room.capacity);
    search(run, true);
    if (run->best_cost < first_cost && write_paths(run, run->best, &better) && is_cheaper(run, &better, &room)) {
      room = better;
    }
    // The cost of a schedule is not that of the steps.
    const bool is_proved =
      !fw__meter_has_stopped(meter) && !run->fleet.is_weighted && !fw__pibt_has_schedule(run->problem);
    plan->stats.lower_bound = is_proved ? run->best_cost : plan->stats.lower_bound;
  }
  plan->outcome = FW_OUTCOME_SOLVED;
  plan->stop = meter->stop;
  plan->safe_until = FW_TICK_MAX;
  plan->paths = room.paths;
  count_work(run, plan);
  return FW_RET_OK;
}

static fw_ret_t solve(
  fw_planner_context_t * context, const fw_problem_t * problem, fw_plan_t * plan, fw_error_t * error)
{
  fw_ret_t checked = fw__pibt_check_bodies(problem, error);
  if (checked == FW_RET_OK) {
    checked = fw__instance_check(problem, context->scratch, error);
  }
  if (checked != FW_RET_OK) {
    return checked;
  }
  if (problem->robot_count == 0) {
    plan->outcome = FW_OUTCOME_SOLVED;
    plan->safe_until = FW_TICK_MAX;
    return FW_RET_OK;
  }
  const fw_problem_t * open = fw__escape_block_closed(context->scratch, problem);
  if (open == NULL) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return fw__plan_wait_all(context, problem, plan, error);
  }
  run_t run = {.context = context, .problem = open};
  run.fleet.options = (fw_fleet_options_t){
    .distances = (int32_t)context->parameters[DISTANCES], .exact_mb = (int32_t)context->parameters[EXACT_MB]};
  switch (fw__fleet_init(&run.fleet, context, open, error)) {
    case FW_FLEET_UNREACHABLE:
      return fw__plan_unsolvable(context, problem, plan, error);
    case FW_FLEET_STOPPED:
      return fw__plan_wait_all(context, problem, plan, error);
    case FW_FLEET_READY:
      break;
  }
  plan->stats.lower_bound = run.fleet.lower_bound;
  if (fw__refutation_find(open, context->scratch)) {
    return fw__plan_unsolvable(context, problem, plan, error);
  }
  if (!begin(&run)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return fw__plan_wait_all(context, problem, plan, error);
  }
  search(&run, false);
  if (run.best >= 0) {
    return answer_solved(&run, plan, error);
  }
  if (fw__meter_has_stopped(context->meter)) {
    return answer_partial(&run, plan, error);
  }
  const fw_ret_t ret = fw__plan_unsolvable(context, problem, plan, error);  // all configurations have been seen
  count_work(&run, plan);
  return ret;
}

const fw_planner_def_t fw__planner_lacam = {
  .name = "lacam",
  .summary =
    "lazy constraints addition search: depth-first over configurations that PIBT generates; for crowds, complete",
  .paper =
    "K. Okumura, LaCAM: Search-Based Algorithm for Quick Multi-Agent Pathfinding, AAAI 2023; Improving LaCAM for "
    "Scalable Eventually Optimal Multi-Agent Pathfinding, IJCAI 2023",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .may_delay_first = true,
  .is_complete = true,
  .solve = solve,
};
