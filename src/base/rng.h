// Random numbers from a seed, the same on every machine: splitmix64 (G. Steele, D. Lea, C. Flood, Fast Splittable
// Pseudorandom Number Generators, OOPSLA 2014).

#ifndef BASE__RNG_H_
#define BASE__RNG_H_

#include <stdint.h>

#include "base/assert.h"

typedef struct fw_rng_t {
  uint64_t state;
} fw_rng_t;

static inline fw_rng_t fw__rng(uint64_t seed) { return (fw_rng_t){.state = seed}; }

static inline uint64_t fw__rng_next(fw_rng_t * rng)
{
  uint64_t z = (rng->state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

// A number in [0, bound), for bound >= 1. Multiply and shift; the bias is below 2^-32 for the bounds used here.
static inline int32_t fw__rng_below(fw_rng_t * rng, int32_t bound)
{
  FW_ASSERT(bound >= 1);
  return (int32_t)(((fw__rng_next(rng) >> 32) * (uint64_t)bound) >> 32);
}

// A uniform random permutation (Fisher-Yates).
static inline void fw__rng_shuffle(fw_rng_t * rng, int32_t * items, int32_t count)
{
  for (int32_t i = count - 1; i > 0; --i) {
    const int32_t j = fw__rng_below(rng, i + 1);
    const int32_t item = items[i];
    items[i] = items[j];
    items[j] = item;
  }
}

#endif  // BASE__RNG_H_
