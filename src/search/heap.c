// A heap with four children: its memory.

#include "search/heap.h"

bool fw__heap_reserve(fw_heap_t * heap)
{
  const size_t outgrown = (size_t)heap->capacity;
  fw_heap_item_t * items =
    fw__arena_grow(heap->arena, heap->items, (size_t)heap->count, sizeof(*items), &heap->capacity);
  if (items == NULL) {
    return false;
  }
  fw__arena_recycle(heap->arena, heap->items, outgrown, sizeof(*items));
  heap->items = items;
  return true;
}
