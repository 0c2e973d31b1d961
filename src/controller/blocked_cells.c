// Obstacles that are not on the map. See blocked_cells.h.

#include "controller/blocked_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

void fw__blocked_cells_fini(fw_blocked_cells_t * blocked)
{
  free(blocked->centres);
  free(blocked->cells);
  free(blocked->before);
  *blocked = (fw_blocked_cells_t){0};
}

static bool check_obstacles(const fw_obstacle_cells_t * obstacles, fw_error_t * reason)
{
  const double width = obstacles->width, height = obstacles->height;
  if (obstacles->count > 0 && !(isfinite(width) && isfinite(height) && width > 0.0 && height > 0.0)) {
    return fw__refuse(reason, "its cells are %g x %g m; both sides must be positive and finite", width, height);
  }
  for (int32_t k = 0; k < obstacles->count; ++k) {
    if (!fw__point_is_finite(obstacles->centres[k])) {
      return fw__refuse(reason, "its cell %d is not finite", k);
    }
  }
  return true;
}

// Samples the cell at points no farther apart than a quarter of a planning cell. They lie a little inside its edge, so
// that a cell that only touches a planning cell does not block it.
static void rasterise_cell(fw_blocked_cells_t * blocked, fw_point_t centre)
{
  const fw_map_frame_t * frame = &blocked->site.map->frame;
  const double width = blocked->width, height = blocked->height;
  const double inset = 1e-3 * frame->resolution, step = 0.25 * frame->resolution;
  const int32_t columns = (int32_t)fmin(ceil(width / step), 4096.0), rows = (int32_t)fmin(ceil(height / step), 4096.0);
  for (int32_t row = 0; row <= rows; ++row) {
    for (int32_t column = 0; column <= columns; ++column) {
      const fw_point_t point = {
        centre.x + ((double)column / (double)columns - 0.5) * (width - 2.0 * inset),
        centre.y + ((double)row / (double)rows - 0.5) * (height - 2.0 * inset),
      };
      const fw_cell_t cell = fw__map_frame_cell(frame, point);
      if (cell != FW_CELL_NONE && !blocked->cells[cell]) {
        FW_ASSERT(cell < blocked->cell_count);
        blocked->cells[cell] = true;
        blocked->count += 1;
      }
    }
  }
}

// Makes room for a map of this size, without blocked cells. False if there is no memory; then nothing is blocked.
static bool resize(fw_blocked_cells_t * blocked, int32_t cell_count)
{
  free(blocked->cells);
  free(blocked->before);
  blocked->cells = calloc((size_t)cell_count + 1, sizeof *blocked->cells);
  blocked->before = calloc((size_t)cell_count + 1, sizeof *blocked->before);
  blocked->count = 0;
  if (blocked->cells == NULL || blocked->before == NULL) {
    blocked->cell_count = 0;
    return false;
  }
  blocked->cell_count = cell_count;
  return true;
}

bool fw__blocked_cells_rasterise(fw_blocked_cells_t * blocked)
{
  const fw_planning_map_t * map = blocked->site.map;
  const int32_t cell_count = map->revision > 0 ? fw_grid_cell_count(&map->grid) : 0;
  if ((cell_count != blocked->cell_count || blocked->cells == NULL) && !resize(blocked, cell_count)) {
    return false;
  }
  const size_t size = (size_t)blocked->cell_count * sizeof *blocked->cells;
  memcpy(blocked->before, blocked->cells, size);
  memset(blocked->cells, 0, size);
  blocked->count = 0;
  for (int32_t k = 0; blocked->cell_count > 0 && k < blocked->centre_count; ++k) {
    rasterise_cell(blocked, blocked->centres[k]);
  }
  blocked->revision += memcmp(blocked->before, blocked->cells, size) != 0 ? 1 : 0;
  return true;
}

bool fw__blocked_cells_take(fw_blocked_cells_t * blocked, const fw_obstacle_cells_t * obstacles, fw_error_t * reason)
{
  if (!check_obstacles(obstacles, reason)) {
    return false;
  }
  const size_t size = (size_t)obstacles->count * sizeof *blocked->centres;
  fw_point_t * centres = malloc(size + 1);
  if (centres == NULL) {
    return fw__refuse(reason, "out of memory");
  }
  if (size > 0) {
    memcpy(centres, obstacles->centres, size);
  }
  free(blocked->centres);
  blocked->centres = centres;
  blocked->centre_count = obstacles->count;
  blocked->width = obstacles->width;
  blocked->height = obstacles->height;
  return fw__blocked_cells_rasterise(blocked) || fw__refuse(reason, "out of memory");
}
