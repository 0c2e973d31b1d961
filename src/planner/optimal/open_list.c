// A binary heap in an array.

#include "planner/optimal/open_list.h"

#include "base/assert.h"

static inline bool is_before(fw_open_item_t a, fw_open_item_t b)
{
  return a.key != b.key ? a.key < b.key : a.value > b.value;
}

bool fw__open_list_push(fw_open_list_t * open, uint64_t key, int32_t value)
{
  if (open->count == open->capacity) {
    fw_open_item_t * items = fw__arena_grow(open->arena, open->items, sizeof(*items), &open->capacity);
    if (items == NULL) {
      return false;
    }
    open->items = items;
  }
  FW_ASSERT(open->count < open->capacity);
  const fw_open_item_t item = {.key = key, .value = value};
  int32_t at = open->count++;
  while (at > 0 && is_before(item, open->items[(at - 1) / 2])) {
    open->items[at] = open->items[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  open->items[at] = item;
  return true;
}

bool fw__open_list_pop(fw_open_list_t * open, fw_open_item_t * item)
{
  if (open->count == 0) {
    return false;
  }
  *item = open->items[0];
  const fw_open_item_t last = open->items[--open->count];
  int32_t at = 0;
  for (int32_t child = 1; child < open->count; child = 2 * at + 1) {
    child += child + 1 < open->count && is_before(open->items[child + 1], open->items[child]) ? 1 : 0;
    if (!is_before(open->items[child], last)) {
      break;
    }
    open->items[at] = open->items[child];
    at = child;
  }
  open->items[at] = last;
  return true;
}

bool fw__open_list_validate(const fw_open_list_t * open)
{
  for (int32_t i = 1; i < open->count; ++i) {
    if (is_before(open->items[i], open->items[(i - 1) / 2])) {
      return false;
    }
  }
  return open->count <= open->capacity;
}
