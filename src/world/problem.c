// The door: checks the caller's data, with an error that names the robot and the cell.

#include "world/problem.h"

#include "base/error.h"
#include "world/closures.h"

static const fw_offset_t own_cell[1] = {{0, 0}};

typedef struct shape_t {
  const fw_offset_t * cells;
  int32_t count;
} shape_t;

static shape_t shape_of(const fw_robot_t * robot)
{
  return robot->footprint_count == 0 ? (shape_t){.cells = own_cell, .count = 1}
                                     : (shape_t){.cells = robot->footprint, .count = robot->footprint_count};
}

static fw_ret_t check_grid(const fw_grid_t * grid, fw_error_t * error)
{
  if (grid == NULL || grid->cost == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "the problem has no grid");
  }
  if (grid->width < 1 || grid->height < 1 || grid->width > FW_GRID_SIDE_MAX || grid->height > FW_GRID_SIDE_MAX) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "a grid of %d x %d cells: each side must be 1 to %d", grid->width, grid->height,
      FW_GRID_SIDE_MAX);
  }
  return FW_RET_OK;
}

static fw_ret_t check_values(const fw_robot_t * robot, int32_t index, fw_error_t * error)
{
  const fw__fault_t where = {.fault = FW_FAULT_INVALID, .robot = index, .cell = FW_CELL_NONE};
  if (robot->ticks_per_move < 0 || robot->ticks_per_move > FW_TICKS_PER_MOVE_MAX) {
    return fw__error_at(
      error, where, "robot %d takes %d ticks per move: it must be 1 to %d", index, robot->ticks_per_move,
      FW_TICKS_PER_MOVE_MAX);
  }
  if (robot->footprint_count < 0 || (robot->footprint_count > 0 && robot->footprint == NULL)) {
    return fw__error_at(error, where, "robot %d has a footprint of %d cells", index, robot->footprint_count);
  }
  const shape_t shape = shape_of(robot);
  bool has_own_cell = false;
  for (int32_t i = 0; i < shape.count; ++i) {
    const fw_offset_t at = shape.cells[i];
    if (
      at.dx < -FW_GRID_SIDE_MAX || at.dx > FW_GRID_SIDE_MAX || at.dy < -FW_GRID_SIDE_MAX || at.dy > FW_GRID_SIDE_MAX) {
      return fw__error_at(
        error, where, "robot %d has the cell (%d,%d) in its footprint, more than %d away", index, at.dx, at.dy,
        FW_GRID_SIDE_MAX);
    }
    has_own_cell = has_own_cell || (shape.cells[i].dx == 0 && shape.cells[i].dy == 0);
    for (int32_t j = 0; j < i; ++j) {
      if (shape.cells[i].dx == shape.cells[j].dx && shape.cells[i].dy == shape.cells[j].dy) {
        return fw__error_at(
          error, where, "robot %d has the cell (%d,%d) twice in its footprint", index, shape.cells[i].dx,
          shape.cells[i].dy);
      }
    }
  }
  if (!has_own_cell) {
    return fw__error_at(error, where, "the footprint of robot %d lacks its own cell (0,0)", index);
  }
  return FW_RET_OK;
}

// The start or the goal of a robot: inside, and on free floor with the whole footprint.
static fw_ret_t check_place(
  const fw_grid_t * grid, const fw_robot_t * robot, int32_t index, bool is_start, fw_error_t * error)
{
  const fw_cell_t cell = is_start ? robot->start : robot->goal;
  const char * what = is_start ? "start" : "goal";
  const fw_fault_t outside = is_start ? FW_FAULT_START_OUTSIDE : FW_FAULT_GOAL_OUTSIDE;
  const fw_fault_t occupied = is_start ? FW_FAULT_START_OCCUPIED : FW_FAULT_GOAL_OCCUPIED;
  if (cell < 0 || cell >= fw_grid_cell_count(grid)) {
    return fw__error_at(
      error, (fw__fault_t){outside, index, cell}, "the %s of robot %d, cell %d, is outside the grid of %d x %d", what,
      index, cell, grid->width, grid->height);
  }
  const shape_t shape = shape_of(robot);
  for (int32_t i = 0; i < shape.count; ++i) {
    const int32_t x = fw_grid_x(grid, cell) + shape.cells[i].dx;
    const int32_t y = fw_grid_y(grid, cell) + shape.cells[i].dy;
    if (!fw_grid_contains(grid, x, y)) {
      return fw__error_at(
        error, (fw__fault_t){outside, index, cell}, "robot %d sticks out of the grid at (%d,%d) on its %s", index, x, y,
        what);
    }
    if (!fw_grid_is_free(grid, x, y)) {
      return fw__error_at(
        error, (fw__fault_t){occupied, index, cell}, "the %s of robot %d, (%d,%d), is on the obstacle at (%d,%d)", what,
        index, fw_grid_x(grid, cell), fw_grid_y(grid, cell), x, y);
    }
  }
  return FW_RET_OK;
}

static size_t slot_of(fw_cell_t cell, size_t slot_count)
{
  return ((uint32_t)cell * UINT32_C(2654435761)) % slot_count;
}

// No two robots on one cell, at the start or at the goals. A small open-addressed set of cells.
static fw_ret_t check_apart(
  const fw_problem_t * problem, bool is_start, int32_t * slots, size_t slot_count, fw_error_t * error)
{
  const fw_grid_t * grid = problem->grid;
  for (size_t i = 0; i < slot_count; ++i) {
    slots[2 * i] = FW_CELL_NONE;
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    const fw_cell_t place = is_start ? robot->start : robot->goal;
    const shape_t shape = shape_of(robot);
    for (int32_t i = 0; i < shape.count; ++i) {
      const fw_cell_t cell = place + shape.cells[i].dy * grid->width + shape.cells[i].dx;
      size_t slot = slot_of(cell, slot_count);
      while (slots[2 * slot] != FW_CELL_NONE && slots[2 * slot] != cell) {
        slot = (slot + 1) % slot_count;
      }
      if (slots[2 * slot] == cell) {
        return fw__error_at(
          error, (fw__fault_t){is_start ? FW_FAULT_START_OCCUPIED : FW_FAULT_GOAL_OCCUPIED, r, cell},
          "robots %d and %d have the same %s cell (%d,%d)", slots[2 * slot + 1], r, is_start ? "start" : "goal",
          fw_grid_x(grid, cell), fw_grid_y(grid, cell));
      }
      slots[2 * slot] = cell;
      slots[2 * slot + 1] = r;
    }
  }
  return FW_RET_OK;
}

// No robot stands on a cell that is closed at tick 0. `slots` are those of check_apart for the starts.
static fw_ret_t check_starts_open(
  const fw_problem_t * problem, const int32_t * slots, size_t slot_count, fw_error_t * error)
{
  const fw_grid_t * grid = problem->grid;
  for (int32_t i = 0; i < problem->closure_count; ++i) {
    const fw_cell_t cell = problem->closures[i].cell;
    size_t slot = slot_of(cell, slot_count);
    while (slots[2 * slot] != FW_CELL_NONE && slots[2 * slot] != cell) {
      slot = (slot + 1) % slot_count;
    }
    if (slots[2 * slot] == cell && problem->closures[i].from == 0) {
      const int32_t robot = slots[2 * slot + 1];
      return fw__error_at(
        error, (fw__fault_t){FW_FAULT_START_OCCUPIED, robot, cell},
        "robot %d is on (%d,%d) at the start, which is closed at tick 0", robot, fw_grid_x(grid, cell),
        fw_grid_y(grid, cell));
    }
  }
  return FW_RET_OK;
}

static fw_ret_t check_all_apart(const fw_problem_t * problem, const fw_allocator_t * allocator, fw_error_t * error)
{
  size_t cells = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    cells += (size_t)shape_of(&problem->robots[r]).count;
  }
  const size_t slot_count = 2 * cells + 1;
  int32_t * slots = fw__allocate_array(allocator, slot_count, 2 * sizeof(*slots));
  if (slots == NULL) {
    return fw__error_memory(error);
  }
  fw_ret_t ret = check_apart(problem, true, slots, slot_count, error);
  if (ret == FW_RET_OK) {
    ret = check_starts_open(problem, slots, slot_count, error);
  }
  if (ret == FW_RET_OK) {
    ret = check_apart(problem, false, slots, slot_count, error);
  }
  fw__deallocate(allocator, slots);
  return ret;
}

static fw_ret_t check_closures(const fw_problem_t * problem, fw_error_t * error)
{
  const fw_grid_t * grid = problem->grid;
  if (problem->closure_count < 0 || (problem->closure_count > 0 && problem->closures == NULL)) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "a list of %d closures", problem->closure_count);
  }
  for (int32_t i = 0; i < problem->closure_count; ++i) {
    const fw_closure_t closure = problem->closures[i];
    const fw__fault_t where = {.fault = FW_FAULT_INVALID, .robot = -1, .cell = closure.cell};
    if (closure.cell < 0 || closure.cell >= fw_grid_cell_count(grid)) {
      return fw__error_at(
        error, where, "closure %d, cell %d, is outside the grid of %d x %d", i, closure.cell, grid->width,
        grid->height);
    }
    if (closure.from < 0 || closure.to < closure.from || closure.to > FW_TICK_MAX) {
      return fw__error_at(
        error, where, "closure %d of (%d,%d) lasts from tick %d to %d: it must be 0 <= from <= to <= %d", i,
        fw_grid_x(grid, closure.cell), fw_grid_y(grid, closure.cell), closure.from, closure.to, FW_TICK_MAX);
    }
  }
  return FW_RET_OK;
}

fw_ret_t fw__problem_check(const fw_problem_t * problem, const fw_allocator_t * allocator, fw_error_t * error)
{
  if (problem == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "there is no problem");
  }
  fw_ret_t ret = check_grid(problem->grid, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (problem->connectivity != 0 && problem->connectivity != 4 && problem->connectivity != 8) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "connectivity %d: it must be 4 or 8", problem->connectivity);
  }
  if (problem->robust_ticks < 0 || problem->robust_ticks > FW_ROBUST_TICKS_MAX) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "robust_ticks %d: it must be 0 to %d", problem->robust_ticks,
      FW_ROBUST_TICKS_MAX);
  }
  if (
    problem->robot_count < 0 || problem->robot_count > FW_ROBOT_COUNT_MAX ||
    (problem->robot_count > 0 && problem->robots == NULL)) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "%d robots: there must be 0 to %d", problem->robot_count, FW_ROBOT_COUNT_MAX);
  }
  for (int32_t i = 0; i < problem->robot_count; ++i) {
    const fw_robot_t * robot = &problem->robots[i];
    if (
      (ret = check_values(robot, i, error)) != FW_RET_OK ||
      (ret = check_place(problem->grid, robot, i, true, error)) != FW_RET_OK ||
      (ret = check_place(problem->grid, robot, i, false, error)) != FW_RET_OK) {
      return ret;
    }
  }
  ret = check_closures(problem, error);
  return ret != FW_RET_OK ? ret : check_all_apart(problem, allocator, error);
}

fw_ret_t fw_problem_check(const fw_problem_t * problem, fw_error_t * error)
{
  const fw_allocator_t allocator = fw_allocator_default();
  return fw__problem_check(problem, &allocator, error);
}

fw_problem_t fw__problem_normalise(const fw_problem_t * problem, fw_arena_t * arena)
{
  fw_problem_t copy = *problem;
  copy.connectivity = fw__problem_connectivity(problem);
  fw_robot_t * robots = fw_arena_allocate(arena, (size_t)problem->robot_count + 1, sizeof(*robots));
  for (int32_t i = 0; robots != NULL && i < problem->robot_count; ++i) {
    const shape_t shape = shape_of(&problem->robots[i]);
    robots[i] = problem->robots[i];
    robots[i].ticks_per_move = robots[i].ticks_per_move == 0 ? 1 : robots[i].ticks_per_move;
    robots[i].footprint = shape.cells;
    robots[i].footprint_count = shape.count;
  }
  fw_closure_t * closures = fw_arena_allocate(arena, (size_t)problem->closure_count + 1, sizeof(*closures));
  if (closures != NULL) {
    copy.closure_count = fw__closures_merge(problem, closures);
  }
  copy.closures = closures;
  copy.robots = closures == NULL ? NULL : robots;
  return copy;
}
