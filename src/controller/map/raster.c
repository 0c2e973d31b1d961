// Rectangles and moving discs on a grid. See raster.h.

#include "controller/map/raster.h"

#include <float.h>
#include <math.h>

#include "base/assert.h"

static const double RESOLUTION_MIN = 1e-6, RESOLUTION_MAX = 1e6;  // metres
static const double YAW_MAX = 1000.0;                             // radians
// The rounding error of a coordinate, in units of the largest number that takes part: some ten operations, and the
// errors of sine and cosine.
static const double ROUNDING = 32.0 * DBL_EPSILON;

typedef struct raster_interval_t {
  double from;
  double to;
} raster_interval_t;

typedef struct raster_indices_t {
  int32_t first;
  int32_t last;  // less than `first`: none
} raster_indices_t;

static double clamp(double value, double low, double high) { return fmin(fmax(value, low), high); }

// False for values that are not finite, too.
static bool is_within(double value, double limit) { return fabs(value) <= limit; }

bool fw__raster_frame_is_valid(const fw_map_frame_t * frame)
{
  return is_within(frame->origin.x, FW_RASTER_SWEEP_MAX) && is_within(frame->origin.y, FW_RASTER_SWEEP_MAX) &&
         is_within(frame->yaw, YAW_MAX) && frame->resolution >= RESOLUTION_MIN && frame->resolution <= RESOLUTION_MAX &&
         frame->width >= 1 && frame->height >= 1 && frame->width <= INT32_MAX / frame->height;
}

fw_point_t fw__raster_coordinates(const fw_map_frame_t * frame, fw_point_t point)
{
  const double dx = point.x - frame->origin.x, dy = point.y - frame->origin.y;
  return (fw_point_t){
    .x = (cos(frame->yaw) * dx + sin(frame->yaw) * dy) / frame->resolution,
    .y = (cos(frame->yaw) * dy - sin(frame->yaw) * dx) / frame->resolution,
  };
}

// The indices of cells along one side of the grid that an interval, in cells, may touch.
static raster_indices_t find_indices(raster_interval_t interval, int32_t count)
{
  if (!(interval.to >= 0.0 && interval.from <= (double)count)) {
    return (raster_indices_t){0, -1};
  }
  const double last = (double)(count - 1);
  return (raster_indices_t){
    (int32_t)clamp(floor(interval.from), 0.0, last), (int32_t)clamp(floor(interval.to), 0.0, last)};
}

// ---- rectangles
//
// By the separating axis theorem a rectangle and a cell overlap unless they are apart along x, along y, or along one of
// the rectangle's own axes. Along an axis with the unit vector u a cell with the centre q covers <q, u> +- half of
// |u.x| + |u.y|.

typedef struct raster_axis_t {
  double x, y;    // the unit vector, in the grid's axes
  double centre;  // of the rectangle, relative to the origin of the grid, in cells
  double reach;   // a cell overlaps if its centre is nearer to `centre` than this
} raster_axis_t;

typedef struct raster_box_t {
  raster_axis_t along, across;  // the rectangle's own axes
  raster_interval_t x, y;       // the cells' centres that are near enough along the grid's axes
  double rounding;              // in cells
} raster_box_t;

// The distance of two centres below which a cell overlaps a rectangle of half the length `half` along an axis. A
// rectangle that is thinner than the tolerance still overlaps the cells that it lies in, or both beside an edge.
static double reach_along(double half, double cell_half, double rounding)
{
  return half + cell_half - fmin(FW_RASTER_TOUCH, 0.5 * half) + rounding;
}

static raster_axis_t make_axis(fw_point_t unit, double half, fw_point_t centre, double rounding)
{
  return (raster_axis_t){
    .x = unit.x,
    .y = unit.y,
    .centre = unit.x * centre.x + unit.y * centre.y,
    .reach = reach_along(half, 0.5 * (fabs(unit.x) + fabs(unit.y)), rounding),
  };
}

// The largest number in the computation of a coordinate, in cells. A yaw has an error that grows with itself, and moves
// what is far from the origin by as much more.
static double scale_of(const fw_map_frame_t * frame, double metres, double yaw)
{
  const double size = metres + fabs(frame->origin.x) + fabs(frame->origin.y);
  return (size / frame->resolution + (double)frame->width + (double)frame->height) *
         (1.0 + fabs(frame->yaw) + fabs(yaw));
}

static raster_box_t make_box(const fw_map_frame_t * frame, const fw_raster_rectangle_t * rectangle)
{
  const fw_point_t centre = fw__raster_coordinates(frame, rectangle->centre);
  const double length = 0.5 * rectangle->length / frame->resolution, width = 0.5 * rectangle->width / frame->resolution;
  const double metres = fabs(rectangle->centre.x) + fabs(rectangle->centre.y) + rectangle->length + rectangle->width;
  const double rounding = ROUNDING * scale_of(frame, metres, rectangle->yaw);
  const double turn = rectangle->yaw - frame->yaw;
  const fw_point_t unit = {cos(turn), sin(turn)};
  raster_box_t box = {
    .along = make_axis(unit, length, centre, rounding),
    .across = make_axis((fw_point_t){-unit.y, unit.x}, width, centre, rounding),
    .rounding = rounding,
  };
  const double half_x = length * fabs(box.along.x) + width * fabs(box.across.x);
  const double half_y = length * fabs(box.along.y) + width * fabs(box.across.y);
  const double reach_x = reach_along(half_x, 0.5, rounding), reach_y = reach_along(half_y, 0.5, rounding);
  box.x = (raster_interval_t){centre.x - reach_x, centre.x + reach_x};
  box.y = (raster_interval_t){centre.y - reach_y, centre.y + reach_y};
  return box;
}

static bool is_near(const raster_axis_t * axis, double x, double y)
{
  return fabs(axis->x * x + axis->y * y - axis->centre) < axis->reach;
}

static bool box_overlaps(const raster_box_t * box, double x, double y)
{
  return x > box->x.from && x < box->x.to && y > box->y.from && y < box->y.to && is_near(&box->along, x, y) &&
         is_near(&box->across, x, y);
}

// Narrows `range` to the x of centres in the row `y` that may be near along an axis, so that a long and thin rectangle
// does not cost a look at every cell. Only where the division is accurate to far less than a cell.
static void narrow(raster_interval_t * range, const raster_axis_t * axis, double y, double rounding)
{
  if (rounding > 1e-4 || fabs(axis->x) < 1e-3) {
    return;
  }
  const double middle = (axis->centre - axis->y * y) / axis->x, half = axis->reach / fabs(axis->x);
  range->from = fmax(range->from, middle - half);
  range->to = fmin(range->to, middle + half);
}

static bool rectangle_is_valid(const fw_raster_rectangle_t * rectangle)
{
  return is_within(rectangle->centre.x, FW_RASTER_RECTANGLE_MAX) &&
         is_within(rectangle->centre.y, FW_RASTER_RECTANGLE_MAX) && is_within(rectangle->yaw, YAW_MAX) &&
         rectangle->length > 0.0 && rectangle->length <= FW_RASTER_RECTANGLE_MAX && rectangle->width > 0.0 &&
         rectangle->width <= FW_RASTER_RECTANGLE_MAX;
}

bool fw__raster_visit_rectangle(
  const fw_map_frame_t * frame, const fw_raster_rectangle_t * rectangle, fw_raster_visitor_t visitor)
{
  if (!fw__raster_frame_is_valid(frame) || !rectangle_is_valid(rectangle)) {
    return false;
  }
  const raster_box_t box = make_box(frame, rectangle);
  // A cell index is its centre less a half; rounded outwards by up to a cell here.
  const raster_indices_t rows = find_indices((raster_interval_t){box.y.from - 0.5, box.y.to}, frame->height);
  for (int32_t row = rows.first; row <= rows.last; ++row) {
    const double y = (double)row + 0.5;
    raster_interval_t range = box.x;
    narrow(&range, &box.along, y, box.rounding);
    narrow(&range, &box.across, y, box.rounding);
    if (!(range.from <= range.to)) {
      continue;
    }
    raster_indices_t columns = find_indices((raster_interval_t){range.from - 1.0, range.to + 0.5}, frame->width);
    // What overlaps is an interval, and rounding keeps the order of numbers: only its ends need a look.
    while (columns.first <= columns.last && !box_overlaps(&box, (double)columns.first + 0.5, y)) {
      ++columns.first;
    }
    while (columns.first <= columns.last && !box_overlaps(&box, (double)columns.last + 0.5, y)) {
      --columns.last;
    }
    if (visitor.visit_run != NULL && columns.first <= columns.last) {
      visitor.visit_run(visitor.context, row * frame->width + columns.first, columns.last - columns.first + 1);
      continue;
    }
    for (int32_t column = columns.first; column <= columns.last; ++column) {
      FW_ASSERT(box_overlaps(&box, (double)column + 0.5, y));
      visitor.visit(visitor.context, row * frame->width + column);
    }
  }
  return true;
}

// ---- moving discs

// A line in cells, along the grid's axes.
typedef struct raster_line_t {
  fw_point_t a, b;
} raster_line_t;

static double distance_to_box(fw_point_t point, fw_point_t corner)
{
  return hypot(point.x - clamp(point.x, corner.x, corner.x + 1.0), point.y - clamp(point.y, corner.y, corner.y + 1.0));
}

static double distance_to_line(fw_point_t point, const raster_line_t * line)
{
  const double dx = line->b.x - line->a.x, dy = line->b.y - line->a.y;
  const double square = dx * dx + dy * dy;
  const double along = (point.x - line->a.x) * dx + (point.y - line->a.y) * dy;
  const double share = square > 0.0 ? clamp(along / square, 0.0, 1.0) : 0.0;
  return hypot(point.x - line->a.x - share * dx, point.y - line->a.y - share * dy);
}

// Clips a part of a line, given in fractions of the line, to where a coordinate that runs over `run` along the whole
// line is within `band`. The part is empty if to < from.
static void clip(raster_interval_t * part, raster_interval_t run, raster_interval_t band)
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
static double distance_to_cell(const raster_line_t * line, fw_point_t corner)
{
  raster_interval_t part = {0.0, 1.0};
  clip(&part, (raster_interval_t){line->a.x, line->b.x}, (raster_interval_t){corner.x, corner.x + 1.0});
  clip(&part, (raster_interval_t){line->a.y, line->b.y}, (raster_interval_t){corner.y, corner.y + 1.0});
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

// Cuts off what is farther than `reach` from the grid. What remains is short enough for accurate distances. False if
// nothing remains.
static bool clip_to_grid(raster_line_t * line, const fw_map_frame_t * frame, double reach)
{
  const raster_line_t whole = *line;
  raster_interval_t part = {0.0, 1.0};
  const raster_interval_t x = {-reach, (double)frame->width + reach}, y = {-reach, (double)frame->height + reach};
  clip(&part, (raster_interval_t){whole.a.x, whole.b.x}, x);
  clip(&part, (raster_interval_t){whole.a.y, whole.b.y}, y);
  const double dx = whole.b.x - whole.a.x, dy = whole.b.y - whole.a.y;
  if (part.from > 0.0) {
    line->a = (fw_point_t){whole.a.x + part.from * dx, whole.a.y + part.from * dy};
  }
  if (part.to < 1.0) {
    line->b = (fw_point_t){whole.a.x + part.to * dx, whole.a.y + part.to * dy};
  }
  return part.from <= part.to;
}

// The columns in which the line passes within `reach` of a row, so that a long line does not cost a look at every cell.
static raster_indices_t find_columns(
  const raster_line_t * line, int32_t row, double reach, const fw_map_frame_t * frame)
{
  raster_interval_t part = {0.0, 1.0};
  clip(
    &part, (raster_interval_t){line->a.y, line->b.y},
    (raster_interval_t){(double)row - reach, (double)row + 1.0 + reach});
  if (!(part.from <= part.to)) {
    return (raster_indices_t){0, -1};
  }
  const double one = line->a.x + part.from * (line->b.x - line->a.x);
  const double two = line->a.x + part.to * (line->b.x - line->a.x);
  return find_indices((raster_interval_t){fmin(one, two) - reach, fmax(one, two) + reach}, frame->width);
}

static bool sweep_is_valid(const fw_raster_sweep_t * sweep)
{
  return is_within(sweep->from.x, FW_RASTER_SWEEP_MAX) && is_within(sweep->from.y, FW_RASTER_SWEEP_MAX) &&
         is_within(sweep->to.x, FW_RASTER_SWEEP_MAX) && is_within(sweep->to.y, FW_RASTER_SWEEP_MAX) &&
         sweep->radius >= 0.0 && sweep->radius <= FW_RASTER_SWEEP_MAX;
}

bool fw__raster_visit_sweep(const fw_map_frame_t * frame, const fw_raster_sweep_t * sweep, fw_raster_visitor_t visitor)
{
  if (!fw__raster_frame_is_valid(frame) || !sweep_is_valid(sweep)) {
    return false;
  }
  raster_line_t line = {fw__raster_coordinates(frame, sweep->from), fw__raster_coordinates(frame, sweep->to)};
  const double metres =
    fabs(sweep->from.x) + fabs(sweep->from.y) + fabs(sweep->to.x) + fabs(sweep->to.y) + sweep->radius;
  const double rounding = ROUNDING * scale_of(frame, metres, 0.0);
  const double near = fmax(sweep->radius / frame->resolution - FW_RASTER_TOUCH, FW_RASTER_TOUCH) + rounding;
  const double reach = near + FW_RASTER_TOUCH;
  if (!clip_to_grid(&line, frame, reach + 1.0)) {
    return true;
  }
  const raster_interval_t heights = {fmin(line.a.y, line.b.y) - reach, fmax(line.a.y, line.b.y) + reach};
  const raster_indices_t rows = find_indices(heights, frame->height);
  for (int32_t row = rows.first; row <= rows.last; ++row) {
    const raster_indices_t columns = find_columns(&line, row, reach, frame);
    for (int32_t column = columns.first; column <= columns.last; ++column) {
      if (distance_to_cell(&line, (fw_point_t){(double)column, (double)row}) <= near) {
        visitor.visit(visitor.context, row * frame->width + column);
      }
    }
  }
  return true;
}
