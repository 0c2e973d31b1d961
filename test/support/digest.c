// A hash of a plan.

#include "support/digest.h"

static uint64_t mix(uint64_t hash, int64_t value)
{
  for (int32_t i = 0; i < 8; ++i) {
    hash = (hash ^ (((uint64_t)value >> (8 * i)) & 0xff)) * UINT64_C(0x100000001b3);
  }
  return hash;
}

static uint64_t mix_paths(uint64_t hash, const fw_path_t * paths, int32_t count)
{
  for (int32_t r = 0; r < count; ++r) {
    hash = mix(hash, paths[r].length);
    for (fw_tick_t t = 0; t < paths[r].length; ++t) {
      hash = mix(hash, paths[r].cells[t]);
    }
    for (fw_tick_t t = 0; t < paths[r].length && paths[r].headings != NULL; ++t) {
      hash = mix(hash, paths[r].headings[t]);
    }
  }
  return hash;
}

uint64_t digest_paths(const fw_path_t * paths, int32_t count)
{
  return mix_paths(UINT64_C(0xcbf29ce484222325), paths, count);
}

uint64_t digest_plan(const fw_plan_t * plan)
{
  uint64_t hash = digest_paths(plan->paths, plan->robot_count);
  hash = mix(mix(mix(hash, (int64_t)plan->outcome), (int64_t)plan->stop), plan->safe_until);
  hash = mix(mix(mix(hash, plan->stats.sum_of_costs), plan->stats.lower_bound), plan->stats.makespan);
  hash = mix(hash, plan->stats.expanded);
  for (int32_t i = 0; i < plan->stats.counter_count; ++i) {
    hash = mix(hash, plan->stats.counters[i].value);
  }
  return hash;
}
