// A bucket queue: making room, and its validation.

#include "base/bucket_queue.h"

#include <string.h>

enum { FIRST_HEADS = 256, BELOW = 64, KEY_SPAN_MAX = 1 << 28 };

void fw__bucket_queue_init(fw_bucket_queue_t * queue, fw_arena_t * arena)
{
  FW_ASSERT(arena != NULL);
  *queue = (fw_bucket_queue_t){.arena = arena, .unused = -1, .highest = -1};
}

void fw__bucket_queue_clear(fw_bucket_queue_t * queue)
{
  FW_ASSERT(fw__bucket_queue_validate(queue));
  for (int32_t i = queue->lowest; i <= queue->highest && queue->size > 0; ++i) {
    queue->heads[i] = -1;
  }
  queue->highest = -1;
  queue->item_count = 0;
  queue->unused = -1;
  queue->size = 0;
  queue->lowest = 0;
}

// Makes the heads cover [base, base + capacity), which includes the old range and `key`. An empty queue only moves its
// range. BELOW keys of room are left below the smallest key, since f values may also fall a little.
static bool reserve_heads(fw_bucket_queue_t * queue, int64_t key)
{
  if (queue->size == 0 && queue->head_capacity > 0) {  // nothing to keep: move the range
    queue->base = key - BELOW;
    queue->lowest = 0;
    queue->highest = -1;
    return true;
  }
  const bool is_first = queue->head_capacity == 0;
  const int64_t low = is_first ? key - BELOW : (key < queue->base ? key - BELOW : queue->base);
  const int64_t high = is_first ? key + 1 : queue->base + queue->head_capacity;
  const int64_t span = (key >= high ? key + 1 : high) - low;
  if (span > KEY_SPAN_MAX) {
    return false;
  }
  int32_t capacity = is_first ? FIRST_HEADS : queue->head_capacity;
  while (capacity < span) {
    capacity *= 2;
  }
  int32_t * heads = fw__arena_allocate(queue->arena, (size_t)capacity, sizeof(*heads));
  if (heads == NULL) {
    return false;
  }
  FW_ASSERT(capacity >= span);
  memset(heads, 0xff, (size_t)capacity * sizeof(*heads));  // -1 in every place
  const int32_t shift = (int32_t)(is_first ? 0 : queue->base - low);
  if (!is_first) {
    memcpy(heads + shift, queue->heads, (size_t)queue->head_capacity * sizeof(*heads));
  }
  fw__arena_recycle(queue->arena, queue->heads, (size_t)queue->head_capacity, sizeof(*heads));
  queue->heads = heads;
  queue->head_capacity = capacity;
  queue->base = low;
  queue->lowest += shift;
  queue->highest += is_first ? 0 : shift;
  return true;
}

bool fw__bucket_queue_reserve(fw_bucket_queue_t * queue, int64_t key)
{
  if (key < queue->base || key >= queue->base + queue->head_capacity) {
    if (!reserve_heads(queue, key)) {
      return false;
    }
  }
  if (queue->unused < 0 && queue->item_count == queue->item_capacity) {
    const size_t outgrown = (size_t)queue->item_capacity;
    fw_bucket_item_t * items = fw__arena_grow(queue->arena, queue->items, sizeof(*items), &queue->item_capacity);
    if (items == NULL) {
      return false;
    }
    fw__arena_recycle(queue->arena, queue->items, outgrown, sizeof(*items));
    queue->items = items;
  }
  return true;
}

bool fw__bucket_queue_validate(const fw_bucket_queue_t * queue)
{
  if (
    queue->size < 0 || queue->size > queue->item_count || queue->item_count > queue->item_capacity ||
    (queue->size > 0 && (queue->lowest < 0 || queue->highest >= queue->head_capacity))) {
    return false;
  }
  // Following more links than there are items means that a list has a cycle or that two lists share an item.
  int32_t linked = 0;
  for (int32_t i = 0; i < queue->head_capacity && queue->size > 0; ++i) {
    if (queue->heads[i] >= 0 && (i < queue->lowest || i > queue->highest)) {
      return false;
    }
    for (int32_t item = queue->heads[i]; item != -1; item = queue->items[item].next) {
      if (item < 0 || item >= queue->item_count || ++linked > queue->size) {
        return false;
      }
    }
  }
  if (linked != queue->size) {
    return false;
  }
  for (int32_t item = queue->unused; item != -1; item = queue->items[item].next) {
    if (item < 0 || item >= queue->item_count || ++linked > queue->item_count) {
      return false;
    }
  }
  return linked == queue->item_count;
}
