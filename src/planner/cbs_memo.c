// A table from two long keys to a number: open addressing, at most half full.

#include "planner/cbs_memo.h"

enum { FIRST_ENTRIES = 1024 };

bool fw_cbs_memo_init(fw_cbs_memo_t * memo, fw_arena_t * arena)
{
  *memo = (fw_cbs_memo_t){.arena = arena, .capacity = FIRST_ENTRIES, .stamp = 1};
  memo->entries = fw_arena_allocate_zeroed(arena, FIRST_ENTRIES, sizeof(*memo->entries));
  return memo->entries != NULL;
}

void fw_cbs_memo_clear(fw_cbs_memo_t * memo)
{
  ++memo->stamp;
  memo->count = 0;
}

// Where the keys are, or where there is room for them.
static fw_cbs_memo_entry_t * find(const fw_cbs_memo_t * memo, const uint64_t keys[2])
{
  uint64_t hash = (keys[0] ^ (keys[1] >> 29) ^ (keys[1] << 17)) * UINT64_C(0x9e3779b97f4a7c15);
  hash ^= hash >> 31;
  for (;; ++hash) {
    fw_cbs_memo_entry_t * entry = &memo->entries[hash & (uint64_t)(memo->capacity - 1)];
    if (entry->stamp != memo->stamp || (entry->keys[0] == keys[0] && entry->keys[1] == keys[1])) {
      return entry;
    }
  }
}

bool fw_cbs_memo_get(const fw_cbs_memo_t * memo, const uint64_t keys[2], int32_t * value)
{
  const fw_cbs_memo_entry_t * entry = find(memo, keys);
  *value = entry->value;
  return entry->stamp == memo->stamp;
}

static bool grow(fw_cbs_memo_t * memo)
{
  const fw_cbs_memo_t old = *memo;
  fw_cbs_memo_entry_t * entries = fw_arena_allocate_zeroed(memo->arena, (size_t)old.capacity * 4, sizeof(*entries));
  if (entries == NULL) {
    return false;
  }
  memo->entries = entries;
  memo->capacity = old.capacity * 4;
  for (int32_t i = 0; i < old.capacity; ++i) {
    if (old.entries[i].stamp == memo->stamp) {
      *find(memo, old.entries[i].keys) = old.entries[i];
    }
  }
  return true;
}

bool fw_cbs_memo_put(fw_cbs_memo_t * memo, const uint64_t keys[2], int32_t value)
{
  if (memo->count * 2 >= memo->capacity && !grow(memo)) {
    return false;
  }
  *find(memo, keys) = (fw_cbs_memo_entry_t){.keys = {keys[0], keys[1]}, .value = value, .stamp = memo->stamp};
  ++memo->count;
  return true;
}
