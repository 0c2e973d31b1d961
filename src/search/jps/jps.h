// Inside jump point search: between the search (jps.c) and its jumps (jps_jump.c).

#ifndef SEARCH__JPS__JPS_H_
#define SEARCH__JPS__JPS_H_

#include "search/heap.h"
#include "search/jps/jps_bits.h"
#include "search/router.h"

typedef struct jps_node_t {
  int32_t g;
  uint32_t epoch;
  int32_t parent;    // a place
  uint8_t arrived;   // bit d: in straight direction d, at cost g
  uint8_t expanded;  // those of them that have been expanded
} jps_node_t;

typedef struct jps_t {
  fw_bits_t rows;      // by y, of x; as padded as places
  fw_bits_t columns;   // by x, of y
  jps_node_t * nodes;  // by place
  uint32_t epoch;
  fw_heap_t open;
  int64_t reached;
  // The question.
  int32_t goal_x;  // padded
  int32_t goal_y;
  bool has_failed;
} jps_t;

// A node offered at cost g; `from` is its parent and the straight direction in which it is reached (-1: the start, or the
// goal by a diagonal).
void jps_reach(jps_t * jps, const fw_router_context_t * context, int32_t place, int32_t g, const int32_t from[2]);
// Jumps from a place in all directions that it has been reached for.
void jps_expand(jps_t * jps, fw_router_context_t * context, int32_t place);

#endif  // SEARCH__JPS__JPS_H_
