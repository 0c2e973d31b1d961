// Wheels: a robot that does what cmd_vel says, as well as it can: within its limits, with errors of its own, and only
// for as long as somebody goes on telling it.

#ifndef ROS__FLEET_SIM__WHEELS_H_
#define ROS__FLEET_SIM__WHEELS_H_

#include "base/rng.h"
#include "motion/unicycle.h"

typedef struct sim_wheels_options_t {
  fw_twist_limits_t limits;
  double error;         // share of what it is told by which a robot is off, at most; drawn anew each second
  int64_t patience_ns;  // after the last word for so long it goes on, then it brakes
} sim_wheels_options_t;

typedef struct sim_wheels_t {
  fw_twist_t told;
  int64_t told_ns;
  bool is_told;      // since the last step; the step notes when
  fw_twist_t twist;  // of the last step
  fw_twist_t error;  // factors of this second
  int64_t second;
  fw_rng_t rng;
} sim_wheels_t;

void sim_wheels_tell(sim_wheels_t * wheels, fw_twist_t twist);
// One step that ends at `now_ns`; `pace` times as fast as it can, 0: it stands. Where it is then.
fw_pose_t sim_wheels_step(
  sim_wheels_t * wheels, fw_pose_t pose, int64_t now_ns, double seconds, double pace,
  const sim_wheels_options_t * options);

#endif  // ROS__FLEET_SIM__WHEELS_H_
