// Blocked cells: obstacles that are not on the map, until the next list of them.

#ifndef CONTROLLER__MAP__BLOCKED_CELLS_H_
#define CONTROLLER__MAP__BLOCKED_CELLS_H_

#include "controller/map/map.h"

enum { FW_BLOCKED_CELLS_MAX = 4 * 1024 * 1024 };  // of one list: a floor of 100 x 100 m in cells of 5 cm

typedef struct fw_blocked_cells_t {
  // The last good list, kept for when the map changes.
  fw_point_t * centres;
  int32_t centre_count;
  double width;  // metres
  double height;
  bool * cells;   // by planning cell
  bool * before;  // by planning cell, before the last change
  int32_t cell_count;
  int32_t count;     // of blocked planning cells
  int64_t revision;  // grows when the set of blocked planning cells changes
  fw_error_t fault;  // what is wrong with the last list; empty if nothing is
  fw_controller_site_t site;
} fw_blocked_cells_t;

void fw__blocked_cells_fini(fw_blocked_cells_t * blocked);

// Takes a good list and returns true. A bad one changes nothing; `reason` says what is wrong with it.
bool fw__blocked_cells_take(fw_blocked_cells_t * blocked, const fw_obstacle_cells_t * obstacles, fw_error_t * reason);
// Rasterises the last list onto the present map: every planning cell that a blocked cell overlaps is blocked. If that
// is too much work on this map, all cells are. False if there is no memory; then nothing is blocked.
bool fw__blocked_cells_rasterise(fw_blocked_cells_t * blocked);

static inline bool fw__blocked_cells_has(const fw_blocked_cells_t * blocked, fw_cell_t cell)
{
  return cell >= 0 && cell < blocked->cell_count && blocked->cells[cell];
}

#endif  // CONTROLLER__MAP__BLOCKED_CELLS_H_
