#include "view/walk.h"

fw__walk_t fw__walk(const fw_problem_t * problem, const fw_plan_t * plan, int32_t robot)
{
  return (fw__walk_t){.grid = problem->grid, .robot = &problem->robots[robot], .path = &plan->paths[robot]};
}

static fw_tick_t ticks_per_move(const fw__walk_t * walk)
{
  return walk->robot->ticks_per_move > 1 ? walk->robot->ticks_per_move : 1;
}

// The ticks from `tick` until the arrival on another cell, if the robot is under way to it; else 0.
static fw_tick_t ticks_to_arrival(const fw__walk_t * walk, fw_tick_t tick)
{
  const fw_cell_t cell = fw_path_at(walk->path, tick);
  for (fw_tick_t ahead = 1; ahead < ticks_per_move(walk); ahead++) {
    if (fw_path_at(walk->path, tick + ahead) != cell) {
      return ahead;
    }
  }
  return 0;
}

int32_t fw__walk_cells_max(const fw__walk_t * walk)
{
  const int32_t count = walk->robot->footprint_count;
  return 2 * (count > 0 ? count : 1);
}

static int32_t lay_footprint(const fw__walk_t * walk, fw_cell_t place, fw_cell_t * cells)
{
  static const fw_offset_t own = {0, 0};
  const fw_grid_t * grid = walk->grid;
  const fw_offset_t * offsets = walk->robot->footprint_count > 0 ? walk->robot->footprint : &own;
  const int32_t offset_count = walk->robot->footprint_count > 0 ? walk->robot->footprint_count : 1;
  int32_t count = 0;
  for (int32_t i = 0; i < offset_count; i++) {
    const int32_t x = fw_grid_x(grid, place) + offsets[i].dx;
    const int32_t y = fw_grid_y(grid, place) + offsets[i].dy;
    if (fw_grid_contains(grid, x, y)) {
      cells[count++] = fw_grid_cell(grid, x, y);
    }
  }
  return count;
}

int32_t fw__walk_cells(const fw__walk_t * walk, fw_tick_t tick, fw_cell_t * cells)
{
  const fw_tick_t ahead = ticks_to_arrival(walk, tick);
  int32_t count = lay_footprint(walk, fw_path_at(walk->path, tick), cells);
  if (ahead > 0) {
    count += lay_footprint(walk, fw_path_at(walk->path, tick + ahead), cells + count);
  }
  return count;
}

fw__place_t fw__walk_place(const fw__walk_t * walk, fw_tick_t tick)
{
  const fw_tick_t ahead = ticks_to_arrival(walk, tick);
  const fw_cell_t from = fw_path_at(walk->path, tick);
  const fw_cell_t to = fw_path_at(walk->path, tick + ahead);
  const double part = ahead > 0 ? 1.0 - (double)ahead / ticks_per_move(walk) : 0.0;
  const double x = fw_grid_x(walk->grid, from);
  const double y = fw_grid_y(walk->grid, from);
  return (fw__place_t){
    .x = x + 0.5 + part * (fw_grid_x(walk->grid, to) - x), .y = y + 0.5 + part * (fw_grid_y(walk->grid, to) - y)};
}

bool fw__walk_next_wait(const fw__walk_t * walk, fw_tick_t tick, fw_tick_t end, fw__wait_t * wait)
{
  const fw_path_t * path = walk->path;
  for (fw_tick_t since = tick; since < end;) {
    const fw_cell_t cell = fw_path_at(path, since);
    fw_tick_t change = since + 1;
    while (change <= end && fw_path_at(path, change) == cell) {
      change++;
    }
    const fw_tick_t departure = change <= end ? change - ticks_per_move(walk) : end;
    const bool has_come = since == 0 || fw_path_at(path, since - 1) != cell;
    if (departure > since && has_come && cell != walk->robot->goal) {
      *wait = (fw__wait_t){.cell = cell, .from = since, .to = departure};
      return true;
    }
    since = change;
  }
  return false;
}
