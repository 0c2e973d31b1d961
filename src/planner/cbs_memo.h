// A table from two long keys to a number, for questions that are dear to answer twice.

#ifndef PLANNER__CBS_MEMO_H_
#define PLANNER__CBS_MEMO_H_

#include "base/arena.h"

typedef struct fw_cbs_memo_entry_t {
  uint64_t keys[2];
  int32_t value;
  uint32_t stamp;  // the table's, if it is in use
} fw_cbs_memo_entry_t;

typedef struct fw_cbs_memo_t {
  fw_arena_t * arena;
  fw_cbs_memo_entry_t * entries;
  int32_t capacity;  // a power of two
  int32_t count;
  uint32_t stamp;
} fw_cbs_memo_t;

static inline uint64_t fw_cbs_memo_key(int32_t high, int32_t low)
{
  return ((uint64_t)(uint32_t)high << 32) | (uint32_t)low;
}
bool fw_cbs_memo_init(fw_cbs_memo_t * memo, fw_arena_t * arena);  // false when there is no memory
void fw_cbs_memo_clear(fw_cbs_memo_t * memo);
bool fw_cbs_memo_get(const fw_cbs_memo_t * memo, const uint64_t keys[2], int32_t * value);  // false: not known
bool fw_cbs_memo_put(fw_cbs_memo_t * memo, const uint64_t keys[2], int32_t value);          // false: no memory

#endif  // PLANNER__CBS_MEMO_H_
