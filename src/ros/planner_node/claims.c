#include "ros/planner_node/claims.h"

#include <stdlib.h>

bool claims_reset(claims_t * claims, const fw_grid_t * grid)
{
  const int32_t cell_count = fw_grid_cell_count(grid);
  if (claims->cell_count != cell_count) {
    free(claims->owners);
    claims->owners = calloc((size_t)cell_count, sizeof *claims->owners);
    claims->cell_count = claims->owners == NULL ? 0 : cell_count;
    claims->count = 0;
  }
  for (int32_t k = 0; k < claims->count; ++k) {
    claims->owners[claims->cells[k]] = 0;
  }
  claims->count = 0;
  return claims->cell_count == cell_count;
}

void claims_fini(claims_t * claims)
{
  free(claims->owners);
  free(claims->cells);
  *claims = (claims_t){0};
}

bool claims_add_cell(claims_t * claims, fw_cell_t cell, int32_t robot)
{
  if (cell == FW_CELL_NONE || claims->owners[cell] != 0) {
    return true;
  }
  if (claims->count == claims->capacity) {
    const int32_t capacity = 2 * claims->capacity + 64;
    fw_cell_t * cells = realloc(claims->cells, (size_t)capacity * sizeof *cells);
    if (cells == NULL) {
      return false;
    }
    claims->cells = cells;
    claims->capacity = capacity;
  }
  claims->owners[cell] = robot + 1;
  claims->cells[claims->count++] = cell;
  return true;
}

bool claims_add(claims_t * claims, const fw_grid_t * grid, placed_t placed, int32_t robot)
{
  bool is_fine = true;
  for (int32_t k = 0; is_fine && k < body_cell_count(placed.body, placed.place); ++k) {
    is_fine = claims_add_cell(claims, body_cell(placed.body, grid, placed.place, k), robot);
  }
  return is_fine;
}

int32_t claims_find(const claims_t * claims, const fw_grid_t * grid, placed_t placed)
{
  for (int32_t k = 0; k < body_cell_count(placed.body, placed.place); ++k) {
    const fw_cell_t cell = body_cell(placed.body, grid, placed.place, k);
    if (cell != FW_CELL_NONE && claims->owners[cell] != 0) {
      return claims->owners[cell] - 1;
    }
  }
  return -1;
}
