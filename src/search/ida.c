// IDA*: depth-first searches up to a limit that rises, in memory that the caller bounds (Korf 1985).
//
// Grids have very many ways of equal length to each cell. A table of fixed size remembers at what cost a place was last
// entered in this round, so that most of them are cut off (Reinefeld and Marsland 1994); places share its slots and drive
// each other out. Where costs are finer than moves, the limit rises by at least one move, and a round that has found a
// way goes on to look for better ones, so that the answer is still the best.

#include <string.h>

#include "base/error.h"
#include "search/router.h"

typedef struct slot_t {
  int32_t place;
  int32_t g;
  int32_t round;
} slot_t;

typedef struct ida_t {
  slot_t * slots;
  uint32_t slot_count;  // a power of two, or 0
  int32_t round;        // counts on from question to question
  // The way from the start to here: the direction of each move, and at each place the moves not yet tried.
  uint8_t * directions;
  uint8_t * untried;
  int32_t capacity;
  int32_t depth;
  int32_t deepest;
  uint8_t * best;  // directions of the best way so far
  int32_t best_capacity;
  int32_t best_depth;
  int32_t limit;
  int32_t above;  // the least cost that the limit cut off
} ida_t;

enum { PARAMETER_TABLE_KB };

static fw_ret_t build(fw_router_context_t * context, fw_error_t * error)
{
  ida_t * ida = fw__arena_allocate_zeroed(context->built, 1, sizeof(*ida));
  if (ida == NULL) {
    return fw__error_memory(error);
  }
  const uint64_t room = (uint64_t)context->parameters[PARAMETER_TABLE_KB] * 1024 / sizeof(slot_t);
  ida->slot_count = room > 0 ? 1 : 0;
  while (ida->slot_count > 0 && ida->slot_count * UINT64_C(2) <= room) {
    ida->slot_count *= 2;
  }
  ida->slots = fw__arena_allocate_zeroed(context->built, ida->slot_count, sizeof(*ida->slots));
  context->state = ida;
  return ida->slots == NULL ? fw__error_memory(error) : FW_RET_OK;
}

static fw_ret_t update(fw_router_context_t * context, const fw_cell_t * cells, int32_t count, fw_error_t * error)
{
  (void)context;
  (void)cells;
  (void)count;
  (void)error;
  return FW_RET_OK;
}

// Whether this place has been entered in this round at no higher cost; if not, it is noted.
static bool was_entered(ida_t * ida, int32_t place, int32_t g)
{
  if (ida->slot_count == 0) {
    return false;
  }
  slot_t * slot = &ida->slots[((uint32_t)place * UINT32_C(2654435769)) >> 7 & (ida->slot_count - 1)];
  if (slot->place == place && slot->round == ida->round && slot->g <= g) {
    return true;
  }
  *slot = (slot_t){.place = place, .g = g, .round = ida->round};
  return false;
}

// Two stacks of bytes of one capacity.
static bool reserve(ida_t * ida, fw_arena_t * arena)
{
  if (ida->depth + 1 < ida->capacity) {
    return true;
  }
  const size_t used = (size_t)ida->capacity;
  int32_t capacity = ida->capacity;
  uint8_t * directions = fw__arena_grow(arena, ida->directions, used, 1, &capacity);
  capacity = ida->capacity;
  uint8_t * untried = fw__arena_grow(arena, ida->untried, used, 1, &capacity);
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

static bool keep_best(ida_t * ida, fw_arena_t * arena)
{
  while (ida->best_capacity < ida->depth) {
    uint8_t * best = fw__arena_grow(arena, NULL, 0, 1, &ida->best_capacity);
    if (best == NULL) {
      return false;
    }
    ida->best = best;
  }
  memcpy(ida->best, ida->directions, (size_t)ida->depth);
  ida->best_depth = ida->depth;
  return true;
}

typedef enum step_t { STEP_GO_ON, STEP_STOP } step_t;

// Enters `to` by `direction` if the limit and the table let it; the place becomes the top of the stack.
static step_t enter(ida_t * ida, fw_router_context_t * context, int32_t to, int32_t direction, int32_t g)
{
  const int32_t f = g + fw__floor_estimate_between(context->floor, to, context->goal);
  if (f > ida->limit) {
    ida->above = f < ida->above ? f : ida->above;
    return STEP_GO_ON;
  }
  if (was_entered(ida, to, g)) {
    return STEP_GO_ON;
  }
  if (!reserve(ida, context->built)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return STEP_STOP;
  }
  ida->directions[ida->depth++] = (uint8_t)direction;
  if (to == context->goal) {
    const bool is_kept = keep_best(ida, context->built);
    ida->limit = g - 1;
    ida->untried[ida->depth] = 0;
    return is_kept ? STEP_GO_ON : STEP_STOP;
  }
  ida->untried[ida->depth] = context->floor->moves[to] & (uint8_t) ~(1 << context->floor->opposite[direction]);
  ida->deepest = ida->depth > ida->deepest ? ida->depth : ida->deepest;
  return fw__router_count(context, to) ? STEP_STOP : STEP_GO_ON;
}

// One depth-first search up to the limit. False if it was stopped.
static bool search(ida_t * ida, fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  int32_t at = context->start;
  int32_t g = 0;
  ida->depth = 0;
  if (!reserve(ida, context->built)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
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
    if (enter(ida, context, to, direction, next) == STEP_STOP) {
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
  ida->limit = fw__floor_estimate_between(floor, context->start, context->goal);
  for (bool is_done = false; !is_done;) {
    ida->above = INT32_MAX;
    if (++ida->round == INT32_MAX) {
      memset(ida->slots, 0, ida->slot_count * sizeof(*ida->slots));
      ida->round = 1;
    }
    const int32_t limit = ida->limit;
    is_done = !search(ida, context) || ida->best_depth >= 0 || ida->above == INT32_MAX;
    ida->limit = ida->above < limit + floor->straight ? limit + floor->straight : ida->above;
  }
  context->memory_bytes = ida->slot_count * sizeof(*ida->slots) + 3 * (size_t)ida->deepest;
  if (ida->best_depth >= 0 && context->meter->stop == FW_STOP_DONE) {
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
   .help = "kilobytes for places already entered; 0 is plain IDA*, which on open floor takes for ever"},
};

const fw_router_def_t fw_router_ida = {
  .name = "ida",
  .summary = "IDA*: deeper and deeper searches in bounded memory",
  .paper = "Korf, Depth-First Iterative-Deepening, 1985; Reinefeld and Marsland, 1994",
  .parameters = parameters,
  .parameter_count = 1,
  .is_optimal = true,
  .takes_terrain = true,
  .takes_hexagons = true,
  .build = build,
  .update = update,
  .find = find,
};
