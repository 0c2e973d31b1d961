// Goals: start cells and random goals. See goals.h.

#include "ros/fleet_sim/goals.h"

#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"

// ---- the cells that a shape covers, at one heading or at all
static int32_t heading_count(const sim_shape_t * shape) { return shape->has_heading ? FW_HEADING_COUNT : 1; }

static bool fits(const fw_grid_t * grid, const sim_shape_t * shape, fw_cell_t cell)
{
  for (int32_t h = 0; h < heading_count(shape); ++h) {
    for (int32_t i = 0; i < shape->footprint->counts[h]; ++i) {
      const fw_offset_t at = shape->footprint->cells[h][i];
      if (!fw_grid_is_free(grid, fw_grid_x(grid, cell) + at.dx, fw_grid_y(grid, cell) + at.dy)) {
        return false;
      }
    }
  }
  return true;
}

static bool is_covered(const sim_goals_t * goals, const sim_shape_t * shape, fw_cell_t cell)
{
  for (int32_t h = 0; h < heading_count(shape); ++h) {
    for (int32_t i = 0; i < shape->footprint->counts[h]; ++i) {
      const fw_offset_t at = shape->footprint->cells[h][i];
      if (goals->cover[cell + at.dy * goals->grid->width + at.dx] > 0) {
        return true;
      }
    }
  }
  return false;
}

// Adds `change` to the count of every cell that the shape covers at `cell`.
static void cover(sim_goals_t * goals, const sim_shape_t * shape, fw_cell_t cell, int32_t change)
{
  for (int32_t h = 0; h < heading_count(shape); ++h) {
    for (int32_t i = 0; i < shape->footprint->counts[h]; ++i) {
      const fw_offset_t at = shape->footprint->cells[h][i];
      goals->cover[cell + at.dy * goals->grid->width + at.dx] += change;
    }
  }
}

// ---- areas

// What a flood fill works on.
typedef struct area_flood_t {
  const fw_grid_t * grid;
  const sim_shape_t * shape;
  int32_t * labels;   // by cell: its area from 1, 0: none yet
  fw_cell_t * cells;  // of the area that was filled last
} area_flood_t;

// Flood fill over four neighbours from `start`: labels the cells and lists them. Returns their number.
static int32_t fill_area(const area_flood_t * flood, fw_cell_t start, int32_t label)
{
  static const int32_t dx[4] = {1, 0, -1, 0};
  static const int32_t dy[4] = {0, 1, 0, -1};
  const fw_grid_t * grid = flood->grid;
  fw_cell_t * cells = flood->cells;
  int32_t count = 0;
  flood->labels[start] = label;
  cells[count++] = start;
  for (int32_t next = 0; next < count; ++next) {
    for (int32_t i = 0; i < 4; ++i) {
      const int32_t x = fw_grid_x(grid, cells[next]) + dx[i];
      const int32_t y = fw_grid_y(grid, cells[next]) + dy[i];
      if (
        fw_grid_is_free(grid, x, y) && flood->labels[fw_grid_cell(grid, x, y)] == 0 &&
        fits(grid, flood->shape, fw_grid_cell(grid, x, y))) {
        flood->labels[fw_grid_cell(grid, x, y)] = label;
        cells[count++] = fw_grid_cell(grid, x, y);
      }
    }
  }
  FW_ASSERT(count <= fw_grid_cell_count(grid));
  return count;
}

// Lists the cells of the largest area in the kind, which has room for all cells of the grid.
static void find_largest_area(const fw_grid_t * grid, sim_goals_kind_t * kind, int32_t * labels)
{
  const int32_t cell_count = fw_grid_cell_count(grid);
  const area_flood_t flood = {.grid = grid, .shape = &kind->shape, .labels = labels, .cells = kind->cells};
  int32_t label = 0;
  int32_t largest = 0;
  int32_t largest_count = 0;
  memset(labels, 0, (size_t)cell_count * sizeof(*labels));
  for (fw_cell_t cell = 0; cell < cell_count; ++cell) {
    if (labels[cell] == 0 && fits(grid, &kind->shape, cell)) {
      const int32_t count = fill_area(&flood, cell, ++label);
      if (count > largest_count) {
        largest = label;
        largest_count = count;
      }
    }
  }
  kind->cell_count = 0;
  for (fw_cell_t cell = 0; largest != 0 && cell < cell_count; ++cell) {
    if (labels[cell] == largest) {
      kind->cells[kind->cell_count++] = cell;
    }
  }
}

// ---- robots

static fw_ret_t find_kinds(sim_goals_t * goals, const sim_shape_t * shapes, int32_t * labels, fw_error_t * error)
{
  for (int32_t i = 0; i < goals->robot_count; ++i) {
    int32_t kind = 0;
    while (kind < goals->kind_count && (goals->kinds[kind].shape.footprint != shapes[i].footprint ||
                                        goals->kinds[kind].shape.has_heading != shapes[i].has_heading)) {
      ++kind;
    }
    goals->kind_of[i] = kind;
    if (kind < goals->kind_count) {
      continue;
    }
    goals->kinds[kind] = (sim_goals_kind_t){
      .shape = shapes[i],
      .cells = malloc((size_t)fw_grid_cell_count(goals->grid) * sizeof(fw_cell_t)),
    };
    goals->kind_count = kind + 1;
    if (goals->kinds[kind].cells == NULL) {
      return fw__error_memory(error);
    }
    find_largest_area(goals->grid, &goals->kinds[kind], labels);
    fw__rng_shuffle(&goals->rng, goals->kinds[kind].cells, goals->kinds[kind].cell_count);
  }
  return FW_RET_OK;
}

// Large robots first: the others find room between them.
static fw_ret_t place_starts(sim_goals_t * goals, fw_error_t * error)
{
  for (int32_t pass = 0; pass < 2; ++pass) {
    for (int32_t i = 0; i < goals->robot_count; ++i) {
      const sim_goals_kind_t * kind = &goals->kinds[goals->kind_of[i]];
      const bool is_large = kind->shape.footprint->counts[0] > 1;
      if (is_large != (pass == 0)) {
        continue;
      }
      int32_t at = 0;
      while (at < kind->cell_count && is_covered(goals, &kind->shape, kind->cells[at])) {
        ++at;
      }
      // A robot needs a cell for its goal, one for its next goal, and one to stand on meanwhile.
      if (at + (is_large ? 1 : 2) >= kind->cell_count) {
        return fw__error(
          error, FW_RET_INVALID_ARGUMENT,
          "%d robots do not fit: the largest connected area of the map has %d cells; use fewer robots or a larger map",
          (int)goals->robot_count, (int)kind->cell_count);
      }
      goals->starts[i] = kind->cells[at];
      cover(goals, &kind->shape, goals->starts[i], 1);
    }
  }
  memset(goals->cover, 0, (size_t)fw_grid_cell_count(goals->grid) * sizeof(*goals->cover));
  return FW_RET_OK;
}

fw_ret_t sim_goals_init(sim_goals_t * goals, const sim_goals_options_t * options, fw_error_t * error)
{
  const size_t cell_count = (size_t)fw_grid_cell_count(options->grid), robots = (size_t)options->robot_count;
  int32_t * labels = malloc(cell_count * sizeof(*labels));
  *goals = (sim_goals_t){
    .grid = options->grid,
    .kinds = calloc(robots, sizeof(*goals->kinds)),
    .kind_of = calloc(robots, sizeof(*goals->kind_of)),
    .starts = calloc(robots, sizeof(*goals->starts)),
    .robot_count = options->robot_count,
    .cover = calloc(cell_count, sizeof(*goals->cover)),
    .rng = fw__rng(options->seed),
  };
  fw_ret_t ret = FW_RET_OK;
  if (
    labels == NULL || goals->kinds == NULL || goals->kind_of == NULL || goals->starts == NULL || goals->cover == NULL) {
    ret = fw__error_memory(error);
  }
  if (ret == FW_RET_OK) {
    ret = find_kinds(goals, options->shapes, labels, error);
  }
  if (ret == FW_RET_OK) {
    ret = place_starts(goals, error);
  }
  free(labels);
  if (ret != FW_RET_OK) {
    sim_goals_fini(goals);
  }
  return ret;
}

void sim_goals_fini(sim_goals_t * goals)
{
  for (int32_t i = 0; i < goals->kind_count; ++i) {
    free(goals->kinds[i].cells);
  }
  free(goals->kinds);
  free(goals->kind_of);
  free(goals->starts);
  free(goals->cover);
  *goals = (sim_goals_t){0};
}

fw_cell_t sim_goals_start(const sim_goals_t * goals, int32_t robot)
{
  FW_ASSERT(robot >= 0 && robot < goals->robot_count);
  return goals->starts[robot];
}

fw_cell_t sim_goals_draw(sim_goals_t * goals, int32_t robot, fw_cell_t here, fw_cell_t last)
{
  FW_ASSERT(robot >= 0 && robot < goals->robot_count);
  // The first suitable cell from a random one on; among large robots there may be none for now.
  const sim_goals_kind_t * kind = &goals->kinds[goals->kind_of[robot]];
  const int32_t first = fw__rng_below(&goals->rng, kind->cell_count);
  for (int32_t i = 0; i < kind->cell_count; ++i) {
    const fw_cell_t cell = kind->cells[(first + i) % kind->cell_count];
    if (cell != here && !is_covered(goals, &kind->shape, cell)) {
      cover(goals, &kind->shape, cell, 1);
      if (last != FW_CELL_NONE) {
        cover(goals, &kind->shape, last, -1);
      }
      return cell;
    }
  }
  return last;
}
