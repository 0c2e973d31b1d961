// Blocked cells: obstacles that are not on the map, from the topic blocked_cells, until the next message.

#ifndef ROS__PLANNER_NODE__CONTROLLER__BLOCKED_CELLS_H_
#define ROS__PLANNER_NODE__CONTROLLER__BLOCKED_CELLS_H_

#include <nav_msgs/msg/grid_cells.h>

#include "ros/planner_node/controller/map.h"

typedef struct node_blocked_t {
  nav_msgs__msg__GridCells message;  // the last good one, kept for when the map changes
  bool * cells;                      // by planning cell
  bool * before;                     // by planning cell, before the last change
  int32_t cell_count;
  int32_t count;     // of blocked planning cells
  int64_t revision;  // grows when the set of blocked planning cells changes
  fw_error_t fault;  // what is wrong with the last message; empty if nothing is
  node_site_t site;
} node_blocked_t;

bool node_blocked_init(node_blocked_t * blocked, node_site_t site);
void node_blocked_fini(node_blocked_t * blocked);

// Takes a good message by swapping and returns true. A bad one changes nothing but the fault.
bool node_blocked_take(node_blocked_t * blocked, nav_msgs__msg__GridCells * message);
// Rasterises the last message onto the present map: every planning cell that a blocked cell overlaps is blocked. False
// if there is no memory; then nothing is blocked.
bool node_blocked_rasterise(node_blocked_t * blocked);

static inline bool node_blocked_has(const node_blocked_t * blocked, fw_cell_t cell)
{
  return cell >= 0 && cell < blocked->cell_count && blocked->cells[cell];
}

#endif  // ROS__PLANNER_NODE__CONTROLLER__BLOCKED_CELLS_H_
