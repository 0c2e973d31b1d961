// What an A* teaches: estimates of the states that it expanded (Koenig and Likhachev 2006, Real-Time Adaptive A*).
//
// With s' the state that was about to be expanded, h(s) = g(s') + h(s') - g(s) for every expanded s: h(s) rises by the
// difference of their f. The movements array forgets, so that its border may be inconsistent with what is outside; an
// estimate is therefore only ever raised.

#ifndef KERNEL__LEARN_STEP_H_
#define KERNEL__LEARN_STEP_H_

#include "kernel/search_step.h"

enum { FW_LEARN_MAX = UINT16_MAX };  // more than that beyond the plain estimate is not kept

// First how much of the array is touched, then the values. `f` is that of the state that was about to be expanded.
FW_STEP void fw__learn_all(const fw_search_t * search, fw_rtaa_robot_t * robot, int32_t f)
{
  const fw_rtaa_lane_t * lane = search->lane;
  const int64_t stride = fw__rtaa_stride(lane);
  const int32_t lookahead = search->view->lookahead;
  int32_t x0 = 255, y0 = 255, x1 = 0, y1 = 0;  // from the corner of the lookahead array
  for (int32_t row = 0; row < search->expanded; ++row) {
    if (fw__search_f(lane->closed[row * stride]) < f) {
      const int32_t x = lane->at[row * stride] % 256;
      const int32_t y = lane->at[row * stride] / 256;
      x0 = x < x0 ? x : x0;
      y0 = y < y0 ? y : y0;
      x1 = x > x1 ? x : x1;
      y1 = y > y1 ? y : y1;
    }
  }
  if (x0 > x1) {
    return;
  }
  const fw_movements_t array = fw__movements(search->view, robot);
  const int32_t corner_x = robot->drift_x - lookahead;
  const int32_t corner_y = robot->drift_y - lookahead;
  fw__movements_widen(&array, robot, x0 + corner_x, y0 + corner_y, x1 + corner_x, y1 + corner_y);
  for (int32_t row = 0; row < search->expanded; ++row) {
    const int32_t rise = f - fw__search_f(lane->closed[row * stride]);
    if (rise > 0) {
      const int32_t at = lane->at[row * stride];
      uint16_t * learned = fw__movements_slot(&array, at % 256 + corner_x, at / 256 + corner_y);
      *learned = (uint16_t)(*learned + rise < FW_LEARN_MAX ? *learned + rise : FW_LEARN_MAX);
    }
  }
}

#endif  // KERNEL__LEARN_STEP_H_
