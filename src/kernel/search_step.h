// A* of one robot within its lookahead array, for at most `lookahead` expansions: the general search of an episode.
//
// Order of expansion: the least f; then the deeper state (more moves from the start); then the one that was generated
// first, neighbours in the order of the compass. A state that is generated again at no more cost changes to its new
// parent. Closed states are not reopened.
//
// The open list has eight slots for each expanded state, one by heading, and a slot has one number, the key:
//
//   f (18 bits) | 31 - depth (5 bits) | index of the parent (5 bits) | rank of the heading at the parent (3 bits)
//
// The order of keys is the order of expansion, and a key says whose child the state is and where it lies: everything
// else follows from the closed list. So generating a state writes one number, and choosing the next state is a minimum.
// The lookahead array says which slot a cell's state has; all expanded states share one slot, and so do all states that
// are not generated yet, with keys that make the comparison come out right. No jump depends on the outcome of that
// comparison, since CPUs would mispredict it and GPUs would diverge.

#ifndef KERNEL__SEARCH_STEP_H_
#define KERNEL__SEARCH_STEP_H_

#include "kernel/regions_step.h"

// The state of a search.
typedef struct fw_rtaa_search_t {
  const fw_rtaa_view_t * view;
  const fw_rtaa_robot_t * robot;
  const fw_rtaa_lane_t * lane;
  fw_rtaa_movements_t array;
  int32_t side;            // of the lookahead array
  uint32_t number;         // generation of the search in `marks`
  int32_t expanded;        // states in the closed list
  bool is_plain;           // no cell of the lookahead array has a learned value
  fw_regions_goal_t goal;  // with regions
  int32_t base;            // with regions: is subtracted from every h, so that f has room in a key
} fw_rtaa_search_t;

// A state to be expanded.
typedef struct fw_rtaa_search_state_t {
  int32_t key;
  int32_t ahead_x;  // from the robot
  int32_t ahead_y;
  int32_t g;
} fw_rtaa_search_state_t;

FW_STEP int32_t fw__rtaa_search_f(int32_t key) { return key >> 13; }
FW_STEP int32_t fw__rtaa_search_depth(int32_t key) { return 31 - ((key >> 8) & 31); }
FW_STEP int32_t fw__rtaa_search_parent(int32_t key) { return (key >> 3) & 31; }
FW_STEP int32_t fw__rtaa_search_rank(int32_t key) { return key & 7; }

// With regions: h less the base. A cell without a way to the goal has more than all others; of these only the start is
// expanded, when an obstacle has appeared on it.
enum { FW_RTAA_SEARCH_BASE = 1 << 16, FW_RTAA_SEARCH_UNREACHABLE = 1 << 17 };

FW_STEP int32_t fw__rtaa_search_estimate_regions(const fw_rtaa_search_t * search, int32_t ahead_x, int32_t ahead_y)
{
  const fw_rtaa_robot_t * robot = search->robot;
  const int32_t h =
    fw__regions_learned_estimate(&search->goal, &search->array, robot, robot->x + ahead_x, robot->y + ahead_y);
  const int32_t above = h - search->base;
  return h == FW_REGIONS_UNREACHABLE
           ? FW_RTAA_SEARCH_UNREACHABLE
           : (above < FW_RTAA_SEARCH_UNREACHABLE ? (above > 0 ? above : 0) : FW_RTAA_SEARCH_UNREACHABLE - 1);
}

// So that h of the start, or of a neighbour if the start has none, is in the middle of what a key has room for.
FW_STEP int32_t fw__rtaa_search_base(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot)
{
  const fw_regions_goal_t goal = fw__regions_robot_goal(view->regions, robot);
  const uint32_t moves = FW_READ(&view->moves[robot->y * view->width + robot->x]);
  int32_t h = fw__regions_estimate(&goal, robot->x, robot->y);
  for (int32_t heading = 0; heading < 8 && h == FW_REGIONS_UNREACHABLE; ++heading) {
    if (((moves >> heading) & 1u) != 0) {
      h = fw__regions_estimate(&goal, robot->x + fw__compass_dx(heading), robot->y + fw__compass_dy(heading));
    }
  }
  return h != FW_REGIONS_UNREACHABLE && h > FW_RTAA_SEARCH_BASE ? h - FW_RTAA_SEARCH_BASE : 0;
}

// The heuristic h of the cell at (ahead_x, ahead_y) from the robot, learned value included.
FW_STEP int32_t fw__rtaa_search_estimate_cost(const fw_rtaa_search_t * search, int32_t ahead_x, int32_t ahead_y)
{
  const fw_rtaa_robot_t * robot = search->robot;
  if (search->view->regions != 0) {
    return fw__rtaa_search_estimate_regions(search, ahead_x, ahead_y);
  }
  const int32_t plain = fw__compass_distance(
    search->view->connectivity, robot->goal_x - robot->x - ahead_x, robot->goal_y - robot->y - ahead_y);
  return search->is_plain
           ? plain
           : plain + fw__movements_learned(&search->array, robot, robot->drift_x + ahead_x, robot->drift_y + ahead_y);
}

// The search as InitializeSearch or a later stage has left it in the lane.
FW_STEP fw_rtaa_search_t
fw__rtaa_search(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  fw_rtaa_search_t search;
  search.view = view;
  search.robot = robot;
  search.lane = lane;
  search.array = fw__movements(view, robot);
  search.side = fw__rtaa_ahead_side(view->lookahead);
  search.number = lane->status[FW_RTAA_STATUS_SEARCH * fw__rtaa_stride(lane)];
  search.expanded = lane->status[FW_RTAA_STATUS_EXPANDED * fw__rtaa_stride(lane)];
  search.is_plain = !fw__movements_touches(robot, -view->lookahead, -view->lookahead, view->lookahead, view->lookahead);
  search.base = 0;
  if (view->regions != 0) {
    search.goal = fw__regions_robot_goal(view->regions, robot);
    search.base = fw__rtaa_search_base(view, robot);
  }
  return search;
}

// The heading of the move from the parent to the state with this key.
FW_STEP int32_t fw__rtaa_search_heading(const fw_rtaa_lane_t * lane, int32_t key)
{
  return fw__compass_at(lane->fans[fw__rtaa_search_parent(key) * fw__rtaa_stride(lane)], fw__rtaa_search_rank(key));
}

// The key of the open state to expand next, FW_RTAA_CLOSED if there is none.
FW_STEP int32_t fw__rtaa_search_next(const fw_rtaa_search_t * search)
{
  const int32_t * keys = search->lane->keys;
  const int32_t count = 8 * search->expanded;
  int32_t least = FW_RTAA_CLOSED;
  for (int32_t place = 0; place < count; ++place) {
    const int32_t key = keys[place * fw__rtaa_stride(search->lane)];
    least = key < least ? key : least;
  }
  return least;
}

FW_STEP void fw__rtaa_search_mark(const fw_rtaa_search_t * search, int32_t ahead_x, int32_t ahead_y, int32_t place)
{
  const int32_t lookahead = search->view->lookahead;
  FW_STEP_ASSERT(fw__compass_abs(ahead_x) <= lookahead && fw__compass_abs(ahead_y) <= lookahead);
  const int32_t at = (ahead_y + lookahead) * search->side + ahead_x + lookahead;
  search->lane->marks[at * fw__rtaa_stride(search->lane)] = (uint16_t)((search->number << 8) | (uint32_t)place);
}

FW_STEP fw_rtaa_search_state_t fw__rtaa_search_start(const fw_rtaa_search_t * search)
{
  fw_rtaa_search_state_t state;
  state.ahead_x = 0;
  state.ahead_y = 0;
  state.g = 0;
  state.key = (fw__rtaa_search_estimate_cost(search, 0, 0) << 13) | (31 << 8);
  return state;
}

// Removes a state from the open list.
FW_STEP fw_rtaa_search_state_t fw__rtaa_search_take(const fw_rtaa_search_t * search, int32_t key)
{
  const fw_rtaa_view_t * view = search->view;
  const fw_rtaa_lane_t * lane = search->lane;
  const int64_t stride = fw__rtaa_stride(lane);
  const int32_t parent = fw__rtaa_search_parent(key);
  const int32_t heading = fw__rtaa_search_heading(lane, key);
  const int32_t at = lane->at[parent * stride];
  FW_STEP_ASSERT(parent < search->expanded && lane->keys[(8 * parent + heading) * stride] == key);
  lane->keys[(8 * parent + heading) * stride] = FW_RTAA_CLOSED;
  fw_rtaa_search_state_t state;
  state.key = key;
  state.ahead_x = at % 256 - view->lookahead + fw__compass_dx(heading);
  state.ahead_y = at / 256 - view->lookahead + fw__compass_dy(heading);
  const int32_t cell = (search->robot->y + state.ahead_y) * view->width + search->robot->x + state.ahead_x;
  state.g = lane->g[parent * stride] + (view->floor == view->moves ? 1 : FW_READ(&view->cost[cell]));
  fw__rtaa_search_mark(search, state.ahead_x, state.ahead_y, fw__rtaa_place_expanded(view->lookahead));
  return state;
}

// Generates a neighbour at index `at` of the lookahead array: writes its key to its slot, unless there is no move or it
// was generated at less cost before; an entry at no less cost is removed.
FW_STEP void fw__rtaa_search_find(
  const fw_rtaa_search_t * search, int32_t at, int32_t place, int32_t key, uint32_t is_move)
{
  const fw_rtaa_lane_t * lane = search->lane;
  const int64_t stride = fw__rtaa_stride(lane);
  const uint32_t mark = lane->marks[at * stride];
  const uint32_t known =
    (mark >> 8) == search->number ? mark & 255u : (uint32_t)fw__rtaa_place_fresh(search->view->lookahead);
  const int32_t old = lane->keys[known * stride];
  // Both keys have the same h, so less f is less g.
  const int32_t is_found =
    -(int32_t)(is_move & (fw__rtaa_search_f(key) <= fw__rtaa_search_f(old) ? 1u : 0u));  // all bits or none
  const uint32_t now = (search->number << 8) | (uint32_t)place;
  lane->keys[known * stride] = (old & ~is_found) | (FW_RTAA_CLOSED & is_found);
  lane->marks[at * stride] = (uint16_t)((mark & ~(uint32_t)is_found) | (now & (uint32_t)is_found));
  lane->keys[place * stride] = (key & is_found) | (FW_RTAA_CLOSED & ~is_found);
}

FW_STEP void fw__rtaa_search_expand(fw_rtaa_search_t * search, const fw_rtaa_search_state_t * state)
{
  const fw_rtaa_view_t * view = search->view;
  const fw_rtaa_robot_t * robot = search->robot;
  const fw_rtaa_lane_t * lane = search->lane;
  const int64_t stride = fw__rtaa_stride(lane);
  FW_STEP_ASSERT(search->expanded >= 0 && search->expanded < view->lookahead);
  const int32_t row = search->expanded++;
  const int32_t corner_x = state->ahead_x + view->lookahead;
  const int32_t corner_y = state->ahead_y + view->lookahead;
  const int32_t x = robot->x + state->ahead_x;
  const int32_t y = robot->y + state->ahead_y;
  const int32_t cell = y * view->width + x;
  uint32_t moves = FW_READ(&view->moves[cell]);
  const uint32_t weighted = moves & ~(uint32_t)FW_READ(&view->floor[cell]);
  const int32_t centre_x = robot->drift_x + state->ahead_x, centre_y = robot->drift_y + state->ahead_y;
  const uint32_t learned = search->is_plain ? 0u : fw__movements_around(robot, centre_x, centre_y);
  const fw_compass_t compass = fw__compass(view->connectivity, robot->goal_x - x, robot->goal_y - y);
  const uint32_t ranks = fw__compass_ranks(compass);
  const fw_compass_ring_t ring = fw__compass_ring(robot->goal_x - x, robot->goal_y - y);
  const int32_t base = ((state->g + 1) << 13) + (((state->key & (31 << 8)) - (1 << 8)) | (row << 3));
  lane->closed[row * stride] = state->key;
  lane->at[row * stride] = (uint16_t)(corner_y * 256 + corner_x);
  lane->g[row * stride] = (uint16_t)state->g;
  lane->fans[row * stride] = fw__compass_fan(compass);
  FW_UNROLL
  for (int32_t heading = 0; heading < 8; ++heading) {
    const int32_t dx = fw__compass_dx(heading);
    const int32_t dy = fw__compass_dy(heading);
    int32_t estimate = 0;
    if (view->regions == 0) {
      estimate = fw__compass_ring_distance(view->connectivity, &ring, dx, dy);
      if (((learned >> heading) & 1u) != 0) {
        estimate += *fw__movements_slot(&search->array, centre_x + dx, centre_y + dy);
      }
    } else if (((moves >> heading) & 1u) != 0) {
      estimate = fw__rtaa_search_estimate_regions(search, state->ahead_x + dx, state->ahead_y + dy);
      moves &= estimate == FW_RTAA_SEARCH_UNREACHABLE ? ~(1u << heading) : ~0u;
    }
    if (((weighted >> heading) & 1u) != 0) {
      estimate += FW_READ(&view->cost[cell + dy * view->width + dx]) - 1;
    }
    const int32_t at = (corner_y + dy) * search->side + corner_x + dx;
    const int32_t key = base + (estimate << 13) + (int32_t)((ranks >> (4 * heading)) & 7u);
    fw__rtaa_search_find(search, at, 8 * row + heading, key, (moves >> heading) & 1u);
  }
}

FW_STEP bool fw__rtaa_search_is_goal(const fw_rtaa_search_t * search, const fw_rtaa_search_state_t * state)
{
  const fw_rtaa_robot_t * robot = search->robot;
  return robot->x + state->ahead_x == robot->goal_x && robot->y + state->ahead_y == robot->goal_y;
}

// Expands states until the lookahead is used up or the goal is next. The first `walked` states after the start are
// those of the descent (descent_step.h). Leaves the key of the next state in its own slot of the open list.
FW_STEP void fw__rtaa_search_run(fw_rtaa_search_t * search, int32_t walked)
{
  const fw_rtaa_lane_t * lane = search->lane;
  const int64_t stride = fw__rtaa_stride(lane);
  const int32_t lookahead = search->view->lookahead;
  fw_rtaa_search_state_t state = fw__rtaa_search_start(search);
  int32_t next = state.key;
  lane->keys[fw__rtaa_place_expanded(lookahead) * stride] = -1;
  lane->keys[fw__rtaa_place_fresh(lookahead) * stride] = FW_RTAA_CLOSED;
  fw__rtaa_search_mark(search, 0, 0, fw__rtaa_place_expanded(lookahead));
  for (int32_t row = 0; row < lookahead && next != FW_RTAA_CLOSED; ++row) {
    if (row > 0) {
      state = fw__rtaa_search_take(search, next);
      if (fw__rtaa_search_is_goal(search, &state)) {
        break;
      }
    }
    fw__rtaa_search_expand(search, &state);
    next = row < walked ? lane->keys[(8 * row + lane->steps[row * stride]) * stride] : fw__rtaa_search_next(search);
  }
  lane->status[FW_RTAA_STATUS_EXPANDED * stride] = (uint8_t)search->expanded;
  lane->keys[fw__rtaa_place_next(lookahead) * stride] = next;
}

#endif  // KERNEL__SEARCH_STEP_H_
