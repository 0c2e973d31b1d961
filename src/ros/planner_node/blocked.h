// blocked_cells: obstacles that are not on the map, until the next message says otherwise.

#ifndef ROS__PLANNER_NODE__BLOCKED_H_
#define ROS__PLANNER_NODE__BLOCKED_H_

#include <nav_msgs/msg/grid_cells.h>

#include "ros/planner_node/map.h"

typedef struct blocked_t {
  nav_msgs__msg__GridCells message;  // the last good one, for when the map becomes another
  bool * cells;                      // by planning cell
  bool * before;                     // as they were before the last change
  int32_t cell_count;
  int32_t count;     // planning cells that are blocked
  int64_t revision;  // grows when the planning cells become others
  fw_error_t fault;    // what is wrong with the last message; empty if nothing is
} blocked_t;

bool blocked_init(blocked_t * blocked);
void blocked_fini(blocked_t * blocked);

// Takes a message if it is a good one, by swapping; otherwise nothing changes but the fault. True if it is.
bool blocked_take(
  blocked_t * blocked, nav_msgs__msg__GridCells * message, const node_settings_t * settings, const map_t * map);
// Puts the last message on a new map. Every planning cell that a blocked cell reaches into is blocked.
bool blocked_lay(blocked_t * blocked, const map_t * map);

static inline bool blocked_has(const blocked_t * blocked, fw_cell_t cell)
{
  return cell >= 0 && cell < blocked->cell_count && blocked->cells[cell];
}

#endif  // ROS__PLANNER_NODE__BLOCKED_H_
