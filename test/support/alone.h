// How early a robot can arrive if nobody makes it wait: the others are known to be on their starts at tick 0, and with
// robust ticks k their starts stay theirs until tick k, whatever they plan. Robots of one cell, any speed.

#ifndef SUPPORT__ALONE_H_
#define SUPPORT__ALONE_H_

#include "fleetweave/fleetweave.h"

// -1 if there is no way.
fw_tick_t alone_arrival(const fw_problem_t * problem, int32_t robot);

#endif  // SUPPORT__ALONE_H_
