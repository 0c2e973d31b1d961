// Obstacles from the topic blocked_cells. See blocked_cells.h.

#include "ros/planner_node/controller/blocked_cells.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"

bool node_blocked_init(node_blocked_t * blocked, node_site_t site)
{
  blocked->site = site;
  return nav_msgs__msg__GridCells__init(&blocked->message);
}

void node_blocked_fini(node_blocked_t * blocked)
{
  nav_msgs__msg__GridCells__fini(&blocked->message);
  free(blocked->cells);
  free(blocked->before);
  *blocked = (node_blocked_t){0};
}

static bool check_message(
  const nav_msgs__msg__GridCells * message, const node_settings_t * settings, fw_error_t * reason)
{
  if (strcmp(message->header.frame_id.data, settings->map_frame) != 0) {
    return node_refuse(
      reason, "its frame_id is '%.60s', not '%.60s'", message->header.frame_id.data, settings->map_frame);
  }
  const double width = (double)message->cell_width, height = (double)message->cell_height;
  if (message->cells.size > 0 && !(isfinite(width) && isfinite(height) && width > 0.0 && height > 0.0)) {
    return node_refuse(reason, "its cells are %g x %g m; both sides must be positive and finite", width, height);
  }
  for (size_t k = 0; k < message->cells.size; ++k) {
    if (!node_point_is_finite((node_point_t){message->cells.data[k].x, message->cells.data[k].y})) {
      return node_refuse(reason, "its cell %zu is not finite", k);
    }
  }
  return true;
}

// Samples the cell at points no farther apart than a quarter of a planning cell. They lie a little inside its edge, so
// that a cell that only touches a planning cell does not block it.
static void rasterise_cell(node_blocked_t * blocked, node_point_t centre)
{
  const node_frame_t * frame = &blocked->site.map->frame;
  const double width = (double)blocked->message.cell_width, height = (double)blocked->message.cell_height;
  const double inset = 1e-3 * frame->resolution, step = 0.25 * frame->resolution;
  const int32_t columns = (int32_t)fmin(ceil(width / step), 4096.0), rows = (int32_t)fmin(ceil(height / step), 4096.0);
  for (int32_t row = 0; row <= rows; ++row) {
    for (int32_t column = 0; column <= columns; ++column) {
      const node_point_t point = {
        centre.x + ((double)column / (double)columns - 0.5) * (width - 2.0 * inset),
        centre.y + ((double)row / (double)rows - 0.5) * (height - 2.0 * inset),
      };
      const fw_cell_t cell = node_frame_cell(frame, point);
      if (cell != FW_CELL_NONE && !blocked->cells[cell]) {
        FW_ASSERT(cell < blocked->cell_count);
        blocked->cells[cell] = true;
        blocked->count += 1;
      }
    }
  }
}

// Makes room for a map of this size, without blocked cells. False if there is no memory; then nothing is blocked.
static bool resize(node_blocked_t * blocked, int32_t cell_count)
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

bool node_blocked_rasterise(node_blocked_t * blocked)
{
  const node_map_t * map = blocked->site.map;
  const int32_t cell_count = map->revision > 0 ? fw_grid_cell_count(&map->grid) : 0;
  const nav_msgs__msg__GridCells * message = &blocked->message;
  if ((cell_count != blocked->cell_count || blocked->cells == NULL) && !resize(blocked, cell_count)) {
    return false;
  }
  const size_t size = (size_t)blocked->cell_count * sizeof *blocked->cells;
  memcpy(blocked->before, blocked->cells, size);
  memset(blocked->cells, 0, size);
  blocked->count = 0;
  for (size_t k = 0; blocked->cell_count > 0 && k < message->cells.size; ++k) {
    const node_point_t centre = {message->cells.data[k].x, message->cells.data[k].y};
    rasterise_cell(blocked, centre);
  }
  blocked->revision += memcmp(blocked->before, blocked->cells, size) != 0 ? 1 : 0;
  return true;
}

bool node_blocked_take(node_blocked_t * blocked, nav_msgs__msg__GridCells * message)
{
  fw_error_t reason = {0};
  if (!check_message(message, blocked->site.settings, &reason)) {
    blocked->fault = reason;
    return false;
  }
  const nav_msgs__msg__GridCells swap = blocked->message;
  blocked->message = *message;
  *message = swap;
  blocked->fault.text[0] = '\0';
  return node_blocked_rasterise(blocked) || node_refuse(&blocked->fault, "out of memory");
}
