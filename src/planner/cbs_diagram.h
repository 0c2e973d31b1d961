// Decision diagrams: by tick, all places on paths of a robot that cost no more than a limit.
//
// G. Sharon, R. Stern, M. Goldenberg, A. Felner, The Increasing Cost Tree Search for Optimal Multi-Agent Pathfinding, AIJ
// 2013. An entry is a place at a tick with the cost so far, since by Standley's count the cost does not follow from the
// tick; where cost runs up to the last arrival, a robot that has settled for good is an entry of its own.

#ifndef PLANNER__CBS_DIAGRAM_H_
#define PLANNER__CBS_DIAGRAM_H_

#include "planner/cbs_tree.h"

typedef struct fw_cbs_entry_t {
  int32_t node;
  bool has_settled;
  int32_t before;  // cost so far
  int32_t after;   // the cheapest way on; INT32_MAX: none within the limit
  int32_t total;   // what the robot counts at least, this way
  int32_t edge;    // the first of its edges
  int32_t edge_count;
  int32_t same;  // another entry of the same place and tick, -1 for none
} fw_cbs_entry_t;

typedef struct fw_cbs_edge_t {
  int32_t to;  // an entry of the next tick
  int32_t direction;
} fw_cbs_edge_t;

typedef struct fw_cbs_diagram_t {
  int32_t owner;  // the node that has the constraints, and the member: -1 for an unused diagram
  int32_t member;
  int32_t counts;    // what the member counts
  int32_t cost;      // the limit
  fw_tick_t ticks;   // the last
  bool stays;        // after that it stays on its goal, or would cost more
  int32_t * layers;  // by tick: the first entry; one more at the end
  int32_t layer_capacity;
  fw_cbs_entry_t * entries;
  int32_t entry_count;
  int32_t entry_capacity;
  fw_cbs_edge_t * edges;
  int32_t edge_count;
  int32_t edge_capacity;
} fw_cbs_diagram_t;

typedef struct fw_cbs_diagram_ask_t {
  int32_t index;  // the loaded node
  int32_t member;
  int32_t cost;
  fw_tick_t ticks;
  const fw_cbs_diagram_t * kept;  // may be NULL
} fw_cbs_diagram_ask_t;

// The diagram of a member of the loaded node for paths that cost up to `cost` or more, that says something of the ticks up
// to `ticks`. It stands until others have been asked for, but for `kept`, which stands longer. NULL when there is no
// memory.
fw_cbs_diagram_t * fw_cbs_diagram(fw_cbs_t * run, const fw_cbs_diagram_ask_t * ask);

#endif  // PLANNER__CBS_DIAGRAM_H_
