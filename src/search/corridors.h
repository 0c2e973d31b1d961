// Corridors (generalized cylinders): the lines that run in the middle between obstacles, with the room around them.
//
// The floor is thinned, from the walls inwards, to lines one cell wide that are connected as the floor is. Where three
// lines meet or one ends is a node; what lies between two nodes is a spine, a list of cells with the least room along it.

#ifndef SEARCH__CORRIDORS_H_
#define SEARCH__CORRIDORS_H_

#include "search/graph.h"

typedef struct fw_spine_t {
  int32_t ends[2];  // nodes
  int32_t first;    // its cells in `cells`, both ends included
  int32_t count;
  int32_t room;  // least clearance along it
} fw_spine_t;

typedef struct fw_corridors_t {
  fw_graph_t graph;     // edges: `out` is the spine, `in` 1 if it is walked backwards
  int32_t * clearance;  // by place
  uint8_t * is_spine;   // by place: what thinning has left
  int32_t * node_of;    // by place, -1 for none
  int32_t * spine_of;   // by place: the spine that a cell between nodes is on, -1 for none
  int32_t * index_in;   // by place: its number in that spine
  uint8_t * towards;    // by place: the straight direction to the nearest line
  fw_spine_t * spines;
  int32_t spine_count;
  int32_t spine_capacity;
  fw_trail_t cells;
  fw_trail_t ways[2];  // from the start and from the goal to the lines
} fw_corridors_t;

// Leaves only lines in is_spine. False when there is no memory.
bool fw__corridors_thin(fw_corridors_t * corridors, fw_arena_t * arena);

// Parameters, in the order of the table.
enum { FW_CORRIDORS_PULLS, FW_CORRIDORS_SMOOTHING };

void fw__corridors_find(fw_router_context_t * context);

#endif  // SEARCH__CORRIDORS_H_
