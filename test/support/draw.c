// Grids as drawings.

#include "support/draw.h"

#include "support/test.h"

fw_grid_t draw_grid(drawing_t * drawing, const char * const * rows, int32_t row_count)
{
  const int32_t width = (int32_t)strlen(rows[0]);
  assert_in_range(width * row_count, 1, DRAW_CELLS_MAX);
  for (int32_t y = 0; y < row_count; ++y) {
    assert_int_equal(strlen(rows[y]), width);
    for (int32_t x = 0; x < width; ++x) {
      const char c = rows[y][x];
      drawing->cost[y * width + x] = c == '#' ? 0 : c >= '1' && c <= '9' ? (uint8_t)(c - '0') : 1;
    }
  }
  return (fw_grid_t){.width = width, .height = row_count, .cost = drawing->cost};
}
