// Obstacles that are not on the map. See blocked_cells.h.

#include "controller/map/blocked_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/heap.h"

void fw__blocked_cells_fini(fw_blocked_cells_t * blocked)
{
  free(blocked->centres);
  free(blocked->cells);
  free(blocked->before);
  *blocked = (fw_blocked_cells_t){0};
}

static bool check_obstacles(const fw_obstacle_cells_t * obstacles, fw_error_t * reason)
{
  if (obstacles->count < 0) {
    return fw__refuse(reason, "it has %d cells", obstacles->count);
  }
  const double width = obstacles->width, height = obstacles->height, most = FW_RASTER_RECTANGLE_MAX;
  if (obstacles->count > 0 && !(width > 0.0 && height > 0.0 && width <= most && height <= most)) {
    return fw__refuse(
      reason, "its cells are %g x %g m; both sides must be positive and at most %g", width, height, most);
  }
  for (int32_t k = 0; k < obstacles->count; ++k) {
    const fw_point_t centre = obstacles->centres[k];
    if (!(fabs(centre.x) <= most && fabs(centre.y) <= most)) {  // not finite, or out of range
      return fw__refuse(
        reason, "its cell %d is at (%g, %g), which is not finite or above %g", k, centre.x, centre.y, most);
    }
  }
  return true;
}

typedef struct blocking_t {
  fw_blocked_cells_t * blocked;
  int32_t covered;  // cells of one obstacle
} blocking_t;

static void block_run(void * context, fw_cell_t first, int32_t count)
{
  blocking_t * blocking = context;
  FW_ASSERT(first >= 0 && count > 0 && first + count <= blocking->blocked->cell_count);
  memset(&blocking->blocked->cells[first], true, (size_t)count * sizeof *blocking->blocked->cells);
  blocking->covered += count;
}

// Makes room for a map of this size, without blocked cells. False if there is no memory; then nothing is blocked.
static bool resize(fw_blocked_cells_t * blocked, int32_t cell_count)
{
  free(blocked->cells);
  free(blocked->before);
  blocked->cells = fw__calloc((size_t)cell_count + 1, sizeof *blocked->cells);
  blocked->before = fw__calloc((size_t)cell_count + 1, sizeof *blocked->before);
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
  // Once all is blocked nothing can be added: thousands of obstacles as large as the map cost no more than one.
  blocking_t blocking = {.blocked = blocked};
  for (int32_t k = 0; blocking.covered < blocked->cell_count && k < blocked->centre_count; ++k) {
    const fw_raster_rectangle_t rectangle = {blocked->centres[k], blocked->width, blocked->height, 0.0};
    const fw_raster_visitor_t visitor = {.context = &blocking, .visit_run = block_run};
    blocking.covered = 0;
    const bool is_valid = fw__raster_visit_rectangle(&map->frame, &rectangle, visitor);
    FW_ASSERT(is_valid);  // check_obstacles has seen it, and fw__planning_map_build the frame
    (void)is_valid;
  }
  blocked->count = 0;
  for (fw_cell_t cell = 0; cell < blocked->cell_count; ++cell) {
    blocked->count += blocked->cells[cell] ? 1 : 0;
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
  fw_point_t * centres = fw__malloc(size + 1);
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
