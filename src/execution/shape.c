// What a body's motions enter.

#include "execution/shape.h"

#include <stdlib.h>

static bool list_entered(fw__shape_t * shape, fw_arena_t * arena, int32_t heading, int32_t index)
{
  const fw_motion_t * motion = &shape->body->motions[heading][index];
  const fw_footprint_t standing = shape->body->footprints[heading];
  fw_offset_t * cells = fw__arena_allocate(arena, (size_t)motion->sweep_count + 1, sizeof(*cells));
  if (cells == NULL) {
    return false;
  }
  int32_t count = 0;
  for (int32_t i = 0; i < motion->sweep_count; ++i) {
    const fw_swept_cell_t * sweep = &motion->sweeps[i];
    if (!fw__footprint_has(standing, sweep->dx, sweep->dy)) {
      cells[count++] = (fw_offset_t){sweep->dx, sweep->dy};
    }
  }
  shape->entered[heading][index] = (fw_footprint_t){.cells = cells, .count = count};
  return true;
}

static bool shape_init(fw__shape_t * shape, fw_arena_t * arena, const fw_body_t * body)
{
  *shape = (fw__shape_t){.body = body};
  const int32_t headings = body->turn_ticks > 0 ? FW_HEADING_COUNT : 1;
  for (int32_t heading = 0; heading < headings; heading += body->turn_step) {
    for (int32_t i = 0; i < body->motion_count; ++i) {
      if (!list_entered(shape, arena, heading, i)) {
        return false;
      }
    }
  }
  return true;
}

bool fw__shapes_init(fw__shape_t *** shapes, fw_arena_t * arena, const fw_bodies_t * bodies)
{
  const int32_t count = bodies->problem->robot_count;
  fw__shape_t ** of = fw__arena_allocate(arena, (size_t)count + 1, sizeof(*of));
  for (int32_t r = 0; of != NULL && r < count; ++r) {
    of[r] = NULL;
    for (int32_t other = r - 1; other >= 0 && of[r] == NULL; --other) {
      of[r] = bodies->of[other] == bodies->of[r] ? of[other] : NULL;
    }
    if (of[r] == NULL) {
      of[r] = fw__arena_allocate(arena, 1, sizeof(**of));
      if (of[r] == NULL || !shape_init(of[r], arena, bodies->of[r])) {
        return false;
      }
    }
  }
  *shapes = of;
  return of != NULL;
}

bool fw__shape_connects(const fw__shape_t * shape, const fw_grid_t * grid, fw_grid_pose_t from, fw_grid_pose_t to)
{
  const fw_body_t * body = shape->body;
  const int32_t dx = fw_grid_x(grid, to.cell) - fw_grid_x(grid, from.cell);
  const int32_t dy = fw_grid_y(grid, to.cell) - fw_grid_y(grid, from.cell);
  if (from.cell == to.cell) {
    const int32_t turned = (to.heading - from.heading + FW_HEADING_COUNT) % FW_HEADING_COUNT;
    return body->turn_ticks > 0 && (turned == body->turn_step || turned == FW_HEADING_COUNT - body->turn_step);
  }
  if (from.heading != to.heading || abs(dx) > 1 || abs(dy) > 1 || (body->connectivity == 4 && dx != 0 && dy != 0)) {
    return false;
  }
  const fw_offset_t ahead = fw_directions[fw__heading_direction(from.heading)];
  return body->turn_ticks == 0 || (ahead.dx == dx && ahead.dy == dy);
}

fw__swept_t fw__shape_sweep(const fw__shape_t * shape, const fw_grid_t * grid, fw_grid_pose_t from, fw_grid_pose_t to)
{
  const fw_motion_t * motion = fw__body_motion(shape->body, grid, from, to);
  const int32_t heading = shape->body->turn_ticks > 0 ? from.heading : 0;
  const int32_t index = (int32_t)(motion - shape->body->motions[heading]);
  return (fw__swept_t){
    .origin = from.cell, .parts = {shape->body->footprints[heading], shape->entered[heading][index]}};
}

bool fw__shape_stands_on(const fw__shape_t * shape, const fw_grid_t * grid, fw_grid_pose_t pose, fw_offset_t at)
{
  return fw__footprint_has(
    fw__shape_standing(shape, pose.heading), at.dx - fw_grid_x(grid, pose.cell), at.dy - fw_grid_y(grid, pose.cell));
}

bool fw__swept_is_inside(const fw__swept_t * swept, const fw_grid_t * grid)
{
  for (int32_t part = 0; part < 2; ++part) {
    for (int32_t i = 0; i < swept->parts[part].count; ++i) {
      const fw_offset_t offset = swept->parts[part].cells[i];
      if (!fw_grid_contains(
            grid, fw_grid_x(grid, swept->origin) + offset.dx, fw_grid_y(grid, swept->origin) + offset.dy)) {
        return false;
      }
    }
  }
  return true;
}
