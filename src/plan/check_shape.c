// The check's own idea of what a robot covers, standing and on the way.

#include <stdlib.h>

#include "base/memory.h"
#include "plan/check.h"

// ---- slanted footprints ---------------------------------------------------------------------------------------------

static int64_t signed_square(int64_t value) { return value < 0 ? -value * value : value * value; }

// |a / sqrt 2 - n| < 1 / 2, that is 2 n - 1 < a sqrt 2 < 2 n + 1.
static bool is_near(int32_t a, int32_t n)
{
  const int64_t twice = 2 * signed_square(a);
  return signed_square(2 * (int64_t)n - 1) < twice && twice < signed_square(2 * (int64_t)n + 1);
}

// Does the centre of `at`, turned back from south-east to east, lie in `cell`?
static bool lies_in(fw_offset_t at, fw_offset_t cell)
{
  return is_near(at.dx + at.dy, cell.dx) && is_near(at.dy - at.dx, cell.dy);
}

// About a / sqrt 2.
static int32_t roughly(int32_t a) { return (int32_t)((int64_t)a * 5741 / 8119); }

// Where a cell comes to lie at south-east. `cells` may be NULL to count.
static int32_t slant_cell(fw_offset_t cell, fw_offset_t * cells)
{
  int32_t count = 0;
  for (int32_t dy = -2; dy <= 2; ++dy) {
    for (int32_t dx = -2; dx <= 2; ++dx) {
      const fw_offset_t at = {roughly(cell.dx - cell.dy) + dx, roughly(cell.dx + cell.dy) + dy};
      if (lies_in(at, cell)) {
        if (cells != NULL) {
          cells[count] = at;
        }
        ++count;
      }
    }
  }
  return count;
}

static int32_t straight_count(const fw_robot_t * robot)
{
  return robot->footprint_count == 0 ? 1 : robot->footprint_count;
}

static fw_offset_t straight_cell(const fw_robot_t * robot, int32_t index)
{
  return robot->footprint_count == 0 ? (fw_offset_t){0, 0} : robot->footprint[index];
}

static int32_t slant_robot(const fw_robot_t * robot, fw_offset_t * cells)
{
  int32_t count = 0;
  for (int32_t i = 0; i < straight_count(robot) && robot->turn_ticks > 0; ++i) {
    count += slant_cell(straight_cell(robot, i), cells == NULL ? NULL : cells + count);
  }
  return count;
}

bool fw__check_slant(fw__check_t * check, const fw_allocator_t * allocator)
{
  const fw_problem_t * problem = check->problem;
  size_t total = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    total += (size_t)slant_robot(&problem->robots[r], NULL);
  }
  check->slants = fw__allocate_array(allocator, (size_t)problem->robot_count, sizeof(*check->slants));
  check->slanted = fw__allocate_array(allocator, total, sizeof(*check->slanted));
  if (check->slants == NULL || check->slanted == NULL) {
    return false;
  }
  fw_offset_t * cells = check->slanted;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const int32_t count = slant_robot(&problem->robots[r], cells);
    check->slants[r] = (fw__slant_t){.cells = cells, .count = count};
    cells += count;
  }
  return true;
}

// ---- spots ----------------------------------------------------------------------------------------------------------

fw_offset_t fw__check_shift(const fw__check_t * check, fw_cell_t from, fw_cell_t to)
{
  const int32_t width = check->problem->grid->width;
  if (!fw__check_is_cell(check, from) || !fw__check_is_cell(check, to)) {
    return (fw_offset_t){0, 0};
  }
  return (fw_offset_t){to % width - from % width, to / width - from / width};
}

fw_tick_t fw__check_next_change(const fw__check_t * check, int32_t robot, fw_tick_t tick)
{
  const fw_path_t * path = &check->paths[robot];
  const bool has_heading = fw__check_has_heading(check, robot);
  for (fw_tick_t next = tick + 1; next < path->length; ++next) {
    if (
      path->cells[next] != path->cells[next - 1] || (has_heading && path->headings[next] != path->headings[next - 1])) {
      return next;
    }
  }
  return FW_TICK_MAX;
}

int32_t fw__check_motion_ticks(const fw__check_t * check, int32_t robot, fw_tick_t change)
{
  const fw_robot_t * shape = &check->problem->robots[robot];
  const bool is_move = fw__check_spot(check, robot, change).cell != fw__check_spot(check, robot, change - 1).cell;
  const int32_t ticks = is_move ? shape->ticks_per_move : shape->turn_ticks;
  return ticks == 0 ? 1 : ticks;
}

int32_t fw__check_ticks_before(const fw__check_t * check, int32_t robot)
{
  const fw_robot_t * shape = &check->problem->robots[robot];
  const int32_t ticks = shape->from != shape->start ? shape->ticks_per_move : shape->turn_ticks;
  return shape->arrives > 0 ? ticks - shape->arrives : 0;
}

// ---- patches --------------------------------------------------------------------------------------------------------

static int32_t count_at(const fw__check_t * check, int32_t robot, int32_t heading)
{
  return heading % 2 != 0 ? check->slants[robot].count : straight_count(&check->problem->robots[robot]);
}

// A cell of the robot's, as it lies from some quarter on, east, south, west or north.
static fw_offset_t place(const fw__check_t * check, fw__spot_t spot, fw_offset_t cell)
{
  const fw_grid_t * grid = check->problem->grid;
  const fw_offset_t turned[4] = {{cell.dx, cell.dy}, {-cell.dy, cell.dx}, {-cell.dx, -cell.dy}, {cell.dy, -cell.dx}};
  const fw_offset_t at = turned[spot.heading / 2 % 4];
  return (fw_offset_t){spot.cell % grid->width + at.dx, spot.cell / grid->width + at.dy};
}

static fw_offset_t cell_at(const fw__check_t * check, int32_t robot, fw__spot_t spot, int32_t index)
{
  const bool is_slanted = spot.heading % 2 != 0;
  return place(
    check, spot, is_slanted ? check->slants[robot].cells[index] : straight_cell(&check->problem->robots[robot], index));
}

// The first of the two headings of a turn, turning right; -1 if it is none that robots can make here.
static int32_t first_heading(const fw__check_t * check, const fw__patch_t * patch)
{
  const int32_t step = check->problem->connectivity == 8 ? 1 : 2;
  const int32_t a = patch->from.heading, b = patch->to.heading;
  const int32_t right = (a + step) % FW_HEADING_COUNT == b ? a : (b + step) % FW_HEADING_COUNT == a ? b : -1;
  return step == 2 && right % 2 != 0 ? -1 : right;
}

static const fw__slant_t * swept_by(const fw__check_t * check, const fw__patch_t * patch, int32_t first)
{
  return &check->turns[2 * patch->robot + first % 2];
}

int32_t fw__check_count_any(const fw__check_t * check, const fw__patch_t * patch)
{
  const int32_t robot = patch->robot;
  if (fw__check_is_same(patch->from, patch->to)) {
    return count_at(check, robot, patch->from.heading);
  }
  if (patch->from.cell == patch->to.cell) {
    const int32_t first = first_heading(check, patch);
    return first < 0 ? 0 : swept_by(check, patch, first)->count;
  }
  if (!check->problem->robots[robot].sweeps_sides) {
    return 0;
  }
  const fw_offset_t by = fw__check_shift(check, patch->from.cell, patch->to.cell);
  const bool is_swept = abs(by.dx) == 1 && abs(by.dy) == 1;
  return is_swept ? 2 * count_at(check, robot, patch->from.heading) : 0;
}

fw_offset_t fw__check_at(const fw__check_t * check, const fw__patch_t * patch, int32_t index)
{
  if (fw__check_is_same(patch->from, patch->to)) {
    return cell_at(check, patch->robot, patch->from, index);
  }
  if (patch->from.cell == patch->to.cell) {
    const int32_t first = first_heading(check, patch);
    return place(check, (fw__spot_t){patch->from.cell, first}, swept_by(check, patch, first)->cells[index]);
  }
  const fw_offset_t by = fw__check_shift(check, patch->from.cell, patch->to.cell);
  const fw_offset_t at = cell_at(check, patch->robot, patch->from, index / 2);
  return index % 2 == 0 ? (fw_offset_t){at.dx + by.dx, at.dy} : (fw_offset_t){at.dx, at.dy + by.dy};
}

fw_cell_t fw__check_cell_any(const fw__check_t * check, const fw__patch_t * patch, int32_t index)
{
  const fw_grid_t * grid = check->problem->grid;
  if (!fw__check_is_cell(check, patch->from.cell) || !fw__check_is_cell(check, patch->to.cell)) {
    return FW_CELL_NONE;
  }
  const fw_offset_t at = fw__check_at(check, patch, index);
  return fw_grid_contains(grid, at.dx, at.dy) ? fw_grid_cell(grid, at.dx, at.dy) : FW_CELL_NONE;
}
