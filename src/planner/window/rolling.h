// Rolling horizon: the window that `whca` keeps from one solve to the next, so that the next solve starts warm
// (`since` in fw_problem_t).
//
// The window has memory of its own: a copy of the map, and slots for robots, some of them empty. Each further problem
// is compared with it: robots that are missing are taken out, new ones are put into empty slots, goals and priorities
// are updated, and all other plans stay. Where that is impossible (another map, other rules, no empty slot, a new robot
// on a place that another one is about to enter), the window begins anew.

#ifndef PLANNER__WINDOW__ROLLING_H_
#define PLANNER__WINDOW__ROLLING_H_

#include "planner/window/window.h"

typedef struct fw_rolling_t {
  fw_arena_t arena;  // of the present window
  bool is_running;   // the next solve may go on with the window
  fw_window_t window;
  fw_window_options_t options;
  fw_fleet_t fleet;
  fw_grid_t grid;        // a copy
  fw_problem_t problem;  // with slots for robots; closures in ticks of the window
  fw_robot_t * robots;   // the slots; start < 0 where empty
  int32_t * ids;         // by slot
  bool * is_unproved;    // by slot: the budget ended before it was known whether the robot can reach its new goal
  int32_t * slot_of;     // by robot of the present problem
} fw_rolling_t;

// `keep` provides the memory limit and outlives it.
void fw__rolling_init(fw_rolling_t * rolling, fw_arena_t * keep);
void fw__rolling_fini(fw_rolling_t * rolling);

// One solve.
typedef struct fw_rolling_request_t {
  fw_planner_context_t * context;
  const fw_problem_t * problem;
  fw_window_options_t options;
} fw_rolling_request_t;

// Makes the window ready for the problem, warm or cold. `slot_of` lives in the context's scratch arena.
fw_fleet_state_t fw__rolling_begin(fw_rolling_t * rolling, const fw_rolling_request_t * request, fw_error_t * error);

#endif  // PLANNER__WINDOW__ROLLING_H_
