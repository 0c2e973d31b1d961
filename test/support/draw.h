// Grids as drawings, so that a test's world can be seen in its source.
//
//   DRAW(grid, "..#",
//              ".2.");
//
// '.' is open floor, '#' blocked, a digit 1 to 9 floor of that cost. Rows are as long as the first.

#ifndef SUPPORT__DRAW_H_
#define SUPPORT__DRAW_H_

#include "fleetweave/fleetweave.h"

enum { DRAW_CELLS_MAX = 1024 };

typedef struct drawing_t {
  uint8_t cost[DRAW_CELLS_MAX];
} drawing_t;

// A grid over the drawing's memory; needs no fini.
fw_grid_t draw_grid(drawing_t * drawing, const char * const * rows, int32_t row_count);

#define DRAW(name, ...)                             \
  static drawing_t name##_drawing;                  \
  const char * const name##_rows[] = {__VA_ARGS__}; \
  const fw_grid_t name =                            \
    draw_grid(&name##_drawing, name##_rows, (int32_t)(sizeof(name##_rows) / sizeof(name##_rows[0])))

#endif  // SUPPORT__DRAW_H_
