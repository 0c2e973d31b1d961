// Boxes: a partition of the blocked cells of a grid into few rectangles, for programs that know walls and not cells.

#ifndef WORLD__BOXES_H_
#define WORLD__BOXES_H_

#include "fleetweave/fleetweave.h"

typedef struct fw_box_t {
  int32_t x;  // its north-western cell
  int32_t y;
  int32_t width;  // cells, at least 1
  int32_t height;
} fw_box_t;

typedef struct fw_boxes_t {
  fw_box_t * items;
  int32_t count;
} fw_boxes_t;

// Every blocked cell is in exactly one box, no free cell is in any. Greedy: a box begins at the first cell that is left
// and extends as far as possible along the row and then across; or along the column first, whichever needs fewer boxes
// for the whole grid. Boxes are on the heap; release them with fini.
FW_MUST_USE fw_ret_t fw__boxes_init(fw_boxes_t * boxes, const fw_grid_t * grid, fw_error_t * error);
void fw__boxes_fini(fw_boxes_t * boxes);

#endif  // WORLD__BOXES_H_
