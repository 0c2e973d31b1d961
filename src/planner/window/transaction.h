// The plans of robots in a window as reservations, and transactions over them.
//
// A robot that wants to go where others have planned withdraws its own plan and theirs. Then all of them find new
// plans and the transaction is committed, or one of them does not and it is rolled back: every plan and reservation is
// as before. A plan is never executed before its transaction is committed.
//
//   withdraw(0) ── assign(0) ── withdraw(4) ── assign(4) ── commit
//                                          └── roll_back: 0 and 4 have their old plans

#ifndef PLANNER__WINDOW__TRANSACTION_H_
#define PLANNER__WINDOW__TRANSACTION_H_

#include "planner/window/window.h"

// The tick at which the robot can begin another motion: now, or when it arrives if it is in motion.
fw_tick_t fw__window_ready_at(const fw_window_t * window, int32_t robot);

// Sets the robot's plan to what cannot be changed: it stands on its start, or arrives there. Does not reserve it. False
// when there is no memory.
bool fw__window_start_plan(fw_window_t * window, int32_t robot);

// Reserves the robot's plan as it is. A plan that ends on the goal is reserved beyond its end, for as long as no other
// robot comes there: robots that look farther ahead must not get the place for free. False when there is no memory.
bool fw__window_reserve_plan(fw_window_t * window, int32_t robot);
// Reserves what is true of a withdrawn robot whatever it plans: its place when it is ready, and each cell there until
// its earliest departure (departure.h). False if another robot has planned to be there by then, or when there is no
// memory.
bool fw__window_reserve_minimum(fw_window_t * window, int32_t robot);
// Replaces the robot's plan by a stop at its present place, reserved until `until`. False when there is no memory.
bool fw__window_reserve_stop(fw_window_t * window, int32_t robot, fw_tick_t until);

// Replaces the robot's plan from now on by `path`, which has no conflict, then its last cell until `until`, and
// reserves it. Only for robots that can begin a motion now. False when there is no memory.
bool fw__window_set_plan(fw_window_t * window, int32_t robot, fw_path_t path, fw_tick_t until);
// Ends the robot's plan at `until`, which is earlier than before. False when there is no memory.
bool fw__window_shorten_plan(fw_window_t * window, int32_t robot, fw_tick_t until);

// Makes the robot part of the transaction: its plan is cut down to what is true whatever it plans, and nothing is
// reserved for it. May be called again for the same robot. False if `withdrawn_max` robots are part of it already, or
// when there is no memory.
bool fw__transaction_withdraw(fw_window_t * window, int32_t robot, int32_t withdrawn_max);
// Lets a withdrawn robot stand for `ticks` before its next plan, or for as long as its place is free.
bool fw__transaction_delay(fw_window_t * window, int32_t robot, fw_tick_t ticks);
// The new plan of a withdrawn robot: `path` from the tick on at which it is ready, then its last cell until `until`.
bool fw__transaction_assign(fw_window_t * window, int32_t robot, fw_path_t path, fw_tick_t until);

// Copies a path so that it outlives the next search. There is room for one copy. False when there is no memory.
bool fw__transaction_copy_path(fw_window_t * window, fw_path_t * path);

void fw__transaction_commit(fw_window_t * window);
void fw__transaction_roll_back(fw_window_t * window);  // stops the meter if there is no memory

#endif  // PLANNER__WINDOW__TRANSACTION_H_
