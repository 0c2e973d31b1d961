// One round's question: a snapshot that the worker thread owns while it solves.
//
// An entrant is a robot that takes part. One that is held, or wants nothing, has its home as goal.

#ifndef ROS__PLANNER_NODE__JOB_H_
#define ROS__PLANNER_NODE__JOB_H_

#include "ros/planner_node/body.h"
#include "ros/planner_node/claims.h"
#include "ros/planner_node/settings.h"

typedef struct entrant_t {
  int32_t robot;  // index in the fleet
  body_t body;
  place_t start;
  fw_tick_t arrives;  // above 0: it is on its way to the start at the epoch, and comes from `from`
  place_t from;
  fw_cell_t goal;  // FW_CELL_NONE: wants nothing
  fw_cell_t home;  // where it stays if it is held or wants nothing: its start, or near it if that is closed for good
  int32_t priority;
  uint64_t goal_order;
  bool follows;  // until the epoch it goes on along its old track
  bool is_held;
  fw_fault_t fault;  // why it is held, or why it will not arrive
  int32_t other;     // the robot in its way, index in the fleet, -1 if none
  int32_t closer;    // the source of closures that is in its way, -1 if none
} entrant_t;

typedef struct job_t {
  fw_grid_t grid;  // the map with robots that cannot move as obstacles
  frame_t frame;
  int64_t map_revision;
  entrant_t * entrants;
  fw_robot_t * robots;  // filled by job_pose from the entrants
  claims_t claims;      // of starts while they are written, then of where entrants want to stay
  int32_t count;
  int32_t capacity;
  fw_closure_t * closures;  // job_closures.h
  int32_t closure_count;
  int32_t closure_capacity;
  int64_t closure_revision;  // of the closures_t that they come from
  int64_t blocked_revision;  // of the blocked_t that it knows of
  int32_t connectivity;
  int32_t robust_ticks;
  double time_limit;
  node_planner_choice_t planner;
  int64_t epoch_ns;  // ROS time of tick 0
  int64_t tick_ns;
  bool is_movable;  // nobody drives and no stamp counts: the epoch may still be put off
  // For planners that go window by window, as in fw_problem_t: how far to plan, and how much of this planner's last plan
  // will have been driven at the epoch.
  fw_tick_t horizon;
  fw_tick_t since;
} job_t;

static inline bool job_goes_by_windows(const job_t * job) { return job->horizon > 0 && job->planner.has_windows; }

// Empties the job and makes room. False if there is no memory.
bool job_reset(job_t * job, const fw_grid_t * grid, int32_t capacity);
void job_fini(job_t * job);

// Takes all that an entrant covers at its start and on the way there.
bool job_claim_start(job_t * job, const entrant_t * entrant);
// Holds entrants until no two want one cell, counting those who stay where they are: of two the one whose goal is
// older goes, and who has no goal stays in any case. Sets fault 206 and `other`.
void job_settle(job_t * job);
// The problem as it stands; borrows from the job.
fw_problem_t job_pose(job_t * job);
// Holds whoever has no way to the goal at all, with fault 208. How many, or -1 if there is no memory.
int32_t job_hold_unreachable(job_t * job);

#endif  // ROS__PLANNER_NODE__JOB_H_
