// Unicycle: the kinematics of a robot that drives forward and turns, commanded as on a cmd_vel topic. A holonomic robot
// also moves sideways.

#ifndef MOTION__UNICYCLE_H_
#define MOTION__UNICYCLE_H_

#include "motion/polyline.h"

typedef struct fw_twist_t {
  double speed;      // metres per second, forward
  double turn_rate;  // radians per second, counter-clockwise
  double sideways;   // metres per second, to the left; of holonomic robots only
} fw_twist_t;

typedef struct fw_twist_limits_t {
  double speed;  // more than 0, in all directions
  double turn_rate;
  double acceleration;       // metres per second squared; 0: no limit
  double turn_acceleration;  // radians per second squared; 0: no limit
} fw_twist_limits_t;

double fw__shortest_angular_distance(double from, double to);  // radians, -pi to pi

// The twist after `seconds` on the way from `from` to `to`, as far as the accelerations allow, and within the limits.
fw_twist_t fw__twist_toward(fw_twist_t from, fw_twist_t to, double seconds, const fw_twist_limits_t * limits);
// Where a robot is after `seconds` at a constant twist: on an arc.
fw_pose2d_t fw__pose2d_after(fw_pose2d_t pose, fw_twist_t twist, double seconds);

#endif  // MOTION__UNICYCLE_H_
