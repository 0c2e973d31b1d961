// What is left of each robot's way, as waypoints with times: from the last one that it has reached to the end.
//
// A waypoint of the graph has the time of arrival. Where the next motion begins later than that, there is a second one of
// the same place: a wait. Behind a robot that has stopped for good times are infinite; there they go on as planned, as if
// it drove on now.

#include <math.h>
#include <stdlib.h>

#include "ros/planner_node/driving.h"

static bool reserve(track_t * track, int32_t count)
{
  if (count > track->capacity) {
    waypoint_t * waypoints = realloc(track->waypoints, 2 * (size_t)count * sizeof *waypoints);
    if (waypoints == NULL) {
      return false;
    }
    track->waypoints = waypoints;
    track->capacity = 2 * count;
  }
  return true;
}

static double motion_seconds(
  const driving_t * driving, const body_t * body, const fw_execution_waypoint_t * from,
  const fw_execution_waypoint_t * to)
{
  const int32_t ticks = from->cell != to->cell ? body->ticks_per_move : body->turn_ticks;
  return (double)ticks * driving->options.seconds_per_tick;
}

static void append(
  const driving_t * driving, track_t * track, const body_t * body, const fw_execution_waypoint_t * waypoint,
  double seconds)
{
  const bool is_round = body->turn_ticks == 0 && body->outline->counts[0] == 1;
  int64_t stamp_ns = driving->base_ns + (int64_t)(seconds * 1e9);
  if (track->count > 0 && stamp_ns <= track->waypoints[track->count - 1].stamp_ns) {
    stamp_ns = track->waypoints[track->count - 1].stamp_ns + 1000;
  }
  track->waypoints[track->count++] = (waypoint_t){
    .stamp_ns = stamp_ns,
    .point = frame_point(&driving->frame, waypoint->cell),
    .yaw = is_round ? NAN : frame_yaw(&driving->frame, waypoint->heading),
  };
}

bool driving_write_track(const driving_t * driving, int32_t index, const body_t * body, track_t * track)
{
  const fw_execution_status_t status = driving_status(driving, index);
  track->count = 0;
  track->body = *body;
  if (status.state == FW_EXECUTION_ABSENT) {
    return true;
  }
  if (!reserve(track, 2 * (status.end - status.reached + 1))) {
    return false;
  }
  fw_execution_waypoint_t before = {0};
  double time = 0.0;
  for (int32_t at = status.reached; at <= status.end; ++at) {
    fw_execution_waypoint_t waypoint;
    if (fw_execution_waypoint(&driving->execution, index, at, &waypoint, NULL) != FW_RET_OK) {
      return false;
    }
    if (at > status.reached) {
      const double seconds = motion_seconds(driving, body, &before, &waypoint);
      const double planned = time + fmax(waypoint.planned - before.planned, seconds);
      const double arrival = isfinite(waypoint.expected) ? fmax(waypoint.expected, time) : planned;
      // Half a tick is no wait: times are not that exact.
      if (arrival - seconds > time + 0.5 * driving->options.seconds_per_tick) {
        append(driving, track, body, &before, arrival - seconds);
      }
      time = arrival;
    } else {
      time = waypoint.expected;
    }
    append(driving, track, body, &waypoint, time);
    before = waypoint;
  }
  return true;
}

int32_t driving_released_count(const driving_t * driving, int32_t index, const track_t * track)
{
  const fw_execution_status_t status = driving_status(driving, index);
  int32_t places = 0, count = 0;
  for (int32_t k = 0; k < track->count; ++k) {
    places += k == 0 || !waypoints_are_alike(&track->waypoints[k], &track->waypoints[k - 1]) ? 1 : 0;
    count = places <= status.stop_at - status.reached + 1 ? k + 1 : count;
  }
  // How long it waits at the end is for the next release to say.
  while (count > 1 && waypoints_are_alike(&track->waypoints[count - 1], &track->waypoints[count - 2])) {
    count -= 1;
  }
  return count;
}
