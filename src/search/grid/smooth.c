// Smoothing: pieces of a path are searched again.

#include "search/grid/smooth.h"

#include <string.h>

void fw__smoother_init(fw_smoother_t * smoother, fw_arena_t * arena, const fw_floor_t * floor)
{
  *smoother = (fw_smoother_t){.astar = fw__astar_make(arena, floor), .smoothed = {.arena = arena}};
}

static int32_t piece_cost(const fw_floor_t * floor, const int32_t * places, int32_t count)
{
  int32_t cost = 0;
  for (int32_t i = 1; i < count; ++i) {
    const int32_t step = places[i] - places[i - 1];
    const bool is_straight = step == 1 || step == -1 || step == floor->stride || step == -floor->stride;
    cost += (is_straight || floor->degree == 6 ? floor->straight : floor->diagonal) * floor->cost[places[i]];
  }
  return cost;
}

// A piece of the trail, from index to index.
typedef struct piece_t {
  int32_t from;
  int32_t to;
  bool is_searched;  // for a cheaper path
} piece_t;

// Appends a piece of the trail, or the cheaper path in its place, to the smoothed trail. The cheaper path may have more
// cells, so it cannot be written in place.
static void add_piece(fw_smoother_t * smoother, fw_router_context_t * context, piece_t span)
{
  FW_ASSERT(span.from >= 0 && span.from <= span.to && span.to < context->trail->count);
  fw_trail_t * out = &smoother->smoothed;
  const fw_floor_t * floor = context->floor;
  const int32_t * piece = context->trail->places + span.from;
  int32_t count = span.to - span.from + 1;
  const int32_t cost = span.is_searched ? piece_cost(floor, piece, count) : 0;
  const fw_trail_t * better = NULL;
  if (span.is_searched && cost > fw__floor_estimate_between(floor, piece[0], piece[count - 1])) {
    const fw_astar_query_t query = {.from = piece[0], .to = piece[count - 1], .bound = cost};
    better = fw__astar_find(smoother->astar, context, query);
  }
  if (better != NULL) {
    piece = better->places;
    count = better->count;
  }
  int32_t * room = fw__trail_extend(out, count - 1);
  if (room != NULL) {
    memcpy(room, piece + 1, (size_t)(count - 1) * sizeof(*room));
  }
}

static void begin(fw_smoother_t * smoother, const fw_router_context_t * context)
{
  smoother->smoothed.count = 0;
  fw__trail_add(&smoother->smoothed, context->trail->places[0]);
}

static void copy_back(const fw_smoother_t * smoother, fw_router_context_t * context)
{
  fw_trail_t * trail = context->trail;
  trail->count = 0;
  int32_t * room = fw__trail_extend(trail, smoother->smoothed.count);
  if (room != NULL) {
    memcpy(room, smoother->smoothed.places, (size_t)smoother->smoothed.count * sizeof(*room));
  }
  trail->has_failed = trail->has_failed || smoother->smoothed.has_failed;
}

void fw__smooth(fw_smoother_t * smoother, fw_router_context_t * context, int32_t window)
{
  const fw_trail_t * trail = context->trail;
  if (window < 2 || trail->count < 3 || trail->has_failed) {
    return;
  }
  begin(smoother, context);
  for (int32_t from = 0, size = window / 2; from < trail->count - 1; from += size, size = window) {
    const int32_t to = from + size < trail->count ? from + size : trail->count - 1;
    add_piece(smoother, context, (piece_t){.from = from, .to = to, .is_searched = true});
  }
  copy_back(smoother, context);
}

void fw__smooth_at(fw_smoother_t * smoother, fw_router_context_t * context, const fw_trail_t * joints, int32_t window)
{
  const fw_trail_t * trail = context->trail;
  const int32_t last = trail->count - 1;
  if (window < 2 || trail->count < 3 || trail->has_failed) {
    return;
  }
  begin(smoother, context);
  int32_t done = 0;
  for (int32_t i = 0; i < joints->count; ++i) {
    FW_ASSERT(i == 0 || joints->places[i - 1] <= joints->places[i]);
    const int32_t from = joints->places[i] - window / 2 > done ? joints->places[i] - window / 2 : done;
    const int32_t to = joints->places[i] + window / 2 < last ? joints->places[i] + window / 2 : last;
    if (to > from) {
      add_piece(smoother, context, (piece_t){.from = done, .to = from});
      add_piece(smoother, context, (piece_t){.from = from, .to = to, .is_searched = true});
      done = to;
    }
  }
  add_piece(smoother, context, (piece_t){.from = done, .to = last});
  copy_back(smoother, context);
}
