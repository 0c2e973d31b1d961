// Goals: where robots begin and where they are sent. See goals.h.

#include "sim/goals.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// Flood fill with four neighbours from `start`: gives the cells the label and lists them in `cells`.
static int32_t fill_area(const fw_grid_t * grid, fw_cell_t start, int32_t label, int32_t * labels, fw_cell_t * cells)
{
  static const int32_t dx[4] = {1, 0, -1, 0};
  static const int32_t dy[4] = {0, 1, 0, -1};
  int32_t count = 0;
  labels[start] = label;
  cells[count++] = start;
  for (int32_t next = 0; next < count; ++next) {
    for (int32_t i = 0; i < 4; ++i) {
      const int32_t x = fw_grid_x(grid, cells[next]) + dx[i];
      const int32_t y = fw_grid_y(grid, cells[next]) + dy[i];
      if (fw_grid_is_free(grid, x, y) && labels[fw_grid_cell(grid, x, y)] == 0) {
        labels[fw_grid_cell(grid, x, y)] = label;
        cells[count++] = fw_grid_cell(grid, x, y);
      }
    }
  }
  return count;
}

// The cells of the largest area into `cells`, which has room for all cells of the grid.
static int32_t find_largest_area(const fw_grid_t * grid, int32_t * labels, fw_cell_t * cells)
{
  const int32_t cell_count = fw_grid_cell_count(grid);
  int32_t label = 0;
  int32_t largest = 0;
  int32_t largest_count = 0;
  for (fw_cell_t cell = 0; cell < cell_count; ++cell) {
    if (grid->cost[cell] != 0 && labels[cell] == 0) {
      const int32_t count = fill_area(grid, cell, ++label, labels, cells);
      if (count > largest_count) {
        largest = label;
        largest_count = count;
      }
    }
  }
  int32_t count = 0;
  for (fw_cell_t cell = 0; largest != 0 && cell < cell_count; ++cell) {
    if (labels[cell] == largest) {
      cells[count++] = cell;
    }
  }
  return count;
}

fw_ret_t fw_goals_init(
  fw_goals_t * goals, const fw_grid_t * grid, int32_t robot_count, uint64_t seed, fw_error_t * error)
{
  const size_t cell_count = (size_t)fw_grid_cell_count(grid);
  int32_t * labels = calloc(cell_count, sizeof(*labels));
  *goals = (fw_goals_t){
    .grid = grid,
    .cells = malloc(cell_count * sizeof(*goals->cells)),
    .is_goal = calloc(cell_count, sizeof(*goals->is_goal)),
    .rng = fw_rng(seed),
  };
  fw_ret_t ret = FW_RET_OK;
  if (labels == NULL || goals->cells == NULL || goals->is_goal == NULL) {
    ret = fw__error_memory(error);
    goto cleanup;
  }
  goals->cell_count = find_largest_area(grid, labels, goals->cells);
  // One cell for each robot's goal, one to go to next, one to stand on meanwhile.
  if (goals->cell_count < robot_count + 2) {
    ret = fw__error(
      error, FW_RET_INVALID_ARGUMENT, "%d robots do not fit: the largest connected area of the map has %d cells",
      (int)robot_count, (int)goals->cell_count);
    goto cleanup;
  }
  fw_rng_shuffle(&goals->rng, goals->cells, goals->cell_count);

cleanup:
  free(labels);
  if (ret != FW_RET_OK) {
    fw_goals_fini(goals);
  }
  return ret;
}

void fw_goals_fini(fw_goals_t * goals)
{
  free(goals->cells);
  free(goals->is_goal);
  *goals = (fw_goals_t){0};
}

fw_cell_t fw_goals_start(const fw_goals_t * goals, int32_t robot) { return goals->cells[robot]; }

fw_cell_t fw_goals_draw(fw_goals_t * goals, fw_cell_t here, fw_cell_t last)
{
  // From a random cell on the first one that will do: there is one, or init would have failed.
  const int32_t first = fw_rng_below(&goals->rng, goals->cell_count);
  for (int32_t i = 0; i < goals->cell_count; ++i) {
    const fw_cell_t cell = goals->cells[(first + i) % goals->cell_count];
    if (!goals->is_goal[cell] && cell != here) {
      goals->is_goal[cell] = true;
      if (last != FW_CELL_NONE) {
        goals->is_goal[last] = false;
      }
      return cell;
    }
  }
  return last;
}
