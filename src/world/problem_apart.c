// The door, continued: robots at their starts and goals together.

#include "base/error.h"
#include "world/footprint.h"
#include "world/problem.h"

// A small open-addressed set of cells, with the robot that is on each.
typedef struct slot_t {
  fw_cell_t cell;  // FW_CELL_NONE: empty
  int32_t robot;
} slot_t;

typedef struct cells_t {
  const fw_problem_t * problem;
  bool is_start;
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
  return robot->turn_ticks > 0 && !is_start ? fw_footprint_single : fw_footprint_of(robot);
}

static int32_t certain_heading(const fw_robot_t * robot, bool is_start)
{
  return robot->turn_ticks > 0 && is_start ? robot->heading : FW_HEADING_EAST;
}

static fw_ret_t put(cells_t * cells, int32_t robot, fw_cell_t cell, fw_error_t * error)
{
  const fw_grid_t * grid = cells->problem->grid;
  slot_t * slot = find(cells, cell);
  if (slot->cell == cell) {
    return fw__error_at(
      error, (fw__fault_t){cells->is_start ? FW_FAULT_START_OCCUPIED : FW_FAULT_GOAL_OCCUPIED, robot, cell},
      "robots %d and %d have the same %s cell (%d,%d)", slot->robot, robot, cells->is_start ? "start" : "goal",
      fw_grid_x(grid, cell), fw_grid_y(grid, cell));
  }
  *slot = (slot_t){.cell = cell, .robot = robot};
  return FW_RET_OK;
}

static fw_ret_t put_robot(cells_t * cells, int32_t index, fw_error_t * error)
{
  const fw_robot_t * robot = &cells->problem->robots[index];
  const fw_cell_t place = cells->is_start ? robot->start : robot->goal;
  const fw_footprint_t footprint = certain_footprint(robot, cells->is_start);
  fw_ret_t ret = FW_RET_OK;
  for (int32_t i = 0; i < footprint.count && ret == FW_RET_OK; ++i) {
    fw_offset_t turned[FW_TURNED_MAX];
    const fw_footprint_t one = {&footprint.cells[i], 1};
    const int32_t count = fw_footprint_list(one, certain_heading(robot, cells->is_start), turned, FW_TURNED_MAX);
    for (int32_t j = 0; j < count && ret == FW_RET_OK; ++j) {
      ret = put(cells, index, place + turned[j].dy * cells->problem->grid->width + turned[j].dx, error);
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

// No robot stands on a cell that is closed at tick 0. `cells` are those of the starts.
static fw_ret_t check_starts_open(const cells_t * cells, fw_error_t * error)
{
  const fw_grid_t * grid = cells->problem->grid;
  for (int32_t i = 0; i < cells->problem->closure_count; ++i) {
    const fw_cell_t cell = cells->problem->closures[i].cell;
    const slot_t * slot = find(cells, cell);
    if (slot->cell == cell && cells->problem->closures[i].from == 0) {
      return fw__error_at(
        error, (fw__fault_t){FW_FAULT_START_OCCUPIED, slot->robot, cell},
        "robot %d is on (%d,%d) at the start, which is closed at tick 0", slot->robot, fw_grid_x(grid, cell),
        fw_grid_y(grid, cell));
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
    const fw__fault_t where = {.fault = FW_FAULT_INVALID, .robot = r, .cell = FW_CELL_NONE};
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

fw_ret_t fw__problem_check_apart(const fw_problem_t * problem, const fw_allocator_t * allocator, fw_error_t * error)
{
  size_t count = 0;
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    const fw_robot_t * robot = &problem->robots[r];
    const int32_t at_start = fw_footprint_list(fw_footprint_of(robot), certain_heading(robot, true), NULL, 0);
    count += (size_t)(at_start > fw_footprint_of(robot).count ? at_start : fw_footprint_of(robot).count);
  }
  cells_t cells = {.problem = problem, .slot_count = 2 * count + 1};
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
