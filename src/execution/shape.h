// What a body's motions enter: the cells that it covers on the way beyond those on which it stood. Worked out once for
// each kind of body, since the graph asks for every motion of every robot.

#ifndef EXECUTION__SHAPE_H_
#define EXECUTION__SHAPE_H_

#include "world/body.h"

typedef struct fw__shape_t {
  const fw_body_t * body;
  fw_footprint_t entered[FW_HEADING_COUNT][FW_MOTIONS_MAX];
} fw__shape_t;

// `shapes` by robot; robots of one body share one. False when there is no memory.
bool fw__shapes_init(fw__shape_t *** shapes, fw_arena_t * arena, const fw_bodies_t * bodies);

// All cells of one motion: those at its departure and those that it enters, as offsets from `origin`. Where the motion is
// done backwards they are the same.
typedef struct fw__swept_t {
  fw_cell_t origin;
  fw_footprint_t parts[2];  // before, entered
} fw__swept_t;

// Is there one motion of the body between the two poses (cells of the grid)?
bool fw__shape_connects(const fw__shape_t * shape, const fw_grid_t * grid, fw_grid_pose_t from, fw_grid_pose_t to);
fw__swept_t fw__shape_sweep(const fw__shape_t * shape, const fw_grid_t * grid, fw_grid_pose_t from, fw_grid_pose_t to);

// Where the robot stands.
static inline fw_footprint_t fw__shape_standing(const fw__shape_t * shape, int32_t heading)
{
  return shape->body->footprints[shape->body->turn_ticks > 0 ? heading : 0];
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
// Does a robot of this shape, at the pose, stand on (x, y)?
bool fw__shape_stands_on(const fw__shape_t * shape, const fw_grid_t * grid, fw_grid_pose_t pose, fw_offset_t at);
// Are all cells of the swept space inside the grid?
bool fw__swept_is_inside(const fw__swept_t * swept, const fw_grid_t * grid);

#endif  // EXECUTION__SHAPE_H_
