// Cheap proofs that there is no plan, in time linear in the map, before anything is searched. A joint search proves the
// same only after it has seen all joint states.
//
// Both are about parts of the map without cycles, taken as graphs of cells and moves, where robots can neither swap nor
// rotate:
//
//   a path:  0 1 . 2 .    robots keep their order, so that their goals must have the same order
//   a tree that is full:  no robot can ever move, because a permutation of neighbours needs a swap or a cycle
//
// Robust ticks only forbid more. With closures or traffic rules, or if a goal is in another part, nothing is said here:
// a robot may have no path even alone, and then the answer has to name it.

#ifndef PLANNER__OPTIMAL__REFUTATION_H_
#define PLANNER__OPTIMAL__REFUTATION_H_

#include "base/arena.h"
#include "fleetweave/fleetweave.h"

// True: the problem, of robots of one cell, has no plan. False: that is not known, or there is no memory.
bool fw__refutation_find(const fw_problem_t * problem, fw_arena_t * arena);

#endif  // PLANNER__OPTIMAL__REFUTATION_H_
