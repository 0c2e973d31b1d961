// Record: a run as a text file, which `fleetweave replay` turns into a page.
//
//   fleetweave_run=1
//   robots=24
//   resolution=0.5      metres per cell
//   radius=0.2          metres, of a robot's disc
//   size=161x63         cells
//   grid=               then a line per row, '.' free and '@' blocked, row 0 (y = 0) first
//   poses=              then lines in the order of time:
//   p 12.300 0:3.25,4.1,1.571 5:…   seconds; robot:x,y,yaw of those that moved since the line before (the first: all)
//   g 12.300 5 9.25,4.75            robot 5 got this goal
//   a 15.100 5                      robot 5 arrived
//   o 16.000 5 7                    the discs of robots 5 and 7 began to overlap
//
// Metres count from the corner of the grid. Without a path every call does nothing.

#ifndef SIM__RECORD_H_
#define SIM__RECORD_H_

#include <stdio.h>

#include "sim/fleet.h"

typedef struct fw_record_t {
  FILE * stream;  // NULL: records nothing
  fw_pose_t * last;
  bool has_poses;
} fw_record_t;

typedef struct fw_record_options_t {
  const char * path;  // empty: none
  const fw_grid_t * grid;
  double cell_size;  // metres
} fw_record_options_t;

FW_MUST_USE fw_ret_t
fw_record_open(fw_record_t * record, const fw_record_options_t * options, const fw_fleet_t * fleet, fw_error_t * error);
// Fails if anything could not be written.
FW_MUST_USE fw_ret_t fw_record_close(fw_record_t * record, fw_error_t * error);

void fw_record_poses(fw_record_t * record, double seconds, const fw_fleet_t * fleet);
void fw_record_goal(fw_record_t * record, double seconds, int32_t robot, const fw_pose_t * goal);
void fw_record_event(fw_record_t * record, double seconds, const fw_event_t * event);

#endif  // SIM__RECORD_H_
