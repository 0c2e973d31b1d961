// Every question to the planner and its answer in a file, for `fleetweave replay`: parameter `record`.
// Belongs to the worker's thread once that has begun.

#ifndef ROS__PLANNER_NODE__RECORDING_H_
#define ROS__PLANNER_NODE__RECORDING_H_

#include "ros/planner_node/settings.h"
#include "plan/recorder.h"

typedef struct recording_t {
  fw__recorder_t recorder;
  fw__stopwatch_t watch;
  const char * logger;
  bool is_on;
  bool was_full;
} recording_t;

// Does nothing if the settings name no file. One that cannot be written is logged, and nothing is recorded.
void recording_open(recording_t * recording, const node_settings_t * settings, const char * logger);
void recording_close(recording_t * recording);
// The planner was made anew.
void recording_forget_planner(recording_t * recording);

typedef struct recorded_solve_t {
  fw_planner_t * planner;
  const node_planner_choice_t * choice;
  const fw_problem_t * problem;
  const fw_budget_t * budget;
} recorded_solve_t;

// As fw_planner_solve.
fw_ret_t recording_solve(recording_t * recording, const recorded_solve_t * solve, fw_plan_t * plan, fw_error_t * error);

#endif  // ROS__PLANNER_NODE__RECORDING_H_
