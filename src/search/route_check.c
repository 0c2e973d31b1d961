// fw_route_check: is this a path on the map? Independent of the searches and of the floor: it looks at the grid alone,
// cell by cell, so that an error in what the searches share is found.

#include <stdlib.h>

#include "base/error.h"
#include "fleetweave/search.h"

typedef struct rules_t {
  const fw_grid_t * grid;
  const fw_router_options_t * options;
} rules_t;

static bool fits(const rules_t * rules, int32_t x, int32_t y)
{
  const fw_router_options_t * options = rules->options;
  bool is_free = fw_grid_is_free(rules->grid, x, y);
  for (int32_t i = 0; i < options->footprint_count && is_free; ++i) {
    is_free = fw_grid_is_free(rules->grid, x + options->footprint[i].dx, y + options->footprint[i].dy);
  }
  const int32_t radius = options->clearance;
  for (int32_t dy = -radius; dy <= radius && is_free; ++dy) {
    for (int32_t dx = -radius; dx <= radius && is_free; ++dx) {
      is_free = dx * dx + dy * dy > radius * radius || fw_grid_is_free(rules->grid, x + dx, y + dy);
    }
  }
  return is_free;
}

// A tile in an odd row touches the tiles above and below it and to the right of those; in an even row to the left.
static bool is_hexagon_step(int32_t from_y, int32_t dx, int32_t dy)
{
  if (dy == 0) {
    return dx == 1 || dx == -1;
  }
  return (dy == 1 || dy == -1) && (dx == 0 || dx == (from_y % 2 == 0 ? -1 : 1));
}

// Is the move against a rule of one of its cells? Headings are clockwise from east.
static bool is_against(const fw_grid_t * grid, fw_offset_t from, fw_offset_t to)
{
  static const int32_t headings[3][3] = {{5, 6, 7}, {4, -1, 0}, {3, 2, 1}};  // by dy + 1 and dx + 1
  const int32_t dx = to.dx - from.dx, dy = to.dy - from.dy;
  if (grid->rules == NULL || abs(dx) > 1 || abs(dy) > 1 || (dx == 0 && dy == 0)) {
    return false;
  }
  const int32_t rules =
    grid->rules[fw_grid_cell(grid, from.dx, from.dy)] | grid->rules[fw_grid_cell(grid, to.dx, to.dy)];
  return (rules >> headings[dy + 1][dx + 1] & 1) != 0;
}

static bool is_step(const rules_t * rules, fw_offset_t from, fw_offset_t to)
{
  const int32_t x = from.dx;
  const int32_t y = from.dy;
  const int32_t dx = to.dx - x;
  const int32_t dy = to.dy - y;
  const int32_t connectivity = rules->options->connectivity;
  if (is_against(rules->grid, from, to)) {
    return false;
  }
  if (connectivity == 6) {
    return is_hexagon_step(y, dx, dy);
  }
  if (abs(dx) + abs(dy) == 1) {
    return true;
  }
  return connectivity == 8 && abs(dx) == 1 && abs(dy) == 1 && fits(rules, x + dx, y) && fits(rules, x, y + dy);
}

fw_ret_t fw_route_check(
  const fw_route_t * route, const fw_grid_t * grid, const fw_router_options_t * options, const fw_cell_t ends[2],
  fw_error_t * error)
{
  const rules_t rules = {.grid = grid, .options = options};
  if (route->length < 1 || route->cells[0] != ends[0] || route->cells[route->length - 1] != ends[1]) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "the route does not lead from the start (cell %d) to the goal (cell %d)", ends[0],
      ends[1]);
  }
  for (int32_t i = 0; i < route->length; ++i) {
    const fw_cell_t cell = route->cells[i];
    if (cell < 0 || cell >= fw_grid_cell_count(grid)) {
      return fw__error(error, FW_RET_INVALID_ARGUMENT, "cell %d of the route is outside the map", i);
    }
    const int32_t x = fw_grid_x(grid, cell);
    const int32_t y = fw_grid_y(grid, cell);
    if (!fits(&rules, x, y)) {
      return fw__error(error, FW_RET_INVALID_ARGUMENT, "cell %d of the route, (%d,%d), is not free", i, x, y);
    }
    const fw_cell_t next = i + 1 < route->length ? route->cells[i + 1] : FW_CELL_NONE;
    if (next >= 0 && next < fw_grid_cell_count(grid)) {
      const fw_offset_t to = {fw_grid_x(grid, next), fw_grid_y(grid, next)};
      if (!is_step(&rules, (fw_offset_t){x, y}, to)) {
        return fw__error(error, FW_RET_INVALID_ARGUMENT, "move %d of the route, from (%d,%d), is not allowed", i, x, y);
      }
    }
  }
  return FW_RET_OK;
}
