// Space that stays reserved without a plan. See old_release.h.

#include "controller/restart/old_release.h"

#include <math.h>
#include <stdlib.h>

#include "base/assert.h"

static const double END_YAW = 0.3;  // radians
static const double WHOLE_TURN = 6.283185307179586;
static const double SAMPLES_PER_CELL = 8;  // of the arc that a footprint's outermost cell describes in a turn

void fw__old_release_fini(fw_old_release_t * release)
{
  free(release->path.waypoints);
  *release = (fw_old_release_t){0};
}

// ---- where the robot is

// Of motions that are equally near, the earlier one counts: that keeps more reserved. What is kept is the way back,
// too, with the turn at its beginning.
static void locate(fw_old_release_t * release, fw_point_t point, double near)
{
  const fw_timed_path_t * path = &release->path;
  double least = INFINITY;
  int32_t at = release->first;
  for (int32_t k = release->first; k < path->count; ++k) {
    const fw_point_t a = path->waypoints[k].point;
    const fw_point_t b = path->waypoints[k + 1 < path->count ? k + 1 : k].point;
    const double distance = fw__point_line_distance(point, a, b);
    if (distance < least - 1e-9) {
      least = distance;
      at = k;
    }
  }
  release->off_path = path->count > 0 ? least : 0.0;
  release->first = release->off_path <= near && !release->is_kept ? at : release->first;
}

void fw__old_release_report(fw_old_release_t * release, fw_pose_t pose, double near)
{
  FW_ASSERT(release->is_there && fw__point_is_finite(pose.point));
  release->place = pose;
  release->has_place = true;
  release->is_reported = true;
  release->place_radius = 0.0;
  locate(release, pose.point, near);
}

void fw__old_release_recall(fw_old_release_t * release, fw_pose_t pose, double near, double radius)
{
  FW_ASSERT(release->is_there && !release->is_reported);
  release->place = pose;
  release->has_place = true;
  release->place_radius = radius;
  locate(release, pose.point, near);
}

bool fw__old_release_is_at_end(const fw_old_release_t * release, const fw_robot_body_t * body, double near)
{
  if (release->path.count == 0) {
    return true;
  }
  const fw_timed_waypoint_t * end = &release->path.waypoints[release->path.count - 1];
  const bool has_yaw = (body->turn_ticks > 0 || release->end_yaw_tolerance > 0.0) && !isnan(end->yaw);
  const double turn = has_yaw ? remainder(release->place.yaw - end->yaw, WHOLE_TURN) : 0;
  const double turn_max = release->end_yaw_tolerance > 0.0 ? release->end_yaw_tolerance : END_YAW;
  const double distance_max = release->end_tolerance > 0.0 ? release->end_tolerance : near;
  return release->has_place && fw__point_distance(end->point, release->place.point) <= distance_max &&
         fabs(turn) <= turn_max;
}

// ---- the cells

typedef struct cell_visitor_t {
  const fw_reserved_space_t * space;
  const fw_map_frame_t * frame;
  fw_raster_visitor_t to;
} cell_visitor_t;

// The centre of a cell of the footprint.
static fw_point_t disc_centre(const cell_visitor_t * visitor, fw_pose_t pose, int32_t index)
{
  const fw_robot_body_t * body = visitor->space->body;
  const double turn = body->turn_ticks > 0 ? pose.yaw : visitor->frame->yaw;
  const double dx = (double)body->outline->cells[0][index].dx * visitor->frame->resolution;
  const double dy = (double)body->outline->cells[0][index].dy * visitor->frame->resolution;
  return (fw_point_t){pose.point.x + cos(turn) * dx - sin(turn) * dy, pose.point.y + sin(turn) * dx + cos(turn) * dy};
}

static void visit_at(const cell_visitor_t * visitor, fw_pose_t pose, double growth)
{
  const fw_measured_body_t measured = {visitor->space->body, pose, visitor->space->radius, growth};
  fw__robot_body_visit_touched_cells(&measured, visitor->frame, visitor->to);
}

// A straight motion sweeps each disc along a line. A turn, and any motion of a hull, is sampled so densely that nothing
// jumps over a cell.
static void visit_motion(const cell_visitor_t * visitor, fw_pose_t from, fw_pose_t to)
{
  const fw_robot_body_t * body = visitor->space->body;
  const double radius = visitor->space->radius + visitor->space->release->margin;
  const double turn = body->turn_ticks > 0 ? remainder(to.yaw - from.yaw, WHOLE_TURN) : 0.0;
  if (fabs(turn) < 1e-6 && body->hull == NULL) {
    for (int32_t k = 0; k < body->outline->counts[0]; ++k) {
      const fw_raster_sweep_t sweep = {disc_centre(visitor, from, k), disc_centre(visitor, to, k), radius};
      (void)fw__raster_visit_sweep(visitor->frame, &sweep, visitor->to);
    }
    return;
  }
  const double length = fw__point_distance(from.point, to.point) / visitor->frame->resolution;  // cells
  const double arc = fabs(turn) * (1.0 + 1.5 * (double)body->outline->reach) + length;
  const int32_t count = 1 + (int32_t)ceil(arc * SAMPLES_PER_CELL);
  for (int32_t k = 0; k <= count; ++k) {
    const double share = (double)k / (double)count;
    const fw_pose_t pose = {
      {from.point.x + share * (to.point.x - from.point.x), from.point.y + share * (to.point.y - from.point.y)},
      from.yaw + share * turn};
    const double between = body->hull == NULL ? 0.0 : 0.5 * visitor->frame->resolution / SAMPLES_PER_CELL;
    visit_at(visitor, pose, visitor->space->release->margin + between);
  }
}

void fw__reserved_space_visit_cells(
  const fw_reserved_space_t * space, const fw_map_frame_t * frame, fw_raster_visitor_t to)
{
  const fw_old_release_t * release = space->release;
  const fw_timed_path_t * path = &release->path;
  const cell_visitor_t visitor = {space, frame, to};
  FW_ASSERT(release->is_there && (path->count == 0 || release->first < path->count));
  for (int32_t k = release->first; k < path->count; ++k) {
    const fw_pose_t pose = fw__timed_waypoint_pose(&path->waypoints[k], frame);
    visit_at(&visitor, pose, release->margin);
    if (k + 1 < path->count) {
      visit_motion(&visitor, pose, fw__timed_waypoint_pose(&path->waypoints[k + 1], frame));
    }
  }
  // A place from a journal is behind the robot while it drives along its path: then it says nothing of its own. Beside
  // the path, or without one, it is where the robot stands.
  const bool is_on_path = path->count > 0 && release->off_path <= 0.1 * frame->resolution;
  if (release->has_place && (release->is_reported || !is_on_path)) {
    visit_at(&visitor, release->place, release->margin + release->place_radius);
  }
}
