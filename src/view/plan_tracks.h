// A plan's paths become tracks: motions, goals, arrivals, reservations, waits and closures.

#ifndef VIEW__PLAN_TRACKS_H_
#define VIEW__PLAN_TRACKS_H_

#include "view/tracks.h"

// Fills tracks that have been made ready for as many robots, and finishes them. The problem's grid stays borrowed.
FW_MUST_USE fw_ret_t
fw__tracks_take_plan(fw__tracks_t * tracks, const fw_problem_t * problem, const fw_plan_t * plan, fw_error_t * error);

#endif  // VIEW__PLAN_TRACKS_H_
