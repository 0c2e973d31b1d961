// Cells that are taken for a moment, each by one robot: while a round finds out who starts where, and who may go where.

#ifndef ROS__PLANNER_NODE__CLAIMS_H_
#define ROS__PLANNER_NODE__CLAIMS_H_

#include "ros/planner_node/body.h"

typedef struct claims_t {
  int32_t * owners;  // by cell: the robot's index plus 1, 0 if nobody has it
  int32_t cell_count;
  fw_cell_t * cells;  // that are taken
  int32_t count;
  int32_t capacity;
} claims_t;

// Nothing is taken. False if there is no memory.
bool claims_reset(claims_t * claims, const fw_grid_t * grid);
void claims_fini(claims_t * claims);

// Takes the cells of a body that nobody has yet. False if there is no memory.
bool claims_add(claims_t * claims, const fw_grid_t * grid, placed_t placed, int32_t robot);
bool claims_add_cell(claims_t * claims, fw_cell_t cell, int32_t robot);
// Who has one of these cells, -1 if nobody.
int32_t claims_find(const claims_t * claims, const fw_grid_t * grid, placed_t placed);

#endif  // ROS__PLANNER_NODE__CLAIMS_H_
