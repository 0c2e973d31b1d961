// Batches: memory, maps, robots and runs of fw_batch_t. What one robot computes is in kernel/rtaa_step.h; batch_cpu.c
// runs it in threads, a device (kernel/device.h) on a GPU.
//
// Memory is a structure of arrays: a row for each thing that is known of every robot.

#include "kernel/batch.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "kernel/batch_cpu.h"
#include "kernel/rtaa_step.h"

typedef struct fw_batch_impl_t {
  fw_allocator_t allocator;
  fw_batch_options_t options;
  const fw_device_t * device;  // NULL: the CPU only
  bool has_device_failed;      // it is not tried again
  bool has_failed;             // an allocation of allocate() has failed
  char device_name[FW_DEVICE_NAME_SIZE];
  char note[FW_DEVICE_NOTE_SIZE];
  const char * backend;
  fw_rtaa_view_t view;  // rows in host memory
  // The maps that the view reads. `truth` is `cost` where everything is known.
  uint8_t * cost;
  uint8_t * moves;
  uint8_t * floor;  // NULL as long as every cell costs 1: the view then uses `moves`
  uint8_t * truth;
  uint8_t * scratch;  // lanes of all threads
  int64_t episodes;
  size_t memory_bytes;
} fw_batch_impl_t;

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

// ---- checks of the caller's data ------------------------------------------------------------------------------------

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
  if (options->device < 0) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "device must be at least 0, not %d", options->device);
  }
  if (options->threads < 1) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "threads must be at least 1, not %d", options->threads);
  }
  return FW_RET_OK;
}

typedef struct robot_cell_t {
  int32_t robot;
  fw_cell_t cell;
  bool is_start;  // else its goal
} robot_cell_t;

static fw_ret_t check_cell(const fw_grid_t * grid, robot_cell_t place, fw_error_t * error)
{
  const int32_t robot = place.robot;
  const fw_cell_t cell = place.cell;
  const bool is_start = place.is_start;
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
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "fw_batch_init needs a grid, starts and goals; one of them is NULL");
  }
  if (count < 1 || count > FW_ROBOT_COUNT_MAX) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "robots must be 1 to %d, not %d", FW_ROBOT_COUNT_MAX, count);
  }
  if (grid->width < 1 || grid->height < 1 || grid->width > FW_GRID_SIDE_MAX || grid->height > FW_GRID_SIDE_MAX) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "a grid's sides must be 1 to %d", FW_GRID_SIDE_MAX);
  }
  for (int32_t robot = 0; robot < count; ++robot) {
    fw_ret_t ret = check_cell(grid, (robot_cell_t){robot, starts[robot], true}, error);
    if (ret == FW_RET_OK) {
      ret = check_cell(grid, (robot_cell_t){robot, goals[robot], false}, error);
    }
    if (ret != FW_RET_OK) {
      return ret;
    }
  }
  return FW_RET_OK;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

// Not cleared: the movements arrays are large, and their values count only inside a robot's box. Failure is remembered
// in `has_failed`, so that allocate() checks once.
static void * take(fw_batch_impl_t * batch, size_t count, size_t size_bytes)
{
  const bool is_too_large = count > SIZE_MAX / size_bytes;
  void * row = is_too_large ? NULL : batch->allocator.allocate(count * size_bytes, batch->allocator.state);
  batch->memory_bytes += row != NULL ? count * size_bytes : 0;
  batch->has_failed = batch->has_failed || row == NULL;
  return row;
}

// Memory for the map `floor`, which is needed when a cell costs more than 1. False when there is none.
static bool add_weights(fw_batch_impl_t * batch)
{
  if (batch->floor == NULL) {
    const size_t cells = (size_t)batch->view.width * (size_t)batch->view.height;
    batch->floor = take(batch, cells, 1);
    if (batch->floor == NULL) {
      return false;
    }
    memcpy(batch->floor, batch->moves, cells);  // right as long as every cell costs 1
    batch->view.floor = batch->floor;
  }
  return true;
}

// All rows, maps and lanes. False when there is no memory; release() gives back what was taken.
static bool allocate(fw_batch_impl_t * batch, bool is_weighted)
{
  fw_rtaa_view_t * view = &batch->view;
  const size_t count = (size_t)view->robot_count;
  const size_t slots = (size_t)fw__rtaa_window_size(view->lookahead);
  const size_t words = (size_t)fw__rtaa_seen_words(view->sight);
  const size_t cells = (size_t)view->width * (size_t)view->height;
  const size_t scratch_bytes = fw__batch_cpu_scratch_bytes(&batch->options);
  view->x = take(batch, count, sizeof(*view->x));
  view->y = take(batch, count, sizeof(*view->y));
  view->goal_x = take(batch, count, sizeof(*view->goal_x));
  view->goal_y = take(batch, count, sizeof(*view->goal_y));
  view->drift = take(batch, count * 2, sizeof(*view->drift));
  view->box = take(batch, count * 4, sizeof(*view->box));
  view->state = take(batch, count, sizeof(*view->state));
  view->length = take(batch, count, sizeof(*view->length));
  view->episodes = take(batch, count, sizeof(*view->episodes));
  view->path = take(batch, count * (size_t)view->lookahead, sizeof(*view->path));
  view->window = take(batch, count * slots, sizeof(*view->window));
  view->window_stride = 1;
  view->window_pitch = (int64_t)slots;
  view->seen = view->sight > 0 ? take(batch, count * words, sizeof(*view->seen)) : NULL;
  batch->scratch = take(batch, scratch_bytes, 1);
  batch->cost = take(batch, cells, 1);
  batch->moves = take(batch, cells, 1);
  batch->truth = view->sight > 0 ? take(batch, cells, 1) : batch->cost;
  view->cost = batch->cost;
  view->moves = batch->moves;
  view->floor = batch->moves;
  view->truth = batch->truth;
  if (batch->has_failed || (is_weighted && !add_weights(batch))) {
    return false;
  }
  memset(batch->scratch, 0, scratch_bytes);
  return true;
}

static void release(fw_batch_impl_t * batch)
{
  const fw_rtaa_view_t * view = &batch->view;
  void * const rows[] = {
    view->x,
    view->y,
    view->goal_x,
    view->goal_y,
    view->drift,
    view->box,
    view->state,
    view->length,
    view->episodes,
    view->path,
    view->window,
    view->seen,
    batch->cost,
    batch->moves,
    batch->floor,
    batch->scratch,
    batch->truth != batch->cost ? batch->truth : NULL,
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
    fw__deallocate(&batch->allocator, rows[i]);
  }
}

// ---- maps -----------------------------------------------------------------------------------------------------------

static bool is_free(const fw_batch_impl_t * batch, int32_t x, int32_t y)
{
  const fw_rtaa_view_t * view = &batch->view;
  return x >= 0 && y >= 0 && x < view->width && y < view->height && batch->cost[y * view->width + x] != 0;
}

typedef struct cell_moves_t {
  uint32_t moves;  // bit h: there is a move with heading h
  uint32_t floor;  // bit h: and it enters a cell of cost 1
} cell_moves_t;

// The moves from one cell to free neighbours; a diagonal needs both sides free. A blocked cell has moves too: an
// obstacle may appear on a robot's cell, and the robot must be able to leave.
static cell_moves_t moves_from(const fw_batch_impl_t * batch, int32_t x, int32_t y)
{
  const int32_t width = batch->view.width;
  uint32_t moves = 0, floor = 0;
  for (int32_t heading = 0; heading < 8; heading += batch->view.connectivity == 4 ? 2 : 1) {
    const int32_t to_x = x + fw__compass_dx(heading);
    const int32_t to_y = y + fw__compass_dy(heading);
    if (!is_free(batch, to_x, to_y)) {
      continue;
    }
    if ((heading & 1) != 0 && (!is_free(batch, to_x, y) || !is_free(batch, x, to_y))) {
      continue;
    }
    moves |= 1u << heading;
    floor |= batch->cost[to_y * width + to_x] == 1 ? 1u << heading : 0u;
  }
  return (cell_moves_t){moves, floor};
}

static void survey_cell(fw_batch_impl_t * batch, int32_t x, int32_t y)
{
  const int32_t cell = y * batch->view.width + x;
  const cell_moves_t found = moves_from(batch, x, y);
  batch->moves[cell] = (uint8_t)found.moves;
  if (batch->floor != NULL) {
    batch->floor[cell] = (uint8_t)found.floor;
  }
}

// Fills `moves` and `floor` for the whole map.
static void survey_map(fw_batch_impl_t * batch)
{
  for (int32_t y = 0; y < batch->view.height; ++y) {
    for (int32_t x = 0; x < batch->view.width; ++x) {
      survey_cell(batch, x, y);
    }
  }
}

// Sets the known cost of a cell and updates the moves around it. True if the cell was known as blocked and is free.
static bool learn_cell(fw_batch_impl_t * batch, int32_t x, int32_t y, uint8_t cost)
{
  FW_ASSERT(x >= 0 && y >= 0 && x < batch->view.width && y < batch->view.height);
  const fw_rtaa_view_t * view = &batch->view;
  const int32_t cell = y * view->width + x;
  const bool is_freed = batch->view.cost[cell] == 0 && cost != 0;
  batch->cost[cell] = cost;
  for (int32_t around_y = y - 1; around_y <= y + 1; ++around_y) {
    for (int32_t around_x = x - 1; around_x <= x + 1; ++around_x) {
      if (around_x >= 0 && around_y >= 0 && around_x < view->width && around_y < view->height) {
        survey_cell(batch, around_x, around_y);
      }
    }
  }
  return is_freed;
}

// Robots that were stuck try again.
static void wake_stuck(fw_batch_impl_t * batch)
{
  for (int32_t robot = 0; robot < batch->view.robot_count; ++robot) {
    if (batch->view.state[robot] == FW_BATCH_STUCK) {
      batch->view.state[robot] = FW_BATCH_RUNNING;
    }
  }
}

// Makes known to all robots what any robot has seen. In the order of the robots, in one thread: few see anything new.
static void share_seen(fw_batch_impl_t * batch)
{
  const fw_rtaa_view_t * view = &batch->view;
  const int32_t side = 2 * view->sight + 1;
  bool is_freed = false;
  for (int32_t word = 0; word < fw__rtaa_seen_words(view->sight); ++word) {
    for (int32_t robot = 0; robot < view->robot_count; ++robot) {
      uint64_t * seen = &view->seen[(size_t)word * (size_t)view->robot_count + (size_t)robot];
      for (int32_t bit = 0; *seen != 0 && bit < 64; ++bit) {
        if ((*seen >> bit & 1u) != 0) {
          const int32_t at = word * 64 + bit;
          const int32_t x = view->x[robot] + at % side - view->sight;
          const int32_t y = view->y[robot] + at / side - view->sight;
          is_freed = learn_cell(batch, x, y, batch->truth[y * view->width + x]) || is_freed;
        }
      }
      *seen = 0;
    }
  }
  if (is_freed) {
    wake_stuck(batch);
  }
}

fw_ret_t fw_batch_set_cost(fw_batch_t * batch, fw_cell_t cell, uint8_t cost, fw_error_t * error)
{
  fw_batch_impl_t * impl = batch->impl;
  if (cell < 0 || cell >= impl->view.width * impl->view.height) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "cell %d is outside the grid of %d cells", cell,
      impl->view.width * impl->view.height);
  }
  if (cost > 1 && !add_weights(impl)) {
    return fw__error_memory(error);
  }
  if (impl->view.sight > 0) {
    impl->truth[cell] = cost;
  } else if (learn_cell(impl, cell % impl->view.width, cell / impl->view.width, cost)) {
    wake_stuck(impl);
  }
  return FW_RET_OK;
}

// ---- init and fini --------------------------------------------------------------------------------------------------

// What robots know at first: the map as given.
static void set_map(fw_batch_impl_t * batch, const fw_grid_t * grid)
{
  const size_t cells = (size_t)fw_grid_cell_count(grid);
  memcpy(batch->cost, grid->cost, cells);
  if (batch->truth != batch->cost) {
    memcpy(batch->truth, grid->cost, cells);
    memset(batch->view.seen, 0, (size_t)batch->view.robot_count * (size_t)fw__rtaa_seen_words(batch->view.sight) * 8);
  }
  survey_map(batch);
}

static void place_robot(fw_batch_impl_t * batch, int32_t robot, fw_cell_t start, fw_cell_t goal)
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
    view->path[(size_t)step * count + (size_t)robot] = FW_RTAA_NO_STEP;
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

// Whether `device`, NULL for none, can be used; else FW_RET_NO_DEVICE with the reason.
static fw_ret_t find_device(
  const fw_device_t * device, int32_t number, char name[FW_DEVICE_NAME_SIZE], fw_error_t * error)
{
  char text[FW_DEVICE_TEXT_SIZE] = "this library was built without CUDA";
  if (device == NULL || !device->find(number, name, text, sizeof(text))) {
    return fw__error(error, FW_RET_NO_DEVICE, "backend cuda: %s", text);
  }
  return FW_RET_OK;
}

fw_ret_t fw_batch_find_device(int32_t device, char name[FW_DEVICE_NAME_SIZE], fw_error_t * error)
{
  return find_device(fw__device_built_in(), device, name, error);
}

// Decides between device and CPU. Fails if the device is required and cannot be used; `auto` leaves a note instead.
static fw_ret_t choose_backend(fw_batch_impl_t * batch, const fw_device_t * device, fw_error_t * error)
{
  const fw_backend_t backend = batch->options.backend;
  fw_error_t reason = {0};
  if (backend == FW_BACKEND_CPU) {
    return FW_RET_OK;
  }
  if (backend == FW_BACKEND_AUTO && device != NULL && batch->view.robot_count < FW_BATCH_DEVICE_ROBOTS_MIN) {
    snprintf(
      batch->note, sizeof(batch->note), "auto: a GPU pays from %d robots on, these are %d", FW_BATCH_DEVICE_ROBOTS_MIN,
      batch->view.robot_count);
    return FW_RET_OK;
  }
  if (find_device(device, batch->options.device, batch->device_name, &reason) == FW_RET_OK) {
    batch->device = device;
    return FW_RET_OK;
  }
  batch->device_name[0] = '\0';
  if (backend == FW_BACKEND_CUDA) {
    return fw__error(error, FW_RET_NO_DEVICE, "%s", reason.text);
  }
  snprintf(batch->note, sizeof(batch->note), "%.160s; using the CPU", reason.text);
  return FW_RET_OK;
}

fw_ret_t fw_batch_init(
  fw_batch_t * batch, const fw_grid_t * grid, const fw_cell_t * starts, const fw_cell_t * goals, int32_t robot_count,
  const fw_batch_options_t * options, fw_error_t * error)
{
  const fw_batch_world_t world = {grid, starts, goals, robot_count};
  return fw__batch_init_on(batch, &world, options, fw__device_built_in(), error);
}

fw_ret_t fw__batch_init_on(
  fw_batch_t * batch, const fw_batch_world_t * world, const fw_batch_options_t * options, const fw_device_t * device,
  fw_error_t * error)
{
  batch->impl = NULL;
  const fw_grid_t * grid = world->grid;
  const int32_t robot_count = world->robot_count;
  const fw_batch_options_t chosen = options != NULL ? *options : fw_batch_options_default();
  fw_ret_t ret = check_options(&chosen, error);
  if (ret == FW_RET_OK) {
    ret = check_robots(grid, world->starts, world->goals, robot_count, error);
  }
  if (ret != FW_RET_OK) {
    return ret;
  }
  const fw_allocator_t allocator = fw__allocator_or_default(&chosen.allocator);
  fw_batch_impl_t * impl = fw__allocate_array(&allocator, 1, sizeof(*impl));
  if (impl == NULL) {
    return fw__error_memory(error);
  }
  *impl = (fw_batch_impl_t){
    .allocator = allocator,
    .options = chosen,
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
  if (!allocate(impl, has_weights(grid))) {
    fw_batch_fini(batch);
    return fw__error_memory(error);
  }
  set_map(impl, grid);
  for (int32_t robot = 0; robot < robot_count; ++robot) {
    place_robot(impl, robot, world->starts[robot], world->goals[robot]);
  }
  FW_ASSERT(fw__batch_validate(batch));
  ret = choose_backend(impl, device, error);
  if (ret != FW_RET_OK) {
    fw_batch_fini(batch);
  }
  return ret;
}

void fw_batch_fini(fw_batch_t * batch)
{
  if (batch == NULL || batch->impl == NULL) {
    return;
  }
  const fw_allocator_t allocator = batch->impl->allocator;
  release(batch->impl);
  fw__deallocate(&allocator, batch->impl);
  batch->impl = NULL;
}

static bool is_robot_valid(const fw_rtaa_view_t * view, int32_t index)
{
  const fw_rtaa_robot_t robot = fw__rtaa_load(view, index);
  const int32_t edge = 2 * view->lookahead;
  const bool is_inside = robot.x >= 0 && robot.y >= 0 && robot.x < view->width && robot.y < view->height;
  const bool is_goal_inside =
    robot.goal_x >= 0 && robot.goal_y >= 0 && robot.goal_x < view->width && robot.goal_y < view->height;
  const bool is_box_valid =
    robot.box_x0 > robot.box_x1 || (robot.box_x0 >= -edge && robot.box_y0 >= -edge && robot.box_x1 <= edge &&
                                    robot.box_y1 <= edge && robot.box_y0 <= robot.box_y1);
  const bool is_at_goal = robot.x == robot.goal_x && robot.y == robot.goal_y;
  return is_inside && is_goal_inside && is_box_valid && (robot.state == FW_RTAA_ARRIVED) == is_at_goal &&
         robot.state <= FW_RTAA_STUCK;
}

bool fw__batch_validate(const fw_batch_t * batch)
{
  const fw_batch_impl_t * impl = batch->impl;
  for (int32_t robot = 0; robot < impl->view.robot_count; ++robot) {
    if (!is_robot_valid(&impl->view, robot)) {
      return false;
    }
  }
  for (int32_t y = 0; y < impl->view.height; ++y) {
    for (int32_t x = 0; x < impl->view.width; ++x) {
      const int32_t cell = y * impl->view.width + x;
      const cell_moves_t found = moves_from(impl, x, y);
      if (impl->view.moves[cell] != found.moves || impl->view.floor[cell] != found.floor) {
        return false;
      }
    }
  }
  return true;
}

// ---- running --------------------------------------------------------------------------------------------------------

// On the device if there is one that works, else, or for the robots that it did not finish, on the CPU.
static void run(fw_batch_impl_t * batch, int32_t episodes)
{
  int32_t done = 0;
  if (batch->device != NULL && !batch->has_device_failed) {
    char text[FW_DEVICE_TEXT_SIZE] = "";
    const fw_device_request_t request = {
      .number = batch->options.device,
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
  FW_ASSERT(done % FW_BLOCK_ROBOTS == 0 && done <= batch->view.robot_count);
  fw__batch_cpu_run(&(fw_batch_cpu_run_t){
    .view = &batch->view,
    .options = &batch->options,
    .scratch = batch->scratch,
    .first_robot = done,
    .episodes = episodes,
  });
}

fw_ret_t fw_batch_run(fw_batch_t * batch, int32_t episodes, fw_error_t * error)
{
  if (batch == NULL || batch->impl == NULL || episodes < 1) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "fw_batch_run needs an initialised batch and at least 1 episode, not %d",
      episodes);
  }
  fw_batch_impl_t * impl = batch->impl;
  if (impl->view.sight == 0) {
    run(impl, episodes);
    impl->episodes += episodes;
    return FW_RET_OK;
  }
  for (int32_t episode = 0; episode < episodes && fw_batch_running(batch) > 0; ++episode) {
    if (impl->episodes == 0) {  // robots sense before their first move
      for (int32_t robot = 0; robot < impl->view.robot_count; ++robot) {
        const fw_rtaa_robot_t places = fw__rtaa_load(&impl->view, robot);
        fw__rtaa_sense(&impl->view, &places);
      }
      share_seen(impl);
    }
    run(impl, 1);
    share_seen(impl);
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

// ---- robots between runs --------------------------------------------------------------------------------------------

fw_batch_robot_t fw_batch_robot(const fw_batch_t * batch, int32_t robot)
{
  FW_ASSERT(robot >= 0 && robot < batch->impl->view.robot_count);
  const fw_rtaa_view_t * view = &batch->impl->view;
  return (fw_batch_robot_t){
    .cell = view->y[robot] * view->width + view->x[robot],
    .goal = view->goal_y[robot] * view->width + view->goal_x[robot],
    .state = (fw_batch_state_t)view->state[robot],
    .length = view->length[robot],
    .episodes = view->episodes[robot],
  };
}

int32_t fw_batch_way(const fw_batch_t * batch, int32_t robot, uint8_t * headings)
{
  FW_ASSERT(robot >= 0 && robot < batch->impl->view.robot_count);
  const fw_rtaa_view_t * view = &batch->impl->view;
  int32_t count = 0;
  for (; count < view->lookahead; ++count) {
    const uint8_t heading = view->path[(size_t)count * (size_t)view->robot_count + (size_t)robot];
    if (heading == FW_RTAA_NO_STEP) {
      break;
    }
    headings[count] = heading;
  }
  return count;
}

uint32_t fw_batch_estimate(const fw_batch_t * batch, int32_t robot, fw_cell_t cell)
{
  FW_ASSERT(cell >= 0 && cell < batch->impl->view.width * batch->impl->view.height);
  FW_ASSERT(robot >= 0 && robot < batch->impl->view.robot_count);
  const fw_rtaa_view_t * view = &batch->impl->view;
  const fw_rtaa_robot_t places = fw__rtaa_load(view, robot);
  const fw_rtaa_movements_t array = fw__movements(view, &places);
  const int32_t x = cell % view->width;
  const int32_t y = cell / view->width;
  const int32_t plain = fw__compass_distance(view->connectivity, places.goal_x - x, places.goal_y - y);
  const int32_t learned =
    fw__movements_learned(&array, &places, x - places.x + places.drift_x, y - places.y + places.drift_y);
  return (uint32_t)(plain + learned);
}

void fw_batch_set_cell(fw_batch_t * batch, int32_t robot, fw_cell_t cell)
{
  FW_ASSERT(cell >= 0 && cell < batch->impl->view.width * batch->impl->view.height);
  FW_ASSERT(robot >= 0 && robot < batch->impl->view.robot_count);
  const fw_rtaa_view_t * view = &batch->impl->view;
  fw_rtaa_robot_t places = fw__rtaa_load(view, robot);
  const int32_t dx = cell % view->width - places.x;
  const int32_t dy = cell / view->width - places.y;
  places.x += dx;
  places.y += dy;
  if (fw__compass_abs(dx) <= 1 && fw__compass_abs(dy) <= 1) {
    places.drift_x += dx;
    places.drift_y += dy;
    fw__rtaa_initialize_array(
      view, &places);  // keeps the drift within the movements array, however often this is called
  } else {
    places.drift_x = 0;
    places.drift_y = 0;
    fw__movements_forget(&places);
  }
  places.state = places.x == places.goal_x && places.y == places.goal_y ? FW_RTAA_ARRIVED : FW_RTAA_RUNNING;
  fw__rtaa_store(view, &places);
}

void fw_batch_set_goal(fw_batch_t * batch, int32_t robot, fw_cell_t goal)
{
  FW_ASSERT(goal >= 0 && goal < batch->impl->view.width * batch->impl->view.height);
  FW_ASSERT(robot >= 0 && robot < batch->impl->view.robot_count);
  const fw_rtaa_view_t * view = &batch->impl->view;
  fw_rtaa_robot_t places = fw__rtaa_load(view, robot);
  view->goal_x[robot] = (int16_t)(goal % view->width);
  view->goal_y[robot] = (int16_t)(goal / view->width);
  fw__movements_forget(&places);
  places.state = places.x == view->goal_x[robot] && places.y == view->goal_y[robot] ? FW_RTAA_ARRIVED : FW_RTAA_RUNNING;
  fw__rtaa_store(view, &places);
}

void fw_batch_recall(fw_batch_t * batch, int32_t robot, const fw_batch_t * from, int32_t from_robot)
{
  FW_ASSERT(batch->impl->view.lookahead == from->impl->view.lookahead);
  FW_ASSERT(batch->impl->view.width == from->impl->view.width && batch->impl->view.height == from->impl->view.height);
  const fw_rtaa_view_t * view = &batch->impl->view;
  const fw_rtaa_view_t * other = &from->impl->view;
  fw_rtaa_robot_t places = fw__rtaa_load(view, robot);
  const fw_rtaa_robot_t before = fw__rtaa_load(other, from_robot);
  if (places.goal_x != before.goal_x || places.goal_y != before.goal_y || before.box_x0 > before.box_x1) {
    return;
  }
  const fw_rtaa_movements_t array = fw__movements(view, &places);
  const fw_rtaa_movements_t old = fw__movements(other, &before);
  const int32_t edge = 2 * view->lookahead;
  // From the old centre to the new one.
  const int32_t shift_x = before.x - before.drift_x - places.x + places.drift_x;
  const int32_t shift_y = before.y - before.drift_y - places.y + places.drift_y;
  for (int32_t y = before.box_y0; y <= before.box_y1; ++y) {
    for (int32_t x = before.box_x0; x <= before.box_x1; ++x) {
      const int32_t to_x = x + shift_x, to_y = y + shift_y;
      const uint16_t learned = *fw__movements_slot(&old, x, y);
      if (learned > 0 && fw__compass_abs(to_x) <= edge && fw__compass_abs(to_y) <= edge) {
        fw__movements_widen(&array, &places, to_x, to_y, to_x, to_y);
        *fw__movements_slot(&array, to_x, to_y) = learned;
      }
    }
  }
  fw__rtaa_store(view, &places);
}

fw_grid_t fw_batch_known(const fw_batch_t * batch)
{
  const fw_batch_impl_t * impl = batch->impl;
  return (fw_grid_t){.width = impl->view.width, .height = impl->view.height, .cost = impl->cost};
}

fw_batch_stats_t fw_batch_stats(const fw_batch_t * batch)
{
  const fw_batch_impl_t * impl = batch->impl;
  const int32_t lookahead = impl->view.lookahead;
  const size_t scalars = 4 * sizeof(int16_t) + 6 * sizeof(int8_t) + sizeof(uint8_t) + 2 * sizeof(uint32_t);
  const size_t seen = impl->view.sight > 0 ? (size_t)fw__rtaa_seen_words(impl->view.sight) * sizeof(uint64_t) : 0;
  return (fw_batch_stats_t){
    .backend = impl->backend,
    .device = impl->device != NULL && !impl->has_device_failed ? impl->device_name : "",
    .note = impl->note,
    .episodes = impl->episodes,
    .memory_bytes = impl->memory_bytes,
    .robot_bytes = scalars + seen + (size_t)lookahead + (size_t)fw__rtaa_window_size(lookahead) * sizeof(uint16_t),
  };
}
