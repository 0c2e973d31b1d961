// A still picture of a plan: its frame, its grid, and the order of its layers.

#include <math.h>

#include "base/error.h"
#include "fleetweave/view.h"
#include "view/escape.h"
#include "view/picture.h"
#include "view/shown.h"

#define PICTURE_SIDE 1000.0  // pixels of the longer side
#define HEAD 2.2             // lines of text above the grid
#define LEGEND 1.3           // a line of the legend, in lines of text

static const char style[] =
  "<style>\n"
  "  .page, .inverse { fill: #fff } .ticks { stroke: #fff } .wall { fill: #4a4f57 } .edge { fill: none; stroke: "
  "#4a4f57 }\n"
  "  text { fill: #1d2024 } .wait circle, .nose { stroke: #fff } .closed { stroke: #8d949e }\n"
  "  .hatch { stroke: #8d949e } .legend { fill: #5d646d; stroke: #5d646d }\n"
  "  @media (prefers-color-scheme: dark) {\n"
  "    .page, .inverse { fill: #1c1f23 } .ticks { stroke: #1c1f23 } .wall { fill: #6d7581 } .edge { stroke: #6d7581 }\n"
  "    text { fill: #e7e8ea } .wait circle, .nose { stroke: #1c1f23 } .closed { stroke: #8d949e }\n"
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

// Figures of a plan that is not complete would say nothing.
static void put_summary(const fw__picture_t * picture)
{
  const fw_plan_t * plan = picture->plan;
  fprintf(picture->stream, "%d robots, %s", plan->robot_count, fw_outcome_name(plan->outcome));
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

static void put_head(const fw__picture_t * picture)
{
  FILE * stream = picture->stream;
  const double line = picture->line;
  const int32_t legend_lines = fw__picture_legend_lines(picture);
  const double foot = legend_lines > 0 ? (LEGEND * legend_lines + 0.4) * line : 0.0;
  const double conflict_lines = fw__picture_conflict_lines(picture);
  const double head = (HEAD + conflict_lines) * line;
  const double height = picture->problem->grid->height + 1.0 + head + foot;
  const double width = picture->width;
  fprintf(
    stream,
    "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"-0.5 %.3f %.3f %.3f\" width=\"%.0f\" height=\"%.0f\">\n",
    -0.5 - head, width, height, width * picture->cell_px, height * picture->cell_px);
  fputs("<title>", stream);
  fw__escape_markup(stream, fw__shown_title(&picture->options));
  fputs("</title>\n", stream);
  fputs(style, stream);
  fprintf(
    stream, "<rect class=\"page\" x=\"-0.5\" y=\"%.3f\" width=\"%.3f\" height=\"%.3f\"/>\n", -0.5 - head, width,
    height);
  fprintf(
    stream, "<text x=\"0\" y=\"%.3f\" font-size=\"%.3f\" font-weight=\"600\">", -(1.35 + conflict_lines) * line,
    0.85 * line);
  fw__escape_markup(stream, fw__shown_title(&picture->options));
  fprintf(stream, "</text>\n<text x=\"0\" y=\"%.3f\" font-size=\"%.3f\">", -(0.35 + conflict_lines) * line, 0.7 * line);
  put_summary(picture);
  fputs("</text>\n", stream);
}

// One path of rectangles, a rectangle per run of blocked cells in a row.
static void put_grid(const fw__picture_t * picture)
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

// Closures, and in a moment's picture what is reserved from then to the end of the window.
static fw_ret_t collect_stays(const fw__picture_t * picture, fw__stays_t * stays, fw_error_t * error)
{
  const fw__span_t window = {picture->now, picture->last};
  fw_ret_t ret = fw__stays_add_closures(stays, (fw__span_t){picture->now, FW_TICK_MAX}, error);
  for (int32_t robot = 0; picture->options.shows_reservations && robot < picture->plan->robot_count; robot++) {
    if (ret == FW_RET_OK) {
      ret = fw__stays_add_robot(stays, robot, window, error);
    }
  }
  fw__stays_sort(stays);
  return ret;
}

static fw_ret_t put_layers(const fw__picture_t * picture, fw_error_t * error)
{
  const int32_t count = picture->plan->robot_count;
  put_head(picture);
  put_grid(picture);
  fw__picture_put_cells(picture);
  // All ways first: none may hide a robot or a goal.
  for (int32_t robot = 0; robot < count; robot++) {
    fw__picture_open_group(picture, robot);
    const fw_ret_t ret = fw__picture_put_way(picture, robot, error);
    if (ret != FW_RET_OK) {
      return ret;
    }
    fputs("</g>\n", picture->stream);
  }
  for (int32_t robot = 0; robot < count; robot++) {
    fw__picture_open_group(picture, robot);
    fw__picture_put_robot(picture, robot);
    fw__picture_put_waits(picture, robot);
    fputs("</g>\n", picture->stream);
  }
  fw__picture_put_ticks(picture);
  fw__picture_put_conflict(picture);
  if (picture->options.has_moment) {
    fw__picture_put_legend(picture);
  }
  fputs("</svg>\n", picture->stream);
  return ferror(picture->stream) ? fw__error(error, FW_RET_FILE, "the picture cannot be written") : FW_RET_OK;
}

// Sizes and ticks, from what is asked for.
static void measure(fw__picture_t * picture)
{
  const fw_view_options_t * options = &picture->options;
  const fw_grid_t * grid = picture->problem->grid;
  const int32_t side = grid->width > grid->height ? grid->width : grid->height;
  const double cell_max_px = options->has_moment ? 64.0 : 48.0;
  picture->cell_px = fmax(4.0, fmin(cell_max_px, PICTURE_SIDE / side));
  picture->line = 18.0 / picture->cell_px;
  const double words = fmax(20.0, fw__picture_conflict_width(picture));
  picture->width = fmax(grid->width + 1.0, words * picture->line);
  picture->now = options->has_moment ? options->at : 0;
  const bool is_shorter = options->has_moment && options->window > 0 && options->window < picture->end - picture->now;
  picture->last = is_shorter ? picture->now + options->window : picture->end;
}

fw_ret_t fw_view_svg(
  const fw_problem_t * problem, const fw_plan_t * plan, const fw_view_options_t * options, FILE * stream,
  fw_error_t * error)
{
  const fw_allocator_t allocator = fw_allocator_default();
  fw__stays_t stays = {0};
  fw__picture_t picture = {.problem = problem, .plan = plan, .stream = stream, .stays = &stays};
  fw_ret_t ret = fw__shown_check(problem, plan, error);
  if (ret != FW_RET_OK) {
    return ret;
  }
  picture.options = options != NULL ? *options : (fw_view_options_t){0};
  picture.end = fw__shown_end(plan);
  ret = fw__shown_check_options(&picture.options, picture.end, error);
  if (ret == FW_RET_OK && picture.options.shows_reservations && !picture.options.has_moment) {
    ret = fw__error(error, FW_RET_INVALID_ARGUMENT, "reservations are drawn at a moment: say which");
  }
  if (ret == FW_RET_OK) {
    ret = fw__shown_find_flaw(problem, plan, &picture.flaw, error);
  }
  if (ret == FW_RET_OK) {
    measure(&picture);
    ret = fw__stays_init(&stays, problem, plan, &allocator, error);
  }
  if (ret == FW_RET_OK) {
    ret = collect_stays(&picture, &stays, error);
  }
  if (ret == FW_RET_OK) {
    ret = put_layers(&picture, error);
  }
  fw__stays_fini(&stays);
  return ret;
}
