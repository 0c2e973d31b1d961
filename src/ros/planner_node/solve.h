// From a job to an answer: the planner's plan, checked, with those robots held that nobody can plan for.

#ifndef ROS__PLANNER_NODE__SOLVE_H_
#define ROS__PLANNER_NODE__SOLVE_H_

#include "ros/planner_node/job.h"
#include "ros/planner_node/recording.h"

typedef struct answer_t {
  fw_ret_t ret;
  fw_error_t error;        // when ret is not FW_RET_OK
  fw_plan_t plan;          // a view into the planner; its robots are the job's entrants
  fw_conflict_t conflict;  // what the check found; such a plan must not be used
  char conflict_text[NODE_REASON_SIZE];
  int32_t attempts;    // solves that this took
  bool goes_on;        // it was asked for as the next part of the plan before
  int64_t elapsed_ns;  // all of them, and the check
} answer_t;

// The planner, with the file in which it is recorded what it was asked.
typedef struct solver_t {
  fw_planner_t * planner;
  recording_t * recording;
} solver_t;

// Entrants that cannot be planned for are held in the job, with a fault.
void solve(solver_t solver, job_t * job, const fw_budget_t * cancel, answer_t * answer);

#endif  // ROS__PLANNER_NODE__SOLVE_H_
