// What has been learned about costs.

#include "planner/cbs_cores.h"

bool fw_cbs_cores_add(
  fw_cbs_cores_t * cores, const int32_t * members, int32_t count, const uint16_t * limits, int32_t weight)
{
  if (cores->count == cores->capacity) {
    fw_cbs_core_t * grown =
      fw_arena_grow(cores->arena, cores->cores, (size_t)cores->count, sizeof(*grown), &cores->capacity);
    if (grown == NULL) {
      return false;
    }
    cores->cores = grown;
  }
  int32_t * numbers = fw_arena_allocate(cores->arena, 2 * (size_t)count, sizeof(*numbers));
  if (numbers == NULL) {
    return false;
  }
  for (int32_t i = 0; i < count; ++i) {
    numbers[i] = members[i];
    numbers[count + i] = limits[members[i]];
  }
  cores->cores[cores->count++] =
    (fw_cbs_core_t){.count = count, .weight = weight, .members = numbers, .limits = numbers + count};
  return true;
}
