// Which cells the motions of a robot enter: the cells that its body sweeps beyond those on which it stood at departure.
// Computed once for each kind of body, since the dependency graph needs it for every motion of every robot.

#ifndef EXECUTION__SWEEP_TABLE_H_
#define EXECUTION__SWEEP_TABLE_H_

#include "world/body.h"

typedef struct fw_sweep_table_t {
  const fw_body_t * body;
  fw_footprint_t entered[FW_HEADING_COUNT][FW_MOTIONS_MAX];  // by heading at departure and motion of the body
} fw_sweep_table_t;

// Tables by robot; robots with the same body share one. Everything is in `arena`; the caller checks
// fw__arena_has_failed() before it uses them.
fw_sweep_table_t ** fw__sweep_tables_make(fw_arena_t * arena, const fw_bodies_t * bodies);

// All cells of one motion as offsets from `origin`: those covered at departure, and those entered. The same motion
// backwards covers the same cells.
typedef struct fw_swept_cells_t {
  fw_cell_t origin;
  fw_footprint_t parts[2];  // at departure, entered
} fw_swept_cells_t;

// Can the body get from one pose to the other (both on cells of the grid) with one motion?
bool fw__sweep_table_connects(
  const fw_sweep_table_t * table, const fw_grid_t * grid, fw_grid_pose_t from, fw_grid_pose_t to);
// The cells of that motion.
fw_swept_cells_t fw__sweep_table_motion(
  const fw_sweep_table_t * table, const fw_grid_t * grid, fw_grid_pose_t from, fw_grid_pose_t to);

// The footprint of a standing robot.
static inline fw_footprint_t fw__sweep_table_standing(const fw_sweep_table_t * table, int32_t heading)
{
  return table->body->footprints[table->body->turn_ticks > 0 ? heading : 0];
}
static inline bool fw__footprint_has(fw_footprint_t footprint, int32_t dx, int32_t dy)
{
  for (int32_t i = 0; i < footprint.count; ++i) {
    if (footprint.cells[i].dx == dx && footprint.cells[i].dy == dy) {
      return true;
    }
  }
  return false;
}
// Does a robot that stands at the pose cover (x, y)?
bool fw__sweep_table_stands_on(
  const fw_sweep_table_t * table, const fw_grid_t * grid, fw_grid_pose_t pose, fw_offset_t at);
// Are all cells inside the grid?
bool fw__swept_cells_are_inside(const fw_swept_cells_t * swept, const fw_grid_t * grid);

#endif  // EXECUTION__SWEEP_TABLE_H_
