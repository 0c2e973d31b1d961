// A* over the cells of the floor, and what it becomes with other weights: Dijkstra's search, greedy and weighted search.
//
// The open list is a queue of buckets. A bucket may hold costs that differ by less than a quarter of a move and gives
// them back last in, first out; a place that is reached again more cheaply is opened again. The search ends when the
// goal's cost is no more than the lowest bucket's least cost: then nothing that is open can better it (Hart, Nilsson and
// Raphael 1968, lemma 1, with the true minimum replaced by that bound).

#include "search/astar.h"

#include "base/error.h"
#include "search/flood.h"
#include "world/body.h"

astar_t * fw__astar_make(fw_arena_t * arena, const fw_floor_t * floor)
{
  astar_t * astar = fw__arena_allocate_zeroed(arena, 1, sizeof(*astar));
  if (astar == NULL || !fw__marks_init(&astar->marks, arena, floor->place_count)) {
    return NULL;
  }
  fw__bucket_queue_init(&astar->open, arena);
  fw__heap_init(&astar->heap, arena);
  astar->way.arena = astar->smoothed.arena = arena;
  astar->shift = fw__floor_key_shift(floor);
  astar->truth_goal = -1;
  return astar;
}

fw_ret_t fw__astar_build(fw_router_context_t * context, fw_error_t * error)
{
  context->state = fw__astar_make(context->built, context->floor);
  return context->state == NULL ? fw__error_memory(error) : FW_RET_OK;
}

// The floor has been mended already.
fw_ret_t fw__astar_update(fw_router_context_t * context, const fw_cell_t * cells, int32_t count, fw_error_t * error)
{
  (void)cells;
  (void)count;
  (void)error;
  ((astar_t *)context->state)->truth_goal = -1;
  return FW_RET_OK;
}

// ---- the search -----------------------------------------------------------------------------------------------------

static inline int64_t key_of(const astar_t * astar, int32_t g, int32_t h)
{
  return astar->flavour == FLAVOUR_DIJKSTRA ? g : (astar->flavour == FLAVOUR_GREEDY ? h : g + h);
}

// One expansion. `is_plain`: A* with the metric's estimate on square tiles of cost 1, the case that has to be fast.
static inline bool expand(
  astar_t * astar, const fw_router_context_t * context, const fw_mark_t * from, int32_t at, const bool is_plain)
{
  const fw_floor_t * floor = context->floor;
  const int32_t g = from->g;
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
    if (!is_new && (mark->g <= next || (!is_plain && astar->flavour == FLAVOUR_GREEDY))) {
      continue;
    }
    astar->reached += is_new;
    *mark = (fw_mark_t){.g = next, .tag = tag + (uint32_t)d};
    if (to == context->goal) {
      astar->best = next;
      continue;
    }
    const int64_t key = is_plain ? next + fw__floor_estimate(floor, dx + fw_directions[d].dx, dy + fw_directions[d].dy)
                                 : key_of(astar, next, fw__astar_estimate(astar, context, to));
    if (key < astar->best || (!is_plain && astar->flavour == FLAVOUR_GREEDY)) {
      if (!fw__bucket_queue_push(&astar->open, key >> astar->shift, to, next)) {
        return false;
      }
    }
  }
  return true;
}

static inline bool search(astar_t * astar, fw_router_context_t * context, const bool is_plain)
{
  int32_t at, g;
  int64_t key;
  while (fw__bucket_queue_pop(&astar->open, &at, &g, &key)) {
    if (
      astar->best <= key << astar->shift ||
      (!is_plain && astar->flavour == FLAVOUR_GREEDY && astar->best < INT32_MAX)) {
      return true;
    }
    const fw_mark_t * mark = &astar->marks.marks[at];
    if (mark->g != g) {
      continue;  // pushed again at a lower cost
    }
    if (fw__router_count(context, at)) {
      return true;
    }
    if (!expand(astar, context, mark, at, is_plain)) {
      return false;
    }
  }
  return true;
}

static void trace(const astar_t * astar, fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  fw__trail_add(context->trail, context->goal);
  for (int32_t at = context->goal; at != context->start && !context->trail->has_failed;) {
    at = fw__floor_next(floor, at, floor->opposite[fw__marks_note(&astar->marks, at) % NOTE_CLOSED]);
    fw__trail_add(context->trail, at);
  }
  fw__trail_reverse(context->trail, 0);
}

// False when there is no memory.
static bool run(astar_t * astar, fw_router_context_t * context)
{
  const fw_floor_t * floor = context->floor;
  fw__marks_begin(&astar->marks);
  fw__bucket_queue_clear(&astar->open);
  fw__heap_clear(&astar->heap);
  fw__marks_set(&astar->marks, context->start, 0, 0);
  if (astar->flavour == FLAVOUR_WEIGHTED) {
    return fw__heap_push(&astar->heap, 0, 0, context->start) && fw__astar_search_weighted(astar, context);
  }
  const int64_t key = key_of(astar, 0, fw__astar_estimate(astar, context, context->start));
  if (!fw__bucket_queue_push(&astar->open, key >> astar->shift, context->start, 0)) {
    return false;
  }
  const bool is_plain =
    astar->flavour == FLAVOUR_ASTAR && astar->estimate == ESTIMATE_METRIC && floor->is_uniform && floor->degree != 6;
  return is_plain ? search(astar, context, true) : search(astar, context, false);
}

static void aim(astar_t * astar, const fw_router_context_t * context, flavour_t flavour, estimate_t estimate)
{
  astar->flavour = flavour;
  astar->estimate = estimate;
  astar->goal_x = fw__floor_x(context->floor, context->goal);
  astar->goal_y = fw__floor_y(context->floor, context->goal);
  astar->best = INT32_MAX;
  astar->reached = 1;
}

void fw__astar_ask(fw_router_context_t * context, flavour_t flavour, estimate_t estimate, int32_t percent)
{
  astar_t * astar = context->state;
  aim(astar, context, flavour, estimate);
  astar->percent = percent;
  if (estimate == ESTIMATE_TRUE) {
    if (!fw__astar_know_truth(astar, context)) {
      fw__meter_stop(context->meter, FW_STOP_MEMORY);
      return;
    }
    if (astar->truth[context->start] == FW_FLOOD_NONE) {
      return;
    }
  }
  if (!run(astar, context)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
    return;
  }
  context->memory_bytes += (size_t)astar->reached * sizeof(fw_mark_t) +
                           (size_t)astar->open.item_count * sizeof(fw_bucket_item_t) +
                           (size_t)astar->heap.peak * sizeof(fw_heap_item_t);
  if (astar->best < INT32_MAX) {
    trace(astar, context);
  }
}

bool fw__astar_better(astar_t * astar, fw_router_context_t * context, int32_t from, int32_t to, int32_t bound)
{
  const int32_t ends[2] = {context->start, context->goal};
  fw_trail_t * trail = context->trail;
  context->start = from;
  context->goal = to;
  aim(astar, context, FLAVOUR_ASTAR, ESTIMATE_METRIC);
  astar->best = bound;
  astar->way.count = 0;
  const bool is_fine = run(astar, context);
  const bool is_better = is_fine && astar->best < bound && context->meter->stop == FW_STOP_DONE;
  if (is_better) {
    context->trail = &astar->way;
    trace(astar, context);
    context->trail = trail;
  }
  if (!is_fine || astar->way.has_failed) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
  }
  context->start = ends[0];
  context->goal = ends[1];
  return is_better && !astar->way.has_failed;
}
