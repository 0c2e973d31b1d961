// The inside of an execution: the dependency graph in force, where each robot is on it, and how far each may drive.
//
//   report --> progress.c -- a robot reached nodes --> release.c -- released paths grow --> list of changed robots
//   update --> execution.c -- states --> retiming.c -- expected times
//   cut, splice --> splice.c -- the next graph, whole or not at all (dependency_graph.c)
//
// Words: a node is *reached* when its robot has been there, and *released* when its robot may drive there. The cells of
// released motions that the robot has not left are *reserved* for it. A robot *waits* at the end of its release.
//
// To change how a release is computed: release.c, this header and test_execution_release.c.

#ifndef EXECUTION__EXECUTION_H_
#define EXECUTION__EXECUTION_H_

#include "base/assert.h"
#include "execution/dependency_graph.h"

// One robot. Slots are indexed by the caller's robot numbers; a slot may be empty. Nodes are counted on the robot's
// path in the graph in force; the caller's waypoint numbers are `base` more.
//
//   0 ... settled ... reached ... stop_at ... released ... release_limit ... end
//                     `fraction` of the motion after `reached`
typedef struct fw_robot_slot_t {
  bool is_present;
  // Removed since the last splice. Its nodes stay in the graph until the next one, because others may depend on robots
  // on which it depended; each counts as reached as soon as its own dependencies are met.
  bool is_removed;
  bool is_withdrawn;  // gives its release back with the next splice
  bool is_held;       // nothing more is released to it
  bool is_off_path;
  bool is_stale;
  bool is_changed;  // in the list of changed robots
  bool is_queued;   // in the release queue
  int32_t base;
  int32_t reached;
  // Up to here its nodes are reached, and so is everything on which they depend: `reached`, or less after a robot of a
  // ring was faster than another. Others depend on this, since dependencies are not repeated: who enters a cell depends
  // only on the robot that was there before.
  int32_t settled;
  int32_t stop_at;                 // how far it may drive: `released`, or less before an obstacle
  int32_t released;                // how far space is reserved for it
  int32_t release_limit;           // nothing behind it is released: the cut, or the end
  double fraction;                 // 0 to 1
  double off_path;                 // cells beside its released path
  fw_execution_measure_t measure;  // the last one
  double joined;                   // time at which it was added
  int32_t generation;              // counts how often it has been added
  double progress_time;            // when it last made progress, or was released from a stop
  double pace;                     // factor of planned durations, for expected times
  int32_t gaps;                    // how often it was stale
  fw_execution_state_t state;
  double since;  // when it came into that state
} fw_robot_slot_t;

// What is on a cell that the plan does not know.
enum { FW_CELL_FREE, FW_CELL_BLOCKED, FW_CELL_EXIT };

struct fw_execution_impl_t {
  fw_execution_options_t options;
  fw_memory_t memory;
  fw_arena_t keep;                  // what lasts as long as the execution
  fw_arena_t scratch;               // during one splice
  fw_dependency_graph_t graphs[2];  // one in force, one in which the next is built
  int32_t active;                   // index of the one in force
  fw_robot_slot_t * slots;
  int32_t slot_count;
  int32_t slot_capacity;
  int32_t * queue;  // ring buffer of robots whose release may grow
  int32_t queue_first;
  int32_t queue_count;
  int32_t * changed[2];  // [0] is being filled, [1] the caller reads
  int32_t changed_count;
  fw_execution_end_t * ends;  // of the last cut
  int32_t off_path_count;     // robots that are off their path
  bool is_cut;
  bool is_paused;
  uint8_t * blocked;      // by cell: FW_CELL_FREE, an obstacle, or one for robots that come from outside
  int32_t blocked_cells;  // how many cells `blocked` has room for
  bool has_obstacles;     // false: `blocked` is 0 everywhere, or of another grid
  bool has_blocked;       // `blocked` is of the present grid
  bool has_closures;      // some plan had closures: releases depend on the time too
  double now;             // the latest time of any report or update
  int64_t splices;
  int64_t retimed;
};
typedef struct fw_execution_impl_t fw_execution_impl_t;

static inline fw_dependency_graph_t * fw__execution_graph(fw_execution_impl_t * execution)
{
  return &execution->graphs[execution->active];
}
static inline const fw_dependency_graph_t * fw__execution_graph_const(const fw_execution_impl_t * execution)
{
  return &execution->graphs[execution->active];
}
// The slot of a robot that is present, NULL otherwise.
fw_robot_slot_t * fw__execution_slot(const fw_execution_impl_t * execution, int32_t robot);
// Has the node been reached?
static inline bool fw__execution_is_reached(const fw_execution_impl_t * execution, int32_t node)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const int32_t robot = graph->nodes[node].robot;
  return node <= graph->first[robot] + execution->slots[robot].reached;
}
// Has it, and everything on which it depends?
static inline bool fw__execution_is_settled(const fw_execution_impl_t * execution, int32_t node)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const int32_t robot = graph->nodes[node].robot;
  return node <= graph->first[robot] + execution->slots[robot].settled;
}
// The last node of a robot, counted on its path.
static inline int32_t fw__execution_end(const fw_execution_impl_t * execution, int32_t robot)
{
  return fw__dependency_graph_count(fw__execution_graph_const(execution), robot) - 1;
}
// Puts the robot into the list that fw_execution_changed returns.
void fw__execution_mark_changed(fw_execution_impl_t * execution, int32_t robot);

// Are all invariants true? The graph is valid, reached <= stop_at <= released <= end for each robot, and what is
// released is closed under dependencies: each source of a released node is reached, or rotates with it in a released
// ring. For assertions.
bool fw__execution_validate(const fw_execution_impl_t * execution);

// ---- release --------------------------------------------------------------------------------------------------------

// Why a node is not released.
typedef struct fw_wait_reason_t {
  fw_execution_wait_t wait;  // FW_EXECUTION_WAIT_NONE: it can be released
  int32_t other;             // the robot that is waited for, -1: none
  fw_cell_t cell;            // that it has to leave, or that is blocked or closed; FW_CELL_NONE: none
} fw_wait_reason_t;
fw_wait_reason_t fw__release_wait_reason(const fw_execution_impl_t * execution, int32_t robot, int32_t at);

// Robots whose release may grow go into a queue; each is in it once.
void fw__release_enqueue(fw_execution_impl_t * execution, int32_t robot);
void fw__release_enqueue_all(fw_execution_impl_t * execution);
// Those that depend on a node which has just been reached.
void fw__release_enqueue_successors(fw_execution_impl_t * execution, int32_t node);
// Extends the releases of all robots in the queue as far as possible, and empties it.
void fw__release_process_queue(fw_execution_impl_t * execution);

// The first cell of the motion to a node that is blocked by an obstacle or by a robot off its path, FW_CELL_NONE if
// none. `by` is that robot, -1 for an obstacle.
fw_cell_t fw__release_find_obstacle(const fw_execution_impl_t * execution, int32_t node, int32_t * by);
// Sets `stop_at` of all robots: before the first obstacle on the released path.
void fw__release_update_stops(fw_execution_impl_t * execution);
// True if the next motion of a robot leads back to where it was before it was withdrawn.
bool fw__release_drives_back(const fw_execution_impl_t * execution, int32_t robot);

// ---- retiming -------------------------------------------------------------------------------------------------------

// The expected time of a node that is not reached, from the expected times of the nodes before it.
double fw__retiming_expected(const fw_execution_impl_t * execution, int32_t node);
// Computes expected times again where they may have changed.
void fw__retiming_update(fw_execution_impl_t * execution);

#endif  // EXECUTION__EXECUTION_H_
