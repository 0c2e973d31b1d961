// Gazebo: a grid and robots on it as a simulated world (SDF), and the bridge of its topics to ROS 2 (YAML).
//
// SDF 1.9 is what Harmonic and Fortress both read. They differ in the names of plugins and messages only.
// Robots are light on purpose: a disc, two wheels that touch the floor, two balls without friction, no sensors. Their
// odometry is in the world's frame, which is the planner's map.

#ifndef VIEW__GAZEBO_H_
#define VIEW__GAZEBO_H_

#include <stdio.h>

#include "fleetweave/fleetweave.h"

typedef enum fw_gazebo_release_t {
  FW_GAZEBO_HARMONIC,
  FW_GAZEBO_FORTRESS,
} fw_gazebo_release_t;

typedef struct fw_gazebo_t {
  fw_gazebo_release_t release;
  const fw_grid_t * grid;
  double cell;                 // metres
  double height;               // metres, of walls
  double radius;               // metres, of robots
  double step;                 // seconds, of the physics
  const char * const * names;  // of the robots
  const fw_cell_t * starts;    // where they begin, looking along x
  int32_t robot_count;
} fw_gazebo_t;

// The world with its robots. FW_RET_BAD_ALLOC if there is no memory; what the stream says is the caller's to see.
FW_MUST_USE fw_ret_t fw__gazebo_write_world(const fw_gazebo_t * gazebo, FILE * stream, fw_error_t * error);
// The robot with this index alone, as a model to add to a world that runs.
void fw__gazebo_write_model(const fw_gazebo_t * gazebo, int32_t robot, FILE * stream);
// For ros_gz_bridge: /clock, and cmd_vel and odom of each robot.
void fw__gazebo_write_bridge(const fw_gazebo_t * gazebo, FILE * stream);

#endif  // VIEW__GAZEBO_H_
