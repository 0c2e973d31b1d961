// Turned footprints from the words of the contract: a cell is covered when its centre, turned back, lies in a cell of the
// footprint. With floats, apart from the library's integers.

#ifndef SUPPORT__TURNED_H_
#define SUPPORT__TURNED_H_

#include "fleetweave/fleetweave.h"

enum { TURNED_MAX = 256 };

// Does the robot, with that heading (0 if it has none), cover the cell at this offset from its own?
bool turned_covers(const fw_robot_t * robot, int32_t heading, fw_offset_t at);
// All those cells; shapes of up to 5 cells to each side. Returns how many.
int32_t turned_list(const fw_robot_t * robot, int32_t heading, fw_offset_t * cells);
// What the robot sweeps beyond its footprints before and after: the sides of a diagonal; on a turn the cells that discs of
// one cell's diameter reach into. `by` is the move, (0, 0) for a turn. Returns how many, some of them more than once.
int32_t turned_sweeps(
  const fw_robot_t * robot, int32_t heading, int32_t heading_to, fw_offset_t by, fw_offset_t * cells);

// One step straight ahead.
fw_offset_t turned_ahead(int32_t heading);

#endif  // SUPPORT__TURNED_H_
