// What goes wrong, as the caller tells it: robots that are gone or will not go on, obstacles, a pause.
//
// Space that is released stays held through all of it, but for two cases in which the caller knows better: the robot is not
// there any more, or it stands and has given its word.

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "execution/execution.h"

void fw_execution_remove(fw_execution_t * execution, int32_t robot)
{
  fw__execution_t * impl = execution->impl;
  fw__slot_t * slot = fw__execution_slot(impl, robot);
  if (slot == NULL) {
    return;
  }
  impl->off_path_count -= slot->is_off_path ? 1 : 0;
  slot->is_there = false;
  slot->is_ghost = true;
  slot->fraction = slot->pace = 0.0;
  slot->is_off_path = slot->is_stale = slot->is_withdrawn = false;
  slot->base += slot->released + 1;  // if it comes back its numbers go on
  slot->stop_at = slot->released = slot->reached;
  slot->state = FW_EXECUTION_ABSENT;
  fw__obstacles_find_stops(impl);
  fw__release_queue_all(impl);
  fw__release_run(impl);
}

fw_ret_t fw_execution_withdraw(fw_execution_t * execution, int32_t robot, fw_error_t * error)
{
  fw__execution_t * impl = execution->impl;
  fw__slot_t * slot = fw__execution_slot(impl, robot);
  if (slot == NULL) {
    return fw__error_at(error, (fw_error_detail_t){FW_FAULT_INVALID, robot, FW_CELL_NONE}, "there is no robot %d", robot);
  }
  if (slot->is_off_path) {
    return fw__error_at(
      error, (fw_error_detail_t){FW_FAULT_INVALID, robot, FW_CELL_NONE},
      "robot %d is off its path and cannot drive back on it: remove it and add it where it is", robot);
  }
  slot->is_withdrawn = true;
  slot->limit = impl->is_cut ? slot->reached : slot->limit;
  slot->stop_at = slot->reached;
  fw__execution_note_change(impl, robot);
  return FW_RET_OK;
}

fw_ret_t fw_execution_set_obstacles(
  fw_execution_t * execution, const fw_cell_t * cells, int32_t count, fw_error_t * error)
{
  fw__execution_t * impl = execution->impl;
  const fw_grid_t * grid = &fw__execution_graph_const(impl)->grid;
  const int32_t cell_count = fw_grid_cell_count(grid);
  if (impl->blocked_cells < cell_count) {
    bool * blocked = fw__arena_allocate_zeroed(&impl->keep, (size_t)cell_count, sizeof(*blocked));
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
      impl->blocked[cells[i]] = true;
      impl->has_obstacles = true;
    }
  }
  fw__obstacles_find_stops(impl);
  fw__release_queue_all(impl);
  fw__release_run(impl);
  return FW_RET_OK;
}

void fw_execution_pause(fw_execution_t * execution) { execution->impl->is_paused = true; }

void fw_execution_resume(fw_execution_t * execution)
{
  execution->impl->is_paused = false;
  fw__release_queue_all(execution->impl);
  fw__release_run(execution->impl);
}

void fw_execution_set_pace(fw_execution_t * execution, int32_t robot, double pace)
{
  fw__slot_t * slot = fw__execution_slot(execution->impl, robot);
  if (slot != NULL && pace > 0.0 && isfinite(pace)) {
    slot->pace = pace;
  }
}
