// What a picture shows of a plan; the same for the still and the moving one.

#ifndef VIEW__VIEW_H_
#define VIEW__VIEW_H_

#include "fleetweave/view.h"

// A path for each robot, cells and closures inside the grid, headings that there are: what drawing relies on.
FW_MUST_USE fw_ret_t fw__view_check_plan(const fw_problem_t * problem, const fw_plan_t * plan, fw_error_t * error);

// The last tick: the end of the longest path, or how far the plan is safe if that comes first.
fw_tick_t fw__view_last_tick(const fw_plan_t * plan);

// The tick from which a path reservations on its goal, -1 if it is elsewhere at tick `end`.
fw_tick_t fw__view_arrival(const fw_path_t * path, fw_cell_t goal, fw_tick_t end);

// What `fleetweave check` has against a plan.
typedef struct fw_plan_verdict_t {
  fw_conflict_t conflict;  // the first; kind FW_CONFLICT_NONE if there is none, or if the problem itself is not right
  char text[320];          // "conflict (swap): robots …"; empty if there is nothing to say
} fw_plan_verdict_t;

// Fails for want of memory alone.
FW_MUST_USE fw_ret_t
fw__view_verdict(const fw_problem_t * problem, const fw_plan_t * plan, fw_plan_verdict_t * verdict, fw_error_t * error);

// The moment is one of the plan, whose last tick is `end`; the window is not negative.
FW_MUST_USE fw_ret_t fw__view_check_options(const fw_view_options_t * options, fw_tick_t end, fw_error_t * error);

const char * fw__view_title(const fw_view_options_t * options);  // options may be NULL

#endif  // VIEW__VIEW_H_
