// Robots of a batch between runs: what they have come to, and changes from outside.

#include "kernel/batch.h"
#include "kernel/rtaa_step.h"

fw_batch_robot_t fw_batch_robot(const fw_batch_t * batch, int32_t robot)
{
  const fw_rtaa_view_t * view = &batch->impl->view;
  return (fw_batch_robot_t){
    .cell = view->y[robot] * view->width + view->x[robot],
    .goal = view->goal_y[robot] * view->width + view->goal_x[robot],
    .state = (fw_batch_state_t)view->state[robot],
    .length = view->length[robot],
    .episodes = view->episodes[robot],
  };
}

int32_t fw_batch_way(const fw_batch_t * batch, int32_t robot, uint8_t * headings)
{
  const fw_rtaa_view_t * view = &batch->impl->view;
  int32_t count = 0;
  for (; count < view->lookahead; ++count) {
    const uint8_t heading = view->way[(size_t)count * (size_t)view->robot_count + (size_t)robot];
    if (heading == FW_RTAA_NO_STEP) {
      break;
    }
    headings[count] = heading;
  }
  return count;
}

uint32_t fw_batch_estimate(const fw_batch_t * batch, int32_t robot, fw_cell_t cell)
{
  const fw_rtaa_view_t * view = &batch->impl->view;
  const fw_rtaa_robot_t places = fw__rtaa_load(view, robot);
  const fw_movements_t array = fw__movements(view, &places);
  const int32_t x = cell % view->width;
  const int32_t y = cell / view->width;
  const int32_t plain = fw__compass_distance(view->connectivity, places.goal_x - x, places.goal_y - y);
  return (
    uint32_t)(plain + fw__movements_learned(&array, &places, x - places.x + places.drift_x, y - places.y + places.drift_y));
}

void fw_batch_set_cell(fw_batch_t * batch, int32_t robot, fw_cell_t cell)
{
  const fw_rtaa_view_t * view = &batch->impl->view;
  fw_rtaa_robot_t places = fw__rtaa_load(view, robot);
  const int32_t dx = cell % view->width - places.x;
  const int32_t dy = cell / view->width - places.y;
  places.x += dx;
  places.y += dy;
  if (fw__compass_abs(dx) <= 1 && fw__compass_abs(dy) <= 1) {
    places.drift_x += dx;
    places.drift_y += dy;
    fw__rtaa_initialize_array(view, &places);  // the drift stays small, however often this is called
  } else {
    places.drift_x = 0;
    places.drift_y = 0;
    fw__movements_forget(&places);
  }
  places.state = places.x == places.goal_x && places.y == places.goal_y ? FW_RTAA_ARRIVED : FW_RTAA_RUNNING;
  fw__rtaa_store(view, &places);
}

void fw_batch_set_goal(fw_batch_t * batch, int32_t robot, fw_cell_t goal)
{
  const fw_rtaa_view_t * view = &batch->impl->view;
  fw_rtaa_robot_t places = fw__rtaa_load(view, robot);
  view->goal_x[robot] = (int16_t)(goal % view->width);
  view->goal_y[robot] = (int16_t)(goal / view->width);
  fw__movements_forget(&places);
  places.state = places.x == view->goal_x[robot] && places.y == view->goal_y[robot] ? FW_RTAA_ARRIVED : FW_RTAA_RUNNING;
  fw__rtaa_store(view, &places);
}

void fw_batch_recall(fw_batch_t * batch, int32_t robot, const fw_batch_t * from, int32_t from_robot)
{
  const fw_rtaa_view_t * view = &batch->impl->view;
  const fw_rtaa_view_t * other = &from->impl->view;
  fw_rtaa_robot_t places = fw__rtaa_load(view, robot);
  const fw_rtaa_robot_t before = fw__rtaa_load(other, from_robot);
  if (places.goal_x != before.goal_x || places.goal_y != before.goal_y || before.box_x0 > before.box_x1) {
    return;
  }
  const fw_movements_t array = fw__movements(view, &places);
  const fw_movements_t old = fw__movements(other, &before);
  const int32_t edge = 2 * view->lookahead;
  // From the old centre to the new one.
  const int32_t shift_x = before.x - before.drift_x - places.x + places.drift_x;
  const int32_t shift_y = before.y - before.drift_y - places.y + places.drift_y;
  for (int32_t y = before.box_y0; y <= before.box_y1; ++y) {
    for (int32_t x = before.box_x0; x <= before.box_x1; ++x) {
      const int32_t to_x = x + shift_x, to_y = y + shift_y;
      const uint16_t learned = *fw__movements_slot(&old, x, y);
      if (learned > 0 && fw__compass_abs(to_x) <= edge && fw__compass_abs(to_y) <= edge) {
        fw__movements_widen(&array, &places, to_x, to_y, to_x, to_y);
        *fw__movements_slot(&array, to_x, to_y) = learned;
      }
    }
  }
  fw__rtaa_store(view, &places);
}

fw_grid_t fw_batch_known(const fw_batch_t * batch)
{
  const fw__batch_t * impl = batch->impl;
  return (fw_grid_t){.width = impl->view.width, .height = impl->view.height, .cost = impl->cost};
}

fw_batch_stats_t fw_batch_stats(const fw_batch_t * batch)
{
  const fw__batch_t * impl = batch->impl;
  const int32_t lookahead = impl->view.lookahead;
  const size_t scalars = 4 * sizeof(int16_t) + 6 * sizeof(int8_t) + sizeof(uint8_t) + 2 * sizeof(uint32_t);
  const size_t seen = impl->view.sight > 0 ? (size_t)fw__rtaa_seen_words(impl->view.sight) * sizeof(uint64_t) : 0;
  return (fw_batch_stats_t){
    .backend = impl->backend,
    .note = impl->note,
    .episodes = impl->episodes,
    .memory_bytes = impl->memory_bytes,
    .robot_bytes = scalars + seen + (size_t)lookahead + (size_t)fw__rtaa_window_size(lookahead) * sizeof(uint16_t),
  };
}
