// Straight ahead: a way where nothing is in it.

#include "search/straight.h"

// Moves in one direction, and how many of them it takes.
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

// Moves of kind a wherever they are open, else of kind b. False where neither is.
static bool walk(const fw_floor_t * floor, int32_t at, kind_t a, kind_t b, int32_t * places)
{
  const int32_t steps[2] = {floor->steps[0][a.direction], floor->steps[0][b.direction]};
  while (a.count + b.count > 0) {
    const bool is_a = a.count > 0 && (floor->moves[at] >> a.direction & 1) != 0;
    if (!is_a && (b.count == 0 || (floor->moves[at] >> b.direction & 1) == 0)) {
      return false;
    }
    at += is_a ? steps[0] : steps[1];
    a.count -= is_a;
    b.count -= !is_a;
    if (floor->cost[at] != floor->cost_min) {
      return false;
    }
    *places++ = at;
  }
  return true;
}

bool fw_straight_find(const fw_floor_t * floor, int32_t start, int32_t goal, fw_trail_t * trail)
{
  kind_t kinds[2];
  choose_kinds(
    floor, fw_floor_x(floor, goal) - fw_floor_x(floor, start), fw_floor_y(floor, goal) - fw_floor_y(floor, start),
    kinds);
  const int32_t count = 1 + kinds[0].count + kinds[1].count;
  int32_t * places = fw_trail_extend(trail, count);
  if (places == NULL) {
    return false;
  }
  places[0] = start;
  const bool is_found =
    walk(floor, start, kinds[0], kinds[1], places + 1) || walk(floor, start, kinds[1], kinds[0], places + 1);
  trail->count -= is_found ? 0 : count;
  return is_found;
}
