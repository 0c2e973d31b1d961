// Distances from one place to all others, or from all others to it: Dijkstra over the whole floor.

#ifndef SEARCH__FLOOD_H_
#define SEARCH__FLOOD_H_

#include "base/bucket_queue.h"
#include "search/floor.h"

#define FW_FLOOD_NONE INT32_MAX  // there is no way

typedef struct fw_flood_t {
  const fw_floor_t * floor;
  fw_bucket_queue_t * open;  // its memory is used again
  bool is_backward;     // distances to the place; they differ where the floor's cost does
  int64_t expanded;     // counted up
} fw_flood_t;

// Fills distance[place] for all places. False when there is no memory.
bool fw__flood(fw_flood_t * flood, int32_t place, int32_t * distance);

// Keys of bucket queues: costs are cut down so that few buckets are empty, to at most a quarter of a straight move.
static inline int32_t fw__floor_key_shift(const fw_floor_t * floor)
{
  int32_t shift = 0;
  while (floor->straight >> (shift + 3) > 0) {
    ++shift;
  }
  return shift;
}

#endif  // SEARCH__FLOOD_H_
