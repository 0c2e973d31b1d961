// An open list with long keys: a binary heap. The bucket queue of src/base is faster where the key is one small number;
// joint searches break ties by two more.

#ifndef PLANNER__OPTIMAL__OPEN_LIST_H_
#define PLANNER__OPTIMAL__OPEN_LIST_H_

#include "base/arena.h"

typedef struct fw_open_item_t {
  uint64_t key;
  int32_t value;
} fw_open_item_t;

typedef struct fw_open_list_t {
  fw_arena_t * arena;
  fw_open_item_t * items;  // a heap: items[(i - 1) / 2] comes no later than items[i]
  int32_t count;
  int32_t capacity;
} fw_open_list_t;

static inline void fw__open_list_init(fw_open_list_t * open, fw_arena_t * arena)
{
  *open = (fw_open_list_t){.arena = arena};
}
// False when there is no memory: the item is not in the list.
bool fw__open_list_push(fw_open_list_t * open, uint64_t key, int32_t value);
// Takes the item of the smallest key; of equal keys that of the largest value, which is the newest where values are
// numbers of states. False when empty.
bool fw__open_list_pop(fw_open_list_t * open, fw_open_item_t * item);

// For assertions and tests: the heap property holds.
bool fw__open_list_validate(const fw_open_list_t * open);

#endif  // PLANNER__OPTIMAL__OPEN_LIST_H_
