// A batch's life: the door, running, and what can be asked between runs.

#include "kernel/batch.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "kernel/rtaa_step.h"

fw_batch_options_t fw_batch_options_default(void)
{
  return (fw_batch_options_t){
    .lookahead = 3,
    .moves = 3,
    .connectivity = 8,
    .is_fused = true,
    .threads = 1,
    .allocator = fw_allocator_default(),
  };
}

// ---- the door -------------------------------------------------------------------------------------------------------

static fw_ret_t check_options(const fw_batch_options_t * options, fw_error_t * error)
{
  if (options->lookahead < 1 || options->lookahead > FW_LOOKAHEAD_MAX) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "lookahead must be 1 to %d, not %d", FW_LOOKAHEAD_MAX, options->lookahead);
  }
  if (options->moves < 0 || options->moves > options->lookahead) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "moves must be 0 to lookahead (%d), not %d", options->lookahead, options->moves);
  }
  if (options->connectivity != 4 && options->connectivity != 8) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "connectivity must be 4 or 8, not %d", options->connectivity);
  }
  if (options->sight < 0 || options->sight > FW_SIGHT_MAX) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "sight must be 0 to %d, not %d", FW_SIGHT_MAX, options->sight);
  }
  if (options->threads < 1) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "threads must be at least 1, not %d", options->threads);
  }
  return FW_RET_OK;
}

static fw_ret_t check_cell(const fw_grid_t * grid, int32_t robot, fw_cell_t cell, bool is_start, fw_error_t * error)
{
  const char * what = is_start ? "start" : "goal";
  if (cell < 0 || cell >= fw_grid_cell_count(grid)) {
    const fw_error_detail_t fault = {is_start ? FW_FAULT_START_OUTSIDE : FW_FAULT_GOAL_OUTSIDE, robot, cell};
    return fw__error_at(error, fault, "robot %d: %s %d is outside the grid", robot, what, cell);
  }
  if (grid->cost[cell] == 0) {
    const fw_error_detail_t fault = {is_start ? FW_FAULT_START_OCCUPIED : FW_FAULT_GOAL_OCCUPIED, robot, cell};
    return fw__error_at(
      error, fault, "robot %d: %s (%d, %d) is blocked", robot, what, fw_grid_x(grid, cell), fw_grid_y(grid, cell));
  }
  return FW_RET_OK;
}

static fw_ret_t check_robots(
  const fw_grid_t * grid, const fw_cell_t * starts, const fw_cell_t * goals, int32_t count, fw_error_t * error)
{
  if (grid == NULL || grid->cost == NULL || starts == NULL || goals == NULL) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "a grid, starts and goals are needed");
  }
  if (count < 1 || count > FW_ROBOT_COUNT_MAX) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "robots must be 1 to %d, not %d", FW_ROBOT_COUNT_MAX, count);
  }
  if (grid->width < 1 || grid->height < 1 || grid->width > FW_GRID_SIDE_MAX || grid->height > FW_GRID_SIDE_MAX) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "a grid's sides must be 1 to %d", FW_GRID_SIDE_MAX);
  }
  for (int32_t robot = 0; robot < count; ++robot) {
    fw_ret_t ret = check_cell(grid, robot, starts[robot], true, error);
    if (ret == FW_RET_OK) {
      ret = check_cell(grid, robot, goals[robot], false, error);
    }
    if (ret != FW_RET_OK) {
      return ret;
    }
  }
  return FW_RET_OK;
}

// ---- life -----------------------------------------------------------------------------------------------------------

static void settle(fw__batch_t * batch, const fw_grid_t * grid)
{
  const size_t cells = (size_t)fw_grid_cell_count(grid);
  memcpy(batch->cost, grid->cost, cells);
  if (batch->truth != batch->cost) {
    memcpy(batch->truth, grid->cost, cells);
    memset(batch->view.seen, 0, (size_t)batch->view.robot_count * (size_t)fw__rtaa_seen_words(batch->view.sight) * 8);
  }
  fw__batch_survey(batch);
}

static void place(fw__batch_t * batch, int32_t robot, fw_cell_t start, fw_cell_t goal)
{
  const fw_rtaa_view_t * view = &batch->view;
  const size_t count = (size_t)view->robot_count;
  fw_rtaa_robot_t places = {.index = robot, .x = start % view->width, .y = start / view->width};
  places.state = start == goal ? FW_RTAA_ARRIVED : FW_RTAA_RUNNING;
  fw__movements_forget(&places);
  fw__rtaa_store(view, &places);
  view->goal_x[robot] = (int16_t)(goal % view->width);
  view->goal_y[robot] = (int16_t)(goal / view->width);
  for (int32_t step = 0; step < view->lookahead; ++step) {
    view->way[(size_t)step * count + (size_t)robot] = FW_RTAA_NO_STEP;
  }
}

static bool has_weights(const fw_grid_t * grid)
{
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); ++cell) {
    if (grid->cost[cell] > 1) {
      return true;
    }
  }
  return false;
}

fw_ret_t fw_batch_init(
  fw_batch_t * batch, const fw_grid_t * grid, const fw_cell_t * starts, const fw_cell_t * goals, int32_t robot_count,
  const fw_batch_options_t * options, fw_error_t * error)
{
  batch->impl = NULL;
  const fw_batch_options_t chosen = options != NULL ? *options : fw_batch_options_default();
  fw_ret_t ret = check_options(&chosen, error);
  if (ret == FW_RET_OK) {
    ret = check_robots(grid, starts, goals, robot_count, error);
  }
  if (ret != FW_RET_OK) {
    return ret;
  }
  const fw_allocator_t allocator = fw__allocator_or_default(&chosen.allocator);
  fw__batch_t * impl = fw__allocate_array(&allocator, 1, sizeof(*impl));
  if (impl == NULL) {
    return fw__error_memory(error);
  }
  *impl = (fw__batch_t){
    .allocator = allocator,
    .options = chosen,
    .device = chosen.backend == FW_BACKEND_CPU ? NULL : fw__device_built_in(),
    .backend = "cpu",
    .view =
      {.width = grid->width,
       .height = grid->height,
       .lookahead = chosen.lookahead,
       .moves_max = chosen.moves,
       .connectivity = chosen.connectivity,
       .sight = chosen.sight,
       .robot_count = robot_count},
  };
  batch->impl = impl;
  if (!fw__batch_allocate(impl, has_weights(grid))) {
    fw_batch_fini(batch);
    return fw__error_memory(error);
  }
  settle(impl, grid);
  for (int32_t robot = 0; robot < robot_count; ++robot) {
    place(impl, robot, starts[robot], goals[robot]);
  }
  if (chosen.backend == FW_BACKEND_CUDA && impl->device == NULL) {
    snprintf(impl->note, sizeof(impl->note), "built without CUDA: running on the CPU");
  }
  return FW_RET_OK;
}

void fw_batch_fini(fw_batch_t * batch)
{
  if (batch == NULL || batch->impl == NULL) {
    return;
  }
  const fw_allocator_t allocator = batch->impl->allocator;
  fw__batch_release(batch->impl);
  fw__deallocate(&allocator, batch->impl);
  batch->impl = NULL;
}

void fw__batch_use_device(fw_batch_t * batch, const fw_device_t * device)
{
  batch->impl->device = batch->impl->options.backend == FW_BACKEND_CPU ? NULL : device;
  batch->impl->note[0] = '\0';
}

// ---- running --------------------------------------------------------------------------------------------------------

static void run(fw__batch_t * batch, int32_t episodes)
{
  int32_t done = 0;
  if (batch->device != NULL && !batch->has_device_failed) {
    char text[FW_BATCH_NOTE_SIZE / 2] = "";
    const fw_device_request_t request = {
      .view = &batch->view,
      .episodes = episodes,
      .is_fused = batch->options.is_fused,
      .memory_max_bytes = batch->options.device_memory_max_bytes,
    };
    batch->backend = batch->device->name;
    if (batch->device->run(&request, &done, text, sizeof(text))) {
      return;
    }
    batch->has_device_failed = true;
    snprintf(batch->note, sizeof(batch->note), "%s: %s; going on with the CPU", batch->device->name, text);
  }
  batch->backend = "cpu";
  fw__batch_run_cpu(batch, done, episodes);
}

fw_ret_t fw_batch_run(fw_batch_t * batch, int32_t episodes, fw_error_t * error)
{
  if (batch == NULL || batch->impl == NULL || episodes < 1) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "a batch and at least one episode are needed");
  }
  fw__batch_t * impl = batch->impl;
  if (impl->view.sight == 0) {
    run(impl, episodes);
    impl->episodes += episodes;
    return FW_RET_OK;
  }
  for (int32_t episode = 0; episode < episodes && fw_batch_running(batch) > 0; ++episode) {
    if (impl->episodes == 0) {  // robots look around before they go
      for (int32_t robot = 0; robot < impl->view.robot_count; ++robot) {
        const fw_rtaa_robot_t places = fw__rtaa_load(&impl->view, robot);
        fw__rtaa_look(&impl->view, &places);
      }
      fw__batch_share(impl);
    }
    run(impl, 1);
    fw__batch_share(impl);
    ++impl->episodes;
  }
  return FW_RET_OK;
}

int32_t fw_batch_running(const fw_batch_t * batch)
{
  int32_t running = 0;
  for (int32_t robot = 0; robot < batch->impl->view.robot_count; ++robot) {
    running += batch->impl->view.state[robot] == FW_RTAA_RUNNING ? 1 : 0;
  }
  return running;
}
