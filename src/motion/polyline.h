// Polyline: a path as a row of poses with times, which robots follow.
//
// Between two points a robot moves straight and at constant speed; two equal points with rising times are a wait. Times
// never decrease. Two different points of one time are a step that takes as long as the robot needs for it. Where only
// the line matters (a released path), the times are not used.
//
// Memory: when there is none, an append drops its point and the polyline remembers (`has_failed`) until it is cleared.
// A caller appends without checking and checks `has_failed` once at the end.

#ifndef MOTION__POLYLINE_H_
#define MOTION__POLYLINE_H_

#include "fleetweave/fleetweave.h"

// A pose in the plane, in the frame of the map.
typedef struct fw_pose2d_t {
  double x;  // metres
  double y;
  double yaw;  // radians, counter-clockwise from the x axis
} fw_pose2d_t;

typedef struct fw_polyline_point_t {
  int64_t time_ns;
  fw_pose2d_t pose;  // yaw: heading from here on
} fw_polyline_point_t;

// A position on a polyline: `fraction` of the segment from point `index` to the next one.
typedef struct fw_polyline_position_t {
  int32_t index;
  double fraction;  // 0 to below 1; 0 on the last point
} fw_polyline_position_t;

// {0} is an empty polyline.
typedef struct fw_polyline_t {
  fw_polyline_point_t * points;
  int32_t count;
  int32_t capacity;
  bool has_failed;  // a point was dropped for want of memory since the last clear
} fw_polyline_t;

void fw__polyline_fini(fw_polyline_t * line);
void fw__polyline_clear(fw_polyline_t * line);  // keeps the memory
void fw__polyline_swap(fw_polyline_t * one, fw_polyline_t * other);
void fw__polyline_append(fw_polyline_t * line, fw_polyline_point_t point);
// Appends the points `first` to `end - 1` of `other`; none if first >= end.
void fw__polyline_append_range(fw_polyline_t * line, const fw_polyline_t * other, int32_t first, int32_t end);
// Counts fit and times do not decrease. For assertions and tests.
bool fw__polyline_validate(const fw_polyline_t * line);

// The rest needs a polyline with at least one point.

// The point at a position, between its neighbours; its yaw is that of the point before.
fw_polyline_point_t fw__polyline_at(const fw_polyline_t * line, fw_polyline_position_t position);
// Where a robot that is on time is at `time_ns`: before the first time on the first point, after the last on the last.
fw_polyline_position_t fw__polyline_position_at(const fw_polyline_t * line, int64_t time_ns);
// The position nearest to `pose`, from `from` to where the polyline is at `until_ns`; of equally near ones the latest.
fw_polyline_position_t fw__polyline_nearest(
  const fw_polyline_t * line, fw_polyline_position_t from, int64_t until_ns, const fw_pose2d_t * pose);

double fw__pose2d_distance(const fw_pose2d_t * one, const fw_pose2d_t * other);  // metres, of the positions

#endif  // MOTION__POLYLINE_H_
