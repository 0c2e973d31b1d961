#include "ros/planner_node/sweep.h"

#include <math.h>

// In cells: what is nearer than this is touched, and what overlaps by less is not.
static const double TOUCH = 1e-6;

// In cells, along the grid's axes.
typedef struct line_t {
  point_t a, b;
} line_t;

static double clamp(double value, double low, double high) { return fmin(fmax(value, low), high); }

static double distance_to_box(point_t point, point_t corner)
{
  return hypot(point.x - clamp(point.x, corner.x, corner.x + 1.0), point.y - clamp(point.y, corner.y, corner.y + 1.0));
}

static double distance_to_line(point_t point, const line_t * line)
{
  const double dx = line->b.x - line->a.x, dy = line->b.y - line->a.y;
  const double square = dx * dx + dy * dy;
  const double along = (point.x - line->a.x) * dx + (point.y - line->a.y) * dy;
  const double share = square > 0.0 ? clamp(along / square, 0.0, 1.0) : 0.0;
  return hypot(point.x - line->a.x - share * dx, point.y - line->a.y - share * dy);
}

// The part of the line, as shares of it, where a coordinate that runs from `a` to `b` is between `low` and `high`.
static void clip(double a, double b, double low, double high, double * begin, double * end)
{
  if (a == b) {
    if (a < low || a > high) {
      *end = -1.0;
    }
    return;
  }
  const double one = (low - a) / (b - a), two = (high - a) / (b - a);
  *begin = fmax(*begin, fmin(one, two));
  *end = fmin(*end, fmax(one, two));
}

// Between a line and a cell that do not meet, the nearest is an end of the one or a corner of the other.
static double distance_to_cell(const line_t * line, point_t corner)
{
  double begin = 0.0, end = 1.0;
  clip(line->a.x, line->b.x, corner.x, corner.x + 1.0, &begin, &end);
  clip(line->a.y, line->b.y, corner.y, corner.y + 1.0, &begin, &end);
  if (begin <= end) {
    return 0.0;
  }
  double nearest = fmin(distance_to_box(line->a, corner), distance_to_box(line->b, corner));
  for (int32_t k = 0; k < 4; ++k) {
    const point_t point = {corner.x + (double)(k % 2), corner.y + (double)(k / 2)};
    nearest = fmin(nearest, distance_to_line(point, line));
  }
  return nearest;
}

static int32_t to_index(double coordinate, int32_t count)
{
  return (int32_t)clamp(floor(coordinate), 0.0, (double)(count - 1));
}

// Where the line passes near a row, so that a long one is not looked for in every cell of the grid.
static bool find_columns(const line_t * line, int32_t row, double reach, double * low, double * high)
{
  double begin = 0.0, end = 1.0;
  clip(line->a.y, line->b.y, (double)row - reach, (double)row + 1.0 + reach, &begin, &end);
  const double one = line->a.x + begin * (line->b.x - line->a.x);
  const double two = line->a.x + end * (line->b.x - line->a.x);
  *low = fmin(one, two) - reach;
  *high = fmax(one, two) + reach;
  return begin <= end;
}

bool sweep_cells(
  const sweep_t * sweep, const frame_t * frame, bool (*visit)(void * context, fw_cell_t cell), void * context)
{
  const line_t line = {frame_coordinates(frame, sweep->from), frame_coordinates(frame, sweep->to)};
  const double radius = sweep->radius / frame->resolution;
  const double near = fmax(radius - TOUCH, TOUCH);
  const double reach = near + TOUCH;
  const double low_y = fmin(line.a.y, line.b.y) - reach, high_y = fmax(line.a.y, line.b.y) + reach;
  if (high_y < 0.0 || low_y >= (double)frame->height) {
    return true;
  }
  for (int32_t y = to_index(low_y, frame->height); y <= to_index(high_y, frame->height); ++y) {
    double low_x, high_x;
    if (!find_columns(&line, y, reach, &low_x, &high_x) || high_x < 0.0 || low_x >= (double)frame->width) {
      continue;
    }
    for (int32_t x = to_index(low_x, frame->width); x <= to_index(high_x, frame->width); ++x) {
      const bool is_touched = distance_to_cell(&line, (point_t){(double)x, (double)y}) <= near;
      if (is_touched && !visit(context, y * frame->width + x)) {
        return false;
      }
    }
  }
  return true;
}
