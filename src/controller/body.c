// Footprints and discs on the planning grid. See body.h.

#include "controller/body.h"

#include <math.h>
#include <stdlib.h>

#include "base/assert.h"

static const double EIGHTH_TURN = 0.78539816339744831;  // radians between two headings
// In cells: a cell nearer to the disc than this is touched, and one that the disc overlaps by less is not.
static const double TOUCH = 1e-6;

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

// ---- discs

// A line in cells, along the grid's axes.
typedef struct sweep_line_t {
  fw_point_t a, b;
} sweep_line_t;

static double clamp(double value, double low, double high) { return fmin(fmax(value, low), high); }

static double distance_to_box(fw_point_t point, fw_point_t corner)
{
  return hypot(point.x - clamp(point.x, corner.x, corner.x + 1.0), point.y - clamp(point.y, corner.y, corner.y + 1.0));
}

static double distance_to_line(fw_point_t point, const sweep_line_t * line)
{
  const double dx = line->b.x - line->a.x, dy = line->b.y - line->a.y;
  const double square = dx * dx + dy * dy;
  const double along = (point.x - line->a.x) * dx + (point.y - line->a.y) * dy;
  const double share = square > 0.0 ? clamp(along / square, 0.0, 1.0) : 0.0;
  return hypot(point.x - line->a.x - share * dx, point.y - line->a.y - share * dy);
}

typedef struct sweep_range_t {
  double from;
  double to;
} sweep_range_t;

// Clips a part of a line, given in fractions of the line, to where a coordinate that runs over `run` along the whole
// line is within `band`. The part is empty if to < from.
static void clip(sweep_range_t * part, sweep_range_t run, sweep_range_t band)
{
  if (run.from == run.to) {
    if (run.from < band.from || run.from > band.to) {
      part->to = -1.0;
    }
    return;
  }
  const double one = (band.from - run.from) / (run.to - run.from), two = (band.to - run.from) / (run.to - run.from);
  part->from = fmax(part->from, fmin(one, two));
  part->to = fmin(part->to, fmax(one, two));
}

// The distance between a line and the cell with this lower corner. If they do not meet, the nearest point is an end of
// the line or a corner of the cell.
static double distance_to_cell(const sweep_line_t * line, fw_point_t corner)
{
  sweep_range_t part = {0.0, 1.0};
  clip(&part, (sweep_range_t){line->a.x, line->b.x}, (sweep_range_t){corner.x, corner.x + 1.0});
  clip(&part, (sweep_range_t){line->a.y, line->b.y}, (sweep_range_t){corner.y, corner.y + 1.0});
  if (part.from <= part.to) {
    return 0.0;
  }
  double nearest = fmin(distance_to_box(line->a, corner), distance_to_box(line->b, corner));
  for (int32_t k = 0; k < 4; ++k) {
    const fw_point_t point = {corner.x + (double)(k % 2), corner.y + (double)(k / 2)};
    nearest = fmin(nearest, distance_to_line(point, line));
  }
  return nearest;
}

static int32_t to_index(double coordinate, int32_t count)
{
  return (int32_t)clamp(floor(coordinate), 0.0, (double)(count - 1));
}

// The columns in which the line passes within `reach` of a row, so that a long line does not cost a look at every cell.
// False if it does not pass near the row.
static bool find_columns(const sweep_line_t * line, int32_t row, double reach, sweep_range_t * columns)
{
  sweep_range_t part = {0.0, 1.0};
  clip(&part, (sweep_range_t){line->a.y, line->b.y}, (sweep_range_t){(double)row - reach, (double)row + 1.0 + reach});
  const double one = line->a.x + part.from * (line->b.x - line->a.x);
  const double two = line->a.x + part.to * (line->b.x - line->a.x);
  *columns = (sweep_range_t){fmin(one, two) - reach, fmax(one, two) + reach};
  return part.from <= part.to;
}

void fw__disc_visit_cells(
  const fw_swept_disc_t * sweep, const fw_map_frame_t * frame, void (*visit)(void * context, fw_cell_t cell),
  void * context)
{
  FW_ASSERT(frame->resolution > 0.0 && sweep->radius >= 0.0);
  const sweep_line_t line = {
    fw__map_frame_coordinates(frame, sweep->from), fw__map_frame_coordinates(frame, sweep->to)};
  const double radius = sweep->radius / frame->resolution;
  const double near = fmax(radius - TOUCH, TOUCH);
  const double reach = near + TOUCH;
  const double low_y = fmin(line.a.y, line.b.y) - reach, high_y = fmax(line.a.y, line.b.y) + reach;
  if (high_y < 0.0 || low_y >= (double)frame->height) {
    return;
  }
  for (int32_t y = to_index(low_y, frame->height); y <= to_index(high_y, frame->height); ++y) {
    sweep_range_t columns;
    if (!find_columns(&line, y, reach, &columns) || columns.to < 0.0 || columns.from >= (double)frame->width) {
      continue;
    }
    for (int32_t x = to_index(columns.from, frame->width); x <= to_index(columns.to, frame->width); ++x) {
      if (distance_to_cell(&line, (fw_point_t){(double)x, (double)y}) <= near) {
        visit(context, y * frame->width + x);
      }
    }
  }
}

// ---- a body where it is measured

void fw__robot_body_visit_touched_cells(
  const fw_measured_body_t * measured, const fw_map_frame_t * frame, void (*visit)(void * context, fw_cell_t cell),
  void * context)
{
  const fw_grid_t size = {.width = frame->width, .height = frame->height};
  const fw_robot_body_t * body = measured->body;
  const fw_grid_pose_t place = fw__robot_body_place(body, frame, 8, measured->pose);
  const double turn = body->turn_ticks > 0 ? measured->pose.yaw : frame->yaw;
  for (int32_t k = 0; k < body->outline->counts[0]; ++k) {
    const double dx = (double)body->outline->cells[0][k].dx * frame->resolution;
    const double dy = (double)body->outline->cells[0][k].dy * frame->resolution;
    const fw_point_t at = {
      measured->pose.point.x + cos(turn) * dx - sin(turn) * dy,
      measured->pose.point.y + sin(turn) * dx + cos(turn) * dy,
    };
    const fw_swept_disc_t disc = {at, at, measured->radius};
    fw__disc_visit_cells(&disc, frame, visit, context);
  }
  for (int32_t k = 0; place.cell != FW_CELL_NONE && k < fw__robot_body_cell_count(body, place); ++k) {
    const fw_cell_t cell = fw__robot_body_cell(body, &size, place, k);
    if (cell != FW_CELL_NONE) {
      visit(context, cell);
    }
  }
}
