// From a set of robots that has failed to a core that says as much as it can: the fewer robots, and for pairs the higher
// the limits up to which they fail, the more it rules out. (To raise the limits of larger sets costs more than it gives.)

#include <string.h>

#include "planner/cbs_refute.h"

enum { RAISE_MAX = 8, PROBE_NODES = 40, PROBED_MAX = 12 };

// ---- pairs ----------------------------------------------------------------------------------------------------------

// How much farther one side's limit can be raised with the pair still failing: the core says more then.
static fw_found_t raise_limit(fw_cbs_refuter_t * refuter, const int32_t members[2], int32_t side, int32_t * raised)
{
  fw_cbs_t * run = refuter->run;
  const fw_cbs_pair_ask_t ask = {.members = {members[0], members[1]}, .expansions_max = FW_CBS_PAIR_STATES};
  *raised = 0;
  for (int32_t step = 1; step <= RAISE_MAX; step *= 2) {
    int32_t costs[2] = {run->members[members[0]].path_cost, run->members[members[1]].path_cost};
    costs[side] += step;
    const fw_found_t found = fw_cbs_pair_fits(run, &ask, costs);
    if (fw_meter_has_stopped(run->scene->meter)) {
      return FW_FOUND_STOPPED;
    }
    if (found != FW_FOUND_NONE) {
      break;
    }
    *raised = step;
  }
  return FW_FOUND_NONE;
}

// A pair that fails at the root: together they cost so much more; and one of them at least that, or the other.
fw_found_t fw_cbs_learn_pair(fw_cbs_refuter_t * refuter, const int32_t members[2], int32_t weight)
{
  fw_cbs_t * run = refuter->run;
  if (!fw_cbs_cores_add(refuter->cores, members, 2, refuter->extra, weight)) {
    return fw_cbs_out_of_memory(run);
  }
  for (int32_t side = 0; side < 2; ++side) {
    int32_t raised;
    if (raise_limit(refuter, members, side, &raised) == FW_FOUND_STOPPED) {
      return FW_FOUND_STOPPED;
    }
    if (raised > 0) {
      if (!fw_cbs_cores_add(refuter->cores, members, 2, refuter->extra, 1)) {
        return fw_cbs_out_of_memory(run);
      }
      refuter->cores->cores[refuter->cores->count - 1].limits[side] += raised;
    }
  }
  return FW_FOUND_NONE;
}

// ---- sets -----------------------------------------------------------------------------------------------------------

typedef struct core_t {
  int32_t * members;
  int32_t count;
} core_t;

static int32_t list(const fw_cbs_refuter_t * refuter, int32_t * members)
{
  int32_t count = 0;
  for (int32_t i = 0; i < refuter->run->count; ++i) {
    if (fw_cbs_set_has(refuter->failed, i)) {
      members[count++] = i;
    }
  }
  return count;
}

// Does the set fail without one of its robots?
static fw_cbs_verdict_t probe(fw_cbs_refuter_t * refuter, const core_t * core, int32_t without)
{
  fw_cbs_t * run = refuter->run;
  for (int32_t i = 0; i < run->count; ++i) {
    run->members[i].is_muted = true;
  }
  for (int32_t i = 0; i < core->count; ++i) {
    run->members[core->members[i]].is_muted = i == without;
  }
  const fw_cbs_verdict_t verdict = fw_cbs_refute(refuter, PROBE_NODES);
  for (int32_t i = 0; i < run->count; ++i) {
    run->members[i].is_muted = false;
  }
  return verdict;
}

// Robots that it fails without.
static fw_cbs_verdict_t drop(fw_cbs_refuter_t * refuter, core_t * core)
{
  for (int32_t i = core->count - 1; i >= 0 && core->count > 2; --i) {
    i = i < core->count ? i : core->count - 1;
    const fw_cbs_verdict_t verdict = probe(refuter, core, i);
    if (verdict == FW_CBS_STOPPED) {
      return verdict;
    }
    if (verdict == FW_CBS_REFUTED) {
      core->count = list(refuter, core->members);
    }
  }
  return FW_CBS_REFUTED;
}

static fw_found_t learn_set(fw_cbs_refuter_t * refuter, core_t * core)
{
  refuter->tells_pairs = false;
  const fw_cbs_verdict_t verdict = core->count <= PROBED_MAX ? drop(refuter, core) : FW_CBS_REFUTED;
  refuter->tells_pairs = true;
  if (verdict == FW_CBS_STOPPED) {
    return FW_FOUND_STOPPED;
  }
  return fw_cbs_cores_add(refuter->cores, core->members, core->count, refuter->extra, 1)
           ? FW_FOUND_NONE
           : fw_cbs_out_of_memory(refuter->run);
}

fw_found_t fw_cbs_learn(fw_cbs_refuter_t * refuter)
{
  fw_cbs_t * run = refuter->run;
  core_t core = {.members = refuter->list};
  bool has_pair = false;
  core.count = list(refuter, core.members);
  if (!fw_cbs_load(run, 0)) {
    return fw_cbs_out_of_memory(run);
  }
  for (int32_t i = 0; i < core.count; ++i) {
    for (int32_t k = i + 1; k < core.count; ++k) {
      const int32_t members[2] = {core.members[i], core.members[k]};
      int32_t weight = 0;
      if (fw_cbs_ask_pair(refuter, 0, members, &weight) == FW_CBS_STOPPED) {
        return FW_FOUND_STOPPED;
      }
      if (weight > 0) {
        has_pair = true;
        if (fw_cbs_learn_pair(refuter, members, weight) == FW_FOUND_STOPPED) {
          return FW_FOUND_STOPPED;
        }
      }
    }
  }
  return has_pair ? FW_FOUND_NONE : learn_set(refuter, &core);
}
