// How far each place is from the nearest blocked one, in king's moves: 0 for blocked places, 1 beside a wall.

#ifndef SEARCH__CLEARANCE_H_
#define SEARCH__CLEARANCE_H_

#include "search/floor.h"

// By place, in `arena`; NULL when there is no memory. Square tiles only.
int32_t * fw__clearance_make(fw_arena_t * arena, const fw_floor_t * floor);

#endif  // SEARCH__CLEARANCE_H_
