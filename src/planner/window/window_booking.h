// What is booked for whom in a rolling fleet, and transactions: a robot takes its plan back, others do, all find new
// ones, and then it has happened; or it is rolled back, and nothing has.

#ifndef PLANNER__WINDOW__WINDOW_BOOKING_H_
#define PLANNER__WINDOW__WINDOW_BOOKING_H_

#include "planner/window/window.h"

// When the robot can begin something else: now, or when it arrives if it is under way.
fw_tick_t fw__window_ready_at(const fw_window_t * window, int32_t robot);

// What the robot does in any case from now on: it stands on its start, or arrives there. Not booked.
bool fw__window_begin_plan(fw_window_t * window, int32_t robot);

// Books the robot's plan as it is. One that ends on the goal is booked beyond its end, for as long as nobody else comes
// there: who plans farther ahead must not take the place for free. False when there is no memory.
bool fw__window_book(fw_window_t * window, int32_t robot);
// Books what is true of a robot that was lifted, whatever it plans: its place when it is ready, and what it holds there.
bool fw__window_book_held(fw_window_t * window, int32_t robot);
// Books the present place until `until` in place of whatever was planned.
bool fw__window_book_stop(fw_window_t * window, int32_t robot, fw_tick_t until);

// Makes a robot part of the transaction: its plan is taken away, down to what is true whatever it plans, and nothing is
// booked for it. False if more than `changes_max` robots have changed, or without memory.
bool fw__window_lift(fw_window_t * window, int32_t robot, int32_t changes_max);
// Lets a robot that was lifted stand for some ticks before it does anything else, or for as long as its place is free.
bool fw__window_wait(fw_window_t * window, int32_t robot, fw_tick_t ticks);
// The new plan of a robot that was lifted: `path` from when it is ready, its last cell until `until`.
bool fw__window_settle(fw_window_t * window, int32_t robot, fw_path_t path, fw_tick_t until);

// Copies a path, so that it outlives the next search. One at a time. False when there is no memory.
bool fw__window_keep(fw_window_t * window, fw_path_t * path);

void fw__window_commit(fw_window_t * window);
void fw__window_roll_back(fw_window_t * window);  // stops the meter when there is no memory

// Memory for a plan of that many ticks.
bool fw__window_reserve(fw_window_t * window, fw_window_plan_t * plan, int32_t length);

#endif  // PLANNER__WINDOW__WINDOW_BOOKING_H_
