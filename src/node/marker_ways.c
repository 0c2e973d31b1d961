#include <math.h>

#include "node/marker_layers.h"

static const double TUBE_SECONDS = 30.0;      // ahead
static const double METRES_PER_SECOND = 0.2;  // upwards
static const double PATH_Z = 0.03;            // metres, above the map

static double size_of(const planning_t * planning) { return fmax(2.0 * planning->settings.robot_radius, 0.05); }

static bool has_track(const planning_t * planning, int32_t robot)
{
  return robot_is_there(&planning->fleet.robots[robot]) && planning->schedule.tracks[robot].count > 1;
}

static bool are_one_place(point_t a, point_t b) { return point_distance(a, b) < 1e-6; }

// On the straight way from the point before to the one after, so that the line looks the same without it.
static bool is_between(const track_t * track, int32_t index)
{
  if (index == 0 || index + 1 == track->count) {
    return false;
  }
  const point_t a = track->waypoints[index - 1].point, b = track->waypoints[index].point,
                c = track->waypoints[index + 1].point;
  const double cross = (b.x - a.x) * (c.y - b.y) - (b.y - a.y) * (c.x - b.x);
  const double dot = (b.x - a.x) * (c.x - b.x) + (b.y - a.y) * (c.y - b.y);
  return fabs(cross) < 1e-9 && dot >= 0.0;
}

bool marker_path(marker_list_t * list, const planning_t * planning, int32_t robot)
{
  const track_t * track = &planning->schedule.tracks[robot];
  if (!has_track(planning, robot)) {
    return false;
  }
  marker_t * line = marker_next(list, "paths", robot, visualization_msgs__msg__Marker__LINE_STRIP);
  if (line == NULL) {
    return false;
  }
  marker_scale(line, 0.15 * size_of(planning), 0.0, 0.0);
  line->color = marker_colour(robot, 0.9F);
  for (int32_t k = 0; k < track->count; ++k) {
    if (!is_between(track, k)) {
      (void)marker_add_point(list, line, track->waypoints[k].point.x, track->waypoints[k].point.y, PATH_Z);
    }
  }
  return line->points.size > 1;
}

// Where the robot is now, then each waypoint at its time. Upright pieces are waits.
bool marker_tube(marker_list_t * list, const planning_t * planning, int32_t robot)
{
  const track_t * track = &planning->schedule.tracks[robot];
  const robot_t * about = &planning->fleet.robots[robot];
  if (!has_track(planning, robot) || !about->has_pose) {
    return false;
  }
  marker_t * line = marker_next(list, "tubes", robot, visualization_msgs__msg__Marker__LINE_STRIP);
  if (line == NULL) {
    return false;
  }
  marker_scale(line, 0.2 * size_of(planning), 0.0, 0.0);
  line->color = marker_colour(robot, 0.9F);
  (void)marker_add_point(list, line, about->point.x, about->point.y, 0.0);
  for (int32_t k = 0; k < track->count; ++k) {
    const double ahead = 1e-9 * (double)(track->waypoints[k].stamp_ns - list->now_ns);
    // In the middle of a long wait, and of a straight way at even speed, a point adds nothing but bytes.
    const bool is_wait = k > 0 && k + 1 < track->count &&
                         are_one_place(track->waypoints[k - 1].point, track->waypoints[k].point) &&
                         are_one_place(track->waypoints[k].point, track->waypoints[k + 1].point);
    if (ahead >= 0.0 && ahead <= TUBE_SECONDS && !is_wait) {
      const point_t at = track->waypoints[k].point;
      (void)marker_add_point(list, line, at.x, at.y, METRES_PER_SECOND * ahead);
    }
  }
  return line->points.size > 1;
}

void marker_goals(marker_list_t * list, const planning_t * planning)
{
  const double size = 0.6 * size_of(planning);
  marker_t * goals = marker_next(list, "goals", 0, visualization_msgs__msg__Marker__CUBE_LIST);
  if (goals == NULL) {
    return;
  }
  marker_scale(goals, size, size, 0.02);
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    const robot_t * robot = &planning->fleet.robots[k];
    if (robot_is_there(robot) && robot->has_goal) {
      (void)marker_add_coloured(list, goals, robot->goal, 0.02, marker_colour(k, 0.9F));
    }
  }
  marker_close(goals);
}

// A dot where a robot is to stand for a while before it goes on.
void marker_waits(marker_list_t * list, const planning_t * planning)
{
  const double size = 0.3 * size_of(planning);
  marker_t * dots = marker_next(list, "waits", 0, visualization_msgs__msg__Marker__SPHERE_LIST);
  if (dots == NULL) {
    return;
  }
  marker_scale(dots, size, size, size);
  for (int32_t k = 0; k < planning->fleet.count; ++k) {
    const track_t * track = &planning->schedule.tracks[k];
    for (int32_t w = 1; has_track(planning, k) && w < track->count; ++w) {
      const point_t at = track->waypoints[w].point;
      const bool waits = are_one_place(track->waypoints[w - 1].point, at);
      const bool has_waited = w >= 2 && are_one_place(track->waypoints[w - 2].point, at);
      if (waits && !has_waited) {
        (void)marker_add_coloured(list, dots, at, 2.0 * PATH_Z, marker_colour(k, 1.0F));
      }
    }
  }
  marker_close(dots);
}
