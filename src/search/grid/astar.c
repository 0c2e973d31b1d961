// A* over the places of the floor, and what it becomes with other keys: Dijkstra's algorithm, greedy best-first search,
// weighted A*, and A* with landmarks (ALT).
//
// The open list is a bucket queue. A bucket holds keys that differ by less than a quarter of a straight move and
// returns its items last in, first out, which favours large g; a place that is reached again more cheaply is opened
// again. The search ends when the goal's cost is no more than the least key of the lowest bucket: then no open place
// can improve it (Hart, Nilsson and Raphael 1968, lemma 1, with the true minimum replaced by that lower bound).
//
// Weighted A* is different: it expands no place twice, which keeps the bound w * C* only if the true minimum is taken
// each time (Likhachev, Gordon and Thrun 2003). Its open list is a heap.

#include "search/grid/astar.h"

#include "base/bucket_queue.h"
#include "search/grid/flood.h"
#include "search/heap.h"
#include "search/marks.h"
#include "world/body.h"

// In the order of parameter "heuristic".
typedef enum heuristic_t {
  HEURISTIC_OCTILE,  // exact on open floor: Manhattan for 4 directions, octile for 8, hexagonal for 6
  HEURISTIC_ZERO,
  HEURISTIC_MANHATTAN,
  HEURISTIC_EUCLIDEAN,
  HEURISTIC_TRUE,
  HEURISTIC_LANDMARKS,  // of search "landmarks" only
} heuristic_t;

typedef enum variant_t { VARIANT_ASTAR, VARIANT_DIJKSTRA, VARIANT_GREEDY, VARIANT_WEIGHTED } variant_t;

enum { NOTE_CLOSED = 8 };  // in a mark beside the direction of the last move; weighted A* only

struct fw_astar_t {
  fw_marks_t marks;
  fw_bucket_queue_t open;
  fw_heap_t heap;      // the open list of weighted A*
  int32_t shift;       // bucket = key >> shift
  int32_t * distance;  // by place: true distance to `distance_goal`, kept while the goal stays the same
  int32_t distance_goal;
  const int32_t * landmarks;  // by place, `landmark_count` distances each
  int32_t landmark_count;
  // One query.
  variant_t variant;
  heuristic_t heuristic;
  int32_t percent;  // weight of the heuristic, of weighted A*
  int32_t goal_x;
  int32_t goal_y;
  int32_t best;  // the goal's cost so far
  int64_t reached;
  fw_trail_t path;  // of fw__astar_find
};

fw_astar_t * fw__astar_make(fw_arena_t * arena, const fw_floor_t * floor)
{
  fw_astar_t * astar = fw__arena_allocate_zeroed(arena, 1, sizeof(*astar));
  if (astar == NULL || !fw__marks_init(&astar->marks, arena, floor->place_count)) {
    return NULL;
  }
  fw__bucket_queue_init(&astar->open, arena);
  fw__heap_init(&astar->heap, arena);
  astar->path.arena = arena;
  astar->shift = fw__floor_key_shift(floor);
  astar->distance_goal = -1;
  return astar;
}

// ---- heuristics -----------------------------------------------------------------------------------------------------

static int32_t square_root(int64_t square)
{
  FW_ASSERT(square >= 0);
  int64_t root = 0;
  for (int64_t step = INT64_C(1) << 31; step > 0; step /= 2) {
    root += (root + step) * (root + step) <= square ? step : 0;
  }
  return (int32_t)root;
}

// The straight line. It is admissible: where a diagonal counts as one straight move, it covers the square root of 2,
// and the line is shortened by that factor.
static int32_t euclidean(const fw_floor_t * floor, int64_t dx, int64_t dy)
{
  const int64_t square = (dx * dx + dy * dy) * floor->straight * floor->straight;
  const bool is_short = floor->degree == 8 && floor->diagonal == floor->straight;
  return square_root(is_short ? square / 2 : square) * floor->cost_min;
}

// ALT: the largest |d(l, place) - d(l, goal)| over the landmarks l, a lower bound by the triangle inequality.
static int32_t by_landmarks(const fw_astar_t * astar, const fw_router_context_t * context, int32_t place)
{
  const int32_t * here = astar->landmarks + (size_t)place * (size_t)astar->landmark_count;
  const int32_t * there = astar->landmarks + (size_t)context->goal * (size_t)astar->landmark_count;
  int32_t best = fw__floor_estimate_between(context->floor, place, context->goal);
  for (int32_t i = 0; i < astar->landmark_count; ++i) {
    const int32_t difference = abs(here[i] - there[i]);
    best = difference > best ? difference : best;
  }
  return best;
}

// h(place): an estimate of the cost from there to the goal.
static int32_t estimate(const fw_astar_t * astar, const fw_router_context_t * context, int32_t place)
{
  const fw_floor_t * floor = context->floor;
  const int32_t dx = fw__floor_x(floor, place) - astar->goal_x;
  const int32_t dy = fw__floor_y(floor, place) - astar->goal_y;
  switch (astar->heuristic) {
    case HEURISTIC_ZERO:
      return 0;
    case HEURISTIC_MANHATTAN:
      return (abs(dx) + abs(dy)) * floor->straight * floor->cost_min;
    case HEURISTIC_EUCLIDEAN:
      return floor->degree == 6 ? 0 : euclidean(floor, dx, dy);
    case HEURISTIC_TRUE:
      return astar->distance[place];
    case HEURISTIC_LANDMARKS:
      return by_landmarks(astar, context, place);
    case HEURISTIC_OCTILE:
      break;
  }
  return fw__floor_estimate_between(floor, place, context->goal);
}

// True distances to the goal, kept for the next query with the same goal.
static void find_distances(fw_astar_t * astar, fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  if (astar->distance_goal == context->goal) {
    return;
  }
  if (astar->distance == NULL) {
    astar->distance = fw__arena_allocate(context->built, (size_t)floor->place_count, sizeof(*astar->distance));
  }
  astar->distance_goal = -1;
  fw_flood_t flood = {.floor = floor, .open = &astar->open, .is_backward = true};
  if (astar->distance != NULL && fw__flood(&flood, context->goal, astar->distance)) {
    astar->distance_goal = context->goal;
    context->expanded += flood.expanded;
    context->memory_bytes += (size_t)floor->place_count * sizeof(*astar->distance);
  }
}

// ---- the search -----------------------------------------------------------------------------------------------------

static inline int64_t key_of(const fw_astar_t * astar, int32_t g, int32_t h)
{
  return astar->variant == VARIANT_DIJKSTRA ? g : (astar->variant == VARIANT_GREEDY ? h : g + h);
}

// One expansion. `is_plain`: A* with the octile heuristic on square tiles of cost 1, the case that has to be fast; the
// function is inlined once with each value.
static inline void expand(fw_astar_t * astar, const fw_router_context_t * context, int32_t at, const bool is_plain)
{
  const fw_floor_t * floor = context->floor;
  const int32_t g = astar->marks.marks[at].g;
  const int32_t y = fw__floor_y(floor, at);
  const int32_t * steps = floor->steps[floor->degree == 6 ? y & 1 : 0];
  const int32_t dx = at - (y + 1) * floor->stride - 1 - astar->goal_x;
  const int32_t dy = y - astar->goal_y;
  const uint32_t tag = astar->marks.epoch * FW_MARK_NOTES;
  for (int32_t moves = floor->moves[at]; moves != 0; moves &= moves - 1) {
    const int32_t d = __builtin_ctz((unsigned)moves);
    const int32_t to = at + steps[d];
    const int32_t next = g + (is_plain ? floor->lengths[d] : floor->lengths[d] * floor->cost[to]);
    fw_mark_t * mark = &astar->marks.marks[to];
    const bool is_new = mark->tag < tag;
    if (!is_new && (mark->g <= next || (!is_plain && astar->variant == VARIANT_GREEDY))) {
      continue;
    }
    astar->reached += is_new;
    *mark = (fw_mark_t){.g = next, .tag = tag + (uint32_t)d};
    if (to == context->goal) {
      astar->best = next;
      continue;
    }
    const int64_t key = is_plain
                          ? next + fw__floor_estimate(floor, dx + fw__directions[d].dx, dy + fw__directions[d].dy)
                          : key_of(astar, next, estimate(astar, context, to));
    if (key < astar->best || (!is_plain && astar->variant == VARIANT_GREEDY)) {
      (void)fw__bucket_queue_push(&astar->open, key >> astar->shift, to, next);
    }
  }
}

static inline void search(fw_astar_t * astar, fw_router_context_t * context, const bool is_plain)
{
  int32_t at, g;
  int64_t key;
  while (fw__bucket_queue_pop(&astar->open, &at, &g, &key)) {
    if (
      astar->best <= key << astar->shift ||
      (!is_plain && astar->variant == VARIANT_GREEDY && astar->best < INT32_MAX)) {
      return;
    }
    if (astar->marks.marks[at].g != g) {
      continue;  // pushed again at a lower cost
    }
    if (fw__router_count(context, at) || fw__arena_has_failed(astar->open.arena)) {
      return;
    }
    expand(astar, context, at, is_plain);
  }
}

// f = g + w h; keys that do not fit into 32 bits are all the same.
static int32_t weighted_key(const fw_astar_t * astar, const fw_router_context_t * context, int32_t place, int32_t g)
{
  const int64_t key = g + (int64_t)estimate(astar, context, place) * astar->percent / 100;
  return key < INT32_MAX ? (int32_t)key : INT32_MAX;
}

static void search_weighted(fw_astar_t * astar, fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  fw_marks_t * marks = &astar->marks;
  while (astar->heap.count > 0 && !fw__arena_has_failed(astar->heap.arena)) {
    const fw_heap_item_t item = fw__heap_pop(&astar->heap);
    const int32_t at = item.node;
    const int32_t note = fw__marks_note(marks, at);
    if (marks->marks[at].g != item.g || note >= NOTE_CLOSED) {
      continue;  // pushed again at a lower cost
    }
    if (at == context->goal || fw__router_count(context, at)) {
      astar->best = at == context->goal ? item.g : astar->best;
      return;
    }
    fw__marks_set(marks, at, item.g, note + NOTE_CLOSED);
    for (int32_t moves = floor->moves[at]; moves != 0; moves &= moves - 1) {
      const int32_t d = __builtin_ctz((unsigned)moves);
      const int32_t to = fw__floor_next(floor, at, d);
      const int32_t next = item.g + fw__floor_step_cost(floor, to, d);
      const bool is_new = !fw__marks_has(marks, to);
      if (!is_new && (marks->marks[to].g <= next || fw__marks_note(marks, to) >= NOTE_CLOSED)) {
        continue;
      }
      astar->reached += is_new;
      fw__marks_set(marks, to, next, d);
      (void)fw__heap_push(&astar->heap, weighted_key(astar, context, to, next), next, to);
    }
  }
}

// Follows the directions in the marks from the goal back to the start.
static void trace(const fw_astar_t * astar, const fw_router_context_t * context, fw_trail_t * path)
{
  const fw_floor_t * floor = context->floor;
  const int32_t first = path->count;
  fw__trail_add(path, context->goal);
  for (int32_t at = context->goal; at != context->start && !path->has_failed;) {
    FW_ASSERT(fw__marks_has(&astar->marks, at));
    at = fw__floor_next(floor, at, floor->opposite[fw__marks_note(&astar->marks, at) % NOTE_CLOSED]);
    fw__trail_add(path, at);
  }
  fw__trail_reverse(path, first);
}

static void begin(fw_astar_t * astar, const fw_router_context_t * context, variant_t variant, heuristic_t heuristic)
{
  FW_ASSERT(context->floor->cost[context->start] != 0 && context->floor->cost[context->goal] != 0);
  FW_ASSERT(astar->marks.count == context->floor->place_count);
  astar->variant = variant;
  // True distances are those of moves that lead both ways.
  astar->heuristic = heuristic == HEURISTIC_TRUE && context->floor->has_one_way ? HEURISTIC_OCTILE : heuristic;
  astar->goal_x = fw__floor_x(context->floor, context->goal);
  astar->goal_y = fw__floor_y(context->floor, context->goal);
  astar->best = INT32_MAX;
  astar->reached = 1;
}

// From the context's start to its goal; the cost is in `best`.
static void run(fw_astar_t * astar, fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  fw__marks_begin(&astar->marks);
  fw__bucket_queue_clear(&astar->open);
  fw__heap_clear(&astar->heap);
  fw__marks_set(&astar->marks, context->start, 0, 0);
  if (astar->variant == VARIANT_WEIGHTED) {
    (void)fw__heap_push(&astar->heap, 0, 0, context->start);
    search_weighted(astar, context);
    FW_ASSERT(fw__heap_validate(&astar->heap));
    return;
  }
  const int64_t key = key_of(astar, 0, estimate(astar, context, context->start));
  (void)fw__bucket_queue_push(&astar->open, key >> astar->shift, context->start, 0);
  const bool is_plain =
    astar->variant == VARIANT_ASTAR && astar->heuristic == HEURISTIC_OCTILE && floor->is_uniform && floor->degree != 6;
  if (is_plain) {
    search(astar, context, true);
  } else {
    search(astar, context, false);
  }
}

const fw_trail_t * fw__astar_find(fw_astar_t * astar, fw_router_context_t * context, fw_astar_query_t query)
{
  const int32_t ends[2] = {context->start, context->goal};
  context->start = query.from;
  context->goal = query.to;
  begin(astar, context, VARIANT_ASTAR, HEURISTIC_OCTILE);
  astar->best = query.bound;
  astar->path.count = 0;
  run(astar, context);
  const bool is_found = astar->best < query.bound && context->meter->stop == FW_STOP_DONE;
  if (is_found && !fw__arena_has_failed(astar->path.arena)) {
    trace(astar, context, &astar->path);
  }
  if (fw__arena_has_failed(astar->path.arena)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
  }
  context->start = ends[0];
  context->goal = ends[1];
  return is_found && context->meter->stop == FW_STOP_DONE ? &astar->path : NULL;
}

// ---- queries of the router ------------------------------------------------------------------------------------------

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  context->state = fw__astar_make(context->built, context->floor);
  return fw__router_build_result(context, error);
}

// The floor is up to date; only true distances have become wrong.
static fw_ret_t update(fw_router_context_t * context, const fw_cell_t * cells, int32_t count, fw_error_t * error)
{
  (void)cells;
  (void)count;
  (void)error;
  ((fw_astar_t *)context->state)->distance_goal = -1;
  return FW_RET_OK;
}

static void find(fw_router_context_t * context, variant_t variant, heuristic_t heuristic)
{
  fw_astar_t * astar = context->state;
  begin(astar, context, variant, heuristic);
  if (heuristic == HEURISTIC_TRUE) {
    find_distances(astar, context);
    if (!fw__router_has_memory(context) || astar->distance[context->start] == FW_FLOOD_NONE) {
      return;
    }
  }
  run(astar, context);
  if (!fw__router_has_memory(context)) {
    return;
  }
  context->memory_bytes += (size_t)astar->reached * sizeof(fw_mark_t) +
                           (size_t)astar->open.item_count * sizeof(fw_bucket_item_t) +
                           (size_t)astar->heap.peak * sizeof(fw_heap_item_t);
  if (astar->best < INT32_MAX) {
    trace(astar, context, context->trail);
  }
}

enum { PARAMETER_HEURISTIC, PARAMETER_PERCENT };  // `percent` is last: only `weighted` has it

static heuristic_t chosen_heuristic(const fw_router_context_t * context)
{
  return (heuristic_t)context->parameters[PARAMETER_HEURISTIC];
}

static void find_astar(fw_router_context_t * context) { find(context, VARIANT_ASTAR, chosen_heuristic(context)); }
static void find_dijkstra(fw_router_context_t * context) { find(context, VARIANT_DIJKSTRA, HEURISTIC_ZERO); }
static void find_greedy(fw_router_context_t * context) { find(context, VARIANT_GREEDY, chosen_heuristic(context)); }
static void find_weighted(fw_router_context_t * context)
{
  ((fw_astar_t *)context->state)->percent = (int32_t)context->parameters[PARAMETER_PERCENT];
  find(context, VARIANT_WEIGHTED, chosen_heuristic(context));
}

// ---- landmarks (ALT) ------------------------------------------------------------------------------------------------
//
// Goldberg and Harrelson 2005, for maps that do not change: the distances from a few far places to all others are kept.

enum { PARAMETER_COUNT };

// The place farthest from all landmarks so far; among places that no landmark reaches, the first.
static int32_t farthest(const fw_floor_t * floor, const int32_t * table, int32_t stride, int32_t count)
{
  int32_t best = -1;
  int32_t far = -1;
  for (int32_t place = 0; place < floor->place_count; ++place) {
    int32_t nearest = INT32_MAX;
    for (int32_t i = 0; i < count; ++i) {
      const int32_t distance = table[(size_t)place * (size_t)stride + (size_t)i];
      nearest = distance < nearest ? distance : nearest;
    }
    if (floor->cost[place] != 0 && nearest > far) {
      far = nearest;
      best = place;
    }
  }
  return best;
}

// The table of landmarks while it is filled.
typedef struct alt_t {
  fw_flood_t flood;
  int32_t * table;     // by place, `stride` distances each
  int32_t * distance;  // by place, of one flood
  int32_t stride;
} alt_t;

// Fills one column of the table from landmark `place`. Places that it does not reach get 0, as does their whole
// component: no difference, no bound.
static void fill_column(alt_t * alt, int32_t column, int32_t place)
{
  FW_ASSERT(alt->flood.floor->cost[place] != 0 && column < alt->stride);
  (void)fw__flood(&alt->flood, place, alt->distance);
  for (int32_t i = 0; i < alt->flood.floor->place_count; ++i) {
    const int32_t distance = alt->distance[i];
    alt->table[(size_t)i * (size_t)alt->stride + (size_t)column] = distance == FW_FLOOD_NONE ? 0 : distance;
  }
}

static void make_landmarks(fw_astar_t * astar, const fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  const int32_t stride = astar->landmark_count;
  const size_t places = (size_t)floor->place_count;
  alt_t alt = {
    .flood = {.floor = floor, .open = &astar->open},
    .table = fw__arena_allocate_zeroed(context->built, places * (size_t)stride, sizeof(*alt.table)),
    .distance = fw__arena_allocate(context->built, places, sizeof(*alt.distance)),
    .stride = stride,
  };
  if (alt.table == NULL || alt.distance == NULL) {
    return;
  }
  astar->landmarks = alt.table;
  // The first landmark is the place farthest from an arbitrary one; a map without free cells has none.
  int32_t place = farthest(floor, alt.table, stride, 0);
  if (place < 0) {
    return;
  }
  fill_column(&alt, 0, place);
  place = farthest(floor, alt.table, stride, 1);
  for (int32_t i = 0; i < stride; ++i) {
    fill_column(&alt, i, place);
    place = farthest(floor, alt.table, stride, i + 1);
  }
}

static fw_ret_t build_landmarks(fw_router_context_t * context, fw_error_t * error)
{
  fw_astar_t * astar = fw__astar_make(context->built, context->floor);
  if (astar == NULL) {
    return fw__error_memory(error);
  }
  astar->landmark_count = (int32_t)context->parameters[PARAMETER_COUNT];
  context->state = astar;
  make_landmarks(astar, context);
  return fw__router_build_result(context, error);
}

static void find_with_landmarks(fw_router_context_t * context) { find(context, VARIANT_ASTAR, HEURISTIC_LANDMARKS); }

// ---- definitions ----------------------------------------------------------------------------------------------------

static const char * const heuristic_names[] = {"octile", "zero", "manhattan", "euclidean", "true"};

// `astar` and `greedy` have the first one only.
static const fw_parameter_def_t parameters[] = {
  {.name = "heuristic",
   .type = FW_PARAMETER_CHOICE,
   .initial = HEURISTIC_OCTILE,
   .max = HEURISTIC_TRUE,
   .choices = heuristic_names,
   .help = "octile: the exact cost on open floor (Manhattan with 4 directions); zero; manhattan: inadmissible with "
           "diagonals; euclidean; true: exact distances from a search backwards from the goal"},
  {.name = "percent",
   .type = FW_PARAMETER_INTEGER,
   .initial = 120,
   .min = 100,
   .max = 10000,
   .help = "weight of the heuristic in percent; the path costs at most this percentage of the shortest"},
};

static const fw_parameter_def_t landmark_parameters[] = {
  {.name = "count",
   .type = FW_PARAMETER_INTEGER,
   .initial = 8,
   .min = 1,
   .max = 64,
   .help = "number of landmarks; each takes 4 bytes per cell"},
};

const fw_router_def_t fw__router_astar = {
  .name = "astar",
  .summary = "A*: expands cells in the order of cost so far plus heuristic",
  .paper = "Hart, Nilsson and Raphael, A Formal Basis for the Heuristic Determination of Minimum Cost Paths, 1968",
  .parameters = parameters,
  .parameter_count = PARAMETER_PERCENT,
  .is_optimal = true,
  .takes_terrain = true,
  .takes_one_way = true,
  .takes_hexagons = true,
  .build = build,
  .update = update,
  .find = find_astar,
};

const fw_router_def_t fw__router_dijkstra = {
  .name = "dijkstra",
  .summary = "Dijkstra's algorithm: expands cells in the order of cost, without a heuristic",
  .paper = "Dijkstra, A Note on Two Problems in Connexion with Graphs, 1959",
  .is_optimal = true,
  .takes_terrain = true,
  .takes_one_way = true,
  .takes_hexagons = true,
  .build = build,
  .update = update,
  .find = find_dijkstra,
};

const fw_router_def_t fw__router_greedy = {
  .name = "greedy",
  .summary = "greedy best-first search: expands cells in the order of the heuristic alone; fast, no bound on the cost",
  .paper = "Doran and Michie, Experiments with the Graph Traverser Program, 1966",
  .parameters = parameters,
  .parameter_count = PARAMETER_PERCENT,
  .takes_terrain = true,
  .takes_hexagons = true,
  .build = build,
  .update = update,
  .find = find_greedy,
};

const fw_router_def_t fw__router_weighted = {
  .name = "weighted",
  .summary = "weighted A*: a heuristic scaled by a factor, which also bounds the cost of the path",
  .paper = "Pohl, Heuristic Search Viewed as Path Finding in a Graph, 1970",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .takes_terrain = true,
  .takes_hexagons = true,
  .build = build,
  .update = update,
  .find = find_weighted,
};

const fw_router_def_t fw__router_landmarks = {
  .name = "landmarks",
  .summary = "A* with landmarks (ALT): the heuristic comes from precomputed distances to far cells",
  .paper = "Goldberg and Harrelson, Computing the Shortest Path: A* Search Meets Graph Theory, 2005",
  .parameters = landmark_parameters,
  .parameter_count = FW_PARAMETER_COUNT(landmark_parameters),
  .is_optimal = true,
  .takes_hexagons = true,
  .has_abstraction = true,
  .build = build_landmarks,
  .find = find_with_landmarks,
};
