// A still picture of a plan. Lengths are in cells: the viewBox scales them.
//
// Robots that use the same lane would hide each other, so each path is drawn a little off the middle of its cells.

#include <math.h>

#include "base/error.h"
#include "fleetweave/view.h"
#include "view/escape.h"
#include "view/shown.h"

#define PICTURE_SIDE 1000.0  // pixels of the longer side
#define HEAD 2.2             // lines of text above the grid, in units of a text line

static const char style[] =
  "<style>\n"
  "  .page { fill: #fff } .wall { fill: #4a4f57 } .edge { fill: none; stroke: #4a4f57 } text { fill: #1d2024 }\n"
  "  @media (prefers-color-scheme: dark) {\n"
  "    .page { fill: #1c1f23 } .wall { fill: #6d7581 } .edge { stroke: #6d7581 } text { fill: #e7e8ea }\n"
  "  }\n"
  "  text { font-family: sans-serif } g text { text-anchor: middle; font-weight: 600 }\n"
  "  polyline { fill: none; stroke-width: 0.14; stroke-linejoin: round; stroke-linecap: round; opacity: 0.8 }\n"
  "  g:hover polyline { stroke-width: 0.3 }\n"
  "</style>\n";

typedef struct picture_t {
  const fw_problem_t * problem;
  const fw_plan_t * plan;
  FILE * stream;
  double cell_px;  // pixels per cell
  fw_tick_t end;
} picture_t;

typedef struct colour_t {
  double red;  // 0 to 1
  double green;
  double blue;
} colour_t;

// Golden angle: neighbours in number differ most; lightness takes turns.
static colour_t colour_of(int32_t robot)
{
  const double hue = fmod((double)robot * 137.508, 360.0) / 60.0;
  const double lightness = robot % 3 == 0 ? 0.45 : robot % 3 == 1 ? 0.56 : 0.36;
  const double chroma = (1.0 - fabs(2.0 * lightness - 1.0)) * 0.72;
  const double second = chroma * (1.0 - fabs(fmod(hue, 2.0) - 1.0));
  const double base = lightness - chroma / 2.0;
  const int sextant = (int)hue;
  const double red = sextant == 0 || sextant == 5 ? chroma : sextant == 1 || sextant == 4 ? second : 0.0;
  const double green = sextant == 1 || sextant == 2 ? chroma : sextant == 0 || sextant == 3 ? second : 0.0;
  const double blue = sextant == 3 || sextant == 4 ? chroma : sextant == 2 || sextant == 5 ? second : 0.0;
  return (colour_t){red + base, green + base, blue + base};
}

// As hex, since not every viewer knows hsl().
static void put_colour(FILE * stream, int32_t robot)
{
  const colour_t colour = colour_of(robot);
  fprintf(
    stream, "#%02x%02x%02x", (unsigned)lround(255.0 * colour.red), (unsigned)lround(255.0 * colour.green),
    (unsigned)lround(255.0 * colour.blue));
}

// Black or white, whichever reads better on the robot's colour (relative luminance).
static const char * ink_on(int32_t robot)
{
  const colour_t c = colour_of(robot);
  const double luminance = 0.2126 * pow(c.red, 2.2) + 0.7152 * pow(c.green, 2.2) + 0.0722 * pow(c.blue, 2.2);
  return luminance > 0.22 ? "#111" : "#fff";
}

static void put_head(const picture_t * picture, const fw_view_options_t * options)
{
  FILE * stream = picture->stream;
  const fw_grid_t * grid = picture->problem->grid;
  const double line = 18.0 / picture->cell_px;  // height of a text line in cells
  const double width = fmax(grid->width + 1.0, 20.0 * line);
  const double height = grid->height + 1.0 + HEAD * line;
  fprintf(
    stream,
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-0.5 %.3f %.3f %.3f\" width=\"%.0f\" height=\"%.0f\">\n",
    -0.5 - HEAD * line, width, height, width * picture->cell_px, height * picture->cell_px);
  fputs("<title>", stream);
  fw__escape_markup(stream, fw__shown_title(options));
  fputs("</title>\n", stream);
  fputs(style, stream);
  fprintf(
    stream, "<rect class=\"page\" x=\"-0.5\" y=\"%.3f\" width=\"%.3f\" height=\"%.3f\"/>\n", -0.5 - HEAD * line, width,
    height);
  fprintf(stream, "<text x=\"0\" y=\"%.3f\" font-size=\"%.3f\" font-weight=\"600\">", -1.35 * line, 0.85 * line);
  fw__escape_markup(stream, fw__shown_title(options));
  fprintf(stream, "</text>\n<text x=\"0\" y=\"%.3f\" font-size=\"%.3f\">", -0.35 * line, 0.7 * line);
  fprintf(
    stream, "%d robots, %s, sum of costs %lld, makespan %d</text>\n", picture->plan->robot_count,
    fw_outcome_name(picture->plan->outcome), (long long)picture->plan->stats.sum_of_costs,
    picture->plan->stats.makespan);
}

// One path of rectangles, a rectangle per run of blocked cells in a row.
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

static void put_polyline(const picture_t * picture, int32_t robot, double shift)
{
  const fw_grid_t * grid = picture->problem->grid;
  const fw_path_t * path = &picture->plan->paths[robot];
  fputs("  <polyline points=\"", picture->stream);
  fw_cell_t last = FW_CELL_NONE;  // of the points written
  for (fw_tick_t tick = 0; tick <= picture->end && tick < path->length; tick++) {
    const fw_cell_t cell = path->cells[tick];
    const fw_cell_t next = tick < picture->end ? fw_path_at(path, tick + 1) : cell;
    const bool is_straight = tick > 0 && next != cell && next - cell == cell - path->cells[tick - 1];
    if (cell == last || is_straight) {
      continue;
    }
    fprintf(picture->stream, "%.2f,%.2f ", fw_grid_x(grid, cell) + 0.5 + shift, fw_grid_y(grid, cell) + 0.5 + shift);
    last = cell;
  }
  fputs("\"/>\n", picture->stream);
}

// Opens a robot's group, with its words: a viewer shows them when the pointer rests on it.
static void open_group(const picture_t * picture, int32_t robot)
{
  FILE * stream = picture->stream;
  const fw_grid_t * grid = picture->problem->grid;
  const fw_cell_t start = fw_path_at(&picture->plan->paths[robot], 0);
  const fw_cell_t goal = picture->problem->robots[robot].goal;
  const fw_tick_t arrival = fw__shown_arrival(&picture->plan->paths[robot], goal, picture->end);
  fputs("<g stroke=\"", stream);
  put_colour(stream, robot);
  fputs("\" fill=\"", stream);
  put_colour(stream, robot);
  fprintf(
    stream, "\">\n  <title>robot %d: (%d,%d) to (%d,%d), ", robot, fw_grid_x(grid, start), fw_grid_y(grid, start),
    fw_grid_x(grid, goal), fw_grid_y(grid, goal));
  if (arrival >= 0) {
    fprintf(stream, "arrives at tick %d</title>\n", arrival);
  } else {
    fputs("does not arrive</title>\n", stream);
  }
}

static void put_ends(const picture_t * picture, int32_t robot)
{
  FILE * stream = picture->stream;
  const fw_grid_t * grid = picture->problem->grid;
  const fw_cell_t start = fw_path_at(&picture->plan->paths[robot], 0);
  const fw_cell_t goal = picture->problem->robots[robot].goal;
  const double x = fw_grid_x(grid, start) + 0.5;
  const double y = fw_grid_y(grid, start) + 0.5;
  fprintf(
    stream, "  <circle cx=\"%.1f\" cy=\"%.1f\" r=\"0.36\" fill=\"none\" stroke-width=\"0.12\"/>\n",
    fw_grid_x(grid, goal) + 0.5, fw_grid_y(grid, goal) + 0.5);
  fprintf(stream, "  <circle cx=\"%.1f\" cy=\"%.1f\" r=\"0.36\" stroke=\"none\"/>\n", x, y);
  if (picture->cell_px >= 14.0) {
    fprintf(
      stream, "  <text x=\"%.2f\" y=\"%.2f\" font-size=\"%.2f\" stroke=\"none\" style=\"fill: %s\">%d</text>\n", x,
      y + 0.14, robot < 100 ? 0.42 : 0.32, ink_on(robot), robot);
  }
}

fw_ret_t fw_view_svg(
  const fw_problem_t * problem, const fw_plan_t * plan, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error)
{
  const fw_ret_t ret = fw__shown_check(problem, plan, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  const int32_t side = problem->grid->width > problem->grid->height ? problem->grid->width : problem->grid->height;
  const picture_t picture = {
    .problem = problem,
    .plan = plan,
    .stream = stream,
    .end = fw__shown_end(plan),
    .cell_px = fmax(4.0, fmin(48.0, PICTURE_SIDE / side)),
  };
  put_head(&picture, options);
  put_grid(&picture);
  // All paths first: none may hide a start or a goal.
  for (int32_t robot = 0; robot < plan->robot_count; robot++) {
    open_group(&picture, robot);
    put_polyline(&picture, robot, (double)(robot % 5 - 2) * 0.09);
    fputs("</g>\n", stream);
  }
  for (int32_t robot = 0; robot < plan->robot_count; robot++) {
    open_group(&picture, robot);
    put_ends(&picture, robot);
    fputs("</g>\n", stream);
  }
  fputs("</svg>\n", stream);
  return ferror(stream) ? fw__error(error, FW_RET_FILE, "the picture cannot be written") : FW_RET_OK;
}
