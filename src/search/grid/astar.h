// A* over the places of the floor, as a tool of other searches: paths between two places that cost less than a bound.
//
// astar.c also defines the searches `astar`, `dijkstra`, `greedy`, `weighted` and `landmarks` of the router's list.

#ifndef SEARCH__GRID__ASTAR_H_
#define SEARCH__GRID__ASTAR_H_

#include "search/router.h"

typedef struct fw_astar_t fw_astar_t;

// Memory of a search, used again by each query: about 8 bytes per place. NULL when there is no memory.
fw_astar_t * fw__astar_make(fw_arena_t * arena, const fw_floor_t * floor);

// A path from one place to another that costs less than `bound`.
typedef struct fw_astar_query_t {
  int32_t from;
  int32_t to;
  int32_t bound;  // INT32_MAX: any path
} fw_astar_query_t;

// The cheapest path, a view until the next call; NULL if no path is below the bound, the meter has stopped, or there is
// no memory (the meter then says so). Expansions are counted on the context, whose own query stays as it is.
const fw_trail_t * fw__astar_find(fw_astar_t * astar, fw_router_context_t * context, fw_astar_query_t query);

#endif  // SEARCH__GRID__ASTAR_H_
