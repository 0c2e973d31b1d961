// The door: checks the caller's data, with an error that names the robot and the cell.

#include "world/problem.h"

#include "base/error.h"
#include "world/closures.h"
#include "world/under_way.h"

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

// Cells beside a diagonal have a meaning of their own for whoever covers more than its own cell.
static fw_ret_t check_corners(const fw_problem_t * problem, fw_error_t * error)
{
  if (problem->cuts_corners && fw__problem_connectivity(problem) != 8) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "corners can be cut with connectivity 8 only: 4 has no diagonals");
  }
  for (int32_t i = 0; i < problem->robot_count && problem->cuts_corners; ++i) {
    const fw_robot_t * robot = &problem->robots[i];
    const char * what = robot->footprint_count > 1 ? "covers more than one cell"
                        : robot->turn_ticks > 0    ? "has a heading"
                        : robot->sweeps_sides      ? "sweeps its sides"
                                                   : NULL;
    if (what != NULL) {
      return fw__error_at(
        error, (fw_error_detail_t){FW_FAULT_INVALID, i, robot->start},
        "robot %d %s: only robots of one cell, without heading, can cut corners", i, what);
    }
  }
  return FW_RET_OK;
}

static fw_ret_t check_values(const fw_robot_t * robot, int32_t index, int32_t connectivity, fw_error_t * error)
{
  const fw_error_detail_t where = {.fault = FW_FAULT_INVALID, .robot = index, .cell = FW_CELL_NONE};
  if (robot->ticks_per_move < 0 || robot->ticks_per_move > FW_TICKS_PER_MOVE_MAX) {
    return fw__error_at(
      error, where, "robot %d takes %d ticks per move: it must be 1 to %d", index, robot->ticks_per_move,
      FW_TICKS_PER_MOVE_MAX);
  }
  if (robot->footprint_count < 0 || (robot->footprint_count > 0 && robot->footprint == NULL)) {
    return fw__error_at(error, where, "robot %d has a footprint of %d cells", index, robot->footprint_count);
  }
  if (robot->turn_ticks < 0 || robot->turn_ticks > FW_TICKS_PER_MOVE_MAX) {
    return fw__error_at(
      error, where, "robot %d takes %d ticks per turn: it must be 1 to %d, or 0 for a robot without heading", index,
      robot->turn_ticks, FW_TICKS_PER_MOVE_MAX);
  }
  if (robot->heading < 0 || robot->heading >= FW_HEADING_COUNT) {
    return fw__error_at(
      error, where, "robot %d has the heading %d: it must be 0 to %d, in eighths of a turn", index, robot->heading,
      FW_HEADING_COUNT - 1);
  }
  if (robot->turn_ticks > 0 && robot->heading % 2 != 0 && connectivity == 4) {
    return fw__error_at(
      error, where, "robot %d heads %s, which is for connectivity 8 only", index, fw_heading_name(robot->heading));
  }
  if (robot->arrives < 0) {
    return fw__error_at(error, where, "robot %d arrives on its start at tick %d", index, robot->arrives);
  }
  const fw_footprint_t shape = fw__footprint_of(robot);
  bool has_own_cell = false;
  for (int32_t i = 0; i < shape.count; ++i) {
    const fw_offset_t at = shape.cells[i];
    const int32_t far = robot->turn_ticks > 0 ? FW_TURN_REACH_MAX : FW_GRID_SIDE_MAX;
    if (at.dx < -far || at.dx > far || at.dy < -far || at.dy > far) {
      return fw__error_at(
        error, where, "robot %d has the cell (%d,%d) in its footprint, more than %d away", index, at.dx, at.dy, far);
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

// A robot with a heading at its start or goal.
typedef struct place_t {
  const fw_grid_t * grid;
  const fw_robot_t * robot;
  int32_t index;
  bool is_start;
  int32_t heading;
} place_t;

static fw_cell_t cell_of(const place_t * place) { return place->is_start ? place->robot->start : place->robot->goal; }

// On free floor with the whole footprint. The door has no memory of its own for turned cells: one at a time.
static fw_ret_t check_fits(const place_t * place, fw_error_t * error)
{
  const fw_grid_t * grid = place->grid;
  const fw_cell_t cell = cell_of(place);
  const char * what = place->is_start ? "start" : "goal";
  const fw_footprint_t footprint = fw__footprint_of(place->robot);
  for (int32_t i = 0; i < footprint.count; ++i) {
    fw_offset_t cells[FW_ROTATED_CELLS_MAX];
    const int32_t count =
      fw__footprint_rotate_into((fw_footprint_t){&footprint.cells[i], 1}, place->heading, cells, FW_ROTATED_CELLS_MAX);
    for (int32_t j = 0; j < count; ++j) {
      const int32_t x = fw_grid_x(grid, cell) + cells[j].dx;
      const int32_t y = fw_grid_y(grid, cell) + cells[j].dy;
      const fw_fault_t outside = place->is_start ? FW_FAULT_START_OUTSIDE : FW_FAULT_GOAL_OUTSIDE;
      const fw_fault_t occupied = place->is_start ? FW_FAULT_START_OCCUPIED : FW_FAULT_GOAL_OCCUPIED;
      if (!fw_grid_contains(grid, x, y)) {
        return fw__error_at(
          error, (fw_error_detail_t){outside, place->index, cell}, "robot %d sticks out of the grid at (%d,%d) on its %s",
          place->index, x, y, what);
      }
      if (!fw_grid_is_free(grid, x, y)) {
        return fw__error_at(
          error, (fw_error_detail_t){occupied, place->index, cell},
          "the %s of robot %d, (%d,%d), is on the obstacle at (%d,%d)", what, place->index, fw_grid_x(grid, cell),
          fw_grid_y(grid, cell), x, y);
      }
    }
  }
  return FW_RET_OK;
}

// Inside, and on free floor; at the goal with some heading.
static fw_ret_t check_place(const fw_problem_t * problem, int32_t index, bool is_start, fw_error_t * error)
{
  const fw_grid_t * grid = problem->grid;
  const fw_robot_t * robot = &problem->robots[index];
  const bool has_heading = robot->turn_ticks > 0;
  place_t place = {.grid = grid, .robot = robot, .index = index, .is_start = is_start};
  place.heading = has_heading && is_start ? robot->heading : FW_HEADING_EAST;
  const fw_cell_t cell = cell_of(&place);
  if (cell < 0 || cell >= fw_grid_cell_count(grid)) {
    return fw__error_at(
      error, (fw_error_detail_t){is_start ? FW_FAULT_START_OUTSIDE : FW_FAULT_GOAL_OUTSIDE, index, cell},
      "the %s of robot %d, cell %d, is outside the grid of %d x %d", is_start ? "start" : "goal", index, cell,
      grid->width, grid->height);
  }
  fw_ret_t ret = check_fits(&place, error);
  if (is_start || !has_heading || ret == FW_RET_OK) {
    return ret;
  }
  const int32_t step = fw__problem_connectivity(problem) == 8 ? 1 : 2;
  for (place.heading = step; place.heading < FW_HEADING_COUNT && ret != FW_RET_OK; place.heading += step) {
    ret = check_fits(&place, NULL);
  }
  return ret == FW_RET_OK ? ret
                          : fw__error_at(
                              error, (fw_error_detail_t){FW_FAULT_GOAL_OCCUPIED, index, cell},
                              "robot %d does not fit on its goal (%d,%d) with any heading", index,
                              fw_grid_x(grid, cell), fw_grid_y(grid, cell));
}

static fw_ret_t check_closures(const fw_problem_t * problem, fw_error_t * error)
{
  const fw_grid_t * grid = problem->grid;
  if (problem->closure_count < 0 || (problem->closure_count > 0 && problem->closures == NULL)) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "a list of %d closures", problem->closure_count);
  }
  for (int32_t i = 0; i < problem->closure_count; ++i) {
    const fw_closure_t closure = problem->closures[i];
    const fw_error_detail_t where = {.fault = FW_FAULT_INVALID, .robot = -1, .cell = closure.cell};
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
    problem->horizon < 0 || problem->since < 0 || problem->horizon > FW_TICK_MAX / 4 || problem->since > FW_TICK_MAX) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "horizon %d and since %d: they must be 0 to %d and 0 to %d", problem->horizon,
      problem->since, FW_TICK_MAX / 4, FW_TICK_MAX);
  }
  if (
    problem->robot_count < 0 || problem->robot_count > FW_ROBOT_COUNT_MAX ||
    (problem->robot_count > 0 && problem->robots == NULL)) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "%d robots: there must be 0 to %d", problem->robot_count, FW_ROBOT_COUNT_MAX);
  }
  ret = check_corners(problem, error);
  for (int32_t i = 0; i < problem->robot_count && ret == FW_RET_OK; ++i) {
    const fw_robot_t * robot = &problem->robots[i];
    if (
      (ret = check_values(robot, i, fw__problem_connectivity(problem), error)) != FW_RET_OK ||
      (ret = check_place(problem, i, true, error)) != FW_RET_OK ||
      (ret = check_place(problem, i, false, error)) != FW_RET_OK) {
      return ret;
    }
  }
  ret = ret == FW_RET_OK ? check_closures(problem, error) : ret;
  fw_memory_t memory = {.allocator = *allocator, .max_bytes = SIZE_MAX};
  fw_arena_t arena;  // for the motions of robots that are under way
  fw__arena_init(&arena, &memory);
  for (int32_t i = 0; i < problem->robot_count && ret == FW_RET_OK; ++i) {
    ret = problem->robots[i].arrives > 0 ? fw__under_way_check(problem, i, &arena, error) : FW_RET_OK;
  }
  if (ret == FW_RET_OK) {
    ret = fw__problem_check_apart(problem, allocator, &arena, error);
  }
  fw__arena_fini(&arena);
  return ret;
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
  fw_robot_t * robots = fw__arena_allocate(arena, (size_t)problem->robot_count + 1, sizeof(*robots));
  for (int32_t i = 0; robots != NULL && i < problem->robot_count; ++i) {
    const fw_footprint_t shape = fw__footprint_of(&problem->robots[i]);
    robots[i] = problem->robots[i];
    robots[i].ticks_per_move = robots[i].ticks_per_move == 0 ? 1 : robots[i].ticks_per_move;
    robots[i].heading = robots[i].turn_ticks == 0 ? 0 : robots[i].heading;
    robots[i].from_heading = robots[i].turn_ticks == 0 ? 0 : robots[i].from_heading;
    robots[i].footprint = shape.cells;
    robots[i].footprint_count = shape.count;
  }
  fw_closure_t * closures = fw__arena_allocate(arena, (size_t)problem->closure_count + 1, sizeof(*closures));
  if (closures != NULL) {
    copy.closure_count = fw__closures_merge(problem, closures);
  }
  copy.closures = closures;
  copy.robots = closures == NULL ? NULL : robots;
  return copy;
}
