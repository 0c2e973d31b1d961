// Pictures of a plan: a still one (SVG) and a page that plays it (HTML). Both show wrong plans as well, with the
// conflict that fw_check_plan finds. `fleetweave view` is the command for it.

#ifndef FLEETWEAVE__VIEW_H_
#define FLEETWEAVE__VIEW_H_

#include <stdio.h>

#include "fleetweave/fleetweave.h"

#ifdef __cplusplus
extern "C" {
#endif

// `{0}` gives a picture of the whole plan, or a page that starts to play at tick 0.
typedef struct fw_view_options_t {
  const char * title;       // NULL: "Fleetweave"
  double seconds_per_tick;  // for the clock of the page; 0 means 1
  // With `has_moment` the picture shows the robots at tick `at`, the path behind them faint and the path ahead strong;
  // the page opens at that tick, paused. `at` is between 0 and the last tick of the plan.
  bool has_moment;
  fw_tick_t at;
  // The window: number of ticks after `at` whose reservations are shown; 0 means up to the end of the plan (in the
  // page: 8 ticks). The picture draws the path after the window as a thin dashed line to the goal.
  fw_tick_t window;
  // Shows the reservations of the window: cells that a robot covers, or keeps for `robust_ticks` after leaving them, in
  // its colour and with the ticks. A picture needs `has_moment` for this; the page opens with the layer switched on.
  bool shows_reservations;
} fw_view_options_t;

// A still picture: the grid, closed cells with their ticks, each robot's path from start to goal, and a dot with the
// number of ticks where it waits. A robot that turns has a nose; footprints are drawn rotated. A path that ends before
// its goal is continued, dashed, along the shortest path. The conflict that fw_check_plan finds is described and
// ringed.
FW_API FW_MUST_USE fw_ret_t fw_view_svg(
  const fw_problem_t * problem, const fw_plan_t * plan, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error);
// One file that plays the plan in any browser without a network: play, pause, speed, seek, follow a robot, and layers
// of reservations, waits, closures and paths. The conflict that fw_check_plan finds is marked on the time line and the
// map.
FW_API FW_MUST_USE fw_ret_t fw_view_html(
  const fw_problem_t * problem, const fw_plan_t * plan, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error);

// A plan beside another one.
typedef struct fw_view_plan_t {
  const fw_problem_t * problem;
  const fw_plan_t * plan;
  const char * name;  // heading; may be NULL
} fw_view_plan_t;

enum { FW_VIEW_PLANS_MAX = 2 };

// The page for `plan_count` plans, 1 or 2, on one time line, each with its own figures. They must be for the same map.
// Robots with the same index have the same colour. `at` may be any tick of the longest plan.
FW_API FW_MUST_USE fw_ret_t fw_view_html_plans(
  const fw_view_plan_t * plans, int32_t plan_count, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__VIEW_H_
