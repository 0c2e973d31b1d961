// The action dependency graph (ADG): all waypoints of all robots, and which robot must have reached what before another
// may go on.
//
// The idea is that of Hoenig, Kiesel, Tinka, Durham and Ayanian, "Persistent and Robust Execution of MAPF Schedules in
// Warehouses" (RA-L 2019), after the temporal plan graph of Hoenig et al. (ICAPS 2016): a plan is reduced to the order
// in which robots use space. A delay then delays others but cannot lead to a collision. The paper's type 1 dependencies
// are the edges along one robot's path, its type 2 dependencies those between robots. Here robots have footprints and
// move diagonally, so a dependency comes from any cell that the sweeps of two motions share.
//
// Each robot's path is a sequence of nodes; waits vanish. Node 0 is where it was when the graph was built, node m the
// pose at the end of motion m. An edge from (A, i) to (B, j) means: B may begin motion j only when A has reached its
// node i. Nodes of one robot are consecutive, so that a node's index is first[robot] + m.
//
//   robot 0   o---o---o---o         edges along a path are not stored;
//                 |       |
//                 v       v         those between robots are, by target (in) and by source (out)
//   robot 1   o---o---o---o
//
// Where waiting is forbidden (fw_grid_t.rules) there are more edges: a robot enters such an area only when those on
// which it depends until it has left the area are as far as the plan has them at that moment. And it is held before the
// area until they have done all that it depends on there, where that does not make robots wait for each other in a
// circle.
//
// A graph is built once and then only read, except for the expected times of its nodes, their dirty bits and which
// rings are released.

#ifndef EXECUTION__DEPENDENCY_GRAPH_H_
#define EXECUTION__DEPENDENCY_GRAPH_H_

#include "execution/sweep_table.h"
#include "fleetweave/execution.h"

#define FW__EIGHTH_TURN 0.78539816339744830962  // radians

// A waypoint, and the motion that leads to it.
typedef struct fw_dependency_node_t {
  fw_grid_pose_t pose;
  int32_t robot;
  // When the motion begins and ends in logical ticks: the ticks of its plan, plus an offset by which all ticks of a
  // later plan come after those of an earlier one. They order nodes and mean no time.
  int32_t depart;
  int32_t arrive;
  // The robot's own node (counted on its path) that it must have reached before this one is released, so that a
  // released path does not touch itself; 0 for none.
  int32_t self_dependency;
  int32_t ring;        // that it rotates in, -1 for none
  bool is_reverse;     // the motion is one of the body's motions, driven backwards
  double seconds;      // that the motion takes
  double path_length;  // cells from node 0 to here
  double planned;      // time of arrival in seconds, by the plan
  double expected;     // as of the last retiming; the time at which it was reached, if it was
  double opens;        // time before which it is not released, because a cell on the way is closed; -INFINITY for none
  double closes;       // time after which it is not released, because a cell on the way will close; INFINITY for none
} fw_dependency_node_t;

typedef struct fw_dependency_edge_t {
  int32_t source;  // nodes of different robots
  int32_t target;
  fw_cell_t cell;  // which both robots use
} fw_dependency_edge_t;

typedef struct fw_dependency_graph_t {
  fw_arena_t arena;  // everything else is allocated here
  // Robots by slot, absent ones as single cells; no closures. The grid has no costs, but the rules of the last plan's.
  fw_problem_t problem;
  fw_grid_t grid;
  fw_bodies_t bodies;
  fw_sweep_table_t ** sweep_tables;  // by slot
  int32_t slot_count;                // slots are the caller's robot numbers
  int32_t * first;                   // by slot, and one more: its first node; absent robots have no nodes
  fw_dependency_node_t * nodes;
  int32_t node_count;
  int32_t * in_first;  // by node, and one more: its first edge in `in`
  fw_dependency_edge_t * in;
  int32_t * out_first;  // by node, and one more: its first target in `out`
  int32_t * out;
  int32_t edge_count;
  // By node, and one more: its first hold in `holds`. A robot is not released to the first node of an area without
  // waiting before the sources of its holds are settled. NULL: there are none. See hold_crossings.
  int32_t * hold_first;
  fw_dependency_edge_t * holds;
  int32_t * last_hold;          // by node: the last hold that it is the source of, + 1; 0: none
  int32_t * next_hold;          // by hold: the one before of the same source, + 1
  int32_t * topological_order;  // nodes, sources before targets, the nodes of a ring next to each other
  int32_t * order_index;        // by node: where it is in topological_order
  uint64_t * dirty;             // a bit for each index of topological_order: its expected time is to be computed
  // Rings of robots that rotate: the strongly connected components of more than one node.
  int32_t ring_count;
  int32_t * ring_first;  // by ring, and one more: its first node in `ring_nodes`
  int32_t * ring_nodes;
  bool * ring_is_released;
  int32_t redundant_count;  // edges removed by transitive reduction
} fw_dependency_graph_t;

// How many nodes a robot has; 0 for an absent one.
static inline int32_t fw__dependency_graph_count(const fw_dependency_graph_t * graph, int32_t slot)
{
  return graph->first[slot + 1] - graph->first[slot];
}
// Node `at` on the path of a robot.
static inline fw_dependency_node_t * fw__dependency_graph_node(
  const fw_dependency_graph_t * graph, int32_t slot, int32_t at)
{
  return &graph->nodes[graph->first[slot] + at];
}

// The angle of a turn from heading to heading in radians, -pi to pi; right is positive.
static inline double fw__turn_angle(int32_t from, int32_t to)
{
  const int32_t eighths = (to - from + FW_HEADING_COUNT) % FW_HEADING_COUNT;
  return FW__EIGHTH_TURN * (eighths > FW_HEADING_COUNT / 2 ? eighths - FW_HEADING_COUNT : eighths);
}

// What a robot covers during its motion to a node, which must not be its first.
fw_swept_cells_t fw__dependency_graph_swept(const fw_dependency_graph_t * graph, int32_t node);

// ---- building -------------------------------------------------------------------------------------------------------

typedef struct fw_dependency_graph_build_t {
  fw_dependency_graph_t * graph;
  fw_arena_t * scratch;  // for what is needed only while building
  fw_error_t * error;    // what is wrong with a plan; robots in its text are the caller's numbers
  fw_rings_t rings;
  const int32_t * released;  // by slot: its nodes up to this one are released already
} fw_dependency_graph_build_t;

// From nodes to a graph. Problem, sweep tables, `first` and `nodes` are there; adds everything else: self dependencies,
// edges, topological order and rings, reduction. Refuses a plan in which robots meet (FW_RET_INVALID_ARGUMENT) and,
// with FW_RINGS_REFUSED, one with a ring (FW_RET_UNSUPPORTED).
fw_ret_t fw__dependency_graph_build(const fw_dependency_graph_build_t * build);

// Are all invariants true? Nodes of a robot are consecutive and in order, indices are in range, edges lead forward in
// the topological order or stay within a ring, and both lists of edges agree. Linear in nodes and edges, for
// assertions.
bool fw__dependency_graph_validate(const fw_dependency_graph_t * graph);

#endif  // EXECUTION__DEPENDENCY_GRAPH_H_
