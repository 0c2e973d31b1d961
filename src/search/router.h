// What a search is handed, and the list of searches.
//
// A search has one definition (fw_router_def_t). `build` makes its state in the arena `built`, which is emptied before;
// `find` reads start and goal, appends the places of the way to the trail, both ends included, and counts. An empty
// trail is "no way" unless the meter has stopped or the arena has failed.

#ifndef SEARCH__ROUTER_H_
#define SEARCH__ROUTER_H_

#include "base/meter.h"
#include "search/floor.h"

// Places of a way, one after the other.
typedef struct fw_trail_t {
  fw_arena_t * arena;
  int32_t * places;
  int32_t count;
  int32_t capacity;
  bool has_failed;  // no memory
} fw_trail_t;

// Room for `count` more places, to be filled by the caller; NULL when there is no memory.
int32_t * fw__trail_grow(fw_trail_t * trail, int32_t count);
static inline int32_t * fw__trail_extend(fw_trail_t * trail, int32_t count)
{
  if (count > trail->capacity - trail->count) {
    return fw__trail_grow(trail, count);
  }
  trail->count += count;
  return trail->places + trail->count - count;
}

static inline void fw__trail_add(fw_trail_t * trail, int32_t place)
{
  int32_t * room = fw__trail_extend(trail, 1);
  if (room != NULL) {
    *room = place;
  }
}

// Turns round what was added from `first` on: searches find the way from its end.
static inline void fw__trail_reverse(fw_trail_t * trail, int32_t first)
{
  for (int32_t i = first, j = trail->count - 1; i < j; ++i, --j) {
    const int32_t place = trail->places[i];
    trail->places[i] = trail->places[j];
    trail->places[j] = place;
  }
}

typedef struct fw_router_context_t {
  fw_arena_t * built;
  const fw_floor_t * floor;
  const int64_t * parameters;  // in the order of the table
  void * state;                // the search's own, made by build
  // Told by build and update.
  int32_t node_count;
  int64_t edge_count;
  int32_t rebuilt;
  // One question.
  fw_meter_t * meter;
  fw_trail_t * trail;
  fw_trail_t * touched;  // places that were expanded, in their order; NULL if nobody asks for them
  int32_t start;         // places where the robot fits
  int32_t goal;
  int64_t expanded;
  size_t memory_bytes;
} fw_router_context_t;

// An expansion at a place. The meter is asked in strides, so that it costs next to nothing. True to stop.
static inline bool fw__router_count(fw_router_context_t * context, int32_t place)
{
  ++context->expanded;
  if (context->touched != NULL) {
    fw__trail_add(context->touched, place);
  }
  return context->expanded % FW_METER_STRIDE == 0 && fw__meter_add(context->meter, FW_METER_STRIDE);
}

extern const fw_router_def_t fw_router_astar;
extern const fw_router_def_t fw_router_dijkstra;
extern const fw_router_def_t fw_router_greedy;
extern const fw_router_def_t fw_router_weighted;
extern const fw_router_def_t fw_router_ida;
extern const fw_router_def_t fw_router_bank;
extern const fw_router_def_t fw_router_bidirectional;
extern const fw_router_def_t fw_router_jps;
extern const fw_router_def_t fw_router_hpa;
extern const fw_router_def_t fw_router_landmarks;
extern const fw_router_def_t fw_router_quadtree;
extern const fw_router_def_t fw_router_navmesh;
extern const fw_router_def_t fw_router_visibility;
extern const fw_router_def_t fw_router_waypoints;
extern const fw_router_def_t fw_router_corridors;

#endif  // SEARCH__ROUTER_H_
