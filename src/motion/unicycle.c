// Unicycle: driving and turning as told. See unicycle.h.

#include "motion/unicycle.h"

#include <math.h>

static const double PI = 3.14159265358979323846;
static const double STRAIGHT = 1e-9;  // radians; an arc this flat is a line

double fw__turn_between(double from, double to) { return remainder(to - from, 2.0 * PI); }

static double clamp(double value, double bound) { return value > bound ? bound : value < -bound ? -bound : value; }

static double toward(double from, double to, double step) { return step > 0.0 ? from + clamp(to - from, step) : to; }

fw_twist_t fw__twist_toward(fw_twist_t from, fw_twist_t to, double seconds, const fw_twist_limits_t * limits)
{
  const fw_twist_t wanted = {clamp(to.speed, limits->speed), clamp(to.turn_rate, limits->turn_rate)};
  return (fw_twist_t){
    .speed = toward(from.speed, wanted.speed, limits->acceleration * seconds),
    .turn_rate = toward(from.turn_rate, wanted.turn_rate, limits->turn_acceleration * seconds),
  };
}

fw_pose_t fw__pose_after(fw_pose_t pose, fw_twist_t twist, double seconds)
{
  const double angle = twist.turn_rate * seconds;
  const double length = twist.speed * seconds;
  // The chord of the arc: it looks half the angle ahead.
  const double chord = fabs(angle) < STRAIGHT ? length : length * sin(0.5 * angle) / (0.5 * angle);
  return (fw_pose_t){
    .x = pose.x + chord * cos(pose.yaw + 0.5 * angle),
    .y = pose.y + chord * sin(pose.yaw + 0.5 * angle),
    .yaw = remainder(pose.yaw + angle, 2.0 * PI),
  };
}
