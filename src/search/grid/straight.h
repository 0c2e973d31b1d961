// The straight path: a shortest path on open floor, found by walking instead of searching.
//
// On open floor a shortest path consists of two kinds of moves: diagonal ones and those along the longer axis, or with
// 4 directions those along either axis. The ends determine how many of each there are; their order is free. The walk
// prefers one kind while it is open and otherwise takes the other. If it arrives, the path is shortest (its cost is the
// octile distance); if it gets stuck, a few steps are lost.

#ifndef SEARCH__GRID__STRAIGHT_H_
#define SEARCH__GRID__STRAIGHT_H_

#include "search/floor.h"
#include "search/trail.h"

// Appends a path from start to goal, both included, if there is one of this kind; else the trail stays as it is. Square
// tiles only.
bool fw__straight_find(const fw_floor_t * floor, int32_t start, int32_t goal, fw_trail_t * trail);

#endif  // SEARCH__GRID__STRAIGHT_H_
