// The next plan of one robot in a window: around the reservations of others, or through those of lower rank.
//
// Rank decides which robots may go through which: the priority, then the time since the robot was last on its goal,
// then the index. Planning through a robot costs a price in ticks, which rises each time the robot had to give way and
// falls again with time, as in negotiated congestion routing (PathFinder: McMurchie and Ebeling 1995). Without rising
// prices, two robots would push each other off their goals forever.

#ifndef PLANNER__WINDOW__REPLAN_H_
#define PLANNER__WINDOW__REPLAN_H_

#include "planner/window/window.h"

// A new plan for `robot` up to `horizon`, if there is one; otherwise the old plan stays. First around all others;
// through robots of lower rank if that path is longer than alone; through robots of equal priority if there is no
// other path.
void fw__window_replan(fw_window_t * window, int32_t robot, fw_tick_t horizon);

// ---- for negotiations -----------------------------------------------------------------------------------------------

// Which robots' reservations a path may go through.
typedef enum fw_passable_t {
  FW_PASS_NOBODY,
  FW_PASS_LOWER,  // lower ranks
  FW_PASS_EQUAL,  // equal and lower priorities
  // A negotiation, whose paths must arrive: also robots that have been withdrawn before and, unless the window is
  // strict, robots of higher priority.
  FW_PASS_ALL,
} fw_passable_t;

typedef struct fw_window_request_t {
  int32_t robot;
  fw_tick_t horizon;
  fw_passable_t pass;
  int64_t limit;   // as in fw_spacetime_query_t
  int64_t effort;  // as in fw_spacetime_query_t
} fw_window_request_t;

// A path for a withdrawn robot (transaction.h), from the tick on at which it is ready.
fw_found_t fw__window_search(fw_window_t * window, fw_window_request_t request, fw_path_t * path);

// The priority of a robot; while it yields, that of the robot for which it does so.
int32_t fw__window_priority(const fw_window_t * window, int32_t robot);
// Whether robot `a` has a higher rank than robot `b`.
bool fw__window_outranks(const fw_window_t * window, int32_t a, int32_t b);

// The robot had to give way: its price rises, up to `price_max`. Prices fall by half with every window that passes, so
// that a robot that gave way once does not remain expensive forever.
void fw__window_raise_price(fw_window_t * window, int32_t robot, int32_t price_max);

// The ticks to the goal from a pose, alone on the map: the true distance, or the estimate if the options say so.
int64_t fw__window_ticks_alone(fw_window_t * window, int32_t robot, fw_grid_pose_t pose);

#endif  // PLANNER__WINDOW__REPLAN_H_
