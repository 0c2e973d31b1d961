// Goals: where robots begin and where they are sent. See goals.h.

#include "ros/fleet_sim/goals.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"

// ---- cells of a robot

// One heading, or all.
static int32_t heading_count(const sim_goals_shape_t * shape) { return shape->has_heading ? FW_HEADING_COUNT : 1; }

static bool fits(const fw_grid_t * grid, const sim_goals_shape_t * shape, fw_cell_t cell)
{
  for (int32_t h = 0; h < heading_count(shape); ++h) {
    for (int32_t i = 0; i < shape->outline->counts[h]; ++i) {
      const fw_offset_t at = shape->outline->cells[h][i];
      if (!fw_grid_is_free(grid, fw_grid_x(grid, cell) + at.dx, fw_grid_y(grid, cell) + at.dy)) {
        return false;
      }
    }
  }
  return true;
}

static bool is_claimed(const sim_goals_t * goals, const sim_goals_shape_t * shape, fw_cell_t cell)
{
  for (int32_t h = 0; h < heading_count(shape); ++h) {
    for (int32_t i = 0; i < shape->outline->counts[h]; ++i) {
      const fw_offset_t at = shape->outline->cells[h][i];
      if (goals->claims[cell + at.dy * goals->grid->width + at.dx] > 0) {
        return true;
      }
    }
  }
  return false;
}

static void claim(sim_goals_t * goals, const sim_goals_shape_t * shape, fw_cell_t cell, int32_t change)
{
  for (int32_t h = 0; h < heading_count(shape); ++h) {
    for (int32_t i = 0; i < shape->outline->counts[h]; ++i) {
      const fw_offset_t at = shape->outline->cells[h][i];
      goals->claims[cell + at.dy * goals->grid->width + at.dx] += change;
    }
  }
}

// ---- areas

// Flood fill with four neighbours from `start`: gives the cells the label and lists them in `cells`.
static int32_t fill_area(
  const fw_grid_t * grid, const sim_goals_shape_t * shape, fw_cell_t start, int32_t label, int32_t * labels,
  fw_cell_t * cells)
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
      if (
        fw_grid_is_free(grid, x, y) && labels[fw_grid_cell(grid, x, y)] == 0 &&
        fits(grid, shape, fw_grid_cell(grid, x, y))) {
        labels[fw_grid_cell(grid, x, y)] = label;
        cells[count++] = fw_grid_cell(grid, x, y);
      }
    }
  }
  return count;
}

// The cells of the largest area into the kind, which has room for all cells of the grid.
static void find_largest_area(const fw_grid_t * grid, sim_goals_kind_t * kind, int32_t * labels)
{
  const int32_t cell_count = fw_grid_cell_count(grid);
  int32_t label = 0;
  int32_t largest = 0;
  int32_t largest_count = 0;
  memset(labels, 0, (size_t)cell_count * sizeof(*labels));
  for (fw_cell_t cell = 0; cell < cell_count; ++cell) {
    if (labels[cell] == 0 && fits(grid, &kind->shape, cell)) {
      const int32_t count = fill_area(grid, &kind->shape, cell, ++label, labels, kind->cells);
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

static fw_ret_t find_kinds(sim_goals_t * goals, const sim_goals_shape_t * shapes, int32_t * labels, fw_error_t * error)
{
  for (int32_t i = 0; i < goals->robot_count; ++i) {
    int32_t kind = 0;
    while (kind < goals->kind_count && (goals->kinds[kind].shape.outline != shapes[i].outline ||
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

// The large ones first: the others find room between them.
static fw_ret_t place_starts(sim_goals_t * goals, fw_error_t * error)
{
  for (int32_t pass = 0; pass < 2; ++pass) {
    for (int32_t i = 0; i < goals->robot_count; ++i) {
      const sim_goals_kind_t * kind = &goals->kinds[goals->kind_of[i]];
      const bool is_large = kind->shape.outline->counts[0] > 1;
      if (is_large != (pass == 0)) {
        continue;
      }
      int32_t at = 0;
      while (at < kind->cell_count && is_claimed(goals, &kind->shape, kind->cells[at])) {
        ++at;
      }
      // One place for each robot's goal, one to go to next, one to stand on meanwhile.
      if (at + (is_large ? 1 : 2) >= kind->cell_count) {
        return fw__error(
          error, FW_RET_INVALID_ARGUMENT, "%d robots do not fit: the largest connected area of the map has %d cells",
          (int)goals->robot_count, (int)kind->cell_count);
      }
      goals->starts[i] = kind->cells[at];
      claim(goals, &kind->shape, goals->starts[i], 1);
    }
  }
  memset(goals->claims, 0, (size_t)fw_grid_cell_count(goals->grid) * sizeof(*goals->claims));
  return FW_RET_OK;
}

fw_ret_t sim_goals_init(
  sim_goals_t * goals, const fw_grid_t * grid, const sim_goals_shape_t * shapes, int32_t robot_count, uint64_t seed,
  fw_error_t * error)
{
  const size_t cell_count = (size_t)fw_grid_cell_count(grid), robots = (size_t)robot_count;
  int32_t * labels = malloc(cell_count * sizeof(*labels));
  *goals = (sim_goals_t){
    .grid = grid,
    .kinds = calloc(robots, sizeof(*goals->kinds)),
    .kind_of = calloc(robots, sizeof(*goals->kind_of)),
    .starts = calloc(robots, sizeof(*goals->starts)),
    .robot_count = robot_count,
    .claims = calloc(cell_count, sizeof(*goals->claims)),
    .rng = fw__rng(seed),
  };
  fw_ret_t ret = FW_RET_OK;
  if (
    labels == NULL || goals->kinds == NULL || goals->kind_of == NULL || goals->starts == NULL ||
    goals->claims == NULL) {
    ret = fw__error_memory(error);
  }
  if (ret == FW_RET_OK) {
    ret = find_kinds(goals, shapes, labels, error);
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
  free(goals->claims);
  *goals = (sim_goals_t){0};
}

fw_cell_t sim_goals_start(const sim_goals_t * goals, int32_t robot) { return goals->starts[robot]; }

fw_cell_t sim_goals_draw(sim_goals_t * goals, int32_t robot, fw_cell_t here, fw_cell_t last)
{
  // From a random cell on the first one that will do; among large robots there may be none for now.
  const sim_goals_kind_t * kind = &goals->kinds[goals->kind_of[robot]];
  const int32_t first = fw__rng_below(&goals->rng, kind->cell_count);
  for (int32_t i = 0; i < kind->cell_count; ++i) {
    const fw_cell_t cell = kind->cells[(first + i) % kind->cell_count];
    if (cell != here && !is_claimed(goals, &kind->shape, cell)) {
      claim(goals, &kind->shape, cell, 1);
      if (last != FW_CELL_NONE) {
        claim(goals, &kind->shape, last, -1);
      }
      return cell;
    }
  }
  return last;
}
