#include "ros/planner_node/blocked.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool blocked_init(blocked_t * blocked) { return nav_msgs__msg__GridCells__init(&blocked->message); }

void blocked_fini(blocked_t * blocked)
{
  nav_msgs__msg__GridCells__fini(&blocked->message);
  free(blocked->cells);
  free(blocked->before);
  *blocked = (blocked_t){0};
}

static bool check(const nav_msgs__msg__GridCells * message, const node_settings_t * settings, fw_error_t * reason)
{
  if (strcmp(message->header.frame_id.data, settings->map_frame) != 0) {
    return refuse(reason, "its frame_id is '%.60s', not '%.60s'", message->header.frame_id.data, settings->map_frame);
  }
  const double width = (double)message->cell_width, height = (double)message->cell_height;
  if (message->cells.size > 0 && !(isfinite(width) && isfinite(height) && width > 0.0 && height > 0.0)) {
    return refuse(reason, "its cells are %g x %g m", width, height);
  }
  for (size_t k = 0; k < message->cells.size; ++k) {
    if (!point_is_finite((point_t){message->cells.data[k].x, message->cells.data[k].y})) {
      return refuse(reason, "its cell %zu is not a number", k);
    }
  }
  return true;
}

// By points on it no farther apart than a quarter of a planning cell, a little inside its edge: a cell that only touches
// another does not block it.
static void lay_cell(blocked_t * blocked, const frame_t * frame, point_t centre, double width, double height)
{
  const double inset = 1e-3 * frame->resolution, step = 0.25 * frame->resolution;
  const int32_t columns = (int32_t)fmin(ceil(width / step), 4096.0), rows = (int32_t)fmin(ceil(height / step), 4096.0);
  for (int32_t row = 0; row <= rows; ++row) {
    for (int32_t column = 0; column <= columns; ++column) {
      const point_t point = {
        centre.x + ((double)column / (double)columns - 0.5) * (width - 2.0 * inset),
        centre.y + ((double)row / (double)rows - 0.5) * (height - 2.0 * inset),
      };
      const fw_cell_t cell = frame_cell(frame, point);
      if (cell != FW_CELL_NONE && !blocked->cells[cell]) {
        blocked->cells[cell] = true;
        blocked->count += 1;
      }
    }
  }
}

// All free, of the map's size. False if there is no memory: nothing is blocked then.
static bool make_room(blocked_t * blocked, int32_t cell_count)
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

bool blocked_lay(blocked_t * blocked, const map_t * map)
{
  const int32_t cell_count = map->revision > 0 ? fw_grid_cell_count(&map->grid) : 0;
  const nav_msgs__msg__GridCells * message = &blocked->message;
  if ((cell_count != blocked->cell_count || blocked->cells == NULL) && !make_room(blocked, cell_count)) {
    return false;
  }
  const size_t size = (size_t)blocked->cell_count * sizeof *blocked->cells;
  memcpy(blocked->before, blocked->cells, size);
  memset(blocked->cells, 0, size);
  blocked->count = 0;
  for (size_t k = 0; blocked->cell_count > 0 && k < message->cells.size; ++k) {
    const point_t centre = {message->cells.data[k].x, message->cells.data[k].y};
    lay_cell(blocked, &map->frame, centre, (double)message->cell_width, (double)message->cell_height);
  }
  blocked->revision += memcmp(blocked->before, blocked->cells, size) != 0 ? 1 : 0;
  return true;
}

bool blocked_take(
  blocked_t * blocked, nav_msgs__msg__GridCells * message, const node_settings_t * settings, const map_t * map)
{
  fw_error_t reason = {0};
  if (!check(message, settings, &reason)) {
    blocked->fault = reason;
    return false;
  }
  const nav_msgs__msg__GridCells swap = blocked->message;
  blocked->message = *message;
  *message = swap;
  blocked->fault.text[0] = '\0';
  return blocked_lay(blocked, map) || refuse(&blocked->fault, "out of memory");
}
