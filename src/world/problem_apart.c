// The door, continued: robots at their starts and goals together.

#include "base/error.h"
#include "world/problem.h"
#include "world/under_way.h"

// A small open-addressed set of cells, with the robot that is on each.
typedef struct slot_t {
  fw_cell_t cell;  // FW_CELL_NONE: empty; less: a corner that a diagonal goes through
  int32_t robot;
  fw_tick_t until;  // it is there in any case until then
  int32_t slope;    // of the diagonal
} slot_t;

typedef struct cells_t {
  const fw_problem_t * problem;
  bool is_start;
  fw_arena_t * arena;
  slot_t * slots;
  size_t slot_count;
} cells_t;

static slot_t * find(const cells_t * cells, fw_cell_t cell)
{
  size_t at = ((uint32_t)cell * UINT32_C(2654435761)) % cells->slot_count;
  while (cells->slots[at].cell != FW_CELL_NONE && cells->slots[at].cell != cell) {
    at = (at + 1) % cells->slot_count;
  }
  return &cells->slots[at];
}

// What a robot covers for certain: at its goal one with a heading may face any way.
static fw_footprint_t certain_footprint(const fw_robot_t * robot, bool is_start)
{
  return robot->turn_ticks > 0 && !is_start ? fw_footprint_single : fw__footprint_of(robot);
}

static int32_t certain_heading(const fw_robot_t * robot, bool is_start)
{
  return robot->turn_ticks > 0 && is_start ? robot->heading : FW_HEADING_EAST;
}

static fw_ret_t put(cells_t * cells, int32_t robot, fw_cell_t cell, fw_tick_t until, fw_error_t * error)
{
  const fw_grid_t * grid = cells->problem->grid;
  slot_t * slot = find(cells, cell);
  if (slot->cell == cell) {
    return fw__error_at(
      error, (fw_error_detail_t){cells->is_start ? FW_FAULT_START_OCCUPIED : FW_FAULT_GOAL_OCCUPIED, robot, cell},
      "robots %d and %d have the same %s cell (%d,%d)", slot->robot, robot, cells->is_start ? "start" : "goal",
      fw_grid_x(grid, cell), fw_grid_y(grid, cell));
  }
  *slot = (slot_t){.cell = cell, .robot = robot, .until = until};
  return FW_RET_OK;
}

// Two that cross on their way would do so whatever is planned.
static fw_ret_t put_corner(cells_t * cells, int32_t robot, fw_cell_t corner, int32_t slope, fw_error_t * error)
{
  slot_t * slot = find(cells, -2 - corner);
  if (slot->cell != FW_CELL_NONE && slot->robot != robot && slot->slope != slope) {
    return fw__error_at(
      error, (fw_error_detail_t){FW_FAULT_START_OCCUPIED, robot, cells->problem->robots[robot].start},
      "robots %d and %d are under way and cross at tick 0", slot->robot, robot);
  }
  *slot = (slot_t){.cell = -2 - corner, .robot = robot, .slope = slope};
  return FW_RET_OK;
}

// All that a robot under way covers from tick 0 on. Sweeps begin one tick after departure, that is at tick 0 or before.
static fw_ret_t put_motion(cells_t * cells, int32_t index, fw_error_t * error)
{
  const fw_grid_t * grid = cells->problem->grid;
  const fw_robot_t * robot = &cells->problem->robots[index];
  const fw_motion_t * motion = fw__under_way_motion(cells->problem, index, cells->arena);
  if (motion == NULL) {
    return fw__error_memory(error);
  }
  fw_ret_t ret = FW_RET_OK;
  for (int32_t i = 0; i < motion->sweep_count && ret == FW_RET_OK; ++i) {
    const fw_swept_cell_t * sweep = &motion->sweeps[i];
    const fw_cell_t cell = robot->from + sweep->dy * grid->width + sweep->dx;
    ret = put(cells, index, cell, robot->arrives - motion->ticks + sweep->to, error);
  }
  // Cells of the footprint at its end come first; those that they come from give the corners.
  const bool is_diagonal = motion->dx != 0 && motion->dy != 0;
  const int32_t count =
    fw__footprint_rotate_into(fw__footprint_of(robot), robot->turn_ticks > 0 ? robot->heading : FW_HEADING_EAST, NULL, 0);
  for (int32_t i = 0; i < count && is_diagonal && ret == FW_RET_OK; ++i) {
    const int32_t x = fw_grid_x(grid, robot->from) + motion->sweeps[i].dx + (motion->dx > 0 ? 0 : 1);
    const int32_t y = fw_grid_y(grid, robot->from) + motion->sweeps[i].dy + (motion->dy > 0 ? 0 : 1);
    ret = put_corner(cells, index, y * (grid->width + 1) + x, motion->dx * motion->dy, error);
  }
  return ret;
}

static fw_ret_t put_robot(cells_t * cells, int32_t index, fw_error_t * error)
{
  const fw_robot_t * robot = &cells->problem->robots[index];
  if (cells->is_start && robot->arrives > 0) {
    return put_motion(cells, index, error);
  }
  const fw_cell_t place = cells->is_start ? robot->start : robot->goal;
  const fw_footprint_t footprint = certain_footprint(robot, cells->is_start);
  fw_ret_t ret = FW_RET_OK;
  for (int32_t i = 0; i < footprint.count && ret == FW_RET_OK; ++i) {
    fw_offset_t turned[FW_ROTATED_CELLS_MAX];
    const fw_footprint_t one = {&footprint.cells[i], 1};
    const int32_t count = fw__footprint_rotate_into(one, certain_heading(robot, cells->is_start), turned, FW_ROTATED_CELLS_MAX);
    for (int32_t j = 0; j < count && ret == FW_RET_OK; ++j) {
      ret = put(cells, index, place + turned[j].dy * cells->problem->grid->width + turned[j].dx, 0, error);
    }
  }
  return ret;
}

// No two robots on one cell, at the start or at the goals.
static fw_ret_t check_apart(cells_t * cells, bool is_start, fw_error_t * error)
{
  cells->is_start = is_start;
  for (size_t i = 0; i < cells->slot_count; ++i) {
    cells->slots[i].cell = FW_CELL_NONE;
  }
  fw_ret_t ret = FW_RET_OK;
  for (int32_t r = 0; r < cells->problem->robot_count && ret == FW_RET_OK; ++r) {
    ret = put_robot(cells, r, error);
  }
  return ret;
}

// No robot is on a cell that is closed at tick 0, or while it cannot help it. `cells` are those of the starts.
static fw_ret_t check_starts_open(const cells_t * cells, fw_error_t * error)
{
  const fw_grid_t * grid = cells->problem->grid;
  for (int32_t i = 0; i < cells->problem->closure_count; ++i) {
    const fw_cell_t cell = cells->problem->closures[i].cell;
    const slot_t * slot = find(cells, cell);
    const fw_tick_t from = cells->problem->closures[i].from;
    if (slot->cell == cell && from <= slot->until) {
      return fw__error_at(
        error, (fw_error_detail_t){FW_FAULT_START_OCCUPIED, slot->robot, cell},
        "robot %d is on (%d,%d) at the start, which is closed at tick %d", slot->robot, fw_grid_x(grid, cell),
        fw_grid_y(grid, cell), from);
    }
  }
  return FW_RET_OK;
}

// Ids say who is who: all different, or all 0.
static fw_ret_t check_ids(cells_t * cells, fw_error_t * error)
{
  const fw_problem_t * problem = cells->problem;
  bool has_ids = false;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    has_ids = has_ids || problem->robots[r].id != 0;
  }
  for (size_t i = 0; i < cells->slot_count; ++i) {
    cells->slots[i].cell = FW_CELL_NONE;
  }
  for (int32_t r = 0; r < problem->robot_count && has_ids; ++r) {
    const int32_t id = problem->robots[r].id;
    const fw_error_detail_t where = {.fault = FW_FAULT_INVALID, .robot = r, .cell = FW_CELL_NONE};
    if (id < 0) {
      return fw__error_at(error, where, "robot %d has the id %d: it must not be negative", r, id);
    }
    slot_t * slot = find(cells, id);
    if (slot->cell == id) {
      return fw__error_at(error, where, "robots %d and %d have the same id %d", slot->robot, r, id);
    }
    *slot = (slot_t){.cell = id, .robot = r};
  }
  return FW_RET_OK;
}

// At most as many slots as are taken, corners included.
static bool count_cells(const cells_t * cells, size_t * count)
{
  const fw_problem_t * problem = cells->problem;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    const int32_t straight = fw__footprint_of(robot).count;
    const int32_t turned = fw__footprint_rotate_into(fw__footprint_of(robot), certain_heading(robot, true), NULL, 0);
    *count += (size_t)(turned > straight ? turned : straight);
    if (robot->arrives > 0) {
      const fw_motion_t * motion = fw__under_way_motion(problem, r, cells->arena);
      if (motion == NULL) {
        return false;
      }
      *count += 2 * (size_t)motion->sweep_count;
    }
  }
  return true;
}

fw_ret_t fw__problem_check_apart(
  const fw_problem_t * problem, const fw_allocator_t * allocator, fw_arena_t * arena, fw_error_t * error)
{
  size_t count = 0;
  cells_t cells = {.problem = problem, .arena = arena};
  if (!count_cells(&cells, &count)) {
    return fw__error_memory(error);
  }
  cells.slot_count = 2 * count + 1;
  cells.slots = fw__allocate_array(allocator, cells.slot_count, sizeof(*cells.slots));
  if (cells.slots == NULL) {
    return fw__error_memory(error);
  }
  fw_ret_t ret = check_apart(&cells, true, error);
  if (ret == FW_RET_OK) {
    ret = check_starts_open(&cells, error);
  }
  if (ret == FW_RET_OK && problem->horizon == 0) {  // with a horizon robots may share goals
    ret = check_apart(&cells, false, error);
  }
  if (ret == FW_RET_OK) {
    ret = check_ids(&cells, error);
  }
  fw__deallocate(allocator, cells.slots);
  return ret;
}
