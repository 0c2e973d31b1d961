// Earliest departures: for each cell that a robot covers, the earliest tick at which it can have left that cell,
// whatever is planned.
//
// A robot of one cell that moves in one tick can leave in the tick in which another robot arrives. A large, slow or
// turning robot needs longer: a square of three by three cells that faces south leaves its southern row after three
// ticks, one that must turn first leaves later, and one that can neither move nor turn never leaves. A path that needs
// one of these cells earlier is impossible at any price. So each robot's departures are computed, alone on the map, and
// the reservation table treats the cells as fixed until then.

#ifndef PLANNER__WINDOW__DEPARTURE_H_
#define PLANNER__WINDOW__DEPARTURE_H_

#include "planner/window/window.h"

// Also lets the window's reservation table refer to the departures. False when there is no memory.
bool fw__departures_init(fw_window_t * window);

// Time has passed or robots have changed: the departures must be updated before they are needed again.
static inline void fw__departures_expire(fw_window_t * window) { window->departures.are_current = false; }

// Brings the departures of all robots up to date, if they are not. False if the meter has stopped, also when there is
// no memory.
bool fw__departures_update(fw_window_t * window);

#endif  // PLANNER__WINDOW__DEPARTURE_H_
