// Tracks: everything that the HTML player draws of one fleet. A plan and a recorded run both become tracks, so that one
// page plays both.
//
// A track is the list of keyframes of a robot: the points where its straight, even motion changes. Samples are added
// one after the other, in time order for each robot; samples on the straight line between their neighbours (within
// `tolerance`) are dropped. A plan has layers beyond motion: footprints, reservations, waits and closures.
//
// Units are small integers: positions in 1/units_per_cell of a cell, time in steps of `seconds_per_unit`, yaw in
// thousandths of a radian. All lists are encoded as base64 VLQ (view/vlq.h) while they are filled; a failed allocation
// or a number out of range is remembered and reported once, by fw__tracks_finish.
//
// To add a layer: encode its data in tracks.c (an entry of fw_robot_layer_t and its name there), decode and draw it in
// player/layers.js (a row of `layers`), and test it in test/cli/test_layers.py.

#ifndef VIEW__TRACKS_H_
#define VIEW__TRACKS_H_

#include <stdio.h>

#include "fleetweave/fleetweave.h"
#include "view/vlq.h"

enum { FW_TRACK_PENDING_MAX = 32 };

typedef struct fw_view_sample_t {
  int64_t time;
  int64_t x;
  int64_t y;
  int64_t yaw;
} fw_view_sample_t;

// Layers with one list per robot; tracks.c says how each is encoded.
typedef enum fw_robot_layer_t {
  FW_ROBOT_LAYER_FOOTPRINT,
  FW_ROBOT_LAYER_RESERVATIONS,
  FW_ROBOT_LAYER_WAITS,
  FW_ROBOT_LAYER_COUNT,
} fw_robot_layer_t;

// One robot. `code` has for each keyframe the differences of time, x, y (and yaw) to the keyframe before.
typedef struct fw_view_track_t {
  fw_vlq_t code;
  fw_view_sample_t anchor;                         // the last keyframe written
  fw_view_sample_t pending[FW_TRACK_PENDING_MAX];  // samples since then, all on one line
  int32_t pending_count;
  bool has_anchor;
  bool has_heading;  // of a plan: the robot turns, so that the player draws where it faces
  fw_vlq_t layers[FW_ROBOT_LAYER_COUNT];
  int64_t wait_end;  // of the last wait written, for the differences
} fw_view_track_t;

typedef struct fw_view_tracks_t {
  // Set by the caller after fw__tracks_init.
  const fw_grid_t * grid;  // borrowed
  bool is_row_0_below;     // true: y grows upwards (ROS). false: row 0 is at the top (MovingAI)
  bool has_yaw;            // samples have a yaw
  int32_t units_per_cell;
  double cell_offset;  // in cells, added to positions: 0.5 if integers stand for the middle of a cell
  double seconds_per_unit;
  double metres_per_cell;  // 0: positions are given as cells
  double radius_cells;     // of a robot's disc
  int64_t tolerance;       // in units of position and of yaw

  fw_view_track_t * tracks;  // by robot
  int32_t robot_count;
  int64_t end;        // latest time of any sample
  fw_vlq_t goals;     // time difference, robot, x, y
  fw_vlq_t arrivals;  // time difference, robot
  fw_vlq_t overlaps;  // time difference, robot, other robot
  fw_vlq_t closures;  // column, row, first tick, number of ticks (0: for ever)
  int64_t goal_time;  // of the last event written, for the differences
  int64_t arrival_time;
  int64_t overlap_time;
  fw_allocator_t allocator;
} fw_view_tracks_t;

FW_MUST_USE fw_ret_t
fw__tracks_init(fw_view_tracks_t * tracks, int32_t robot_count, const fw_allocator_t * allocator, fw_error_t * error);
void fw__tracks_fini(fw_view_tracks_t * tracks);

void fw__tracks_add(fw_view_tracks_t * tracks, int32_t robot, fw_view_sample_t sample);
// Events, each kind in time order. A goal counts from `goal.time` on; its yaw is not used.
void fw__tracks_add_goal(fw_view_tracks_t * tracks, int32_t robot, fw_view_sample_t goal);
void fw__tracks_add_arrival(fw_view_tracks_t * tracks, int64_t time, int32_t robot);
void fw__tracks_add_overlap(fw_view_tracks_t * tracks, int64_t time, int32_t robot, int32_t other);
// Writes the pending samples. FW_RET_BAD_ALLOC if memory or the range of a number did not suffice at any time.
FW_MUST_USE fw_ret_t fw__tracks_finish(fw_view_tracks_t * tracks, fw_error_t * error);

// Fills new tracks with a plan and all its layers, and finishes them. The problem's grid stays borrowed.
FW_MUST_USE fw_ret_t fw__tracks_add_plan(
  fw_view_tracks_t * tracks, const fw_problem_t * problem, const fw_plan_t * plan, fw_error_t * error);

// The members of a JSON object (without braces) that the player reads: events, tracks, and with `has_layers` the
// layers.
void fw__tracks_write_json(const fw_view_tracks_t * tracks, bool has_layers, FILE * stream);

#endif  // VIEW__TRACKS_H_
