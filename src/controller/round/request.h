// A planning request: one round's problem, as a value that nobody changes while the worker solves it.
//
// An agent is a robot that takes part in a round, as in the MAPF literature. An agent that is parked, or has no goal,
// has its parking cell as goal: it stays there or near there while the others drive.
//
// Memory: functions that add to a request do not return a failure. They set `has_failed` and drop what they could not
// add; the round checks it once, when the request is written.

#ifndef CONTROLLER__ROUND__REQUEST_H_
#define CONTROLLER__ROUND__REQUEST_H_

#include "controller/map/areas.h"
#include "controller/body.h"

// ---- cell owners: which robot has taken which cell, while starts and goals are assigned

typedef struct fw_cell_owners_t {
  int32_t * owners;  // by cell: the robot's index plus 1, 0 if the cell is not taken
  int32_t cell_count;
  fw_cell_t * cells;  // that are taken
  int32_t count;
  int32_t capacity;
  bool has_failed;  // an allocation failed since the last reset
} fw_cell_owners_t;

// Gives the robot those cells of a body that are not taken yet.
void fw__cell_owners_add(fw_cell_owners_t * owners, const fw_grid_t * grid, fw_placed_body_t placed, int32_t robot);
void fw__cell_owners_add_cell(fw_cell_owners_t * owners, fw_cell_t cell, int32_t robot);
// The robot that has taken one of these cells, -1 if none has.
int32_t fw__cell_owners_find(const fw_cell_owners_t * owners, const fw_grid_t * grid, fw_placed_body_t placed);

// ---- the request

typedef struct fw_round_agent_t {
  int32_t robot;  // index in the fleet
  fw_robot_body_t body;
  fw_grid_pose_t start;
  fw_tick_t arrives;    // above 0: at the epoch it is on its way to the start, coming from `from`
  fw_grid_pose_t from;  // if `arrives` is above 0
  fw_cell_t goal;       // FW_CELL_NONE: it has none
  fw_cell_t parking;    // its goal while it is parked or has no goal: its start, or near it if that closes forever
  bool is_kept_out;     // it stands inside a keepout
  bool stays_inside;    // and stays there in this round
  bool makes_room;      // for one that must leave, and parks where this one stands
  bool must_leave;      // another waits for its start; without a goal it parks elsewhere
  int32_t priority;
  uint64_t goal_order;     // of two agents with one goal, the lower number gets it
  bool follows_schedule;   // until the epoch it continues on its timed path
  bool is_parked;          // it is not planned to its goal in this round
  fw_fault_t fault;        // why it is parked, or why it will not arrive
  int32_t other;           // the robot in its way, index in the fleet; -1: none
  int32_t closure_source;  // the source of closures in its way; -1: none
  int32_t tail_first;      // its tail in the request's list; see partial.h
  int32_t tail_length;     // 0: it has none
  bool is_kept;            // in a partial round: it keeps its tail
} fw_round_agent_t;

// The tails of all agents one behind the other, by tick.
typedef struct fw_round_tails_t {
  fw_cell_t * cells;
  uint8_t * headings;  // 0 for agents without
  int32_t count;
  int32_t capacity;
} fw_round_tails_t;

typedef struct fw_round_request_t {
  fw_grid_t grid;  // the map, with robots that cannot move as obstacles
  fw_map_frame_t frame;
  int64_t map_revision;
  fw_round_agent_t * agents;
  fw_robot_t * robots;      // written by fw__round_request_problem
  fw_cell_owners_t owners;  // of starts while these are written, then of where agents want to stay
  int32_t count;
  int32_t capacity;
  fw_closure_t * closures;  // in ticks; see request_closures.h
  int32_t closure_count;
  int32_t closure_capacity;
  fw_round_tails_t tails;
  bool may_be_partial;  // agents whose plan is not concerned may keep it: see partial.h
  int64_t partial_expansions_max;
  bool has_failed;           // an allocation failed while it was written
  int64_t closure_revision;  // of the fw_closure_sources_t that it knows
  int64_t blocked_revision;  // of the fw_blocked_cells_t that it knows
  int32_t connectivity;
  bool cuts_corners;
  int32_t robust_ticks;
  double time_limit;       // seconds
  int64_t expansions_max;  // of one solve; 0: no limit
  fw_planner_choice_t planner;
  bool has_windows;  // the planner can plan window by window (fw_planner_def_t: goes_on)
  int64_t epoch_ns;  // ROS time of tick 0
  int64_t tick_ns;
  bool epoch_is_movable;  // no robot drives and no stamp counts: the epoch may still be postponed
  // For planners with a rolling horizon, as in fw_problem_t: how many ticks to plan, and how many ticks of the
  // planner's last plan will have been driven at the epoch (0: no warm start).
  fw_tick_t horizon;
  fw_tick_t since;
} fw_round_request_t;

static inline bool fw__round_request_is_windowed(const fw_round_request_t * request)
{
  return request->horizon > 0 && request->has_windows;
}

// Empties the request, copies the grid and makes room for `capacity` agents. False if there is no memory.
bool fw__round_request_reset(fw_round_request_t * request, const fw_grid_t * grid, int32_t capacity);
void fw__round_request_fini(fw_round_request_t * request);
// Makes `copy`, which may hold an older one, a deep copy. False if there is no memory; `copy` is then empty.
bool fw__round_request_copy(fw_round_request_t * copy, const fw_round_request_t * request);
bool fw__round_request_has_failed(const fw_round_request_t * request);

// Adds an agent and takes all cells that it covers at its start and on the way there.
void fw__round_request_add_agent(fw_round_request_t * request, const fw_round_agent_t * agent);
// Copies the tail of an agent, which has none yet.
void fw__round_request_add_tail(fw_round_request_t * request, fw_round_agent_t * agent, const fw_path_t * tail);
// A view of an agent's tail; length 0: it has none.
fw_path_t fw__round_request_tail(const fw_round_request_t * request, const fw_round_agent_t * agent);
// Parks agents until no two want one cell, counting those that stay where they are. Of two agents the one with the
// older goal goes; an agent without goal stays in any case. Parked agents get fault 206 and `other`.
void fw__round_request_resolve_goal_conflicts(fw_round_request_t * request);
// Undoes that: goal conflicts belong to one choice of parked agents, and the next choice starts without them.
void fw__round_request_forget_goal_conflicts(fw_round_request_t * request);
// Parks agents whose goal is in another connected component of the floor, with fault 208. Returns how many, -1 if there
// is no memory.
int32_t fw__round_request_park_unreachable(fw_round_request_t * request);
// The problem for the planner; it borrows from the request.
fw_problem_t fw__round_request_problem(fw_round_request_t * request);

#endif  // CONTROLLER__ROUND__REQUEST_H_
