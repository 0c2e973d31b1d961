// How long robots hold the cells that they are on: nobody else can have those before, whatever is planned.
//
// A robot of one cell and one tick per move is gone in the tick in which another comes. A large, slow or turning one takes
// its time: a square of three cells that faces south leaves its southern row after three ticks, one that has to turn first
// leaves later, and one that can neither go on nor turn never leaves. Who plans through it before that asks for what
// cannot be, and no price changes it. So each robot's holds are worked out, alone on the map, and the table counts them
// as fixed.

#ifndef PLANNER__WINDOW__WINDOW_HOLD_H_
#define PLANNER__WINDOW__WINDOW_HOLD_H_

#include "planner/window/window.h"

// False when there is no memory.
bool fw__window_holds_init(fw_window_t * window);

// A new tick, or something has changed: holds are to be looked at again before they are needed.
static inline void fw__window_holds_expire(fw_window_t * window) { window->holds.are_known = false; }

// Makes the table know what every robot holds, if it does not yet. False when there is no memory.
bool fw__window_holds_know(fw_window_t * window);

#endif  // PLANNER__WINDOW__WINDOW_HOLD_H_
