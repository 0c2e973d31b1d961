// A planning request: one round's problem, as a snapshot that the worker thread owns while it solves.
//
// An agent is a robot that takes part in a round, as in the MAPF literature. An agent that is parked, or has no goal,
// has its parking cell as goal: it stays there or near there while the others drive.
//
// Memory: functions that add to a request do not return a failure. They set `has_failed` and drop what they could not
// add; the round checks it once, when the request is written.

#ifndef ROS__PLANNER_NODE__CONTROLLER__REQUEST_H_
#define ROS__PLANNER_NODE__CONTROLLER__REQUEST_H_

#include "ros/planner_node/controller/body.h"
#include "ros/planner_node/settings.h"

// ---- cell owners: which robot has taken which cell, while starts and goals are assigned

typedef struct node_cell_owners_t {
  int32_t * owners;  // by cell: the robot's index plus 1, 0 if the cell is not taken
  int32_t cell_count;
  fw_cell_t * cells;  // that are taken
  int32_t count;
  int32_t capacity;
  bool has_failed;  // an allocation failed since the last reset
} node_cell_owners_t;

// Gives the robot those cells of a body that are not taken yet.
void node_cell_owners_add(node_cell_owners_t * owners, const fw_grid_t * grid, node_placed_t placed, int32_t robot);
void node_cell_owners_add_cell(node_cell_owners_t * owners, fw_cell_t cell, int32_t robot);
// The robot that has taken one of these cells, -1 if none has.
int32_t node_cell_owners_find(const node_cell_owners_t * owners, const fw_grid_t * grid, node_placed_t placed);

// ---- the request

typedef struct node_agent_t {
  int32_t robot;  // index in the fleet
  node_body_t body;
  node_place_t start;
  fw_tick_t arrives;  // above 0: at the epoch it is on its way to the start, coming from `from`
  node_place_t from;  // if `arrives` is above 0
  fw_cell_t goal;     // FW_CELL_NONE: it has none
  fw_cell_t parking;  // its goal while it is parked or has no goal: its start, or near it if that closes forever
  int32_t priority;
  uint64_t goal_order;     // of two agents with one goal, the lower number gets it
  bool follows_schedule;   // until the epoch it continues on its timed path
  bool is_parked;          // it is not planned to its goal in this round
  fw_fault_t fault;        // why it is parked, or why it will not arrive
  int32_t other;           // the robot in its way, index in the fleet; -1: none
  int32_t closure_source;  // the source of closures in its way; -1: none
} node_agent_t;

typedef struct node_request_t {
  fw_grid_t grid;  // the map, with robots that cannot move as obstacles
  node_frame_t frame;
  int64_t map_revision;
  node_agent_t * agents;
  fw_robot_t * robots;        // written by node_request_problem
  node_cell_owners_t owners;  // of starts while these are written, then of where agents want to stay
  int32_t count;
  int32_t capacity;
  fw_closure_t * closures;  // in ticks; see request_closures.h
  int32_t closure_count;
  int32_t closure_capacity;
  bool has_failed;           // an allocation failed while it was written
  int64_t closure_revision;  // of the node_closures_t that it knows
  int64_t blocked_revision;  // of the node_blocked_t that it knows
  int32_t connectivity;
  int32_t robust_ticks;
  double time_limit;  // seconds
  node_planner_choice_t planner;
  int64_t epoch_ns;  // ROS time of tick 0
  int64_t tick_ns;
  bool epoch_is_movable;  // no robot drives and no stamp counts: the epoch may still be postponed
  // For planners with a rolling horizon, as in fw_problem_t: how many ticks to plan, and how many ticks of the
  // planner's last plan will have been driven at the epoch (0: no warm start).
  fw_tick_t horizon;
  fw_tick_t since;
} node_request_t;

static inline bool node_request_is_windowed(const node_request_t * request)
{
  return request->horizon > 0 && request->planner.has_windows;
}

// Empties the request, copies the grid and makes room for `capacity` agents. False if there is no memory.
bool node_request_reset(node_request_t * request, const fw_grid_t * grid, int32_t capacity);
void node_request_fini(node_request_t * request);
bool node_request_has_failed(const node_request_t * request);

// Adds an agent and takes all cells that it covers at its start and on the way there.
void node_request_add_agent(node_request_t * request, const node_agent_t * agent);
// Parks agents until no two want one cell, counting those that stay where they are. Of two agents the one with the
// older goal goes; an agent without goal stays in any case. Parked agents get fault 206 and `other`.
void node_request_resolve_goal_conflicts(node_request_t * request);
// Parks agents whose goal is in another connected component of the floor, with fault 208. Returns how many, -1 if there
// is no memory.
int32_t node_request_park_unreachable(node_request_t * request);
// The problem for the planner; it borrows from the request.
fw_problem_t node_request_problem(node_request_t * request);

#endif  // ROS__PLANNER_NODE__CONTROLLER__REQUEST_H_
