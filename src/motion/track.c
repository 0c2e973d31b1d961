// Track: a line of timed points. See track.h.

#include "motion/track.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double SAME_PLACE = 1e-3;  // metres; nearer than this is equally near

double fw__pose_distance(const fw_pose_t * one, const fw_pose_t * other)
{
  return hypot(other->x - one->x, other->y - one->y);
}

void fw__track_fini(fw_track_t * track)
{
  free(track->points);
  *track = (fw_track_t){0};
}

void fw__track_clear(fw_track_t * track) { track->count = 0; }

void fw__track_swap(fw_track_t * one, fw_track_t * other)
{
  const fw_track_t held = *one;
  *one = *other;
  *other = held;
}

fw_ret_t fw__track_append(fw_track_t * track, fw_track_point_t point)
{
  if (track->count == track->capacity) {
    const int32_t capacity = track->capacity < 32 ? 64 : 2 * track->capacity;
    fw_track_point_t * points = realloc(track->points, (size_t)capacity * sizeof(*points));
    if (points == NULL) {
      return FW_RET_BAD_ALLOC;
    }
    track->points = points;
    track->capacity = capacity;
  }
  track->points[track->count++] = point;
  return FW_RET_OK;
}

fw_ret_t fw__track_append_range(fw_track_t * track, const fw_track_t * other, int32_t first, int32_t end)
{
  for (int32_t i = first; i < end; ++i) {
    if (fw__track_append(track, other->points[i]) != FW_RET_OK) {
      return FW_RET_BAD_ALLOC;
    }
  }
  return FW_RET_OK;
}

fw_track_point_t fw__track_at(const fw_track_t * track, fw_track_place_t place)
{
  fw_track_point_t point = track->points[place.index];
  if (place.index + 1 < track->count) {
    const fw_track_point_t * next = &track->points[place.index + 1];
    point.time_ns += (int64_t)(place.fraction * (double)(next->time_ns - point.time_ns));
    point.pose.x += place.fraction * (next->pose.x - point.pose.x);
    point.pose.y += place.fraction * (next->pose.y - point.pose.y);
  }
  return point;
}

fw_track_place_t fw__track_place(const fw_track_t * track, int64_t time_ns)
{
  fw_track_place_t place = {0};
  while (place.index + 1 < track->count && track->points[place.index + 1].time_ns <= time_ns) {
    ++place.index;
  }
  const fw_track_point_t * point = &track->points[place.index];
  if (place.index + 1 < track->count && point->time_ns < time_ns) {
    place.fraction = (double)(time_ns - point->time_ns) / (double)(point[1].time_ns - point->time_ns);
  }
  return place;
}

// How far along from `one` to `other` the nearest point to `pose` is, 0 to 1.
static double project(const fw_pose_t * one, const fw_pose_t * other, const fw_pose_t * pose)
{
  const double dx = other->x - one->x;
  const double dy = other->y - one->y;
  const double square = dx * dx + dy * dy;
  if (square == 0.0) {
    return 1.0;  // a wait: its end is the latest place
  }
  const double along = ((pose->x - one->x) * dx + (pose->y - one->y) * dy) / square;
  return along < 0.0 ? 0.0 : along > 1.0 ? 1.0 : along;
}

fw_track_place_t fw__track_nearest(
  const fw_track_t * track, fw_track_place_t from, int64_t until_ns, const fw_pose_t * pose)
{
  const fw_track_place_t end = fw__track_place(track, until_ns);
  fw_track_place_t best = from;
  fw_track_point_t point = fw__track_at(track, from);
  double best_distance = fw__pose_distance(&point.pose, pose);
  for (int32_t i = from.index; i <= end.index && i + 1 < track->count; ++i) {
    const double low = i == from.index ? from.fraction : 0.0;
    const double high = i == end.index ? end.fraction : 1.0;
    double along = project(&track->points[i].pose, &track->points[i + 1].pose, pose);
    along = along < low ? low : along > high ? high : along;
    fw_track_place_t place = {.index = i, .fraction = along};
    if (along >= 1.0) {
      place = (fw_track_place_t){.index = i + 1};
    }
    point = fw__track_at(track, place);
    const double distance = fw__pose_distance(&point.pose, pose);
    if (distance <= best_distance + SAME_PLACE) {
      best = place;
      best_distance = distance < best_distance ? distance : best_distance;
    }
  }
  return best;
}
