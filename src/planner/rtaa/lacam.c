// LaCAM. Order of the file: distances, configurations, constraints, the way, the search.

#include "planner/rtaa/lacam.h"

#include <string.h>

#include "base/assert.h"
#include "base/rng.h"
#include "search/distance/distance.h"

// A robot's next cell that is demanded, and with it those of its ancestors.
typedef struct constraint_t {
  const struct constraint_t * parent;  // NULL: nothing is demanded
  struct constraint_t * next;          // in the queue of its configuration
  int32_t depth;                       // how many robots have demands
  int32_t robot;
  fw_cell_t cell;
} constraint_t;

typedef struct configuration_t {
  struct configuration_t * parent;  // from which it was found
  struct configuration_t * chain;   // the next one of the same bucket
  struct configuration_t * below;   // the next one of the stack; a configuration is on it once
  struct configuration_t * above;
  bool is_open;  // on the stack
  uint64_t hash;
  fw_tick_t depth;      // steps from the first
  int32_t * order;      // in which robots choose
  constraint_t * head;  // of the constraints to try; NULL: all were tried
  constraint_t * tail;
  fw_cell_t cells[];  // by robot
} configuration_t;

typedef struct search_t {
  const fw_rtaa_lacam_options_t * options;
  fw_arena_t * arena;
  fw_moves_t moves;
  fw_distance_t * distances;  // by robot
  fw_problem_t on_known;      // the problem on the map that robots know
  fw_problem_t at_once;       // the problem without robust ticks
  fw_grid_t known;
  fw_pibt_t pibt;
  int32_t robot_count;
  configuration_t ** buckets;
  int32_t bucket_bits;
  int64_t stored;
  configuration_t * top;  // of the stack
  fw_cell_t * proposal;   // the cells of the next configuration
  int64_t proposed;
  int32_t way_capacity;
} search_t;

// ---- distances ------------------------------------------------------------------------------------------------------

static uint32_t distance_of(void * context, int32_t robot, fw_cell_t cell)
{
  search_t * search = context;
  const int32_t node = search->moves.node_of[cell];
  const int32_t distance = fw__distance_get(&search->distances[robot], node, search->options->meter);
  return distance == FW_DISTANCE_NONE ? UINT32_MAX / 4 : (uint32_t)distance;
}

static bool init_distances(search_t * search)
{
  const fw_problem_t * problem = search->options->problem;
  search->distances = fw__arena_allocate_zeroed(search->arena, (size_t)search->robot_count, sizeof(fw_distance_t));
  if (search->distances == NULL || !fw__moves_init_cells(&search->moves, search->arena, &search->on_known)) {
    return false;
  }
  for (int32_t r = 0; r < search->robot_count; ++r) {
    const fw_distance_def_t def = {
      .moves = &search->moves,
      .goal_node = search->moves.node_of[problem->robots[r].goal],
      .aim = search->options->from->cells[r],
    };
    if (!fw__distance_init(&search->distances[r], search->arena, &def)) {
      return false;
    }
  }
  return true;
}

// ---- configurations -------------------------------------------------------------------------------------------------

static uint64_t hash_of(const fw_cell_t * cells, int32_t count)
{
  uint64_t hash = UINT64_C(0x9e3779b97f4a7c15);
  for (int32_t i = 0; i < count; ++i) {
    hash = (hash ^ (uint64_t)(uint32_t)cells[i]) * UINT64_C(0xff51afd7ed558ccd);
    hash ^= hash >> 32;
  }
  return hash;
}

static configuration_t ** bucket_of(const search_t * search, uint64_t hash)
{
  return &search->buckets[hash >> (64 - search->bucket_bits)];
}

static configuration_t * find(const search_t * search, const fw_cell_t * cells)
{
  const uint64_t hash = hash_of(cells, search->robot_count);
  configuration_t * at = *bucket_of(search, hash);
  while (at != NULL &&
         (at->hash != hash || memcmp(at->cells, cells, sizeof(*cells) * (size_t)search->robot_count) != 0)) {
    at = at->chain;
  }
  return at;
}

// Twice as many buckets. False when there is no memory.
static bool grow_buckets(search_t * search)
{
  configuration_t ** old = search->buckets;
  const int32_t old_count = old != NULL ? 1 << search->bucket_bits : 0;
  const int32_t bits = old != NULL ? search->bucket_bits + 1 : 10;
  configuration_t ** buckets = fw__arena_allocate_zeroed(search->arena, (size_t)1 << bits, sizeof(configuration_t *));
  if (buckets == NULL) {
    return false;
  }
  search->buckets = buckets;
  search->bucket_bits = bits;
  for (int32_t i = 0; i < old_count; ++i) {
    for (configuration_t *at = old[i], *next; at != NULL; at = next) {
      configuration_t ** bucket = bucket_of(search, at->hash);
      next = at->chain;
      at->chain = *bucket;
      *bucket = at;
    }
  }
  return true;
}

static bool is_on_goal(const search_t * search, const fw_cell_t * cells, int32_t robot)
{
  return cells[robot] == search->options->problem->robots[robot].goal;
}

// Robots under way choose in the order of `before`, then those that have just been pushed off their goals, then those
// on their goals: those that are under way for longest come first.
static void order_robots(const search_t * search, configuration_t * made, const int32_t * before)
{
  const configuration_t * parent = made->parent;
  int32_t count = 0;
  for (int32_t class = 0; class < 3; ++class) {
    for (int32_t i = 0; i < search->robot_count; ++i) {
      const int32_t robot = before[i];
      const bool was_there = parent != NULL && is_on_goal(search, parent->cells, robot);
      const int32_t its = is_on_goal(search, made->cells, robot) ? 2 : was_there ? 1 : 0;
      if (its == class) {
        made->order[count++] = robot;
      }
    }
  }
  FW_ASSERT(count == search->robot_count);
}

static void put_on_top(search_t * search, configuration_t * at)
{
  if (search->top == at) {
    return;
  }
  if (at->is_open) {
    at->above->below = at->below;
    if (at->below != NULL) {
      at->below->above = at->above;
    }
  }
  at->is_open = true;
  at->above = NULL;
  at->below = search->top;
  if (search->top != NULL) {
    search->top->above = at;
  }
  search->top = at;
}

static void take_from_top(search_t * search)
{
  configuration_t * at = search->top;
  search->top = at->below;
  at->is_open = false;
  if (search->top != NULL) {
    search->top->above = NULL;
  }
}

// On top of the stack. False when there is no memory.
static bool add(search_t * search, const fw_cell_t * cells, configuration_t * parent, const int32_t * before)
{
  if ((search->buckets == NULL || search->stored >> search->bucket_bits > 0) && !grow_buckets(search)) {
    return false;
  }
  const size_t bytes = sizeof(configuration_t) + sizeof(fw_cell_t) * (size_t)search->robot_count;
  configuration_t * made = fw__arena_allocate(search->arena, 1, bytes);
  int32_t * order = fw__arena_allocate(search->arena, (size_t)search->robot_count, sizeof(*order));
  constraint_t * root = fw__arena_allocate_zeroed(search->arena, 1, sizeof(*root));
  if (fw__arena_has_failed(search->arena)) {
    return false;
  }
  *made = (configuration_t){
    .parent = parent,
    .hash = hash_of(cells, search->robot_count),
    .depth = parent != NULL ? parent->depth + 1 : 0,
    .order = order,
    .head = root,
    .tail = root,
  };
  memcpy(made->cells, cells, sizeof(*cells) * (size_t)search->robot_count);
  order_robots(search, made, before);
  configuration_t ** bucket = bucket_of(search, made->hash);
  made->chain = *bucket;
  *bucket = made;
  ++search->stored;
  put_on_top(search, made);
  return true;
}

// ---- constraints ----------------------------------------------------------------------------------------------------

// Takes the first constraint of a configuration from its queue, and queues those with one robot more behind the others.
// NULL when there is no memory.
static const constraint_t * next_constraint(search_t * search, configuration_t * at)
{
  constraint_t * taken = at->head;
  if (taken->depth < search->robot_count) {
    const int32_t robot = at->order[taken->depth];
    const int32_t node = search->moves.node_of[at->cells[robot]];
    const int32_t * successors = fw__moves_successors(&search->moves, node);
    int32_t nodes[FW_HEADING_COUNT + 1], count = 0;
    nodes[count++] = node;
    for (int32_t i = 0; i < search->moves.degree; ++i) {
      if (successors[i] >= 0 && successors[i] != node) {
        nodes[count++] = successors[i];
      }
    }
    fw_rng_t rng = fw__rng(search->options->seed ^ at->hash ^ (uint64_t)taken->depth);
    fw__rng_shuffle(&rng, nodes, count);
    for (int32_t i = 0; i < count; ++i) {
      constraint_t * child = fw__arena_allocate(search->arena, 1, sizeof(*child));
      if (child == NULL) {
        return NULL;
      }
      *child = (constraint_t){
        .parent = taken, .depth = taken->depth + 1, .robot = robot, .cell = search->moves.cell_of[nodes[i]]};
      at->tail->next = child;
      at->tail = child;
    }
  }
  at->head = taken->next;
  return taken;
}

// Robots that move in a circle, each to the cell of the next, stay where they are: with robust ticks nobody enters a
// cell that another one is about to leave, so that steps are driven one robot after the other.
static void stop_circles(search_t * search, fw_cell_t * next)
{
  const fw_pibt_t * pibt = &search->pibt;
  for (int32_t r = 0; r < search->robot_count; ++r) {
    int32_t other = r;
    for (int32_t i = 0; i < search->robot_count && other >= 0 && next[other] != pibt->cells[other]; ++i) {
      other = pibt->standing[next[other]];
      if (other == r) {  // the circle is closed
        for (int32_t at = r; next[at] != pibt->cells[at];) {
          const int32_t following = pibt->standing[next[at]];
          next[at] = pibt->cells[at];
          at = following;
        }
        other = -1;
      }
    }
  }
}

// The next configuration, into `proposal`. False if the demands do not go together.
static bool propose(search_t * search, const configuration_t * at, const constraint_t * constraint)
{
  fw_pibt_t * pibt = &search->pibt;
  fw__pibt_place(pibt, at->cells, at->order);
  pibt->seed = search->options->seed ^ at->hash;
  bool is_possible = true;
  for (; constraint->depth > 0 && is_possible; constraint = constraint->parent) {
    is_possible = fw__pibt_demand(pibt, constraint->robot, constraint->cell);
  }
  is_possible = is_possible && fw__pibt_propose(pibt);
  if (is_possible) {
    memcpy(search->proposal, pibt->next, sizeof(*pibt->next) * (size_t)search->robot_count);
    if (search->options->problem->robust_ticks > 0) {
      stop_circles(search, search->proposal);
    }
  }
  ++search->proposed;
  return is_possible;
}

// ---- the search -----------------------------------------------------------------------------------------------------

static bool init(search_t * search)
{
  const fw_rtaa_lacam_options_t * options = search->options;
  search->robot_count = options->problem->robot_count;
  search->known = fw_batch_known(options->batch);
  search->on_known = *options->problem;
  search->on_known.grid = &search->known;
  search->at_once = *options->problem;
  search->at_once.robust_ticks = 0;
  search->proposal = fw__arena_allocate(search->arena, (size_t)search->robot_count, sizeof(*search->proposal));
  const fw_pibt_options_t pibt = {
    .problem = &search->at_once,
    .batch = options->batch,
    .estimate = distance_of,
    .estimate_context = search,
    .arena = search->arena,
    .seed = options->seed,
  };
  fw__pibt_init(&search->pibt, &pibt);
  return !search->pibt.has_failed && init_distances(search);
}

// At the beginning: by falling priority, then the longest way first, then by index.
static bool is_before(search_t * search, const uint32_t * lengths, int32_t robot, int32_t other)
{
  const fw_robot_t * robots = search->options->problem->robots;
  if (robots[robot].priority != robots[other].priority) {
    return robots[robot].priority > robots[other].priority;
  }
  return lengths[robot] != lengths[other] ? lengths[robot] > lengths[other] : robot < other;
}

static void sort_robots(search_t * search, const uint32_t * lengths, int32_t * order)
{
  for (int32_t gap = search->robot_count / 2; gap > 0; gap /= 2) {  // shell sort; there are no ties
    for (int32_t i = gap; i < search->robot_count; ++i) {
      const int32_t robot = order[i];
      int32_t at = i;
      for (; at >= gap && is_before(search, lengths, robot, order[at - gap]); at -= gap) {
        order[at] = order[at - gap];
      }
      order[at] = robot;
    }
  }
}

// The first configuration. False when there is no memory.
static bool begin(search_t * search)
{
  const fw_cell_t * cells = search->options->from->cells;
  const int32_t count = search->robot_count;
  uint32_t * lengths = fw__arena_allocate(search->arena, (size_t)count, sizeof(*lengths));
  int32_t * order = fw__arena_allocate(search->arena, (size_t)count, sizeof(*order));
  if (fw__arena_has_failed(search->arena)) {
    return false;
  }
  for (int32_t r = 0; r < count; ++r) {
    lengths[r] = distance_of(search, r, cells[r]);
    order[r] = r;
    search->proposal[r] = cells[r];
  }
  sort_robots(search, lengths, order);
  return add(search, search->proposal, NULL, order);
}

static bool has_arrived(const search_t * search, const fw_cell_t * cells)
{
  int32_t robot = 0;
  while (robot < search->robot_count && is_on_goal(search, cells, robot)) {
    ++robot;
  }
  return robot == search->robot_count;
}

// ---- the way --------------------------------------------------------------------------------------------------------

// A configuration more. False when there is no memory or the way is too long.
static bool append(search_t * search, fw_rtaa_lacam_way_t * way, const fw_cell_t * cells)
{
  if (way->length == search->way_capacity) {
    const fw_cell_t ** grown = fw__arena_grow(search->arena, way->cells, sizeof(*way->cells), &search->way_capacity);
    if (grown == NULL) {
      return false;
    }
    way->cells = grown;
  }
  way->cells[way->length++] = cells;
  return way->length <= search->options->ticks_max;
}

// With robust ticks, one step as several: in each tick those robots move whose cell is empty by then and not reserved
// any more. Without circles there is always one at last. `free_from` of the search's PIBT counts from the way's
// beginning. False when there is no memory or the way is too long.
static bool append_step(search_t * search, fw_rtaa_lacam_way_t * way, const fw_cell_t * to)
{
  fw_pibt_t * pibt = &search->pibt;
  const int32_t count = search->robot_count, robust = search->options->problem->robust_ticks;
  for (int32_t left = 1; left > 0;) {
    left = 0;
    fw_cell_t * cells = fw__arena_allocate(search->arena, (size_t)count, sizeof(*cells));
    if (cells == NULL) {
      return false;
    }
    for (int32_t r = 0; r < count; ++r) {
      pibt->next[r] = pibt->cells[r];
    }
    for (int32_t r = 0; r < count; ++r) {
      const bool is_free = pibt->cells[r] != to[r] && pibt->standing[to[r]] < 0 &&
                           pibt->free_from[to[r]] <= pibt->now + 1 && fw__pibt_may_move(pibt, r, to[r]);
      pibt->next[r] = is_free ? to[r] : pibt->cells[r];
      left += pibt->next[r] != to[r] ? 1 : 0;
    }
    for (int32_t r = 0; r < count; ++r) {
      if (pibt->next[r] != pibt->cells[r]) {
        pibt->standing[pibt->cells[r]] = -1;
        pibt->free_from[pibt->cells[r]] = pibt->now + 1 + robust;
      }
    }
    for (int32_t r = 0; r < count; ++r) {
      pibt->cells[r] = cells[r] = pibt->next[r];
      pibt->standing[cells[r]] = r;
      pibt->next[r] = FW_CELL_NONE;
    }
    ++pibt->now;
    if (!append(search, way, cells)) {
      return false;
    }
  }
  return true;
}

// The way to a configuration. False when there is no memory or the way is too long.
static bool trace(search_t * search, const configuration_t * last, fw_rtaa_lacam_way_t * way)
{
  const fw_pibt_t * from = search->options->from;
  const configuration_t ** steps = fw__arena_allocate(search->arena, (size_t)last->depth + 1, sizeof(*steps));
  if (steps == NULL) {
    return false;
  }
  for (const configuration_t * at = last; at != NULL; at = at->parent) {
    steps[at->depth] = at;
  }
  fw__pibt_place(&search->pibt, from->cells, last->order);
  search->pibt.now = 0;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(&search->known); ++cell) {
    search->pibt.free_from[cell] = from->free_from[cell] - from->now;
  }
  bool is_done = true;
  for (fw_tick_t step = 1; step <= last->depth && is_done; ++step) {
    is_done = search->options->problem->robust_ticks > 0 ? append_step(search, way, steps[step]->cells)
                                                         : append(search, way, steps[step]->cells);
  }
  return is_done;
}

bool fw__rtaa_lacam_find(const fw_rtaa_lacam_options_t * options, fw_rtaa_lacam_way_t * way)
{
  search_t search = {.options = options, .arena = options->arena};
  *way = (fw_rtaa_lacam_way_t){0};
  if (!init(&search) || !begin(&search)) {
    return false;
  }
  bool is_found = false;
  while (search.top != NULL && search.proposed < options->configurations_max &&
         !fw__meter_add(options->meter, search.robot_count)) {
    configuration_t * at = search.top;
    if (has_arrived(&search, at->cells)) {
      is_found = trace(&search, at, way);
      break;
    }
    if (at->head == NULL || at->depth >= options->ticks_max) {
      take_from_top(&search);
      continue;
    }
    const constraint_t * constraint = next_constraint(&search, at);
    if (constraint == NULL) {
      break;
    }
    if (!propose(&search, at, constraint)) {
      continue;
    }
    configuration_t * known = find(&search, search.proposal);
    if (known != NULL) {
      put_on_top(&search, known);
    } else if (!add(&search, search.proposal, at, at->order)) {
      break;
    }
  }
  way->configurations = search.proposed;
  is_found = is_found && !fw__arena_has_failed(search.arena);
  way->length = is_found ? way->length : 0;
  return is_found;
}
