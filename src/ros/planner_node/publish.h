// Topics out: timed and released paths, diagnostics; markers.h has the rest. One message of each kind is kept and filled again and again.

#ifndef ROS__PLANNER_NODE__PUBLISH_H_
#define ROS__PLANNER_NODE__PUBLISH_H_

#include <diagnostic_msgs/msg/diagnostic_array.h>
#include <nav_msgs/msg/path.h>
#include <rclc/rclc.h>

#include "ros/planner_node/planning.h"

typedef struct publish_t {
  rcl_publisher_t * paths;     // one per robot
  rcl_publisher_t * releases;  // one per robot
  int32_t path_count;
  rcl_publisher_t diagnostics;
  nav_msgs__msg__Path path;
  diagnostic_msgs__msg__DiagnosticArray diagnostic_array;
} publish_t;

bool publish_init(publish_t * publish, const fleet_t * fleet, rcl_node_t * node);
// Offers paths to robots that are new, and takes them back from those that are gone. False if that fails.
bool publish_read_robots(publish_t * publish, const fleet_t * fleet, rcl_node_t * node);
void publish_fini(publish_t * publish, rcl_node_t * node);

bool publish_has_readers(const publish_t * publish);  // of each path
// Releases that have changed. True if any has.
bool publish_releases(publish_t * publish, planning_t * planning);
// The schedule, one path per robot, all or those that have changed; a robot without a plan gets an empty path, which says
// "stay". Driven by their stamps, they are released as they are.
void publish_paths(publish_t * publish, planning_t * planning, bool all);
void publish_diagnostics(publish_t * publish, const planning_t * planning, const char * node_name, int64_t now_ns);

#endif  // ROS__PLANNER_NODE__PUBLISH_H_
