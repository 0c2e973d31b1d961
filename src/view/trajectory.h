// A robot in space and time, read from its path: which cells it covers at a tick, where it is on the way between two of
// them, which way it faces, and when it waits. The one place of the pictures that knows what footprint, speed, turns and
// sweeps make of a path (fleetweave.h has the rules). Paths need not be right: pictures show what is wrong with them.

#ifndef VIEW__TRAJECTORY_H_
#define VIEW__TRAJECTORY_H_

#include "fleetweave/fleetweave.h"
#include "world/body.h"

// A view of one robot of a plan; borrows all of it.
typedef struct fw_trajectory_t {
  const fw_grid_t * grid;
  const fw_robot_t * robot;
  const fw_path_t * path;
} fw_trajectory_t;

fw_trajectory_t fw__trajectory(const fw_problem_t * problem, const fw_plan_t * plan, int32_t robot);

// A robot that turns, and a path that says how.
bool fw__trajectory_has_heading(const fw_trajectory_t * trajectory);
// Where the path lists the robot at a tick; heading 0 if it has none.
fw_grid_pose_t fw__trajectory_pose(const fw_trajectory_t * trajectory, fw_tick_t tick);

// A move or a turn.
typedef struct fw_trajectory_motion_t {
  fw_grid_pose_t from;
  fw_grid_pose_t to;
  fw_tick_t departure;  // before the arrival by what the robot takes for it, even if it was not there so early
  fw_tick_t arrival;
} fw_trajectory_motion_t;

// The first motion that arrives after `tick`, of those up to tick `end`; false if there is none.
bool fw__trajectory_next_motion(
  const fw_trajectory_t * trajectory, fw_tick_t tick, fw_tick_t end, fw_trajectory_motion_t * motion);
// By how many eighths it turns, clockwise, the shorter way round: -3 to 4; 0 for a move.
int32_t fw__trajectory_turn(const fw_trajectory_motion_t * motion);

// At least as many as the robot covers at any tick.
int32_t fw__trajectory_cells_max(const fw_trajectory_t * trajectory);
// The cells inside the grid that the robot covers at a tick: where it is listed, then where it will be, then what it
// sweeps; each in the order of its footprint. A cell may come twice. Returns their number.
int32_t fw__trajectory_cells(const fw_trajectory_t * trajectory, fw_tick_t tick, fw_cell_t * cells);

typedef struct fw_trajectory_point_t {
  double x;  // in cells, 0.5 is the middle of the first
  double y;
  double heading;  // in eighths of a turn clockwise from east; may be outside 0 to 8 on the way
} fw_trajectory_point_t;

// The middle of the robot's own cell, or a point between two of them on the ticks of a move that takes several; in the
// same way the heading.
fw_trajectory_point_t fw__trajectory_point(const fw_trajectory_t * trajectory, fw_tick_t tick);

// A stop away from the goal: the robot does nothing for `to` - `from` ticks. A turn is none.
typedef struct fw_trajectory_wait_t {
  fw_cell_t cell;
  fw_tick_t from;
  fw_tick_t to;
} fw_trajectory_wait_t;

// The first wait that begins at `tick` or later, of those up to tick `end`; false if there is none.
bool fw__trajectory_next_wait(
  const fw_trajectory_t * trajectory, fw_tick_t tick, fw_tick_t end, fw_trajectory_wait_t * wait);

#endif  // VIEW__TRAJECTORY_H_
