// The search of search_step.h on bitboards: for a lookahead of at most 3 on cells of cost 1 where nothing is learned.
//
// The lookahead array of 7 x 7 cells is a bitboard with eight bits a row. The h of a neighbour is one less than that of
// the state, equal, or one more. So the open list is one bitboard for each expanded state, and two 3 x 3 blocks that
// say which of its neighbours are nearer to the goal, and which are not farther; a state that is generated again is
// removed from a bitboard by a bitwise and. The order of expansion and what is left in the lane are those of
// search_step.h.

#ifndef KERNEL__BITBOARD_STEP_H_
#define KERNEL__BITBOARD_STEP_H_

#include "kernel/search_step.h"

enum { FW_BITBOARD_CENTRE = 3 * 8 + 3 };

// The eight neighbours of a cell as a block: the north-west one in bit 0, rows 8 bits apart.
enum { FW_BITBOARD_BLOCK = 0x070507 };

FW_STEP uint32_t fw__bitboard_bit(int32_t heading)
{
  return 1u << (9 + 8 * fw__compass_dy(heading) + fw__compass_dx(heading));
}

// Moves by heading (north-west, north and north-east are the upper three bits) as a block.
FW_STEP uint32_t fw__bitboard_block(uint32_t moves)
{
  return (moves >> 5) | ((moves << 4) & 0x100u) | ((moves << 10) & 0x400u) | ((moves << 13) & 0x10000u) |
         ((moves << 15) & 0x20000u) | ((moves << 17) & 0x40000u);
}

// The cells of a block whose distance to the goal is at most `most`.
FW_STEP uint32_t fw__bitboard_within(int32_t connectivity, const fw_compass_ring_t * ring, int32_t most)
{
  if (connectivity == 4) {
    const int32_t down = most - ring->here, across = most - ring->level;
    return (ring->north <= down ? 0x2u : 0u) | (ring->south <= down ? 0x20000u : 0u) |
           (ring->west <= across ? 0x100u : 0u) | (ring->east <= across ? 0x400u : 0u);
  }
  const uint32_t columns = (ring->west <= most ? 0x010101u : 0u) | (ring->here <= most ? 0x020202u : 0u) |
                           (ring->east <= most ? 0x040404u : 0u);
  const uint32_t rows =
    (ring->north <= most ? 0x7u : 0u) | (ring->level <= most ? 0x700u : 0u) | (ring->south <= most ? 0x70000u : 0u);
  return columns & rows;
}

// ---- expanding ------------------------------------------------------------------------------------------------------

// The bit of a cell of the lookahead array.
FW_STEP int32_t fw__bitboard_place(int32_t ahead_x, int32_t ahead_y)
{
  return FW_BITBOARD_CENTRE + 8 * ahead_y + ahead_x;
}

// Whether no neighbour of the state has a learned value.
FW_STEP bool fw__bitboard_is_plain(
  const fw_rtaa_search_t * search, const fw_rtaa_search_state_t * state, uint32_t moves)
{
  const fw_rtaa_robot_t * robot = search->robot;
  const int32_t x = robot->drift_x + state->ahead_x;
  const int32_t y = robot->drift_y + state->ahead_y;
  const uint32_t known = search->is_plain ? 0u : moves & fw__movements_around(robot, x, y);
  uint32_t learned = 0;
  for (int32_t heading = 0; known >> heading != 0; ++heading) {
    if (((known >> heading) & 1u) != 0) {
      learned |= *fw__movements_slot(&search->array, x + fw__compass_dx(heading), y + fw__compass_dy(heading));
    }
  }
  return learned == 0;
}

// Expands a state. False, with nothing changed, if a neighbour costs more than 1 or has a learned value.
FW_STEP bool fw__bitboard_expand(fw_rtaa_search_t * search, const fw_rtaa_search_state_t * state, uint64_t expanded)
{
  const fw_rtaa_view_t * view = search->view;
  const fw_rtaa_robot_t * robot = search->robot;
  const fw_rtaa_lane_t * lane = search->lane;
  const int64_t stride = fw__rtaa_stride(lane);
  const int32_t row = search->expanded;
  const int32_t x = robot->x + state->ahead_x;
  const int32_t y = robot->y + state->ahead_y;
  const uint32_t moves = FW_READ(&view->moves[y * view->width + x]);
  if (FW_READ(&view->floor[y * view->width + x]) != moves || !fw__bitboard_is_plain(search, state, moves)) {
    return false;
  }
  const fw_compass_t compass = fw__compass(view->connectivity, robot->goal_x - x, robot->goal_y - y);
  const fw_compass_ring_t ring = fw__compass_ring(robot->goal_x - x, robot->goal_y - y);
  const int32_t distance = fw__compass_ring_distance(view->connectivity, &ring, 0, 0);
  const int32_t place = fw__bitboard_place(state->ahead_x, state->ahead_y);
  uint64_t open = ((uint64_t)fw__bitboard_block(moves) << (place - 9)) & ~expanded;
  for (int32_t other = 0; other < row; ++other) {
    const uint64_t theirs = lane->boards[other * stride];
    const int32_t depth = fw__rtaa_search_depth(lane->closed[other * stride]);
    const uint64_t is_ours = (uint64_t)0 - (uint64_t)(fw__rtaa_search_depth(state->key) <= depth);  // all bits or none
    lane->boards[other * stride] = theirs & ~(open & is_ours);
    open &= ~(theirs & ~is_ours);
  }
  lane->boards[row * stride] = open;
  lane->nearer[row * stride] = fw__bitboard_within(view->connectivity, &ring, distance - 1);
  lane->level[row * stride] = fw__bitboard_within(view->connectivity, &ring, distance);
  lane->closed[row * stride] = state->key;
  lane->at[row * stride] = (uint16_t)((state->ahead_y + view->lookahead) * 256 + state->ahead_x + view->lookahead);
  lane->fans[row * stride] = fw__compass_fan(compass);
  search->expanded = row + 1;
  return true;
}

// ---- choosing -------------------------------------------------------------------------------------------------------

// The open children of one expanded state that come first.
typedef struct fw_rtaa_bitboard_choice_t {
  uint32_t block;  // those with the least f
  int32_t key;     // without the rank; FW_RTAA_CLOSED if there are none
} fw_rtaa_bitboard_choice_t;

FW_STEP fw_rtaa_bitboard_choice_t fw__bitboard_choose(const fw_rtaa_search_t * search, int32_t row)
{
  const fw_rtaa_lane_t * lane = search->lane;
  const int64_t stride = fw__rtaa_stride(lane);
  const int32_t lookahead = search->view->lookahead;
  const int32_t at = lane->at[row * stride];
  const int32_t place = fw__bitboard_place(at % 256 - lookahead, at / 256 - lookahead);
  const uint32_t open = (uint32_t)(lane->boards[row * stride] >> (place - 9)) & FW_BITBOARD_BLOCK;
  const uint32_t nearer = open & lane->nearer[row * stride];
  const uint32_t level = open & lane->level[row * stride];
  const int32_t rise = (nearer == 0) + (level == 0);  // `level` contains `nearer`
  fw_rtaa_bitboard_choice_t choice;
  choice.block = nearer | (level & (0u - (uint32_t)(nearer == 0))) | (open & (0u - (uint32_t)(level == 0)));
  choice.key = (((lane->closed[row * stride] >> 8) + (rise << 5) - 1) << 8) | (row << 3);
  choice.key = open != 0 ? choice.key : FW_RTAA_CLOSED;
  return choice;
}

// The key of the open state to expand next, FW_RTAA_CLOSED if there is none.
FW_STEP int32_t fw__bitboard_next(const fw_rtaa_search_t * search)
{
  fw_rtaa_bitboard_choice_t best = fw__bitboard_choose(search, 0);
  for (int32_t row = 1; row < search->expanded; ++row) {
    const fw_rtaa_bitboard_choice_t other = fw__bitboard_choose(search, row);
    best.block = other.key < best.key ? other.block : best.block;
    best.key = other.key < best.key ? other.key : best.key;
  }
  if (best.key == FW_RTAA_CLOSED) {
    return FW_RTAA_CLOSED;
  }
  const uint32_t fan = search->lane->fans[fw__rtaa_search_parent(best.key) * fw__rtaa_stride(search->lane)];
  int32_t rank = 0;
  while (rank < 7 && (best.block & fw__bitboard_bit(fw__compass_at(fan, rank))) == 0) {
    ++rank;
  }
  return best.key | rank;
}

// Removes a state from its bitboard.
FW_STEP fw_rtaa_search_state_t fw__bitboard_take(const fw_rtaa_search_t * search, int32_t key)
{
  const fw_rtaa_lane_t * lane = search->lane;
  const int64_t stride = fw__rtaa_stride(lane);
  const int32_t parent = fw__rtaa_search_parent(key);
  const int32_t heading = fw__rtaa_search_heading(lane, key);
  const int32_t at = lane->at[parent * stride];
  fw_rtaa_search_state_t state;
  state.key = key;
  state.ahead_x = at % 256 - search->view->lookahead + fw__compass_dx(heading);
  state.ahead_y = at / 256 - search->view->lookahead + fw__compass_dy(heading);
  state.g = 0;
  lane->boards[parent * stride] &= ~((uint64_t)1 << fw__bitboard_place(state.ahead_x, state.ahead_y));
  return state;
}

// The key of the child with this heading, nearer to the goal, of the state that was expanded last.
FW_STEP int32_t fw__bitboard_step(const fw_rtaa_search_t * search, int32_t heading)
{
  const int64_t stride = fw__rtaa_stride(search->lane);
  const int32_t row = search->expanded - 1;
  const uint32_t fan = search->lane->fans[row * stride];
  int32_t rank = 0;
  while (rank < 7 && fw__compass_at(fan, rank) != heading) {
    ++rank;
  }
  return (((search->lane->closed[row * stride] >> 8) - 1) << 8) | (row << 3) | rank;
}

// ---- the search -----------------------------------------------------------------------------------------------------

// As fw__rtaa_search_run. False if a cell costs more than 1 or has a learned value: the search is then as before the
// call.
FW_STEP bool fw__bitboard_run(fw_rtaa_search_t * search, int32_t walked)
{
  const fw_rtaa_lane_t * lane = search->lane;
  const int64_t stride = fw__rtaa_stride(lane);
  const int32_t lookahead = search->view->lookahead;
  FW_STEP_ASSERT(lookahead <= FW_RTAA_BITBOARD_LOOKAHEAD_MAX && search->expanded == 0);
  fw_rtaa_search_state_t state = fw__rtaa_search_start(search);
  uint64_t expanded = 0;
  int32_t next = state.key;
  if (
    !search->is_plain &&
    fw__movements_learned(&search->array, search->robot, search->robot->drift_x, search->robot->drift_y) > 0) {
    return false;
  }
  for (int32_t row = 0; row < lookahead && next != FW_RTAA_CLOSED; ++row) {
    if (row > 0) {
      state = fw__bitboard_take(search, next);
      if (fw__rtaa_search_is_goal(search, &state)) {
        break;
      }
    }
    expanded |= (uint64_t)1 << fw__bitboard_place(state.ahead_x, state.ahead_y);
    if (!fw__bitboard_expand(search, &state, expanded)) {
      search->expanded = 0;
      return false;
    }
    next = row < walked ? fw__bitboard_step(search, lane->steps[row * stride]) : fw__bitboard_next(search);
  }
  lane->status[FW_RTAA_STATUS_EXPANDED * stride] = (uint8_t)search->expanded;
  lane->keys[fw__rtaa_place_next(lookahead) * stride] = next;
  return true;
}

#endif  // KERNEL__BITBOARD_STEP_H_
