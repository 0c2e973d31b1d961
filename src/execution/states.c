// How each robot is doing: late, stopped, stale, waiting, and for whom.

#include <math.h>

#include "base/error.h"
#include "execution/execution.h"

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
    return fw__error_at(error, (fw_error_detail_t){FW_FAULT_INVALID, robot, FW_CELL_NONE}, "there is no robot %d", robot);
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
