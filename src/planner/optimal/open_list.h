// An open list with long keys: a list of items for each level, and a binary heap of the items of the level that is
// taken from. The bucket queue of src/base is faster where the key is one small number; joint searches break ties by
// two more.
//
//   key    | level (f) | violations | h |
//   heap   level 41, sorted as far as a heap is; then lists: 42 -> a, b, c …   43 -> d …   44 -> none
//
// Most states of a joint search lie on levels that the search never comes to. They are never sorted.

#ifndef PLANNER__OPTIMAL__OPEN_LIST_H_
#define PLANNER__OPTIMAL__OPEN_LIST_H_

#include "base/arena.h"

// The level is what is above these bits of a key.
enum { FW_OPEN_LEVEL_SHIFT = 36, FW_OPEN_LEVELS = 128 };

typedef struct fw_open_item_t {
  uint64_t key;
  int32_t value;
} fw_open_item_t;

typedef struct fw_open_items_t {
  fw_open_item_t * items;
  int32_t count;
  int32_t capacity;
} fw_open_items_t;

typedef struct fw_open_list_t {
  fw_arena_t * arena;
  fw_open_items_t heap;  // items[(i - 1) / 2] comes no later than items[i]; all come before those of the lists
  uint64_t first_level;  // that of lists[0]: the level of the first item
  int32_t heap_level;    // the items of this list and of those before it are in the heap; -1: nothing was pushed
  fw_open_items_t lists[FW_OPEN_LEVELS];  // by level, from the first on; the last one is for all higher levels, too
} fw_open_list_t;

void fw__open_list_init(fw_open_list_t * open, fw_arena_t * arena);
// False when there is no memory: the item is not in the list.
bool fw__open_list_push(fw_open_list_t * open, uint64_t key, int32_t value);
// Takes the item of the smallest key; of equal keys that of the largest value, which is the newest where values are
// numbers of states. False when empty.
bool fw__open_list_pop(fw_open_list_t * open, fw_open_item_t * item);

// For assertions and tests: the heap property holds, and every item is in the list of its level.
bool fw__open_list_validate(const fw_open_list_t * open);

#endif  // PLANNER__OPTIMAL__OPEN_LIST_H_
