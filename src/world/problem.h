// The door: a caller's problem is checked and normalised once; everything behind relies on it.

#ifndef WORLD__PROBLEM_H_
#define WORLD__PROBLEM_H_

#include "base/arena.h"

// fw_problem_check with memory from `allocator`, given back before it returns.
fw_ret_t fw__problem_check(const fw_problem_t * problem, const fw_allocator_t * allocator, fw_error_t * error);

// The part of it that looks at robots together: nobody on one cell at the start or at the goals, or where it is closed.
// `arena` is for what robots under way sweep.
fw_ret_t fw__problem_check_apart(
  const fw_problem_t * problem, const fw_allocator_t * allocator, fw_arena_t * arena, fw_error_t * error);

// A copy of the problem with defaults filled in: connectivity, ticks_per_move and footprint are never 0, the headings of
// a robot without are 0; closures are merged (world/closures.h). Both arrays are in `arena`. NULL robots when there is no memory.
fw_problem_t fw__problem_normalise(const fw_problem_t * problem, fw_arena_t * arena);

static inline int32_t fw__problem_connectivity(const fw_problem_t * problem)
{
  return problem->connectivity == 0 ? 4 : problem->connectivity;
}

#endif  // WORLD__PROBLEM_H_
