// Pictures of a plan: a still picture as SVG, and a page (HTML player) that plays one plan or two side by side.
//
// Everything is written to a stream of the caller. FW_RET_FILE if writing fails. Thread-safe for different streams.

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
  // Whether to show the moment `at`, a tick from 0 to the last one of the plan. The picture shows the robots where they
  // are then, the paths behind them faint and the paths ahead strong; the page opens at that tick, paused.
  bool has_moment;
  fw_tick_t at;
  // Ticks after the moment that are the window; 0: all that follow (in the page: its own default). The picture draws
  // the path after the window as a thin dashed line to the goal.
  fw_tick_t window;
  // Shows the cells that a robot covers in the window, or that stay reserved for `robust_ticks` after it has left them,
  // in the robot's colour and with the ticks. A picture needs a moment for this; the page opens with that layer on.
  bool shows_reservations;
} fw_view_options_t;

// Writes a still picture (SVG): the grid, closed cells with their ticks, each robot's path from start to goal, and a
// dot where it waits, with the number of ticks. A robot with a heading has a nose, and footprints are drawn at their
// headings. A path that ends before its goal is continued, dashed, along a shortest path. If fw_check_plan finds a
// conflict, the picture states it and marks it with a ring.
FW_API FW_MUST_USE fw_ret_t fw_view_svg(
  const fw_problem_t * problem, const fw_plan_t * plan, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error);
// Writes one HTML file that plays the plan in any browser, without network access: play, pause, speed, scrub, follow a
// robot, and layers of reservations, waits, closures and paths. A conflict that fw_check_plan finds is marked on the
// time line and on the map.
FW_API FW_MUST_USE fw_ret_t fw_view_html(
  const fw_problem_t * problem, const fw_plan_t * plan, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error);

// One of the plans on a page.
typedef struct fw_view_plan_t {
  const fw_problem_t * problem;
  const fw_plan_t * plan;
  const char * name;  // its title; may be NULL
} fw_view_plan_t;

enum { FW_VIEW_PLANS_MAX = 2 };

// Writes a page with `plan_count` plans, 1 to FW_VIEW_PLANS_MAX, on one time line, each with its own statistics. The
// plans must be for the same map; robots with the same index have the same colour. A moment may be any tick of the
// longest plan.
FW_API FW_MUST_USE fw_ret_t fw_view_html_plans(
  const fw_view_plan_t * plans, int32_t plan_count, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__VIEW_H_
