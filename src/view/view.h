// What the SVG picture and the HTML player share: checks of the input, the part of a plan that is visible, and the
// verdict of the plan checker. The entrance of this folder is fleetweave/view.h.

#ifndef VIEW__VIEW_H_
#define VIEW__VIEW_H_

#include "fleetweave/view.h"

// Checks what drawing relies on: a path for each robot, cells and closures inside the grid, valid headings. Conflicts
// are allowed.
FW_MUST_USE fw_ret_t fw__view_check_plan(const fw_problem_t * problem, const fw_plan_t * plan, fw_error_t * error);

// The last visible tick: the end of the longest path, or `safe_until` of an unsolved plan if that comes first.
fw_tick_t fw__view_last_tick(const fw_plan_t * plan);

// The tick from which the path stays on its goal up to tick `end`; -1 if it is elsewhere at `end`.
fw_tick_t fw__view_arrival(const fw_path_t * path, fw_cell_t goal, fw_tick_t end);

// What fw_check_plan says of a plan.
typedef struct fw_plan_verdict_t {
  fw_conflict_t conflict;  // the first one; kind FW_CONFLICT_NONE if there is none or the problem is invalid
  char text[320];          // "conflict (swap): robots …"; empty for a correct plan
} fw_plan_verdict_t;

// Runs the checker. FW_RET_BAD_ALLOC is the only failure: an invalid problem is a verdict.
FW_MUST_USE fw_ret_t
fw__view_verdict(const fw_problem_t * problem, const fw_plan_t * plan, fw_plan_verdict_t * verdict, fw_error_t * error);

// Checks that `at` is between 0 and the last tick `end`, and that the window is not negative.
FW_MUST_USE fw_ret_t fw__view_check_options(const fw_view_options_t * options, fw_tick_t end, fw_error_t * error);

// The title of the options, or "Fleetweave". Options may be NULL.
const char * fw__view_title(const fw_view_options_t * options);

// The direction of a cell of one way, as a unit vector with y downwards: away from those that are forbidden. False if
// it has none.
bool fw__view_one_way(const fw_grid_t * grid, fw_cell_t cell, double * dx, double * dy);

#endif  // VIEW__VIEW_H_
