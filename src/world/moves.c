// The grid as a graph.

#include "world/moves.h"

#include <stdlib.h>

enum { TILE = 32 };

const fw_offset_t fw_directions[FW_DIRECTIONS] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};

typedef struct shape_t {
  const fw_grid_t * grid;
  const fw_offset_t * footprint;
  int32_t count;
} shape_t;

static bool fits(const shape_t * shape, int32_t x, int32_t y)
{
  for (int32_t i = 0; i < shape->count; ++i) {
    if (!fw_grid_is_free(shape->grid, x + shape->footprint[i].dx, y + shape->footprint[i].dy)) {
      return false;
    }
  }
  return true;
}

// Numbers the places tile by tile and notes whether all of them cost the same.
static int32_t number_places(fw_moves_t * moves, const shape_t * shape)
{
  const fw_grid_t * grid = shape->grid;
  int32_t count = 0;
  for (int32_t top = 0; top < grid->height; top += TILE) {
    for (int32_t left = 0; left < grid->width; left += TILE) {
      for (int32_t y = top; y < top + TILE && y < grid->height; ++y) {
        for (int32_t x = left; x < left + TILE && x < grid->width; ++x) {
          const fw_cell_t cell = fw_grid_cell(grid, x, y);
          if (!fits(shape, x, y)) {
            moves->node_of[cell] = -1;
            continue;
          }
          moves->is_uniform = moves->is_uniform && grid->cost[cell] == 1;
          moves->cell_of[count] = cell;
          moves->node_of[cell] = count++;
        }
      }
    }
  }
  return count;
}

// A diagonal is open if the robot fits on both places beside it, that is if every cell's side cells are free.
static int32_t neighbour(const fw_moves_t * moves, int32_t x, int32_t y, fw_offset_t step)
{
  const fw_grid_t * grid = moves->grid;
  if (!fw_grid_contains(grid, x + step.dx, y + step.dy)) {
    return -1;
  }
  if (
    step.dx != 0 && step.dy != 0 &&
    (moves->node_of[fw_grid_cell(grid, x + step.dx, y)] < 0 ||
     moves->node_of[fw_grid_cell(grid, x, y + step.dy)] < 0)) {
    return -1;
  }
  return moves->node_of[fw_grid_cell(grid, x + step.dx, y + step.dy)];
}

bool fw_moves_init(
  fw_moves_t * moves, fw_arena_t * arena, const fw_grid_t * grid, int32_t connectivity, const fw_offset_t * footprint,
  int32_t footprint_count)
{
  const size_t cells = (size_t)fw_grid_cell_count(grid);
  size_t free_cells = 0;
  for (size_t i = 0; i < cells; ++i) {
    free_cells += grid->cost[i] != 0;
  }
  *moves = (fw_moves_t){.grid = grid, .degree = connectivity, .is_uniform = true};
  moves->node_of = fw_arena_allocate(arena, cells, sizeof(*moves->node_of));
  moves->cell_of = fw_arena_allocate(arena, free_cells, sizeof(*moves->cell_of));
  if (moves->node_of == NULL || moves->cell_of == NULL) {
    return false;
  }
  moves->node_count = number_places(moves, &(shape_t){.grid = grid, .footprint = footprint, .count = footprint_count});
  moves->next = fw_arena_allocate(arena, (size_t)moves->node_count * (size_t)connectivity, sizeof(*moves->next));
  if (moves->next == NULL) {
    return false;
  }
  for (int32_t node = 0; node < moves->node_count; ++node) {
    const int32_t x = fw_grid_x(grid, moves->cell_of[node]);
    const int32_t y = fw_grid_y(grid, moves->cell_of[node]);
    for (int32_t d = 0; d < connectivity; ++d) {
      moves->next[(size_t)node * (size_t)connectivity + (size_t)d] = neighbour(moves, x, y, fw_directions[d]);
    }
  }
  return true;
}

int32_t fw_moves_estimate(const fw_grid_t * grid, int32_t degree, fw_cell_t from, fw_cell_t to)
{
  const int32_t dx = abs(fw_grid_x(grid, from) - fw_grid_x(grid, to));
  const int32_t dy = abs(fw_grid_y(grid, from) - fw_grid_y(grid, to));
  return degree == 4 ? dx + dy : (dx > dy ? dx : dy);
}
