// Gazebo: writes a grid and its robots as a simulated world (SDF), and the configuration of ros_gz_bridge (YAML).
//
// The files are SDF 1.9, which both Harmonic and Fortress read; only the names of plugins and messages differ.
// Robots are simple, so that many can be simulated: a disc, two driven wheels, two balls without friction, no sensors.
// Their odometry is ground truth in the world's frame, which is the planner's map.

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
  double step;                 // seconds, of the physics engine
  const char * const * names;  // by robot
  const fw_cell_t * starts;    // by robot; all face along x
  int32_t robot_count;
} fw_gazebo_t;

// Writes the world with its robots. The only failure is FW_RET_BAD_ALLOC; the caller checks the stream with ferror().
FW_MUST_USE fw_ret_t fw__gazebo_write_world(const fw_gazebo_t * gazebo, FILE * stream, fw_error_t * error);
// Writes the robot with this index alone, as a model that can be spawned into a running world.
void fw__gazebo_write_model(const fw_gazebo_t * gazebo, int32_t robot, FILE * stream);
// Writes the bridge's topics: /clock, and cmd_vel and odom of each robot.
void fw__gazebo_write_bridge(const fw_gazebo_t * gazebo, FILE * stream);

#endif  // VIEW__GAZEBO_H_
