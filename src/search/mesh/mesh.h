// A mesh: free floor decomposed into rectangles (regions) with portals between them; what `quadtree` and `navmesh`
// search.
//
// Within a rectangle every straight line is free, so that a path is a list of rectangles and of the cells where it
// passes from one to the next.

#ifndef SEARCH__MESH__MESH_H_
#define SEARCH__MESH__MESH_H_

#include "search/heap.h"
#include "search/router.h"

typedef struct fw_mesh_region_t {
  int32_t left;  // cells, all included
  int32_t top;
  int32_t right;
  int32_t bottom;
  int32_t first_portal;
  int32_t portal_count;
} fw_mesh_region_t;

// A run of cells along one side of a region that has one and the same region beyond.
typedef struct fw_portal_t {
  int32_t to;         // region
  int32_t direction;  // straight (0 to 3), out of the region
  int32_t from;       // first and last coordinate along the side, in the region's own cells
  int32_t until;
} fw_portal_t;

// One step of a path: through a portal into a region.
typedef struct fw_mesh_passage_t {
  int32_t region;
  int32_t portal;  // -1 at the start
  int32_t entry;   // the place where the path enters the region
} fw_mesh_passage_t;

// How a region was reached in the query of its epoch.
typedef struct fw_mesh_mark_t {
  int32_t g;
  uint32_t epoch;
  int32_t parent;
  int32_t portal;
  int32_t entry;
} fw_mesh_mark_t;

typedef struct fw_mesh_t {
  fw_arena_t * arena;
  const fw_floor_t * floor;
  fw_mesh_region_t * regions;
  int32_t count;
  int32_t capacity;
  int32_t * region_of;  // by place, -1 for none
  fw_portal_t * portals;
  int32_t portal_count;
  int32_t portal_capacity;
  fw_mesh_mark_t * marks;  // by region; one more for the goal
  uint32_t epoch;
  fw_heap_t open;
  fw_mesh_passage_t * passages;  // of the last query, from the start's region to the goal's
  int32_t passage_count;
  int32_t passage_capacity;
} fw_mesh_t;

// Empty. Without memory `arena` has failed; the other functions may then not be called.
void fw__mesh_init(fw_mesh_t * mesh, fw_arena_t * arena, const fw_floor_t * floor);
// Adds a rectangle of free places that belong to no region yet. Without memory it is dropped.
void fw__mesh_add(fw_mesh_t * mesh, fw_mesh_region_t region);
// To be called after the last region: finds the portals. Without memory the arena has failed.
void fw__mesh_link(fw_mesh_t * mesh);

// A* over regions for the context's query; the result is in `passages`. False if there is no path or the meter has
// stopped.
bool fw__mesh_search(fw_mesh_t * mesh, fw_router_context_t * context);

// Shows the rectangles, for fw_router_def_t.shapes.
void fw__mesh_show(const fw_mesh_t * mesh, void (*show)(const fw_shape_t *, void *), void * state);

// The place inside `region` at a portal's coordinate `along`; the place beyond is one step in the portal's direction.
int32_t fw__mesh_exit(const fw_mesh_t * mesh, int32_t region, const fw_portal_t * portal, int32_t along);

#endif  // SEARCH__MESH__MESH_H_
