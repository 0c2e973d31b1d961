// Lists by level, and a binary heap in an array.

#include "planner/optimal/open_list.h"

#include "base/assert.h"

void fw__open_list_init(fw_open_list_t * open, fw_arena_t * arena)
{
  *open = (fw_open_list_t){.arena = arena, .heap_level = -1};
}

static inline bool is_before(fw_open_item_t a, fw_open_item_t b)
{
  return a.key != b.key ? a.key < b.key : a.value > b.value;
}

// ---- the heap -------------------------------------------------------------------------------------------------------

static void sift_up(fw_open_items_t * heap, int32_t at, fw_open_item_t item)
{
  while (at > 0 && is_before(item, heap->items[(at - 1) / 2])) {
    heap->items[at] = heap->items[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  heap->items[at] = item;
}

static void sift_down(fw_open_items_t * heap, int32_t at, fw_open_item_t item)
{
  for (int32_t child = 2 * at + 1; child < heap->count; child = 2 * at + 1) {
    child += child + 1 < heap->count && is_before(heap->items[child + 1], heap->items[child]) ? 1 : 0;
    if (!is_before(heap->items[child], item)) {
      break;
    }
    heap->items[at] = heap->items[child];
    at = child;
  }
  heap->items[at] = item;
}

// ---- the lists ------------------------------------------------------------------------------------------------------

// The list of a key; the first for keys below the first level.
static int32_t list_of(const fw_open_list_t * open, uint64_t key)
{
  const uint64_t level = key >> FW_OPEN_LEVEL_SHIFT;
  if (level <= open->first_level) {
    return 0;
  }
  const uint64_t list = level - open->first_level;
  return list < FW_OPEN_LEVELS ? (int32_t)list : FW_OPEN_LEVELS - 1;
}

static bool reserve(fw_open_list_t * open, fw_open_items_t * list)
{
  if (list->count < list->capacity) {
    return true;
  }
  const int32_t old = list->capacity;
  fw_open_item_t * items = fw__arena_grow(open->arena, list->items, sizeof(*items), &list->capacity);
  if (items == NULL) {
    return false;
  }
  fw__arena_recycle(open->arena, list->items, (size_t)old, sizeof(*items));
  list->items = items;
  return true;
}

// The heap is empty: the next list that is not becomes the heap.
static void advance(fw_open_list_t * open)
{
  while (open->heap.count == 0 && open->heap_level + 1 < FW_OPEN_LEVELS) {
    fw_open_items_t * list = &open->lists[++open->heap_level];
    if (list->count == 0) {
      continue;
    }
    const fw_open_items_t empty = {.items = open->heap.items, .capacity = open->heap.capacity};
    open->heap = *list;
    *list = empty;
    for (int32_t i = open->heap.count / 2 - 1; i >= 0; --i) {
      sift_down(&open->heap, i, open->heap.items[i]);
    }
  }
}

bool fw__open_list_push(fw_open_list_t * open, uint64_t key, int32_t value)
{
  if (open->heap_level < 0) {
    open->first_level = key >> FW_OPEN_LEVEL_SHIFT;
    open->heap_level = 0;
  }
  const int32_t level = list_of(open, key);
  fw_open_items_t * list = level <= open->heap_level ? &open->heap : &open->lists[level];
  if (!reserve(open, list)) {
    return false;
  }
  FW_ASSERT(list->count < list->capacity);
  const fw_open_item_t item = {.key = key, .value = value};
  const int32_t at = list->count++;
  if (list == &open->heap) {
    sift_up(list, at, item);
  } else {
    list->items[at] = item;
  }
  return true;
}

bool fw__open_list_pop(fw_open_list_t * open, fw_open_item_t * item)
{
  if (open->heap.count == 0 && open->heap_level >= 0) {
    advance(open);
  }
  if (open->heap.count == 0) {
    return false;
  }
  *item = open->heap.items[0];
  const fw_open_item_t last = open->heap.items[--open->heap.count];
  sift_down(&open->heap, 0, last);
  return true;
}

bool fw__open_list_validate(const fw_open_list_t * open)
{
  for (int32_t i = 1; i < open->heap.count; ++i) {
    if (is_before(open->heap.items[i], open->heap.items[(i - 1) / 2])) {
      return false;
    }
  }
  for (int32_t i = 0; i < open->heap.count; ++i) {
    if (list_of(open, open->heap.items[i].key) > open->heap_level) {
      return false;
    }
  }
  for (int32_t level = 0; level < FW_OPEN_LEVELS; ++level) {
    const fw_open_items_t * list = &open->lists[level];
    for (int32_t i = 0; i < list->count; ++i) {
      if (level <= open->heap_level || list_of(open, list->items[i].key) != level) {
        return false;
      }
    }
  }
  return true;
}
