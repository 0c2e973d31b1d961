// Obstacles that are not on the map. See blocked_cells.h.

#include "controller/map/blocked_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/heap.h"

// Planning cells that the cells of a list may cover, counted one by one: this many, or some for each planning cell and
// each cell of the list, if that is more. Cells that do not overlap each other cover less; a million cells as large as
// half of the map would keep the controller busy for minutes.
enum { COVERED_MAX = 1 << 24, COVERED_PER_CELL = 16 };

static int64_t covered_max(int64_t cells)
{
  return cells * COVERED_PER_CELL > COVERED_MAX ? cells * COVERED_PER_CELL : COVERED_MAX;
}

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
  if (obstacles->count > FW_BLOCKED_CELLS_MAX) {
    return fw__refuse(reason, "it has %d cells, and at most %d are possible", obstacles->count, FW_BLOCKED_CELLS_MAX);
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

// The map that a list is put onto.
static bool fit_to_map(fw_blocked_cells_t * blocked)
{
  const fw_planning_map_t * map = blocked->site.map;
  const int32_t cell_count = map->revision > 0 ? fw_grid_cell_count(&map->grid) : 0;
  return (cell_count == blocked->cell_count && blocked->cells != NULL) || resize(blocked, cell_count);
}

// Blocks the cells of the list. False if that is too much work; then some of them are blocked.
static bool cover(fw_blocked_cells_t * blocked)
{
  const fw_planning_map_t * map = blocked->site.map;
  int64_t left = covered_max((int64_t)blocked->cell_count + blocked->centre_count);
  memset(blocked->cells, 0, (size_t)blocked->cell_count * sizeof *blocked->cells);
  // Once all is blocked nothing can be added: thousands of obstacles as large as the map cost no more than one.
  blocking_t blocking = {.blocked = blocked};
  for (int32_t k = 0; blocking.covered < blocked->cell_count && left >= 0 && k < blocked->centre_count; ++k) {
    const fw_raster_rectangle_t rectangle = {blocked->centres[k], blocked->width, blocked->height, 0.0};
    const fw_raster_visitor_t visitor = {.context = &blocking, .visit_run = block_run};
    blocking.covered = 0;
    const bool is_valid = fw__raster_visit_rectangle(&map->frame, &rectangle, visitor);
    FW_ASSERT(is_valid);  // check_obstacles has seen it, and fw__planning_map_build the frame
    (void)is_valid;
    left -= blocking.covered;
  }
  return left >= 0;
}

// After a change of `cells` from what `before` says.
static void note_change(fw_blocked_cells_t * blocked)
{
  blocked->count = 0;
  for (fw_cell_t cell = 0; cell < blocked->cell_count; ++cell) {
    blocked->count += blocked->cells[cell] ? 1 : 0;
  }
  const size_t size = (size_t)blocked->cell_count * sizeof *blocked->cells;
  blocked->revision += memcmp(blocked->before, blocked->cells, size) != 0 ? 1 : 0;
}

bool fw__blocked_cells_rasterise(fw_blocked_cells_t * blocked)
{
  if (!fit_to_map(blocked)) {
    return false;
  }
  const size_t size = (size_t)blocked->cell_count * sizeof *blocked->cells;
  memcpy(blocked->before, blocked->cells, size);
  if (!cover(blocked)) {
    memset(blocked->cells, true, size);
  }
  note_change(blocked);
  return true;
}

bool fw__blocked_cells_take(fw_blocked_cells_t * blocked, const fw_obstacle_cells_t * obstacles, fw_error_t * reason)
{
  if (!check_obstacles(obstacles, reason)) {
    return false;
  }
  const size_t size = (size_t)obstacles->count * sizeof *blocked->centres;
  fw_point_t * centres = fw__malloc(size + 1);
  if (centres == NULL || !fit_to_map(blocked)) {
    free(centres);
    return fw__refuse(reason, "out of memory");
  }
  if (size > 0) {
    memcpy(centres, obstacles->centres, size);
  }
  const fw_blocked_cells_t last = *blocked;
  const size_t map_size = (size_t)blocked->cell_count * sizeof *blocked->cells;
  blocked->centres = centres;
  blocked->centre_count = obstacles->count;
  blocked->width = obstacles->width;
  blocked->height = obstacles->height;
  memcpy(blocked->before, blocked->cells, map_size);
  if (!cover(blocked)) {
    free(centres);
    *blocked = last;
    memcpy(blocked->cells, blocked->before, map_size);
    return fw__refuse(
      reason, "its %d cells overlap: one by one they cover more than %lld of %d planning cells", obstacles->count,
      (long long)covered_max((int64_t)blocked->cell_count + obstacles->count), blocked->cell_count);
  }
  free(last.centres);
  note_change(blocked);
  return true;
}
