// Trouble: what goes wrong with robots, by parameters and a seed: they stop, are slow, do not know
// where they are, and do not say it.

#ifndef ROS__FLEET_SIM__TROUBLE_H_
#define ROS__FLEET_SIM__TROUBLE_H_

#include "base/rng.h"
#include "ros/fleet_sim/fleet.h"
#include "ros/fleet_sim/parameters.h"

typedef struct sim_spell_t {
  int32_t robot;
  double from;   // seconds since the start
  double until;  // infinite: for ever
} sim_spell_t;

typedef struct sim_spells_t {
  sim_spell_t * items;
  int32_t count;
} sim_spells_t;

typedef struct sim_trouble_t {
  const sim_parameters_t * parameters;  // borrowed
  sim_spells_t freezes;
  sim_spells_t silences;
  double * stopped_until;  // by robot, seconds since the start
  double * pace;           // by robot, of the present second
  double second;           // that is the present one
  fw_rng_t rng;
} sim_trouble_t;

// FW_RET_INVALID_ARGUMENT for a freeze or silence that makes no sense.
FW_MUST_USE fw_ret_t sim_trouble_init(sim_trouble_t * trouble, const sim_parameters_t * parameters, fw_error_t * error);
void sim_trouble_fini(sim_trouble_t * trouble);

// Before a step of `step` seconds that ends at `seconds`: how fast everybody is in it, and who is silent.
void sim_trouble_step(sim_trouble_t * trouble, double seconds, double step, sim_fleet_t * fleet);
// By how much a coordinate is measured wrongly.
double sim_trouble_noise(sim_trouble_t * trouble);

#endif  // ROS__FLEET_SIM__TROUBLE_H_
