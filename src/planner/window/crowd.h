// What a fleet does where its robots find no paths: steps of PIBT (planner/lacam/pibt.h), which always exist, however
// crowded the floor is. With a rolling horizon they are the floor under every round: when a plan ends and there is no
// other, or when the effort of the round is used up, all robots get places for some ticks more, and keep moving.
//
// A robot keeps to its plan as long as nobody pushes it off: its next planned place is its first wish. Robots whose
// plan has ended, and those that were pushed, go where the distances lead them.
//
//   plans        0 → → → → →       1 · (ended)       2 ↑ ↑ ↑ ↑
//   after steps  0 → → → → → kept  1 ← ← ← ←         2 · ↑ ↑ ↑   (let 1 pass; its plan ends with the steps)

#ifndef PLANNER__WINDOW__CROWD_H_
#define PLANNER__WINDOW__CROWD_H_

#include "planner/window/window.h"

// Memory for steps, in the window's arena. False when there is no memory.
bool fw__crowd_init(fw_window_t * window);

// Whether the fleet's robots can make such steps: one cell, one tick per move, no heading, no rules of traffic.
bool fw__crowd_can_step(const fw_window_t * window);

// Plans up to `ticks` steps for all robots. Afterwards every plan lasts until the last of them; plans that were not
// disturbed stay as they were. No transaction is open. False if there is no step (closures), or no memory (the meter
// has stopped then): plans are as before.
bool fw__crowd_step(fw_window_t * window, int32_t ticks);

#endif  // PLANNER__WINDOW__CROWD_H_
