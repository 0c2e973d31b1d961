// Straight ahead: a way where nothing is in it, found by walking in place of searching.
//
// On open floor a shortest way consists of two kinds of moves: diagonal ones and those along the longer axis, or with 4
// directions those along either. Their numbers are given by the ends, their order is free. One kind is preferred as long
// as it is open, else the other one is taken. Who arrives has a shortest way; who is stuck has lost a few steps.

#ifndef SEARCH__STRAIGHT_H_
#define SEARCH__STRAIGHT_H_

#include "search/router.h"

// Adds a way from start to goal to the trail, both included, and is true if one is found so. Square tiles.
bool fw__straight_find(const fw_floor_t * floor, int32_t start, int32_t goal, fw_trail_t * trail);

#endif  // SEARCH__STRAIGHT_H_
