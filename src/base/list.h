// A growing list of integers in an arena, with a sticky failure: when there is no memory, push drops the item and the
// arena remembers (`has_failed`). A phase pushes without asking and checks fw__arena_has_failed() once at its end.

#ifndef BASE__LIST_H_
#define BASE__LIST_H_

#include "base/arena.h"
#include "base/assert.h"

typedef struct fw_list_t {
  fw_arena_t * arena;
  int32_t * items;
  int32_t count;
  int32_t capacity;
} fw_list_t;

static inline fw_list_t fw__list(fw_arena_t * arena) { return (fw_list_t){.arena = arena}; }

// False when there is no memory: the list is as it was, without the item.
static inline bool fw__list_push(fw_list_t * list, int32_t item)
{
  if (list->count == list->capacity) {
    int32_t * items = fw__arena_grow(list->arena, list->items, (size_t)list->count, sizeof(*items), &list->capacity);
    if (items == NULL) {
      return false;
    }
    fw__arena_leave(list->arena, list->items, (size_t)list->count, sizeof(*items));
    list->items = items;
  }
  FW_ASSERT(list->count < list->capacity);
  list->items[list->count++] = item;
  return true;
}

#endif  // BASE__LIST_H_
