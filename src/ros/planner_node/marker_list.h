// A list of markers as it is written, in a message that is used again and again; and what all markers share.

#ifndef ROS__PLANNER_NODE__MARKER_LIST_H_
#define ROS__PLANNER_NODE__MARKER_LIST_H_

#include <visualization_msgs/msg/marker.h>
#include <visualization_msgs/msg/marker_array.h>

#include "ros/planner_node/planning.h"

typedef visualization_msgs__msg__Marker marker_t;

// Writes markers one after the other; remembers whether memory ran out.
typedef struct marker_list_t {
  visualization_msgs__msg__MarkerArray * message;
  const char * frame_id;
  int64_t now_ns;
  size_t count;  // written so far
  bool is_fine;
} marker_list_t;

marker_list_t marker_list(visualization_msgs__msg__MarkerArray * message, const planning_t * planning, int64_t now_ns);
// The message has what was written. False if memory ran out on the way.
bool marker_list_end(marker_list_t * list);

// The next marker, without points, at the origin, white; NULL if there is no memory.
marker_t * marker_next(marker_list_t * list, const char * layer, int32_t id, int32_t type);
// One that is gone.
void marker_delete(marker_list_t * list, const char * layer, int32_t id);

// False, and the list is not fine, if there is no memory.
bool marker_add_point(marker_list_t * list, marker_t * marker, double x, double y, double z);
bool marker_add_coloured(
  marker_list_t * list, marker_t * marker, point_t at, double z, std_msgs__msg__ColorRGBA colour);
void marker_scale(marker_t * marker, double x, double y, double z);
void marker_place(marker_t * marker, point_t at, double yaw);
// An empty list is deleted rather than shown.
void marker_close(marker_t * marker);

// A robot's own colour, the same as in pictures and pages.
std_msgs__msg__ColorRGBA marker_colour(int32_t robot, float alpha);
// Of what a person would see in it: changes of less than a millimetre are none.
uint64_t marker_digest(const marker_t * marker);

#endif  // ROS__PLANNER_NODE__MARKER_LIST_H_
