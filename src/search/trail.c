// A trail: making room for more places.

#include "search/trail.h"

int32_t * fw__trail_grow(fw_trail_t * trail, int32_t count)
{
  while (count > trail->capacity - trail->count) {
    const size_t outgrown = (size_t)trail->capacity;
    int32_t * places = fw__arena_grow(trail->arena, trail->places, sizeof(*places), &trail->capacity);
    if (places == NULL) {
      trail->has_failed = true;
      return NULL;
    }
    fw__arena_recycle(trail->arena, trail->places, outgrown, sizeof(*places));
    trail->places = places;
  }
  trail->count += count;
  return trail->places + trail->count - count;
}
