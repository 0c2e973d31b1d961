// Footprints and how they turn.
//
// An eighth of a turn takes (u, v) to ((u - v) / sqrt 2, (u + v) / sqrt 2). A cell is covered when its centre, turned
// back, lies in a cell of the footprint: each cell thus belongs to at most one, and only the cells next to where the
// footprint's cell comes to lie can belong to it.

#include "world/footprint.h"

static const fw_offset_t own_cell[1] = {{0, 0}};
const fw_footprint_t fw_footprint_single = {own_cell, 1};

fw_footprint_t fw__footprint_of(const fw_robot_t * robot)
{
  return robot->footprint_count == 0 ? fw_footprint_single : (fw_footprint_t){robot->footprint, robot->footprint_count};
}

fw_offset_t fw__offset_turn(fw_offset_t cell, int32_t quarters)
{
  for (int32_t i = 0; i < quarters; ++i) {
    cell = (fw_offset_t){-cell.dy, cell.dx};
  }
  return cell;
}

// a / sqrt 2, rounded. There are no ties: 2 a^2 is even and the square of an odd number is odd.
static int32_t over_root_two(int32_t a)
{
  const int64_t square = 2 * (int64_t)a * a;
  int64_t n = 0;  // the largest with (2 n - 1)^2 <= 2 a^2
  for (int64_t step = INT64_C(1) << 16; step > 0; step /= 2) {
    const int64_t odd = 2 * (n + step) - 1;
    n += odd * odd <= square ? step : 0;
  }
  return (int32_t)(a < 0 ? -n : n);
}

// The cells that belong to footprint cell `cell` at heading south-east; there may be none.
static int32_t eighth_turn(fw_offset_t cell, fw_offset_t * cells)
{
  const int32_t x = over_root_two(cell.dx - cell.dy);
  const int32_t y = over_root_two(cell.dx + cell.dy);
  int32_t count = 0;
  for (int32_t i = 0; i < 9; ++i) {
    const fw_offset_t at = {x + i % 3 - 1, y + i / 3 - 1};
    if (over_root_two(at.dx + at.dy) == cell.dx && over_root_two(at.dy - at.dx) == cell.dy) {
      cells[count++] = at;
    }
  }
  return count;
}

int32_t fw__footprint_list(fw_footprint_t footprint, int32_t heading, fw_offset_t * cells, int32_t room)
{
  int32_t total = 0;
  for (int32_t i = 0; i < footprint.count; ++i) {
    fw_offset_t turned[FW_TURNED_MAX] = {footprint.cells[i]};
    const int32_t count = heading % 2 == 0 ? 1 : eighth_turn(footprint.cells[i], turned);
    for (int32_t j = 0; j < count; ++j, ++total) {
      if (total < room) {
        cells[total] = fw__offset_turn(turned[j], heading / 2);
      }
    }
  }
  return total;
}

fw_footprint_t fw__footprint_turn(fw_footprint_t footprint, int32_t heading, fw_arena_t * arena)
{
  if (heading == FW_HEADING_EAST) {
    return footprint;
  }
  const int32_t count = fw__footprint_list(footprint, heading, NULL, 0);
  fw_offset_t * cells = fw__arena_allocate(arena, (size_t)count, sizeof(*cells));
  if (cells != NULL) {
    (void)fw__footprint_list(footprint, heading, cells, count);
  }
  return (fw_footprint_t){cells, cells == NULL ? 0 : count};
}
