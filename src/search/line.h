// Straight lines between the centres of cells: is the floor under them free, and which cells does one walk along them?
//
// A line touches every cell that it passes through; where it passes exactly between four cells it touches all of them,
// as a diagonal move needs both of its sides.

#ifndef SEARCH__LINE_H_
#define SEARCH__LINE_H_

#include "search/router.h"

// Whether all that the line touches is free, and costs no more than `cost_max`. Square tiles only.
bool fw__line_is_free(const fw_floor_t * floor, int32_t from, int32_t to, int32_t cost_max);

// Adds the moves along a free line, without the first place and with the last: diagonal ones where there is room.
void fw__line_walk(const fw_floor_t * floor, int32_t from, int32_t to, fw_trail_t * trail);

#endif  // SEARCH__LINE_H_
