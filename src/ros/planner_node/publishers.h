// Publishers: timed and released paths of each robot, and diagnostics; markers/ has the rest.
//
// One message of each kind is kept and filled again and again. A robot without a plan gets an empty path, which means
// "stay".

#ifndef ROS__PLANNER_NODE__PUBLISHERS_H_
#define ROS__PLANNER_NODE__PUBLISHERS_H_

#include <diagnostic_msgs/msg/diagnostic_array.h>
#include <nav_msgs/msg/path.h>
#include <rclc/rclc.h>

#include "controller/controller.h"
#include "ros/session.h"

typedef struct node_publishers_t {
  ros_session_t * session;     // borrowed
  rcl_publisher_t * paths;     // by robot: <robot>/timed_path
  rcl_publisher_t * releases;  // by robot: <robot>/released_path
  int32_t path_count;
  rcl_publisher_t diagnostics;
  nav_msgs__msg__Path path;
  diagnostic_msgs__msg__DiagnosticArray diagnostic_array;
} node_publishers_t;

// `publishers` is zeroed. On false rcl's error state says why; call fini in either case.
bool node_publishers_init(node_publishers_t * publishers, ros_session_t * session, const fw_controller_fleet_t * fleet);
// Creates publishers for new robots, and ends those of removed robots. False if that fails.
bool node_publishers_read_robots(node_publishers_t * publishers, const fw_controller_fleet_t * fleet);
void node_publishers_fini(node_publishers_t * publishers);

// True if each robot's timed or released path has a subscriber.
bool node_publishers_have_subscribers(const node_publishers_t * publishers);
// Publishes releases that have changed. True if there were any.
bool node_publish_releases(node_publishers_t * publishers, fw_controller_impl_t * controller);
// Publishes timed paths: all, or those that have changed. In execution mode timed, they are released as they are.
void node_publish_paths(node_publishers_t * publishers, fw_controller_impl_t * controller, bool all);
void node_publish_diagnostics(
  node_publishers_t * publishers, const fw_controller_impl_t * controller, const char * node_name, int64_t now_ns);

// ---- messages

typedef struct node_path_header_t {
  const char * frame_id;
  int64_t stamp_ns;  // the plan's epoch
  double first_yaw;  // where there is no move to take a yaw from
  double final_yaw;  // on the last pose; NAN: that of the last move
} node_path_header_t;

// Fills a nav_msgs/Path; reuses its memory. The yaw of a pose is that of its waypoint, or else that of the next move.
// False if there is no memory.
bool node_path_message_fill(
  nav_msgs__msg__Path * message, const node_path_header_t * header, const fw_timed_waypoint_t * waypoints,
  int32_t count);
// Assigns only if the text differs. False if there is no memory.
bool node_string_set(rosidl_runtime_c__String * string, const char * text);

#endif  // ROS__PLANNER_NODE__PUBLISHERS_H_
