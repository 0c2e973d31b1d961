// The straight path: moves of two kinds in either order of preference.

#include "search/grid/straight.h"

// Moves in one direction, and how many of them the path has.
typedef struct kind_t {
  int32_t direction;
  int32_t count;
} kind_t;

enum { EAST, SOUTH, WEST, NORTH, SOUTH_EAST, SOUTH_WEST, NORTH_WEST, NORTH_EAST };  // as in world/body.h

static void choose_kinds(const fw_floor_t * floor, int32_t dx, int32_t dy, kind_t kinds[2])
{
  static const int32_t diagonals[2][2] = {{NORTH_WEST, NORTH_EAST}, {SOUTH_WEST, SOUTH_EAST}};
  kinds[0] = (kind_t){dx > 0 ? EAST : WEST, abs(dx)};
  kinds[1] = (kind_t){dy > 0 ? SOUTH : NORTH, abs(dy)};
  if (floor->degree == 8) {
    const kind_t * longer = kinds[0].count > kinds[1].count ? &kinds[0] : &kinds[1];
    const int32_t less = abs(dx) < abs(dy) ? abs(dx) : abs(dy);
    kinds[0] = (kind_t){longer->direction, longer->count - less};
    kinds[1] = (kind_t){diagonals[dy > 0][dx > 0], less};
  }
}

// Walks by moves of kind a wherever they are open, else of kind b. False if neither is open before the goal.
static bool walk(const fw_floor_t * floor, kind_t a, kind_t b, int32_t * places)
{
  const uint8_t * moves = floor->moves;
  int32_t at = *places++;
  const int32_t step_a = floor->steps[0][a.direction];
  const int32_t step_b = floor->steps[0][b.direction];
  const int32_t open_a = 1 << a.direction;
  const int32_t open_b = 1 << b.direction;
  for (bool is_stuck = false; !is_stuck;) {
    for (; a.count > 0 && (moves[at] & open_a) != 0; --a.count) {
      *places++ = at += step_a;
    }
    is_stuck = b.count == 0 || (moves[at] & open_b) == 0;
    if (!is_stuck) {
      *places++ = at += step_b;
      --b.count;
    }
  }
  return a.count + b.count == 0;
}

// The path is known to be shortest only if every cell has the least cost of the floor.
static bool is_cheap(const fw_floor_t * floor, const int32_t * places, int32_t count)
{
  int32_t i = floor->is_uniform ? count : 1;
  while (i < count && floor->cost[places[i]] == floor->cost_min) {
    ++i;
  }
  return i == count;
}

bool fw__straight_find(const fw_floor_t * floor, int32_t start, int32_t goal, fw_trail_t * trail)
{
  FW_ASSERT(floor->degree != 6 && floor->cost[start] != 0 && floor->cost[goal] != 0);
  kind_t kinds[2];
  choose_kinds(
    floor, fw__floor_x(floor, goal) - fw__floor_x(floor, start), fw__floor_y(floor, goal) - fw__floor_y(floor, start),
    kinds);
  const int32_t count = 1 + kinds[0].count + kinds[1].count;
  int32_t * places = fw__trail_extend(trail, count);
  if (places == NULL) {
    return false;
  }
  places[0] = start;
  bool is_found = false;
  for (int32_t first = 0; first < 2 && !is_found; ++first) {
    is_found = walk(floor, kinds[first], kinds[1 - first], places) && is_cheap(floor, places, count);
  }
  trail->count -= is_found ? 0 : count;
  return is_found;
}
