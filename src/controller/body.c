// Footprints on the planning grid. See body.h.

#include "controller/body.h"

#include <math.h>
#include <stdlib.h>

#include "base/assert.h"
#include "controller/metres.h"

static const double EIGHTH_TURN = 0.78539816339744831;  // radians between two headings

fw_grid_pose_t fw__robot_body_place(
  const fw_robot_body_t * body, const fw_map_frame_t * frame, int32_t connectivity, fw_pose_t pose)
{
  fw_grid_pose_t place = {.cell = fw__map_frame_cell(frame, pose.point)};
  if (body->turn_ticks > 0) {
    const int32_t step = fw__heading_step(connectivity);
    const double turn = remainder(pose.yaw - frame->yaw, 8.0 * EIGHTH_TURN);
    const int32_t steps = (int32_t)lround(turn / (EIGHTH_TURN * (double)step));
    place.heading = (steps * step + FW_HEADING_COUNT) % FW_HEADING_COUNT;
  }
  FW_ASSERT(place.heading >= 0 && place.heading < FW_HEADING_COUNT);
  return place;
}

fw_cell_t fw__robot_body_cell(const fw_robot_body_t * body, const fw_grid_t * grid, fw_grid_pose_t place, int32_t index)
{
  FW_ASSERT(place.cell >= 0 && place.cell < fw_grid_cell_count(grid));
  FW_ASSERT(index >= 0 && index < fw__robot_body_cell_count(body, place));
  const fw_offset_t offset = body->outline->cells[place.heading][index];
  const int32_t x = fw_grid_x(grid, place.cell) + offset.dx, y = fw_grid_y(grid, place.cell) + offset.dy;
  return fw_grid_contains(grid, x, y) ? fw_grid_cell(grid, x, y) : FW_CELL_NONE;
}

bool fw__robot_body_fits(const fw_robot_body_t * body, const fw_grid_t * grid, fw_grid_pose_t place)
{
  bool fits = true;
  for (int32_t k = 0; fits && k < fw__robot_body_cell_count(body, place); ++k) {
    const fw_cell_t cell = fw__robot_body_cell(body, grid, place, k);
    fits = cell != FW_CELL_NONE && grid->cost[cell] != 0;
  }
  return fits;
}

bool fw__robot_body_fits_on(const fw_robot_body_t * body, const fw_grid_t * grid, int32_t connectivity, fw_cell_t cell)
{
  const int32_t step = fw__heading_step(connectivity);
  bool fits = fw__robot_body_fits(body, grid, (fw_grid_pose_t){.cell = cell});
  for (int32_t heading = step; !fits && body->turn_ticks > 0 && heading < FW_HEADING_COUNT; heading += step) {
    fits = fw__robot_body_fits(body, grid, (fw_grid_pose_t){cell, heading});
  }
  return fits;
}

bool fw__robot_bodies_overlap(fw_placed_body_t one, fw_placed_body_t two, int32_t grid_width)
{
  const int32_t dx = two.place.cell % grid_width - one.place.cell % grid_width;
  const int32_t dy = two.place.cell / grid_width - one.place.cell / grid_width;
  const int32_t reach = one.body->outline->reach + two.body->outline->reach;
  if (abs(dx) > reach || abs(dy) > reach) {
    return false;
  }
  for (int32_t i = 0; i < fw__robot_body_cell_count(one.body, one.place); ++i) {
    const fw_offset_t a = one.body->outline->cells[one.place.heading][i];
    for (int32_t j = 0; j < fw__robot_body_cell_count(two.body, two.place); ++j) {
      const fw_offset_t b = two.body->outline->cells[two.place.heading][j];
      if (a.dx == b.dx + dx && a.dy == b.dy + dy) {
        return true;
      }
    }
  }
  return false;
}

// ---- a body where it is measured

// Not valid if it is farther away than FW_RASTER_SWEEP_MAX: then it touches no cell, either.
static void visit_disc(const fw_map_frame_t * frame, fw_point_t at, double radius, fw_raster_visitor_t visitor)
{
  (void)fw__raster_visit_sweep(frame, &(fw_raster_sweep_t){at, at, radius}, visitor);
}

static void visit_cells_of_discs(
  const fw_measured_body_t * measured, const fw_map_frame_t * frame, fw_raster_visitor_t visitor)
{
  const fw_robot_body_t * body = measured->body;
  const double turn = body->turn_ticks > 0 ? measured->pose.yaw : frame->yaw;
  for (int32_t k = 0; k < body->outline->counts[0]; ++k) {
    const double dx = (double)body->outline->cells[0][k].dx * frame->resolution;
    const double dy = (double)body->outline->cells[0][k].dy * frame->resolution;
    const fw_point_t at = {
      measured->pose.point.x + cos(turn) * dx - sin(turn) * dy,
      measured->pose.point.y + sin(turn) * dx + cos(turn) * dy,
    };
    visit_disc(frame, at, measured->radius + measured->growth, visitor);
  }
}

typedef struct hull_visitor_t {
  const fw_measured_body_t * measured;
  const fw_map_frame_t * frame;
  fw_raster_visitor_t to;
} hull_visitor_t;

static void visit_if_touched(void * context, fw_cell_t cell)
{
  const hull_visitor_t * visitor = context;
  const fw_map_frame_t * frame = visitor->frame;
  const fw_point_t at = fw__raster_coordinates(frame, visitor->measured->pose.point);
  // In the frame of the grid, so that the cell is not rotated.
  const fw_pose_t pose = {
    {at.x * frame->resolution, at.y * frame->resolution}, visitor->measured->pose.yaw - frame->yaw};
  const fw_hull_square_t square = {
    {((double)(cell % frame->width) + 0.5) * frame->resolution,
     ((double)(cell / frame->width) + 0.5) * frame->resolution},
    frame->resolution};
  if (fw__hull_distance(visitor->measured->body->hull, pose, square) <= visitor->measured->growth) {
    visitor->to.visit(visitor->to.context, cell);
  }
}

void fw__robot_body_visit_touched_cells(
  const fw_measured_body_t * measured, const fw_map_frame_t * frame, fw_raster_visitor_t visitor)
{
  const fw_grid_t size = {.width = frame->width, .height = frame->height};
  const fw_robot_body_t * body = measured->body;
  const fw_grid_pose_t place = fw__robot_body_place(body, frame, 8, measured->pose);
  if (body->hull == NULL) {
    visit_cells_of_discs(measured, frame, visitor);
  } else {
    // A robot without heading may turn at any moment.
    hull_visitor_t near = {measured, frame, visitor};
    const fw_raster_visitor_t checked = {.visit = visit_if_touched, .context = &near};
    visit_disc(
      frame, measured->pose.point, body->hull->radius + measured->growth, body->turn_ticks > 0 ? checked : visitor);
  }
  for (int32_t k = 0; place.cell != FW_CELL_NONE && k < fw__robot_body_cell_count(body, place); ++k) {
    const fw_cell_t cell = fw__robot_body_cell(body, &size, place, k);
    if (cell != FW_CELL_NONE) {
      visitor.visit(visitor.context, cell);
    }
  }
}
