#include "ros/planner_node/body.h"

#include <math.h>
#include <stdlib.h>

static const double EIGHTH = 0.78539816339744831;  // of a turn, in radians

double frame_yaw(const frame_t * frame, int32_t heading)
{
  return remainder(frame->yaw + (double)heading * EIGHTH, 8.0 * EIGHTH);
}

place_t body_place(const body_t * body, const frame_t * frame, int32_t connectivity, point_t point, double yaw)
{
  place_t place = {.cell = frame_cell(frame, point)};
  if (body->turn_ticks > 0) {
    const int32_t step = connectivity == 8 ? 1 : 2;
    const int32_t steps = (int32_t)lround(remainder(yaw - frame->yaw, 8.0 * EIGHTH) / (EIGHTH * (double)step));
    place.heading = (steps * step + FW_HEADING_COUNT) % FW_HEADING_COUNT;
  }
  return place;
}

fw_cell_t body_cell(const body_t * body, const fw_grid_t * grid, place_t place, int32_t index)
{
  const fw_offset_t offset = body->outline->cells[place.heading][index];
  const int32_t x = fw_grid_x(grid, place.cell) + offset.dx, y = fw_grid_y(grid, place.cell) + offset.dy;
  return fw_grid_contains(grid, x, y) ? fw_grid_cell(grid, x, y) : FW_CELL_NONE;
}

bool body_fits(const body_t * body, const fw_grid_t * grid, place_t place)
{
  bool fits = true;
  for (int32_t k = 0; fits && k < body_cell_count(body, place); ++k) {
    const fw_cell_t cell = body_cell(body, grid, place, k);
    fits = cell != FW_CELL_NONE && grid->cost[cell] != 0;
  }
  return fits;
}

fw_cell_t body_obstacle(const body_t * body, const fw_grid_t * grid, place_t place)
{
  for (int32_t k = 0; k < body_cell_count(body, place); ++k) {
    const fw_cell_t cell = body_cell(body, grid, place, k);
    if (cell == FW_CELL_NONE || grid->cost[cell] == 0) {
      return cell;
    }
  }
  return FW_CELL_NONE;
}

bool body_fits_on(const body_t * body, const fw_grid_t * grid, int32_t connectivity, fw_cell_t cell)
{
  const int32_t step = connectivity == 8 ? 1 : 2;
  bool fits = body_fits(body, grid, (place_t){.cell = cell});
  for (int32_t heading = step; !fits && body->turn_ticks > 0 && heading < FW_HEADING_COUNT; heading += step) {
    fits = body_fits(body, grid, (place_t){cell, heading});
  }
  return fits;
}

bool bodies_overlap(placed_t one, placed_t two, int32_t grid_width)
{
  const int32_t dx = two.place.cell % grid_width - one.place.cell % grid_width;
  const int32_t dy = two.place.cell / grid_width - one.place.cell / grid_width;
  const int32_t reach = one.body->outline->reach + two.body->outline->reach;
  if (abs(dx) > reach || abs(dy) > reach) {
    return false;
  }
  for (int32_t i = 0; i < body_cell_count(one.body, one.place); ++i) {
    const fw_offset_t a = one.body->outline->cells[one.place.heading][i];
    for (int32_t j = 0; j < body_cell_count(two.body, two.place); ++j) {
      const fw_offset_t b = two.body->outline->cells[two.place.heading][j];
      if (a.dx == b.dx + dx && a.dy == b.dy + dy) {
        return true;
      }
    }
  }
  return false;
}
