#include "view/tracks.h"

#include <string.h>

#include "base/error.h"

fw_ret_t fw__tracks_init(
  fw__tracks_t * tracks, int32_t robot_count, const fw_allocator_t * allocator, fw_error_t * error)
{
  *tracks = (fw__tracks_t){.units_per_cell = 1, .seconds_per_unit = 1.0, .radius_cells = 0.4};
  tracks->allocator = *allocator;
  const size_t size_bytes = (size_t)robot_count * sizeof(fw__track_t);
  tracks->tracks = allocator->allocate(size_bytes > 0 ? size_bytes : 1, allocator->state);
  if (tracks->tracks == NULL) {
    *tracks = (fw__tracks_t){0};
    return fw__error_memory(error);
  }
  memset(tracks->tracks, 0, size_bytes);
  tracks->robot_count = robot_count;
  for (int32_t robot = 0; robot < robot_count; robot++) {
    fw__vlq_init(&tracks->tracks[robot].code, allocator);
    fw__vlq_init(&tracks->tracks[robot].shape, allocator);
    fw__vlq_init(&tracks->tracks[robot].stays, allocator);
    fw__vlq_init(&tracks->tracks[robot].waits, allocator);
  }
  fw__vlq_init(&tracks->goals, allocator);
  fw__vlq_init(&tracks->arrivals, allocator);
  fw__vlq_init(&tracks->overlaps, allocator);
  fw__vlq_init(&tracks->closures, allocator);
  return FW_RET_OK;
}

void fw__tracks_fini(fw__tracks_t * tracks)
{
  if (tracks->tracks != NULL) {
    for (int32_t robot = 0; robot < tracks->robot_count; robot++) {
      fw__vlq_fini(&tracks->tracks[robot].code);
      fw__vlq_fini(&tracks->tracks[robot].shape);
      fw__vlq_fini(&tracks->tracks[robot].stays);
      fw__vlq_fini(&tracks->tracks[robot].waits);
    }
    tracks->allocator.deallocate(tracks->tracks, tracks->allocator.state);
  }
  fw__vlq_fini(&tracks->goals);
  fw__vlq_fini(&tracks->arrivals);
  fw__vlq_fini(&tracks->overlaps);
  fw__vlq_fini(&tracks->closures);
  *tracks = (fw__tracks_t){0};
}

static void write_keyframe(fw__tracks_t * tracks, fw__track_t * track, const fw__sample_t * sample)
{
  fw__vlq_put(&track->code, sample->time - track->anchor.time);
  fw__vlq_put(&track->code, sample->x - track->anchor.x);
  fw__vlq_put(&track->code, sample->y - track->anchor.y);
  if (tracks->has_yaw) {
    fw__vlq_put(&track->code, sample->yaw - track->anchor.yaw);
  }
  track->anchor = *sample;
}

typedef struct moment_t {
  int64_t elapsed;  // since the first sample
  int64_t total;    // from the first to the last sample
  int64_t tolerance;
} moment_t;

// Whether a value `middle` is met at the moment when one goes evenly to `last`; both are differences to the first
// value. Without division: both sides times the time.
static bool is_met(const moment_t * moment, int64_t middle, int64_t last)
{
  const int64_t off = middle * moment->total - last * moment->elapsed;
  return (off < 0 ? -off : off) <= moment->tolerance * moment->total;
}

static bool is_straight(const fw__tracks_t * tracks, const fw__track_t * track, const fw__sample_t * last)
{
  const fw__sample_t * first = &track->anchor;
  moment_t moment = {.total = last->time - first->time, .tolerance = tracks->tolerance};
  for (int32_t i = 0; i < track->pending_count; i++) {
    const fw__sample_t * middle = &track->pending[i];
    moment.elapsed = middle->time - first->time;
    if (
      !is_met(&moment, middle->x - first->x, last->x - first->x) ||
      !is_met(&moment, middle->y - first->y, last->y - first->y) ||
      (tracks->has_yaw && !is_met(&moment, middle->yaw - first->yaw, last->yaw - first->yaw))) {
      return false;
    }
  }
  return true;
}

void fw__tracks_add(fw__tracks_t * tracks, int32_t robot, fw__sample_t sample)
{
  fw__track_t * track = &tracks->tracks[robot];
  if (sample.time > tracks->end) {
    tracks->end = sample.time;
  }
  if (!track->has_anchor) {
    write_keyframe(tracks, track, &sample);
    track->has_anchor = true;
    return;
  }
  if (track->pending_count > 0 && !is_straight(tracks, track, &sample)) {
    write_keyframe(tracks, track, &track->pending[track->pending_count - 1]);
    track->pending_count = 0;
  }
  if (track->pending_count == FW__TRACK_PENDING_MAX) {
    if (tracks->tolerance == 0) {
      track->pending_count--;  // all exactly on the line: the latest is enough to test the next one
    } else {
      write_keyframe(tracks, track, &track->pending[track->pending_count - 1]);
      track->pending_count = 0;
    }
  }
  track->pending[track->pending_count++] = sample;
}

void fw__tracks_add_goal(fw__tracks_t * tracks, int64_t time, int32_t robot, int64_t x, int64_t y)
{
  fw__vlq_put(&tracks->goals, time - tracks->goal_time);
  fw__vlq_put(&tracks->goals, robot);
  fw__vlq_put(&tracks->goals, x);
  fw__vlq_put(&tracks->goals, y);
  tracks->goal_time = time;
}

void fw__tracks_add_arrival(fw__tracks_t * tracks, int64_t time, int32_t robot)
{
  fw__vlq_put(&tracks->arrivals, time - tracks->arrival_time);
  fw__vlq_put(&tracks->arrivals, robot);
  tracks->arrival_time = time;
}

void fw__tracks_add_overlap(fw__tracks_t * tracks, int64_t time, int32_t robot, int32_t other)
{
  fw__vlq_put(&tracks->overlaps, time - tracks->overlap_time);
  fw__vlq_put(&tracks->overlaps, robot);
  fw__vlq_put(&tracks->overlaps, other);
  tracks->overlap_time = time;
}

fw_ret_t fw__tracks_finish(fw__tracks_t * tracks, fw_error_t * error)
{
  bool has_failed = tracks->goals.has_failed || tracks->arrivals.has_failed || tracks->overlaps.has_failed ||
                    tracks->closures.has_failed;
  for (int32_t robot = 0; robot < tracks->robot_count; robot++) {
    fw__track_t * track = &tracks->tracks[robot];
    if (track->pending_count > 0) {
      write_keyframe(tracks, track, &track->pending[track->pending_count - 1]);
      track->pending_count = 0;
    }
    has_failed = has_failed || track->code.has_failed || track->shape.has_failed || track->stays.has_failed ||
                 track->waits.has_failed;
  }
  if (has_failed) {
    return fw__error(error, FW_RET_BAD_ALLOC, "out of memory, or a position or time too large for a page");
  }
  return FW_RET_OK;
}
