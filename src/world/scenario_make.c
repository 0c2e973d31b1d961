// Random robots on a grid.

#include "base/error.h"
#include "base/memory.h"
#include "base/rng.h"
#include "fleetweave/files.h"

// Numbers the connected parts of the free floor from 1, by flood fill with a list. A diagonal needs both its side
// cells, so that parts are the same for 4 and 8 directions, unless corners may be cut.
static void label_parts(const fw_problem_t * problem, int32_t * part, fw_cell_t * list)
{
  const fw_grid_t * grid = problem->grid;
  const int32_t ways = problem->cuts_corners ? 8 : 4;
  int32_t parts = 0;
  for (fw_cell_t seed = 0; seed < fw_grid_cell_count(grid); ++seed) {
    if (grid->cost[seed] == 0 || part[seed] != 0) {
      continue;
    }
    part[seed] = ++parts;
    int32_t count = 0;
    list[count++] = seed;
    while (count > 0) {
      const fw_cell_t cell = list[--count];
      const int32_t x = fw_grid_x(grid, cell);
      const int32_t y = fw_grid_y(grid, cell);
      const int32_t beside[8][2] = {{x + 1, y},     {x - 1, y},     {x, y + 1},     {x, y - 1},
                                    {x + 1, y + 1}, {x - 1, y + 1}, {x - 1, y - 1}, {x + 1, y - 1}};
      for (int32_t i = 0; i < ways; ++i) {
        if (fw_grid_is_free(grid, beside[i][0], beside[i][1])) {
          const fw_cell_t next = fw_grid_cell(grid, beside[i][0], beside[i][1]);
          if (part[next] == 0) {
            part[next] = parts;
            list[count++] = next;
          }
        }
      }
    }
  }
}

// Starts are the first cells of a shuffled list. Goals come from a second shuffle: for each robot the first cell in
// its part that nobody has.
static bool draw(
  fw_scenario_t * scenario, const int32_t * part, fw_cell_t * cells, int32_t free_count, uint64_t seed, int32_t wanted)
{
  fw_rng_t rng = fw__rng(seed);
  fw__rng_shuffle(&rng, cells, free_count);
  for (int32_t r = 0; r < wanted; ++r) {
    scenario->robots[r].start = cells[r];
  }
  fw__rng_shuffle(&rng, cells, free_count);
  int32_t used = 0;  // cells[0 .. used) are goals
  for (int32_t r = 0; r < wanted; ++r) {
    int32_t at = used;
    while (at < free_count && part[cells[at]] != part[scenario->robots[r].start]) {
      ++at;
    }
    if (at == free_count) {
      return false;
    }
    const fw_cell_t goal = cells[at];
    cells[at] = cells[used];
    cells[used++] = goal;
    scenario->robots[r].goal = goal;
  }
  scenario->robot_count = wanted;
  return true;
}

fw_ret_t fw_scenario_make_for(
  fw_scenario_t * scenario, const fw_problem_t * problem, uint64_t seed, const fw_allocator_t * allocator,
  fw_error_t * error)
{
  *scenario = (fw_scenario_t){.allocator = fw__allocator_or_default(allocator)};
  const fw_grid_t * grid = problem->grid;
  const int32_t robot_count = problem->robot_count;
  const fw_allocator_t * owner = &scenario->allocator;
  const size_t cell_count = (size_t)fw_grid_cell_count(grid);
  if (robot_count < 0) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "%d robots: there must be 0 or more", robot_count);
  }
  fw_ret_t ret = FW_RET_OK;
  int32_t * part = fw__allocate_array(owner, cell_count, sizeof(*part));
  fw_cell_t * cells = fw__allocate_array(owner, cell_count, sizeof(*cells));
  scenario->robots = fw__allocate_array(owner, (size_t)robot_count, sizeof(*scenario->robots));
  if (part == NULL || cells == NULL || scenario->robots == NULL) {
    ret = fw__error_memory(error);
    goto cleanup;
  }
  label_parts(problem, part, cells);
  int32_t free_count = 0;
  for (fw_cell_t cell = 0; cell < (fw_cell_t)cell_count; ++cell) {
    if (grid->cost[cell] != 0) {
      cells[free_count++] = cell;
    }
  }
  if (robot_count > free_count) {
    ret = fw__error(error, FW_RET_INVALID_ARGUMENT, "%d robots do not fit on %d free cells", robot_count, free_count);
  } else if (!draw(scenario, part, cells, free_count, seed, robot_count)) {
    // Cannot happen: a part has as many goals as starts. Kept, since it costs nothing and says what it relies on.
    ret = fw__error(error, FW_RET_ERROR, "no goal left for a robot in its part of the grid");
  }
cleanup:
  fw__deallocate(owner, part);
  fw__deallocate(owner, cells);
  if (ret != FW_RET_OK) {
    fw_scenario_fini(scenario);
  }
  return ret;
}

fw_ret_t fw_scenario_make(
  fw_scenario_t * scenario, const fw_grid_t * grid, int32_t robot_count, uint64_t seed,
  const fw_allocator_t * allocator, fw_error_t * error)
{
  const fw_problem_t problem = {.grid = grid, .robot_count = robot_count};
  return fw_scenario_make_for(scenario, &problem, seed, allocator, error);
}
