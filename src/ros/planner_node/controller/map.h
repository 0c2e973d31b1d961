// The map: from a nav_msgs/OccupancyGrid, with any origin, yaw and resolution, to the grid that is planned on.
//
// A planning cell is free only if every map cell in it is free. It is never smaller than a robot: a robot that drives
// from centre to centre of free cells then touches no obstacle, and two robots in two cells do not touch each other.
// This takes the place of inflating obstacles by the robot's radius.
//
// The frame places the planning grid in the map frame (metres). The origin may be rotated:
//
//   world = origin + rotate(yaw) * ((x + 0.5, y + 0.5) * resolution)     the centre of cell (x, y)
//
//              y of the grid
//              |    x of the grid
//   y of the   |   .`
//   map frame  | .`  yaw
//        |     origin
//        +---- x of the map frame

#ifndef ROS__PLANNER_NODE__CONTROLLER__MAP_H_
#define ROS__PLANNER_NODE__CONTROLLER__MAP_H_

#include <fleetweave/fleetweave.h>
#include <nav_msgs/msg/occupancy_grid.h>

#include "ros/planner_node/settings.h"

// ---- the frame

typedef struct node_point_t {
  double x;  // metres, map frame
  double y;
} node_point_t;

typedef struct node_pose_t {
  node_point_t point;
  double yaw;  // radians, map frame
} node_pose_t;

typedef struct node_frame_t {
  node_point_t origin;  // the outer corner of cell (0, 0)
  double yaw;           // radians, of the grid's x axis in the map frame
  double resolution;    // metres, side of a planning cell
  int32_t width;        // cells
  int32_t height;
} node_frame_t;

// A point along the grid's axes, in cells: cell (x, y) reaches from (x, y) to (x + 1, y + 1).
node_point_t node_frame_coordinates(const node_frame_t * frame, node_point_t point);
// The cell of a point; FW_CELL_NONE for a point outside the grid or not finite.
fw_cell_t node_frame_cell(const node_frame_t * frame, node_point_t point);
// The centre of a cell of the grid.
node_point_t node_frame_point(const node_frame_t * frame, fw_cell_t cell);
// The yaw, in the map frame, of a fw_heading_t: headings turn with the grid, 0 is along its x axis, 2 along its y axis.
double node_frame_yaw(const node_frame_t * frame, int32_t heading);
bool node_frames_are_equal(const node_frame_t * a, const node_frame_t * b);

double node_point_distance(node_point_t a, node_point_t b);
bool node_point_is_finite(node_point_t point);
// The yaw of a quaternion; it need not have length 1. All zero, as in an unset message, is yaw 0.
double node_yaw_of_quaternion(double x, double y, double z, double w);

// ---- the map

typedef struct node_map_t {
  node_frame_t frame;
  fw_grid_t grid;
  fw_grid_t before;  // the previous grid if it had the same frame, otherwise empty
  int64_t revision;  // grows with every map; 0: no map has arrived yet
} node_map_t;

// Replaces the map. False: the old map stays in force and `reason` says what is wrong with the message.
bool node_map_build(
  node_map_t * map, const nav_msgs__msg__OccupancyGrid * message, const node_settings_t * settings,
  fw_error_t * reason);
void node_map_fini(node_map_t * map);

// True if both messages have the same cells at the same place; stamps do not count.
bool node_map_messages_are_equal(const nav_msgs__msg__OccupancyGrid * a, const nav_msgs__msg__OccupancyGrid * b);

// True if `cell` is a free cell of the map; FW_CELL_NONE and other cells outside the map are not free.
bool node_map_is_free(const node_map_t * map, fw_cell_t cell);

// What the parts of the controller read: the map, the settings, and the name for the log. All borrowed; the controller
// owns them and changes their contents, never their addresses.
typedef struct node_site_t {
  const node_settings_t * settings;
  const node_map_t * map;
  const char * logger;
} node_site_t;

#endif  // ROS__PLANNER_NODE__CONTROLLER__MAP_H_
