// Wheels: a robot that does what cmd_vel says. See wheels.h.

#include "ros/fleet_sim/wheels.h"

static double draw(fw_rng_t * rng, double error)
{
  return 1.0 + error * ((double)(fw__rng_next(rng) >> 11) * 0x1p-52 - 1.0);
}

void sim_wheels_tell(sim_wheels_t * wheels, fw_twist_t twist)
{
  wheels->told = twist;
  wheels->is_told = true;
}

fw_pose_t sim_wheels_step(
  sim_wheels_t * wheels, fw_pose_t pose, int64_t now_ns, double seconds, double pace,
  const sim_wheels_options_t * options)
{
  const int64_t second = now_ns / 1000000000 + 1;  // never 0, which is before the first
  if (second != wheels->second) {
    wheels->second = second;
    wheels->error = (fw_twist_t){draw(&wheels->rng, options->error), draw(&wheels->rng, options->error)};
  }
  wheels->told_ns = wheels->is_told ? now_ns : wheels->told_ns;
  wheels->is_told = false;
  const bool obeys = now_ns - wheels->told_ns <= options->patience_ns;
  const fw_twist_t wanted = obeys ? wheels->told : (fw_twist_t){0};
  if (pace <= 0.0) {
    wheels->twist = (fw_twist_t){0};
    return pose;
  }
  fw_twist_limits_t limits = options->limits;
  limits.speed *= pace;
  wheels->twist = fw__twist_toward(wheels->twist, wanted, seconds, &limits);
  const fw_twist_t real = {
    wheels->twist.speed * wheels->error.speed, wheels->twist.turn_rate * wheels->error.turn_rate};
  return fw__pose_after(pose, real, seconds);
}
