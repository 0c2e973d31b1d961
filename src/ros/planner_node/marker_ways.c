#include <math.h>

#include "ros/planner_node/marker_layers.h"

enum { LEGS_MAX = 16 };  // that a robot may have driven since

static const double TUBE_SECONDS = 30.0;      // ahead
static const double METRES_PER_SECOND = 0.3;  // upwards
static const double PATH_Z = 0.03;            // metres, above the map

static double size_of(const planning_t * planning) { return fmax(2.0 * planning->settings.robot_radius, 0.05); }

static bool has_track(const planning_t * planning, int32_t robot)
{
  return robot_is_there(&planning->fleet.robots[robot]) && planning->schedule.tracks[robot].count > 1;
}

static bool are_one_place(point_t a, point_t b) { return point_distance(a, b) < 1e-6; }

// Does a line look the same without `at`, between these two?
static bool is_between(point_t before, point_t at, point_t after)
{
  const double cross = (at.x - before.x) * (after.y - at.y) - (at.y - before.y) * (after.x - at.x);
  const double dot = (at.x - before.x) * (after.x - at.x) + (at.y - before.y) * (after.y - at.y);
  return fabs(cross) < 1e-9 && dot > 0.0;
}

// From waypoint `first` on: ends, corners, and no waits.
static void add_corners(marker_list_t * list, marker_t * line, const track_t * track, int32_t first)
{
  for (int32_t k = first; k < track->count; ++k) {
    const point_t at = track->waypoints[k].point;
    const size_t count = line->points.size;
    if (k + 1 < track->count) {
      const point_t after = track->waypoints[k + 1].point;
      const geometry_msgs__msg__Point * last = count > 0 ? &line->points.data[count - 1] : NULL;
      if (are_one_place(at, after) || (last != NULL && is_between((point_t){last->x, last->y}, at, after))) {
        continue;
      }
    }
    (void)marker_add_point(list, line, at.x, at.y, PATH_Z);
  }
}

// The waypoint that comes next for a robot where it is: the end of the first leg that it is on. The track begins at the
// last one that it has reported to be at, and it has driven on since.
static int32_t next_waypoint(const track_t * track, const robot_t * robot, double near)
{
  for (int32_t k = 1; robot->has_pose && k < track->count && k <= LEGS_MAX; ++k) {
    const point_t a = track->waypoints[k - 1].point, b = track->waypoints[k].point, p = robot->point;
    const double dx = b.x - a.x, dy = b.y - a.y, square = dx * dx + dy * dy;
    const double along = square > 0.0 ? ((p.x - a.x) * dx + (p.y - a.y) * dy) / square : -1.0;
    if (along >= 0.0 && along < 1.0 && hypot(p.x - a.x - along * dx, p.y - a.y - along * dy) < near) {
      return k;
    }
  }
  return 0;
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
  const robot_t * about = &planning->fleet.robots[robot];
  const int32_t next = next_waypoint(track, about, 0.5 * size_of(planning));
  if (next > 0) {
    (void)marker_add_point(list, line, about->point.x, about->point.y, PATH_Z);
  }
  add_corners(list, line, track, next);
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
