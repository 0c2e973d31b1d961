// Record: writes a run as a text file, which `fleetweave replay` shows as a web page.
//
//   fleetweave_run=1
//   robots=24
//   resolution=0.5      metres per cell
//   radius=0.2          metres, of a robot's disc
//   size=161x63         cells
//   grid=               then a line per row, '.' free and '@' blocked, row 0 (y = 0) first
//   poses=              then lines in the order of time:
//   p 12.300 0:3.25,4.1,1.571 5:…   seconds; robot:x,y,yaw of those that moved since the line before (the first: all)
//   g 12.300 5 9.25,4.75            robot 5 received this goal
//   a 15.100 5                      robot 5 arrived
//   o 16.000 5 7                    the discs of robots 5 and 7 began to overlap
//
// Positions are in metres from the corner of the grid. Without a file every call does nothing.

#ifndef ROS__FLEET_SIM__RECORD_H_
#define ROS__FLEET_SIM__RECORD_H_

#include <stdio.h>

#include "ros/fleet_sim/fleet.h"

typedef struct sim_record_t {
  FILE * stream;       // NULL: records nothing
  fw_pose2d_t * last;  // by robot: the pose written last
  bool has_poses;      // the first line of poses has been written
} sim_record_t;

typedef struct sim_record_options_t {
  const char * path;  // of the file; empty: none
  const fw_grid_t * grid;
  double cell_size;  // metres
} sim_record_options_t;

FW_MUST_USE fw_ret_t sim_record_open(
  sim_record_t * record, const sim_record_options_t * options, const sim_fleet_t * fleet, fw_error_t * error);
// FW_RET_FILE if anything could not be written.
FW_MUST_USE fw_ret_t sim_record_close(sim_record_t * record, fw_error_t * error);

void sim_record_poses(sim_record_t * record, double seconds, const sim_fleet_t * fleet);
// `goal` is in the grid.
void sim_record_goal(sim_record_t * record, double seconds, int32_t robot, const fw_pose2d_t * goal);
void sim_record_event(sim_record_t * record, double seconds, const sim_event_t * event);

#endif  // ROS__FLEET_SIM__RECORD_H_
