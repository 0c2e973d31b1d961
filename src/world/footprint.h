// Footprints and how they turn: a set of cells around a robot's own, given for heading east.

#ifndef WORLD__FOOTPRINT_H_
#define WORLD__FOOTPRINT_H_

#include "base/arena.h"

typedef struct fw_footprint_t {
  const fw_offset_t * cells;
  int32_t count;
} fw_footprint_t;

// The single cell.
extern const fw_footprint_t fw_footprint_single;

// The robot's own, for heading east; the single cell where it has none.
fw_footprint_t fw__footprint_of(const fw_robot_t * robot);

// By quarters, clockwise.
fw_offset_t fw__offset_turn(fw_offset_t cell, int32_t quarters);
// Turned to a heading (fleetweave.h says how). The cells are in `arena`; NULL when there is no memory. East costs none.
fw_footprint_t fw__footprint_turn(fw_footprint_t footprint, int32_t heading, fw_arena_t * arena);

// One cell of a footprint comes to lie on so many cells at most.
enum { FW_TURNED_MAX = 9 };

// The cells of the footprint at `heading`, as fw__footprint_turn has them, written to `cells` up to `room`. Returns how
// many there are: ask with a room of 0 first.
int32_t fw__footprint_list(fw_footprint_t footprint, int32_t heading, fw_offset_t * cells, int32_t room);

#endif  // WORLD__FOOTPRINT_H_
