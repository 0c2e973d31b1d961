// Unicycle: a robot that is told how fast to drive and to turn, as on a cmd_vel topic.

#ifndef MOTION__UNICYCLE_H_
#define MOTION__UNICYCLE_H_

#include "motion/track.h"

typedef struct fw_twist_t {
  double speed;      // metres per second, ahead
  double turn_rate;  // radians per second, to the left
} fw_twist_t;

typedef struct fw_twist_limits_t {
  double speed;  // more than 0, in both directions
  double turn_rate;
  double acceleration;       // metres per second squared; 0: no bound
  double turn_acceleration;  // radians per second squared; 0: no bound
} fw_twist_limits_t;

double fw__turn_between(double from, double to);  // radians, the shorter way

// `from` after `seconds` on the way to `to`, as far as the accelerations allow, and within the limits.
fw_twist_t fw__twist_toward(fw_twist_t from, fw_twist_t to, double seconds, const fw_twist_limits_t * limits);
// Where a robot is after `seconds` at an even twist: on an arc.
fw_pose_t fw__pose_after(fw_pose_t pose, fw_twist_t twist, double seconds);

#endif  // MOTION__UNICYCLE_H_
