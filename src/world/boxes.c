// A greedy partition of the blocked cells into rectangles.

#include "world/boxes.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/heap.h"

// A grid as it is, or with its axes swapped, so that one direction of growth is enough.
typedef struct view_t {
  const fw_grid_t * grid;
  bool is_swapped;
  int32_t width;
  int32_t height;
  bool * is_left;  // blocked and in no box yet, by y * width + x
} view_t;

static view_t view_of(const fw_grid_t * grid, bool is_swapped, bool * is_left)
{
  view_t view = {
    .grid = grid,
    .is_swapped = is_swapped,
    .width = is_swapped ? grid->height : grid->width,
    .height = is_swapped ? grid->width : grid->height,
    .is_left = is_left,
  };
  for (int32_t y = 0; y < view.height; ++y) {
    for (int32_t x = 0; x < view.width; ++x) {
      is_left[y * view.width + x] = !(is_swapped ? fw_grid_is_free(grid, y, x) : fw_grid_is_free(grid, x, y));
    }
  }
  return view;
}

// Whether a row of cells is left.
static bool has_row(const view_t * view, int32_t x, int32_t y, int32_t width)
{
  for (int32_t k = 0; k < width; ++k) {
    if (!view->is_left[y * view->width + x + k]) {
      return false;
    }
  }
  return true;
}

// Takes the box that begins at a cell that is left.
static fw_box_t take_box(view_t * view, int32_t x, int32_t y)
{
  FW_ASSERT(view->is_left[y * view->width + x]);
  fw_box_t box = {.x = x, .y = y, .width = 1, .height = 1};
  while (x + box.width < view->width && view->is_left[y * view->width + x + box.width]) {
    ++box.width;
  }
  while (y + box.height < view->height && has_row(view, x, y + box.height, box.width)) {
    ++box.height;
  }
  for (int32_t row = 0; row < box.height; ++row) {
    memset(&view->is_left[(y + row) * view->width + x], 0, (size_t)box.width * sizeof(*view->is_left));
  }
  return view->is_swapped ? (fw_box_t){box.y, box.x, box.height, box.width} : box;
}

// Takes all boxes. Returns how many there are; `items` may be NULL to count only.
static int32_t take_all(view_t * view, fw_box_t * items)
{
  int32_t count = 0;
  for (int32_t y = 0; y < view->height; ++y) {
    for (int32_t x = 0; x < view->width; ++x) {
      if (view->is_left[y * view->width + x]) {
        const fw_box_t box = take_box(view, x, y);
        if (items != NULL) {
          items[count] = box;
        }
        ++count;
      }
    }
  }
  return count;
}

fw_ret_t fw__boxes_init(fw_boxes_t * boxes, const fw_grid_t * grid, fw_error_t * error)
{
  *boxes = (fw_boxes_t){0};
  const size_t cells = (size_t)grid->width * (size_t)grid->height;
  bool * is_left = fw__malloc((cells + 1) * sizeof(*is_left));
  if (is_left == NULL) {
    return fw__error_memory(error);
  }
  view_t view = view_of(grid, false, is_left);
  const int32_t by_rows = take_all(&view, NULL);
  view = view_of(grid, true, is_left);
  const int32_t by_columns = take_all(&view, NULL);
  view = view_of(grid, by_columns < by_rows, is_left);
  boxes->items = fw__malloc(((size_t)(by_columns < by_rows ? by_columns : by_rows) + 1) * sizeof(*boxes->items));
  if (boxes->items != NULL) {
    boxes->count = take_all(&view, boxes->items);
    FW_ASSERT(boxes->count == (by_columns < by_rows ? by_columns : by_rows));
  }
  free(is_left);
  return boxes->items == NULL ? fw__error_memory(error) : FW_RET_OK;
}

void fw__boxes_fini(fw_boxes_t * boxes)
{
  free(boxes->items);
  *boxes = (fw_boxes_t){0};
}
