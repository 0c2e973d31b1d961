// The search episode of one robot in the four stages of Erra and Caggianese 2011, "Real-time Adaptive GPU multi-agent
// path planning": InitializeArray, InitializeSearch, SearchEpisode, UpdateAndCheck. Staged, each stage goes over all
// robots before the next; fused, one robot goes through all four with its places in registers.

#ifndef KERNEL__RTAA_STEP_H_
#define KERNEL__RTAA_STEP_H_

#include "kernel/board_step.h"
#include "kernel/learn_step.h"
#include "kernel/walk_step.h"

// Moves the lookahead array to the robot, which it is always centred on, and the movements array with it when the former
// would no longer be inside.
FW_STEP void fw__rtaa_initialize_array(const fw_rtaa_view_t * view, fw_rtaa_robot_t * robot)
{
  fw__movements_follow(robot, view->lookahead);
}

// A new number for the search, in place of clearing the lookahead array.
FW_STEP void fw__rtaa_open(const fw_rtaa_view_t * view, const fw_rtaa_lane_t * lane)
{
  const int64_t stride = fw__rtaa_stride(lane);
  uint32_t number = lane->words[FW_RTAA_WORD_SEARCH * stride] + 1u;
  if (number > 255u) {
    for (int32_t at = 0; at < fw__rtaa_ahead_size(view->lookahead); ++at) {
      lane->marks[at * stride] = 0;
    }
    number = 1;
  }
  lane->words[FW_RTAA_WORD_SEARCH * stride] = (uint8_t)number;
  lane->words[FW_RTAA_WORD_EXPANDED * stride] = 0;
}

// Walks; opens a search where that is not enough.
FW_STEP void fw__rtaa_initialize_search(
  const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  const int32_t steps = fw__walk_along(view, robot, lane);
  lane->words[FW_RTAA_WORD_DESCENDED * fw__rtaa_stride(lane)] = steps >= 0 ? 1 : 0;
  lane->words[FW_RTAA_WORD_STEPS * fw__rtaa_stride(lane)] = (uint8_t)(steps >= 0 ? steps : -1 - steps);
  if (steps < 0) {
    fw__rtaa_open(view, lane);
  }
}

FW_STEP void fw__rtaa_search_episode(
  const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  if (lane->words[FW_RTAA_WORD_DESCENDED * fw__rtaa_stride(lane)] == 0) {
    fw_search_t search = fw__search(view, robot, lane);
    const int32_t walked = lane->words[FW_RTAA_WORD_STEPS * fw__rtaa_stride(lane)];
    if (view->lookahead > FW_RTAA_BOARDS || !fw__board_run(&search, walked)) {
      fw__search_run(&search, walked);
    }
  }
}

// ---- UpdateAndCheck -------------------------------------------------------------------------------------------------

// The way to the state that was next, from parent to parent.
FW_STEP void fw__rtaa_trace(const fw_rtaa_lane_t * lane, int32_t key)
{
  const int64_t stride = fw__rtaa_stride(lane);
  const int32_t steps = fw__search_depth(key);
  lane->words[FW_RTAA_WORD_STEPS * stride] = (uint8_t)steps;
  for (int32_t step = steps - 1; step >= 0; --step) {
    lane->steps[step * stride] = (uint8_t)fw__search_heading(lane, key);
    key = lane->closed[fw__search_parent(key) * stride];
  }
}

FW_STEP bool fw__rtaa_is_free(const fw_rtaa_view_t * view, int32_t x, int32_t y)
{
  return x >= 0 && y >= 0 && x < view->width && y < view->height && view->truth[y * view->width + x] != 0;
}

// May the robot go there, whatever it knows? A diagonal needs both sides.
FW_STEP bool fw__rtaa_may_go(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, int32_t heading)
{
  const int32_t x = robot->x + fw__compass_dx(heading);
  const int32_t y = robot->y + fw__compass_dy(heading);
  return fw__rtaa_is_free(view, x, y) && fw__rtaa_is_free(view, x, robot->y) && fw__rtaa_is_free(view, robot->x, y);
}

// Goes along the way, checking for obstacles that were not known.
FW_STEP void fw__rtaa_go(const fw_rtaa_view_t * view, fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  const int32_t steps = lane->words[FW_RTAA_WORD_STEPS * fw__rtaa_stride(lane)];
  const int32_t moves = steps < view->moves_max ? steps : view->moves_max;
  const bool is_known = view->truth == view->cost;
  const int32_t x = robot->x;
  const int32_t y = robot->y;
  int32_t gone = 0;
  for (; gone < moves; ++gone) {
    const int32_t heading = lane->steps[gone * fw__rtaa_stride(lane)];
    if (!is_known && !fw__rtaa_may_go(view, robot, heading)) {
      break;
    }
    robot->x += fw__compass_dx(heading);
    robot->y += fw__compass_dy(heading);
  }
  robot->drift_x += robot->x - x;
  robot->drift_y += robot->y - y;
  robot->length += (uint32_t)gone;
  if (robot->x == robot->goal_x && robot->y == robot->goal_y) {
    robot->state = FW_RTAA_ARRIVED;
  }
}

// Writes down the way of the last episode.
FW_STEP void fw__rtaa_tell(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  const int64_t count = view->robot_count;
  const int32_t steps = lane->words[FW_RTAA_WORD_STEPS * fw__rtaa_stride(lane)];
  for (int32_t step = 0; step < view->lookahead; ++step) {
    view->way[step * count + robot->index] =
      step < steps ? lane->steps[step * fw__rtaa_stride(lane)] : (uint8_t)FW_RTAA_NO_STEP;
  }
}

// Which cells around are not as they are known: bit (dy + sight) * (2 * sight + 1) + dx + sight.
FW_STEP void fw__rtaa_look(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot)
{
  const int32_t sight = view->sight;
  const int32_t side = 2 * sight + 1;
  const int64_t count = view->robot_count;
  for (int32_t word = 0; word < fw__rtaa_seen_words(sight); ++word) {
    view->seen[word * count + robot->index] = 0;
  }
  for (int32_t bit = 0; bit < side * side; ++bit) {
    const int32_t x = robot->x + bit % side - sight;
    const int32_t y = robot->y + bit / side - sight;
    if (x >= 0 && y >= 0 && x < view->width && y < view->height) {
      const int32_t cell = y * view->width + x;
      if (view->cost[cell] != view->truth[cell]) {
        view->seen[(bit / 64) * count + robot->index] |= (uint64_t)1 << (bit % 64);
      }
    }
  }
}

FW_STEP void fw__rtaa_update_and_check(
  const fw_rtaa_view_t * view, fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  const int64_t stride = fw__rtaa_stride(lane);
  ++robot->episodes;
  if (lane->words[FW_RTAA_WORD_DESCENDED * stride] == 0) {
    const int32_t next = lane->keys[fw__rtaa_place_next(view->lookahead) * stride];
    if (next == FW_RTAA_CLOSED) {
      lane->words[FW_RTAA_WORD_STEPS * stride] = 0;
      robot->state = FW_RTAA_STUCK;
    } else {
      const fw_search_t search = fw__search(view, robot, lane);
      fw__learn_all(&search, robot, fw__search_f(next));
      fw__rtaa_trace(lane, next);
    }
  }
  fw__rtaa_go(view, robot, lane);
  if (view->sight > 0) {
    fw__rtaa_look(view, robot);
  }
}

// ---- fused ----------------------------------------------------------------------------------------------------------

// Up to `episodes` episodes of one robot, from stage to stage without going back to the rows.
FW_STEP void fw__rtaa_fused(const fw_rtaa_view_t * view, int32_t index, const fw_rtaa_lane_t * lane, int32_t episodes)
{
  if (view->state[index] != FW_RTAA_RUNNING) {
    return;
  }
  fw_rtaa_robot_t robot = fw__rtaa_load(view, index);
  for (int32_t episode = 0; episode < episodes && robot.state == FW_RTAA_RUNNING; ++episode) {
    fw__rtaa_initialize_array(view, &robot);
    fw__rtaa_initialize_search(view, &robot, lane);
    fw__rtaa_search_episode(view, &robot, lane);
    fw__rtaa_update_and_check(view, &robot, lane);
  }
  fw__rtaa_tell(view, &robot, lane);
  fw__rtaa_store(view, &robot);
}

#endif  // KERNEL__RTAA_STEP_H_
