// Trouble: what goes wrong with robots. See trouble.h.

#include "ros/fleet_sim/trouble.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

static double uniform(fw_rng_t * rng) { return (double)(fw__rng_next(rng) >> 11) * 0x1p-53; }

// "robot_3@10+20" or "robot_3@10".
static fw_ret_t read_spell(
  const sim_parameters_t * parameters, const char * name, const char * text, sim_spell_t * spell, fw_error_t * error)
{
  const char * at = strchr(text, '@');
  char * end = NULL;
  *spell = (sim_spell_t){.robot = -1, .until = INFINITY};
  for (int32_t i = 0; at != NULL && i < parameters->robot_count; ++i) {
    const size_t length = strlen(parameters->robots[i]);
    if ((size_t)(at - text) == length && strncmp(text, parameters->robots[i], length) == 0) {
      spell->robot = i;
    }
  }
  if (spell->robot < 0) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "parameter %s: '%s' must begin with a robot and @", name, text);
  }
  spell->from = strtod(at + 1, &end);
  const bool has_from = end != at + 1 && spell->from >= 0.0;
  if (has_from && *end == '+') {
    const char * begin = end + 1;
    spell->until = spell->from + strtod(begin, &end);
    end = end == begin ? "?" : end;
  }
  return has_from && *end == '\0' && spell->until >= spell->from
           ? FW_RET_OK
           : fw__error(
               error, FW_RET_INVALID_ARGUMENT, "parameter %s: '%s' must be robot@second or robot@second+seconds", name,
               text);
}

static fw_ret_t read_spells(
  const sim_parameters_t * parameters, const char * name, const ros_row_texts_t * texts, sim_spells_t * spells,
  fw_error_t * error)
{
  *spells = (sim_spells_t){calloc((size_t)texts->count + 1, sizeof(*spells->items)), texts->count};
  fw_ret_t ret = spells->items == NULL ? fw__error_memory(error) : FW_RET_OK;
  for (int32_t i = 0; ret == FW_RET_OK && i < texts->count; ++i) {
    ret = read_spell(parameters, name, texts->items[i], &spells->items[i], error);
  }
  return ret;
}

static bool is_in_spell(const sim_spells_t * spells, int32_t robot, double seconds)
{
  bool is_in = false;
  for (int32_t i = 0; i < spells->count && !is_in; ++i) {
    const sim_spell_t * spell = &spells->items[i];
    is_in = spell->robot == robot && seconds >= spell->from && seconds < spell->until;
  }
  return is_in;
}

fw_ret_t sim_trouble_init(sim_trouble_t * trouble, const sim_parameters_t * parameters, fw_error_t * error)
{
  const size_t robots = (size_t)parameters->robot_count;
  *trouble = (sim_trouble_t){
    .parameters = parameters,
    .stopped_until = calloc(robots, sizeof(*trouble->stopped_until)),
    .pace = calloc(robots, sizeof(*trouble->pace)),
    .second = -1.0,
    .rng = fw__rng((uint64_t)parameters->seed ^ UINT64_C(0x7e0b1e)),
  };
  fw_ret_t ret = trouble->stopped_until == NULL || trouble->pace == NULL ? fw__error_memory(error) : FW_RET_OK;
  if (ret == FW_RET_OK) {
    ret = read_spells(parameters, "freeze", &parameters->freeze, &trouble->freezes, error);
  }
  if (ret == FW_RET_OK) {
    ret = read_spells(parameters, "silence", &parameters->silence, &trouble->silences, error);
  }
  if (ret != FW_RET_OK) {
    sim_trouble_fini(trouble);
  }
  return ret;
}

void sim_trouble_fini(sim_trouble_t * trouble)
{
  free(trouble->freezes.items);
  free(trouble->silences.items);
  free(trouble->stopped_until);
  free(trouble->pace);
  *trouble = (sim_trouble_t){0};
}

static double draw_pace(sim_trouble_t * trouble)
{
  const sim_parameters_t * parameters = trouble->parameters;
  if (parameters->slow_chance <= 0.0 || uniform(&trouble->rng) >= parameters->slow_chance) {
    return 1.0;
  }
  return parameters->slow_factor + (1.0 - parameters->slow_factor) * uniform(&trouble->rng);
}

void sim_trouble_step(sim_trouble_t * trouble, double seconds, double step, sim_fleet_t * fleet)
{
  const sim_parameters_t * parameters = trouble->parameters;
  const double chance = parameters->stops_per_hour / 3600.0 * step;
  const bool is_new_second = floor(seconds) > trouble->second;
  trouble->second = floor(seconds);
  for (int32_t i = 0; i < parameters->robot_count; ++i) {
    trouble->pace[i] = is_new_second ? draw_pace(trouble) : trouble->pace[i];
    if (chance > 0.0 && uniform(&trouble->rng) < chance) {
      trouble->stopped_until[i] = seconds + uniform(&trouble->rng) * parameters->stop_seconds_max;
    }
    const bool stands = seconds < trouble->stopped_until[i] || is_in_spell(&trouble->freezes, i, seconds);
    fleet->robots[i].pace = stands ? 0.0 : trouble->pace[i];
    fleet->robots[i].is_silent = is_in_spell(&trouble->silences, i, seconds);
  }
}

double sim_trouble_noise(sim_trouble_t * trouble)
{
  const double noise = trouble->parameters->noise;
  return noise > 0.0 ? noise * (2.0 * uniform(&trouble->rng) - 1.0) : 0.0;
}
