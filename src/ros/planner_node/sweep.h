// Which cells a disc touches that moves along a straight line.

#ifndef ROS__PLANNER_NODE__SWEEP_H_
#define ROS__PLANNER_NODE__SWEEP_H_

#include "ros/planner_node/frame.h"

typedef struct sweep_t {
  point_t from;   // metres, map frame
  point_t to;     // the same as `from`: it stands
  double radius;  // metres; 0: the line itself
} sweep_t;

// Calls `visit` for each cell of the grid that is touched, in the order of the cells, until it returns false. A line
// along the edge of two cells touches both, one through a corner all four; a disc that only reaches an edge does not
// touch what is behind. False if a visit was.
bool sweep_cells(
  const sweep_t * sweep, const frame_t * frame, bool (*visit)(void * context, fw_cell_t cell), void * context);

#endif  // ROS__PLANNER_NODE__SWEEP_H_
