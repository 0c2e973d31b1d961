// Unicycle: kinematics of a commanded robot. See unicycle.h.

#include "motion/unicycle.h"

#include <math.h>

#include "base/assert.h"

static const double PI = 3.14159265358979323846;
static const double STRAIGHT = 1e-9;  // radians; an arc this flat is a line

double fw__shortest_angular_distance(double from, double to) { return remainder(to - from, 2.0 * PI); }

static double clamp(double value, double bound) { return value > bound ? bound : value < -bound ? -bound : value; }

static double toward(double from, double to, double step) { return step > 0.0 ? from + clamp(to - from, step) : to; }

fw_twist_t fw__twist_toward(fw_twist_t from, fw_twist_t to, double seconds, const fw_twist_limits_t * limits)
{
  FW_ASSERT(limits->speed >= 0.0 && limits->turn_rate >= 0.0 && seconds >= 0.0);
  return (fw_twist_t){
    .speed = toward(from.speed, clamp(to.speed, limits->speed), limits->acceleration * seconds),
    .turn_rate = toward(from.turn_rate, clamp(to.turn_rate, limits->turn_rate), limits->turn_acceleration * seconds),
    .sideways = toward(from.sideways, clamp(to.sideways, limits->speed), limits->acceleration * seconds),
  };
}

fw_pose2d_t fw__pose2d_after(fw_pose2d_t pose, fw_twist_t twist, double seconds)
{
  const double angle = twist.turn_rate * seconds;
  // The chord of the arc points half the angle ahead of the first heading.
  const double chord = fabs(angle) < STRAIGHT ? seconds : seconds * sin(0.5 * angle) / (0.5 * angle);
  const double along = cos(pose.yaw + 0.5 * angle), across = sin(pose.yaw + 0.5 * angle);
  return (fw_pose2d_t){
    .x = pose.x + chord * (twist.speed * along - twist.sideways * across),
    .y = pose.y + chord * (twist.speed * across + twist.sideways * along),
    .yaw = remainder(pose.yaw + angle, 2.0 * PI),
  };
}
