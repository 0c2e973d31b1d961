// Tracks of `rtaa`: where robots have been, tick by tick.

#include "planner/rtaa/rtaa.h"

bool fw__rtaa_tracks_init(fw_rtaa_run_t * run)
{
  const int32_t count = run->problem->robot_count;
  run->tracks = fw__arena_allocate_zeroed(run->context->scratch, (size_t)count, sizeof(*run->tracks));
  if (run->tracks == NULL) {
    fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
    return false;
  }
  for (int32_t r = 0; r < count; ++r) {
    if (!fw__rtaa_track_add(run, r, run->problem->robots[r].start)) {
      return false;
    }
  }
  return true;
}

bool fw__rtaa_track_add(fw_rtaa_run_t * run, int32_t robot, fw_cell_t cell)
{
  fw_rtaa_track_t * track = &run->tracks[robot];
  if (track->count == track->capacity) {
    fw_cell_t * cells =
      fw__arena_grow(run->context->scratch, track->cells, (size_t)track->count, sizeof(*cells), &track->capacity);
    if (cells == NULL) {
      fw__meter_stop(run->context->meter, FW_STOP_MEMORY);
      return false;
    }
    track->cells = cells;
  }
  track->cells[track->count++] = cell;
  return true;
}

fw_path_t * fw__rtaa_tracks_paths(const fw_rtaa_run_t * run, fw_tick_t until)
{
  const int32_t count = run->problem->robot_count;
  fw_path_t * paths = fw__arena_allocate(run->context->scratch, (size_t)count, sizeof(*paths));
  for (int32_t r = 0; r < count && paths != NULL; ++r) {
    const fw_rtaa_track_t * track = &run->tracks[r];
    paths[r] = (fw_path_t){.cells = track->cells, .length = track->count < until + 1 ? track->count : until + 1};
  }
  return paths;
}
