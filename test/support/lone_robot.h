// The earliest arrival of a robot that no other robot delays: the others are on their starts at tick 0 and, with
// robust ticks k, keep their start cells reserved until tick k. Robots of one cell, any speed.

#ifndef SUPPORT__LONE_ROBOT_H_
#define SUPPORT__LONE_ROBOT_H_

#include "fleetweave/fleetweave.h"

// -1 if there is no path.
fw_tick_t lone_robot_arrival(const fw_problem_t * problem, int32_t robot);

#endif  // SUPPORT__LONE_ROBOT_H_
