// What a footprint sweeps while the robot turns on the spot.
//
// Each cell of the footprint is a disc of one cell's diameter whose centre goes along an arc around the robot's own
// centre. It sweeps every cell that it reaches into. Where it stands on a whole cell before and after is left out: that
// is the footprint's affair. All in integers, exact.

#ifndef WORLD__TURN_H_
#define WORLD__TURN_H_

#include "world/footprint.h"

// Cells of a footprint that turns are no farther than this from the robot's own, along x and y.
enum { FW_TURN_REACH_MAX = 4096 };

// Between two neighbouring headings, in eighths: 0 to 2, 0 to 1 or 1 to 2. All others are these turned by quarters, and
// the way back sweeps the same.
typedef struct fw_turn_t {
  int32_t from;
  int32_t to;
} fw_turn_t;

// What a footprint, given for east, sweeps. Each cell once, in `arena`; the cells are NULL when there is no memory.
fw_footprint_t fw__turn_sweep(fw_footprint_t footprint, fw_turn_t turn, fw_arena_t * arena);
// The same for one cell of it, one by one.
void fw__turn_visit(fw_offset_t cell, fw_turn_t turn, void (*visit)(void * context, fw_offset_t cell), void * context);

#endif  // WORLD__TURN_H_
