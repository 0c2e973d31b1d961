// Distances to the goal by regions of the map: the initial heuristic values of the memory `regions`.
//
// The map is cut into blocks, and the free cells of a block into regions that are connected within it. Each region has
// an anchor, a cell near its centre. For every cell c there are the distances near(c, q) to the anchors of its own
// region and of those around it, and for every region with a goal the distances far(q) from the anchors of all regions
// to the anchor of that one. Both are shared by all robots (kernel/regions.h). A robot has the distances near_goal(c)
// of the cells in the region of its goal. With G that region and A its anchor, the heuristic is
//
//   h(c) = min( min over q around c of near(c, q) + far(q) + near_goal(A),   near_goal(c) if c is in G )
//
// It is the number of moves of a path that exists, by way of anchors: not a lower bound, but without local minima.
// Every cell c except the goal has a neighbour n with h(n) <= h(c) - 1:
// - h(c) = near_goal(c): a shortest path inside G has a next cell n in G, with near_goal(n) = near_goal(c) - 1.
// - h(c) = near(c, q) + far(q) + near_goal(A), near(c, q) > 0: near(., q) was computed on the regions around q, so that
//   the next cell n of a shortest path to q's anchor is in one of them, and q is among the regions around n.
// - c is the anchor of q and q is not G: far(q) is near(c, r) + far(r) for the next region r on q's path, r is around
//   c, and near(c, r) > 0: as before. If q is G, then h(c) = near_goal(A), and c = A is in G.
// So a robot that goes to the neighbour with the least h arrives, after at most h(start) moves, on a known map of cells
// that cost 1. What it meets beside that (other robots, costs, unknown obstacles) it learns as before, in its window.

#ifndef KERNEL__REGIONS_STEP_H_
#define KERNEL__REGIONS_STEP_H_

#include "kernel/movements_step.h"

#define FW_REGIONS_UNREACHABLE INT32_MAX  // the heuristic of cells from which there is no way to the goal

// What the heuristic of one robot is made of.
typedef struct fw_regions_goal_t {
  const fw_rtaa_regions_t * map;
  const uint32_t * far;       // by position of a region in its component; NULL if the goal is blocked
  const uint8_t * near_goal;  // by cell of the goal's region
  int32_t region;
  int32_t component;
} fw_regions_goal_t;

// The region of a free cell.
FW_STEP int32_t fw__regions_at(const fw_rtaa_regions_t * map, int32_t x, int32_t y)
{
  const int32_t block = (y >> map->block_bits) * map->blocks_across + (x >> map->block_bits);
  return FW_READ(&map->block_region[block]) + FW_READ(&map->cell_region[y * map->width + x]);
}

// For a robot whose goal is in this region, -1 if it is blocked.
FW_STEP fw_regions_goal_t fw__regions_goal_in(const fw_rtaa_regions_t * map, int32_t robot, int32_t region)
{
  fw_regions_goal_t goal;
  goal.map = map;
  goal.region = region;
  goal.component = region < 0 ? -1 : FW_READ(&map->component[region]);
  goal.far = region < 0 ? 0 : map->far + FW_READ(&map->far_row[region]);
  goal.near_goal = map->near_goal + (int64_t)robot * map->near_goal_pitch;
  return goal;
}

FW_STEP fw_regions_goal_t fw__regions_goal(const fw_rtaa_regions_t * map, int32_t robot)
{
  return fw__regions_goal_in(map, robot, map->goal_region[robot]);
}

// The same in an episode. A device finds the region by the goal's cell: so the host need not send the regions of all
// goals when a change of the map has given regions other numbers.
FW_STEP fw_regions_goal_t fw__regions_robot_goal(const fw_rtaa_regions_t * map, const fw_rtaa_robot_t * robot)
{
  if (map->goal_region != 0) {
    return fw__regions_goal(map, robot->index);
  }
  const int32_t cell = robot->goal_y * map->width + robot->goal_x;
  const bool is_blocked = FW_READ(&map->cell_region[cell]) == FW_REGIONS_BLOCKED;
  return fw__regions_goal_in(map, robot->index, is_blocked ? -1 : fw__regions_at(map, robot->goal_x, robot->goal_y));
}

// h of a cell, FW_REGIONS_UNREACHABLE if it is blocked or there is no way.
FW_STEP int32_t fw__regions_estimate(const fw_regions_goal_t * goal, int32_t x, int32_t y)
{
  const fw_rtaa_regions_t * map = goal->map;
  const int32_t cell = y * map->width + x;
  if (goal->region < 0 || FW_READ(&map->cell_region[cell]) == FW_REGIONS_BLOCKED) {
    return FW_REGIONS_UNREACHABLE;
  }
  const int32_t region = fw__regions_at(map, x, y);
  if (FW_READ(&map->component[region]) != goal->component) {
    return FW_REGIONS_UNREACHABLE;
  }
  const int32_t first = FW_READ(&map->around_begin[region]);
  const int32_t count = FW_READ(&map->around_begin[region + 1]) - first;
  const int32_t number = FW_READ(&map->cell_number[cell]);
  const uint8_t * near = map->near + FW_READ(&map->near_begin[region]) + (int64_t)number * count;
  const int32_t * around = map->around + first;
  uint32_t least = UINT32_MAX;
  for (int32_t k = 0; k < count; ++k) {
    const uint32_t way = FW_READ(&near[k]) + FW_READ(&goal->far[FW_READ(&around[k])]);
    least = way < least ? way : least;
  }
  least += FW_READ(&goal->near_goal[0]);  // the anchor is cell 0 of its region
  if (region == goal->region) {
    const uint32_t inside = FW_READ(&goal->near_goal[number]);
    least = inside < least ? inside : least;
  }
  return (int32_t)least;
}

// The same with what the robot has learned: a difference with a sign, since h is not a lower bound and may also fall.
FW_STEP int32_t fw__regions_learned_estimate(
  const fw_regions_goal_t * goal, const fw_rtaa_movements_t * array, const fw_rtaa_robot_t * robot, int32_t x,
  int32_t y)
{
  const int32_t h = fw__regions_estimate(goal, x, y);
  const int32_t to_x = robot->drift_x + x - robot->x;
  const int32_t to_y = robot->drift_y + y - robot->y;
  return h == FW_REGIONS_UNREACHABLE ? h : h + (int16_t)fw__movements_learned(array, robot, to_x, to_y);
}

// A step of the descent.
typedef struct fw_regions_step_t {
  int32_t heading;
  int32_t h;  // behind it
} fw_regions_step_t;

// The move to the neighbour of cost 1 with the least h; of equal ones the first in the order of the compass.
FW_STEP fw_regions_step_t fw__regions_best_step(
  const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, const fw_regions_goal_t * goal, int32_t x, int32_t y)
{
  const fw_rtaa_movements_t array = fw__movements(view, robot);
  const uint32_t floor = FW_READ(&view->floor[y * view->width + x]);
  const uint32_t fan = fw__compass_fan(fw__compass(view->connectivity, robot->goal_x - x, robot->goal_y - y));
  fw_regions_step_t best;
  best.heading = -1;
  best.h = FW_REGIONS_UNREACHABLE;
  for (int32_t rank = 0; rank < 8; ++rank) {
    const int32_t heading = fw__compass_at(fan, rank);
    if (((floor >> heading) & 1u) == 0) {
      continue;
    }
    const int32_t h =
      fw__regions_learned_estimate(goal, &array, robot, x + fw__compass_dx(heading), y + fw__compass_dy(heading));
    if (h < best.h) {
      best.heading = heading;
      best.h = h;
    }
  }
  return best;
}

enum { FW_REGIONS_NO_WAY = INT32_MIN };

// Whether no neighbour has a way to the goal.
FW_STEP bool fw__regions_is_cut_off(
  const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, const fw_regions_goal_t * goal)
{
  const uint32_t moves = FW_READ(&view->moves[robot->y * view->width + robot->x]);
  bool is_cut_off = true;
  for (int32_t heading = 0; heading < 8; ++heading) {
    const int32_t x = robot->x + fw__compass_dx(heading);
    const int32_t y = robot->y + fw__compass_dy(heading);
    is_cut_off =
      is_cut_off && (((moves >> heading) & 1u) == 0 || fw__regions_estimate(goal, x, y) == FW_REGIONS_UNREACHABLE);
  }
  return is_cut_off;
}

// The descent: where nothing is learned nearby and h falls by one at least with every step, there is nothing to search
// and nothing to learn. Beside learned values the neighbour with the least h may be the beginning of a dead end, which
// only a search sees. Only as many steps as the robot moves, and one for a caller that moves it. Returns their number,
// -1 if there is none and the robot has to search, or FW_REGIONS_NO_WAY if the goal cannot be reached.
FW_STEP int32_t
fw__regions_descend(const fw_rtaa_view_t * view, const fw_rtaa_robot_t * robot, const fw_rtaa_lane_t * lane)
{
  const fw_regions_goal_t goal = fw__regions_robot_goal(view->regions, robot);
  const fw_rtaa_movements_t array = fw__movements(view, robot);
  const int32_t steps_max = view->moves_max > 0 ? view->moves_max : 1;
  int32_t x = robot->x;
  int32_t y = robot->y;
  int32_t h = fw__regions_learned_estimate(&goal, &array, robot, x, y);
  int32_t steps = 0;
  const int32_t reach = view->lookahead;
  if (h != FW_REGIONS_UNREACHABLE && fw__movements_touches(robot, -reach, -reach, reach, reach)) {
    return -1;
  }
  for (; steps < steps_max && (x != robot->goal_x || y != robot->goal_y); ++steps) {
    const fw_regions_step_t step = fw__regions_best_step(view, robot, &goal, x, y);
    if (step.h >= h) {  // a blocked cell, where an obstacle has appeared on the robot, is left for any other
      const bool is_cut_off = h == FW_REGIONS_UNREACHABLE && fw__regions_is_cut_off(view, robot, &goal);
      return steps > 0 ? steps : is_cut_off ? FW_REGIONS_NO_WAY : -1;
    }
    lane->steps[steps * fw__rtaa_stride(lane)] = (uint8_t)step.heading;
    x += fw__compass_dx(step.heading);
    y += fw__compass_dy(step.heading);
    h = step.h;
  }
  return steps;
}

#endif  // KERNEL__REGIONS_STEP_H_
