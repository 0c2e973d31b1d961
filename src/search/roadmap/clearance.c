// The two-pass Chebyshev distance transform (Rosenfeld and Pfaltz 1966): once from the top left, once from the bottom
// right.

#include "search/roadmap/clearance.h"

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

int32_t * fw__clearance_make(fw_arena_t * arena, const fw_floor_t * floor)
{
  FW_ASSERT(floor->degree != 6);
  const int32_t stride = floor->stride;
  int32_t * c = fw__arena_allocate_zeroed(arena, (size_t)floor->place_count, sizeof(*c));
  if (c == NULL) {
    return NULL;
  }
  for (int32_t p = stride + 1; p < floor->place_count - stride - 1; ++p) {
    if (floor->cost[p] != 0) {
      c[p] = 1 + least(least(c[p - 1], c[p - stride]), least(c[p - stride - 1], c[p - stride + 1]));
    }
  }
  for (int32_t p = floor->place_count - stride - 2; p > stride; --p) {
    if (floor->cost[p] != 0) {
      const int32_t behind = least(least(c[p + 1], c[p + stride]), least(c[p + stride - 1], c[p + stride + 1]));
      c[p] = least(c[p], 1 + behind);
    }
  }
  return c;
}
