// Splice: a new plan behind the cut, whole or not at all.
//
// The next graph is made beside the one in force, from what is left of that and the new paths, in memory of its own. Only
// when it is complete and has passed all its checks are the robots moved over, which cannot fail.

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "execution/execution.h"
#include "world/problem.h"

typedef struct splicing_t {
  fw__execution_t * execution;
  const fw_execution_splice_t * splice;
  fw__graph_t * graph;  // the next one
  fw_path_t * paths;    // by slot; length 0 for those who are not in the problem
  int32_t slot_count;
  fw_error_t * error;
} splicing_t;

static int32_t slot_of(const splicing_t * splicing, int32_t index)
{
  return splicing->splice->robots == NULL ? index : splicing->splice->robots[index];
}

// ---- checks ---------------------------------------------------------------------------------------------------------

static fw_ret_t check_robots(const splicing_t * splicing)
{
  const fw_plan_t * plan = splicing->splice->plan;
  for (int32_t i = 0; i < splicing->splice->problem->robot_count; ++i) {
    const int32_t robot = slot_of(splicing, i);
    const fw__fault_t where = {.fault = FW_FAULT_INVALID, .robot = robot, .cell = FW_CELL_NONE};
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

static fw_ret_t check_arguments(const splicing_t * splicing)
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
  const fw_footprint_t one = fw_footprint_of(a);
  const fw_footprint_t other = fw_footprint_of(b);
  return one.count == other.count && a->turn_ticks == b->turn_ticks && a->sweeps_sides == b->sweeps_sides &&
         memcmp(one.cells, other.cells, (size_t)one.count * sizeof(*one.cells)) == 0;
}

// Robots that are there start where the cut has them, and have not changed.
static fw_ret_t check_start(const splicing_t * splicing, int32_t index)
{
  const int32_t robot = slot_of(splicing, index);
  const fw_robot_t * shape = &splicing->splice->problem->robots[index];
  const fw_path_t * path = &splicing->splice->plan->paths[index];
  const fw_grid_t * grid = splicing->splice->problem->grid;
  const fw__slot_t * slot = fw__execution_slot(splicing->execution, robot);
  fw_pose_t start = {.cell = shape->start, .heading = shape->turn_ticks > 0 ? shape->heading : 0};
  if (slot != NULL) {
    if (!is_same_shape(shape, &fw__execution_graph_const(splicing->execution)->problem.robots[robot])) {
      (void)fw__error_at(
        splicing->error, (fw__fault_t){FW_FAULT_INVALID, robot, FW_CELL_NONE},
        "robot %d has another shape than before: remove it first", robot);
      return FW_RET_UNSUPPORTED;
    }
    start = fw__cut_pose(splicing->execution, robot);
  }
  if (!fw_pose_is_same(fw_path_pose(path, 0), start)) {
    return fw__error_at(
      splicing->error, (fw__fault_t){FW_FAULT_INVALID, robot, path->cells[0]},
      "the path of robot %d must begin at (%d,%d), facing %s", robot, fw_grid_x(grid, start.cell),
      fw_grid_y(grid, start.cell), fw_heading_name(start.heading));
  }
  return FW_RET_OK;
}

// ---- the next graph -------------------------------------------------------------------------------------------------

static bool copy_robot(fw__graph_t * graph, fw_robot_t * copy, const fw_robot_t * robot)
{
  const fw_footprint_t footprint = fw_footprint_of(robot);
  fw_offset_t * cells = fw_arena_allocate(&graph->arena, (size_t)footprint.count, sizeof(*cells));
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

// Robots by slot, with their paths and shapes.
static fw_ret_t gather_robots(splicing_t * splicing)
{
  const fw_problem_t * problem = splicing->splice->problem;
  fw__execution_t * execution = splicing->execution;
  const fw__graph_t * old = fw__execution_graph_const(execution);
  fw__graph_t * graph = splicing->graph;
  const size_t count = (size_t)splicing->slot_count + 1;
  fw_robot_t * robots = fw_arena_allocate_zeroed(&graph->arena, count, sizeof(*robots));
  splicing->paths = fw_arena_allocate_zeroed(&execution->scratch, count, sizeof(*splicing->paths));
  bool is_whole = robots != NULL && splicing->paths != NULL;
  for (int32_t i = 0; i < problem->robot_count && is_whole; ++i) {
    const int32_t robot = slot_of(splicing, i);
    if (splicing->paths[robot].length > 0) {
      return fw__error_at(
        splicing->error, (fw__fault_t){FW_FAULT_INVALID, robot, FW_CELL_NONE}, "robot %d is in the problem twice",
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
  is_whole = is_whole && fw_bodies_init(&graph->bodies, &graph->arena, &graph->problem) &&
             fw__shapes_init(&graph->shapes, &graph->arena, &graph->bodies);
  return is_whole ? FW_RET_OK : fw__error_memory(splicing->error);
}

// A robot that is new must not stand where somebody has been released to. Where it only stands in the way of what is not
// released yet, there is an edge against the order, which order.c has refused.
static fw_ret_t check_released(const splicing_t * splicing)
{
  const fw__graph_t * graph = splicing->graph;
  const fw__execution_t * execution = splicing->execution;
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    const fw__slot_t * slot = fw__execution_slot(execution, robot);
    if (slot == NULL || slot->is_withdrawn) {
      continue;
    }
    const int32_t last = graph->first[robot] + slot->released - slot->reached;
    for (int32_t i = graph->in_first[graph->first[robot]]; i < graph->in_first[last + 1]; ++i) {
      const int32_t other = graph->nodes[graph->in[i].source].robot;
      if (fw__execution_slot(execution, other) == NULL) {
        return fw__error_at(
          splicing->error, (fw__fault_t){FW_FAULT_INVALID, other, graph->in[i].cell},
          "robot %d stands on (%d,%d), which is released to robot %d", other,
          fw_grid_x(&graph->grid, graph->in[i].cell), fw_grid_y(&graph->grid, graph->in[i].cell), robot);
      }
    }
  }
  return FW_RET_OK;
}

static fw_ret_t make_graph(splicing_t * splicing)
{
  fw__execution_t * execution = splicing->execution;
  fw__graph_t * graph = splicing->graph;
  const fw_arena_t arena = graph->arena;
  *graph = (fw__graph_t){.arena = arena};
  fw_arena_reset(&graph->arena);
  fw_arena_reset(&execution->scratch);
  fw_ret_t ret = gather_robots(splicing);
  const fw__making_t making = {
    .graph = graph, .scratch = &execution->scratch, .error = splicing->error, .rings = execution->options.rings};
  if (ret == FW_RET_OK) {
    const fw__ways_t ways = {
      .execution = execution,
      .paths = splicing->paths,
      .problem = splicing->splice->problem,
      .until = splicing->splice->plan->safe_until,
      .time = splicing->splice->time,
    };
    ret = fw__ways_lay(&making, &ways);
  }
  if (ret == FW_RET_OK) {
    ret = fw__graph_weave(&making);
  }
  return ret == FW_RET_OK ? check_released(splicing) : ret;
}

// ---- moving over ----------------------------------------------------------------------------------------------------

static bool make_room(fw__execution_t * execution, int32_t count)
{
  while (execution->slot_capacity < count || execution->slots == NULL) {
    int32_t capacity = execution->slot_capacity;
    fw__slot_t * slots =
      fw_arena_grow(&execution->keep, execution->slots, (size_t)execution->slot_count, sizeof(*slots), &capacity);
    int32_t * queue = fw_arena_allocate(&execution->keep, (size_t)capacity, sizeof(*queue));
    int32_t * changed = fw_arena_allocate(&execution->keep, 2 * (size_t)capacity, sizeof(*changed));
    fw_execution_end_t * ends = fw_arena_allocate(&execution->keep, (size_t)capacity, sizeof(*ends));
    if (slots == NULL || queue == NULL || changed == NULL || ends == NULL) {
      return false;
    }
    if (execution->changed_count > 0) {
      memcpy(changed, execution->changed[0], (size_t)execution->changed_count * sizeof(*changed));
    }
    execution->slots = slots;
    execution->queue = queue;  // empty between calls
    execution->queue_first = 0;
    execution->changed[0] = changed;
    execution->changed[1] = changed + capacity;
    execution->ends = ends;
    execution->slot_capacity = capacity;
  }
  return true;
}

static void move_slot(const splicing_t * splicing, int32_t robot)
{
  fw__slot_t * slot = &splicing->execution->slots[robot];
  const bool is_between = slot->is_withdrawn && fw__slot_is_between(slot);
  slot->base += slot->is_withdrawn ? slot->released : slot->reached;
  slot->released = slot->is_withdrawn ? (is_between ? 1 : 0) : slot->released - slot->reached;
  slot->fraction = slot->is_withdrawn ? (is_between ? 1.0 - slot->fraction : 0.0) : slot->fraction;
  slot->reached = 0;
  slot->is_withdrawn = false;
}

static void move_over(const splicing_t * splicing)
{
  fw__execution_t * execution = splicing->execution;
  const fw_grid_t before = fw__execution_graph(execution)->grid;
  execution->active = 1 - execution->active;
  fw__graph_t * graph = fw__execution_graph(execution);
  if (before.width != graph->grid.width || before.height != graph->grid.height) {
    execution->has_obstacles = false;  // they were cells of another grid
  }
  memset(graph->dirty, 0xff, ((size_t)graph->node_count / 64 + 1) * sizeof(*graph->dirty));
  execution->now = fmax(execution->now, splicing->splice->time);
  for (int32_t robot = execution->slot_count; robot < splicing->slot_count; ++robot) {
    execution->slots[robot] = (fw__slot_t){0};
  }
  execution->slot_count = splicing->slot_count;
  execution->has_closures = splicing->splice->problem->closure_count > 0 || execution->has_closures;
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    fw__slot_t * slot = &execution->slots[robot];
    if (slot->is_there) {
      move_slot(splicing, robot);
    } else if (splicing->paths[robot].length > 0) {
      *slot = (fw__slot_t){
        .is_there = true,
        .is_changed = slot->is_changed,
        .base = slot->base,
        .measure = {.time = -INFINITY},
        .joined = execution->now,
        .progressed = execution->now,
        .pace = 1.0,
      };
    }
    if (slot->is_there) {
      fw__execution_note_change(execution, robot);
    }
  }
  fw__cut_undo(execution);
  fw__release_find_stops(execution);
  fw__release_queue_all(execution);
  fw__release_run(execution);
  ++execution->splices;
}

fw_ret_t fw_execution_splice(fw_execution_t * execution, const fw_execution_splice_t * splice, fw_error_t * error)
{
  fw__execution_t * impl = execution->impl;
  splicing_t splicing = {
    .execution = impl,
    .splice = splice,
    .graph = &impl->graphs[1 - impl->active],
    .slot_count = impl->slot_count,
    .error = error,
  };
  fw_ret_t ret = check_arguments(&splicing);
  if (ret != FW_RET_OK) {
    return ret;
  }
  for (int32_t i = 0; i < splice->problem->robot_count; ++i) {
    const int32_t robot = slot_of(&splicing, i);
    splicing.slot_count = robot >= splicing.slot_count ? robot + 1 : splicing.slot_count;
  }
  const bool was_cut = impl->is_cut;
  if (!was_cut) {
    fw__cut_run(impl, -INFINITY);
  }
  ret = make_room(impl, splicing.slot_count) ? make_graph(&splicing) : fw__error_memory(error);
  if (ret == FW_RET_OK) {
    move_over(&splicing);
  } else if (!was_cut) {
    fw__cut_undo(impl);
  }
  return ret;
}
