// The door, continued: robots that are under way at tick 0.

#include "world/under_way.h"

#include "base/error.h"
#include "world/problem.h"

static const fw_motion_t * find_motion(const fw_grid_t * grid, const fw_robot_t * robot, const fw_body_t * body)
{
  const int32_t dx = fw_grid_x(grid, robot->start) - fw_grid_x(grid, robot->from);
  const int32_t dy = fw_grid_y(grid, robot->start) - fw_grid_y(grid, robot->from);
  const bool has_heading = body->turn_ticks > 0;
  for (int32_t i = 0; i < body->motion_count; ++i) {
    const fw_motion_t * motion = &body->motions[has_heading ? robot->from_heading : 0][i];
    if (motion->dx == dx && motion->dy == dy && (!has_heading || motion->heading == robot->heading)) {
      return motion;
    }
  }
  return NULL;
}

static const fw_body_t * make_body(const fw_problem_t * problem, int32_t index, fw_arena_t * arena)
{
  fw_robot_t robot = problem->robots[index];
  const fw_footprint_t footprint = fw__footprint_of(&robot);
  robot.ticks_per_move = robot.ticks_per_move == 0 ? 1 : robot.ticks_per_move;
  robot.footprint = footprint.cells;
  robot.footprint_count = footprint.count;
  fw_body_t * body = fw__arena_allocate(arena, 1, sizeof(*body));
  const bool is_made = body != NULL && fw__body_init(body, arena, &robot, fw__problem_connectivity(problem));
  return is_made ? body : NULL;
}

const fw_motion_t * fw__under_way_motion(const fw_problem_t * problem, int32_t robot, fw_arena_t * arena)
{
  const fw_body_t * body = make_body(problem, robot, arena);
  return body == NULL ? NULL : find_motion(problem->grid, &problem->robots[robot], body);
}

// Everything that the motion covers, and beside a diagonal unless corners may be cut.
static bool is_free(const fw_problem_t * problem, const fw_robot_t * robot, const fw_motion_t * motion)
{
  const fw_grid_t * grid = problem->grid;
  const int32_t x = fw_grid_x(grid, robot->from);
  const int32_t y = fw_grid_y(grid, robot->from);
  const bool needs_sides = motion->dx != 0 && motion->dy != 0 && !problem->cuts_corners;
  for (int32_t i = 0; i < motion->sweep_count; ++i) {
    if (!fw_grid_is_free(grid, x + motion->sweeps[i].dx, y + motion->sweeps[i].dy)) {
      return false;
    }
  }
  const fw_footprint_t footprint = fw__footprint_of(robot);
  for (int32_t i = 0; i < footprint.count && needs_sides; ++i) {
    fw_offset_t cells[FW_ROTATED_CELLS_MAX];
    const fw_footprint_t one = {&footprint.cells[i], 1};
    const int32_t count = fw__footprint_rotate_into(one, robot->turn_ticks > 0 ? robot->heading : 0, cells, FW_ROTATED_CELLS_MAX);
    for (int32_t j = 0; j < count; ++j) {
      if (
        !fw_grid_is_free(grid, x + cells[j].dx + motion->dx, y + cells[j].dy) ||
        !fw_grid_is_free(grid, x + cells[j].dx, y + cells[j].dy + motion->dy)) {
        return false;
      }
    }
  }
  return true;
}

fw_ret_t fw__under_way_check(const fw_problem_t * problem, int32_t index, fw_arena_t * arena, fw_error_t * error)
{
  const fw_grid_t * grid = problem->grid;
  const fw_robot_t * robot = &problem->robots[index];
  const int32_t step = fw__problem_connectivity(problem) == 8 ? 1 : 2;
  if (robot->from < 0 || robot->from >= fw_grid_cell_count(grid)) {
    return fw__error_at(
      error, (fw_error_detail_t){FW_FAULT_START_OUTSIDE, index, robot->from},
      "robot %d is under way from cell %d, outside the grid of %d x %d", index, robot->from, grid->width, grid->height);
  }
  const bool is_heading = robot->from_heading >= 0 && robot->from_heading < FW_HEADING_COUNT &&
                          (robot->turn_ticks == 0 || robot->from_heading % step == 0);
  const fw_body_t * body = is_heading ? make_body(problem, index, arena) : NULL;
  if (is_heading && body == NULL) {
    return fw__error_memory(error);
  }
  const fw_motion_t * motion = is_heading ? find_motion(grid, robot, body) : NULL;
  const fw_error_detail_t where = {FW_FAULT_INVALID, index, robot->from};
  if (motion == NULL) {
    return fw__error_at(
      error, where, "robot %d is under way from (%d,%d) to (%d,%d), which is no motion of it", index,
      fw_grid_x(grid, robot->from), fw_grid_y(grid, robot->from), fw_grid_x(grid, robot->start),
      fw_grid_y(grid, robot->start));
  }
  if (robot->arrives >= motion->ticks) {
    return fw__error_at(
      error, where, "robot %d is under way and arrives at tick %d: it must be less than the %d ticks of its motion",
      index, robot->arrives, motion->ticks);
  }
  return is_free(problem, robot, motion) ? FW_RET_OK
                                         : fw__error_at(
                                             error, (fw_error_detail_t){FW_FAULT_START_OCCUPIED, index, robot->from},
                                             "robot %d is under way from (%d,%d) over an obstacle", index,
                                             fw_grid_x(grid, robot->from), fw_grid_y(grid, robot->from));
}
