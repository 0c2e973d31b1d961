// Any-angle shortening: the turning points of a way pulled tight along lines of sight.

#ifndef SEARCH__CORNERS_H_
#define SEARCH__CORNERS_H_

#include "search/router.h"

// Fills `corners` with places from the first to the last of `trail`; from each to the next the line is free and costs no
// more than the cheapest place of the piece that it replaces. Square tiles only.
void fw__corners_find(const fw_floor_t * floor, const fw_trail_t * trail, fw_trail_t * corners);

#endif  // SEARCH__CORNERS_H_
