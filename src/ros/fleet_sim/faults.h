// Faults: what goes wrong with simulated robots, by parameters and a seed: random stops, slow seconds, freezes at given
// times, noisy positions, and odometry that is not published.

#ifndef ROS__FLEET_SIM__FAULTS_H_
#define ROS__FLEET_SIM__FAULTS_H_

#include "base/rng.h"
#include "ros/fleet_sim/fleet.h"
#include "ros/fleet_sim/parameters.h"

// A fault of one robot from one time to another.
typedef struct sim_fault_interval_t {
  int32_t robot;
  double from;   // seconds since the start
  double until;  // seconds since the start; infinite: forever
} sim_fault_interval_t;

typedef struct sim_fault_intervals_t {
  sim_fault_interval_t * items;
  int32_t count;
} sim_fault_intervals_t;

typedef struct sim_faults_t {
  const sim_parameters_t * parameters;  // borrowed
  sim_fault_intervals_t freezes;
  sim_fault_intervals_t silences;
  double * stopped_until;  // by robot, seconds since the start
  double * slow_factor;    // by robot, in the present second
  double second;           // the present second
  fw_rng_t rng;
} sim_faults_t;

// FW_RET_INVALID_ARGUMENT for a freeze or silence that cannot be read.
FW_MUST_USE fw_ret_t sim_faults_init(sim_faults_t * faults, const sim_parameters_t * parameters, fw_error_t * error);
void sim_faults_fini(sim_faults_t * faults);

// Before a step of `step` seconds that ends at `seconds`: sets each robot's fault_factor and is_silent for it.
void sim_faults_step(sim_faults_t * faults, double seconds, double step, sim_fleet_t * fleet);
// The error of one measured coordinate, in metres.
double sim_faults_draw_noise(sim_faults_t * faults);

#endif  // ROS__FLEET_SIM__FAULTS_H_
