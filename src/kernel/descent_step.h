// Greedy descent: most episodes need no open list.
//
// The distance without obstacles is consistent and learning only raises it. So where the start has no learned value, no
// state has a smaller f than the start; and as long as the state just expanded has a neighbour with the same f (no
// learned value, cost 1, nearer to the goal), that neighbour is the deepest state of least f and is next in the order
// of search_step.h. When all expanded states have one f, there is nothing to learn either. Where the descent ends
// before the lookahead is used up (at an obstacle, at a cell that costs more, at a learned value), the search goes on
// with lists, and the states of the descent are the first that it expands.

#ifndef KERNEL__DESCENT_STEP_H_
#define KERNEL__DESCENT_STEP_H_

#include "kernel/movements_step.h"

// The heading of a neighbour other than the best one that costs 1 and is nearer to the goal; -1 if there is none.
FW_STEP int32_t fw__descent_sidestep(int32_t connectivity, uint32_t floor, int32_t dx, int32_t dy, uint32_t fan)
{
  const int32_t nearer = fw__compass_distance(connectivity, dx, dy) - 1;
  for (int32_t rank = 1; rank < 5; ++rank) {  // headings more than a quarter circle off never lead nearer
    const int32_t heading = fw__compass_at(fan, rank);
    if (
      ((floor >> heading) & 1u) != 0 &&
      fw__compass_distance(connectivity, dx - fw__compass_dx(heading), dy - fw__compass_dy(heading)) == nearer) {
      return heading;
    }
  }
  return -1;
}

// The descent where nothing is learned. The best heading is computed again only where it may change: with eight
// directions where the robot reaches the column or row of its goal.
FW_STEP int32_t
fw__descent_unlearned(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  const int32_t connectivity = view->connectivity;
  const int32_t width = view->width;
  const int32_t lookahead = view->lookahead;
  const uint8_t * floors = view->floor;
  int32_t cell = robot->y * width + robot->x;
  int32_t dx = robot->goal_x - robot->x;
  int32_t dy = robot->goal_y - robot->y;
  int32_t steps = 0;
  while (steps < lookahead && (dx | dy) != 0) {
    const fw_compass_t compass = fw__compass(connectivity, dx, dy);
    const int32_t step_x = fw__compass_dx(compass.heading);
    const int32_t step_y = fw__compass_dy(compass.heading);
    const int32_t step = step_y * width + step_x;
    bool is_turned = false;
    while (steps < lookahead && !is_turned && ((FW_READ(&floors[cell]) >> compass.heading) & 1u) != 0) {
      lane->steps[steps * fw__rtaa_stride(lane)] = (uint8_t)compass.heading;
      dx -= step_x;
      dy -= step_y;
      cell += step;
      ++steps;
      is_turned = connectivity == 4 || (dx == 0 && step_x != 0) || (dy == 0 && step_y != 0);
    }
    if (steps < lookahead && !is_turned) {
      const int32_t heading = fw__descent_sidestep(
        connectivity, FW_READ(&floors[cell]), dx, dy, fw__compass_fan(fw__compass(connectivity, dx, dy)));
      if (heading < 0) {
        return -1 - steps;
      }
      lane->steps[steps * fw__rtaa_stride(lane)] = (uint8_t)heading;
      dx -= fw__compass_dx(heading);
      dy -= fw__compass_dy(heading);
      cell += fw__compass_dy(heading) * width + fw__compass_dx(heading);
      ++steps;
    }
  }
  return steps;
}

// The same where there are learned values nearby: neighbours that have one are skipped.
FW_STEP int32_t
fw__descent_learned(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  const fw_rtaa_movements_t array = fw__movements(view, robot);
  const int32_t connectivity = view->connectivity;
  int32_t x = robot->x;
  int32_t y = robot->y;
  int32_t steps = 0;
  if (fw__movements_learned(&array, robot, robot->drift_x, robot->drift_y) > 0) {
    return -1;
  }
  while (steps < view->lookahead && (x != robot->goal_x || y != robot->goal_y)) {
    const uint32_t floor = FW_READ(&view->floor[y * view->width + x]);
    const int32_t dx = robot->goal_x - x;
    const int32_t dy = robot->goal_y - y;
    const uint32_t fan = fw__compass_fan(fw__compass(connectivity, dx, dy));
    const int32_t nearer = fw__compass_distance(connectivity, dx, dy) - 1;
    int32_t rank = 0;
    for (; rank < 5; ++rank) {
      const int32_t heading = fw__compass_at(fan, rank);
      const int32_t step_x = fw__compass_dx(heading);
      const int32_t step_y = fw__compass_dy(heading);
      const int32_t to_x = robot->drift_x + x + step_x - robot->x;
      const int32_t to_y = robot->drift_y + y + step_y - robot->y;
      if (
        ((floor >> heading) & 1u) != 0 && fw__compass_distance(connectivity, dx - step_x, dy - step_y) == nearer &&
        fw__movements_learned(&array, robot, to_x, to_y) == 0) {
        lane->steps[steps * fw__rtaa_stride(lane)] = (uint8_t)heading;
        x += step_x;
        y += step_y;
        break;
      }
    }
    if (rank == 5) {
      return -1 - steps;
    }
    ++steps;
  }
  return steps;
}

// Whether no cell that the descent could reach has a learned value. Far from the diagonals through the goal, every step
// goes along the longer component of the distance, so that cells behind the robot do not count.
FW_STEP bool fw__descent_is_unlearned(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot)
{
  const int32_t reach = view->lookahead;
  const int32_t dx = robot->goal_x - robot->x;
  const int32_t dy = robot->goal_y - robot->y;
  const int32_t longer = fw__compass_abs(dx) - fw__compass_abs(dy);
  const int32_t x0 = longer > 2 * reach && dx > 0 ? 0 : -reach;
  const int32_t x1 = longer > 2 * reach && dx < 0 ? 0 : reach;
  const int32_t y0 = -longer > 2 * reach && dy > 0 ? 0 : -reach;
  const int32_t y1 = -longer > 2 * reach && dy < 0 ? 0 : reach;
  return !fw__movements_touches(robot, x0, y0, x1, y1);
}

// Writes the steps into the lane. Returns their number, or -1 - number if the descent ended before the lookahead.
FW_STEP int32_t fw__descent_run(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  const bool is_bare = robot->box_x0 > robot->box_x1;
  return is_bare || fw__descent_is_unlearned(view, robot) ? fw__descent_unlearned(view, robot, lane)
                                                          : fw__descent_learned(view, robot, lane);
}

#endif  // KERNEL__DESCENT_STEP_H_
