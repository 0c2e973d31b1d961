// Questions about what is closed. Spans are sorted by cell and time and those of one cell do not meet, so that binary
// search finds the first that matters.

#include <math.h>

#include "ros/planner_node/closures.h"

const span_t * source_find(const source_t * source, fw_cell_t cell, int64_t time_ns)
{
  int32_t low = 0, high = source->span_count;
  while (low < high) {
    const int32_t middle = low + (high - low) / 2;
    const span_t * span = &source->spans[middle];
    if (span->cell < cell || (span->cell == cell && span->to_ns <= time_ns)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low < source->span_count && source->spans[low].cell == cell ? &source->spans[low] : NULL;
}

int32_t closures_find(const closures_t * closures, fw_cell_t cell, interval_t when)
{
  for (int32_t s = 0; s < closures->count; ++s) {
    const span_t * span = source_find(&closures->sources[s], cell, when.from_ns);
    if (span != NULL && span->from_ns < when.to_ns) {
      return s;
    }
  }
  return -1;
}

int32_t source_count_closed(const source_t * source, int64_t time_ns)
{
  int32_t count = 0;
  for (int32_t k = 0; k < source->span_count; ++k) {
    count += source->spans[k].from_ns <= time_ns && time_ns <= source->spans[k].to_ns ? 1 : 0;
  }
  return count;
}

static bool touches_cell(const source_t * source, interval_t begin, fw_cell_t cell, interval_t stay)
{
  const span_t * end = source->spans + source->span_count;
  const span_t * span = cell == FW_CELL_NONE ? NULL : source_find(source, cell, stay.from_ns);
  for (; span != NULL && span < end && span->cell == cell && span->from_ns < stay.to_ns; ++span) {
    if (begin.from_ns <= span->from_ns && span->from_ns <= begin.to_ns) {
      return true;
    }
  }
  return false;
}

// A robot is on the cells of a waypoint from when it leaves the one before until it is at the next.
static bool touches_track(
  const source_t * source, interval_t begin, const track_t * track, const frame_t * frame, int64_t now_ns)
{
  const fw_grid_t grid = {.width = frame->width, .height = frame->height};
  for (int32_t k = 0; k < track->count; ++k) {
    const waypoint_t * waypoint = &track->waypoints[k];
    const int64_t from_ns = k > 0 ? track->waypoints[k - 1].stamp_ns : now_ns;
    const interval_t stay = {
      .from_ns = from_ns > now_ns ? from_ns : now_ns,
      .to_ns = k + 1 < track->count ? track->waypoints[k + 1].stamp_ns : TIME_MAX,
    };
    // Odd headings fit in with either connectivity here: a waypoint has one of those that its plan had.
    const double yaw = isnan(waypoint->yaw) ? frame->yaw : waypoint->yaw;
    const place_t place = body_place(&track->body, frame, 8, waypoint->point, yaw);
    if (place.cell == FW_CELL_NONE || stay.to_ns <= now_ns) {
      continue;
    }
    for (int32_t c = 0; c < body_cell_count(&track->body, place); ++c) {
      if (touches_cell(source, begin, body_cell(&track->body, &grid, place, c), stay)) {
        return true;
      }
    }
  }
  return false;
}

bool source_touches(
  const source_t * source, interval_t begin, const schedule_t * schedule, const frame_t * frame, int64_t now_ns)
{
  for (int32_t r = 0; source->span_count > 0 && r < schedule->robot_count; ++r) {
    if (touches_track(source, begin, &schedule->tracks[r], frame, now_ns)) {
      return true;
    }
  }
  return false;
}
