// The textbook reservation table (Silver 2006): a hash table from (x, y, t) to a robot, one entry per cell and tick.
// `bench table` measures our interval-based reservation table against it.
//
// Open addressing with linear probing in a power of two of slots, at most 5/8 of them in use. Removing shifts back what
// probed past the hole, so that there are no tombstones and look-ups stay as short as after a fresh fill. All of it is
// here in the header, so that the compiler can inline it into the measured loop.

#ifndef BENCH__TABLE_HASH_H_
#define BENCH__TABLE_HASH_H_

#include <stdbool.h>
#include <stdlib.h>

#include "base/assert.h"
#include "fleetweave/fleetweave.h"

typedef struct bench_hash_slot_t {
  fw_cell_t cell;  // x and y in one number
  fw_tick_t tick;
  int32_t robot;  // -1: the slot is empty
} bench_hash_slot_t;

// `{0}` is an empty table without memory.
typedef struct bench_hash_t {
  bench_hash_slot_t * slots;
  int32_t bits;  // 2^bits slots
  int64_t count;
} bench_hash_t;

enum { BENCH_HASH_FIRST_BITS = 6, BENCH_HASH_BITS_MAX = 40 };

static inline uint64_t bench_hash_capacity(const bench_hash_t * hash)
{
  return hash->slots != NULL ? UINT64_C(1) << hash->bits : 0;
}

static inline size_t bench_hash_bytes(const bench_hash_t * hash)
{
  return (size_t)bench_hash_capacity(hash) * sizeof(*hash->slots);
}

// Where the probing begins: two rounds of multiply and fold, then the upper bits, which depend on all of the key.
static inline uint64_t bench_hash_home(const bench_hash_t * hash, fw_cell_t cell, fw_tick_t tick)
{
  uint64_t key = (uint64_t)(uint32_t)tick << 32 | (uint32_t)cell;
  key *= UINT64_C(0x9e3779b97f4a7c15);
  key ^= key >> 32;
  key *= UINT64_C(0xd6e8feb86659fd93);
  return key >> (64 - hash->bits);
}

// The slot of (cell, tick), or the empty one where it would go. The table must have slots.
static inline uint64_t bench_hash_slot(const bench_hash_t * hash, fw_cell_t cell, fw_tick_t tick)
{
  FW_ASSERT(hash->slots != NULL);
  const uint64_t mask = bench_hash_capacity(hash) - 1;
  uint64_t at = bench_hash_home(hash, cell, tick);
  while (hash->slots[at].robot >= 0 && (hash->slots[at].tick != tick || hash->slots[at].cell != cell)) {
    at = (at + 1) & mask;
  }
  return at;
}

// The robot that has `cell` at `tick`, -1 for none.
static inline int32_t bench_hash_owner(const bench_hash_t * hash, fw_cell_t cell, fw_tick_t tick)
{
  return hash->count > 0 ? hash->slots[bench_hash_slot(hash, cell, tick)].robot : -1;
}

// Twice as many slots. False when there is no memory; then nothing has changed.
static inline bool bench_hash_grow(bench_hash_t * hash)
{
  bench_hash_t larger = {.bits = hash->slots != NULL ? hash->bits + 1 : BENCH_HASH_FIRST_BITS, .count = hash->count};
  const uint64_t capacity = UINT64_C(1) << larger.bits;
  larger.slots = larger.bits <= BENCH_HASH_BITS_MAX ? malloc((size_t)capacity * sizeof(*larger.slots)) : NULL;
  if (larger.slots == NULL) {
    return false;
  }
  for (uint64_t i = 0; i < capacity; ++i) {
    larger.slots[i].robot = -1;
  }
  for (uint64_t i = 0; i < bench_hash_capacity(hash); ++i) {
    const bench_hash_slot_t * slot = &hash->slots[i];
    if (slot->robot >= 0) {
      larger.slots[bench_hash_slot(&larger, slot->cell, slot->tick)] = *slot;
    }
  }
  free(hash->slots);
  *hash = larger;
  return true;
}

// Gives (cell, tick) to `robot`, which is not negative, and replaces an earlier owner. False when there is no memory.
static inline bool bench_hash_insert(bench_hash_t * hash, fw_cell_t cell, fw_tick_t tick, int32_t robot)
{
  FW_ASSERT(robot >= 0);
  if ((uint64_t)(hash->count + 1) * 8 > bench_hash_capacity(hash) * 5 && !bench_hash_grow(hash)) {
    return false;
  }
  bench_hash_slot_t * slot = &hash->slots[bench_hash_slot(hash, cell, tick)];
  hash->count += slot->robot < 0 ? 1 : 0;
  *slot = (bench_hash_slot_t){.cell = cell, .tick = tick, .robot = robot};
  return true;
}

// Removes the entry of (cell, tick), if there is one.
static inline void bench_hash_remove(bench_hash_t * hash, fw_cell_t cell, fw_tick_t tick)
{
  if (hash->count == 0) {
    return;
  }
  const uint64_t mask = bench_hash_capacity(hash) - 1;
  uint64_t hole = bench_hash_slot(hash, cell, tick);
  hash->count -= hash->slots[hole].robot >= 0 ? 1 : 0;
  // An entry behind the hole whose home is at or before the hole moves up into it, and leaves the next hole.
  for (uint64_t at = (hole + 1) & mask; hash->slots[hole].robot >= 0 && hash->slots[at].robot >= 0;
       at = (at + 1) & mask) {
    const uint64_t home = bench_hash_home(hash, hash->slots[at].cell, hash->slots[at].tick);
    if (((at - home) & mask) >= ((at - hole) & mask)) {
      hash->slots[hole] = hash->slots[at];
      hole = at;
    }
  }
  hash->slots[hole].robot = -1;
}

static inline void bench_hash_fini(bench_hash_t * hash)
{
  free(hash->slots);
  *hash = (bench_hash_t){0};
}

#endif  // BENCH__TABLE_HASH_H_
