// Smoothing: pieces of a path are searched again with A*, each for a path that costs less than the piece.
//
// Abstractions (clusters, polygons, roadmaps) lead along detours that are visible within a few cells; a short search
// over cells removes most of them for a small part of the work of a search over the whole map.

#ifndef SEARCH__GRID__SMOOTH_H_
#define SEARCH__GRID__SMOOTH_H_

#include "search/grid/astar.h"

// The parameter of the routers that smooth their paths: the window of fw__smooth. An entry of a parameter table.
#define FW_SMOOTHING_PARAMETER                                                                                    \
  {                                                                                                               \
    .name = "smoothing", .type = FW_PARAMETER_INTEGER, .initial = 0, .min = 0, .max = 100000,                     \
    .help = "window in cells: pieces of this length are searched again for a cheaper path; 0 turns smoothing off" \
  }

typedef struct fw_smoother_t {
  fw_astar_t * astar;
  fw_trail_t smoothed;
} fw_smoother_t;

// `smoother->astar` is NULL when there is no memory, and the arena has failed.
void fw__smoother_init(fw_smoother_t * smoother, fw_arena_t * arena, const fw_floor_t * floor);

// Smooths the context's trail in pieces of `window` cells, the first one of half that. A piece that costs no more than
// on open floor is left as it is. With a window below 2 nothing is done.
void fw__smooth(fw_smoother_t * smoother, fw_router_context_t * context, int32_t window);

// Smooths only around `joints`, where the path may be worse than necessary: half a window before and behind each.
// Joints are indices of places in the trail, in rising order.
void fw__smooth_at(fw_smoother_t * smoother, fw_router_context_t * context, const fw_trail_t * joints, int32_t window);

#endif  // SEARCH__GRID__SMOOTH_H_
