// Worlds of `bench rtaa`: the paper's maps and groups, starts and goals at random.

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "bench/bench_rtaa.h"
#include "cli/words.h"
#include "fleetweave/files.h"

// Tables 2 and 3 of Erra and Caggianese 2011.
const cli_rtaa_map_t cli_rtaa_maps[CLI_RTAA_MAPS] = {
  {"T0", 20, 10, 7},   {"T1", 40, 20, 13},    {"T2", 80, 38, 27},
  {"T3", 160, 77, 53}, {"T4", 320, 151, 105}, {"T5", 1024, 478, 336},
};
const cli_rtaa_group_t cli_rtaa_groups[CLI_RTAA_GROUPS] = {
  {"G0", 128, 0.39},     {"G1", 8192, 24.72},    {"G2", 28800, 86.69},
  {"G3", 80000, 241.39}, {"G4", 139392, 420.61}, {"G5", 294912, 889.88},
};

// Numbers the part of the floor that is connected with `from`; returns its cells. A diagonal needs both of its sides, so
// four directions are enough.
static int32_t flood(const fw_grid_t * grid, fw_cell_t from, int32_t number, int32_t * parts, fw_cell_t * queue)
{
  int32_t head = 0, count = 1;
  queue[0] = from;
  parts[from] = number;
  while (head < count) {
    const fw_cell_t cell = queue[head++];
    const int32_t x = fw_grid_x(grid, cell), y = fw_grid_y(grid, cell);
    const int32_t around[4][2] = {{x + 1, y}, {x - 1, y}, {x, y + 1}, {x, y - 1}};
    for (int32_t i = 0; i < 4; ++i) {
      const fw_cell_t next = fw_grid_cell(grid, around[i][0], around[i][1]);
      if (fw_grid_is_free(grid, around[i][0], around[i][1]) && parts[next] == 0) {
        parts[next] = number;
        queue[count++] = next;
      }
    }
  }
  return count;
}

// The cells of the largest part, in `cells`; returns their number, -1 without memory.
static int32_t find_floor(const fw_grid_t * grid, fw_cell_t * cells)
{
  const int32_t cell_count = fw_grid_cell_count(grid);
  int32_t * parts = calloc((size_t)cell_count, sizeof(*parts));
  int32_t part_count = 0, largest = 0, most = 0;
  for (fw_cell_t cell = 0; parts != NULL && cell < cell_count; ++cell) {
    if (grid->cost[cell] != 0 && parts[cell] == 0) {
      const int32_t size = flood(grid, cell, ++part_count, parts, cells);
      largest = size > most ? part_count : largest;
      most = size > most ? size : most;
    }
  }
  int32_t count = 0;
  for (fw_cell_t cell = 0; parts != NULL && cell < cell_count; ++cell) {
    if (parts[cell] == largest && grid->cost[cell] != 0) {
      cells[count++] = cell;
    }
  }
  free(parts);
  return parts != NULL ? count : -1;
}

int cli_rtaa_world_make(cli_rtaa_world_t * world, int32_t side, int32_t robots, int32_t obstacles, int64_t seed)
{
  char line[96];
  fw_error_t error = {0};
  *world = (cli_rtaa_world_t){.robots = robots};
  snprintf(
    line, sizeof(line), "random:%dx%d,obstacles=%d,seed=%lld", side, side, obstacles, (long long)(seed % 1000000));
  if (fw_grid_make(&world->grid, line, NULL, &error) != FW_RET_OK) {
    return cli_say(CLI_FAILURE, "%s", error.text);
  }
  fw_cell_t * cells = malloc((size_t)fw_grid_cell_count(&world->grid) * sizeof(*cells));
  world->starts = malloc((size_t)robots * sizeof(*world->starts));
  world->goals = malloc((size_t)robots * sizeof(*world->goals));
  int32_t count = -1;
  if (cells != NULL && world->starts != NULL && world->goals != NULL) {
    count = find_floor(&world->grid, cells);
  }
  fw_rng_t rng = fw__rng((uint64_t)seed);
  for (int32_t r = 0; r < robots && count > 0; ++r) {
    world->starts[r] = cells[fw__rng_below(&rng, count)];
    world->goals[r] = cells[fw__rng_below(&rng, count)];
  }
  free(cells);
  return count > 0 ? CLI_SOLVED : cli_say(CLI_FAILURE, count < 0 ? "out of memory" : "no cell is free");
}

void cli_rtaa_world_fini(cli_rtaa_world_t * world)
{
  fw_grid_fini(&world->grid);
  free(world->starts);
  free(world->goals);
  *world = (cli_rtaa_world_t){0};
}
