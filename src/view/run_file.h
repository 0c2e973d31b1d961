// A recorded run: what `fleetweave replay` plays. The simulator writes it as lines of text, this reads it into tracks:
//
//   fleetweave_run=1
//   robots=24
//   resolution=0.5            metres per cell
//   radius=0.2                metres, of a robot's disc
//   size=161x63               cells
//   grid=                     then a line per row of `.` (free) and `@` (blocked); row 0 first, which is y = 0
//   poses=                    then lines in time order, with the time in seconds first:
//   p 12.300 0:3.25,4.10,1.571 5:7.75,2.25,0.000     robot:x,y,yaw of those that moved; the first line has all
//   g 12.300 5 9.25,4.75      robot 5 got this goal
//   a 15.100 5                robot 5 arrived
//   o 16.000 5 7              the discs of robots 5 and 7 overlap
//
// An incomplete last line (the simulator was stopped while writing) is ignored.

#ifndef VIEW__RUN_FILE_H_
#define VIEW__RUN_FILE_H_

#include "fleetweave/fleetweave.h"
#include "view/tracks.h"

typedef struct fw_run_file_t {
  int32_t robot_count;
  double resolution;  // metres per cell
  double radius;      // metres
  fw_grid_t grid;
  fw_view_tracks_t tracks;  // borrows `grid`, so this struct must not be copied
  int64_t arrival_count;
  int64_t overlap_count;
} fw_run_file_t;

// FW_RET_FILE names the file, the line and what was expected there. `allocator` may be NULL for the default.
FW_MUST_USE fw_ret_t
fw__run_file_read(fw_run_file_t * run, const char * path, const fw_allocator_t * allocator, fw_error_t * error);
void fw__run_file_fini(fw_run_file_t * run);

#endif  // VIEW__RUN_FILE_H_
