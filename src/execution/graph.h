// The dependency graph: waypoints of all robots, and who must have reached what before whom.
//
// A robot's way is a row of nodes; waits vanish. Node 0 is where it was when the graph was made, node m the pose at the end
// of motion m. An edge from (A, i) to (B, j) says: B may begin motion j only when A has reached its node i. Nodes of one
// robot lie next to each other, so that a node is first[robot] + m.
//
//   robot 0   o---o---o---o         edges along a way are not stored;
//                 |       |
//                 v       v         those between robots are, by target (in) and by source (out)
//   robot 1   o---o---o---o
//
// A graph is made once (graph.c calls ways.c, dependencies.c, order.c, reduction.c in that row) and then only read, but
// for the expected times of its nodes.

#ifndef EXECUTION__GRAPH_H_
#define EXECUTION__GRAPH_H_

#include "execution/shape.h"
#include "fleetweave/execution.h"

#define FW__EIGHTH 0.78539816339744830962  // of a turn, in radians

typedef struct fw__node_t {
  fw_grid_pose_t pose;
  int32_t robot;
  int32_t
    depart;  // when the motion to here begins and ends, on a clock of order alone: the plan's ticks, those of later
  int32_t arrive;  // plans after those of earlier ones
  int32_t gate;    // the robot's own node that must be reached before this one is released
  int32_t group;   // the ring that it rotates in, -1 for none
  bool is_back;    // the motion is one of the body's, backwards
  double seconds;  // that the motion takes
  double way;      // cells from node 0 to here
  double planned;
  double expected;
  double opens;   // not to be released before, because a cell on the way is closed,
  double closes;  // and not after, because one will be
} fw__node_t;

typedef struct fw__edge_t {
  int32_t source;
  int32_t target;
  fw_cell_t cell;  // where the two meet
} fw__edge_t;

typedef struct fw__graph_t {
  fw_arena_t arena;  // all of it is here
  fw_problem_t
    problem;  // robots by slot, those that are not there are single cells; no closures; the grid has no costs
  fw_grid_t grid;
  fw_bodies_t bodies;
  fw__shape_t ** shapes;  // by slot
  int32_t slot_count;
  int32_t * first;  // by slot, and one more; a slot that is not there has no nodes
  fw__node_t * nodes;
  int32_t node_count;
  int32_t * in_first;  // by node, and one more
  fw__edge_t * in;
  int32_t * out_first;
  int32_t * out;         // targets
  int32_t * order;       // nodes, sources before targets, rings in one piece
  int32_t * place_of;    // where a node stands in that row
  uint64_t * dirty;      // a bit for each place in the row: its expected time is to be computed
  int32_t * ring_first;  // by ring, and one more
  int32_t * ring;        // nodes
  bool * ring_is_released;
  int32_t ring_count;
  int32_t edge_count;
  int32_t redundant_count;
  int32_t last_rank;  // no arrival is later on the clock of order
} fw__graph_t;

typedef struct fw__edges_t {
  fw__edge_t * items;
  int32_t count;
  int32_t capacity;
} fw__edges_t;

static inline int32_t fw__way_count(const fw__graph_t * graph, int32_t slot)
{
  return graph->first[slot + 1] - graph->first[slot];
}
static inline fw__node_t * fw__way_node(const fw__graph_t * graph, int32_t slot, int32_t at)
{
  return &graph->nodes[graph->first[slot] + at];
}

// By how much a turn from heading to heading turns, in radians: right is positive.
static inline double fw__turn_angle(int32_t from, int32_t to)
{
  const int32_t eighths = (to - from + FW_HEADING_COUNT) % FW_HEADING_COUNT;
  return FW__EIGHTH * (eighths > FW_HEADING_COUNT / 2 ? eighths - FW_HEADING_COUNT : eighths);
}

// What a robot covers on its way to a node, which is not its first.
fw__swept_t fw__graph_swept(const fw__graph_t * graph, int32_t node);

// ---- making one -----------------------------------------------------------------------------------------------------

// What is wrong with a plan is told in `error`; robots in the texts are the caller's numbers.
typedef struct fw__making_t {
  fw__graph_t * graph;
  fw_arena_t * scratch;
  fw_error_t * error;
  fw_rings_t rings;
} fw__making_t;

// Nodes and their poses are there: finds the edges between robots. `edges` is in scratch.
fw_ret_t fw__graph_find_dependencies(const fw__making_t * making, fw__edges_t * edges);
// Puts the nodes in order and finds the rings; refuses them, or cycles that are none.
fw_ret_t fw__graph_find_order(const fw__making_t * making, const fw__edges_t * edges);
// Removes edges that follow from others, and those that are twice there.
fw_ret_t fw__graph_reduce(const fw__making_t * making, fw__edges_t * edges);
// Nodes to a graph: all three, and the gates of ways that touch themselves.
fw_ret_t fw__graph_weave(const fw__making_t * making);

// A copy of the edges by target: those of node n are items[first[n]] to items[first[n + 1] - 1]. NULL items when there is
// no memory.
typedef struct fw__edge_rows_t {
  int32_t * first;
  fw__edge_t * items;
} fw__edge_rows_t;
fw__edge_rows_t fw__edges_by_target(const fw__edges_t * edges, int32_t node_count, fw_arena_t * arena);

#endif  // EXECUTION__GRAPH_H_
