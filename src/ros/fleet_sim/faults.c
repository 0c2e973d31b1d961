// Faults: what goes wrong with simulated robots. See faults.h.

#include "ros/fleet_sim/faults.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"

static double uniform(fw_rng_t * rng) { return (double)(fw__rng_next(rng) >> 11) * 0x1p-53; }

// Reads "robot_3@10+20" or "robot_3@10". Returns what is wrong with it, NULL if nothing is.
static const char * read_interval(
  const sim_parameters_t * parameters, const char * text, sim_fault_interval_t * interval)
{
  const char * at = strchr(text, '@');
  char * end = NULL;
  *interval = (sim_fault_interval_t){.robot = -1, .until = INFINITY};
  for (int32_t i = 0; at != NULL && i < parameters->robots.count; ++i) {
    const char * name = sim_robot_name(parameters, i);
    const size_t length = strlen(name);
    if ((size_t)(at - text) == length && strncmp(text, name, length) == 0) {
      interval->robot = i;
    }
  }
  if (interval->robot < 0) {
    return "must begin with a robot and @";
  }
  interval->from = strtod(at + 1, &end);
  const bool has_from = end != at + 1 && interval->from >= 0.0;
  if (has_from && *end == '+') {
    const char * begin = end + 1;
    interval->until = interval->from + strtod(begin, &end);
    end = end == begin ? "?" : end;
  }
  const bool is_read = has_from && *end == '\0' && interval->until >= interval->from;
  return is_read ? NULL : "must be robot@second or robot@second+seconds";
}

// Reads all items of the parameter `name`.
static fw_ret_t read_intervals(sim_faults_t * faults, const char * name, fw_error_t * error)
{
  const sim_parameters_t * parameters = faults->parameters;
  const bool is_freeze = strcmp(name, "freeze") == 0;
  const ros_strings_t * texts = is_freeze ? &parameters->freeze : &parameters->silence;
  sim_fault_intervals_t * intervals = is_freeze ? &faults->freezes : &faults->silences;
  *intervals = (sim_fault_intervals_t){calloc((size_t)texts->count + 1, sizeof(*intervals->items)), texts->count};
  if (intervals->items == NULL) {
    return fw__error_memory(error);
  }
  for (int32_t i = 0; i < texts->count; ++i) {
    const char * text = texts->items[i].data;
    const char * complaint = read_interval(parameters, text, &intervals->items[i]);
    if (complaint != NULL) {
      return fw__error(error, FW_RET_INVALID_ARGUMENT, "%s: '%.100s' %s", name, text, complaint);
    }
  }
  return FW_RET_OK;
}

static bool is_in_interval(const sim_fault_intervals_t * intervals, int32_t robot, double seconds)
{
  bool is_in = false;
  for (int32_t i = 0; i < intervals->count && !is_in; ++i) {
    const sim_fault_interval_t * interval = &intervals->items[i];
    is_in = interval->robot == robot && seconds >= interval->from && seconds < interval->until;
  }
  return is_in;
}

fw_ret_t sim_faults_init(sim_faults_t * faults, const sim_parameters_t * parameters, fw_error_t * error)
{
  const size_t robots = (size_t)parameters->robots.count;
  *faults = (sim_faults_t){
    .parameters = parameters,
    .stopped_until = calloc(robots, sizeof(*faults->stopped_until)),
    .slow_factor = calloc(robots, sizeof(*faults->slow_factor)),
    .second = -1.0,
    .rng = fw__rng((uint64_t)parameters->seed ^ UINT64_C(0x7e0b1e)),
  };
  fw_ret_t ret = faults->stopped_until == NULL || faults->slow_factor == NULL ? fw__error_memory(error) : FW_RET_OK;
  if (ret == FW_RET_OK) {
    ret = read_intervals(faults, "freeze", error);
  }
  if (ret == FW_RET_OK) {
    ret = read_intervals(faults, "silence", error);
  }
  if (ret != FW_RET_OK) {
    sim_faults_fini(faults);
  }
  return ret;
}

void sim_faults_fini(sim_faults_t * faults)
{
  free(faults->freezes.items);
  free(faults->silences.items);
  free(faults->stopped_until);
  free(faults->slow_factor);
  *faults = (sim_faults_t){0};
}

static double draw_slow_factor(sim_faults_t * faults)
{
  const sim_parameters_t * parameters = faults->parameters;
  if (parameters->slow_chance <= 0.0 || uniform(&faults->rng) >= parameters->slow_chance) {
    return 1.0;
  }
  return parameters->slow_factor + (1.0 - parameters->slow_factor) * uniform(&faults->rng);
}

void sim_faults_step(sim_faults_t * faults, double seconds, double step, sim_fleet_t * fleet)
{
  const sim_parameters_t * parameters = faults->parameters;
  FW_ASSERT(fleet->options.robot_count == parameters->robots.count && step > 0.0);
  const double chance = parameters->stops_per_hour / 3600.0 * step;
  const bool is_new_second = floor(seconds) > faults->second;
  faults->second = floor(seconds);
  for (int32_t i = 0; i < parameters->robots.count; ++i) {
    faults->slow_factor[i] = is_new_second ? draw_slow_factor(faults) : faults->slow_factor[i];
    if (chance > 0.0 && uniform(&faults->rng) < chance) {
      faults->stopped_until[i] = seconds + uniform(&faults->rng) * parameters->stop_seconds_max;
    }
    const bool stands = seconds < faults->stopped_until[i] || is_in_interval(&faults->freezes, i, seconds);
    fleet->robots[i].fault_factor = stands ? 0.0 : faults->slow_factor[i];
    fleet->robots[i].is_silent = is_in_interval(&faults->silences, i, seconds);
  }
}

double sim_faults_draw_noise(sim_faults_t * faults)
{
  const double noise = faults->parameters->noise;
  return noise > 0.0 ? noise * (2.0 * uniform(&faults->rng) - 1.0) : 0.0;
}
