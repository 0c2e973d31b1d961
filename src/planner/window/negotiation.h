// Negotiation: a robot that makes no progress finds a path to its goal together with all robots in the way.
//
// Two robots whose goals in a narrow corridor are in the wrong order look no farther than their windows and push each
// other to and fro forever. A robot that makes no progress therefore looks farther, once: it plans a path to its goal,
// `reach` ticks deep, through whatever robots are in the way. These plan again in the same manner, through others, at
// prices that rise each time (negotiated congestion routing, as PathFinder does it for the wires of circuits), until no
// two paths conflict and all robots that took part end on their goals. If the effort is used up before, all keep their
// old plans.

#ifndef PLANNER__WINDOW__NEGOTIATION_H_
#define PLANNER__WINDOW__NEGOTIATION_H_

#include "planner/window/window.h"

// Has the robot planned `patience` times without coming nearer to its goal? Later negotiations wait for twice, four
// times and so on that many. Counts: call it once each time that the robot plans.
bool fw__negotiation_is_due(fw_window_t * window, int32_t robot);

// True: `robot` and all robots in its way have new plans. False: nothing has changed.
bool fw__negotiation_run(fw_window_t * window, int32_t robot);
// The same when the whole fleet has stopped: with one delay of the robot after another, 0 to half of `reach`, for as
// many expansions as one negotiation may use.
bool fw__negotiation_run_at_once(fw_window_t * window, int32_t robot);

#endif  // PLANNER__WINDOW__NEGOTIATION_H_
