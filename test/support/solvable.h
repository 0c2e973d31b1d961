// Solved plans of random worlds: robots are removed until the planner solves the rest.

#ifndef SUPPORT__SOLVABLE_H_
#define SUPPORT__SOLVABLE_H_

#include "support/world.h"

// Solves the world's problem, with fewer and fewer of its robots until the plan is solved or one robot is left. False
// if the planner does not handle the problem.
bool solvable_solve(fw_planner_t * planner, world_t * world, fw_plan_t * plan);

#endif  // SUPPORT__SOLVABLE_H_
