// Distances on a grid, the slow and obvious way.

#include "support/dijkstra.h"

static bool fits(const dijkstra_t * world, int32_t x, int32_t y)
{
  bool is_clear = fw_grid_is_free(world->grid, x, y);
  for (int32_t i = 0; i < world->footprint_count && is_clear; ++i) {
    is_clear = fw_grid_is_free(world->grid, x + world->footprint[i].dx, y + world->footprint[i].dy);
  }
  return is_clear;
}

static bool can_move(const dijkstra_t * world, int32_t x, int32_t y, int32_t dx, int32_t dy)
{
  if ((dx == 0 && dy == 0) || !fits(world, x, y) || !fits(world, x + dx, y + dy)) {
    return false;
  }
  return dx == 0 || dy == 0 || (world->connectivity == 8 && fits(world, x + dx, y) && fits(world, x, y + dy));
}

// The best way from (x, y) by one move and what its neighbour knows.
static bool improve(const dijkstra_t * world, int32_t x, int32_t y, int32_t * distance)
{
  const fw_grid_t * grid = world->grid;
  int32_t * here = &distance[fw_grid_cell(grid, x, y)];
  bool is_better = false;
  for (int32_t i = 0; i < 9; ++i) {
    const int32_t dx = i % 3 - 1;
    const int32_t dy = i / 3 - 1;
    if (!can_move(world, x, y, dx, dy)) {
      continue;
    }
    const fw_cell_t next = fw_grid_cell(grid, x + dx, y + dy);
    const int32_t cost = distance[next] + (world->is_weighted ? grid->cost[next] : 1);
    if (distance[next] >= 0 && (*here < 0 || cost < *here)) {
      *here = cost;
      is_better = true;
    }
  }
  return is_better;
}

void dijkstra_to(const dijkstra_t * world, fw_cell_t goal, int32_t * distance)
{
  const fw_grid_t * grid = world->grid;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    distance[cell] = cell == goal && fits(world, fw_grid_x(grid, cell), fw_grid_y(grid, cell)) ? 0 : -1;
  }
  for (bool is_better = true; is_better;) {
    is_better = false;
    for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
      is_better = improve(world, fw_grid_x(grid, cell), fw_grid_y(grid, cell), distance) || is_better;
    }
  }
}
