// A* of one robot within its lookahead array, for at most `lookahead` expansions.
//
// The order in which states are expanded: the least f; then the deeper (more moves from the start); then the one that was
// found earlier, neighbours in the order of the compass. A state that is found again at no more cost goes to its new
// parent. Expanded states are not opened again.
//
// That rule makes most searches a walk. Plain estimates are consistent and what is learned only adds to them: where nothing
// is learned of the start, no state has a smaller f than it. So as long as the state just expanded has a neighbour with the
// same f (plain, of cost 1, nearer to the goal), that neighbour is the deepest of the least and is next: no list is needed
// to know it. Nor is there anything to learn when all of them have one f. Only where the walk ends before the lookahead,
// at an obstacle, on dear floor or where something is learned, the search is done with lists from the start.

#ifndef KERNEL__SEARCH_STEP_H_
#define KERNEL__SEARCH_STEP_H_

#include "kernel/movements_step.h"

// A neighbour with the same f beside the best one, -1 if there is none: cost 1, and one nearer to the goal.
FW_STEP int32_t fw_search_turn(int32_t connectivity, uint32_t floor, int32_t dx, int32_t dy, fw_compass_t compass)
{
  const int32_t nearer = fw_compass_distance(connectivity, dx, dy) - 1;
  for (int32_t rank = 1; rank < 5; ++rank) {  // more than a quarter turn never leads nearer
    const int32_t heading = fw_compass_at(compass, rank);
    if (
      ((floor >> heading) & 1u) != 0 &&
      fw_compass_distance(connectivity, dx - fw_compass_dx(heading), dy - fw_compass_dy(heading)) == nearer) {
      return heading;
    }
  }
  return -1;
}

// The walk. Returns its number of steps, -1 if the search needs lists. The compass is read again only where it may have
// turned: with eight directions that is where the robot has come level with its goal.
FW_STEP int32_t
fw_search_descend(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
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
    const fw_compass_t compass = fw_compass(connectivity, dx, dy);
    const int32_t step_x = fw_compass_dx(compass.heading);
    const int32_t step_y = fw_compass_dy(compass.heading);
    const int32_t step = step_y * width + step_x;
    bool is_turned = false;
    while (steps < lookahead && !is_turned && ((floors[cell] >> compass.heading) & 1u) != 0) {
      lane->steps[steps * fw_rtaa_stride(lane)] = (uint8_t)compass.heading;
      dx -= step_x;
      dy -= step_y;
      cell += step;
      ++steps;
      is_turned = connectivity == 4 || (dx == 0 && step_x != 0) || (dy == 0 && step_y != 0);
    }
    if (steps < lookahead && !is_turned) {
      const int32_t heading = fw_search_turn(connectivity, floors[cell], dx, dy, fw_compass(connectivity, dx, dy));
      if (heading < 0) {
        return -1;
      }
      lane->steps[steps * fw_rtaa_stride(lane)] = (uint8_t)heading;
      dx -= fw_compass_dx(heading);
      dy -= fw_compass_dy(heading);
      cell += fw_compass_dy(heading) * width + fw_compass_dx(heading);
      ++steps;
    }
  }
  return steps;
}

// The same where something is learned nearby: neighbours of which that is so are passed over.
FW_STEP int32_t
fw_search_descend_past(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  const fw_movements_t array = fw_movements(view, robot);
  const int32_t connectivity = view->connectivity;
  int32_t x = robot->x;
  int32_t y = robot->y;
  int32_t steps = fw_movements_learned(&array, robot, robot->drift_x, robot->drift_y) > 0 ? -1 : 0;
  while (steps >= 0 && steps < view->lookahead && (x != robot->goal_x || y != robot->goal_y)) {
    const uint32_t floor = view->floor[y * view->width + x];
    const int32_t dx = robot->goal_x - x;
    const int32_t dy = robot->goal_y - y;
    const fw_compass_t compass = fw_compass(connectivity, dx, dy);
    const int32_t nearer = fw_compass_distance(connectivity, dx, dy) - 1;
    int32_t rank = 0;
    for (; rank < 5; ++rank) {
      const int32_t heading = fw_compass_at(compass, rank);
      const int32_t step_x = fw_compass_dx(heading);
      const int32_t step_y = fw_compass_dy(heading);
      const int32_t to_x = robot->drift_x + x + step_x - robot->x;
      const int32_t to_y = robot->drift_y + y + step_y - robot->y;
      if (
        ((floor >> heading) & 1u) != 0 && fw_compass_distance(connectivity, dx - step_x, dy - step_y) == nearer &&
        fw_movements_learned(&array, robot, to_x, to_y) == 0) {
        lane->steps[steps * fw_rtaa_stride(lane)] = (uint8_t)heading;
        x += step_x;
        y += step_y;
        break;
      }
    }
    steps = rank < 5 ? steps + 1 : -1;
  }
  return steps;
}

// ---- with lists -----------------------------------------------------------------------------------------------------

// Where the search is.
typedef struct fw_search_t {
  const fw_rtaa_view_t * view;
  const fw_rtaa_robot_t * robot;
  const fw_rtaa_lane_t * lane;
  fw_movements_t array;
  int32_t side;     // of the lookahead array
  uint32_t number;  // of the search, in the marks
  int32_t node_count;
  uint32_t found;  // times that a state was found
} fw_search_t;

FW_STEP uint64_t fw_search_key(int32_t f, int32_t depth, uint32_t found)
{
  return ((uint64_t)(uint32_t)f << 32) | ((uint64_t)(255 - depth) << 16) | found;
}

// The estimate of a cell, (ahead_x, ahead_y) from the robot.
FW_STEP int32_t fw_search_estimate(const fw_search_t * search, int32_t ahead_x, int32_t ahead_y)
{
  const fw_rtaa_robot_t * robot = search->robot;
  return fw_compass_distance(
           search->view->connectivity, robot->goal_x - robot->x - ahead_x, robot->goal_y - robot->y - ahead_y) +
         fw_movements_learned(&search->array, robot, robot->drift_x + ahead_x, robot->drift_y + ahead_y);
}

// Takes up where InitializeSearch or an earlier stage has left it.
FW_STEP fw_search_t fw_search(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  fw_search_t search;
  search.view = view;
  search.robot = robot;
  search.lane = lane;
  search.array = fw_movements(view, robot);
  search.side = fw_rtaa_ahead_side(view->lookahead);
  search.number = lane->words[FW_RTAA_WORD_SEARCH * fw_rtaa_stride(lane)];
  search.node_count = lane->words[FW_RTAA_WORD_NODES * fw_rtaa_stride(lane)];
  search.found = 0;
  return search;
}

// The open node to expand next, FW_RTAA_NO_NODE if there is none.
FW_STEP int32_t fw_search_next(const fw_search_t * search)
{
  const fw_rtaa_lane_t * lane = search->lane;
  uint64_t least = FW_RTAA_CLOSED;
  int32_t next = FW_RTAA_NO_NODE;
  for (int32_t node = 0; node < search->node_count; ++node) {
    const uint64_t key = lane->keys[node * fw_rtaa_stride(lane)];
    if (key < least) {
      least = key;
      next = node;
    }
  }
  return next;
}

// One neighbour of `parent`, with heading `heading`, that stands at (ahead_x, ahead_y) from the robot.
FW_STEP void fw_search_find(
  fw_search_t * search, int32_t parent, int32_t heading, int32_t ahead_x, int32_t ahead_y, int32_t cost)
{
  const fw_rtaa_lane_t * lane = search->lane;
  const int64_t stride = fw_rtaa_stride(lane);
  const int32_t lookahead = search->view->lookahead;
  const int32_t corner_x = ahead_x + lookahead, corner_y = ahead_y + lookahead;
  const int32_t at = corner_y * search->side + corner_x;
  const int32_t g = lane->g[parent * stride] + cost;
  const int32_t depth = lane->depth[parent * stride] + 1;
  const uint32_t mark = lane->marks[at * stride];
  int32_t node = (int32_t)(mark & 255u);
  int32_t estimate;
  if ((mark >> 8) == search->number) {
    const uint64_t key = lane->keys[node * stride];
    if (key == FW_RTAA_CLOSED || g > lane->g[node * stride]) {
      return;
    }
    estimate = (int32_t)(key >> 32) - lane->g[node * stride];
  } else {
    node = search->node_count++;
    lane->marks[at * stride] = (uint16_t)((search->number << 8) | (uint32_t)node);
    lane->at[node * stride] = (uint16_t)(corner_y * 256 + corner_x);
    estimate = fw_search_estimate(search, ahead_x, ahead_y);
  }
  lane->g[node * stride] = (uint16_t)g;
  lane->parent[node * stride] = (uint8_t)parent;
  lane->heading[node * stride] = (uint8_t)heading;
  lane->depth[node * stride] = (uint8_t)depth;
  lane->keys[node * stride] = fw_search_key(g + estimate, depth, ++search->found);
}

FW_STEP void fw_search_expand(fw_search_t * search, int32_t node)
{
  const fw_rtaa_view_t * view = search->view;
  const fw_rtaa_robot_t * robot = search->robot;
  const fw_rtaa_lane_t * lane = search->lane;
  const int32_t at = lane->at[node * fw_rtaa_stride(lane)];
  const int32_t ahead_x = at % 256 - view->lookahead;
  const int32_t ahead_y = at / 256 - view->lookahead;
  const int32_t x = robot->x + ahead_x;
  const int32_t y = robot->y + ahead_y;
  const int32_t cell = y * view->width + x;
  const uint32_t moves = view->moves[cell];
  const fw_compass_t compass = fw_compass(view->connectivity, robot->goal_x - x, robot->goal_y - y);
  lane->keys[node * fw_rtaa_stride(lane)] = FW_RTAA_CLOSED;
  for (int32_t rank = 0; rank < 8; ++rank) {
    const int32_t heading = fw_compass_at(compass, rank);
    if (((moves >> heading) & 1u) != 0) {
      const int32_t dx = fw_compass_dx(heading);
      const int32_t dy = fw_compass_dy(heading);
      fw_search_find(search, node, heading, ahead_x + dx, ahead_y + dy, view->cost[cell + dy * view->width + dx]);
    }
  }
}

FW_STEP bool fw_search_is_goal(const fw_search_t * search, int32_t node)
{
  const fw_rtaa_robot_t * robot = search->robot;
  const int32_t lookahead = search->view->lookahead;
  const int32_t ahead_x = robot->goal_x - robot->x + lookahead;
  const int32_t ahead_y = robot->goal_y - robot->y + lookahead;
  return ahead_x >= 0 && ahead_y >= 0 && ahead_x < search->side && ahead_y < search->side &&
         search->lane->at[node * fw_rtaa_stride(search->lane)] == ahead_y * 256 + ahead_x;
}

// Expands until the lookahead is used up or the goal is next. Leaves the node that is next in the lane's words.
FW_STEP void fw_search_run(fw_search_t * search)
{
  const fw_rtaa_lane_t * lane = search->lane;
  int32_t next = fw_search_next(search);
  for (int32_t expanded = 0; expanded < search->view->lookahead && next != FW_RTAA_NO_NODE; ++expanded) {
    if (fw_search_is_goal(search, next)) {
      break;
    }
    fw_search_expand(search, next);
    next = fw_search_next(search);
  }
  lane->words[FW_RTAA_WORD_NODES * fw_rtaa_stride(lane)] = (uint8_t)search->node_count;
  lane->words[FW_RTAA_WORD_NEXT * fw_rtaa_stride(lane)] = (uint8_t)next;
}

#endif  // KERNEL__SEARCH_STEP_H_
