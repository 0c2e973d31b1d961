// A flood: distances from one place to all others, or from all others to it, by Dijkstra's algorithm over the whole
// floor (single-source shortest paths).

#ifndef SEARCH__GRID__FLOOD_H_
#define SEARCH__GRID__FLOOD_H_

#include "base/bucket_queue.h"
#include "search/floor.h"

#define FW_FLOOD_NONE INT32_MAX  // there is no path

typedef struct fw_flood_t {
  const fw_floor_t * floor;
  fw_bucket_queue_t * open;  // the open list, emptied before use
  bool is_backward;          // distances to the place; they differ from those from it where cells differ in cost
  int64_t expanded;          // is counted up
} fw_flood_t;

// Fills distance[i] for all places i. False when there is no memory; some distances are then too large.
bool fw__flood(fw_flood_t * flood, int32_t place, int32_t * distance);

// By how many bits a cost is shifted to become the key of a bucket queue: a bucket spans at most a quarter of a
// straight move, so that few buckets are empty and the order is nearly exact.
static inline int32_t fw__floor_key_shift(const fw_floor_t * floor)
{
  int32_t shift = 0;
  while (floor->straight >> (shift + 3) > 0) {
    ++shift;
  }
  return shift;
}

#endif  // SEARCH__GRID__FLOOD_H_
