// Distances from one place to all others by Dijkstra's algorithm.

#include "search/grid/flood.h"

#include "base/assert.h"

bool fw__flood(fw_flood_t * flood, int32_t place, int32_t * distance)
{
  const fw_floor_t * floor = flood->floor;
  FW_ASSERT(place >= 0 && place < floor->place_count && floor->cost[place] != 0);
  const int32_t shift = fw__floor_key_shift(floor);
  for (int32_t i = 0; i < floor->place_count; ++i) {
    distance[i] = FW_FLOOD_NONE;
  }
  fw__bucket_queue_clear(flood->open);
  distance[place] = 0;
  (void)fw__bucket_queue_push(flood->open, 0, place, 0);
  int32_t at, g;
  int64_t key;
  while (fw__bucket_queue_pop(flood->open, &at, &g, &key)) {
    if (distance[at] != g) {
      continue;  // pushed again at a shorter distance
    }
    ++flood->expanded;
    const int32_t * steps = floor->steps[floor->degree == 6 ? fw__floor_y(floor, at) & 1 : 0];
    for (int32_t moves = floor->moves[at]; moves != 0; moves &= moves - 1) {
      const int32_t d = __builtin_ctz((unsigned)moves);
      const int32_t to = at + steps[d];
      const int32_t next = g + floor->lengths[d] * floor->cost[flood->is_backward ? at : to];
      if (next < distance[to]) {
        distance[to] = next;
        (void)fw__bucket_queue_push(flood->open, next >> shift, to, next);
      }
    }
  }
  return !fw__arena_has_failed(flood->open->arena);
}
