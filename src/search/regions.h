// Rectangles of free floor and the openings between them: what quadtree and navmesh search.
//
// Within a rectangle every straight line is free, so that a way is a list of rectangles and of cells where it passes from
// one to the next.

#ifndef SEARCH__REGIONS_H_
#define SEARCH__REGIONS_H_

#include "search/astar.h"

typedef struct fw_region_t {
  int32_t left;  // cells, all included
  int32_t top;
  int32_t right;
  int32_t bottom;
  int32_t first_opening;
  int32_t opening_count;
} fw_region_t;

// Cells along one side of a region beside which another region lies.
typedef struct fw_opening_t {
  int32_t to;         // region
  int32_t direction;  // straight, out of the region
  int32_t from;       // first and last coordinate along the side, in the region's own cells
  int32_t until;
} fw_opening_t;

// One step of a way: through an opening into a region.
typedef struct fw_passage_t {
  int32_t region;
  int32_t opening;  // -1 at the start
  int32_t entry;    // place in the region
} fw_passage_t;

typedef struct fw_region_mark_t {
  int32_t g;
  uint32_t epoch;
  int32_t parent;
  int32_t opening;
  int32_t entry;
} fw_region_mark_t;

typedef struct fw_regions_t {
  fw_arena_t * arena;
  const fw_floor_t * floor;
  fw_region_t * regions;
  int32_t count;
  int32_t capacity;
  int32_t * region_of;  // by place, -1 for none
  fw_opening_t * openings;
  int32_t opening_count;
  int32_t opening_capacity;
  fw_region_mark_t * marks;  // by region; the last one is the goal
  uint32_t epoch;
  fw_heap_t open;
  fw_passage_t * passages;  // of the last way, from the start's region to the goal's
  int32_t passage_count;
  int32_t passage_capacity;
} fw_regions_t;

// Empty, in `arena`. False when there is no memory, as for all below.
bool fw__regions_init(fw_regions_t * regions, fw_arena_t * arena, const fw_floor_t * floor);
bool fw__regions_add(fw_regions_t * regions, fw_region_t region);
// After the last region: finds the openings.
bool fw__regions_link(fw_regions_t * regions);

// A* over regions for the context's question; the way is in `passages`. False if there is none or the meter has stopped.
bool fw__regions_search(fw_regions_t * regions, fw_router_context_t * context);

// Its rectangles, as fw_router_def_t.shapes wants them.
void fw__regions_show(const fw_regions_t * regions, void (*show)(const fw_shape_t *, void *), void * state);

// The place on the region's side of an opening at a coordinate along it.
int32_t fw__regions_exit(const fw_regions_t * regions, int32_t region, const fw_opening_t * opening, int32_t along);

#endif  // SEARCH__REGIONS_H_
