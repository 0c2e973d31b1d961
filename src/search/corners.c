// Any-angle shortening. From each corner on to the last turning point in sight; then once more from the end, since what
// was seen first need not be what is seen farthest.

#include "search/corners.h"

#include "search/line.h"

// Where the way changes its direction or the cost of its floor, and its ends: between two of them nothing changes.
static void find_turns(const fw_floor_t * floor, const fw_trail_t * trail, fw_trail_t * corners)
{
  const uint8_t * cost = floor->cost;
  corners->count = 0;
  for (int32_t i = 0; i < trail->count; ++i) {
    const bool is_end = i == 0 || i == trail->count - 1;
    const int32_t * at = &trail->places[i];
    if (is_end || at[0] - at[-1] != at[1] - at[0] || cost[at[0]] != cost[at[-1]] || cost[at[0]] != cost[at[1]]) {
      fw__trail_add(corners, *at);
    }
  }
}

// The cheapest place on the way so far; a line may cost no more.
static int32_t cheapest(const fw_floor_t * floor, int32_t place, int32_t least)
{
  return floor->cost[place] < least ? floor->cost[place] : least;
}

// Leaves out turns that the one before sees past, in place. Returns how many are left.
static int32_t pull(const fw_floor_t * floor, int32_t * turns, int32_t count)
{
  int32_t kept = count > 0 ? 1 : 0;
  int32_t least = count > 0 ? floor->cost[turns[0]] : 0;
  for (int32_t i = 1; i < count; ++i) {
    least = cheapest(floor, turns[i], least);
    if (turns[i] == turns[kept - 1]) {
      continue;  // the way has been there and back
    }
    const bool is_last = i == count - 1;
    if (is_last || !fw__line_is_free(floor, turns[kept - 1], turns[i + 1], cheapest(floor, turns[i + 1], least))) {
      turns[kept++] = turns[i];
      least = floor->cost[turns[i]];
    }
  }
  return kept;
}

void fw__corners_find(const fw_floor_t * floor, const fw_trail_t * trail, fw_trail_t * corners)
{
  find_turns(floor, trail, corners);
  corners->count = pull(floor, corners->places, corners->count);
  if (floor->is_uniform) {
    fw__trail_reverse(corners, 0);
    corners->count = pull(floor, corners->places, corners->count);
    fw__trail_reverse(corners, 0);
  }
}
