// Lines of sight between the centres of cells, and string pulling.

#include "search/line_of_sight.h"

// ---- lines ----------------------------------------------------------------------------------------------------------

typedef enum border_t { BORDER_NONE, BORDER_COLUMN, BORDER_ROW, BORDER_BOTH } border_t;

// A walk along a line from one border between cells to the next (a supercover line, in integers). After `across`
// columns and `down` rows the next border is one between columns if (1 + 2 across) / |dx| < (1 + 2 down) / |dy|, one
// between rows if it is more, and both at once, a corner of four cells, if they are equal.
typedef struct walk_t {
  int32_t at;
  int32_t step_x;
  int32_t step_y;
  int32_t dx;
  int32_t dy;
  int64_t lead;  // (1 + 2 across) |dy| - (1 + 2 down) |dx|
  int32_t left_x;
  int32_t left_y;
  border_t last;  // of the move just made, while it may still become part of a diagonal
} walk_t;

static walk_t begin(const fw_floor_t * floor, int32_t from, int32_t to)
{
  const int32_t dx = fw__floor_x(floor, to) - fw__floor_x(floor, from);
  const int32_t dy = fw__floor_y(floor, to) - fw__floor_y(floor, from);
  return (walk_t){
    .at = from,
    .step_x = dx < 0 ? -1 : 1,
    .step_y = dy < 0 ? -floor->stride : floor->stride,
    .dx = abs(dx),
    .dy = abs(dy),
    .lead = (int64_t)abs(dy) - abs(dx),
    .left_x = abs(dx),
    .left_y = abs(dy),
  };
}

static inline border_t advance(walk_t * walk)
{
  if (walk->left_x == 0 && walk->left_y == 0) {
    return BORDER_NONE;
  }
  const border_t border = walk->lead < 0 ? BORDER_COLUMN : (walk->lead > 0 ? BORDER_ROW : BORDER_BOTH);
  if (border != BORDER_ROW) {
    walk->lead += 2 * (int64_t)walk->dy;
    walk->left_x -= 1;
    walk->at += walk->step_x;
  }
  if (border != BORDER_COLUMN) {
    walk->lead -= 2 * (int64_t)walk->dx;
    walk->left_y -= 1;
    walk->at += walk->step_y;
  }
  return border;
}

static inline bool is_passable(const fw_floor_t * floor, int32_t place, int32_t cost_max)
{
  return floor->cost[place] != 0 && floor->cost[place] <= cost_max && !fw__floor_is_one_way(floor, place);
}

bool fw__line_is_free(const fw_floor_t * floor, int32_t from, int32_t to, int32_t cost_max)
{
  FW_ASSERT(floor->degree != 6);
  walk_t walk = begin(floor, from, to);
  bool is_free = is_passable(floor, from, cost_max);
  while (is_free) {
    const border_t border = advance(&walk);
    if (border == BORDER_NONE) {
      return true;
    }
    is_free = is_passable(floor, walk.at, cost_max);
    if (border == BORDER_BOTH) {
      is_free = is_free && is_passable(floor, walk.at - walk.step_x, cost_max) &&
                is_passable(floor, walk.at - walk.step_y, cost_max);
    }
  }
  return false;
}

// Two moves across borders of different kinds, one after the other, become one diagonal if the other side cell is free
// as well: the end of the trail is moved.
static bool merge(const fw_floor_t * floor, const walk_t * walk, border_t border, fw_trail_t * trail)
{
  if (floor->degree != 8 || walk->last == BORDER_NONE || walk->last == border) {
    return false;
  }
  FW_ASSERT(trail->count > 0);
  const int32_t side = walk->at - (border == BORDER_COLUMN ? walk->step_y : walk->step_x);
  if (floor->cost[side] == 0) {
    return false;
  }
  trail->places[trail->count - 1] = walk->at;
  return true;
}

void fw__line_walk(const fw_floor_t * floor, int32_t from, int32_t to, fw_trail_t * trail)
{
  FW_ASSERT(floor->degree != 6 && floor->cost[to] != 0);
  walk_t walk = begin(floor, from, to);
  for (border_t border = advance(&walk); border != BORDER_NONE && !trail->has_failed; border = advance(&walk)) {
    if (border == BORDER_BOTH) {
      if (floor->degree == 4) {
        fw__trail_add(trail, walk.at - walk.step_y);
      }
      fw__trail_add(trail, walk.at);
      walk.last = BORDER_NONE;
    } else if (merge(floor, &walk, border, trail)) {
      walk.last = BORDER_NONE;
    } else {
      fw__trail_add(trail, walk.at);
      walk.last = border;
    }
  }
}

// ---- string pulling -------------------------------------------------------------------------------------------------

// Collects the ends of the path and every place where its direction or the cost of its cells changes.
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

// The cost of the cheapest place so far; a line of sight must not cost more.
static int32_t cheapest(const fw_floor_t * floor, int32_t place, int32_t least)
{
  return floor->cost[place] < least ? floor->cost[place] : least;
}

// Removes, in place, each turn that the corner before can see past. Returns the number of turns left.
static int32_t pull(const fw_floor_t * floor, int32_t * turns, int32_t count)
{
  int32_t kept = count > 0 ? 1 : 0;
  int32_t least = count > 0 ? floor->cost[turns[0]] : 0;
  for (int32_t i = 1; i < count; ++i) {
    least = cheapest(floor, turns[i], least);
    if (turns[i] == turns[kept - 1]) {
      continue;  // the path went there and back
    }
    const bool is_last = i == count - 1;
    if (is_last || !fw__line_is_free(floor, turns[kept - 1], turns[i + 1], cheapest(floor, turns[i + 1], least))) {
      turns[kept++] = turns[i];
      least = floor->cost[turns[i]];
    }
  }
  return kept;
}

// Greedy string pulling: from each corner to the last turn in sight. A second pass from the end finds what the first
// one missed, since the turn that was seen first need not be the farthest one in sight.
void fw__line_find_corners(const fw_floor_t * floor, const fw_trail_t * trail, fw_trail_t * corners)
{
  FW_ASSERT(floor->degree != 6);
  find_turns(floor, trail, corners);
  corners->count = pull(floor, corners->places, corners->count);
  if (floor->is_uniform) {
    fw__trail_reverse(corners, 0);
    corners->count = pull(floor, corners->places, corners->count);
    fw__trail_reverse(corners, 0);
  }
}
