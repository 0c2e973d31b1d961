// Changes that the host makes between two runs of a batch that lives on a device: robots that were moved or got another
// goal, and cells of the map. The device and the replay after a lost device (recovery.h) apply them with this code.

#ifndef KERNEL__CHANGE_STEP_H_
#define KERNEL__CHANGE_STEP_H_

#include "kernel/rtaa_view.h"

// Everything that the host may change of a robot. Learned values are not among it: they stay where they are.
typedef struct fw_rtaa_robot_change_t {
  int32_t index;
  int16_t x;
  int16_t y;
  int16_t goal_x;
  int16_t goal_y;
  int8_t drift[2];
  int8_t box[4];
  uint8_t state;
  uint8_t is_goal_new;  // with regions: the distances to its goal have changed
} fw_rtaa_robot_change_t;

typedef struct fw_rtaa_cell_t {
  uint8_t cost;
  uint8_t moves;
  uint8_t floor;
  uint8_t truth;
} fw_rtaa_cell_t;

typedef struct fw_rtaa_cell_change_t {
  int32_t cell;
  fw_rtaa_cell_t after;
  fw_rtaa_cell_t before;
} fw_rtaa_cell_change_t;

FW_STEP void fw__rtaa_apply_robot(const fw_rtaa_view_t * view, const fw_rtaa_robot_change_t * change)
{
  const int64_t count = view->robot_count;
  const int32_t index = change->index;
  FW_STEP_ASSERT(index >= 0 && index < view->robot_count);
  view->x[index] = change->x;
  view->y[index] = change->y;
  view->goal_x[index] = change->goal_x;
  view->goal_y[index] = change->goal_y;
  view->drift[index] = change->drift[0];
  view->drift[count + index] = change->drift[1];
  for (int32_t k = 0; k < 4; ++k) {
    view->box[k * count + index] = change->box[k];
  }
  view->state[index] = change->state;
}

// The maps of a view as they can be written; `floor` and `truth` NULL where they are `moves` and `cost`.
typedef struct fw_rtaa_maps_t {
  uint8_t * cost;
  uint8_t * moves;
  uint8_t * floor;
  uint8_t * truth;
} fw_rtaa_maps_t;

FW_STEP void fw__rtaa_apply_cell(const fw_rtaa_maps_t * maps, int32_t cell, fw_rtaa_cell_t values)
{
  maps->cost[cell] = values.cost;
  maps->moves[cell] = values.moves;
  if (maps->floor != 0) {
    maps->floor[cell] = values.floor;
  }
  if (maps->truth != 0) {
    maps->truth[cell] = values.truth;
  }
}

#endif  // KERNEL__CHANGE_STEP_H_
