// ~/get_plan: a path for one robot alone on the static map, by any search of the library.
//
// A request names no robot. If a robot stands on the cell where the path starts, the path is for that one: its
// footprint fits everywhere along the path, at every heading that it can have. Otherwise it is for a robot of one cell.

#ifndef ROS__PLANNER_NODE__GET_PLAN_H_
#define ROS__PLANNER_NODE__GET_PLAN_H_

#include <fleetweave/search.h>
#include <nav_msgs/srv/get_plan.h>

#include "ros/planner_node/site.h"

// The search with what it has prepared, and for what.
typedef struct node_router_t {
  fw_router_t router;
  int64_t map_revision;  // 0: nothing is prepared
  char search[FW_NAME_SIZE];
  int32_t connectivity;
  bool is_any_angle;
  const fw_rotated_footprint_t * outline;  // NULL: one cell
  bool has_heading;
} node_router_t;

typedef struct node_get_plan_t {
  const nav_msgs__srv__GetPlan_Request * request;
  nav_msgs__msg__Path * path;  // filled
  fw_error_t reason;           // why there is no path
} node_get_plan_t;

// Finds a path. False with a reason if there is none, or if the request is invalid. Prepares the search again when the
// map, a parameter or the footprint differs from that of the last request.
bool node_get_plan(node_router_t * router, const node_site_t * site, node_get_plan_t * call);
void node_router_fini(node_router_t * router);

#endif  // ROS__PLANNER_NODE__GET_PLAN_H_
