// An open list in the order of a long key: a binary heap. Buckets (base/buckets.h) are faster where one small number
// says it all; joint searches break ties by two more.

#ifndef PLANNER__OPTIMAL__RANKED_H_
#define PLANNER__OPTIMAL__RANKED_H_

#include "base/arena.h"

typedef struct fw_ranked_item_t {
  uint64_t key;
  int32_t value;
} fw_ranked_item_t;

typedef struct fw_ranked_t {
  fw_arena_t * arena;
  fw_ranked_item_t * items;
  int32_t count;
  int32_t capacity;
} fw_ranked_t;

static inline void fw__ranked_init(fw_ranked_t * ranked, fw_arena_t * arena)
{
  *ranked = (fw_ranked_t){.arena = arena};
}
// False when there is no memory.
bool fw__ranked_push(fw_ranked_t * ranked, uint64_t key, int32_t value);
// The smallest key; of equal keys the largest value, which is the newest where values are numbers of nodes. False when
// empty.
bool fw__ranked_pop(fw_ranked_t * ranked, fw_ranked_item_t * item);

#endif  // PLANNER__OPTIMAL__RANKED_H_
