// An open list in the order of a long key.

#include "planner/optimal/ranked.h"

static inline bool is_before(fw_ranked_item_t a, fw_ranked_item_t b)
{
  return a.key != b.key ? a.key < b.key : a.value > b.value;
}

bool fw__ranked_push(fw_ranked_t * ranked, uint64_t key, int32_t value)
{
  if (ranked->count == ranked->capacity) {
    fw_ranked_item_t * items =
      fw__arena_grow(ranked->arena, ranked->items, (size_t)ranked->count, sizeof(*items), &ranked->capacity);
    if (items == NULL) {
      return false;
    }
    ranked->items = items;
  }
  const fw_ranked_item_t item = {.key = key, .value = value};
  int32_t at = ranked->count++;
  while (at > 0 && is_before(item, ranked->items[(at - 1) / 2])) {
    ranked->items[at] = ranked->items[(at - 1) / 2];
    at = (at - 1) / 2;
  }
  ranked->items[at] = item;
  return true;
}

bool fw__ranked_pop(fw_ranked_t * ranked, fw_ranked_item_t * item)
{
  if (ranked->count == 0) {
    return false;
  }
  *item = ranked->items[0];
  const fw_ranked_item_t last = ranked->items[--ranked->count];
  int32_t at = 0;
  for (int32_t child = 1; child < ranked->count; child = 2 * at + 1) {
    child += child + 1 < ranked->count && is_before(ranked->items[child + 1], ranked->items[child]) ? 1 : 0;
    if (!is_before(ranked->items[child], last)) {
      break;
    }
    ranked->items[at] = ranked->items[child];
    at = child;
  }
  ranked->items[at] = last;
  return true;
}
