// What the player shows: a grid, and for each robot the places where its straight, even motion changes. A plan and a
// recorded run both become tracks, so there is one page for both.
//
// Units are small integers: positions in 1/units_per_cell of a cell, time in steps of `seconds_per_unit`, yaw in
// thousandths of a radian. Samples are given one after the other, in time order for each robot; those that lie on the
// straight line between their neighbours (within `tolerance`) are dropped.

#ifndef VIEW__TRACKS_H_
#define VIEW__TRACKS_H_

#include "fleetweave/fleetweave.h"
#include "view/stays.h"
#include "view/vlq.h"

enum { FW__TRACK_PENDING_MAX = 32 };

typedef struct fw__sample_t {
  int64_t time;
  int64_t x;
  int64_t y;
  int64_t yaw;
} fw__sample_t;

// The code of a track: per keyframe the differences of time, x, y (and yaw) to the keyframe before.
typedef struct fw__track_t {
  fw__vlq_t code;
  fw__sample_t anchor;                          // the last keyframe written
  fw__sample_t pending[FW__TRACK_PENDING_MAX];  // samples since, all on one line
  int32_t pending_count;
  bool has_anchor;
  bool is_turning;   // a robot of a plan that has a heading; set by the caller
  fw__vlq_t shape;   // columns and rows of each cell of its footprint; nothing for its own alone
  fw__vlq_t stays;   // fw__tracks_put_stays
  fw__vlq_t waits;   // time from the end of the wait before, length
  int64_t wait_end;  // of the last wait written
} fw__track_t;

typedef struct fw__tracks_t {
  // Set by the caller, after init.
  const fw_grid_t * grid;  // borrowed
  bool is_row_0_below;     // ROS: y grows upwards. MovingAI: row 0 is at the top
  bool has_yaw;
  int32_t units_per_cell;
  double cell_offset;  // added to positions, in cells: 0.5 if integers stand for the middle of a cell
  double seconds_per_unit;
  double metres_per_cell;  // 0: positions are shown as cells
  double radius_cells;
  int64_t tolerance;  // in units of position and of yaw

  fw__track_t * tracks;
  int32_t robot_count;
  int64_t end;         // latest time of any sample
  fw__vlq_t goals;     // time difference, robot, x, y
  fw__vlq_t arrivals;  // time difference, robot
  fw__vlq_t overlaps;  // time difference, robot, other robot
  fw__vlq_t closures;  // column, row, from, ticks; 0 ticks for ever
  int64_t goal_time;   // of the last event written, for the differences
  int64_t arrival_time;
  int64_t overlap_time;
  fw_allocator_t allocator;
} fw__tracks_t;

FW_MUST_USE fw_ret_t
fw__tracks_init(fw__tracks_t * tracks, int32_t robot_count, const fw_allocator_t * allocator, fw_error_t * error);
void fw__tracks_fini(fw__tracks_t * tracks);

void fw__tracks_add(fw__tracks_t * tracks, int32_t robot, fw__sample_t sample);
// Events, each kind in time order.
void fw__tracks_add_goal(fw__tracks_t * tracks, int64_t time, int32_t robot, int64_t x, int64_t y);
void fw__tracks_add_arrival(fw__tracks_t * tracks, int64_t time, int32_t robot);
void fw__tracks_add_overlap(fw__tracks_t * tracks, int64_t time, int32_t robot, int32_t other);
// What a plan has beyond motion (track_stays.c); a recorded run has none of it. The stays of a robot all at once, in the
// order in which they begin; waits of a robot in time order.
void fw__tracks_add_offset(fw__tracks_t * tracks, int32_t robot, fw_offset_t offset);
void fw__tracks_put_stays(fw__tracks_t * tracks, int32_t robot, const fw__stay_t * stays, int32_t stay_count);
void fw__tracks_add_wait(fw__tracks_t * tracks, int32_t robot, int64_t from, int64_t to);
void fw__tracks_add_closure(fw__tracks_t * tracks, const fw__stay_t * closure);
// Writes what is pending and says whether all of it found room.
FW_MUST_USE fw_ret_t fw__tracks_finish(fw__tracks_t * tracks, fw_error_t * error);

#endif  // VIEW__TRACKS_H_
