// Whom it concerns that obstacles have come or gone: only then is it worth a round.

#ifndef ROS__PLANNER_NODE__CONCERN_H_
#define ROS__PLANNER_NODE__CONCERN_H_

#include "ros/planner_node/planning.h"

// Does anybody's track lead over a cell of which `is_obstacle` is true?
bool concern_is_on_a_way(const planning_t * planning, bool (*is_obstacle)(const planning_t * planning, fw_cell_t cell));
// Is there anybody without a plan, whom it may help that something has changed?
bool concern_is_for_somebody_who_waits(const planning_t * planning);

// Tests for the first: blocked cells, those of the last message that were not in the one before, and obstacles of the map
// that the map before did not have.
bool concern_is_blocked(const planning_t * planning, fw_cell_t cell);
bool concern_is_newly_blocked(const planning_t * planning, fw_cell_t cell);
bool concern_is_new_on_map(const planning_t * planning, fw_cell_t cell);

#endif  // ROS__PLANNER_NODE__CONCERN_H_
