// Clearance: the Chebyshev distance of each place to the nearest blocked place (a distance transform); 0 for blocked
// places, 1 beside a wall.

#ifndef SEARCH__ROADMAP__CLEARANCE_H_
#define SEARCH__ROADMAP__CLEARANCE_H_

#include "search/floor.h"

// By place, in `arena`; NULL when there is no memory. Square tiles only.
int32_t * fw__clearance_make(fw_arena_t * arena, const fw_floor_t * floor);

#endif  // SEARCH__ROADMAP__CLEARANCE_H_
