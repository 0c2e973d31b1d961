// A graph of points on the floor: what waypoints, visibility and corridors search. Edges know what it costs to walk them
// and, if they are not straight lines, something of their owner's by which to walk them.

#ifndef SEARCH__GRAPH_H_
#define SEARCH__GRAPH_H_

#include "search/astar.h"

typedef struct fw_edge_t {
  int32_t from;
  int32_t to;
  int32_t cost;
  int32_t out;  // a straight edge has -1; else places on both sides of a border that it passes, or what its owner likes
  int32_t in;
} fw_edge_t;

// An end of a question tied to a node.
typedef struct fw_tie_t {
  int32_t node;
  int32_t cost;
} fw_tie_t;

typedef struct fw_graph_mark_t {
  int32_t g;
  uint32_t epoch;
  int32_t parent;  // node, -1 for a tie to the start
  int32_t edge;    // by which it was reached, -1
  uint32_t tied;   // epoch in which it is tied to the goal
  int32_t tie_cost;
} fw_graph_mark_t;

typedef struct fw_graph_t {
  fw_arena_t * arena;
  const fw_floor_t * floor;
  int32_t * places;  // by node
  int32_t node_count;
  int32_t node_capacity;
  fw_edge_t * edges;  // sorted by `from`, then `to`, then cost; the cheapest of equal ones is kept
  int32_t edge_count;
  int32_t edge_capacity;
  int32_t * first;  // by node, one more than nodes
  fw_graph_mark_t * marks;
  uint32_t epoch;
  fw_heap_t open;
  astar_t * astar;
  fw_trail_t starts;  // ties of the question: nodes and costs in turn
  fw_trail_t goals;
  fw_trail_t chain;  // of the last way: edges from the start's node to the goal's
  int32_t first_node;
} fw_graph_t;

// All return false when there is no memory.
bool fw__graph_init(fw_graph_t * graph, fw_arena_t * arena, const fw_floor_t * floor);
int32_t fw__graph_add_node(fw_graph_t * graph, int32_t place);  // its number, -1 when there is no memory
bool fw__graph_add_edge(fw_graph_t * graph, fw_edge_t edge);    // one way
bool fw__graph_link(fw_graph_t * graph);                        // after the last edge

// Ties of a question, emptied before.
void fw__graph_begin(fw_graph_t * graph);
void fw__graph_tie(fw_trail_t * ties, int32_t node, int32_t cost);
// From the start's ties to the goal's. True if there is a way; then `first_node` and `chain` have it.
bool fw__graph_search(fw_graph_t * graph, fw_router_context_t * context);

// Adds the way from the end of the trail to a place: along the line if it is free, else by A*.
void fw__graph_walk(fw_graph_t * graph, fw_router_context_t * context, int32_t to);

// Its points and edges, these by way of `out` and `in` where they have them, as fw_router_def_t.shapes wants them.
void fw__graph_show(const fw_graph_t * graph, void (*show)(const fw_shape_t *, void *), void * state);

#endif  // SEARCH__GRAPH_H_
