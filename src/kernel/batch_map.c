// The maps of a batch: which moves there are at each cell, and what robots tell each other.

#include "base/error.h"
#include "kernel/batch.h"
#include "kernel/compass_step.h"

static bool is_free(const fw__batch_t * batch, int32_t x, int32_t y)
{
  const fw_rtaa_view_t * view = &batch->view;
  return x >= 0 && y >= 0 && x < view->width && y < view->height && batch->cost[y * view->width + x] != 0;
}

// The moves from one cell. From a blocked cell there are none, but for a robot that an obstacle has caught.
static void survey_cell(fw__batch_t * batch, int32_t x, int32_t y)
{
  const int32_t width = batch->view.width;
  uint32_t moves = 0, floor = 0;
  for (int32_t heading = 0; heading < 8; heading += batch->view.connectivity == 4 ? 2 : 1) {
    const int32_t to_x = x + fw__compass_dx(heading);
    const int32_t to_y = y + fw__compass_dy(heading);
    if (!is_free(batch, to_x, to_y)) {
      continue;
    }
    if ((heading & 1) != 0 && (!is_free(batch, to_x, y) || !is_free(batch, x, to_y))) {
      continue;
    }
    moves |= 1u << heading;
    floor |= batch->cost[to_y * width + to_x] == 1 ? 1u << heading : 0u;
  }
  batch->moves[y * width + x] = (uint8_t)moves;
  if (batch->floor != NULL) {
    batch->floor[y * width + x] = (uint8_t)floor;
  }
}

void fw__batch_survey(fw__batch_t * batch)
{
  for (int32_t y = 0; y < batch->view.height; ++y) {
    for (int32_t x = 0; x < batch->view.width; ++x) {
      survey_cell(batch, x, y);
    }
  }
}

// Makes a cell known as it is, and with it the moves around it. True if it was thought to be blocked and is not.
static bool learn_cell(fw__batch_t * batch, int32_t x, int32_t y, uint8_t cost)
{
  const fw_rtaa_view_t * view = &batch->view;
  const int32_t cell = y * view->width + x;
  const bool is_freed = batch->view.cost[cell] == 0 && cost != 0;
  batch->cost[cell] = cost;
  for (int32_t around_y = y - 1; around_y <= y + 1; ++around_y) {
    for (int32_t around_x = x - 1; around_x <= x + 1; ++around_x) {
      if (around_x >= 0 && around_y >= 0 && around_x < view->width && around_y < view->height) {
        survey_cell(batch, around_x, around_y);
      }
    }
  }
  return is_freed;
}

// Whoever was shut in may be so no longer.
static void wake(fw__batch_t * batch)
{
  for (int32_t robot = 0; robot < batch->view.robot_count; ++robot) {
    if (batch->view.state[robot] == FW_BATCH_STUCK) {
      batch->view.state[robot] = FW_BATCH_RUNNING;
    }
  }
}

// In the order of the robots, in one thread: few see anything new.
void fw__batch_share(fw__batch_t * batch)
{
  const fw_rtaa_view_t * view = &batch->view;
  const int32_t side = 2 * view->sight + 1;
  bool is_freed = false;
  for (int32_t word = 0; word < fw__rtaa_seen_words(view->sight); ++word) {
    for (int32_t robot = 0; robot < view->robot_count; ++robot) {
      uint64_t * seen = &view->seen[(size_t)word * (size_t)view->robot_count + (size_t)robot];
      for (int32_t bit = 0; *seen != 0 && bit < 64; ++bit) {
        if ((*seen >> bit & 1u) != 0) {
          const int32_t at = word * 64 + bit;
          const int32_t x = view->x[robot] + at % side - view->sight;
          const int32_t y = view->y[robot] + at / side - view->sight;
          is_freed = learn_cell(batch, x, y, batch->truth[y * view->width + x]) || is_freed;
        }
      }
      *seen = 0;
    }
  }
  if (is_freed) {
    wake(batch);
  }
}

fw_ret_t fw_batch_set_cost(fw_batch_t * batch, fw_cell_t cell, uint8_t cost, fw_error_t * error)
{
  fw__batch_t * impl = batch->impl;
  if (cell < 0 || cell >= impl->view.width * impl->view.height) {
    return fw__error(error, FW_RET_INVALID_ARGUMENT, "cell %d is outside the grid", cell);
  }
  if (cost > 1 && !fw__batch_weigh(impl)) {
    return fw__error_memory(error);
  }
  if (impl->view.sight > 0) {
    impl->truth[cell] = cost;
  } else if (learn_cell(impl, cell % impl->view.width, cell / impl->view.width, cost)) {
    wake(impl);
  }
  return FW_RET_OK;
}
