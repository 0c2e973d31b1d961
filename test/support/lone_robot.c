// The earliest arrival of a robot alone: flood fill over cells and ticks.

#include "support/lone_robot.h"

#include "support/test.h"

enum { CELLS_MAX = 400, TICKS_MAX = 2000 };

// Whether the cell is reserved by another robot at `from` or later.
static bool is_taken(const fw_problem_t * problem, int32_t robot, fw_cell_t cell, fw_tick_t from)
{
  for (int32_t r = 0; r < problem->robot_count && from <= problem->robust_ticks; ++r) {
    if (r != robot && problem->robots[r].start == cell) {
      return true;
    }
  }
  return false;
}

static bool can_move(const fw_problem_t * problem, fw_cell_t cell, int32_t dx, int32_t dy)
{
  const fw_grid_t * grid = problem->grid;
  const int32_t x = fw_grid_x(grid, cell);
  const int32_t y = fw_grid_y(grid, cell);
  if (!fw_grid_is_free(grid, x + dx, y + dy)) {
    return false;
  }
  const bool has_sides = fw_grid_is_free(grid, x + dx, y) && fw_grid_is_free(grid, x, y + dy);
  return dx == 0 || dy == 0 || (problem->connectivity == 8 && (problem->cuts_corners || has_sides));
}

fw_tick_t lone_robot_arrival(const fw_problem_t * problem, int32_t robot)
{
  static bool is_reached[TICKS_MAX][CELLS_MAX];
  const fw_grid_t * grid = problem->grid;
  const int32_t speed = problem->robots[robot].ticks_per_move > 0 ? problem->robots[robot].ticks_per_move : 1;
  const int32_t cells = fw_grid_cell_count(grid);
  const fw_tick_t end = speed * (cells + problem->robust_ticks + 1);
  assert_true(cells <= CELLS_MAX && end + speed < TICKS_MAX);
  memset(is_reached, 0, sizeof(is_reached));
  is_reached[0][problem->robots[robot].start] = true;
  for (fw_tick_t tick = 0; tick < end; ++tick) {
    if (is_reached[tick][problem->robots[robot].goal]) {
      return tick;
    }
    for (fw_cell_t cell = 0; cell < cells; ++cell) {
      if (!is_reached[tick][cell]) {
        continue;
      }
      is_reached[tick + 1][cell] = true;  // no other robot comes: it can always wait
      for (int32_t i = 0; i < 9; ++i) {
        const int32_t dx = i % 3 - 1;
        const int32_t dy = i / 3 - 1;
        const fw_cell_t to = cell + dy * grid->width + dx;
        if (can_move(problem, cell, dx, dy) && !is_taken(problem, robot, to, tick + 1)) {
          is_reached[tick + speed][to] = true;
        }
      }
    }
  }
  return -1;
}
