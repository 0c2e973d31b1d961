// Pictures of a plan.

#ifndef FLEETWEAVE__VIEW_H_
#define FLEETWEAVE__VIEW_H_

#include <stdio.h>

#include "fleetweave/fleetweave.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct fw_view_options_t {
  const char * title;       // NULL: "Fleetweave"
  double seconds_per_tick;  // for the clock of the page; 0 is read as 1
} fw_view_options_t;

// A still picture: the grid, each robot's path from start to goal.
FW_MUST_USE fw_ret_t fw_view_svg(
  const fw_problem_t * problem, const fw_plan_t * plan, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error);
// One file that plays the plan in any browser, without the network: play, pause, speed, scrub, follow a robot.
FW_MUST_USE fw_ret_t fw_view_html(
  const fw_problem_t * problem, const fw_plan_t * plan, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error);

#ifdef __cplusplus
}
#endif

#endif  // FLEETWEAVE__VIEW_H_
