// An execution: its life, what the caller reports besides positions, states of robots, and queries.

#include "execution/execution.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"

// ---- options, init and fini -----------------------------------------------------------------------------------------

fw_execution_options_t fw_execution_options_default(void)
{
  return (fw_execution_options_t){
    .allocator = fw_allocator_default(),
    .memory_max_bytes = (size_t)2 << 30,
    .seconds_per_tick = 1.0,
    .rings = FW_RINGS_REFUSED,
    .tolerance = 0.1,
    .yaw_tolerance = 0.1,
    .off_path_max = 0.5,
    .braking = 1.0,
    .stale_seconds = 1.0,
    .stopped_seconds = 5.0,
    .late_seconds = 10.0,
    .retime_seconds = 0.05,
  };
}

// An option with its allowed range.
typedef struct range_t {
  const char * name;
  double value;
  double min;
  double max;
} range_t;

static fw_ret_t check_options(const fw_execution_options_t * options, fw_error_t * error)
{
  const range_t ranges[] = {
    {"seconds_per_tick", options->seconds_per_tick, 1e-6, 1e6},
    {"tolerance", options->tolerance, 0.01, 0.3},
    {"yaw_tolerance", options->yaw_tolerance, 0.001, 0.35},
    {"off_path_max", options->off_path_max, options->tolerance, 10.0},
    {"ahead_max", options->ahead_max, 0.0, 1e6},
    {"braking", options->braking, 0.0, 1e6},
    {"stale_seconds", options->stale_seconds, 0.0, 1e9},
    {"stopped_seconds", options->stopped_seconds, 0.0, 1e9},
    {"late_seconds", options->late_seconds, 0.0, 1e9},
    {"retime_seconds", options->retime_seconds, 0.0, 1e6},
  };
  for (size_t i = 0; i < sizeof(ranges) / sizeof(ranges[0]); ++i) {
    if (!(ranges[i].value >= ranges[i].min && ranges[i].value <= ranges[i].max)) {
      return fw__error(
        error, FW_RET_INVALID_ARGUMENT, "%s must be between %g and %g, not %g", ranges[i].name, ranges[i].min,
        ranges[i].max, ranges[i].value);
    }
  }
  return FW_RET_OK;
}

fw_ret_t fw_execution_init(fw_execution_t * execution, const fw_execution_options_t * options, fw_error_t * error)
{
  *execution = (fw_execution_t){0};
  fw_execution_options_t used = options != NULL ? *options : fw_execution_options_default();
  used.allocator = fw__allocator_or_default(&used.allocator);
  const fw_ret_t ret = check_options(&used, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  fw_execution_impl_t * impl = fw__allocate_array(&used.allocator, 1, sizeof(*impl));
  if (impl == NULL) {
    return fw__error_memory(error);
  }
  impl->options = used;
  impl->memory = (fw_memory_t){.allocator = used.allocator, .max_bytes = used.memory_max_bytes};
  impl->now = -INFINITY;
  fw__arena_init(&impl->keep, &impl->memory);
  fw__arena_init(&impl->scratch, &impl->memory);
  fw__arena_init(&impl->graphs[0].arena, &impl->memory);
  fw__arena_init(&impl->graphs[1].arena, &impl->memory);
  execution->impl = impl;
  return FW_RET_OK;
}

void fw_execution_fini(fw_execution_t * execution)
{
  fw_execution_impl_t * impl = execution->impl;
  if (impl != NULL) {
    const fw_allocator_t allocator = impl->options.allocator;
    fw__arena_fini(&impl->graphs[1].arena);
    fw__arena_fini(&impl->graphs[0].arena);
    fw__arena_fini(&impl->scratch);
    fw__arena_fini(&impl->keep);
    fw__deallocate(&allocator, impl);
  }
  *execution = (fw_execution_t){0};
}

fw_robot_slot_t * fw__execution_slot(const fw_execution_impl_t * execution, int32_t robot)
{
  const bool is_present = robot >= 0 && robot < execution->slot_count && execution->slots[robot].is_present;
  return is_present ? &execution->slots[robot] : NULL;
}

void fw__execution_mark_changed(fw_execution_impl_t * execution, int32_t robot)
{
  fw_robot_slot_t * slot = &execution->slots[robot];
  if (!slot->is_changed) {
    FW_ASSERT(execution->changed_count < execution->slot_capacity);
    slot->is_changed = true;
    execution->changed[0][execution->changed_count++] = robot;
  }
}

// Each source of a released node is reached, or was released with it in a ring, and both robots are on their way. A
// ring that some robots have completed or left is a chain in the next graph.
static bool is_release_closed(const fw_execution_impl_t * execution, int32_t robot)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  const fw_robot_slot_t * slot = &execution->slots[robot];
  for (int32_t node = graph->first[robot]; node <= graph->first[robot] + slot->released; ++node) {
    for (int32_t i = graph->in_first[node]; i < graph->in_first[node + 1]; ++i) {
      const int32_t source = graph->in[i].source;
      const int32_t other = graph->nodes[source].robot;
      const fw_robot_slot_t * other_slot = &execution->slots[other];
      const bool rotates =
        execution->options.rings == FW_RINGS_TOGETHER && node == graph->first[robot] + slot->reached + 1 &&
        source == graph->first[other] + other_slot->reached + 1 && other_slot->reached < other_slot->released;
      if (!fw__execution_is_reached(execution, source) && !rotates) {
        return false;
      }
    }
  }
  return true;
}

bool fw__execution_validate(const fw_execution_impl_t * execution)
{
  const fw_dependency_graph_t * graph = fw__execution_graph_const(execution);
  if (graph->slot_count != execution->slot_count || !fw__dependency_graph_validate(graph)) {
    return false;
  }
  int32_t off_path = 0;
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    const fw_robot_slot_t * slot = &execution->slots[robot];
    if (!slot->is_present) {
      continue;
    }
    off_path += slot->is_off_path ? 1 : 0;
    const bool is_ordered = 0 <= slot->settled && slot->settled <= slot->reached && slot->reached <= slot->stop_at &&
                            slot->stop_at <= slot->released && slot->released <= fw__execution_end(execution, robot);
    const bool is_within = slot->is_withdrawn || slot->released <= slot->release_limit;
    if (slot->is_removed || !is_ordered || !is_within || !is_release_closed(execution, robot)) {
      return false;
    }
  }
  return off_path == execution->off_path_count;
}

// ---- robots that leave or give back, obstacles, pause ---------------------------------------------------------------

// Released space stays reserved through all of this, except in two cases in which the caller knows better: the robot is
// not there any more, or it stands and will not go on.

void fw_execution_remove(fw_execution_t * execution, int32_t robot)
{
  fw_execution_impl_t * impl = execution->impl;
  fw_robot_slot_t * slot = fw__execution_slot(impl, robot);
  if (slot == NULL) {
    return;
  }
  impl->off_path_count -= slot->is_off_path ? 1 : 0;
  FW_ASSERT(impl->off_path_count >= 0);
  slot->is_present = false;
  slot->is_removed = true;
  slot->fraction = slot->pace = 0.0;
  slot->is_off_path = slot->is_stale = slot->is_withdrawn = false;
  slot->base += slot->released + 1;  // if it is added again its waypoint numbers continue
  slot->stop_at = slot->released = slot->reached;
  slot->state = FW_EXECUTION_ABSENT;
  fw__release_update_stops(impl);
  fw__release_enqueue_all(impl);
  fw__release_process_queue(impl);
}

fw_ret_t fw_execution_withdraw(fw_execution_t * execution, int32_t robot, fw_error_t * error)
{
  fw_execution_impl_t * impl = execution->impl;
  fw_robot_slot_t * slot = fw__execution_slot(impl, robot);
  if (slot == NULL) {
    return fw__error_at(
      error, (fw_error_detail_t){FW_FAULT_INVALID, robot, FW_CELL_NONE}, "there is no robot %d in this execution",
      robot);
  }
  if (slot->is_off_path) {
    return fw__error_at(
      error, (fw_error_detail_t){FW_FAULT_INVALID, robot, FW_CELL_NONE},
      "robot %d is off its path and cannot drive back along it: remove it and add it where it is", robot);
  }
  if (fw__release_drives_back(impl, robot)) {
    return fw__error_at(
      error, (fw_error_detail_t){FW_FAULT_INVALID, robot, FW_CELL_NONE},
      "robot %d was withdrawn before and still drives back", robot);
  }
  slot->is_withdrawn = true;
  slot->release_limit = impl->is_cut ? slot->reached : slot->release_limit;
  slot->stop_at = slot->reached;
  FW_ASSERT(slot->reached <= slot->released);
  fw__execution_mark_changed(impl, robot);
  return FW_RET_OK;
}

static void apply_obstacles(fw_execution_impl_t * impl)
{
  fw__release_update_stops(impl);
  fw__release_enqueue_all(impl);
  fw__release_process_queue(impl);
}

fw_ret_t fw_execution_set_obstacles(
  fw_execution_t * execution, const fw_cell_t * cells, int32_t count, fw_error_t * error)
{
  fw_execution_impl_t * impl = execution->impl;
  const fw_grid_t * grid = &fw__execution_graph_const(impl)->grid;
  const int32_t cell_count = fw_grid_cell_count(grid);
  if (impl->blocked_cells < cell_count) {
    uint8_t * blocked = fw__arena_allocate_zeroed(&impl->keep, (size_t)cell_count, sizeof(*blocked));
    if (blocked == NULL) {
      return fw__error_memory(error);
    }
    impl->blocked = blocked;
    impl->blocked_cells = cell_count;
  }
  if (impl->blocked != NULL) {
    memset(impl->blocked, 0, (size_t)impl->blocked_cells * sizeof(*impl->blocked));
  }
  impl->has_obstacles = false;
  for (int32_t i = 0; i < count; ++i) {
    if (cells[i] >= 0 && cells[i] < cell_count) {
      impl->blocked[cells[i]] = FW_CELL_BLOCKED;
      impl->has_obstacles = true;
    }
  }
  impl->has_blocked = cell_count > 0;
  apply_obstacles(impl);
  return FW_RET_OK;
}

fw_ret_t fw_execution_change_obstacles(
  fw_execution_t * execution, const fw_obstacle_change_t * changes, int32_t count, fw_error_t * error)
{
  fw_execution_impl_t * impl = execution->impl;
  const int32_t cell_count = fw_grid_cell_count(&fw__execution_graph_const(impl)->grid);
  if (!impl->has_blocked) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "the obstacles of the present grid have not been set yet");
  }
  FW_ASSERT(impl->blocked_cells >= cell_count);
  if (count == 0) {
    return FW_RET_OK;
  }
  for (int32_t i = 0; i < count; ++i) {
    if (changes[i].cell >= 0 && changes[i].cell < cell_count) {
      const uint8_t obstacle = changes[i].is_exit ? FW_CELL_EXIT : FW_CELL_BLOCKED;
      impl->blocked[changes[i].cell] = changes[i].is_blocked ? obstacle : FW_CELL_FREE;
      impl->has_obstacles = impl->has_obstacles || changes[i].is_blocked;
    }
  }
  apply_obstacles(impl);
  return FW_RET_OK;
}

void fw_execution_pause(fw_execution_t * execution) { execution->impl->is_paused = true; }

void fw_execution_resume(fw_execution_t * execution)
{
  execution->impl->is_paused = false;
  fw__release_enqueue_all(execution->impl);
  fw__release_process_queue(execution->impl);
}

void fw_execution_hold(fw_execution_t * execution, int32_t robot, bool is_held)
{
  fw_execution_impl_t * impl = execution->impl;
  if (fw__execution_slot(impl, robot) != NULL && impl->slots[robot].is_held != is_held) {
    impl->slots[robot].is_held = is_held;
    fw__release_enqueue_all(impl);
    fw__release_process_queue(impl);
  }
}

void fw_execution_set_pace(fw_execution_t * execution, int32_t robot, double pace)
{
  fw_robot_slot_t * slot = fw__execution_slot(execution->impl, robot);
  if (slot != NULL && pace > 0.0 && isfinite(pace)) {
    slot->pace = pace;
  }
}

// ---- states ---------------------------------------------------------------------------------------------------------

// Seconds by which it is expected later than planned at its next node; 0 at its end.
static double delay_of(const fw_execution_impl_t * execution, int32_t robot)
{
  const fw_robot_slot_t * slot = &execution->slots[robot];
  const int32_t end = fw__execution_end(execution, robot);
  const fw_dependency_node_t * next = fw__dependency_graph_node(
    fw__execution_graph_const(execution), robot, slot->reached < end ? slot->reached + 1 : end);
  return slot->reached < end ? next->expected - next->planned : 0.0;
}

// By precedence: faults first.
static fw_execution_state_t find_state(const fw_execution_impl_t * execution, int32_t robot)
{
  const fw_robot_slot_t * slot = &execution->slots[robot];
  if (!slot->is_present) {
    return FW_EXECUTION_ABSENT;
  }
  if (slot->is_stale) {
    return FW_EXECUTION_STALE;
  }
  if (slot->is_off_path) {
    return FW_EXECUTION_OFF_PATH;
  }
  if (slot->is_withdrawn) {
    return FW_EXECUTION_WITHDRAWN;
  }
  if (slot->stop_at < slot->released) {
    return FW_EXECUTION_OBSTRUCTED;
  }
  if (slot->reached == fw__execution_end(execution, robot)) {
    return FW_EXECUTION_ARRIVED;
  }
  if (slot->reached == slot->released) {
    return FW_EXECUTION_WAITING;
  }
  if (execution->now - slot->progress_time > execution->options.stopped_seconds) {
    return FW_EXECUTION_STOPPED;
  }
  return delay_of(execution, robot) > execution->options.late_seconds ? FW_EXECUTION_LATE : FW_EXECUTION_DRIVING;
}

// Staleness and state of all robots.
static void update_states(fw_execution_impl_t * execution)
{
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    fw_robot_slot_t * slot = &execution->slots[robot];
    const double heard = fmax(slot->measure.time, slot->joined);
    slot->is_stale = slot->is_present && execution->now - heard > execution->options.stale_seconds;
    const fw_execution_state_t state = find_state(execution, robot);
    if (state != slot->state) {
      slot->state = state;
      slot->since = execution->now;
    }
  }
}

void fw_execution_update(fw_execution_t * execution, double now)
{
  fw_execution_impl_t * impl = execution->impl;
  impl->now = isfinite(now) ? fmax(impl->now, now) : impl->now;
  if (impl->has_closures) {
    fw__release_enqueue_all(impl);
    fw__release_process_queue(impl);
  }
  update_states(impl);
  fw__retiming_update(impl);
}

// ---- queries --------------------------------------------------------------------------------------------------------

// Why no more is released to a robot.
static fw_wait_reason_t reason_of(const fw_execution_impl_t * execution, int32_t robot)
{
  const fw_robot_slot_t * slot = &execution->slots[robot];
  if (slot->released >= fw__execution_end(execution, robot)) {
    return (fw_wait_reason_t){.other = -1, .cell = FW_CELL_NONE};
  }
  return fw__release_wait_reason(execution, robot, slot->released + 1);
}

// Follows the chain of waiting robots to the one that does not wait. The chain has no cycle except in a ring, where it
// ends with the robot that is not ready; the loop is bounded in any case.
static int32_t root_of(const fw_execution_impl_t * execution, int32_t robot)
{
  int32_t root = -1;
  for (int32_t i = 0; i < execution->slot_count; ++i) {
    const fw_robot_slot_t * slot = &execution->slots[robot];
    const fw_wait_reason_t reason = reason_of(execution, robot);
    if (reason.other < 0 || reason.other == robot || (root >= 0 && slot->reached < slot->released)) {
      break;
    }
    root = robot = reason.other;
  }
  return root;
}

fw_ret_t fw_execution_robot(
  const fw_execution_t * execution, int32_t robot, fw_execution_status_t * status, fw_error_t * error)
{
  const fw_execution_impl_t * impl = execution->impl;
  const fw_robot_slot_t * slot = fw__execution_slot(impl, robot);
  *status = (fw_execution_status_t){.other = -1, .root = -1, .cell = FW_CELL_NONE, .last_time = -INFINITY};
  if (slot == NULL) {
    return fw__error_at(
      error, (fw_error_detail_t){FW_FAULT_INVALID, robot, FW_CELL_NONE}, "there is no robot %d in this execution",
      robot);
  }
  const fw_dependency_graph_t * graph = fw__execution_graph_const(impl);
  const int32_t end = fw__execution_end(impl, robot);
  const fw_dependency_node_t * here = fw__dependency_graph_node(graph, robot, slot->reached);
  const fw_wait_reason_t reason = reason_of(impl, robot);
  const double next = slot->reached < end ? slot->fraction * (here[1].path_length - here->path_length) : 0.0;
  *status = (fw_execution_status_t){
    .state = find_state(impl, robot),
    .since = slot->since,
    .reached = slot->base + slot->reached,
    .stop_at = slot->base + slot->stop_at,
    .released = slot->base + slot->released,
    .end = slot->base + end,
    .place = next,
    .off_path = slot->off_path,
    .wait = reason.wait,
    .other = reason.other,
    .cell = reason.cell,
    .root = root_of(impl, robot),
    .is_short = slot->released < end &&
                fw__dependency_graph_node(graph, robot, slot->released)->path_length - here->path_length - next <
                  impl->options.braking,
    .planned = fw__dependency_graph_node(graph, robot, end)->planned,
    .expected = fw__dependency_graph_node(graph, robot, end)->expected,
    .delay = delay_of(impl, robot),
    .gaps = slot->gaps,
    .last_time = slot->measure.time,
  };
  return FW_RET_OK;
}

const int32_t * fw_execution_changed(fw_execution_t * execution, int32_t * count)
{
  fw_execution_impl_t * impl = execution->impl;
  int32_t * list = impl->changed[0];
  *count = impl->changed_count;
  for (int32_t i = 0; i < impl->changed_count; ++i) {
    impl->slots[list[i]].is_changed = false;
  }
  impl->changed[0] = impl->changed[1];
  impl->changed[1] = list;
  impl->changed_count = 0;
  return list;
}

fw_ret_t fw_execution_waypoint(
  const fw_execution_t * execution, int32_t robot, int32_t waypoint, fw_execution_waypoint_t * answer,
  fw_error_t * error)
{
  const fw_execution_impl_t * impl = execution->impl;
  const fw_robot_slot_t * slot = fw__execution_slot(impl, robot);
  const int32_t at = slot == NULL ? -1 : waypoint - slot->base;
  if (slot == NULL || at < slot->reached || at > fw__execution_end(impl, robot)) {
    return fw__error(error, FW_RET_NOT_FOUND, "robot %d has no waypoint %d", robot, waypoint);
  }
  const fw_dependency_node_t * node = fw__dependency_graph_node(fw__execution_graph_const(impl), robot, at);
  *answer = (fw_execution_waypoint_t){
    .cell = node->pose.cell, .heading = node->pose.heading, .planned = node->planned, .expected = node->expected};
  return FW_RET_OK;
}

fw_execution_stats_t fw_execution_stats(const fw_execution_t * execution)
{
  const fw_execution_impl_t * impl = execution->impl;
  const fw_dependency_graph_t * graph = fw__execution_graph_const(impl);
  return (fw_execution_stats_t){
    .waypoints = graph->node_count,
    .dependencies = graph->edge_count,
    .redundant = graph->redundant_count,
    .rings = graph->ring_count,
    .splices = impl->splices,
    .retimed = impl->retimed,
    .memory_bytes = impl->memory.used_bytes,
  };
}

// Does the robot cover the cell at node range[0] or on its way from there to node range[1]?
static bool covers(const fw_dependency_graph_t * graph, int32_t robot, const int32_t * range, fw_offset_t at)
{
  const int32_t first = graph->first[robot];
  bool is_covered =
    fw__sweep_table_stands_on(graph->sweep_tables[robot], &graph->grid, graph->nodes[first + range[0]].pose, at);
  for (int32_t i = range[0] + 1; i <= range[1] && !is_covered; ++i) {
    const fw_swept_cells_t swept = fw__dependency_graph_swept(graph, first + i);
    const int32_t dx = at.dx - fw_grid_x(&graph->grid, swept.origin);
    const int32_t dy = at.dy - fw_grid_y(&graph->grid, swept.origin);
    is_covered = fw__footprint_has(swept.parts[0], dx, dy) || fw__footprint_has(swept.parts[1], dx, dy);
  }
  return is_covered;
}

int32_t fw_execution_held(const fw_execution_t * execution, int32_t robot, fw_cell_t * cells, int32_t room)
{
  const fw_execution_impl_t * impl = execution->impl;
  const fw_dependency_graph_t * graph = fw__execution_graph_const(impl);
  const fw_robot_slot_t * slot = fw__execution_slot(impl, robot);
  int32_t count = 0;
  for (int32_t at = slot == NULL ? 1 : slot->reached; slot != NULL && at <= slot->released; ++at) {
    const fw_grid_pose_t pose = fw__dependency_graph_node(graph, robot, at)->pose;
    fw_swept_cells_t swept = {
      .origin = pose.cell, .parts = {fw__sweep_table_standing(graph->sweep_tables[robot], pose.heading)}};
    if (at > slot->reached) {
      swept = fw__dependency_graph_swept(graph, graph->first[robot] + at);
    }
    for (int32_t part = 0; part < 2; ++part) {
      for (int32_t i = 0; i < swept.parts[part].count; ++i) {
        const fw_offset_t offset = swept.parts[part].cells[i];
        const fw_offset_t spot = {
          fw_grid_x(&graph->grid, swept.origin) + offset.dx, fw_grid_y(&graph->grid, swept.origin) + offset.dy};
        if (at == slot->reached || !covers(graph, robot, (int32_t[2]){slot->reached, at - 1}, spot)) {
          if (count < room) {
            cells[count] = fw_grid_cell(&graph->grid, spot.dx, spot.dy);
          }
          ++count;
        }
      }
    }
  }
  return count;
}

// ---- status as text -------------------------------------------------------------------------------------------------

static const char * const state_names[] = {"absent",  "arrived",    "driving",   "waiting",  "late",
                                           "stopped", "obstructed", "withdrawn", "off path", "stale"};

const char * fw_execution_state_name(fw_execution_state_t state)
{
  return (size_t)state < sizeof(state_names) / sizeof(state_names[0]) ? state_names[state] : "unknown";
}

// Appends to a text of fixed size; what has no room is cut off.
typedef struct text_writer_t {
  char * text;
  size_t size;
  size_t length;
} text_writer_t;

static void write_text(text_writer_t * writer, const char * format, ...) FW_PRINTF(2, 3);
static void write_text(text_writer_t * writer, const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const int more = vsnprintf(writer->text + writer->length, writer->size - writer->length, format, arguments);
  va_end(arguments);
  const size_t room = writer->size - writer->length - 1;
  writer->length += more < 0 ? 0 : (size_t)more < room ? (size_t)more : room;
}

static void write_state(text_writer_t * writer, const fw_execution_status_t * status, double now)
{
  switch (status->state) {
    case FW_EXECUTION_STALE:
      write_text(writer, "has not reported for %.1f s", now - status->last_time);
      break;
    case FW_EXECUTION_OFF_PATH:
      write_text(writer, "is %.2f cells off its path", status->off_path);
      break;
    case FW_EXECUTION_STOPPED:
      write_text(writer, "has not moved for %.1f s though it may", now - status->since);
      break;
    case FW_EXECUTION_OBSTRUCTED:
      write_text(writer, "has an obstacle on its released path and must stop at waypoint %d", status->stop_at);
      break;
    case FW_EXECUTION_WITHDRAWN:
      write_text(writer, "has given back its release and stands");
      break;
    case FW_EXECUTION_LATE:
      write_text(writer, "drives, %.1f s late", status->delay);
      break;
    case FW_EXECUTION_ABSENT:
    case FW_EXECUTION_ARRIVED:
    case FW_EXECUTION_DRIVING:
    case FW_EXECUTION_WAITING:
      write_text(writer, "%s", fw_execution_state_name(status->state));
      break;
  }
}

static void write_wait(text_writer_t * writer, const fw_grid_t * grid, const fw_execution_status_t * status)
{
  const int32_t x = status->cell == FW_CELL_NONE ? 0 : fw_grid_x(grid, status->cell);
  const int32_t y = status->cell == FW_CELL_NONE ? 0 : fw_grid_y(grid, status->cell);
  switch (status->wait) {
    case FW_EXECUTION_WAIT_ROBOT:
      write_text(writer, " for robot %d to leave (%d,%d)", status->other, x, y);
      break;
    case FW_EXECUTION_WAIT_RING:
      write_text(writer, " for robot %d to be ready to rotate", status->other);
      break;
    case FW_EXECUTION_WAIT_OBSTACLE:
      write_text(writer, " before the obstacle on (%d,%d)", x, y);
      break;
    case FW_EXECUTION_WAIT_CUT:
      write_text(writer, " for a new plan");
      break;
    case FW_EXECUTION_WAIT_PAUSE:
      write_text(writer, ", paused");
      break;
    case FW_EXECUTION_WAIT_CLOSURE:
      write_text(writer, " for (%d,%d), which is closed or about to be", x, y);
      break;
    case FW_EXECUTION_WAIT_NONE:
    case FW_EXECUTION_WAIT_PROGRESS:
      break;
  }
}

void fw_execution_describe(const fw_execution_t * execution, int32_t robot, char * text, size_t text_size)
{
  const fw_execution_impl_t * impl = execution->impl;
  text_writer_t writer = {.text = text, .size = text_size};
  fw_execution_status_t status;
  if (text_size == 0) {
    return;
  }
  if (fw_execution_robot(execution, robot, &status, NULL) != FW_RET_OK) {
    write_text(&writer, "absent");
    return;
  }
  write_state(&writer, &status, impl->now);
  if (status.state != FW_EXECUTION_WAITING) {
    return;
  }
  write_wait(&writer, &fw__execution_graph_const(impl)->grid, &status);
  fw_execution_status_t root;
  if (status.root >= 0 && fw_execution_robot(execution, status.root, &root, NULL) == FW_RET_OK) {
    if (status.root != status.other || root.state > FW_EXECUTION_LATE) {
      write_text(&writer, "; robot %d ", status.root);
      write_state(&writer, &root, impl->now);
    }
  }
}
