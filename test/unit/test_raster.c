// Rectangles and moving discs visit exactly the cells that they touch, as a look at every cell of the grid says; bad
// input visits none.

#include "controller/map/raster.h"

#include <float.h>
#include <math.h>

#include "base/rng.h"
#include "support/test.h"

enum { CELLS_MAX = 1024 };

// ---- what was visited

typedef struct visits_t {
  bool has[CELLS_MAX];
  int32_t count;
  fw_cell_t last;
} visits_t;

static void note(void * context, fw_cell_t cell)
{
  visits_t * visits = context;
  assert_true(cell >= 0 && cell < CELLS_MAX);
  assert_true(visits->count == 0 || cell > visits->last);  // ascending, so each cell once
  visits->has[cell] = true;
  visits->last = cell;
  ++visits->count;
}

static void note_run(void * context, fw_cell_t first, int32_t count)
{
  assert_true(count > 0);
  for (int32_t k = 0; k < count; ++k) {
    note(context, first + k);
  }
}

// The same cells one by one and in runs.
static visits_t visit_rectangle(const fw_map_frame_t * frame, fw_raster_rectangle_t rectangle)
{
  visits_t visits = {0}, in_runs = {0};
  const fw_raster_visitor_t runs = {.visit_run = note_run, .context = &in_runs};
  assert_true(fw__raster_visit_rectangle(frame, &rectangle, (fw_raster_visitor_t){.visit = note, .context = &visits}));
  assert_true(fw__raster_visit_rectangle(frame, &rectangle, runs));
  assert_memory_equal(visits.has, in_runs.has, sizeof visits.has);
  return visits;
}

static visits_t visit_sweep(const fw_map_frame_t * frame, fw_raster_sweep_t sweep)
{
  visits_t visits = {0};
  assert_true(fw__raster_visit_sweep(frame, &sweep, (fw_raster_visitor_t){.visit = note, .context = &visits}));
  return visits;
}

// The visited cells as rows of '#' and '.', row 0 first.
static void assert_drawing(const fw_map_frame_t * frame, const visits_t * visits, const char * const * rows)
{
  for (int32_t y = 0; y < frame->height; ++y) {
    char row[64] = {0};
    for (int32_t x = 0; x < frame->width; ++x) {
      row[x] = visits->has[y * frame->width + x] ? '#' : '.';
    }
    assert_string_equal(row, rows[y]);
  }
}

static double uniform(fw_rng_t * rng, double low, double high)
{
  return low + (high - low) * (double)(fw__rng_next(rng) >> 11) * 0x1p-53;
}

// ---- references, in long double and for one cell at a time

typedef struct exact_point_t {
  long double x, y;
} exact_point_t;

static exact_point_t exact_coordinates(const fw_map_frame_t * frame, fw_point_t point)
{
  const long double c = cosl((long double)frame->yaw), s = sinl((long double)frame->yaw);
  const long double dx = (long double)point.x - (long double)frame->origin.x;
  const long double dy = (long double)point.y - (long double)frame->origin.y;
  const long double resolution = (long double)frame->resolution;
  return (exact_point_t){(c * dx + s * dy) / resolution, (c * dy - s * dx) / resolution};
}

// How far a rectangle and a cell are from the limit between overlapping (above 0) and touching, by separating axes.
static long double overlap_margin(const fw_map_frame_t * frame, const fw_raster_rectangle_t * rectangle, int32_t cell)
{
  const exact_point_t centre = exact_coordinates(frame, rectangle->centre);
  const long double half[2] = {
    (long double)rectangle->length / 2.0L / (long double)frame->resolution,
    (long double)rectangle->width / 2.0L / (long double)frame->resolution};
  const long double turn = (long double)rectangle->yaw - (long double)frame->yaw;
  const exact_point_t own[2] = {{cosl(turn), sinl(turn)}, {-sinl(turn), cosl(turn)}};
  const exact_point_t axes[4] = {{1.0L, 0.0L}, {0.0L, 1.0L}, own[0], own[1]};
  const long double dx = (long double)(cell % frame->width) + 0.5L - centre.x;
  const long double dy = (long double)(cell / frame->width) + 0.5L - centre.y;
  long double margin = LDBL_MAX;
  for (int32_t k = 0; k < 4; ++k) {
    const exact_point_t u = axes[k];
    const long double of_rectangle =
      half[0] * fabsl(u.x * own[0].x + u.y * own[0].y) + half[1] * fabsl(u.x * own[1].x + u.y * own[1].y);
    const long double of_cell = (fabsl(u.x) + fabsl(u.y)) / 2.0L;
    const long double tolerance = fminl((long double)FW_RASTER_TOUCH, of_rectangle / 2.0L);
    margin = fminl(margin, of_rectangle + of_cell - tolerance - fabsl(u.x * dx + u.y * dy));
  }
  return margin;
}

typedef struct polygon_t {
  exact_point_t corners[16];
  int32_t count;
} polygon_t;

// What of a polygon lies where a * x + b * y <= c (Sutherland and Hodgman).
static polygon_t cut(const polygon_t * polygon, long double a, long double b, long double c)
{
  polygon_t rest = {.count = 0};
  for (int32_t k = 0; k < polygon->count; ++k) {
    const exact_point_t p = polygon->corners[k], q = polygon->corners[(k + 1) % polygon->count];
    const long double at_p = a * p.x + b * p.y - c, at_q = a * q.x + b * q.y - c;
    if (at_p <= 0.0L) {
      rest.corners[rest.count++] = p;
    }
    if ((at_p < 0.0L && at_q > 0.0L) || (at_p > 0.0L && at_q < 0.0L)) {
      const long double share = at_p / (at_p - at_q);
      rest.corners[rest.count++] = (exact_point_t){p.x + share * (q.x - p.x), p.y + share * (q.y - p.y)};
    }
  }
  return rest;
}

// The area, in cells, that a rectangle and a cell have in common.
static long double common_area(const fw_map_frame_t * frame, const fw_raster_rectangle_t * rectangle, int32_t cell)
{
  const exact_point_t centre = exact_coordinates(frame, rectangle->centre);
  const long double turn = (long double)rectangle->yaw - (long double)frame->yaw;
  const long double a = (long double)rectangle->length / 2.0L / (long double)frame->resolution;
  const long double b = (long double)rectangle->width / 2.0L / (long double)frame->resolution;
  polygon_t polygon = {.count = 4};
  const long double signs[4][2] = {{-1.0L, -1.0L}, {1.0L, -1.0L}, {1.0L, 1.0L}, {-1.0L, 1.0L}};
  for (int32_t k = 0; k < 4; ++k) {
    const long double x = signs[k][0] * a, y = signs[k][1] * b;
    polygon.corners[k] =
      (exact_point_t){centre.x + cosl(turn) * x - sinl(turn) * y, centre.y + sinl(turn) * x + cosl(turn) * y};
  }
  const long double x = (long double)(cell % frame->width), y = (long double)(cell / frame->width);
  polygon = cut(&polygon, -1.0L, 0.0L, -x);
  polygon = cut(&polygon, 1.0L, 0.0L, x + 1.0L);
  polygon = cut(&polygon, 0.0L, -1.0L, -y);
  polygon = cut(&polygon, 0.0L, 1.0L, y + 1.0L);
  long double area = 0.0L;
  for (int32_t k = 0; k < polygon.count; ++k) {
    const exact_point_t p = polygon.corners[k], q = polygon.corners[(k + 1) % polygon.count];
    area += (p.x * q.y - q.x * p.y) / 2.0L;
  }
  return area;
}

static long double distance_at(exact_point_t a, exact_point_t b, long double share, exact_point_t corner)
{
  const long double x = a.x + share * (b.x - a.x), y = a.y + share * (b.y - a.y);
  const long double dx = fmaxl(fmaxl(corner.x - x, x - corner.x - 1.0L), 0.0L);
  const long double dy = fmaxl(fmaxl(corner.y - y, y - corner.y - 1.0L), 0.0L);
  return sqrtl(dx * dx + dy * dy);
}

// The distance of a line from a cell. It is convex along the line: ternary search.
static long double exact_distance(const fw_map_frame_t * frame, const fw_raster_sweep_t * sweep, int32_t cell)
{
  const exact_point_t a = exact_coordinates(frame, sweep->from), b = exact_coordinates(frame, sweep->to);
  const exact_point_t corner = {(long double)(cell % frame->width), (long double)(cell / frame->width)};
  long double low = 0.0L, high = 1.0L;
  for (int32_t k = 0; k < 120; ++k) {
    const long double one = low + (high - low) / 3.0L, two = high - (high - low) / 3.0L;
    if (distance_at(a, b, one, corner) <= distance_at(a, b, two, corner)) {
      high = two;
    } else {
      low = one;
    }
  }
  return distance_at(a, b, (low + high) / 2.0L, corner);
}

// ---- rectangles

static const fw_map_frame_t PLAIN = {.resolution = 1.0, .width = 6, .height = 4};

static void a_rectangle_on_the_lines_of_the_grid_covers_its_cells_and_no_neighbour(void ** state)
{
  (void)state;
  const visits_t visits = visit_rectangle(&PLAIN, (fw_raster_rectangle_t){{3.0, 2.0}, 2.0, 2.0, 0.0});
  assert_drawing(&PLAIN, &visits, (const char * const[]){"......", "..##..", "..##..", "......"});
  const visits_t turned = visit_rectangle(&PLAIN, (fw_raster_rectangle_t){{3.0, 2.0}, 2.0, 2.0, acos(-1.0) / 2.0});
  assert_drawing(&PLAIN, &turned, (const char * const[]){"......", "..##..", "..##..", "......"});
  const visits_t larger = visit_rectangle(&PLAIN, (fw_raster_rectangle_t){{3.0, 2.0}, 2.0001, 2.0, 0.0});
  assert_drawing(&PLAIN, &larger, (const char * const[]){"......", ".####.", ".####.", "......"});
}

static void a_diamond_leaves_the_corners_of_its_bounding_box(void ** state)
{
  (void)state;
  const double side = sqrt(2.0);  // half a diagonal is 1: the corners of the cell in the middle are on its sides
  const fw_map_frame_t frame = {.resolution = 1.0, .width = 5, .height = 5};
  const visits_t visits = visit_rectangle(&frame, (fw_raster_rectangle_t){{2.5, 2.5}, side, side, acos(-1.0) / 4.0});
  assert_drawing(&frame, &visits, (const char * const[]){".....", "..#..", ".###.", "..#..", "....."});
}

static void a_rectangle_thinner_than_the_tolerance_is_not_lost(void ** state)
{
  (void)state;
  const visits_t inside = visit_rectangle(&PLAIN, (fw_raster_rectangle_t){{2.5, 1.5}, 1e-12, 1e-12, 0.3});
  assert_drawing(&PLAIN, &inside, (const char * const[]){"......", "..#...", "......", "......"});
  const visits_t on_line = visit_rectangle(&PLAIN, (fw_raster_rectangle_t){{2.0, 1.5}, 1e-9, 0.5, 0.0});
  assert_drawing(&PLAIN, &on_line, (const char * const[]){"......", ".##...", "......", "......"});
}

static void a_huge_rectangle_covers_the_grid_and_a_far_one_nothing(void ** state)
{
  (void)state;
  const fw_map_frame_t frame = {.origin = {-3.0, 2.0}, .yaw = 0.7, .resolution = 0.05, .width = 32, .height = 32};
  const double sizes[] = {1e3, 1e6, 1e9, 1e15, 1e100, 1e300};
  for (int32_t k = 0; k < TEST_COUNT(sizes); ++k) {
    assert_int_equal(visit_rectangle(&frame, (fw_raster_rectangle_t){{0.0, 0.0}, sizes[k], sizes[k], 0.2}).count, 1024);
    const fw_raster_rectangle_t beside = {{sizes[k], 0.0}, sizes[k], sizes[k], 0.0};
    assert_int_equal(visit_rectangle(&frame, beside).count, 0);
    const fw_raster_rectangle_t far = {{sizes[k], -sizes[k]}, 1.0, 1.0, 0.0};
    assert_int_equal(visit_rectangle(&frame, far).count, 0);
  }
  // One side huge: a wall through the whole grid, one row high.
  const fw_map_frame_t flat = {.resolution = 0.5, .width = 32, .height = 32};
  assert_int_equal(visit_rectangle(&flat, (fw_raster_rectangle_t){{0.0, 4.25}, 1e6, 0.5, 0.0}).count, 32);
}

static fw_map_frame_t random_frame(fw_rng_t * rng)
{
  const double yaws[] = {0.0, acos(-1.0) / 2.0, -0.3, uniform(rng, -3.2, 3.2)};
  return (fw_map_frame_t){
    .origin = {uniform(rng, -20.0, 20.0), uniform(rng, -20.0, 20.0)},
    .yaw = yaws[fw__rng_below(rng, 4)],
    .resolution = uniform(rng, 0.05, 1.0),
    .width = 1 + fw__rng_below(rng, 24),
    .height = 1 + fw__rng_below(rng, 24)};
}

// A point near the grid, `spread` grid sizes around its middle.
static fw_point_t random_point(fw_rng_t * rng, const fw_map_frame_t * frame, double spread)
{
  const double x = (uniform(rng, -0.5, 0.5) * spread + 0.5) * (double)frame->width * frame->resolution;
  const double y = (uniform(rng, -0.5, 0.5) * spread + 0.5) * (double)frame->height * frame->resolution;
  return (fw_point_t){
    frame->origin.x + cos(frame->yaw) * x - sin(frame->yaw) * y,
    frame->origin.y + sin(frame->yaw) * x + cos(frame->yaw) * y};
}

static fw_raster_rectangle_t random_rectangle(fw_rng_t * rng, const fw_map_frame_t * frame, double largest_exponent)
{
  const double size = (double)(frame->width + frame->height) * frame->resolution;
  const bool is_huge = fw__rng_below(rng, 2) == 0;
  const double scale = is_huge ? pow(10.0, uniform(rng, -9.0, largest_exponent)) : 1.0;
  fw_raster_rectangle_t rectangle = {
    .centre = random_point(rng, frame, 1.5),
    .length = uniform(rng, 1e-6, size) * scale,
    .width = uniform(rng, 1e-6, size) * (fw__rng_below(rng, 2) == 0 ? scale : 0.1),
    .yaw = fw__rng_below(rng, 3) == 0 ? frame->yaw : uniform(rng, -7.0, 7.0)};
  if (is_huge && fw__rng_below(rng, 2) == 0) {  // its centre is far away, too; it may still reach the grid
    rectangle.centre.x += uniform(rng, -0.6, 0.6) * rectangle.length * cos(rectangle.yaw);
    rectangle.centre.y += uniform(rng, -0.6, 0.6) * rectangle.length * sin(rectangle.yaw);
  }
  return rectangle;
}

// What rounding may change, in cells.
static long double rounding_of(const fw_map_frame_t * frame, const fw_raster_rectangle_t * rectangle)
{
  const long double size = fabsl((long double)rectangle->centre.x) + fabsl((long double)rectangle->centre.y) + 40.0L +
                           (long double)rectangle->length + (long double)rectangle->width;
  return 1e-12L + 1e-13L * (size / (long double)frame->resolution);
}

static void rectangles_cover_the_cells_of_the_reference(void ** state)
{
  (void)state;
  fw_rng_t rng = fw__rng(1);
  int64_t cells = 0, unclear = 0, covered = 0, large = 0;
  for (int32_t round = 0; round < test_rounds(4000); ++round) {
    const fw_map_frame_t frame = random_frame(&rng);
    const fw_raster_rectangle_t rectangle = random_rectangle(&rng, &frame, round % 2 == 0 ? 5.0 : 290.0);
    const visits_t visits = visit_rectangle(&frame, rectangle);
    const visits_t again = visit_rectangle(&frame, rectangle);
    assert_memory_equal(visits.has, again.has, sizeof(visits.has));
    const long double rounding = rounding_of(&frame, &rectangle);
    const bool is_large = rounding > 1e-6L;
    large += is_large ? 1 : 0;
    for (int32_t cell = 0; cell < frame.width * frame.height; ++cell) {
      const long double margin = overlap_margin(&frame, &rectangle, cell);
      cells += is_large ? 0 : 1;
      if (fabsl(margin) <= rounding) {
        unclear += is_large ? 0 : 1;
        assert_true(margin < 0.0L || visits.has[cell] || margin < 1e-12L);  // rounding never loses a cell
        continue;
      }
      covered += margin > 0.0L ? 1 : 0;
      assert_int_equal(visits.has[cell], margin > 0.0L);
      if (!is_large) {
        const long double area = common_area(&frame, &rectangle, cell);
        const long double sides = (long double)(rectangle.length * rectangle.width);
        assert_true(visits.has[cell] || area <= 1e-4L);
        assert_true(!visits.has[cell] || area > 0.0L || sides < 1e-6L);
      }
    }
  }
  assert_true(covered > cells / 50 && covered < cells);
  assert_true(unclear * 1000 < cells);
  assert_true(large > 100);
}

static void rounding_errors_of_large_rectangles_lose_no_cell(void ** state)
{
  (void)state;
  fw_rng_t rng = fw__rng(3);
  int32_t near = 0;
  for (int32_t round = 0; round < test_rounds(2000); ++round) {
    const fw_map_frame_t frame = random_frame(&rng);
    const double length = pow(10.0, uniform(&rng, 11.0, 15.0)), yaw = uniform(&rng, -4.0, 4.0);
    const fw_point_t end = random_point(&rng, &frame, 1.0);  // the middle of one side lies on the grid
    const fw_point_t centre = {end.x + 0.5 * length * cos(yaw), end.y + 0.5 * length * sin(yaw)};
    const fw_raster_rectangle_t rectangle = {centre, length, length, yaw};
    const visits_t visits = visit_rectangle(&frame, rectangle);
    for (int32_t cell = 0; cell < frame.width * frame.height; ++cell) {
      const long double margin = overlap_margin(&frame, &rectangle, cell), accuracy = 1e-17L * (long double)length;
      near += margin > 0.0L && margin < 0.2L ? 1 : 0;
      assert_true(visits.has[cell] || margin <= accuracy / (long double)frame.resolution);
    }
  }
  assert_true(near > 100);
}

// ---- moving discs

static void a_disc_touches_the_cells_of_its_way(void ** state)
{
  (void)state;
  const visits_t disc = visit_sweep(&PLAIN, (fw_raster_sweep_t){{2.5, 1.5}, {2.5, 1.5}, 0.5});
  assert_drawing(&PLAIN, &disc, (const char * const[]){"......", "..#...", "......", "......"});
  const visits_t straight = visit_sweep(&PLAIN, (fw_raster_sweep_t){{0.5, 1.5}, {3.5, 1.5}, 0.5});
  assert_drawing(&PLAIN, &straight, (const char * const[]){"......", "####..", "......", "......"});
  const visits_t wide = visit_sweep(&PLAIN, (fw_raster_sweep_t){{2.5, 1.5}, {3.5, 1.5}, 0.51});
  assert_drawing(&PLAIN, &wide, (const char * const[]){"..##..", ".####.", "..##..", "......"});
  const visits_t diagonal = visit_sweep(&PLAIN, (fw_raster_sweep_t){{1.5, 0.5}, {2.5, 1.5}, 0.5});
  assert_drawing(&PLAIN, &diagonal, (const char * const[]){".##...", ".##...", "......", "......"});
}

static void a_line_on_an_edge_touches_both_cells_and_through_a_corner_all_four(void ** state)
{
  (void)state;
  const visits_t edge = visit_sweep(&PLAIN, (fw_raster_sweep_t){{2.0, 1.25}, {2.0, 1.75}, 0.0});
  assert_drawing(&PLAIN, &edge, (const char * const[]){"......", ".##...", "......", "......"});
  const visits_t beside = visit_sweep(&PLAIN, (fw_raster_sweep_t){{2.0 + 5e-7, 1.25}, {2.0 + 5e-7, 1.75}, 0.0});
  assert_drawing(&PLAIN, &beside, (const char * const[]){"......", ".##...", "......", "......"});
  const visits_t apart = visit_sweep(&PLAIN, (fw_raster_sweep_t){{2.0 + 2e-6, 1.25}, {2.0 + 2e-6, 1.75}, 0.0});
  assert_drawing(&PLAIN, &apart, (const char * const[]){"......", "..#...", "......", "......"});
  const visits_t corner = visit_sweep(&PLAIN, (fw_raster_sweep_t){{2.5, 1.5}, {3.5, 2.5}, 0.0});
  assert_drawing(&PLAIN, &corner, (const char * const[]){"......", "..##..", "..##..", "......"});
}

static void discs_touch_the_cells_of_the_reference(void ** state)
{
  (void)state;
  fw_rng_t rng = fw__rng(2);
  int64_t cells = 0, unclear = 0, touched = 0;
  for (int32_t round = 0; round < test_rounds(300); ++round) {
    const fw_map_frame_t frame = random_frame(&rng);
    const double spread = round % 3 == 0 ? pow(10.0, uniform(&rng, 0.0, 6.0)) : 1.5;
    fw_raster_sweep_t sweep = {random_point(&rng, &frame, spread), random_point(&rng, &frame, spread), 0.0};
    sweep.to = round % 7 == 0 ? sweep.from : sweep.to;
    sweep.radius = round % 5 == 0 ? 0.0 : uniform(&rng, 0.0, 3.0) * frame.resolution;
    sweep.radius *= round % 11 == 0 ? spread : 1.0;
    const visits_t visits = visit_sweep(&frame, sweep);
    const visits_t again = visit_sweep(&frame, sweep);
    assert_memory_equal(visits.has, again.has, sizeof(visits.has));
    const long double radius = (long double)sweep.radius / (long double)frame.resolution;
    const long double near = fmaxl(radius - (long double)FW_RASTER_TOUCH, (long double)FW_RASTER_TOUCH);
    const long double rounding = 1e-10L + 1e-12L * (long double)spread * (long double)(frame.width + frame.height);
    for (int32_t cell = 0; cell < frame.width * frame.height; ++cell) {
      const long double margin = near - exact_distance(&frame, &sweep, cell);
      ++cells;
      if (fabsl(margin) <= rounding) {
        ++unclear;
        continue;
      }
      touched += margin > 0.0L ? 1 : 0;
      assert_int_equal(visits.has[cell], margin > 0.0L);
    }
  }
  assert_true(touched > cells / 50 && touched < cells);
  assert_true(unclear * 1000 < cells);
}

static void the_largest_sweeps_are_bounded(void ** state)
{
  (void)state;
  const fw_map_frame_t frame = {.origin = {5.0, 5.0}, .yaw = 0.4, .resolution = 0.5, .width = 32, .height = 32};
  const double far = FW_RASTER_SWEEP_MAX;
  assert_int_equal(visit_sweep(&frame, (fw_raster_sweep_t){{-far, 3.0}, {far, 3.0}, far}).count, 1024);
  const visits_t line = visit_sweep(&frame, (fw_raster_sweep_t){{-far, 10.0}, {far, 10.0}, 0.2});
  assert_true(line.count >= 32 && line.count < 160);
  assert_int_equal(visit_sweep(&frame, (fw_raster_sweep_t){{-far, -9.0}, {far, -9.0}, 0.2}).count, 0);
  assert_int_equal(visit_sweep(&frame, (fw_raster_sweep_t){{far, far}, {far, far}, 10.0}).count, 0);
}

// ---- bad input

static void refuse_rectangle(fw_map_frame_t frame, fw_raster_rectangle_t rectangle)
{
  visits_t visits = {0};
  assert_false(
    fw__raster_visit_rectangle(&frame, &rectangle, (fw_raster_visitor_t){.visit = note, .context = &visits}));
  assert_int_equal(visits.count, 0);
}

static void refuse_sweep(fw_map_frame_t frame, fw_raster_sweep_t sweep)
{
  visits_t visits = {0};
  assert_false(fw__raster_visit_sweep(&frame, &sweep, (fw_raster_visitor_t){.visit = note, .context = &visits}));
  assert_int_equal(visits.count, 0);
}

static void bad_numbers_are_refused_and_visit_nothing(void ** state)
{
  (void)state;
  const double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY, 1.7e308};
  for (int32_t k = 0; k < TEST_COUNT(bad); ++k) {
    const double b = bad[k];
    refuse_rectangle(PLAIN, (fw_raster_rectangle_t){{b, 1.0}, 1.0, 1.0, 0.0});
    refuse_rectangle(PLAIN, (fw_raster_rectangle_t){{1.0, b}, 1.0, 1.0, 0.0});
    refuse_rectangle(PLAIN, (fw_raster_rectangle_t){{1.0, 1.0}, b, 1.0, 0.0});
    refuse_rectangle(PLAIN, (fw_raster_rectangle_t){{1.0, 1.0}, 1.0, b, 0.0});
    refuse_rectangle(PLAIN, (fw_raster_rectangle_t){{1.0, 1.0}, 1.0, 1.0, b});
    refuse_sweep(PLAIN, (fw_raster_sweep_t){{b, 1.0}, {1.0, 1.0}, 1.0});
    refuse_sweep(PLAIN, (fw_raster_sweep_t){{1.0, b}, {1.0, 1.0}, 1.0});
    refuse_sweep(PLAIN, (fw_raster_sweep_t){{1.0, 1.0}, {b, 1.0}, 1.0});
    refuse_sweep(PLAIN, (fw_raster_sweep_t){{1.0, 1.0}, {1.0, b}, 1.0});
    refuse_sweep(PLAIN, (fw_raster_sweep_t){{1.0, 1.0}, {1.0, 1.0}, b});
    const fw_map_frame_t frames[] = {
      {.origin = {b, 0.0}, .resolution = 1.0, .width = 4, .height = 4},
      {.origin = {0.0, b}, .resolution = 1.0, .width = 4, .height = 4},
      {.yaw = b, .resolution = 1.0, .width = 4, .height = 4},
      {.resolution = b, .width = 4, .height = 4}};
    for (int32_t f = 0; f < TEST_COUNT(frames); ++f) {
      refuse_rectangle(frames[f], (fw_raster_rectangle_t){{1.0, 1.0}, 1.0, 1.0, 0.0});
      refuse_sweep(frames[f], (fw_raster_sweep_t){{1.0, 1.0}, {1.0, 1.0}, 1.0});
    }
  }
  refuse_rectangle(PLAIN, (fw_raster_rectangle_t){{1.0, 1.0}, 0.0, 1.0, 0.0});
  refuse_rectangle(PLAIN, (fw_raster_rectangle_t){{1.0, 1.0}, 1.0, -1.0, 0.0});
  refuse_sweep(PLAIN, (fw_raster_sweep_t){{1.0, 1.0}, {1.0, 1.0}, -1e-9});
  refuse_sweep((fw_map_frame_t){.resolution = 0.0, .width = 4, .height = 4}, (fw_raster_sweep_t){.radius = 1.0});
  refuse_sweep((fw_map_frame_t){.resolution = 1.0, .width = 0, .height = 4}, (fw_raster_sweep_t){.radius = 1.0});
  refuse_sweep(
    (fw_map_frame_t){.resolution = 1.0, .width = 65536, .height = 65536}, (fw_raster_sweep_t){.radius = 1.0});
}

int main(void)
{
  const struct CMUnitTest tests[] = {
    cmocka_unit_test(a_rectangle_on_the_lines_of_the_grid_covers_its_cells_and_no_neighbour),
    cmocka_unit_test(a_diamond_leaves_the_corners_of_its_bounding_box),
    cmocka_unit_test(a_rectangle_thinner_than_the_tolerance_is_not_lost),
    cmocka_unit_test(a_huge_rectangle_covers_the_grid_and_a_far_one_nothing),
    cmocka_unit_test(rectangles_cover_the_cells_of_the_reference),
    cmocka_unit_test(rounding_errors_of_large_rectangles_lose_no_cell),
    cmocka_unit_test(a_disc_touches_the_cells_of_its_way),
    cmocka_unit_test(a_line_on_an_edge_touches_both_cells_and_through_a_corner_all_four),
    cmocka_unit_test(discs_touch_the_cells_of_the_reference),
    cmocka_unit_test(the_largest_sweeps_are_bounded),
    cmocka_unit_test(bad_numbers_are_refused_and_visit_nothing),
  };
  return TEST_RUN(tests);
}
