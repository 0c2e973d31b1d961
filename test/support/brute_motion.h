// Optimal costs of small problems of robots with headings, sweeps and several ticks per move, by brute force: Dijkstra
// over joint states, which include how far each robot is in its motion. One or two robots on up to twelve cells, no
// robust ticks, no closures.

#ifndef SUPPORT__BRUTE_MOTION_H_
#define SUPPORT__BRUTE_MOTION_H_

#include "fleetweave/fleetweave.h"

enum { BRUTE_MOTION_ROBOTS_MAX = 2, BRUTE_MOTION_CELLS_MAX = 12 };

// The least sum of costs, -1 if the problem has no solution.
fw_cost_t brute_motion_solve(const fw_problem_t * problem);

#endif  // SUPPORT__BRUTE_MOTION_H_
