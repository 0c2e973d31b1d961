// Inside of the router: the interface between fw_router_t (fleetweave/search.h) and the searches that it runs.
//
// A search is one fw_router_def_t and one line in the list in router.c. The router checks the caller's data, prepares
// the floor, calls the search and measures its path; the search sees a fw_router_context_t:
//
//   build   makes the search's state in the arena `built`, which is empty before
//   update  adapts that state after cells have changed; NULL: the router builds again
//   find    reads start and goal, appends the places of a path to `trail` (both ends included) and counts expansions
//
// An empty trail means "no path", unless the meter has stopped or an arena has failed. Allocation failures need no
// plumbing: a search goes on without what it did not get (never through a NULL pointer) and looks at the arena's sticky
// flag once per phase; see fw__router_build_result and fw__router_has_memory.

#ifndef SEARCH__ROUTER_H_
#define SEARCH__ROUTER_H_

#include "base/error.h"
#include "base/meter.h"
#include "search/floor.h"
#include "search/trail.h"

typedef struct fw_router_context_t {
  fw_arena_t * built;  // of the build; a search may also grow its open lists there
  const fw_floor_t * floor;
  const int64_t * parameters;        // in the order of the definition's table
  void * state;                      // the search's own, made by build
  const fw_budget_t * build_budget;  // during a build: when to end it with what there is; NULL: no limit
  // Statistics, set by build and update.
  int32_t node_count;
  int64_t edge_count;
  int32_t rebuilt;  // parts of the abstraction that were made again
  // One query.
  fw_meter_t * meter;
  fw_trail_t * trail;
  fw_trail_t * touched;  // expanded places in their order, for pictures; NULL: not wanted
  int32_t start;         // places where the robot fits
  int32_t goal;
  int64_t expanded;
  size_t memory_bytes;  // of the nodes reached and the open list
  // A search that knows its moves before it lists them may save the router the work of measuring them: unless
  // `needs_places` is set, it puts cells on the trail, sets `has_cells`, and counts diagonal moves. Only for uniform
  // costs.
  bool needs_places;  // set by the router
  bool has_cells;     // cleared before a query
  int32_t diagonals;
} fw_router_context_t;

// Counts an expansion of a place. True to stop. The meter is checked every FW_METER_STRIDE expansions only.
static inline bool fw__router_count(fw_router_context_t * context, int32_t place)
{
  ++context->expanded;
  if (context->touched != NULL) {
    fw__trail_add(context->touched, place);
  }
  return context->expanded % FW_METER_STRIDE == 0 && fw__meter_add(context->meter, FW_METER_STRIDE);
}

// The result of a build or update: an error if some allocation in `built` has failed.
static inline fw_ret_t fw__router_build_result(const fw_router_context_t * context, fw_error_t * error)
{
  return fw__arena_has_failed(context->built) ? fw__error_memory(error) : FW_RET_OK;
}

// False, and the meter stops for lack of memory, if some allocation in `built` has failed during the query.
static inline bool fw__router_has_memory(fw_router_context_t * context)
{
  if (fw__arena_has_failed(context->built)) {
    fw__meter_stop(context->meter, FW_STOP_MEMORY);
  }
  return !fw__arena_has_failed(context->built);
}

// `update` of searches that keep nothing of the map but the floor, which the router has updated already.
fw_ret_t fw__router_update_nothing(
  fw_router_context_t * context, const fw_cell_t * cells, int32_t count, fw_error_t * error);

// The context of a router, for tests that look at a search's state; NULL before init.
const fw_router_context_t * fw__router_context(const fw_router_t * router);

extern const fw_router_def_t fw__router_astar;
extern const fw_router_def_t fw__router_dijkstra;
extern const fw_router_def_t fw__router_greedy;
extern const fw_router_def_t fw__router_weighted;
extern const fw_router_def_t fw__router_auto;
extern const fw_router_def_t fw__router_breadth;
extern const fw_router_def_t fw__router_depth;
extern const fw_router_def_t fw__router_deepening;
extern const fw_router_def_t fw__router_ida;
extern const fw_router_def_t fw__router_fringe;
extern const fw_router_def_t fw__router_bank;
extern const fw_router_def_t fw__router_bidirectional;
extern const fw_router_def_t fw__router_jps;
extern const fw_router_def_t fw__router_hpa;
extern const fw_router_def_t fw__router_landmarks;
extern const fw_router_def_t fw__router_subgoals;
extern const fw_router_def_t fw__router_quadtree;
extern const fw_router_def_t fw__router_navmesh;
extern const fw_router_def_t fw__router_visibility;
extern const fw_router_def_t fw__router_waypoints;
extern const fw_router_def_t fw__router_corridors;

#endif  // SEARCH__ROUTER_H_
