// Timed paths and the schedule of the fleet. See schedule.h.

#include "controller/round/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/heap.h"

// PAST_TICKS: of the old path, kept for robots that are a little late. DELAY_TICKS_MAX: no longer delay is measured.
enum { PAST_TICKS = 2, DELAY_TICKS_MAX = 64 };

// ---- timed paths

bool fw__timed_path_reserve(fw_timed_path_t * path, int32_t count)
{
  FW_ASSERT(count >= 0);
  if (count <= path->capacity) {
    return true;
  }
  const int32_t capacity = count > 2 * path->capacity ? count : 2 * path->capacity;
  fw_timed_waypoint_t * waypoints = fw__realloc(path->waypoints, (size_t)capacity * sizeof *waypoints);
  if (waypoints == NULL) {
    return false;
  }
  path->waypoints = waypoints;
  path->capacity = capacity;
  return true;
}

// The last waypoint that is not after a time, or the first one.
static int32_t find(const fw_timed_path_t * path, int64_t time_ns)
{
  int32_t low = 0, high = path->count;
  while (high - low > 1) {
    const int32_t middle = low + (high - low) / 2;
    if (path->waypoints[middle].stamp_ns <= time_ns) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

fw_point_t fw__timed_path_at(const fw_timed_path_t * path, int64_t time_ns)
{
  FW_ASSERT(path->count > 0);
  const int32_t low = find(path, time_ns);
  const fw_timed_waypoint_t * a = &path->waypoints[low];
  if (low + 1 >= path->count || time_ns <= a->stamp_ns) {
    return a->point;
  }
  const fw_timed_waypoint_t * b = a + 1;
  const double share = (double)(time_ns - a->stamp_ns) / (double)(b->stamp_ns - a->stamp_ns);
  return (fw_point_t){a->point.x + share * (b->point.x - a->point.x), a->point.y + share * (b->point.y - a->point.y)};
}

bool fw__timed_waypoints_are_alike(const fw_timed_waypoint_t * a, const fw_timed_waypoint_t * b)
{
  const bool looks_alike = isnan(a->yaw) || isnan(b->yaw) || cos(a->yaw - b->yaw) > 1.0 - 1e-9;
  return fw__point_distance(a->point, b->point) < 1e-9 && looks_alike;
}

fw_path_motion_t fw__timed_path_motion(const fw_timed_path_t * path, int64_t time_ns)
{
  FW_ASSERT(path->count > 0);
  const int32_t low = find(path, time_ns);
  const fw_timed_waypoint_t * a = &path->waypoints[low];
  const bool stands = low + 1 >= path->count || time_ns <= a->stamp_ns || fw__timed_waypoints_are_alike(a, a + 1);
  return (fw_path_motion_t){a, stands ? a : a + 1};
}

int64_t fw__timed_path_end(const fw_timed_path_t * path)
{
  return path->count == 0 ? 0 : path->waypoints[path->count - 1].stamp_ns;
}

int64_t fw__timed_path_delay(const fw_timed_path_t * path, int64_t now_ns, int64_t tick_ns, fw_point_t point)
{
  if (path->count == 0 || tick_ns <= 0) {
    return 0;
  }
  int64_t best_ns = 0;
  double best = fw__point_distance(point, fw__timed_path_at(path, now_ns));
  for (int64_t delay_ns = tick_ns / 4; delay_ns < DELAY_TICKS_MAX * tick_ns; delay_ns += tick_ns / 4 + 1) {
    if (now_ns - delay_ns < path->waypoints[0].stamp_ns) {
      break;
    }
    const double distance = fw__point_distance(point, fw__timed_path_at(path, now_ns - delay_ns));
    if (distance < best - 1e-6) {
      best = distance;
      best_ns = delay_ns;
    }
  }
  return best_ns;
}

// ---- the schedule

bool fw__schedule_init(fw_schedule_t * schedule, int32_t robot_count)
{
  *schedule = (fw_schedule_t){.robot_count = robot_count, .safe_until_ns = FW_TIME_MAX_NS};
  schedule->paths = fw__calloc((size_t)robot_count + 1, sizeof *schedule->paths);
  return schedule->paths != NULL;
}

bool fw__schedule_grow(fw_schedule_t * schedule, int32_t robot_count)
{
  if (robot_count <= schedule->robot_count) {
    return true;
  }
  fw_timed_path_t * tracks = fw__realloc(schedule->paths, ((size_t)robot_count + 1) * sizeof *tracks);
  if (tracks == NULL) {
    return false;
  }
  schedule->paths = tracks;
  for (; schedule->robot_count < robot_count; ++schedule->robot_count) {
    tracks[schedule->robot_count] = (fw_timed_path_t){0};
  }
  return true;
}

void fw__schedule_fini(fw_schedule_t * schedule)
{
  for (int32_t k = 0; schedule->paths != NULL && k < schedule->robot_count; ++k) {
    free(schedule->paths[k].waypoints);
  }
  free(schedule->paths);
  free(schedule->scratch.waypoints);
  *schedule = (fw_schedule_t){0};
}

void fw__schedule_clear(fw_schedule_t * schedule)
{
  for (int32_t k = 0; k < schedule->robot_count; ++k) {
    schedule->paths[k].count = 0;
  }
  schedule->epoch_ns = 0;
  schedule->tick_ns = 0;
  schedule->safe_until_ns = FW_TIME_MAX_NS;
  schedule->planner[0] = '\0';
}

int64_t fw__schedule_end(const fw_schedule_t * schedule)
{
  int64_t end_ns = 0;
  for (int32_t k = 0; k < schedule->robot_count; ++k) {
    const int64_t track_end_ns = fw__timed_path_end(&schedule->paths[k]);
    end_ns = track_end_ns > end_ns ? track_end_ns : end_ns;
  }
  return end_ns;
}

int64_t fw__schedule_round_up(const fw_schedule_t * schedule, int64_t time_ns)
{
  if (schedule->tick_ns <= 0) {
    return time_ns;
  }
  if (time_ns <= schedule->epoch_ns) {
    return schedule->epoch_ns;
  }
  FW_ASSERT(time_ns > schedule->epoch_ns);
  const int64_t ticks = (time_ns - schedule->epoch_ns + schedule->tick_ns - 1) / schedule->tick_ns;
  return schedule->epoch_ns + ticks * schedule->tick_ns;
}

// The first waypoint of the part of the old path that is kept: where the robot was PAST_TICKS ago.
static fw_timed_waypoint_t begin_at(
  const fw_schedule_t * schedule, const fw_timed_path_t * old, const fw_path_change_t * change)
{
  const int64_t ticks = (change->epoch_ns - change->now_ns) / schedule->tick_ns + PAST_TICKS;
  const int64_t wanted_ns = change->epoch_ns - ticks * schedule->tick_ns;
  const int64_t begin_ns = wanted_ns > old->waypoints[0].stamp_ns ? wanted_ns : old->waypoints[0].stamp_ns;
  const fw_path_motion_t motion = fw__timed_path_motion(old, begin_ns);
  fw_timed_waypoint_t begin = *motion.from;
  begin.stamp_ns = motion.from == motion.to ? begin_ns : begin.stamp_ns;
  return begin;
}

// Copies the part of the old path that the robot still drives until the epoch. A robot at its end waits there, tick by
// tick.
static bool keep_old(
  const fw_schedule_t * schedule, const fw_timed_path_t * old, const fw_path_change_t * change, fw_timed_path_t * new)
{
  fw_timed_waypoint_t next = begin_at(schedule, old, change);
  int32_t from = find(old, next.stamp_ns) + 1;
  while (next.stamp_ns < change->epoch_ns) {
    if (!fw__timed_path_reserve(new, new->count + 1)) {
      return false;
    }
    new->waypoints[new->count++] = next;
    if (from < old->count) {
      next = old->waypoints[from++];
    } else {
      next.stamp_ns += schedule->tick_ns;
    }
  }
  return true;
}

bool fw__schedule_change_path(fw_schedule_t * schedule, int32_t robot, const fw_path_change_t * change)
{
  FW_ASSERT(robot >= 0 && robot < schedule->robot_count);
  fw_timed_path_t * old = &schedule->paths[robot];
  fw_timed_path_t * new = &schedule->scratch;
  const bool keeps_old =
    change->keeps_old && old->count > 0 && schedule->tick_ns > 0 && change->now_ns < change->epoch_ns;
  new->count = 0;
  if (
    (keeps_old && !keep_old(schedule, old, change, new)) || !fw__timed_path_reserve(new, new->count + change->count)) {
    return false;
  }
  for (int32_t k = 0; k < change->count; ++k) {
    new->waypoints[new->count++] = change->waypoints[k];
  }
  // Waits after the last move carry no information.
  while (new->count > 1 &&
         fw__timed_waypoints_are_alike(&new->waypoints[new->count - 1], &new->waypoints[new->count - 2])) {
    new->count -= 1;
  }
  new->body = change->body;
  const fw_timed_path_t swap = *old;
  *old = *new;
  *new = swap;
  new->count = 0;
  return true;
}
