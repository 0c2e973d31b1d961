// How each robot is doing, and in words.

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/error.h"
#include "execution/execution.h"

static const char * const names[] = {"absent",  "arrived",    "driving",   "waiting",  "late",
                                     "stopped", "obstructed", "withdrawn", "off path", "stale"};

const char * fw_execution_state_name(fw_execution_state_t state)
{
  return (size_t)state < sizeof(names) / sizeof(names[0]) ? names[state] : "unknown";
}

static double delay_of(const fw__execution_t * execution, int32_t robot)
{
  const fw__slot_t * slot = &execution->slots[robot];
  const int32_t end = fw__execution_end(execution, robot);
  const fw__node_t * next =
    fw__way_node(fw__execution_graph_const(execution), robot, slot->reached < end ? slot->reached + 1 : end);
  return slot->reached < end ? next->expected - next->planned : 0.0;
}

static fw_execution_state_t find_state(const fw__execution_t * execution, int32_t robot)
{
  const fw__slot_t * slot = &execution->slots[robot];
  if (!slot->is_there) {
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
  if (execution->now - slot->progressed > execution->options.stopped_seconds) {
    return FW_EXECUTION_STOPPED;
  }
  return delay_of(execution, robot) > execution->options.late_seconds ? FW_EXECUTION_LATE : FW_EXECUTION_DRIVING;
}

void fw__states_run(fw__execution_t * execution)
{
  for (int32_t robot = 0; robot < execution->slot_count; ++robot) {
    fw__slot_t * slot = &execution->slots[robot];
    const double heard = fmax(slot->measure.time, slot->joined);
    slot->is_stale = slot->is_there && execution->now - heard > execution->options.stale_seconds;
    const fw_execution_state_t state = find_state(execution, robot);
    if (state != slot->state) {
      slot->state = state;
      slot->since = execution->now;
    }
  }
}

void fw_execution_update(fw_execution_t * execution, double now)
{
  fw__execution_t * impl = execution->impl;
  impl->now = isfinite(now) ? fmax(impl->now, now) : impl->now;
  if (impl->has_closures) {
    fw__release_queue_all(impl);
    fw__release_run(impl);
  }
  fw__states_run(impl);
  fw__timing_run(impl);
}

// ---- status ---------------------------------------------------------------------------------------------------------

static fw__hold_t hold_of(const fw__execution_t * execution, int32_t robot)
{
  const fw__slot_t * slot = &execution->slots[robot];
  if (slot->released >= fw__execution_end(execution, robot)) {
    return (fw__hold_t){.other = -1, .cell = FW_CELL_NONE};
  }
  return fw__release_hold(execution, robot, slot->released + 1);
}

// Follows who waits for whom to the one who does not wait. Bounded: a row of waiting robots has no cycle, but for rings,
// where the row ends with the one who is not ready.
static int32_t root_of(const fw__execution_t * execution, int32_t robot)
{
  int32_t root = -1;
  for (int32_t i = 0; i < execution->slot_count; ++i) {
    const fw__slot_t * slot = &execution->slots[robot];
    const fw__hold_t hold = hold_of(execution, robot);
    if (hold.other < 0 || hold.other == robot || (root >= 0 && slot->reached < slot->released)) {
      break;
    }
    root = robot = hold.other;
  }
  return root;
}

fw_ret_t fw_execution_robot(
  const fw_execution_t * execution, int32_t robot, fw_execution_status_t * status, fw_error_t * error)
{
  const fw__execution_t * impl = execution->impl;
  const fw__slot_t * slot = fw__execution_slot(impl, robot);
  *status = (fw_execution_status_t){.other = -1, .root = -1, .cell = FW_CELL_NONE, .last_time = -INFINITY};
  if (slot == NULL) {
    return fw__error_at(error, (fw__fault_t){FW_FAULT_INVALID, robot, FW_CELL_NONE}, "there is no robot %d", robot);
  }
  const fw__graph_t * graph = fw__execution_graph_const(impl);
  const int32_t end = fw__execution_end(impl, robot);
  const fw__node_t * here = fw__way_node(graph, robot, slot->reached);
  const fw__hold_t hold = hold_of(impl, robot);
  const double next = slot->reached < end ? slot->fraction * (here[1].way - here->way) : 0.0;
  *status = (fw_execution_status_t){
    .state = find_state(impl, robot),
    .since = slot->since,
    .reached = slot->base + slot->reached,
    .stop_at = slot->base + slot->stop_at,
    .released = slot->base + slot->released,
    .end = slot->base + end,
    .place = next,
    .off_path = slot->off_path,
    .wait = hold.wait,
    .other = hold.other,
    .cell = hold.cell,
    .root = root_of(impl, robot),
    .is_short = slot->released < end &&
                fw__way_node(graph, robot, slot->released)->way - here->way - next < impl->options.braking,
    .planned = fw__way_node(graph, robot, end)->planned,
    .expected = fw__way_node(graph, robot, end)->expected,
    .delay = delay_of(impl, robot),
    .gaps = slot->gaps,
    .last_time = slot->measure.time,
  };
  return FW_RET_OK;
}

// ---- words ----------------------------------------------------------------------------------------------------------

typedef struct words_t {
  char * text;
  size_t size;
  size_t length;
} words_t;

static void say(words_t * words, const char * format, ...) FW_PRINTF(2, 3);
static void say(words_t * words, const char * format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  const int more = vsnprintf(words->text + words->length, words->size - words->length, format, arguments);
  va_end(arguments);
  const size_t room = words->size - words->length - 1;
  words->length += more < 0 ? 0 : (size_t)more < room ? (size_t)more : room;
}

static void say_state(words_t * words, const fw_execution_status_t * status, double now)
{
  switch (status->state) {
    case FW_EXECUTION_STALE:
      say(words, "has not reported for %.1f s", now - status->last_time);
      break;
    case FW_EXECUTION_OFF_PATH:
      say(words, "is %.2f cells off its path", status->off_path);
      break;
    case FW_EXECUTION_STOPPED:
      say(words, "has not moved for %.1f s though it may", now - status->since);
      break;
    case FW_EXECUTION_OBSTRUCTED:
      say(words, "has an obstacle on its released way and must stop at waypoint %d", status->stop_at);
      break;
    case FW_EXECUTION_WITHDRAWN:
      say(words, "has given back its way and stands");
      break;
    case FW_EXECUTION_LATE:
      say(words, "drives, %.1f s late", status->delay);
      break;
    case FW_EXECUTION_ABSENT:
    case FW_EXECUTION_ARRIVED:
    case FW_EXECUTION_DRIVING:
    case FW_EXECUTION_WAITING:
      say(words, "%s", fw_execution_state_name(status->state));
      break;
  }
}

static void say_wait(words_t * words, const fw_grid_t * grid, const fw_execution_status_t * status)
{
  const int32_t x = status->cell == FW_CELL_NONE ? 0 : fw_grid_x(grid, status->cell);
  const int32_t y = status->cell == FW_CELL_NONE ? 0 : fw_grid_y(grid, status->cell);
  switch (status->wait) {
    case FW_EXECUTION_WAIT_ROBOT:
      say(words, " for robot %d to leave (%d,%d)", status->other, x, y);
      break;
    case FW_EXECUTION_WAIT_RING:
      say(words, " for robot %d to be ready to rotate", status->other);
      break;
    case FW_EXECUTION_WAIT_OBSTACLE:
      say(words, " before the obstacle on (%d,%d)", x, y);
      break;
    case FW_EXECUTION_WAIT_CUT:
      say(words, " for a new plan");
      break;
    case FW_EXECUTION_WAIT_PAUSE:
      say(words, ", paused");
      break;
    case FW_EXECUTION_WAIT_CLOSURE:
      say(words, " for (%d,%d), which is closed or about to be", x, y);
      break;
    case FW_EXECUTION_WAIT_NONE:
    case FW_EXECUTION_WAIT_PROGRESS:
      break;
  }
}

void fw_execution_describe(const fw_execution_t * execution, int32_t robot, char * text, size_t text_size)
{
  const fw__execution_t * impl = execution->impl;
  words_t words = {.text = text, .size = text_size};
  fw_execution_status_t status;
  if (text_size == 0) {
    return;
  }
  if (fw_execution_robot(execution, robot, &status, NULL) != FW_RET_OK) {
    say(&words, "absent");
    return;
  }
  say_state(&words, &status, impl->now);
  if (status.state != FW_EXECUTION_WAITING) {
    return;
  }
  say_wait(&words, &fw__execution_graph_const(impl)->grid, &status);
  fw_execution_status_t root;
  if (status.root >= 0 && fw_execution_robot(execution, status.root, &root, NULL) == FW_RET_OK) {
    if (status.root != status.other || root.state > FW_EXECUTION_LATE) {
      say(&words, "; robot %d ", status.root);
      say_state(&words, &root, impl->now);
    }
  }
}
