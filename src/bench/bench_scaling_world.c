// Worlds of one density: the map grows with the robots.

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "bench/bench_scaling.h"
#include "cli/words.h"

int32_t cli_scaling_count_free(const fw_grid_t * grid)
{
  int32_t count = 0;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    count += grid->cost[cell] != 0 ? 1 : 0;
  }
  return count;
}

// Room for looking around from a cell.
typedef struct look_t {
  const fw_grid_t * grid;
  fw_cell_t * found;  // cells by their distance from where the look begins
  int32_t * marks;    // by cell: of the last look that came by; 0: none
} look_t;

static bool look_init(look_t * look, const fw_grid_t * grid)
{
  const size_t cell_count = (size_t)fw_grid_cell_count(grid);
  *look = (look_t){
    .grid = grid,
    .found = calloc(cell_count, sizeof(*look->found)),
    .marks = calloc(cell_count, sizeof(*look->marks)),
  };
  return look->found != NULL && look->marks != NULL;
}

static void look_fini(look_t * look)
{
  free(look->found);
  free(look->marks);
}

// Finds all cells at most `reach` moves from `start`, breadth first, and marks them. Returns how many there are.
static int32_t look_around(look_t * look, fw_cell_t start, int64_t reach, int32_t mark)
{
  static const fw_offset_t sides[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  int32_t count = 0;
  int32_t level_end = 1;
  look->found[count++] = start;
  look->marks[start] = mark;
  for (int32_t i = 0; i < count && reach > 0; ++i) {
    for (int32_t d = 0; d < 4; ++d) {
      const int32_t x = fw_grid_x(look->grid, look->found[i]) + sides[d].dx;
      const int32_t y = fw_grid_y(look->grid, look->found[i]) + sides[d].dy;
      if (fw_grid_is_free(look->grid, x, y) && look->marks[fw_grid_cell(look->grid, x, y)] != mark) {
        look->marks[fw_grid_cell(look->grid, x, y)] = mark;
        look->found[count++] = fw_grid_cell(look->grid, x, y);
      }
    }
    if (i + 1 == level_end) {
      level_end = count;
      --reach;
    }
  }
  return count;
}

// ---- maps -----------------------------------------------------------------------------------------------------------

// "random,obstacles=20" with a side of 64 and seed 3 is "random:64x64,obstacles=20,seed=3".
static void write_line(const cli_scaling_world_t * world, int32_t side, char map[CLI_SCALING_MAP_SIZE])
{
  const int name = (int)strcspn(world->kind, ",");
  snprintf(
    map, CLI_SCALING_MAP_SIZE, "%.*s:%dx%d%.100s,seed=%d", name, world->kind, side, side, world->kind + name,
    (int)world->seed);
}

// Leaves the largest part of the floor. Returns its cells, -1 when there is no memory.
static int32_t fill_pockets(fw_grid_t * grid)
{
  const fw_cell_t cell_count = fw_grid_cell_count(grid);
  look_t look;
  int32_t most = -1;
  if (look_init(&look, grid)) {
    int32_t largest = 0;
    int32_t parts = 0;
    most = 0;
    for (fw_cell_t cell = 0; cell < cell_count; ++cell) {
      if (grid->cost[cell] != 0 && look.marks[cell] == 0) {
        const int32_t count = look_around(&look, cell, INT64_MAX, ++parts);
        largest = count > most ? parts : largest;
        most = count > most ? count : most;
      }
    }
    for (fw_cell_t cell = 0; cell < cell_count; ++cell) {
      grid->cost[cell] = look.marks[cell] == largest ? grid->cost[cell] : 0;
    }
  }
  look_fini(&look);
  return most >= 0 ? most : cli_say(-1, "out of memory");
}

// The grid of a side in `instance`, in place of what was there. -1 after saying what is wrong, else its free cells.
static int32_t make_grid(
  const cli_scaling_world_t * world, int32_t side, cli_instance_t * instance, char map[CLI_SCALING_MAP_SIZE])
{
  fw_error_t error = {0};
  write_line(world, side, map);
  fw_grid_fini(&instance->grid);
  if (fw_grid_make(&instance->grid, map, NULL, &error) != FW_RET_OK) {
    return cli_say(-1, "--kind: %s", error.text);
  }
  instance->map_name = map;
  return fill_pockets(&instance->grid);
}

static int fit_grid(const cli_scaling_world_t * world, cli_instance_t * instance, char map[CLI_SCALING_MAP_SIZE])
{
  const double wanted = ceil(world->robot_count * 100.0 / world->density);
  int32_t low = 1;  // has too few free cells, or nothing smaller was tried
  int32_t high = 8;
  int32_t free_count = make_grid(world, high, instance, map);
  while (free_count >= 0 && free_count < wanted && high < FW_GRID_SIDE_MAX) {
    low = high;
    high = high * 2 < FW_GRID_SIDE_MAX ? high * 2 : FW_GRID_SIDE_MAX;
    free_count = make_grid(world, high, instance, map);
  }
  if (free_count >= 0 && free_count < wanted) {
    return cli_say(CLI_USAGE, "no map is large enough for %d robots at this density", world->robot_count);
  }
  while (free_count >= 0 && high - low > 1) {
    const int32_t middle = (low + high) / 2;
    free_count = make_grid(world, middle, instance, map);
    *(free_count >= wanted ? &high : &low) = middle;
  }
  return free_count >= 0 && make_grid(world, high, instance, map) >= 0 ? CLI_SOLVED : CLI_USAGE;
}

// ---- goals within reach ---------------------------------------------------------------------------------------------

static int draw_near(look_t * look, bool * is_goal, const cli_scaling_world_t * world, fw_scenario_t * scenario)
{
  fw_rng_t rng = fw__rng((uint64_t)world->seed + 1);
  for (int32_t r = 0; r < scenario->robot_count; ++r) {
    fw_robot_t * robot = &scenario->robots[r];
    const int32_t count = look_around(look, robot->start, world->reach, r + 1);
    int32_t at = fw__rng_below(&rng, count);
    int32_t tried = 0;
    for (; tried < count && is_goal[look->found[at]]; ++tried) {
      at = (at + 1) % count;
    }
    if (tried == count) {
      return cli_say(CLI_FAILURE, "robot %d: all places within %d moves are goals already", r, (int)world->reach);
    }
    robot->goal = look->found[at];
    is_goal[robot->goal] = true;
  }
  return CLI_SOLVED;
}

static int bring_goals_near(const cli_scaling_world_t * world, cli_instance_t * instance)
{
  look_t look;
  bool * is_goal = calloc((size_t)fw_grid_cell_count(&instance->grid), sizeof(*is_goal));
  const int exit_code = look_init(&look, &instance->grid) && is_goal != NULL
                          ? draw_near(&look, is_goal, world, &instance->scenario)
                          : cli_say(CLI_FAILURE, "out of memory");
  look_fini(&look);
  free(is_goal);
  return exit_code;
}

int cli_scaling_make(const cli_scaling_world_t * world, cli_instance_t * instance, char map[CLI_SCALING_MAP_SIZE])
{
  cli_instance_options_t options = cli_instance_options_default();
  options.robots = world->robot_count;
  options.seed = world->seed;
  int exit_code = fit_grid(world, instance, map);
  if (exit_code == CLI_SOLVED) {
    exit_code = cli_instance_load_robots(instance, &options);
  }
  if (exit_code == CLI_SOLVED && world->reach > 0) {
    exit_code = bring_goals_near(world, instance);
  }
  return exit_code;
}
