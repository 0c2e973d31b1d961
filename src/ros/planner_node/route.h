// One robot alone, on the static map: what ~/get_plan answers, by any search of the library.
//
// A request names no robot. If one stands on the cell where it starts, the way is for that one: its footprint fits all
// along, at every heading that it can have. Else it is for a robot of one cell.

#ifndef ROS__PLANNER_NODE__ROUTE_H_
#define ROS__PLANNER_NODE__ROUTE_H_

#include <fleetweave/search.h>
#include <nav_msgs/srv/get_plan.h>

#include "ros/planner_node/planning.h"

// The search with what it has prepared, and what for.
typedef struct route_t {
  fw_router_t router;
  int64_t map_revision;  // 0: nothing is prepared
  char search[NAME_SIZE];
  int32_t connectivity;
  bool is_any_angle;
  const ros_footprint_t * outline;  // NULL: one cell
  bool has_heading;
} route_t;

// Fills `path`. False with a reason if there is no way, or if the request is not one. Prepares the search anew when the
// map, a parameter or the footprint is another than in the request before.
bool route_find(
  route_t * route, const planning_t * planning, const nav_msgs__srv__GetPlan_Request * request,
  nav_msgs__msg__Path * path, fw_error_t * reason);
void route_fini(route_t * route);

#endif  // ROS__PLANNER_NODE__ROUTE_H_
