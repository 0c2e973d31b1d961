// The movements array of one robot: what it has learned around it, in a square that goes along.

#ifndef KERNEL__MOVEMENTS_STEP_H_
#define KERNEL__MOVEMENTS_STEP_H_

#include "kernel/compass_step.h"
#include "kernel/rtaa_view.h"

// One robot's array, as long as a thread works on it. Coordinates are from the centre, -2L to 2L.
typedef struct fw_movements_t {
  uint16_t * slots;
  int32_t stride;
  int32_t side;
  int32_t centre_x;  // of the centre's slot
  int32_t centre_y;
} fw_movements_t;

FW_STEP int32_t fw_movements_wrap(int32_t value, int32_t side)
{
  const int32_t rest = value % side;
  return rest < 0 ? rest + side : rest;
}

FW_STEP fw_movements_t fw_movements(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot)
{
  fw_movements_t array;
  array.slots = view->window + robot->index * view->window_pitch;
  array.stride = view->window_stride;
  array.side = fw_rtaa_window_side(view->lookahead);
  array.centre_x = fw_movements_wrap(robot->x - robot->drift_x, array.side);
  array.centre_y = fw_movements_wrap(robot->y - robot->drift_y, array.side);
  return array;
}

FW_STEP uint16_t * fw_movements_slot(const fw_movements_t * array, int32_t x, int32_t y)
{
  int32_t across = array->centre_x + x;
  int32_t down = array->centre_y + y;
  across += across < 0 ? array->side : across >= array->side ? -array->side : 0;
  down += down < 0 ? array->side : down >= array->side ? -array->side : 0;
  return array->slots + (int64_t)(down * array->side + across) * array->stride;
}

FW_STEP bool fw_movements_has(const fw_rtaa_robot_t * robot, int32_t x, int32_t y)
{
  return x >= robot->box_x0 && x <= robot->box_x1 && y >= robot->box_y0 && y <= robot->box_y1;
}

// What is learned of a cell beyond the plain estimate.
FW_STEP int32_t fw_movements_learned(const fw_movements_t * array, const fw_rtaa_robot_t * robot, int32_t x, int32_t y)
{
  return fw_movements_has(robot, x, y) ? *fw_movements_slot(array, x, y) : 0;
}

// Of which neighbours of a cell may something be learned? Bit h: of the one with heading h.
FW_STEP uint32_t fw_movements_around(const fw_rtaa_robot_t * robot, int32_t x, int32_t y)
{
  const uint32_t west = x - 1 >= robot->box_x0 && x - 1 <= robot->box_x1 ? 0x38u : 0u;
  const uint32_t here = x >= robot->box_x0 && x <= robot->box_x1 ? 0x44u : 0u;
  const uint32_t east = x + 1 >= robot->box_x0 && x + 1 <= robot->box_x1 ? 0x83u : 0u;
  const uint32_t north = y - 1 >= robot->box_y0 && y - 1 <= robot->box_y1 ? 0xe0u : 0u;
  const uint32_t level = y >= robot->box_y0 && y <= robot->box_y1 ? 0x11u : 0u;
  const uint32_t south = y + 1 >= robot->box_y0 && y + 1 <= robot->box_y1 ? 0x0eu : 0u;
  return (west | here | east) & (north | level | south);
}

// Is something learned of any cell that is at most `reach` from the robot?
FW_STEP bool fw_movements_touches(const fw_rtaa_robot_t * robot, int32_t reach)
{
  return robot->box_x0 <= robot->drift_x + reach && robot->box_x1 >= robot->drift_x - reach &&
         robot->box_y0 <= robot->drift_y + reach && robot->box_y1 >= robot->drift_y - reach &&
         robot->box_x0 <= robot->box_x1;
}

FW_STEP void fw_movements_forget(fw_rtaa_robot_t * robot)
{
  robot->box_x0 = 1;
  robot->box_y0 = 1;
  robot->box_x1 = 0;
  robot->box_y1 = 0;
}

// A piece of a row.
FW_STEP void fw_movements_clear(const fw_movements_t * array, int32_t x0, int32_t x1, int32_t y)
{
  uint16_t * slot = fw_movements_slot(array, x0, y);
  const int32_t across = array->centre_x + x0;
  int32_t left = across < 0 ? -across : across >= array->side ? 2 * array->side - across : array->side - across;
  for (int32_t x = x0; x <= x1; ++x) {
    *slot = 0;
    slot += array->stride;
    if (--left == 0) {  // to the row's beginning
      slot -= (int64_t)array->side * array->stride;
    }
  }
}

// Makes room: afterwards the cells from (x0, y0) to (x1, y1) are in the box, and what is new there is 0.
FW_STEP void fw_movements_widen(
  const fw_movements_t * array, fw_rtaa_robot_t * robot, int32_t x0, int32_t y0, int32_t x1, int32_t y1)
{
  const fw_rtaa_robot_t before = *robot;
  if (before.box_x0 <= before.box_x1) {
    x0 = x0 < before.box_x0 ? x0 : before.box_x0;
    y0 = y0 < before.box_y0 ? y0 : before.box_y0;
    x1 = x1 > before.box_x1 ? x1 : before.box_x1;
    y1 = y1 > before.box_y1 ? y1 : before.box_y1;
  }
  for (int32_t y = y0; y <= y1; ++y) {
    if (y < before.box_y0 || y > before.box_y1) {
      fw_movements_clear(array, x0, x1, y);
    } else {
      fw_movements_clear(array, x0, before.box_x0 - 1, y);
      fw_movements_clear(array, before.box_x1 + 1, x1, y);
    }
  }
  robot->box_x0 = x0;
  robot->box_y0 = y0;
  robot->box_x1 = x1;
  robot->box_y1 = y1;
}

// Centres the array on the robot. Slots stay where they are; what is outside now is forgotten.
FW_STEP void fw_movements_shift(fw_rtaa_robot_t * robot, int32_t lookahead)
{
  const int32_t edge = 2 * lookahead;
  if (robot->box_x0 <= robot->box_x1) {
    robot->box_x0 = robot->box_x0 - robot->drift_x > -edge ? robot->box_x0 - robot->drift_x : -edge;
    robot->box_y0 = robot->box_y0 - robot->drift_y > -edge ? robot->box_y0 - robot->drift_y : -edge;
    robot->box_x1 = robot->box_x1 - robot->drift_x < edge ? robot->box_x1 - robot->drift_x : edge;
    robot->box_y1 = robot->box_y1 - robot->drift_y < edge ? robot->box_y1 - robot->drift_y : edge;
    if (robot->box_x0 > robot->box_x1 || robot->box_y0 > robot->box_y1) {
      fw_movements_forget(robot);
    }
  }
  robot->drift_x = 0;
  robot->drift_y = 0;
}

#endif  // KERNEL__MOVEMENTS_STEP_H_
