// The paths of all robots as SAT clauses: one multi-valued decision diagram (MDD) per robot, grown as its cost bound
// rises, and clauses that exclude conflicts between robots, added lazily where two paths of a model collide.
//
// P. Surynek, A. Felner, R. Stern, E. Boyarski, Efficient SAT Approach to Multi-Agent Path Finding under the Sum of
// Costs Objective, ECAI 2016 (MDD-SAT: variables from MDDs); P. Surynek, Unifying Search-based and Compilation-based
// Approaches to Multi-agent Path Finding through Satisfiability Modulo Theories, IJCAI 2019 (conflicts added as they
// occur).
//
// A state of an MDD is (robot, node, tick, excess). Excess is what the robot has paid and must at least still pay
// beyond the distance from its start to its goal (the "delta" of MDD-SAT). The layers of an MDD are the ticks:
//
//     tick 0      tick 1      tick 2                 clauses
//   [start, 0] -> [a, 0] --> [goal, 0]               state -> a successor, or the bound or the horizon is exceeded
//            \--> [start, 1] -> [a, 1] -> ...        layer -> one of its states (redundant, optional)
//
// An assumption literal per robot, its cost bound, says "this robot has no more excess than that". A robot that keeps a
// bound has a path of states up to it; states beyond it stay in the formula but are not needed. One more assumption
// literal, the horizon, says that all robots are on their goals by a last tick.
//
// State variables are optional for the solver: it may leave them unassigned. A model is complete when every robot that
// keeps a bound has a path of true states, which the decision callback of the encoding sees to.

#ifndef PLANNER__LAZY_SAT__MDD_ENCODING_H_
#define PLANNER__LAZY_SAT__MDD_ENCODING_H_

#include "base/list.h"
#include "planner/optimal/instance.h"
#include "sat/sat.h"

// Two robots are kept apart at a vertex for up to this many ticks: one bit each of fw_mdd_vertex_t.
enum { FW_MDD_ROBUST_TICKS_MAX = 31 };

typedef struct fw_mdd_state_t {
  int32_t robot;
  int32_t node;
  fw_tick_t tick;
  int32_t excess;
  int32_t literal;        // true: the robot is there
  int32_t next_here;      // next state of the same node and tick, any robot; -1 for none
  int32_t next_in_layer;  // next state of the same robot and tick; -1 for none
  int32_t successor;      // successors[successor .. successor + successor_count): states that may follow
  int32_t successor_count;
} fw_mdd_state_t;

// A node at a tick, over all robots: where vertex conflicts occur.
typedef struct fw_mdd_vertex_t {
  int32_t node;
  fw_tick_t tick;
  int32_t first_state;
  int32_t next_in_bucket;  // of the hash table; -1 for the last
  uint32_t excluded;       // bit j: clauses exclude that another robot is here j ticks later
  int32_t first_edge;      // the first edge with a literal that ends here; -1 for none
} fw_mdd_vertex_t;

// A move between two vertices that was in an edge conflict, as a literal: "a robot makes this move".
typedef struct fw_mdd_edge_t {
  int32_t from;  // node
  int32_t literal;
  int32_t next;  // next edge that ends at the same vertex; -1 for none
} fw_mdd_edge_t;

typedef struct fw_mdd_robot_t {
  int32_t distance;      // from start to goal
  int32_t excess;        // the MDD has the states up to this excess
  fw_tick_t end_tick;    // and up to this tick
  fw_list_t layers;      // by tick: the first state
  fw_list_t bounds;      // [i]: assumption literal "excess is at most excess_first + i"
  int32_t excess_first;  // of the cheapest path without other robots
  fw_list_t path;        // states by tick, from the last model in which the robot kept a bound
  bool has_path;         // the last model was such a model
} fw_mdd_robot_t;

typedef struct fw_mdd_options_t {
  bool has_layer_clauses;      // add the redundant clauses "a robot is in one of its states at each tick"
  bool excludes_whole_vertex;  // a conflict of two robots excludes it for all robots at that vertex or edge
  bool excludes_pairs;         // the second conflict of two robots excludes their conflicts at all vertices
  const int32_t * excesses;    // by robot: excess of the cheapest path without other robots
} fw_mdd_options_t;

typedef struct fw_mdd_encoding_t {
  const fw_instance_t * instance;
  fw_mdd_options_t options;
  fw_arena_t * arena;
  fw_sat_t sat;
  fw_mdd_robot_t * robots;
  fw_mdd_state_t * states;
  int32_t state_count;
  int32_t state_capacity;
  fw_mdd_vertex_t * vertices;
  int32_t vertex_count;
  int32_t vertex_capacity;
  int32_t * buckets;     // hash of node and tick: the first vertex, -1 for none
  int32_t bucket_count;  // a power of two
  fw_mdd_edge_t * edges;
  int32_t edge_count;
  int32_t edge_capacity;
  fw_list_t successors;       // states, see fw_mdd_state_t
  fw_tick_t end_tick;         // no MDD goes beyond this tick
  int32_t horizon;            // assumption literal: all robots are on their goals by then
  fw_list_t clause;           // under construction
  uint8_t * conflict_counts;  // by robot and robot of higher number: conflicts since all of theirs were excluded
  // The decision callback completes the paths of one robot after another.
  int32_t completed_robots;  // robots 0 … n-1 have complete paths
  int64_t completed_turn;    // the solver's backjump count at that time; -1: start again
  bool has_decided;          // a decision was made since robot 0
} fw_mdd_encoding_t;

// Memory comes from `arena`; `instance` must stay. False when the meter has stopped the work or memory has run out.
// The encoding must not move after it: the solver's callback points to it.
bool fw__mdd_init(
  fw_mdd_encoding_t * mdd, fw_arena_t * arena, const fw_instance_t * instance, const fw_mdd_options_t * options);
// Adds a bound that is one higher for a robot, with the states for it. False as above.
bool fw__mdd_raise_bound(fw_mdd_encoding_t * mdd, int32_t robot);
// All robots may take `ticks` longer, under a new horizon literal. False as above.
bool fw__mdd_extend_horizon(fw_mdd_encoding_t * mdd, fw_tick_t ticks);

// The assumption literal of the robot's highest bound.
static inline int32_t fw__mdd_bound(const fw_mdd_encoding_t * mdd, int32_t robot)
{
  const fw_list_t * bounds = &mdd->robots[robot].bounds;
  FW_ASSERT(bounds->count > 0);
  return bounds->items[bounds->count - 1];
}

// Takes the paths out of the solver's model. Check fw__arena_has_failed() before they are used.
void fw__mdd_read_model(fw_mdd_encoding_t * mdd);
// Adds clauses against the conflicts between the paths of the last model. Returns the number of conflicts.
// Check fw__arena_has_failed() afterwards.
int32_t fw__mdd_exclude_conflicts(fw_mdd_encoding_t * mdd);

// For assertions: indices are in range, each state is in the lists of its vertex and of its layer, successors are one
// tick later and belong to the same robot.
bool fw__mdd_validate(const fw_mdd_encoding_t * mdd);

#endif  // PLANNER__LAZY_SAT__MDD_ENCODING_H_
