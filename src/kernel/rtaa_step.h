// The search episode of one robot in the four stages of Erra and Caggianese 2011, "Real-time Adaptive GPU multi-agent
// path planning": InitializeArray, InitializeSearch, SearchEpisode, UpdateAndCheck. Staged, each stage goes over all
// robots before the next; fused, one robot goes through all four with its data in registers.
//
// This is the entrance of the kernel: batch_cpu.c and cuda/rtaa_kernels.cu call only what is declared here. To change
// what an episode does, change a stage here; test/unit/test_rtaa_batch.c compares every backend with a plain A*.

#ifndef KERNEL__RTAA_STEP_H_
#define KERNEL__RTAA_STEP_H_

#include "kernel/bitboard_step.h"
#include "kernel/descent_step.h"

// Stage 1. The lookahead array is always centred on the robot; the movements array follows when the lookahead array
// would no longer be inside it.
FW_STEP void fw__rtaa_initialize_array(const fw_rtaa_view_t * view, fw_rtaa_robot_t * robot)
{
  fw__movements_follow(robot, view->lookahead);
}

// A new generation number for the search, instead of clearing the lookahead array.
FW_STEP void fw__rtaa_begin_search(const fw_rtaa_view_t * view, const fw_rtaa_lane_t * lane)
{
  const int64_t stride = fw__rtaa_stride(lane);
  uint32_t number = lane->status[FW_RTAA_STATUS_SEARCH * stride] + 1u;
  if (number > 255u) {
    for (int32_t at = 0; at < fw__rtaa_ahead_size(view->lookahead); ++at) {
      lane->marks[at * stride] = 0;
    }
    number = 1;
  }
  lane->status[FW_RTAA_STATUS_SEARCH * stride] = (uint8_t)number;
  lane->status[FW_RTAA_STATUS_EXPANDED * stride] = 0;
}

// Stage 2: the greedy descent; begins a search where that does not suffice.
FW_STEP void fw__rtaa_initialize_search(
  const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  const int32_t steps =
    view->regions == 0 ? fw__descent_run(view, robot, lane) : fw__regions_descend(view, robot, lane);
  if (view->regions != 0 && steps == FW_REGIONS_NO_WAY) {
    lane->status[FW_RTAA_STATUS_DESCENDED * fw__rtaa_stride(lane)] = 2;
    return;
  }
  lane->status[FW_RTAA_STATUS_DESCENDED * fw__rtaa_stride(lane)] = steps >= 0 ? 1 : 0;
  lane->status[FW_RTAA_STATUS_STEPS * fw__rtaa_stride(lane)] = (uint8_t)(steps >= 0 ? steps : -1 - steps);
  if (steps < 0) {
    fw__rtaa_begin_search(view, lane);
  }
}

// Stage 3: A*, on bitboards where possible.
FW_STEP void fw__rtaa_search_episode(
  const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  if (lane->status[FW_RTAA_STATUS_DESCENDED * fw__rtaa_stride(lane)] == 0) {
    fw_rtaa_search_t search = fw__rtaa_search(view, robot, lane);
    const int32_t walked = lane->status[FW_RTAA_STATUS_STEPS * fw__rtaa_stride(lane)];
    if (view->regions != 0 || view->lookahead > FW_RTAA_BITBOARD_LOOKAHEAD_MAX || !fw__bitboard_run(&search, walked)) {
      fw__rtaa_search_run(&search, view->regions != 0 ? 0 : walked);
    }
  }
}

// ---- UpdateAndCheck -------------------------------------------------------------------------------------------------

// Learning (Koenig and Likhachev 2006, Real-Time Adaptive A*): with s' the state that was about to be expanded, h(s) =
// g(s') + h(s') - g(s) for every expanded s, so that h(s) rises by the difference f(s') - f(s). The movements array
// forgets cells that leave it, so that its border may be inconsistent with what is outside; an estimate is therefore
// only ever raised.

enum { FW_RTAA_LEARNED_MAX = UINT16_MAX };  // learned values are cut at this

// Raises the h of all expanded states to `f`, the f of the state that was about to be expanded: first the bounding box
// of the cells that change, then their values.
FW_STEP void fw__rtaa_learn(const fw_rtaa_search_t * search, fw_rtaa_robot_t * robot, int32_t f)
{
  const fw_rtaa_lane_t * lane = search->lane;
  const int64_t stride = fw__rtaa_stride(lane);
  const int32_t lookahead = search->view->lookahead;
  int32_t x0 = 255, y0 = 255, x1 = 0, y1 = 0;  // from the corner of the lookahead array
  for (int32_t row = 0; row < search->expanded; ++row) {
    if (fw__rtaa_search_f(lane->closed[row * stride]) < f) {
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
  const fw_rtaa_movements_t array = fw__movements(search->view, robot);
  const int32_t corner_x = robot->drift_x - lookahead;
  const int32_t corner_y = robot->drift_y - lookahead;
  fw__movements_widen(&array, robot, x0 + corner_x, y0 + corner_y, x1 + corner_x, y1 + corner_y);
  for (int32_t row = 0; row < search->expanded; ++row) {
    const int32_t rise = f - fw__rtaa_search_f(lane->closed[row * stride]);
    if (rise > 0) {
      const int32_t at = lane->at[row * stride];
      uint16_t * learned = fw__movements_slot(&array, at % 256 + corner_x, at / 256 + corner_y);
      *learned = (uint16_t)(*learned + rise < FW_RTAA_LEARNED_MAX ? *learned + rise : FW_RTAA_LEARNED_MAX);
    }
  }
}

// The same with regions, whose heuristic is not consistent: behind a border between regions it may be much smaller, so
// that `f` may also be less than the f of expanded states. Those on the path to the next state get h(s) = f - g(s) in
// any case, up or down: from there on the descent has a neighbour with a smaller h until it reaches that state. So a
// search, which only happens where no neighbour has a smaller h, either raises h there or leads to a smaller one, and a
// robot cannot go back and forth without learning.
FW_STEP void fw__rtaa_learn_regions(const fw_rtaa_search_t * search, fw_rtaa_robot_t * robot, int32_t next)
{
  const fw_rtaa_lane_t * lane = search->lane;
  const int64_t stride = fw__rtaa_stride(lane);
  const int32_t corner_x = robot->drift_x - search->view->lookahead;
  const int32_t corner_y = robot->drift_y - search->view->lookahead;
  const fw_rtaa_movements_t array = fw__movements(search->view, robot);
  uint32_t on_path = 0;
  int32_t key = next;
  for (int32_t depth = fw__rtaa_search_depth(next); depth > 0; --depth) {
    const int32_t parent = fw__rtaa_search_parent(key);
    on_path |= 1u << parent;
    key = lane->closed[parent * stride];
  }
  for (int32_t row = 0; row < search->expanded; ++row) {
    const int32_t f = fw__rtaa_search_f(lane->closed[row * stride]);
    const int32_t change = fw__rtaa_search_f(next) - f;
    if ((change <= 0 && ((on_path >> row) & 1u) == 0) || change == 0 || f >= FW_RTAA_SEARCH_UNREACHABLE) {
      continue;
    }
    const int32_t x = lane->at[row * stride] % 256 + corner_x, y = lane->at[row * stride] / 256 + corner_y;
    fw__movements_widen(&array, robot, x, y, x, y);
    uint16_t * slot = fw__movements_slot(&array, x, y);
    const int32_t learned = (int16_t)*slot + change;
    *slot = (uint16_t)(int16_t)(learned > INT16_MAX ? INT16_MAX : learned < INT16_MIN ? INT16_MIN : learned);
  }
}

// What the learned values depend on, for batch.c, which decides with it whether they hold on a map that has changed. An
// episode reads cells up to one beyond the lookahead from where the robot is. Values that the robot has forgotten
// since, because they left the movements array, may have had an influence on those that it knows: the box only grows
// until nothing is learned any more.
FW_STEP void fw__rtaa_note_read(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot)
{
  int16_t * box = view->read_box + (int64_t)robot->index * 4;
  const int32_t reach = view->lookahead + 1;
  const int32_t x0 = robot->x > reach ? robot->x - reach : 0;
  const int32_t y0 = robot->y > reach ? robot->y - reach : 0;
  const int32_t x1 = robot->x + reach < view->width ? robot->x + reach : view->width - 1;
  const int32_t y1 = robot->y + reach < view->height ? robot->y + reach : view->height - 1;
  const bool is_empty = box[0] > box[2];
  if (robot->box_x0 > robot->box_x1) {
    box[0] = 1;
    box[2] = 0;
    return;
  }
  box[0] = (int16_t)(is_empty || x0 < box[0] ? x0 : box[0]);
  box[1] = (int16_t)(is_empty || y0 < box[1] ? y0 : box[1]);
  box[2] = (int16_t)(is_empty || x1 > box[2] ? x1 : box[2]);
  box[3] = (int16_t)(is_empty || y1 > box[3] ? y1 : box[3]);
}

// The path to the state with this key, from parent to parent.
FW_STEP void fw__rtaa_trace(const fw_rtaa_lane_t * lane, int32_t key)
{
  const int64_t stride = fw__rtaa_stride(lane);
  const int32_t steps = fw__rtaa_search_depth(key);
  FW_STEP_ASSERT(steps >= 0 && steps <= 31);
  lane->status[FW_RTAA_STATUS_STEPS * stride] = (uint8_t)steps;
  for (int32_t step = steps - 1; step >= 0; --step) {
    lane->steps[step * stride] = (uint8_t)fw__rtaa_search_heading(lane, key);
    key = lane->closed[fw__rtaa_search_parent(key) * stride];
  }
}

FW_STEP bool fw__rtaa_is_free(const fw_rtaa_view_t * view, int32_t x, int32_t y)
{
  return x >= 0 && y >= 0 && x < view->width && y < view->height && FW_READ(&view->truth[y * view->width + x]) != 0;
}

// Whether the move is free in the real world, whatever the robot knows. A diagonal needs both sides free.
FW_STEP bool fw__rtaa_can_move(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, int32_t heading)
{
  const int32_t x = robot->x + fw__compass_dx(heading);
  const int32_t y = robot->y + fw__compass_dy(heading);
  return fw__rtaa_is_free(view, x, y) && fw__rtaa_is_free(view, x, robot->y) && fw__rtaa_is_free(view, robot->x, y);
}

// Moves along the path, up to the first obstacle that was not known.
FW_STEP void fw__rtaa_move(const fw_rtaa_view_t * view, fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  const int32_t steps = lane->status[FW_RTAA_STATUS_STEPS * fw__rtaa_stride(lane)];
  const int32_t moves = steps < view->moves_max ? steps : view->moves_max;
  FW_STEP_ASSERT(steps <= view->lookahead);
  const bool is_known = view->truth == view->cost;
  const int32_t x = robot->x;
  const int32_t y = robot->y;
  int32_t gone = 0;
  for (; gone < moves; ++gone) {
    const int32_t heading = lane->steps[gone * fw__rtaa_stride(lane)];
    if (!is_known && !fw__rtaa_can_move(view, robot, heading)) {
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

// Writes the path of the last episode to the robot's row.
FW_STEP void fw__rtaa_write_path(
  const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  const int64_t count = view->robot_count;
  const int32_t steps = lane->status[FW_RTAA_STATUS_STEPS * fw__rtaa_stride(lane)];
  for (int32_t step = 0; step < view->lookahead; ++step) {
    view->path[step * count + robot->index] =
      step < steps ? lane->steps[step * fw__rtaa_stride(lane)] : (uint8_t)FW_RTAA_NO_STEP;
  }
}

// Senses which cells around differ from the known map: bit (dy + sight) * (2 * sight + 1) + dx + sight.
FW_STEP void fw__rtaa_sense(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot)
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
      if (FW_READ(&view->cost[cell]) != FW_READ(&view->truth[cell])) {
        view->seen[(bit / 64) * count + robot->index] |= (uint64_t)1 << (bit % 64);
      }
    }
  }
}

// The end of an episode whose path is found.
FW_STEP void fw__rtaa_follow_path(const fw_rtaa_view_t * view, fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  if (view->regions != 0) {
    fw__rtaa_note_read(view, robot);
  }
  fw__rtaa_move(view, robot, lane);
  if (view->sight > 0) {
    fw__rtaa_sense(view, robot);
  }
}

// Stage 4: learns, moves and senses.
FW_STEP void fw__rtaa_update_and_check(
  const fw_rtaa_view_t * view, fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  const int64_t stride = fw__rtaa_stride(lane);
  ++robot->episodes;
  if (view->regions != 0 && lane->status[FW_RTAA_STATUS_DESCENDED * stride] == 2) {
    lane->status[FW_RTAA_STATUS_STEPS * stride] = 0;
    robot->state = FW_RTAA_STUCK;
  }
  if (lane->status[FW_RTAA_STATUS_DESCENDED * stride] == 0) {
    const int32_t next = lane->keys[fw__rtaa_place_next(view->lookahead) * stride];
    if (next == FW_RTAA_CLOSED) {
      lane->status[FW_RTAA_STATUS_STEPS * stride] = 0;
      robot->state = FW_RTAA_STUCK;
    } else {
      const fw_rtaa_search_t search = fw__rtaa_search(view, robot, lane);
      if (view->regions != 0) {
        fw__rtaa_learn_regions(&search, robot, next);
      } else {
        fw__rtaa_learn(&search, robot, fw__rtaa_search_f(next));
      }
      fw__rtaa_trace(lane, next);
    }
  }
  fw__rtaa_follow_path(view, robot, lane);
}

// ---- fused ----------------------------------------------------------------------------------------------------------

// Up to `episodes` episodes of one robot, from stage to stage without writing back to the rows.
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
  fw__rtaa_write_path(view, &robot, lane);
  fw__rtaa_store(view, &robot);
}

#endif  // KERNEL__RTAA_STEP_H_
