#include "ros/planner_node/concern.h"

#include <math.h>

bool concern_is_blocked(const planning_t * planning, fw_cell_t cell) { return blocked_has(&planning->blocked, cell); }

bool concern_is_newly_blocked(const planning_t * planning, fw_cell_t cell)
{
  return blocked_has(&planning->blocked, cell) && !planning->blocked.before[cell];
}

bool concern_is_new_on_map(const planning_t * planning, fw_cell_t cell)
{
  return cell >= 0 && planning->map.grid.cost[cell] == 0 && planning->map.before.cost[cell] != 0;
}

static bool leads_over(
  const planning_t * planning, const track_t * track, bool (*is_obstacle)(const planning_t * planning, fw_cell_t cell))
{
  const map_t * map = &planning->map;
  for (int32_t w = 0; w < track->count; ++w) {
    const double yaw = isnan(track->waypoints[w].yaw) ? map->frame.yaw : track->waypoints[w].yaw;
    const place_t place = body_place(&track->body, &map->frame, 8, track->waypoints[w].point, yaw);
    for (int32_t c = 0; place.cell >= 0 && c < body_cell_count(&track->body, place); ++c) {
      if (is_obstacle(planning, body_cell(&track->body, &map->grid, place, c))) {
        return true;
      }
    }
  }
  return false;
}

bool concern_is_on_a_way(const planning_t * planning, bool (*is_obstacle)(const planning_t * planning, fw_cell_t cell))
{
  bool is_on = false;
  for (int32_t k = 0; k < planning->fleet.count && !is_on; ++k) {
    is_on = leads_over(planning, &planning->schedule.tracks[k], is_obstacle);
  }
  return is_on;
}

bool concern_is_for_somebody_who_waits(const planning_t * planning)
{
  bool waits = false;
  for (int32_t k = 0; k < planning->fleet.count && !waits; ++k) {
    waits = planning->fleet.robots[k].planning.number != 0;
  }
  return waits;
}
