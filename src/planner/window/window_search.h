// What a robot of a rolling fleet searches for: a path until some tick, through whom it may, at their prices.

#ifndef PLANNER__WINDOW__WINDOW_SEARCH_H_
#define PLANNER__WINDOW__WINDOW_SEARCH_H_

#include "planner/window/window.h"

// Through whom a path may go. Nobody of a higher priority, ever.
typedef enum fw_window_may_t {
  FW_WINDOW_NOBODY,
  FW_WINDOW_LOWER,  // ranks
  FW_WINDOW_EQUAL,  // priorities, and lower ones
  FW_WINDOW_ALL,    // the same, and those who have changed already: a negotiation, whose paths must arrive
} fw_window_may_t;

typedef struct fw_window_wish_t {
  int32_t robot;
  fw_tick_t horizon;
  fw_window_may_t may;
  int64_t limit;   // as in fw_spacetime_query_t
  int64_t effort;  // as in fw_spacetime_query_t
} fw_window_wish_t;

// Does robot `a` go before robot `b`?
bool fw__window_outranks(const fw_window_t * window, int32_t a, int32_t b);

// Two robots that push each other off their goals would do so for ever; as it gets dearer each time, one of them goes
// round. Prices fall by half with every window that passes, so that those who made way once are not in the way for ever.
void fw__window_raise_price(fw_window_t * window, int32_t robot, int32_t most);

// A path for a robot that was lifted.
fw_found_t fw__window_search(fw_window_t * window, fw_window_wish_t wish, fw_path_t * path);

// The ticks to the goal from a pose, alone on the map: truly, or as the robot estimates it.
int64_t fw__window_ticks_alone(fw_window_t * window, int32_t robot, fw_pose_t pose);

#endif  // PLANNER__WINDOW__WINDOW_SEARCH_H_
