// Shapes, reservations, waits and closures for the page.
//
// A robot's stays are written as steps from one to the next, and equal steps as one with its number: a robot that drives
// straight on enters the next cell at every tick, so a long way takes a few characters.
//
//   number, ticks from one beginning to the next, length, columns and rows from one cell to the next

#include "view/tracks.h"

typedef struct step_t {
  int64_t ticks;
  int64_t length;
  int64_t columns;
  int64_t rows;
} step_t;

static bool is_equal(const step_t * a, const step_t * b)
{
  return a->ticks == b->ticks && a->length == b->length && a->columns == b->columns && a->rows == b->rows;
}

static step_t step_to(const fw_grid_t * grid, const fw__stay_t * before, const fw__stay_t * stay)
{
  const fw__stay_t first = {0};
  const fw__stay_t * from = before != NULL ? before : &first;
  return (step_t){
    .ticks = stay->from - from->from,
    .length = stay->to - stay->from,
    .columns = fw_grid_x(grid, stay->cell) - fw_grid_x(grid, from->cell),
    .rows = fw_grid_y(grid, stay->cell) - fw_grid_y(grid, from->cell),
  };
}

void fw__tracks_add_offset(fw__tracks_t * tracks, int32_t robot, fw_offset_t offset)
{
  fw__vlq_put(&tracks->tracks[robot].shape, offset.dx);
  fw__vlq_put(&tracks->tracks[robot].shape, offset.dy);
}

void fw__tracks_put_stays(fw__tracks_t * tracks, int32_t robot, const fw__stay_t * stays, int32_t stay_count)
{
  fw__vlq_t * code = &tracks->tracks[robot].stays;
  for (int32_t i = 0; i < stay_count;) {
    const step_t step = step_to(tracks->grid, i > 0 ? &stays[i - 1] : NULL, &stays[i]);
    int32_t behind = i + 1;
    for (; behind < stay_count; behind++) {
      const step_t next = step_to(tracks->grid, &stays[behind - 1], &stays[behind]);
      if (!is_equal(&step, &next)) {
        break;
      }
    }
    fw__vlq_put(code, behind - i);
    fw__vlq_put(code, step.ticks);
    fw__vlq_put(code, step.length);
    fw__vlq_put(code, step.columns);
    fw__vlq_put(code, step.rows);
    i = behind;
  }
}

void fw__tracks_add_wait(fw__tracks_t * tracks, int32_t robot, int64_t from, int64_t to)
{
  fw__track_t * track = &tracks->tracks[robot];
  fw__vlq_put(&track->waits, from - track->wait_end);
  fw__vlq_put(&track->waits, to - from);
  track->wait_end = to;
}

void fw__tracks_add_closure(fw__tracks_t * tracks, const fw__stay_t * closure)
{
  fw__vlq_put(&tracks->closures, fw_grid_x(tracks->grid, closure->cell));
  fw__vlq_put(&tracks->closures, fw_grid_y(tracks->grid, closure->cell));
  fw__vlq_put(&tracks->closures, closure->from);
  fw__vlq_put(&tracks->closures, closure->to >= FW_TICK_MAX ? 0 : closure->to - closure->from + 1);
}
