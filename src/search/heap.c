// A 4-ary heap: its memory and its invariant.

#include "search/heap.h"

bool fw__heap_validate(const fw_heap_t * heap)
{
  if (heap->count < 0 || heap->count > heap->capacity || heap->count > heap->peak) {
    return false;
  }
  for (int32_t i = 0; i < heap->count; ++i) {
    const fw_heap_item_t * item = &heap->items[i];
    const bool is_key_right = (uint32_t)item->key == (uint32_t)(INT32_MAX - item->g) && item->g >= 0;
    if (!is_key_right || (i > 0 && heap->items[(i - 1) / 4].key > item->key)) {
      return false;
    }
  }
  return true;
}

bool fw__heap_reserve(fw_heap_t * heap)
{
  const size_t outgrown = (size_t)heap->capacity;
  fw_heap_item_t * items = fw__arena_grow(heap->arena, heap->items, sizeof(*items), &heap->capacity);
  if (items == NULL) {
    return false;
  }
  fw__arena_recycle(heap->arena, heap->items, outgrown, sizeof(*items));
  heap->items = items;
  return true;
}
