// Which cells a robot covers, computed independently of the planners, for the checker.
//
// The checker must not repeat a mistake of the planners, so it shares no code with them: nothing of src/world/body, no
// reservations, no search. It reads footprints, headings and turns of the problem for itself, and where the planners
// use closed formulas it samples (turns).

#ifndef PLAN__CHECK_GEOMETRY_H_
#define PLAN__CHECK_GEOMETRY_H_

#include "base/arena.h"
#include "base/assert.h"
#include "fleetweave/fleetweave.h"

// Offsets from a robot's cell.
typedef struct fw_check_cells_t {
  const fw_offset_t * cells;
  int32_t count;
} fw_check_cells_t;

typedef struct fw_check_geometry_t {
  const fw_problem_t * problem;            // borrowed, has passed fw__problem_check_with
  fw_check_cells_t * diagonal_footprints;  // by robot: its cells while it faces south-east; empty without a heading
  // Two for each robot: cells swept beyond the footprint by a right turn that begins facing east. On a four-connected
  // grid [0] is a quarter turn. On an eight-connected one [0] is the eighth from east, [1] the eighth from south-east.
  fw_check_cells_t * turn_sweeps;
} fw_check_geometry_t;

// Everything is allocated in `arena`; the caller checks fw__arena_has_failed() before it uses `geometry`.
void fw__check_geometry_init(fw_check_geometry_t * geometry, const fw_problem_t * problem, fw_arena_t * arena);

// Where a robot is, and its heading (0 if it has none).
typedef struct fw_checked_pose_t {
  fw_cell_t cell;
  int32_t heading;
} fw_checked_pose_t;

// A set of cells that a robot covers. With `from` equal to `to`: its footprint there. Otherwise: what the motion from
// `from` to `to` sweeps beyond the footprints at both ends.
typedef struct fw_coverage_t {
  int32_t robot;
  fw_checked_pose_t from;
  fw_checked_pose_t to;
} fw_coverage_t;

static inline bool fw__check_geometry_has_cell(const fw_check_geometry_t * geometry, fw_cell_t cell)
{
  return cell >= 0 && cell < fw_grid_cell_count(geometry->problem->grid);
}
static inline bool fw__checked_pose_is_same(fw_checked_pose_t a, fw_checked_pose_t b)
{
  return a.cell == b.cell && a.heading == b.heading;
}
// dx, dy from cell to cell; (0, 0) if one of them is outside the grid.
fw_offset_t fw__check_geometry_offset(const fw_check_geometry_t * geometry, fw_cell_t from, fw_cell_t to);

// The fast case of the two functions below: a robot of one cell that stands.
static inline bool fw__coverage_is_own_cell(const fw_check_geometry_t * geometry, const fw_coverage_t * coverage)
{
  return geometry->problem->robots[coverage->robot].footprint_count <= 1 &&
         fw__checked_pose_is_same(coverage->from, coverage->to);
}

// How many cells there are, listed 0 to count - 1 by the functions below.
int32_t fw__coverage_count_any(const fw_check_geometry_t * geometry, const fw_coverage_t * coverage);
static inline int32_t fw__coverage_count(const fw_check_geometry_t * geometry, const fw_coverage_t * coverage)
{
  return fw__coverage_is_own_cell(geometry, coverage) ? 1 : fw__coverage_count_any(geometry, coverage);
}

// Coordinates of one cell; they may be outside the grid. Both poses must be on cells of the grid.
fw_offset_t fw__coverage_position(const fw_check_geometry_t * geometry, const fw_coverage_t * coverage, int32_t index);

// The same as a cell, FW_CELL_NONE where it is outside. A pose may be outside too: a plan that is checked up to a tick
// may list a robot on its way to a place beyond that tick.
fw_cell_t fw__coverage_cell_any(const fw_check_geometry_t * geometry, const fw_coverage_t * coverage, int32_t index);
static inline fw_cell_t fw__coverage_cell(
  const fw_check_geometry_t * geometry, const fw_coverage_t * coverage, int32_t index)
{
  const bool is_own =
    fw__coverage_is_own_cell(geometry, coverage) && fw__check_geometry_has_cell(geometry, coverage->from.cell);
  return is_own ? coverage->from.cell : fw__coverage_cell_any(geometry, coverage, index);
}

#endif  // PLAN__CHECK_GEOMETRY_H_
