// A priority queue of small integer keys.

#include "base/buckets.h"

#include <string.h>

enum { FIRST_HEADS = 256, BELOW = 64, KEY_SPAN_MAX = 1 << 28 };

void fw__buckets_init(fw_buckets_t * buckets, fw_arena_t * arena)
{
  *buckets = (fw_buckets_t){.arena = arena, .unused = -1, .highest = -1};
}

void fw__buckets_clear(fw_buckets_t * buckets)
{
  for (int32_t i = buckets->lowest; i <= buckets->highest && buckets->size > 0; ++i) {
    buckets->heads[i] = -1;
  }
  buckets->highest = -1;
  buckets->item_count = 0;
  buckets->unused = -1;
  buckets->size = 0;
  buckets->lowest = 0;
}

// Heads for [base, base + capacity) that cover both the old range and `key`.
static bool reserve_heads(fw_buckets_t * buckets, int64_t key)
{
  if (buckets->size == 0 && buckets->head_capacity > 0) {  // nothing to keep: the range moves
    buckets->base = key - BELOW;
    buckets->lowest = 0;
    buckets->highest = -1;
    return true;
  }
  const bool is_first = buckets->head_capacity == 0;
  const int64_t low = is_first ? key - BELOW : (key < buckets->base ? key - BELOW : buckets->base);
  const int64_t high = is_first ? key + 1 : buckets->base + buckets->head_capacity;
  const int64_t span = (key >= high ? key + 1 : high) - low;
  if (span > KEY_SPAN_MAX) {
    return false;
  }
  int32_t capacity = is_first ? FIRST_HEADS : buckets->head_capacity;
  while (capacity < span) {
    capacity *= 2;
  }
  int32_t * heads = fw__arena_allocate(buckets->arena, (size_t)capacity, sizeof(*heads));
  if (heads == NULL) {
    return false;
  }
  memset(heads, 0xff, (size_t)capacity * sizeof(*heads));  // -1 in every place
  const int32_t shift = (int32_t)(is_first ? 0 : buckets->base - low);
  if (!is_first) {
    memcpy(heads + shift, buckets->heads, (size_t)buckets->head_capacity * sizeof(*heads));
  }
  fw__arena_leave(buckets->arena, buckets->heads, (size_t)buckets->head_capacity, sizeof(*heads));
  buckets->heads = heads;
  buckets->head_capacity = capacity;
  buckets->base = low;
  buckets->lowest += shift;
  buckets->highest += is_first ? 0 : shift;
  return true;
}

bool fw__buckets_reserve(fw_buckets_t * buckets, int64_t key)
{
  if (key < buckets->base || key >= buckets->base + buckets->head_capacity) {
    if (!reserve_heads(buckets, key)) {
      return false;
    }
  }
  if (buckets->unused < 0 && buckets->item_count == buckets->item_capacity) {
    const size_t outgrown = (size_t)buckets->item_capacity;
    fw_bucket_item_t * items = fw__arena_grow(
      buckets->arena, buckets->items, (size_t)buckets->item_count, sizeof(*items), &buckets->item_capacity);
    if (items == NULL) {
      return false;
    }
    fw__arena_leave(buckets->arena, buckets->items, outgrown, sizeof(*items));
    buckets->items = items;
  }
  return true;
}
