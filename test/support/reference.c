// Reference costs of cheapest paths on a grid: relaxes all edges until nothing improves (Bellman-Ford).

#include "support/reference.h"

#include <stdlib.h>

#include "support/test.h"

static bool fits_at(const fw_grid_t * grid, const fw_router_options_t * options, int32_t x, int32_t y)
{
  bool is_free = fw_grid_is_free(grid, x, y);
  for (int32_t i = 0; i < options->footprint_count; ++i) {
    is_free = is_free && fw_grid_is_free(grid, x + options->footprint[i].dx, y + options->footprint[i].dy);
  }
  const int32_t r = options->clearance;
  for (int32_t i = 0; i < (2 * r + 1) * (2 * r + 1); ++i) {
    const int32_t dx = i % (2 * r + 1) - r;
    const int32_t dy = i / (2 * r + 1) - r;
    is_free = is_free && (dx * dx + dy * dy > r * r || fw_grid_is_free(grid, x + dx, y + dy));
  }
  return is_free;
}

bool reference_fits(const fw_grid_t * grid, const fw_router_options_t * options, fw_cell_t cell)
{
  return fits_at(grid, options, fw_grid_x(grid, cell), fw_grid_y(grid, cell));
}

fw_cell_t reference_cell(const fw_grid_t * grid, const fw_router_options_t * options, fw_rng_t * rng)
{
  for (int32_t tries = 0; tries < 200; ++tries) {
    const fw_cell_t cell = fw__rng_below(rng, fw_grid_cell_count(grid));
    if (reference_fits(grid, options, cell)) {
      return cell;
    }
  }
  return FW_CELL_NONE;
}

// Distance between the middles of two hexagons, times two, along x; odd rows lie half a tile to the east.
static bool are_hexagons_beside(int32_t y, int32_t dx, int32_t dy)
{
  const int32_t halves = 2 * dx + ((y + dy) % 2 != 0) - (y % 2 != 0);
  return dy == 0 ? abs(halves) == 2 : abs(dy) == 1 && abs(halves) == 1;
}

typedef struct look_t {
  const fw_grid_t * grid;
  const fw_router_options_t * options;
  const bool * fits;
  const int32_t * lengths;
} look_t;

static bool is_open(const look_t * look, int32_t x, int32_t y)
{
  return fw_grid_contains(look->grid, x, y) && look->fits[fw_grid_cell(look->grid, x, y)];
}

// The length of a move, 0 if there is none.
static int32_t move_length(const look_t * look, int32_t x, int32_t y, int32_t dx, int32_t dy)
{
  if ((dx == 0 && dy == 0) || !is_open(look, x + dx, y + dy)) {
    return 0;
  }
  if (look->options->connectivity == 6) {
    return are_hexagons_beside(y, dx, dy) ? look->lengths[0] : 0;
  }
  if (dx == 0 || dy == 0) {
    return look->lengths[0];
  }
  return look->options->connectivity == 8 && is_open(look, x + dx, y) && is_open(look, x, y + dy) ? look->lengths[1]
                                                                                                  : 0;
}

static bool improve(const look_t * look, fw_cell_t cell, int64_t * cost)
{
  const fw_grid_t * grid = look->grid;
  const int32_t x = fw_grid_x(grid, cell);
  const int32_t y = fw_grid_y(grid, cell);
  bool is_better = false;
  for (int32_t i = 0; i < 9 && look->fits[cell]; ++i) {
    const int32_t length = move_length(look, x, y, i % 3 - 1, i / 3 - 1);
    const fw_cell_t next = fw_grid_cell(grid, x + i % 3 - 1, y + i / 3 - 1);
    if (length > 0 && cost[next] >= 0) {
      const int64_t by_there = cost[next] + (int64_t)length * grid->cost[next];
      if (cost[cell] < 0 || by_there < cost[cell]) {
        cost[cell] = by_there;
        is_better = true;
      }
    }
  }
  return is_better;
}

void reference_costs(
  const fw_grid_t * grid, const fw_router_options_t * options, const int32_t lengths[2], fw_cell_t goal, int64_t * cost)
{
  static bool fits[REFERENCE_CELLS_MAX];
  const int32_t count = fw_grid_cell_count(grid);
  assert_in_range(count, 1, REFERENCE_CELLS_MAX);
  for (fw_cell_t cell = 0; cell < count; ++cell) {
    fits[cell] = reference_fits(grid, options, cell);
    cost[cell] = cell == goal && fits[cell] ? 0 : -1;
  }
  const look_t look = {.grid = grid, .options = options, .fits = fits, .lengths = lengths};
  for (bool is_better = true; is_better;) {
    is_better = false;
    for (fw_cell_t cell = 0; cell < count; ++cell) {
      is_better = improve(&look, cell, cost) || is_better;
    }
    for (fw_cell_t cell = count - 1; cell >= 0; --cell) {
      is_better = improve(&look, cell, cost) || is_better;
    }
  }
}

int64_t reference_route_cost(const fw_grid_t * grid, const fw_route_t * route, const int32_t lengths[2])
{
  int64_t cost = 0;
  for (int32_t i = 1; i < route->length; ++i) {
    const bool is_column = fw_grid_x(grid, route->cells[i]) == fw_grid_x(grid, route->cells[i - 1]);
    const bool is_row = fw_grid_y(grid, route->cells[i]) == fw_grid_y(grid, route->cells[i - 1]);
    cost += (int64_t)lengths[is_column || is_row ? 0 : 1] * grid->cost[route->cells[i]];
  }
  return cost;
}
