// Reference for rotated footprints, written from the contract: a cell is covered when its centre, rotated back, lies in
// a cell of the footprint. With floating point, independent of the library's integers.

#ifndef SUPPORT__ROTATED_H_
#define SUPPORT__ROTATED_H_

#include "fleetweave/fleetweave.h"

enum { ROTATED_MAX = 256 };

// Whether the robot, with that heading (0 if it has none), covers the cell at this offset from its own.
bool rotated_covers(const fw_robot_t * robot, int32_t heading, fw_offset_t at);
// All those cells; shapes of up to 5 cells to each side. Returns how many.
int32_t rotated_list(const fw_robot_t * robot, int32_t heading, fw_offset_t * cells);
// The cells that the robot sweeps beyond its footprints before and after a motion: the sides of a diagonal; on a turn
// the cells that discs of one cell's diameter reach into. `by` is the move, (0, 0) for a turn. Returns how many, some
// of them more than once.
int32_t rotated_sweeps(
  const fw_robot_t * robot, int32_t heading, int32_t heading_to, fw_offset_t by, fw_offset_t * cells);

// One step straight ahead.
fw_offset_t rotated_ahead(int32_t heading);

#endif  // SUPPORT__ROTATED_H_
