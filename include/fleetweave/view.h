// Pictures of a plan.

#ifndef FLEETWEAVE__VIEW_H_
#define FLEETWEAVE__VIEW_H_

#include <stdio.h>

#include "fleetweave/fleetweave.h"

#ifdef __cplusplus
extern "C" {
#endif

// `{0}` is a picture of the whole plan, or a page that begins at tick 0.
typedef struct fw_view_options_t {
  const char * title;       // NULL: "Fleetweave"
  double seconds_per_tick;  // for the clock of the page; 0 is read as 1
  // A moment. The picture shows the robots where they are at tick `at`, the way behind them faint and the way ahead
  // strong; the page opens there, paused. `at` is between 0 and the last tick of the plan.
  bool has_moment;
  fw_tick_t at;
  // How many ticks behind the moment count as the window; 0 is all that the plan has (in the page: its own choice). The
  // picture draws what lies behind the window as a thin dashed line to the goal.
  fw_tick_t window;
  // Cells that somebody will cover in the window, or keeps for `robust_ticks` after leaving them: in the robot's colour,
  // with the ticks. A picture must have a moment for this; the page opens with that layer on.
  bool shows_reservations;
} fw_view_options_t;

// A still picture: the grid, closed cells with their ticks, each robot's path from start to goal, and a dot where it
// waits with the number of ticks. A robot that turns has a nose, and a footprint is drawn as it lies. A path that ends
// before its goal is drawn on, dashed, along the shortest way. What fw_check_plan has against the plan is said, and ringed.
FW_API FW_MUST_USE fw_ret_t fw_view_svg(
  const fw_problem_t * problem, const fw_plan_t * plan, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error);
// One file that plays the plan in any browser, without the network: play, pause, speed, scrub, follow a robot, and layers
// of reservations, waits, closures and paths. The conflict that fw_check_plan finds is marked in time and place.
FW_API FW_MUST_USE fw_ret_t fw_view_html(
  const fw_problem_t * problem, const fw_plan_t * plan, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error);

// A plan beside another one.
typedef struct fw_view_plan_t {
  const fw_problem_t * problem;
  const fw_plan_t * plan;
  const char * name;  // stands above it; may be NULL
} fw_view_plan_t;

enum { FW_VIEW_PLANS_MAX = 2 };

// The page for `plan_count` plans, 1 or 2, on one time line, each with its own figures. They must be for the same map;
// robots of one index have one colour. A moment may be any tick of the longest.
FW_API FW_MUST_USE fw_ret_t fw_view_html_plans(
  const fw_view_plan_t * plans, int32_t plan_count, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__VIEW_H_
