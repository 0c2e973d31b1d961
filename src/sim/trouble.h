// Trouble: what goes wrong with robots, by parameters and a seed: they stop, are slow, do not know
// where they are, and do not say it.

#ifndef SIM__TROUBLE_H_
#define SIM__TROUBLE_H_

#include "base/rng.h"
#include "sim/fleet.h"
#include "sim/parameters.h"

typedef struct fw_spell_t {
  int32_t robot;
  double from;   // seconds since the start
  double until;  // infinite: for ever
} fw_spell_t;

typedef struct fw_spells_t {
  fw_spell_t * items;
  int32_t count;
} fw_spells_t;

typedef struct fw_trouble_t {
  const fw_sim_parameters_t * parameters;  // borrowed
  fw_spells_t freezes;
  fw_spells_t silences;
  double * stopped_until;  // by robot, seconds since the start
  double * pace;           // by robot, of the present second
  double second;           // that is the present one
  fw_rng_t rng;
} fw_trouble_t;

// FW_RET_INVALID_ARGUMENT for a freeze or silence that makes no sense.
FW_MUST_USE fw_ret_t
fw_trouble_init(fw_trouble_t * trouble, const fw_sim_parameters_t * parameters, fw_error_t * error);
void fw_trouble_fini(fw_trouble_t * trouble);

// Before a step of `step` seconds that ends at `seconds`: how fast everybody is in it, and who is silent.
void fw_trouble_step(fw_trouble_t * trouble, double seconds, double step, fw_fleet_t * fleet);
// By how much a coordinate is measured wrongly.
double fw_trouble_noise(fw_trouble_t * trouble);

#endif  // SIM__TROUBLE_H_
