// A writer for a visualization_msgs/MarkerArray that is used again and again, and what all markers share.

#ifndef ROS__PLANNER_NODE__MARKERS__WRITER_H_
#define ROS__PLANNER_NODE__MARKERS__WRITER_H_

#include <visualization_msgs/msg/marker.h>
#include <visualization_msgs/msg/marker_array.h>

#include "ros/planner_node/site.h"

typedef visualization_msgs__msg__Marker node_marker_t;

// Writes markers one after the other. Without memory it drops what does not fit and remembers that.
typedef struct node_marker_writer_t {
  visualization_msgs__msg__MarkerArray * message;
  const char * frame_id;
  int64_t now_ns;
  size_t count;     // markers written so far
  bool has_failed;  // an allocation failed
} node_marker_writer_t;

node_marker_writer_t node_marker_writer(
  visualization_msgs__msg__MarkerArray * message, const node_site_t * site, int64_t now_ns);
// Gives the message its size. False if an allocation has failed.
bool node_marker_writer_end(node_marker_writer_t * writer);

// The next marker, without points, at the origin, white; NULL if there is no memory.
node_marker_t * node_marker_next(node_marker_writer_t * writer, const char * layer, int32_t id, int32_t type);
// Deletes a marker that was sent before.
void node_marker_delete(node_marker_writer_t * writer, const char * layer, int32_t id);

void node_marker_add_point(node_marker_writer_t * writer, node_marker_t * marker, fw_point_t at, double z);
void node_marker_add_coloured(
  node_marker_writer_t * writer, node_marker_t * marker, const geometry_msgs__msg__Point * at,
  std_msgs__msg__ColorRGBA colour);
void node_marker_scale(node_marker_t * marker, double x, double y, double z);
void node_marker_place(node_marker_t * marker, fw_point_t at, double yaw);
void node_marker_set_text(node_marker_writer_t * writer, node_marker_t * marker, const char * text);
// Ends a list of points: an empty list is deleted instead of shown.
void node_marker_close(node_marker_t * marker);

// A robot's colour, the same as in pictures and pages.
std_msgs__msg__ColorRGBA node_marker_colour(int32_t robot, float alpha);
// A hash of what is visible of a marker: changes of less than a millimetre do not count.
uint64_t node_marker_digest(const node_marker_t * marker);

#endif  // ROS__PLANNER_NODE__MARKERS__WRITER_H_
