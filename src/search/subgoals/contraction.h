// Contraction hierarchy (Geisberger, Sanders, Schultes and Delling 2008) of a graph of subgoals.
//
// Nodes are removed one after the other, the least important first. Where the only shortest path between two
// neighbours leads through the removed node, a shortcut replaces it. Then every shortest path has a counterpart that
// first climbs from its start and then descends to its goal, so that two small searches that only climb meet on it:
//
//   rank 3        d             a - b - c - d - e is a shortest path, and c was contracted before b and d. It becomes
//        2       / \            a - b - d - e, where the edge b - d is a shortcut over c: a and e climb to d.
//        1      b   e
//        0     a  c
//
// Contraction may stop early: what is left is the core, whose edges are climbed in both directions. So the answer is
// exact for any effort; with less effort queries take longer.

#ifndef SEARCH__SUBGOALS__CONTRACTION_H_
#define SEARCH__SUBGOALS__CONTRACTION_H_

#include "base/meter.h"
#include "search/subgoals/subgoal_graph.h"
#include "search/trail.h"

typedef struct fw_hierarchy_edge_t {
  int32_t to;
  int32_t cost;
  int32_t via;  // the node that a shortcut leads over; -1: a link of the graph
} fw_hierarchy_edge_t;

typedef struct fw_hierarchy_t {
  int32_t count;       // of nodes
  int32_t contracted;  // of them; the others are the core
  int32_t * ranks;     // by node: 0 is contracted first; nodes of the core come last
  int32_t * firsts;    // by node, and one more: edges to nodes of higher rank, and among nodes of the core
  fw_hierarchy_edge_t * edges;
} fw_hierarchy_t;

// Counts nodes of witness searches on the meter, and ends with a larger core when it stops. An allocation that fails
// leaves the arena's flag set.
void fw__hierarchy_init(
  fw_hierarchy_t * hierarchy, fw_arena_t * arena, const fw_floor_t * floor, const fw_subgoal_graph_t * graph,
  fw_meter_t * meter);

// The edge from a node to one above it, which must exist.
const fw_hierarchy_edge_t * fw__hierarchy_edge(const fw_hierarchy_t * hierarchy, int32_t from, int32_t to);

// Appends the nodes of an edge's path behind `from`, the end included, to the trail. `stack` is for its work.
void fw__hierarchy_unpack(
  const fw_hierarchy_t * hierarchy, int32_t from, const fw_hierarchy_edge_t * edge, fw_trail_t * trail,
  fw_trail_t * stack);

#endif  // SEARCH__SUBGOALS__CONTRACTION_H_
