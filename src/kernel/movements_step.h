// The movements array of one robot (Erra and Caggianese 2011): the heuristic values that the robot has learned, in a
// square of (4L+1)^2 cells that moves with it. A value is what was learned beyond the distance without obstacles. Only
// cells inside the bounding box of what was learned (`box`) have one; outside the box slots are not even initialised.

#ifndef KERNEL__MOVEMENTS_STEP_H_
#define KERNEL__MOVEMENTS_STEP_H_

#include "kernel/compass_step.h"
#include "kernel/rtaa_view.h"

// The array of one robot while a thread works on it. Coordinates are relative to its centre, -2L to 2L.
typedef struct fw_rtaa_movements_t {
  uint16_t * slots;
  int32_t stride;
  int32_t side;
  int32_t centre_x;  // column and row of the slot of the centre
  int32_t centre_y;
} fw_rtaa_movements_t;

FW_STEP int32_t fw__movements_wrap(int32_t value, int32_t side)
{
  const int32_t rest = value % side;
  return rest < 0 ? rest + side : rest;
}

FW_STEP fw_rtaa_movements_t fw__movements(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot)
{
  fw_rtaa_movements_t array;
  array.slots = view->window + robot->index * view->window_pitch;
  array.stride = view->window_stride;
  array.side = fw__rtaa_window_side(view->lookahead);
  array.centre_x = fw__movements_wrap(robot->x - robot->drift_x, array.side);
  array.centre_y = fw__movements_wrap(robot->y - robot->drift_y, array.side);
  return array;
}

FW_STEP uint16_t * fw__movements_slot(const fw_rtaa_movements_t * array, int32_t x, int32_t y)
{
  FW_STEP_ASSERT(fw__compass_abs(x) < array->side && fw__compass_abs(y) < array->side);
  int32_t across = array->centre_x + x;
  int32_t down = array->centre_y + y;
  across += across < 0 ? array->side : across >= array->side ? -array->side : 0;
  down += down < 0 ? array->side : down >= array->side ? -array->side : 0;
  return array->slots + (int64_t)(down * array->side + across) * array->stride;
}

FW_STEP bool fw__movements_has(const fw_rtaa_robot_t * robot, int32_t x, int32_t y)
{
  // `&` instead of `&&`: four comparisons are cheaper than a mispredicted jump.
  return ((x >= robot->box_x0) & (x <= robot->box_x1) & (y >= robot->box_y0) & (y <= robot->box_y1)) != 0;
}

// The learned value of a cell, 0 outside the box.
FW_STEP int32_t
fw__movements_learned(const fw_rtaa_movements_t * array, const fw_rtaa_robot_t * robot, int32_t x, int32_t y)
{
  return fw__movements_has(robot, x, y) ? *fw__movements_slot(array, x, y) : 0;
}

// The neighbours of a cell that lie inside the box. Bit h: the one with heading h.
FW_STEP uint32_t fw__movements_around(const fw_rtaa_robot_t * robot, int32_t x, int32_t y)
{
  const int32_t x0 = robot->box_x0, y0 = robot->box_y0, x1 = robot->box_x1, y1 = robot->box_y1;
  const uint32_t west = 0x38u * (uint32_t)((x - 1 >= x0) & (x - 1 <= x1));
  const uint32_t here = 0x44u * (uint32_t)((x >= x0) & (x <= x1));
  const uint32_t east = 0x83u * (uint32_t)((x + 1 >= x0) & (x + 1 <= x1));
  const uint32_t north = 0xe0u * (uint32_t)((y - 1 >= y0) & (y - 1 <= y1));
  const uint32_t level = 0x11u * (uint32_t)((y >= y0) & (y <= y1));
  const uint32_t south = 0x0eu * (uint32_t)((y + 1 >= y0) & (y + 1 <= y1));
  return (west | here | east) & (north | level | south);
}

// Whether the box overlaps the rectangle (x0, y0) to (x1, y1), given relative to the robot.
FW_STEP bool fw__movements_touches(const fw_rtaa_robot_t * robot, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
  return ((robot->box_x0 <= robot->drift_x + x1) & (robot->box_x1 >= robot->drift_x + x0) &
          (robot->box_y0 <= robot->drift_y + y1) & (robot->box_y1 >= robot->drift_y + y0) &
          (robot->box_x0 <= robot->box_x1)) != 0;
}

// Forgets everything: the box is empty.
FW_STEP void fw__movements_forget(fw_rtaa_robot_t * robot)
{
  robot->box_x0 = 1;
  robot->box_y0 = 1;
  robot->box_x1 = 0;
  robot->box_y1 = 0;
}

// Clears the slots from x0 to x1 in row y, which may wrap around.
FW_STEP void fw__movements_clear(const fw_rtaa_movements_t * array, int32_t x0, int32_t x1, int32_t y)
{
  uint16_t * slot = fw__movements_slot(array, x0, y);
  const int32_t across = array->centre_x + x0;
  int32_t left = across < 0 ? -across : across >= array->side ? 2 * array->side - across : array->side - across;
  for (int32_t x = x0; x <= x1; ++x) {
    *slot = 0;
    slot += array->stride;
    if (--left == 0) {  // wrap around to the beginning of the row
      slot -= (int64_t)array->side * array->stride;
    }
  }
}

FW_STEP void fw__movements_clear_row(const fw_rtaa_movements_t * array, int32_t y)
{
  uint16_t * row = fw__movements_slot(array, -array->centre_x, y);
  for (int32_t across = 0; across < array->side; ++across) {
    row[across] = 0;
  }
}

// Extends the box to include (x0, y0) to (x1, y1); cells that are new in it get 0.
FW_STEP void fw__movements_widen(
  const fw_rtaa_movements_t * array, fw_rtaa_robot_t * robot, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
  FW_STEP_ASSERT(
    x0 <= x1 && y0 <= y1 && 2 * fw__compass_abs(x0) < array->side && 2 * fw__compass_abs(y0) < array->side);
  FW_STEP_ASSERT(2 * fw__compass_abs(x1) < array->side && 2 * fw__compass_abs(y1) < array->side);
  const fw_rtaa_robot_t before = *robot;
  if (before.box_x0 <= before.box_x1) {
    x0 = x0 < before.box_x0 ? x0 : before.box_x0;
    y0 = y0 < before.box_y0 ? y0 : before.box_y0;
    x1 = x1 > before.box_x1 ? x1 : before.box_x1;
    y1 = y1 > before.box_y1 ? y1 : before.box_y1;
  }
  for (int32_t y = y0; y <= y1; ++y) {
    if (y < before.box_y0 || y > before.box_y1) {
      if (array->stride == 1) {
        fw__movements_clear_row(array, y);  // more than needed, but one run without wrapping
      } else {
        fw__movements_clear(array, x0, x1, y);
      }
    } else {
      fw__movements_clear(array, x0, before.box_x0 - 1, y);
      fw__movements_clear(array, before.box_x1 + 1, x1, y);
    }
  }
  robot->box_x0 = x0;
  robot->box_y0 = y0;
  robot->box_x1 = x1;
  robot->box_y1 = y1;
}

// Centres the array on the robot again if the robot is farther than `lookahead` from its centre. Slots stay where they
// are; cells that are now outside are forgotten. Free of jumps where nothing is learned.
FW_STEP void fw__movements_follow(fw_rtaa_robot_t * robot, int32_t lookahead)
{
  const int32_t edge = 2 * lookahead;
  const int32_t far_x = fw__compass_abs(robot->drift_x) > lookahead,
                far_y = fw__compass_abs(robot->drift_y) > lookahead;
  const int32_t is_near = (far_x | far_y) - 1;  // all bits set or none
  const int32_t shift_x = robot->drift_x & ~is_near;
  const int32_t shift_y = robot->drift_y & ~is_near;
  robot->drift_x &= is_near;
  robot->drift_y &= is_near;
  if (robot->box_x0 > robot->box_x1) {
    return;
  }
  robot->box_x0 = robot->box_x0 - shift_x > -edge ? robot->box_x0 - shift_x : -edge;
  robot->box_y0 = robot->box_y0 - shift_y > -edge ? robot->box_y0 - shift_y : -edge;
  robot->box_x1 = robot->box_x1 - shift_x < edge ? robot->box_x1 - shift_x : edge;
  robot->box_y1 = robot->box_y1 - shift_y < edge ? robot->box_y1 - shift_y : edge;
  if (robot->box_x0 > robot->box_x1 || robot->box_y0 > robot->box_y1) {
    fw__movements_forget(robot);
  }
}

#endif  // KERNEL__MOVEMENTS_STEP_H_
