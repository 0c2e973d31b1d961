// What an A* teaches: estimates of the states that it expanded (Koenig and Likhachev 2006, Real-Time Adaptive A*).
//
// With s' the state that was about to be expanded, h(s) = g(s') + h(s') - g(s) for every expanded s. The movements array
// forgets, so that its border may be inconsistent with what is outside; an estimate is therefore only ever raised.

#ifndef KERNEL__LEARN_STEP_H_
#define KERNEL__LEARN_STEP_H_

#include "kernel/search_step.h"

enum { FW_LEARN_MAX = UINT16_MAX };  // more than that beyond the plain estimate is not kept

// A state that was expanded, and whether its estimate rises.
typedef struct fw_learn_t {
  int32_t x;  // from the centre of the movements array
  int32_t y;
  int32_t learned;  // beyond the plain estimate
  bool is_raised;
} fw_learn_t;

FW_STEP fw_learn_t fw_learn(const fw_search_t * search, int32_t node, int32_t f)
{
  const fw_rtaa_lane_t * lane = search->lane;
  const fw_rtaa_robot_t * robot = search->robot;
  const int32_t lookahead = search->view->lookahead;
  const int32_t at = lane->at[node * fw_rtaa_stride(lane)];
  const int32_t ahead_x = at % 256 - lookahead;
  const int32_t ahead_y = at / 256 - lookahead;
  const int32_t plain = fw_compass_distance(
    search->view->connectivity, robot->goal_x - robot->x - ahead_x, robot->goal_y - robot->y - ahead_y);
  const int32_t learned = f - lane->g[node * fw_rtaa_stride(lane)] - plain;
  fw_learn_t state;
  state.x = robot->drift_x + ahead_x;
  state.y = robot->drift_y + ahead_y;
  state.learned = learned < FW_LEARN_MAX ? learned : FW_LEARN_MAX;
  state.is_raised = state.learned > fw_movements_learned(&search->array, robot, state.x, state.y);
  return state;
}

FW_STEP bool fw_learn_is_expanded(const fw_search_t * search, int32_t node)
{
  return search->lane->keys[node * fw_rtaa_stride(search->lane)] == FW_RTAA_CLOSED;
}

// First how much of the array is touched, then the values. `f` is that of the state that was about to be expanded.
FW_STEP void fw_learn_all(const fw_search_t * search, fw_rtaa_robot_t * robot, int32_t f)
{
  const int32_t edge = 2 * search->view->lookahead;
  int32_t x0 = edge + 1, y0 = edge + 1, x1 = -edge - 1, y1 = -edge - 1;
  for (int32_t node = 0; node < search->node_count; ++node) {
    if (!fw_learn_is_expanded(search, node)) {
      continue;
    }
    const fw_learn_t state = fw_learn(search, node, f);
    if (state.is_raised) {
      x0 = state.x < x0 ? state.x : x0;
      y0 = state.y < y0 ? state.y : y0;
      x1 = state.x > x1 ? state.x : x1;
      y1 = state.y > y1 ? state.y : y1;
    }
  }
  if (x0 > x1) {
    return;
  }
  fw_movements_widen(&search->array, robot, x0, y0, x1, y1);
  for (int32_t node = 0; node < search->node_count; ++node) {
    if (!fw_learn_is_expanded(search, node)) {
      continue;
    }
    const fw_learn_t state = fw_learn(search, node, f);
    if (state.is_raised) {
      *fw_movements_slot(&search->array, state.x, state.y) = (uint16_t)state.learned;
    }
  }
}

#endif  // KERNEL__LEARN_STEP_H_
