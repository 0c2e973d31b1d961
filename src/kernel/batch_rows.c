// A batch's memory: a row for each thing that is known of every robot.

#include <string.h>

#include "base/memory.h"
#include "kernel/batch.h"

// Not cleared: the movements arrays are large, and what they hold counts only inside a robot's box.
static void * take(fw__batch_t * batch, size_t count, size_t size_bytes)
{
  if (count > SIZE_MAX / size_bytes) {
    return NULL;
  }
  void * row = batch->allocator.allocate(count * size_bytes, batch->allocator.state);
  batch->memory_bytes += row != NULL ? count * size_bytes : 0;
  return row;
}

static bool take_maps(fw__batch_t * batch, bool is_weighted)
{
  const size_t cells = (size_t)batch->view.width * (size_t)batch->view.height;
  batch->cost = take(batch, cells, 1);
  batch->moves = take(batch, cells, 1);
  batch->truth = batch->view.sight > 0 ? take(batch, cells, 1) : batch->cost;
  batch->view.cost = batch->cost;
  batch->view.moves = batch->moves;
  batch->view.floor = batch->moves;
  batch->view.truth = batch->truth;
  return batch->cost != NULL && batch->moves != NULL && batch->truth != NULL &&
         (!is_weighted || fw__batch_weigh(batch));
}

bool fw__batch_weigh(fw__batch_t * batch)
{
  if (batch->floor == NULL) {
    const size_t cells = (size_t)batch->view.width * (size_t)batch->view.height;
    batch->floor = take(batch, cells, 1);
    if (batch->floor == NULL) {
      return false;
    }
    memcpy(batch->floor, batch->moves, cells);  // right as long as every cell costs 1
    batch->view.floor = batch->floor;
  }
  return true;
}

bool fw__batch_allocate(fw__batch_t * batch, bool is_weighted)
{
  fw_rtaa_view_t * view = &batch->view;
  const size_t count = (size_t)view->robot_count;
  const size_t slots = (size_t)fw__rtaa_window_size(view->lookahead);
  const size_t scratch_bytes = fw__batch_scratch_bytes(&batch->options);
  view->x = take(batch, count, sizeof(*view->x));
  view->y = take(batch, count, sizeof(*view->y));
  view->goal_x = take(batch, count, sizeof(*view->goal_x));
  view->goal_y = take(batch, count, sizeof(*view->goal_y));
  view->drift = take(batch, count * 2, sizeof(*view->drift));
  view->box = take(batch, count * 4, sizeof(*view->box));
  view->state = take(batch, count, sizeof(*view->state));
  view->length = take(batch, count, sizeof(*view->length));
  view->episodes = take(batch, count, sizeof(*view->episodes));
  view->way = take(batch, count * (size_t)view->lookahead, sizeof(*view->way));
  view->window = take(batch, count * slots, sizeof(*view->window));
  view->window_stride = 1;
  view->window_pitch = (int64_t)slots;
  const size_t words = (size_t)fw__rtaa_seen_words(view->sight);
  view->seen = view->sight > 0 ? take(batch, count * words, sizeof(*view->seen)) : NULL;
  batch->scratch = take(batch, scratch_bytes, 1);
  if (
    view->x == NULL || view->y == NULL || view->goal_x == NULL || view->goal_y == NULL || view->drift == NULL ||
    view->box == NULL || view->state == NULL || view->length == NULL || view->episodes == NULL || view->way == NULL ||
    view->window == NULL || batch->scratch == NULL || (view->sight > 0 && view->seen == NULL) ||
    !take_maps(batch, is_weighted)) {
    return false;
  }
  memset(batch->scratch, 0, scratch_bytes);
  return true;
}

void fw__batch_release(fw__batch_t * batch)
{
  const fw_rtaa_view_t * view = &batch->view;
  void * const rows[] = {
    view->x,
    view->y,
    view->goal_x,
    view->goal_y,
    view->drift,
    view->box,
    view->state,
    view->length,
    view->episodes,
    view->way,
    view->window,
    view->seen,
    batch->cost,
    batch->moves,
    batch->floor,
    batch->scratch,
    batch->truth != batch->cost ? batch->truth : NULL,
  };
  for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); ++i) {
    fw__deallocate(&batch->allocator, rows[i]);
  }
}
