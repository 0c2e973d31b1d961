// Swarms: the loop of the planner `rtaa` without tracks and without an end.

#include "fleetweave/swarm.h"

#include "base/assert.h"
#include "base/error.h"
#include "planner/rtaa/rtaa.h"
#include "world/problem.h"

typedef struct fw_swarm_impl_t {
  fw_allocator_t allocator;
  fw_memory_t memory;
  fw_arena_t arena;
  fw_robot_t * robots;  // of the problem; their goals change
  fw_problem_t problem;
  fw_batch_t batch;
  fw_pibt_t pibt;
} fw_swarm_impl_t;

fw_swarm_options_t fw_swarm_options_default(void)
{
  return (fw_swarm_options_t){
    .lookahead = 8,
    .parked = 8,
    .patience = 8,
    .memory = FW_MEMORY_REGIONS,
    .seed = 1,
    .threads = 1,
    .allocator = fw_allocator_default(),
  };
}

static fw_ret_t begin_batch(fw_swarm_impl_t * impl, const fw_swarm_options_t * options, fw_error_t * error)
{
  const fw_problem_t * problem = &impl->problem;
  const size_t count = (size_t)problem->robot_count;
  fw_cell_t * starts = fw__arena_allocate(&impl->arena, count, sizeof(*starts));
  fw_cell_t * goals = fw__arena_allocate(&impl->arena, count, sizeof(*goals));
  if (fw__arena_has_failed(&impl->arena)) {
    return fw__error_memory(error);
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    starts[r] = problem->robots[r].start;
    goals[r] = problem->robots[r].goal;
  }
  const fw_batch_options_t batch = {
    .lookahead = options->lookahead,
    .connectivity = problem->connectivity,
    .memory = options->memory,
    .sight = options->sight,
    .is_fused = true,
    .backend = FW_BACKEND_CPU,
    .threads = options->threads,
    .allocator = impl->allocator,
  };
  const fw_grid_t * known = options->known != NULL ? options->known : problem->grid;
  const fw_ret_t ret = fw_batch_init(&impl->batch, known, starts, goals, problem->robot_count, &batch, error);
  return ret == FW_RET_OK ? fw_batch_set_map(&impl->batch, problem->grid, error) : ret;
}

static fw_ret_t begin(
  fw_swarm_impl_t * impl, const fw_problem_t * problem, const fw_swarm_options_t * options, fw_error_t * error)
{
  fw_ret_t ret = fw__problem_check_with(problem, &impl->allocator, error);
  if (ret == FW_RET_OK) {
    ret = fw__rtaa_check_support(problem, error);
  }
  if (ret == FW_RET_OK && problem->robot_count < 1) {
    ret = fw__error(error, FW_RET_INVALID_ARGUMENT, "a swarm needs at least 1 robot");
  }
  if (ret != FW_RET_OK) {
    return ret;
  }
  impl->problem = fw__problem_normalise(problem, &impl->arena);
  impl->robots = fw__arena_allocate(&impl->arena, (size_t)problem->robot_count, sizeof(*impl->robots));
  if (fw__arena_has_failed(&impl->arena)) {
    return fw__error_memory(error);
  }
  for (int32_t r = 0; r < problem->robot_count; ++r) {
    impl->robots[r] = impl->problem.robots[r];
  }
  impl->problem.robots = impl->robots;
  ret = begin_batch(impl, options, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  fw__pibt_init(
    &impl->pibt, &(fw_pibt_options_t){
                   .problem = &impl->problem,
                   .batch = &impl->batch,
                   .arena = &impl->arena,
                   .seed = options->seed,
                   .patience = options->patience,
                   .parked = options->parked,
                 });
  if (impl->pibt.has_failed) {
    return fw__error_memory(error);
  }
  fw__pibt_order_begin(&impl->pibt);
  return FW_RET_OK;
}

static fw_ret_t check_options(const fw_swarm_options_t * options, fw_error_t * error)
{
  if (options->parked < 0 || options->parked > UINT8_MAX - 1) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "parked must be 0 to %d, not %d", UINT8_MAX - 1, options->parked);
  }
  if (options->patience < 0) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "patience must be at least 0, not %d", options->patience);
  }
  if (options->known != NULL && options->sight < 1) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "with a known map sight must be 1 to %d, not %d", FW_SIGHT_MAX, options->sight);
  }
  return FW_RET_OK;
}

fw_ret_t fw_swarm_init(
  fw_swarm_t * swarm, const fw_problem_t * problem, const fw_swarm_options_t * options, fw_error_t * error)
{
  swarm->impl = NULL;
  const fw_swarm_options_t chosen = options != NULL ? *options : fw_swarm_options_default();
  fw_ret_t ret = check_options(&chosen, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  const fw_allocator_t allocator = fw__allocator_or_default(&chosen.allocator);
  fw_swarm_impl_t * impl = fw__allocate_array(&allocator, 1, sizeof(*impl));
  if (impl == NULL) {
    return fw__error_memory(error);
  }
  impl->allocator = allocator;
  impl->memory = (fw_memory_t){.allocator = allocator, .max_bytes = SIZE_MAX};
  fw__arena_init(&impl->arena, &impl->memory);
  swarm->impl = impl;
  ret = begin(impl, problem, &chosen, error);
  if (ret != FW_RET_OK) {
    fw_swarm_fini(swarm);
  }
  return ret;
}

void fw_swarm_fini(fw_swarm_t * swarm)
{
  if (swarm == NULL || swarm->impl == NULL) {
    return;
  }
  const fw_allocator_t allocator = swarm->impl->allocator;
  fw_batch_fini(&swarm->impl->batch);
  fw__arena_fini(&swarm->impl->arena);
  fw__deallocate(&allocator, swarm->impl);
  swarm->impl = NULL;
}

fw_ret_t fw_swarm_tick(fw_swarm_t * swarm, fw_error_t * error)
{
  fw_swarm_impl_t * impl = swarm->impl;
  const fw_ret_t ret = fw_batch_run(&impl->batch, 1, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  fw__pibt_step(&impl->pibt);
  return impl->pibt.has_failed ? fw__error_memory(error) : FW_RET_OK;
}

fw_swarm_robot_t fw_swarm_robot(const fw_swarm_t * swarm, int32_t robot)
{
  FW_ASSERT(robot >= 0 && robot < swarm->impl->problem.robot_count);
  const fw_cell_t cell = swarm->impl->pibt.cells[robot], goal = swarm->impl->robots[robot].goal;
  return (fw_swarm_robot_t){.cell = cell, .goal = goal, .has_arrived = cell == goal};
}

void fw_swarm_set_goal(fw_swarm_t * swarm, int32_t robot, fw_cell_t goal)
{
  fw_swarm_impl_t * impl = swarm->impl;
  FW_ASSERT(robot >= 0 && robot < impl->problem.robot_count);
  FW_ASSERT(goal >= 0 && goal < fw_grid_cell_count(impl->problem.grid) && impl->problem.grid->cost[goal] != 0);
  fw__pibt_leave_goal(&impl->pibt, robot);
  impl->robots[robot].goal = goal;
  fw_batch_set_goal(&impl->batch, robot, goal);
  fw__pibt_take_goal(&impl->pibt, robot);
}

fw_ret_t fw_swarm_set_obstacle(fw_swarm_t * swarm, fw_cell_t cell, bool is_there, fw_error_t * error)
{
  fw_swarm_impl_t * impl = swarm->impl;
  const fw_grid_t * grid = impl->problem.grid;
  if (cell < 0 || cell >= fw_grid_cell_count(grid) || grid->cost[cell] == 0) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "an obstacle needs a free cell of the map, not cell %d", cell);
  }
  if (impl->pibt.standing[cell] >= 0) {
    const fw_error_detail_t fault = {FW_FAULT_INVALID, impl->pibt.standing[cell], cell};
    return fw__error_at(
      error, fault, "robot %d is on (%d, %d)", fault.robot, fw_grid_x(grid, cell), fw_grid_y(grid, cell));
  }
  return fw_batch_set_cost(&impl->batch, cell, is_there ? 0 : grid->cost[cell], error);
}

fw_grid_t fw_swarm_known(const fw_swarm_t * swarm) { return fw_batch_known(&swarm->impl->batch); }

fw_batch_stats_t fw_swarm_stats(const fw_swarm_t * swarm) { return fw_batch_stats(&swarm->impl->batch); }
