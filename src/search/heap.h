// A priority queue for few nodes or wide keys: a heap with four children, smallest f first, of equal f the largest g,
// that is the node nearest to the goal. Items that have become worthless are left in and skipped when they come out.

#ifndef SEARCH__HEAP_H_
#define SEARCH__HEAP_H_

#include "base/arena.h"

typedef struct fw_heap_item_t {
  uint64_t key;  // f, then the complement of g
  int32_t node;
  int32_t g;
} fw_heap_item_t;

typedef struct fw_heap_t {
  fw_arena_t * arena;
  fw_heap_item_t * items;
  int32_t count;
  int32_t capacity;
  int32_t peak;
} fw_heap_t;

static inline void fw__heap_init(fw_heap_t * heap, fw_arena_t * arena) { *heap = (fw_heap_t){.arena = arena}; }
static inline void fw__heap_clear(fw_heap_t * heap) { heap->count = heap->peak = 0; }

// Room for one more; false when there is no memory.
bool fw__heap_reserve(fw_heap_t * heap);

static inline bool fw__heap_push(fw_heap_t * heap, int32_t f, int32_t g, int32_t node)
{
  if (heap->count == heap->capacity && !fw__heap_reserve(heap)) {
    return false;
  }
  const fw_heap_item_t item = {.key = (uint64_t)(uint32_t)f << 32 | (uint32_t)(INT32_MAX - g), .node = node, .g = g};
  int32_t at = heap->count++;
  heap->peak = heap->count > heap->peak ? heap->count : heap->peak;
  while (at > 0) {
    const int32_t parent = (at - 1) / 4;
    if (heap->items[parent].key <= item.key) {
      break;
    }
    heap->items[at] = heap->items[parent];
    at = parent;
  }
  heap->items[at] = item;
  return true;
}

static inline int32_t fw__heap_top_f(const fw_heap_t * heap) { return (int32_t)(heap->items[0].key >> 32); }

// The heap must not be empty.
static inline fw_heap_item_t fw__heap_pop(fw_heap_t * heap)
{
  const fw_heap_item_t top = heap->items[0];
  const fw_heap_item_t last = heap->items[--heap->count];
  const int32_t count = heap->count;
  int32_t at = 0;
  for (int32_t child = 1; child < count; child = 4 * at + 1) {
    const int32_t end = child + 4 < count ? child + 4 : count;
    int32_t least = child;
    for (int32_t i = child + 1; i < end; ++i) {
      least = heap->items[i].key < heap->items[least].key ? i : least;
    }
    if (heap->items[least].key >= last.key) {
      break;
    }
    heap->items[at] = heap->items[least];
    at = least;
  }
  if (count > 0) {
    heap->items[at] = last;
  }
  return top;
}

#endif  // SEARCH__HEAP_H_
