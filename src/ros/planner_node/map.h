// From an occupancy grid to the grid that is planned on.
//
// A planning cell is free only if every map cell in it is. It is never smaller than a robot: a robot that drives from
// centre to centre of free cells then touches no obstacle, and two robots in two cells do not touch each other. That is
// how obstacles are grown by the robot's radius here.

#ifndef ROS__PLANNER_NODE__MAP_H_
#define ROS__PLANNER_NODE__MAP_H_

#include <nav_msgs/msg/occupancy_grid.h>

#include "ros/planner_node/frame.h"
#include "ros/planner_node/settings.h"

typedef struct map_t {
  frame_t frame;
  fw_grid_t grid;
  fw_grid_t before;  // the one before, if it had the same frame; else empty
  int64_t revision;  // 0: there is no map yet
} map_t;

bool frames_are_same(const frame_t * a, const frame_t * b);

// Replaces the map. On false the old one stays and `reason` says what is wrong with the message.
bool map_build(
  map_t * map, const nav_msgs__msg__OccupancyGrid * message, const node_settings_t * settings, fw_error_t * reason);
void map_fini(map_t * map);

// The same cells at the same place? Stamps do not count.
bool map_is_same(const nav_msgs__msg__OccupancyGrid * a, const nav_msgs__msg__OccupancyGrid * b);

// Is this planning cell one of the map, and free?
bool map_is_free(const map_t * map, fw_cell_t cell);

#endif  // ROS__PLANNER_NODE__MAP_H_
