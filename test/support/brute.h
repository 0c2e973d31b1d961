// Optimal costs of small problems by brute force: Dijkstra over joint states, where every tick of a robot costs 1,
// except waiting on its own goal. Robots of one cell and one tick per move, no robust ticks, up to three of them on up
// to sixteen cells.

#ifndef SUPPORT__BRUTE_H_
#define SUPPORT__BRUTE_H_

#include "fleetweave/fleetweave.h"

enum { BRUTE_ROBOTS_MAX = 3, BRUTE_CELLS_MAX = 16 };

// The least sum of costs, -1 if the problem has no solution.
fw_cost_t brute_solve(const fw_problem_t * problem);
// The same where every tick up to a robot's last arrival costs 1, waiting on its goal before that included.
fw_cost_t brute_solve_to_last_arrival(const fw_problem_t * problem);

#endif  // SUPPORT__BRUTE_H_
