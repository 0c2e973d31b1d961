// A roadmap: a graph of points on the floor with A* over it; what `waypoints`, `visibility` and `corridors` search.
//
// A query connects its start and goal to nearby nodes with known costs (links), searches the graph, and walks along the
// edges. An edge is a straight line, or it carries two numbers of its owner by which to walk it.

#ifndef SEARCH__ROADMAP__ROADMAP_H_
#define SEARCH__ROADMAP__ROADMAP_H_

#include "search/grid/smooth.h"
#include "search/heap.h"

typedef struct fw_roadmap_edge_t {
  int32_t from;
  int32_t to;
  int32_t cost;
  int32_t out;  // -1 for a straight line; else the places on both sides of a border that it passes, or the owner's
  int32_t in;
} fw_roadmap_edge_t;

// How a node was reached in the query of its epoch.
typedef struct fw_roadmap_mark_t {
  int32_t g;
  uint32_t epoch;
  int32_t parent;   // node, -1 if it is linked to the start
  int32_t edge;     // by which it was reached, -1
  uint32_t linked;  // the epoch in which it is linked to the goal
  int32_t link_cost;
} fw_roadmap_mark_t;

typedef struct fw_roadmap_t {
  fw_arena_t * arena;
  const fw_floor_t * floor;
  int32_t * places;  // by node
  int32_t node_count;
  int32_t node_capacity;
  fw_roadmap_edge_t * edges;  // sorted by `from`, then `to`; the cheapest of parallel ones is kept
  int32_t edge_count;
  int32_t edge_capacity;
  int32_t * first;            // by node: its first edge; one more entry than nodes
  fw_roadmap_mark_t * marks;  // by node; one more for the goal
  uint32_t epoch;
  fw_heap_t open;
  fw_smoother_t smoother;
  fw_trail_t starts;  // links of the query: nodes and costs in turn
  fw_trail_t goals;
  fw_trail_t chain;  // of the last path found: edges from the start's node to the goal's
  int32_t first_node;
} fw_roadmap_t;

// Build: init, nodes and edges, finish. Without memory an item is dropped and `arena` has failed; add_node then returns
// -1.
void fw__roadmap_init(fw_roadmap_t * map, fw_arena_t * arena, const fw_floor_t * floor);
int32_t fw__roadmap_add_node(fw_roadmap_t * map, int32_t place);        // returns its number
void fw__roadmap_add_edge(fw_roadmap_t * map, fw_roadmap_edge_t edge);  // one direction only
void fw__roadmap_finish(fw_roadmap_t * map);

// Begins a query: no links.
void fw__roadmap_begin(fw_roadmap_t * map);
// Links an end of the query to a node; `links` is `starts` or `goals`.
void fw__roadmap_connect(fw_trail_t * links, int32_t node, int32_t cost);
// A* from the start's links to the goal's. True if there is a path; `first_node` and `chain` then hold it.
bool fw__roadmap_search(fw_roadmap_t * map, fw_router_context_t * context);

// Appends moves from the end of the context's trail to a place: along the line of sight if it is free, else by A*.
void fw__roadmap_walk(fw_roadmap_t * map, fw_router_context_t * context, int32_t to);

// Shows nodes and edges, for fw_router_def_t.shapes; an edge with `out` and `in` is drawn through these two places.
void fw__roadmap_show(const fw_roadmap_t * map, void (*show)(const fw_shape_t *, void *), void * state);

#endif  // SEARCH__ROADMAP__ROADMAP_H_
