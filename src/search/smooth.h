// Smoothing: pieces of a way searched again, each for a way that is better than the piece.

#ifndef SEARCH__SMOOTH_H_
#define SEARCH__SMOOTH_H_

#include "search/astar.h"

// Over the context's trail in pieces of `window` cells, the first one of half that. A piece that costs no more than it would
// on open floor is left alone. Below 2 nothing is done.
void fw__smooth(astar_t * astar, fw_router_context_t * context, int32_t window);

// The same only around `joints`, numbers of places of the trail, rising, where the way may be worse than it has to be: half a
// window before and behind each.
void fw__smooth_at(astar_t * astar, fw_router_context_t * context, const fw_trail_t * joints, int32_t window);

#endif  // SEARCH__SMOOTH_H_
