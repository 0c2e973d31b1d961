// The boundary of the core: a caller's problem is checked and normalised here once; all code behind it relies on that.
//
// Checked means: grid, robots and closures are inside their ranges; robots fit on free cells at their starts and goals
// and do not overlap there; a robot under way (`arrives` > 0) is on one of its motions. Normalised means: defaults are
// filled in and closures are merged.

#ifndef WORLD__PROBLEM_H_
#define WORLD__PROBLEM_H_

#include "base/arena.h"

// fw_problem_check with memory from `allocator`, all of it returned before the call ends.
fw_ret_t fw__problem_check_with(const fw_problem_t * problem, const fw_allocator_t * allocator, fw_error_t * error);

// A copy of a checked problem with defaults filled in: connectivity, ticks_per_move and footprint are never 0, the
// headings of a robot without heading are 0, closures are sorted and merged (world/closures.h). Robots and closures are
// in `arena`, grid and footprints stay borrowed. `robots` is NULL when there is no memory.
fw_problem_t fw__problem_normalise(const fw_problem_t * problem, fw_arena_t * arena);

// 4 or 8; also for a problem that is not normalised.
static inline int32_t fw__problem_connectivity(const fw_problem_t * problem)
{
  return problem->connectivity == 0 ? 4 : problem->connectivity;
}

// Whether ids identify the robots from one problem to the next; otherwise their indices do.
bool fw__problem_has_ids(const fw_problem_t * problem);

#endif  // WORLD__PROBLEM_H_
