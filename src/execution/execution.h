// An execution from inside: the graph in force, where each robot is on it, and how far it may go.

#ifndef EXECUTION__EXECUTION_H_
#define EXECUTION__EXECUTION_H_

#include "execution/graph.h"

// One robot. Nodes are counted on its way in the graph in force; the caller's numbers are `base` more.
typedef struct fw__slot_t {
  bool is_there;
  bool
    is_ghost;  // removed; goes through its way in no time, as soon as it may, since others may wait for those for whom
               // it waited; until the next splice
  bool is_withdrawn;
  bool is_off_path;
  bool is_stale;
  bool is_changed;  // in the list of changes
  bool is_queued;   // in the queue of releases
  int32_t base;
  int32_t reached;
  int32_t stop_at;
  int32_t released;
  int32_t limit;    // nothing is released behind it: the cut, or the end
  double fraction;  // of the motion after `reached`, 0 to 1
  double off_path;
  fw_execution_measure_t measure;  // the last one
  double joined;                   // when it came,
  int32_t visit;                   // counts how often it has come
  double progressed;               // when it last made progress, or got way to make some
  double pace;
  int32_t gaps;
  fw_execution_state_t state;
  double since;
} fw__slot_t;

struct fw__execution_t {
  fw_execution_options_t options;
  fw_memory_t memory;
  fw_arena_t keep;
  fw_arena_t scratch;
  fw__graph_t graphs[2];  // one in force, one in which the next is made
  int32_t active;
  fw__slot_t * slots;
  int32_t slot_count;
  int32_t slot_capacity;
  int32_t * queue;  // robots whose release may grow, a ring
  int32_t queue_first;
  int32_t queue_count;
  int32_t * changed[2];  // one being filled, one that the caller reads
  int32_t changed_count;
  fw_execution_end_t * ends;
  int32_t off_path_count;
  bool is_cut;
  bool is_paused;
  bool * blocked;         // by cell; NULL while there are no obstacles
  int32_t blocked_cells;  // how many cells `blocked` has room for
  bool has_obstacles;
  bool has_closures;
  double now;
  int64_t splices;
  int64_t retimed;
};
typedef struct fw__execution_t fw__execution_t;

static inline fw__graph_t * fw__execution_graph(fw__execution_t * execution)
{
  return &execution->graphs[execution->active];
}
static inline const fw__graph_t * fw__execution_graph_const(const fw__execution_t * execution)
{
  return &execution->graphs[execution->active];
}
// The slot of a robot that is there, NULL otherwise.
fw__slot_t * fw__execution_slot(const fw__execution_t * execution, int32_t robot);
// Has the node been reached?
static inline bool fw__execution_is_done(const fw__execution_t * execution, int32_t node)
{
  const fw__graph_t * graph = fw__execution_graph_const(execution);
  const int32_t robot = graph->nodes[node].robot;
  return node <= graph->first[robot] + execution->slots[robot].reached;
}
static inline int32_t fw__execution_end(const fw__execution_t * execution, int32_t robot)
{
  return fw__way_count(fw__execution_graph_const(execution), robot) - 1;
}

// ---- release.c ------------------------------------------------------------------------------------------------------

// What keeps a node from being released.
typedef struct fw__hold_t {
  fw_execution_wait_t wait;
  int32_t other;
  fw_cell_t cell;
} fw__hold_t;
fw__hold_t fw__release_hold(const fw__execution_t * execution, int32_t robot, int32_t at);

void fw__release_queue(fw__execution_t * execution, int32_t robot);
void fw__release_queue_all(fw__execution_t * execution);
// The robot has reached a node: those who wait for it.
void fw__release_queue_waiting(fw__execution_t * execution, int32_t node);
// Releases what can be released to those in the queue.
void fw__release_run(fw__execution_t * execution);
void fw__execution_note_change(fw__execution_t * execution, int32_t robot);

// ---- obstacles.c ----------------------------------------------------------------------------------------------------

// The first cell of the motion to a node that is blocked by an obstacle or by a robot off its path, FW_CELL_NONE if none.
// `by` is that robot, -1 for an obstacle.
fw_cell_t fw__obstacles_find(const fw__execution_t * execution, int32_t node, int32_t * by);
// Where on the released way one lies: `stop_at`, for all robots.
void fw__obstacles_find_stops(fw__execution_t * execution);

// ---- timing.c -------------------------------------------------------------------------------------------------------

// The expected time at a node that is not reached, from those of the nodes before it.
double fw__timing_of(const fw__execution_t * execution, int32_t node);
// Computes anew what has changed.
void fw__timing_run(fw__execution_t * execution);

// ---- states.c -------------------------------------------------------------------------------------------------------

void fw__states_run(fw__execution_t * execution);

// ---- cut.c ----------------------------------------------------------------------------------------------------------

// Sets the limits of all robots to the line of a cut.
void fw__cut_run(fw__execution_t * execution, double until);
void fw__cut_undo(fw__execution_t * execution);
// The pose at a robot's limit.
fw_grid_pose_t fw__cut_pose(const fw__execution_t * execution, int32_t robot);

// ---- ways.c ---------------------------------------------------------------------------------------------------------

// What is left of the old ways up to the cut, and the new ways behind, as the nodes of `making->graph`, whose problem and
// shapes are there. `paths` by slot; length 0 for those without.
typedef struct fw__ways_t {
  const fw__execution_t * execution;  // with the graph in force
  const fw_path_t * paths;
  const fw_problem_t * problem;  // for its closures
  fw_tick_t until;
  double time;
} fw__ways_t;
fw_ret_t fw__ways_lay(const fw__making_t * making, const fw__ways_t * ways);
// Is a withdrawn robot between two waypoints, so that it drives back?
static inline bool fw__slot_is_between(const fw__slot_t * slot) { return slot->fraction > 1e-6; }

#endif  // EXECUTION__EXECUTION_H_
