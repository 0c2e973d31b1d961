// The layers of the markers: each writes what there is to see of one thing. Those for a single robot have its place in
// the fleet as their id, and return whether there is anything to see of it.

#ifndef ROS__PLANNER_NODE__MARKER_LAYERS_H_
#define ROS__PLANNER_NODE__MARKER_LAYERS_H_

#include "ros/planner_node/marker_list.h"

// marker_robots.c: where robots are, which way they look, who is in trouble, who is selected (-1: nobody).
void marker_robots(marker_list_t * list, const planning_t * planning, int32_t selected);
bool marker_body(marker_list_t * list, const planning_t * planning, int32_t robot);  // one of several cells
bool marker_trouble_text(marker_list_t * list, const planning_t * planning, int32_t robot);
// Does this robot not do what it should? Then `text` is why.
bool marker_is_in_trouble(const planning_t * planning, int32_t robot, const char ** text);

// marker_ways.c: the rest of each way, goals and waits, and the way with time upwards.
bool marker_path(marker_list_t * list, const planning_t * planning, int32_t robot);
bool marker_tube(marker_list_t * list, const planning_t * planning, int32_t robot);
void marker_goals(marker_list_t * list, const planning_t * planning);
void marker_waits(marker_list_t * list, const planning_t * planning);

// marker_cells.c: cells that robots hold, or will be on within the next seconds; cells that others close; and who waits
// for whom.
void marker_reservations(marker_list_t * list, const planning_t * planning);
void marker_closures(marker_list_t * list, const planning_t * planning);
void marker_waits_for(marker_list_t * list, const planning_t * planning);

#endif  // ROS__PLANNER_NODE__MARKER_LAYERS_H_
