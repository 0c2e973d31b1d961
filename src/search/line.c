// Straight lines between the centres of cells.

#include "search/line.h"

// A walk along a line, from border to border. After `across` columns and `down` rows the next border is a column's if
// (1 + 2 across) / |dx| < (1 + 2 down) / |dy|, a row's if it is more, and both at once if they are equal.
typedef struct walk_t {
  int32_t at;
  int32_t step_x;
  int32_t step_y;
  int32_t dx;
  int32_t dy;
  int64_t lead;  // (1 + 2 across) |dy| - (1 + 2 down) |dx|
  int32_t left_x;
  int32_t left_y;
} walk_t;

typedef enum border_t { BORDER_NONE, BORDER_COLUMN, BORDER_ROW, BORDER_BOTH } border_t;

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

static inline bool is_fine(const fw_floor_t * floor, int32_t place, int32_t cost_max)
{
  return floor->cost[place] != 0 && floor->cost[place] <= cost_max;
}

bool fw__line_is_free(const fw_floor_t * floor, int32_t from, int32_t to, int32_t cost_max)
{
  walk_t walk = begin(floor, from, to);
  bool is_free = is_fine(floor, from, cost_max);
  while (is_free) {
    const border_t border = advance(&walk);
    if (border == BORDER_NONE) {
      return true;
    }
    is_free = is_fine(floor, walk.at, cost_max);
    if (border == BORDER_BOTH) {
      is_free =
        is_free && is_fine(floor, walk.at - walk.step_x, cost_max) && is_fine(floor, walk.at - walk.step_y, cost_max);
    }
  }
  return false;
}

// Two borders of different kinds, one after the other, are a diagonal if the other side is free as well.
static bool merge(const fw_floor_t * floor, const walk_t * walk, border_t last, border_t border, fw_trail_t * trail)
{
  if (floor->degree != 8 || last == BORDER_NONE || last == border) {
    return false;
  }
  const int32_t side = walk->at - (border == BORDER_COLUMN ? walk->step_y : walk->step_x);
  if (floor->cost[side] == 0) {
    return false;
  }
  trail->places[trail->count - 1] = walk->at;
  return true;
}

void fw__line_walk(const fw_floor_t * floor, int32_t from, int32_t to, fw_trail_t * trail)
{
  walk_t walk = begin(floor, from, to);
  border_t last = BORDER_NONE;  // of the move just made, if it may still become part of a diagonal
  for (border_t border = advance(&walk); border != BORDER_NONE && !trail->has_failed; border = advance(&walk)) {
    if (border == BORDER_BOTH) {
      if (floor->degree == 4) {
        fw__trail_add(trail, walk.at - walk.step_y);
      }
      fw__trail_add(trail, walk.at);
      last = BORDER_NONE;
    } else if (merge(floor, &walk, last, border, trail)) {
      last = BORDER_NONE;
    } else {
      fw__trail_add(trail, walk.at);
      last = border;
    }
  }
}
