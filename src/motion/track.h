// Track: a line of timed points, as a robot was told to drive it.
//
// Between two points a robot moves straight and evenly; two equal points with rising times are a wait. Times never
// fall. Two different points of one time are a leap that takes as long as the robot's speed asks for.

#ifndef MOTION__TRACK_H_
#define MOTION__TRACK_H_

#include "fleetweave/fleetweave.h"

typedef struct fw_pose_t {
  double x;  // metres
  double y;
  double yaw;  // radians
} fw_pose_t;

typedef struct fw_track_point_t {
  int64_t time_ns;
  fw_pose_t pose;  // yaw: where the robot looks from here on
} fw_track_point_t;

// A place on a track: `fraction` of the way from point `index` to the one after it.
typedef struct fw_track_place_t {
  int32_t index;
  double fraction;  // 0 to below 1; 0 on the last point
} fw_track_place_t;

typedef struct fw_track_t {
  fw_track_point_t * points;
  int32_t count;
  int32_t capacity;
} fw_track_t;

void fw__track_fini(fw_track_t * track);
void fw__track_clear(fw_track_t * track);  // keeps the memory
void fw__track_swap(fw_track_t * one, fw_track_t * other);
FW_MUST_USE fw_ret_t fw__track_append(fw_track_t * track, fw_track_point_t point);
// Appends the points `first` to `end - 1` of `other`.
FW_MUST_USE fw_ret_t fw__track_append_range(fw_track_t * track, const fw_track_t * other, int32_t first, int32_t end);

// A track with at least one point:
fw_track_point_t fw__track_at(const fw_track_t * track, fw_track_place_t place);
// Where an unhindered robot is at a time: before the first point on it, after the last on that.
fw_track_place_t fw__track_place(const fw_track_t * track, int64_t time_ns);
// The place nearest to (x, y) from `from` to what the track reaches at `until_ns`; of equally near ones the latest.
fw_track_place_t fw__track_nearest(
  const fw_track_t * track, fw_track_place_t from, int64_t until_ns, const fw_pose_t * pose);

double fw__pose_distance(const fw_pose_t * one, const fw_pose_t * other);

#endif  // MOTION__TRACK_H_
