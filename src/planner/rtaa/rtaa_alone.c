// `rtaa` without cooperation, as in the paper: each for itself, and honest about where that ends.

#include "base/error.h"
#include "planner/rtaa/rtaa.h"

// The last tick before the first conflict.
static fw_ret_t find_safe_tick(fw_rtaa_run_t * run, fw_tick_t * until, fw_error_t * error)
{
  const fw_allocator_t scratch = fw__rtaa_allocator(run->context->scratch);
  const fw_path_t * paths = fw__rtaa_tracks_paths(run, FW_TICK_MAX - 1);
  fw_conflict_t conflict = {.kind = FW_CONFLICT_CELL};
  fw_ret_t ret = paths != NULL ? FW_RET_OK : fw__error_memory(error);
  while (ret == FW_RET_OK && conflict.kind != FW_CONFLICT_NONE && *until > 0) {
    ret = fw_check_paths(run->problem, paths, run->problem->robot_count, *until, &scratch, &conflict, error);
    if (conflict.kind != FW_CONFLICT_NONE) {
      *until = conflict.tick > 0 ? conflict.tick - 1 : 0;
    }
  }
  return ret;
}

fw_ret_t fw__rtaa_solve_alone(fw_rtaa_run_t * run, fw_plan_t * plan, fw_error_t * error)
{
  uint8_t way[FW_LOOKAHEAD_MAX];
  static const int32_t dx[FW_HEADING_COUNT] = {1, 1, 0, -1, -1, -1, 0, 1};
  static const int32_t dy[FW_HEADING_COUNT] = {0, 1, 1, 1, 0, -1, -1, -1};
  const int32_t count = run->problem->robot_count;
  bool is_fine = true;
  for (fw_tick_t tick = 0; is_fine && fw_batch_running(&run->batch) > 0 && tick < run->ticks_max; ++tick) {
    is_fine = fw__rtaa_run_episode(run);
    for (int32_t r = 0; r < count && is_fine; ++r) {
      fw_rtaa_track_t * track = &run->tracks[r];
      const int32_t gone = (int32_t)fw_batch_robot(&run->batch, r).length - (track->count - 1);
      (void)fw_batch_way(&run->batch, r, way);
      for (int32_t step = 0; step < gone && is_fine; ++step) {
        const fw_cell_t from = track->cells[track->count - 1];
        is_fine = fw__rtaa_track_add(run, r, from + dx[way[step]] + dy[way[step]] * run->problem->grid->width);
      }
    }
  }
  bool have_all_arrived = true;
  for (int32_t r = 0; r < count; ++r) {
    have_all_arrived =
      have_all_arrived && run->tracks[r].cells[run->tracks[r].count - 1] == run->problem->robots[r].goal;
    run->now = run->tracks[r].count - 1 > run->now ? run->tracks[r].count - 1 : run->now;
  }
  fw_tick_t safe = have_all_arrived ? FW_TICK_MAX : run->now;
  const fw_ret_t ret = find_safe_tick(run, &safe, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  return fw__rtaa_answer(run, safe == FW_TICK_MAX, safe, plan, error);
}
