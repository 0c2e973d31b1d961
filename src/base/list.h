// A growing list of integers in an arena, with a sticky failure.
//
// When there is no memory, push drops the item and the arena remembers it (`has_failed`). A phase therefore pushes
// without looking at the results and checks fw__arena_has_failed() once at its end.

#ifndef BASE__LIST_H_
#define BASE__LIST_H_

#include "base/arena.h"
#include "base/assert.h"

// `{0}` is an empty list without an arena: its first push must be fw__list_push_in.
typedef struct fw_list_t {
  fw_arena_t * arena;  // borrowed
  int32_t * items;     // in the arena; moves when the list grows
  int32_t count;
  int32_t capacity;
} fw_list_t;

static inline fw_list_t fw__list(fw_arena_t * arena) { return (fw_list_t){.arena = arena}; }

// Makes room for `more` items behind the `count` that are there. False when there is no memory: the list is unchanged.
static inline bool fw__list_reserve(fw_list_t * list, int32_t more)
{
  FW_ASSERT(list->arena != NULL && more >= 0 && list->count >= 0 && list->count <= list->capacity);
  while (list->capacity - list->count < more) {
    const int32_t outgrown = list->capacity;
    int32_t * items = fw__arena_grow(list->arena, list->items, sizeof(*items), &list->capacity);
    if (items == NULL) {
      return false;
    }
    fw__arena_recycle(list->arena, list->items, (size_t)outgrown, sizeof(*items));
    list->items = items;
  }
  return true;
}

// False when there is no memory: the list is unchanged, without the item.
static inline bool fw__list_push(fw_list_t * list, int32_t item)
{
  if (list->count == list->capacity && !fw__list_reserve(list, 1)) {
    return false;
  }
  FW_ASSERT(list->count < list->capacity);
  list->items[list->count++] = item;
  return true;
}

// Pushes to a list that may still be `{0}`: an empty list takes `arena` as its own. For lists in zeroed structs.
static inline bool fw__list_push_in(fw_arena_t * arena, fw_list_t * list, int32_t item)
{
  if (list->arena == NULL) {
    list->arena = arena;
  }
  FW_ASSERT(list->arena == arena);
  return fw__list_push(list, item);
}

#endif  // BASE__LIST_H_
