// Smoothing: pieces of a way searched again.

#include "search/smooth.h"

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

// A piece of the trail, from number to number, as it is or better, added to what is written elsewhere: what costs less may
// have more cells.
static void add_piece(astar_t * astar, fw_router_context_t * context, int32_t from, int32_t to, bool is_searched)
{
  fw_trail_t * out = &astar->smoothed;
  const fw_floor_t * floor = context->floor;
  const int32_t * piece = context->trail->places + from;
  int32_t count = to - from + 1;
  const int32_t cost = is_searched ? piece_cost(floor, piece, count) : 0;
  if (
    is_searched && cost > fw__floor_estimate_between(floor, piece[0], piece[count - 1]) &&
    fw__astar_better(astar, context, piece[0], piece[count - 1], cost)) {
    piece = astar->way.places;
    count = astar->way.count;
  }
  int32_t * room = fw__trail_extend(out, count - 1);
  if (room != NULL) {
    memcpy(room, piece + 1, (size_t)(count - 1) * sizeof(*room));
  }
}

static void begin(astar_t * astar, const fw_router_context_t * context)
{
  astar->smoothed.count = 0;
  fw__trail_add(&astar->smoothed, context->trail->places[0]);
}

static void copy_back(const astar_t * astar, fw_router_context_t * context)
{
  fw_trail_t * trail = context->trail;
  trail->count = 0;
  int32_t * room = fw__trail_extend(trail, astar->smoothed.count);
  if (room != NULL) {
    memcpy(room, astar->smoothed.places, (size_t)astar->smoothed.count * sizeof(*room));
  }
  trail->has_failed = trail->has_failed || astar->smoothed.has_failed;
}

void fw__smooth(astar_t * astar, fw_router_context_t * context, int32_t window)
{
  const fw_trail_t * trail = context->trail;
  if (window < 2 || trail->count < 3 || trail->has_failed) {
    return;
  }
  begin(astar, context);
  for (int32_t from = 0, size = window / 2; from < trail->count - 1; from += size, size = window) {
    add_piece(astar, context, from, from + size < trail->count ? from + size : trail->count - 1, true);
  }
  copy_back(astar, context);
}

void fw__smooth_at(astar_t * astar, fw_router_context_t * context, const fw_trail_t * joints, int32_t window)
{
  const fw_trail_t * trail = context->trail;
  const int32_t last = trail->count - 1;
  if (window < 2 || trail->count < 3 || trail->has_failed) {
    return;
  }
  begin(astar, context);
  int32_t done = 0;
  for (int32_t i = 0; i < joints->count; ++i) {
    const int32_t from = joints->places[i] - window / 2 > done ? joints->places[i] - window / 2 : done;
    const int32_t to = joints->places[i] + window / 2 < last ? joints->places[i] + window / 2 : last;
    if (to > from) {
      add_piece(astar, context, done, from, false);
      add_piece(astar, context, from, to, true);
      done = to;
    }
  }
  add_piece(astar, context, done, last, false);
  copy_back(astar, context);
}
