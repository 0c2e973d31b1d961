#include "ros/planner_node/schedule.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A robot that is a little late has still to pass the last points of the old track.
enum { PAST_TICKS = 2, DELAY_TICKS_MAX = 64 };

bool schedule_init(schedule_t * schedule, int32_t robot_count)
{
  *schedule = (schedule_t){.robot_count = robot_count, .safe_until_ns = TIME_MAX};
  schedule->tracks = calloc((size_t)robot_count + 1, sizeof *schedule->tracks);
  return schedule->tracks != NULL;
}

bool schedule_grow(schedule_t * schedule, int32_t robot_count)
{
  track_t * tracks = realloc(schedule->tracks, ((size_t)robot_count + 1) * sizeof *tracks);
  if (tracks == NULL) {
    return false;
  }
  schedule->tracks = tracks;
  for (; schedule->robot_count < robot_count; ++schedule->robot_count) {
    tracks[schedule->robot_count] = (track_t){0};
  }
  return true;
}

void schedule_fini(schedule_t * schedule)
{
  for (int32_t k = 0; schedule->tracks != NULL && k < schedule->robot_count; ++k) {
    free(schedule->tracks[k].waypoints);
  }
  free(schedule->tracks);
  free(schedule->scratch.waypoints);
  *schedule = (schedule_t){0};
}

void schedule_clear(schedule_t * schedule)
{
  for (int32_t k = 0; k < schedule->robot_count; ++k) {
    schedule->tracks[k].count = 0;
  }
  schedule->epoch_ns = 0;
  schedule->tick_ns = 0;
  schedule->safe_until_ns = TIME_MAX;
  schedule->planner[0] = '\0';
}

// The last waypoint that is not after a time, or the first.
static int32_t find(const track_t * track, int64_t time_ns)
{
  int32_t low = 0, high = track->count;
  while (high - low > 1) {
    const int32_t middle = low + (high - low) / 2;
    if (track->waypoints[middle].stamp_ns <= time_ns) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return low;
}

point_t track_at(const track_t * track, int64_t time_ns)
{
  const int32_t low = find(track, time_ns);
  const waypoint_t * a = &track->waypoints[low];
  if (low + 1 >= track->count || time_ns <= a->stamp_ns) {
    return a->point;
  }
  const waypoint_t * b = a + 1;
  const double share = (double)(time_ns - a->stamp_ns) / (double)(b->stamp_ns - a->stamp_ns);
  return (point_t){a->point.x + share * (b->point.x - a->point.x), a->point.y + share * (b->point.y - a->point.y)};
}

bool waypoints_are_alike(const waypoint_t * a, const waypoint_t * b)
{
  const bool looks_alike = isnan(a->yaw) || isnan(b->yaw) || cos(a->yaw - b->yaw) > 1.0 - 1e-9;
  return point_distance(a->point, b->point) < 1e-9 && looks_alike;
}

track_motion_t track_motion(const track_t * track, int64_t time_ns)
{
  const int32_t low = find(track, time_ns);
  const waypoint_t * a = &track->waypoints[low];
  const bool stands = low + 1 >= track->count || time_ns <= a->stamp_ns || waypoints_are_alike(a, a + 1);
  return (track_motion_t){a, stands ? a : a + 1};
}

int64_t track_end(const track_t * track) { return track->count == 0 ? 0 : track->waypoints[track->count - 1].stamp_ns; }

int64_t track_delay(const track_t * track, int64_t now_ns, int64_t tick_ns, point_t point)
{
  if (track->count == 0 || tick_ns <= 0) {
    return 0;
  }
  int64_t best_ns = 0;
  double best = point_distance(point, track_at(track, now_ns));
  for (int64_t delay_ns = tick_ns / 4; delay_ns < DELAY_TICKS_MAX * tick_ns; delay_ns += tick_ns / 4 + 1) {
    if (now_ns - delay_ns < track->waypoints[0].stamp_ns) {
      break;
    }
    const double distance = point_distance(point, track_at(track, now_ns - delay_ns));
    if (distance < best - 1e-6) {
      best = distance;
      best_ns = delay_ns;
    }
  }
  return best_ns;
}

int64_t schedule_end(const schedule_t * schedule)
{
  int64_t end_ns = 0;
  for (int32_t k = 0; k < schedule->robot_count; ++k) {
    const int64_t track_end_ns = track_end(&schedule->tracks[k]);
    end_ns = track_end_ns > end_ns ? track_end_ns : end_ns;
  }
  return end_ns;
}

int64_t schedule_round_up(const schedule_t * schedule, int64_t time_ns)
{
  if (schedule->tick_ns <= 0) {
    return time_ns;
  }
  if (time_ns <= schedule->epoch_ns) {
    return schedule->epoch_ns;
  }
  const int64_t ticks = (time_ns - schedule->epoch_ns + schedule->tick_ns - 1) / schedule->tick_ns;
  return schedule->epoch_ns + ticks * schedule->tick_ns;
}

static bool reserve(track_t * track, int32_t count)
{
  if (count <= track->capacity) {
    return true;
  }
  const int32_t capacity = count > 2 * track->capacity ? count : 2 * track->capacity;
  waypoint_t * waypoints = realloc(track->waypoints, (size_t)capacity * sizeof *waypoints);
  if (waypoints == NULL) {
    return false;
  }
  track->waypoints = waypoints;
  track->capacity = capacity;
  return true;
}

// The first waypoint of what is kept of the old track: where the robot was a moment ago.
static waypoint_t begin_at(const schedule_t * schedule, const track_t * old, const track_change_t * change)
{
  const int64_t ticks = (change->epoch_ns - change->now_ns) / schedule->tick_ns + PAST_TICKS;
  const int64_t wanted_ns = change->epoch_ns - ticks * schedule->tick_ns;
  const int64_t begin_ns = wanted_ns > old->waypoints[0].stamp_ns ? wanted_ns : old->waypoints[0].stamp_ns;
  const track_motion_t motion = track_motion(old, begin_ns);
  waypoint_t begin = *motion.from;
  begin.stamp_ns = motion.from == motion.to ? begin_ns : begin.stamp_ns;
  return begin;
}

// What robots still do of the old track until the epoch. Who stands at its end waits there tick by tick.
static bool keep_old(const schedule_t * schedule, const track_t * old, const track_change_t * change, track_t * new)
{
  waypoint_t next = begin_at(schedule, old, change);
  int32_t from = find(old, next.stamp_ns) + 1;
  while (next.stamp_ns < change->epoch_ns) {
    if (!reserve(new, new->count + 1)) {
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

bool schedule_change_track(schedule_t * schedule, int32_t robot, const track_change_t * change)
{
  track_t * old = &schedule->tracks[robot];
  track_t * new = &schedule->scratch;
  const bool keeps_old =
    change->keeps_old && old->count > 0 && schedule->tick_ns > 0 && change->now_ns < change->epoch_ns;
  new->count = 0;
  if ((keeps_old && !keep_old(schedule, old, change, new)) || !reserve(new, new->count + change->count)) {
    return false;
  }
  for (int32_t k = 0; k < change->count; ++k) {
    new->waypoints[new->count++] = change->waypoints[k];
  }
  // Waits after the last move say nothing.
  while (new->count > 1 && waypoints_are_alike(&new->waypoints[new->count - 1], &new->waypoints[new->count - 2])) {
    new->count -= 1;
  }
  new->body = change->body;
  const track_t swap = *old;
  *old = *new;
  *new = swap;
  new->count = 0;
  return true;
}
