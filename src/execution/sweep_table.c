// Which cells the motions of a robot enter.

#include "execution/sweep_table.h"

#include <stdlib.h>

#include "base/assert.h"

static void list_entered(fw_sweep_table_t * table, fw_arena_t * arena, int32_t heading, int32_t index)
{
  const fw_motion_t * motion = &table->body->motions[heading][index];
  const fw_footprint_t standing = table->body->footprints[heading];
  fw_offset_t * cells = fw__arena_allocate(arena, (size_t)motion->sweep_count + 1, sizeof(*cells));
  int32_t count = 0;
  for (int32_t i = 0; cells != NULL && i < motion->sweep_count; ++i) {
    const fw_swept_cell_t * sweep = &motion->sweeps[i];
    if (!fw__footprint_has(standing, sweep->dx, sweep->dy)) {
      cells[count++] = (fw_offset_t){sweep->dx, sweep->dy};
    }
  }
  table->entered[heading][index] = (fw_footprint_t){.cells = cells, .count = count};
}

static fw_sweep_table_t * make_table(fw_arena_t * arena, const fw_body_t * body)
{
  fw_sweep_table_t * table = fw__arena_allocate_zeroed(arena, 1, sizeof(*table));
  if (table == NULL) {
    return NULL;
  }
  table->body = body;
  FW_ASSERT(body->motion_count <= FW_MOTIONS_MAX && body->turn_step > 0);
  const int32_t headings = body->turn_ticks > 0 ? FW_HEADING_COUNT : 1;
  for (int32_t heading = 0; heading < headings; heading += body->turn_step) {
    for (int32_t i = 0; i < body->motion_count; ++i) {
      list_entered(table, arena, heading, i);
    }
  }
  return table;
}

fw_sweep_table_t ** fw__sweep_tables_make(fw_arena_t * arena, const fw_bodies_t * bodies)
{
  const int32_t count = bodies->problem->robot_count;
  fw_sweep_table_t ** tables = fw__arena_allocate_zeroed(arena, (size_t)count + 1, sizeof(*tables));
  for (int32_t r = 0; tables != NULL && r < count; ++r) {
    for (int32_t other = r - 1; other >= 0 && tables[r] == NULL; --other) {
      tables[r] = bodies->of[other] == bodies->of[r] ? tables[other] : NULL;
    }
    tables[r] = tables[r] == NULL ? make_table(arena, bodies->of[r]) : tables[r];
  }
  return tables;
}

bool fw__sweep_table_connects(
  const fw_sweep_table_t * table, const fw_grid_t * grid, fw_grid_pose_t from, fw_grid_pose_t to)
{
  const fw_body_t * body = table->body;
  const int32_t dx = fw_grid_x(grid, to.cell) - fw_grid_x(grid, from.cell);
  const int32_t dy = fw_grid_y(grid, to.cell) - fw_grid_y(grid, from.cell);
  if (from.cell == to.cell) {
    const int32_t turned = (to.heading - from.heading + FW_HEADING_COUNT) % FW_HEADING_COUNT;
    return body->turn_ticks > 0 && (turned == body->turn_step || turned == FW_HEADING_COUNT - body->turn_step);
  }
  if (from.heading != to.heading || abs(dx) > 1 || abs(dy) > 1 || (body->connectivity == 4 && dx != 0 && dy != 0)) {
    return false;
  }
  const fw_offset_t ahead = fw__directions[fw__heading_direction(from.heading)];
  return body->turn_ticks == 0 || (ahead.dx == dx && ahead.dy == dy);
}

fw_swept_cells_t fw__sweep_table_motion(
  const fw_sweep_table_t * table, const fw_grid_t * grid, fw_grid_pose_t from, fw_grid_pose_t to)
{
  const fw_motion_t * motion = fw__body_motion(table->body, grid, from, to);
  const int32_t heading = table->body->turn_ticks > 0 ? from.heading : 0;
  const int32_t index = (int32_t)(motion - table->body->motions[heading]);
  FW_ASSERT(index >= 0 && index < table->body->motion_count);
  return (fw_swept_cells_t){
    .origin = from.cell, .parts = {table->body->footprints[heading], table->entered[heading][index]}};
}

bool fw__sweep_table_stands_on(
  const fw_sweep_table_t * table, const fw_grid_t * grid, fw_grid_pose_t pose, fw_offset_t at)
{
  return fw__footprint_has(
    fw__sweep_table_standing(table, pose.heading), at.dx - fw_grid_x(grid, pose.cell),
    at.dy - fw_grid_y(grid, pose.cell));
}

bool fw__swept_cells_are_inside(const fw_swept_cells_t * swept, const fw_grid_t * grid)
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
