// IDA*: iterative deepening, depth-first searches with a rising bound on f, in memory that the caller limits (Korf
// 1985). The same without a heuristic is depth-first iterative deepening.
//
// Grids have very many paths to each cell. A transposition table of fixed size remembers at what cost a place was last
// entered, which cuts most of them off (Reinefeld and Marsland 1994); places that share a slot replace each other. What
// an iteration has found out the next ones keep: a place is not entered at a higher cost than in any iteration of this
// query. The cheaper path to it will be followed again, since each place of that path is entered again at the cost that
// the table has for it, or a lower one: the first of them is the start. So an iteration enters a place once, and again
// only when it is the first to find a cheaper path to it.
//
// Where costs are finer than moves, the bound rises by at least one straight move, and an iteration that has found a
// path goes on to look for cheaper ones, so that the result is still optimal.

#include <string.h>

#include "search/router.h"

typedef struct slot_t {
  int32_t place;
  int32_t g;
  int32_t iteration;
} slot_t;

typedef struct ida_t {
  slot_t * slots;
  uint32_t slot_count;      // a power of two, or 0
  int32_t iteration;        // counts on from query to query
  int32_t first_iteration;  // of this query
  bool is_blind;            // without a heuristic
  // The stack, the path from the start to here: the direction of each move, and at each place the moves not yet tried.
  uint8_t * directions;
  uint8_t * untried;
  int32_t capacity;
  int32_t depth;
  int32_t deepest;
  uint8_t * best;  // directions of the cheapest path so far
  int32_t best_capacity;
  int32_t best_depth;
  int32_t limit;  // on f
  int32_t above;  // the least f that the limit has cut off
} ida_t;

enum { PARAMETER_TABLE_KB };

static fw_ret_t build(fw_router_context_t * context, bool is_blind, fw_error_t * error)
{
  ida_t * ida = fw__arena_allocate_zeroed(context->built, 1, sizeof(*ida));
  if (ida == NULL) {
    return fw__error_memory(error);
  }
  ida->is_blind = is_blind;
  const uint64_t room = (uint64_t)context->parameters[PARAMETER_TABLE_KB] * 1024 / sizeof(slot_t);
  ida->slot_count = room > 0 ? 1 : 0;
  while (ida->slot_count > 0 && ida->slot_count * UINT64_C(2) <= room) {
    ida->slot_count *= 2;
  }
  ida->slots = fw__arena_allocate_zeroed(context->built, ida->slot_count, sizeof(*ida->slots));
  FW_ASSERT((ida->slot_count & (ida->slot_count - 1)) == 0);
  context->state = ida;
  return fw__router_build_result(context, error);
}

static fw_ret_t build_ida(fw_router_context_t * context, fw_error_t * error) { return build(context, false, error); }

static fw_ret_t build_deepening(fw_router_context_t * context, fw_error_t * error)
{
  return build(context, true, error);
}

static int32_t estimate(const ida_t * ida, const fw_router_context_t * context, int32_t place)
{
  return ida->is_blind ? 0 : fw__floor_estimate_between(context->floor, place, context->goal);
}

// Whether this place has been entered in this query at a lower cost, or in this iteration at the same; if not, the
// table notes it.
static bool was_entered(ida_t * ida, int32_t place, int32_t g)
{
  if (ida->slot_count == 0) {
    return false;
  }
  slot_t * slot = &ida->slots[((uint32_t)place * UINT32_C(2654435769)) >> 7 & (ida->slot_count - 1)];
  if (
    slot->place == place && slot->iteration >= ida->first_iteration &&
    (slot->g < g || (slot->g == g && slot->iteration == ida->iteration))) {
    return true;
  }
  *slot = (slot_t){.place = place, .g = g, .iteration = ida->iteration};
  return false;
}

// Room for one more move on both stacks.
static bool reserve(ida_t * ida, fw_arena_t * arena)
{
  if (ida->depth + 1 < ida->capacity) {
    return true;
  }
  const size_t used = (size_t)ida->capacity;
  int32_t capacity = ida->capacity;
  uint8_t * directions = fw__arena_grow(arena, ida->directions, 1, &capacity);
  capacity = ida->capacity;
  uint8_t * untried = fw__arena_grow(arena, ida->untried, 1, &capacity);
  if (directions == NULL || untried == NULL) {
    return false;
  }
  fw__arena_recycle(arena, ida->directions, used, 1);
  fw__arena_recycle(arena, ida->untried, used, 1);
  ida->directions = directions;
  ida->untried = untried;
  ida->capacity = capacity;
  return true;
}

static void keep_best(ida_t * ida, fw_arena_t * arena)
{
  while (ida->best_capacity < ida->depth) {
    uint8_t * best = fw__arena_grow(arena, NULL, 1, &ida->best_capacity);
    if (best == NULL) {
      return;
    }
    ida->best = best;
  }
  memcpy(ida->best, ida->directions, (size_t)ida->depth);
  ida->best_depth = ida->depth;
}

// A move that the search tries.
typedef struct try_t {
  int32_t to;
  int32_t direction;
  int32_t g;
} try_t;

// Makes the move if the limit and the table allow it: the place becomes the top of the stack. False to stop.
static bool enter(ida_t * ida, fw_router_context_t * context, try_t move)
{
  const int32_t to = move.to;
  const int32_t g = move.g;
  const int32_t f = g + estimate(ida, context, to);
  if (f > ida->limit) {
    ida->above = f < ida->above ? f : ida->above;
    return true;
  }
  if (was_entered(ida, to, g)) {
    return true;
  }
  if (!reserve(ida, context->built)) {
    return false;
  }
  FW_ASSERT(ida->depth + 1 < ida->capacity);
  ida->directions[ida->depth++] = (uint8_t)move.direction;
  if (to == context->goal) {
    keep_best(ida, context->built);
    ida->limit = g - 1;
    ida->untried[ida->depth] = 0;
    return !fw__arena_has_failed(context->built);
  }
  ida->untried[ida->depth] = context->floor->moves[to] & (uint8_t) ~(1 << context->floor->opposite[move.direction]);
  ida->deepest = ida->depth > ida->deepest ? ida->depth : ida->deepest;
  return !fw__router_count(context, to);
}

// One depth-first search up to the limit. False if it was stopped.
static bool search(ida_t * ida, fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  int32_t at = context->start;
  int32_t g = 0;
  ida->depth = 0;
  if (!reserve(ida, context->built)) {
    return false;
  }
  ida->untried[0] = floor->moves[at];
  (void)was_entered(ida, at, 0);
  for (;;) {
    if (ida->untried[ida->depth] == 0) {
      if (ida->depth == 0) {
        return true;
      }
      const int32_t direction = ida->directions[--ida->depth];
      g -= fw__floor_step_cost(floor, at, direction);
      at = fw__floor_next(floor, at, floor->opposite[direction]);
      continue;
    }
    const int32_t direction = __builtin_ctz(ida->untried[ida->depth]);
    ida->untried[ida->depth] &= (uint8_t)(ida->untried[ida->depth] - 1);
    const int32_t to = fw__floor_next(floor, at, direction);
    const int32_t next = g + fw__floor_step_cost(floor, to, direction);
    const int32_t depth = ida->depth;
    if (!enter(ida, context, (try_t){.to = to, .direction = direction, .g = next})) {
      return false;
    }
    if (ida->depth > depth) {
      at = to;
      g = next;
    }
  }
}

static void find(fw_router_context_t * context)
{
  ida_t * ida = context->state;
  const fw_floor_t * floor = context->floor;
  ida->best_depth = -1;
  ida->deepest = 0;
  ida->limit = estimate(ida, context, context->start);
  if (ida->iteration > INT32_MAX / 2) {  // a query has far fewer iterations than that
    memset(ida->slots, 0, ida->slot_count * sizeof(*ida->slots));
    ida->iteration = 0;
  }
  ida->first_iteration = ida->iteration + 1;
  for (bool is_done = false; !is_done;) {
    ida->above = INT32_MAX;
    ++ida->iteration;
    const int32_t limit = ida->limit;
    is_done = !search(ida, context) || ida->best_depth >= 0 || ida->above == INT32_MAX;
    ida->limit = ida->above < limit + floor->straight ? limit + floor->straight : ida->above;
  }
  context->memory_bytes = ida->slot_count * sizeof(*ida->slots) + 3 * (size_t)ida->deepest;
  if (fw__router_has_memory(context) && ida->best_depth >= 0 && context->meter->stop == FW_STOP_DONE) {
    int32_t at = context->start;
    fw__trail_add(context->trail, at);
    for (int32_t i = 0; i < ida->best_depth; ++i) {
      at = fw__floor_next(floor, at, ida->best[i]);
      fw__trail_add(context->trail, at);
    }
  }
}

static const fw_parameter_def_t parameters[] = {
  {.name = "table_kb",
   .type = FW_PARAMETER_INTEGER,
   .initial = 256,
   .min = 0,
   .max = 1 << 20,
   .help = "size of the transposition table in kilobytes; without one (0) it does not finish on open floor"},
};

const fw_router_def_t fw__router_ida = {
  .name = "ida",
  .summary = "IDA*: iterative deepening in bounded memory, with a transposition table",
  .paper = "Korf, Depth-First Iterative-Deepening, 1985; Reinefeld and Marsland, 1994",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .is_optimal = true,
  .takes_terrain = true,
  .takes_hexagons = true,
  .build = build_ida,
  .update = fw__router_update_nothing,
  .find = find,
};

const fw_router_def_t fw__router_deepening = {
  .name = "deepening",
  .summary = "depth-first iterative deepening: no heuristic, bounded memory, with a transposition table",
  .paper = "Korf, Depth-First Iterative-Deepening, 1985; Reinefeld and Marsland, 1994",
  .parameters = parameters,
  .parameter_count = FW_PARAMETER_COUNT(parameters),
  .is_optimal = true,
  .takes_terrain = true,
  .takes_hexagons = true,
  .build = build_deepening,
  .update = fw__router_update_nothing,
  .find = find,
};
