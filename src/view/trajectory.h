// The trajectory of one robot of a plan: which cells it covers at a tick, where it is between two cells, which way it
// faces, and when it waits. This is the one place of src/view that applies footprint, speed, turns and swept cells to a
// path (fleetweave.h has the rules). Paths may have conflicts or jumps: pictures show what is wrong with them.

#ifndef VIEW__TRAJECTORY_H_
#define VIEW__TRAJECTORY_H_

#include "fleetweave/fleetweave.h"
#include "world/body.h"

// A view of one robot of a plan. Borrows everything; valid as long as the problem and the plan are.
typedef struct fw_trajectory_t {
  const fw_grid_t * grid;
  const fw_robot_t * robot;
  const fw_path_t * path;
} fw_trajectory_t;

fw_trajectory_t fw__trajectory(const fw_problem_t * problem, const fw_plan_t * plan, int32_t robot);

// Whether the robot turns on the spot and its path lists headings.
bool fw__trajectory_has_heading(const fw_trajectory_t * trajectory);
// Cell and heading that the path lists at a tick; heading 0 without headings.
fw_grid_pose_t fw__trajectory_pose(const fw_trajectory_t * trajectory, fw_tick_t tick);

// A move or a turn.
typedef struct fw_trajectory_motion_t {
  fw_grid_pose_t from;
  fw_grid_pose_t to;
  fw_tick_t departure;  // arrival minus the robot's ticks for it, even if a wrong path has it elsewhere then
  fw_tick_t arrival;
} fw_trajectory_motion_t;

// The first motion that arrives after `tick` and not after `end`. False if there is none.
bool fw__trajectory_next_motion(
  const fw_trajectory_t * trajectory, fw_tick_t tick, fw_tick_t end, fw_trajectory_motion_t * motion);
// The turn in eighths of a circle, clockwise, by the shorter side: -3 to 4; 0 for a move.
int32_t fw__trajectory_turn(const fw_trajectory_motion_t * motion);

// An upper bound of the number of cells that fw__trajectory_cells returns at any tick.
int32_t fw__trajectory_cells_max(const fw_trajectory_t * trajectory);
// The cells inside the grid that the robot covers at a tick, into `cells`, which has room for fw__trajectory_cells_max:
// those of its listed cell, then those of the cell that it moves to, then those that it sweeps, each in the order of
// the footprint. A cell may come twice. Returns their number.
int32_t fw__trajectory_cells(const fw_trajectory_t * trajectory, fw_tick_t tick, fw_cell_t * cells);

typedef struct fw_trajectory_point_t {
  double x;  // in cells, 0.5 is the middle of the first
  double y;
  double heading;  // in eighths of a circle clockwise from east; may be outside 0 to 8 during a turn
} fw_trajectory_point_t;

// The middle of the robot's cell; within a move or turn of several ticks, position and heading interpolated linearly.
fw_trajectory_point_t fw__trajectory_point(const fw_trajectory_t * trajectory, fw_tick_t tick);

// A wait away from the goal, from tick `from` to tick `to`. A turn is not a wait.
typedef struct fw_trajectory_wait_t {
  fw_cell_t cell;
  fw_tick_t from;
  fw_tick_t to;
} fw_trajectory_wait_t;

// The first wait that begins at `tick` or later, cut at tick `end`. False if there is none.
bool fw__trajectory_next_wait(
  const fw_trajectory_t * trajectory, fw_tick_t tick, fw_tick_t end, fw_trajectory_wait_t * wait);

#endif  // VIEW__TRAJECTORY_H_
