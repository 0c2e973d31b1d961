// A priority queue of small integer keys: one stack per key.
//
// Grid searches have keys (f values) that rise in small steps, so that push and pop are a few instructions. Equal keys
// come out last in, first out: the search goes on from where it last was, which is also the written rule for ties.
// Items that have become worthless are left in and skipped by the caller when they come out.

#ifndef BASE__BUCKETS_H_
#define BASE__BUCKETS_H_

#include "base/arena.h"

typedef struct fw_bucket_item_t {
  int32_t value;
  int32_t tag;   // the caller's, e.g. the g value at which it was pushed
  int32_t next;  // in the same bucket, or in the list of unused items
} fw_bucket_item_t;

typedef struct fw_buckets_t {
  fw_arena_t * arena;
  int32_t * heads;  // per key - base, -1 if empty
  int32_t head_capacity;
  int64_t base;     // the smallest key that fits; set by the first push
  int32_t lowest;   // no bucket below it holds an item
  int32_t highest;  // no bucket above it holds an item
  fw_bucket_item_t * items;
  int32_t item_count;
  int32_t item_capacity;
  int32_t unused;  // list of items to use again
  int32_t size;
} fw_buckets_t;

void fw__buckets_init(fw_buckets_t * buckets, fw_arena_t * arena);
// Empties the queue and keeps its memory.
void fw__buckets_clear(fw_buckets_t * buckets);
// The slow path of a push: makes room. False when there is no memory.
bool fw__buckets_reserve(fw_buckets_t * buckets, int64_t key);

static inline bool fw__buckets_push(fw_buckets_t * buckets, int64_t key, int32_t value, int32_t tag)
{
  const int64_t slot = key - buckets->base;
  if (
    slot < 0 || slot >= buckets->head_capacity ||
    (buckets->unused < 0 && buckets->item_count == buckets->item_capacity)) {
    if (!fw__buckets_reserve(buckets, key)) {
      return false;
    }
  }
  const int32_t index = (int32_t)(key - buckets->base);
  int32_t item = buckets->unused;
  if (item >= 0) {
    buckets->unused = buckets->items[item].next;
  } else {
    item = buckets->item_count++;
  }
  buckets->items[item] = (fw_bucket_item_t){.value = value, .tag = tag, .next = buckets->heads[index]};
  buckets->heads[index] = item;
  if (index < buckets->lowest || buckets->size == 0) {
    buckets->lowest = index;
  }
  buckets->highest = index > buckets->highest ? index : buckets->highest;
  ++buckets->size;
  return true;
}

// False when empty.
static inline bool fw__buckets_pop(fw_buckets_t * buckets, int32_t * value, int32_t * tag, int64_t * key)
{
  if (buckets->size == 0) {
    return false;
  }
  while (buckets->heads[buckets->lowest] < 0) {
    ++buckets->lowest;
  }
  const int32_t item = buckets->heads[buckets->lowest];
  buckets->heads[buckets->lowest] = buckets->items[item].next;
  *value = buckets->items[item].value;
  *tag = buckets->items[item].tag;
  *key = buckets->base + buckets->lowest;
  buckets->items[item].next = buckets->unused;
  buckets->unused = item;
  --buckets->size;
  return true;
}

#endif  // BASE__BUCKETS_H_
