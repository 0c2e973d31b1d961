// A trail: a growing list of places (or other integers) in an arena, such as the path that a search has found.
//
// A push without memory drops the item and sets `has_failed` (the arena's own flag is set too). Searches therefore push
// without looking at each result and check once at their end.

#ifndef SEARCH__TRAIL_H_
#define SEARCH__TRAIL_H_

#include "base/arena.h"
#include "base/assert.h"

typedef struct fw_trail_t {
  fw_arena_t * arena;
  int32_t * places;
  int32_t count;
  int32_t capacity;
  bool has_failed;  // some item was dropped for lack of memory; the owner clears it
} fw_trail_t;

// The slow path of fw__trail_extend: makes room. Apart from it, so that the code inlined into searches stays small.
int32_t * fw__trail_grow(fw_trail_t * trail, int32_t count);

// Appends `count` places, to be filled by the caller, and returns the first of them. NULL when there is no memory; the
// trail is then as it was.
static inline int32_t * fw__trail_extend(fw_trail_t * trail, int32_t count)
{
  FW_ASSERT(count >= 0 && trail->arena != NULL);
  if (count > trail->capacity - trail->count) {
    return fw__trail_grow(trail, count);
  }
  trail->count += count;
  return trail->places + trail->count - count;
}

static inline void fw__trail_add(fw_trail_t * trail, int32_t place)
{
  int32_t * room = fw__trail_extend(trail, 1);
  if (room != NULL) {
    *room = place;
  }
}

// Appends a copy of another trail from index `first` on.
static inline void fw__trail_append(fw_trail_t * trail, const fw_trail_t * other, int32_t first)
{
  FW_ASSERT(trail != other && first >= 0);
  for (int32_t i = first; i < other->count; ++i) {
    fw__trail_add(trail, other->places[i]);
  }
}

// Reverses the items from index `first` on: searches trace a path from its end to its start.
static inline void fw__trail_reverse(fw_trail_t * trail, int32_t first)
{
  FW_ASSERT(first >= 0);
  for (int32_t i = first, j = trail->count - 1; i < j; ++i, --j) {
    const int32_t place = trail->places[i];
    trail->places[i] = trail->places[j];
    trail->places[j] = place;
  }
}

#endif  // SEARCH__TRAIL_H_
