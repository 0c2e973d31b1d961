// Robots that are under way at tick 0.

#ifndef WORLD__UNDER_WAY_H_
#define WORLD__UNDER_WAY_H_

#include "world/body.h"

// The motion that the robot is on, for one with `arrives` > 0 that has passed the check below; made in `arena`. NULL when
// there is no memory.
const fw_motion_t * fw__under_way_motion(const fw_problem_t * problem, int32_t robot, fw_arena_t * arena);

// Is it a motion of the robot, over free floor, that can end at `arrives`?
fw_ret_t fw__under_way_check(const fw_problem_t * problem, int32_t robot, fw_arena_t * arena, fw_error_t * error);

#endif  // WORLD__UNDER_WAY_H_
