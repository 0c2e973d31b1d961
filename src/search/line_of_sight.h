// Lines of sight between the centres of cells, and any-angle shortening of a path along them (string pulling).
//
// A line touches every cell that it passes through. Where it passes exactly through the corner of four cells it touches
// all four, as a diagonal move needs both of its side cells. Square tiles only.

#ifndef SEARCH__LINE_OF_SIGHT_H_
#define SEARCH__LINE_OF_SIGHT_H_

#include "search/floor.h"
#include "search/trail.h"

// Whether every place that the line touches is free and costs at most `cost_max` (a cost byte; UINT8_MAX for any).
bool fw__line_is_free(const fw_floor_t * floor, int32_t from, int32_t to, int32_t cost_max);

// Appends the moves along a free line, without the first place and with the last one. Moves are diagonal wherever the
// connectivity and the side cells allow it.
void fw__line_walk(const fw_floor_t * floor, int32_t from, int32_t to, fw_trail_t * trail);

// Any-angle path: fills `corners` with turning points of the path in `trail`, its first and last place included. From
// each corner to the next the line of sight is free, and no place on it costs more than the cheapest place of the piece
// of path that it replaces.
void fw__line_find_corners(const fw_floor_t * floor, const fw_trail_t * trail, fw_trail_t * corners);

#endif  // SEARCH__LINE_OF_SIGHT_H_
