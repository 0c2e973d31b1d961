// Thinning: cells are taken away from the walls inwards as long as that changes nothing about how the floor is connected,
// and ends of lines are left.
//
// The floor is connected by straight moves (a diagonal needs both side cells), obstacles also across corners. A cell can
// go if its eight neighbours have exactly one run of floor that touches it by a side, and some obstacle.

#include "base/bucket_queue.h"
#include "search/corridors.h"

// Eight neighbours in a ring from east, clockwise; even ones are beside it, odd ones across a corner.
static const int32_t ring_straight[8] = {0, 0, 1, 1, 2, 2, 3, 3};

static int32_t ring_of(const fw_corridors_t * corridors, int32_t place)
{
  const fw_floor_t * floor = corridors->graph.floor;
  int32_t ring = 0;
  for (int32_t i = 0; i < 8; ++i) {
    const int32_t d = ring_straight[i];
    const int32_t to = place + floor->steps[0][d] + (i % 2 == 1 ? floor->steps[0][(d + 1) & 3] : 0);
    ring |= corridors->is_spine[to] != 0 ? 1 << i : 0;
  }
  return ring;
}

static bool can_go(int32_t ring)
{
  int32_t runs = 0;
  int32_t sides = 0;
  for (int32_t i = 0; i < 8; ++i) {
    sides += i % 2 == 0 && (ring >> i & 1) != 0;
    // A run begins after an obstacle; it counts if some even place of it is floor.
    if ((ring >> i & 1) == 0 || (ring >> ((i + 7) & 7) & 1) != 0) {
      continue;
    }
    bool has_side = false;
    for (int32_t k = i; (ring >> (k & 7) & 1) != 0 && k < i + 8; ++k) {
      has_side = has_side || (k & 1) == 0;
    }
    runs += has_side;
  }
  return runs == 1 && sides > 1;  // with one side it is the end of a line
}

bool fw__corridors_thin(fw_corridors_t * corridors, fw_arena_t * arena)
{
  const fw_floor_t * floor = corridors->graph.floor;
  fw_bucket_queue_t queue;
  fw__bucket_queue_init(&queue, arena);
  bool is_fine = true;
  for (int32_t place = 0; place < floor->place_count && is_fine; ++place) {
    corridors->is_spine[place] = floor->cost[place] != 0;
    if (floor->cost[place] != 0) {
      is_fine = fw__bucket_queue_push(&queue, corridors->clearance[place], place, 0);
    }
  }
  int32_t place, tag;
  int64_t key;
  while (is_fine && fw__bucket_queue_pop(&queue, &place, &tag, &key)) {
    if (corridors->is_spine[place] == 0 || !can_go(ring_of(corridors, place))) {
      continue;
    }
    corridors->is_spine[place] = 0;
    // What could not go before may go now, but no sooner than its turn.
    for (int32_t d = 0; d < 4 && is_fine; ++d) {
      const int32_t to = place + floor->steps[0][d];
      const int32_t turn = corridors->clearance[to] > key ? corridors->clearance[to] : (int32_t)key;
      is_fine = corridors->is_spine[to] == 0 || fw__bucket_queue_push(&queue, turn, to, 0);
    }
  }
  return is_fine;
}
