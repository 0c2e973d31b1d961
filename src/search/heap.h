// An open list for few nodes or wide keys: a 4-ary heap, smallest f first; ties go to the larger g, that is to the node
// nearer to the goal. There is no decrease-key: a node is pushed again, and outdated items are skipped when they come
// out (their g is not the node's).

#ifndef SEARCH__HEAP_H_
#define SEARCH__HEAP_H_

#include "base/arena.h"
#include "base/assert.h"

typedef struct fw_heap_item_t {
  uint64_t key;  // f << 32 | (INT32_MAX - g)
  int32_t node;
  int32_t g;
} fw_heap_item_t;

typedef struct fw_heap_t {
  fw_arena_t * arena;
  fw_heap_item_t * items;
  int32_t count;
  int32_t capacity;
  int32_t peak;  // the largest count since the last clear
} fw_heap_t;

static inline void fw__heap_init(fw_heap_t * heap, fw_arena_t * arena) { *heap = (fw_heap_t){.arena = arena}; }
static inline void fw__heap_clear(fw_heap_t * heap) { heap->count = heap->peak = 0; }

// Room for one more item; false when there is no memory.
bool fw__heap_reserve(fw_heap_t * heap);

// True if no item comes before its parent and counts are within their ranges. For assertions and tests: linear time.
bool fw__heap_validate(const fw_heap_t * heap);

// False when there is no memory: the item is dropped and the arena has failed.
static inline bool fw__heap_push(fw_heap_t * heap, int32_t f, int32_t g, int32_t node)
{
  FW_ASSERT(f >= 0 && g >= 0);
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

// Removes the first item; the heap must not be empty.
static inline fw_heap_item_t fw__heap_pop(fw_heap_t * heap)
{
  FW_ASSERT(heap->count > 0);
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
