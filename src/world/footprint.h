// Footprints: the cells that a robot covers around its own one, how they rotate, and which cells they sweep when the
// robot turns on the spot.
//
// A footprint is given for heading east. Headings are eighths of a turn, clockwise (fw_heading_t). At the diagonal
// headings a cell is covered when its centre lies in the rotated footprint.

#ifndef WORLD__FOOTPRINT_H_
#define WORLD__FOOTPRINT_H_

#include "base/arena.h"

typedef struct fw_footprint_t {
  const fw_offset_t * cells;  // borrowed; NULL when there was no memory
  int32_t count;
} fw_footprint_t;

// The single cell (0,0).
extern const fw_footprint_t fw__footprint_single;

// The footprint of a robot for heading east, a view of the robot; the single cell if it has none.
fw_footprint_t fw__footprint_of(const fw_robot_t * robot);

// ---- rotation -------------------------------------------------------------------------------------------------------

// Rotates an offset by quarters of a turn, clockwise.
fw_offset_t fw__offset_rotate(fw_offset_t cell, int32_t quarters);
// The footprint at `heading`. The cells are in `arena`; NULL when there is no memory. East returns the footprint
// itself.
fw_footprint_t fw__footprint_rotate(fw_footprint_t footprint, int32_t heading, fw_arena_t * arena);

// The most cells that one cell of a footprint covers at any heading.
enum { FW_ROTATED_CELLS_MAX = 9 };

// Writes the cells of the footprint at `heading` to `cells`, at most `room` of them. Returns how many there are: a call
// with a room of 0 counts them.
int32_t fw__footprint_rotate_into(fw_footprint_t footprint, int32_t heading, fw_offset_t * cells, int32_t room);

// ---- turns ----------------------------------------------------------------------------------------------------------
//
// During a turn each cell of the footprint is a disc of one cell's diameter whose centre moves along an arc around the
// centre of the robot's own cell. It sweeps every cell that it reaches into. The cells on which it stands exactly
// before and after the turn are not listed: they belong to the footprint at those headings.

// The cells of a footprint that turns are no farther than this from the robot's own, along x and y.
enum { FW_TURN_REACH_MAX = 4096 };

// A turn between two neighbouring headings, in eighths: 0 to 2, 0 to 1 or 1 to 2. All others are these rotated by
// quarters, and a turn back sweeps the same cells.
typedef struct fw_turn_t {
  int32_t from;
  int32_t to;
} fw_turn_t;

// The cells that a footprint, given for east, sweeps. Each cell once, in `arena`; NULL cells when there is no memory.
fw_footprint_t fw__footprint_sweep(fw_footprint_t footprint, fw_turn_t turn, fw_arena_t * arena);
// Calls `visit` for each cell that one cell of a footprint sweeps.
void fw__footprint_visit_swept(
  fw_offset_t cell, fw_turn_t turn, void (*visit)(void * context, fw_offset_t cell), void * context);

#endif  // WORLD__FOOTPRINT_H_
