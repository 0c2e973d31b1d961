// Polyline: a row of poses with times. See polyline.h.

#include "motion/polyline.h"

#include <math.h>
#include <stdlib.h>

#include "base/assert.h"

static const double SAME_PLACE = 1e-3;  // metres; nearer than this counts as equally near

double fw__pose2d_distance(const fw_pose2d_t * one, const fw_pose2d_t * other)
{
  return hypot(other->x - one->x, other->y - one->y);
}

void fw__polyline_fini(fw_polyline_t * line)
{
  free(line->points);
  *line = (fw_polyline_t){0};
}

void fw__polyline_clear(fw_polyline_t * line)
{
  line->count = 0;
  line->has_failed = false;
}

void fw__polyline_swap(fw_polyline_t * one, fw_polyline_t * other)
{
  const fw_polyline_t swapped = *one;
  *one = *other;
  *other = swapped;
}

void fw__polyline_append(fw_polyline_t * line, fw_polyline_point_t point)
{
  if (line->count == line->capacity) {
    const int32_t capacity = line->capacity < 32 ? 64 : 2 * line->capacity;
    fw_polyline_point_t * points = realloc(line->points, (size_t)capacity * sizeof(*points));
    if (points == NULL) {
      line->has_failed = true;
      return;
    }
    line->points = points;
    line->capacity = capacity;
  }
  FW_ASSERT(line->count < line->capacity);
  line->points[line->count++] = point;
}

void fw__polyline_append_range(fw_polyline_t * line, const fw_polyline_t * other, int32_t first, int32_t end)
{
  FW_ASSERT(first >= 0 && end <= other->count);
  for (int32_t i = first; i < end; ++i) {
    fw__polyline_append(line, other->points[i]);
  }
}

bool fw__polyline_validate(const fw_polyline_t * line)
{
  if (line->count < 0 || line->count > line->capacity) {
    return false;
  }
  for (int32_t i = 1; i < line->count; ++i) {
    if (line->points[i].time_ns < line->points[i - 1].time_ns) {
      return false;
    }
  }
  return true;
}

fw_polyline_point_t fw__polyline_at(const fw_polyline_t * line, fw_polyline_position_t position)
{
  FW_ASSERT(position.index >= 0 && position.index < line->count);
  fw_polyline_point_t point = line->points[position.index];
  if (position.index + 1 < line->count) {
    const fw_polyline_point_t * next = &line->points[position.index + 1];
    point.time_ns += (int64_t)(position.fraction * (double)(next->time_ns - point.time_ns));
    point.pose.x += position.fraction * (next->pose.x - point.pose.x);
    point.pose.y += position.fraction * (next->pose.y - point.pose.y);
  }
  return point;
}

fw_polyline_position_t fw__polyline_position_at(const fw_polyline_t * line, int64_t time_ns)
{
  FW_ASSERT(line->count > 0);
  fw_polyline_position_t position = {0};
  while (position.index + 1 < line->count && line->points[position.index + 1].time_ns <= time_ns) {
    ++position.index;
  }
  const fw_polyline_point_t * point = &line->points[position.index];
  if (position.index + 1 < line->count && point->time_ns < time_ns) {
    position.fraction = (double)(time_ns - point->time_ns) / (double)(point[1].time_ns - point->time_ns);
  }
  return position;
}

// The fraction of the segment from `one` to `other` that is nearest to `pose`, 0 to 1.
static double project(const fw_pose2d_t * one, const fw_pose2d_t * other, const fw_pose2d_t * pose)
{
  const double dx = other->x - one->x;
  const double dy = other->y - one->y;
  const double square = dx * dx + dy * dy;
  if (square == 0.0) {
    return 1.0;  // a wait: its end is the latest of its positions
  }
  const double along = ((pose->x - one->x) * dx + (pose->y - one->y) * dy) / square;
  return along < 0.0 ? 0.0 : along > 1.0 ? 1.0 : along;
}

fw_polyline_position_t fw__polyline_nearest(
  const fw_polyline_t * line, fw_polyline_position_t from, int64_t until_ns, const fw_pose2d_t * pose)
{
  FW_ASSERT(from.index < line->count);
  const fw_polyline_position_t end = fw__polyline_position_at(line, until_ns);
  fw_polyline_position_t best = from;
  fw_polyline_point_t point = fw__polyline_at(line, from);
  double best_distance = fw__pose2d_distance(&point.pose, pose);
  for (int32_t i = from.index; i <= end.index && i + 1 < line->count; ++i) {
    const double low = i == from.index ? from.fraction : 0.0;
    const double high = i == end.index ? end.fraction : 1.0;
    double along = project(&line->points[i].pose, &line->points[i + 1].pose, pose);
    along = along < low ? low : along > high ? high : along;
    fw_polyline_position_t position = {.index = i, .fraction = along};
    if (along >= 1.0) {
      position = (fw_polyline_position_t){.index = i + 1};
    }
    point = fw__polyline_at(line, position);
    const double distance = fw__pose2d_distance(&point.pose, pose);
    if (distance <= best_distance + SAME_PLACE) {
      best = position;
      best_distance = distance < best_distance ? distance : best_distance;
    }
  }
  return best;
}
