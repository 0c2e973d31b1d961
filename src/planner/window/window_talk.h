// A robot that comes no nearer looks farther, and negotiates a way to its goal with all who are in it.

#ifndef PLANNER__WINDOW__WINDOW_TALK_H_
#define PLANNER__WINDOW__WINDOW_TALK_H_

#include "planner/window/window.h"

// A robot that plans from no nearer than before is in trouble; it negotiates when its patience is at an end, and from
// then on after twice the time. To be asked once each time that it plans.
bool fw__window_is_patience_over(fw_window_t * window, int32_t robot);

// Everybody who is asked to make way finds another way to the goal, or asks in turn. False: nothing has changed.
bool fw__window_negotiate(fw_window_t * window, int32_t robot);

#endif  // PLANNER__WINDOW__WINDOW_TALK_H_
