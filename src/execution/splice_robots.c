// The robots of a splice: who they are, where they must start, and what is kept of them.

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "execution/splice.h"
#include "world/problem.h"

// ---- checks ---------------------------------------------------------------------------------------------------------

static fw_ret_t check_robots(const fw__splicing_t * splicing)
{
  const fw_plan_t * plan = splicing->splice->plan;
  for (int32_t i = 0; i < splicing->splice->problem->robot_count; ++i) {
    const int32_t robot = fw__splice_slot(splicing, i);
    const fw_error_detail_t where = {.fault = FW_FAULT_INVALID, .robot = robot, .cell = FW_CELL_NONE};
    if (robot < 0 || robot >= FW_ROBOT_COUNT_MAX) {
      return fw__error_at(
        splicing->error, where, "robot %d of the problem is robot %d: it must be 0 to %d", i, robot,
        FW_ROBOT_COUNT_MAX - 1);
    }
    const fw_path_t * path = &plan->paths[i];
    const bool needs_headings = splicing->splice->problem->robots[i].turn_ticks > 0;
    if (path->length < 1 || path->cells == NULL || needs_headings != (path->headings != NULL)) {
      return fw__error_at(splicing->error, where, "robot %d has an empty path, or one without its headings", robot);
    }
  }
  return FW_RET_OK;
}

fw_ret_t fw__splice_check(const fw__splicing_t * splicing)
{
  const fw_execution_splice_t * splice = splicing->splice;
  const fw__execution_t * execution = splicing->execution;
  const fw_ret_t ret = fw__problem_check(splice->problem, &execution->options.allocator, splicing->error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  if (splice->plan == NULL || splice->plan->robot_count != splice->problem->robot_count || !isfinite(splice->time)) {
    return fw__error(
      splicing->error, FW_RET_INVALID_ARGUMENT, "a plan is needed, with a path for each robot, and a time");
  }
  const fw__graph_t * old = fw__execution_graph_const(execution);
  const fw_grid_t * grid = splice->problem->grid;
  bool is_empty = true;
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    is_empty = is_empty && !execution->slots[robot].is_there;
  }
  if (
    !is_empty && (old->grid.width != grid->width || old->grid.height != grid->height ||
                  old->problem.connectivity != fw__problem_connectivity(splice->problem))) {
    return fw__error(
      splicing->error, FW_RET_UNSUPPORTED, "another size of grid or connectivity, while robots are on their way");
  }
  return check_robots(splicing);
}

static bool is_same_shape(const fw_robot_t * a, const fw_robot_t * b)
{
  const fw_footprint_t one = fw__footprint_of(a);
  const fw_footprint_t other = fw__footprint_of(b);
  return one.count == other.count && a->turn_ticks == b->turn_ticks && a->sweeps_sides == b->sweeps_sides &&
         memcmp(one.cells, other.cells, (size_t)one.count * sizeof(*one.cells)) == 0;
}

// Robots that are there start where the cut has them, and have not changed.
static fw_ret_t check_start(const fw__splicing_t * splicing, int32_t index)
{
  const int32_t robot = fw__splice_slot(splicing, index);
  const fw_robot_t * shape = &splicing->splice->problem->robots[index];
  const fw_path_t * path = &splicing->splice->plan->paths[index];
  const fw_grid_t * grid = splicing->splice->problem->grid;
  const fw__slot_t * slot = fw__execution_slot(splicing->execution, robot);
  fw_grid_pose_t start = {.cell = shape->start, .heading = shape->turn_ticks > 0 ? shape->heading : 0};
  if (slot != NULL) {
    if (!is_same_shape(shape, &fw__execution_graph_const(splicing->execution)->problem.robots[robot])) {
      (void)fw__error_at(
        splicing->error, (fw_error_detail_t){FW_FAULT_INVALID, robot, FW_CELL_NONE},
        "robot %d has another shape than before: remove it first", robot);
      return FW_RET_UNSUPPORTED;
    }
    start = fw__cut_pose(splicing->execution, robot);
  }
  if (!fw__grid_pose_equals(fw__path_pose(path, 0), start)) {
    return fw__error_at(
      splicing->error, (fw_error_detail_t){FW_FAULT_INVALID, robot, path->cells[0]},
      "the path of robot %d must begin at (%d,%d), facing %s", robot, fw_grid_x(grid, start.cell),
      fw_grid_y(grid, start.cell), fw_heading_name(start.heading));
  }
  return FW_RET_OK;
}

// ---- robots by slot -------------------------------------------------------------------------------------------------

static bool copy_robot(fw__graph_t * graph, fw_robot_t * copy, const fw_robot_t * robot)
{
  const fw_footprint_t footprint = fw__footprint_of(robot);
  fw_offset_t * cells = fw__arena_allocate(&graph->arena, (size_t)footprint.count, sizeof(*cells));
  if (cells == NULL) {
    return false;
  }
  memcpy(cells, footprint.cells, (size_t)footprint.count * sizeof(*cells));
  *copy = *robot;
  copy->ticks_per_move = robot->ticks_per_move == 0 ? 1 : robot->ticks_per_move;
  copy->footprint = cells;
  copy->footprint_count = footprint.count;
  return true;
}

fw_ret_t fw__splice_gather(fw__splicing_t * splicing)
{
  const fw_problem_t * problem = splicing->splice->problem;
  fw__execution_t * execution = splicing->execution;
  const fw__graph_t * old = fw__execution_graph_const(execution);
  fw__graph_t * graph = splicing->graph;
  const size_t count = (size_t)splicing->slot_count + 1;
  fw_robot_t * robots = fw__arena_allocate_zeroed(&graph->arena, count, sizeof(*robots));
  splicing->paths = fw__arena_allocate_zeroed(&execution->scratch, count, sizeof(*splicing->paths));
  bool is_whole = robots != NULL && splicing->paths != NULL;
  for (int32_t i = 0; i < problem->robot_count && is_whole; ++i) {
    const int32_t robot = fw__splice_slot(splicing, i);
    if (splicing->paths[robot].length > 0) {
      return fw__error_at(
        splicing->error, (fw_error_detail_t){FW_FAULT_INVALID, robot, FW_CELL_NONE}, "robot %d is in the problem twice",
        robot);
    }
    const fw_ret_t ret = check_start(splicing, i);
    if (ret != FW_RET_OK) {
      return ret;
    }
    splicing->paths[robot] = splicing->splice->plan->paths[i];
    is_whole = copy_robot(graph, &robots[robot], &problem->robots[i]);
  }
  for (int32_t robot = 0; robot < splicing->slot_count && is_whole; ++robot) {
    if (splicing->paths[robot].length == 0) {
      const bool is_old = fw__execution_slot(execution, robot) != NULL;
      is_whole = copy_robot(graph, &robots[robot], is_old ? &old->problem.robots[robot] : &(fw_robot_t){0});
    }
  }
  graph->slot_count = splicing->slot_count;
  graph->grid = (fw_grid_t){.width = problem->grid->width, .height = problem->grid->height};
  graph->problem = (fw_problem_t){
    .grid = &graph->grid,
    .robots = robots,
    .robot_count = splicing->slot_count,
    .connectivity = fw__problem_connectivity(problem),
    .robust_ticks = problem->robust_ticks,
  };
  is_whole = is_whole && fw__bodies_init(&graph->bodies, &graph->arena, &graph->problem) &&
             fw__shapes_init(&graph->shapes, &graph->arena, &graph->bodies);
  return is_whole ? FW_RET_OK : fw__error_memory(splicing->error);
}
