// Batches: memory, maps, robots and runs of fw_batch_t. What one robot computes is in kernel/rtaa_step.h; batch_cpu.c
// runs it in threads, a device (kernel/device.h) on a GPU.
//
// Memory is a structure of arrays: a row for each thing that is known of every robot. Where robots are resident on a
// device, the rows here are a copy that is true between runs, except for learned values: they are fetched when somebody
// reads them. Everything that changes rows or maps here is noted, so that the next run can tell the device.

#include "kernel/batch.h"

#include <stdio.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "base/memory.h"
#include "kernel/batch_cpu.h"
#include "kernel/recovery.h"
#include "kernel/regions.h"
#include "kernel/rtaa_step.h"

// Robots that live on a device, and what was changed here since the last run.
typedef struct resident_t {
  bool is_on;
  bool are_learned_values_here;  // else on the device only
  bool are_rows_new;             // the device has to take everything
  bool is_map_new;
  uint8_t * is_robot_changed;
  uint8_t * is_goal_changed;  // with regions: the robot has changed, and the distances to its goal as well
  int32_t * changed_robots;
  int32_t changed_robot_count;
  fw_rtaa_robot_change_t * robots;  // room for all
  uint8_t * is_cell_changed;
  fw_rtaa_cell_change_t * cells;  // room for FW_DEVICE_CELLS_MAX
  int32_t cell_count;
  fw_region_changes_t regions;
  fw_recovery_t recovery;
} resident_t;

// The backend `auto`: which of CPU and device is faster is measured on the robots of the batch. The first episodes are
// run in pieces, on the CPU as long as the device has nothing, then on the device. The first piece there is not
// counted: it uploads everything, and the driver loads the kernels. Of each, the fastest piece counts, per robot under
// way and episode. So a comparison costs at most PIECES pieces, and nothing is copied that the device would not have
// got anyway; if the CPU is faster, learned values come back once. Answers do not depend on where a piece runs.
enum { TRIAL_CPU = 3, TRIAL_DEVICE = 4, TRIAL_PIECES = TRIAL_CPU + TRIAL_DEVICE, TRIAL_EPISODES = 8 };

typedef struct trial_t {
  bool is_on;
  int32_t piece;        // of TRIAL_PIECES
  int64_t work;         // of the last piece: robots under way times episodes
  int64_t time_ns;      // that it took, with what was fetched from the device after it
  int64_t least_ps[2];  // for a robot and episode, on the CPU and on the device; 0: not measured yet
} trial_t;

typedef struct fw_batch_impl_t {
  fw_allocator_t allocator;
  fw_batch_options_t options;
  const fw_device_t * device;  // NULL: the CPU only, from the beginning or because the device has failed
  struct fw_device_session_t * session;
  resident_t resident;
  trial_t trial;
  bool has_failed;  // an allocation of allocate() has failed
  char device_name[FW_DEVICE_NAME_SIZE];
  char note[FW_DEVICE_NOTE_SIZE];
  const char * backend;
  fw_rtaa_view_t view;  // rows in host memory
  // The maps that the view reads. `truth` is `cost` where everything is known.
  uint8_t * cost;
  uint8_t * moves;
  uint8_t * floor;  // NULL as long as every cell costs 1: the view then uses `moves`
  uint8_t * truth;
  uint8_t * scratch;     // lanes of all threads
  fw_regions_t regions;  // with memory `regions`
  bool are_regions_old;  // cells were blocked or freed since they were updated
  int64_t memories_kept;
  int64_t memories_lost;
  bool is_goal_missing;  // there was no memory for a robot's new goal
  bool is_seen_shared;   // with sight: all that was seen is in the maps
  bool is_view_new;      // with sight: the world or a robot's cell was changed since robots without an episode sensed
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
  if (options->memory != FW_MEMORY_WINDOW && options->memory != FW_MEMORY_REGIONS) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "memory must be window (0) or regions (1), not %d", options->memory);
  }
  if (options->device < 0) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "device must be at least 0, not %d", options->device);
  }
  if (options->devices < 0 || options->devices > FW_BATCH_DEVICES_MAX) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "devices must be 0 to %d, not %d", FW_BATCH_DEVICES_MAX, options->devices);
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

static void begin_new_map(fw_batch_impl_t * batch);

// Memory for the map `floor`, which is needed when a cell costs more than 1. False when there is none.
static bool add_weights(fw_batch_impl_t * batch)
{
  if (batch->floor == NULL) {
    const size_t cells = (size_t)batch->view.width * (size_t)batch->view.height;
    batch->floor = take(batch, cells, 1);
    if (batch->floor == NULL) {
      return false;
    }
    begin_new_map(batch);
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
  if (batch->options.memory == FW_MEMORY_REGIONS) {
    fw__regions_fini(&batch->regions);
  }
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
    batch->resident.is_robot_changed,
    batch->resident.is_goal_changed,
    batch->resident.regions.pieces,
    batch->resident.changed_robots,
    batch->resident.robots,
    batch->resident.is_cell_changed,
    batch->resident.cells,
    batch->resident.recovery.rows,
    batch->resident.recovery.entries,
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
    fw__deallocate(&batch->allocator, rows[i]);
  }
}

// ---- the device -----------------------------------------------------------------------------------------------------

static fw_rtaa_maps_t maps_of(const fw_batch_impl_t * batch)
{
  return (fw_rtaa_maps_t){batch->cost, batch->moves, batch->floor, batch->truth != batch->cost ? batch->truth : NULL};
}

static fw_batch_cpu_run_t cpu_run_of(const fw_batch_impl_t * batch)
{
  return (fw_batch_cpu_run_t){.view = &batch->view, .options = &batch->options, .scratch = batch->scratch};
}

// Memory for what is noted while robots are resident. False when there is none.
static bool allocate_resident(fw_batch_impl_t * batch)
{
  resident_t * resident = &batch->resident;
  const size_t count = (size_t)batch->view.robot_count;
  const size_t cells = (size_t)batch->view.width * (size_t)batch->view.height;
  resident->is_robot_changed = take(batch, count, 1);
  resident->is_goal_changed = take(batch, count, 1);
  resident->regions.pieces =
    batch->view.regions != NULL ? take(batch, FW_REGION_PIECES_MAX, sizeof(*resident->regions.pieces)) : NULL;
  resident->changed_robots = take(batch, count, sizeof(*resident->changed_robots));
  resident->robots = take(batch, count, sizeof(*resident->robots));
  resident->is_cell_changed = take(batch, cells, 1);
  resident->cells = take(batch, FW_DEVICE_CELLS_MAX, sizeof(*resident->cells));
  resident->recovery.rows = take(batch, fw__recovery_rows_bytes(&batch->view), 1);
  resident->recovery.entries = take(batch, fw__recovery_entries_bytes(&batch->view), 1);
  if (batch->has_failed) {
    return false;
  }
  memset(resident->is_robot_changed, 0, count);
  memset(resident->is_goal_changed, 0, count);
  fw__region_changes_set(&resident->regions, true);
  memset(resident->is_cell_changed, 0, cells);
  resident->is_on = true;
  resident->are_learned_values_here = true;
  resident->are_rows_new = true;
  resident->is_map_new = true;
  return true;
}

static void forget_changes(resident_t * resident)
{
  for (int32_t i = 0; i < resident->changed_robot_count; ++i) {
    resident->is_robot_changed[resident->changed_robots[i]] = 0;
    resident->is_goal_changed[resident->changed_robots[i]] = 0;
  }
  for (int32_t i = 0; i < resident->cell_count; ++i) {
    resident->is_cell_changed[resident->cells[i].cell] = 0;
  }
  resident->changed_robot_count = 0;
  resident->cell_count = 0;
  fw__region_changes_set(&resident->regions, false);
}

static fw_rtaa_cell_t cell_now(const fw_batch_impl_t * batch, int32_t cell)
{
  return (fw_rtaa_cell_t){batch->cost[cell], batch->moves[cell], batch->view.floor[cell], batch->truth[cell]};
}

// What was changed since the last run, as the device takes it.
static fw_device_run_t changes_of(fw_batch_impl_t * batch)
{
  resident_t * resident = &batch->resident;
  const fw_rtaa_view_t * view = &batch->view;
  const size_t count = (size_t)view->robot_count;
  for (int32_t i = 0; i < resident->changed_robot_count; ++i) {
    const int32_t index = resident->changed_robots[i];
    const fw_rtaa_robot_t robot = fw__rtaa_load(view, index);
    resident->robots[i] = (fw_rtaa_robot_change_t){
      .index = index,
      .x = view->x[index],
      .y = view->y[index],
      .goal_x = view->goal_x[index],
      .goal_y = view->goal_y[index],
      .drift = {view->drift[index], view->drift[count + (size_t)index]},
      .box = {(int8_t)robot.box_x0, (int8_t)robot.box_y0, (int8_t)robot.box_x1, (int8_t)robot.box_y1},
      .state = view->state[index],
      .is_goal_new = resident->is_goal_changed[index],
    };
  }
  for (int32_t i = 0; i < resident->cell_count; ++i) {
    resident->cells[i].after = cell_now(batch, resident->cells[i].cell);
  }
  return (fw_device_run_t){
    .robots = resident->robots,
    .robot_count = resident->changed_robot_count,
    .cells = resident->cells,
    .cell_count = resident->cell_count,
    .are_rows_new = resident->are_rows_new,
    .is_map_new = resident->is_map_new,
    .regions = view->regions != NULL ? &resident->regions : NULL,
  };
}

// Ends the work with the device. `text` is what failed, NULL if nothing did.
static void leave_device(fw_batch_impl_t * batch, const char * text)
{
  if (text != NULL) {
    snprintf(batch->note, sizeof(batch->note), "%s: %s; going on with the CPU", batch->device->name, text);
  }
  batch->device->close(batch->session);
  batch->session = NULL;
  batch->device = NULL;
  batch->backend = "cpu";
  batch->resident.is_on = false;
  batch->trial.is_on = false;
}

static int64_t now_ns(const fw_batch_impl_t * batch)
{
  return batch->device != NULL && batch->device->now_ns != NULL ? batch->device->now_ns() : fw_clock_now_ns();
}

// The device has failed: computes here, from the last checkpoint, what the robots know.
static void recover(fw_batch_impl_t * batch, const char * text)
{
  const fw_recovery_target_t target = {
    .cpu = cpu_run_of(batch),
    .maps = maps_of(batch),
    .regions = batch->view.regions != NULL ? &batch->regions : NULL,
    .are_regions_old = batch->are_regions_old,
  };
  leave_device(batch, text);
  fw__recovery_replay(&batch->resident.recovery, &target);
}

static bool have_learned(const fw_batch_impl_t * batch)
{
  const size_t count = (size_t)batch->view.robot_count;
  for (size_t robot = 0; robot < count; ++robot) {
    if (batch->view.box[robot] <= batch->view.box[2 * count + robot]) {
      return true;
    }
  }
  return false;
}

// Makes sure that learned values are here, from the device or, if that fails, computed again.
static void fetch_learned_values(fw_batch_impl_t * batch)
{
  resident_t * resident = &batch->resident;
  char text[FW_DEVICE_TEXT_SIZE] = "";
  if (!resident->is_on || resident->are_learned_values_here) {
    return;
  }
  const int64_t begin_ns = now_ns(batch);
  if (batch->device->fetch(batch->session, text, sizeof(text))) {
    batch->trial.time_ns += now_ns(batch) - begin_ns;  // who reads learned values pays for a device with that
    resident->are_learned_values_here = true;
    fw__recovery_checkpoint(&resident->recovery, &batch->view);
    return;
  }
  const fw_device_run_t pending = changes_of(batch);  // no episodes
  fw__recovery_add(&resident->recovery, &pending);
  recover(batch, text);
  if (batch->is_seen_shared) {  // else the replay of the last run has left what is to be shared
    memset(batch->view.seen, 0, (size_t)batch->view.robot_count * (size_t)fw__rtaa_seen_words(batch->view.sight) * 8);
  }
}

// More than a list of cells can tell is about to change: the device has to take the whole map. The state before is a
// checkpoint, since recovery could not set these cells back.
static void begin_new_map(fw_batch_impl_t * batch)
{
  resident_t * resident = &batch->resident;
  fetch_learned_values(batch);
  if (resident->is_on) {
    fw__recovery_checkpoint(&resident->recovery, &batch->view);
    for (int32_t i = 0; i < resident->cell_count; ++i) {
      resident->is_cell_changed[resident->cells[i].cell] = 0;
    }
    resident->cell_count = 0;
    resident->is_map_new = true;
  }
}

// To be called before a cell of the maps changes.
static void note_cell(fw_batch_impl_t * batch, int32_t cell)
{
  resident_t * resident = &batch->resident;
  if (!resident->is_on || resident->is_map_new || resident->is_cell_changed[cell] != 0) {
    return;
  }
  if (resident->cell_count == FW_DEVICE_CELLS_MAX) {
    begin_new_map(batch);
    return;
  }
  resident->is_cell_changed[cell] = 1;
  resident->cells[resident->cell_count++] = (fw_rtaa_cell_change_t){.cell = cell, .before = cell_now(batch, cell)};
}

// To be called when the host has changed a robot.
static void note_robot(fw_batch_impl_t * batch, int32_t robot)
{
  resident_t * resident = &batch->resident;
  if (resident->is_on && resident->is_robot_changed[robot] == 0) {
    resident->is_robot_changed[robot] = 1;
    resident->changed_robots[resident->changed_robot_count++] = robot;
  }
}

// To be called when the distances to a robot's goal have changed.
static void note_goal(fw_batch_impl_t * batch, int32_t robot)
{
  note_robot(batch, robot);
  if (batch->resident.is_on && batch->view.regions != NULL) {
    batch->resident.is_goal_changed[robot] = 1;
  }
}

void fw__batch_leave_device(fw_batch_t * batch)
{
  if (batch->impl != NULL && batch->impl->session != NULL) {
    fetch_learned_values(batch->impl);
  }
  if (batch->impl != NULL && batch->impl->session != NULL) {
    leave_device(batch->impl, NULL);
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
  note_cell(batch, cell);
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
  note_cell(batch, cell);
  if (batch->view.regions != NULL && (batch->cost[cell] == 0) != (cost == 0)) {
    batch->are_regions_old = true;
    fw__regions_touch(&batch->regions, x, y);
  }
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
      note_robot(batch, robot);
    }
  }
}

// ---- learned values when a cell becomes free ------------------------------------------------------------------------
//
// With the memory `window` an estimate h(s) is a lower bound of the cost d(s) from s to the goal. When a cell is
// blocked or costs more, no path becomes cheaper: every h(s) stays a lower bound. When cell x becomes free, of cost c,
// the cheapest path of s is the old one, or one that was not there before:
// - It enters x. Every cell costs 1 at least, so it costs plain(s, x) - 1 + c + plain(x, goal) or more, with `plain`
//   the distance without obstacles, from which x itself costs 1.
// - With eight directions it goes diagonally past x, from a cell a to a cell b that are both beside x, which needed x
//   free. It costs plain(s, a) + 1 + plain(b, goal) or more, which is at least plain(s, x) - 1 + 1 + plain(x, goal) -
//   1.
// So min(h(s), the smaller of these bounds) is a lower bound again, and a value that is not above it stays as it is.
// The bound is never below plain(s, goal) for the first kind; for the second kind a learned value is cut at 0. (Prices
// that fall are not treated so: they are preferences that change all the time.)

// The most that the learned value of a cell may be.
static int32_t learned_bound(
  const fw_batch_impl_t * batch, const fw_rtaa_robot_t * robot, fw_cell_t freed, fw_cell_t cell)
{
  const int32_t connectivity = batch->view.connectivity;
  const int32_t x = cell % batch->view.width, y = cell / batch->view.width;
  const int32_t freed_x = freed % batch->view.width, freed_y = freed / batch->view.width;
  const int32_t detour = fw__compass_distance(connectivity, freed_x - x, freed_y - y) +
                         fw__compass_distance(connectivity, robot->goal_x - freed_x, robot->goal_y - freed_y) -
                         fw__compass_distance(connectivity, robot->goal_x - x, robot->goal_y - y);
  const int32_t bound = connectivity == 8 ? detour - 1 : detour + batch->cost[freed] - 1;
  return bound > 0 ? bound : 0;
}

// Of one robot, when a cell has become free; learned values are here.
static void lower_robot(fw_batch_impl_t * batch, int32_t index, fw_cell_t freed)
{
  const fw_rtaa_view_t * view = &batch->view;
  const fw_rtaa_robot_t robot = fw__rtaa_load(view, index);
  const fw_rtaa_movements_t array = fw__movements(view, &robot);
  for (int32_t y = robot.box_y0; robot.box_x0 <= robot.box_x1 && y <= robot.box_y1; ++y) {
    for (int32_t x = robot.box_x0; x <= robot.box_x1; ++x) {
      uint16_t * learned = fw__movements_slot(&array, x, y);
      if (*learned == 0) {  // also the cells of the box outside the map
        continue;
      }
      const int32_t cell = (robot.y - robot.drift_y + y) * view->width + robot.x - robot.drift_x + x;
      const int32_t bound = learned_bound(batch, &robot, freed, cell);
      if (*learned > bound) {
        *learned = (uint16_t)bound;
        batch->resident.are_rows_new = true;  // learned values among them
      }
    }
  }
}

// To be called when a cell has become free; learned values are here.
static void lower_learned_values(fw_batch_impl_t * batch, fw_cell_t freed)
{
  FW_ASSERT(!batch->resident.is_on || batch->resident.are_learned_values_here || !have_learned(batch));
  for (int32_t index = 0; index < batch->view.robot_count; ++index) {
    lower_robot(batch, index, freed);
  }
}

// Before a cell becomes free: brings learned values here if any may have to be lowered.
static void prepare_to_lower(fw_batch_impl_t * batch)
{
  if (batch->options.memory == FW_MEMORY_WINDOW && have_learned(batch)) {
    fetch_learned_values(batch);
  }
}

// Robots that have arrived or are stuck have no episode in which they sense, but see what changes around them: else
// nobody might tell a robot that is shut in that its exit has become free.
static void sense_idle(const fw_batch_impl_t * batch)
{
  for (int32_t robot = 0; robot < batch->view.robot_count && batch->is_view_new; ++robot) {
    if (batch->view.state[robot] != FW_RTAA_RUNNING) {
      const fw_rtaa_robot_t places = fw__rtaa_load(&batch->view, robot);
      fw__rtaa_sense(&batch->view, &places);
    }
  }
}

// Whether a robot has seen that a cell is free which was taken for blocked.
static bool has_seen_free(const fw_batch_impl_t * batch)
{
  const fw_rtaa_view_t * view = &batch->view;
  const int32_t side = 2 * view->sight + 1;
  for (int32_t word = 0; word < fw__rtaa_seen_words(view->sight); ++word) {
    for (int32_t robot = 0; robot < view->robot_count; ++robot) {
      const uint64_t seen = view->seen[(size_t)word * (size_t)view->robot_count + (size_t)robot];
      for (int32_t bit = 0; seen >> bit != 0; ++bit) {
        const int32_t at = word * 64 + bit;
        const int32_t x = view->x[robot] + at % side - view->sight, y = view->y[robot] + at / side - view->sight;
        if ((seen >> bit & 1u) != 0 && batch->cost[y * view->width + x] == 0) {
          return true;
        }
        if (bit == 63) {
          break;
        }
      }
    }
  }
  return false;
}

// While cells are shared no checkpoint can be made, so there must be room for all of them in the list of changes.
static void make_room_for_seen(fw_batch_impl_t * batch)
{
  const size_t words = (size_t)batch->view.robot_count * (size_t)fw__rtaa_seen_words(batch->view.sight);
  int64_t cells = batch->resident.cell_count;
  for (size_t i = 0; i < words && batch->resident.is_on; ++i) {
    for (uint64_t seen = batch->view.seen[i]; seen != 0; seen &= seen - 1) {
      cells += 9;  // the cell and the moves around it
    }
  }
  if (cells > FW_DEVICE_CELLS_MAX && !batch->resident.is_map_new) {
    begin_new_map(batch);
  }
}

// Makes known to all robots what any robot has seen. In the order of the robots, in one thread: few see anything new.
static void share_seen(fw_batch_impl_t * batch)
{
  const fw_rtaa_view_t * view = &batch->view;
  const int32_t side = 2 * view->sight + 1;
  bool is_freed = false;
  sense_idle(batch);
  if (has_seen_free(batch)) {
    prepare_to_lower(batch);
  }
  make_room_for_seen(batch);
  sense_idle(batch);  // again: a device that was lost since may have left what they saw before
  batch->is_view_new = false;
  for (int32_t word = 0; word < fw__rtaa_seen_words(view->sight); ++word) {
    for (int32_t robot = 0; robot < view->robot_count; ++robot) {
      uint64_t * seen = &view->seen[(size_t)word * (size_t)view->robot_count + (size_t)robot];
      for (int32_t bit = 0; *seen != 0 && bit < 64; ++bit) {
        if ((*seen >> bit & 1u) != 0) {
          const int32_t at = word * 64 + bit;
          const int32_t x = view->x[robot] + at % side - view->sight;
          const int32_t y = view->y[robot] + at / side - view->sight;
          if (learn_cell(batch, x, y, batch->truth[y * view->width + x])) {
            is_freed = true;
            if (batch->options.memory == FW_MEMORY_WINDOW) {
              lower_learned_values(batch, y * view->width + x);
            }
          }
        }
      }
      *seen = 0;
    }
  }
  batch->is_seen_shared = true;
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
    note_cell(impl, cell);
    impl->truth[cell] = cost;
    impl->is_view_new = true;
    return FW_RET_OK;
  }
  if (impl->cost[cell] == 0 && cost != 0) {
    prepare_to_lower(impl);
  }
  if (learn_cell(impl, cell % impl->view.width, cell / impl->view.width, cost)) {
    if (impl->options.memory == FW_MEMORY_WINDOW) {
      lower_learned_values(impl, cell);
    }
    wake_stuck(impl);
  }
  return FW_RET_OK;
}

fw_ret_t fw_batch_set_map(fw_batch_t * batch, const fw_grid_t * grid, fw_error_t * error)
{
  const fw_batch_impl_t * impl = batch->impl;
  if (grid->width != impl->view.width || grid->height != impl->view.height) {
    return fw__error(
      error, FW_RET_INVALID_ARGUMENT, "the map must have %d x %d cells as the first one, not %d x %d", impl->view.width,
      impl->view.height, grid->width, grid->height);
  }
  fw_ret_t ret = FW_RET_OK;
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid) && ret == FW_RET_OK; ++cell) {
    if (impl->truth[cell] != grid->cost[cell]) {
      ret = fw_batch_set_cost(batch, cell, grid->cost[cell], error);
    }
  }
  return ret;
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

// The devices that the batch uses, at least one: all that the options ask for, but with `auto` only those that are
// there and get enough robots, and never more than there are blocks. FW_RET_NO_DEVICE with the reason.
static fw_ret_t find_devices(fw_batch_impl_t * batch, const fw_device_t * device, int32_t * count, fw_error_t * error)
{
  const fw_batch_options_t * options = &batch->options;
  const int32_t robots = batch->view.robot_count;
  const bool is_auto = options->backend == FW_BACKEND_AUTO;
  const int32_t blocks = (robots + FW_BLOCK_ROBOTS - 1) / FW_BLOCK_ROBOTS;
  const int32_t most = is_auto ? robots / FW_BATCH_DEVICE_ROBOTS_MIN : blocks;
  char name[FW_DEVICE_NAME_SIZE] = "", first[FW_DEVICE_NAME_SIZE] = "";
  bool are_same = true;
  fw_ret_t ret = find_device(device, options->device, first, error);
  (void)snprintf(batch->device_name, sizeof(batch->device_name), "%s", first);
  *count = 1;
  for (int32_t i = 1; i < options->devices && ret == FW_RET_OK && (!is_auto || i < most); ++i) {
    ret = find_device(device, options->device + i, name, error);
    if (ret != FW_RET_OK && is_auto) {  // `auto` takes those that are there
      ret = FW_RET_OK;
      break;
    }
    if (ret == FW_RET_OK && i < most) {
      const size_t used = strlen(batch->device_name);
      (void)snprintf(batch->device_name + used, sizeof(batch->device_name) - used, ", %s", name);
      are_same = are_same && strcmp(name, first) == 0;
      ++*count;
    }
  }
  if (are_same && *count > 1) {
    (void)snprintf(batch->device_name, sizeof(batch->device_name), "%d x %.48s", (int)*count, first);
  }
  return ret;
}

// Takes what the batch needs on its devices. FW_RET_NO_DEVICE with the reason, or FW_RET_BAD_ALLOC.
static fw_ret_t open_devices(fw_batch_impl_t * batch, int32_t count, fw_error_t * error)
{
  const fw_device_request_t request = {
    .view = &batch->view,
    .number = batch->options.device,
    .count = count,
    .is_fused = batch->options.is_fused,
    .memory_max_bytes = batch->options.device_memory_max_bytes,
    .allocator = batch->allocator,
  };
  char text[FW_DEVICE_TEXT_SIZE] = "";
  bool is_resident = false;
  if (!batch->device->open(&request, &batch->session, &is_resident, text, sizeof(text))) {
    batch->session = NULL;
    return fw__error(error, FW_RET_NO_DEVICE, "backend cuda: %s", text);
  }
  return is_resident && !allocate_resident(batch) ? FW_RET_BAD_ALLOC : FW_RET_OK;
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
      batch->note, sizeof(batch->note), "auto: a GPU is tried from %d robots on, these are %d",
      FW_BATCH_DEVICE_ROBOTS_MIN, batch->view.robot_count);
    return FW_RET_OK;
  }
  int32_t count = 1;
  fw_ret_t ret = find_devices(batch, device, &count, &reason);
  if (ret == FW_RET_OK) {
    batch->device = device;
    ret = open_devices(batch, count, &reason);
  }
  if (ret == FW_RET_BAD_ALLOC) {
    return fw__error_memory(error);
  }
  if (ret == FW_RET_OK) {
    batch->trial.is_on = backend == FW_BACKEND_AUTO;
    batch->backend = batch->trial.is_on ? "cpu" : device->name;
    if (batch->trial.is_on) {
      snprintf(
        batch->note, sizeof(batch->note), "auto: too few episodes so far to compare the CPU with %s",
        batch->device_name);
    }
    return FW_RET_OK;
  }
  batch->device = NULL;
  if (backend == FW_BACKEND_CUDA) {
    return fw__error(error, FW_RET_NO_DEVICE, "%s", reason.text);
  }
  snprintf(batch->note, sizeof(batch->note), "%.160s; using the CPU", reason.text);
  return FW_RET_OK;
}

// ---- regions --------------------------------------------------------------------------------------------------------

// The goals of all robots; NULL when there is no memory. The caller gives them back.
static fw_cell_t * list_goals(const fw_batch_impl_t * batch)
{
  const fw_rtaa_view_t * view = &batch->view;
  const size_t count = (size_t)view->robot_count;
  fw_cell_t * goals = fw__allocate_array(&batch->allocator, count, sizeof(*goals));
  for (size_t robot = 0; robot < count && goals != NULL; ++robot) {
    goals[robot] = view->goal_y[robot] * view->width + view->goal_x[robot];
  }
  return goals;
}

// False when there is no memory.
static bool begin_regions(fw_batch_impl_t * batch)
{
  if (batch->options.memory != FW_MEMORY_REGIONS) {
    return true;
  }
  const bool is_for_device = batch->options.backend != FW_BACKEND_CPU;
  const fw_regions_map_t map = {batch->view.width, batch->view.height, batch->cost, batch->moves, is_for_device};
  if (!fw__regions_init(&batch->regions, &map, batch->view.robot_count, &batch->allocator)) {
    return false;
  }
  batch->view.regions = &batch->regions.view;
  batch->view.read_box = batch->regions.read_box;
  fw_cell_t * goals = list_goals(batch);
  bool is_done = goals != NULL && fw__regions_reserve(&batch->regions, goals);
  for (int32_t robot = 0; robot < batch->view.robot_count && is_done; ++robot) {
    is_done = fw__regions_set_goal(&batch->regions, robot, goals[robot]);
  }
  fw__deallocate(&batch->allocator, goals);
  return is_done;
}

// Learned values when cells are blocked or freed: a robot keeps them all if no cell that it has read since it began to
// learn has other moves than before, and its initial values h have changed by one and the same number k in all of
// these. Then it would have learned exactly the same, had the map always been as it is now: an episode compares sums of
// moves, costs and h with each other and with nothing else: where it steps down, a neighbour's h with its own; in the
// search, keys by f = g + h (less a base that follows h) and h that is learned as a difference of two f. With all h
// greater by k, all of these comparisons come out as before, the path is the same, and so are the differences, which
// are what is kept. (No value is cut in a key: learned or not, h is never negative, since what a search learns is the
// rest of a path to a state plus that state's h.) Otherwise the robot forgets everything. fw__rtaa_note_read notes what
// it reads.

// Robots whose learned values do not hold any more forget them.
static void forget_affected(fw_batch_impl_t * batch, const fw_cell_t * goals)
{
  for (int32_t robot = 0; robot < batch->view.robot_count; ++robot) {
    fw_rtaa_robot_t places = fw__rtaa_load(&batch->view, robot);
    if (places.box_x0 > places.box_x1) {
      continue;
    }
    if (fw__regions_is_even(&batch->regions, robot, goals[robot])) {
      ++batch->memories_kept;
    } else {
      ++batch->memories_lost;
      fw__movements_forget(&places);
      fw__rtaa_store(&batch->view, &places);
      note_robot(batch, robot);
    }
  }
}

// Notes for the device what an update has changed.
static void note_regions(fw_batch_impl_t * batch, const fw_regions_t * before, const fw_cell_t * goals)
{
  if (!batch->resident.is_on) {
    return;
  }
  fw__region_changes_compare(&batch->resident.regions, &before->view, &batch->regions.view);
  for (int32_t robot = 0; robot < batch->view.robot_count; ++robot) {
    if (!fw__regions_is_goal_kept(&batch->regions, robot, goals[robot])) {
      note_goal(batch, robot);
    }
  }
}

// The tables of regions are about to change. The state before is a checkpoint: a replay has only the tables of now.
static void begin_new_regions(fw_batch_impl_t * batch)
{
  if (batch->resident.is_on && !batch->resident.are_learned_values_here && have_learned(batch)) {
    fetch_learned_values(batch);
  } else if (batch->resident.is_on) {
    batch->resident.are_learned_values_here = true;  // or there are none
    fw__recovery_checkpoint(&batch->resident.recovery, &batch->view);
  }
}

// After changes of the map or of goals. False when there is no memory; the next run tries again.
static bool update_regions(fw_batch_impl_t * batch)
{
  if (batch->options.memory != FW_MEMORY_REGIONS || (!batch->are_regions_old && !batch->is_goal_missing)) {
    return true;
  }
  fw_regions_t before;
  begin_new_regions(batch);
  fw_cell_t * goals = list_goals(batch);
  const bool is_done = goals != NULL && fw__regions_update(&batch->regions, goals, &before);
  if (is_done) {
    note_regions(batch, &before, goals);
    forget_affected(batch, goals);
    fw__regions_end_update(&batch->regions, &before);
    batch->are_regions_old = false;
    batch->is_goal_missing = false;
  }
  fw__deallocate(&batch->allocator, goals);
  return is_done;
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
  if (!begin_regions(impl)) {
    fw_batch_fini(batch);
    return fw__error_memory(error);
  }
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
  if (batch->impl->session != NULL) {
    leave_device(batch->impl, NULL);
  }
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

// Resident robots. When the device fails in the run, the replay does it. False if it had failed before.
static bool run_resident(fw_batch_impl_t * batch, int32_t episodes)
{
  resident_t * resident = &batch->resident;
  char text[FW_DEVICE_TEXT_SIZE] = "";
  int32_t done = 0;
  if (resident->are_rows_new || fw__recovery_is_due(&resident->recovery, &batch->view)) {
    fetch_learned_values(batch);
    if (!resident->is_on) {
      return false;
    }
    fw__recovery_checkpoint(&resident->recovery, &batch->view);
  }
  fw_device_run_t run = changes_of(batch);
  run.episodes = episodes;
  run.robot_count = run.are_rows_new ? 0 : run.robot_count;
  fw__recovery_add(&resident->recovery, &run);
  run.cell_count = run.is_map_new ? 0 : run.cell_count;
  if (!batch->device->run(batch->session, &run, &done, text, sizeof(text))) {
    recover(batch, text);
    return true;
  }
  forget_changes(resident);
  resident->are_rows_new = false;
  resident->is_map_new = false;
  resident->are_learned_values_here = false;
  return true;
}

static void run_on_cpu(fw_batch_impl_t * batch, int32_t first_robot, int32_t episodes)
{
  fw_batch_cpu_run_t run = cpu_run_of(batch);
  FW_ASSERT(first_robot % FW_BLOCK_ROBOTS == 0 && first_robot <= batch->view.robot_count);
  run.first_robot = first_robot;
  run.episodes = episodes;
  fw__batch_cpu_run(&run);
}

// On the device if there is one that works, else, or for the robots that it did not finish, on the CPU.
static void run(fw_batch_impl_t * batch, int32_t episodes)
{
  if (batch->resident.is_on && run_resident(batch, episodes)) {
    return;
  }
  if (batch->session != NULL) {
    char text[FW_DEVICE_TEXT_SIZE] = "";
    int32_t done = 0;
    const fw_device_run_t slices = {.episodes = episodes, .are_rows_new = true, .is_map_new = true};
    if (!batch->device->run(batch->session, &slices, &done, text, sizeof(text))) {
      leave_device(batch, text);
      run_on_cpu(batch, done, episodes);
    }
  } else {
    run_on_cpu(batch, 0, episodes);
  }
}

// ---- which is faster ------------------------------------------------------------------------------------------------

// Puts down what the last piece has taken.
static void end_piece(trial_t * trial)
{
  int64_t * least = &trial->least_ps[trial->piece <= TRIAL_CPU ? 0 : 1];
  const int64_t time_ps = trial->work > 0 ? trial->time_ns * 1000 / trial->work : 0;
  const bool is_counted = trial->work > 0 && trial->piece != TRIAL_CPU + 1;  // not the first one on the device
  if (is_counted && (*least == 0 || time_ps < *least)) {
    *least = time_ps > 0 ? time_ps : 1;
  }
  trial->work = 0;
  trial->time_ns = 0;
}

// All pieces have run: the faster one goes on.
static void decide(fw_batch_impl_t * batch)
{
  const int64_t cpu_ps = batch->trial.least_ps[0], device_ps = batch->trial.least_ps[1];
  const bool is_device = device_ps < cpu_ps;
  char note[FW_DEVICE_NOTE_SIZE];
  (void)snprintf(
    note, sizeof(note), "auto: %.1f ns for a robot and episode on the CPU (threads: %d), %.1f on %s: using the %s",
    (double)cpu_ps / 1000.0, (int)batch->options.threads, (double)device_ps / 1000.0, batch->device_name,
    is_device ? "GPU" : "CPU");
  if (!is_device) {
    fetch_learned_values(batch);
  }
  if (batch->session == NULL) {
    return;  // it was lost just now; the note says so
  }
  (void)snprintf(batch->note, sizeof(batch->note), "%s", note);
  batch->trial.is_on = false;
  if (!is_device) {
    leave_device(batch, NULL);
  }
}

// One piece, at most `episodes`; returns how many of them it was.
static int32_t run_piece(fw_batch_impl_t * batch, int32_t episodes)
{
  trial_t * trial = &batch->trial;
  const int32_t count = episodes < TRIAL_EPISODES ? episodes : TRIAL_EPISODES;
  int64_t running = 0;
  for (int32_t robot = 0; robot < batch->view.robot_count; ++robot) {
    running += batch->view.state[robot] == FW_RTAA_RUNNING ? 1 : 0;
  }
  const bool is_on_cpu = trial->piece < TRIAL_CPU;
  const int64_t begin_ns = now_ns(batch);
  batch->backend = is_on_cpu ? "cpu" : batch->device->name;
  if (is_on_cpu) {
    run_on_cpu(batch, 0, count);
  } else {
    run(batch, count);
  }
  if (trial->is_on) {  // else the device has failed
    trial->time_ns += now_ns(batch) - begin_ns;
    trial->work = running * count;
    trial->piece += running > 0 ? 1 : 0;
  }
  return count;
}

static void run_auto(fw_batch_impl_t * batch, int32_t episodes)
{
  trial_t * trial = &batch->trial;
  while (trial->is_on && episodes > 0) {
    end_piece(trial);
    if (trial->piece == TRIAL_PIECES) {
      decide(batch);
    } else {
      episodes -= run_piece(batch, episodes);
    }
  }
  if (episodes > 0) {
    run(batch, episodes);
  }
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
    if (!update_regions(impl)) {
      return fw__error_memory(error);
    }
    run_auto(impl, episodes);
    impl->episodes += episodes;
    return FW_RET_OK;
  }
  for (int32_t episode = 0; episode < episodes; ++episode) {
    if (impl->episodes == 0) {  // robots sense before their first move
      for (int32_t robot = 0; robot < impl->view.robot_count; ++robot) {
        const fw_rtaa_robot_t places = fw__rtaa_load(&impl->view, robot);
        fw__rtaa_sense(&impl->view, &places);
      }
      share_seen(impl);
    } else if (fw_batch_running(batch) == 0 && impl->is_view_new) {  // one that is stuck may see an exit
      share_seen(impl);
    }
    if (fw_batch_running(batch) == 0) {
      break;
    }
    if (!update_regions(impl)) {
      return fw__error_memory(error);
    }
    impl->is_seen_shared = false;
    run_auto(impl, 1);
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
  const int32_t x = cell % view->width;
  const int32_t y = cell / view->width;
  const int32_t to_x = x - places.x + places.drift_x, to_y = y - places.y + places.drift_y;
  if (view->regions != NULL) {
    const fw_regions_goal_t goal = fw__regions_goal(view->regions, robot);
    if (fw__movements_has(&places, to_x, to_y)) {
      fetch_learned_values(batch->impl);
    }
    const fw_rtaa_movements_t array = fw__movements(view, &places);
    return (uint32_t)fw__regions_learned_estimate(&goal, &array, &places, x, y);
  }
  const int32_t plain = fw__compass_distance(view->connectivity, places.goal_x - x, places.goal_y - y);
  if (!fw__movements_has(&places, to_x, to_y)) {
    return (uint32_t)plain;
  }
  fetch_learned_values(batch->impl);
  const fw_rtaa_movements_t array = fw__movements(view, &places);
  return (uint32_t)(plain + *fw__movements_slot(&array, to_x, to_y));
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
  batch->impl->is_view_new = true;
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
  note_robot(batch->impl, robot);
}

// What the heuristic of a robot with a new goal needs, with regions that are up to date.
static void set_region_goal(fw_batch_impl_t * batch, int32_t robot, fw_cell_t goal)
{
  fw_regions_t * regions = &batch->regions;
  const int64_t far_count = regions->far_count;
  batch->is_goal_missing = !fw__regions_set_goal(regions, robot, goal) || batch->is_goal_missing;
  if (batch->resident.is_on && regions->far_count > far_count) {
    const size_t offset = (size_t)regions->goal_region[robot] * sizeof(*regions->far_row);
    fw__region_changes_add(&batch->resident.regions, FW_REGION_TABLE_FAR_ROW, offset);
  }
}

void fw_batch_set_goal(fw_batch_t * batch, int32_t robot, fw_cell_t goal)
{
  FW_ASSERT(goal >= 0 && goal < batch->impl->view.width * batch->impl->view.height);
  FW_ASSERT(robot >= 0 && robot < batch->impl->view.robot_count);
  const fw_rtaa_view_t * view = &batch->impl->view;
  fw_rtaa_robot_t places = fw__rtaa_load(view, robot);
  view->goal_x[robot] = (int16_t)(goal % view->width);
  view->goal_y[robot] = (int16_t)(goal / view->width);
  if (view->regions != NULL && batch->impl->are_regions_old) {
    fw__regions_drop_goal(&batch->impl->regions, robot);  // until the update
  } else if (view->regions != NULL) {
    set_region_goal(batch->impl, robot, goal);
  }
  fw__movements_forget(&places);
  places.state = places.x == view->goal_x[robot] && places.y == view->goal_y[robot] ? FW_RTAA_ARRIVED : FW_RTAA_RUNNING;
  fw__rtaa_store(view, &places);
  note_goal(batch->impl, robot);
}

// Whatever the maps are.
static void recall(fw_batch_t * batch, int32_t robot, const fw_batch_t * from, int32_t from_robot)
{
  FW_ASSERT(batch->impl->view.lookahead == from->impl->view.lookahead);
  FW_ASSERT(batch->impl->view.width == from->impl->view.width && batch->impl->view.height == from->impl->view.height);
  const fw_rtaa_view_t * view = &batch->impl->view;
  const fw_rtaa_view_t * other = &from->impl->view;
  fw_rtaa_robot_t places = fw__rtaa_load(view, robot);
  const fw_rtaa_robot_t before = fw__rtaa_load(other, from_robot);
  const bool is_other_goal = places.goal_x != before.goal_x || places.goal_y != before.goal_y;
  const bool is_other_memory = batch->impl->options.memory != from->impl->options.memory;
  if (is_other_goal || is_other_memory || before.box_x0 > before.box_x1) {
    return;
  }
  fetch_learned_values(batch->impl);
  fetch_learned_values(from->impl);
  batch->impl->resident.are_rows_new = true;  // learned values among them
  const fw_rtaa_movements_t array = fw__movements(view, &places);
  const fw_rtaa_movements_t old = fw__movements(other, &before);
  if (view->regions != NULL) {
    fw__regions_recall(&batch->impl->regions, robot, &from->impl->regions, from_robot);
  }
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

void fw_batch_recall(fw_batch_t * batch, int32_t robot, const fw_batch_t * from, int32_t from_robot)
{
  if (from->impl->are_regions_old) {  // it would have had to decide in its next run
    fw__batch_recall_changed(batch, (fw_robot_pair_t){robot, from_robot}, from, NULL, 0);
  } else {
    recall(batch, robot, from, from_robot);
  }
}

void fw__batch_recall_changed(
  fw_batch_t * batch, fw_robot_pair_t robots, const fw_batch_t * from, const fw_cell_t * freed, int32_t freed_count)
{
  const bool has_regions = batch->impl->view.regions != NULL && from->impl->view.regions != NULL;
  const fw_regions_t * regions = &batch->impl->regions;
  if (has_regions && !fw__regions_agree(regions, robots.robot, &from->impl->regions, robots.from_robot)) {
    return;
  }
  recall(batch, robots.robot, from, robots.from_robot);
  for (int32_t i = 0; i < freed_count && !has_regions; ++i) {
    lower_robot(batch->impl, robots.robot, freed[i]);
  }
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
  const bool has_regions = impl->options.memory == FW_MEMORY_REGIONS;
  const size_t goal_bytes = has_regions ? fw__regions_robot_bytes(&impl->regions) : 0;
  return (fw_batch_stats_t){
    .backend = impl->backend,
    .device = impl->device != NULL && strcmp(impl->backend, "cpu") != 0 ? impl->device_name : "",
    .note = impl->note,
    .episodes = impl->episodes,
    .memory_bytes = impl->memory_bytes + impl->regions.shared_bytes + goal_bytes * (size_t)impl->view.robot_count,
    .robot_bytes =
      scalars + seen + goal_bytes + (size_t)lookahead + (size_t)fw__rtaa_window_size(lookahead) * sizeof(uint16_t),
    .region_bytes = impl->regions.shared_bytes,
    .memories_kept = impl->memories_kept,
    .memories_lost = impl->memories_lost,
  };
}
