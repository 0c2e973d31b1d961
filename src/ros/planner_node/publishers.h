// Publishers: timed and released paths of each robot, and diagnostics; markers/ has the rest.
//
// One message of each kind is kept and filled again and again. A robot without a plan gets an empty path, which means
// "stay".

#ifndef ROS__PLANNER_NODE__PUBLISHERS_H_
#define ROS__PLANNER_NODE__PUBLISHERS_H_

#include <diagnostic_msgs/msg/diagnostic_array.h>
#include <nav_msgs/msg/path.h>
#include <rclc/rclc.h>

#include "ros/planner_node/site.h"

typedef struct node_robot_publishers_t {
  char name[FW_NAME_SIZE];  // of the robot; empty: there are no publishers here
  rcl_publisher_t path;     // <robot>/timed_path
  rcl_publisher_t release;  // <robot>/released_path
  int64_t path_revision;    // of the last path that was published
  int64_t release_revision;
} node_robot_publishers_t;

typedef struct node_publishers_t {
  const node_site_t * site;          // borrowed
  node_robot_publishers_t * robots;  // by robot
  int32_t robot_count;
  bool is_silent;  // robots have no publishers: another node releases paths to them
  rcl_publisher_t diagnostics;
  nav_msgs__msg__Path path;
  diagnostic_msgs__msg__DiagnosticArray diagnostic_array;
} node_publishers_t;

// `publishers` is zeroed. On false rcl's error state says why; call fini in either case.
bool node_publishers_init(node_publishers_t * publishers, const node_site_t * site);
// Creates publishers for new robots, and ends those of removed robots. False if that fails.
bool node_publishers_read_robots(node_publishers_t * publishers);
void node_publishers_fini(node_publishers_t * publishers);

// Ends the publishers of all robots, or creates them again. Failures are logged.
void node_publishers_set_silent(node_publishers_t * publishers, bool is_silent);
// The full name of a relative topic, with the node's namespace and remappings. False if that fails.
bool node_publishers_resolve(const node_publishers_t * publishers, const char * topic, char * full, size_t size);

// True if each robot's timed or released path has a subscriber.
bool node_publishers_have_subscribers(const node_publishers_t * publishers);
// Publishes releases that have changed. True if there were any.
bool node_publish_releases(node_publishers_t * publishers);
// Publishes timed paths that have changed.
void node_publish_paths(node_publishers_t * publishers);
void node_publish_diagnostics(node_publishers_t * publishers, int64_t now_ns);

// ---- messages

typedef struct node_path_header_t {
  const char * frame_id;
  int64_t stamp_ns;  // the plan's epoch
  double first_yaw;  // where there is no move to take a yaw from
  double final_yaw;  // on the last pose; NAN: that of the last move
  // One pose more, at the end: the exact pose of the goal, beside the centre of its cell.
  bool has_last_part;
  fw_timed_waypoint_t last_part;
} node_path_header_t;

// Fills a nav_msgs/Path; reuses its memory. The yaw of a pose is that of its waypoint, or else that of the next move.
// False if there is no memory.
bool node_path_message_fill(
  nav_msgs__msg__Path * message, const node_path_header_t * header, const fw_timed_waypoint_t * waypoints,
  int32_t count);
// Assigns only if the text differs. False if there is no memory.
bool node_string_set(rosidl_runtime_c__String * string, const char * text);

#endif  // ROS__PLANNER_NODE__PUBLISHERS_H_
