// A still picture of a plan as SVG (fw_view_svg): the whole plan, or one tick of it with the window that follows.
//
// Layers from the bottom to the top: obstacles; areas with rules; closures and reservations; paths; goals, robots and
// waits; the ticks of the reservations; the conflict; below the grid the legend. Each layer is a group of functions
// `put_…` that write their elements to the stream; put_layers() fixes the order. Lengths are in cells, since the
// viewBox scales them.

#include <math.h>
#include <string.h>

#include "base/assert.h"
#include "base/error.h"
#include "fleetweave/search.h"
#include "fleetweave/view.h"
#include "view/escape.h"
#include "view/palette.h"
#include "view/reservations.h"
#include "view/view.h"
#include "view/trajectory.h"

#define PICTURE_SIDE 1000.0  // pixels of the longer side
#define HEAD 2.2             // height of title and summary above the grid, in lines of text
#define LEGEND_LINE 1.3      // height of one line of the legend, in lines of text

static const char style[] =
  "<style>\n"
  "  .page, .inverse { fill: " FW_PALETTE_PAGE " } .ticks { stroke: " FW_PALETTE_PAGE
  " } .wall { fill: " FW_PALETTE_WALL " } .edge { fill: none; stroke: " FW_PALETTE_WALL
  " }\n"
  "  text { fill: " FW_PALETTE_TEXT " } .wait circle, .nose { stroke: " FW_PALETTE_PAGE
  " } .closed { stroke: #8d949e }\n"
  "  .hatch { stroke: #8d949e } .legend { fill: #5d646d; stroke: #5d646d }\n"
  "  @media (prefers-color-scheme: dark) {\n"
  "    .page, .inverse { fill: " FW_PALETTE_PAGE_DARK " } .ticks { stroke: " FW_PALETTE_PAGE_DARK
  " } .wall { fill: " FW_PALETTE_WALL_DARK " } .edge { stroke: " FW_PALETTE_WALL_DARK
  " }\n"
  "    text { fill: " FW_PALETTE_TEXT_DARK " } .wait circle, .nose { stroke: " FW_PALETTE_PAGE_DARK
  " } .closed { stroke: #8d949e }\n"
  "    .legend { fill: #a3abb5; stroke: #a3abb5 }\n"
  "  }\n"
  "  text { font-family: sans-serif } .robot text { text-anchor: middle; font-weight: 600 }\n"
  "  polyline { fill: none; stroke-width: 0.14; stroke-linejoin: round; stroke-linecap: round; opacity: 0.8 }\n"
  "  .moment { stroke-width: 0.1 } .behind { opacity: 0.3 } .rest { stroke-width: 0.06; stroke-dasharray: 0.16 0.14 }\n"
  "  .robot:hover polyline { stroke-width: 0.3 }\n"
  "  .closed { fill: url(#fw-hatch); stroke-width: 0.04 } .reserved { stroke: none }\n"
  "  .wait circle { stroke-width: 0.05 } .faint { opacity: 0.4 } .shape { stroke: none; opacity: 0.35 }\n"
  "  .body { fill: none; stroke-width: 0.07; stroke-linecap: round } .nose { stroke-width: 0.05 }\n"
  "  .conflict text { fill: #d3212c; font-weight: 600 } .conflict circle { fill: none; stroke: #d3212c; stroke-width: "
  "0.12 }\n"
  "  .ticks { paint-order: stroke; stroke-width: 0.06; stroke-opacity: 0.75; stroke-linejoin: round }\n"
  "  .legend path { stroke-width: 0.2 } .legend .rest { stroke-width: 0.09; stroke-dasharray: 0.25 0.2 }\n"
  "  .legend text, .legend rect, .legend circle { stroke: none } .legend .goal { fill: none; stroke: inherit }\n"
  "</style>\n"
  "<defs><pattern id=\"fw-hatch\" width=\"0.2\" height=\"0.2\" patternUnits=\"userSpaceOnUse\" "
  "patternTransform=\"rotate(45)\"><path class=\"hatch\" stroke-width=\"0.1\" d=\"M0 0v0.2\"/></pattern></defs>\n";

typedef struct picture_t {
  const fw_problem_t * problem;
  const fw_plan_t * plan;
  fw_view_options_t options;
  FILE * stream;
  double cell_px;  // pixels per cell
  double line;     // height of a line of text, in cells
  double width;    // of the whole picture, in cells
  fw_tick_t end;   // the last tick of the plan
  fw_tick_t now;   // where robots are drawn: options.at, or 0 in a picture of the whole plan
  fw_tick_t last;  // the last tick of the window; `end` without a window
  const fw_view_reservations_t * reservations;  // closures and reservations to be drawn, sorted
  fw_plan_verdict_t verdict;                    // what fw_check_plan says of the plan
} picture_t;

// Robots that share an aisle would hide each other's paths, so each path is drawn a little off the middle of its cells.
static double lane_shift(int32_t robot) { return (double)(robot % 5 - 2) * 0.09; }

// ---- closures and reservations --------------------------------------------------------------------------------------

#define BAND_GAP 0.03          // around a band, in cells
#define TICKS_HEIGHT_MAX 0.23  // height of the ticks, in cells
#define TICKS_HEIGHT_MIN_PX 5.0

typedef struct band_t {
  const fw_view_reservation_t * reservation;
  double x;
  double y;
  double height;
} band_t;

// The band of reservation `at`: the reservations of a cell share it in equal bands, in time order from top to bottom.
static band_t band_of(const picture_t * picture, int32_t at)
{
  const fw_view_reservations_t * reservations = picture->reservations;
  FW_ASSERT(at >= 0 && at < reservations->count);
  const fw_cell_t cell = reservations->items[at].cell;
  int32_t first = at;
  int32_t behind = at + 1;
  while (first > 0 && reservations->items[first - 1].cell == cell) {
    first--;
  }
  while (behind < reservations->count && reservations->items[behind].cell == cell) {
    behind++;
  }
  const double height = 1.0 / (behind - first);
  const fw_grid_t * grid = picture->problem->grid;
  return (band_t){
    .reservation = &reservations->items[at],
    .x = fw_grid_x(grid, cell),
    .y = fw_grid_y(grid, cell) + (at - first) * height,
    .height = height,
  };
}

// The ticks as "7", "7–9", or "7–∞" for a closure without end.
static void put_span(const picture_t * picture, const fw_view_reservation_t * reservation)
{
  fprintf(picture->stream, "%d", reservation->from);
  if (reservation->to >= FW_TICK_MAX) {
    fputs("\xe2\x80\x93\xe2\x88\x9e", picture->stream);
  } else if (reservation->to > reservation->from) {
    fprintf(picture->stream, "\xe2\x80\x93%d", reservation->to);
  }
}

// Opacity: reservations that begin soon are strong, those at the end of the window faint.
static double opacity_of(const picture_t * picture, const fw_view_reservation_t * reservation)
{
  const double ahead = reservation->from - picture->now;
  const double all = picture->last > picture->now ? picture->last - picture->now : 1.0;
  return 0.46 - 0.3 * (ahead < all ? ahead / all : 1.0);
}

static void put_band(const picture_t * picture, const band_t * band)
{
  FILE * stream = picture->stream;
  const fw_view_reservation_t * reservation = band->reservation;
  const int32_t x = fw_grid_x(picture->problem->grid, reservation->cell);
  const int32_t y = fw_grid_y(picture->problem->grid, reservation->cell);
  const bool is_closed = reservation->robot == FW_VIEW_CLOSURE;
  fprintf(
    stream, "  <rect class=\"%s\" x=\"%.2f\" y=\"%.3f\" width=\"%.2f\" height=\"%.3f\" rx=\"0.06\"",
    is_closed ? "closed" : "reserved", band->x + BAND_GAP, band->y + BAND_GAP, 1.0 - 2.0 * BAND_GAP,
    band->height - 2.0 * BAND_GAP);
  if (is_closed) {
    const bool is_later = picture->options.has_moment && reservation->from > picture->now;
    fprintf(stream, "%s><title>(%d,%d) is closed, ticks ", is_later ? " opacity=\"0.5\"" : "", x, y);
  } else {
    fprintf(
      stream, " fill=\"%s\" fill-opacity=\"%.2f\"><title>robot %d keeps (%d,%d), ticks ",
      fw__palette_colour(reservation->robot).text, opacity_of(picture, reservation), reservation->robot, x, y);
  }
  put_span(picture, reservation);
  fputs("</title></rect>\n", stream);
}

// The coloured bands of all closures and reservations.
static void put_cells(const picture_t * picture)
{
  fputs("<g>\n", picture->stream);
  for (int32_t i = 0; i < picture->reservations->count; i++) {
    const band_t band = band_of(picture, i);
    put_band(picture, &band);
  }
  fputs("</g>\n", picture->stream);
}

// ---- paths ----------------------------------------------------------------------------------------------------------

#define GOAL_RADIUS 0.36

typedef struct line_t {
  const char * kind;  // the class, for the style
  const fw_cell_t * cells;
  int32_t count;
} line_t;

// Number of cells without the repeated last one of a robot that stands.
static int32_t count_until_standing(const line_t * line)
{
  int32_t count = line->count;
  while (count > 1 && line->cells[count - 1] == line->cells[count - 2]) {
    count--;
  }
  return count;
}

// A coordinate of the last point of a line that ends at its goal: at the goal's ring in the direction of the move, off
// the middle by `shift` across it.
static double end_at(int32_t from, int32_t to, double shift)
{
  return to + 0.5 + (from < to ? -GOAL_RADIUS : from > to ? GOAL_RADIUS : shift);
}

// A polyline through the corners only: points on a straight line between two others are left out.
static void put_line(const picture_t * picture, int32_t robot, const line_t * line)
{
  const fw_grid_t * grid = picture->problem->grid;
  const double shift = lane_shift(robot);
  const int32_t count = count_until_standing(line);
  fprintf(picture->stream, "  <polyline class=\"%s\" points=\"", line->kind);
  fw_cell_t last = FW_CELL_NONE;  // of the points written
  for (int32_t i = 0; i < count; i++) {
    const fw_cell_t cell = line->cells[i];
    const fw_cell_t next = i + 1 < count ? line->cells[i + 1] : cell;
    const bool is_straight = i > 0 && next != cell && next - cell == cell - line->cells[i - 1];
    if (cell == last || is_straight) {
      continue;
    }
    // Lines end at the ring of the goal, which may have a number in it.
    const bool is_cut = i > 0 && i + 1 == count && cell == picture->problem->robots[robot].goal;
    const fw_cell_t before = is_cut ? line->cells[i - 1] : cell;
    const double x = end_at(fw_grid_x(grid, before), fw_grid_x(grid, cell), shift);
    const double y = end_at(fw_grid_y(grid, before), fw_grid_y(grid, cell), shift);
    fprintf(picture->stream, "%.2f,%.2f ", x, y);
    last = cell;
  }
  fputs("\"/>\n", picture->stream);
}

// The part of the path between two ticks, cut at the path's end.
static line_t part_of(const fw_path_t * path, const char * kind, fw_tick_t from, fw_tick_t to)
{
  FW_ASSERT(path->length >= 1 && from <= to);
  const fw_tick_t last = path->length - 1;
  const fw_tick_t first = from < last ? from : last;
  return (line_t){.kind = kind, .cells = path->cells + first, .count = (to < last ? to : last) - first + 1};
}

// From where the plan ends to the goal that it does not reach: the shortest path without other robots, or a straight
// line where there is none and for robots larger than a cell.
static fw_ret_t put_rest(const picture_t * picture, int32_t robot, fw_cell_t from, fw_error_t * error)
{
  const fw_problem_t * problem = picture->problem;
  const fw_cell_t goal = problem->robots[robot].goal;
  const bool is_routed =
    problem->robots[robot].footprint_count <= 1 && problem->grid->cost[from] != 0 && problem->grid->cost[goal] != 0;
  fw_route_t route = {0};
  if (is_routed) {
    const fw_ret_t ret = fw_route_find_for(&route, problem, from, goal, NULL, error);
    if (ret != FW_RET_OK) {
      return ret;
    }
  }
  const fw_cell_t straight[] = {from, goal};
  const line_t line = {
    .kind = "rest",
    .cells = route.length > 0 ? route.cells : straight,
    .count = route.length > 0 ? route.length : 2,
  };
  put_line(picture, robot, &line);
  fw_route_fini(&route);
  return FW_RET_OK;
}

// The path of a robot: behind it, ahead of it in the window, and dashed from the window's end to the goal.
static fw_ret_t put_path(const picture_t * picture, int32_t robot, fw_error_t * error)
{
  const fw_path_t * path = &picture->plan->paths[robot];
  if (picture->now > 0) {
    const line_t behind = part_of(path, "moment behind", 0, picture->now);
    put_line(picture, robot, &behind);
  }
  const line_t ahead =
    part_of(path, picture->options.has_moment ? "moment ahead" : "ahead", picture->now, picture->last);
  put_line(picture, robot, &ahead);
  if (picture->last < picture->end && picture->last < path->length - 1) {
    const line_t later = part_of(path, "rest", picture->last, picture->end);
    put_line(picture, robot, &later);
  }
  const fw_cell_t end = fw_path_at(path, picture->end);
  return end == picture->problem->robots[robot].goal ? FW_RET_OK : put_rest(picture, robot, end, error);
}

// ---- robots and goals -----------------------------------------------------------------------------------------------

// The cells that the robot covers at this tick, both ends of a move and swept cells included.
static void put_shape(const picture_t * picture, const fw_trajectory_t * trajectory)
{
  fw_cell_t * cells = picture->reservations->cells;
  const int32_t count = fw__trajectory_cells(trajectory, picture->now, cells);
  fputs("  <path class=\"shape\" d=\"", picture->stream);
  for (int32_t i = 0; i < count; i++) {
    fprintf(
      picture->stream, "M%d %dh1v1h-1z", fw_grid_x(trajectory->grid, cells[i]), fw_grid_y(trajectory->grid, cells[i]));
  }
  fputs("\"/>\n", picture->stream);
}

static bool has_cell(fw_footprint_t footprint, int32_t dx, int32_t dy)
{
  bool has = false;
  for (int32_t i = 0; i < footprint.count && !has; i++) {
    has = footprint.cells[i].dx == dx && footprint.cells[i].dy == dy;
  }
  return has;
}

static void put_transform(const picture_t * picture, const fw_trajectory_point_t * place)
{
  fprintf(picture->stream, " transform=\"translate(%.2f %.2f)", place->x, place->y);
  if (place->heading != 0.0) {
    fprintf(picture->stream, " rotate(%.4g)", 45.0 * place->heading);
  }
  fputs("\"/>\n", picture->stream);
}

// The outline: the sides of the footprint's cells that have no neighbour in it, drawn for heading east and rotated by a
// transform.
static void put_outline(const picture_t * picture, fw_footprint_t footprint, const fw_trajectory_point_t * place)
{
  static const struct side_t {
    fw_offset_t to;
    const char * stroke;
    double x;
    double y;
  } sides[4] = {
    {{1, 0}, "v1", 0.5, -0.5}, {{0, 1}, "h1", -0.5, 0.5}, {{-1, 0}, "v1", -0.5, -0.5}, {{0, -1}, "h1", -0.5, -0.5}};
  fputs("  <path class=\"body\" d=\"", picture->stream);
  for (int32_t i = 0; i < footprint.count; i++) {
    const fw_offset_t cell = footprint.cells[i];
    for (int32_t k = 0; k < 4; k++) {
      if (!has_cell(footprint, cell.dx + sides[k].to.dx, cell.dy + sides[k].to.dy)) {
        fprintf(picture->stream, "M%g %g%s", cell.dx + sides[k].x, cell.dy + sides[k].y, sides[k].stroke);
      }
    }
  }
  fputs("\"", picture->stream);
  put_transform(picture, place);
}

// What a robot has beyond its disc: the covered cells, the outline of its footprint, and a nose that shows its heading.
// `radius` is the disc's.
static void put_body(const picture_t * picture, int32_t robot, double radius)
{
  const fw_trajectory_t trajectory = fw__trajectory(picture->problem, picture->plan, robot);
  const fw_trajectory_point_t place = fw__trajectory_point(&trajectory, picture->now);
  if (trajectory.robot->footprint_count > 1) {
    put_shape(picture, &trajectory);
    put_outline(picture, fw__footprint_of(trajectory.robot), &place);
  }
  if (fw__trajectory_has_heading(&trajectory)) {
    fprintf(
      picture->stream, "  <path class=\"nose\" d=\"M%.2f %.2fL0.52 0L%.2f %.2f\"", 0.45 * radius, -0.85 * radius,
      0.45 * radius, 0.85 * radius);
    put_transform(picture, &place);
  }
}

// Whether a number is drawn in the middle of the cell: that of a robot or, in a picture of one tick, of a goal.
static bool is_cell_taken(const picture_t * picture, fw_cell_t cell)
{
  for (int32_t robot = 0; robot < picture->plan->robot_count; robot++) {
    if (
      fw_path_at(&picture->plan->paths[robot], picture->now) == cell ||
      (picture->options.has_moment && picture->problem->robots[robot].goal == cell)) {
      return true;
    }
  }
  return false;
}

// Opens the SVG group of a robot, with its colour and a title, which viewers show as a tooltip. The caller closes it
// with "</g>".
static void open_group(const picture_t * picture, int32_t robot)
{
  FILE * stream = picture->stream;
  const fw_grid_t * grid = picture->problem->grid;
  const fw_cell_t start = fw_path_at(&picture->plan->paths[robot], 0);
  const fw_cell_t goal = picture->problem->robots[robot].goal;
  const fw_tick_t arrival = fw__view_arrival(&picture->plan->paths[robot], goal, picture->end);
  const fw_colour_t colour = fw__palette_colour(robot);
  fprintf(
    stream, "<g class=\"robot\" stroke=\"%s\" fill=\"%s\">\n  <title>robot %d: (%d,%d) to (%d,%d), ", colour.text,
    colour.text, robot, fw_grid_x(grid, start), fw_grid_y(grid, start), fw_grid_x(grid, goal), fw_grid_y(grid, goal));
  if (arrival >= 0) {
    fprintf(stream, "arrives at tick %d", arrival);
  } else {
    fputs("does not arrive", stream);
  }
  const fw_trajectory_t trajectory = fw__trajectory(picture->problem, picture->plan, robot);
  if (fw__trajectory_has_heading(&trajectory)) {
    fprintf(stream, ", faces %s", fw_heading_name(fw__trajectory_pose(&trajectory, picture->now).heading));
  }
  fputs("</title>\n", stream);
}

typedef struct number_t {
  fw_trajectory_point_t place;
  double size;  // of two digits
  const char * ink;
} number_t;

static void put_number(const picture_t * picture, int32_t robot, const number_t * number)
{
  if (picture->cell_px < 14.0) {
    return;
  }
  fprintf(
    picture->stream, "  <text x=\"%.2f\" y=\"%.2f\" font-size=\"%.2f\" stroke=\"none\" style=\"fill: %s\">%d</text>\n",
    number->place.x, number->place.y + number->size / 3.0, robot < 100 ? number->size : 0.76 * number->size,
    number->ink, robot);
}

static void put_goal(const picture_t * picture, int32_t robot)
{
  const fw_cell_t goal = picture->problem->robots[robot].goal;
  const fw_trajectory_point_t place = {
    .x = fw_grid_x(picture->problem->grid, goal) + 0.5, .y = fw_grid_y(picture->problem->grid, goal) + 0.5};
  const bool is_small = picture->options.has_moment;
  fprintf(
    picture->stream,
    "  <circle class=\"goal\" cx=\"%.1f\" cy=\"%.1f\" r=\"%.2f\" fill=\"none\" stroke-width=\"%.2f\"/>\n", place.x,
    place.y, is_small ? 0.34 : 0.36, is_small ? 0.08 : 0.12);
  bool is_hidden = !picture->options.has_moment;
  for (int32_t other = 0; other < picture->plan->robot_count && !is_hidden; other++) {
    is_hidden = fw_path_at(&picture->plan->paths[other], picture->now) == goal;
  }
  if (!is_hidden) {
    const number_t number = {.place = place, .size = 0.38, .ink = fw__palette_colour(robot).text};
    put_number(picture, robot, &number);
  }
}

static void put_robot(const picture_t * picture, int32_t robot)
{
  const fw_trajectory_t trajectory = fw__trajectory(picture->problem, picture->plan, robot);
  const fw_trajectory_point_t place = fw__trajectory_point(&trajectory, picture->now);
  const bool is_small = picture->options.has_moment;  // room for the ticks in the corner of the cell
  const double radius = is_small ? 0.29 : 0.36;
  put_goal(picture, robot);
  put_body(picture, robot, radius);
  fprintf(
    picture->stream, "  <circle class=\"disc\" cx=\"%.2f\" cy=\"%.2f\" r=\"%.2f\" stroke=\"none\"/>\n", place.x,
    place.y, radius);
  const number_t number = {.place = place, .size = is_small ? 0.38 : 0.42, .ink = fw__palette_ink(robot)};
  put_number(picture, robot, &number);
}

// ---- waits ----------------------------------------------------------------------------------------------------------

// A disc with the number of ticks, beside the middle of its cell where a number stands there, and in a picture of one
// tick below the cell's ticks.
static void put_wait(const picture_t * picture, int32_t robot, const fw_trajectory_wait_t * wait)
{
  FILE * stream = picture->stream;
  const fw_grid_t * grid = picture->problem->grid;
  const int32_t ticks = wait->to - wait->from;
  const double aside = picture->options.has_moment ? 0.2 + 0.5 * lane_shift(robot) : 1.6 * lane_shift(robot);
  const double shift = is_cell_taken(picture, wait->cell) ? 0.3 : aside;
  const double x = fw_grid_x(grid, wait->cell) + 0.5 + shift;
  const double y = fw_grid_y(grid, wait->cell) + 0.5 + shift;
  const double text = ticks < 10 ? 0.27 : ticks < 100 ? 0.22 : 0.16;
  const bool is_elsewhen = wait->to <= picture->now || wait->from > picture->last;
  fprintf(
    stream, "  <g class=\"wait%s\"><title>robot %d waits on (%d,%d), ticks %d to %d</title>",
    is_elsewhen && picture->options.has_moment ? " faint" : "", robot, fw_grid_x(grid, wait->cell),
    fw_grid_y(grid, wait->cell), wait->from, wait->to);
  fprintf(
    stream,
    "<circle cx=\"%.2f\" cy=\"%.2f\" r=\"0.19\"/><text x=\"%.2f\" y=\"%.3f\" font-size=\"%.2f\" stroke=\"none\" "
    "style=\"fill: %s\">%d</text></g>\n",
    x, y, x, y + 0.36 * text, text, fw__palette_ink(robot), ticks);
}

static void put_waits(const picture_t * picture, int32_t robot)
{
  const fw_trajectory_t trajectory = fw__trajectory(picture->problem, picture->plan, robot);
  fw_trajectory_wait_t wait = {0};
  while (fw__trajectory_next_wait(&trajectory, wait.to, picture->end, &wait)) {
    put_wait(picture, robot, &wait);
  }
}

// ---- ticks of the reservations --------------------------------------------------------------------------------------

static bool is_near(const band_t * band, double x, double y, double reach)
{
  return fabs(x - (band->x + 0.28)) < reach + 0.22 && fabs(y - (band->y + 0.15)) < reach + 0.1;
}

// Whether a robot or its nose covers the top of the band, where the ticks are written. Then they go to the bottom.
static bool is_top_covered(const picture_t * picture, const band_t * band)
{
  bool is = false;
  for (int32_t robot = 0; robot < picture->plan->robot_count && !is; robot++) {
    const fw_trajectory_t trajectory = fw__trajectory(picture->problem, picture->plan, robot);
    const fw_trajectory_point_t place = fw__trajectory_point(&trajectory, picture->now);
    const double angle = atan(1.0) * place.heading;
    const double tip = fw__trajectory_has_heading(&trajectory) ? 0.45 : 0.0;
    is = is_near(band, place.x, place.y, 0.24) ||
         (tip > 0.0 && is_near(band, place.x + tip * cos(angle), place.y + tip * sin(angle), 0.05));
  }
  return is && picture->options.has_moment && band->height == 1.0;
}

// The ticks of the bands, above everything else that is drawn in their cells. Left out where they would be too small.
static void put_ticks(const picture_t * picture)
{
  fputs("<g class=\"ticks\">\n", picture->stream);
  for (int32_t i = 0; i < picture->reservations->count; i++) {
    const band_t band = band_of(picture, i);
    const double height = 0.8 * band.height < TICKS_HEIGHT_MAX ? 0.8 * band.height : TICKS_HEIGHT_MAX;
    if (height * picture->cell_px < TICKS_HEIGHT_MIN_PX) {
      continue;
    }
    const double y = is_top_covered(picture, &band) ? band.y + 1.0 - 2.0 * BAND_GAP : band.y + BAND_GAP + 0.88 * height;
    fprintf(picture->stream, "  <text x=\"%.2f\" y=\"%.3f\" font-size=\"%.2f\">", band.x + 0.08, y, height);
    put_span(picture, band.reservation);
    fputs("</text>\n", picture->stream);
  }
  fputs("</g>\n", picture->stream);
}

// ---- conflict -------------------------------------------------------------------------------------------------------

#define CONFLICT_TEXT_HEIGHT 0.7    // height, in lines of text
#define CONFLICT_LETTER_WIDTH 0.37  // on average, in lines of text

// Lines of text that the conflict takes above the grid: 0 for a plan without one.
static double conflict_lines(const picture_t * picture) { return picture->verdict.text[0] != '\0' ? 1.0 : 0.0; }

// Width of the text, in lines of text.
static double conflict_width(const picture_t * picture)
{
  return CONFLICT_LETTER_WIDTH * (double)strlen(picture->verdict.text);
}

// A picture of one tick has the ring only if the conflict lies in its window.
static bool has_ring(const picture_t * picture)
{
  const fw_conflict_t * conflict = &picture->verdict.conflict;
  const bool is_now =
    !picture->options.has_moment || (conflict->tick >= picture->now && conflict->tick <= picture->last);
  return conflict->kind != FW_CONFLICT_NONE && is_now && conflict->cell >= 0 &&
         conflict->cell < fw_grid_cell_count(picture->problem->grid);
}

// What fw_check_plan found: its text above the grid and a ring around the cell.
static void put_conflict(const picture_t * picture)
{
  FILE * stream = picture->stream;
  const fw_grid_t * grid = picture->problem->grid;
  if (picture->verdict.text[0] == '\0') {
    return;
  }
  fprintf(
    stream, "<g class=\"conflict\">\n  <text x=\"0\" y=\"%.3f\" font-size=\"%.3f\">", -0.35 * picture->line,
    CONFLICT_TEXT_HEIGHT * picture->line);
  fw__escape_markup(stream, picture->verdict.text);
  fputs("</text>\n", stream);
  if (has_ring(picture)) {
    fprintf(
      stream, "  <circle cx=\"%.1f\" cy=\"%.1f\" r=\"0.62\"/>\n", fw_grid_x(grid, picture->verdict.conflict.cell) + 0.5,
      fw_grid_y(grid, picture->verdict.conflict.cell) + 0.5);
  }
  fputs("</g>\n", stream);
}

// ---- legend: the signs that the picture has, broken into lines; lengths are in lines of text ------------------------

#define LEGEND_SIGN_WIDTH 1.7
#define LEGEND_LETTER_WIDTH 0.36  // on average
#define LEGEND_GAP 1.1

enum { LEGEND_SIGNS_MAX = 8 };

typedef struct sign_t {
  const char * drawing;  // 1.4 wide, 1 high, its middle at y = 0
  const char * label;
  double x;
  int32_t line;
} sign_t;

typedef struct legend_t {
  sign_t signs[LEGEND_SIGNS_MAX];
  int32_t count;
  char window_label[40];
} legend_t;

static const char behind_drawing[] = "<path class=\"behind\" d=\"M0.1 0h1.2\"/>";
static const char ahead_drawing[] = "<path class=\"ahead\" d=\"M0.1 0h1.2\"/>";
static const char rest_drawing[] = "<path class=\"rest\" d=\"M0 0h1.4\"/>";
static const char goal_drawing[] = "<circle class=\"goal\" cx=\"0.9\" cy=\"0\" r=\"0.36\" stroke-width=\"0.14\"/>";
static const char reserved_drawing[] =
  "<rect x=\"0.1\" y=\"-0.45\" width=\"1.2\" height=\"0.9\" rx=\"0.1\" fill-opacity=\"0.3\"/>"
  "<text x=\"0.27\" y=\"0.2\" font-size=\"0.55\">7\xe2\x80\x93\x39</text>";
static const char wait_drawing[] =
  "<circle cx=\"0.9\" cy=\"0\" r=\"0.38\"/><text class=\"inverse\" x=\"0.74\" y=\"0.2\" font-size=\"0.55\">3</text>";
static const char closed_drawing[] =
  "<rect class=\"closed\" x=\"0.1\" y=\"-0.45\" width=\"1.2\" height=\"0.9\" rx=\"0.1\"/>";

static bool has_waits(const picture_t * picture)
{
  bool has = false;
  for (int32_t robot = 0; robot < picture->plan->robot_count && !has; robot++) {
    const fw_trajectory_t trajectory = fw__trajectory(picture->problem, picture->plan, robot);
    fw_trajectory_wait_t wait;
    has = fw__trajectory_next_wait(&trajectory, 0, picture->end, &wait);
  }
  return has;
}

static bool has_rest(const picture_t * picture)
{
  bool has = false;
  for (int32_t robot = 0; robot < picture->plan->robot_count && !has; robot++) {
    has = picture->last < picture->plan->paths[robot].length - 1 ||
          fw_path_at(&picture->plan->paths[robot], picture->end) != picture->problem->robots[robot].goal;
  }
  return has;
}

// Appends a sign, on a new line if the present one is full.
static void legend_add(legend_t * legend, const picture_t * picture, const char * drawing, const char * label)
{
  const double width = LEGEND_SIGN_WIDTH + LEGEND_LETTER_WIDTH * (double)strlen(label);
  sign_t sign = {.drawing = drawing, .label = label};
  if (legend->count > 0) {
    const sign_t * before = &legend->signs[legend->count - 1];
    const double end = before->x + LEGEND_SIGN_WIDTH + LEGEND_LETTER_WIDTH * (double)strlen(before->label) + LEGEND_GAP;
    const bool fits = (end + width) * picture->line <= picture->width - 1.0;
    sign.x = fits ? end : 0.0;
    sign.line = fits ? before->line : before->line + 1;
  }
  FW_ASSERT(legend->count < LEGEND_SIGNS_MAX);
  legend->signs[legend->count++] = sign;
}

static void legend_fill(legend_t * legend, const picture_t * picture)
{
  bool has_closed = false;
  for (int32_t i = 0; i < picture->reservations->count; i++) {
    has_closed = has_closed || picture->reservations->items[i].robot == FW_VIEW_CLOSURE;
  }
  snprintf(legend->window_label, sizeof(legend->window_label), "window: %d ticks", picture->options.window);
  legend_add(legend, picture, goal_drawing, "goal");
  if (picture->now > 0) {
    legend_add(legend, picture, behind_drawing, "behind");
  }
  legend_add(legend, picture, ahead_drawing, picture->options.window > 0 ? legend->window_label : "ahead");
  if (has_rest(picture)) {
    legend_add(legend, picture, rest_drawing, "later");
  }
  if (picture->options.shows_reservations) {
    legend_add(legend, picture, reserved_drawing, "reserved, ticks 7 to 9");
  }
  if (has_waits(picture)) {
    legend_add(legend, picture, wait_drawing, "waits 3 ticks");
  }
  if (has_closed) {
    legend_add(legend, picture, closed_drawing, "closed");
  }
}

// Lines that the legend takes; 0 for a picture of the whole plan, which has none.
static int32_t legend_lines(const picture_t * picture)
{
  legend_t legend = {0};
  if (!picture->options.has_moment) {
    return 0;
  }
  legend_fill(&legend, picture);
  FW_ASSERT(legend.count > 0);
  return legend.signs[legend.count - 1].line + 1;
}

static void put_legend(const picture_t * picture)
{
  FILE * stream = picture->stream;
  legend_t legend = {0};
  legend_fill(&legend, picture);
  fprintf(
    stream, "<g class=\"legend\" transform=\"translate(0 %.3f) scale(%.4f)\">\n",
    picture->problem->grid->height + 1.1 * picture->line, picture->line);
  for (int32_t i = 0; i < legend.count; i++) {
    const sign_t * sign = &legend.signs[i];
    fprintf(
      stream,
      "  <g transform=\"translate(%.2f %.2f)\">%s<text x=\"%.2f\" y=\"0.24\" font-size=\"0.68\">%s</text></g>\n",
      sign->x, 1.3 * sign->line, sign->drawing, LEGEND_SIGN_WIDTH, sign->label);
  }
  fputs("</g>\n", stream);
}

// ---- the picture ----------------------------------------------------------------------------------------------------

// "40 robots, solved, sum of costs 1234, makespan 68". Costs of a plan that does not reach all goals are left out: they
// could not be compared with anything.
static void put_summary(const picture_t * picture)
{
  const fw_plan_t * plan = picture->plan;
  fprintf(
    picture->stream, "%d robot%s, %s", plan->robot_count, plan->robot_count == 1 ? "" : "s",
    fw_outcome_name(plan->outcome));
  if (plan->outcome == FW_OUTCOME_SOLVED) {
    fprintf(
      picture->stream, ", sum of costs %lld, makespan %d", (long long)plan->stats.sum_of_costs, plan->stats.makespan);
  } else {
    fprintf(picture->stream, ", safe until tick %d", picture->end);
  }
  if (picture->options.has_moment) {
    fprintf(picture->stream, " \xc2\xb7 tick %d", picture->now);
  }
}

static void put_head(const picture_t * picture)
{
  FILE * stream = picture->stream;
  const double line = picture->line;
  const int32_t legend_line_count = legend_lines(picture);
  const double foot = legend_line_count > 0 ? (LEGEND_LINE * legend_line_count + 0.4) * line : 0.0;
  const double conflict_height = conflict_lines(picture);
  const double head = (HEAD + conflict_height) * line;
  const double height = picture->problem->grid->height + 1.0 + head + foot;
  const double width = picture->width;
  fprintf(
    stream,
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-0.5 %.3f %.3f %.3f\" width=\"%.0f\" height=\"%.0f\">\n",
    -0.5 - head, width, height, width * picture->cell_px, height * picture->cell_px);
  fputs("<title>", stream);
  fw__escape_markup(stream, fw__view_title(&picture->options));
  fputs("</title>\n", stream);
  fputs(style, stream);
  fprintf(
    stream, "<rect class=\"page\" x=\"-0.5\" y=\"%.3f\" width=\"%.3f\" height=\"%.3f\"/>\n", -0.5 - head, width,
    height);
  fprintf(
    stream, "<text x=\"0\" y=\"%.3f\" font-size=\"%.3f\" font-weight=\"600\">", -(1.35 + conflict_height) * line,
    0.85 * line);
  fw__escape_markup(stream, fw__view_title(&picture->options));
  fprintf(
    stream, "</text>\n<text x=\"0\" y=\"%.3f\" font-size=\"%.3f\">", -(0.35 + conflict_height) * line, 0.7 * line);
  put_summary(picture);
  fputs("</text>\n", stream);
}

// Obstacles: one SVG path with a rectangle for each run of blocked cells in a row.
static void put_grid(const picture_t * picture)
{
  const fw_grid_t * grid = picture->problem->grid;
  fputs("<path class=\"wall\" shape-rendering=\"crispEdges\" d=\"", picture->stream);
  for (int32_t y = 0; y < grid->height; y++) {
    for (int32_t x = 0; x < grid->width; x++) {
      const int32_t first = x;
      while (x < grid->width && !fw_grid_is_free(grid, x, y)) {
        x++;
      }
      if (x > first) {
        fprintf(picture->stream, "M%d %dh%dv1h-%dz", first, y, x - first, x - first);
      }
    }
  }
  fprintf(
    picture->stream, "\"/>\n<rect class=\"edge\" stroke-width=\"%.3f\" width=\"%d\" height=\"%d\"/>\n",
    1.0 / picture->cell_px, grid->width, grid->height);
}

// Cells without waiting are hatched, cells of one way have an arrow. One SVG path for each kind.
static void put_rules(const picture_t * picture)
{
  const fw_grid_t * grid = picture->problem->grid;
  FILE * stream = picture->stream;
  if (!fw_grid_has_rules(grid)) {
    return;
  }
  fputs("<path id=\"no-waiting\" fill=\"none\" stroke=\"#d97706\" stroke-width=\"0.05\" opacity=\"0.7\" d=\"", stream);
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); cell++) {
    if (grid->cost[cell] != 0 && !fw_grid_allows_waiting(grid, cell)) {
      fprintf(stream, "M%d %dl1 -1m-1 0.5l0.5 -0.5m0.5 0.5l-0.5 0.5", fw_grid_x(grid, cell), fw_grid_y(grid, cell) + 1);
    }
  }
  fputs("\"><title>no waiting</title></path>\n<path id=\"one-way\" fill=\"none\" stroke=\"#2563eb\" ", stream);
  fputs("stroke-width=\"0.06\" opacity=\"0.7\" d=\"", stream);
  for (fw_cell_t cell = 0; cell < fw_grid_cell_count(grid); cell++) {
    double dx = 0.0, dy = 0.0;
    if (grid->cost[cell] != 0 && fw__view_one_way(grid, cell, &dx, &dy)) {
      const double x = fw_grid_x(grid, cell) + 0.5, y = fw_grid_y(grid, cell) + 0.5;
      fprintf(stream, "M%.2f %.2fL%.2f %.2f", x - 0.3 * dx, y - 0.3 * dy, x + 0.3 * dx, y + 0.3 * dy);
      fprintf(
        stream, "M%.2f %.2fL%.2f %.2fL%.2f %.2f", x + 0.1 * dx - 0.15 * dy, y + 0.1 * dy + 0.15 * dx, x + 0.3 * dx,
        y + 0.3 * dy, x + 0.1 * dx + 0.15 * dy, y + 0.1 * dy - 0.15 * dx);
    }
  }
  fputs("\"><title>one way</title></path>\n", stream);
}

// Closures that are not over, and with `shows_reservations` the reservations from tick `now` to the end of the window.
static void collect_reservations(const picture_t * picture, fw_view_reservations_t * reservations)
{
  const fw_tick_span_t window = {picture->now, picture->last};
  fw__view_reservations_add_closures(reservations, (fw_tick_span_t){picture->now, FW_TICK_MAX});
  for (int32_t robot = 0; picture->options.shows_reservations && robot < picture->plan->robot_count; robot++) {
    fw__view_reservations_add_robot(reservations, robot, window);
  }
  fw__view_reservations_sort(reservations);
}

static fw_ret_t put_layers(const picture_t * picture, fw_error_t * error)
{
  const int32_t count = picture->plan->robot_count;
  put_head(picture);
  put_grid(picture);
  put_rules(picture);
  put_cells(picture);
  // All paths first, so that none hides a robot or a goal.
  for (int32_t robot = 0; robot < count; robot++) {
    open_group(picture, robot);
    const fw_ret_t ret = put_path(picture, robot, error);
    if (ret != FW_RET_OK) {
      return ret;
    }
    fputs("</g>\n", picture->stream);
  }
  for (int32_t robot = 0; robot < count; robot++) {
    open_group(picture, robot);
    put_robot(picture, robot);
    put_waits(picture, robot);
    fputs("</g>\n", picture->stream);
  }
  put_ticks(picture);
  put_conflict(picture);
  if (picture->options.has_moment) {
    put_legend(picture);
  }
  fputs("</svg>\n", picture->stream);
  return ferror(picture->stream)
           ? fw__error(error, FW_RET_FILE, "cannot write the picture: the stream reports an error")
           : FW_RET_OK;
}

// Sets sizes and the range of ticks from the options. Needs `end` and `verdict`.
static void measure(picture_t * picture)
{
  const fw_view_options_t * options = &picture->options;
  const fw_grid_t * grid = picture->problem->grid;
  const int32_t side = grid->width > grid->height ? grid->width : grid->height;
  const double cell_max_px = options->has_moment ? 64.0 : 48.0;
  FW_ASSERT(picture->end >= 0 && (!options->has_moment || options->at <= picture->end));
  picture->cell_px = fmax(4.0, fmin(cell_max_px, PICTURE_SIDE / side));
  picture->line = 18.0 / picture->cell_px;
  const double text_width = fmax(20.0, conflict_width(picture));
  picture->width = fmax(grid->width + 1.0, text_width * picture->line);
  picture->now = options->has_moment ? options->at : 0;
  const bool is_shorter = options->has_moment && options->window > 0 && options->window < picture->end - picture->now;
  picture->last = is_shorter ? picture->now + options->window : picture->end;
}

fw_ret_t fw_view_svg(
  const fw_problem_t * problem, const fw_plan_t * plan, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error)
{
  const fw_allocator_t allocator = fw_allocator_default();
  fw_view_reservations_t reservations = {0};
  picture_t picture = {.problem = problem, .plan = plan, .stream = stream, .reservations = &reservations};
  fw_ret_t ret = fw__view_check_plan(problem, plan, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  picture.options = options != NULL ? *options : (fw_view_options_t){0};
  picture.end = fw__view_last_tick(plan);
  ret = fw__view_check_options(&picture.options, picture.end, error);
  if (ret == FW_RET_OK && picture.options.shows_reservations && !picture.options.has_moment) {
    ret = fw__error(
      error, FW_RET_INVALID_ARGUMENT,
      "reservations can only be drawn at one tick: set has_moment and at (fleetweave view: --at)");
  }
  if (ret == FW_RET_OK) {
    ret = fw__view_verdict(problem, plan, &picture.verdict, error);
  }
  if (ret != FW_RET_OK) {
    return ret;
  }
  measure(&picture);
  fw__view_reservations_init(&reservations, problem, plan, &allocator);
  collect_reservations(&picture, &reservations);
  ret = reservations.has_failed ? fw__error_memory(error) : put_layers(&picture, error);
  fw__view_reservations_fini(&reservations);
  return ret;
}
