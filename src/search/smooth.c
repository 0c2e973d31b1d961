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

// One pass in pieces, the first of them `first` long. What costs less may have more cells, so that it is written elsewhere
// and copied back.
static void pass(astar_t * astar, fw_router_context_t * context, int32_t first, int32_t window)
{
  fw_trail_t * trail = context->trail;
  fw_trail_t * out = &astar->smoothed;
  const fw_floor_t * floor = context->floor;
  out->count = 0;
  fw_trail_add(out, trail->places[0]);
  for (int32_t from = 0, size = first; from < trail->count - 1; from += size, size = window) {
    const int32_t to = from + size < trail->count ? from + size : trail->count - 1;
    const int32_t * piece = trail->places + from;
    int32_t count = to - from + 1;
    const int32_t cost = piece_cost(floor, piece, count);
    if (
      cost > fw_floor_estimate_between(floor, piece[0], piece[count - 1]) &&
      fw__astar_better(astar, context, piece[0], piece[count - 1], cost)) {
      piece = astar->way.places;
      count = astar->way.count;
    }
    for (int32_t i = 1; i < count; ++i) {
      fw_trail_add(out, piece[i]);
    }
  }
  trail->count = 0;
  for (int32_t i = 0; i < out->count; ++i) {
    fw_trail_add(trail, out->places[i]);
  }
  trail->has_failed = trail->has_failed || out->has_failed;
}

void fw_smooth(astar_t * astar, fw_router_context_t * context, int32_t window)
{
  if (window < 2 || context->trail->count < 3 || context->trail->has_failed) {
    return;
  }
  pass(astar, context, window / 2, window);
}
